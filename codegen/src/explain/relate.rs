//! What belongs together: a command and the records that it takes, a handle type and the rules that speak of it.
//!
//! In: a model. Out: the handle types, rules and error lists that are about a subject, in the order of the model.

use std::collections::{BTreeMap, BTreeSet};

use super::{CodeRow, ErrorRow, find::Subject};
use crate::model::{CType, Command, EnumerationKind, ErrorList, HandleType, Model, Rule};

/// A model with the names that each of its rules has.
pub(super) struct Related<'a> {
    model: &'a Model,
    named: BTreeMap<&'a str, BTreeSet<String>>,
}

/// What is about a subject.
#[derive(Default)]
pub(super) struct About<'a> {
    pub(super) handle_types: Vec<&'a HandleType>,
    pub(super) rules: Vec<&'a Rule>,
    pub(super) errors: Vec<ErrorRow>,
}

/// What to take from the model.
#[derive(Default)]
struct Wanted<'a> {
    /// Rules by their subject.
    subjects: BTreeSet<&'a str>,
    /// Rules by their id.
    ids: BTreeSet<&'a str>,
    /// Rules that say which handle types are meant.
    quoted: BTreeSet<&'a str>,
    /// Rules that have one of these names.
    names: BTreeSet<&'a str>,
    /// Handle types by their names.
    handle_types: BTreeSet<&'a str>,
    /// The records of handle types.
    records: BTreeSet<&'a str>,
    /// Whose rules say which handle types are meant.
    speakers: BTreeSet<&'a str>,
    /// Commands whose errors are wanted.
    commands: BTreeSet<&'a str>,
}

