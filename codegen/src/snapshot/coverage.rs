//! How much of upstream's text became rules, by symbol: apart from the snapshot, because it says something about this program.
//!
//! In: what became of each sentence of a release. Out: JSON, one symbol a line, sorted; and back. A sentence that was not understood is
//! named by the symbol whose text it is in and a hash, never by its words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{layout, unreadable};
use crate::{
    finding::{Document, Findings},
    import::opencl::text::TextFacts,
    model::{ErrorList, Model},
    rules::{
        cuda::{Coverage, CudaRules},
        opencl::{Class, Covered},
    },
    snapshot::lines::BySymbol,
};

/// What the text has for a command of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// A list of errors.
    Listed,
    /// A page without a list.
    Silent,
    /// Nothing.
    Absent,
}

/// What became of the sentences about one symbol. The figures are never added up: they do not measure the same thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The document that the sentences stand in; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// What the text has for it (commands of OpenCL only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// How many documented codes it has (OpenCL only).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub codes: usize,
    /// Became rules that a program can check.
    pub checkable: usize,
    /// A program can check a part of it, and the caller vouches for the rest (OpenCL only).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub partly: usize,
    /// Became rules that the caller vouches for.
    pub attested: usize,
    /// Were read, and demand nothing of a caller (CUDA only: OpenCL's lists have nothing else).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub explained: usize,
    /// Were not understood: `symbol #hash` each, in the order of the text.
    pub unread: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The account of each symbol.
pub type BySubject = BTreeMap<String, Account>;

/// What became of CUDA's comments: a line for each command, record or enumeration with a sentence that demands something.
#[must_use]
pub fn of_cuda(rules: &CudaRules, model: &Model) -> BySubject {
    let mut accounts: BySubject = BTreeMap::new();
    for (symbol, coverage) in &rules.coverage {
        let Coverage { checkable, attested, explained, .. } = *coverage;
        accounts.insert(symbol.clone(), Account { checkable, attested, explained, ..Account::default() });
    }
    for (source, place) in &rules.unread {
        // A sentence goes by the public name of its type, and members by the way to them; the account by the model's name of the type.
        let public = source.symbol.split("::").next().unwrap_or_default();
        let item = if accounts.contains_key(public) { public } else { model.resolve(public) };
        let account = accounts.entry(item.to_owned()).or_default();
        account.document = Some(place.document().name().to_owned());
        account.unread.push(format!("{} #{}", source.symbol, source.hash));
    }
    accounts
}

/// Names the document of each account in which it is not named yet.
pub fn locate(accounts: &mut BySubject, lines: &BySymbol) {
    for (symbol, account) in accounts {
        account.document = account.document.take().or_else(|| lines.get(symbol).map(|lines| lines.document.clone()));
    }
}

/// What became of OpenCL's error lists: a line for each command of the registry, sentences of lists that it takes over included.
#[must_use]
pub fn of_opencl(covered: &[Covered], facts: &TextFacts, model: &Model) -> BySubject {
    let commands = model.commands.iter().map(|command| command.symbol.as_str());
    let groups = facts.coverage(commands);
    let mut accounts: BySubject = BTreeMap::new();
    for (names, text) in [(groups.listed, Text::Listed), (groups.silent, Text::Silent), (groups.absent, Text::Absent)] {
        for name in names {
            let document = facts.page(&name).map(|page| page.place.document().name().to_owned());
            let list = model.error_lists.iter().find(|list| list.symbol == name);
            accounts.insert(name, Account { document, text: Some(text), codes: list.map_or(0, codes), ..Account::default() });
        }
    }
    for one in covered {
        let account = accounts.entry(one.command.clone()).or_default();
        match one.class {
            Class::Checkable => account.checkable += 1,
            Class::Partly => account.partly += 1,
            Class::Attested => account.attested += 1,
            Class::Unread => account.unread.push(format!("{} #{}", one.list, one.hash)),
        }
    }
    accounts
}

fn codes(list: &ErrorList) -> usize {
    list.codes.as_ref().map_or(0, Vec::len)
}

/// The text of `spec/coverage/….json`.
#[must_use]
pub fn write(accounts: &BySubject) -> String {
    let lines = accounts.iter().map(|(symbol, account)| format!("{}: {}", layout::line(symbol), layout::line(account)));
    format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// What `spec/coverage/….json` holds.
pub fn read(document: &Document) -> Result<BySubject, Findings> {
    serde_json::from_str(document.text()).map_err(|error| unreadable(document, &error))
}
