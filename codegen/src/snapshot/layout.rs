//! Where the line breaks of a snapshot are.
//!
//! In: a sorted model. Out: its JSON. `serde_json` writes each leaf; this file only decides what goes on a line of its own.

use std::{io, mem::take};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::model::{ErrorList, Model};

/// One line of JSON, with a blank after `:` and `,`.
struct OneLine;

impl Formatter for OneLine {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// `value` on one line.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, OneLine))
        .expect("writing to memory does not fail, and every key of the model is a string");
    String::from_utf8(bytes).expect("serde_json writes UTF-8")
}

/// Lists that grow by lines.
struct Writer {
    text: String,
}

impl Writer {
    /// `"key": [` … `]`, with what `lines` gives each on a line of its own.
    fn list(&mut self, key: &str, lines: impl Iterator<Item = String>) {
        self.text.push_str(",\n\"");
        self.text.push_str(key);
        self.text.push_str("\": [");
        push_lines(&mut self.text, "\n  ", lines);
        self.text.push(']');
    }
}

/// Pushes `lines`, each after `start` and with commas between, and ends on a line that is indented one step less, if there are any.
fn push_lines(text: &mut String, start: &str, lines: impl Iterator<Item = String>) {
    let mut separator = "";
    for line in lines {
        text.push_str(separator);
        text.push_str(start);
        text.push_str(&line);
        separator = ",";
    }
    if !separator.is_empty() {
        text.push_str(start.strip_suffix("  ").unwrap_or(start));
    }
}

/// The line of `stem`, from which `leaves`, its last field, were taken, and the leaves under it.
fn with_leaves(leaves: &[impl Serialize], stem: &impl Serialize) -> String {
    let mut text = line(stem);
    text.truncate(text.len() - "]}".len());
    push_lines(&mut text, "\n    ", leaves.iter().map(line));
    text.push_str("]}");
    text
}

/// A list of errors with one code a line; no list is `null`.
fn error_list(mut list: ErrorList) -> String {
    match list.codes.take() {
        None => line(&list),
        Some(codes) => {
            list.codes = Some(Vec::new());
            with_leaves(&codes, &list)
        }
    }
}

/// The snapshot of `model`.
pub(super) fn write(schema: u32, model: Model) -> String {
    // Taken apart, so that a field added to the model does not compile until it has its place here.
    let Model {
        api,
        releases,
        constants,
        enumerations,
        aliases,
        handles,
        records,
        callbacks,
        commands,
        features,
        extensions,
        macro_functions,
        omitted,
        rules,
        handle_types,
        error_lists,
        properties,
    } = model;
    let mut writer = Writer { text: format!("{{\n\"schema\": {schema},\n\"model\": {{\n\"api\": {}", line(&api)) };
    writer.list("releases", releases.iter().map(line));
    writer.list("constants", constants.iter().map(line));
    let enumerations = enumerations.into_iter().map(|mut item| with_leaves(&take(&mut item.enumerators), &item));
    writer.list("enumerations", enumerations);
    writer.list("aliases", aliases.iter().map(line));
    writer.list("handles", handles.iter().map(line));
    writer.list("records", records.into_iter().map(|mut item| with_leaves(&take(&mut item.members), &item)));
    writer.list("callbacks", callbacks.into_iter().map(|mut item| with_leaves(&take(&mut item.parameters), &item)));
    writer.list("commands", commands.into_iter().map(|mut item| with_leaves(&take(&mut item.parameters), &item)));
    writer.list("features", features.iter().map(line));
    writer.list("extensions", extensions.iter().map(line));
    writer.list("macro_functions", macro_functions.iter().map(line));
    writer.list("omitted", omitted.iter().map(line));
    writer.list("rules", rules.iter().map(line));
    let handle_types = handle_types.into_iter().map(|mut item| with_leaves(&take(&mut item.evidence), &item));
    writer.list("handle_types", handle_types);
    writer.list("error_lists", error_lists.into_iter().map(error_list));
    writer.list("properties", properties.iter().map(line));
    writer.text.push_str("\n}\n}\n");
    writer.text
}
