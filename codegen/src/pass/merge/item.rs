//! One list of items of two releases becomes one list.
//!
//! In: the older items and the newer ones. Out: the newer ones, each with the older one's `since` and what it was before; then what only the
//! older release has, with `until`. Leaves are joined the same way as items.

use std::collections::BTreeMap;

use crate::{
    diff::{Grade, describe::Describe, entry::Entry},
    model::{
        Alias, Api, Callback, Change, Command, Constant, Enumeration, Enumerator, ErrorCode, ErrorList, Extension, Handle,
        HandleType, LastRelease, Lifetime, MacroFunction, Member, Property, Record, Rule, Source,
    },
};

/// What the step from one release to the next says of what is gone: the last release that has it, and the same as `changed` writes it. `None` where both
/// are the same release, so that nothing of upstream's can have changed.
pub(super) struct Step(pub Option<(LastRelease, String)>);

/// The two sides of a step.
pub(super) struct Sides<'a> {
    pub old: Describe<'a>,
    pub new: Describe<'a>,
    pub api: Api,
}

/// Something that has a name and a lifetime.
pub(super) trait Item {
    fn key(&self) -> String;
    fn lifetime(&mut self) -> Option<&mut Lifetime>;
    fn entry(&self, describe: &Describe<'_>) -> Option<Entry>;
    /// Takes over what `old` knows besides its lifetime.
    fn inherit(&mut self, _old: Self, _step: &Step, _sides: &Sides<'_>)
    where
        Self: Sized,
    {
    }
}

/// The facts of which the older form is worth keeping. Others are prose, or follow from these.
const KEPT: [&str; 12] = [
    "value",
    "type",
    "representation",
    "shape",
    "size",
    "alignment",
    "offset",
    "returns",
    "body",
    "predicate",
    "owner_on_success",
    "owner_on_failure",
];

/// The constant that says which release it is: other in each, and known.
const RELEASE: &str = "CUDA_VERSION";

/// Joins `old` into `new`.
pub(super) fn join<T: Item>(old: Vec<T>, new: &mut Vec<T>, step: &Step, sides: &Sides<'_>) {
    let mut olds: BTreeMap<String, (usize, T)> =
        old.into_iter().enumerate().map(|(place, item)| (item.key(), (place, item))).collect();
    for item in new.iter_mut() {
        if let Some((_, old)) = olds.remove(&item.key()) {
            one(old, item, step, sides);
        }
    }
    let mut gone: Vec<(usize, T)> = olds.into_values().collect();
    gone.sort_by_key(|(place, _)| *place);
    new.extend(gone.into_iter().filter_map(|(_, item)| ended(item, step)));
}

/// `item` as the newer release leaves it, which does not have it; `None` if it was never upstream's.
fn ended<T: Item>(mut item: T, Step(step): &Step) -> Option<T> {
    if let Some(lifetime) = item.lifetime()
        && lifetime.until.is_none()
    {
        let (last, _) = step.as_ref()?;
        lifetime.until = Some(*last);
    }
    Some(item)
}

/// Takes what `old` knows into `new`.
fn one<T: Item>(mut old: T, new: &mut T, step: &Step, sides: &Sides<'_>) {
    let changes = match &step.0 {
        Some((_, until)) => changes(old.entry(&sides.old), new.entry(&sides.new), until),
        None => Vec::new(),
    };
    if let (Some(old), Some(new)) = (old.lifetime().cloned(), new.lifetime()) {
        // OpenCL's registry says itself since when things are there; a later state of it knows better.
        if sides.api == Api::Cuda {
            new.since = [old.since, new.since].into_iter().flatten().min();
            new.deprecated = new.deprecated.and(old.deprecated.or(new.deprecated));
        }
        new.changed = old.changed;
        new.changed.extend(changes);
    }
    new.inherit(old, step, sides);
}

fn changes(old: Option<Entry>, new: Option<Entry>, until: &str) -> Vec<Change> {
    let (Some(old), Some(new)) = (old, new) else { return Vec::new() };
    if old.name == RELEASE {
        return Vec::new();
    }
    let mut changes: Vec<Change> = (old.steps(&new).into_iter())
        .filter(|(_, _, grade)| *grade > Grade::Text)
        .filter_map(|(was, _, _)| was)
        .filter(|was| KEPT.contains(&was.aspect.as_str()))
        .map(|was| Change { aspect: was.aspect.clone(), was: was.text.clone(), until: until.to_owned() })
        .collect();
    if old.parameters_step(&new).is_some_and(|grade| grade > Grade::Text) {
        changes.push(Change { aspect: "parameters".to_owned(), was: old.parameters(), until: until.to_owned() });
    }
    changes
}

/// Implements [`Item`] for what has nothing to inherit.
macro_rules! plain {
    ($($type:ty, $key:ident, $describe:ident;)+) => {
        $(impl Item for $type {
            fn key(&self) -> String {
                self.$key.clone()
            }
            fn lifetime(&mut self) -> Option<&mut Lifetime> {
                Some(&mut self.lifetime)
            }
            fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
                Some(describe.$describe(self))
            }
        })+
    };
}

plain! {
    Constant, name, constant;
    Enumerator, name, enumerator;
    Alias, name, alias;
    Handle, name, handle;
    Callback, name, callback;
    MacroFunction, name, macro_function;
    Member, name, member;
}

impl Item for Extension {
    fn key(&self) -> String {
        self.name.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, _describe: &Describe<'_>) -> Option<Entry> {
        None
    }
}

impl Item for Command {
    fn key(&self) -> String {
        self.symbol.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(describe.command(self))
    }

