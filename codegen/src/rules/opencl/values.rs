//! What sentences say of parameters by their values: null, zero, numbers, flags, one of several.

use super::{
    forms::Form,
    formula::Formula,
    phrase::{Gap, Gaps, Join},
    vocabulary::Scope,
};
use crate::model::{Path, Predicate, Test};

/// The forms, the longer ones before those that they begin with.
pub(super) const FORMS: &[Form] = &[
    Form("both {ps} are NULL", |gaps, _| every(gaps, &Test::Null)),
    Form("either {ps} is|are not NULL", |gaps, _| tied(gaps, &Test::NonNull)),
    Form("either {ps} is|are NULL", |gaps, _| tied(gaps, &Test::Null)),
    Form("{ps} is|are not ?a NULL ?value", |gaps, _| tied(gaps, &Test::NonNull)),
    Form("{ps} is|are non - NULL", |gaps, _| tied(gaps, &Test::NonNull)),
    Form("{ps} is|are ?a NULL ?value", |gaps, _| tied(gaps, &Test::Null)),
    Form("any entry|element in|of {p} is NULL", |gaps, scope| elements(gaps, scope, Test::Null)),
    Form("{p} is not equal to zero and is less than {p} [ {n} ] ?times ?{p}", |gaps, _| {
        Some(Formula::broken("pitch", [gaps.name(0)?, gaps.name(1)?]))
    }),
    Form("{p} is not ?equal ?to zero and is not a multiple of {p}", |gaps, _| {
        Some(Formula::All(vec![Formula::test(path(gaps)?, Test::NonZero), multiple(gaps)?]))
    }),
    Form("{ps} is|are not ?equal ?to 0|zero", |gaps, _| tied(gaps, &Test::NonZero)),
    Form("{ps} is|are non-zero", |gaps, _| tied(gaps, &Test::NonZero)),
    Form("{ps} is|are ?equal ?to 0|zero", |gaps, _| tied(gaps, &Test::Zero)),
    Form("{ps} > is 0", |gaps, _| tied(gaps, &Test::Zero)),
    Form("{ps} ?is|are > 0", |gaps, _| tied(gaps, &Test::NonZero)),
    Form("{ps} is|are greater than 0|zero", |gaps, _| tied(gaps, &Test::NonZero)),
    Form("{p} is greater than {n}", |gaps, _| compared(gaps, Test::Above)),
    Form("{p} is greater than {p}", |gaps, _| compared(gaps, Test::Above)),
    Form("{p} is less than {n}", |gaps, _| compared(gaps, Test::Below)),
    Form("{p} is less than {p}", |gaps, _| compared(gaps, Test::Below)),
    Form("{p} is not a power of two", |gaps, _| unmet(gaps, Predicate::PowerOfTwo)),
    Form("{p} is not a multiple of {p}", |gaps, _| multiple(gaps)),
    Form("{p} is not equal to {p}", |gaps, _| Some(Formula::test(path(gaps)?, Test::NotIn(vec![gaps.name(1)?.to_owned()])))),
    Form("neither {c} nor {c} is set in {p}", |gaps, _| {
        let names = [gaps.name(0)?, gaps.name(1)?].map(str::to_owned);
        Some(Formula::test(gaps.name(2)?.parse().ok()?, Test::Lacks(names.into())))
    }),
    Form("{cs} is|are not set in {p}", |gaps, _| {
        Some(Formula::test(gaps.name(1)?.parse().ok()?, Test::Lacks(gaps.get(0)?.names.clone())))
    }),
    Form("{cs} is|are set in {p}", |gaps, scope| has(&gaps.name(1)?.parse().ok()?, gaps.get(0)?, scope)),
    Form("{p} does|do not include|contain|specify {c}", |gaps, scope| lacks(&path(gaps)?, gaps.name(1)?, scope)),
    Form("{p} ?does include|includes|contain|contains|specify|specifies {cs}", |gaps, scope| {
        has(&path(gaps)?, gaps.get(1)?, scope)
    }),
    Form("{p} is not {c}", |gaps, _| Some(Formula::test(path(gaps)?, Test::NotIn(gaps.get(1)?.names.clone())))),
    Form("{p} is {cs}", |gaps, _| Some(Formula::test(path(gaps)?, Test::In(gaps.get(1)?.names.clone())))),
    Form("{p} is not one of the supported values", value_of_the_type),
    Form("{p} is not a valid value", value_of_the_type),
    Form("values specified in {p} are not valid as defined in the {l} table", flags_of_the_type),
    Form("values specified in {p} are not valid", flags_of_the_type),
    Form("{p} is invalid", file_descriptor),
];

