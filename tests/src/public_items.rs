//! What `clcu-sys` offers to programs, one item a line: what a new version has to keep, or else is another version.
//!
//! In: the snapshots, from which most of the crate is generated, and the source of what is written by hand. Out: a sorted list of lines. A line
//! that is gone or reads otherwise breaks a program that used the item; a line more breaks none.

use std::{collections::BTreeSet, fs, path::Path};

use clcu_codegen::model::{Model, Parameter, RecordKind};
use quote::ToTokens as _;
use syn::{Attribute, Item, Visibility};

/// Everything, as text with a line each.
///
/// # Panics
/// If the source cannot be read.
#[must_use]
pub fn public_items(models: &[Model], source: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for model in models {
        of_model(model, &mut lines);
    }
    let mut directories = vec![source.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // What is generated has been listed; tables of macros are for generated code.
            if path.is_dir() && !["cuda", "opencl"].contains(&name.as_str()) {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !name.contains("macros") {
                of_source(&path, &mut lines);
            }
        }
    }
    lines
}

fn of_model(model: &Model, lines: &mut BTreeSet<String>) {
    let api = model.api.name();
    let mut add = |line: String| {
        lines.insert(format!("{api} {line}"));
    };
    for item in &model.constants {
        add(format!("const {}: {} = {}", item.name, item.ctype, item.value));
    }
    for item in &model.enumerations {
        add(format!("enumeration {}: {} {:?}", item.name, item.repr, item.kind));
        item.enumerators.iter().for_each(|leaf| add(format!("value {}::{} = {}", item.name, leaf.name, leaf.value)));
    }
    model.aliases.iter().for_each(|item| add(format!("alias {} = {}", item.name, item.ctype)));
    model.handles.iter().for_each(|item| add(format!("handle {}: {:?} {:?}", item.name, item.repr, item.threads)));
    for item in &model.records {
        let kind = if item.kind == RecordKind::Struct { "struct" } else { "union" };
        add(format!("{kind} {} {} {}", item.name, item.size, item.align));
        item.members.iter().for_each(|leaf| add(format!("member {}.{}: {} {}", item.name, leaf.name, leaf.ctype, leaf.offset)));
    }
    for item in &model.callbacks {
        add(format!("callback {}{} -> {}", item.name, parameters(&item.parameters), item.returns));
    }
    for item in &model.commands {
        add(format!("command {}{} -> {}", item.symbol, parameters(&item.parameters), item.returns));
    }
    for item in &model.macro_functions {
        add(format!("function {}({}) -> {}", item.name, item.parameters.join(", "), item.repr));
    }
    model.rules.iter().filter(|item| item.lifetime.until.is_none()).for_each(|item| add(format!("rule {}", item.id)));
    model.handle_types.iter().for_each(|item| add(format!("handle type {}", item.name)));
}

/// The types alone: names of parameters are prose.
fn parameters(parameters: &[Parameter]) -> String {
    let types: Vec<String> = parameters.iter().map(|parameter| parameter.ctype.to_string()).collect();
    format!("({})", types.join(", "))
}

fn of_source(path: &Path, lines: &mut BTreeSet<String>) {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for item in &file.items {
        of_item(item, lines);
    }
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

/// Whether it is for this project's generated code alone, or for tests.
fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string();
        text.contains("hidden") || text.contains("cfg (test)")
    })
}

fn text(tokens: impl quote::ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn of_item(item: &Item, lines: &mut BTreeSet<String>) {
    let mut add = |line: String| {
        lines.insert(format!("by hand {line}"));
    };
    match item {
        Item::Fn(item) if is_public(&item.vis, &item.attrs) => add(text(&item.sig)),
        Item::Const(item) if is_public(&item.vis, &item.attrs) => add(format!("const {}: {}", item.ident, text(&item.ty))),
        Item::Type(item) if is_public(&item.vis, &item.attrs) => add(format!("type {}", item.ident)),
        Item::Struct(item) if is_public(&item.vis, &item.attrs) => {
            add(format!("struct {}{}", item.ident, text(&item.generics)));
            for (at, field) in item.fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis, &field.attrs)) {
                let name = field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string);
                add(format!("field {}.{name}: {}", item.ident, text(&field.ty)));
            }
        }
        Item::Enum(item) if is_public(&item.vis, &item.attrs) => {
            add(format!("enum {}{}", item.ident, text(&item.generics)));
            for variant in &item.variants {
                add(format!("variant {}::{}{}", item.ident, variant.ident, text(&variant.fields)));
            }
        }
        Item::Trait(item) if is_public(&item.vis, &item.attrs) => {
            add(format!("trait {}{}", item.ident, text(&item.generics)));
            for within in &item.items {
                if let syn::TraitItem::Fn(within) = within {
                    add(format!("{}::{}", item.ident, text(&within.sig)));
                }
            }
        }
        Item::Impl(item) if !is_hidden(&item.attrs) => {
            let of = text(&item.self_ty);
            if let Some((name, _)) = &item.trait_ {
                add(format!("impl {} for {of}", text(name)));
            }
            for within in &item.items {
                match within {
                    syn::ImplItem::Fn(within) if is_public(&within.vis, &within.attrs) => {
                        add(format!("{of}::{}", text(&within.sig)));
                    }
                    syn::ImplItem::Const(within) if is_public(&within.vis, &within.attrs) => {
                        add(format!("{of}::const {}: {}", within.ident, text(&within.ty)));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
