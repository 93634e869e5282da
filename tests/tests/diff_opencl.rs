//! `clcu diff` of two states of `cl.xml` against a comparison of the two files that knows nothing of the importer.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use clcu_codegen::diff::{Change, Diff, Grade, Kind, What};
use clcu_tests::releases;
use quick_xml::{Reader, events::Event};

/// What a file says, by name: nothing is interpreted, texts are only freed of white space.
#[derive(Default)]
struct Registry {
    values: BTreeMap<String, String>,
    commands: BTreeMap<String, Vec<String>>,
    structs: BTreeMap<String, String>,
    extensions: BTreeMap<String, String>,
    /// The groups in which a name is required.
    groups: BTreeMap<String, BTreeSet<String>>,
}

fn registry(path: &Path) -> Registry {
    let text = fs::read_to_string(path).expect("cl.xml can be read");
    let mut reader = Reader::from_str(&text);
    let mut found = Registry::default();
    let (mut stack, mut group, mut owner): (Vec<String>, String, String) = (Vec::new(), String::new(), String::new());
    // The item under construction: its name, and the texts in it.
    let (mut name, mut parts): (String, Vec<String>) = (String::new(), Vec::new());
    loop {
        let (start, empty) = match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::Start(start) => (start.into_owned(), false),
            Event::Empty(start) => (start.into_owned(), true),
            Event::Text(text) => {
                let text = text.as_ref().to_owned();
                let path: Vec<&str> = stack.iter().map(String::as_str).collect();
                if let [.., "proto", "name"] = path.as_slice() {
                    text.trim().clone_into(&mut name);
                } else if let [.., "commands", "command", "param"] | [.., "commands", "command", "param", "type"] = path.as_slice()
                {
                    if let Some(last) = parts.last_mut() {
                        last.push_str(&text);
                    }
                } else if stack.iter().any(|step| step == "member")
                    && !path.contains(&"comment")
                    && let Some(last) = parts.last_mut()
                {
                    last.push_str(&text);
                }
                continue;
            }
            Event::End(end) => {
                let tag = end.name().as_ref().to_owned();
                stack.pop();
                let parent = stack.last().map(String::as_str);
                let squeeze = |parts: &[String]| -> Vec<String> {
                    parts.iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
                };
                if tag == "command" && parent == Some("commands") {
                    found.commands.insert(std::mem::take(&mut name), squeeze(&std::mem::take(&mut parts)));
                } else if tag == "type" && parent == Some("types") && !parts.is_empty() {
                    found.structs.insert(name.clone(), squeeze(&std::mem::take(&mut parts)).join(";"));
                }
                continue;
            }
            _ => continue,
        };
        let tag = start.name().as_ref().to_owned();
        let attributes: BTreeMap<String, String> =
            (start.attributes().flatten()).map(|one| (one.key.as_ref().to_owned(), one.value.into_owned())).collect();
        let get = |key: &str| attributes.get(key).cloned().unwrap_or_default();
        let parent = stack.last().cloned().unwrap_or_default();
        match (parent.as_str(), tag.as_str()) {
            ("enums", "enum") => {
                let value = attributes.get("bitpos").map_or_else(|| get("value"), |bit| format!("bit {bit}"));
                found.values.insert(get("name").trim().to_owned(), value);
            }
            (_, "feature" | "extension") => {
                owner = get("name");
                if tag == "extension" {
                    let facts: Vec<String> =
                        attributes.iter().filter(|(key, _)| *key != "name").map(|(key, value)| format!("{key}={value}")).collect();
                    found.extensions.insert(owner.clone(), facts.join(" "));
                }
            }
            (_, "require") => group = format!("{owner}: {}", get("comment")),
            ("require", "enum" | "type" | "command") => {
                found.groups.entry(get("name").trim().to_owned()).or_default().insert(group.clone());
            }
            ("types", "type") => name = get("name"),
            (_, "param" | "member") => parts.push(String::new()),
            _ => {}
        }
        if !empty {
            stack.push(tag);
        }
    }
    found
}

fn names(changes: &[Change], kinds: &[Kind], of: impl Fn(&Change) -> Option<String>) -> BTreeSet<String> {
    changes.iter().filter(|change| kinds.contains(&change.kind)).filter_map(of).collect()
}

