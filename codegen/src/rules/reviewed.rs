//! Sentences that a person read: those that only explain, and those whose demand no grammar can say.
//!
//! In: `spec/reviewed.toml`, which names a sentence by its symbol and the hash of its normalised text, never by the text. Out: what is to
//! be made of a sentence. An entry that no sentence of any release matches any more is an error: upstream changed the sentence, and
//! somebody has to read it again.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    finding::{Document, Finding, Findings},
    model::{Object, Path},
};

/// A demand that a person read out of a sentence: written in the form of the model, in words of our own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attested {
    /// `symbol #hash`.
    sentence: Spanned<String>,
    /// Further symbols with the same sentence.
    #[serde(default)]
    also: Vec<String>,
    /// What the caller vouches for.
    object: String,
    /// The parameters or members that it is about.
    #[serde(default)]
    fields: Vec<Path>,
    /// The error that upstream promises otherwise.
    #[serde(default)]
    error: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Sentences that only explain.
    #[serde(default)]
    explains: Vec<Spanned<String>>,
    /// Sentences that demand what no program can check.
    #[serde(default)]
    attested: Vec<Attested>,
}

/// What a person made of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It only explains.
    Explains,
    /// It demands what no program can check.
    Attested {
        /// What the caller vouches for.
        object: Object,
        /// The parameters or members that it is about.
        fields: Vec<Path>,
        /// The error that upstream promises otherwise.
        error: Option<String>,
    },
}

struct Entry {
    verdict: Verdict,
    place: std::ops::Range<usize>,
    used: Cell<bool>,
}

/// The reviewed list.
pub struct Reviewed {
    document: Document,
    entries: BTreeMap<String, Entry>,
}

impl Reviewed {
    /// Reads `spec/reviewed.toml`.
    pub fn read(document: Document) -> Result<Self, Findings> {
        let file: File = toml::from_str(document.text()).map_err(|error| {
            let place = document.place(error.span().unwrap_or(0..0));
            Finding::error("the list of reviewed sentences cannot be read").at(place).found(error.message().to_owned())
        })?;
        let mut findings = Findings::default();
        let mut entries = BTreeMap::new();
        let mut add = |key: &str, place: std::ops::Range<usize>, verdict: Verdict, findings: &mut Findings| {
            let at = document.place(place.clone());
            if !key.split_once(" #").is_some_and(|(symbol, hash)| !symbol.is_empty() && is_hash(hash)) {
                findings.push(
                    Finding::error("a reviewed sentence is not named as it should be")
                        .at(at)
                        .found(format!("`{key}`"))
                        .wanted("`symbol #hash`, the hash of 16 hexadecimal digits"),
                );
            } else if entries.insert(key.to_owned(), Entry { verdict, place, used: Cell::new(false) }).is_some() {
                findings.push(
                    Finding::error(format!("the sentence `{key}` is on the reviewed list twice"))
                        .at(at)
                        .help("remove one of the entries"),
                );
            }
        };
        for key in &file.explains {
            add(key.get_ref(), key.span(), Verdict::Explains, &mut findings);
        }
        for entry in &file.attested {
            let span = entry.sentence.span();
            match entry.object.parse::<Object>() {
                Ok(object) => {
                    let verdict = Verdict::Attested { object, fields: entry.fields.clone(), error: entry.error.clone() };
                    for key in std::iter::once(entry.sentence.get_ref()).chain(&entry.also) {
                        add(key, span.clone(), verdict.clone(), &mut findings);
                    }
                }
                Err(error) => findings.push(Finding::error(error).at(document.place(span))),
            }
        }
        findings.with(Self { document, entries }).map(|(reviewed, _)| reviewed)
    }

    /// A list with nothing on it.
    #[must_use]
    pub fn empty() -> Self {
        Self { document: Document::new("reviewed.toml", ""), entries: BTreeMap::new() }
    }

    /// What a person made of the sentence of `symbol` with this hash.
    #[must_use]
    pub fn verdict(&self, symbol: &str, hash: &str) -> Option<&Verdict> {
        let key = format!("{symbol} #{hash}");
        let entry = self.entries.get(&key)?;
        entry.used.set(true);
        Some(&entry.verdict)
    }

    /// The entries that a sentence matched.
    #[must_use]
    pub fn asked(&self) -> BTreeSet<String> {
        self.entries.iter().filter(|(_, entry)| entry.used.get()).map(|(key, _)| key.clone()).collect()
    }

    /// The entries that no sentence matched, each an error. To be asked after every release has been read.
    #[must_use]
    pub fn stale(&self) -> Findings {
        self.stale_in_all(&self.asked())
    }

    /// The entries that no sentence of any release matched, where `asked` is what all of them did.
    #[must_use]
    pub fn stale_in_all(&self, asked: &BTreeSet<String>) -> Findings {
        let stale = self.entries.iter().filter(|(key, _)| !asked.contains(*key));
        Findings(
            stale
                .map(|(key, entry)| {
                    Finding::error(format!("the reviewed sentence `{key}` is in no release"))
                        .at(self.document.place(entry.place.clone()))
                        .help("upstream changed or dropped it, or the grammar reads it now: remove the entry, and review what stands there now")
                })
                .collect(),
        )
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}
