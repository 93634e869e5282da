//! What can go wrong in a checked call, as data: what the driver answered, which rules a descriptor breaks, what the device does not
//! support, which commands are missing.
//!
//! In: the facts of a call that failed. Out: values whose `Display` forms say the command, the code's name and number, whether upstream
//! lists the code for the command, what was checked before, what is likely wrong, and what to do next. Text is made when it is shown, never
//! before, and never for a call that succeeds.

use std::{error, fmt, sync::Arc};

use clcu_sys::{
    CommandInfo,
    cuda::{self, CUresult},
    rules::{HandleType, find_documented},
};

pub use super::unsupported::{Obstacle, Subject, Unsupported};
use super::{
    advice,
    device::{Identities, Identity},
    semaphore::Misuse,
    version::Versions,
};
#[cfg(unix)]
use crate::descriptor::WrongKind;
use crate::{
    checked::Passed,
    error::{Driver, Invalid, Missing},
};

/// Anything that stops a call of this module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The driver lacks commands that are needed, perhaps only later: to destroy what is about to be imported. Nothing was called.
    Missing(Vec<Missing>),
    /// The arguments break rules. The driver was not called.
    Invalid(Invalid),
    /// This device, driver or system does not support it. The driver was asked for its version and the capability, and not called otherwise.
    Unsupported(Unsupported),
    /// A signal or wait that cannot be right whatever the other side does. The driver was not called.
    Misuse(Misuse),
    /// A file descriptor that is no handle of the kind that it was taken for, where that was asked. The driver was not called.
    #[cfg(unix)]
    Descriptor(WrongKind),
    /// A number or address that no handle of this kind has. The driver was not called.
    NoHandle {
        /// The kind.
        handle_type: &'static HandleType,
        /// What was to be passed, as the command takes it: in the place of a pointer.
        found: usize,
    },
    /// The driver refused.
    Call(CallError),
    /// The driver reported success, and gave nothing.
    Nothing {
        /// The command.
        command: &'static CommandInfo,
        /// The driver.
        driver: Arc<Driver>,
    },
    /// No context is current on this thread.
    NoContext,
    /// A handle type that this version of the crate does not know.
    UnknownHandleType {
        /// Its number.
        value: u32,
    },
    /// A part of external memory that does not lie within it. The driver was not called.
    OutOfRange {
        /// Where it begins, in bytes.
        offset: u64,
        /// Its bytes; never zero in what is mapped.
        length: u64,
        /// The bytes of the whole.
        size: u64,
    },
    /// No device of this driver is the one that was asked for.
    NoSuchDevice {
        /// What was asked for.
        wanted: Identity,
        /// What there is.
        found: Vec<Identities>,
    },
    /// The operating system refused something that had to be done for the call: to duplicate a file descriptor.
    System {
        /// What was tried.
        what: &'static str,
        /// Its error number, where it gave one.
        number: Option<i32>,
    },
}

impl Error {
    /// The driver's answer, if it was called and refused.
    ///
    /// Since CUDA 2.0. Source: `CUresult` of `cuda.h`.
    #[must_use]
    pub fn result(&self) -> Option<CUresult> {
        match self {
            Self::Call(error) => Some(error.result),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => {
                write!(f, "the driver lacks ")?;
                for (index, one) in missing.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, one.command.symbol.to_string_lossy())?;
                }
                f.write_str("; nothing was called")?;
                missing.iter().try_for_each(|one| write!(f, "\n  {one}"))
            }
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::Unsupported(unsupported) => unsupported.fmt(f),
            Self::Misuse(misuse) => misuse.fmt(f),
            #[cfg(unix)]
            Self::Descriptor(wrong) => wrong.fmt(f),
            Self::NoHandle { handle_type, found: 0 } => write!(
                f,
                "{}: the command takes the handle in the place of a pointer, where 0 is none; nothing was called. A file descriptor of the \
                 number 0 has to be duplicated first",
                handle_type.name
            ),
            Self::NoHandle { handle_type, found } => write!(
                f,
                "{}: found {found:#X}, wanted a file descriptor, which is an `int` and not negative; nothing was called",
                handle_type.name
            ),
            Self::Call(call) => call.fmt(f),
            Self::Nothing { command, driver } => {
                write!(
                    f,
                    "{} reported success and gave no object; nothing was kept. Report it to whoever made {driver}.",
                    command.symbol.to_string_lossy()
                )
            }
            Self::NoContext => f.write_str(
                "no context is current on this thread; make one current (cuCtxSetCurrent), or retain a device's primary context (`Context::primary`)",
            ),
            Self::UnknownHandleType { value } => {
                write!(f, "handle type {value} is not one that these bindings, of CUDA {}, know", super::BINDINGS)
            }
            Self::OutOfRange { offset, length: 0, size } => {
                write!(f, "nothing was mapped: 0 bytes from {offset} on, of memory of {size} bytes; at least one is needed")
            }
            Self::OutOfRange { offset, length, size } => write!(
                f,
                "nothing was mapped: {length} bytes from {offset} on do not lie within the memory, which was imported with {size} bytes"
            ),
            Self::NoSuchDevice { wanted, found } => {
                write!(f, "no CUDA device is {wanted}; there are:")?;
                if found.is_empty() {
                    f.write_str(" none")?;
                }
                found.iter().try_for_each(|identities| write!(f, "\n  {identities}"))?;
                if matches!(wanted, Identity::Luid(_)) && found.iter().any(|identities| identities.luid.is_none()) {
                    f.write_str(
                        "\nA device without LUID, as all are outside of Windows, cannot be found by one: match by the UUID \
                         (`Identity::Uuid`).",
                    )?;
                }
                f.write_str(
                    "\nExternal objects are shared on one device only: choose the Vulkan or Direct3D device that is one of these, and \
                     look whether CUDA_VISIBLE_DEVICES hides it.",
                )
            }
            Self::System { what, number: Some(number) } => write!(f, "{what}: {}", std::io::Error::from_raw_os_error(*number)),
            Self::System { what, number: None } => write!(f, "{what} failed"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Missing(missing) => missing.first().map(|one| one as _),
            Self::Invalid(invalid) => Some(invalid),
            Self::Unsupported(unsupported) => Some(unsupported),
            Self::Misuse(misuse) => Some(misuse),
            Self::Call(call) => Some(call),
            #[cfg(unix)]
            Self::Descriptor(wrong) => Some(wrong),
            Self::Nothing { .. }
            | Self::NoHandle { .. }
            | Self::NoContext
            | Self::UnknownHandleType { .. }
            | Self::OutOfRange { .. }
            | Self::NoSuchDevice { .. }
            | Self::System { .. } => None,
        }
    }
}

