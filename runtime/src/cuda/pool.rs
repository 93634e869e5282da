//! Pools of memory that other processes can be given: in, a device, or what another process exported; out, an owner that exports a file
//! descriptor, a Windows handle or a fabric handle, memory of the pool, and the bytes by which another process gets at that memory.
//!
//! Two things travel: the pool, once, and then for each allocation the 64 bytes of [`PoolMemory::export_pointer`], which hold no reference:
//! the exporting process keeps the memory, and frees it after every process that imported it.

use std::{ffi::c_void, fmt, marker::PhantomData, mem};

#[cfg(unix)]
use std::os::fd::{OwnedFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{OwnedHandle, RawHandle};

use clcu_sys::{
    cuda::{
        self, CUdeviceptr, CUmemAllocationHandleType as HandleTypes, CUmemAllocationType, CUmemFabricHandle, CUmemLocationType,
        CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool,
    },
    rules::{HandleType, Zeroed},
};

use super::{
    allocation::row,
    checked,
    context::{Context, Current, Stream},
    device::Device,
    error::Error,
    export, kind,
};
use crate::trace;

/// A pool of memory of a device, from which streams allocate.
///
/// Since CUDA 11.2. Source: `cuMemPoolCreate` of `cuda.h`.
pub struct Pool {
    device: Device,
    /// Null once it is destroyed or given away.
    handle: CUmemoryPool,
    /// As which it can be exported; nothing where it was imported.
    shared_as: HandleTypes,
}

impl Pool {
    /// Makes a pool of memory of a device, to be exported as one or several types of handles. For Windows handles use
    /// [`Pool::with_properties`]: they need security attributes.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolCreate` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the system, driver
    /// or device lacks pools or one of the types; [`Error::Invalid`] for NT handles, which need security attributes;
    /// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
    pub fn new(device: &Device, shared_as: HandleTypes) -> Result<Self, Error> {
        let properties = Zeroed::<CUmemPoolProps>::new()
            .with(CUmemPoolProps::ALLOC_TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
            .with(CUmemPoolProps::LOCATION_TYPE, CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)
            .with(CUmemPoolProps::LOCATION_ID, device.as_raw().0)
            .with(CUmemPoolProps::HANDLE_TYPES, shared_as);
        // SAFETY: the properties have no pointer.
        unsafe { Self::with_properties(device, &properties) }
    }

    /// Makes a pool with all properties that the driver takes.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolCreate`, `CUmemPoolProps` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the system, driver
    /// or device lacks pools or one of the types; [`Error::Invalid`] lists every rule that the properties break;
    /// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
    ///
    /// # Safety
    /// `win32SecurityAttributes` is null, or points to what the driver expects there, for the call.
    pub unsafe fn with_properties(device: &Device, properties: &Zeroed<'_, CUmemPoolProps>) -> Result<Self, Error> {
        let library = device.library();
        library.demand(&[cuda::cuMemPoolDestroy.info()])?;
        let shared_as = properties.handleTypes;
        device.demand_pools(properties.location.r#type)?;
        kind::of_allocations(shared_as).try_for_each(|row| device.demand_pools_by(row))?;
        // SAFETY: the properties began as zeroes; the caller promises the rest.
        let handle = unsafe { checked::mem_pool_create(library, properties, &[]) }?;
        Ok(Self { device: device.clone(), handle, shared_as })
    }

    /// Exports it as a new file descriptor, which is the caller's, and closed when the program executes another.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so; [`Error::Nothing`] where it
    /// reports success and gives none; [`Error::System`] where the descriptor cannot be made to close on exec.
    #[cfg(unix)]
    pub fn export_fd(&self) -> Result<OwnedFd, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        let command = cuda::cuMemPoolExportToShareableHandle.info();
        // SAFETY: the pool is alive, and the memory is as large as the row says that the driver writes for the type.
        export::fd(&self.device, shared_by(&self.device, handle_type)?, command, |out| unsafe {
            checked::mem_pool_export_to_shareable_handle(self.device.library(), out, self.handle, handle_type, self.shared_as, &[])
        })
    }

    /// Exports it as a new NT handle, which is the caller's.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so; [`Error::Nothing`] where it
    /// reports success and gives none.
    #[cfg(windows)]
    pub fn export_handle(&self) -> Result<OwnedHandle, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_WIN32;
        let command = cuda::cuMemPoolExportToShareableHandle.info();
        // SAFETY: the pool is alive, and the memory is as large as the row says that the driver writes for the type.
        export::handle(&self.device, shared_by(&self.device, handle_type)?, command, |out| unsafe {
            checked::mem_pool_export_to_shareable_handle(self.device.library(), out, self.handle, handle_type, self.shared_as, &[])
        })
    }

    /// Exports it as 64 bytes that a process on another machine of the fabric imports. They hold no reference.
    ///
    /// Since CUDA 12.3. Source: `CU_MEM_HANDLE_TYPE_FABRIC`, `cuMemPoolExportToShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the system, driver or device lacks the type of handle; [`Error::Missing`] where the driver lacks
    /// the command; [`Error::Call`] with what it answers, as for what was not made to be exported so.
    pub fn export_fabric(&self) -> Result<CUmemFabricHandle, Error> {
        let handle_type = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;
        // SAFETY: the pool is alive, and the memory is as large as the row says that the driver writes for the type.
        export::fabric(&self.device, shared_by(&self.device, handle_type)?, |out| unsafe {
            checked::mem_pool_export_to_shareable_handle(self.device.library(), out, self.handle, handle_type, self.shared_as, &[])
        })
    }

    /// Imports a pool from a file descriptor. Nothing is allocated from it here.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the system, driver
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

    /// Imports a pool from an NT handle. Nothing is allocated from it here.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the system, driver
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

    /// Imports a pool from the 64 bytes that [`Pool::export_fabric`] gave, perhaps on another machine.
    ///
    /// Since CUDA 12.3. Source: `CU_MEM_HANDLE_TYPE_FABRIC`, `cuMemPoolImportFromShareableHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the system, driver
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
        library.demand(&[cuda::cuMemPoolDestroy.info()])?;
        device.demand_pools(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)?;
        shared_by(device, handle_type)?;
        // SAFETY: promised by the caller.
        let handle = unsafe { checked::mem_pool_import_from_shareable_handle(library, carried, handle_type, &[]) }?;
        Ok(Self { device: device.clone(), handle, shared_as: HandleTypes::CU_MEM_HANDLE_TYPE_NONE })
    }

    /// Allocates `size` bytes when the stream gets there: work that is put on it afterwards may use them. An imported pool gives none.
    ///
    /// Since CUDA 11.2. Source: `cuMemAllocFromPoolAsync` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that frees; [`Error::Call`] with what it answers, which may be
    /// an error of earlier work; [`Error::Nothing`] where it reports success and gives none.
    pub fn allocate(&self, stream: &Stream<'_>, size: usize) -> Result<PoolMemory<'_>, Error> {
        let library = self.device.library();
        // What cannot be freed shall not be allocated.
        library.demand(&[cuda::cuMemFree_v2.info()])?;
        let command = &cuda::cuMemAllocFromPoolAsync;
        let mut address = CUdeviceptr::NULL;
        // SAFETY: the pool and the stream are alive, and the result is written to memory that is ours.
        let allocate =
            library.checked(command).call(|allocate| unsafe { allocate(&raw mut address, size, self.handle, stream.as_raw()) });
        allocate?;
        let address = checked::some(library, command.info(), address, address.is_null())?;
        Ok(PoolMemory { context: stream.context().clone(), address, pool: PhantomData })
    }

    /// Memory that another process allocated of the pool that this one was imported from.
    ///
    /// It is freed here, before the other process frees it.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolImportPointer` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that frees; [`Error::Call`] with what it answers;
    /// [`Error::Nothing`] where it reports success and gives none.
    ///
    /// # Safety
    /// The bytes came from [`PoolMemory::export_pointer`] or `cuMemPoolExportPointer` in that process, which keeps the memory for as long as
    /// the result lives.
    pub unsafe fn import_pointer(&self, current: &Current<'_>, data: &CUmemPoolPtrExportData) -> Result<PoolMemory<'_>, Error> {
        let library = self.device.library();
        library.demand(&[cuda::cuMemFree_v2.info()])?;
        // SAFETY: the pool is alive; the caller promises the rest.
        let address = unsafe { checked::mem_pool_import_pointer(library, self.handle, data) }?;
        Ok(PoolMemory { context: current.context().clone(), address, pool: PhantomData })
    }

    /// The handle, for other crates. It stays this value's to destroy.
    ///
    /// Since CUDA 11.2. Source: `CUmemoryPool` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUmemoryPool {
        self.handle
    }

    /// Gives the handle away, with the duty to destroy it by `cuMemPoolDestroy`.
    ///
    /// Since CUDA 11.2. Source: `CUmemoryPool` of `cuda.h`.
    #[must_use]
    pub fn into_raw(mut self) -> CUmemoryPool {
        mem::replace(&mut self.handle, CUmemoryPool::NULL)
    }

    /// Destroys it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolDestroy` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers. It is not tried again.
    pub fn destroy(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUmemoryPool::NULL);
        if handle.is_null() {
            return Ok(());
        }
        // SAFETY: it is alive, and this is the one time that it is destroyed.
        self.device.library().checked(&cuda::cuMemPoolDestroy).call(|destroy| unsafe { destroy(handle) })
    }
}

