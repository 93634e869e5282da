//! Commands of what CUDA itself makes to be shared: allocations, pools of memory, ranges of addresses, multicast objects, logical endpoints.
//!
//! Handles go in and out through pointers to nothing in particular, whose meaning the type of handle tells; what it is for each type is in
//! [`HandleType::exported_size`](clcu_sys::rules::HandleType::exported_size). A type of handle that has no row is refused here:
//! nobody knows how much the driver would read or write.

use std::{ffi::c_void, ptr::NonNull};

use clcu_sys::{
    cuda::{
        self, CUdeviceptr, CUlogicalEndpointId, CUlogicalEndpointIpcHandleType, CUlogicalEndpointProp,
        CUmemAllocationGranularity_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemGenericAllocationHandle,
        CUmemPoolProps, CUmemPoolPtrExportData, CUmemRangeHandleType, CUmemoryPool, CUmulticastGranularity_flags,
        CUmulticastObjectProp,
    },
    rules::{Given, HandleType, Platform},
};

use super::{given, some};
use crate::cuda::{Library, error::Error, kind};

fn known(row: Option<&'static HandleType>, value: u32) -> Result<&'static HandleType, Error> {
    row.ok_or(Error::UnknownHandleType { value })
}

/// Refuses what stands in the place of a pointer and can be no handle of the kind.
fn could_be(carried: *mut c_void, row: &'static HandleType) -> Result<(), Error> {
    let (found, is_fd) = (carried.addr(), matches!(row.platform, Platform::Posix));
    let is_number = |found: usize| i32::try_from(found).is_ok();
    if found != 0 && (!is_fd || is_number(found)) { Ok(()) } else { Err(Error::NoHandle { handle_type: row, found }) }
}

/// The facts of a call about something that can be exported as these types.
fn exportable(library: &Library, handle_types: CUmemAllocationHandleType) -> Given<'static> {
    Given { allocation_handle_types: Some(handle_types.0.into()), ..given(library) }
}

/// `cuMemCreate`: an allocation of `size` bytes, a multiple of what [`mem_get_allocation_granularity`] tells.
///
/// It has no address yet. The caller releases it with `cuMemRelease`.
///
/// Since CUDA 10.2. Source: `cuMemCreate` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// Every byte of the properties is initialised; `win32HandleMetaData` is null, or points to what the driver expects there, for the call.
pub unsafe fn mem_create(
    library: &Library,
    size: usize,
    properties: &CUmemAllocationProp,
    waived: &[&str],
) -> Result<CUmemGenericAllocationHandle, Error> {
    let command = &cuda::cuMemCreate;
    let mut handle = CUmemGenericAllocationHandle(0);
    let arguments = cuda::cuMemCreate_arguments { flags: 0 };
    let given = exportable(library, properties.requestedHandleTypes);
    // SAFETY: promised by the caller.
    let checked = unsafe { library.checked(command).waiving(waived).raw_record(properties, &given) };
    let checked = checked.about(kind::of_allocation(properties.requestedHandleTypes)).arguments(&arguments, &given);
    // SAFETY: both pointers are good for the call; the caller promises the rest.
    checked.call(|create| unsafe { create(&raw mut handle, size, properties, 0) })?;
    some(library, command.info(), handle, handle.0 == 0)
}

/// `cuMemGetAllocationGranularity`: what sizes of such allocations are multiples of, in bytes.
///
/// Since CUDA 10.2. Source: `cuMemGetAllocationGranularity` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it says zero.
///
/// # Safety
/// As for [`mem_create`].
pub unsafe fn mem_get_allocation_granularity(
    library: &Library,
    properties: &CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
    waived: &[&str],
) -> Result<usize, Error> {
    let command = &cuda::cuMemGetAllocationGranularity;
    let mut granularity = 0;
    // SAFETY: promised by the caller.
    let checked = unsafe { library.checked(command).waiving(waived).raw_record(properties, &library.given) };
    // SAFETY: both pointers are good for the call; the caller promises the rest.
    checked.call(|get| unsafe { get(&raw mut granularity, properties, option) })?;
    some(library, command.info(), granularity, granularity == 0)
}

