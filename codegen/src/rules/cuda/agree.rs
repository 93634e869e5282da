//! Two statements, one truth: what a function's comment and the fields' comments say of an import descriptor.
//!
//! In: statements and facts. Out: for each handle type the member that carries it, and the statements about null pointers in their simplest
//! form. Both sides are turned into the same thing (the member; the set of allowed combinations of null and not null), and compared.
//! Where they differ, the overlay says which holds; without an entry it is an error that quotes both places. Silence is no disagreement.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    identity::short_value,
    interpret::{Basis, Context, Fact, Interpreted, Side, Statement, What},
};
use crate::{
    finding::{Finding, Findings},
    model::{Api, Condition, Enumeration, Origin, Path, Predicate, RecordKind, Term, Test},
    overlay::Question,
};

/// An import descriptor: a record whose `type` chooses a member of a union.
pub(super) struct Descriptor<'a> {
    /// The record.
    pub(super) record: String,
    /// The enumeration of its `type`.
    pub(super) enumeration: &'a Enumeration,
    /// The members of the union.
    selectable: Vec<Path>,
    /// The pointers of which one may stand for the other, if it has such.
    pair: Option<[Path; 2]>,
    /// The member for each handle type.
    pub(super) members: BTreeMap<String, Path>,
}

impl Descriptor<'_> {
    /// The paths that carry a handle type: the pair where it chooses the pair's struct.
    pub(super) fn carriers(&self, value: &str) -> Vec<Path> {
        let Some(member) = self.members.get(value) else { return Vec::new() };
        match &self.pair {
            Some(pair) if pair.iter().all(|path| is_within(path, member)) => pair.to_vec(),
            _ => vec![member.clone()],
        }
    }

    fn selected_by(&self, path: &Path) -> Option<&Path> {
        self.selectable.iter().find(|member| is_within(path, member))
    }
}

fn is_within(path: &Path, member: &Path) -> bool {
    path.as_str().strip_prefix(member.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Compares and settles; the statements about null pointers in `interpreted` are replaced by the settled ones.
pub(super) fn agree<'a>(interpreted: &mut Interpreted, context: &Context<'a>, findings: &mut Findings) -> Vec<Descriptor<'a>> {
    let mut descriptors = find(interpreted, context);
    for descriptor in &mut descriptors {
        members(descriptor, interpreted, context, findings);
        bind(descriptor, interpreted);
        nulls(descriptor, interpreted, context, findings);
    }
    descriptors
}

/// The records of which statements say what holds for a value of `type`, and that have a union.
fn find<'a>(interpreted: &Interpreted, context: &Context<'a>) -> Vec<Descriptor<'a>> {
    let records: BTreeSet<&str> = interpreted
        .statements
        .iter()
        .filter(|statement| matches!(&statement.types, Some((Term::Field(path), _)) if path.as_str() == "type"))
        .map(|statement| statement.subject.as_str())
        .collect();
    records.into_iter().filter_map(|record| descriptor(record, interpreted, context)).collect()
}

fn descriptor<'a>(name: &str, interpreted: &Interpreted, context: &Context<'a>) -> Option<Descriptor<'a>> {
    let record = context.names.record(name)?;
    let chooser = record.members.iter().find(|member| member.name == "type")?;
    let enumeration = context.names.enumeration(&chooser.ctype.to_string())?;
    let union = record.members.iter().find_map(|member| {
        let inner = context.names.record(&member.ctype.to_string())?;
        (inner.kind == RecordKind::Union).then_some((member, inner))
    });
    let (member, union) = union?;
    let start: Path = member.name.parse().ok()?;
    let pair = interpreted.statements.iter().find_map(|statement| match (&statement.predicate, statement.fields.as_slice()) {
        (Predicate::ExactlyOneNonNull, [first, second]) if statement.subject == name => Some([first.clone(), second.clone()]),
        _ => None,
    });
    Some(Descriptor {
        record: name.to_owned(),
        enumeration,
        selectable: union.members.iter().map(|inner| start.then(&inner.name)).collect(),
        pair,
        members: BTreeMap::new(),
    })
}

