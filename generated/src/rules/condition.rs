//! When a rule applies.
//!
//! In: a condition of a table, the bytes, and the given facts. Out: yes, no, or that it cannot be told and why. "Cannot be told" is an
//! answer of its own, so that a rule is neither applied nor dropped by guess.

use super::{
    field::{Bytes, Field, Kind},
    given::{Fact, Facts, Given},
    predicate::{Named, Object, Operand, is_null, mask},
};

/// What a condition looks at.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// A field.
    Field(Field),
    /// A fact of the context.
    Given(Fact),
}

/// What is tested of it.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// Is one of these values; of a list, that any of its values is.
    In(&'static [Named]),
    /// Is none of them.
    NotIn(&'static [Named]),
    /// Has all of these flags, or contains all of these values.
    Has(&'static [Named]),
    /// Has none of them.
    Lacks(&'static [Named]),
    /// Equal to it.
    Equal(Operand),
    /// Not equal to it.
    NotEqual(Operand),
    /// Greater than it.
    Above(Operand),
    /// Less than it.
    Below(Operand),
    /// Null.
    Null,
    /// Not null.
    NonNull,
    /// Zero, or false.
    Zero,
    /// Not zero, or true.
    NonZero,
    /// The property is in the list.
    Present,
    /// The property is not in the list.
    Absent,
}

/// A condition of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// A test that a program can make.
    Test(Term, Test),
    /// Whether the rule applies, only the caller can tell.
    Attested(Object),
}

/// Whether a condition is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// These facts would tell; none where no fact would.
    Unknown(Facts),
}

impl From<bool> for Truth {
    #[inline]
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

impl From<Option<bool>> for Truth {
    #[inline]
    fn from(holds: Option<bool>) -> Self {
        holds.map_or(Self::Unknown(Facts::NONE), Self::from)
    }
}

impl Condition {
    /// Whether it is met.
    ///
    /// # Safety
    /// Its field is of the record whose bytes these are.
    #[inline]
    pub(super) unsafe fn truth(&self, bytes: Bytes<'_>, given: &Given<'_>) -> Truth {
        match self {
            Self::Attested(_) => Truth::Unknown(Facts::NONE),
            Self::Test(Term::Given(fact), _) if given.lacks(*fact) => Truth::Unknown(Facts::only(*fact)),
            Self::Test(Term::Given(fact), test) => of_given(*fact, test, given).into(),
            // SAFETY: promised by the caller.
            Self::Test(Term::Field(field), test) => unsafe { of_field(*field, test, bytes) },
        }
    }
}

/// The answer for a fact that is given; `None` where the test makes no sense for it.
#[inline]
fn of_given(fact: Fact, test: &Test, given: &Given<'_>) -> Option<bool> {
    let has = |named: &Named| given.has(fact, named.name, named.value).unwrap_or(false);
    match test {
        Test::In(values) => Some(values.iter().any(has)),
        Test::NotIn(values) | Test::Lacks(values) => Some(!values.iter().any(has)),
        Test::Has(values) => Some(values.iter().all(has)),
        Test::Above(Operand::Value(than)) => given.number(fact).map(|number| number > than.value),
        Test::Below(Operand::Value(than)) => given.number(fact).map(|number| number < than.value),
        Test::Equal(Operand::Value(other)) => given.number(fact).map(|number| number == other.value),
        Test::NotEqual(Operand::Value(other)) => given.number(fact).map(|number| number != other.value),
        Test::Zero => given.number(fact).map(|number| number == 0),
        Test::NonZero => given.number(fact).map(|number| number != 0),
        // A fact is no pointer and no list, and no text compares one with a field.
        _ => None,
    }
}

/// # Safety
/// `field` is of the record whose bytes these are.
#[inline]
unsafe fn of_field(field: Field, test: &Test, bytes: Bytes<'_>) -> Truth {
    match field.kind {
        Kind::Elsewhere => return Truth::Unknown(Facts::NONE),
        Kind::Property(table, key) => {
            // SAFETY: promised by the caller.
            let list = unsafe { bytes.list(field) };
            let values = list.value_of(table, key);
            return match (test, values) {
                // A property whose value is malformed is there all the same: that is how its rules come to say so.
                (Test::Present, _) => list.keys(table).any(|other| other == key).into(),
                (Test::Absent, _) => list.keys(table).all(|other| other != key).into(),
                (_, None) => Truth::No,
                (Test::In(names), Some(values)) => values.iter().any(|value| is_among(value.into(), names)).into(),
                (Test::NotIn(names) | Test::Lacks(names), Some(values)) => {
                    (!values.iter().any(|value| is_among(value.into(), names))).into()
                }
                (Test::Has(names), Some(values)) => {
                    names.iter().all(|name| values.iter().any(|value| i128::from(value) == name.value)).into()
                }
                (test, Some(values)) => {
                    // SAFETY: promised by the caller.
                    values.first().and_then(|value| unsafe { of_number(value.into(), test, bytes) }).into()
                }
            };
        }
        _ => {}
    }
    // SAFETY: promised by the caller.
    unsafe {
        match test {
            Test::Null => is_null(field, bytes).into(),
            Test::NonNull => (!is_null(field, bytes)).into(),
            Test::Zero if matches!(field.kind, Kind::Bytes) => bytes.is_zero(field).into(),
            Test::NonZero if matches!(field.kind, Kind::Bytes) => (!bytes.is_zero(field)).into(),
            test => bytes.number(field).and_then(|number| of_number(number, test, bytes)).into(),
        }
    }
}

/// Whether `number` is one of `values`.
#[inline]
fn is_among(number: i128, values: &[Named]) -> bool {
    values.iter().any(|value| value.value == number)
}

/// The answer for a number; `None` where the test makes no sense for one.
///
/// # Safety
/// The operand's field, if it has one, is of the record whose bytes these are.
#[inline]
unsafe fn of_number(number: i128, test: &Test, bytes: Bytes<'_>) -> Option<bool> {
    let other = |operand: &Operand| match operand {
        Operand::Value(value) => Some(value.value),
        // SAFETY: promised by the caller.
        Operand::Field(field) => unsafe { bytes.number(*field) },
    };
    let flags = i128::from(match test {
        Test::Has(values) | Test::Lacks(values) => mask(values),
        _ => 0,
    });
    Some(match test {
        Test::In(values) => is_among(number, values),
        Test::NotIn(values) => !is_among(number, values),
        Test::Has(_) => number & flags == flags,
        Test::Lacks(_) => number & flags == 0,
        Test::Equal(operand) => number == other(operand)?,
        Test::NotEqual(operand) => number != other(operand)?,
        Test::Above(operand) => number > other(operand)?,
        Test::Below(operand) => number < other(operand)?,
        Test::Null | Test::Zero => number == 0,
        Test::NonNull | Test::NonZero => number != 0,
        Test::Present | Test::Absent => return None,
    })
}
