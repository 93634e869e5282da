//! What a device, driver or system does not support: in, a kind of handle, or pools and allocations as such, and what stands in the way; out, an
//! error that says so and names what can be used instead. It is never about a descriptor, which may be good.

use std::{error, fmt, sync::Arc};

use clcu_sys::{
    cuda,
    rules::{HandleType, Payload},
};

use super::{Library, error::Error, kind, version::Version};
use crate::error::Driver;

/// What cannot be used here, although the descriptor may be good.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsupported {
    /// What.
    pub what: Subject,
    /// Why not.
    pub why: Obstacle,
    /// The driver.
    pub driver: Arc<Driver>,
}

/// What a device supports or not.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Subject {
    /// A kind of handle.
    Handle(&'static HandleType),
    /// Pools of memory; those that are shared by a type of handle, where there is one.
    Pools(Option<&'static HandleType>),
    /// Allocations without an address, and addresses to map them at.
    VirtualMemory,
}

impl Subject {
    /// The kind of handle that it is about.
    #[must_use]
    pub fn handle_type(self) -> Option<&'static HandleType> {
        match self {
            Self::Handle(row) => Some(row),
            Self::Pools(row) => row,
            Self::VirtualMemory => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handle(row) => f.write_str(row.name),
            Self::Pools(None) => f.write_str("pools of memory"),
            Self::Pools(Some(row)) => write!(f, "pools of memory that are shared by {}", row.name),
            Self::VirtualMemory => f.write_str("virtual memory management"),
        }
    }
}

/// Why something cannot be used.
///
/// `Display` of [`Unsupported`] says it in words, with what to use instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// It does not exist on this system.
    System,
    /// The driver is older than the kind, which came with this version.
    Driver(Version),
    /// The device says no: this attribute of it is zero.
    Attribute(cuda::CUdevice_attribute),
    /// The device does not list the type of handle: this attribute of it has a flag for each type that it lists.
    NotListed {
        /// The attribute.
        attribute: cuda::CUdevice_attribute,
        /// What it is.
        listed: cuda::CUmemAllocationHandleType,
    },
    /// Upstream does not say who closes the handle, so no owner of it can be handed over in safety.
    Ownership,
    /// A semaphore of this kind carries something else than the type that was asked for.
    Payload,
    /// What carries such a handle is not what was given: a file descriptor, a Windows handle, a name, a pointer.
    Carrier,
}

impl Unsupported {
    /// What of this driver cannot be used, and why.
    pub(super) fn error(library: &Library, what: Subject, why: Obstacle) -> Error {
        Error::Unsupported(Self { what, why, driver: Arc::clone(library.shared_driver()) })
    }

    fn write_alternatives(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject::Handle(row) = self.what else { return Ok(()) };
        let names: Vec<_> = kind::alternatives(row).map(|row| row.short).collect();
        if names.is_empty() {
            return Ok(());
        }
        write!(f, "\n  next: ask `Device::capabilities`; of its sort there may be {}", names.join(", "))
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, row) = (self.what, self.what.handle_type());
        let is = if matches!(self.what, Subject::Pools(_)) { "are" } else { "is" };
        match self.why {
            Obstacle::System => {
                write!(f, "{name} {is} not supported: the kind of handle does not exist on {}", std::env::consts::OS)?;
                self.write_alternatives(f)
            }
            Obstacle::Driver(since) => {
                write!(
                    f,
                    "{name} {is} not supported: it needs a driver for CUDA {since} or newer (bindings of CUDA {}), and this is {}; nothing was \
                     called",
                    super::BINDINGS,
                    self.driver
                )?;
                self.write_alternatives(f)
            }
            Obstacle::Attribute(attribute) => {
                write!(
                    f,
                    "{name} {is} not supported: the device says so ({}, attribute {}, is 0); {} was asked, and {}",
                    name_of(attribute),
                    attribute.0,
                    self.driver,
                    if matches!(self.what, Subject::Handle(_)) { "the handle is untouched" } else { "nothing else was called" }
                )?;
                self.write_alternatives(f)
            }
            Obstacle::NotListed { attribute, listed } => {
                let mut names: Vec<_> = kind::of_allocations(listed).map(|row| row.short).collect();
                if names.is_empty() {
                    names.push("none");
                }
                write!(
                    f,
                    "{name} {is} not supported: the device lists the types of handles by which it shares pools ({}, attribute {}, is {:#x}: \
                     {}); {} was asked, and nothing else was called",
                    name_of(attribute),
                    attribute.0,
                    listed.0,
                    names.join(", "),
                    self.driver
                )
            }
            Obstacle::Ownership => write!(
                f,
                "{name} cannot be imported from an owned handle: upstream does not say who closes it; use the constructor that takes it raw"
            ),
            Obstacle::Payload => {
                write!(
                    f,
                    "{name} does not fit the type of semaphore that was asked for: it carries {:?}",
                    row.map_or(Payload::None, |row| row.payload)
                )
            }
            Obstacle::Carrier => {
                let members = row.map_or(&[][..], |row| row.members);
                write!(f, "{name} is not carried by what was given: it takes {}", members.join(" or "))
            }
        }
    }
}

impl error::Error for Unsupported {}

/// The newest of the names of an attribute: older ones are deprecated.
fn name_of(attribute: cuda::CUdevice_attribute) -> &'static str {
    attribute.names().last().unwrap_or("unnamed")
}
