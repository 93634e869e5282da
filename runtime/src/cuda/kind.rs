//! Kinds of external handles, by what the driver calls them: in, a value of an enumeration; out, its row in the generated table.
//!
//! Everything that differs between kinds is read from rows, so that a kind that upstream adds works here without a line of its own.

use std::{collections::BTreeMap, sync::LazyLock};

use clcu_sys::{
    cuda::{
        self, CUdevice_attribute, CUexternalMemoryHandleType, CUexternalSemaphoreHandleType, CUlogicalEndpointIpcHandleType,
        CUmemAllocationHandleType, CUmemRangeHandleType,
    },
    rules::{HandleKind, HandleType},
};

use super::Version;
pub(super) use crate::import::exists_here;

/// The row of a type of semaphore handle; `None` for one that this version of the crate does not know.
///
/// Since CUDA 10.0. Source: `CUexternalSemaphoreHandleType` of `cuda.h`.
#[must_use]
pub fn of_semaphore(handle_type: CUexternalSemaphoreHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Semaphore, handle_type.0.into())
}

/// The row of a type of memory handle; `None` for one that this version of the crate does not know.
///
/// Since CUDA 10.0. Source: `CUexternalMemoryHandleType` of `cuda.h`.
#[must_use]
pub fn of_memory(handle_type: CUexternalMemoryHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Memory, handle_type.0.into())
}

/// The row of a type of handle by which an allocation or a pool is shared; `None` for one that this version of the crate does not know,
/// and for several flags at once.
///
/// Since CUDA 10.2. Source: `CUmemAllocationHandleType` of `cuda.h`.
#[must_use]
pub fn of_allocation(handle_type: CUmemAllocationHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Allocation, handle_type.0.into())
}

/// The rows of all types of handles among these flags.
pub(super) fn of_allocations(handle_types: CUmemAllocationHandleType) -> impl Iterator<Item = &'static HandleType> {
    let flags = u64::from(handle_types.0);
    let wanted = move |value: u64| value != 0 && flags & value == value;
    cuda::HANDLE_TYPES.iter().filter(move |row| row.kind == HandleKind::Allocation && row.value.is_some_and(wanted))
}

/// The row of a type of handle to a range of addresses; `None` for one that this version of the crate does not know.
///
/// Since CUDA 11.7 or earlier. Source: `CUmemRangeHandleType` of `cuda.h`.
#[must_use]
pub fn of_range(handle_type: CUmemRangeHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Range, handle_type.0.into())
}

/// The row of a type of handle to a logical endpoint; `None` for one that this version of the crate does not know.
///
/// Since CUDA 13.3. Source: `CUlogicalEndpointIpcHandleType` of `cuda.h`.
#[must_use]
pub fn of_endpoint(handle_type: CUlogicalEndpointIpcHandleType) -> Option<&'static HandleType> {
    row(HandleKind::Endpoint, handle_type.0.into())
}

/// The row of a kind that has a name and no number.
pub(super) fn by_name(short: &str) -> Option<&'static HandleType> {
    cuda::HANDLE_TYPES.iter().find(|row| row.value.is_none() && row.short == short)
}

fn row(kind: HandleKind, value: u64) -> Option<&'static HandleType> {
    cuda::HANDLE_TYPES.iter().find(|row| row.value == Some(value) && row.kind == kind)
}

/// The version of the driver that a kind came with; `None` where it may be older than everything that was read of upstream.
#[must_use]
pub fn since(row: &HandleType) -> Option<Version> {
    fn version(row: &HandleType) -> Option<Version> {
        let (major, minor) = row.since.split_once('.')?;
        Some(Version(major.parse::<u32>().ok()? * 1000 + minor.parse::<u32>().ok()? * 10))
    }
    /// The oldest release that was read: what it has, an older one may have had too.
    static OLDEST: LazyLock<Option<Version>> = LazyLock::new(|| cuda::HANDLE_TYPES.iter().filter_map(version).min());
    version(row).filter(|since| Some(*since) > *OLDEST)
}

/// Other kinds of the same sort that exist on this system, and that the device does not deny by the same attribute.
pub(super) fn alternatives(row: &'static HandleType) -> impl Iterator<Item = &'static HandleType> {
    let denied = |other: &HandleType| !row.capability_query.is_empty() && other.capability_query == row.capability_query;
    cuda::HANDLE_TYPES
        .iter()
        .filter(move |other| other.kind == row.kind && other.name != row.name && exists_here(other) && !denied(other))
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
    fn a_kind_has_a_version_only_if_an_older_release_was_read_without_it() {
        let dma_buf = of_memory(CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD);
        assert_eq!(dma_buf.and_then(since), Some(Version(13000)));
        let opaque = of_memory(CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
        assert_eq!(opaque.and_then(since), None, "it came with CUDA 10.0, and 11.7 is the oldest that was read");
        for row in cuda::HANDLE_TYPES {
            assert!(row.since.split_once('.').is_some(), "{}: {}", row.name, row.since);
        }
    }

    #[test]
    fn a_kind_of_another_enumeration_is_not_taken_for_one_of_the_same_number() {
        let memory = of_memory(CUexternalMemoryHandleType(4)).map(|row| row.short);
        let semaphore = of_semaphore(CUexternalSemaphoreHandleType(4)).map(|row| row.short);
        assert_eq!((memory, semaphore), (Some("D3D12_HEAP"), Some("D3D12_FENCE")));
        assert!(of_semaphore(CUexternalSemaphoreHandleType(999)).is_none());
    }
}
