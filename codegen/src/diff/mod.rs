//! What is different between two releases of an API, and what each difference breaks.
//!
//! In: two models. Out: a [`Diff`]: every change, with its [`Grade`], in an order that does not depend on chance. It stands apart from the
//! merging of releases because it is for readers: a maintainer who decides what to do, and a changelog.

pub(crate) mod describe;
pub(crate) mod entry;
mod pairs;
mod render;
#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

pub use self::entry::{Entry, Fact, Kind};
use crate::model::{Api, Model};

/// How bad a change is, from harmless to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Only what is said about things changes, or the name of a parameter.
    Text,
    /// Something is there that was not.
    Adds,
    /// Programs have to be edited to build, or to pass the checks, as before.
    Source,
    /// Programs that were built before go wrong: they pass other numbers, other layouts, or close a handle that is no longer theirs.
    Abi,
}

impl Grade {
    /// All of them, the worst first.
    pub const ALL: [Self; 4] = [Self::Abi, Self::Source, Self::Adds, Self::Text];

    /// As a heading.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Abi => "Breaks the ABI",
            Self::Source => "Breaks source",
            Self::Adds => "Adds",
            Self::Text => "Text only",
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has another name now.
    Renamed {
        /// The new name.
        to: String,
    },
    /// A fact about it is another.
    Changed {
        /// Which: `value`, `type`, `size`.
        aspect: String,
        /// What it was; empty for nothing.
        was: String,
        /// What it is; empty for nothing.
        is: String,
    },
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What it breaks.
    pub grade: Grade,
    /// What kind of thing it is about.
    pub kind: Kind,
    /// The item.
    pub item: String,
    /// The leaf of it, if it is not about the item itself.
    pub leaf: Option<String>,
    /// What happened.
    pub what: What,
}

impl Change {
    /// In one word: `added`, `removed`, `renamed`, `renumbered`, `layout`, `signature`, `rule`, `ownership`, `changed`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match &self.what {
            What::Added => "added",
            What::Removed => "removed",
            What::Renamed { .. } => "renamed",
            What::Changed { aspect, .. } => match (self.kind, aspect.as_str()) {
                (Kind::HandleType, "owner_on_success" | "owner_on_failure") => "ownership",
                (Kind::Rule, _) => "rule",
                (Kind::Constant | Kind::Enumerator, "value") => "renumbered",
                (Kind::Record | Kind::Member, "size" | "alignment" | "offset" | "type" | "shape" | "way") => "layout",
                (Kind::Command | Kind::Callback, "parameters" | "returns") => "signature",
                _ => "changed",
            },
        }
    }

    /// The name of what it is about: `CUmemorytype.CU_MEMORYTYPE_HOST`.
    #[must_use]
    pub fn name(&self) -> String {
        self.leaf.as_ref().map_or_else(|| self.item.clone(), |leaf| format!("{}.{leaf}", self.item))
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            grade: Grade,
            change: &'a str,
            kind: &'a str,
            item: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            leaf: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            to: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            aspect: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            was: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            is: Option<&'a str>,
        }
        let (change, leaf) = (self.word(), self.leaf.as_deref());
        let mut row = Row {
            grade: self.grade,
            change,
            kind: self.kind.name(),
            item: &self.item,
            leaf,
            to: None,
            aspect: None,
            was: None,
            is: None,
        };
        match &self.what {
            What::Added | What::Removed => {}
            What::Renamed { to } => row.to = Some(to),
            What::Changed { aspect, was, is } => {
                row.aspect = Some(aspect);
                row.was = Some(was).filter(|text| !text.is_empty()).map(String::as_str);
                row.is = Some(is).filter(|text| !text.is_empty()).map(String::as_str);
            }
        }
        row.serialize(serializer)
    }
}

/// Everything that is different between two models of one API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Whose models they are.
    pub api: Api,
    /// The release that it starts from.
    pub from: String,
    /// The release that it leads to.
    pub to: String,
    /// The changes, the worst first, and within a grade by kind and name.
    pub changes: Vec<Change>,
}

impl Diff {
    /// What changes from `old` to `new`. Both are models of one release, or merged ones of which the newest release counts.
    #[must_use]
    pub fn between(old: &Model, new: &Model) -> Self {
        let release = |model: &Model| model.releases.last().cloned().unwrap_or_default();
        let (old_state, new_state) = (crate::pass::merge::newest(old), crate::pass::merge::newest(new));
        let mut changes = pairs::changes(&describe::describe(&old_state), &describe::describe(&new_state));
        changes.sort_by(|a, b| b.grade.cmp(&a.grade).then_with(|| a.cmp(b)));
        Self { api: new.api, from: release(old), to: release(new), changes }
    }

    /// The worst grade; `None` if nothing changed.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        self.changes.iter().map(|change| change.grade).max()
    }
}
