//! What a semaphore is made from: nothing, or a handle. A constructor for each handle type that takes what the type needs, and one for each
//! way of carrying a handle, which serves handle types that this version of the crate has no name for.

use std::marker::PhantomData;

#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(windows)]
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};

use clcu_sys::{opencl::cl_external_semaphore_handle_type_khr as HandleType, rules::Utf16Name};

use super::Tracking;
#[cfg(windows)]
use crate::payload::Fence;
use crate::{
    import::Carrier,
    opencl::{
        Device, kind,
        properties::{self, Created, Exportable},
    },
    payload::{Binary, Kind},
};

/// A semaphore to be made from nothing. `S` says whether it may be exported: as one type, which is said once.
///
/// ```compile_fail,E0599
/// use clcu::{opencl::semaphore::Create, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// let create = Create::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
/// create.exportable(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
/// ```
///
/// With `cl_khr_semaphore`. Source: `clCreateSemaphoreWithPropertiesKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
#[must_use = "it is made by `Semaphore::create`"]
pub struct Create<S = Created> {
    pub(super) properties: properties::Semaphore<S>,
    pub(super) export: Option<HandleType>,
    pub(super) device: Option<clcu_sys::opencl::cl_device_id>,
    pub(super) tracking: Tracking,
}

impl Create<Created> {
    /// A binary semaphore, which is not signalled.
    ///
    /// With `cl_khr_semaphore`. Source: `CL_SEMAPHORE_TYPE_BINARY_KHR` of the OpenCL API specification.
    pub fn binary() -> Self {
        Self { properties: properties::Semaphore::binary(), export: None, device: None, tracking: Tracking::default() }
    }

    /// May be exported as a handle of this type. Upstream allows one.
    ///
    /// With `cl_khr_external_semaphore`. Source: `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR` of the OpenCL API specification.
    pub fn exportable(self, handle_type: HandleType) -> Create<Exportable> {
        let Self { properties, device, tracking, .. } = self;
        Create { properties: properties.exportable(handle_type), export: Some(handle_type), device, tracking }
    }
}

impl<S> Create<S> {
    /// For this device alone. A context of several devices needs it.
    ///
    /// With `cl_khr_semaphore`. Source: `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR` of the OpenCL API specification.
    pub fn device(mut self, device: &Device) -> Self {
        self.device = Some(device.as_raw());
        self.properties = self.properties.device(device.as_raw());
        self
    }

    /// How closely its signals and waits are followed.
    pub fn tracking(mut self, tracking: Tracking) -> Self {
        self.tracking = tracking;
        self
    }
}

/// A sync file, or what stands for one that has been signalled already: −1, which is no file descriptor.
///
/// It owns its descriptor, and closes it when it is dropped.
///
/// With `cl_khr_external_semaphore_sync_fd`. Source: `CL_SEMAPHORE_HANDLE_SYNC_FD_KHR` of the OpenCL API specification.
#[cfg(unix)]
#[derive(Debug)]
pub enum SyncFd {
    /// A sync file.
    Fd(OwnedFd),
    /// There is nothing to wait for.
    AlreadySignaled,
}

#[cfg(unix)]
impl SyncFd {
    pub(super) fn into_carrier(self) -> Carrier {
        match self {
            Self::Fd(fd) => Carrier::Fd(fd),
            Self::AlreadySignaled => Carrier::Nothing,
        }
    }
}

#[cfg(unix)]
impl From<OwnedFd> for SyncFd {
    fn from(fd: OwnedFd) -> Self {
        Self::Fd(fd)
    }
}

/// What a semaphore of the kind `K` is imported from. `'a` is the life of a borrowed handle or name.
///
/// What is imported cannot be made exportable: there is no such method, and upstream answers with `CL_INVALID_OPERATION`.
///
/// ```compile_fail,E0599
/// use clcu::{opencl::semaphore::{Source, SyncFd}, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// Source::sync_fd(SyncFd::AlreadySignaled).exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
/// ```
///
/// It owns its file descriptor until the import succeeds, and closes it when it is dropped without one.
///
/// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
#[derive(Debug)]
#[must_use = "it is imported by `Semaphore::import`"]
pub struct Source<'a, K> {
    pub(super) handle_type: HandleType,
    pub(super) word: u64,
    pub(super) carrier: Carrier,
    pub(super) device: Option<clcu_sys::opencl::cl_device_id>,
    pub(super) tracking: Tracking,
    /// Whether it is asked what the descriptor refers to.
    #[cfg(unix)]
    pub(super) is_suspicious: bool,
    kind: PhantomData<fn() -> K>,
    borrowed: PhantomData<&'a ()>,
}

impl<'a, K: Kind> Source<'a, K> {
    fn new(handle_type: HandleType, word: u64, carrier: Carrier) -> Self {
        // What can be imported again is followed in release builds as well: whether that may be done is asked of what was done before.
        let again = kind::of_semaphore(handle_type).is_some_and(|row| row.special_value.is_some());
        Self {
            handle_type,
            word,
            carrier,
            device: None,
            tracking: if again { Tracking::Shared } else { Tracking::default() },
            #[cfg(unix)]
            is_suspicious: false,
            kind: PhantomData,
            borrowed: PhantomData,
        }
    }

