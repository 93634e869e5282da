//! The committed form of a model: JSON with one leaf a line, so that an update of upstream reads as a diff.
//!
//! In: a [`Model`]. Out: text, the same on every machine; and back. Enumerators, members and parameters stand under the line of what
//! they belong to. Where upstream documents a symbol shifts with every release, so that is a file of its own: [`lines`].

pub mod coverage;
mod layout;
pub mod lines;
#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::{
    finding::{Document, Finding, Findings},
    model::Model,
    pass::{order, validate},
};

/// The shape of snapshots that this program writes and reads. Grows by one when a field is renamed, removed, or changes its meaning.
pub const SCHEMA: u32 = 1;

/// The model as a snapshot. Lists are sorted first, so that the same facts give the same bytes.
#[must_use]
pub fn write(model: &Model) -> String {
    let mut sorted = model.clone();
    order::order(&mut sorted);
    layout::write(SCHEMA, sorted)
}

/// A snapshot's outermost object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    #[serde(rename = "schema")]
    _schema: u32, // read, and compared, before the rest
    model: Model,
}

/// What a snapshot of any schema says of itself.
#[derive(Deserialize)]
struct Head {
    schema: u32,
}

/// The model that a snapshot holds, if it is one that can be generated from.
pub fn read(document: &Document) -> Result<Model, Findings> {
    let model = parse(document)?;
    validate::validate_snapshot(&model, document).with(model).map(|(model, _)| model)
}

/// The model that a snapshot spells, sound or not.
fn parse(document: &Document) -> Result<Model, Findings> {
    let head: Head = serde_json::from_str(document.text()).map_err(|error| unreadable(document, &error))?;
    if head.schema != SCHEMA {
        let at = document.text().find("\"schema\"").unwrap_or(0);
        return Err(Finding::error("the snapshot has another shape than this program reads")
            .at(document.place(at..at + "\"schema\"".len()))
            .found(format!("schema {}", head.schema))
            .wanted(format!("schema {SCHEMA}"))
            .help("use the version of clcu that wrote it, or write it anew with `clcu update`")
            .into());
    }
    let snapshot: Snapshot = serde_json::from_str(document.text()).map_err(|error| unreadable(document, &error))?;
    Ok(snapshot.model)
}

/// An error of the reader, where it happened.
fn unreadable(document: &Document, error: &serde_json::Error) -> Findings {
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let at = offset(document.text(), error.line(), error.column());
    Finding::error("the snapshot cannot be read")
        .at(document.place(at..at))
        .found(what)
        .help("snapshots are written by `clcu update`, never by hand: take the committed one, or write it anew")
        .into()
}

/// The byte at which `line` and `column`, both counted from 1 (and 0 for the start), lie.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    start + column.saturating_sub(1)
}