/// Which side the overlay lets hold, and why.
fn decide(subject: &str, context: &Context<'_>) -> Option<(Side, String)> {
    let decision = context.overlay.decide(Api::Cuda, Question::Statement, subject)?;
    let side = match decision.value.as_str()? {
        "function" => Side::Function,
        "fields" => Side::Fields,
        _ => return None,
    };
    Some((side, decision.reason.to_owned()))
}

/// What one side says, and where.
type Saying<'a> = (String, Option<&'a Basis>);

fn disagreement(subject: &str, function: &Saying<'_>, fields: &Saying<'_>) -> Finding {
    let finding = Finding::error(format!("the function's comment and the fields' comments disagree on `{subject}`"));
    let place = |basis: Option<&Basis>| basis.map_or_else(String::new, |basis| format!(" ({})", basis.place));
    let finding = match function.1.or(fields.1) {
        Some(basis) => finding.at(basis.place.clone()),
        None => finding,
    };
    finding
        .found(format!("{}{} in the function's, {}{} in the fields'", function.0, place(function.1), fields.0, place(fields.1)))
        .help(format!("add an overlay entry `statement` for `{subject}` that says which holds (`function` or `fields`), and why"))
}

fn say(choice: Option<&(Path, Basis)>) -> Saying<'_> {
    (choice.map_or_else(|| "no member".to_owned(), |(path, _)| format!("`{path}`")), choice.map(|(_, basis)| basis))
}

/// Finds the member that each handle type chooses.
fn members(descriptor: &mut Descriptor<'_>, interpreted: &Interpreted, context: &Context<'_>, findings: &mut Findings) {
    let (of_function, of_fields) = (chosen_by_function(descriptor, interpreted), chosen_by_fields(descriptor, interpreted));
    let listed: BTreeSet<&Path> = of_fields.values().map(|(path, _)| path).collect();
    for value in descriptor.enumeration.enumerators.iter().filter(|value| is_handle_type(&value.name)) {
        let (function, fields) = (of_function.get(&value.name), of_fields.get(&value.name));
        let chosen = match (function, fields) {
            (Some(function), Some(fields)) if function.0 == fields.0 => Some(function),
            // A member whose comment lists no handle types says nothing about them.
            (Some(function), None) if !listed.contains(&function.0) => Some(function),
            _ => {
                let subject =
                    format!("{}/{}/member", context.names.short(&descriptor.record), short_value(context.names, &value.name));
                let side = decide(&subject, context).map(|(side, _)| side);
                if side.is_none() {
                    findings.push(disagreement(&subject, &say(function), &say(fields)));
                }
                match side {
                    Some(Side::Function) => function,
                    Some(Side::Fields) => fields,
                    None => None,
                }
            }
        };
        if let Some((path, _)) = chosen {
            descriptor.members.insert(value.name.clone(), path.clone());
        }
    }
}

/// Binds what is said of a member of the union to the handle types that choose it: no other type has that member.
fn bind(descriptor: &Descriptor<'_>, interpreted: &mut Interpreted) {
    let Ok(chooser) = "type".parse::<Path>() else { return };
    for statement in interpreted.statements.iter_mut().filter(|statement| statement.subject == descriptor.record) {
        let Some(member) = statement.fields.first().and_then(|path| descriptor.selected_by(path)) else { continue };
        let chosen = descriptor.enumeration.enumerators.iter().map(|value| &value.name);
        let chosen: Vec<String> = chosen.filter(|value| descriptor.members.get(*value) == Some(member)).cloned().collect();
        if statement.types.is_none() && !chosen.is_empty() {
            statement.types = Some((Term::Field(chooser.clone()), chosen));
        }
    }
}

/// Values that are a handle type: not the bound that upstream adds to an enumeration.
pub(super) fn is_handle_type(name: &str) -> bool {
    !name.ends_with("_MAX") && !name.ends_with("_NONE")
}

