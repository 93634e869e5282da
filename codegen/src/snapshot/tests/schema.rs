//! Snapshots against the JSON Schema that documents them: it takes what this program writes, refuses what it does not, and describes nothing else.
//!
//! The few words of JSON Schema that the file uses are checked here, because validators of the whole language bring a hundred crates.

use std::collections::BTreeSet;

use proptest::{strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Map, Value, json};

use super::{super::write, SCHEMA, models};
use proptest::strategy::Strategy;

/// The schema, and which properties of which definition it has met.
struct Schema {
    root: Value,
    met: BTreeSet<(String, String)>,
}

impl Schema {
    fn new() -> Self {
        let root = serde_json::from_str(clcu_spec::SCHEMA).expect("the schema is JSON");
        Self { root, met: BTreeSet::new() }
    }

    /// What is wrong with `text`, each with the way to it.
    fn faults(&mut self, text: &str) -> Vec<String> {
        let (mut faults, root) = (Vec::new(), self.root.clone());
        self.check(&root, "snapshot", &serde_json::from_str(text).expect("JSON"), "", &mut faults);
        faults
    }

    fn check(&mut self, schema: &Value, definition: &str, value: &Value, way: &str, faults: &mut Vec<String>) {
        for (word, wanted) in schema.as_object().expect("a schema is an object") {
            let holds = match word.as_str() {
                "$schema" | "$defs" | "title" | "description" | "required" | "additionalProperties" => true,
                "$ref" => {
                    let name = wanted.as_str().and_then(|way| way.strip_prefix("#/$defs/")).expect("a definition");
                    let target = self.root["$defs"].get(name).unwrap_or_else(|| panic!("no definition `{name}`")).clone();
                    self.check(&target, name, value, way, faults);
                    true
                }
                "type" => match wanted.as_str() {
                    Some("object") => value.is_object(),
                    Some("array") => value.is_array(),
                    Some("string") => value.is_string(),
                    Some("boolean") => value.is_boolean(),
                    Some("integer") => value.is_i64() || value.is_u64(),
                    Some("null") => value.is_null(),
                    other => panic!("type {other:?}"),
                },
                "const" => value == wanted,
                "enum" => wanted.as_array().expect("a list").contains(value),
                "pattern" => value.as_str().is_none_or(|text| matches(wanted.as_str().unwrap_or_default(), text)),
                "anyOf" => wanted.as_array().expect("a list").iter().any(|one| {
                    let mut of_one = Vec::new();
                    self.check(one, definition, value, way, &mut of_one);
                    of_one.is_empty()
                }),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, definition, item, &format!("{way}[{index}]"), faults);
                    }
                    true
                }
                "properties" => {
                    self.properties(schema, definition, value, way, faults);
                    true
                }
                other => panic!("the word `{other}` is not checked: teach it here"),
            };
            if !holds {
                faults.push(format!("{way}: {value} against {word} {wanted}"));
            }
        }
    }

    fn properties(&mut self, schema: &Value, definition: &str, value: &Value, way: &str, faults: &mut Vec<String>) {
        let Some(object) = value.as_object() else { return };
        assert_eq!(schema["additionalProperties"], json!(false), "{definition} is closed");
        for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(required) {
                faults.push(format!("{way}: no `{required}`"));
            }
        }
        for (name, value) in object {
            match schema["properties"].get(name) {
                None => faults.push(format!("{way}: unknown `{name}`")),
                Some(one) => {
                    self.met.insert((definition.to_owned(), name.clone()));
                    self.check(one, definition, value, &format!("{way}.{name}"), faults);
                }
            }
        }
    }
}

/// The patterns of the schema, by hand.
fn matches(pattern: &str, text: &str) -> bool {
    let numbers = |text: &str| text.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    match pattern {
        " until " => text.contains(" until "),
        "^[0-9]+[.][0-9]+$" => numbers(text) && text.split('.').count() == 2,
        "^[0-9]+[.][0-9]+([.][0-9]+)?$" => numbers(text) && [2, 3].contains(&text.split('.').count()),
        other => panic!("the pattern `{other}` is not checked: teach it here"),
    }
}

#[test]
fn the_schema_takes_both_snapshots_and_every_model_and_describes_nothing_else() {
    let mut schema = Schema::new();
    assert_eq!(schema.root["properties"]["schema"]["const"], json!(SCHEMA));
    for text in [clcu_spec::CUDA, clcu_spec::OPENCL] {
        let faults = schema.faults(text);
        assert!(faults.is_empty(), "{} faults, the first: {:?}", faults.len(), faults.first());
    }
    let mut runner = TestRunner::deterministic();
    for _ in 0..64 {
        let model = models::any().new_tree(&mut runner).expect("a model").current();
        let faults = schema.faults(&write(&model));
        assert!(faults.is_empty(), "{faults:?}");
    }
    let definitions = schema.root["$defs"].as_object().expect("definitions");
    let described = definitions.iter().flat_map(|(name, definition)| {
        let properties = definition.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        properties.map(|property| (name.clone(), property.clone()))
    });
    let unmet: Vec<_> = described.filter(|one| !schema.met.contains(one)).collect();
    assert!(unmet.is_empty(), "described, and never written: {unmet:?}");
}

#[test]
fn the_schema_refuses_what_no_snapshot_holds() {
    let faults = |text: String| Schema::new().faults(&text);
    let small = super::SMALL;
    assert_eq!(faults(small.to_owned()), Vec::<String>::new());
    let wrong = [
        (small.replace("\"kind\": \"choice\"", "\"kind\": \"chance\""), "against enum"),
        (small.replace("\"repr\": \"u32\", ", ""), "no `repr`"),
        (small.replace("\"repr\": ", "\"representation\": \"u8\", \"repr\": "), "unknown `representation`"),
        (small.replace("\"since\": \"13.5\"", "\"since\": \"13\""), "against anyOf"),
        (small.replace("\"schema\": 1", "\"schema\": 2"), "against const"),
        (small.replace("\"api\": \"cuda\"", "\"api\": \"vulkan\""), "against enum"),
        (small.replace("\"value\": \"1\"", "\"value\": 1"), "against type"),
    ];
    for (text, part) in wrong {
        let faults = faults(text);
        assert!(faults.iter().any(|fault| fault.contains(part)), "{part}: {faults:?}");
    }
}
