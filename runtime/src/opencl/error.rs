//! What can go wrong in a checked call of OpenCL, as data: what the platform answered and by which channel, which rules the arguments
//! break, what a device does not support, which commands or extensions are missing.
//!
//! In: the facts of a call that failed. Out: values whose `Display` forms say the command, the code's name and number, whether the
//! specification lists the code for the command, and what has to hold by its rules for the code not to come. Text is made when it is shown,
//! never before, and never for a call that succeeds.

use std::{error, fmt, sync::Arc};

use clcu_sys::{
    CommandInfo, ErrorChannel,
    opencl::{self, cl_result},
    rules::{HandleType, find_documented},
};

use super::{
    meaning::{self, Meaning},
    memory,
    properties::DoesNotFit,
    semaphore::Misuse,
};
#[cfg(unix)]
use crate::descriptor::WrongKind;
use crate::{
    checked::Passed,
    error::{Driver, Invalid, Missing},
};

/// Anything that stops a call of this module.
///
/// Source: for [`Error::Call`], the error codes of the OpenCL API specification; the others are this crate's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The platform lacks commands or extensions that are needed, perhaps only later: to release what is about to be made. Nothing was
    /// called.
    Missing(Vec<Missing>),
    /// The arguments break rules. The platform was not called.
    Invalid(Invalid),
    /// This device or system does not support it. The platform was asked for the capability, and not called otherwise.
    Unsupported(Unsupported),
    /// A signal, wait, export or re-import that cannot be right whatever any other party does. The platform was not called.
    Misuse(Misuse),
    /// External memory would be acquired twice, or released without having been acquired. The platform was not called.
    Transfer(memory::Misuse),
    /// A file descriptor is not what the handle type takes, as far as the operating system tells. The platform was not called.
    #[cfg(unix)]
    Descriptor(WrongKind),
    /// The platform refused. [`Error::result`] gives its code.
    Call(CallError),
    /// The platform reported success, and gave nothing.
    Nothing {
        /// The command.
        command: &'static CommandInfo,
        /// The platform.
        driver: Arc<Driver>,
    },
    /// The platform gave nothing, and wrote no code to `errcode_ret` that would say why.
    Silent {
        /// The command.
        command: &'static CommandInfo,
        /// The platform.
        driver: Arc<Driver>,
    },
    /// The platform reported success, and an answer of another size than what was asked for has. What it wrote is not used.
    UnexpectedSize {
        /// The command.
        command: &'static CommandInfo,
        /// What was asked for, by upstream's name.
        what: &'static str,
        /// How many bytes it has.
        wanted: usize,
        /// How many the platform announced.
        found: usize,
        /// The platform.
        driver: Arc<Driver>,
    },
    /// A handle that has to be that of an object is null.
    Null {
        /// Of what.
        what: &'static str,
    },
    /// An object was taken for one of a context or platform that it does not belong to. Nothing was called with it.
    Foreign {
        /// Which.
        what: &'static str,
        /// Of what it is not.
        of: &'static str,
    },
    /// A word of a property list does not fit the integer that the list is made of on this target.
    DoesNotFit(DoesNotFit),
    /// A handle type that this version of the crate does not know.
    UnknownHandleType {
        /// Its number.
        value: u64,
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
    /// The platform's answer, if it was called and refused.
    ///
    /// Since OpenCL 1.0. Source: the error codes of the OpenCL API specification.
    #[must_use]
    pub fn result(&self) -> Option<cl_result> {
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
                write!(f, "the platform lacks ")?;
                for (index, one) in missing.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, one.command.symbol.to_string_lossy())?;
                }
                f.write_str(", or what it needs; nothing was called")?;
                missing.iter().try_for_each(|one| write!(f, "\n  {one}"))
            }
            Self::Invalid(Invalid { command, violations }) => {
                let (count, rules) = (violations.len(), if violations.len() == 1 { "rule" } else { "rules" });
                write!(f, "{} was not called: {count} {rules} broken", command.symbol.to_string_lossy())?;
                violations.iter().try_for_each(|(subject, violation)| {
                    f.write_str("\n  ")?;
                    meaning::broken(f, subject, violation)
                })
            }
            Self::Unsupported(unsupported) => unsupported.fmt(f),
            Self::Misuse(misuse) => misuse.fmt(f),
            Self::Transfer(misuse) => misuse.fmt(f),
            #[cfg(unix)]
            Self::Descriptor(wrong) => wrong.fmt(f),
            Self::Call(call) => call.fmt(f),
            Self::Nothing { command, driver } => {
                write!(
                    f,
                    "{} reported success and gave no object; nothing was kept. Report it to whoever made {driver}.",
                    command.symbol.to_string_lossy()
                )
            }
            Self::Silent { command, driver } => write!(
                f,
                "{} gave no object, and wrote no code to errcode_ret. Report it to whoever made {driver}.",
                command.symbol.to_string_lossy()
            ),
            Self::UnexpectedSize { command, what, wanted, found, driver } => write!(
                f,
                "{}: {what} has {wanted} bytes, and the platform announced {found}; the answer was not used. Report it to whoever made \
                 {driver}.",
                command.symbol.to_string_lossy()
            ),
            Self::Null { what } => write!(f, "the handle of {what} is null; nothing was called"),
            Self::Foreign { what, of } => write!(f, "{what} belongs to another {of} than the one that it was taken for"),
            Self::DoesNotFit(error) => error.fmt(f),
            Self::UnknownHandleType { value } => write!(f, "handle type {value:#06X} is not one that these bindings know"),
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
            Self::Transfer(misuse) => Some(misuse),
            #[cfg(unix)]
            Self::Descriptor(wrong) => Some(wrong),
            Self::Call(call) => Some(call),
            Self::DoesNotFit(error) => Some(error),
            Self::Nothing { .. }
            | Self::Silent { .. }
            | Self::UnexpectedSize { .. }
            | Self::Null { .. }
            | Self::Foreign { .. }
            | Self::UnknownHandleType { .. }
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