impl<'a> Related<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let named = model.rules.iter().map(|rule| (rule.id.as_str(), names_in(rule))).collect();
        Self { model, named }
    }

    fn names(&self, rule: &Rule, name: &str) -> bool {
        self.named.get(rule.id.as_str()).is_some_and(|names| names.contains(name))
    }

    /// Everything about `subjects`, all of which are called `name`.
    pub(super) fn about(&self, subjects: &[Subject<'a>], name: &str) -> About<'a> {
        let mut wanted = Wanted::default();
        for subject in subjects {
            self.want(*subject, &mut wanted);
        }
        let rules: Vec<&Rule> = self
            .model
            .rules
            .iter()
            .filter(|rule| {
                wanted.subjects.contains(rule.subject.as_str())
                    || wanted.ids.contains(rule.id.as_str())
                    || wanted.names.iter().any(|name| self.names(rule, name))
                    || rule.error.as_deref() == Some(name)
            })
            .collect();
        let spoken_of = |row: &HandleType| {
            let speaks =
                |rule: &&&Rule| wanted.quoted.contains(rule.id.as_str()) || wanted.speakers.contains(rule.subject.as_str());
            rules.iter().filter(speaks).any(|rule| self.names(rule, &row.name))
        };
        let is_wanted = |row: &&HandleType| {
            wanted.handle_types.contains(row.name.as_str())
                || row.record.as_deref().is_some_and(|record| wanted.records.contains(record))
                || row.enumeration.as_deref().is_some_and(|enumeration| wanted.handle_types.contains(enumeration))
                || spoken_of(row)
        };
        let handle_types = self.model.handle_types.iter().filter(is_wanted).collect();
        let errors = self.model.error_lists.iter().filter_map(|list| error_row(list, &wanted, name)).collect();
        About { handle_types, rules, errors }
    }

    fn want(&self, subject: Subject<'a>, wanted: &mut Wanted<'a>) {
        match subject {
            Subject::Command(command) => {
                wanted.commands.insert(&command.symbol);
                wanted.subjects.insert(&command.symbol);
                wanted.speakers.insert(&command.symbol);
                let records = self.records_of(command);
                wanted.records.extend(&records);
                wanted.speakers.extend(&records);
                wanted.subjects.extend(records);
            }
            Subject::Record(record) => {
                let mut root = record;
                while let Some(parent) =
                    root.parent.as_ref().and_then(|parent| self.model.records.iter().find(|one| one.name == *parent))
                {
                    root = parent;
                }
                wanted.records.insert(&root.name);
                wanted.speakers.insert(&root.name);
                wanted.subjects.insert(&root.name);
            }
            Subject::Enumeration(enumeration) => {
                wanted.handle_types.insert(&enumeration.name);
            }
            Subject::Enumerator(_, value) => {
                wanted.handle_types.insert(&value.name);
                wanted.names.insert(&value.name);
            }
            Subject::HandleType(row) => {
                wanted.handle_types.insert(&row.name);
                wanted.ids.extend(self.rules_of(row).iter().map(|rule| rule.id.as_str()));
            }
            Subject::Rule(rule) => {
                wanted.ids.insert(&rule.id);
                wanted.quoted.insert(&rule.id);
            }
            Subject::Constant(constant) => {
                wanted.names.insert(&constant.name);
            }
            Subject::Handle(_) | Subject::Alias(_) | Subject::Omitted(_) => {}
        }
    }

    /// The rules that apply to a handle type, or speak of it: those of its record that are about no other handle type, and every rule
    /// that names it.
    pub(super) fn rules_of(&self, row: &HandleType) -> Vec<&'a Rule> {
        let of_kind = |other: &&HandleType| other.enumeration == row.enumeration;
        let family: Vec<&str> = self.model.handle_types.iter().filter(of_kind).map(|other| other.name.as_str()).collect();
        let applies = |rule: &&Rule| {
            let of_record = row.record.as_deref() == Some(rule.subject.as_str());
            self.names(rule, &row.name) || (of_record && !family.iter().any(|name| self.names(rule, name)))
        };
        self.model.rules.iter().filter(applies).collect()
    }

    /// The codes that a wrong import of a handle type may lead to.
    pub(super) fn errors_of(&self, row: &HandleType, rules: &[&Rule]) -> Vec<String> {
        let mut codes: BTreeSet<String> = rules.iter().filter_map(|rule| rule.error.clone()).collect();
        if let Some(record) = &row.record {
            let takes = |command: &&Command| command.parameters.iter().any(|one| pointee(self.model, &one.ctype) == Some(record));
            for command in self.model.commands.iter().filter(takes) {
                let list = self.model.error_lists.iter().find(|list| list.symbol == command.symbol);
                codes.extend(list.and_then(|list| list.codes.as_ref()).into_iter().flatten().map(|code| code.code.clone()));
            }
        }
        let status = self.model.enumerations.iter().filter(|one| one.kind == EnumerationKind::Status);
        for good in status.flat_map(|one| &one.enumerators).filter(|value| value.value.integer() == Some(0)) {
            codes.remove(&good.name);
        }
        codes.into_iter().collect()
    }

    /// The records that a command takes, and those that they hold or point to.
    fn records_of(&self, command: &'a Command) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = command.parameters.iter().filter_map(|one| pointee(self.model, &one.ctype)).collect();
        while let Some(name) = open.pop() {
            let Some(record) = self.model.records.iter().find(|record| record.name == name) else { continue };
            if found.insert(record.name.as_str()) {
                open.extend(record.members.iter().filter_map(|member| pointee(self.model, &member.ctype)));
            }
        }
        found
    }
}

/// The errors of a command that are wanted: all of them, or the one that is called `name`.
fn error_row(list: &ErrorList, wanted: &Wanted<'_>, name: &str) -> Option<ErrorRow> {
    let all = wanted.commands.contains(list.symbol.as_str());
    let codes: Vec<CodeRow> = list
        .codes
        .iter()
        .flatten()
        .filter(|code| all || code.code == name)
        .map(|code| CodeRow { code: code.code.clone(), rules: code.rules.clone(), extensions: code.lifetime.extensions.clone() })
        .collect();
    (all || !codes.is_empty()).then(|| ErrorRow {
        command: list.symbol.clone(),
        documented: list.codes.is_some(),
        earlier_errors: list.earlier_errors,
        codes,
    })
}

/// Every name in a rule, its fields aside except for the properties in them.
fn names_in(rule: &Rule) -> BTreeSet<String> {
    let mut texts = vec![rule.predicate.to_string()];
    texts.extend(rule.when.iter().map(ToString::to_string));
    texts.extend(rule.fields.iter().map(ToString::to_string));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    texts.iter().flat_map(|text| text.split(|c| !is_part(c))).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The type that `ctype` is, points to, or is an array of.
fn pointee<'a>(model: &'a Model, ctype: &'a CType) -> Option<&'a str> {
    match ctype {
        CType::Named(name) => Some(model.resolve(name)),
        CType::Pointer { to, .. } | CType::Array { of: to, .. } => pointee(model, to),
        CType::Void | CType::Function(_) => None,
    }
}