fn chosen_by_function(descriptor: &Descriptor<'_>, interpreted: &Interpreted) -> BTreeMap<String, (Path, Basis)> {
    let mut chosen = BTreeMap::new();
    for statement in interpreted.statements.iter().filter(|statement| statement.subject == descriptor.record) {
        let Some((Term::Field(path), values)) = &statement.types else { continue };
        if path.as_str() != "type" || statement.basis.side != Side::Function {
            continue;
        }
        if let Some(member) = statement.fields.first().and_then(|path| descriptor.selected_by(path)) {
            for value in values {
                chosen.entry(value.clone()).or_insert_with(|| (member.clone(), statement.basis.clone()));
            }
        }
    }
    chosen
}

fn chosen_by_fields(descriptor: &Descriptor<'_>, interpreted: &Interpreted) -> BTreeMap<String, (Path, Basis)> {
    let mut chosen = BTreeMap::new();
    for Fact { types, what, basis } in &interpreted.facts {
        let What::Selects(field) = what else { continue };
        if field.subject == descriptor.record && descriptor.selectable.contains(&field.path) {
            for value in types {
                chosen.entry(value.clone()).or_insert_with(|| (field.path.clone(), basis.clone()));
            }
        }
    }
    chosen
}

/// Which of the four combinations of two pointers are allowed: bit 0 neither, bit 1 the first, bit 2 the second, bit 3 both.
type Allowed = u8;

const ALL: Allowed = 0b1111;
const FIRST: Allowed = 0b1010;
const SECOND: Allowed = 0b1100;
const ONE: Allowed = 0b0110;

fn in_words(allowed: Allowed) -> String {
    let ways = ["neither", "the first alone", "the second alone", "both"];
    let ways: Vec<_> = (0..4).filter(|bit| allowed & (1 << bit) != 0).map(|bit| ways[bit]).collect();
    ways.join(" or ")
}

/// What a statement leaves allowed, if it is about null pointers of the pair; and whether it says so itself.
fn allowed_by(statement: &Statement, pair: &[Path; 2]) -> Option<(Allowed, bool)> {
    let [first, second] = pair;
    let is = |path: &Path| statement.fields.len() == 1 && statement.fields[0] == *path;
    let non_null = |path: &Path| [Condition::Test(Term::Field(path.clone()), Test::NonNull)];
    match (&statement.predicate, statement.when.as_slice()) {
        (Predicate::ExactlyOneNonNull, []) if statement.fields == pair => Some((ONE, true)),
        (Predicate::NonNull, []) if is(first) => Some((FIRST, true)),
        (Predicate::NonNull, []) if is(second) => Some((SECOND, true)),
        (Predicate::Null, []) if is(first) => Some((ALL & !FIRST, true)),
        (Predicate::Null, []) if is(second) => Some((ALL & !SECOND, true)),
        (Predicate::Null, when) if (is(first) && when == non_null(second)) || (is(second) && when == non_null(first)) => {
            Some((ALL & !(FIRST & SECOND), true))
        }
        // A handle that must represent an object is not null.
        (Predicate::Attested(object), []) if is(first) && object.kind.ends_with("_handle") => Some((FIRST, false)),
        _ => None,
    }
}

