//! Whether what is required is defined, and what is defined is unique.
//!
//! A header that nothing defines is listed as a warning: the registry speaks of headers without defining them. A command or value that
//! nothing defines is an error: an item would be missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    facts::{Item, ItemKind, Registry, Require},
    reader::Reader,
    spelling::did_you_mean,
};
use crate::finding::Finding;

pub(super) fn check(reader: &mut Reader<'_>, registry: &mut Registry) {
    unique_values(reader, registry);
    registry.features.sort_by_key(|feature| feature.version);
    let types = registry.types.iter().map(|definition| definition.name.as_str()).collect();
    let enums = registry.blocks.iter().flat_map(|block| &block.entries).map(|entry| entry.name.as_str()).collect();
    let commands = registry.commands.iter().map(|command| command.name.as_str()).collect();
    let known = [types, enums, commands];
    for require in requires(registry) {
        for item in &require.items {
            self::item(reader, item, &known);
        }
    }
    depends(reader, registry);
}

/// Every `<require>`, those of core versions first.
fn requires(registry: &Registry) -> impl Iterator<Item = &Require> {
    let features = registry.features.iter().flat_map(|feature| &feature.requires);
    features.chain(registry.extensions.iter().flat_map(|extension| &extension.requires))
}

fn unique_values(reader: &mut Reader<'_>, registry: &Registry) {
    let mut seen = BTreeMap::new();
    for entry in registry.blocks.iter().flat_map(|block| &block.entries) {
        if let Some(first) = seen.insert(entry.name.as_str(), entry) {
            let first = registry.place(&first.span);
            let finding =
                Finding::error(format!("`{}` is defined twice", entry.name)).found(format!("the first at line {}", first.line()));
            reader.error(finding, &entry.span);
        }
    }
}

fn item(reader: &mut Reader<'_>, item: &Item, known: &[BTreeSet<&str>; 3]) {
    let [types, enums, commands] = known;
    let names = match item.kind {
        ItemKind::Type => types,
        ItemKind::Enum => enums,
        ItemKind::Command => commands,
    };
    if names.contains(item.name.as_str()) {
        return;
    }
    let what = format!("the {} `{}` is required, and nothing defines it", item.kind.name(), item.name);
    if item.kind == ItemKind::Type && std::path::Path::new(&item.name).extension().is_some_and(|extension| extension == "h") {
        reader.warning(what, &item.span);
        return;
    }
    let help = did_you_mean(&item.name, names.iter().copied(), "check its spelling, or leave it out with --lenient");
    reader.unknown(Finding::error(what).help(help), &item.span);
}

/// Dependencies name core versions and extensions.
fn depends(reader: &mut Reader<'_>, registry: &Registry) {
    let features = registry.features.iter().map(|feature| feature.name.as_str());
    let names: BTreeSet<&str> = features.chain(registry.extensions.iter().map(|extension| extension.name.as_str())).collect();
    for extension in &registry.extensions {
        let of_requires = extension.requires.iter().map(|require| (&require.depends, &require.span));
        for (alternatives, span) in std::iter::once((&extension.depends, &extension.span)).chain(of_requires) {
            let needed = alternatives.iter().flat_map(|alternatives| alternatives.any_of.iter().flatten());
            for name in needed.filter(|name| !names.contains(name.as_str())) {
                let what = format!("`{}` depends on `{name}`, which is neither a core version nor an extension", extension.name);
                let help = did_you_mean(name, names.iter().copied(), "check its spelling");
                reader.findings.push(Finding::warning(what).at(registry.place(span)).help(help));
            }
        }
    }
}
