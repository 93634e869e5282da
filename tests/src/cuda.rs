//! The CUDA headers as these tests read them, where they are: named by `CLCU_CUDA_INCLUDE` and `CLCU_LIBCLANG`, or in the cache.

use std::sync::OnceLock;

use clcu_codegen::{
    fetch::AtHand,
    finding::{Findings, Strictness},
    import::cuda::{Facts, Headers, Libclang, import},
    model::Model,
    pass,
};

use crate::{opencl::overlay, upstream};

/// The headers in reach and an open libclang; `None`, having said so, where either is missing. Nothing is downloaded.
///
/// # Panics
/// If what is there cannot be read: that is a failure of the test that asks.
#[must_use]
pub fn inputs(test: &str) -> Option<(Headers, Libclang)> {
    let AtHand { cuda_include: Some(include), libclang: Some(library) } = AtHand::in_this_repository() else {
        upstream::skipped(test, "CUDA headers and libclang (run `clcu fetch`, or set CLCU_CUDA_INCLUDE and CLCU_LIBCLANG)");
        return None;
    };
    let headers = Headers::read(&include).unwrap_or_else(|findings| panic!("{findings}"));
    let libclang = Libclang::open(&library).unwrap_or_else(|findings| panic!("{findings}"));
    Some((headers, libclang))
}

/// The facts of [`inputs`], and what was found on the way: read once a process.
///
/// # Panics
/// If they do not import.
#[must_use]
pub fn facts(test: &str) -> Option<&'static (Facts, Findings)> {
    static FACTS: OnceLock<(Facts, Findings)> = OnceLock::new();
    let (headers, libclang) = inputs(test)?;
    Some(FACTS.get_or_init(|| import(&headers, &libclang, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"))))
}

/// The model of [`facts`].
///
/// # Panics
/// If the passes fail.
#[must_use]
pub fn model(test: &str) -> Option<Model> {
    let (facts, _) = facts(test)?;
    Some(model_of(facts))
}

/// The model of `facts` with the overlay of this repository.
///
/// # Panics
/// If the passes fail.
#[must_use]
pub fn model_of(facts: &Facts) -> Model {
    let (model, _) = pass::cuda::model(facts, &overlay(), "test").unwrap_or_else(|findings| panic!("{findings}"));
    model
}
