//! The words that rows of rules are written in, for generated code to import as a whole.

use super::{Condition, Field, Kind, Named, Object, Source, Term};
pub use super::{
    Fact, Operand,
    Origin::{Derived, Ours, Stated},
    Predicate::*,
    Test,
};

/// A condition on a field.
#[must_use]
pub const fn of(field: Field, test: Test) -> Condition {
    Condition::Test(Term::Field(field), test)
}

/// A condition on a fact of the context.
#[must_use]
pub const fn given(fact: Fact, test: Test) -> Condition {
    Condition::Test(Term::Given(fact), test)
}

/// A condition of which only the caller can tell whether it is met.
#[must_use]
pub const fn if_vouched(kind: &'static str, of: &'static [&'static str]) -> Condition {
    Condition::Attested(Object { kind, of })
}

/// What the caller vouches for.
#[must_use]
pub const fn vouched(kind: &'static str, of: &'static [&'static str]) -> super::Predicate {
    Attested(Object { kind, of })
}

/// A value with its name, which is empty for a number.
#[must_use]
pub const fn name(name: &'static str, value: i128) -> Named {
    Named { name, value }
}

/// A value to compare with.
#[must_use]
pub const fn constant(value: Named) -> Operand {
    Operand::Value(value)
}

/// Where upstream says it.
#[must_use]
#[allow(clippy::unnecessary_wraps)] // it is the value of a field that can be absent
pub const fn from(document: &'static str, version: &'static str, symbol: &'static str) -> Option<Source> {
    Some(Source { document, version, symbol })
}

/// The value of a property in a list; `path` is its text.
///
/// # Panics
/// In constants only, where `list` is none.
#[must_use]
pub const fn property(list: Field, path: &'static str, key: u64) -> Field {
    match list.kind {
        Kind::List(table) => Field { path, kind: Kind::Property(table, key), ..list },
        _ => panic!("only a list has properties"),
    }
}

/// A field that the checker does not reach: behind a pointer, or in each element of an array.
#[must_use]
pub const fn elsewhere(path: &'static str) -> Field {
    Field { path, offset: 0, size: 0, kind: Kind::Elsewhere }
}
