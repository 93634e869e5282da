//! How a CUDA driver is asked for its functions: in, a command; out, the address of the variant that its row means.
//!
//! The driver's own `cuGetProcAddress` is asked by public name with each command's own version: asked for a newer version than the
//! driver it fails, asked for an older one it gives a function with other parameters. Exported symbols, which name one variant
//! each, are the way that is left where there is no such command or no version to ask for.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    fmt, mem,
    ptr::{self, NonNull},
};

use clcu_sys::{CommandInfo, cuda::CUresult};

use super::Version;
use crate::loader::Loader;

/// Which variant of a command that takes a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Streams {
    #[default]
    Legacy,
    PerThread,
}

impl Streams {
    /// `CUdriverProcAddress_flags`. Both name their variant, so that nothing depends on how the driver was compiled.
    fn flag(self) -> u64 {
        match self {
            Self::Legacy => 1,
            Self::PerThread => 2,
        }
    }
}

type DriverGetVersion = unsafe extern "system" fn(version: *mut c_int) -> CUresult;
type GetProcAddressV1 =
    unsafe extern "system" fn(name: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64) -> CUresult;
type GetProcAddressV2 = unsafe extern "system" fn(
    name: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    outcome: *mut u32,
) -> CUresult;

/// The driver's own way to its functions.
#[derive(Clone, Copy)]
enum GetProcAddress {
    V1(GetProcAddressV1),
    V2(GetProcAddressV2),
    /// A driver older than 11.3.
    Absent,
}

/// The ways into one driver.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    library: Loader,
    get_proc_address: GetProcAddress,
    streams: Streams,
    /// What the driver answers to `cuDriverGetVersion`, or the code by which it refuses.
    pub(super) version: Result<Version, CUresult>,
}

/// The variant that is meant by a command.
pub(super) struct Wanted {
    symbol: &'static CStr,
    pub(super) version: u32,
    flag: u64,
}

impl Entry {
    /// The ways in, and an address inside the library. `Err` says why it is no CUDA driver.
    pub(super) fn new(library: Loader, streams: Streams) -> Result<(Self, NonNull<c_void>), String> {
        let driver_get_version = library
            .symbol(c"cuDriverGetVersion")
            .map_err(|error| format!("it was loaded, but it is no CUDA driver: it does not export cuDriverGetVersion ({error})"))?;
        // SAFETY: the function of this name takes a pointer to an `int` and returns a `CUresult`.
        let get_version: DriverGetVersion = unsafe { mem::transmute(driver_get_version) };
        let get_proc_address = library
            .symbol(c"cuGetProcAddress_v2")
            // SAFETY: the type is the one that the name with `_v2` has had since CUDA 12.0.
            .map(|address| GetProcAddress::V2(unsafe { mem::transmute::<NonNull<c_void>, GetProcAddressV2>(address) }))
            .or_else(|_| {
                library
                    .symbol(c"cuGetProcAddress")
                    // SAFETY: the type is the one that the plain name has had since CUDA 11.3.
                    .map(|address| GetProcAddress::V1(unsafe { mem::transmute::<NonNull<c_void>, GetProcAddressV1>(address) }))
            })
            .unwrap_or(GetProcAddress::Absent);
        Ok((Self { library, get_proc_address, streams, version: ask_version(get_version) }, driver_get_version))
    }

    /// Whether the default stream is each thread's own.
    pub(super) fn is_per_thread(&self) -> bool {
        self.streams == Streams::PerThread
    }

    /// The variant of a command for this library's default stream.
    pub(super) fn wanted(&self, command: &'static CommandInfo) -> Wanted {
        match (self.streams, command.per_thread) {
            (Streams::PerThread, Some((symbol, version))) => Wanted { symbol, version, flag: Streams::PerThread.flag() },
            _ => Wanted { symbol: command.symbol, version: command.version, flag: Streams::Legacy.flag() },
        }
    }

    /// The address of a command in this driver, or all that was said about its absence.
    pub(super) fn function(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String> {
        let wanted = self.wanted(command);
        self.ask(command.name, &wanted).or_else(|refusal| {
            self.library.symbol(wanted.symbol).map_err(|error| match refusal {
                Some(refusal) => format!("{refusal}; {error}"),
                None => error,
            })
        })
    }

    /// Asks `cuGetProcAddress`. `Err(None)` where there is nothing to ask.
    fn ask(&self, name: &CStr, wanted: &Wanted) -> Result<NonNull<c_void>, Option<String>> {
        let Some(version) = c_int::try_from(wanted.version).ok().filter(|version| *version != 0) else { return Err(None) };
        if let Ok(driver) = self.version
            && driver.0 < wanted.version
        {
            return Err(Some(format!("the driver is for CUDA {driver}")));
        }
        // The driver gives the newest variant that is not newer than the version asked for. If it lacks the one that is meant, that is an
        // older one with other parameters. What it also gives for the version before is not the one that is meant. (Driver 580.159: all
        // 634 names with a version in the header of CUDA 13.0 are found, and for none the version before gives the same.)
        let before = self.get_proc_address(name, version - 1, wanted.flag);
        let function = self.get_proc_address(name, version, wanted.flag)?;
        if before == Ok(function) {
            return Err(Some(format!("cuGetProcAddress: the driver has a variant older than {} only", Version(wanted.version))));
        }
        Ok(function)
    }

    fn get_proc_address(&self, name: &CStr, version: c_int, flag: u64) -> Result<NonNull<c_void>, Option<String>> {
        let mut function = ptr::null_mut();
        let mut outcome = 0;
        let code = match self.get_proc_address {
            // SAFETY: the name is a C string, and the results are written to memory that is ours.
            GetProcAddress::V2(ask) => unsafe { ask(name.as_ptr(), &raw mut function, version, flag, &raw mut outcome) },
            // SAFETY: as above.
            GetProcAddress::V1(ask) => unsafe { ask(name.as_ptr(), &raw mut function, version, flag) },
            GetProcAddress::Absent => return Err(None),
        };
        // A driver may leave something behind where it fails or finds nothing, so the address comes last.
        code.result().map_err(|code| Some(format!("cuGetProcAddress: {code}")))?;
        match outcome {
            0 => NonNull::new(function).ok_or_else(|| Some("cuGetProcAddress: the address is null".to_owned())),
            2 => Err(Some("cuGetProcAddress: the driver has it for a newer version only".to_owned())),
            _ => Err(Some("cuGetProcAddress: the driver does not know it".to_owned())),
        }
    }
}

fn ask_version(get_version: DriverGetVersion) -> Result<Version, CUresult> {
    let mut version = 0;
    // SAFETY: the result is written to memory that is ours.
    match unsafe { get_version(&raw mut version) } {
        CUresult::CUDA_SUCCESS => Ok(Version(u32::try_from(version).unwrap_or(0))),
        code => Err(code),
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("version", &self.version).field("streams", &self.streams).finish_non_exhaustive()
    }
}