impl From<DoesNotFit> for Error {
    fn from(error: DoesNotFit) -> Self {
        Self::DoesNotFit(error)
    }
}

impl From<Misuse> for Error {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl From<super::ImportError> for Error {
    fn from(error: super::ImportError) -> Self {
        error.into_error()
    }
}

/// A command that the platform refused.
///
/// Source: the codes that the OpenCL API specification lists at each command, [`clcu_sys::opencl::ERRORS`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallError {
    /// The command.
    pub command: &'static CommandInfo,
    /// The platform's answer.
    pub result: cl_result,
    /// The way by which the answer came: as what the command returns, or through `errcode_ret`. [`ErrorChannel::PerItem`] where the call as
    /// a whole reports success and `items` do not.
    pub channel: ErrorChannel,
    /// The items of the call that have a status of their own other than success: which, and their codes.
    pub items: Vec<(usize, cl_result)>,
    /// The kind of handle that it was about.
    pub handle_type: Option<&'static HandleType>,
    /// What was checked before the call.
    pub checked: Passed,
    /// The platform.
    pub driver: Arc<Driver>,
}

impl CallError {
    /// Whether the specification lists the code for the command; `None` where it lists none for it.
    ///
    /// Source: [`clcu_sys::opencl::ERRORS`], which is generated from the OpenCL API specification.
    #[must_use]
    pub fn is_documented(&self) -> Option<bool> {
        let codes = find_documented(opencl::ERRORS, self.command)?.codes?;
        Some(codes.contains(&self.result))
    }

