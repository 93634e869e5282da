//! What specialised checks are made of: one function a predicate, to be compiled into straight-line code.
//!
//! In: bytes, and fields that are constants where they are called, so that width and position are known. Out: whether the demand is met;
//! what was found instead is the table's business. Generated code calls these; nothing else should.

use super::{
    field::{Bytes, Field, Kind, Member},
    predicate::is_null,
    property::Shape,
    utf16,
};

/// The value of a member.
///
/// # Safety
/// The bytes are those of an `R`.
#[inline(always)]
#[allow(clippy::inline_always)] // here and below: with the field's width unknown, each would be a loop over a switch
#[must_use]
pub unsafe fn value<R, M: Copy, A: Copy>(bytes: Bytes<'_>, member: Member<R, M, A>) -> M {
    // SAFETY: a member lies within its record, and every pattern of bytes is a value of its type.
    unsafe { bytes.read(member.field.offset) }
}

/// The number in a field; zero where it is none.
///
/// # Safety
/// The field is one of the record whose bytes these are.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn number(bytes: Bytes<'_>, field: Field) -> i128 {
    // SAFETY: promised by the caller.
    unsafe { bytes.number(field) }.unwrap_or(0)
}

/// The bits in a field; zero where they are more than an integer has.
///
/// # Safety
/// The field is one of the record whose bytes these are.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn bits(bytes: Bytes<'_>, field: Field) -> u64 {
    // SAFETY: promised by the caller.
    unsafe { bytes.bits(field) }.unwrap_or(0)
}

/// Whether every byte of each field is zero.
///
/// # Safety
/// The fields are of the record whose bytes these are.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn zero<const N: usize>(bytes: Bytes<'_>, fields: [Field; N]) -> bool {
    // A loop over references is unrolled where an iterator by value stays a call.
    let mut all = true;
    for field in &fields {
        // SAFETY: promised by the caller.
        all &= unsafe { bytes.is_zero(*field) };
    }
    all
}

/// How many of the fields are not null.
///
/// # Safety
/// The fields are of the record whose bytes these are.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn non_null<const N: usize>(bytes: Bytes<'_>, fields: [Field; N]) -> usize {
    let mut count = 0;
    for field in &fields {
        // What is no list is said here, where it is known which it is.
        let is_list = matches!(field.kind, Kind::List(_) | Kind::Property(..));
        // SAFETY: promised by the caller.
        let null = unsafe { if is_list { is_null(*field, bytes) } else { bytes.is_zero(*field) } };
        count += usize::from(!null);
    }
    count
}

/// Whether each field is null or points to UTF-16 text with a zero at its end.
///
/// # Safety
/// The fields are pointers of the record whose bytes these are, and can be followed as
/// [`check_raw`](super::check_raw) says.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn utf16<const N: usize>(bytes: Bytes<'_>, fields: [Field; N]) -> bool {
    // SAFETY: promised by the caller.
    fields.into_iter().all(|field| unsafe { utf16::fault(bytes.read(field.offset)) }.is_none())
}

/// Whether each field is null or points to bytes with a zero at their end.
///
/// # Safety
/// As for `utf16`.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn text<const N: usize>(bytes: Bytes<'_>, fields: [Field; N]) -> bool {
    // SAFETY: promised by the caller.
    fields.into_iter().all(|field| unsafe { utf16::fault_of_bytes(bytes.read(field.offset)) }.is_none())
}

/// A property with one value, by its key.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub const fn scalar(key: u64) -> (u64, Shape) {
    (key, Shape::Scalar)
}

/// A property with a list of values, by its key and what ends them.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub const fn list(key: u64, terminator: u64) -> (u64, Shape) {
    (key, Shape::List { terminator })
}

/// Which properties are in a list: a bit for each, in the order in which they were named.
#[derive(Clone, Copy, Debug)]
pub struct Survey {
    present: u64,
    many: u64,
    nothing: u64,
}

/// What is in a list. `None` where it cannot be read to its end, has a property twice, or one that is not among `properties`. They are named
/// where this is compiled, so that a key is found without a search through a table.
///
/// # Safety
/// The field is a list of the record whose bytes these are.
#[inline(always)]
#[allow(clippy::inline_always)]
#[must_use]
pub unsafe fn survey<const N: usize>(bytes: Bytes<'_>, field: Field, properties: &[(u64, Shape); N]) -> Option<Survey> {
    const { assert!(N <= 64, "each property has a bit") };
    // SAFETY: promised by the caller.
    let list = unsafe { bytes.list(field) };
    let mut survey = Survey { present: 0, many: 0, nothing: 0 };
    let mut at = 0;
    while !list.is_null() {
        let key = list.get(at)?;
        if key == 0 {
            break;
        }
        let place = properties.iter().position(|(known, _)| *known == key)?;
        let (bit, first) = (1 << place, list.get(at + 1)?);
        let mut is_nothing = first == 0;
        at += 2;
        if let Some((_, Shape::List { terminator })) = properties.get(place) {
            let values = at - 1;
            let end = values + (values..list.len()).position(|at| list.get(at) == Some(*terminator))?;
            is_nothing |= end == values;
            survey.many |= if end - values > 1 { bit } else { 0 };
            at = end + 1;
        }
        if survey.present & bit != 0 {
            return None;
        }
        survey.present |= bit;
        survey.nothing |= if is_nothing { bit } else { 0 };
    }
    Some(survey)
}

impl Survey {
    /// Whether all of these are there.
    #[inline]
    #[must_use]
    pub const fn has(self, bits: u64) -> bool {
        self.present & bits == bits
    }

    /// Whether none of these is there.
    #[inline]
    #[must_use]
    pub const fn lacks(self, bits: u64) -> bool {
        self.present & bits == 0
    }

    /// How many of these are there.
    #[inline]
    #[must_use]
    pub const fn count(self, bits: u64) -> u32 {
        (self.present & bits).count_ones()
    }

    /// Whether one of these has several values.
    #[inline]
    #[must_use]
    pub const fn many_in(self, bits: u64) -> bool {
        self.many & bits != 0
    }

    /// Whether one of these is there and has no value, or zero as its first.
    #[inline]
    #[must_use]
    pub const fn nothing_in(self, bits: u64) -> bool {
        self.nothing & bits != 0
    }
}

/// Whether a rule that has no words here holds for certain, by its row.
///
/// # Safety
/// As for [`check_raw`](super::check_raw), for a record of the rule's subject.
#[must_use]
#[inline]
pub unsafe fn rule(rule: &super::Rule, bytes: Bytes<'_>, given: &super::Given<'_>) -> bool {
    // SAFETY: promised by the caller.
    unsafe { super::every_rule_holds(core::slice::from_ref(rule), bytes, given) }
}
