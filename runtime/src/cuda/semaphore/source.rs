//! What a semaphore is imported from: a constructor for each handle type that takes what the type needs, and one for each way of carrying a
//! handle, which serves handle types that this version of the crate has no name for.

use std::{ffi::c_void, marker::PhantomData};

#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(windows)]
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};

use clcu_sys::{
    cuda::{CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor, CUexternalSemaphoreHandleType},
    rules::{Utf16Name, Zeroed},
};

use super::{Binary, Fence, KeyedMutex, Kind, NvSciSync, Tracking};
use crate::cuda::import::Carrier;

/// What a semaphore of the kind `K` is imported from. `'a` is the life of a borrowed handle or name.
///
/// A buffer that a name lies in cannot go before the import:
///
/// ```compile_fail,E0505
/// use clcu::{cuda::semaphore::{Fence, Source}, sys::rules::Utf16Name};
/// let units = vec![71_u16, 0];
/// let source: Source<'_, Fence> = Source::d3d12_fence_by_name(Utf16Name::new(&units).unwrap());
/// drop(units);
/// drop(source);
/// ```
///
/// What carries a fence is not imported as a binary semaphore:
///
/// ```compile_fail,E0308
/// use clcu::{cuda::semaphore::{Binary, Fence, Source}, sys::rules::Utf16Name};
/// let units = [71_u16, 0];
/// let source: Source<'_, Fence> = Source::<Binary>::opaque_win32_by_name(Utf16Name::new(&units).unwrap());
/// ```
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC` of `cuda.h`.
#[derive(Debug)]
#[must_use = "it is imported by `ExternalSemaphore::import`"]
pub struct Source<'a, K> {
    pub(super) descriptor: Zeroed<'a, Descriptor>,
    pub(super) carrier: Carrier,
    pub(super) tracking: Tracking,
    /// Whether it is asked what the descriptor refers to.
    #[cfg(unix)]
    pub(super) is_suspicious: bool,
    kind: PhantomData<fn() -> K>,
}

impl<'a, K: Kind> Source<'a, K> {
    fn new(descriptor: Zeroed<'a, Descriptor>, carrier: Carrier) -> Self {
        Self {
            descriptor,
            carrier,
            tracking: Tracking::default(),
            #[cfg(unix)]
            is_suspicious: false,
            kind: PhantomData,
        }
    }

    fn of(handle_type: CUexternalSemaphoreHandleType) -> Zeroed<'a, Descriptor> {
        Zeroed::<Descriptor>::new().with(Descriptor::TYPE, handle_type)
    }

    /// How closely its signals and waits are followed.
    pub fn tracking(mut self, tracking: Tracking) -> Self {
        self.tracking = tracking;
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
    /// Since CUDA 10.0. Source: `CUexternalSemaphoreHandleType` of `cuda.h`.
    #[cfg(unix)]
    pub fn from_fd(handle_type: CUexternalSemaphoreHandleType, fd: OwnedFd) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(Self::of(handle_type).with(Descriptor::HANDLE_FD, carrier.number()), carrier)
    }

    /// From an NT handle, which stays the caller's to close, for any handle type that is carried by one.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphoreHandleType` of `cuda.h`.
    #[cfg(windows)]
    pub fn from_handle(handle_type: CUexternalSemaphoreHandleType, handle: BorrowedHandle<'a>) -> Self {
        Self::new(Self::of(handle_type).with(Descriptor::HANDLE_WIN32_HANDLE, handle.as_raw_handle()), Carrier::Win32)
    }

    /// From the name of a Windows object, for any handle type that has names.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphoreHandleType` of `cuda.h`.
    pub fn from_name(handle_type: CUexternalSemaphoreHandleType, name: Utf16Name<'a>) -> Self {
        Self::new(Self::of(handle_type).with_name(Descriptor::HANDLE_WIN32_NAME, name), Carrier::Name)
    }

    /// From a global KMT handle, for any handle type that is one. It is a number that holds no reference: nobody closes it.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphoreHandleType` of `cuda.h`.
    pub fn from_kmt(handle_type: CUexternalSemaphoreHandleType, handle: *mut c_void) -> Self {
        Self::new(Self::of(handle_type).with(Descriptor::HANDLE_WIN32_HANDLE, handle), Carrier::Kmt)
    }
}