fn path(gaps: &Gaps) -> Option<Path> {
    gaps.name(0)?.parse().ok()
}

/// All parameters of the first gap pass `test`.
fn every(gaps: &Gaps, test: &Test) -> Option<Formula> {
    Some(Formula::All(tests(gaps.get(0)?, test)?))
}

/// All of them do, or any, as the words between them say.
fn tied(gaps: &Gaps, test: &Test) -> Option<Formula> {
    let gap = gaps.get(0)?;
    let tests = tests(gap, test)?;
    Some(if gap.join == Join::And { Formula::All(tests) } else { Formula::Any(tests) })
}

fn tests(gap: &Gap, test: &Test) -> Option<Vec<Formula>> {
    gap.names.iter().map(|name| Some(Formula::test(name.parse().ok()?, test.clone()))).collect()
}

fn elements(gaps: &Gaps, _: &Scope<'_>, test: Test) -> Option<Formula> {
    Some(Formula::test(format!("{}[]", gaps.name(0)?).parse().ok()?, test))
}

fn compared(gaps: &Gaps, test: fn(String) -> Test) -> Option<Formula> {
    Some(Formula::test(path(gaps)?, test(gaps.name(1)?.to_owned())))
}

/// Not a multiple of another parameter, which is zero where it stands for a value that the implementation works out.
fn multiple(gaps: &Gaps) -> Option<Formula> {
    let of = gaps.name(1)?;
    let demand = Formula::unmet(path(gaps)?, Predicate::MultipleOf(of.to_owned()));
    Some(Formula::All(vec![demand, Formula::test(of.parse().ok()?, Test::NonZero)]))
}

fn unmet(gaps: &Gaps, predicate: Predicate) -> Option<Formula> {
    Some(Formula::unmet(path(gaps)?, predicate))
}

/// Flags are set, or properties are there.
fn has(path: &Path, gap: &Gap, scope: &Scope<'_>) -> Option<Formula> {
    let one = |name: &String| {
        Some(if scope.is_property_list(path) {
            Formula::test(super::formula::property(path, name)?, Test::Present)
        } else {
            Formula::test(path.clone(), Test::Has(vec![name.clone()]))
        })
    };
    let all = gap.names.iter().map(one).collect::<Option<Vec<_>>>()?;
    Some(if gap.join == Join::And { Formula::All(all) } else { Formula::Any(all) })
}

fn lacks(path: &Path, name: &str, scope: &Scope<'_>) -> Option<Formula> {
    Some(if scope.is_property_list(path) {
        Formula::test(super::formula::property(path, name)?, Test::Absent)
    } else {
        Formula::test(path.clone(), Test::Lacks(vec![name.to_owned()]))
    })
}

/// Which values a type has, the registry knows; where it does not, the caller has to.
fn value_of_the_type(gaps: &Gaps, scope: &Scope<'_>) -> Option<Formula> {
    let path = path(gaps)?;
    Some(match scope.values(&path) {
        Some(values) if scope.is_bits(&path) => Formula::unmet(path, Predicate::OnlyFlags(values)),
        Some(values) => Formula::unmet(path, Predicate::OneOf(values)),
        None => Formula::broken("supported_value", [path.to_string()]),
    })
}

fn flags_of_the_type(gaps: &Gaps, scope: &Scope<'_>) -> Option<Formula> {
    let path = path(gaps)?;
    Some(match scope.values(&path) {
        Some(values) if scope.is_bits(&path) => Formula::unmet(path, Predicate::OnlyFlags(values)),
        _ => Formula::broken("valid_values", [path.to_string()]),
    })
}

/// A negative descriptor cannot be open; whether another one is, the system knows. −1 stands for a sync file that has signalled.
fn file_descriptor(gaps: &Gaps, _: &Scope<'_>) -> Option<Formula> {
    let path = path(gaps)?;
    (path.as_str() == "fd").then(|| Formula::unmet(path, Predicate::FdOrMinusOne))
}
