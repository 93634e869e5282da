//! What carries a handle into an import, and what becomes of it.
//!
//! In: an owned file descriptor, or something that is not owned; and the owner that the handle type's row names after success and after
//! failure. Out: the descriptor back in the error where it is still the caller's, never closed twice, and never closed for the driver.

use std::{error, fmt};

#[cfg(unix)]
use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd};

use clcu_sys::rules::{HandleType, Owner, Platform};

use super::{
    device::Device,
    error::{Error, Obstacle, Unsupported},
};

/// What an import was given.
#[derive(Debug)]
pub(super) enum Carrier {
    /// Owned until the driver takes it.
    #[cfg(unix)]
    Fd(OwnedFd),
    /// A file descriptor of which nobody says who closes it: it is left alone.
    #[cfg(unix)]
    RawFd,
    /// An NT handle, borrowed.
    #[cfg(windows)]
    Win32,
    /// The name of a Windows object.
    Name,
    /// A global KMT handle: a number.
    Kmt,
    /// An object of NVIDIA's `NvSci` libraries.
    NvSci,
}

impl Carrier {
    #[cfg(unix)]
    pub(super) fn number(&self) -> std::ffi::c_int {
        match self {
            Self::Fd(fd) => fd.as_raw_fd(),
            _ => -1,
        }
    }

    /// Whether a kind of handle can be carried so.
    pub(super) fn demand(&self, row: &'static HandleType, device: &Device) -> Result<(), Error> {
        let takes = |member: &str| row.members.contains(&member);
        // A handle that holds no reference is a KMT handle.
        let is_number = row.owner_on_success == Owner::None;
        let why = match self {
            #[cfg(unix)]
            Self::Fd(_) if takes("handle.fd") && row.owner_on_success == Owner::Unspecified => Some(Obstacle::Ownership),
            #[cfg(unix)]
            Self::Fd(_) => (!takes("handle.fd")).then_some(Obstacle::Carrier),
            #[cfg(unix)]
            Self::RawFd => (!takes("handle.fd")).then_some(Obstacle::Carrier),
            #[cfg(windows)]
            Self::Win32 => (!takes("handle.win32.handle") || is_number).then_some(Obstacle::Carrier),
            Self::Kmt => (!takes("handle.win32.handle") || !is_number).then_some(Obstacle::Carrier),
            Self::Name => (!takes("handle.win32.name")).then_some(Obstacle::Carrier),
            Self::NvSci => (row.platform != Platform::NvSci).then_some(Obstacle::Carrier),
        };
        match why {
            Some(why) => {
                let driver = std::sync::Arc::clone(device.library().shared_driver());
                Err(Error::Unsupported(Unsupported { handle_type: row, why, driver }))
            }
            None => device.demand(row),
        }
    }

    /// The driver took the handle, as `owner` says.
    pub(super) fn give(self, owner: Owner) {
        #[cfg(unix)]
        if let Self::Fd(fd) = self
            && matches!(owner, Owner::Driver | Owner::Unspecified)
        {
            // Closing it would close what the driver, or somebody who has since got the same number, works with.
            let _ = fd.into_raw_fd();
        }
        #[cfg(not(unix))]
        let _ = owner; // nothing else is owned before it is given
    }
}

/// An import that failed, with the file descriptor where it is still the caller's.
pub struct ImportError {
    error: Error,
    #[cfg(unix)]
    fd: Option<OwnedFd>,
}

impl ImportError {
    /// The driver was not called: everything is still the caller's.
    pub(super) fn before(error: Error, carrier: Carrier) -> Self {
        Self::after(error, carrier, Owner::Caller)
    }

    /// The driver was called, and the handle is now `owner`'s.
    pub(super) fn after(error: Error, carrier: Carrier, owner: Owner) -> Self {
        match carrier {
            #[cfg(unix)]
            Carrier::Fd(fd) if owner == Owner::Caller => Self { error, fd: Some(fd) },
            other => {
                other.give(owner);
                Self::kept(error)
            }
        }
    }

    /// The driver took the handle, and something failed nevertheless.
    pub(super) fn kept(error: Error) -> Self {
        Self {
            error,
            #[cfg(unix)]
            fd: None,
        }
    }

    /// Why it failed.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Why it failed. A file descriptor that came back is closed.
    #[must_use]
    pub fn into_error(self) -> Error {
        self.error
    }

    /// The file descriptor that was to be imported, open and the caller's as before. `None` where the driver keeps it, or nobody says whose
    /// it is, or none was given.
    #[cfg(unix)]
    #[must_use]
    pub fn into_fd(self) -> Option<OwnedFd> {
        self.fd
    }

    /// The same error, giving back another file descriptor: the one of which the driver got a duplicate.
    #[cfg(unix)]
    pub(super) fn returning(self, fd: OwnedFd) -> Self {
        Self { fd: Some(fd), ..self }
    }
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Self {
        error.into_error()
    }
}

impl fmt::Debug for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ImportError");
        debug.field("error", &self.error);
        #[cfg(unix)]
        debug.field("fd", &self.fd);
        debug.finish()
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        #[cfg(unix)]
        if self.fd.is_some() {
            f.write_str("\n  the file descriptor is still the caller's, in this error")?;
        }
        Ok(())
    }
}

impl error::Error for ImportError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.error.source()
    }
}