impl<'a> Source<'a, Binary> {
    /// A binary semaphore of Vulkan, exported as `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`.
    ///
    /// The driver owns the file descriptor once the import succeeded, and closes it at once (driver 580.159). After a failure it comes back
    /// in the error. A timeline semaphore is accepted here without a word by that driver, and does not work: it has
    /// [`Source::timeline_semaphore_fd`].
    ///
    /// The descriptor cannot be used any more:
    ///
    /// ```compile_fail,E0382
    /// # fn f(fd: std::os::fd::OwnedFd) {
    /// let source = clcu::cuda::semaphore::Source::opaque_fd(fd);
    /// drop(fd);
    /// # }
    /// ```
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD` of `cuda.h`.
    #[cfg(unix)]
    pub fn opaque_fd(fd: OwnedFd) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(Descriptor::opaque_fd(carrier.number()), carrier)
    }

    /// A binary semaphore of Vulkan, by an NT handle. It stays the caller's to close, before or after the semaphore is destroyed.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32` of `cuda.h`.
    #[cfg(windows)]
    pub fn opaque_win32(handle: BorrowedHandle<'a>) -> Self {
        Self::new(Descriptor::opaque_win32(handle.as_raw_handle()), Carrier::Win32)
    }

    /// A binary semaphore of Vulkan, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32` of `cuda.h`.
    pub fn opaque_win32_by_name(name: Utf16Name<'a>) -> Self {
        Self::new(Descriptor::opaque_win32_by_name(name), Carrier::Name)
    }

    /// A binary semaphore of Vulkan, by a global KMT handle.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT` of `cuda.h`.
    pub fn opaque_win32_kmt(handle: *mut c_void) -> Self {
        Self::new(Descriptor::opaque_win32_kmt(handle), Carrier::Kmt)
    }
}

impl<'a> Source<'a, Fence> {
    /// A timeline semaphore of Vulkan, exported as `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`.
    ///
    /// Who owns the file descriptor is as for [`Source::opaque_fd`].
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD` of `cuda.h`.
    #[cfg(unix)]
    pub fn timeline_semaphore_fd(fd: OwnedFd) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(Descriptor::timeline_semaphore_fd(carrier.number()), carrier)
    }

    /// A timeline semaphore of Vulkan, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32` of `cuda.h`.
    #[cfg(windows)]
    pub fn timeline_semaphore_win32(handle: BorrowedHandle<'a>) -> Self {
        Self::new(Descriptor::timeline_semaphore_win32(handle.as_raw_handle()), Carrier::Win32)
    }

    /// A timeline semaphore of Vulkan, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32` of `cuda.h`.
    pub fn timeline_semaphore_win32_by_name(name: Utf16Name<'a>) -> Self {
        Self::new(Descriptor::timeline_semaphore_win32_by_name(name), Carrier::Name)
    }

    /// An `ID3D12Fence`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d12_fence(handle: BorrowedHandle<'a>) -> Self {
        Self::new(Descriptor::d3d12_fence(handle.as_raw_handle()), Carrier::Win32)
    }

    /// An `ID3D12Fence`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE` of `cuda.h`.
    pub fn d3d12_fence_by_name(name: Utf16Name<'a>) -> Self {
        Self::new(Descriptor::d3d12_fence_by_name(name), Carrier::Name)
    }

    /// An `ID3D11Fence`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d11_fence(handle: BorrowedHandle<'a>) -> Self {
        Self::new(Descriptor::d3d11_fence(handle.as_raw_handle()), Carrier::Win32)
    }

    /// An `ID3D11Fence`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE` of `cuda.h`.
    pub fn d3d11_fence_by_name(name: Utf16Name<'a>) -> Self {
        Self::new(Descriptor::d3d11_fence_by_name(name), Carrier::Name)
    }
}

impl<'a> Source<'a, KeyedMutex> {
    /// An `IDXGIKeyedMutex`, by an NT handle. It stays the caller's to close.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX` of `cuda.h`.
    #[cfg(windows)]
    pub fn d3d11_keyed_mutex(handle: BorrowedHandle<'a>) -> Self {
        Self::new(Descriptor::d3d11_keyed_mutex(handle.as_raw_handle()), Carrier::Win32)
    }

    /// An `IDXGIKeyedMutex`, by name.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX` of `cuda.h`.
    pub fn d3d11_keyed_mutex_by_name(name: Utf16Name<'a>) -> Self {
        Self::new(Descriptor::d3d11_keyed_mutex_by_name(name), Carrier::Name)
    }

    /// An `IDXGIKeyedMutex`, by a global KMT handle.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT` of `cuda.h`.
    pub fn d3d11_keyed_mutex_kmt(handle: *mut c_void) -> Self {
        Self::new(Descriptor::d3d11_keyed_mutex_kmt(handle), Carrier::Kmt)
    }
}

impl Source<'_, NvSciSync> {
    /// An `NvSciSyncObj`.
    ///
    /// Since CUDA 11.7 or earlier. Source: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC` of `cuda.h`.
    ///
    /// # Safety
    /// It is one, and lives for as long as the semaphore. Upstream does not say who releases it: it stays with the caller.
    pub unsafe fn nvscisync(object: *const c_void) -> Self {
        Self::new(Descriptor::nvscisync(object), Carrier::Object)
    }
}
