//! Since which core version of OpenCL a thing is there, against the `<feature>` of the registry that requires it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use clcu_codegen::model::{Lifetime, Version};
use clcu_tests::{opencl, upstream};
use quick_xml::{Reader, events::Event};

/// The lowest version of a `<feature>` that requires each command, value and type, read without any of the importer's code.
fn required_by_features(registry: &str) -> BTreeMap<String, Version> {
    let mut reader = Reader::from_str(registry);
    let mut required: BTreeMap<String, Version> = BTreeMap::new();
    let mut feature: Option<Version> = None;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::End(end) if end.name().as_ref() == "feature" => feature = None,
            Event::Start(start) | Event::Empty(start) => {
                let tag = start.name().as_ref().to_owned();
                let attribute = |key: &str| {
                    let mut all = start.attributes().flatten();
                    all.find(|one| one.key.as_ref() == key).map(|one| one.value.into_owned())
                };
                if tag == "feature" {
                    feature = attribute("number").and_then(|number| number.parse().ok());
                } else if let (Some(version), "enum" | "command" | "type", Some(name)) = (feature, tag.as_str(), attribute("name"))
                {
                    let known = required.entry(name).or_insert(version);
                    *known = version.min(*known);
                }
            }
            _ => {}
        }
    }
    required
}

/// C20: the core version of every command and value is the number of the oldest `<feature>` that requires it, and nothing else has one.
#[test]
fn c20_a_core_version_is_that_of_the_feature_which_requires_it() {
    let test = "c20_a_core_version_is_that_of_the_feature_which_requires_it";
    let Some(docs) = upstream::opencl_docs() else {
        upstream::skipped(test, "OpenCL's documents (CLCU_OPENCL_DOCS)");
        return;
    };
    let registry = fs::read_to_string(docs.join("xml/cl.xml")).expect("cl.xml can be read");
    let required = required_by_features(&registry);
    assert!(required.len() > 600, "{}", required.len());
    let model = opencl::model();
    let values = model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators);
    let all: Vec<(&str, &Lifetime)> = (model.commands.iter().map(|item| (item.symbol.as_str(), &item.lifetime)))
        .chain(model.constants.iter().map(|item| (item.name.as_str(), &item.lifetime)))
        .chain(values.map(|item| (item.name.as_str(), &item.lifetime)))
        .collect();
    for (name, lifetime) in &all {
        assert_eq!(lifetime.since, required.get(*name).copied(), "{name}");
    }
    let known: BTreeSet<&str> = all.iter().map(|(name, _)| *name).collect();
    let omitted: BTreeSet<&str> = model.omitted.iter().map(|omitted| omitted.name.as_str()).collect();
    let lost: Vec<_> = required.keys().filter(|name| !known.contains(name.as_str()) && !omitted.contains(name.as_str())).collect();
    let others: BTreeSet<&str> = (model.macro_functions.iter().map(|item| item.name.as_str()))
        .chain(model.enumerations.iter().map(|item| item.name.as_str()))
        .chain(model.aliases.iter().map(|item| item.name.as_str()))
        .chain(model.handles.iter().map(|item| item.name.as_str()))
        .chain(model.records.iter().map(|item| item.name.as_str()))
        .collect();
    assert!(lost.iter().all(|name| others.contains(name.as_str())), "{lost:?}");
}