    /// The rules of the command that lead to this code where they do not hold. Those that the check before the call decided were kept.
    ///
    /// Source: [`clcu_sys::opencl::RULES`], which is generated from the OpenCL API specification.
    pub fn rules(&self) -> impl Iterator<Item = Meaning> {
        meaning::leading_to(self.command, self.result).map(Meaning)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, result, channel, items, handle_type, checked, driver } = self;
        // Alone a code that has no name shows its type, and still its number.
        write!(f, "{}: {result}", command.symbol.to_string_lossy())?;
        f.write_str(match self.is_documented() {
            Some(true) => ": one of the codes that the specification lists for this command",
            Some(false) => ": undocumented for this command, the specification lists other codes",
            None => ": the specification lists no codes for this command",
        })?;
        f.write_str(match channel {
            ErrorChannel::Return | ErrorChannel::None => "",
            ErrorChannel::ErrcodeRet => "; it came through errcode_ret",
            ErrorChannel::PerItem => "; it is of an item, the call as a whole reports success",
        })?;
        write!(f, ". From {driver}.")?;
        items.iter().try_for_each(|(index, result)| write!(f, "\n  item {index}: {result}"))?;
        if let Some(row) = handle_type {
            write!(f, "\n  handle type: {}", row.name)?;
        }
        for meaning in self.rules() {
            let rule = meaning.rule();
            let kept = match (checked.subjects.is_empty(), checked.waived.contains(&rule.id)) {
                (false, true) => " (checked before the call: it is not, which was waived)",
                (false, false) if rule.is_checkable() => " (checked before the call: it is so)",
                _ => "",
            };
            write!(f, "\n  has to be so: {meaning}{kept} [{}]", rule.id)?;
        }
        Ok(())
    }
}

impl error::Error for CallError {}

/// A kind of handle that cannot be used here, although the arguments may be good.
///
/// Nothing that was given is used up: an import gives its descriptor back.
///
/// With `cl_khr_external_semaphore` or `cl_khr_external_memory`. Source: `cl_external_semaphore_handle_type_khr` and
/// `cl_external_memory_handle_type_khr` of the OpenCL API specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsupported {
    /// The kind.
    pub handle_type: &'static HandleType,
    /// Why not.
    pub why: Obstacle,
    /// What a device answered that does not list the kind: the numbers of the handle types that it lists. Empty for other obstacles, too.
    pub listed: Vec<u32>,
    /// The platform.
    pub driver: Arc<Driver>,
}

/// Why a kind of handle cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// It does not exist on this system.
    System,
    /// A device of the context does not list it in its answer to this query, which is upstream's name.
    NotListed(&'static str),
    /// A semaphore of this kind carries something else than the type that was asked for.
    Payload,
    /// What carries such a handle is not what was given: a file descriptor, a Windows handle, a name.
    Carrier,
}

impl Unsupported {
    /// What is listed, by name where these bindings know it.
    fn list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.listed.is_empty() {
            return f.write_str("none");
        }
        for (index, number) in self.listed.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            let row =
                opencl::HANDLE_TYPES.iter().find(|row| row.kind == self.handle_type.kind && row.value == Some((*number).into()));
            match row {
                Some(row) => f.write_str(row.name)?,
                None => write!(f, "{number:#06X}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.handle_type.name;
        match self.why {
            Obstacle::System => write!(f, "{name} is not supported: it does not exist on {}", std::env::consts::OS),
            Obstacle::NotListed(query) => {
                write!(f, "{name} is not supported: a device of the context does not list it in {query}, which lists ")?;
                self.list(f)?;
                write!(f, "; {} was asked, and not called otherwise", self.driver)
            }
            Obstacle::Payload => {
                write!(f, "{name} does not fit the type of semaphore that was asked for: it carries {:?}", self.handle_type.payload)
            }
            Obstacle::Carrier => write!(f, "{name} is not carried by what was given"),
        }
    }
}

impl error::Error for Unsupported {}

const _: () = {
    const fn may_cross_threads<T: Send + Sync + 'static>() {}
    may_cross_threads::<Error>();
    may_cross_threads::<CallError>();
    may_cross_threads::<Unsupported>();
};