/// `cuMemExportToShareableHandle`: a handle by which another process imports the allocation. It is written to `out`, and the caller's:
/// a file descriptor or an NT handle is closed by the caller. `made_for` are the types of handles that the allocation was made to be
/// exported as.
///
/// Since CUDA 10.2. Source: `cuMemExportToShareableHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Invalid`] lists every rule that is
/// broken, and nothing is called; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, as for a
/// type that the allocation was not made for.
///
/// # Safety
/// The allocation is alive, and `out` points to as much memory as the driver writes for the type.
pub unsafe fn mem_export_to_shareable_handle(
    library: &Library,
    out: NonNull<c_void>,
    allocation: CUmemGenericAllocationHandle,
    handle_type: CUmemAllocationHandleType,
    made_for: CUmemAllocationHandleType,
    waived: &[&str],
) -> Result<(), Error> {
    let row = known(kind::of_allocation(handle_type), handle_type.0)?;
    let arguments = cuda::cuMemExportToShareableHandle_arguments { flags: 0 };
    let checked = library.checked(&cuda::cuMemExportToShareableHandle).about(Some(row)).waiving(waived);
    let checked = checked.arguments(&arguments, &exportable(library, made_for));
    // SAFETY: promised by the caller.
    checked.call(|export| unsafe { export(out.as_ptr(), allocation, handle_type, 0) })
}

/// `cuMemImportFromShareableHandle`: an allocation of another process. The caller releases it with `cuMemRelease`. Upstream does not
/// say who closes a file descriptor or a Windows handle afterwards.
///
/// Since CUDA 10.2. Source: `cuMemImportFromShareableHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Missing`] where the driver lacks the
/// command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// `carried` is what the driver takes for the type: a file descriptor or a Windows handle as if it were a pointer, or a pointer to a fabric
/// handle.
pub unsafe fn mem_import_from_shareable_handle(
    library: &Library,
    carried: *mut c_void,
    handle_type: CUmemAllocationHandleType,
    waived: &[&str],
) -> Result<CUmemGenericAllocationHandle, Error> {
    let command = &cuda::cuMemImportFromShareableHandle;
    let row = known(kind::of_allocation(handle_type), handle_type.0)?;
    could_be(carried, row)?;
    let mut handle = CUmemGenericAllocationHandle(0);
    let checked = library.checked(command).about(Some(row)).waiving(waived);
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|import| unsafe { import(&raw mut handle, carried, handle_type) })?;
    some(library, command.info(), handle, handle.0 == 0)
}

/// `cuMemPoolCreate`: a pool of memory with these properties, the most that it may hold in bytes among them (`maxSize`; zero leaves it
/// to the driver). The caller destroys it with `cuMemPoolDestroy`.
///
/// Since CUDA 11.2. Source: `cuMemPoolCreate` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// Every byte of the properties is initialised; `win32SecurityAttributes` is null, or points to what the driver expects there, for the call.
pub unsafe fn mem_pool_create(library: &Library, properties: &CUmemPoolProps, waived: &[&str]) -> Result<CUmemoryPool, Error> {
    let command = &cuda::cuMemPoolCreate;
    let mut pool = CUmemoryPool::NULL;
    let given = exportable(library, properties.handleTypes);
    // SAFETY: promised by the caller.
    let checked = unsafe { library.checked(command).waiving(waived).raw_record(properties, &given) };
    let checked = checked.about(kind::of_allocation(properties.handleTypes));
    // SAFETY: both pointers are good for the call; the caller promises the rest.
    checked.call(|create| unsafe { create(&raw mut pool, properties) })?;
    some(library, command.info(), pool, pool.is_null())
}

/// `cuMemPoolExportToShareableHandle`: a handle by which another process imports the pool. It is written to `out`, and the caller's: a
/// file descriptor or an NT handle is closed by the caller. `made_for` are the types of handles that the pool was made to be exported
/// as.
///
/// Since CUDA 11.2. Source: `cuMemPoolExportToShareableHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Invalid`] lists every rule that is
/// broken, and nothing is called; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, as for a
/// type that the pool was not made for.
///
/// # Safety
/// The pool is alive, and `out` points to as much memory as the driver writes for the type.
pub unsafe fn mem_pool_export_to_shareable_handle(
    library: &Library,
    out: NonNull<c_void>,
    pool: CUmemoryPool,
    handle_type: CUmemAllocationHandleType,
    made_for: CUmemAllocationHandleType,
    waived: &[&str],
) -> Result<(), Error> {
    let row = known(kind::of_allocation(handle_type), handle_type.0)?;
    let arguments = cuda::cuMemPoolExportToShareableHandle_arguments { flags: 0 };
    let checked = library.checked(&cuda::cuMemPoolExportToShareableHandle).about(Some(row)).waiving(waived);
    let checked = checked.arguments(&arguments, &exportable(library, made_for));
    // SAFETY: promised by the caller.
    checked.call(|export| unsafe { export(out.as_ptr(), pool, handle_type, 0) })
}

