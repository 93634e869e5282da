//! What can be checked by name: rows that the generated `records.rs` is made of.

use std::{mem::MaybeUninit, ptr};

use clcu_sys::rules::{Given, Inert, PropertyList, Record, check_raw_waiving, check_waiving};

use crate::examined::{Examined, is_about};

/// A record that can be checked.
pub(crate) struct Checkable {
    pub(crate) api: &'static str,
    /// Its own name, then others that mean it.
    pub(crate) names: &'static [&'static str],
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// Checks the record whose bytes begin there.
    ///
    /// # Safety
    /// As for [`examine`].
    pub(crate) examine: unsafe fn(start: *const u8, given: &Given<'_>, waived: &[&str]) -> Examined,
}

/// Checks the `R` whose bytes begin at `start`, which need no alignment.
///
/// # Safety
/// There are `size_of::<R>()` initialised bytes, which stay as they are meanwhile; where a rule is about text behind a pointer, the pointer is
/// null or can be followed, as [`check_raw`](clcu_sys::rules::check_raw) says.
pub(crate) unsafe fn examine<R: Record>(start: *const u8, given: &Given<'_>, waived: &[&str]) -> Examined {
    let mut record = MaybeUninit::<R>::uninit();
    // SAFETY: promised by the caller; the copy is aligned, and every pattern of bytes is a value of a generated record.
    let record = unsafe {
        ptr::copy_nonoverlapping(start, record.as_mut_ptr().cast::<u8>(), size_of::<R>());
        record.assume_init_ref()
    };
    // SAFETY: every byte was copied from an initialised one, and what pointers lead to is promised by the caller.
    Examined::of(unsafe { check_raw_waiving(record, given, waived) }, |_| true)
}

/// A property list of a command.
pub(crate) struct List {
    pub(crate) command: &'static str,
    pub(crate) parameter: &'static str,
    /// How many bytes an element has.
    pub(crate) width: usize,
    pub(crate) examine: fn(list: PropertyList<'_>, given: &Given<'_>, waived: &[&str]) -> Examined,
}

/// Checks the arguments of a call of which only the list is known, by the rules that speak of nothing else.
pub(crate) fn examine_list<R: Inert>(arguments: &R, parameter: &str, given: &Given<'_>, waived: &[&str]) -> Examined {
    Examined::of(check_waiving(arguments, given, waived), |rule| is_about(parameter, rule))
}

/// An argument of which nothing is known. No rule that counts looks at it.
///
/// # Safety
/// Zero is a value of `T`: it is an integer, a pointer, or a newtype over one.
pub(crate) unsafe fn unknown<T: Copy>() -> T {
    // SAFETY: promised by the caller.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// The table of records.
macro_rules! records {
    ($($(#[$attribute:meta])* $api:ident::$record:ident: $($name:literal),+;)*) => {
        pub(crate) static RECORDS: &[crate::checkable::Checkable] = &[$(
            $(#[$attribute])*
            crate::checkable::Checkable {
                api: stringify!($api),
                names: &[$($name),+],
                size: size_of::<$api::$record>(),
                align: align_of::<$api::$record>(),
                examine: crate::checkable::examine::<$api::$record>,
            },
        )*];
    };
}

/// The table of property lists.
macro_rules! lists {
    ($(
        $(#[$attribute:meta])*
        $api:ident::$arguments:ident, $command:literal, $parameter:literal, $list:ident: $element_api:ident::$element:ident,
        [$($other:ident: $kind:ident),*];
    )*) => {
        pub(crate) static LISTS: &[crate::checkable::List] = &[$(
            $(#[$attribute])*
            crate::checkable::List {
                command: $command,
                parameter: $parameter,
                width: size_of::<$element_api::$element>(),
                examine: |list, given, waived| {
                    let arguments = $api::$arguments { $list: list, $($other: crate::checkable::lists!(@$kind),)* };
                    crate::checkable::examine_list(&arguments, $parameter, given, waived)
                },
            },
        )*];
    };
    // SAFETY: arguments that rules look at are integers, pointers, and newtypes over them.
    (@scalar) => { unsafe { crate::checkable::unknown() } };
    (@list) => { clcu_sys::rules::PropertyList::NULL };
}

pub(crate) use {lists, records};
