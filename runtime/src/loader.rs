//! Opens a shared library and looks up its symbols: in, candidates in order; out, the first that will do, or every attempt with its
//! error.
//!
//! CUDA and OpenCL share it. A library that was opened stays loaded until the process ends: drivers keep threads, thread-local
//! destructors and exit handlers that crash when their code is unmapped, and an address handed out must stay valid.

use std::{
    error::Error,
    ffi::{CStr, c_void},
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    ptr::NonNull,
};

use crate::{
    candidate::{Candidate, Search},
    error::Attempt,
};

#[cfg(unix)]
use libloading::os::unix as os;
#[cfg(windows)]
use libloading::os::windows as os;

#[cfg(unix)]
type Handle = *mut c_void;
#[cfg(windows)]
type Handle = isize;

/// A library that stays loaded. A copy is another name for the same library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loader {
    handle: Handle,
}

// SAFETY: the handle names a library that is never closed, and the system's look-up of symbols may be called from any thread.
unsafe impl Send for Loader {}
// SAFETY: as above; nothing in it changes.
unsafe impl Sync for Loader {}

impl Loader {
    /// Opens the first candidate that loads and that `accept` takes. `Err` holds an attempt for each, in their order.
    ///
    /// `accept` says why it refuses; what it refused stays loaded, as everything does.
    pub(crate) fn open<T>(
        candidates: &[Candidate],
        mut accept: impl FnMut(Self, &Path) -> Result<T, String>,
    ) -> Result<(Self, T), Vec<Attempt>> {
        let mut attempts = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let outcome = Self::load(candidate).and_then(|loader| Ok((loader, accept(loader, &candidate.file)?)));
            match outcome {
                Ok(opened) => return Ok(opened),
                Err(error) => attempts.push(Attempt { file: candidate.file.clone(), error }),
            }
        }
        Err(attempts)
    }

    fn load(candidate: &Candidate) -> Result<Self, String> {
        // SAFETY: running a driver's initialisers is what the caller asks for by opening it; nothing is known about the file beyond
        // its name, and no system offers more. It is never closed, so its termination routines run at exit only.
        let opened = unsafe { open(candidate) };
        let library = opened.map_err(|error| with_causes(&error))?;
        Ok(Self { handle: library.into_raw() })
    }

    /// The address of an exported symbol, or what the system says about its absence.
    pub(crate) fn symbol(self, name: &CStr) -> Result<NonNull<c_void>, String> {
        // SAFETY: the handle came from `into_raw` and is open; `ManuallyDrop` keeps it open.
        let library = ManuallyDrop::new(unsafe { os::Library::from_raw(self.handle) });
        // SAFETY: the address is taken as a pointer to nothing in particular; who gives it a type promises that it fits.
        let symbol = unsafe { library.get::<*mut c_void>(name) }.map_err(|error| with_causes(&error))?;
        NonNull::new(symbol.as_raw_ptr()).ok_or_else(|| "the symbol's address is null".to_owned())
    }
}

#[cfg(unix)]
unsafe fn open(candidate: &Candidate) -> Result<os::Library, libloading::Error> {
    // There is no directory of the operating system alone here; `Search` is for Windows.
    let Candidate { file, search: Search::Usual | Search::SystemDirectory } = candidate;
    // SAFETY: as the caller promises.
    unsafe { os::Library::open(Some(file), os::RTLD_NOW | os::RTLD_LOCAL) }
}

#[cfg(windows)]
unsafe fn open(candidate: &Candidate) -> Result<os::Library, libloading::Error> {
    let flags = match candidate.search {
        Search::SystemDirectory => os::LOAD_LIBRARY_SEARCH_SYSTEM32,
        // What a driver needs lies beside it, not beside the program.
        Search::Usual if candidate.file.is_absolute() => os::LOAD_WITH_ALTERED_SEARCH_PATH,
        Search::Usual => 0,
    };
    // SAFETY: as the caller promises.
    unsafe { os::Library::load_with_flags(&candidate.file, flags) }
}

/// An error with all its causes: the system's own words are in the last.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

/// The file that holds the function at `address`.
#[cfg(unix)]
pub(crate) fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    use std::{ffi::OsStr, mem::MaybeUninit, os::unix::ffi::OsStrExt as _};

    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the result is written to memory that is ours.
    let known = unsafe { libc::dladdr(address.as_ptr(), info.as_mut_ptr()) } != 0;
    // SAFETY: all zeroes is a `Dl_info` of null pointers, so it is initialised whether it was written or not.
    let name = unsafe { info.assume_init() }.dli_fname;
    if !known || name.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that lives as long as the library, which stays loaded.
    let name = unsafe { CStr::from_ptr(name) };
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    // A symbolic link's target says which of several installed drivers it is.
    Some(path.canonicalize().unwrap_or(path))
}

/// The file that holds the function at `address`.
#[cfg(windows)]
pub(crate) fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    use std::{ffi::OsString, os::windows::ffi::OsStringExt as _};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut isize) -> i32;
        fn GetModuleFileNameW(module: isize, name: *mut u16, size: u32) -> u32;
    }
    /// From an address, without counting a reference.
    const FROM_ADDRESS_UNCHANGED: u32 = 0x4 | 0x2;

    let mut module = 0;
    // SAFETY: with this flag the second argument is an address inside a module; the result is written to memory that is ours.
    if unsafe { GetModuleHandleExW(FROM_ADDRESS_UNCHANGED, address.as_ptr(), &raw mut module) } == 0 {
        return None;
    }
    let mut name = vec![0u16; 32_768];
    let size = u32::try_from(name.len()).ok()?;
    // SAFETY: the buffer is `size` units long.
    let length = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), size) };
    let name = name.get(..usize::try_from(length).ok()?).filter(|name| !name.is_empty())?;
    Some(PathBuf::from(OsString::from_wide(name)))
}
