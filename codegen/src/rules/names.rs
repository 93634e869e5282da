//! What the names in a sentence refer to.
//!
//! In: a [`Model`]. Out: answers: which record and path `CUDA_EXTERNAL_MEMORY_HANDLE_DESC::handle::fd` is, whether `flags` is a parameter
//! of a command, which enumeration a value belongs to. Nothing is guessed: a name that the model does not have is not found.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CType, Command, Enumeration, Enumerator, Model, Path, Record};

/// The names of a model, ready to be looked up.
pub struct Names<'a> {
    records: BTreeMap<&'a str, &'a Record>,
    /// What each alias of a record stands for.
    aliases: BTreeMap<&'a str, &'a str>,
    commands: BTreeMap<&'a str, &'a Command>,
    enumerations: BTreeMap<&'a str, &'a Enumeration>,
    enumerators: BTreeMap<&'a str, (&'a Enumeration, &'a Enumerator)>,
    constants: BTreeMap<&'a str, Option<i128>>,
    /// Every other thing that can be referred to: handles, callbacks, aliases.
    others: BTreeSet<&'a str>,
}

/// A part of a record or command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// The record or command, as the model names it.
    pub subject: String,
    /// The way from there.
    pub path: Path,
}

impl<'a> Names<'a> {
    /// The names of `model`.
    #[must_use]
    pub fn new(model: &'a Model) -> Self {
        let records: BTreeMap<_, _> = model.records.iter().map(|record| (record.name.as_str(), record)).collect();
        let direct: BTreeMap<_, _> = model
            .aliases
            .iter()
            .filter_map(|alias| match &alias.ctype {
                CType::Named(target) => Some((alias.name.as_str(), target.as_str())),
                _ => None,
            })
            .collect();
        let mut others: BTreeSet<&str> = model.handles.iter().map(|handle| handle.name.as_str()).collect();
        others.extend(model.callbacks.iter().map(|callback| callback.name.as_str()));
        others.extend(model.aliases.iter().map(|alias| alias.name.as_str()));
        others.extend(model.omitted.iter().map(|omitted| omitted.name.as_str()));
        others.extend(model.macro_functions.iter().map(|function| function.name.as_str()));
        let mut commands: BTreeMap<&str, &Command> = BTreeMap::new();
        for command in &model.commands {
            // The public name stands for the newest of the symbols that share it, which is the last in order.
            commands.insert(&command.name, command);
            others.extend(command.per_thread_symbol.as_deref());
        }
        commands.extend(model.commands.iter().map(|command| (command.symbol.as_str(), command)));
        Self {
            aliases: direct.into_iter().filter(|(_, target)| records.contains_key(target)).collect(),
            records,
            commands,
            enumerations: model.enumerations.iter().map(|enumeration| (enumeration.name.as_str(), enumeration)).collect(),
            enumerators: model
                .enumerations
                .iter()
                .flat_map(|enumeration| {
                    enumeration.enumerators.iter().map(move |value| (value.name.as_str(), (enumeration, value)))
                })
                .collect(),
            constants: model.constants.iter().map(|constant| (constant.name.as_str(), constant.value.integer())).collect(),
            others,
        }
    }

