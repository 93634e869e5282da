//! One small model a case, and the exact text that is emitted for it. `tests/fixtures/emit/…` holds both; that the texts compile is
//! proved in `emit_compiles`, which includes the same files.

use std::{collections::BTreeMap, fs, path::PathBuf};

use clcu_codegen::{
    emit,
    finding::Document,
    model::{Api, Model},
    snapshot,
};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/emit")
}

/// The model of a case: its file holds only the lists that matter.
fn model(case: &str) -> Model {
    let text = fs::read_to_string(fixtures().join(case).join("model.json")).unwrap();
    let mut fragment: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let whole = serde_json::to_value(Model::empty(Api::Cuda)).unwrap();
    for (key, empty) in whole.as_object().unwrap() {
        fragment.entry(key.clone()).or_insert(empty.clone());
    }
    let whole = serde_json::json!({"schema": snapshot::SCHEMA, "model": fragment}).to_string();
    snapshot::read(&Document::new(case, &whole)).unwrap()
}

/// Every emitted file of a case is the one beside its model, and no file is there that is not emitted.
fn check(case: &str) {
    let emitted: BTreeMap<String, String> =
        emit::files(&model(case)).unwrap().into_iter().map(|file| (format!("{}.rs", file.name), file.text)).collect();
    let wanted: BTreeMap<String, String> = fs::read_dir(fixtures().join(case))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(emitted.keys().eq(wanted.keys()), "emitted {:?}, wanted {:?}", emitted.keys(), wanted.keys());
    for (name, text) in &emitted {
        assert!(*text == wanted[name], "{case}/{name} is emitted as:\n{text}");
        syn::parse_file(text).unwrap_or_else(|error| panic!("{case}/{name} is no Rust: {error}"));
    }
}

macro_rules! cases {
    ($($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                check(stringify!($case));
            }
        )*

        #[test]
        fn every_case_is_run() {
            let mut found: Vec<String> =
                fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            found.sort();
            assert_eq!(found, [$(stringify!($case)),*]);
        }
    };
}

cases! {
    aligned_record
    bits
    callbacks
    constants
    cuda_commands
    enumeration
    functions
    handles
    nameless_union
    nothing
    opencl_commands
    record
    status
    windows_only
}
