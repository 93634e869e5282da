//! What a name stands for.
//!
//! In: a model and a name that somebody typed. Out: everything of that name; or the names that are nearest to it.

use std::collections::BTreeSet;

use crate::model::{Alias, CType, Command, Constant, Enumeration, Enumerator, Handle, HandleType, Model, Omitted, Record, Rule};

/// Suggestions that are shown.
const MOST_SUGGESTIONS: usize = 5;

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

/// The names that are nearest to `name`, nearest first: what contains it, or differs by little.
pub(super) fn nearest<'a>(name: &str, names: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let most = wanted.chars().count() / 3 + 1;
    let rank = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let distance = distance(&wanted, &candidate, most);
        let contained = wanted.len() >= 4 && candidate.contains(&wanted);
        // What contains the whole name differs by what it has more; that is a better guess than as many wrong letters.
        let extra = contained.then(|| most + candidate.len() - wanted.len());
        distance.into_iter().chain(extra).min()
    };
    let mut ranked: Vec<(usize, &str)> = names.iter().filter_map(|candidate| Some((rank(candidate)?, *candidate))).collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// How many letters have to be put in, taken out or changed to make `right` of `left`, if that is at most `most`.
fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_letters_put_in_taken_out_and_changed() {
        assert_eq!(distance("kitten", "sitting", 9), Some(3));
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("abc", "abc", 0), Some(0));
        assert_eq!(distance("abc", "xyz", 2), None, "further than asked for");
    }

    #[test]
    fn the_nearest_name_comes_first_whatever_its_case() {
        let names = BTreeSet::from(["cuInit", "cuInitialize", "cuMemAlloc"]);
        assert_eq!(nearest("CUINIT", &names), ["cuInit", "cuInitialize"]);
        assert_eq!(nearest("cuInut", &names), ["cuInit"]);
        assert!(nearest("zebra", &names).is_empty());
    }
}
