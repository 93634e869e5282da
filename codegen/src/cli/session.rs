//! What every command needs first: the repository's root, its pins, and the cache.

use std::{
    env, fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use clcu_codegen::{
    fetch::{self, Cache, CudaPin, CudaRelease, FetchError, OpenClDocs, OpenClState, Overrides, Sources},
    finding::{Document, Finding},
    model::{Api, Model},
    pipeline::{self, Cuda, Located, Outputs},
    snapshot,
};

use super::{
    arguments::{General, Upstream},
    exit::{Exit, Failure},
    progress::Show,
    screen::Screen,
};

/// The list of pins, which marks the root of the repository.
const SOURCES: &str = pipeline::SOURCES;

/// What every command needs.
pub(crate) struct Session {
    pub(crate) root: PathBuf,
    pub(crate) screen: Screen,
    sources: Sources,
    cache: Cache,
}

impl Session {
    pub(crate) fn open(general: &General, screen: Screen) -> Result<Self, Failure> {
        let root = match &general.root {
            Some(root) if root.join(SOURCES).is_file() => root.clone(),
            Some(root) => return Err(no_root(&format!("no {SOURCES} in {}", root.display()))),
            None => find_root().ok_or_else(|| no_root(&format!("no {SOURCES} here or in any directory upward")))?,
        };
        let sources = Sources::read(&document(&root, SOURCES)?)?;
        let variable = env::var_os("CLCU_CACHE").filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = general.cache.clone().or(variable).unwrap_or_else(|| root.join("cache"));
        Ok(Self { root, screen, sources, cache: Cache::at(cache) })
    }

    /// The same with other pins than those on the disk.
    pub(crate) fn with_pins(self, text: &str) -> Result<Self, Failure> {
        Ok(Self { sources: Sources::read(&Document::new(SOURCES, text))?, ..self })
    }

    /// What is newer than the pinned headers.
    pub(crate) fn newest_cuda(&self) -> Result<Option<CudaPin>, FetchError> {
        fetch::newest_cuda(&self.sources, &self.cache, &self.progress())
    }

    /// What is newer than the pinned documents.
    pub(crate) fn newest_opencl(&self) -> Result<Option<OpenClState>, FetchError> {
        fetch::newest_opencl(&self.sources, &self.cache, &self.progress())
    }

    /// What the documents in `directory` are, if not the pinned ones: the commit, where it is known, and the SHA-256 of the registry.
    pub(crate) fn opencl_state(&self, directory: &Path) -> Result<Option<(Option<String>, String)>, FetchError> {
        fetch::opencl_state(&self.sources, directory)
    }

    /// The pinned commit of the documents.
    pub(crate) fn opencl_commit(&self) -> &str {
        &self.sources.opencl.commit
    }

    /// A file of the repository.
    pub(crate) fn document(&self, path: &str) -> Result<Document, Failure> {
        document(&self.root, path)
    }

    /// What the snapshot of `api` holds.
    pub(crate) fn snapshot(&self, api: Api) -> Result<Model, Failure> {
        let path = pipeline::snapshot_path(api);
        let document = self.document(&path)?;
        let model = snapshot::read(&document)?;
        if model.api == api {
            return Ok(model);
        }
        let finding = Finding::error(format!("{path} is a snapshot of another API")).found(model.api.to_string());
        Err(Failure::new(
            Exit::Input,
            finding.wanted(api.to_string()).help("take the committed one, or write it anew with `clcu update`"),
        ))
    }

    /// What both snapshots hold, in the order of [`Api::ALL`].
    pub(crate) fn snapshots(&self) -> Result<[Model; 2], Failure> {
        let [cuda, opencl] = Api::ALL.map(|api| self.snapshot(api));
        Ok([cuda?, opencl?])
    }

    /// What the snapshots give.
    pub(crate) fn bindings(&self) -> Result<Outputs, Failure> {
        let [cuda, opencl] = self.snapshots()?;
        Ok(pipeline::bindings(&cuda, &opencl)?)
    }

    /// Upstream's inputs, downloaded if need be.
    pub(crate) fn locate(&self, upstream: &Upstream) -> Result<Located, Failure> {
        let mut overrides = overrides(upstream);
        if upstream.cuda.is_some() {
            // Whoever asks for a pinned release does not mean the headers that the environment names.
            overrides.cuda_include = None;
        }
        let release = self.release(upstream.cuda.as_deref())?;
        Ok(pipeline::locate(&self.sources, release, &self.cache, &overrides, &self.progress()))
    }

    /// The pinned releases of CUDA, oldest first.
    pub(crate) fn pinned_cuda(&self) -> &[CudaRelease] {
        &self.sources.cuda
    }

    /// A release of CUDA by its version or full name, downloaded if need be; or the headers in `include`.
    pub(crate) fn cuda(&self, upstream: &Upstream, release: &CudaRelease, include: Option<&Path>) -> Result<Cuda, FetchError> {
        let overrides = Overrides { cuda_include: include.map(Path::to_owned), ..overrides(upstream) };
        let progress = self.progress();
        let headers = fetch::cuda_headers(&self.sources, release, &self.cache, &overrides, &progress)?;
        let libclang = fetch::libclang(&self.sources, &self.cache, &overrides, &progress)?;
        Ok(Cuda::new(&self.sources, headers, libclang))
    }

    /// The OpenCL documents in `directory`, or those that `upstream` means.
    pub(crate) fn opencl(&self, upstream: &Upstream, directory: Option<&Path>) -> Result<OpenClDocs, FetchError> {
        let mut overrides = overrides(upstream);
        overrides.opencl_docs = directory.map(Path::to_owned).or(overrides.opencl_docs);
        fetch::opencl_docs(&self.sources, &self.cache, &overrides, &self.progress())
    }

    fn progress(&self) -> Show {
        match () {
            () if self.screen.quiet => Show::Nothing,
            () if io::stderr().is_terminal() => Show::bars(),
            () => Show::Lines,
        }
    }

    pub(crate) fn release(&self, name: Option<&str>) -> Result<&CudaRelease, Failure> {
        let release = name.map_or_else(|| self.sources.default_cuda(), |name| self.sources.cuda_named(name));
        release.ok_or_else(|| {
            let known: Vec<_> = self.sources.cuda.iter().map(|release| release.version.to_string()).collect();
            let asked = name.unwrap_or_default();
            let finding = Finding::error(format!("no release of the CUDA headers called `{asked}` is pinned"));
            Failure::new(Exit::Input, finding.wanted(format!("one of {}", known.join(", "))).help(format!("add it to {SOURCES}")))
        })
    }

    /// `path` as messages name it: below the root where it is there.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// What the user named on the command line or in the environment.
pub(crate) fn overrides(upstream: &Upstream) -> Overrides {
    let Upstream { opencl_docs, cuda_include, libclang, .. } = upstream.clone();
    Overrides { cuda_include, libclang, opencl_docs }.or_environment(|name| env::var_os(name))
}

/// The root of the checkout around the current directory.
pub(crate) fn find_root() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().find(|directory| directory.join(SOURCES).is_file()).map(Path::to_owned)
}

fn no_root(found: &str) -> Failure {
    let finding = Finding::error("this is not a checkout of clcu").found(found);
    Failure::new(Exit::Input, finding.help("run the command in one, or name it with --root DIR"))
}

fn document(root: &Path, path: &str) -> Result<Document, Failure> {
    let bytes = fs::read(root.join(path));
    let bytes =
        bytes.map_err(|error| Failure::unreadable(format!("cannot read {path}"), &error, "it is committed: take it from there"))?;
    Document::from_bytes(path, &bytes).map_err(|finding| Failure::new(Exit::Input, finding))
}
