//! Vulkan's names for kinds of handles, in the types of `ash`: in, a bit of Vulkan and the type of the semaphore; out, what CUDA and OpenCL
//! call that kind, and back.
//!
//! Vulkan is no input of this project: its names stand in the overlay, and this module gives them the numbers of `ash`.

use ash::vk::{ExternalMemoryHandleTypeFlags as MemoryBits, ExternalSemaphoreHandleTypeFlags as SemaphoreBits, SemaphoreType};
use clcu_sys::{
    cuda::{self, CUexternalMemoryHandleType, CUexternalSemaphoreHandleType},
    opencl::{self, cl_external_memory_handle_type_khr, cl_external_semaphore_handle_type_khr},
    rules::{HandleKind, HandleType, Payload},
};

use super::Counterpart;

/// The kinds of semaphore handles by Vulkan's names.
const SEMAPHORES: [(&str, SemaphoreBits); 5] = [
    ("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT", SemaphoreBits::OPAQUE_FD),
    ("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT", SemaphoreBits::OPAQUE_WIN32),
    ("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT", SemaphoreBits::OPAQUE_WIN32_KMT),
    ("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE_BIT", SemaphoreBits::D3D12_FENCE),
    ("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT", SemaphoreBits::SYNC_FD),
];

/// The kinds of memory handles by Vulkan's names.
const MEMORY: [(&str, MemoryBits); 9] = [
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT", MemoryBits::OPAQUE_FD),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT", MemoryBits::OPAQUE_WIN32),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT", MemoryBits::OPAQUE_WIN32_KMT),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_TEXTURE_BIT", MemoryBits::D3D11_TEXTURE),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_TEXTURE_KMT_BIT", MemoryBits::D3D11_TEXTURE_KMT),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP_BIT", MemoryBits::D3D12_HEAP),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE_BIT", MemoryBits::D3D12_RESOURCE),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT", MemoryBits::DMA_BUF_EXT),
    ("VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID", MemoryBits::ANDROID_HARDWARE_BUFFER_ANDROID),
];

/// Whether a kind carries what semaphores of this type hold. Vulkan exports both types by the same bit; to CUDA they are two kinds.
fn holds(row: &HandleType, semaphore: SemaphoreType) -> bool {
    match semaphore {
        SemaphoreType::TIMELINE => row.payload == Payload::Fence,
        // OpenCL's specification does not say what its semaphores carry where they carry no value.
        SemaphoreType::BINARY => matches!(row.payload, Payload::Binary | Payload::Unspecified),
        _ => false,
    }
}

fn number(table: &'static [HandleType], kind: HandleKind, name: &str, wanted: impl Fn(&HandleType) -> bool) -> Option<u32> {
    let row = table.iter().find(|row| row.kind == kind && row.vulkan.contains(&name) && wanted(row))?;
    row.value.and_then(|value| u32::try_from(value).ok())
}