/// Both ways: what the files say and the diff does not is missing; what the diff says and the files do not is invented.
#[test]
fn every_change_from_3_0_19_to_3_1_0_is_listed_and_none_is_invented() {
    let test = "every_change_from_3_0_19_to_3_1_0_is_listed_and_none_is_invented";
    let (Some((old_model, old)), Some((new_model, new))) = (releases::opencl(test, "v3.0.19"), releases::opencl(test, "v3.1.0"))
    else {
        return;
    };
    let (old, new) = (registry(&old), registry(&new));
    assert!(new.values.len() > 1200 && new.commands.len() > 240 && new.structs.len() > 14, "the files were read");
    let diff = Diff::between(&old_model, &new_model);
    let values = [Kind::Enumerator, Kind::Constant];
    let leaf = |change: &Change| change.leaf.clone().unwrap_or_else(|| change.item.clone());

    // Values: new, gone, or of another number.
    let in_new_types: BTreeSet<&str> = (diff.changes.iter())
        .filter(|change| change.what == What::Added && change.kind == Kind::Enumeration)
        .flat_map(|change| new_model.enumerations.iter().filter(|item| item.name == change.item))
        .flat_map(|item| item.enumerators.iter().map(|leaf| leaf.name.as_str()))
        .collect();
    let mut said = names(&diff.changes, &values, |change| match &change.what {
        What::Added => Some(leaf(change)),
        What::Renamed { to } => Some(to.clone()),
        _ => None,
    });
    said.extend(in_new_types.iter().map(|name| (*name).to_owned()));
    let omitted: BTreeSet<&str> = new_model.omitted.iter().map(|item| item.name.as_str()).collect();
    for name in new.values.keys().filter(|name| !old.values.contains_key(*name) && !omitted.contains(name.as_str())) {
        assert!(said.contains(name), "{name} is new and not listed");
    }
    for name in said.iter().filter(|name| old.values.contains_key(*name)) {
        assert_ne!(old.groups.get(name), new.groups.get(name), "{name} is listed as new and was there, in the same groups");
    }
    let gone =
        names(&diff.changes, &values, |change| matches!(change.what, What::Removed | What::Renamed { .. }).then(|| leaf(change)));
    for name in old.values.keys().filter(|name| !new.values.contains_key(*name)) {
        assert!(gone.contains(name), "{name} is gone and not listed");
    }
    for name in gone.iter().filter(|name| new.values.contains_key(*name)) {
        assert_ne!(old.groups.get(name), new.groups.get(name), "{name} is listed as gone and is there, in the same groups");
    }
    let renumbered = names(&diff.changes, &values, |change| (change.word() == "renumbered").then(|| leaf(change)));
    let other: BTreeSet<String> = (new.values.iter())
        .filter(|(name, value)| old.values.get(*name).is_some_and(|was| was != *value))
        .map(|(name, _)| name.clone())
        .collect();
    assert!(renumbered.is_subset(&other), "invented: {renumbered:?}, the files: {other:?}");
    for name in other.difference(&renumbered) {
        // The same number in another notation is no change.
        let number = |model: &clcu_codegen::model::Model| {
            let leaves = model.enumerations.iter().flat_map(|item| &item.enumerators).map(|leaf| (&leaf.name, leaf.value));
            let all = leaves.chain(model.constants.iter().map(|item| (&item.name, item.value)));
            all.into_iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.integer())
        };
        assert_eq!(number(&old_model), number(&new_model), "{name} has another number");
    }

    // Commands, records, extensions.
    let listed = |kinds: &[Kind], what: &dyn Fn(&What) -> bool| {
        names(&diff.changes, kinds, |change| what(&change.what).then(|| change.item.clone()))
    };
    let between = |from: BTreeSet<&String>, to: BTreeSet<&String>| -> BTreeSet<String> {
        to.difference(&from).map(|name| (*name).clone()).collect()
    };
    let commands = [Kind::Command];
    let keys = |registry: &Registry| registry.commands.keys().cloned().collect::<BTreeSet<_>>();
    let (old_commands, new_commands) = (keys(&old), keys(&new));
    assert_eq!(
        listed(&commands, &|what| *what == What::Added),
        between(old_commands.iter().collect(), new_commands.iter().collect())
    );
    assert_eq!(
        listed(&commands, &|what| *what == What::Removed),
        between(new_commands.iter().collect(), old_commands.iter().collect())
    );
    let signatures = names(&diff.changes, &commands, |change| (change.word() == "signature").then(|| change.item.clone()));
    let other: BTreeSet<String> = new
        .commands
        .iter()
        .filter(|(name, is)| old.commands.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(signatures, other, "signatures");
    let records = names(&diff.changes, &[Kind::Record, Kind::Member], |change| {
        (change.grade > Grade::Text && !matches!(change.what, What::Added | What::Removed) || change.leaf.is_some())
            .then(|| change.item.clone())
    });
    let other: BTreeSet<String> = new
        .structs
        .iter()
        .filter(|(name, is)| old.structs.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(records, other, "records");
    let extensions = [Kind::Extension];
    let keys = |registry: &Registry| registry.extensions.keys().cloned().collect::<BTreeSet<_>>();
    let (old_extensions, new_extensions) = (keys(&old), keys(&new));
    assert_eq!(
        listed(&extensions, &|what| *what == What::Added),
        between(old_extensions.iter().collect(), new_extensions.iter().collect())
    );
    assert_eq!(
        listed(&extensions, &|what| *what == What::Removed),
        between(new_extensions.iter().collect(), old_extensions.iter().collect())
    );
    let said = listed(&extensions, &|what| matches!(what, What::Changed { .. }));
    let other: BTreeSet<String> = new
        .extensions
        .iter()
        .filter(|(name, is)| old.extensions.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(said, other, "extensions");
}

/// A38: 0x2051 means memory only since; who passes it for a semaphore is wrong.
#[test]
fn the_device_handle_list_of_semaphores_is_listed_as_renumbered_and_renamed() {
    let test = "the_device_handle_list_of_semaphores_is_listed_as_renumbered_and_renamed";
    let states = ["history/86019d49", "main-1fb076bc"].map(|state| releases::opencl(test, state));
    let [Some((old, _)), Some((new, _))] = states else { return };
    let diff = Diff::between(&old, &new);
    let of = |kind: &str| {
        let changes = diff.changes.iter().filter(|change| change.item == kind);
        changes.map(|change| (change.grade, change.word(), change.name())).collect::<Vec<_>>()
    };
    let semaphore = of("cl_semaphore_properties_khr");
    let name = "cl_semaphore_properties_khr.CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR".to_owned();
    assert!(semaphore.contains(&(Grade::Abi, "renumbered", name)), "{semaphore:?}");
    let old_name = "cl_semaphore_properties_khr.CL_DEVICE_HANDLE_LIST_KHR".to_owned();
    assert!(semaphore.contains(&(Grade::Source, "renamed", old_name)), "{semaphore:?}");
    let memory = of("cl_mem_properties");
    assert!(memory.contains(&(Grade::Source, "renamed", "cl_mem_properties.CL_DEVICE_HANDLE_LIST_KHR".to_owned())), "{memory:?}");
    assert_eq!(clcu_sys::opencl::cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0, 0x2053);
}
