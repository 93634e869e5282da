//! What a driver writes through a pointer to nothing in particular, as an owner: in, a row and a call that exports; out, a file descriptor that
//! is closed on exec, a Windows handle, or bytes, each as large as the row says that the driver writes.

use std::{ffi::c_void, ptr::NonNull};

#[cfg(unix)]
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{FromRawHandle as _, OwnedHandle, RawHandle};

use clcu_sys::{
    CommandInfo,
    cuda::CUmemFabricHandle,
    rules::{ExportedSize, HandleType},
};

use super::{
    checked,
    device::Device,
    error::{Error, Obstacle, Subject, Unsupported},
};

/// Whether the driver writes as many bytes for the kind as there are. Whether the device exports it, the caller has asked.
fn demand(device: &Device, row: &'static HandleType, size: usize) -> Result<(), Error> {
    if row.exported_size != ExportedSize::Bytes(size) {
        return Err(Unsupported::error(device.library(), Subject::Handle(row), Obstacle::Carrier));
    }
    Ok(())
}

/// A new file descriptor, which is the caller's, and closed when the program executes another.
///
/// The driver gives it without that flag, which is set at once; a process that another thread starts just between inherits it.
#[cfg(unix)]
pub(super) fn fd(
    device: &Device,
    row: &'static HandleType,
    command: &'static CommandInfo,
    export: impl FnOnce(NonNull<c_void>) -> Result<(), Error>,
) -> Result<OwnedFd, Error> {
    let mut number: RawFd = -1;
    demand(device, row, size_of_val(&number))?;
    export(NonNull::from(&mut number).cast())?;
    let number = checked::some(device.library(), command, number, number < 0)?;
    // SAFETY: the driver gave it away.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    // SAFETY: it is open, and the flag is the only one there is.
    if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } == -1 {
        let number = std::io::Error::last_os_error().raw_os_error();
        return Err(Error::System { what: "closing the exported file descriptor on exec", number });
    }
    Ok(fd)
}

/// A new NT handle, which is the caller's.
#[cfg(windows)]
pub(super) fn handle(
    device: &Device,
    row: &'static HandleType,
    command: &'static CommandInfo,
    export: impl FnOnce(NonNull<c_void>) -> Result<(), Error>,
) -> Result<OwnedHandle, Error> {
    let mut handle: RawHandle = std::ptr::null_mut();
    demand(device, row, size_of_val(&handle))?;
    export(NonNull::from(&mut handle).cast())?;
    let handle = checked::some(device.library(), command, handle, handle.is_null())?;
    // SAFETY: the driver gave it away.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// A number that stands for an object and holds no reference: a global KMT handle of Windows.
pub(super) fn number(
    device: &Device,
    row: &'static HandleType,
    command: &'static CommandInfo,
    export: impl FnOnce(NonNull<c_void>) -> Result<(), Error>,
) -> Result<u32, Error> {
    let mut number = 0_u32;
    demand(device, row, size_of_val(&number))?;
    export(NonNull::from(&mut number).cast())?;
    checked::some(device.library(), command, number, number == 0)
}

/// The bytes of a fabric handle.
pub(super) fn fabric(
    device: &Device,
    row: &'static HandleType,
    export: impl FnOnce(NonNull<c_void>) -> Result<(), Error>,
) -> Result<CUmemFabricHandle, Error> {
    let mut handle = CUmemFabricHandle { data: [0; 64] };
    demand(device, row, size_of_val(&handle))?;
    export(NonNull::from(&mut handle).cast())?;
    Ok(handle)
}
