//! The rows of `clcu-check`, the checker's interface for other languages: each record by its names, and each command that takes a property
//! list.
//!
//! In: the subjects of a model. Out: rows of the macros in `c-interface/src/checkable.rs`, so that a record which upstream adds can be
//! checked from C without a line by hand.

use super::{
    subject::{self, Subject, What},
    words::Words,
};
use crate::{
    emit::types::{identifier, literal},
    finding::Findings,
    model::{CType, Model},
    pass::index::Index,
};

/// The rows of one API.
#[derive(Debug, Default)]
pub(in crate::emit) struct Rows {
    pub(in crate::emit) records: Vec<String>,
    pub(in crate::emit) lists: Vec<String>,
}

/// The rows of `model`.
pub(in crate::emit) fn rows(model: &Model) -> Result<Rows, Findings> {
    let index = Index::new(model);
    let subjects = subject::subjects(model, &index, &Words::new(model, &index))?;
    let mut rows = Rows::default();
    for subject in &subjects {
        let windows = if subject.windows() { "#[cfg(windows)] " } else { "" };
        match subject.what {
            What::Record(record) => {
                let mut names = vec![record.name.as_str()];
                names.extend(
                    model.aliases.iter().map(|alias| alias.name.as_str()).filter(|name| model.resolve(name) == record.name),
                );
                let names: Vec<String> = names.into_iter().map(literal).collect();
                let (api, name) = (model.api.name(), identifier(&record.name));
                rows.records.push(format!("{windows}{api}::{name}: {};", names.join(", ")));
            }
            What::Command(_) => rows.lists.extend(lists(model, subject).into_iter().map(|row| format!("{windows}{row}"))),
        }
    }
    Ok(rows)
}

/// A row for each property list among the arguments of a command: the list, the type of its elements, and the other arguments.
fn lists(model: &Model, subject: &Subject<'_>) -> Vec<String> {
    let What::Command(command) = subject.what else { return Vec::new() };
    if !subject.is_reachable() {
        return Vec::new();
    }
    let lists = subject.leaves.iter().filter(|leaf| leaf.list.is_some());
    let row = |list: &super::place::Leaf| {
        let CType::Pointer { to, .. } = &list.ctype else { return None };
        let CType::Named(element) = to.as_ref() else { return None };
        let others = subject.leaves.iter().filter(|leaf| leaf.path != list.path);
        let others: Vec<String> =
            others.map(|leaf| format!("{}: {}", leaf.rust, if leaf.list.is_some() { "list" } else { "scalar" })).collect();
        let (api, symbol) = (model.api.name(), literal(&command.symbol));
        let (path, list_name) = (literal(&list.path), &list.rust);
        let element = identifier(element);
        Some(format!("{api}::{}, {symbol}, {path}, {list_name}: {api}::{element}, [{}];", subject.name, others.join(", ")))
    };
    lists.filter_map(row).collect()
}
