//! Texts for C, each with a zero at its end.

use std::ffi::{CString, c_char};

/// `text` with a zero at its end. A zero within, which no table and no message has, would end it there.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// A text that stays for as long as the library is loaded. Only for tables, which are made once.
pub(crate) fn kept(text: &str) -> *const c_char {
    CString::into_raw(c_text(text))
}

/// `texts` with blanks between; names have none.
pub(crate) fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().collect::<Vec<_>>().join(" ")
}
