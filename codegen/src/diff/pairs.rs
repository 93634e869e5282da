//! Which entry of one release is which of the other, and what changed between them.
//!
//! In: the entries of two releases. Out: changes. Names identify things; what is gone is the same as what is new if it has the same value
//! in the same place, or the same name in another place.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Entry, Grade, Kind, What};

/// The kind as far as it identifies: a type is a type, whatever it is made of.
type Key<'a> = (Option<Kind>, &'a str);

fn key(entry: &Entry) -> Key<'_> {
    (Some(entry.kind).filter(|kind| !kind.is_type()), &entry.key)
}

/// Every change from `old` to `new`.
pub(super) fn changes(old: &[Entry], new: &[Entry]) -> Vec<Change> {
    let (olds, news): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (old.iter().map(|entry| (key(entry), entry)).collect(), new.iter().map(|entry| (key(entry), entry)).collect());
    let subjects: BTreeSet<&str> = old.iter().filter(|entry| entry.kind != Kind::Rule).map(|entry| entry.name.as_str()).collect();
    let mut changes = Vec::new();
    let mut gone: Vec<(Option<&Entry>, &Entry)> = Vec::new();
    let mut fresh: Vec<(Option<&Entry>, &Entry)> = Vec::new();
    for (key, was) in &olds {
        match news.get(key) {
            Some(is) => pair(was, is, &mut changes, &mut gone, &mut fresh),
            None => gone.push((None, was)),
        }
    }
    fresh.extend(news.iter().filter(|(key, _)| !olds.contains_key(*key)).map(|(_, is)| (None, *is)));
    leave_out_implied(&mut gone);
    leave_out_implied(&mut fresh);
    moved(&mut gone, &mut fresh, &mut changes);
    renamed(&mut gone, &mut fresh, &mut changes);
    changes.extend(gone.iter().map(|(owner, was)| change(removal(was), *owner, was, What::Removed)));
    changes.extend(fresh.iter().map(|(owner, is)| change(addition(is, &subjects), *owner, is, What::Added)));
    changes
}

fn change(grade: Grade, owner: Option<&Entry>, entry: &Entry, what: What) -> Change {
    let item = owner.unwrap_or(entry).name.clone();
    Change { grade, kind: entry.kind, item, leaf: owner.map(|_| entry.name.clone()), what }
}

/// The changes of one thing; what of it is gone or new goes to those lists.
fn pair<'a>(
    was: &'a Entry,
    is: &'a Entry,
    changes: &mut Vec<Change>,
    gone: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
    fresh: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
) {
    if was.kind != is.kind {
        let what = What::Changed { aspect: "kind".to_owned(), was: was.kind.name().to_owned(), is: is.kind.name().to_owned() };
        changes.push(change(Grade::Source, None, is, what));
        gone.extend(was.leaves.iter().map(|leaf| (Some(was), leaf)));
        fresh.extend(is.leaves.iter().map(|leaf| (Some(is), leaf)));
        return;
    }
    steps(None, was, is, changes);
    if matches!(was.kind, Kind::Command | Kind::Callback) {
        parameters(was, is, changes);
        return;
    }
    let leaves: BTreeMap<&str, &Entry> = was.leaves.iter().map(|leaf| (leaf.key.as_str(), leaf)).collect();
    for leaf in &is.leaves {
        match leaves.get(leaf.key.as_str()) {
            Some(old) => steps(Some((was, is)), old, leaf, changes),
            None => fresh.push((Some(is), leaf)),
        }
    }
    let kept: BTreeSet<&str> = is.leaves.iter().map(|leaf| leaf.key.as_str()).collect();
    gone.extend(was.leaves.iter().filter(|leaf| !kept.contains(leaf.key.as_str())).map(|leaf| (Some(was), leaf)));
}

/// What is said about an item that is gone or new as a whole goes without saying.
fn leave_out_implied(list: &mut Vec<(Option<&Entry>, &Entry)>) {
    let whole: BTreeSet<&str> = list
        .iter()
        .filter(|(owner, entry)| owner.is_none() && entry.kind <= Kind::Constant)
        .map(|(_, entry)| entry.name.as_str())
        .collect();
    list.retain(|(_, entry)| match entry.kind {
        Kind::ErrorList => !whole.contains(entry.name.as_str()),
        Kind::Rule => entry.fact("subject").is_none_or(|subject| !whole.contains(subject.text.as_str())),
        _ => true,
    });
}

/// What a function takes is one thing: a parameter in the middle moves all that come after it.
fn parameters(was: &Entry, is: &Entry, changes: &mut Vec<Change>) {
    if let Some(grade) = was.parameters_step(is) {
        let what = What::Changed { aspect: "parameters".to_owned(), was: was.parameters(), is: is.parameters() };
        changes.push(change(grade, None, is, what));
    } else {
        for (was, leaf) in was.leaves.iter().zip(&is.leaves) {
            steps(Some((is, is)), was, leaf, changes);
        }
    }
}

fn steps(owners: Option<(&Entry, &Entry)>, was: &Entry, is: &Entry, changes: &mut Vec<Change>) {
    for (old, new, grade) in was.steps(is) {
        let Some(fact) = old.or(new) else { continue };
        let grade = if fact.aspect == "value" && counts(owners, was, is) { Grade::Adds } else { grade };
        let text = |fact: Option<&super::Fact>| fact.map(|fact| fact.text.clone()).unwrap_or_default();
        let what = What::Changed { aspect: fact.aspect.clone(), was: text(old), is: text(new) };
        changes.push(change(grade, owners.map(|(_, is)| is), is, what));
    }
}