    fn inherit(&mut self, _old: Self, _step: &Step, _sides: &Sides<'_>) {
        for parameter in &mut self.parameters {
            parameter.lifetime.since = self.lifetime.since;
        }
    }
}

impl Item for Enumeration {
    fn key(&self) -> String {
        self.name.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(Entry { leaves: Vec::new(), ..describe.enumeration(self) })
    }

    fn inherit(&mut self, old: Self, step: &Step, sides: &Sides<'_>) {
        join(old.enumerators, &mut self.enumerators, step, sides);
        settle_aliases(&mut self.enumerators);
    }
}

/// Which names are further ones. The newest release has said so of its own; what only older ones have is a further name of a value that has
/// one now.
fn settle_aliases(enumerators: &mut [Enumerator]) {
    let mut canonical: BTreeMap<i128, String> = BTreeMap::new();
    for alive in [true, false] {
        for leaf in enumerators.iter_mut().filter(|leaf| leaf.lifetime.until.is_none() == alive) {
            let Some(value) = leaf.value.integer() else { continue };
            if alive {
                if leaf.alias_of.is_none() {
                    canonical.entry(value).or_insert_with(|| leaf.name.clone());
                }
            } else {
                leaf.alias_of = canonical.get(&value).cloned();
                canonical.entry(value).or_insert_with(|| leaf.name.clone());
            }
        }
    }
}

impl Item for Record {
    fn key(&self) -> String {
        self.name.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(describe.bare_record(self))
    }

    fn inherit(&mut self, old: Self, step: &Step, sides: &Sides<'_>) {
        let count = self.members.len();
        join(old.members, &mut self.members, step, sides);
        // A member has no place in a layout that does not have it.
        let gone = self.members.split_off(count);
        if let Step(Some((_, until))) = step {
            self.lifetime.changed.extend(gone.into_iter().map(|member| Change {
                aspect: "member".to_owned(),
                was: format!("{}: {} at {}", member.name, member.ctype, member.offset),
                until: until.to_owned(),
            }));
        }
    }
}

impl Item for Rule {
    fn key(&self) -> String {
        self.id.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(describe.rule(self))
    }

    fn inherit(&mut self, old: Self, _step: &Step, _sides: &Sides<'_>) {
        earlier(&mut self.source, old.source);
    }
}

/// Of two places with the same sentence the one in the older release.
fn earlier(new: &mut Option<Source>, old: Option<Source>) {
    if let (Some(is), Some(was)) = (&new, &old)
        && (&is.hash, &is.symbol, &is.document) == (&was.hash, &was.symbol, &was.document)
    {
        *new = old;
    }
}

impl Item for HandleType {
    fn key(&self) -> String {
        format!("{:?} {}", self.kind, self.name)
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(describe.handle_type(self))
    }

    fn inherit(&mut self, old: Self, _step: &Step, _sides: &Sides<'_>) {
        use crate::model::Basis;
        for evidence in &mut self.evidence {
            for was in old.evidence.iter().filter(|was| was.column == evidence.column) {
                if let (Basis::Source(is), Basis::Source(was)) = (&mut evidence.basis, &was.basis)
                    && (&is.hash, &is.symbol, &is.document) == (&was.hash, &was.symbol, &was.document)
                {
                    *is = was.clone();
                }
            }
        }
    }
}

impl Item for Property {
    fn key(&self) -> String {
        format!("{} {} {}", self.command, self.list, self.name)
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, describe: &Describe<'_>) -> Option<Entry> {
        Some(describe.property(self))
    }

    fn inherit(&mut self, old: Self, _step: &Step, _sides: &Sides<'_>) {
        earlier(&mut self.source, old.source);
    }
}

impl Item for ErrorList {
    fn key(&self) -> String {
        self.symbol.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        None
    }

    fn entry(&self, _describe: &Describe<'_>) -> Option<Entry> {
        None
    }

    fn inherit(&mut self, old: Self, step: &Step, sides: &Sides<'_>) {
        earlier(&mut self.source, old.source);
        match (old.codes, &mut self.codes) {
            (Some(old), Some(new)) => join(old, new, step, sides),
            // What an older release documents is better than nothing, and says until when.
            (Some(old), none) => *none = Some(old.into_iter().filter_map(|code| ended(code, step)).collect()),
            (None, _) => {}
        }
    }
}

impl Item for ErrorCode {
    fn key(&self) -> String {
        self.code.clone()
    }

    fn lifetime(&mut self) -> Option<&mut Lifetime> {
        Some(&mut self.lifetime)
    }

    fn entry(&self, _describe: &Describe<'_>) -> Option<Entry> {
        None
    }
}