fn name_of<B: PartialEq>(names: &[(&'static str, B)], bit: &B) -> Option<&'static str> {
    names.iter().find(|(_, known)| known == bit).map(|(name, _)| *name)
}

fn bit_of<B: Copy>(names: &[(&str, B)], row: &HandleType) -> Option<B> {
    names.iter().find(|(name, _)| row.vulkan.contains(name)).map(|(_, bit)| *bit)
}

/// The kind by which CUDA imports a Vulkan semaphore of this type that is exported by this bit.
///
/// ```
/// use ash::vk;
/// use clcu::{interop::vulkan, sys::cuda::CUexternalSemaphoreHandleType as Cuda};
/// let opaque = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
/// assert_eq!(
///     vulkan::cuda_semaphore(opaque, vk::SemaphoreType::TIMELINE),
///     Some(Cuda::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
/// );
/// assert_eq!(
///     vulkan::cuda_semaphore(opaque, vk::SemaphoreType::BINARY),
///     Some(Cuda::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD)
/// );
/// ```
///
/// `None` where CUDA has no such kind, where several bits are given, and where the type of the semaphore is not known here.
///
/// Source: `VkExternalSemaphoreHandleTypeFlagBits` and `VkSemaphoreType` of the Vulkan specification; `CUexternalSemaphoreHandleType`
/// of `cuda.h`.
#[must_use]
pub fn cuda_semaphore(bit: SemaphoreBits, semaphore: SemaphoreType) -> Option<CUexternalSemaphoreHandleType> {
    let name = name_of(&SEMAPHORES, &bit)?;
    number(cuda::HANDLE_TYPES, HandleKind::Semaphore, name, |row| holds(row, semaphore)).map(CUexternalSemaphoreHandleType)
}

/// The kind by which OpenCL imports a Vulkan semaphore of this type that is exported by this bit.
///
/// `None` for timeline semaphores that are exported by an opaque handle: OpenCL's opaque handles are of binary semaphores.
///
/// With `cl_khr_external_semaphore`. Source: `VkExternalSemaphoreHandleTypeFlagBits` and `VkSemaphoreType` of the Vulkan specification;
/// `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
#[must_use]
pub fn opencl_semaphore(bit: SemaphoreBits, semaphore: SemaphoreType) -> Option<cl_external_semaphore_handle_type_khr> {
    let name = name_of(&SEMAPHORES, &bit)?;
    number(opencl::HANDLE_TYPES, HandleKind::Semaphore, name, |row| holds(row, semaphore))
        .map(cl_external_semaphore_handle_type_khr)
}

impl Counterpart<CUexternalMemoryHandleType> for MemoryBits {
    fn counterpart(self) -> Option<CUexternalMemoryHandleType> {
        number(cuda::HANDLE_TYPES, HandleKind::Memory, name_of(&MEMORY, &self)?, |_| true).map(CUexternalMemoryHandleType)
    }
}

impl Counterpart<cl_external_memory_handle_type_khr> for MemoryBits {
    fn counterpart(self) -> Option<cl_external_memory_handle_type_khr> {
        number(opencl::HANDLE_TYPES, HandleKind::Memory, name_of(&MEMORY, &self)?, |_| true).map(cl_external_memory_handle_type_khr)
    }
}

impl Counterpart<MemoryBits> for CUexternalMemoryHandleType {
    fn counterpart(self) -> Option<MemoryBits> {
        bit_of(&MEMORY, crate::cuda::kind::of_memory(self)?)
    }
}

impl Counterpart<MemoryBits> for cl_external_memory_handle_type_khr {
    fn counterpart(self) -> Option<MemoryBits> {
        bit_of(&MEMORY, crate::opencl::kind::of_memory(self)?)
    }
}

impl Counterpart<SemaphoreBits> for CUexternalSemaphoreHandleType {
    fn counterpart(self) -> Option<SemaphoreBits> {
        bit_of(&SEMAPHORES, crate::cuda::kind::of_semaphore(self)?)
    }
}

impl Counterpart<SemaphoreBits> for cl_external_semaphore_handle_type_khr {
    fn counterpart(self) -> Option<SemaphoreBits> {
        bit_of(&SEMAPHORES, crate::opencl::kind::of_semaphore(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_vulkan_in_the_tables_is_one_of_ash() {
        let rows = cuda::HANDLE_TYPES.iter().chain(opencl::HANDLE_TYPES);
        for name in rows.flat_map(|row| row.vulkan) {
            let known = SEMAPHORES.iter().any(|(known, _)| known == name) || MEMORY.iter().any(|(known, _)| known == name);
            assert!(known, "{name}");
        }
    }

    #[test]
    fn names_have_the_bits_that_ash_shows_by_them() {
        let shown = |name: &str, prefix: &str| {
            let rest = name.strip_prefix(prefix).expect("it is of this enumeration");
            rest.replace("_BIT", "")
        };
        for (name, bit) in SEMAPHORES {
            assert_eq!(format!("{bit:?}"), shown(name, "VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_"));
        }
        for (name, bit) in MEMORY {
            assert_eq!(format!("{bit:?}"), shown(name, "VK_EXTERNAL_MEMORY_HANDLE_TYPE_"));
        }
    }

    #[test]
    fn what_vulkan_exports_as_a_sync_file_opencl_takes_and_cuda_does_not() {
        let (bit, semaphore) = (SemaphoreBits::SYNC_FD, SemaphoreType::BINARY);
        assert_eq!(cuda_semaphore(bit, semaphore), None);
        let opencl = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
        assert_eq!(opencl_semaphore(bit, semaphore), Some(opencl));
        assert_eq!(Counterpart::<SemaphoreBits>::counterpart(opencl), Some(bit));
    }

    #[test]
    fn a_timeline_semaphore_is_none_of_opencl() {
        assert_eq!(opencl_semaphore(SemaphoreBits::OPAQUE_FD, SemaphoreType::TIMELINE), None);
        let binary = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
        assert_eq!(opencl_semaphore(SemaphoreBits::OPAQUE_FD, SemaphoreType::BINARY), Some(binary));
    }

    #[test]
    fn memory_pairs_in_both_directions() {
        for (name, bit) in MEMORY {
            let cuda: Option<CUexternalMemoryHandleType> = bit.counterpart();
            let opencl: Option<cl_external_memory_handle_type_khr> = bit.counterpart();
            assert!(cuda.is_some() || opencl.is_some(), "{name} pairs with nothing");
            assert!(cuda.is_none_or(|cuda| cuda.counterpart() == Some(bit)), "{name}");
            assert!(opencl.is_none_or(|opencl| opencl.counterpart() == Some(bit)), "{name}");
        }
    }
}
