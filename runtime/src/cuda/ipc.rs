//! Memory and events that processes on one machine share by handles of 64 bytes: in, an address or event of this process, or the bytes that
//! another sent; out, bytes to send, or an owner of what they name.
//!
//! The bytes hold no reference: what they name lives as long as the process that exported it keeps it.

use std::mem;

use clcu_sys::cuda::{self, CUdeviceptr, CUevent, CUipcEventHandle, CUipcMem_flags, CUipcMemHandle};

use super::{
    checked,
    context::{Context, Current},
    error::Error,
    kind,
};
use crate::trace;

/// Whether the device shares by handles of this kind.
fn demand(current: &Current<'_>, handle: &str) -> Result<(), Error> {
    kind::by_name(handle).map_or(Ok(()), |row| current.context().device().demand(row))
}

/// The 64 bytes by which another process opens memory that `cuMemAlloc` gave.
///
/// Since CUDA 4.1. Source: `cuIpcGetMemHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::Unsupported`] where the device does not share between processes; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers.
///
/// # Safety
/// `address` is the beginning of an allocation of this process.
pub unsafe fn export_memory(current: &Current<'_>, address: CUdeviceptr) -> Result<CUipcMemHandle, Error> {
    demand(current, "CUipcMemHandle")?;
    // SAFETY: promised by the caller.
    unsafe { checked::ipc_get_mem_handle(current.library(), address) }
}

/// The 64 bytes by which another process opens an event.
///
/// Since CUDA 4.1. Source: `cuIpcGetEventHandle` of `cuda.h`.
///
/// # Errors
/// [`Error::Unsupported`] where the device does not share between processes; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers.
///
/// # Safety
/// `event` is alive, and was made with `CU_EVENT_INTERPROCESS` and `CU_EVENT_DISABLE_TIMING`.
pub unsafe fn export_event(current: &Current<'_>, event: CUevent) -> Result<CUipcEventHandle, Error> {
    demand(current, "CUipcEventHandle")?;
    // SAFETY: promised by the caller.
    unsafe { checked::ipc_get_event_handle(current.library(), event) }
}

/// Memory of another process that was opened here.
///
/// It is closed here; who exported it frees it, later.
///
/// Since CUDA 11.0. Source: `cuIpcOpenMemHandle_v2` of `cuda.h`.
#[derive(Debug)]
pub struct IpcMemory {
    context: Context,
    /// Null once it is closed.
    address: CUdeviceptr,
}

impl IpcMemory {
    /// Opens memory of another process, with access between devices where it lies on another one.
    ///
    /// It is opened in the current context.
    ///
    /// Since CUDA 11.0. Source: `cuIpcOpenMemHandle_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that closes; [`Error::Unsupported`] where the device does not
    /// share between processes; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
    ///
    /// # Safety
    /// The bytes came from [`export_memory`] or `cuIpcGetMemHandle` in another process, which keeps the memory for as long as this lives.
    pub unsafe fn open(current: &Current<'_>, handle: CUipcMemHandle) -> Result<Self, Error> {
        let library = current.library();
        library.demand(&[cuda::cuIpcCloseMemHandle.info()])?;
        demand(current, "CUipcMemHandle")?;
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        // SAFETY: promised by the caller.
        let address = unsafe { checked::ipc_open_mem_handle(library, handle, flags, &[]) }?;
        Ok(Self { context: current.context().clone(), address })
    }

    /// Where it lies on the device, in this process.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Closes it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 4.1. Source: `cuIpcCloseMemHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn close(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let address = mem::replace(&mut self.address, CUdeviceptr::NULL);
        if address.is_null() {
            return Ok(());
        }
        let _current = self.context.enter()?;
        // SAFETY: it is open, and this is the one time that it is closed.
        self.context.library().checked(&cuda::cuIpcCloseMemHandle).call(|close| unsafe { close(address) })
    }
}

impl Drop for IpcMemory {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            trace::lost("memory of another process could not be closed", &error);
        }
    }
}

/// An event of another process that was opened here.
///
/// It is destroyed here; who exported it destroys its own.
///
/// Since CUDA 4.1. Source: `cuIpcOpenEventHandle` of `cuda.h`.
#[derive(Debug)]
pub struct IpcEvent {
    context: Context,
    /// Null once it is destroyed.
    handle: CUevent,
}

impl IpcEvent {
    /// Opens an event of another process.
    ///
    /// It is opened in the current context.
    ///
    /// Since CUDA 4.1. Source: `cuIpcOpenEventHandle` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that destroys; [`Error::Unsupported`] where the device does
    /// not share between processes; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
    ///
    /// # Safety
    /// The bytes came from [`export_event`] or `cuIpcGetEventHandle` in another process, which keeps the event for as long as this lives.
    pub unsafe fn open(current: &Current<'_>, bytes: CUipcEventHandle) -> Result<Self, Error> {
        let library = current.library();
        library.demand(&[cuda::cuEventDestroy_v2.info()])?;
        demand(current, "CUipcEventHandle")?;
        // SAFETY: promised by the caller.
        let handle = unsafe { checked::ipc_open_event_handle(library, bytes) }?;
        Ok(Self { context: current.context().clone(), handle })
    }

    /// The handle, for other crates. It stays this value's to destroy.
    ///
    /// Since CUDA 2.0. Source: `CUevent` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUevent {
        self.handle
    }

    /// Destroys it here. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 4.0. Source: `cuEventDestroy_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn destroy(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUevent::NULL);
        if handle.is_null() {
            return Ok(());
        }
        let _current = self.context.enter()?;
        // SAFETY: it is alive, and this is the one time that it is destroyed.
        self.context.library().checked(&cuda::cuEventDestroy_v2).call(|destroy| unsafe { destroy(handle) })
    }
}

impl Drop for IpcEvent {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            trace::lost("an event of another process could not be destroyed", &error);
        }
    }
}
