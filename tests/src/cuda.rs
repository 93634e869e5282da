//! The CUDA headers as these tests read them, where they are: named by `CLCU_CUDA_INCLUDE` and `CLCU_LIBCLANG`, or in the cache.

use std::{env, path::PathBuf};

use clcu_codegen::{
    fetch::{Cache, Overrides, Sources},
    finding::{Document, Findings},
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
    let overrides = Overrides::default().or_environment(|name| env::var_os(name));
    let include = overrides.cuda_include.or_else(cached_headers);
    let library = overrides.libclang.or_else(cached_libclang);
    let (Some(include), Some(library)) = (include, library) else {
        upstream::skipped(test, "CUDA headers and libclang (run `clcu fetch`, or set CLCU_CUDA_INCLUDE and CLCU_LIBCLANG)");
        return None;
    };
    let headers = Headers::read(&include).unwrap_or_else(|findings| panic!("{findings}"));
    let libclang = Libclang::open(&library).unwrap_or_else(|findings| panic!("{findings}"));
    Some((headers, libclang))
}

fn sources() -> Sources {
    Sources::read(&Document::new("spec/sources.toml", clcu_spec::SOURCES)).unwrap_or_else(|findings| panic!("{findings}"))
}

fn cache() -> Cache {
    let root = env::var_os("CLCU_CACHE").filter(|value| !value.is_empty()).map(PathBuf::from);
    Cache::at(root.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../cache").into()))
}

fn cached_headers() -> Option<PathBuf> {
    let sources = sources();
    let wheel = sources.default_cuda()?.wheel();
    cache().find(&format!("{}-{}", wheel.package, wheel.release), wheel.sha256)
}

fn cached_libclang() -> Option<PathBuf> {
    let sources = sources();
    let host = sources.this_host()?;
    let wheel = host.wheel(&sources.libclang);
    let name = format!("{}-{}-{}-{}", wheel.package, wheel.release, host.os, host.arch);
    cache().find(&name, wheel.sha256).map(|directory| directory.join(&host.library))
}

/// The facts of [`inputs`], and what was found on the way.
///
/// # Panics
/// If they do not import.
#[must_use]
pub fn facts(test: &str) -> Option<(Facts, Findings)> {
    let (headers, libclang) = inputs(test)?;
    Some(import(&headers, &libclang).unwrap_or_else(|findings| panic!("{findings}")))
}

/// The model of [`facts`].
///
/// # Panics
/// If the passes fail.
#[must_use]
pub fn model(test: &str) -> Option<Model> {
    let (facts, _) = facts(test)?;
    let (model, _) = pass::cuda::model(&facts, &overlay(), "test").unwrap_or_else(|findings| panic!("{findings}"));
    Some(model)
}
