//! Allocations of CUDA itself that are shared: in, a device and a size, or what another process exported; out, an owner that exports a file
//! descriptor, a Windows handle or a fabric handle, and is released once.
//!
//! An allocation is memory without an address. Mapping it (`cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess`) is left to the raw
//! commands; what is mapped stays when the allocation is released.

use std::{ffi::c_void, fmt, mem, sync::Arc};

#[cfg(unix)]
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{FromRawHandle as _, OwnedHandle, RawHandle};

use clcu_sys::{
    cuda::{
        self, CUmemAllocationHandleType as HandleTypes, CUmemAllocationProp, CUmemAllocationType, CUmemFabricHandle,
        CUmemGenericAllocationHandle, CUmemLocationType,
    },
    rules::{Given, HandleKind, Zeroed},
};

use super::{
    checked,
    device::Device,
    error::{Error, Obstacle, Unsupported},
    kind,
};
use crate::trace;

/// An allocation that other processes can be given.
pub struct Allocation {
    device: Device,
    /// Zero once it is released or given away.
    handle: CUmemGenericAllocationHandle,
    /// As which it can be exported; nothing where it was imported.
    shared_as: HandleTypes,
}

impl Allocation {
    /// Allocates `size` bytes on a device, to be exported as one or several types of handles.
    ///
    /// `size` is a multiple of the granularity that `cuMemGetAllocationGranularity` tells. For Windows handles use
    /// [`Allocation::with_properties`]: they need security attributes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device says that it lacks one of the types.
    pub fn new(device: &Device, size: usize, shared_as: HandleTypes) -> Result<Self, Error> {
        let properties = Zeroed::<CUmemAllocationProp>::new()
            .with(CUmemAllocationProp::TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
            .with(CUmemAllocationProp::LOCATION_TYPE, CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)
            .with(CUmemAllocationProp::LOCATION_ID, device.as_raw().0)
            .with(CUmemAllocationProp::REQUESTED_HANDLE_TYPES, shared_as);
        // SAFETY: the properties have no pointer.
        unsafe { Self::with_properties(device, size, &properties) }
    }

    /// Allocates with all properties that the driver takes.
    ///
    /// # Safety
    /// `win32HandleMetaData` is null, or points to what the driver expects there, for the call.
    pub unsafe fn with_properties(
        device: &Device,
        size: usize,
        properties: &Zeroed<'_, CUmemAllocationProp>,
    ) -> Result<Self, Error> {
        let library = device.library();
        let shared_as = properties.requestedHandleTypes;
        library.demand(&[cuda::cuMemRelease.info()])?;
        for row in cuda::HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Allocation) {
            let wanted = row.value.is_some_and(|value| value != 0 && u64::from(shared_as.0) & value == value);
            if wanted {
                device.demand(row)?;
            }
        }
        let mut handle = CUmemGenericAllocationHandle(0);
        let command = &cuda::cuMemCreate;
        let arguments = cuda::cuMemCreate_arguments { flags: 0 };
        let given = Given { allocation_handle_types: Some(shared_as.0.into()), ..checked::given(library) };
        let checked = library.checked(command).record(properties, &given).arguments(&arguments, &given);
        // SAFETY: both pointers are good for the call, and what the properties point to by the caller's promise.
        checked.call(|create| unsafe { create(&raw mut handle, size, properties.as_ptr(), 0) })?;
        let handle = checked::some(library, command.info(), handle, handle.0 == 0)?;
        Ok(Self { device: device.clone(), handle, shared_as })
    }

