//! Snapshots as they are written, read back, and refused.

mod models;
mod rules;
mod schema;

use proptest::prelude::*;

use super::{Document, SCHEMA, lines, parse, read, write};
use crate::{
    finding::Findings,
    model::{Api, CType, Enumeration, EnumerationKind, Enumerator, Lifetime, Model, Value, Version},
    pass::order::order,
};

proptest! {
    #[test]
    fn what_is_written_is_read_back(mut model in models::any()) {
        let text = write(&model);
        let read = parse(&Document::new("snapshot", &text)).unwrap();
        order(&mut model);
        prop_assert_eq!(read, model);
    }

    #[test]
    fn the_order_of_lists_changes_no_byte(model in models::any()) {
        let mut reversed = model.clone();
        reversed.constants.reverse();
        reversed.handles.reverse();
        reversed.omitted.reverse();
        prop_assume!(distinct(&model));
        prop_assert_eq!(write(&model), write(&reversed));
    }

    #[test]
    fn damage_is_an_error_and_no_panic(model in models::any(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let text = write(&model);
        let at = text.char_indices().map(|(at, _)| at).nth(at.index(text.chars().count())).unwrap();
        let damaged = format!("{}{with}{}", &text[..at], &text[at..]);
        let _ = read(&Document::new("snapshot", &damaged));
        prop_assert!(read(&Document::new("snapshot", &text[..at])).is_err());
    }
}

/// Whether sorting by name leaves nothing open.
fn distinct(model: &Model) -> bool {
    let all_differ = |mut names: Vec<String>| {
        names.sort();
        names.windows(2).all(|pair| pair[0] != pair[1])
    };
    all_differ(model.constants.iter().map(|item| item.name.clone()).collect())
        && all_differ(model.handles.iter().map(|item| item.name.clone()).collect())
        && all_differ(model.omitted.iter().map(|item| format!("{} {}", item.name, item.kind)).collect())
}

/// One enumeration with two values, the second a further name.
fn small() -> Model {
    let lifetime = Lifetime { since: Some(Version::new(13, 5)), ..Lifetime::default() };
    let value = |name: &str, value, alias_of: Option<&str>| Enumerator {
        name: name.to_owned(),
        value,
        alias_of: alias_of.map(str::to_owned),
        lifetime: lifetime.clone(),
    };
    let mut model = Model::empty(Api::Cuda);
    model.releases.push("13.5.37".to_owned());
    model.enumerations.push(Enumeration {
        name: "CUshade".to_owned(),
        repr: "u32".to_owned(),
        kind: EnumerationKind::Choice,
        lifetime: lifetime.clone(),
        windows: false,
        enumerators: vec![value("CU_DARK", Value::Hex(1), None), value("CU_DIM", Value::Decimal(1), Some("CU_DARK"))],
    });
    model
}

/// [`small`] as it is committed.
const SMALL: &str = r#"{
"schema": 1,
"model": {
"api": "cuda",
"releases": [
  "13.5.37"
],
"constants": [],
"enumerations": [
  {"name": "CUshade", "repr": "u32", "kind": "choice", "since": "13.5", "until": null, "enumerators": [
    {"name": "CU_DARK", "value": "0x1", "since": "13.5", "until": null},
    {"name": "CU_DIM", "value": "1", "alias_of": "CU_DARK", "since": "13.5", "until": null}
  ]}
],
"aliases": [],
"handles": [],
"records": [],
"callbacks": [],
"commands": [],
"features": [],
"extensions": [],
"macro_functions": [],
"omitted": [],
"rules": [],
"handle_types": [],
"error_lists": [],
"properties": []
}
}
"#;

/// The findings for [`SMALL`] with `from` replaced.
fn refused(from: &str, to: &str) -> Findings {
    assert!(SMALL.contains(from));
    read(&Document::new("cuda.json", &SMALL.replacen(from, to, 1))).unwrap_err()
}

#[test]
fn a_leaf_has_a_line_of_its_own_under_what_it_belongs_to() {
    assert_eq!(write(&small()), SMALL);
    assert_eq!(read(&Document::new("cuda.json", SMALL)).unwrap(), small());
}

#[test]
fn an_unknown_field_is_refused_with_its_line() {
    let findings = refused(r#""alias_of": "CU_DARK""#, r#""alias": "CU_DARK""#);
    let message = findings.0[0].to_string();
    assert!(message.starts_with("cuda.json:12:"), "{message}");
    assert!(message.contains("unknown field `alias`"), "{message}");
}

#[test]
fn a_value_that_is_none_is_refused_with_its_line() {
    let message = refused(r#""value": "0x1""#, r#""value": "one""#).0[0].to_string();
    assert!(message.starts_with("cuda.json:11:"), "{message}");
    assert!(message.contains("`one` is no value"), "{message}");
}

#[test]
fn a_broken_line_is_refused_where_it_breaks() {
    let message = refused(r#""value": "0x1","#, r#""value": "0x1""#).0[0].to_string();
    assert!(message.starts_with("cuda.json:11:40: the snapshot cannot be read; found expected `,` or `}`"), "{message}");
}

#[test]
fn another_schema_is_refused_before_anything_else() {
    let findings = read(&Document::new("cuda.json", "{\n\"schema\": 99, \"other\": 1}")).unwrap_err();
    let message = findings.0[0].to_string();
    assert!(message.starts_with("cuda.json:2:1: "), "{message}");
    assert!(message.contains(&format!("found schema 99; wanted schema {SCHEMA}")), "{message}");
}

#[test]
fn a_name_that_would_be_code_is_refused_with_its_line() {
    let message = refused(r#""name": "CU_DIM""#, r#""name": "X = 1; } fn f() {""#).0[0].to_string();
    assert!(message.starts_with("cuda.json:12:"), "{message}");
    assert!(message.contains("is no name of C"), "{message}");
}

#[test]
fn a_value_beyond_its_integer_is_refused_with_its_line() {
    let message = refused(r#""value": "0x1""#, r#""value": "0x100000000""#).0[0].to_string();
    assert!(message.starts_with("cuda.json:11:"), "{message}");
    assert!(message.contains("`0x100000000` for `u32`"), "{message}");
}

#[test]
fn lines_are_read_back_and_stand_one_symbol_a_line() {
    let text = "{\n\"CUshade\": {\"document\": \"cuda.h\", \"first\": 3, \"last\": 5},\n\
                \"CUshade.CU_DARK\": {\"document\": \"cuda.h\", \"first\": 4, \"last\": 4}\n}\n";
    let read = lines::read(&Document::new("lines/cuda.json", text)).unwrap();
    assert_eq!(read["CUshade"].last, 5);
    assert_eq!(lines::write(&read), text);
    assert_eq!(lines::write(&lines::BySymbol::new()), "{\n}\n");
}

#[test]
fn types_nested_without_end_are_refused() {
    let deep = format!("\"{}u8\"", "*const ".repeat(100_000));
    assert!(serde_json::from_str::<CType>(&deep).is_err());
}
