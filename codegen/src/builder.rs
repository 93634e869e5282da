//! Bindings for a crate that makes them in its build script.

#[cfg(feature = "import")]
mod import;
#[cfg(all(test, feature = "import"))]
mod tests;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::parts::{Error, MARK, Part, Request, Texts};

/// Makes a part of the bindings while a crate is built: one file with what is asked for and everything that it takes, which needs no other crate.
///
/// The facts come from the snapshots that this version was released with; neither upstream's headers nor libclang nor a network is needed. Without the
/// default features (`default-features = false`) nothing is compiled for it but this and a few files of text. With the feature `import` they can
/// come from headers and a registry of one's own: `cuda_headers`, `opencl_registry`.
///
/// In `Cargo.toml`:
///
/// ```toml
/// [build-dependencies]
/// clcu-codegen = { version = "0.1", default-features = false }
/// ```
///
/// In `build.rs`:
///
/// ```no_run
/// use clcu_codegen::{Builder, parts::Error};
///
/// fn main() -> Result<(), Error> {
///     Builder::new()
///         .only(["cuImportExternalSemaphore", "cuDestroyExternalSemaphore"]) // commands, with the types that they take
///         .only(["cl_khr_external_semaphore_sync_fd"]) // an extension: everything that it brings
///         .rules(true) // and the checker
///         .write_to_out_dir("gpu.rs")?;
///     Ok(())
/// }
/// ```
///
/// In the crate:
///
/// ```ignore
/// pub mod gpu {
///     include!(concat!(env!("OUT_DIR"), "/gpu.rs"));
/// }
/// use gpu::cuda::cuImportExternalSemaphore;
/// ```
///
/// Since 0.1.
#[derive(Clone, Debug)]
pub struct Builder {
    request: Request,
    texts: Option<Texts>,
    #[cfg(feature = "import")]
    upstream: import::Upstream,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let repeat = "A build script made it, with `clcu_codegen::Builder`.".to_owned();
        Self {
            request: Request { repeat, ..Request::default() },
            texts: None,
            #[cfg(feature = "import")]
            upstream: import::Upstream::default(),
        }
    }

    /// Asks for `names`, besides what was asked for before: commands by symbol or public name (`cuCtxCreate` means all its versions), extensions
    /// of OpenCL (everything that they bring), records, enumerations, their values, handles, callbacks and constants.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.request.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// With the tables of rules, handle types and errors of what is asked for, and the checker. Not unless asked for.
    #[must_use]
    pub fn rules(mut self, rules: bool) -> Self {
        self.request.rules = rules;
        self
    }

    /// What the first lines of the part say about how to make it again.
    #[must_use]
    pub fn repeat(mut self, how: impl Into<String>) -> Self {
        self.request.repeat = how.into();
        self
    }

    /// From other text than that of the snapshots.
    #[must_use]
    pub fn texts(mut self, texts: Texts) -> Self {
        self.texts = Some(texts);
        self
    }

    /// The part, in memory.
    ///
    /// # Errors
    /// Nothing was asked for, or a name that nothing has; the message holds the nearest ones.
    pub fn part(&self) -> Result<Part, Error> {
        if let Some(texts) = &self.texts {
            return Part::cut(texts, &self.request);
        }
        #[cfg(feature = "import")]
        if let Some(texts) = self.upstream.texts()? {
            return Part::cut(&texts, &self.request);
        }
        Part::cut(&Texts::shipped(), &self.request)
    }

    /// Writes the part as one file. It is there in full or not at all, and left alone where it is as it should be.
    ///
    /// # Errors
    /// As [`part`](Self::part); the disk refused; or `path` is a file that no part was written to.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if fs::read(path).is_ok_and(|old| !old.starts_with(MARK.as_bytes())) {
            return Err(Error::Stray(path.to_owned()));
        }
        write(path, &self.part()?.single_file())
    }

    /// Writes the part as the file `name` into the directory that cargo gives to build scripts (`OUT_DIR`), and tells cargo to run the
    /// script again only when it changes. Gives the path.
    ///
    /// # Errors
    /// As [`part`](Self::part); the disk refused; or this is no build script.
    pub fn write_to_out_dir(&self, name: &str) -> Result<PathBuf, Error> {
        let directory = env::var_os("OUT_DIR").ok_or(Error::NoBuildScript("OUT_DIR"))?;
        let path = Path::new(&directory).join(name);
        // Whatever is there was written by this script, perhaps with another version of this crate.
        write(&path, &self.part()?.single_file())?;
        self.tell_cargo();
        Ok(path)
    }

    /// Of what the part depends on. One line is enough to keep cargo from running the script whenever any file changes.
    fn tell_cargo(&self) {
        println!("cargo:rerun-if-changed=build.rs");
        #[cfg(feature = "import")]
        self.upstream.tell_cargo();
        #[cfg(not(feature = "import"))]
        let _ = self;
    }
}

/// Writes `text` to `path` by way of a file beside it.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let refused = |doing| move |source| Error::Disk { doing, path: path.to_owned(), source };
    match fs::read(path) {
        Ok(old) if old == text.as_bytes() => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(refused("cannot read")(error)),
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(refused("cannot make the directory of"))?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // Whatever was written of it is of no use to anybody.
        let _ = fs::remove_file(&beside);
        refused("cannot write")(error)
    })
}
