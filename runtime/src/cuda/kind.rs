//! Kinds of external handles, by what the driver calls them: in, a value of an enumeration; out, its row in the generated table.
//!
//! Everything that differs between kinds is read from rows, so that a kind that upstream adds works here without a line of its own.

use std::{collections::BTreeMap, sync::LazyLock};

use clcu_sys::{
    cuda::{self, CUdevice_attribute, CUexternalMemoryHandleType, CUexternalSemaphoreHandleType, CUmemAllocationHandleType},
    rules::{HandleKind, HandleType, Platform},
};

/// The row of a type of semaphore handle; `None` for one that this version of the crate does not know.
#[must_use]
pub fn of_semaphore(handle_type: CUexternalSemaphoreHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Semaphore, handle_type.0.into())
}

/// The row of a type of memory handle.
#[must_use]
pub fn of_memory(handle_type: CUexternalMemoryHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Memory, handle_type.0.into())
}

/// The row of a type of handle by which an allocation is shared.
#[must_use]
pub fn of_allocation(handle_type: CUmemAllocationHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Allocation, handle_type.0.into())
}

/// The row of a kind that has a name and no number.
pub(super) fn by_name(short: &str) -> Option<&'static HandleType> {
    cuda::HANDLE_TYPES.iter().find(|row| row.value.is_none() && row.short == short)
}

fn row(kind: HandleKind, value: u64) -> Option<&'static HandleType> {
    cuda::HANDLE_TYPES.iter().find(|row| row.value == Some(value) && row.kind == kind)
}

/// Whether a kind exists on this system at all.
pub(super) fn exists_here(row: &HandleType) -> bool {
    match row.platform {
        Platform::Windows => cfg!(windows),
        Platform::Posix => cfg!(unix),
        // Whether NVIDIA's further libraries and hardware are there, only the driver knows.
        Platform::Any | Platform::NvSci | Platform::Fabric | Platform::Unspecified => true,
    }
}

/// The attribute that tells whether a device has a kind, by the name that the row gives.
pub(super) fn attribute(row: &HandleType) -> Option<CUdevice_attribute> {
    static ATTRIBUTES: LazyLock<BTreeMap<&'static str, CUdevice_attribute>> = LazyLock::new(|| {
        let wanted: Vec<_> = cuda::HANDLE_TYPES.iter().map(|row| row.capability_query).filter(|name| !name.is_empty()).collect();
        let named = |number: u32| {
            let attribute = CUdevice_attribute(number);
            let name = attribute.names().find(|name| wanted.contains(name))?;
            Some((name, attribute))
        };
        (0..CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX.0).filter_map(named).collect()
    });
    ATTRIBUTES.get(row.capability_query).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_that_a_row_names_is_an_attribute() {
        for row in cuda::HANDLE_TYPES {
            assert_eq!(attribute(row).is_some(), !row.capability_query.is_empty(), "{}: {}", row.name, row.capability_query);
        }
        let timeline = of_semaphore(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
        assert_eq!(timeline.and_then(attribute), Some(CUdevice_attribute(114)));
    }

    #[test]
    fn a_kind_of_another_enumeration_is_not_taken_for_one_of_the_same_number() {
        let memory = of_memory(CUexternalMemoryHandleType(4)).map(|row| row.short);
        let semaphore = of_semaphore(CUexternalSemaphoreHandleType(4)).map(|row| row.short);
        assert_eq!((memory, semaphore), (Some("D3D12_HEAP"), Some("D3D12_FENCE")));
        assert!(of_semaphore(CUexternalSemaphoreHandleType(999)).is_none());
    }
}
