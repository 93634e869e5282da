//! The OpenCL model as these tests read it: from upstream documents where they are, else from the committed snapshot.

use std::fs;

use clcu_codegen::{
    finding::{Document, Strictness},
    import::opencl::registry::{self, Registry},
    model::Model,
    overlay::Overlay,
    pass, snapshot,
};

use crate::upstream;

/// The registry of the documents in reach; `None`, having said so, where there are none.
///
/// # Panics
/// If it does not import: that is a failure of the test that asks.
#[must_use]
pub fn registry(test: &str) -> Option<Registry> {
    let Some(docs) = upstream::opencl_docs() else {
        upstream::skipped(test, "no cl.xml (set CLCU_OPENCL_DOCS)");
        return None;
    };
    let bytes = fs::read(docs.join("xml/cl.xml")).expect("cl.xml can be read");
    let document = Document::from_bytes("xml/cl.xml", &bytes).unwrap_or_else(|finding| panic!("{finding}"));
    let (registry, _) = registry::import(&document, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"));
    Some(registry)
}

/// The overlay of this repository.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn overlay() -> Overlay {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/overlay.toml");
    let text = fs::read_to_string(path).expect("the overlay can be read");
    Overlay::read(Document::new("spec/overlay.toml", &text)).unwrap_or_else(|findings| panic!("{findings}"))
}

/// The model of the documents in reach, or of the committed snapshot where there are none.
///
/// # Panics
/// If either cannot be read.
#[must_use]
pub fn model() -> Model {
    if upstream::opencl_docs().is_none() {
        let snapshot = Document::new("spec/opencl.json", clcu_spec::OPENCL);
        return snapshot::read(&snapshot).unwrap_or_else(|findings| panic!("{findings}"));
    }
    let registry = registry("model").expect("the documents are there");
    let (model, _) = pass::opencl::model(&registry, &overlay(), "test").unwrap_or_else(|findings| panic!("{findings}"));
    model
}
