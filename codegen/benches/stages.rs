//! How long the stages take: `cargo bench -p clcu-codegen`.
//!
//! What reads upstream needs it: `CLCU_OPENCL_DOCS` names OpenCL's documents; headers and libclang are those at hand (`clcu fetch`). A stage
//! whose input is missing says so and is left out.

use std::{env, fs, path::PathBuf};

use clcu_codegen::{
    emit,
    fetch::AtHand,
    finding::{Document, Strictness},
    import::{self, cuda, opencl::registry},
    overlay::Overlay,
    pass, snapshot,
};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

fn named(stage: &str, variable: &str) -> Option<PathBuf> {
    let path = env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        println!("skipped: {stage}: {variable}");
    }
    path
}

fn overlay() -> Overlay {
    Overlay::read(Document::new("overlay.toml", clcu_spec::OVERLAY)).expect("the committed overlay is read")
}

fn registry_text(stage: &str) -> Option<Document> {
    let text = fs::read_to_string(named(stage, "CLCU_OPENCL_DOCS")?.join("xml/cl.xml")).expect("a directory of documents");
    Some(Document::new("cl.xml", &text))
}

/// `cl.xml`, from its text to facts.
#[divan::bench]
fn import_cl_xml(bencher: Bencher<'_, '_>) {
    let Some(document) = registry_text("import_cl_xml") else { return };
    bencher.bench(|| registry::import(black_box(&document), Strictness::Strict).expect("the pinned registry is read"));
}

/// From the facts of `cl.xml` to the model.
#[divan::bench]
fn model_of_opencl(bencher: Bencher<'_, '_>) {
    let Some(document) = registry_text("model_of_opencl") else { return };
    let (registry, _) = registry::import(&document, Strictness::Strict).expect("the pinned registry is read");
    bencher.with_inputs(overlay).bench_refs(|overlay| {
        pass::opencl::model(black_box(&registry), overlay, "3.1").expect("the pinned registry gives a model")
    });
}

/// All headers of one CUDA release, for all targets, with comments: from files to facts.
#[divan::bench(sample_count = 10)]
fn import_cuda_h(bencher: Bencher<'_, '_>) {
    let AtHand { cuda_include: Some(include), libclang: Some(library) } = AtHand::in_this_repository() else {
        println!("skipped: import_cuda_h: CUDA headers and libclang (run `clcu fetch`)");
        return;
    };
    let libclang = cuda::Libclang::open(&library).expect("a libclang");
    bencher.bench(|| {
        let headers = cuda::Headers::read(&include).expect("a directory of headers");
        import::cuda::import(&headers, &libclang, Strictness::Strict).expect("the pinned headers are read")
    });
}

/// Both snapshots, from their text to the text of all bindings.
#[divan::bench]
fn generate_from_snapshots(bencher: Bencher<'_, '_>) {
    let read = |name, text| snapshot::read(&Document::new(name, text)).expect("the committed snapshot is read");
    bencher.bench(|| {
        let (cuda, opencl) = (read("cuda.json", black_box(clcu_spec::CUDA)), read("opencl.json", black_box(clcu_spec::OPENCL)));
        emit::outputs(&cuda, &opencl).expect("the committed snapshots are emitted")
    });
}
