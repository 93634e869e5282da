//! What a person decided, because upstream leaves it out, says it twice in two ways, or gets it wrong.
//!
//! In: `spec/overlay.toml`. Out: answers to the questions that passes ask, one at a time. An entry that no pass asked for is stale
//! (nothing matches it any more, or upstream says it now) and becomes an error: a decision that decides nothing misleads its reader.

use std::{cell::Cell, collections::BTreeSet, fmt};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    finding::{Document, Finding, Findings},
    model::{Api, Counterparts},
};

/// The question that an entry answers. Each is asked by one pass, which documents what the subject and the value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Subject: a constant, or a block of them. Value: the type that it belongs to.
    ConstantType,
    /// Subject: a symbol of CUDA's driver. Value: its public name and version, `cuMemcpy@4000`; the name alone where no version is known.
    CommandVersion,
    /// Subject: an enumeration. Value: `bits` if its values are combined, `choice` if not.
    EnumerationKind,
    /// Subject: a handle. Value: what its API promises about threads, `any`, `send` or `none`.
    HandleThreads,
    /// Subject: anything that upstream declares. Value: `true`, and the reason says why it is not emitted.
    Omit,
    /// Subject: `RECORD/HANDLE_TYPE/member` or `RECORD/HANDLE_TYPE/null`, on which a function's comment and the fields' comments disagree.
    /// Value: `function` or `fields`, whichever holds.
    Statement,
    /// Subject: a name in upstream's prose that nothing has. Value: the name that it means.
    DocReference,
    /// Subject: `COMMAND/VALUE`, a paragraph that begins with a value and does not say what has it. Value: the field that has it.
    OpeningWords,
    /// Subject: `HANDLE_TYPE/column`, a column of a handle type's row on which upstream is silent. Value: what it is, or `unspecified`.
    HandleTypeColumn,
    /// Subject: a handle type. Value: a table with the lists `vulkan`, `d3d`, `cuda`, `opencl`: the same kind of handle there.
    Counterparts,
    /// Subject: a caution of ours (`reserved-zero`, `utf16-name`, `specified-size`). Value: the records or handle types that it is for.
    Caution,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{self:?}");
        for (index, letter) in name.char_indices() {
            if letter.is_ascii_uppercase() && index > 0 {
                f.write_str("-")?;
            }
            write!(f, "{}", letter.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// One decision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    api: Api,
    settles: Question,
    subject: Spanned<String>,
    value: toml::Value,
    reason: String,
    evidence: String,
    /// The newest state of upstream that needs the entry, where a newer one has set right what it is about. It serves whoever reads an
    /// older state, and is not stale for settling nothing in a newer one.
    #[serde(default)]
    until: Option<String>,
    #[serde(skip)]
    used: Cell<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    entry: Vec<Entry>,
}

/// All decisions, and which of them were asked for.
#[derive(Debug)]
pub struct Overlay {
    document: Document,
    entries: Vec<Entry>,
}

/// What an entry answers, with the reason for whoever shows it.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The answer.
    pub value: &'a toml::Value,
    /// Why.
    pub reason: &'a str,
    /// What it rests on.
    pub evidence: &'a str,
}

impl Decision<'_> {
    /// The value as the counterparts of a handle type: for each API that has some, a list of their names.
    #[must_use]
    pub fn counterparts(&self) -> Counterparts {
        let list = |api: &str| {
            let names = self.value.get(api).and_then(toml::Value::as_array).into_iter().flatten();
            names.filter_map(toml::Value::as_str).map(str::to_owned).collect()
        };
        Counterparts { vulkan: list("vulkan"), d3d: list("d3d"), cuda: list("cuda"), opencl: list("opencl") }
    }
}

impl Overlay {
    /// Reads `spec/overlay.toml`.
    pub fn read(document: Document) -> Result<Self, Findings> {
        let file: File = toml::from_str(document.text()).map_err(|error| {
            let place = document.place(error.span().unwrap_or(0..0));
            Finding::error("the overlay cannot be read").at(place).found(error.message().to_owned())
        })?;
        let mut findings = Findings::default();
        for entry in &file.entry {
            if entry.reason.trim().is_empty() || entry.evidence.trim().is_empty() {
                findings.push(
                    Finding::error(format!("the overlay entry for `{}` lacks a reason or evidence", entry.subject.get_ref()))
                        .at(document.place(entry.subject.span()))
                        .help("say why it was decided, and what the decision rests on"),
                );
            }
        }
        findings.with(Self { document, entries: file.entry }).map(|(overlay, _)| overlay)
    }

