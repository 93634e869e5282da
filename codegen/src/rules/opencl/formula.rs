//! When a command fails, as a formula over tests that a program can make and promises that only a caller can keep.
//!
//! In: what the grammar made of a sentence. Out: the ways in which it comes true, each a list of atoms that hold together. A rule is
//! the denial of one such way.

use crate::model::{Condition, Given, Object, Path, Predicate, Term, Test};

/// One thing that is or is not so.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// A test of a field or a given fact, which holds.
    Holds(Term, Test),
    /// At least one of these properties is in the list.
    AnyPresent(Path, Vec<String>),
    /// None of these properties is in the list.
    NonePresent(Path, Vec<String>),
    /// A demand on fields that is not met, and whose contrary is no test.
    Unmet(Vec<Path>, Predicate),
    /// A promise that is not kept.
    Broken(Object),
    /// A circumstance that only the caller knows, and that is never what a rule denies.
    Only(Object),
}

/// What makes a command fail.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    Atom(Atom),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    /// `path test`.
    pub(super) fn test(path: Path, test: Test) -> Self {
        Self::Atom(Atom::Holds(Term::Field(path), test))
    }

    /// `given.fact test`.
    pub(super) fn given(fact: Given, test: Test) -> Self {
        Self::Atom(Atom::Holds(Term::Given(fact), test))
    }

    /// A promise of `kind` about `of` is not kept.
    pub(super) fn broken<S: Into<String>>(kind: &str, of: impl IntoIterator<Item = S>) -> Self {
        Self::Atom(Atom::Broken(Object::about(kind, of)))
    }

    /// A demand is not met.
    pub(super) fn unmet(path: Path, predicate: Predicate) -> Self {
        Self::Atom(Atom::Unmet(vec![path], predicate))
    }

    /// The contrary, where it can be said: a demand that has no contrary test has none.
    pub(super) fn negated(self) -> Option<Self> {
        let all = |formulas: Vec<Self>| formulas.into_iter().map(Self::negated).collect::<Option<Vec<_>>>();
        match self {
            Self::All(formulas) => all(formulas).map(Self::Any),
            Self::Any(formulas) => all(formulas).map(Self::All),
            Self::Atom(Atom::Holds(term, Test::Lacks(names))) => {
                let has = |name| Self::Atom(Atom::Holds(term.clone(), Test::Has(vec![name])));
                Some(Self::Any(names.into_iter().map(has).collect()))
            }
            Self::Atom(Atom::Holds(term, test)) => contrary(test).map(|test| Self::Atom(Atom::Holds(term, test))),
            Self::Atom(Atom::AnyPresent(path, names)) => Some(Self::Atom(Atom::NonePresent(path, names))),
            Self::Atom(Atom::NonePresent(path, names)) => Some(Self::Atom(Atom::AnyPresent(path, names))),
            // Whether the caller keeps the promise or breaks it, only the caller knows: the rule names it either way.
            Self::Atom(Atom::Broken(object)) => Some(Self::Atom(Atom::Broken(object))),
            Self::Atom(Atom::Unmet(..) | Atom::Only(_)) => None,
        }
    }

    /// In how many ways it comes true.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Atom(_) => 1,
            Self::Any(formulas) => formulas.iter().map(Self::count).fold(0, usize::saturating_add),
            Self::All(formulas) => formulas.iter().map(Self::count).fold(1, usize::saturating_mul),
        }
    }

    /// The ways in which it comes true. To be counted first: a sentence of many "or"s has more than anyone wants to see.
    pub(super) fn ways(self) -> Vec<Vec<Atom>> {
        match self {
            Self::Atom(atom) => vec![vec![atom]],
            Self::Any(formulas) => formulas.into_iter().flat_map(Self::ways).collect(),
            Self::All(formulas) => formulas.into_iter().map(Self::ways).fold(vec![Vec::new()], |so_far, ways| {
                so_far.iter().flat_map(|before| ways.iter().map(|way| [before.as_slice(), way].concat())).collect()
            }),
        }
    }
}

/// The value of the property `name` in the list at `path`.
pub(super) fn property(path: &Path, name: &str) -> Option<Path> {
    format!("{path}[{name}]").parse().ok()
}

/// The test that holds where `test` does not.
pub(super) fn contrary(test: Test) -> Option<Test> {
    Some(match test {
        Test::In(values) => Test::NotIn(values),
        Test::NotIn(values) => Test::In(values),
        Test::Has(names) if names.len() == 1 => Test::Lacks(names),
        Test::Null => Test::NonNull,
        Test::NonNull => Test::Null,
        Test::Zero => Test::NonZero,
        Test::NonZero => Test::Zero,
        Test::Present => Test::Absent,
        Test::Absent => Test::Present,
        Test::Has(_) | Test::Lacks(_) | Test::Above(_) | Test::Below(_) => return None,
    })
}

/// The demand that `term test` denies, if a rule can make it: on fields only.
pub(super) fn denial(term: &Term, test: &Test) -> Option<(Path, Predicate)> {
    let Term::Field(path) = term else { return None };
    let predicate = match test {
        Test::In(values) => Predicate::NoneOf(values.clone()),
        Test::NotIn(values) => Predicate::OneOf(values.clone()),
        Test::Has(names) if names.len() == 1 => Predicate::LacksFlags(names.clone()),
        Test::Lacks(names) if names.len() == 1 => Predicate::MustHaveFlags(names.clone()),
        Test::Has(_) | Test::Lacks(_) => return None,
        Test::Above(bound) => Predicate::AtMost(bound.clone()),
        Test::Below(bound) => Predicate::AtLeast(bound.clone()),
        Test::Null => Predicate::NonNull,
        Test::NonNull => Predicate::Null,
        Test::Zero => Predicate::NonZero,
        Test::NonZero => Predicate::Zero,
        Test::Present | Test::Absent => {
            let (list, name) = path.as_str().strip_suffix(']').and_then(|path| path.rsplit_once('['))?;
            let names = vec![name.to_owned()];
            let predicate =
                if *test == Test::Present { Predicate::LacksProperties(names) } else { Predicate::MustHaveProperties(names) };
            return Some((list.parse().ok()?, predicate));
        }
    };
    Some((path.clone(), predicate))
}

/// `atom` as conditions of a rule: one of these lists has to hold. "Any of these is there" is a choice of several.
pub(super) fn conditions(atom: &Atom) -> Vec<Vec<Condition>> {
    let properties = |path: &Path, names: &[String], test: &Test| -> Vec<Condition> {
        let paths = names.iter().filter_map(|name| property(path, name));
        paths.map(|path| Condition::Test(Term::Field(path), test.clone())).collect()
    };
    match atom {
        Atom::Holds(term, test) => vec![vec![Condition::Test(term.clone(), test.clone())]],
        Atom::Broken(object) | Atom::Only(object) => vec![vec![Condition::Attested(object.clone())]],
        Atom::AnyPresent(path, names) => properties(path, names, &Test::Present).into_iter().map(|one| vec![one]).collect(),
        Atom::NonePresent(path, names) => vec![properties(path, names, &Test::Absent)],
        // One demand of a way is what its rule makes; a second one can only be vouched for.
        Atom::Unmet(fields, predicate) => {
            vec![vec![Condition::Attested(Object::about(predicate.name(), fields.iter().map(ToString::to_string)))]]
        }
    }
}
