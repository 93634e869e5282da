//! Releases other than the newest, as far as they are on this machine. Nothing is downloaded.
//!
//! In: the name of a release. Out: its model as `clcu diff` reads it; `None`, having said so, where it is not there.

use std::{
    env,
    path::{Path, PathBuf},
};

use clcu_codegen::{
    fetch::{AtHand, Cache, CudaHeaders, Libclang, OpenClDocs, Sources, sha256},
    finding::{Document, Strictness},
    model::Model,
    pipeline::{Cuda, Decisions, Release, read_release},
    snapshot,
};

use crate::upstream;

/// The pinned headers of `version`, such as `12.9`, in the cache.
///
/// # Panics
/// If the pins of this repository cannot be read.
#[must_use]
pub fn cuda_include(test: &str, version: &str) -> Option<(CudaHeaders, Sources)> {
    let sources = Sources::read(&Document::new("spec/sources.toml", clcu_spec::SOURCES)).unwrap_or_else(|found| panic!("{found}"));
    let named = env::var_os("CLCU_CACHE").filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = Cache::at(named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../cache")));
    let pinned = sources.cuda_named(version).expect("a pinned release");
    let Some(include) = cache.find(&pinned.entry(), pinned.wheel().sha256) else {
        upstream::skipped(test, &format!("the headers of CUDA {version} (run `clcu fetch --cuda {version}`)"));
        return None;
    };
    let headers = CudaHeaders { include, version: pinned.version, release: pinned.release.clone() };
    Some((headers, sources))
}

/// The model of CUDA `version`.
///
/// # Panics
/// If what is there cannot be read: that is a failure of the test that asks.
#[must_use]
pub fn cuda(test: &str, version: &str) -> Option<Model> {
    let (headers, sources) = cuda_include(test, version)?;
    let Some(library) = AtHand::in_this_repository().libclang else {
        upstream::skipped(test, "libclang (run `clcu fetch`, or set CLCU_LIBCLANG)");
        return None;
    };
    let libclang = Libclang { library, pinned: true };
    Some(read(&Release::Cuda(Box::new(Cuda::new(&sources, headers, libclang)))))
}

/// The model of a state of OpenCL's registry: `v3.0.19`, `history/86019d49`.
///
/// # Panics
/// If what is there cannot be read: that is a failure of the test that asks.
#[must_use]
pub fn opencl(test: &str, state: &str) -> Option<(Model, PathBuf)> {
    let Some((_, registry)) = upstream::opencl_registries().into_iter().find(|(name, _)| name == state) else {
        upstream::skipped(test, &format!("the project's copy of cl.xml at {state}"));
        return None;
    };
    let sha256 = sha256(&std::fs::read(&registry).expect("cl.xml can be read"));
    let docs = OpenClDocs { registry: registry.clone(), api: None, commit: None, sha256 };
    Some((read(&Release::OpenCl(docs, state.strip_prefix('v').map(str::to_owned))), registry))
}

fn read(release: &Release) -> Model {
    let (overlay, reviewed) =
        (Document::new("spec/overlay.toml", clcu_spec::OVERLAY), Document::new("spec/reviewed.toml", clcu_spec::REVIEWED));
    let decisions = Decisions { overlay: &overlay, reviewed: &reviewed };
    let (read, _) = read_release(release, &decisions, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"));
    read.model
}

/// The committed snapshot of CUDA.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn cuda_snapshot() -> Model {
    snapshot::read(&Document::new("spec/cuda.json", clcu_spec::CUDA)).unwrap_or_else(|findings| panic!("{findings}"))
}

/// The committed snapshot of OpenCL.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn opencl_snapshot() -> Model {
    snapshot::read(&Document::new("spec/opencl.json", clcu_spec::OPENCL)).unwrap_or_else(|findings| panic!("{findings}"))
}
