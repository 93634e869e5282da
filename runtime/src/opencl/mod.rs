//! OpenCL: in, where to look for the ICD loader or a vendor's library; out, a [`Library`] with the commands of the core, and its
//! [`Platform`]s with those of their extensions.

pub mod capabilities;
pub mod checked;
mod context;
mod device;
mod entry;
mod error;
mod event;
mod extensions;
pub mod kind;
mod meaning;
pub mod memory;
mod platform;
pub mod properties;
mod query;
mod queue;
pub mod semaphore;
mod version;

use std::{env, fmt, path::PathBuf, sync::Arc};

use clcu_sys::{
    Command,
    opencl::{self, cl_platform_id, cl_result},
};

use self::entry::Entry;
pub use self::{
    context::Context,
    device::Device,
    error::{CallError, Error, Obstacle, Unsupported},
    event::{Event, Progress},
    meaning::Meaning,
    memory::ExternalMemory,
    platform::Platform,
    queue::Queue,
    semaphore::Semaphore,
};
use crate::{
    candidate::{self, Place, System},
    error::{Availability, Driver, Missing, OpenError},
    loader::{self, Loader},
    resolved::Resolved,
};

pub use crate::error::Invalid;

/// An import that failed, with the file descriptor. `ImportError::into_fd` gives the descriptor back.
pub type ImportError = crate::ImportError<Error>;

/// Names the library's file; when it is set and not empty, nothing else is tried.
pub const ENVIRONMENT: &str = "CLCU_OPENCL_LIBRARY";

/// An OpenCL library that was opened: an ICD loader, or a vendor's own.
///
/// A vendor's library that is opened without a loader has its platforms and the commands of their extensions. Of the core it has what it
/// exports, which may be little: NVIDIA's exports `clGetPlatformInfo` alone, and hands the rest to loaders.
///
/// It stays loaded until the process ends, also when this value is dropped. Several may be open at once, each with commands of its own.
///
/// Since OpenCL 1.0. Source: `clGetPlatformIDs` of the OpenCL API specification; for a vendor's own library `clIcdGetPlatformIDsKHR`,
/// with `cl_khr_icd`.
#[derive(Debug)]
pub struct Library {
    resolved: Resolved,
    entry: Entry,
}

/// How to open an OpenCL library.
///
/// The first of these that is given is used alone: a path, [`ENVIRONMENT`], directories, where the system looks.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    place: Place,
}

impl Options {
    /// The system's ICD loader.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens this file and no other, whatever [`ENVIRONMENT`] says. A name without a directory is looked for where the system looks.
    ///
    /// # Safety
    /// The file is an OpenCL library: its functions have the types that OpenCL specifies, and loading it is sound.
    pub unsafe fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.place.path = Some(path.into());
        self
    }

    /// Looks for the loader's usual names in this directory, after those given before, and no longer where the system looks.
    ///
    /// # Safety
    /// As for [`Options::path`], for each of these names in the directory.
    pub unsafe fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.place.directories.push(directory.into());
        self
    }

    /// Opens the library. No platform is asked for.
    ///
    /// # Errors
    /// [`OpenError::NotFound`] with every file that was tried: it could not be loaded, or is no OpenCL library.
    pub fn open(self) -> Result<Library, OpenError> {
        let (candidates, named_by) = self.place.candidates(env::var_os(ENVIRONMENT), candidate::opencl(System::HERE));
        let (_, (entry, path)) = Loader::open(&candidates, |library, file| {
            let entry = Entry::new(library)?;
            Ok((entry, loader::file_of(entry.address()).unwrap_or_else(|| file.to_owned())))
        })
        .map_err(|attempts| {
            let advice = named_by.map_or_else(advice, |named_by| named_by.advice(ENVIRONMENT, LIBRARY));
            OpenError::NotFound { what: LIBRARY, attempts, advice: vec![advice] }
        })?;
        let driver = Arc::new(Driver { path, version: None, platform: None });
        Ok(Library { resolved: Resolved::new(opencl::COMMAND_COUNT, driver), entry })
    }
}

/// What is looked for, as messages say it. The indefinite article fits.
const LIBRARY: &str = "OpenCL library";

fn advice() -> String {
    format!(
        "Install an ICD loader (`ocl-icd-libopencl1` on Debian) and a platform, such as a graphics driver or PoCL, or name the file of \
         a library in the environment variable {ENVIRONMENT}."
    )
}

impl Library {
    /// Opens the system's ICD loader, or the library that [`ENVIRONMENT`] names.
    ///
    /// # Errors
    /// As for [`Options::open`].
    pub fn open() -> Result<Self, OpenError> {
        Options::new().open()
    }

