//! What is in another place of the newest release than it was: members in a nameless union, values of a type that is another kind now.
//!
//! In: the two releases of a step, and what the step made of them. Out: the same with the age and the history of what moved, and with types of
//! what is gone that mean what they meant.

use std::collections::BTreeMap;

use super::item::Step;
use crate::{
    diff::entry::Types,
    model::{Api, CType, Change, Lifetime, Member, Model, Record},
    pass::index::{Index, Item, Resolved},
};

/// Gives members that are reached through a nameless one the age that they had before, and takes them off the list of what is gone.
pub(super) fn members(old: &Model, new: &Model, result: &mut Model) {
    let index = Index::new(new);
    let olds: BTreeMap<&str, &Record> = old.records.iter().map(|record| (record.name.as_str(), record)).collect();
    let mut ages: BTreeMap<(String, String), Lifetime> = BTreeMap::new();
    let mut moved: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in &new.records {
        let Some(was) = olds.get(record.name.as_str()) else { continue };
        let mut reached = Vec::new();
        nameless(&index, record, &mut reached);
        for (inner, member) in reached {
            if let Some(before) = was.members.iter().find(|before| before.name == member.name) {
                ages.insert((inner.name.clone(), member.name.clone()), before.lifetime.clone());
                moved.entry(record.name.clone()).or_default().push(format!("{}: ", member.name));
            }
        }
    }
    for record in &mut result.records {
        if let Some(names) = moved.get(&record.name) {
            let is_moved = |change: &Change| change.aspect == "member" && names.iter().any(|name| change.was.starts_with(name));
            record.lifetime.changed.retain(|change| !is_moved(change));
        }
        for member in &mut record.members {
            if let Some(before) = ages.get(&(record.name.clone(), member.name.clone())) {
                member.lifetime.since = before.since;
                member.lifetime.changed.clone_from(&before.changed);
            }
        }
    }
}

/// The members that C reaches through nameless ones, each with the record that it stands in.
fn nameless<'a>(index: &Index<'a>, record: &'a Record, reached: &mut Vec<(&'a Record, &'a Member)>) {
    for member in record.members.iter().filter(|member| member.nameless) {
        if let Resolved::Record(inner) = index.resolve(&member.ctype) {
            reached.extend(inner.members.iter().filter(|member| !member.nameless).map(|member| (inner, member)));
            nameless(index, inner, reached);
        }
    }
}

/// Gives a type that is another kind of thing now, and values that went from an enumeration to constants, the age that they had before.
pub(super) fn kinds(old: &Model, result: &mut Model, step: &Step) {
    let Step(Some((_, until))) = step else { return };
    let before = Index::new(old);
    let kind = |item: Item<'_>| match item {
        Item::Enumeration(_) => "enumeration",
        Item::Handle(_) => "handle",
        Item::Record(_) => "record",
        Item::Callback(_) => "callback",
        Item::Alias(_) => "alias",
    };
    let age = |item: Item<'_>| match item {
        Item::Enumeration(item) => item.lifetime.clone(),
        Item::Handle(item) => item.lifetime.clone(),
        Item::Record(item) => item.lifetime.clone(),
        Item::Callback(item) => item.lifetime.clone(),
        Item::Alias(item) => item.lifetime.clone(),
    };
    // A type of OpenCL's registry is a number before and after the registry says which values belong to it.
    let same =
        |was: &str, now: &str| old.api == Api::OpenCl && [was, now].iter().all(|kind| ["alias", "enumeration"].contains(kind));
    let settle = |name: &str, now: &str, lifetime: &mut Lifetime| {
        if let Some(was) = before.get(name).filter(|was| kind(*was) != now) {
            let older = age(was);
            if old.api == Api::Cuda {
                lifetime.since = older.since;
            }
            lifetime.changed = older.changed;
            if same(kind(was), now) {
                return;
            }
            lifetime.changed.push(Change { aspect: "kind".to_owned(), was: kind(was).to_owned(), until: until.to_owned() });
        }
    };
    result.enumerations.iter_mut().for_each(|item| settle(&item.name, "enumeration", &mut item.lifetime));
    result.handles.iter_mut().for_each(|item| settle(&item.name, "handle", &mut item.lifetime));
    result.records.iter_mut().for_each(|item| settle(&item.name, "record", &mut item.lifetime));
    result.callbacks.iter_mut().for_each(|item| settle(&item.name, "callback", &mut item.lifetime));
    result.aliases.iter_mut().for_each(|item| settle(&item.name, "alias", &mut item.lifetime));

    let values: BTreeMap<&str, &Lifetime> =
        old.enumerations.iter().flat_map(|item| &item.enumerators).map(|leaf| (leaf.name.as_str(), &leaf.lifetime)).collect();
    let known: Vec<&str> = old.constants.iter().map(|item| item.name.as_str()).collect();
    for constant in result.constants.iter_mut().filter(|constant| !known.contains(&constant.name.as_str())) {
        if let Some(older) = values.get(constant.name.as_str()) {
            constant.lifetime.since = older.since;
        }
    }
}

