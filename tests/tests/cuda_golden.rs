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

/// B24: a nameless member is named after its way and its own first member, so that a union which is added before it changes no name.
#[test]
fn b24_the_name_of_a_nameless_record_stays_when_another_is_added_before_it() {
    let test = "b24_the_name_of_a_nameless_record_stays_when_another_is_added_before_it";
    let Some((_, libclang)) = cuda::inputs(test) else { return };
    let header = |added: &str| {
        format!(
            "#define CUDA_VERSION 13050\ntypedef struct CUlamp_st {{\nint type;\n{added}union {{\nint cord;\nstruct {{\nvoid *plug;\n\
             const void *name;\n}} socket;\n}} handle;\nunion {{\nint id;\nunsigned short near;\n}};\n}} CUlamp_v1;\n"
        )
    };
    let names = |added: &str| -> Vec<String> {
        let model = model(&header(added), &libclang).unwrap_or_else(|findings| panic!("{findings}"));
        model.records.into_iter().map(|record| record.name).collect()
    };
    let before = names("");
    assert_eq!(before, ["CUlamp_v1", "CUlamp_v1_handle", "CUlamp_v1_handle_socket", "CUlamp_v1_id_union"]);
    let after = names("union {\nfloat warm;\nint cold;\n};\nstruct {\nint a;\n} other;\n");
    let added: Vec<&String> = after.iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(added, ["CUlamp_v1_other", "CUlamp_v1_warm_union"]);
    assert!(before.iter().all(|name| after.contains(name)), "{after:?}");
}
