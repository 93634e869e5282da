//! How a call went. Rust never receives one of these from C, only gives them, so that it can be an enumeration.

use std::ffi::{CStr, c_char, c_int};

/// How a call went.
#[allow(non_camel_case_types)] // the names are C's
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum clcu_status {
    /// It did what was asked. Of a check: it was made, and `clcu_result_violation_count` says with what outcome.
    CLCU_OK = 0,
    /// A pointer is null that must not be.
    CLCU_NULL_ARGUMENT = 1,
    /// A text is not UTF-8.
    CLCU_NOT_TEXT = 2,
    /// There is no record, command, parameter, fact, rule or platform of this name.
    CLCU_UNKNOWN_NAME = 3,
    /// The size is not that of the record: it is another record, or another version of it.
    CLCU_WRONG_SIZE = 4,
    /// The fact is not of this kind: a set where a number is wanted, or the other way round; or the number does not fit it.
    CLCU_WRONG_KIND = 5,
    /// The index is not below the count.
    CLCU_OUT_OF_RANGE = 6,
    /// The buffer has no room for the text and its terminating zero.
    CLCU_BUFFER_TOO_SMALL = 7,
    /// A fault of this library, which was contained. Nothing was changed that the caller can see.
    CLCU_FAULT = 8,
}

/// What each status says, in words, by its number.
const TEXTS: [&CStr; 9] = [
    c"done",
    c"a pointer is null that must not be",
    c"a text is not UTF-8",
    c"nothing has this name",
    c"the size is not that of the record",
    c"the fact is not of this kind",
    c"the index is not below the count",
    c"the buffer is too small",
    c"a fault of the library",
];

/// What a `clcu_status` says, in words. Any number may be asked for.
#[unsafe(no_mangle)]
pub extern "C" fn clcu_status_text(status: c_int) -> *const c_char {
    let text = usize::try_from(status).ok().and_then(|status| TEXTS.get(status));
    text.copied().unwrap_or(c"no status of this library").as_ptr()
}

/// The version of this library: `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn clcu_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
