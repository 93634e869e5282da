//! The three inputs: CUDA headers, libclang, OpenCL documents. What the user names goes before what is pinned.
//!
//! In: pins, the cache, and what the user named on the command line or in the environment. Out: paths on this disk, each with the
//! release that it is, as far as that can be told.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{
    cache::{Cache, Progress},
    error::FetchError,
    git, pip,
    sources::{CudaRelease, Sources},
    wheel,
};
use crate::model::Version;

/// What the user has and wants to be read instead of the pinned inputs.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// A directory with `cuda.h` in it.
    pub cuda_include: Option<PathBuf>,
    /// The shared library of libclang.
    pub libclang: Option<PathBuf>,
    /// A directory laid out like a checkout of the OpenCL-Docs repository.
    pub opencl_docs: Option<PathBuf>,
}

impl Overrides {
    /// Fills what is not set from `CLCU_CUDA_INCLUDE`, `CLCU_LIBCLANG` and `CLCU_OPENCL_DOCS`, of which an empty one counts as not set.
    #[must_use]
    pub fn or_environment(self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            cuda_include: self.cuda_include.or_else(|| path("CLCU_CUDA_INCLUDE")),
            libclang: self.libclang.or_else(|| path("CLCU_LIBCLANG")),
            opencl_docs: self.opencl_docs.or_else(|| path("CLCU_OPENCL_DOCS")),
        }
    }
}

impl OpenClDocs {
    /// A short name of this state: the pinned commit, or else the first digits of the registry's hash.
    #[must_use]
    pub fn state(&self) -> &str {
        self.commit.as_deref().or_else(|| self.sha256.get(..8)).unwrap_or(&self.sha256)
    }
}

/// A directory of CUDA headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaHeaders {
    /// The directory that holds `cuda.h` and its companions.
    pub include: PathBuf,
    /// The version that `CUDA_VERSION` gives.
    pub version: Version,
    /// The release: `13.5.37` where the headers are pinned ones, else only the version.
    pub release: String,
}

/// The shared library of libclang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Libclang {
    /// The file.
    pub library: PathBuf,
    /// Whether it is the pinned one, on which output depends.
    pub pinned: bool,
}

/// A directory of OpenCL documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenClDocs {
    /// `xml/cl.xml`.
    pub registry: PathBuf,
    /// The directory `api`, where there is one.
    pub api: Option<PathBuf>,
    /// The pinned commit, where the registry is that of the pinned commit.
    pub commit: Option<String>,
    /// The SHA-256 of the registry.
    pub sha256: String,
}

/// The CUDA headers: those that the user named, or `release` out of the cache, downloaded if need be.
pub fn cuda_headers(
    sources: &Sources,
    release: &CudaRelease,
    cache: &Cache,
    overrides: &Overrides,
    progress: &dyn Progress,
) -> Result<CudaHeaders, FetchError> {
    if let Some(include) = &overrides.cuda_include {
        return given_headers(sources, include);
    }
    let wheel = release.wheel();
    let what = format!("{} {}", wheel.package, wheel.release);
    let include = cache.get(&release.entry(), wheel.sha256, progress, |scratch, files| {
        let bytes = download(&what, wheel.bytes, progress, |on_bytes| pip::download(&wheel, scratch, on_bytes))?;
        wheel::unpack(&what, &bytes, files, wheel::header, &mut |_| ())?;
        if files.join("cuda.h").is_file() {
            Ok(())
        } else {
            Err(FetchError::Archive { what: what.clone(), reason: "no `include/cuda.h` in it".to_owned() })
        }
    })?;
    Ok(CudaHeaders { include, version: release.version, release: release.release.clone() })
}

/// libclang: the library that the user named, or the pinned one for this host out of the cache, downloaded if need be.
pub fn libclang(sources: &Sources, cache: &Cache, overrides: &Overrides, progress: &dyn Progress) -> Result<Libclang, FetchError> {
    if let Some(library) = &overrides.libclang {
        if !library.is_file() {
            let wanted = "the file of a shared library, such as libclang.so".to_owned();
            return Err(FetchError::Input { path: library.clone(), reason: missing_or(library, "no file"), wanted });
        }
        return Ok(Libclang { library: library.clone(), pinned: false });
    }
    let host = sources.this_host().ok_or(FetchError::NoHost)?;
    let wheel = host.wheel(&sources.libclang);
    let what = format!("{} {}", wheel.package, wheel.release);
    let directory = cache.get(&host.entry(&sources.libclang), wheel.sha256, progress, |scratch, files| {
        let bytes = download(&what, wheel.bytes, progress, |on_bytes| pip::download(&wheel, scratch, on_bytes))?;
        match wheel::unpack(&what, &bytes, files, wheel::library(&host.library), &mut |_| ())? {
            1 => Ok(()),
            count => {
                let reason = format!("{count} files called `{}` in it", host.library);
                Err(FetchError::Archive { what: what.clone(), reason })
            }
        }
    })?;
    Ok(Libclang { library: directory.join(&host.library), pinned: true })
}

