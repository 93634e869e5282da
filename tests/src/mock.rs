//! Builds the mock drivers of `tests/mock/`: in, what the driver shall be like; out, a shared library in a directory of its own.
//!
//! Each test builds the driver that it needs, so that tests share no state although they share a process.

use std::{
    ffi::{CStr, c_char},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::upstream::skipped;

/// A mock driver to build.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    source: &'static str,
    file: &'static str,
    arguments: Vec<String>,
}

/// A CUDA driver. `tests/mock/cuda.c` says what can be set.
pub fn cuda() -> Builder {
    Builder { source: "cuda.c", file: "libcuda.so.1", arguments: Vec::new() }
}

/// An OpenCL library. `tests/mock/opencl.c` says what can be set.
pub fn opencl() -> Builder {
    Builder { source: "opencl.c", file: "libOpenCL.so.1", arguments: Vec::new() }
}

impl Builder {
    /// Settles something about the driver.
    pub fn with(mut self, what: &str) -> Self {
        self.arguments.push(format!("-D{what}"));
        self
    }

    /// Settles something about the driver that is a text.
    pub fn with_text(mut self, what: &str, text: &str) -> Self {
        self.arguments.push(format!("-D{what}=\"{text}\""));
        self
    }

    /// The file's name, if it is not the one by which programs look for it.
    pub fn named(mut self, file: &'static str) -> Self {
        self.file = file;
        self
    }

    /// Compiles it. `None`, after saying so for `test`, where there is no gcc.
    ///
    /// # Panics
    /// If gcc refuses the source.
    #[must_use]
    pub fn build(self, test: &str) -> Option<Mock> {
        let directory = TempDir::with_prefix("clcu-mock-").expect("a directory for a mock driver can be made");
        let path = directory.path().join(self.file);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mock").join(self.source);
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-Wno-unused-function"]);
        gcc.args(&self.arguments).arg("-o").arg(&path).arg(&source);
        let Ok(output) = gcc.output() else {
            skipped(test, "gcc");
            return None;
        };
        assert!(output.status.success(), "gcc refuses {}:\n{}", self.source, String::from_utf8_lossy(&output.stderr));
        Some(Mock { directory, path })
    }
}

/// A mock driver. Its file goes when this is dropped; who has opened it keeps it.
#[derive(Debug)]
pub struct Mock {
    directory: TempDir,
    /// The file.
    pub path: PathBuf,
}

impl Mock {
    /// The directory that holds it and nothing else.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The file as the system names it, symbolic links followed.
    ///
    /// # Panics
    /// If it is gone.
    #[must_use]
    pub fn real_path(&self) -> PathBuf {
        fs::canonicalize(&self.path).expect("the mock driver is where it was built")
    }

    /// The command that was called last, as the driver noted it.
    #[must_use]
    pub fn last_called(&self) -> String {
        // SAFETY: the mock's `mock_last` is a pointer to a string constant.
        let text = unsafe { CStr::from_ptr(self.read::<*const c_char>(c"mock_last")) };
        text.to_string_lossy().into_owned()
    }

    /// A variable of the driver.
    ///
    /// # Panics
    /// If it has none of this name.
    ///
    /// # Safety
    /// The variable has the type `T`.
    #[must_use]
    pub unsafe fn read<T: Copy>(&self, name: &CStr) -> T {
        // SAFETY: the mock has no initialisers; a library that is opened again is the same library.
        let library = unsafe { libloading::Library::new(&self.path) }.expect("the mock driver can be opened");
        // SAFETY: as the caller promises.
        let variable = unsafe { library.get::<*const T>(name) }.expect("the mock driver exports it");
        // SAFETY: as the caller promises; the library is open.
        unsafe { **variable }
    }
}
