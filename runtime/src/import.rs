//! What carries a handle into an import, and what becomes of it.
//!
//! In: an owned file descriptor, or something that is not owned; and the owner that the handle type's row names after success. Out: the
//! descriptor back in the error of an import that failed, never closed twice, and never closed for the driver.
//!
//! What a driver does with a descriptor when an import fails cannot be relied on. CUDA's documents say that it takes it on success, and
//! driver 580 closes that of memory after some failures and leaves it open after others; OpenCL's say nothing of failures. So a duplicate
//! stays behind while the driver is asked, and tells afterwards what became of the original ([`Witness`]).

use std::{error, fmt, io};

#[cfg(unix)]
use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd};

use clcu_sys::rules::{HandleType, Owner, Platform};

/// What an import was given.
#[derive(Debug)]
pub(crate) enum Carrier {
    /// Owned until the driver takes it.
    #[cfg(unix)]
    Fd(OwnedFd),
    /// A file descriptor of which nobody says who closes it: it is left alone.
    #[cfg(unix)]
    RawFd,
    /// A number that stands for a handle and is none: −1 for what is signalled already.
    #[cfg_attr(not(unix), allow(dead_code, reason = "sync files are of Linux"))]
    Nothing,
    /// An NT handle, borrowed.
    #[cfg(windows)]
    Win32,
    /// The name of a Windows object.
    Name,
    /// A global KMT handle: a number.
    Kmt,
    /// An object of another library, by its address: NVIDIA's `NvSci`, Android's buffers.
    Object,
}

/// Whether a kind of handle exists on this system at all.
pub(crate) fn exists_here(row: &HandleType) -> bool {
    match row.platform {
        Platform::Windows => cfg!(windows),
        Platform::Posix => cfg!(unix),
        // Whether NVIDIA's further libraries and hardware are there, only the driver knows.
        Platform::Any | Platform::NvSci | Platform::Fabric | Platform::Unspecified => true,
    }
}

impl Carrier {
    #[cfg(unix)]
    pub(crate) fn number(&self) -> std::ffi::c_int {
        match self {
            Self::Fd(fd) => fd.as_raw_fd(),
            _ => -1,
        }
    }

    /// What tells after a failed import what became of it.
    pub(crate) fn witness(&self) -> Result<Witness, io::Error> {
        match self {
            #[cfg(unix)]
            Self::Fd(fd) => Ok(Witness::duplicate(fd.try_clone()?)),
            _ => Ok(Witness::none()),
        }
    }

    /// The driver took the handle, as `owner` says.
    pub(crate) fn give(self, owner: Owner) {
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

/// What is being done where [`Carrier::witness`] fails.
pub(crate) const DUPLICATING: &str = "duplicating the file descriptor";

/// Another number of the open file that a driver is asked to import: a duplicate, or the caller's own where the driver gets the duplicate.
///
/// The driver does not know the number, so that it is there whatever the driver closes.
pub(crate) struct Witness {
    #[cfg(unix)]
    other: Option<OwnedFd>,
    /// Whether the other number is the caller's own, to be given back rather than the driver's.
    #[cfg(unix)]
    is_callers: bool,
}

impl Witness {
    pub(crate) const fn none() -> Self {
        Self {
            #[cfg(unix)]
            other: None,
            #[cfg(unix)]
            is_callers: false,
        }
    }

    #[cfg(unix)]
    const fn duplicate(other: OwnedFd) -> Self {
        Self { other: Some(other), is_callers: false }
    }

    /// The caller's own descriptor, of which the driver gets a duplicate.
    #[cfg(unix)]
    pub(crate) const fn callers(other: OwnedFd) -> Self {
        Self { other: Some(other), is_callers: true }
    }

    /// Which of the two numbers goes back to the caller. The one that stays is closed, unless the driver did so.
    #[cfg(unix)]
    fn settle(self, fd: OwnedFd) -> OwnedFd {
        let Some(other) = self.other else { return fd };
        if !same_file(&fd, &other) {
            // The number is closed, or somebody else's by now: not ours to close.
            let _ = fd.into_raw_fd();
            return other;
        }
        if self.is_callers { other } else { fd }
    }
}

/// Whether the number of `fd` still refers to the open file that `duplicate` refers to.
#[cfg(unix)]
fn same_file(fd: &OwnedFd, duplicate: &OwnedFd) -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        const KCMP_FILE: libc::c_int = 0;
        // SAFETY: it compares two numbers of this process, whatever they refer to, and touches nothing.
        let order = unsafe {
            let process = libc::getpid();
            libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, fd.as_raw_fd(), duplicate.as_raw_fd())
        };
        let error = std::io::Error::last_os_error().raw_os_error();
        if order >= 0 || error == Some(libc::EBADF) {
            return order == 0;
        }
    }
    // Kernels without `kcmp`, and sandboxes that forbid it: the file itself is compared. A number that was closed and given to the same file
    // in the meantime is taken for the old one; nobody else has this file.
    let status = |fd: &OwnedFd| {
        // SAFETY: zero is a value of each field, and the call fills it or fails.
        unsafe {
            let mut status: libc::stat = std::mem::zeroed();
            (libc::fstat(fd.as_raw_fd(), &raw mut status) == 0).then_some((status.st_dev, status.st_ino, status.st_rdev))
        }
    };
    status(fd).is_some_and(|found| status(duplicate) == Some(found))
}

