//! Whether a kind of handle can be carried by what an import was given, as far as CUDA's table and the device say.

use std::io;
#[cfg(unix)]
use std::os::fd::RawFd;

use clcu_sys::rules::{HandleType, Owner, Platform};

use super::{
    ImportError,
    device::Device,
    error::{Error, Obstacle, Subject, Unsupported},
};
#[cfg(unix)]
use crate::descriptor;
use crate::import::DUPLICATING;
pub(super) use crate::import::{Carrier, Witness};

/// Whether a kind of handle can be carried so.
pub(super) fn demand(carrier: &Carrier, row: &'static HandleType, device: &Device) -> Result<(), Error> {
    let takes = |member: &str| row.members.contains(&member);
    // A handle that holds no reference is a KMT handle.
    let is_number = row.owner_on_success == Owner::None;
    let why = match carrier {
        #[cfg(unix)]
        Carrier::Fd(_) if takes("handle.fd") && row.owner_on_success == Owner::Unspecified => Some(Obstacle::Ownership),
        #[cfg(unix)]
        Carrier::Fd(_) => (!takes("handle.fd")).then_some(Obstacle::Carrier),
        #[cfg(unix)]
        Carrier::RawFd => (!takes("handle.fd")).then_some(Obstacle::Carrier),
        #[cfg(windows)]
        Carrier::Win32 => (!takes("handle.win32.handle") || is_number).then_some(Obstacle::Carrier),
        Carrier::Kmt => (!takes("handle.win32.handle") || !is_number).then_some(Obstacle::Carrier),
        Carrier::Name => (!takes("handle.win32.name")).then_some(Obstacle::Carrier),
        Carrier::Nothing => Some(Obstacle::Carrier),
        Carrier::Object => (row.platform != Platform::NvSci).then_some(Obstacle::Carrier),
    };
    match why {
        Some(why) => Err(Unsupported::error(device.library(), Subject::Handle(row), why)),
        None => device.demand(row),
    }
}

/// Whether the descriptor that a record holds can be a handle of its kind, as far as the system tells.
#[cfg(unix)]
pub(super) fn look(carrier: &Carrier, number: RawFd, row: &'static HandleType) -> Result<(), Error> {
    match carrier {
        Carrier::Fd(_) | Carrier::RawFd => descriptor::check_number(number, row).map_err(Error::Descriptor),
        _ => Ok(()),
    }
}

/// What tells after a failed import what became of the handle.
pub(super) fn witness(carrier: &Carrier) -> Result<Witness, Error> {
    carrier.witness().map_err(|error: io::Error| Error::System { what: DUPLICATING, number: error.raw_os_error() })
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Self {
        error.into_error()
    }
}
