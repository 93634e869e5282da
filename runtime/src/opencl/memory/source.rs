//! What memory is imported from: a constructor for each handle type that takes what the type needs, and one for each way of carrying a
//! handle, which serves handle types that this version of the crate has no name for.

use std::{ffi::c_void, marker::PhantomData};

#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(windows)]
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};

use clcu_sys::{
    opencl::{cl_external_memory_handle_type_khr as HandleType, cl_mem_flags, cl_mem_properties},
    rules::Utf16Name,
};

use super::Object;
use crate::{import::Carrier, opencl::Device};

/// What memory is imported from. `'a` is the life of a borrowed handle or name.
///
/// A type of semaphore handle is not one of memory:
///
/// ```compile_fail,E0308
/// # fn f(fd: std::os::fd::OwnedFd) {
/// use clcu::{opencl::memory::{Object, Source}, sys::opencl::cl_external_semaphore_handle_type_khr};
/// let source = Source::from_fd(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd, Object::buffer(4096));
/// # }
/// ```
///
/// Nor is text of another encoding a name, nor does a buffer that a name lies in go before the import:
///
/// ```compile_fail,E0308
/// use clcu::opencl::memory::{Object, Source};
/// let source = Source::opaque_win32_name("Global\\é", Object::buffer(4096));
/// ```
///
/// ```compile_fail,E0505
/// use clcu::{opencl::memory::{Object, Source}, sys::rules::Utf16Name};
/// let units = vec![71_u16, 0];
/// let source = Source::opaque_win32_name(Utf16Name::new(&units).unwrap(), Object::buffer(4096));
/// drop(units);
/// drop(source);
/// ```
///
/// It owns its file descriptor until the import succeeds, and closes it when it is dropped without one.
///
/// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
#[derive(Debug)]
#[must_use = "it is imported by `ExternalMemory::import`"]
pub struct Source<'a> {
    pub(super) handle_type: HandleType,
    /// What stands for the handle in the property list.
    pub(super) word: u64,
    pub(super) carrier: Carrier,
    pub(super) object: Object,
    pub(super) flags: cl_mem_flags,
    pub(super) devices: Vec<Device>,
    pub(super) is_linear: bool,
    /// Whether it is asked what the descriptor refers to.
    #[cfg(unix)]
    pub(super) is_suspicious: bool,
    life: PhantomData<&'a ()>,
}

impl<'a> Source<'a> {
    fn new(handle_type: HandleType, word: u64, carrier: Carrier, object: Object) -> Self {
        Self {
            handle_type,
            word,
            carrier,
            object,
            flags: cl_mem_flags::CL_MEM_READ_WRITE,
            devices: Vec::new(),
            is_linear: false,
            #[cfg(unix)]
            is_suspicious: false,
            life: PhantomData,
        }
    }

    /// What kernels and the host may do with it, instead of reading and writing. Flags that make use of the host's memory are refused before
    /// the platform is called: what is imported has memory.
    ///
    /// Since OpenCL 1.0. Source: `cl_mem_flags` of the OpenCL API specification.
    pub fn flags(mut self, flags: cl_mem_flags) -> Self {
        self.flags = flags;
        self
    }

    /// For these devices of the context alone (`CL_MEM_DEVICE_HANDLE_LIST_KHR`); without them it is for all. It is acquired and released on
    /// queues of these devices, and for all of them at once.
    ///
    /// With `cl_khr_external_memory`. Source: `CL_MEM_DEVICE_HANDLE_LIST_KHR` of the OpenCL API specification.
    pub fn devices(mut self, devices: &[Device]) -> Self {
        self.devices = devices.to_vec();
        self
    }

    /// An image in it is linear: the import is refused unless every device says that it takes images of this handle type for linear
    /// (`CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR`). Without this the driver takes the layout for what it likes.
    ///
    /// With `cl_khr_external_memory`. Source: `CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR` of the OpenCL
    /// API specification.
    pub fn linear(mut self) -> Self {
        self.is_linear = true;
        self
    }

    /// The operating system is asked what the descriptor refers to, and the import refused if it cannot be a handle of this type
    /// ([`descriptor::check`](crate::descriptor::check)): drivers take one for another without a word. It costs a few system calls.
    #[cfg(unix)]
    pub fn checking_descriptor(mut self) -> Self {
        self.is_suspicious = true;
        self
    }