/// An import that failed, with the file descriptor. `E` is the API's error.
///
/// It owns the descriptor, and closes it when it is dropped: `ImportError::into_fd` takes it out, on Unix.
pub struct ImportError<E> {
    error: E,
    #[cfg(unix)]
    fd: Option<OwnedFd>,
}

impl<E> ImportError<E> {
    /// The driver was not called: everything is still the caller's.
    pub(crate) fn before(error: E, carrier: Carrier) -> Self {
        Self::after(error, carrier, Witness::none())
    }

    /// The driver was called, and refused; `witness` is from before.
    pub(crate) fn after(error: E, carrier: Carrier, witness: Witness) -> Self {
        match carrier {
            #[cfg(unix)]
            Carrier::Fd(fd) => Self { error, fd: Some(witness.settle(fd)) },
            // Nothing else is owned.
            _ => {
                drop(witness);
                Self::kept(error)
            }
        }
    }

    /// The driver took the handle, and something failed nevertheless.
    pub(crate) fn kept(error: E) -> Self {
        Self {
            error,
            #[cfg(unix)]
            fd: None,
        }
    }

    /// Why it failed. A file descriptor stays in this error.
    #[must_use]
    pub fn error(&self) -> &E {
        &self.error
    }

    /// Why it failed. A file descriptor that came back is closed.
    #[must_use]
    pub fn into_error(self) -> E {
        self.error
    }

    /// The file that was to be imported, open and the caller's as before: under the same number, or under another where the driver closed
    /// that one. `None` where the driver keeps it, or no owned descriptor was given. It is the caller's to close.
    #[cfg(unix)]
    #[must_use]
    pub fn into_fd(self) -> Option<OwnedFd> {
        self.fd
    }

    /// The import succeeded, and what it was for did not: the caller's own descriptor goes back, if the driver got a duplicate of it.
    #[cfg_attr(not(unix), allow(clippy::needless_pass_by_value))] // nothing is owned there
    pub(crate) fn undone(error: E, witness: Witness) -> Self {
        #[cfg(not(unix))]
        let _ = &witness;
        Self {
            error,
            #[cfg(unix)]
            fd: witness.other.filter(|_| witness.is_callers),
        }
    }
}

impl<E: fmt::Debug> fmt::Debug for ImportError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ImportError");
        debug.field("error", &self.error);
        #[cfg(unix)]
        debug.field("fd", &self.fd);
        debug.finish()
    }
}

impl<E: fmt::Display> fmt::Display for ImportError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        #[cfg(unix)]
        if self.fd.is_some() {
            f.write_str("\n  the file descriptor is still the caller's, in this error")?;
        }
        Ok(())
    }
}

impl<E: error::Error> error::Error for ImportError<E> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.error.source()
    }
}
