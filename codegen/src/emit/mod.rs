//! From a model to the files of `clcu-sys`.
//!
//! In: the two models. Out: every generated file as a path and its text, which `generate` writes and `check` compares (`pipeline::Outputs`).
//! There is this one list, so that both cannot disagree. Everything is plain string building over the model, which is validated first:
//! a build script that generates needs no parser for Rust. Tests parse what comes out.

mod docs;
mod enumerations;
mod errors;
mod handle_types;
mod index;
mod items;
mod page;
mod properties;
mod records;
mod rules;
mod types;

use crate::{
    finding::Findings,
    model::{Api, EnumerationKind, Model},
    pass::{
        index::{Index, Item},
        merge, order, validate,
    },
};
use docs::Docs;
pub use page::MARK;
use page::{Finished, Page};
use rules::Part;

/// Where generated code of an API lies, below the repository's root.
#[must_use]
pub fn folder(api: Api) -> String {
    format!("generated/src/{}", api.name())
}

/// The directory of the indexes of what is generated, below the repository's root.
pub const INDEXES: &str = "generated/index";

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its path below the repository's root, with `/` on every system.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Every generated file of both APIs, sorted by path; or why one of the models cannot be emitted.
pub fn outputs(cuda: &Model, opencl: &Model) -> Result<Vec<Output>, Findings> {
    let mut findings = Findings::default();
    let mut outputs = Vec::new();
    for model in [cuda, opencl] {
        match files_and_index(model) {
            Ok((files, index)) => {
                let output = |file: File| Output { path: format!("{}/{}.rs", folder(model.api), file.name), text: file.text };
                outputs.extend(files.into_iter().map(output));
                outputs.push(Output { path: format!("{INDEXES}/{}.txt", model.api.name()), text: index });
            }
            Err(faults) => findings.0.extend(faults.0),
        }
    }
    outputs.sort_by(|a, b| a.path.cmp(&b.path));
    findings.with(outputs).map(|(outputs, _)| outputs)
}

/// Where the rows of the checker's interface for other languages are.
pub const C_INTERFACE: &str = "c-interface/src/records.rs";

/// The rows of the checker's interface for other languages; or why one of the models has none.
pub fn c_interface(cuda: &Model, opencl: &Model) -> Result<Output, Findings> {
    use std::fmt::Write as _;

    let mut text = format!(
        "{MARK}\n//! What can be checked from other languages: records by their names, and the property lists of commands. From `spec/*.json`.\n\n\
         use clcu_sys::{{cuda, opencl}};\n\nuse crate::checkable::{{lists, records}};\n"
    );
    let rows = [rules::c_interface::rows(&settled(cuda))?, rules::c_interface::rows(&settled(opencl))?];
    // Writing to a `String` does not fail.
    for (name, of) in
        [("records", (|rows| &rows.records) as fn(&rules::c_interface::Rows) -> &Vec<String>), ("lists", |rows| &rows.lists)]
    {
        let _ = writeln!(text, "\n{name}! {{");
        for row in rows.iter().flat_map(of) {
            let _ = writeln!(text, "    {row}");
        }
        text.push_str("}\n");
    }
    Ok(Output { path: C_INTERFACE.to_owned(), text })
}

/// `model` as it is emitted: sorted, and without rules that upstream has taken back.
fn settled(model: &Model) -> Model {
    let mut settled = model.clone();
    order::order(&mut settled);
    merge::drop_rules_taken_back(&mut settled);
    settled
}

/// A file of one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name of the module: `enums`, and `mod` for the one around them.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// The generated files of one API; or why the model cannot be emitted.
pub fn files(model: &Model) -> Result<Vec<File>, Findings> {
    files_and_index(model).map(|(files, _)| files)
}