    /// From a file descriptor, for any handle type that is carried by one.
    ///
    /// An import that succeeds uses the file descriptor up: the platform owns it, or it is closed, as the row of the type says.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn from_fd(handle_type: HandleType, fd: OwnedFd, object: Object) -> Self {
        let carrier = Carrier::Fd(fd);
        // As C widens an `int`.
        Self::new(handle_type, i64::from(carrier.number()).cast_unsigned(), carrier, object)
    }

    /// From an NT handle, which stays the caller's to close, for any handle type that is carried by one.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
    #[cfg(windows)]
    pub fn from_handle(handle_type: HandleType, handle: BorrowedHandle<'a>, object: Object) -> Self {
        Self::new(handle_type, address(handle.as_raw_handle()), Carrier::Win32, object)
    }

    /// From the name of a Windows object, for any handle type that is one.
    ///
    /// The name is borrowed until the import returned.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
    pub fn from_name(handle_type: HandleType, name: Utf16Name<'a>, object: Object) -> Self {
        Self::new(handle_type, address(name.as_ptr()), Carrier::Name, object)
    }

    /// From a global KMT handle, for any handle type that is one. It is a number that holds no reference: nobody closes it.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
    pub fn from_kmt(handle_type: HandleType, handle: u32, object: Object) -> Self {
        Self::new(handle_type, handle.into(), Carrier::Kmt, object)
    }

    /// Memory of Vulkan, exported as `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`.
    ///
    /// The platform owns the file descriptor once the import succeeded. After a failure, of which upstream says nothing, it comes back in the
    /// error. The descriptor cannot be used any more:
    ///
    /// ```compile_fail,E0382
    /// # fn f(fd: std::os::fd::OwnedFd) {
    /// use clcu::opencl::memory::{Object, Source};
    /// let source = Source::opaque_fd(fd, Object::buffer(4096));
    /// drop(fd);
    /// # }
    /// ```
    ///
    /// With `cl_khr_external_memory_opaque_fd`. Source: `CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn opaque_fd(fd: OwnedFd, object: Object) -> Self {
        Self::from_fd(HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, object)
    }

    /// A dma-buf of Linux.
    ///
    /// Who owns the file descriptor is as for [`Source::opaque_fd`]. Between acquiring and releasing, all access goes through OpenCL, that of
    /// the host too. What else may be done with a duplicate of the descriptor after the import (mapping it, `ioctl`), upstream leaves
    /// unspecified.
    ///
    /// With `cl_khr_external_memory_dma_buf`. Source: `CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn dma_buf(fd: OwnedFd, object: Object) -> Self {
        Self::from_fd(HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, object)
    }

    /// Memory of Vulkan, by an NT handle. It stays the caller's to close.
    ///
    /// With `cl_khr_external_memory_win32`. Source: `CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR` of the OpenCL API specification.
    #[cfg(windows)]
    pub fn opaque_win32(handle: BorrowedHandle<'a>, object: Object) -> Self {
        Self::from_handle(HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR, handle, object)
    }

    /// Memory of Vulkan, by the name of its NT handle, as UTF-16 text that ends with a zero. It is borrowed until the import returned.
    ///
    /// With `cl_khr_external_memory_win32`. Source: `CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR` of the OpenCL API specification.
    pub fn opaque_win32_name(name: Utf16Name<'a>, object: Object) -> Self {
        Self::from_name(HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR, name, object)
    }

    /// Memory of Vulkan, by a global KMT handle. It is a number that nobody closes.
    ///
    /// With `cl_khr_external_memory_win32`. Source: `CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR` of the OpenCL API specification.
    pub fn opaque_win32_kmt(handle: u32, object: Object) -> Self {
        Self::from_kmt(HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR, handle, object)
    }

    /// A buffer of Android, an `AHardwareBuffer` whose format is a blob. Its size is the handle's.
    /// The extension is provisional.
    ///
    /// # Safety
    /// It is one, and alive until the import returned. The platform takes a reference of its own, and the caller keeps its own. Its usage flags
    /// go with what is done with the memory, which upstream leaves to the caller.
    ///
    /// With `cl_khr_external_memory_android_hardware_buffer`. Source: `CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR` of the
    /// OpenCL API specification.
    pub unsafe fn android_hardware_buffer(buffer: *mut c_void) -> Self {
        let handle_type = HandleType::CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR;
        Self::new(handle_type, address(buffer), Carrier::Object, Object::InferredBuffer)
    }

    /// An image of Android, an `AHardwareBuffer` of any format but a blob. Its format, extent and layout are the handle's.
    ///
    /// # Safety
    /// As for [`Source::android_hardware_buffer`].
    ///
    /// With `cl_khr_external_memory_android_hardware_buffer`. Source: `CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR` of the
    /// OpenCL API specification.
    pub unsafe fn android_hardware_image(buffer: *mut c_void) -> Self {
        // SAFETY: promised by the caller.
        Self { object: Object::InferredImage, ..unsafe { Self::android_hardware_buffer(buffer) } }
    }

    /// The property list: the handle, the devices if there are any, and the end.
    pub(super) fn properties(&self) -> Vec<u64> {
        let mut words = vec![u64::from(self.handle_type.0), self.word];
        if !self.devices.is_empty() {
            words.push(cl_mem_properties::CL_MEM_DEVICE_HANDLE_LIST_KHR.0);
            words.extend(self.devices.iter().map(|device| address(device.as_raw().0)));
            words.push(cl_mem_properties::CL_MEM_DEVICE_HANDLE_LIST_END_KHR.0);
        }
        words.push(0);
        words
    }
}

/// The word that stands for a pointer.
#[allow(clippy::unnecessary_cast)] // as wide as a pointer on each target
fn address<T>(pointer: *const T) -> u64 {
    pointer.addr() as u64
}