impl From<Missing> for Error {
    fn from(missing: Missing) -> Self {
        Self::Missing(vec![missing])
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// A command that the driver refused.
///
/// Since CUDA 2.0. Source: `CUresult` of `cuda.h`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallError {
    /// The command.
    pub command: &'static CommandInfo,
    /// The driver's answer.
    pub result: CUresult,
    /// The kind of handle that it was about.
    pub handle_type: Option<&'static HandleType>,
    /// What was checked before the call.
    pub checked: Passed,
    /// The driver.
    pub driver: Arc<Driver>,
    /// Those of the bindings and of the driver; `None` where the driver would not say.
    pub versions: Option<Versions>,
}

impl CallError {
    /// Whether upstream lists the code for the command; `None` where it lists none for it.
    ///
    /// The lists are those of the comments in `cuda.h`.
    #[must_use]
    pub fn is_documented(&self) -> Option<bool> {
        let codes = find_documented(cuda::ERRORS, self.command)?.codes?;
        Some(codes.contains(&self.result))
    }

    /// What is likely wrong, and what to do next, as far as the code and the kind of handle tell.
    #[must_use]
    pub fn advice(&self) -> advice::Advice {
        advice::of(self)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, result, handle_type, checked, driver, versions } = self;
        f.write_str(&command.symbol.to_string_lossy())?;
        if let Some(row) = handle_type {
            write!(f, " ({})", row.name)?;
        }
        // Alone a code that has no name shows its type, and still its number.
        write!(f, ": {result}")?;
        match self.is_documented() {
            Some(true) => f.write_str(", one of the codes that cuda.h lists for this command")?,
            Some(false) => f.write_str(", which is not among the codes that cuda.h lists for this command")?,
            None => f.write_str("; cuda.h lists no codes for this command")?,
        }
        write!(f, ". From {driver}.")?;
        if *checked != Passed::default() {
            write!(f, "\n  checked before the call: {checked}")?;
        }
        // What is newer than the driver is refused with a code that says nothing of it.
        if let Some(versions) = versions.filter(|versions| versions.driver_is_older() && may_be_newer(*result)) {
            write!(f, "\n  versions: {versions}")?;
        }
        let advice = self.advice();
        if !advice.likely.is_empty() {
            write!(f, "\n  likely: {}", advice.likely)?;
        }
        if !advice.next.is_empty() {
            write!(f, "\n  next: {}", advice.next)?;
        }
        Ok(())
    }
}

impl error::Error for CallError {}

/// Whether drivers answer so to a value that they do not know yet.
fn may_be_newer(result: CUresult) -> bool {
    matches!(result, CUresult::CUDA_ERROR_INVALID_VALUE | CUresult::CUDA_ERROR_NOT_SUPPORTED | CUresult::CUDA_ERROR_NOT_FOUND)
}

const _: () = {
    const fn may_cross_threads<T: Send + Sync + 'static>() {}
    may_cross_threads::<Error>();
    may_cross_threads::<CallError>();
    may_cross_threads::<Unsupported>();
};
