//! Parts of what a user's own headers and registry declare, for a build script.
//!
//! In: directories that the user named, and a libclang. Out: the text that parts are cut from. Nothing is downloaded, and what is not read keeps
//! the snapshot.

use std::{env, path::PathBuf};

use super::Builder;
use crate::{
    fetch::{self, Cache, Overrides, Quiet, Sources},
    finding::{Document, Findings, Strictness},
    import::cuda,
    model::Model,
    parts::{Error, Texts},
    pipeline::{self, Cuda, Decisions, Release},
    snapshot,
};

/// What names libclang, before the system is asked: ours, and clang-sys's own, which is a file or a directory.
const VARIABLES: [&str; 2] = ["CLCU_LIBCLANG", "LIBCLANG_PATH"];

/// What to read instead of the snapshots.
#[derive(Clone, Debug, Default)]
pub(super) struct Upstream {
    cuda_headers: Option<PathBuf>,
    opencl_registry: Option<PathBuf>,
    libclang: Option<PathBuf>,
    strictness: Strictness,
}

impl Builder {
    /// Takes CUDA from the headers in `directory` (the `include` of a toolkit: `cuda.h` and its companions) instead of the snapshot. libclang reads
    /// them: that of [`libclang`](Self::libclang), or `CLCU_LIBCLANG`, or `LIBCLANG_PATH`, or one that the system has.
    ///
    /// Needs the feature `import`.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), clcu_codegen::parts::Error> {
    /// clcu_codegen::Builder::new()
    ///     .cuda_headers("/usr/local/cuda/include")
    ///     .opencl_registry("third_party/OpenCL-Docs")
    ///     .only(["cuImportExternalSemaphore", "cl_khr_semaphore"])
    ///     .write_to_out_dir("gpu.rs")?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cuda_headers(mut self, directory: impl Into<PathBuf>) -> Self {
        self.upstream.cuda_headers = Some(directory.into());
        self
    }

    /// Takes OpenCL from `xml/cl.xml` in `directory` instead of the snapshot. Rules come from `api/*.asciidoc` beside it; without those there are
    /// none of OpenCL. Needs the feature `import`.
    #[must_use]
    pub fn opencl_registry(mut self, directory: impl Into<PathBuf>) -> Self {
        self.upstream.opencl_registry = Some(directory.into());
        self
    }

    /// The shared library of libclang that reads the headers. Needs the feature `import`.
    #[must_use]
    pub fn libclang(mut self, library: impl Into<PathBuf>) -> Self {
        self.upstream.libclang = Some(library.into());
        self
    }

    /// Leaves out what of headers and registry this version does not know, with a warning of cargo's for each, instead of failing. Needs the feature
    /// `import`.
    #[must_use]
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.upstream.strictness = if lenient { Strictness::Lenient } else { Strictness::Strict };
        self
    }
}

impl Upstream {
    /// The text of what was read; `None` where nothing is to be.
    pub(super) fn texts(&self) -> Result<Option<Texts>, Error> {
        if self.cuda_headers.is_none() && self.opencl_registry.is_none() {
            return Ok(None);
        }
        self.read().map(Some)
    }

    /// Tells cargo what the result depends on.
    pub(super) fn tell_cargo(&self) {
        let directories = self.opencl_registry.iter().flat_map(|docs| [docs.join("xml/cl.xml"), docs.join("api")]);
        for path in self.cuda_headers.iter().cloned().chain(directories).chain(self.libclang.clone()) {
            println!("cargo:rerun-if-changed={}", path.display());
        }
        if self.cuda_headers.is_some() && self.libclang.is_none() {
            for variable in VARIABLES {
                println!("cargo:rerun-if-env-changed={variable}");
            }
        }
    }

    fn read(&self) -> Result<Texts, Error> {
        let sources = Sources::read(&Document::new("sources.toml", clcu_spec::SOURCES)).map_err(|findings| failed(&findings))?;
        let cuda = match &self.cuda_headers {
            Some(_) => self.import(&self.cuda(&sources)?)?,
            None => snapshot_of("cuda.json", clcu_spec::CUDA)?,
        };
        let opencl = match &self.opencl_registry {
            Some(_) => {
                let docs = fetch::opencl_docs(&sources, &nowhere(), &self.overrides(), &Quiet);
                self.import(&Release::OpenCl(docs.map_err(|error| failed(&error.finding().into()))?, None))?
            }
            None => snapshot_of("opencl.json", clcu_spec::OPENCL)?,
        };
        pipeline::texts(&cuda, &opencl).map_err(|findings| failed(&findings))
    }

    fn cuda(&self, sources: &Sources) -> Result<Release, Error> {
        let named = || env::var_os(VARIABLES[0]).filter(|value| !value.is_empty()).map(PathBuf::from);
        let library = match self.libclang.clone().or_else(named) {
            Some(library) => library,
            None => cuda::Libclang::find().map_err(|findings| failed(&findings))?,
        };
        let overrides = Overrides { libclang: Some(library), ..self.overrides() };
        let wrong = |error: fetch::FetchError| failed(&error.finding().into());
        let release = sources.default_cuda().ok_or_else(|| Error::Damaged("no release of CUDA is the default".to_owned()))?;
        let headers = fetch::cuda_headers(sources, release, &nowhere(), &overrides, &Quiet).map_err(wrong)?;
        let libclang = fetch::libclang(sources, &nowhere(), &overrides, &Quiet).map_err(wrong)?;
        Ok(Release::Cuda(Box::new(Cuda::new(sources, headers, libclang))))
    }

    fn overrides(&self) -> Overrides {
        Overrides { cuda_include: self.cuda_headers.clone(), opencl_docs: self.opencl_registry.clone(), libclang: None }
    }

    /// The model of one release. What was left out is said as cargo says warnings.
    fn import(&self, release: &Release) -> Result<Model, Error> {
        let overlay = Document::new("overlay.toml", clcu_spec::OVERLAY);
        let reviewed = Document::new("reviewed.toml", clcu_spec::REVIEWED);
        let decisions = Decisions { overlay: &overlay, reviewed: &reviewed };
        let (read, findings) =
            pipeline::read_release(release, &decisions, self.strictness).map_err(|findings| failed(&findings))?;
        for finding in findings.0.iter().filter(|finding| finding.softened) {
            println!("cargo:warning={}", finding.to_string().replace('\n', " "));
        }
        Ok(read.model)
    }
}

/// A cache with nothing in it: everything that is read was named.
fn nowhere() -> Cache {
    Cache::at(PathBuf::new())
}

fn snapshot_of(name: &str, text: &str) -> Result<Model, Error> {
    snapshot::read(&Document::new(name, text)).map_err(|findings| failed(&findings))
}

fn failed(findings: &Findings) -> Error {
    Error::Import(findings.to_string().trim_end().to_owned())
}