    /// The record called `name`, or for which that is another name.
    #[must_use]
    pub fn record(&self, name: &str) -> Option<&'a Record> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        self.records.get(name).copied()
    }

    /// The name by which people know a record: its alias, if it has one.
    #[must_use]
    pub fn short<'b>(&'b self, record: &'b str) -> &'b str {
        self.aliases.iter().find(|(_, target)| **target == record).map_or(record, |(alias, _)| *alias)
    }

    /// The command with this symbol or public name.
    #[must_use]
    pub fn command(&self, name: &str) -> Option<&'a Command> {
        self.commands.get(name).copied()
    }

    /// The enumeration called `name`.
    #[must_use]
    pub fn enumeration(&self, name: &str) -> Option<&'a Enumeration> {
        self.enumerations.get(name).copied()
    }

    /// The enumeration that has the value called `name`, and the value.
    #[must_use]
    pub fn enumerator(&self, name: &str) -> Option<(&'a Enumeration, &'a Enumerator)> {
        self.enumerators.get(name).copied()
    }

    /// Whether `name` is a value: an enumerator or a constant.
    #[must_use]
    pub fn is_value(&self, name: &str) -> bool {
        self.enumerators.contains_key(name) || self.constants.contains_key(name)
    }

    /// The value that is written as `VALUE`, or as `ENUMERATION::VALUE`.
    #[must_use]
    pub fn value<'b>(&self, written: &'b str) -> Option<&'b str> {
        match written.split_once("::") {
            None => self.is_value(written).then_some(written),
            Some((enumeration, value)) => {
                self.enumerators.get(value).is_some_and(|(owner, _)| owner.name == enumeration).then_some(value)
            }
        }
    }

    /// The parameter of a command, or member of a record, that has the enumeration of `value` for its type.
    #[must_use]
    pub fn field_of_type(&self, subject: &str, value: &str) -> Option<Field> {
        let (enumeration, _) = self.enumerator(value)?;
        let wanted = |ctype: &CType| matches!(ctype, CType::Named(name) if *name == enumeration.name);
        let (subject, name) = if let Some(command) = self.command(subject) {
            (&command.symbol, &command.parameters.iter().find(|parameter| wanted(&parameter.ctype))?.name)
        } else {
            let record = self.record(subject)?;
            (&record.name, &record.members.iter().find(|member| wanted(&member.ctype))?.name)
        };
        Some(Field { subject: subject.clone(), path: name.parse().ok()? })
    }

    /// The integer that a value stands for.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i128> {
        match self.enumerators.get(name) {
            Some((_, value)) => value.value.integer(),
            None => self.constants.get(name).copied().flatten(),
        }
    }

    /// The member of `record` that `names` lead to, through members without a name as well.
    fn member(&self, record: &str, names: &[&str]) -> Option<Path> {
        let mut record = self.record(record)?;
        let mut way: Vec<String> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let (steps, ctype) = self.step(record, name)?;
            way.extend(steps);
            if index + 1 < names.len() {
                record = self.pointee(ctype)?;
            }
        }
        way.join(".").parse().ok()
    }

    /// From `record` into its member `name`: usually one step, more where it is in a nameless member.
    fn step(&self, record: &'a Record, name: &str) -> Option<(Vec<String>, &'a CType)> {
        if let Some(member) = record.members.iter().find(|member| member.name == name) {
            return Some((vec![member.name.clone()], &member.ctype));
        }
        record.members.iter().filter(|member| member.nameless).find_map(|member| {
            let inner = self.pointee(&member.ctype)?;
            let (mut way, ctype) = self.step(inner, name)?;
            way.insert(0, member.name.clone());
            Some((way, ctype))
        })
    }

    /// The record that a value of this type is, points to, or is an array of.
    fn pointee(&self, ctype: &CType) -> Option<&'a Record> {
        match ctype {
            CType::Named(name) => self.record(name),
            CType::Pointer { to, .. } => self.pointee(to),
            CType::Array { of, .. } => self.pointee(of),
            CType::Void | CType::Function(_) => None,
        }
    }

    /// The part that a written name means: `RECORD::member::member`, or a parameter of `command` with members after it.
    #[must_use]
    pub fn field(&self, command: Option<&str>, written: &str) -> Option<Field> {
        let written = written.replace("->", "::").replace('.', "::");
        let mut names = written.split("::").filter(|name| !name.is_empty());
        let first = names.next()?;
        let rest: Vec<_> = names.collect();
        if let Some(command) = command.and_then(|command| self.command(command))
            && let Some(parameter) = command.parameters.iter().find(|parameter| parameter.name == first)
        {
            let mut path: Path = parameter.name.parse().ok()?;
            if !rest.is_empty() {
                let record = self.pointee(&parameter.ctype)?;
                for name in self.member(&record.name, &rest)?.names() {
                    path = path.then(name);
                }
            }
            return Some(Field { subject: command.symbol.clone(), path });
        }
        let record = self.record(first)?;
        let path = self.member(first, &rest)?;
        Some(Field { subject: record.name.clone(), path })
    }

    /// The member `name` beside, or within the same record as, the member at `path` of `record`: looked for from the innermost out.
    #[must_use]
    pub fn neighbour(&self, record: &str, path: &str, name: &str) -> Option<Field> {
        let owner = self.record(record)?;
        let way: Vec<_> = path.split('.').filter(|step| !step.is_empty()).collect();
        (0..=way.len()).rev().find_map(|depth| {
            let names: Vec<_> = way[..depth].iter().copied().chain(name.split("::")).collect();
            let path = self.member(&owner.name, &names)?;
            Some(Field { subject: owner.name.clone(), path })
        })
    }

    /// Whether anything of the model has this name: a command, a record or one of its parts, a type, a value.
    #[must_use]
    pub fn knows(&self, written: &str) -> bool {
        let written = written.replace("->", "::").replace('.', "::");
        // An element of an array stands for the array.
        let mut names = written.split("::").map(|name| name.split('[').next().unwrap_or(name));
        let first = names.next().unwrap_or_default();
        // The tag of a type stands for its typedef.
        let first = ["_enum", "_st", "_union", "_struct"].iter().find_map(|tag| first.strip_suffix(tag)).unwrap_or(first);
        let rest: Vec<_> = names.collect();
        match rest.as_slice() {
            [] => {
                self.record(first).is_some()
                    || self.commands.contains_key(first)
                    || self.enumerations.contains_key(first)
                    || self.is_value(first)
                    || self.others.contains(first)
            }
            [value] if self.enumerations.contains_key(first) => {
                self.enumerations[first].enumerators.iter().any(|candidate| candidate.name == *value)
            }
            rest => self.member(first, rest).is_some(),
        }
    }
}
