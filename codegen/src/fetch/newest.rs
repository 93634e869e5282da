//! What upstream has newest, whether or not it is pinned.
//!
//! In: the pins, and what the user has instead of a download. Out: a pin for what is newer than the pinned release; `None` where nothing is. What was
//! downloaded to make the pin is in the cache under it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    cache::{Cache, Progress},
    error::FetchError,
    git,
    inputs::{self, cuda_version},
    pip,
    sources::Sources,
    wheel,
};
use crate::model::Version;

/// A pin for a release of the CUDA headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaPin {
    /// What `CUDA_VERSION` says.
    pub version: Version,
    /// The package.
    pub package: String,
    /// Its release.
    pub release: String,
    /// The platform, in pip's words.
    pub platform: String,
    /// The size of the wheel.
    pub bytes: u64,
    /// The SHA-256 of the wheel.
    pub sha256: String,
    /// The SHA-256 of its `cuda.h`.
    pub header: String,
}

/// A pin for a state of the OpenCL documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenClState {
    /// The commit, as the pins abbreviate it.
    pub commit: String,
    /// The SHA-256 of `xml/cl.xml`.
    pub sha256: String,
}

/// The numbers of a release's name, to compare by.
fn numbers(release: &str) -> Vec<u64> {
    release.split('.').map_while(|number| number.parse().ok()).collect()
}

/// The newest release of the package that is read by default, if it is newer than the pinned one.
pub fn newest_cuda(sources: &Sources, cache: &Cache, progress: &dyn Progress) -> Result<Option<CudaPin>, FetchError> {
    let Some(pinned) = sources.default_cuda() else { return Ok(None) };
    let what = format!("the newest {}", pinned.package);
    let scratch = scratch(cache)?;
    progress.begin(&what, None);
    let arrived = pip::newest(&pinned.package, &pinned.platform, scratch.path(), &mut |bytes| progress.at(&what, bytes));
    progress.end(&what);
    let file = arrived?;
    let broken = |reason: String| FetchError::Archive { what: what.clone(), reason };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let release = name.split('-').nth(1).ok_or_else(|| broken(format!("`{name}` is no name of a wheel")))?.to_owned();
    if numbers(&release) <= numbers(&pinned.release) {
        return Ok(None);
    }
    let bytes = fs::read(&file).map_err(FetchError::io("cannot read", &file))?;
    let sha256 = pip::sha256(&bytes);
    let entry = format!("{}-{release}", pinned.package);
    let include = cache
        .get(&entry, &sha256, progress, |_, files| wheel::unpack(&what, &bytes, files, wheel::header, &mut |_| ()).map(|_| ()))?;
    let header = include.join("cuda.h");
    let text = match fs::read(&header) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(broken("no `include/cuda.h` in it".to_owned())),
        Err(error) => return Err(FetchError::io("cannot read", &header)(error)),
    };
    let version = cuda_version(&text).ok_or_else(|| broken("its cuda.h does not define CUDA_VERSION as a number".to_owned()))?;
    let (package, platform) = (pinned.package.clone(), pinned.platform.clone());
    let bytes = bytes.len() as u64;
    Ok(Some(CudaPin { version, package, release, platform, bytes, sha256, header: pip::sha256(&text) }))
}

/// The newest commit of the OpenCL documents, if it is not the pinned one.
pub fn newest_opencl(sources: &Sources, cache: &Cache, progress: &dyn Progress) -> Result<Option<OpenClState>, FetchError> {
    let pinned = &sources.opencl;
    let scratch = scratch(cache)?;
    let full = git::newest(pinned, scratch.path())?;
    if full.starts_with(&pinned.commit) {
        return Ok(None);
    }
    let commit = abbreviated(&full);
    let what = format!("OpenCL-Docs {commit}");
    let pin = super::sources::OpenClPin { commit: commit.clone(), ..pinned.clone() };
    progress.begin(&what, None);
    let root = git::checkout(&pin, scratch.path(), &mut |bytes| progress.at(&what, bytes));
    progress.end(&what);
    let root = root?;
    let registry = root.join("xml/cl.xml");
    let sha256 = pip::sha256(&fs::read(&registry).map_err(FetchError::io("cannot read", &registry))?);
    let identity = inputs::opencl_identity(&sha256, &commit);
    cache.get(&inputs::opencl_entry(&commit), &identity, progress, |_, files| git::copy_documents(&root, files))?;
    Ok(Some(OpenClState { commit, sha256 }))
}

/// The state of the OpenCL documents in `directory`, if it is not the pinned one; the commit is there if the directory is a checkout.
pub fn opencl_state(sources: &Sources, directory: &Path) -> Result<Option<(Option<String>, String)>, FetchError> {
    let docs = inputs::given_docs(sources, directory)?;
    if docs.commit.is_some() {
        return Ok(None);
    }
    Ok(Some((git::head(directory).map(|full| abbreviated(&full)), docs.sha256)))
}

/// A commit as the pins abbreviate it.
fn abbreviated(full: &str) -> String {
    full.chars().take(8).collect()
}

/// A directory of the cache's own, which goes with the run.
fn scratch(cache: &Cache) -> Result<tempfile::TempDir, FetchError> {
    let root: PathBuf = cache.root().to_owned();
    fs::create_dir_all(&root).map_err(FetchError::io("cannot create", &root))?;
    tempfile::Builder::new()
        .prefix(".newest.unfinished-")
        .tempdir_in(&root)
        .map_err(FetchError::io("cannot write to the cache", &root))
}
