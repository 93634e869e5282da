//! From settled statements to rules.
//!
//! In: statements, and our own cautions. Out: rules with stable ids, one for each handle type that a statement is for, sorted by id. The
//! same demand stated in two places is one rule; two demands that would have one id are told apart by a number.

use std::collections::BTreeMap;

use super::{
    agree::{Descriptor, is_handle_type},
    identity::{id, slug},
    interpret::{Context, Statement},
};
use crate::{
    model::{Api, CType, Condition, Lifetime, Origin, Path, Predicate, Record, RecordKind, Rule, Term, Test},
    overlay::Question,
};

/// All rules.
pub(super) fn rules(
    statements: &[Statement],
    descriptors: &[Descriptor<'_>],
    context: &Context<'_>,
    lifetime: &Lifetime,
) -> Vec<Rule> {
    let mut rules: Vec<Rule> = statements.iter().flat_map(|statement| of_statement(statement, context, lifetime)).collect();
    for descriptor in descriptors {
        rules.push(known_types(descriptor, context, lifetime));
    }
    rules.extend(reserved(context, lifetime));
    rules.extend(utf16_names(descriptors, &rules, context, lifetime));
    rules.extend(specified_sizes(statements, context, lifetime));
    number(merge(rules))
}

/// One rule a handle type, or one where the statement is for all or for all but some.
fn of_statement(statement: &Statement, context: &Context<'_>, lifetime: &Lifetime) -> Vec<Rule> {
    let slug = slug(&statement.fields, &statement.predicate);
    let rule = |value: Option<&str>, condition: Option<Condition>| Rule {
        id: id(context.names, &statement.subject, value, &slug),
        subject: statement.subject.clone(),
        fields: statement.fields.clone(),
        predicate: statement.predicate.clone(),
        when: condition.into_iter().chain(statement.when.iter().cloned()).collect(),
        origin: statement.origin,
        source: Some(statement.basis.source.clone()),
        reason: statement.reason.clone(),
        error: statement.error.clone(),
        lifetime: lifetime.clone(),
    };
    if let Some((term, values)) = &statement.types {
        values.iter().map(|value| rule(Some(value), Some(Condition::Test(term.clone(), Test::In(vec![value.clone()]))))).collect()
    } else if let Some((term, values)) = &statement.except {
        vec![rule(None, Some(Condition::Test(term.clone(), Test::NotIn(values.clone()))))]
    } else {
        vec![rule(None, None)]
    }
}

/// The type of an import descriptor is one that the header declares: without it, no other rule says which member may be read.
fn known_types(descriptor: &Descriptor<'_>, context: &Context<'_>, lifetime: &Lifetime) -> Rule {
    let values =
        descriptor.enumeration.enumerators.iter().map(|value| value.name.clone()).filter(|name| is_handle_type(name)).collect();
    Rule {
        id: id(context.names, &descriptor.record, None, "type-one-of"),
        subject: descriptor.record.clone(),
        fields: "type".parse().into_iter().collect(),
        predicate: Predicate::OneOf(values),
        when: Vec::new(),
        origin: Origin::Derived,
        source: None,
        reason: Some(format!("the values that `{}` has", descriptor.enumeration.name)),
        error: None,
        lifetime: lifetime.clone(),
    }
}

/// `reserved-zero`: the members that no header says anything about, of the records that the overlay names.
fn reserved(context: &Context<'_>, lifetime: &Lifetime) -> Vec<Rule> {
    let Some(decision) = context.overlay.decide(Api::Cuda, Question::Caution, "reserved-zero") else { return Vec::new() };
    let records = decision.value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let mut rules = Vec::new();
    for record in records.filter_map(|name| context.names.record(name)) {
        for path in reserved_members(record, context, None) {
            rules.push(Rule {
                id: id(context.names, &record.name, None, &format!("{}-zero", path.as_str().replace('.', "-"))),
                subject: record.name.clone(),
                fields: vec![path],
                predicate: Predicate::Zero,
                when: Vec::new(),
                origin: Origin::Ours,
                source: None,
                reason: Some(decision.reason.to_owned()),
                error: None,
                lifetime: lifetime.clone(),
            });
        }
    }
    rules
}

/// Members called `reserved`, in nested structs as well. Within a union they lie over members that mean something.
fn reserved_members(record: &Record, context: &Context<'_>, start: Option<&Path>) -> Vec<Path> {
    if record.kind == RecordKind::Union {
        return Vec::new();
    }
    let mut found = Vec::new();
    for member in &record.members {
        let Some(path) = start.map_or_else(|| member.name.parse().ok(), |start| Some(start.then(&member.name))) else { continue };
        if member.name.starts_with("reserved") {
            found.push(path);
        } else if let CType::Named(name) = &member.ctype
            && let Some(inner) = context.names.record(name).filter(|inner| inner.parent.as_deref() == Some(&record.name))
        {
            found.extend(reserved_members(inner, context, Some(&path)));
        }
    }
    found
}

/// `utf16-name`: names of NT objects are UTF-16; of some records upstream says so, of those that the overlay names it does not.
fn utf16_names(descriptors: &[Descriptor<'_>], rules: &[Rule], context: &Context<'_>, lifetime: &Lifetime) -> Vec<Rule> {
    let Some(decision) = context.overlay.decide(Api::Cuda, Question::Caution, "utf16-name") else { return Vec::new() };
    let records: Vec<_> = decision.value.as_array().into_iter().flatten().filter_map(toml::Value::as_str).collect();
    let mut cautions = Vec::new();
    for descriptor in descriptors.iter().filter(|descriptor| records.contains(&context.names.short(&descriptor.record))) {
        for value in descriptor.members.keys() {
            let carriers = descriptor.carriers(value);
            let [_, name] = carriers.as_slice() else { continue };
            let null = id(context.names, &descriptor.record, Some(value), &slug(std::slice::from_ref(name), &Predicate::Null));
            if rules.iter().any(|rule| rule.id == null) {
                continue;
            }
            let Ok(chooser) = "type".parse() else { continue };
            let fields = vec![name.clone()];
            cautions.push(Rule {
                id: id(context.names, &descriptor.record, Some(value), &slug(&fields, &Predicate::Utf16NulTerminated)),
                subject: descriptor.record.clone(),
                predicate: Predicate::Utf16NulTerminated,
                when: vec![
                    Condition::field_in(chooser, [value.as_str()]),
                    Condition::Test(Term::Field(name.clone()), Test::NonNull),
                ],
                fields,
                origin: Origin::Ours,
                source: None,
                reason: Some(decision.reason.to_owned()),
                error: None,
                lifetime: lifetime.clone(),
            });
        }
    }
    cautions
}

/// `specified-size`: a size that must be specified is not zero, in the records that the overlay names. The sentence names no handle type,
/// and neither does the rule.
fn specified_sizes(statements: &[Statement], context: &Context<'_>, lifetime: &Lifetime) -> Vec<Rule> {
    let Some(decision) = context.overlay.decide(Api::Cuda, Question::Caution, "specified-size") else { return Vec::new() };
    let records: Vec<_> = decision.value.as_array().into_iter().flatten().filter_map(toml::Value::as_str).collect();
    let specified = statements.iter().filter(|statement| {
        matches!(&statement.predicate, Predicate::Attested(object) if object.kind == "size_of")
            && records.contains(&context.names.short(&statement.subject))
    });
    let rule = |statement: &Statement| Rule {
        id: id(context.names, &statement.subject, None, &slug(&statement.fields, &Predicate::NonZero)),
        subject: statement.subject.clone(),
        fields: statement.fields.clone(),
        predicate: Predicate::NonZero,
        when: statement.when.clone(),
        origin: Origin::Derived,
        source: Some(statement.basis.source.clone()),
        reason: Some(decision.reason.to_owned()),
        error: None,
        lifetime: lifetime.clone(),
    };
    specified.map(rule).collect()
}

/// Makes one rule of what is stated more than once.
fn merge(rules: Vec<Rule>) -> Vec<Rule> {
    let mut merged: Vec<Rule> = Vec::new();
    for rule in rules {
        let same = |other: &&mut Rule| {
            other.id == rule.id && other.fields == rule.fields && other.predicate == rule.predicate && other.when == rule.when
        };
        match merged.iter_mut().find(same) {
            // A function's statement is the better known one; a stated rule is better than a derived one.
            Some(known) => {
                known.origin = known.origin.min(rule.origin);
                known.error = known.error.take().or(rule.error);
            }
            None => merged.push(rule),
        }
    }
    merged
}

/// Sorts by id, and tells rules with one id apart.
fn number(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by_cached_key(|rule| (rule.id.clone(), rule.predicate.clone(), rule.when.clone()));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for rule in &mut rules {
        let count = counts.entry(rule.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            rule.id = format!("{}-{count}", rule.id);
        }
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    rules
}
