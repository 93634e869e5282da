//! What a rule demands, and the one place that decides whether a field meets it.
//!
//! In: a [`Predicate`] of a table, its fields, and the bytes. Out: nothing where it holds, else what was found. The specialised checks
//! call the functions of [`quick`](super::quick) instead; a differential test holds the two together.

use core::fmt;

use super::{
    field::{Bytes, Field, Kind},
    found::Found,
    property::{MalformedKind, PropertyList, PropertyTable},
    utf16,
};

/// A value with upstream's name, or a number that stands for itself and has an empty name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Upstream's name; empty for a number.
    pub name: &'static str,
    /// The value.
    pub value: i128,
}

impl fmt::Display for Named {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() { write!(f, "{}", self.value) } else { f.write_str(self.name) }
    }
}

/// What a field is compared with.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A value.
    Value(Named),
    /// Another field of the same record, or parameter of the same command.
    Field(Field),
}

impl fmt::Display for Operand {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Field(field) => f.write_str(field.path),
        }
    }
}

/// What a caller vouches for, because no program can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// What kind of promise: `shared_nt_handle`.
    pub kind: &'static str,
    /// What it is about, by upstream's names.
    pub of: &'static [&'static str],
}

impl fmt::Display for Object {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        for (index, name) in self.of.iter().enumerate() {
            write!(f, "{}{name}", if index == 0 { ": " } else { " or " })?;
        }
        Ok(())
    }
}

