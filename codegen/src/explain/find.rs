//! What a name stands for.
//!
//! In: a model and a name that somebody typed. Out: everything of that name; and all names, to find the nearest ones among.

use std::collections::BTreeSet;

use crate::model::{Alias, CType, Command, Constant, Enumeration, Enumerator, Handle, HandleType, Model, Omitted, Record, Rule};

/// A thing that a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    Command(&'a Command),
    Record(&'a Record),
    Enumeration(&'a Enumeration),
    Enumerator(&'a Enumeration, &'a Enumerator),
    HandleType(&'a HandleType),
    Rule(&'a Rule),
    Constant(&'a Constant),
    Handle(&'a Handle),
    Alias(&'a Alias),
    Omitted(&'a Omitted),
}

/// Everything in `model` that is called `name`. A name of a type that stands for another brings that as well.
pub(super) fn subjects<'a>(model: &'a Model, name: &str) -> Vec<Subject<'a>> {
    let mut found = Vec::new();
    let named =
        |command: &&Command| command.symbol == name || command.name == name || command.per_thread_symbol.as_deref() == Some(name);
    found.extend(model.commands.iter().filter(named).map(Subject::Command));
    let mut alias = model.aliases.iter().find(|alias| alias.name == name);
    let mut name = name;
    // An alias of an alias; one that comes back to itself ends the walk, because no more than all of them can be on it.
    for _ in 0..model.aliases.len() {
        let Some(found_alias) = alias else { break };
        found.push(Subject::Alias(found_alias));
        let CType::Named(target) = &found_alias.ctype else { break };
        name = target;
        alias = model.aliases.iter().find(|alias| alias.name == name);
    }
    found.extend(model.records.iter().filter(|record| record.name == name).map(Subject::Record));
    for enumeration in &model.enumerations {
        if enumeration.name == name {
            found.push(Subject::Enumeration(enumeration));
        }
        let values = enumeration.enumerators.iter().filter(|value| value.name == name);
        found.extend(values.map(|value| Subject::Enumerator(enumeration, value)));
    }
    found.extend(model.handle_types.iter().filter(|row| row.name == name || row.short == name).map(Subject::HandleType));
    found.extend(model.constants.iter().filter(|constant| constant.name == name).map(Subject::Constant));
    found.extend(model.handles.iter().filter(|handle| handle.name == name).map(Subject::Handle));
    found.extend(model.omitted.iter().filter(|omitted| omitted.name == name).map(Subject::Omitted));
    let below = format!("{}/", name.trim_end_matches('/'));
    found.extend(model.rules.iter().filter(|rule| rule.id == name || rule.id.starts_with(&below)).map(Subject::Rule));
    found
}

/// Every name that [`subjects`] finds something for, except beginnings of rule ids.
pub(super) fn names(model: &Model) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for command in &model.commands {
        names.extend([command.symbol.as_str(), command.name.as_str()]);
        names.extend(command.per_thread_symbol.as_deref());
    }
    for enumeration in &model.enumerations {
        names.insert(enumeration.name.as_str());
        names.extend(enumeration.enumerators.iter().map(|value| value.name.as_str()));
    }
    names.extend(model.aliases.iter().map(|one| one.name.as_str()));
    names.extend(model.records.iter().map(|one| one.name.as_str()));
    names.extend(model.handle_types.iter().flat_map(|one| [one.name.as_str(), one.short.as_str()]));
    names.extend(model.constants.iter().map(|one| one.name.as_str()));
    names.extend(model.handles.iter().map(|one| one.name.as_str()));
    names.extend(model.omitted.iter().map(|one| one.name.as_str()));
    names.extend(model.rules.iter().map(|one| one.id.as_str()));
    names
}
