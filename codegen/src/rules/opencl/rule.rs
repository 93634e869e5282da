//! From the ways in which a command fails to the rules that keep it from failing.
//!
//! In: the [`Atom`]s of each way, with the code and the sentence. Out: rules: of every way, one atom is denied and the others say when. Ways
//! that say one thing in two halves (a list is null and its count is not zero, or the other way round) become one rule.

use std::collections::BTreeMap;

use super::formula::{Atom, conditions, contrary, denial};
use crate::model::{Condition, Lifetime, Origin, Path, Predicate, Rule, Source, Term, Test};

/// One way in which a command fails, and where it is said.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub atoms: Vec<Atom>,
    pub code: Option<String>,
    pub source: Source,
    pub lifetime: Lifetime,
    /// What the sentence speaks of first, for a rule that no field of its own atoms can carry.
    pub subject: Option<Path>,
}

/// A rule that has no command yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub fields: Vec<Path>,
    pub predicate: Predicate,
    pub when: Vec<Condition>,
    pub way: Way,
}

/// The rules that deny `ways`.
pub(super) fn drafts(mut ways: Vec<Way>, is_parameter: &dyn Fn(&str) -> Option<Path>) -> Vec<Draft> {
    join_halves(&mut ways);
    let mut drafts: Vec<Draft> = Vec::new();
    for draft in ways.iter().flat_map(|way| draft(way, is_parameter)) {
        match drafts.iter_mut().find(|earlier| joins(earlier, &draft)) {
            Some(earlier) => join_flags(&mut earlier.predicate, draft.predicate),
            None => drafts.push(draft),
        }
    }
    drafts
}

/// Finds "null and not zero" with "not null and zero" of the same two under the same code, and makes one demand of both.
fn join_halves(ways: &mut Vec<Way>) {
    let mut at = 0;
    while at < ways.len() {
        let other = half(&ways[at]).and_then(|(pointer, count, null)| {
            let fits = |way: &Way| {
                way.code == ways[at].code
                    && way.lifetime == ways[at].lifetime
                    && half(way) == Some((pointer.clone(), count.clone(), !null))
            };
            let found = ways.iter().skip(at + 1).position(fits)?;
            Some((at + 1 + found, pointer.clone(), count.clone()))
        });
        if let Some((other, pointer, count)) = other {
            ways[at].atoms = vec![Atom::Unmet(vec![pointer, count], Predicate::NullIffZero)];
            ways.remove(other);
        }
        at += 1;
    }
}

/// The pointer and the count of a half, and whether it is the one in which the pointer is null.
fn half(way: &Way) -> Option<(Path, Path, bool)> {
    let [Atom::Holds(Term::Field(a), first), Atom::Holds(Term::Field(b), second)] = way.atoms.as_slice() else { return None };
    match (first, second) {
        (Test::Null, Test::NonZero) => Some((a.clone(), b.clone(), true)),
        (Test::NonZero, Test::Null) => Some((b.clone(), a.clone(), true)),
        (Test::NonNull, Test::Zero) => Some((a.clone(), b.clone(), false)),
        (Test::Zero, Test::NonNull) => Some((b.clone(), a.clone(), false)),
        _ => None,
    }
}

/// Whether two rules forbid flags, or properties, in the same place under the same conditions: then they are one.
fn joins(a: &Draft, b: &Draft) -> bool {
    let lacks = |draft: &Draft| matches!(draft.predicate, Predicate::LacksFlags(_) | Predicate::NoneOf(_));
    lacks(a)
        && a.predicate.name() == b.predicate.name()
        && a.fields == b.fields
        && a.when == b.when
        && a.way.code == b.way.code
        && a.way.source == b.way.source
}

fn join_flags(into: &mut Predicate, from: Predicate) {
    match (into, from) {
        (Predicate::LacksFlags(names), Predicate::LacksFlags(more)) | (Predicate::NoneOf(names), Predicate::NoneOf(more)) => {
            names.extend(more);
        }
        _ => {}
    }
}

fn draft(way: &Way, is_parameter: &dyn Fn(&str) -> Option<Path>) -> Vec<Draft> {
    let denied = denied(way);
    let (fields, predicate) = match denied.map(|index| &way.atoms[index]) {
        Some(Atom::Unmet(fields, predicate)) => (fields.clone(), predicate.clone()),
        Some(Atom::AnyPresent(path, names)) => (vec![path.clone()], Predicate::LacksProperties(names.clone())),
        Some(Atom::NonePresent(path, names)) => (vec![path.clone()], Predicate::AnyProperty(names.clone())),
        Some(Atom::Broken(object)) => {
            (object.of.iter().filter_map(|name| is_parameter(name)).collect(), Predicate::Attested(object.clone()))
        }
        Some(Atom::Holds(term, test)) => match denial(term, test) {
            Some((path, predicate)) => (vec![path], predicate),
            None => (way.subject.clone().into_iter().collect(), Predicate::Forbidden),
        },
        Some(Atom::Only(_)) | None => (way.subject.clone().into_iter().collect(), Predicate::Forbidden),
    };
    let others = way.atoms.iter().enumerate().filter(|(index, _)| Some(*index) != denied).map(|(_, atom)| atom);
    let mut whens: Vec<Vec<Condition>> = vec![Vec::new()];
    for atom in others {
        let choices = conditions(atom);
        whens = whens.iter().flat_map(|when| choices.iter().map(|choice| [when.as_slice(), choice].concat())).collect();
    }
    whens.into_iter().map(|when| Draft { fields: fields.clone(), predicate: predicate.clone(), when, way: way.clone() }).collect()
}