/// The closed set of demands.
#[derive(Clone, Copy, Debug)]
pub enum Predicate {
    /// One of the fields is not null, and no other.
    ExactlyOneNonNull,
    /// At least one of the fields is not null.
    AnyNonNull,
    /// All of the fields are null, or none is.
    AllOrNoneNull,
    /// The first field is null if and only if the second is zero.
    NullIffZero,
    /// Not null.
    NonNull,
    /// Null.
    Null,
    /// Zero, every byte of it.
    Zero,
    /// Not zero.
    NonZero,
    /// No flag but these.
    OnlyFlags(&'static [Named]),
    /// These flags, whatever else.
    MustHaveFlags(&'static [Named]),
    /// None of these flags.
    LacksFlags(&'static [Named]),
    /// One of these values.
    OneOf(&'static [Named]),
    /// None of these values.
    NoneOf(&'static [Named]),
    /// Equal to it.
    Equal(Operand),
    /// Not equal to it.
    NotEqual(Operand),
    /// Less than or equal to it.
    AtMost(Operand),
    /// Greater than or equal to it.
    AtLeast(Operand),
    /// Less than it.
    Below(Operand),
    /// Greater than it.
    Above(Operand),
    /// A multiple of it.
    MultipleOf(Operand),
    /// A power of two.
    PowerOfTwo,
    /// A file descriptor that could exist: not negative.
    FdNonNegative,
    /// A file descriptor, or −1.
    FdOrMinusOne,
    /// A pointer to 16-bit units of which the last is zero, or null.
    Utf16NulTerminated,
    /// A pointer to bytes of which the last is zero, or null.
    NulTerminated,
    /// A property list, or a list within one, ends with the terminator that it needs.
    ListTerminated,
    /// A property list has no property twice.
    NoDuplicateProperty,
    /// A property list has no property but these.
    OnlyProperties(&'static [Named]),
    /// A property list has all of these properties.
    MustHaveProperties(&'static [Named]),
    /// A property list has exactly one of these properties.
    ExactlyOneProperty(&'static [Named]),
    /// A property list has at most one of these properties.
    AtMostOneProperty(&'static [Named]),
    /// A property list has at least one of these properties.
    AnyProperty(&'static [Named]),
    /// A property list has none of these properties.
    LacksProperties(&'static [Named]),
    /// The list within a property list has at most so many values.
    AtMostValues(u32),
    /// An array, or the list within a property list, has no element twice.
    NoDuplicates,
    /// The value must not change from what it was when the object was made.
    Unchanged,
    /// Nothing: where the conditions hold, the call is refused whatever the fields are.
    Forbidden,
    /// The caller vouches for it.
    Attested(Object),
}

/// Whether a demand is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It is, or it has nothing to be about (a property that is not there).
    Yes,
    /// It is not.
    No(Found),
    /// The checker cannot look there.
    OutOfReach,
}

impl Met {
    /// `Yes` where `holds`, else what was found.
    #[inline]
    fn when(holds: bool, found: Found) -> Self {
        if holds { Self::Yes } else { Self::No(found) }
    }
}

/// All flags of `flags` together.
#[inline]
pub(super) fn mask(flags: &[Named]) -> u64 {
    flags.iter().fold(0, |mask, flag| mask | low_bits(flag.value))
}

/// The lower 64 bits: what is left of a number when it is taken for flags.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // that is what it is for
#[inline]
const fn low_bits(number: i128) -> u64 {
    number as u64
}

impl Predicate {
    /// Whether the fields meet it.
    ///
    /// # Safety
    /// The fields are of the record whose bytes these are; where the predicate is about text behind a pointer, it can be followed.
    #[inline]
    pub(super) unsafe fn met(&self, fields: &[Field], bytes: Bytes<'_>) -> Met {
        if matches!(self, Self::Forbidden) {
            return Met::No(Found::Call);
        }
        if fields.iter().any(|field| matches!(field.kind, Kind::Elsewhere)) {
            return Met::OutOfReach;
        }
        // SAFETY: promised by the caller, here and for each part.
        unsafe {
            match self {
                Self::ExactlyOneNonNull | Self::AnyNonNull | Self::AllOrNoneNull | Self::NullIffZero => {
                    self.together(fields, bytes)
                }
                Self::ListTerminated
                | Self::NoDuplicateProperty
                | Self::OnlyProperties(_)
                | Self::MustHaveProperties(_)
                | Self::ExactlyOneProperty(_)
                | Self::AtMostOneProperty(_)
                | Self::AnyProperty(_)
                | Self::LacksProperties(_)
                | Self::AtMostValues(_)
                | Self::NoDuplicates => self.each(fields, |field| self.of_list(field, bytes)),
                Self::Attested(_) | Self::Unchanged => Met::OutOfReach,
                _ => self.each(fields, |field| self.of_scalar(field, bytes)),
            }
        }
    }

    /// The first answer that is not yes.
    #[allow(clippy::unused_self)] // reads as one of the ways in which a predicate looks at its fields
    #[inline]
    fn each(&self, fields: &[Field], met: impl Fn(Field) -> Met) -> Met {
        fields.iter().map(|field| met(*field)).find(|met| *met != Met::Yes).unwrap_or(Met::Yes)
    }

    /// # Safety
    /// As for [`met`](Self::met).
    #[inline]
    unsafe fn together(&self, fields: &[Field], bytes: Bytes<'_>) -> Met {
        // SAFETY: promised by the caller.
        let null = |field: &Field| unsafe { is_null(*field, bytes) };
        let set = fields.iter().filter(|field| !null(field)).count();
        let holds = match self {
            Self::ExactlyOneNonNull => set == 1,
            Self::AnyNonNull => set != 0,
            Self::AllOrNoneNull => set == 0 || set == fields.len(),
            _ => match fields {
                // SAFETY: promised by the caller.
                [pointer, count] => null(pointer) == unsafe { bytes.is_zero(*count) },
                _ => return Met::OutOfReach,
            },
        };
        Met::when(holds, Found::NonNullFields(set))
    }

    /// # Safety
    /// As for [`met`](Self::met).
    #[inline]
    unsafe fn of_scalar(&self, field: Field, bytes: Bytes<'_>) -> Met {
        // SAFETY: promised by the caller, here and for each part.
        unsafe {
            match self {
                Self::NonNull => return Met::when(!is_null(field, bytes), Found::Null),
                Self::Null => return Met::when(is_null(field, bytes), Found::NonNull),
                Self::Zero if matches!(field.kind, Kind::Bytes) => {
                    return bytes.first_non_zero(field).map_or(Met::Yes, |(at, value)| Met::No(Found::Byte { at, value }));
                }
                Self::NonZero if matches!(field.kind, Kind::Bytes) => {
                    return Met::when(!bytes.is_zero(field), Found::Number(0));
                }
                Self::Utf16NulTerminated | Self::NulTerminated => return self.of_text(field, bytes),
                _ => {}
            }
        }
        // SAFETY: promised by the caller.
        match unsafe { bytes.number(field) } {
            // SAFETY: promised by the caller.
            Some(number) => unsafe { self.of_number(number, bytes) },
            None if matches!(field.kind, Kind::Property(..)) => Met::Yes,
            None => Met::OutOfReach,
        }
    }

    /// # Safety
    /// As for [`met`](Self::met).
    #[inline]
    unsafe fn of_text(&self, field: Field, bytes: Bytes<'_>) -> Met {
        if !matches!(field.kind, Kind::Pointer) || field.size != size_of::<*const u8>() {
            return Met::OutOfReach;
        }
        // SAFETY: the field is a pointer of the record, and the caller promises that it can be followed.
        let fault = unsafe {
            match self {
                Self::Utf16NulTerminated => utf16::fault(bytes.read(field.offset)),
                _ => utf16::fault_of_bytes(bytes.read(field.offset)),
            }
        };
        fault.map_or(Met::Yes, |fault| Met::No(Found::Text(fault)))
    }

    /// # Safety
    /// As for [`met`](Self::met).
    #[inline]
    unsafe fn of_number(&self, number: i128, bytes: Bytes<'_>) -> Met {
        let among = |values: &[Named]| values.iter().any(|value| value.value == number);
        let compared = |operand: &Operand, holds: fn(i128, i128) -> bool| {
            let other = match operand {
                Operand::Value(value) => Some(value.value),
                // SAFETY: operands are fields of the same record.
                Operand::Field(field) => unsafe { bytes.number(*field) },
            };
            other.map(|other| holds(number, other))
        };
        let flags = low_bits(number);
        let holds = match self {
            Self::Zero => number == 0,
            Self::NonZero => number != 0,
            Self::OnlyFlags(allowed) => {
                let more = flags & !mask(allowed);
                return Met::when(more == 0, Found::Flags(more));
            }
            Self::MustHaveFlags(wanted) => {
                let missing = mask(wanted) & !flags;
                return Met::when(missing == 0, Found::WithoutFlags { missing, found: flags });
            }
            Self::LacksFlags(forbidden) => {
                let more = flags & mask(forbidden);
                return Met::when(more == 0, Found::Flags(more));
            }
            Self::OneOf(values) => among(values),
            Self::NoneOf(values) => !among(values),
            Self::PowerOfTwo => number > 0 && number & (number - 1) == 0,
            Self::FdNonNegative => number >= 0,
            Self::FdOrMinusOne => number >= -1,
            Self::Equal(operand) => return decided(compared(operand, |a, b| a == b), number),
            Self::NotEqual(operand) => return decided(compared(operand, |a, b| a != b), number),
            Self::AtMost(operand) => return decided(compared(operand, |a, b| a <= b), number),
            Self::AtLeast(operand) => return decided(compared(operand, |a, b| a >= b), number),
            Self::Below(operand) => return decided(compared(operand, |a, b| a < b), number),
            Self::Above(operand) => return decided(compared(operand, |a, b| a > b), number),
            Self::MultipleOf(operand) => return decided(compared(operand, is_multiple), number),
            _ => return Met::OutOfReach,
        };
        Met::when(holds, Found::Number(number))
    }

    /// # Safety
    /// As for [`met`](Self::met).
    #[inline]
    unsafe fn of_list(&self, field: Field, bytes: Bytes<'_>) -> Met {
        match field.kind {
            // SAFETY: promised by the caller.
            Kind::List(table) => self.of_properties(unsafe { bytes.list(field) }, table),
            Kind::Property(table, key) => {
                // SAFETY: promised by the caller.
                let list = unsafe { bytes.list(field) };
                self.of_values(list, table, key)
            }
            _ => Met::OutOfReach,
        }
    }

    /// A demand on a whole list. A malformed list breaks [`Predicate::ListTerminated`] alone: the others speak of what stands before.
    #[inline]
    fn of_properties(&self, list: PropertyList<'_>, table: &PropertyTable) -> Met {
        let keys = || list.keys(table);
        let times = |key: u64| keys().filter(|other| *other == key).count();
        let named = |values: &[Named], key: u64| values.iter().any(|value| low_bits(value.value) == key);
        let count = |values: &[Named]| keys().filter(|key| named(values, *key)).count();
        let first =
            |wanted: &dyn Fn(u64) -> bool| keys().find(|key| wanted(*key)).map(|key| Found::Property { key, times: times(key) });
        // What a list has after the place where it can no longer be read, nobody knows: a property that is missing may stand there.
        let cut = || list.entries(table).any(|entry| entry.is_ok_and(|entry| entry.property.is_none()) || entry.is_err());
        let broken = match self {
            Self::ListTerminated => list.entries(table).find_map(Result::err).map(Found::List),
            Self::NoDuplicateProperty => first(&|key| times(key) > 1),
            Self::OnlyProperties(allowed) => first(&|key| !named(allowed, key)),
            Self::LacksProperties(forbidden) => first(&|key| named(forbidden, key)),
            Self::AtMostOneProperty(values) => Some(count(values)).filter(|count| *count > 1).map(Found::Properties),
            Self::MustHaveProperties(wanted) => {
                let missing = wanted.iter().map(|value| low_bits(value.value)).find(|key| times(*key) == 0);
                match missing {
                    Some(_) if cut() => return Met::OutOfReach,
                    missing => missing.map(|key| Found::Property { key, times: 0 }),
                }
            }
            Self::AnyProperty(values) => match count(values) {
                0 if cut() => return Met::OutOfReach,
                0 => Some(Found::Properties(0)),
                _ => None,
            },
            Self::ExactlyOneProperty(values) => match count(values) {
                1 => None,
                0 if cut() => return Met::OutOfReach,
                other => Some(Found::Properties(other)),
            },
            _ => return Met::OutOfReach,
        };
        broken.map_or(Met::Yes, Met::No)
    }

    /// A demand on the values of one property. A property that is not there has none to break it.
    #[inline]
    fn of_values(&self, list: PropertyList<'_>, table: &PropertyTable, key: u64) -> Met {
        if matches!(self, Self::ListTerminated) {
            let fault = list.entries(table).find_map(Result::err);
            let own =
                fault.filter(|fault| matches!(fault.kind, MalformedKind::ListNotTerminated { key: other, .. } if other == key));
            return own.map_or(Met::Yes, |fault| Met::No(Found::List(fault)));
        }
        let Some(values) = list.value_of(table, key) else { return Met::Yes };
        match self {
            Self::AtMostValues(most) => {
                Met::when(u32::try_from(values.len()).is_ok_and(|count| count <= *most), Found::Values(values.len()))
            }
            Self::NoDuplicates => {
                let twice = values.iter().enumerate().find(|(at, value)| values.iter().take(*at).any(|other| other == *value));
                twice.map_or(Met::Yes, |(_, value)| Met::No(Found::Twice(value)))
            }
            _ => Met::OutOfReach,
        }
    }
}

/// The answer of a comparison with an operand that may be out of reach.
#[inline]
fn decided(holds: Option<bool>, number: i128) -> Met {
    holds.map_or(Met::OutOfReach, |holds| Met::when(holds, Found::Number(number)))
}

/// Whether `number` is a multiple of `of`. Only zero is one of zero.
#[inline]
fn is_multiple(number: i128, of: i128) -> bool {
    number.checked_rem(of).map_or(number == 0, |rest| rest == 0)
}

/// Whether a pointer, handle or list is null; a number, whether it is zero.
///
/// # Safety
/// `field` is one of the record whose bytes these are.
#[inline]
pub(super) unsafe fn is_null(field: Field, bytes: Bytes<'_>) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        match field.kind {
            Kind::List(_) => bytes.list(field).is_null(),
            Kind::Property(..) => bytes.number(field) == Some(0),
            _ => bytes.is_zero(field),
        }
    }
}
