//! Many releases in one model.
//!
//! In: the models of several releases, oldest first; or a merged model and a newer release. Out: one model that says of each item and leaf
//! since and until when it exists, and what it was before. The answers to what has no obvious one:
//!
//! - *Same name, other value*: the newest value has the plain name, because that is what upstream's headers give; the older one is in
//!   [`Lifetime::changed`](crate::model::Lifetime) and in the documentation.
//! - *Same name, other signature*: a CUDA command is its exported symbol, so that both are there (`cuCtxSynchronize` of 2000 and
//!   `cuCtxSynchronize_v2` of 13000), each with its own public name and version.
//! - *Members moved into a nameless union*: the newest layout; the member has its old `since`, and an accessor of its old name.
//! - *Other size, alignment or offset*: the newest layout, with the older figures in `changed`. A member that is gone is in the
//!   `changed` of its record, since it has no place in the newest layout.
//! - *Another kind of thing under the same name* (an enumeration that becomes an alias): the newest kind; values go to where they are now.
//! - *Gone*: stays, with `until`: the last release whose headers or registry have it. A driver may have it for longer, so that nothing may
//!   conclude from it that a driver lacks it. What comes back was never away: `until` is taken off again.
//! - *A rule that upstream takes back*: stays in the model with `until`, and is not checked any more, unless what it is about is gone with it.
//! - *An alias that means another type*: what ended before names the type that it meant then.

mod item;
mod moves;
mod state;
#[cfg(test)]
mod tests;

use std::{cmp::Ordering, collections::BTreeSet};

use self::item::{Sides, Step, join};
pub use self::state::{drop_rules_taken_back, newest};
use super::index::{Index, Item};
use crate::{
    diff::{describe::Describe, entry::Types},
    finding::{Finding, Findings},
    model::{Api, LastRelease, Model, Version},
};

/// The model of all `releases`, oldest first; each has exactly one.
pub fn merge(releases: Vec<Model>) -> Result<Model, Findings> {
    let mut releases = releases.into_iter();
    let first = releases.next().ok_or_else(|| Finding::error("there is no release to merge"))?;
    releases.try_fold(first, |merged, newer| continued(&merged, &newer))
}

/// A merged model, continued by a `newer` release.
pub fn continued(merged: &Model, newer: &Model) -> Result<Model, Findings> {
    let (before, now) = (label(merged)?, label(newer)?);
    if merged.api != newer.api {
        return Err(Finding::error("models of two APIs cannot be merged").into());
    }
    if before == now || age(&before, &now) == Ordering::Less {
        return Err(Finding::error("releases can only be merged from old to new")
            .found(format!("{now} after {before}"))
            .help("sort them, and leave out what is there twice")
            .into());
    }
    let Some(last) = last_release(merged.api, &before) else {
        return Err(Finding::error(format!("`{before}` is not the name of a release"))
            .wanted("a name that begins with a version")
            .into());
    };
    let until = if merged.api == Api::Cuda { last.to_string() } else { before };
    let mut releases = merged.releases.clone();
    releases.extend(newer.releases.iter().cloned());
    Ok(Model { releases, ..step(merged, newer, &Step(Some((last, until)))) })
}

/// A merged model whose newest release was read again, by `fresh`: what is gone was never upstream's, but the reader's.
#[must_use]
pub fn refreshed(merged: &Model, fresh: &Model) -> Model {
    let mut releases = merged.releases.clone();
    releases.pop();
    releases.extend(fresh.releases.iter().cloned());
    Model { releases, ..step(merged, fresh, &Step(None)) }
}

/// What becomes of the committed `snapshot` when one release is read: the history that it holds is kept.
///
/// A release that is older than the snapshot's newest one takes its place, without history: whoever asks for it wants that release. Of two
/// states of one version nobody can say which is older, so that nothing is said to be gone between them.
pub fn onto(snapshot: &Model, read: Model) -> Result<Model, Findings> {
    if snapshot.releases.is_empty() {
        // A snapshot of nothing has no history.
        return Ok(read);
    }
    let (before, now) = (label(snapshot)?, label(&read)?);
    match age(&before, &now) {
        Ordering::Less => Ok(read),
        Ordering::Equal => Ok(refreshed(snapshot, &read)),
        Ordering::Greater => continued(snapshot, &read),
    }
}