    /// An overlay that decides nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self { document: Document::new("overlay.toml", ""), entries: Vec::new() }
    }

    /// The decision on `subject`. To be asked only where upstream gives no clear answer: asking is what keeps an entry from being stale.
    #[must_use]
    pub fn decide(&self, api: Api, question: Question, subject: &str) -> Option<Decision<'_>> {
        let entry = self
            .entries
            .iter()
            .find(|entry| entry.api == api && entry.settles == question && entry.subject.get_ref() == subject)?;
        entry.used.set(true);
        Some(Decision { value: &entry.value, reason: &entry.reason, evidence: &entry.evidence })
    }

    /// The decision on `subject` where it is a text.
    #[must_use]
    pub fn decide_text(&self, api: Api, question: Question, subject: &str) -> Option<&str> {
        self.decide(api, question, subject)?.value.as_str()
    }

    /// Every subject that has an answer to `question`, in the order of the file. Does not count as asking.
    pub fn subjects(&self, api: Api, question: Question) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter(move |entry| entry.api == api && entry.settles == question)
            .map(|entry| entry.subject.get_ref().as_str())
    }

    /// The entries for `api` that no pass asked for, each an error; except those for older states of upstream.
    #[must_use]
    pub fn stale(&self, api: Api) -> Findings {
        self.unasked(api, |_, entry| entry.used.get() || entry.until.is_some())
    }

    /// The entries that were asked for, by their place in the file.
    #[must_use]
    pub fn asked(&self) -> BTreeSet<usize> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.used.get()).map(|(place, _)| place).collect()
    }

    /// The entries for `api` that no release asked for, where `asked` is what all of them did: those for older states count too.
    #[must_use]
    pub fn stale_in_all(&self, api: Api, asked: &BTreeSet<usize>) -> Findings {
        self.unasked(api, |place, _| asked.contains(&place))
    }

    fn unasked(&self, api: Api, asked: impl Fn(usize, &Entry) -> bool) -> Findings {
        let stale = self.entries.iter().enumerate().filter(|(place, entry)| entry.api == api && !asked(*place, entry));
        Findings(
            stale
                .map(|(_, entry)| {
                    Finding::error(format!(
                        "the overlay entry `{}` for `{}` settles nothing",
                        entry.settles,
                        entry.subject.get_ref()
                    ))
                    .at(self.document.place(entry.subject.span()))
                    .help("upstream says it now, or no longer has it: remove the entry, or correct its subject")
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_for_older_states_is_not_stale() {
        let entry = |until: &str| {
            let text = format!(
                "[[entry]]\napi = \"opencl\"\nsettles = \"omit\"\nsubject = \"a\"\nvalue = true\nreason = \"r\"\nevidence = \"e\"\n{until}"
            );
            overlay(&text).expect("an overlay").stale(Api::OpenCl).0.len()
        };
        assert_eq!(entry(""), 1);
        assert_eq!(entry("until = \"v3.1.1\"\n"), 0);
    }

    fn overlay(text: &str) -> Result<Overlay, Findings> {
        Overlay::read(Document::new("overlay.toml", text))
    }

    const ENTRY: &str = r#"
[[entry]]
api = "opencl"
settles = "constant-type"
subject = "CL_FOO"
value = "cl_foo"
reason = "upstream names no type"
evidence = "cl.xml: CL_FOO"
"#;

    #[test]
    fn an_entry_answers_its_own_question_only() {
        let overlay = overlay(ENTRY).unwrap();
        assert_eq!(overlay.decide_text(Api::OpenCl, Question::ConstantType, "CL_FOO"), Some("cl_foo"));
        assert_eq!(overlay.decide_text(Api::Cuda, Question::ConstantType, "CL_FOO"), None);
        assert_eq!(overlay.decide_text(Api::OpenCl, Question::Omit, "CL_FOO"), None);
    }

    #[test]
    fn an_entry_that_nobody_asked_for_is_an_error_with_its_place() {
        let overlay = overlay(ENTRY).unwrap();
        let stale = overlay.stale(Api::OpenCl);
        assert_eq!(stale.0.len(), 1);
        assert!(stale.to_string().starts_with("overlay.toml:5:11: the overlay entry `constant-type` for `CL_FOO` settles nothing"));
        overlay.decide(Api::OpenCl, Question::ConstantType, "CL_FOO").unwrap();
        assert!(overlay.stale(Api::OpenCl).0.is_empty());
    }

    #[test]
    fn an_entry_is_stale_for_all_releases_only_if_none_of_them_asked_for_it() {
        let text = ENTRY.replace("reason =", "until = \"v1\"\nreason =");
        let (old, new) = (overlay(&text).unwrap(), overlay(&text).unwrap());
        assert_eq!(new.stale_in_all(Api::OpenCl, &new.asked()).0.len(), 1, "also one for older states");
        old.decide(Api::OpenCl, Question::ConstantType, "CL_FOO").unwrap();
        let asked = old.asked().union(&new.asked()).copied().collect();
        assert!(new.stale_in_all(Api::OpenCl, &asked).0.is_empty());
    }

    #[test]
    fn an_entry_without_a_reason_is_refused() {
        let findings = overlay(&ENTRY.replace("upstream names no type", " ")).unwrap_err();
        assert!(findings.to_string().contains("`CL_FOO` lacks a reason or evidence"), "{findings}");
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place() {
        let findings = overlay(&ENTRY.replace("evidence", "evidense")).unwrap_err();
        assert!(findings.to_string().starts_with("overlay.toml:8:1: the overlay cannot be read"), "{findings}");
    }
}
