//! The words that rows of rules are written in, for generated code to import as a whole.

use super::{Condition, Field, Kind, Named, Object, Predicate, Rule, Source, Term};
pub use super::{
    Fact, Operand,
    Origin::{Derived, Ours, Stated},
    Predicate::*,
    Test,
};

/// A rule that upstream states: what must hold of which fields and when, where it is said, and the error that it leads to.
#[must_use]
pub const fn stated(
    id: &'static str,
    fields: &'static [Field],
    predicate: Predicate,
    when: &'static [Condition],
    source: Option<Source>,
    error: &'static str,
) -> Rule {
    Rule { id, predicate, fields, when, origin: Stated, source, reason: "", error, since: "", until: "" }
}

/// A rule for which the caller vouches: what has to be so, and of what.
#[must_use]
pub const fn attested(
    id: &'static str,
    fields: &'static [Field],
    kind: &'static str,
    of: &'static [&'static str],
    when: &'static [Condition],
    source: Option<Source>,
    error: &'static str,
) -> Rule {
    stated(id, fields, Attested(Object { kind, of }), when, source, error)
}

/// A rule that upstream states twice, in two ways, and why it holds in this one.
#[must_use]
pub const fn settled(reason: &'static str, rule: Rule) -> Rule {
    Rule { reason, ..rule }
}

/// A rule that follows from what upstream says; the reason is empty where its sentence is all there is to it.
#[must_use]
pub const fn derived(reason: &'static str, rule: Rule) -> Rule {
    Rule { origin: Derived, reason, ..rule }
}

/// A rule that no document states.
#[must_use]
pub const fn ours(reason: &'static str, rule: Rule) -> Rule {
    Rule { origin: Ours, reason, ..rule }
}

/// A rule with the first version in which it holds.
#[must_use]
pub const fn since(since: &'static str, rule: Rule) -> Rule {
    Rule { since, ..rule }
}

/// A rule with the last version in which it holds.
#[must_use]
pub const fn until(until: &'static str, rule: Rule) -> Rule {
    Rule { until, ..rule }
}

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
