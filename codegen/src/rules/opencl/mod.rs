//! The text of the OpenCL specification, read as rules, error tables, property tables and handle-type rows.
//!
//! In: the facts of the text and of the registry. Out: what the model holds, and how much of the text was understood. The grammar is made
//! of parser combinators over tokens; its forms stand in tables (`values`, `properties`, `promises`).

mod forms;
mod formula;
mod handles;
mod lists;
mod phrase;
mod promises;
mod properties;
mod rule;
mod tables;
mod values;
mod vocabulary;

pub(crate) use lists::is_for_external_objects;
pub use lists::{by_command, by_sentence};
pub use vocabulary::Vocabulary;

use crate::{
    finding::{Finding, Findings, Place, Strictness},
    import::opencl::text::TextFacts,
    model::{ErrorList, HandleType, Model, Property, Rule, Value},
    overlay::Overlay,
};

/// What was made of the text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What must hold, and which code a command answers with otherwise.
    pub rules: Vec<Rule>,
    /// The documented codes of every command of the registry.
    pub error_lists: Vec<ErrorList>,
    /// The external handle types.
    pub handle_types: Vec<HandleType>,
    /// The properties that commands take in lists.
    pub properties: Vec<Property>,
    /// What became of every sentence.
    pub coverage: Vec<Covered>,
}

/// The release of the specification: `3.1.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release(pub String);

/// What became of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A program can check all of it.
    Checkable,
    /// A program can check a part of it; the caller vouches for the rest.
    Partly,
    /// The caller vouches for it.
    Attested,
    /// The grammar has no form for it.
    Unread,
}

/// A sentence of an error list, and what became of it for one command.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The command.
    pub command: String,
    /// The command whose list it stands in.
    pub list: String,
    /// Whether the command takes that list over from another.
    pub inherited: bool,
    /// Whether it belongs to external memory or semaphores, where no sentence may stay unread.
    pub external: bool,
    /// The code that it leads to.
    pub code: Option<String>,
    /// The hash of the sentence.
    pub hash: String,
    /// Where it stands.
    pub place: Place,
    /// What became of it.
    pub class: Class,
}

/// Reads the rules of every command in `vocabulary` out of `facts`.
pub fn read(
    facts: &TextFacts,
    vocabulary: &Vocabulary,
    release: &Release,
    strictness: Strictness,
) -> Result<(Reading, Findings), Findings> {
    let handles = handles::handles(facts, release);
    let lists = lists::lists(facts, vocabulary, &handles.types, release);
    let mut findings = lists.unknown;
    findings.0.extend(handles.unknown.0);
    if strictness == Strictness::Lenient {
        findings.soften();
    }
    let properties = tables::properties(facts, &handles.rows, vocabulary, release);
    let mut rules = lists.rules;
    rules.extend(tables::terminators(&properties));
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    findings.with(Reading { rules, error_lists: lists.errors, handle_types: handles.rows, properties, coverage: lists.coverage })
}

impl Reading {
    /// Puts rules, handle types, error lists and properties into `model`, and into the rows the values of the registry and the decisions of
    /// `overlay`. The findings say where the text and the registry have different handle types.
    pub fn apply(self, model: &mut Model, overlay: &Overlay) -> Findings {
        let mut findings = Findings::default();
        model.handle_types = self.handle_types;
        for row in &mut model.handle_types {
            findings.0.extend(handles::decide(row, overlay));
            let mut enumerations =
                model.enumerations.iter().filter(|enumeration| Some(&enumeration.name) == row.enumeration.as_ref());
            let value = enumerations.find_map(|enumeration| enumeration.enumerators.iter().find(|value| value.name == row.name));
            row.value = value.map(|value| value.value);
            if row.value.is_none() {
                findings.push(Finding::warning(format!("the text describes `{}`, which the registry does not have", row.name)));
            }
        }
        for name in unnamed(model) {
            findings.push(Finding::warning(format!("no text describes the handle type `{name}`")));
        }
        model.handle_types.sort_by_key(|row| (row.kind, row.value.and_then(Value::integer)));
        model.rules = self.rules;
        model.error_lists = self.error_lists;
        model.properties = self.properties;
        findings
    }
}

/// The external handle types of the registry that have no row.
fn unnamed(model: &Model) -> Vec<String> {
    let external = model.enumerations.iter().filter(|enumeration| handles::ENUMERATIONS.contains(&enumeration.name.as_str()));
    let named = |name: &str| model.handle_types.iter().any(|row| row.name == name);
    external
        .flat_map(|enumeration| &enumeration.enumerators)
        .filter(|value| value.alias_of.is_none() && !named(&value.name))
        .map(|value| value.name.clone())
        .collect()
}

#[cfg(test)]
mod tests;
