//! What memory is imported from: a constructor for each handle type that takes what the type needs, and one for each way of carrying a
//! handle, which serves handle types that this version of the crate has no name for.

use std::ffi::c_void;

#[cfg(unix)]
use std::os::fd::{OwnedFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};

use clcu_sys::{
    cuda::{CUDA_EXTERNAL_MEMORY_DEDICATED, CUDA_EXTERNAL_MEMORY_HANDLE_DESC as Descriptor, CUexternalMemoryHandleType},
    rules::{Utf16Name, Zeroed},
};

use crate::cuda::{
    ImportError,
    import::{Carrier, Witness},
};
#[cfg(unix)]
use crate::{cuda::error::Error, import::DUPLICATING};

/// What memory is imported from. `'a` is the life of a borrowed handle or name.
///
/// `size` is that of the exported object in bytes, as the exporting API knows it: nothing can be asked for it, and the size that a file
/// system reports of a file descriptor is another. Zero is refused before the driver is called.
///
/// A type of semaphore handle is not one of memory, although their numbers coincide:
///
/// ```compile_fail,E0308
/// # fn f(fd: std::os::fd::OwnedFd) {
/// use clcu::{cuda::memory::Source, sys::cuda::CUexternalSemaphoreHandleType};
/// let source = Source::from_fd(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, fd, 4096);
/// # }
/// ```
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_MEMORY_HANDLE_DESC` of `cuda.h`.
#[derive(Debug)]
#[must_use = "it is imported by `ExternalMemory::import`"]
pub struct Source<'a> {
    pub(super) descriptor: Zeroed<'a, Descriptor>,
    pub(super) carrier: Carrier,
    /// Whether it is asked what the descriptor refers to.
    #[cfg(unix)]
    pub(super) is_suspicious: bool,
}

impl<'a> Source<'a> {
    fn new(descriptor: Zeroed<'a, Descriptor>, carrier: Carrier) -> Self {
        Self {
            descriptor,
            carrier,
            #[cfg(unix)]
            is_suspicious: false,
        }
    }

    fn of(handle_type: CUexternalMemoryHandleType, size: u64) -> Zeroed<'a, Descriptor> {
        Zeroed::<Descriptor>::new().with(Descriptor::TYPE, handle_type).with(Descriptor::SIZE, size)
    }

    /// The same for the driver with a duplicate of an owned file descriptor, and the caller's own beside it.
    pub(super) fn duplicated(self) -> Result<(Self, Option<Witness>), ImportError> {
        #[cfg(unix)]
        if let Carrier::Fd(fd) = self.carrier {
            return match fd.try_clone() {
                Ok(duplicate) => {
                    let carrier = Carrier::Fd(duplicate);
                    let descriptor = self.descriptor.with(Descriptor::HANDLE_FD, carrier.number());
                    Ok((Self { descriptor, carrier, ..self }, Some(Witness::callers(fd))))
                }
                Err(error) => {
                    let error = Error::System { what: DUPLICATING, number: error.raw_os_error() };
                    Err(ImportError::before(error, Carrier::Fd(fd)))
                }
            };
        }
        Ok((self, None))
    }

    /// The object has its memory to itself: a dedicated allocation of Vulkan. The constructors for resources of Direct3D, for which it is
    /// required, set it.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CUDA_EXTERNAL_MEMORY_DEDICATED` of `cuda.h`.
    pub fn dedicated(mut self) -> Self {
        let flags = self.descriptor.get(Descriptor::FLAGS) | CUDA_EXTERNAL_MEMORY_DEDICATED;
        self.descriptor.set(Descriptor::FLAGS, flags);
        self
    }

    /// The operating system is asked what the descriptor refers to, and the import refused if it cannot be a handle of this type
    /// ([`descriptor::check`](crate::descriptor::check)): a driver answers `CUDA_ERROR_UNKNOWN` to a pipe, or crashes. It costs a few system
    /// calls.
    #[cfg(unix)]
    pub fn checking_descriptor(mut self) -> Self {
        self.is_suspicious = true;
        self
    }

    /// From a file descriptor, for any handle type that is carried by one and whose owner after import upstream names.
    ///
    /// It is the driver's after a successful import; after a failure it comes back in the error.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemoryHandleType` of `cuda.h`.
    #[cfg(unix)]
    pub fn from_fd(handle_type: CUexternalMemoryHandleType, fd: OwnedFd, size: u64) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(Self::of(handle_type, size).with(Descriptor::HANDLE_FD, carrier.number()), carrier)
    }

    /// From an NT handle, which stays the caller's to close, for any handle type that is carried by one.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemoryHandleType` of `cuda.h`.
    #[cfg(windows)]
    pub fn from_handle(handle_type: CUexternalMemoryHandleType, handle: BorrowedHandle<'a>, size: u64) -> Self {
        Self::new(Self::of(handle_type, size).with(Descriptor::HANDLE_WIN32_HANDLE, handle.as_raw_handle()), Carrier::Win32)
    }

    /// From the name of a Windows object, for any handle type that has names.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemoryHandleType` of `cuda.h`.
    pub fn from_name(handle_type: CUexternalMemoryHandleType, name: Utf16Name<'a>, size: u64) -> Self {
        Self::new(Self::of(handle_type, size).with_name(Descriptor::HANDLE_WIN32_NAME, name), Carrier::Name)
    }

    /// From a global KMT handle, for any handle type that is one. It is a number that holds no reference: nobody closes it.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemoryHandleType` of `cuda.h`.
    pub fn from_kmt(handle_type: CUexternalMemoryHandleType, handle: *mut c_void, size: u64) -> Self {
        Self::new(Self::of(handle_type, size).with(Descriptor::HANDLE_WIN32_HANDLE, handle), Carrier::Kmt)
    }

    /// Memory of Vulkan, exported as `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`.
    ///
    /// The driver owns the file descriptor once the import succeeded, and closes it at once (driver 580.159). After a failure it comes back
    /// in the error. The descriptor cannot be used any more:
    ///
    /// ```compile_fail,E0382
    /// # fn f(fd: std::os::fd::OwnedFd) {
    /// let source = clcu::cuda::memory::Source::opaque_fd(fd, 4096);
    /// drop(fd);
    /// # }
    /// ```
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD` of `cuda.h`.
    #[cfg(unix)]
    pub fn opaque_fd(fd: OwnedFd, size: u64) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(Descriptor::opaque_fd(carrier.number(), size, 0), carrier)
    }

    /// A dma-buf of Linux.
    ///
    /// Since CUDA 13.0. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD` of `cuda.h`.
    ///
    /// # Safety
    /// Upstream does not say who closes the file descriptor, so it is left alone: after success and after failure, the caller finds out
    /// whether this driver closed it, and closes it neither twice nor for somebody else. It is open until the import returned.
    #[cfg(unix)]
    pub unsafe fn dmabuf_fd(fd: RawFd, size: u64) -> Self {
        Self::new(Descriptor::dmabuf_fd(fd, size), Carrier::RawFd)
    }

    /// Memory of Vulkan, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32` of `cuda.h`.
    #[cfg(windows)]
    pub fn opaque_win32(handle: BorrowedHandle<'a>, size: u64) -> Self {
        Self::new(Descriptor::opaque_win32(handle.as_raw_handle(), size, 0), Carrier::Win32)
    }

    /// Memory of Vulkan, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32` of `cuda.h`.
    pub fn opaque_win32_by_name(name: Utf16Name<'a>, size: u64) -> Self {
        Self::new(Descriptor::opaque_win32_by_name(name, size, 0), Carrier::Name)
    }

    /// Memory of Vulkan, by a global KMT handle.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT` of `cuda.h`.
    pub fn opaque_win32_kmt(handle: *mut c_void, size: u64) -> Self {
        Self::new(Descriptor::opaque_win32_kmt(handle, size, 0), Carrier::Kmt)
    }

    /// An `ID3D12Heap`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d12_heap(handle: BorrowedHandle<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d12_heap(handle.as_raw_handle(), size, 0), Carrier::Win32)
    }

    /// An `ID3D12Heap`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP` of `cuda.h`.
    pub fn d3d12_heap_by_name(name: Utf16Name<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d12_heap_by_name(name, size, 0), Carrier::Name)
    }

    /// A committed `ID3D12Resource`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d12_resource(handle: BorrowedHandle<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d12_resource(handle.as_raw_handle(), size), Carrier::Win32)
    }

    /// A committed `ID3D12Resource`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE` of `cuda.h`.
    pub fn d3d12_resource_by_name(name: Utf16Name<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d12_resource_by_name(name, size), Carrier::Name)
    }

    /// An `ID3D11Resource`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d11_resource(handle: BorrowedHandle<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d11_resource(handle.as_raw_handle(), size), Carrier::Win32)
    }

    /// An `ID3D11Resource`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE` of `cuda.h`.
    pub fn d3d11_resource_by_name(name: Utf16Name<'a>, size: u64) -> Self {
        Self::new(Descriptor::d3d11_resource_by_name(name, size), Carrier::Name)
    }

    /// An `ID3D11Resource`, by a global KMT handle.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT` of `cuda.h`.
    pub fn d3d11_resource_kmt(handle: *mut c_void, size: u64) -> Self {
        Self::new(Descriptor::d3d11_resource_kmt(handle, size), Carrier::Kmt)
    }

    /// An `NvSciBufObj`.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF` of `cuda.h`.
    ///
    /// # Safety
    /// It is one, and lives for as long as the memory. Upstream does not say who releases it: it stays with the caller.
    pub unsafe fn nvscibuf(object: *const c_void, size: u64) -> Self {
        Self::new(Descriptor::nvscibuf(object, size, 0), Carrier::Object)
    }
}
