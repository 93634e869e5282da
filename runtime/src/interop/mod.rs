//! CUDA, OpenCL and Vulkan together: in, a kind of handle as one of them names it, or a handle of another crate; out, what the others name
//! the same kind, and the handle in this crate's types.
//!
//! What pairs with what is read from the generated tables, as the atlas is. A kind that upstream adds needs an entry in the overlay of this
//! project, and nothing here.
//!
//! Owners keep one vocabulary in both APIs: [`cuda::ExternalSemaphore`](crate::cuda::ExternalSemaphore) and
//! [`opencl::Semaphore`](crate::opencl::Semaphore) are imported from a `Source`, signalled and waited for, and tell what was done by
//! `stats()`. [`SharedSemaphore`] is that vocabulary as a trait, for code that is given either.

mod pointer;
mod semaphore;
#[cfg(feature = "ash")]
pub mod vulkan;

use clcu_sys::{
    cuda::{self, CUexternalMemoryHandleType, CUexternalSemaphoreHandleType},
    opencl::{self, cl_external_memory_handle_type_khr, cl_external_semaphore_handle_type_khr},
    rules::HandleType,
};

pub use self::{
    pointer::Pointer,
    semaphore::{SharedSemaphore, SharedTimeline},
};

/// The rows of a kind's counterparts in CUDA: first the one that takes the same handle.
///
/// Source: [`clcu_sys::cuda::HANDLE_TYPES`], whose pairs this project states: no specification does.
pub fn in_cuda(row: &'static HandleType) -> impl Iterator<Item = &'static HandleType> {
    rows(cuda::HANDLE_TYPES, row.cuda)
}

/// The rows of a kind's counterparts in OpenCL: first the one that takes the same handle.
///
/// Source: [`clcu_sys::opencl::HANDLE_TYPES`], whose pairs this project states: no specification does.
pub fn in_opencl(row: &'static HandleType) -> impl Iterator<Item = &'static HandleType> {
    rows(opencl::HANDLE_TYPES, row.opencl)
}

fn rows(table: &'static [HandleType], names: &'static [&'static str]) -> impl Iterator<Item = &'static HandleType> {
    names.iter().filter_map(|name| table.iter().find(|row| row.name == *name))
}

/// What another API calls the same kind of handle.
///
/// ```
/// use clcu::{interop::Counterpart, sys::{cuda::CUexternalSemaphoreHandleType, opencl::cl_external_semaphore_handle_type_khr}};
/// let opencl = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
/// let cuda: Option<CUexternalSemaphoreHandleType> = opencl.counterpart();
/// assert_eq!(cuda, Some(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD));
///
/// // CUDA takes no sync files.
/// let opencl = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
/// assert_eq!(Counterpart::<CUexternalSemaphoreHandleType>::counterpart(opencl), None);
/// ```
///
/// A kind of semaphore has no counterpart among those of memory:
///
/// ```compile_fail,E0277
/// use clcu::{interop::Counterpart, sys::{cuda::CUexternalMemoryHandleType, opencl::cl_external_semaphore_handle_type_khr}};
/// let opencl = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
/// let cuda: Option<CUexternalMemoryHandleType> = opencl.counterpart();
/// ```
///
/// Source: `CUexternalSemaphoreHandleType` and `CUexternalMemoryHandleType` of `cuda.h`; `cl_external_semaphore_handle_type_khr` and
/// `cl_external_memory_handle_type_khr` of the OpenCL API specification, with `cl_khr_external_semaphore` and `cl_khr_external_memory`.
pub trait Counterpart<T> {
    /// The kind of the other API that takes the same handle; `None` where there is none, or this kind is not known here.
    fn counterpart(self) -> Option<T>;
}

/// The value of the first row that has one, as the enumeration that it belongs to.
#[allow(clippy::cast_possible_truncation)] // both APIs number handle types with 32 bits
fn first(mut rows: impl Iterator<Item = &'static HandleType>) -> Option<u32> {
    rows.find_map(|row| row.value).map(|value| value as u32)
}

impl Counterpart<cl_external_semaphore_handle_type_khr> for CUexternalSemaphoreHandleType {
    fn counterpart(self) -> Option<cl_external_semaphore_handle_type_khr> {
        first(in_opencl(crate::cuda::kind::of_semaphore(self)?)).map(cl_external_semaphore_handle_type_khr)
    }
}

impl Counterpart<CUexternalSemaphoreHandleType> for cl_external_semaphore_handle_type_khr {
    fn counterpart(self) -> Option<CUexternalSemaphoreHandleType> {
        first(in_cuda(crate::opencl::kind::of_semaphore(self)?)).map(CUexternalSemaphoreHandleType)
    }
}

impl Counterpart<cl_external_memory_handle_type_khr> for CUexternalMemoryHandleType {
    fn counterpart(self) -> Option<cl_external_memory_handle_type_khr> {
        first(in_opencl(crate::cuda::kind::of_memory(self)?)).map(cl_external_memory_handle_type_khr)
    }
}

impl Counterpart<CUexternalMemoryHandleType> for cl_external_memory_handle_type_khr {
    fn counterpart(self) -> Option<CUexternalMemoryHandleType> {
        first(in_cuda(crate::opencl::kind::of_memory(self)?)).map(CUexternalMemoryHandleType)
    }
}

#[cfg(test)]
mod tests {
    use clcu_sys::rules::HandleKind;

    use super::*;

    #[test]
    fn what_one_table_pairs_the_other_pairs_too() {
        let shared = |row: &&HandleType| matches!(row.kind, HandleKind::Semaphore | HandleKind::Memory);
        let mut pairs = 0;
        for cuda in cuda::HANDLE_TYPES.iter().filter(shared) {
            for opencl in in_opencl(cuda) {
                assert!(opencl.cuda.contains(&cuda.name), "{} names {}, which does not name it", cuda.name, opencl.name);
                assert_eq!(cuda.kind, opencl.kind);
                pairs += 1;
            }
        }
        for opencl in opencl::HANDLE_TYPES {
            for cuda in in_cuda(opencl) {
                assert!(cuda.opencl.contains(&opencl.name), "{} names {}, which does not name it", opencl.name, cuda.name);
            }
        }
        assert!(pairs > 8, "{pairs} pairs");
    }

    #[test]
    fn counterparts_agree_on_what_vulkan_calls_them() {
        for opencl in opencl::HANDLE_TYPES {
            for cuda in in_cuda(opencl) {
                assert!(cuda.vulkan.iter().any(|name| opencl.vulkan.contains(name)), "{}, {}", opencl.name, cuda.name);
            }
        }
    }

    #[test]
    fn a_kind_that_is_not_known_has_no_counterpart() {
        let newer: Option<cl_external_memory_handle_type_khr> = CUexternalMemoryHandleType(999).counterpart();
        assert_eq!(newer, None);
        let timeline = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let opencl: Option<cl_external_semaphore_handle_type_khr> = timeline.counterpart();
        assert_eq!(opencl, None, "semaphores of OpenCL are binary");
    }

    #[test]
    fn a_dma_buf_is_the_same_in_both() {
        let opencl = cl_external_memory_handle_type_khr::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
        let cuda = CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
        assert_eq!(opencl.counterpart(), Some(cuda));
        assert_eq!(cuda.counterpart(), Some(opencl));
    }
}
