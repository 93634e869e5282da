//! What can go wrong between a program and a driver's function, as data: which files were tried, which command is missing, what it
//! needs, and what is there instead.

use std::{error::Error, fmt, path::PathBuf, sync::Arc};

use clcu_sys::{Api, CommandInfo, rules::Violation};

use crate::{cuda::Version, resolved::name_of};

/// A file that was tried in search of a driver.
///
/// Source: the system's own loader: `dlopen`, or `LoadLibraryExW` on Windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The name or path that the system's loader was given.
    pub file: PathBuf,
    /// Why it would not do, in the words of the system where they are its own.
    pub error: String,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.error)
    }
}

/// No driver could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// No file would do.
    NotFound {
        /// What was looked for, as `"CUDA driver"`.
        what: &'static str,
        /// Everything that was tried, in its order.
        attempts: Vec<Attempt>,
        /// What to do about it.
        advice: Vec<String>,
    },
    /// The library is the one that toolkits bring to link against: every call of it fails with `CUDA_ERROR_STUB_LIBRARY`.
    ///
    /// Source: `CUDA_ERROR_STUB_LIBRARY` of `cuda.h`.
    StubLibrary {
        /// The file that was loaded.
        path: PathBuf,
        /// Everything that was tried, in its order, the stub itself among it.
        attempts: Vec<Attempt>,
        /// What to do about it.
        advice: Vec<String>,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { what, attempts, advice } => {
                write!(f, "no {what} could be opened; tried:")?;
                list(f, attempts)?;
                advice.iter().try_for_each(|line| write!(f, "\n{line}"))
            }
            Self::StubLibrary { path, attempts, advice } => {
                write!(
                    f,
                    "{} is the CUDA toolkit's stub, which is there to link against; every call of it fails with \
                     CUDA_ERROR_STUB_LIBRARY (34)",
                    path.display()
                )?;
                if attempts.len() > 1 {
                    f.write_str("; tried:")?;
                    list(f, attempts)?;
                }
                advice.iter().try_for_each(|line| write!(f, "\n{line}"))
            }
        }
    }
}

impl Error for OpenError {}

fn list(f: &mut fmt::Formatter<'_>, attempts: &[Attempt]) -> fmt::Result {
    attempts.iter().try_for_each(|attempt| write!(f, "\n  {attempt}"))
}

/// A driver that was opened, as messages name it.
///
/// Source: `cuDriverGetVersion` of `cuda.h`; `CL_PLATFORM_VERSION` and `CL_PLATFORM_NAME` of the OpenCL API specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Driver {
    /// The file that was loaded, as far as the system tells, else the name that was asked for.
    pub path: PathBuf,
    /// Its version as it says itself: `"13.0"` for CUDA, the version string of the platform for OpenCL. `None` where it would not say.
    pub version: Option<String>,
    /// The name of the OpenCL platform, where it is about one.
    pub platform: Option<String>,
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(platform) = &self.platform {
            write!(f, "platform \"{platform}\" of ")?;
        }
        write!(f, "{}", self.path.display())?;
        match &self.version {
            Some(version) => write!(f, " (version {version})"),
            None => f.write_str(" (version unknown)"),
        }
    }
}

/// What a command needs in order to be there.
///
/// Source: the tables of commands, [`clcu_sys::cuda::COMMANDS`] and [`clcu_sys::opencl::COMMANDS`], which are generated from what
/// upstream publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// A CUDA driver of this version or a newer one.
    CudaDriver(Version),
    /// An OpenCL library of this version or a newer one, as `"1.2"`.
    OpenCl(&'static str),
    /// A platform, or a device of it, that lists one of these extensions.
    Extension(&'static [&'static str]),
    /// An OpenCL platform: the command belongs to these extensions, and each platform has its own function for it.
    Platform(&'static [&'static str]),
    /// A driver of its own API.
    Api(Api),
    /// Nothing that upstream names.
    Unknown,
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CudaDriver(version) => {
                write!(f, "needs a driver for CUDA {version} or newer (bindings of CUDA {})", crate::cuda::BINDINGS)
            }
            Self::OpenCl(version) => write!(f, "needs OpenCL {version} or newer"),
            Self::Extension(extensions) => write!(f, "needs the extension {}", extensions.join(" or ")),
            Self::Platform(extensions) => {
                write!(f, "belongs to {}; ask a platform for it (`Platform::get`), each has its own", extensions.join(" or "))
            }
            Self::Api(api) => write!(f, "needs a driver for {}", name_of(*api)),
            Self::Unknown => f.write_str("is named by no version or extension"),
        }
    }
}

/// A command that this driver does not have.
///
/// Nothing was called.
///
/// Source: the tables of commands, [`clcu_sys::cuda::COMMANDS`] and [`clcu_sys::opencl::COMMANDS`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Missing {
    /// The command.
    pub command: &'static CommandInfo,
    /// What it needs.
    pub needs: Needs,
    /// The driver that was asked.
    pub driver: Arc<Driver>,
    /// What the driver or the system said when it was asked for the command.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, needs, driver, reason } = self;
        write!(f, "{} is not available: it {needs}; asked {driver}: {reason}", command.symbol.to_string_lossy())?;
        if !command.until.is_empty() {
            write!(f, "; headers have it until {} only", command.until)?;
        }
        Ok(())
    }
}

impl Error for Missing {}

/// Arguments that break rules: all of them, before the driver was called.
///
/// Source: the rules of the specifications, [`clcu_sys::cuda::RULES`] and [`clcu_sys::opencl::RULES`]; each [`Violation`] has the id of
/// its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Invalid {
    /// The command that would have been called.
    pub command: &'static CommandInfo,
    /// Each record or argument list, and a rule that it breaks.
    pub violations: Vec<(&'static str, Violation)>,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.violations.len();
        let rules = if count == 1 { "rule" } else { "rules" };
        write!(f, "{} was not called: {count} {rules} broken", self.command.symbol.to_string_lossy())?;
        self.violations.iter().try_for_each(|(subject, violation)| write!(f, "\n  {subject}: {violation}"))
    }
}

impl Error for Invalid {}

/// Which commands of an API a driver has, found out by asking for all of them.
///
/// Source: the tables of commands, [`clcu_sys::cuda::COMMANDS`] and [`clcu_sys::opencl::COMMANDS`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Availability {
    /// How many are there.
    pub present: usize,
    /// Those that are not, in the order of their table, each with what it needs.
    pub absent: Vec<Missing>,
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} commands are there", self.present, self.present + self.absent.len())?;
        self.absent.iter().try_for_each(|missing| write!(f, "\n  {missing}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_an_error<E: Error + Send + Sync + 'static>() {}

    #[test]
    fn errors_may_cross_threads() {
        is_an_error::<OpenError>();
        is_an_error::<Missing>();
        is_an_error::<Invalid>();
    }

    #[test]
    fn a_message_names_every_attempt_and_what_to_do() {
        let error = OpenError::NotFound {
            what: "CUDA driver",
            attempts: vec![
                Attempt { file: "libcuda.so.1".into(), error: "no such file".into() },
                Attempt { file: "libcuda.so".into(), error: "wrong class".into() },
            ],
            advice: vec!["Install it.".into()],
        };
        let text = error.to_string();
        assert_eq!(
            text,
            "no CUDA driver could be opened; tried:\n  libcuda.so.1: no such file\n  libcuda.so: wrong class\nInstall it."
        );
    }
}