/// The OpenCL documents: the directory that the user named, or the pinned commit out of the cache, downloaded if need be.
pub fn opencl_docs(
    sources: &Sources,
    cache: &Cache,
    overrides: &Overrides,
    progress: &dyn Progress,
) -> Result<OpenClDocs, FetchError> {
    let pin = &sources.opencl;
    if let Some(directory) = &overrides.opencl_docs {
        return given_docs(sources, directory);
    }
    let what = format!("OpenCL-Docs {}", pin.commit);
    let identity = opencl_identity(pin.sha256.get_ref(), &pin.commit);
    let root = cache.get(&opencl_entry(&pin.commit), &identity, progress, |scratch, files| {
        progress.begin(&what, None);
        let root = git::checkout(pin, scratch, &mut |bytes| progress.at(&what, bytes));
        progress.end(&what);
        git::copy_documents(&root?, files)?;
        let registry = files.join("xml/cl.xml");
        let found = pip::sha256(&fs::read(&registry).map_err(FetchError::io("cannot read", &registry))?);
        if found == *pin.sha256.get_ref() {
            Ok(())
        } else {
            let what = format!("xml/cl.xml of commit {}", pin.commit);
            Err(FetchError::Hash { what, found, wanted: pin.sha256.get_ref().clone() })
        }
    })?;
    Ok(OpenClDocs {
        registry: root.join("xml/cl.xml"),
        api: Some(root.join("api")),
        commit: Some(pin.commit.clone()),
        sha256: pin.sha256.get_ref().clone(),
    })
}

/// The name of a commit's entry in the cache.
pub(super) fn opencl_entry(commit: &str) -> String {
    format!("opencl-docs-{commit}")
}

/// What that entry has to have come from.
pub(super) fn opencl_identity(sha256: &str, commit: &str) -> String {
    format!("{sha256} {commit}")
}

fn download<T>(what: &str, bytes: u64, progress: &dyn Progress, run: impl FnOnce(&mut dyn FnMut(u64)) -> T) -> T {
    progress.begin(what, Some(bytes));
    let result = run(&mut |at| progress.at(what, at.min(bytes)));
    progress.end(what);
    result
}

fn given_headers(sources: &Sources, include: &Path) -> Result<CudaHeaders, FetchError> {
    let header = include.join("cuda.h");
    let wanted = "a directory with `cuda.h` in it, such as the `include` of a CUDA toolkit";
    let refuse = |reason: String| FetchError::Input { path: include.to_owned(), reason, wanted: wanted.to_owned() };
    let bytes = match fs::read(&header) {
        Ok(bytes) => bytes,
        Err(_) if !header.exists() => return Err(refuse(missing_or(include, "no `cuda.h`"))),
        Err(error) => return Err(FetchError::io("cannot read", &header)(error)),
    };
    let version =
        cuda_version(&bytes).ok_or_else(|| refuse("a `cuda.h` that does not define CUDA_VERSION as a number".to_owned()))?;
    let hash = pip::sha256(&bytes);
    let pinned = sources.cuda.iter().find(|release| *release.header.get_ref() == hash);
    let release = pinned.map_or_else(|| version.to_string(), |release| release.release.clone());
    Ok(CudaHeaders { include: include.to_owned(), version, release })
}

/// The version that `#define CUDA_VERSION` gives.
pub(super) fn cuda_version(header: &[u8]) -> Option<Version> {
    let text = String::from_utf8_lossy(header);
    let number = text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define") && words.next() == Some("CUDA_VERSION")).then(|| words.next()).flatten()
    })?;
    number.parse().ok().filter(|number| (1000..100_000).contains(number)).map(Version::from_cuda_number)
}

pub(super) fn given_docs(sources: &Sources, directory: &Path) -> Result<OpenClDocs, FetchError> {
    let (registry, api) = (directory.join("xml").join("cl.xml"), directory.join("api"));
    if !registry.is_file() {
        let wanted = "a directory laid out like a checkout of OpenCL-Docs: xml/cl.xml, and api/*.asciidoc".to_owned();
        return Err(FetchError::Input { path: directory.to_owned(), reason: missing_or(directory, "no `xml/cl.xml`"), wanted });
    }
    let sha256 = pip::sha256(&fs::read(&registry).map_err(FetchError::io("cannot read", &registry))?);
    let commit = (sha256 == *sources.opencl.sha256.get_ref()).then(|| sources.opencl.commit.clone());
    Ok(OpenClDocs { registry, api: api.is_dir().then_some(api), commit, sha256 })
}

/// What is wrong with `path`: it is not there at all, or `otherwise`.
fn missing_or(path: &Path, otherwise: &str) -> String {
    if path.exists() { format!("{otherwise} there") } else { "nothing there".to_owned() }
}

#[cfg(test)]
mod tests;
