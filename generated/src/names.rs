//! From a value to its names: what stands behind `name`, `names`, `Debug` and `Display` of every enumeration.
//!
//! In: an enumeration's table of names, canonical ones first, and a value from a driver, which may be newer than this crate. Out: text.
//! It is shared, so that each of some hundred enumerations compiles to little more than its table.

use core::fmt;

/// An enumeration's names and values, in the same order.
///
/// The names are one text with spaces between. A pair for each would be read faster, but the compiler would need 4 KiB more for each of
/// some 2,500, and a library loaded at run time a relocation; names are looked up for messages.
#[derive(Clone, Copy, Debug)]
pub struct Table<T: 'static> {
    /// The names, with white space between.
    pub names: &'static str,
    /// The value of each.
    pub values: &'static [T],
}

impl<T: Copy> Table<T> {
    /// The name at this place. What is not there has no name.
    const fn name(&self, place: usize) -> &'static str {
        word(self.names, place)
    }

    /// The value of this name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<T> {
        self.entries().find_map(|(known, value)| (known == name).then_some(value))
    }

    fn entries(&self) -> impl Iterator<Item = (&'static str, T)> {
        self.names.split_ascii_whitespace().zip(self.values.iter().copied())
    }
}

/// The word at this place of a text, or nothing where it has fewer.
#[doc(hidden)]
#[must_use]
pub const fn word(text: &str, place: usize) -> &str {
    let (mut word, mut rest) = first_word(text);
    let mut left = place;
    while left > 0 {
        (word, rest) = first_word(rest);
        left -= 1;
    }
    word
}

/// A text up to its first white space, and what follows that.
#[doc(hidden)]
#[must_use]
pub const fn first_word(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() && bytes[start].is_ascii_whitespace() {
        start += 1;
    }
    let mut end = start;
    while end < bytes.len() && !bytes[end].is_ascii_whitespace() {
        end += 1;
    }
    let (before, rest) = text.split_at(end);
    (before.split_at(start).1, rest)
}

/// An integer that carries an enumeration.
pub trait Repr: Copy + PartialEq + fmt::Display + 'static {
    /// Its bits, without what widening would add.
    fn bits(self) -> u64;
}

/// All names of one value, the canonical one first.
#[derive(Clone, Debug)]
pub struct Names<T: 'static> {
    table: Table<T>,
    place: usize,
    value: T,
}

impl<T: Repr> Names<T> {
    /// The names that `table` has for `value`.
    #[must_use]
    pub const fn new(table: Table<T>, value: T) -> Self {
        Self { table, place: 0, value }
    }
}

impl<T: Repr> Iterator for Names<T> {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let place = self.place + self.table.values.get(self.place..)?.iter().position(|known| *known == self.value)?;
        self.place = place + 1;
        Some(self.table.name(place))
    }
}

/// `CU_MEMORYTYPE_HOST`, or `CUmemorytype(12345)` where no name is known.
#[doc(hidden)]
pub fn debug<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: Table<T>, value: T) -> fmt::Result {
    match Names::new(table, value).next() {
        Some(name) => f.write_str(name),
        None => write!(f, "{enumeration}({value})"),
    }
}

/// `CUDA_ERROR_UNKNOWN (999)`, with every name where a value has several, since they may mean different things.
#[doc(hidden)]
pub fn display<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: Table<T>, value: T) -> fmt::Result {
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
pub fn debug_bits<T: Repr>(f: &mut fmt::Formatter<'_>, enumeration: &str, table: Table<T>, value: T) -> fmt::Result {
    let mut left = value.bits();
    if left == 0 {
        return debug(f, enumeration, table, value);
    }
    let mut separator = "";
    while left != 0 {
        let mut best: Option<(&str, u64)> = None;
        for (name, known) in table.entries() {
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
                impl super::super::Repr for $repr {
                    #[inline]
                    #[allow(clippy::cast_sign_loss, clippy::cast_lossless)] // the bits are wanted, and for every type alike
                    fn bits(self) -> u64 {
                        self as super::unsigned::$unsigned as u64
                    }
                }

                /// The first name that `table` has for `value`.
                #[inline]
                #[must_use]
                pub const fn find(table: super::super::Table<$repr>, value: $repr) -> Option<&'static str> {
                    let mut place = 0;
                    while place < table.values.len() {
                        if table.values[place] == value {
                            return Some(table.name(place));
                        }
                        place += 1;
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