    /// Exports it as a new file descriptor, which is the caller's, and closed when the program executes another.
    ///
    /// The driver gives it without that flag, which is set at once; a process that another thread starts just between inherits it.
    #[cfg(unix)]
    pub fn export_fd(&self) -> Result<OwnedFd, Error> {
        let mut number: RawFd = -1;
        self.export(HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, (&raw mut number).cast(), size_of_val(&number))?;
        let number = checked::some(self.device.library(), cuda::cuMemExportToShareableHandle.info(), number, number < 0)?;
        // SAFETY: the driver gave it away.
        let fd = unsafe { OwnedFd::from_raw_fd(number) };
        // SAFETY: it is open, and the flag is the only one there is.
        if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } == -1 {
            let number = std::io::Error::last_os_error().raw_os_error();
            return Err(Error::System { what: "closing the exported file descriptor on exec", number });
        }
        Ok(fd)
    }

    /// Exports it as a new NT handle, which is the caller's.
    #[cfg(windows)]
    pub fn export_handle(&self) -> Result<OwnedHandle, Error> {
        let mut handle: RawHandle = std::ptr::null_mut();
        self.export(HandleTypes::CU_MEM_HANDLE_TYPE_WIN32, (&raw mut handle).cast(), size_of_val(&handle))?;
        let handle = checked::some(self.device.library(), cuda::cuMemExportToShareableHandle.info(), handle, handle.is_null())?;
        // SAFETY: the driver gave it away.
        Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    /// Exports it as a global KMT handle of Windows. It is a number that holds no reference: nobody closes it.
    pub fn export_kmt(&self) -> Result<u32, Error> {
        let mut handle = 0_u32;
        self.export(HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT, (&raw mut handle).cast(), size_of_val(&handle))?;
        checked::some(self.device.library(), cuda::cuMemExportToShareableHandle.info(), handle, handle == 0)
    }

    /// Exports it as bytes that a process on another machine of the fabric imports. They hold no reference.
    pub fn export_fabric(&self) -> Result<CUmemFabricHandle, Error> {
        let mut handle = CUmemFabricHandle { data: [0; 64] };
        self.export(HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC, (&raw mut handle).cast(), size_of_val(&handle))?;
        Ok(handle)
    }

    /// Exports it into memory of `size` bytes.
    fn export(&self, handle_type: HandleTypes, out: *mut c_void, size: usize) -> Result<(), Error> {
        let library = self.device.library();
        let row = kind::of_allocation(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
        if row.exported_size != clcu_sys::rules::ExportedSize::Bytes(size) {
            let driver = Arc::clone(library.shared_driver());
            return Err(Error::Unsupported(Unsupported { handle_type: row, why: Obstacle::Carrier, driver }));
        }
        self.device.demand(row)?;
        let given = Given { allocation_handle_types: Some(self.shared_as.0.into()), ..checked::given(library) };
        let arguments = cuda::cuMemExportToShareableHandle_arguments { flags: 0 };
        let checked = library.checked(&cuda::cuMemExportToShareableHandle).about(Some(row)).arguments(&arguments, &given);
        // SAFETY: the allocation is alive, and the memory is as large as the row says that the driver writes for the type.
        checked.call(|export| unsafe { export(out, self.handle, handle_type, 0) })
    }

    /// Imports an allocation from a file descriptor.
    ///
    /// # Safety
    /// Upstream does not say who closes the descriptor, so it is left alone: the caller finds out whether this driver closed it, and closes
    /// it neither twice nor for somebody else. It is open until this returned.
    #[cfg(unix)]
    pub unsafe fn import_fd(device: &Device, fd: RawFd) -> Result<Self, Error> {
        // The descriptor is passed as if it were a pointer.
        let handle = std::ptr::without_provenance_mut(usize::try_from(fd).unwrap_or(usize::MAX));
        // SAFETY: promised by the caller.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, handle) }
    }

    /// Imports an allocation from an NT handle.
    ///
    /// # Safety
    /// As for file descriptors: upstream does not say who closes the handle. It is open until this returned.
    #[cfg(windows)]
    pub unsafe fn import_handle(device: &Device, handle: RawHandle) -> Result<Self, Error> {
        // SAFETY: promised by the caller.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_WIN32, handle) }
    }

    /// Imports an allocation from a global KMT handle of Windows.
    ///
    /// # Safety
    /// It is one of an allocation of CUDA, which lives until this returned.
    pub unsafe fn import_kmt(device: &Device, handle: u32) -> Result<Self, Error> {
        // The number is passed as if it were a pointer.
        let handle = std::ptr::without_provenance_mut(usize::try_from(handle).unwrap_or(usize::MAX));
        // SAFETY: promised by the caller.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT, handle) }
    }

    /// Imports an allocation from bytes that [`Allocation::export_fabric`] gave, perhaps on another machine.
    pub fn import_fabric(device: &Device, handle: &CUmemFabricHandle) -> Result<Self, Error> {
        // SAFETY: the driver reads 64 bytes there.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC, (&raw const *handle).cast_mut().cast()) }
    }

    /// # Safety
    /// `carried` is what the driver takes for the handle type.
    unsafe fn import(device: &Device, handle_type: HandleTypes, carried: *mut c_void) -> Result<Self, Error> {
        let library = device.library();
        let row = kind::of_allocation(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
        library.demand(&[cuda::cuMemRelease.info()])?;
        device.demand(row)?;
        let mut handle = CUmemGenericAllocationHandle(0);
        let command = &cuda::cuMemImportFromShareableHandle;
        let checked = library.checked(command).about(Some(row));
        // SAFETY: the result is written to memory that is ours; the caller promises the rest.
        checked.call(|import| unsafe { import(&raw mut handle, carried, handle_type) })?;
        let handle = checked::some(library, command.info(), handle, handle.0 == 0)?;
        Ok(Self { device: device.clone(), handle, shared_as: HandleTypes::CU_MEM_HANDLE_TYPE_NONE })
    }

    /// For other crates, and to map it. It stays this value's to release.
    #[must_use]
    pub fn as_raw(&self) -> CUmemGenericAllocationHandle {
        self.handle
    }

    /// Gives it away, with the duty to release it.
    #[must_use]
    pub fn into_raw(mut self) -> CUmemGenericAllocationHandle {
        mem::replace(&mut self.handle, CUmemGenericAllocationHandle(0))
    }

    /// Releases it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    pub fn release(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUmemGenericAllocationHandle(0));
        if handle.0 == 0 {
            return Ok(());
        }
        // SAFETY: it is alive, and this is the one time that it is released.
        self.device.library().checked(&cuda::cuMemRelease).call(|release| unsafe { release(handle) })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            trace::lost("an allocation could not be released", &error);
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocation").field("handle", &self.handle).field("shared_as", &self.shared_as).finish_non_exhaustive()
    }
}
