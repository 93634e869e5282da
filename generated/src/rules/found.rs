//! What a broken rule says: what stood there, and what was wanted, in our words.
//!
//! In: a [`Predicate`] and a [`Found`]. Out: short phrases without a full stop, which [`Violation`](super::Violation) joins to a line.

use core::fmt;

use super::{
    predicate::{Named, Predicate},
    property::Malformed,
    utf16,
};

/// What stood where a rule wanted something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A number, or an address.
    Number(i128),
    /// A null pointer.
    Null,
    /// A pointer that is not null.
    NonNull,
    /// So many of the fields are not null.
    NonNullFields(usize),
    /// A byte that is not zero, so many bytes into the field.
    Byte {
        /// Where.
        at: usize,
        /// What it is.
        value: u8,
    },
    /// Flags that must not be set.
    Flags(u64),
    /// Flags that must be set and are not, among those that were found.
    WithoutFlags {
        /// What is missing.
        missing: u64,
        /// What was found.
        found: u64,
    },
    /// A pointer to text that is none: without an end, or not aligned.
    Text(utf16::Fault),
    /// A property list that is malformed.
    List(Malformed),
    /// A property so many times.
    Property {
        /// Its key.
        key: u64,
        /// How often.
        times: usize,
    },
    /// So many of the properties that the rule names.
    Properties(usize),
    /// So many values.
    Values(usize),
    /// A value twice.
    Twice(u64),
    /// The call itself.
    Call,
}

impl fmt::Display for Found {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Null => f.write_str("null"),
            Self::NonNull => f.write_str("a pointer that is not null"),
            Self::NonNullFields(0) => f.write_str("none that is not null"),
            Self::NonNullFields(count) => write!(f, "{count} that are not null"),
            Self::Byte { at, value } => write!(f, "byte {at} is {value:#04X}"),
            Self::Flags(flags) => write!(f, "flags {flags:#X}"),
            Self::WithoutFlags { missing, found } => write!(f, "{found:#X}, without {missing:#X}"),
            Self::Text(fault) => fault.fmt(f),
            Self::List(malformed) => malformed.fmt(f),
            Self::Property { key, times: 0 } => write!(f, "no property {key:#06X}"),
            Self::Property { key, times: 1 } => write!(f, "property {key:#06X}"),
            Self::Property { key, times } => write!(f, "property {key:#06X} {times} times"),
            Self::Properties(count) => write!(f, "{count} of them"),
            Self::Values(count) => write!(f, "{count} values"),
            Self::Twice(value) => write!(f, "{value:#06X} twice"),
            Self::Call => f.write_str("a call that upstream refuses"),
        }
    }
}

/// A list of alternatives in a sentence.
#[inline]
fn alternatives(f: &mut fmt::Formatter<'_>, lead: &str, values: &[Named]) -> fmt::Result {
    f.write_str(lead)?;
    for (index, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if index == 0 { " " } else { " or " })?;
    }
    Ok(())
}

impl fmt::Display for Predicate {
    /// What is wanted, in our words.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExactlyOneNonNull => f.write_str("exactly one that is not null"),
            Self::AnyNonNull => f.write_str("at least one that is not null"),
            Self::AllOrNoneNull => f.write_str("all null or none"),
            Self::NullIffZero => f.write_str("the first null if and only if the second is zero"),
            Self::NonNull => f.write_str("not null"),
            Self::Null => f.write_str("null"),
            Self::Zero => f.write_str("zero"),
            Self::NonZero => f.write_str("not zero"),
            Self::OnlyFlags([]) => f.write_str("no flag"),
            Self::OnlyFlags(flags) => alternatives(f, "no flag but", flags),
            Self::MustHaveFlags(flags) => alternatives(f, "the flag", flags),
            Self::LacksFlags(flags) => alternatives(f, "none of the flags", flags),
            Self::OneOf(values) => alternatives(f, "one of", values),
            Self::NoneOf(values) => alternatives(f, "none of", values),
            Self::Equal(operand) => write!(f, "{operand}"),
            Self::NotEqual(operand) => write!(f, "anything but {operand}"),
            Self::AtMost(operand) => write!(f, "at most {operand}"),
            Self::AtLeast(operand) => write!(f, "at least {operand}"),
            Self::Below(operand) => write!(f, "less than {operand}"),
            Self::Above(operand) => write!(f, "more than {operand}"),
            Self::MultipleOf(operand) => write!(f, "a multiple of {operand}"),
            Self::PowerOfTwo => f.write_str("a power of two"),
            Self::FdNonNegative => f.write_str("a file descriptor"),
            Self::FdOrMinusOne => f.write_str("a file descriptor or -1"),
            Self::Utf16NulTerminated => f.write_str("UTF-16 text that ends with a zero"),
            Self::NulTerminated => f.write_str("text that ends with a zero"),
            Self::ListTerminated => f.write_str("a list with its terminator"),
            Self::NoDuplicateProperty => f.write_str("no property twice"),
            Self::OnlyProperties(keys) => alternatives(f, "no property but", keys),
            Self::MustHaveProperties(keys) => alternatives(f, "the property", keys),
            Self::ExactlyOneProperty(keys) => alternatives(f, "exactly one of the properties", keys),
            Self::AtMostOneProperty(keys) => alternatives(f, "at most one of the properties", keys),
            Self::AnyProperty(keys) => alternatives(f, "at least one of the properties", keys),
            Self::LacksProperties(keys) => alternatives(f, "none of the properties", keys),
            Self::AtMostValues(count) => write!(f, "at most {count} values"),
            Self::NoDuplicates => f.write_str("no value twice"),
            Self::Unchanged => f.write_str("what it was when the object was made"),
            Self::Forbidden => f.write_str("no such call"),
            Self::Attested(object) => write!(f, "{object}, for which the caller vouches"),
        }
    }
}