/// `cuMemPoolImportFromShareableHandle`: a pool of another process, from which nothing is allocated here. The caller destroys it with
/// `cuMemPoolDestroy`. Upstream does not say who closes a file descriptor or a Windows handle afterwards.
///
/// Since CUDA 11.2. Source: `cuMemPoolImportFromShareableHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Missing`] where the driver lacks the
/// command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// As for [`mem_import_from_shareable_handle`].
pub unsafe fn mem_pool_import_from_shareable_handle(
    library: &Library,
    carried: *mut c_void,
    handle_type: CUmemAllocationHandleType,
    waived: &[&str],
) -> Result<CUmemoryPool, Error> {
    let command = &cuda::cuMemPoolImportFromShareableHandle;
    let row = known(kind::of_allocation(handle_type), handle_type.0)?;
    could_be(carried, row)?;
    let mut pool = CUmemoryPool::NULL;
    let arguments = cuda::cuMemPoolImportFromShareableHandle_arguments { flags: 0 };
    let checked = library.checked(command).about(Some(row)).waiving(waived).arguments(&arguments, &library.given);
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|import| unsafe { import(&raw mut pool, carried, handle_type, 0) })?;
    some(library, command.info(), pool, pool.is_null())
}

/// `cuMemPoolExportPointer`: the bytes by which another process, which has imported the pool, gets at an allocation of it.
///
/// They are 64, and hold no reference to it.
///
/// Since CUDA 11.2. Source: `cuMemPoolExportPointer` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// `address` is that of an allocation of a pool that can be exported.
pub unsafe fn mem_pool_export_pointer(library: &Library, address: CUdeviceptr) -> Result<CUmemPoolPtrExportData, Error> {
    let mut data = CUmemPoolPtrExportData { reserved: [0; 64] };
    let checked = library.checked(&cuda::cuMemPoolExportPointer);
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|export| unsafe { export(&raw mut data, address) })?;
    Ok(data)
}

/// `cuMemPoolImportPointer`: where an allocation of the imported pool lies in this process. The caller frees it with `cuMemFree`,
/// before the process that exported it does.
///
/// Since CUDA 11.2. Source: `cuMemPoolImportPointer` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports
/// success and gives none.
///
/// # Safety
/// The pool is alive, and the bytes came from [`mem_pool_export_pointer`] for an allocation of it, which the other process keeps.
pub unsafe fn mem_pool_import_pointer(
    library: &Library,
    pool: CUmemoryPool,
    data: &CUmemPoolPtrExportData,
) -> Result<CUdeviceptr, Error> {
    let command = &cuda::cuMemPoolImportPointer;
    let mut address = CUdeviceptr::NULL;
    let mut data = *data;
    let checked = library.checked(command);
    // SAFETY: both pointers are good for the call; the caller promises the rest.
    checked.call(|import| unsafe { import(&raw mut address, pool, &raw mut data) })?;
    some(library, command.info(), address, address.is_null())
}

/// `cuMemGetHandleForAddressRange`: a handle to `size` bytes from `address` on, for other drivers. It is written to `out`, and the
/// caller's, who closes it. `flags` of [`CUmemRangeFlags`](cuda::CUmemRangeFlags). Address and size are multiples of the page size of
/// the host.
///
/// Since CUDA 11.7 or earlier. Source: `cuMemGetHandleForAddressRange` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Invalid`] where the handle type does
/// not take these flags; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// All of the range is mapped to memory of one device, and stays so for as long as the handle is used. `out` points to as much memory as the
/// driver writes for the type.
pub unsafe fn mem_get_handle_for_address_range(
    library: &Library,
    out: NonNull<c_void>,
    address: CUdeviceptr,
    size: usize,
    handle_type: CUmemRangeHandleType,
    flags: u64,
    waived: &[&str],
) -> Result<(), Error> {
    let row = known(kind::of_range(handle_type), handle_type.0)?;
    let arguments = cuda::cuMemGetHandleForAddressRange_arguments { handleType: handle_type, flags };
    let checked = library.checked(&cuda::cuMemGetHandleForAddressRange).about(Some(row)).waiving(waived);
    let checked = checked.arguments(&arguments, &library.given);
    // SAFETY: promised by the caller.
    checked.call(|get| unsafe { get(out.as_ptr(), address, size, handle_type, flags) })
}

