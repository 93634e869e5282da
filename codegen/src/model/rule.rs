//! What must hold when a descriptor is handed to a command, and which errors a command may answer with.
//!
//! In: what `rules` read out of doc comments and specification text, with the overlay's decisions. Out: the same data, for snapshots,
//! for the emitter of validation tables, and for `explain`. The vocabulary is small and closed, so that a checker can be generated from
//! it; what no program can decide is a [`Predicate::Attested`] that names the object, not a sentence that is dropped.
//!
//! Predicates, conditions, paths and sources have a text form each, so that a rule stays on one line of the snapshot.

mod condition;
mod path;
mod predicate;
#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

pub use self::{
    condition::{Condition, Given, Term, Test},
    path::Path,
    predicate::{Object, Predicate},
};
use super::availability::Lifetime;

/// Why a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Upstream says so.
    Stated,
    /// It follows from what upstream says.
    Derived,
    /// Our own caution, which no document states.
    Ours,
}

impl Origin {
    /// As snapshots write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Derived => "derived",
            Self::Ours => "ours",
        }
    }
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Stable, and what a caller names to waive it: `cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one`.
    pub id: String,
    /// The record or command whose fields or parameters it speaks of, as the model names it.
    pub subject: String,
    /// What the predicate is about: members of the record, or parameters of the command.
    pub fields: Vec<Path>,
    /// What must hold of them.
    pub predicate: Predicate,
    /// When it must: all of these. Empty means always.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Why it holds.
    pub origin: Origin,
    /// The sentence that it rests on; absent for [`Origin::Ours`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Why this project adds it, in our words: for [`Origin::Ours`], and where the overlay settled a disagreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The error code that upstream promises where it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

/// Where a fact was read: written `cuda.h@13.5.37 cuImportExternalSemaphore #9f86d081884c7d65`.
///
/// Line numbers are not here: they shift in every release, and live in files of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The document's name.
    pub document: String,
    /// The first release that was read in which the sentence stands as it does.
    pub version: String,
    /// The symbol whose text it is: `cuImportExternalSemaphore`, `CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags`.
    pub symbol: String,
    /// A hash of the normalised sentence: the sentence itself is upstream's and is not kept.
    pub hash: String,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{} {} #{}", self.document, self.version, self.symbol, self.hash)
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.rsplit_once(" #").and_then(|(rest, hash)| {
            let (place, symbol) = rest.split_once(' ')?;
            let (document, version) = place.rsplit_once('@')?;
            Some(Self { document: document.into(), version: version.into(), symbol: symbol.into(), hash: hash.into() })
        });
        parts.ok_or_else(|| format!("`{text}` is no source: wanted `document@version symbol #hash`"))
    }
}

super::value::serde_as_text!(Source);

/// The errors that upstream documents for a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorList {
    /// The command's symbol.
    pub symbol: String,
    /// Upstream says that errors of earlier, asynchronous work may come back here as well (`\notefnerr`).
    pub earlier_errors: bool,
    /// Where the list stands; absent with the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The codes, in upstream's order. Absent where upstream documents none, which is not the empty list.
    pub codes: Option<Vec<ErrorCode>>,
}

/// One documented code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorCode {
    /// `CUDA_ERROR_INVALID_VALUE`, `CL_INVALID_SEMAPHORE_KHR`.
    pub code: String,
    /// The conditions under which upstream promises it, each a rule that is broken: the ids of those rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Since and until when, and with which extensions.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}