    /// The function of a command of the core. Looked for on first use; after that one load.
    ///
    /// A command of an extension is always missing here: each platform has its own, see [`Platform::get`].
    ///
    /// The function may be kept for as long as the process runs.
    ///
    /// # Errors
    /// [`Missing`] where the library does not have the command, where an extension brings it, or where it is one of CUDA.
    ///
    /// Source: [`clcu_sys::opencl::COMMANDS`], which has the version since which a command is there, or its extensions.
    #[inline]
    pub fn get<F: Copy>(&self, command: &Command<F>) -> Result<F, Missing> {
        // SAFETY: the slots are filled by this library's entry alone, with functions of an OpenCL library.
        unsafe { self.resolved.get(*command, &self.entry) }
    }

    /// The file that was loaded, as messages name it.
    ///
    /// No version is asked for: a library does not say one, its platforms do.
    #[must_use]
    pub fn driver(&self) -> &Driver {
        &self.resolved.driver
    }

    /// Every platform of the library. None at all is an answer, not an error.
    ///
    /// # Errors
    /// [`PlatformsError`] with the library's answer, other than that there is no platform.
    ///
    /// Since OpenCL 1.0. Source: `clGetPlatformIDs` of the OpenCL API specification; for a vendor's own library
    /// `clIcdGetPlatformIDsKHR`, with `cl_khr_icd`.
    pub fn platforms(&self) -> Result<Platforms, PlatformsError> {
        let ids = self.entry.platforms().map_err(|code| PlatformsError { code, driver: Arc::clone(&self.resolved.driver) })?;
        let entries = ids.len();
        let usable: Vec<_> = ids.into_iter().filter(|id| !id.is_null()).map(|id| self.new_platform(id)).collect();
        Ok(Platforms { null_entries: entries - usable.len(), usable, driver: Arc::clone(&self.resolved.driver) })
    }

    /// The platform of an id that came from elsewhere: from other code that uses the same library.
    ///
    /// Platforms are not counted: nothing is retained, and nothing is released.
    ///
    /// # Safety
    /// The id is one of the platforms of this library.
    ///
    /// Since OpenCL 1.0. Source: `cl_platform_id` of the OpenCL API specification.
    #[must_use]
    pub unsafe fn platform(&self, id: cl_platform_id) -> Platform {
        self.new_platform(id)
    }

    fn new_platform(&self, id: cl_platform_id) -> Platform {
        Platform::new(id, &self.resolved.driver, self.entry)
    }

    /// Asks for every command of the core and lists those that this library lacks. What extensions bring,
    /// [`Platform::availability`] lists.
    ///
    /// Source: [`clcu_sys::opencl::COMMANDS`], which has the version since which a command is there, or its extensions.
    #[must_use]
    pub fn availability(&self) -> Availability {
        let core = opencl::COMMANDS.iter().filter(|command| command.extensions.is_empty());
        self.resolved.availability(core, &self.entry)
    }
}

/// The platforms of a library.
///
/// Since OpenCL 1.0. Source: `clGetPlatformIDs` of the OpenCL API specification.
#[derive(Debug)]
#[non_exhaustive]
pub struct Platforms {
    /// Those that can be used, in the library's order.
    pub usable: Vec<Platform>,
    /// How many entries of the library's list were null: drivers that failed to load. They are left out of `usable`.
    pub null_entries: usize,
    driver: Arc<Driver>,
}

impl Platforms {
    /// The first that can be used, or an error that says why there is none.
    ///
    /// # Errors
    /// [`NoPlatform`] where `usable` is empty.
    pub fn first(&self) -> Result<&Platform, NoPlatform> {
        self.usable.first().ok_or_else(|| NoPlatform { null_entries: self.null_entries, driver: Arc::clone(&self.driver) })
    }
}

/// The library has no platform that can be used.
///
/// Since OpenCL 1.0. Source: `clGetPlatformIDs` of the OpenCL API specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoPlatform {
    /// How many entries of the library's list were null.
    pub null_entries: usize,
    /// The library.
    pub driver: Arc<Driver>,
}

impl fmt::Display for NoPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no OpenCL platform", self.driver.path.display())?;
        if self.null_entries > 0 {
            write!(f, " that can be used ({} entries of its list are null)", self.null_entries)?;
        }
        f.write_str("; platforms are registered in /etc/OpenCL/vendors, or in the registry on Windows")
    }
}

impl std::error::Error for NoPlatform {}

/// The library failed to list its platforms.
///
/// Since OpenCL 1.0. Source: `clGetPlatformIDs` of the OpenCL API specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlatformsError {
    /// Its answer.
    pub code: cl_result,
    /// The library.
    pub driver: Arc<Driver>,
}

impl fmt::Display for PlatformsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clGetPlatformIDs: {} from {}", self.code, self.driver.path.display())
    }
}

impl std::error::Error for PlatformsError {}
