//! Allocations of CUDA itself that are shared: in, a device and a size, or what another process exported; out, an owner that exports a file
//! descriptor, a Windows handle or a fabric handle, and is released once.
//!
//! An allocation is memory without an address. [`Allocation::map`] and [`Reservation`](super::Reservation) give it some; what is mapped stays
//! when the allocation is released.

use std::{ffi::c_void, fmt, mem, ptr::NonNull};

#[cfg(unix)]
use std::os::fd::{OwnedFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{OwnedHandle, RawHandle};

use clcu_sys::{
    cuda::{
        self, CUmemAllocationGranularity_flags, CUmemAllocationHandleType as HandleTypes, CUmemAllocationProp, CUmemAllocationType,
        CUmemFabricHandle, CUmemGenericAllocationHandle, CUmemLocationType,
    },
    rules::{HandleType, Zeroed},
};

use super::{
    checked,
    device::Device,
    error::Error,
    export, kind,
    mapping::{Access, MappedAllocation},
};
use crate::trace;

fn properties(device: &Device, shared_as: HandleTypes) -> Zeroed<'static, CUmemAllocationProp> {
    Zeroed::<CUmemAllocationProp>::new()
        .with(CUmemAllocationProp::TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
        .with(CUmemAllocationProp::LOCATION_TYPE, CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)
        .with(CUmemAllocationProp::LOCATION_ID, device.as_raw().0)
        .with(CUmemAllocationProp::REQUESTED_HANDLE_TYPES, shared_as)
}

/// An allocation that other processes can be given.
///
/// Since CUDA 10.2. Source: `cuMemCreate` of `cuda.h`.
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
    /// `size` is a multiple of [`Allocation::granularity`]. For Windows handles use
    /// [`Allocation::with_properties`]: they need security attributes.
    ///
    /// Since CUDA 10.2. Source: `cuMemCreate` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks virtual memory management or one of the types; [`Error::Invalid`] for NT handles, which need security attributes;
    /// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
    pub fn new(device: &Device, size: usize, shared_as: HandleTypes) -> Result<Self, Error> {
        // SAFETY: the properties have no pointer.
        unsafe { Self::with_properties(device, size, &properties(device, shared_as)) }
    }

    /// What sizes of such allocations, and of what is mapped of them, are multiples of, in bytes.
    ///
    /// Since CUDA 10.2. Source: `cuMemGetAllocationGranularity` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for NT handles, which need security attributes; [`Error::Missing`] where the driver lacks the command;
    /// [`Error::Call`] with what it answers; [`Error::Nothing`] where it says zero.
    pub fn granularity(device: &Device, shared_as: HandleTypes) -> Result<usize, Error> {
        let minimum = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        let properties = properties(device, shared_as);
        // SAFETY: the properties have no pointer.
        unsafe { checked::mem_get_allocation_granularity(device.library(), &properties, minimum, &[]) }
    }

    /// Allocates `size` bytes with all properties that the driver takes.
    ///
    /// Since CUDA 10.2. Source: `cuMemCreate`, `CUmemAllocationProp` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks virtual memory management or one of the types; [`Error::Invalid`] lists every rule that the properties break;
    /// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
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
        device.demand_virtual_memory(properties.location.r#type)?;
        kind::of_allocations(shared_as).try_for_each(|row| device.demand(row))?;
        // SAFETY: the properties began as zeroes; the caller promises the rest.
        let handle = unsafe { checked::mem_create(library, size, properties, &[]) }?;
        Ok(Self { device: device.clone(), handle, shared_as })
    }

    /// Exports it as a new file descriptor, which is the caller's, and closed when the program executes another.
    ///
    /// The driver gives it without that flag, which is set at once; a process that another thread starts just between inherits it.
    ///
    /// Since CUDA 10.2. Source: `cuMemExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so; [`Error::Nothing`] where it
    /// reports success and gives none; [`Error::System`] where the descriptor cannot be made to close on exec.
    #[cfg(unix)]
    pub fn export_fd(&self) -> Result<OwnedFd, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        let command = cuda::cuMemExportToShareableHandle.info();
        // SAFETY: the allocation is alive, and the memory is as large as the row says that the driver writes for the type.
        export::fd(&self.device, shared_by(&self.device, handle_type)?, command, |out| unsafe { self.export(handle_type, out) })
    }

    /// Exports it as a new NT handle, which is the caller's.
    ///
    /// Since CUDA 10.2. Source: `cuMemExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so; [`Error::Nothing`] where it
    /// reports success and gives none.
    #[cfg(windows)]
    pub fn export_handle(&self) -> Result<OwnedHandle, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_WIN32;
        let command = cuda::cuMemExportToShareableHandle.info();
        // SAFETY: the allocation is alive, and the memory is as large as the row says that the driver writes for the type.
        export::handle(&self.device, shared_by(&self.device, handle_type)?, command, |out| unsafe { self.export(handle_type, out) })
    }

    /// Exports it as a global KMT handle of Windows. It is a number that holds no reference: nobody closes it.
    ///
    /// Since CUDA 10.2. Source: `cuMemExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so; [`Error::Nothing`] where it
    /// reports success and gives none.
    pub fn export_kmt(&self) -> Result<u32, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT;
        let command = cuda::cuMemExportToShareableHandle.info();
        // SAFETY: the allocation is alive, and the memory is as large as the row says that the driver writes for the type.
        export::number(&self.device, shared_by(&self.device, handle_type)?, command, |out| unsafe { self.export(handle_type, out) })
    }

    /// Exports it as 64 bytes that a process on another machine of the fabric imports. They hold no reference.
    ///
    /// Since CUDA 12.3. Source: `CU_MEM_HANDLE_TYPE_FABRIC`, `cuMemExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so.
    pub fn export_fabric(&self) -> Result<CUmemFabricHandle, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;
        // SAFETY: the allocation is alive, and the memory is as large as the row says that the driver writes for the type.
        export::fabric(&self.device, shared_by(&self.device, handle_type)?, |out| unsafe { self.export(handle_type, out) })
    }

    /// # Safety
    /// `out` points to as much memory as the driver writes for the type.
    unsafe fn export(&self, handle_type: HandleTypes, out: NonNull<c_void>) -> Result<(), Error> {
        let (library, made_for) = (self.device.library(), self.shared_as);
        // SAFETY: the allocation is alive; the caller promises the rest.
        unsafe { checked::mem_export_to_shareable_handle(library, out, self.handle, handle_type, made_for, &[]) }
    }

    /// Imports an allocation from a file descriptor.
    ///
    /// Since CUDA 10.2. Source: `cuMemImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks the type of handle; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives
    /// none.
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
    /// Since CUDA 10.2. Source: `cuMemImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks the type of handle; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives
    /// none.
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
    /// Since CUDA 10.2. Source: `cuMemImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks the type of handle; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives
    /// none.
    ///
    /// # Safety
    /// It is one of an allocation of CUDA, which lives until this returned.
    pub unsafe fn import_kmt(device: &Device, handle: u32) -> Result<Self, Error> {
        // The number is passed as if it were a pointer.
        let handle = std::ptr::without_provenance_mut(usize::try_from(handle).unwrap_or(usize::MAX));
        // SAFETY: promised by the caller.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT, handle) }
    }

    /// Imports an allocation from the 64 bytes that [`Allocation::export_fabric`] gave, perhaps on another machine.
    ///
    /// Since CUDA 12.3. Source: `CU_MEM_HANDLE_TYPE_FABRIC`, `cuMemImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Unsupported`] where the system, driver
    /// or device lacks the type of handle; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives
    /// none.
    pub fn import_fabric(device: &Device, handle: &CUmemFabricHandle) -> Result<Self, Error> {
        // SAFETY: the driver reads 64 bytes there.
        unsafe { Self::import(device, HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC, (&raw const *handle).cast_mut().cast()) }
    }

    /// # Safety
    /// `carried` is what the driver takes for the handle type.
    unsafe fn import(device: &Device, handle_type: HandleTypes, carried: *mut c_void) -> Result<Self, Error> {
        let library = device.library();
        library.demand(&[cuda::cuMemRelease.info()])?;
        device.demand_virtual_memory(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)?;
        shared_by(device, handle_type)?;
        // SAFETY: promised by the caller.
        let handle = unsafe { checked::mem_import_from_shareable_handle(library, carried, handle_type, &[]) }?;
        Ok(Self { device: device.clone(), handle, shared_as: HandleTypes::CU_MEM_HANDLE_TYPE_NONE })
    }

    /// Maps `size` bytes of it, from its beginning on, at addresses of their own, which these devices reach.
    ///
    /// `size` is a multiple of [`Allocation::granularity`]; of an allocation that was imported, who exported it knows how large it is. The
    /// allocation may be released afterwards: its memory stays until it is unmapped.
    ///
    /// Since CUDA 10.2. Source: `cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess` of `cuda.h`.
    ///
    /// # Errors
    /// Nothing is mapped then, and no addresses are kept. Those of [`Reservation::new`](super::Reservation::new) and of
    /// [`Reservation::map`](super::Reservation::map).
    pub fn map(&self, size: usize, access: &[(&Device, Access)]) -> Result<MappedAllocation, Error> {
        MappedAllocation::new(self, size, access)
    }

    /// The device that it is of, or that it was imported for.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The handle, for other crates. It stays this value's to release.
    ///
    /// Since CUDA 10.2. Source: `CUmemGenericAllocationHandle` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUmemGenericAllocationHandle {
        self.handle
    }

    /// Gives the handle away, with the duty to release it by `cuMemRelease`.
    ///
    /// Since CUDA 10.2. Source: `CUmemGenericAllocationHandle` of `cuda.h`.
    #[must_use]
    pub fn into_raw(mut self) -> CUmemGenericAllocationHandle {
        mem::replace(&mut self.handle, CUmemGenericAllocationHandle(0))
    }

    /// Releases it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 10.2. Source: `cuMemRelease` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers. It is not tried again.
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

/// The row of a type of handle that allocations and pools are shared by.
pub(super) fn row(handle_type: HandleTypes) -> Result<&'static HandleType, Error> {
    kind::of_allocation(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0 })
}

/// The same, if the device shares allocations by it.
fn shared_by(device: &Device, handle_type: HandleTypes) -> Result<&'static HandleType, Error> {
    let row = row(handle_type)?;
    device.demand(row)?;
    Ok(row)
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