fn number(entry: &Entry) -> Option<i128> {
    entry.fact("value")?.text.parse::<crate::model::Value>().ok()?.integer()
}

/// Whether a value only says how many there are, or which release it is: it grows with every release and nobody passes it to a driver.
fn counts(owners: Option<(&Entry, &Entry)>, was: &Entry, is: &Entry) -> bool {
    let last = |owner: &Entry, entry: &Entry| {
        let all = owner.leaves.iter().filter_map(number);
        number(entry).is_some_and(|value| all.max() == Some(value))
    };
    match owners {
        Some((old, new)) => {
            let named = is.name.ends_with("_MAX") || is.name.ends_with("_COUNT") || is.name.contains("_NUM_");
            named && last(old, was) && last(new, is)
        }
        None => is.name == "CUDA_VERSION",
    }
}

/// What is gone from one place and new in another under the same name, such as an enumerator that becomes a constant.
fn moved<'a>(
    gone: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
    fresh: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
    changes: &mut Vec<Change>,
) {
    let is_value = |entry: &Entry| matches!(entry.kind, Kind::Enumerator | Kind::Constant);
    let place = |owner: Option<&Entry>| owner.map_or("no type", |owner| owner.name.as_str()).to_owned();
    gone.retain(|(owner, was)| {
        if !is_value(was) {
            return true;
        }
        let Some(at) = fresh.iter().position(|(_, is)| is_value(is) && is.name == was.name) else { return true };
        let (to, is) = fresh.remove(at);
        let what = What::Changed { aspect: "place".to_owned(), was: place(*owner), is: place(to) };
        changes.push(change(Grade::Source, *owner, was, what));
        for (old, new, grade) in was.steps(is) {
            if let (Some(old), Some(new)) = (old, new)
                && old.aspect == "value"
            {
                let what = What::Changed { aspect: "value".to_owned(), was: old.text.clone(), is: new.text.clone() };
                changes.push(change(grade, to, is, what));
            }
        }
        false
    });
}

/// What has another name and is otherwise the same; and a value that got a longer name and another number at once.
fn renamed<'a>(
    gone: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
    fresh: &mut Vec<(Option<&'a Entry>, &'a Entry)>,
    changes: &mut Vec<Change>,
) {
    let same_place = |a: Option<&Entry>, b: Option<&Entry>| a.map(|entry| &entry.name) == b.map(|entry| &entry.name);
    for exact in [true, false] {
        gone.retain(|(owner, was)| {
            let alike = |(to, is): &(Option<&Entry>, &Entry)| {
                was.kind == is.kind && same_place(*owner, *to) && if exact { is_same(was, is) } else { is_successor(was, is) }
            };
            let found: Vec<usize> = fresh.iter().enumerate().filter(|(_, entry)| alike(entry)).map(|(at, _)| at).collect();
            // Of several nobody can say which it is.
            let &[at] = found.as_slice() else { return true };
            let (to, is) = fresh.remove(at);
            changes.push(change(Grade::Source, *owner, was, What::Renamed { to: is.name.clone() }));
            if !exact {
                let text = |entry: &Entry| entry.fact("value").map(|fact| fact.text.clone()).unwrap_or_default();
                let what = What::Changed { aspect: "value".to_owned(), was: text(was), is: text(is) };
                changes.push(change(Grade::Abi, to, is, what));
            }
            false
        });
    }
}

/// Whether two leaves or constants have the same value, or the same type at the same offset.
fn is_same(was: &Entry, is: &Entry) -> bool {
    let equal = |aspect: &str| match (was.fact(aspect), is.fact(aspect)) {
        (Some(was), Some(is)) => was.step(is).is_none(),
        _ => false,
    };
    match was.kind {
        Kind::Enumerator => equal("value"),
        Kind::Constant => equal("value") && equal("type") && is_kin(&was.name, &is.name),
        Kind::Member => equal("type") && equal("offset"),
        _ => false,
    }
}

/// Whether two names have all words in common but one: many constants are 1, and are not each other for it.
fn is_kin(was: &str, is: &str) -> bool {
    let words = |name: &str| -> BTreeSet<String> { name.split('_').map(str::to_owned).collect() };
    words(was).symmetric_difference(&words(is)).count() <= 2
}

/// Whether `is` is `was` under a name with something put in after the prefix.
fn is_successor(was: &Entry, is: &Entry) -> bool {
    let stem = was.name.split_once('_').map_or("", |(_, stem)| stem);
    was.kind == Kind::Enumerator && stem.len() >= 8 && is.name.strip_suffix(stem).is_some_and(|rest| rest.ends_with('_'))
}

/// What is broken where something is gone. A header that no longer declares a command does not take it out of drivers.
fn removal(entry: &Entry) -> Grade {
    match entry.kind {
        Kind::ErrorList | Kind::ErrorCode => Grade::Text,
        // Less is refused than before.
        Kind::Rule => Grade::Adds,
        _ => Grade::Source,
    }
}

fn addition(entry: &Entry, subjects: &BTreeSet<&str>) -> Grade {
    match entry.kind {
        Kind::ErrorList | Kind::ErrorCode => Grade::Text,
        // The checks of something that was there before refuse more.
        Kind::Rule if entry.fact("subject").is_some_and(|fact| subjects.contains(fact.text.as_str())) => Grade::Source,
        _ => Grade::Adds,
    }
}
