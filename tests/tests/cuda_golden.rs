//! Golden cases of the CUDA import and passes: `tests/fixtures/cuda/NAME.h` gives the model in `NAME.json`, or the findings in `NAME.txt`.

use std::{env, fs, path::PathBuf};

use clcu_codegen::{
    finding::{Document, Findings, Strictness},
    import::cuda::{Headers, Libclang, import},
    model::Model,
    pass, snapshot,
};
use clcu_tests::{cuda, opencl::overlay};

/// What the header `text` gives: a snapshot and how its file ends, or findings.
fn read(text: &str, libclang: &Libclang) -> (String, &'static str) {
    match model(text, libclang) {
        Ok(model) => (snapshot::write(&model), "json"),
        Err(findings) => (findings.to_string(), "txt"),
    }
}

fn model(text: &str, libclang: &Libclang) -> Result<Model, Findings> {
    let headers = Headers::from_documents(vec![Document::new("cuda.h", text)])?;
    let (facts, _) = import(&headers, libclang, Strictness::Strict)?;
    pass::cuda::model(&facts, &overlay(), "13.5.0").map(|(model, _)| model)
}

#[test]
fn every_fixture_gives_what_is_beside_it() {
    let Some((_, libclang)) = cuda::inputs("every_fixture_gives_what_is_beside_it") else { return };
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cuda"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the fixtures").flatten() {
        let header = entry.path();
        if header.extension().is_none_or(|extension| extension != "h") {
            continue;
        }
        count += 1;
        let (found, extension) = read(&fs::read_to_string(&header).expect("a fixture"), &libclang);
        let golden = header.with_extension(extension);
        let wanted = fs::read_to_string(&golden).unwrap_or_default();
        if env::var_os("CLCU_BLESS").is_some() {
            fs::write(&golden, &found).expect("a golden file");
        } else if found != wanted {
            wrong.push(format!("{}\n--- wanted\n{wanted}--- found\n{found}", golden.display()));
        }
    }
    assert!(count > 20, "only {count} fixtures");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
