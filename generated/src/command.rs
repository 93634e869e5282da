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

use crate::names::first_word;

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
#[derive(Clone, Copy, Debug)]
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
    /// The last release whose headers or registry have it: `"12.9"` of CUDA, `"3.0.16"` of OpenCL's registry; empty where the newest does.
    /// Drivers keep what headers no longer declare: only asking one tells.
    pub until: &'static str,
    /// Since which version upstream advises against it; empty where it does not.
    pub deprecated: &'static str,
    /// The extensions that bring it, any one of which is enough. Empty for CUDA and for what is in the core of OpenCL.
    pub extensions: &'static [&'static str],
    /// How it says that it failed.
    pub error_channel: ErrorChannel,
    /// The header that declares it for C programs: `cuda.h`, `CL/cl.h`; empty where none is known.
    pub header: &'static str,
}

/// The rows of tables of commands: what is known of a command that is like most, and a method for each way in which one is not.
impl CommandInfo {
    /// A command of CUDA: the symbol that is exported, which is its public name too, its version for `cuGetProcAddress`, the release that
    /// it came with, and the header that declares it.
    #[doc(hidden)]
    #[must_use]
    pub const fn cuda(symbol: &'static CStr, version: u32, since: &'static str, header: &'static str) -> Self {
        Self { version, ..Self::row(Api::Cuda, symbol, since, header) }
    }

    /// A command of OpenCL, of a version of the core: its symbol, the version, the header that declares it.
    #[doc(hidden)]
    #[must_use]
    pub const fn opencl(symbol: &'static CStr, since: &'static str, header: &'static str) -> Self {
        Self::row(Api::OpenCl, symbol, since, header)
    }

    const fn row(api: Api, symbol: &'static CStr, since: &'static str, header: &'static str) -> Self {
        Self {
            api,
            index: 0,
            symbol,
            name: symbol,
            version: 0,
            per_thread: None,
            since,
            until: "",
            deprecated: "",
            extensions: &[],
            error_channel: ErrorChannel::Return,
            header,
        }
    }

    /// Its public name, where that is not the symbol.
    #[doc(hidden)]
    #[must_use]
    pub const fn named(self, name: &'static CStr) -> Self {
        Self { name, ..self }
    }

    /// Its variant for the per-thread default stream.
    #[doc(hidden)]
    #[must_use]
    pub const fn per_thread(self, symbol: &'static CStr, version: u32) -> Self {
        Self { per_thread: Some((symbol, version)), ..self }
    }

    /// Until when headers or a registry have it.
    #[doc(hidden)]
    #[must_use]
    pub const fn until(self, until: &'static str) -> Self {
        Self { until, ..self }
    }

    /// Since when upstream advises against it.
    #[doc(hidden)]
    #[must_use]
    pub const fn deprecated(self, deprecated: &'static str) -> Self {
        Self { deprecated, ..self }
    }

    /// The extensions that bring it.
    #[doc(hidden)]
    #[must_use]
    pub const fn extensions(self, extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..self }
    }

    /// How it says that it failed, where it returns no status code.
    #[doc(hidden)]
    #[must_use]
    pub const fn fails_by(self, error_channel: ErrorChannel) -> Self {
        Self { error_channel, ..self }
    }
}

/// The rows of a table, each with its place in it.
///
/// # Panics
/// Where a row's symbol is not the name at its place in `names`, which have white space between: a command would get another's facts.
#[doc(hidden)]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // no API has so many commands
pub const fn numbered<const N: usize>(names: &str, mut rows: [CommandInfo; N]) -> [CommandInfo; N] {
    let (mut name, mut rest) = first_word(names);
    let mut place = 0;
    while place < N {
        #[allow(clippy::cast_possible_truncation)] // no API has 65,536 commands
        let index = place as u16;
        assert!(same(name.as_bytes(), rows[place].symbol.to_bytes()), "{}", name);
        rows[place].index = index;
        (name, rest) = first_word(rest);
        place += 1;
    }
    rows
}

const fn same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (rest_of_one, rest_of_other);
    }
    one.is_empty() && other.is_empty()
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
