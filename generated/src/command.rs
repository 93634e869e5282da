//! A command of a driver as data: what a loader needs to find it, and the type to call it by.
//!
//! In: the rows of the generated `commands` files. Out: a [`Command`] constant for each, typed by its function, and one table of
//! [`CommandInfo`] an API, in the order of the dense index. The slots that hold addresses belong to whoever loads: nothing here is
//! a global, so that a mock and a real driver can live in one process.

use core::{
    ffi::{CStr, c_void},
    fmt,
    marker::PhantomData,
    ptr::NonNull,
};

/// One of the two APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// NVIDIA's CUDA driver API.
    Cuda,
    /// Khronos's OpenCL API.
    OpenCl,
}

/// How a command says that it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorChannel {
    /// By the status code that it returns.
    Return,
    /// Through its last parameter, `errcode_ret`.
    ErrcodeRet,
    /// As one of the others, and one status code an item in an array besides.
    PerItem,
    /// Not at all, or by a null result.
    None,
}

/// What there is to know about a command without calling it.
#[derive(Debug)]
pub struct CommandInfo {
    /// The API that it belongs to. An index means nothing without it.
    pub api: Api,
    /// Its place in its API's table, from 0 without gaps: the index of a loader's slot. Not stable across versions of this crate.
    pub index: u16,
    /// The symbol that the driver exports: `cuCtxCreate_v4`.
    pub symbol: &'static CStr,
    /// The public name, which `cuGetProcAddress` takes: `cuCtxCreate`. Equal to `symbol` for OpenCL.
    pub name: &'static CStr,
    /// The version for `cuGetProcAddress` (10000 is CUDA 10.0); 0 for OpenCL, and where upstream gives none.
    pub version: u32,
    /// The variant that works on the per-thread default stream: its symbol, and its version for `cuGetProcAddress`.
    pub per_thread: Option<(&'static CStr, u32)>,
    /// The first version of the API that has it, as `"10.0"`; empty where only extensions have it.
    pub since: &'static str,
    /// Since which version upstream advises against it; empty where it does not.
    pub deprecated: &'static str,
    /// The extensions that bring it, any one of which is enough. Empty for CUDA and for what is in the core of OpenCL.
    pub extensions: &'static [&'static str],
    /// How it says that it failed.
    pub error_channel: ErrorChannel,
    /// The header that declares it for C programs: `cuda.h`, `CL/cl.h`; empty where none is known.
    pub header: &'static str,
}

impl CommandInfo {
    /// What the rows of `api` leave out, because it is so for most commands: no version, no other variant, no extension, no advice
    /// against it, and a status code returned.
    #[doc(hidden)]
    #[must_use]
    pub const fn nothing_known(api: Api) -> Self {
        Self {
            api,
            index: 0,
            symbol: c"",
            name: c"",
            version: 0,
            per_thread: None,
            since: "",
            deprecated: "",
            extensions: &[],
            error_channel: ErrorChannel::Return,
            header: "",
        }
    }
}

/// A command whose function has the type `F`, an `unsafe extern "system" fn`.
///
/// It is a constant of this crate and holds no address. A loader resolves [`CommandInfo::symbol`] and turns the address into a
/// function with [`Command::function`].
pub struct Command<F> {
    info: &'static CommandInfo,
    function: PhantomData<F>,
}

impl<F: Copy> Command<F> {
    /// Only the macros of this crate make commands.
    ///
    /// # Safety
    /// `F` is the `unsafe extern "system" fn` type of the command that `info` describes.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn new(info: &'static CommandInfo) -> Self {
        assert!(size_of::<F>() == size_of::<*const c_void>(), "a command is typed by a function pointer");
        Self { info, function: PhantomData }
    }

    /// What there is to know about it without calling it.
    #[inline]
    #[must_use]
    pub const fn info(&self) -> &'static CommandInfo {
        self.info
    }

    /// The function at `address`.
    ///
    /// # Safety
    /// `address` is that of this command in a driver: a function of the C type `F`, loaded for as long as the result is called.
    #[inline]
    #[must_use]
    pub const unsafe fn function(&self, address: NonNull<c_void>) -> F {
        // SAFETY: `new` promises that `F` is a function pointer, which has the size of a data pointer on every supported target and
        // is not null here; the caller promises that the address is of such a function.
        unsafe { core::mem::transmute_copy(&address) }
    }
}

impl<F> Clone for Command<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Command<F> {}

impl<F> fmt::Debug for Command<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}
