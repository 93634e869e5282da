//! Commands of memory and events that processes of one machine share by handles of 64 bytes.

use clcu_sys::cuda::{self, CUdeviceptr, CUevent, CUipcEventHandle, CUipcMemHandle};

use super::some;
use crate::cuda::{Library, error::Error, kind};

/// `cuIpcGetMemHandle`: the bytes by which another process opens memory.
///
/// They hold no reference to it.
///
/// Since CUDA 4.1. Source: `cuIpcGetMemHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// `address` is the beginning of an allocation of this process.
pub unsafe fn ipc_get_mem_handle(library: &Library, address: CUdeviceptr) -> Result<CUipcMemHandle, Error> {
    let mut handle = CUipcMemHandle { reserved: [0; 64] };
    let checked = library.checked(&cuda::cuIpcGetMemHandle).about(kind::by_name("CUipcMemHandle"));
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|get| unsafe { get(&raw mut handle, address) })?;
    Ok(handle)
}

/// `cuIpcOpenMemHandle`: where memory of another process lies in this one. `flags` of [`CUipcMem_flags`](cuda::CUipcMem_flags).
///
/// The caller closes it with `cuIpcCloseMemHandle`.
///
/// Since CUDA 11.0. Source: `cuIpcOpenMemHandle_v2` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] where the flags are not `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`, and nothing is called; [`Error::Missing`] where the
/// driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
///
/// # Safety
/// The bytes came from `cuIpcGetMemHandle` in another process, which keeps the memory for as long as it is open here.
pub unsafe fn ipc_open_mem_handle(
    library: &Library,
    handle: CUipcMemHandle,
    flags: u32,
    waived: &[&str],
) -> Result<CUdeviceptr, Error> {
    let command = &cuda::cuIpcOpenMemHandle_v2;
    let mut address = CUdeviceptr::NULL;
    let arguments = cuda::cuIpcOpenMemHandle_v2_arguments { Flags: flags };
    let checked = library.checked(command).about(kind::by_name("CUipcMemHandle")).waiving(waived);
    let checked = checked.arguments(&arguments, &library.given);
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|open| unsafe { open(&raw mut address, handle, flags) })?;
    some(library, command.info(), address, address.is_null())
}

/// `cuIpcGetEventHandle`: the bytes by which another process opens an event.
///
/// They hold no reference to it.
///
/// Since CUDA 4.1. Source: `cuIpcGetEventHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// `event` is alive, and was made with `CU_EVENT_INTERPROCESS` and `CU_EVENT_DISABLE_TIMING`.
pub unsafe fn ipc_get_event_handle(library: &Library, event: CUevent) -> Result<CUipcEventHandle, Error> {
    let mut handle = CUipcEventHandle { reserved: [0; 64] };
    let checked = library.checked(&cuda::cuIpcGetEventHandle).about(kind::by_name("CUipcEventHandle"));
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|get| unsafe { get(&raw mut handle, event) })?;
    Ok(handle)
}

/// `cuIpcOpenEventHandle`: an event of another process. The caller destroys it here with `cuEventDestroy`.
///
/// Since CUDA 4.1. Source: `cuIpcOpenEventHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports
/// success and gives none.
///
/// # Safety
/// The bytes came from `cuIpcGetEventHandle` in another process, which keeps the event for as long as it is used here.
pub unsafe fn ipc_open_event_handle(library: &Library, handle: CUipcEventHandle) -> Result<CUevent, Error> {
    let command = &cuda::cuIpcOpenEventHandle;
    let mut event = CUevent::NULL;
    let checked = library.checked(command).about(kind::by_name("CUipcEventHandle"));
    // SAFETY: the result is written to memory that is ours; the caller promises the rest.
    checked.call(|open| unsafe { open(&raw mut event, handle) })?;
    some(library, command.info(), event, event.is_null())
}