/// Which atom a rule denies: a demand that has no other form; then handles in a list; then a promise; then the field that the code speaks
/// of; then the last that can be denied.
fn denied(way: &Way) -> Option<usize> {
    let position = |wanted: fn(&Atom) -> bool| way.atoms.iter().position(wanted);
    position(|atom| matches!(atom, Atom::Unmet(..)))
        .or_else(|| position(|atom| matches!(atom, Atom::AnyPresent(..) | Atom::NonePresent(..))))
        .or_else(|| position(|atom| matches!(atom, Atom::Broken(_))))
        .or_else(|| {
            let deniable = |atom: &Atom| matches!(atom, Atom::Holds(term, test) if denial(term, test).is_some());
            let in_code = way.atoms.iter().position(|atom| deniable(atom) && is_in_code(atom, way.code.as_deref()));
            in_code.or_else(|| way.atoms.iter().rposition(deniable))
        })
}

/// `CL_INVALID_HOST_PTR` speaks of `host_ptr`.
fn is_in_code(atom: &Atom, code: Option<&str>) -> bool {
    let Atom::Holds(Term::Field(path), _) = atom else { return false };
    let Some(code) = code else { return false };
    let code = code.to_ascii_lowercase();
    path.names().next().is_some_and(|name| code.ends_with(name) && code != name)
}

impl Draft {
    /// The rule for `command`.
    pub(super) fn rule(&self, command: &str) -> Rule {
        let code = self.way.code.as_deref().map_or("FAILS", |code| code.strip_prefix("CL_").unwrap_or(code));
        Rule {
            id: format!("opencl/{command}/{code}/{}", self.slug()),
            subject: command.to_owned(),
            fields: self.fields.clone(),
            predicate: self.predicate.clone(),
            when: self.when.clone(),
            origin: Origin::Stated,
            source: Some(self.way.source.clone()),
            reason: None,
            error: self.way.code.clone(),
            lifetime: self.way.lifetime.clone(),
        }
    }

    /// What the rule says, short: `event_wait_list+num_events_in_wait_list-null-iff-zero`.
    fn slug(&self) -> String {
        let fields: Vec<&str> = self.fields.iter().map(Path::as_str).collect();
        let what = match &self.predicate {
            Predicate::Attested(object) => object.kind.replace('_', "-"),
            predicate => predicate.name().replace('_', "-"),
        };
        if fields.is_empty() { what } else { format!("{}-{what}", fields.join("+")) }
    }
}

/// A pointer that must not be null, and must be under a condition: the condition is an exception from the general rule, and goes into it.
/// The text states both side by side; taken literally, no call could keep them.
pub(super) fn except(rules: &mut [Rule]) {
    let exceptions: Vec<(Path, Condition)> = rules
        .iter()
        .filter(|rule| rule.predicate == Predicate::Null)
        .filter_map(|rule| match (rule.fields.as_slice(), rule.when.as_slice()) {
            ([field], [when]) => Some((field.clone(), when.clone())),
            _ => None,
        })
        .collect();
    for rule in rules.iter_mut().filter(|rule| rule.predicate == Predicate::NonNull && rule.when.is_empty()) {
        let stated = exceptions.iter().filter(|(field, _)| rule.fields == [field.clone()]);
        let contraries = stated.filter_map(|(_, when)| match when {
            Condition::Test(term, test) => Some(Condition::Test(term.clone(), contrary(test.clone())?)),
            Condition::Attested(_) => None,
        });
        rule.when = contraries.collect();
        if !rule.when.is_empty() {
            rule.origin = Origin::Derived;
        }
    }
}

/// What may tell two rules apart that say the same of the same fields, in the order in which it is tried.
const DETAILS: [fn(&Rule) -> String; 3] = [
    |rule| operands(&rule.predicate),
    |rule| when(&rule.when),
    |rule| rule.source.as_ref().map_or_else(String::new, |s| s.hash.clone()),
];

/// Makes the ids of `rules` differ, by what the rules themselves say: their order, which changes from release to release, does not count
/// unless two say the very same.
pub(super) fn tell_apart(rules: &mut [Rule]) {
    for detail in DETAILS {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, rule) in rules.iter().enumerate() {
            groups.entry(rule.id.clone()).or_default().push(index);
        }
        for group in groups.values() {
            let details: Vec<String> = group.iter().map(|index| detail(&rules[*index])).collect();
            if details.iter().any(|other| *other != details[0]) {
                for (index, detail) in group.iter().zip(details).filter(|(_, detail)| !detail.is_empty()) {
                    rules[*index].id = format!("{}/{detail}", rules[*index].id);
                }
            }
        }
    }
    let mut seen = BTreeMap::new();
    for rule in rules.iter_mut() {
        let count = seen.entry(rule.id.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count > 1 {
            rule.id = format!("{}/{count}", rule.id);
        }
    }
}

fn operands(predicate: &Predicate) -> String {
    let text = predicate.to_string();
    plain(text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default())
}

fn when(conditions: &[Condition]) -> String {
    plain(&conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// Words with dashes between, constants without what all constants begin and end with.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let short = words.map(|word| {
        let word = word.strip_prefix("CL_").unwrap_or(word);
        word.strip_suffix("_KHR").or_else(|| word.strip_suffix("_EXT")).unwrap_or(word)
    });
    short.collect::<Vec<_>>().join("-")
}