/// The name of a model's newest release.
fn label(model: &Model) -> Result<String, Finding> {
    model.releases.last().cloned().ok_or_else(|| Finding::error("a model does not say of which release it is"))
}

/// The numbers at the beginning of a release's name: 13, 5 and 37.
fn numbers(release: &str) -> Vec<u32> {
    let numbers = release.split('-').next().unwrap_or_default();
    numbers.split('.').map_while(|number| number.parse().ok()).collect()
}

/// How `now` is to `before`: less is older. `3.1` with a commit is neither older nor newer than `3.1.1`.
fn age(before: &str, now: &str) -> Ordering {
    let (before, now) = (numbers(before), numbers(now));
    let pairs = now.iter().zip(&before).map(|(now, before)| now.cmp(before));
    pairs.fold(Ordering::Equal, Ordering::then)
}

/// What `until` says of what ends with `release`: `13.5` of CUDA's 13.5.37, since patch releases do not change the API; all of OpenCL's 3.0.16,
/// since states of the registry do within a version.
fn last_release(api: Api, release: &str) -> Option<LastRelease> {
    let numbers: Option<Vec<u16>> = numbers(release).into_iter().map(|number| u16::try_from(number).ok()).collect();
    match *numbers?.as_slice() {
        [major, minor, patch] if api == Api::OpenCl => {
            Some(LastRelease { version: Version::new(major, minor), patch: Some(patch) })
        }
        [major, minor, ..] => Some(Version::new(major, minor).into()),
        _ => None,
    }
}

/// One step of merging; the releases are the caller's matter.
fn step(old: &Model, new: &Model, step: &Step) -> Model {
    let sides = Sides {
        old: Describe { types: Types::new(old), api: old.api },
        new: Describe { types: Types::new(new), api: new.api },
        api: new.api,
    };
    let kept = without_replaced(old, new);
    let mut result = new.clone();
    join(kept.commands, &mut result.commands, step, &sides);
    join(kept.callbacks, &mut result.callbacks, step, &sides);
    join(kept.records, &mut result.records, step, &sides);
    join(kept.enumerations, &mut result.enumerations, step, &sides);
    join(kept.constants, &mut result.constants, step, &sides);
    join(kept.handles, &mut result.handles, step, &sides);
    join(kept.aliases, &mut result.aliases, step, &sides);
    join(kept.macro_functions, &mut result.macro_functions, step, &sides);
    join(kept.extensions, &mut result.extensions, step, &sides);
    join(kept.rules, &mut result.rules, step, &sides);
    join(kept.handle_types, &mut result.handle_types, step, &sides);
    join(kept.properties, &mut result.properties, step, &sides);
    join(kept.error_lists, &mut result.error_lists, step, &sides);
    drop_orphans(new, &mut result);
    moves::members(old, new, &mut result);
    moves::kinds(old, &mut result, step);
    moves::pin_aliases(old, new, &mut result);
    super::order::order(&mut result);
    result
}

/// `old` without the types whose names mean another kind of thing in `new`.
fn without_replaced(old: &Model, new: &Model) -> Model {
    let index = Index::new(new);
    let mut kept = old.clone();
    kept.enumerations.retain(|item| matches!(index.get(&item.name), None | Some(Item::Enumeration(_))));
    kept.handles.retain(|item| matches!(index.get(&item.name), None | Some(Item::Handle(_))));
    kept.records.retain(|item| matches!(index.get(&item.name), None | Some(Item::Record(_))));
    kept.callbacks.retain(|item| matches!(index.get(&item.name), None | Some(Item::Callback(_))));
    kept.aliases.retain(|item| matches!(index.get(&item.name), None | Some(Item::Alias(_))));
    kept
}

/// Takes out nested records of a record that is still there, but no longer has them.
fn drop_orphans(new: &Model, result: &mut Model) {
    let names: BTreeSet<&str> = new.records.iter().map(|record| record.name.as_str()).collect();
    result.records.retain(|record| {
        names.contains(record.name.as_str()) || !record.parent.as_ref().is_some_and(|parent| names.contains(parent.as_str()))
    });
}
