//! The CUDA driver: in, where to look for it; out, a [`Library`] whose commands are found on first use.
//!
//! Three layers, each usable without the next, and beside other crates that call CUDA: handles go in and out raw (`from_raw`, `as_raw`,
//! `into_raw`), and contexts are pushed and popped, never replaced.
//!
//! | layer | what it gives | what it checks | what its caller promises |
//! | --- | --- | --- | --- |
//! | [`Library`] | any of the driver's commands, as a function ([`Library::get`]) | that the driver has it | what the command's documentation asks for, as in C |
//! | [`checked`], [`Library::checked`] | the same, called only if no rule is broken | every rule that a program can decide: all that are broken are listed | that bytes are initialised and pointers can be followed, and what rules only attest |
//! | owners | [`ExternalSemaphore`], [`ExternalMemory`], [`Allocation`], [`Pool`], [`Reservation`], [`ipc`], [`range`] | besides: what the device supports, what could not be destroyed later, who owns a handle, what goes before what | nothing; where a raw handle comes in, what its constructor says |
//!
//! What is owned needs a context that is current ([`Context::enter`]), which belongs to a [`Device`]; what went wrong is an [`Error`].
//!
//! | to share | in | out |
//! | --- | --- | --- |
//! | a semaphore | [`semaphore::Source`], ten types of handles | — |
//! | memory of another API | [`memory::Source`], nine types of handles | — |
//! | an allocation, mapped by [`Allocation::map`] | [`Allocation`] by file descriptor, Windows handle, fabric | the same |
//! | a pool and its memory | [`Pool`] by file descriptor, Windows handle, fabric; [`Pool::import_pointer`] | the same; [`PoolMemory::export_pointer`] |
//! | a range of addresses | — | [`range`], a dma-buf |
//! | memory or an event of a process | [`ipc::IpcMemory`], [`ipc::IpcEvent`] | [`ipc`], 64 bytes |

pub mod advice;
mod allocation;
pub mod checked;
mod context;
mod device;
mod entry;
mod error;
mod export;
mod import;
pub mod ipc;
pub mod kind;
mod mapping;
pub mod memory;
mod pool;
pub mod range;
pub mod semaphore;
mod support;
mod unsupported;
mod version;

use std::{env, ffi::c_void, fmt, path::PathBuf, ptr::NonNull, sync::Arc};

use clcu_sys::{Api, Command, CommandInfo, cuda, rules::Given};

use self::entry::{Entry, Streams};
pub use self::{
    allocation::Allocation,
    context::{Context, Current, Stream},
    device::{Device, Identities, Identity, Luid, Uuid},
    error::{CallError, Error, Obstacle, Subject, Unsupported},
    mapping::{Access, MappedAllocation, Mapping, Reservation},
    memory::ExternalMemory,
    pool::{Pool, PoolMemory},
    semaphore::ExternalSemaphore,
    support::{Capability, Support},
    version::{Version, Versions},
};
use crate::{
    candidate::{self, NamedBy, Place, System},
    error::{Availability, Driver, Missing, Needs, OpenError},
    loader::{self, Loader},
    resolved::{LookUp, Resolved},
    trace,
};

pub use crate::error::Invalid;

/// An import that failed, with the file descriptor.
pub type ImportError = crate::ImportError<Error>;

/// The environment variable that names the driver's file; when it is set, nothing else is tried.
pub const ENVIRONMENT: &str = "CLCU_CUDA_LIBRARY";

/// A CUDA driver that was opened.
///
/// It stays loaded until the process ends, also when this value is dropped. Several may be open at once, each with commands of its own.
///
/// Source: `cuda.h`, whose commands it finds.
#[derive(Debug)]
pub struct Library {
    resolved: Resolved,
    entry: Entry,
    /// What rules ask of the driver. Made once, since it is larger than what most calls check.
    given: Given<'static>,
}

/// How to open a CUDA driver.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    place: Place,
    streams: Streams,
}