/// Replaces the statements about null pointers of the pair by what holds for each handle type.
fn nulls(descriptor: &Descriptor<'_>, interpreted: &mut Interpreted, context: &Context<'_>, findings: &mut Findings) {
    let Some(pair) = &descriptor.pair else { return };
    let about_pair = |statement: &Statement| statement.subject == descriptor.record && allowed_by(statement, pair).is_some();
    let about: Vec<Statement> = interpreted.statements.iter().filter(|statement| about_pair(statement)).cloned().collect();
    interpreted.statements.retain(|statement| !about_pair(statement) || matches!(statement.predicate, Predicate::Attested(_)));
    for (value, member) in &descriptor.members {
        if !pair.iter().all(|path| is_within(path, member)) {
            continue;
        }
        let of = |side: Side| about.iter().filter(move |statement| statement.basis.side == side && statement.is_for(value));
        let allowed = |side: Side| {
            of(side).filter_map(|statement| allowed_by(statement, pair)).map(|(allowed, _)| allowed).reduce(|all, next| all & next)
        };
        let (settled, sides, reason) = match (allowed(Side::Function), allowed(Side::Fields)) {
            (Some(function), Some(fields)) if function != fields => {
                let subject = format!("{}/{}/null", context.names.short(&descriptor.record), short_value(context.names, value));
                match decide(&subject, context) {
                    Some((Side::Function, reason)) => (function, vec![Side::Function], Some(reason)),
                    Some((Side::Fields, reason)) => (fields, vec![Side::Fields], Some(reason)),
                    None => {
                        let basis = |side| of(side).next().map(|statement| &statement.basis);
                        let function = (in_words(function), basis(Side::Function));
                        findings.push(disagreement(&subject, &function, &(in_words(fields), basis(Side::Fields))));
                        continue;
                    }
                }
            }
            (Some(allowed), _) | (None, Some(allowed)) => (allowed, vec![Side::Function, Side::Fields], None),
            (None, None) => continue,
        };
        let candidates: Vec<&Statement> = sides.iter().flat_map(|side| of(*side)).collect();
        interpreted.statements.extend(canonical(descriptor, value, pair, settled, &candidates, reason.as_deref()));
        if settled & FIRST != settled {
            // The name may stand for the handle: what is promised of the handle is promised where there is one.
            require_handle(interpreted, descriptor, value, &pair[0]);
        }
    }
}

/// The fewest predicates that allow `settled`, each with the statement that it rests on.
fn canonical(
    descriptor: &Descriptor<'_>,
    value: &str,
    pair: &[Path; 2],
    settled: Allowed,
    candidates: &[&Statement],
    reason: Option<&str>,
) -> Vec<Statement> {
    let [first, second] = pair;
    let mut wanted: Vec<(Vec<Path>, Predicate, Allowed)> = Vec::new();
    if settled == ONE {
        wanted.push((pair.to_vec(), Predicate::ExactlyOneNonNull, ONE));
    } else {
        for (path, not_null) in [(first, FIRST), (second, SECOND)] {
            if settled & !not_null == 0 {
                wanted.push((vec![path.clone()], Predicate::NonNull, not_null));
            } else if settled & not_null == 0 {
                wanted.push((vec![path.clone()], Predicate::Null, ALL & !not_null));
            }
        }
    }
    let rests_on = |allowed: Allowed| {
        let exact = candidates.iter().find(|candidate| allowed_by(candidate, pair) == Some((allowed, true)));
        exact
            .map(|statement| (*statement, Origin::Stated))
            .or_else(|| candidates.first().map(|statement| (*statement, Origin::Derived)))
    };
    wanted
        .into_iter()
        .filter_map(|(fields, predicate, allowed)| {
            let (statement, origin) = rests_on(allowed)?;
            Some(Statement {
                subject: descriptor.record.clone(),
                fields,
                predicate,
                when: Vec::new(),
                types: Some((Term::Field("type".parse().ok()?), vec![value.to_owned()])),
                except: None,
                origin,
                error: None,
                reason: reason.map(str::to_owned),
                basis: statement.basis.clone(),
            })
        })
        .collect()
}

fn require_handle(interpreted: &mut Interpreted, descriptor: &Descriptor<'_>, value: &str, handle: &Path) {
    for statement in &mut interpreted.statements {
        let promised = matches!(&statement.predicate, Predicate::Attested(_)) && statement.fields.first() == Some(handle);
        let for_this = statement.types.as_ref().is_some_and(|(_, values)| values.as_slice() == [value]);
        if statement.subject == descriptor.record && promised && for_this && statement.when.is_empty() {
            statement.when.push(Condition::Test(Term::Field(handle.clone()), Test::NonNull));
        }
    }
}