/// `cuMulticastCreate`: an object to which memory of several devices is bound, at most so many bytes of each as its properties say, a
/// multiple of what [`multicast_get_granularity`] tells. The caller releases it with `cuMemRelease`. The object is exported and
/// imported as an allocation is.
///
/// Since CUDA 12.1. Source: `cuMulticastCreate` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// Every byte of the properties is initialised.
pub unsafe fn multicast_create(
    library: &Library,
    properties: &CUmulticastObjectProp,
    waived: &[&str],
) -> Result<CUmemGenericAllocationHandle, Error> {
    let command = &cuda::cuMulticastCreate;
    let mut handle = CUmemGenericAllocationHandle(0);
    // SAFETY: promised by the caller.
    let checked = unsafe { library.checked(command).waiving(waived).raw_record(properties, &library.given) };
    // SAFETY: both pointers are good for the call.
    checked.call(|create| unsafe { create(&raw mut handle, properties) })?;
    some(library, command.info(), handle, handle.0 == 0)
}

/// `cuMulticastGetGranularity`: what sizes of such objects, and of what is bound to them, are multiples of, in bytes.
///
/// Since CUDA 12.1. Source: `cuMulticastGetGranularity` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it says zero.
///
/// # Safety
/// As for [`multicast_create`].
pub unsafe fn multicast_get_granularity(
    library: &Library,
    properties: &CUmulticastObjectProp,
    option: CUmulticastGranularity_flags,
    waived: &[&str],
) -> Result<usize, Error> {
    let command = &cuda::cuMulticastGetGranularity;
    let mut granularity = 0;
    // SAFETY: promised by the caller.
    let checked = unsafe { library.checked(command).waiving(waived).raw_record(properties, &library.given) };
    // SAFETY: both pointers are good for the call.
    checked.call(|get| unsafe { get(&raw mut granularity, properties, option) })?;
    some(library, command.info(), granularity, granularity == 0)
}

/// `cuLogicalEndpointCreate`: an endpoint with these properties, for an id that was reserved. The caller destroys it.
///
/// No rule of the properties is known, so that none is checked.
///
/// Since CUDA 13.3. Source: `cuLogicalEndpointCreate` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// The id is reserved, and every byte of the properties is initialised.
pub unsafe fn logical_endpoint_create(
    library: &Library,
    id: CUlogicalEndpointId,
    properties: &CUlogicalEndpointProp,
) -> Result<(), Error> {
    // SAFETY: the pointer is good for the call; the caller promises the rest.
    library.checked(&cuda::cuLogicalEndpointCreate).call(|create| unsafe { create(id, properties) })
}

/// `cuLogicalEndpointExport`: a handle by which another process imports the endpoint, written to `out`.
///
/// Since CUDA 13.3. Source: `cuLogicalEndpointExport` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Missing`] where the driver lacks the
/// command; [`Error::Call`] with what it answers.
///
/// # Safety
/// The endpoint exists, and `out` points to as much memory as the driver writes for the type.
pub unsafe fn logical_endpoint_export(
    library: &Library,
    out: NonNull<c_void>,
    id: CUlogicalEndpointId,
    handle_type: CUlogicalEndpointIpcHandleType,
) -> Result<(), Error> {
    let row = known(kind::of_endpoint(handle_type), handle_type.0)?;
    let checked = library.checked(&cuda::cuLogicalEndpointExport).about(Some(row));
    // SAFETY: promised by the caller.
    checked.call(|export| unsafe { export(out.as_ptr(), id, handle_type) })
}

/// `cuLogicalEndpointImport`: an endpoint of another process, for an id that was reserved.
///
/// Since CUDA 13.3. Source: `cuLogicalEndpointImport` of `cuda.h`.
///
/// # Errors
/// [`Error::UnknownHandleType`] where the handle type has no row, and nothing is called; [`Error::Missing`] where the driver lacks the
/// command; [`Error::Call`] with what it answers.
///
/// # Safety
/// The id is reserved, and `handle` points to a handle of the type, which another process exported.
pub unsafe fn logical_endpoint_import(
    library: &Library,
    id: CUlogicalEndpointId,
    handle: NonNull<c_void>,
    handle_type: CUlogicalEndpointIpcHandleType,
) -> Result<(), Error> {
    let row = known(kind::of_endpoint(handle_type), handle_type.0)?;
    let checked = library.checked(&cuda::cuLogicalEndpointImport).about(Some(row));
    // SAFETY: promised by the caller.
    checked.call(|import| unsafe { import(id, handle.as_ptr(), handle_type) })
}