/// Makes what ended name the types that it meant: `cuGraphKernelNodeGetParams` of CUDA 11 fills a `CUDA_KERNEL_NODE_PARAMS_v1`, although
/// `CUDA_KERNEL_NODE_PARAMS` is another name of `…_v2` by now.
pub(super) fn pin_aliases(old: &Model, new: &Model, result: &mut Model) {
    let (before, after) = (Types::new(old), Types::new(new));
    let index = Index::new(new);
    let meant: BTreeMap<&str, &CType> = (old.aliases.iter())
        .filter(|alias| index.get(&alias.name).is_some())
        .filter(|alias| before.followed(&alias.ctype) != after.followed(&CType::Named(alias.name.clone())))
        .map(|alias| (alias.name.as_str(), &alias.ctype))
        .collect();
    if meant.is_empty() {
        return;
    }
    let is_gone = |lifetime: &Lifetime| lifetime.until.is_some();
    for command in result.commands.iter_mut().filter(|item| is_gone(&item.lifetime)) {
        pin(&mut command.returns, &meant);
        command.parameters.iter_mut().for_each(|parameter| pin(&mut parameter.ctype, &meant));
    }
    for callback in result.callbacks.iter_mut().filter(|item| is_gone(&item.lifetime)) {
        pin(&mut callback.returns, &meant);
        callback.parameters.iter_mut().for_each(|parameter| pin(&mut parameter.ctype, &meant));
    }
    for record in result.records.iter_mut().filter(|item| is_gone(&item.lifetime)) {
        record.members.iter_mut().for_each(|member| pin(&mut member.ctype, &meant));
    }
    result.aliases.iter_mut().filter(|item| is_gone(&item.lifetime)).for_each(|alias| pin(&mut alias.ctype, &meant));
    result.constants.iter_mut().filter(|item| is_gone(&item.lifetime)).for_each(|constant| pin(&mut constant.ctype, &meant));
}

/// Puts what `meant` says in the place of the names in `ctype`.
fn pin(ctype: &mut CType, meant: &BTreeMap<&str, &CType>) {
    match ctype {
        CType::Void => {}
        CType::Pointer { to, .. } => pin(to, meant),
        CType::Array { of, .. } => pin(of, meant),
        CType::Function(signature) => {
            pin(&mut signature.returns, meant);
            signature.parameters.iter_mut().for_each(|parameter| pin(&mut parameter.ctype, meant));
        }
        CType::Named(name) => {
            // One alias after the other: what the first stands for may have another meaning by now, too.
            let mut steps = meant.len();
            let mut target = meant.get(name.as_str());
            while let Some(CType::Named(next)) = target
                && let Some(further) = meant.get(next.as_str())
                && steps > 0
            {
                target = Some(further);
                steps -= 1;
            }
            if let Some(target) = target {
                *ctype = (*target).clone();
            }
        }
    }
}
