//! Where the text and the registry disagree on what there is.
//!
//! In: [`TextFacts`], and the names that `cl.xml` knows. Out: a finding for each name in an error list that does not exist, or that the
//! command it is said of does not have. They are slips of the specification, to be reported there; the facts stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::{Document, Finding, Findings, Place},
    model::{Command, Model},
};

use super::{
    facts::{Condition, ErrorList, TextFacts},
    prose::{Kind, Token},
};

/// The names that the registry knows.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Every command with its parameters.
    pub commands: BTreeMap<String, Vec<String>>,
    /// Every constant.
    pub constants: BTreeSet<String>,
    /// Every type, handles, callbacks and the types of the language included.
    pub types: BTreeSet<String>,
    /// Every extension.
    pub extensions: BTreeSet<String>,
    /// The members of all structs: conditions speak of them as they do of parameters.
    pub members: BTreeSet<String>,
}

impl Known {
    /// The names of `model`: what it emits, and what it leaves out on purpose.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let omitted = || model.omitted.iter().map(|omitted| omitted.name.clone());
        let enumerators = model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators);
        let constants = enumerators.map(|one| &one.name).chain(model.constants.iter().map(|one| &one.name));
        let types = model.enumerations.iter().map(|one| &one.name).chain(model.aliases.iter().map(|one| &one.name));
        let types = types.chain(model.handles.iter().map(|one| &one.name)).chain(model.records.iter().map(|one| &one.name));
        let types = types.chain(model.callbacks.iter().map(|one| &one.name)).cloned();
        let parameters = |command: &Command| command.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        Self {
            commands: model.commands.iter().map(|command| (command.symbol.clone(), parameters(command))).collect(),
            constants: constants.cloned().chain(omitted()).collect(),
            types: types.chain(omitted()).chain(OF_THE_LANGUAGE.map(str::to_owned)).collect(),
            extensions: model.extensions.iter().map(|extension| extension.name.clone()).collect(),
            members: model.records.iter().flat_map(|record| &record.members).map(|member| member.name.clone()).collect(),
        }
    }
}

/// Types that the text speaks of and C has.
const OF_THE_LANGUAGE: [&str; 8] = ["void", "char", "int", "size_t", "intptr_t", "float", "double", "unsigned int"];

/// Lists the names in `facts` that `known` lacks.
#[must_use]
pub fn compare(facts: &TextFacts, known: &Known) -> Findings {
    let mut findings = Findings::default();
    for page in facts.pages.iter().filter(|page| page.is_command()) {
        for name in std::iter::once(&page.name).chain(&page.aliases) {
            if !known.commands.contains_key(name) {
                findings
                    .push(missing("the registry has no command of the name that a page documents", name).at(page.place.clone()));
            }
        }
    }
    for list in &facts.lists {
        Comparison { list, known, findings: &mut findings }.run(facts);
    }
    findings
}

fn missing(what: &str, name: &str) -> Finding {
    Finding::warning(what).found(format!("`{name}`")).help("the text and the registry disagree: report it upstream")
}

struct Comparison<'a> {
    list: &'a ErrorList,
    known: &'a Known,
    findings: &'a mut Findings,
}

impl Comparison<'_> {
    fn run(&mut self, facts: &TextFacts) {
        for inheritance in &self.list.inherits {
            if facts.list(&inheritance.from).is_none() {
                let what = "an error list takes over a list that does not exist";
                self.findings.push(missing(what, &inheritance.from).at(self.list.place.clone()));
            }
        }
        for entry in &self.list.entries {
            if let Some(code) = entry.code.as_ref().filter(|code| !self.known.constants.contains(*code)) {
                let what = "an error list has a code that the registry does not know";
                self.findings.push(missing(what, code).at(entry.condition.place.clone()));
            }
            self.condition(&entry.condition);
        }
    }

    fn condition(&mut self, condition: &Condition) {
        for token in &condition.prose.tokens {
            self.token(condition.place.document(), token);
        }
        for child in &condition.children {
            self.condition(child);
        }
    }

    fn token(&mut self, document: &Document, token: &Token) {
        let (known, text) = (self.known, &token.text);
        let what = match token.kind {
            Kind::Constant if !known.constants.contains(text) => "names a constant that the registry does not know",
            Kind::Command if !known.commands.contains_key(text) => "names a command that the registry does not know",
            Kind::Type if !known.types.contains(text) => "names a type that the registry does not know",
            Kind::Extension if !known.extensions.contains(text) => "names an extension that the registry does not know",
            Kind::Parameter if !self.has(text) => "emphasises a name that is neither a parameter of it nor a member of a struct",
            _ => return,
        };
        let place: Place = document.place(token.at..token.at + token.width);
        self.findings.push(missing(&format!("the error list of `{}` {what}", self.list.command), text).at(place));
    }

    /// Whether a command of the list has the parameter `name`, or any struct the member.
    fn has(&self, name: &str) -> bool {
        let commands = std::iter::once(&self.list.command).chain(&self.list.aliases);
        let mut parameters = commands.filter_map(|command| self.known.commands.get(command));
        parameters.any(|parameters| parameters.iter().any(|parameter| parameter == name)) || self.known.members.contains(name)
    }
}
