//! From a value to its names: what stands behind `name`, `names`, `Debug` and `Display` of every enumeration.
//!
//! In: an enumeration's table of names, canonical ones first, and a value from a driver, which may be newer than this crate. Out: text.
//! It is shared, so that each of some hundred enumerations compiles to little more than its table.

use core::fmt;

/// A row of an enumeration's table.
pub type Named<T> = (&'static str, T);

/// An integer that carries an enumeration.
pub trait Repr: Copy + PartialEq + fmt::Display + 'static {
    /// Its bits, without what widening would add.
    fn bits(self) -> u64;
}

/// All names of one value, the canonical one first.
#[derive(Clone, Debug)]
pub struct Names<T: 'static> {
    rest: &'static [Named<T>],
    value: T,
}

impl<T: Repr> Names<T> {
    /// The names that `table` has for `value`.
    #[must_use]
    pub const fn new(table: &'static [Named<T>], value: T) -> Self {
        Self { rest: table, value }
    }
}

impl<T: Repr> Iterator for Names<T> {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        while let [(name, value), rest @ ..] = self.rest {
            self.rest = rest;
            if *value == self.value {
                return Some(name);
            }
        }
        None
    }
}

/// `CU_MEMORYTYPE_HOST`, or `CUmemorytype(12345)` where no name is known.
#[doc(hidden)]
pub fn debug<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: &'static [Named<T>], value: T) -> fmt::Result {
    match Names::new(table, value).next() {
        Some(name) => f.write_str(name),
        None => write!(f, "{enumeration}({value})"),
    }
}

/// `CUDA_ERROR_UNKNOWN (999)`, with every name where a value has several, since they may mean different things.
#[doc(hidden)]
pub fn display<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: &'static [Named<T>], value: T) -> fmt::Result {
    let mut names = Names::new(table, value);
    let Some(first) = names.next() else {
        return write!(f, "{enumeration}({value})");
    };
    f.write_str(first)?;
    for name in names {
        write!(f, " or {name}")?;
    }
    write!(f, " ({value})")
}

/// `A | B | unknown bits 0x80`: at each step the name that covers most of what is left; the first of the table where several do.
#[doc(hidden)]
pub fn debug_bits<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: &'static [Named<T>], value: T) -> fmt::Result {
    let mut left = value.bits();
    if left == 0 {
        return debug(f, enumeration, table, value);
    }
    let mut separator = "";
    while left != 0 {
        let mut best: Option<(&str, u64)> = None;
        for &(name, known) in table {
            let known = known.bits();
            let more = best.is_none_or(|(_, bits)| known.count_ones() > bits.count_ones());
            if known != 0 && known & !left == 0 && more {
                best = Some((name, known));
            }
        }
        let Some((name, bits)) = best else {
            return write!(f, "{separator}unknown bits {left:#X}");
        };
        write!(f, "{separator}{name}")?;
        left &= !bits;
        separator = " | ";
    }
    Ok(())
}

/// The lookup in constant evaluation, where generic code cannot compare: one function an integer, in a module called like it.
#[doc(hidden)]
pub mod of {
    macro_rules! find {
        ($($repr:ident: $unsigned:ident),*) => {$(
            pub mod $repr {
                impl crate::names::Repr for $repr {
                    #[inline]
                    #[allow(clippy::cast_sign_loss, clippy::cast_lossless)] // the bits are wanted, and for every type alike
                    fn bits(self) -> u64 {
                        self as super::unsigned::$unsigned as u64
                    }
                }

                /// The first name that `table` has for `value`.
                #[inline]
                #[must_use]
                pub const fn find(table: &[crate::names::Named<$repr>], value: $repr) -> Option<&'static str> {
                    let mut rest = table;
                    while let [(name, known), tail @ ..] = rest {
                        if *known == value {
                            return Some(name);
                        }
                        rest = tail;
                    }
                    None
                }
            }
        )*};
    }

    /// Primitive types by paths that the modules beside do not shadow.
    mod unsigned {
        pub(super) use core::primitive::{u8, u16, u32, u64, usize};
    }

    find! { u8: u8, u16: u16, u32: u32, u64: u64, usize: usize, i8: u8, i16: u16, i32: u32, i64: u64, isize: usize }
}