impl Options {
    /// The system's driver, with the legacy default stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens this file and no other, whatever [`ENVIRONMENT`] says. A name without a directory is looked for where the system looks.
    ///
    /// # Safety
    /// The file is a CUDA driver: its functions have the types that CUDA documents, and loading it is sound.
    pub unsafe fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.place.path = Some(path.into());
        self
    }

    /// Looks for the driver's usual names in this directory, after those given before, and no longer where the system looks.
    ///
    /// # Safety
    /// As for [`Options::path`], for each of these names in the directory.
    pub unsafe fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.place.directories.push(directory.into());
        self
    }

    /// Whether commands that take a stream mean the calling thread's own where they are given the default stream, as a C program does that
    /// was compiled with `CUDA_API_PER_THREAD_DEFAULT_STREAM`.
    ///
    /// Since CUDA 11.3; of older drivers by exported symbol. Source: `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM` and
    /// `CU_GET_PROC_ADDRESS_LEGACY_STREAM` of `cuda.h`.
    pub fn per_thread_default_stream(mut self, per_thread: bool) -> Self {
        self.streams = if per_thread { Streams::PerThread } else { Streams::Legacy };
        self
    }

    /// Opens the driver. It is asked for its version, which needs no initialisation; `cuInit` is left to [`Library::init`].
    ///
    /// Since CUDA 2.2. Source: `cuDriverGetVersion` of `cuda.h`.
    ///
    /// # Errors
    /// [`OpenError::NotFound`] with every file that was tried, why each would not do, and what to do; [`OpenError::StubLibrary`] where
    /// none would do and one of them is the toolkit's stub.
    pub fn open(self) -> Result<Library, OpenError> {
        let (candidates, named_by) = self.place.candidates(env::var_os(ENVIRONMENT), candidate::cuda(System::HERE));
        let mut stub = None;
        let opened = Loader::open(&candidates, |library, file| {
            let (entry, address) = Entry::new(library, self.streams)?;
            let path = loader::file_of(address).unwrap_or_else(|| file.to_owned());
            match entry.version {
                Err(cuda::CUresult::CUDA_ERROR_STUB_LIBRARY) => {
                    let refusal = format!("{} is the toolkit's stub (CUDA_ERROR_STUB_LIBRARY)", path.display());
                    stub.get_or_insert(path);
                    Err(refusal)
                }
                _ => Ok((entry, path)),
            }
        });
        match (opened, stub) {
            (Ok((_, (entry, path))), _) => {
                let version = entry.version.ok().map(|version| version.to_string());
                let driver = Arc::new(Driver { path, version, platform: None });
                let given = checked::given_by(entry.version.ok());
                let library = Library { resolved: Resolved::new(cuda::COMMAND_COUNT, driver), entry, given };
                if let Some(versions) = library.versions().filter(|versions| versions.major_differs()) {
                    trace::versions(&versions);
                }
                Ok(library)
            }
            (Err(attempts), Some(path)) => Err(OpenError::StubLibrary { path, attempts, advice: stub_advice(named_by) }),
            (Err(attempts), None) => {
                let is_wsl = System::HERE == System::Unix && std::path::Path::new(candidate::WSL_DIRECTORY).is_dir();
                Err(OpenError::NotFound { what: DRIVER, attempts, advice: advice(named_by, is_wsl) })
            }
        }
    }
}

/// What is looked for, as messages say it.
const DRIVER: &str = "CUDA driver";

fn advice(named_by: Option<NamedBy>, is_wsl: bool) -> Vec<String> {
    if let Some(named_by) = named_by {
        return vec![named_by.advice(ENVIRONMENT, DRIVER)];
    }
    let mut advice = vec![format!(
        "Install NVIDIA's driver (the CUDA toolkit does not bring it), or name its file in the environment variable {ENVIRONMENT}."
    )];
    if is_wsl {
        advice.push(format!(
            "This is WSL: Windows brings the driver, its library for Linux lies in {}; update the driver of Windows.",
            candidate::WSL_DIRECTORY
        ));
    }
    advice
}

fn stub_advice(named_by: Option<NamedBy>) -> Vec<String> {
    vec![named_by.map_or_else(
        || {
            "Install NVIDIA's driver, and take the toolkit's `stubs` directory out of the library path (LD_LIBRARY_PATH, \
             /etc/ld.so.conf.d)."
                .to_owned()
        },
        |named_by| named_by.advice(ENVIRONMENT, DRIVER),
    )]
}

impl Library {
    /// Opens the system's driver, or the one that [`ENVIRONMENT`] names.
    ///
    /// Since CUDA 2.2. Source: `cuDriverGetVersion` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Options::open`].
    pub fn open() -> Result<Self, OpenError> {
        Options::new().open()
    }

    /// The function of a command. Looked for on first use; after that one load.
    ///
    /// The answer may be kept for as long as the process runs.
    ///
    /// Since CUDA 11.3; of older drivers, and of commands without a version, by exported symbol. Source: `cuGetProcAddress` of
    /// `cuda.h`.
    ///
    /// # Errors
    /// [`Missing`] with what the command needs, and what the driver said; also for a command of another API.
    #[inline]
    pub fn get<F: Copy>(&self, command: &Command<F>) -> Result<F, Missing> {
        // SAFETY: the slots are filled by this library's entry alone, with functions of a CUDA driver.
        unsafe { self.resolved.get(*command, &self.entry) }
    }