/// The same, and the index of what stands where in them.
fn files_and_index(model: &Model) -> Result<(Vec<File>, String), Findings> {
    validate::validate(model).with(())?;
    let sorted = settled(model);
    let model = &sorted;
    let (index, docs) = (Index::new(model), Docs::new(model));
    let page = |about: &str| Page::new(model.api, &index, about);
    let values = |kind, about: &str| enumerations::emit(model, docs, kind, page(about));
    let modules = [
        ("aliases", items::aliases(model, docs, page("other names of types").defining(|item| matches!(item, Item::Alias(_))))),
        ("bits", values(EnumerationKind::Bits, "enumerations of bits that combine")),
        (
            "callbacks",
            items::callbacks(
                model,
                docs,
                page("functions that the application provides").defining(|item| matches!(item, Item::Callback(_))),
            ),
        ),
        ("commands", items::commands(model, docs, page("the functions of the driver"))),
        ("constants", items::constants(model, docs, &index, page("named values that belong to no enumeration"))),
        ("enums", values(EnumerationKind::Choice, "enumerations of which one value holds at a time")),
        ("errors", errors::emit(model, page("the errors that upstream documents"))?),
        ("functions", items::functions(model, docs, page("macros with parameters"))),
        ("handle_types", handle_types::emit(model, page("kinds of external handles"))),
        ("handles", items::handles(model, docs, page("objects that are only referred to"))),
        (
            "other_rules",
            rules::emit(model, &index, Part::Others, page("what must hold before commands that are not about external objects"))?,
        ),
        ("properties", properties::emit(model, &index, page("what property lists hold"))?),
        (
            "records",
            records::emit(model, docs, &index, page("structs and unions").defining(|item| matches!(item, Item::Record(_)))),
        ),
        ("rules", rules::emit(model, &index, Part::Main, page("what must hold before the driver is called"))?),
        ("status", values(EnumerationKind::Status, "what commands return")),
    ];
    let finished: Vec<(&'static str, Finished)> =
        modules.into_iter().filter_map(|(name, page)| Some((name, page.finish()?))).collect();
    let indexed: Vec<(&str, bool, &Finished)> =
        finished.iter().map(|(name, file)| (*name, !feature(name).is_empty(), file)).collect();
    let index = index::emit(model, &indexed);
    let mut files: Vec<File> = finished.into_iter().map(|(name, file)| File { name, text: file.text }).collect();
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    files.push(File { name: "mod", text: module(model.api, &names) });
    Ok((files, index))
}

/// What the module `name` depends on.
fn feature(name: &str) -> &'static str {
    match name {
        "errors" | "handle_types" | "properties" | "rules" => "#[cfg(feature = \"rules\")]\n",
        "other_rules" => "#[cfg(feature = \"all-rules\")]\n",
        _ => "",
    }
}

/// Whether the rows of the module `name` are plain Rust, a row a line, which `rustfmt` would take apart.
fn has_rows(name: &str) -> bool {
    name == "commands" || !feature(name).is_empty()
}

/// The module around the others.
fn module(api: Api, names: &[&str]) -> String {
    use std::fmt::Write as _;

    let mut text = format!(
        "{MARK}\n//! Everything that {api} declares, under upstream's names. From `spec/{}.json`.\n\
         #![allow(non_camel_case_types, non_upper_case_globals, non_snake_case, clippy::pub_underscore_fields)] // upstream's names\n\
         #![allow(clippy::approx_constant, clippy::unreadable_literal)] // upstream's digits\n\
         #![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // of numbers for each width of a pointer\n\
         #![allow(clippy::wildcard_imports)] // types stand in files by kind\n",
        api.name()
    );
    // Writing to a `String` does not fail.
    for (at, name) in names.iter().enumerate() {
        let skip = if has_rows(name) { "#[rustfmt::skip]\n" } else { "" };
        let _ = writeln!(text, "{}{}{skip}mod {name};", if at == 0 { "\n" } else { "" }, feature(name));
    }
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(text, "{}{}pub use self::{name}::*;", if at == 0 { "\n" } else { "" }, feature(name));
    }
    text
}
