//! The ways into an OpenCL library: in, a symbol; out, its address.
//!
//! An ICD loader exports the core. A vendor's library that is opened without a loader may export little more than
//! `clGetExtensionFunctionAddress`, which then is asked too: there is only one vendor in it, so that nothing can be mixed up.

use std::{
    ffi::{CStr, c_char, c_void},
    fmt,
    ptr::NonNull,
};

use clcu_sys::{
    Api, CommandInfo,
    opencl::{self, cl_platform_id, cl_result},
};

use super::query;
use crate::{error::Needs, loader::Loader, resolved::LookUp};

type ExtensionAddress = unsafe extern "system" fn(name: *const c_char) -> *mut c_void;

/// The ways into one library.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    library: Loader,
    /// Only where the library is a vendor's own.
    vendor: Option<ExtensionAddress>,
    get_platforms: NonNull<c_void>,
}

// SAFETY: the addresses are of functions that may be called from any thread.
unsafe impl Send for Entry {}
// SAFETY: as above; nothing in it changes.
unsafe impl Sync for Entry {}

impl Entry {
    /// `Err` says why this library is none of OpenCL.
    pub(super) fn new(library: Loader) -> Result<Self, String> {
        match library.symbol(c"clGetPlatformIDs") {
            Ok(get_platforms) => Ok(Self { library, vendor: None, get_platforms }),
            Err(error) => Self::of_vendor(library).ok_or_else(|| {
                format!("it was loaded, but it is no OpenCL library: it does not export clGetPlatformIDs ({error})")
            }),
        }
    }

    fn of_vendor(library: Loader) -> Option<Self> {
        let address = library.symbol(c"clGetExtensionFunctionAddress").ok()?;
        // SAFETY: the function of this name takes a C string and returns a pointer.
        let vendor = unsafe { std::mem::transmute::<NonNull<c_void>, ExtensionAddress>(address) };
        // SAFETY: the name is a C string.
        let get_platforms = NonNull::new(unsafe { vendor(c"clIcdGetPlatformIDsKHR".as_ptr()) })?;
        Some(Self { library, vendor: Some(vendor), get_platforms })
    }

    /// An address inside the library.
    pub(super) fn address(&self) -> NonNull<c_void> {
        self.get_platforms
    }

    /// Whether it is a vendor's own library, so that there is nobody to mix its functions up with.
    pub(super) fn is_vendor(&self) -> bool {
        self.vendor.is_some()
    }

    /// The function of a symbol, or what the system says about its absence.
    pub(super) fn function(&self, symbol: &CStr) -> Result<NonNull<c_void>, String> {
        self.library.symbol(symbol).or_else(|error| {
            // SAFETY: the name is a C string.
            self.vendor.and_then(|vendor| NonNull::new(unsafe { vendor(symbol.as_ptr()) })).ok_or(error)
        })
    }

    /// Every entry of the library's list of platforms, null ones too.
    pub(super) fn platforms(&self) -> Result<Vec<cl_platform_id>, cl_result> {
        // SAFETY: it is the address of `clGetPlatformIDs`, or of `clIcdGetPlatformIDsKHR`, which has the same type.
        let get_platforms = unsafe { opencl::clGetPlatformIDs.function(self.get_platforms) };
        query::list(cl_platform_id::NULL, cl_result::CL_PLATFORM_NOT_FOUND_KHR, |count, platforms, count_ret| {
            // SAFETY: `platforms` has room for `count`, or is null where that is 0.
            unsafe { get_platforms(count, platforms, count_ret) }
        })
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("vendor", &self.vendor.is_some()).finish_non_exhaustive()
    }
}

/// The core alone: what a library can be asked for without a platform.
impl LookUp for Entry {
    const API: Api = Api::OpenCl;

    fn look_up(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String> {
        if command.extensions.is_empty() {
            self.function(command.symbol)
        } else {
            Err("a library has no functions of extensions, its platforms do".to_owned())
        }
    }

    fn needs(&self, command: &'static CommandInfo) -> Needs {
        match (command.extensions, command.since) {
            ([], "") => Needs::Unknown,
            ([], since) => Needs::OpenCl(since),
            (extensions, _) => Needs::Platform(extensions),
        }
    }
}