    /// Whether all of these commands are there.
    ///
    /// # Errors
    /// [`Error::Missing`] with every one that is not.
    pub fn demand(&self, commands: &[&'static CommandInfo]) -> Result<(), Error> {
        let absent = |command: &&'static CommandInfo| self.resolved.resolve(command, &self.entry).err();
        let missing: Vec<_> = commands.iter().filter_map(absent).collect();
        if missing.is_empty() { Ok(()) } else { Err(Error::Missing(missing)) }
    }

    /// Calls `cuInit(0)`, which every other command but `cuDriverGetVersion` needs first. Calling it again does no harm.
    ///
    /// Since CUDA 2.0. Source: `cuInit` of `cuda.h`.
    ///
    /// # Errors
    /// [`InitError::Missing`] where the library has no `cuInit`; [`InitError::StubLibrary`] where it is the toolkit's stub;
    /// [`InitError::Failed`] with any other answer.
    pub fn init(&self) -> Result<(), InitError> {
        self.get(&cuda::cuInit).map_err(InitError::Missing)?;
        // SAFETY: zero is the only flag there is.
        match self.checked(&cuda::cuInit).call(|init| unsafe { init(0) }).map_err(|error| error.result()) {
            Ok(()) => Ok(()),
            Err(Some(cuda::CUresult::CUDA_ERROR_STUB_LIBRARY)) => Err(InitError::StubLibrary { path: self.driver().path.clone() }),
            Err(result) => {
                let result = result.unwrap_or(cuda::CUresult::CUDA_ERROR_UNKNOWN);
                Err(InitError::Failed { result, driver: Arc::clone(&self.resolved.driver) })
            }
        }
    }

    /// The file that was loaded and its version, as messages name them.
    #[must_use]
    pub fn driver(&self) -> &Driver {
        &self.resolved.driver
    }

    /// The same, to be kept in an error.
    pub(crate) fn shared_driver(&self) -> &Arc<Driver> {
        &self.resolved.driver
    }

    /// Whether the default stream is each thread's own.
    pub(crate) fn is_per_thread(&self) -> bool {
        self.entry.is_per_thread()
    }

    /// The version of CUDA that the driver supports. `None` where it fails to say.
    ///
    /// Asked when it was opened.
    ///
    /// Since CUDA 2.2. Source: `cuDriverGetVersion` of `cuda.h`.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.entry.version.ok()
    }

    /// The versions of bindings and driver. `None` where the driver fails to say its own.
    ///
    /// Since CUDA 2.2. Source: `cuDriverGetVersion`, `CUDA_VERSION` of `cuda.h`.
    #[must_use]
    pub fn versions(&self) -> Option<Versions> {
        Some(Versions { bindings: BINDINGS, driver: self.version()? })
    }

    /// Asks for every command of the API and lists those that this driver lacks. A command that is missing never stops another.
    #[must_use]
    pub fn availability(&self) -> Availability {
        self.resolved.availability(cuda::COMMANDS.iter(), &self.entry)
    }
}

/// The version of the header that the bindings were made from.
pub(crate) const BINDINGS: Version = Version(cuda::CUDA_VERSION);

impl LookUp for Entry {
    const API: Api = Api::Cuda;

    fn look_up(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String> {
        self.function(command)
    }

    fn needs(&self, command: &'static CommandInfo) -> Needs {
        match self.wanted(command).version {
            0 => Needs::Unknown,
            version => Needs::CudaDriver(Version(version)),
        }
    }
}

/// `cuInit` failed.
///
/// Since CUDA 2.0. Source: `cuInit` of `cuda.h`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InitError {
    /// The library is the toolkit's stub.
    StubLibrary {
        /// The file that was loaded.
        path: PathBuf,
    },
    /// The library has no `cuInit`.
    Missing(Missing),
    /// The driver refused.
    Failed {
        /// Its answer.
        result: cuda::CUresult,
        /// The driver.
        driver: Arc<Driver>,
    },
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StubLibrary { path } => {
                OpenError::StubLibrary { path: path.clone(), attempts: Vec::new(), advice: stub_advice(None) }.fmt(f)
            }
            Self::Missing(missing) => missing.fmt(f),
            Self::Failed { result, driver } => write!(f, "cuInit: {result} from {driver}"),
        }
    }
}

impl std::error::Error for InitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Missing(missing) => Some(missing),
            Self::StubLibrary { .. } | Self::Failed { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B04: where WSL's directory is, the message says so.
    #[test]
    fn b04_advice_names_the_directory_of_wsl_where_it_is() {
        assert_eq!(advice(None, false).len(), 1);
        assert!(advice(None, true).iter().any(|line| line.contains("/usr/lib/wsl/lib")));
    }
}