    /// For this device alone. A context of several devices needs it.
    ///
    /// With `cl_khr_semaphore`. Source: `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR` of the OpenCL API specification.
    pub fn device(mut self, device: &Device) -> Self {
        self.device = Some(device.as_raw());
        self
    }

    /// How closely its signals and waits are followed: by default as [`Tracking::default`], but a sync file always, since
    /// [`Semaphore::reimport`](super::Semaphore::reimport) asks what was done before and refuses what is not followed.
    pub fn tracking(mut self, tracking: Tracking) -> Self {
        self.tracking = tracking;
        self
    }

    /// The operating system is asked what the descriptor refers to, and the import refused if it cannot be a handle of this type
    /// ([`descriptor::check`](crate::descriptor::check)): drivers take one for another without a word, or crash. It costs a few system calls.
    #[cfg(unix)]
    pub fn checking_descriptor(mut self) -> Self {
        self.is_suspicious = true;
        self
    }

    /// From a file descriptor, for any handle type that is carried by one.
    ///
    /// An import that succeeds uses the file descriptor up: the platform owns it, or it is closed, as the row of the type says.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn from_fd(handle_type: HandleType, fd: OwnedFd) -> Self {
        let carrier = Carrier::Fd(fd);
        Self::new(handle_type, i64::from(carrier.number()).cast_unsigned(), carrier)
    }

    /// From an NT handle, which stays the caller's to close, for any handle type that is carried by one.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    #[cfg(windows)]
    pub fn from_handle(handle_type: HandleType, handle: BorrowedHandle<'a>) -> Self {
        Self::new(handle_type, handle.as_raw_handle().addr() as u64, Carrier::Win32)
    }

    /// From the name of a Windows object, for any handle type that is a name.
    ///
    /// The name is borrowed until the import returned.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    pub fn from_name(handle_type: HandleType, name: Utf16Name<'a>) -> Self {
        Self::new(handle_type, name.as_ptr().addr() as u64, Carrier::Name)
    }

    /// From a global KMT handle, for any handle type that is one. It is a number that holds no reference: nobody closes it.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    pub fn from_kmt(handle_type: HandleType, handle: u32) -> Self {
        Self::new(handle_type, handle.into(), Carrier::Kmt)
    }
}

impl<'a> Source<'a, Binary> {
    /// A semaphore of Vulkan or of another OpenCL, exported as an opaque file descriptor. It shares its payload with the other side.
    ///
    /// The platform owns the file descriptor once the import succeeded. After a failure, of which upstream says nothing, it comes back in the
    /// error.
    ///
    /// With `cl_khr_external_semaphore_opaque_fd`. Source: `CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn opaque_fd(fd: OwnedFd) -> Self {
        Self::from_fd(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd)
    }

    /// A sync file of Linux, or a fence of Android. The semaphore gets a copy of its payload, and can be given others later by
    /// [`Semaphore::reimport`](super::Semaphore::reimport).
    ///
    /// Who owns the file descriptor is as for [`Source::opaque_fd`].
    ///
    /// With `cl_khr_external_semaphore_sync_fd`. Source: `CL_SEMAPHORE_HANDLE_SYNC_FD_KHR` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn sync_fd(fd: impl Into<SyncFd>) -> Self {
        let carrier = fd.into().into_carrier();
        let word = i64::from(carrier.number()).cast_unsigned();
        Self::new(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, word, carrier)
    }

    /// A semaphore by an NT handle. It stays the caller's to close.
    ///
    /// With `cl_khr_external_semaphore_win32`. Source: `CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR` of the OpenCL API specification.
    #[cfg(windows)]
    pub fn opaque_win32(handle: BorrowedHandle<'a>) -> Self {
        Self::from_handle(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR, handle)
    }

    /// A semaphore by the name of its NT handle, as UTF-16 text that ends with a zero. It is borrowed until the import returned.
    ///
    /// ```
    /// use clcu::{opencl::semaphore::Source, sys::rules::Utf16Name};
    /// let units: Vec<u16> = "Global\\é\0".encode_utf16().collect();
    /// let source = Source::opaque_win32_name(Utf16Name::new(&units)?);
    /// # Ok::<(), clcu::sys::rules::Fault>(())
    /// ```
    ///
    /// Bytes are no name:
    ///
    /// ```compile_fail,E0308
    /// clcu::opencl::semaphore::Source::opaque_win32_name(b"Global\\e\0");
    /// ```
    ///
    /// With `cl_khr_external_semaphore_win32`. Source: `CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR` of the OpenCL API specification.
    pub fn opaque_win32_name(name: Utf16Name<'a>) -> Self {
        Self::from_name(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR, name)
    }

    /// A semaphore by a global KMT handle. It is a number that nobody closes.
    ///
    /// With `cl_khr_external_semaphore_win32`. Source: `CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR` of the OpenCL API specification.
    pub fn opaque_win32_kmt(handle: u32) -> Self {
        Self::from_kmt(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR, handle)
    }
}

#[cfg(windows)]
impl<'a> Source<'a, Fence> {
    /// An `ID3D12Fence` or `ID3D11Fence`, by an NT handle. It stays the caller's to close.
    ///
    /// With `cl_khr_external_semaphore_dx_fence`. Source: `CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR` of the OpenCL API specification.
    pub fn d3d12_fence(handle: BorrowedHandle<'a>) -> Self {
        Self::from_handle(HandleType::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR, handle)
    }
}