/// The row of a type of handle, if the device shares pools by it.
fn shared_by(device: &Device, handle_type: HandleTypes) -> Result<&'static HandleType, Error> {
    let row = row(handle_type)?;
    device.demand_pools_by(row)?;
    Ok(row)
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            trace::lost("a pool could not be destroyed", &error);
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("handle", &self.handle).field("shared_as", &self.shared_as).finish_non_exhaustive()
    }
}

/// Memory of a pool, allocated here or imported. It goes before the pool.
///
/// Since CUDA 11.2. Source: `cuMemAllocFromPoolAsync`, `cuMemPoolImportPointer` of `cuda.h`.
#[derive(Debug)]
pub struct PoolMemory<'p> {
    context: Context,
    /// Null once it is freed.
    address: CUdeviceptr,
    pool: PhantomData<&'p Pool>,
}

impl PoolMemory<'_> {
    /// Where it lies on the device.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// The 64 bytes by which a process that imported the pool gets at this memory. They hold no reference: this value outlives their
    /// use.
    ///
    /// Since CUDA 11.2. Source: `cuMemPoolExportPointer` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
    pub fn export_pointer(&self) -> Result<CUmemPoolPtrExportData, Error> {
        // SAFETY: it is memory of a pool; one that cannot be exported is refused by the driver.
        unsafe { checked::mem_pool_export_pointer(self.context.library(), self.address) }
    }

    /// Frees it once the device has done what uses it. Dropping it does the same, and says nothing of a failure but to who listens for
    /// events.
    ///
    /// Since CUDA 3.2. Source: `cuMemFree_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn free(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let address = mem::replace(&mut self.address, CUdeviceptr::NULL);
        if address.is_null() {
            return Ok(());
        }
        let _current = self.context.enter()?;
        // SAFETY: it is alive, and this is the one time that it is freed.
        self.context.library().checked(&cuda::cuMemFree_v2).call(|free| unsafe { free(address) })
    }
}

impl Drop for PoolMemory<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            trace::lost("memory of a pool could not be freed", &error);
        }
    }
}
