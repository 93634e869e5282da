//! Builds the mock drivers of `tests/mock/`: in, what the driver shall be like; out, a shared library in a directory of its own.
//!
//! Each test builds the driver that it needs, so that tests share no state although they share a process.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use clcu::cuda;
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
    Builder { source: "cuda.c", file: if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" }, arguments: Vec::new() }
}

/// A CUDA driver with the commands of one release. `tests/mock/release.c` says what has to be set.
pub fn release() -> Builder {
    Builder { source: "release.c", file: "libcuda.so.1", arguments: Vec::new() }
}

/// An OpenCL library. `tests/mock/opencl.c` says what can be set.
pub fn opencl() -> Builder {
    Builder { source: "opencl.c", file: if cfg!(windows) { "OpenCL.dll" } else { "libOpenCL.so.1" }, arguments: Vec::new() }
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

    /// Opens what it would build, with one context current to work in.
    ///
    /// # Panics
    /// If the driver cannot be opened.
    #[must_use]
    pub fn open(self, test: &str) -> Option<Opened> {
        let mock = self.build(test)?;
        // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
        let library = unsafe { cuda::Options::new().path(&mock.path) }.open().expect("the mock driver can be opened");
        let library = Arc::new(library);
        let device = cuda::Device::new(&library, 0).expect("the mock has a device");
        let context = cuda::Context::primary(&device).expect("the mock has contexts");
        Some(Opened { context, library, mock })
    }

    /// The file's name, if it is not the one by which programs look for it.
    pub fn named(mut self, file: &'static str) -> Self {
        self.file = file;
        self
    }

    /// Puts it into a directory of its own. `None`, after saying so for `test`, where there is no gcc.
    ///
    /// # Panics
    /// If gcc refuses the source.
    #[must_use]
    pub fn build(self, test: &str) -> Option<Mock> {
        let directory = TempDir::with_prefix("clcu-mock-").expect("a directory for a mock driver can be made");
        let path = directory.path().join(self.file);
        let Some(library) = self.compiled() else {
            skipped(test, "gcc");
            return None;
        };
        fs::write(&path, library).expect("the mock driver can be written");
        Some(Mock { directory, path })
    }

    /// The library: compiled once a process for the same arguments, against NVIDIA's header where that is at hand. `None` where there is
    /// no gcc.
    #[cfg(unix)]
    fn compiled(&self) -> Option<Vec<u8>> {
        use std::{
            collections::BTreeMap,
            sync::{Mutex, PoisonError},
        };

        /// By source and arguments.
        type Compiled = BTreeMap<(&'static str, Vec<String>), Vec<u8>>;
        static COMPILED: Mutex<Compiled> = Mutex::new(BTreeMap::new());
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.source, self.arguments.clone());
        if let Some(library) = compiled.get(&key) {
            return Some(library.clone());
        }
        let directory = TempDir::with_prefix("clcu-mock-").expect("a directory for a mock driver can be made");
        let path = directory.path().join(self.file);
        let mut gcc = std::process::Command::new("gcc");
        gcc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-Wno-unused-function"]);
        if let Some(include) = clcu_codegen::fetch::AtHand::in_this_repository().cuda_include {
            gcc.arg(format!("-DCUDA_H=\"{}\"", include.join("cuda.h").display()));
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mock").join(self.source);
        let output = gcc.args(&self.arguments).arg("-o").arg(&path).arg(source).output().ok()?;
        assert!(output.status.success(), "gcc refuses {}:\n{}", self.source, String::from_utf8_lossy(&output.stderr));
        let library = fs::read(&path).expect("gcc wrote it");
        compiled.insert(key, library.clone());
        Some(library)
    }

    /// The library that was compiled along with this program (`tests/windows/build.rs`), since there is no compiler where it runs.
    #[cfg(windows)]
    #[allow(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
    fn compiled(&self) -> Option<&'static [u8]> {
        Some(crate::compiled::library(self.source, &self.arguments))
    }
}

/// A mock driver of CUDA that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The primary context of its first device.
    pub context: cuda::Context,
    /// The driver, as the runtime sees it.
    pub library: Arc<cuda::Library>,
    /// The driver, from within.
    pub mock: Mock,
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
        let path = fs::canonicalize(&self.path).expect("the mock driver is where it was built");
        // The system's loader names files without the prefix that tells Windows to take a path as it is.
        path.to_str().and_then(|text| text.strip_prefix(r"\\?\")).map(PathBuf::from).unwrap_or(path)
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

    /// Sets a variable of the driver that is an `int`: `tests/mock/cuda.c` says what each does.
    ///
    /// # Panics
    /// If it has none of this name.
    pub fn set(&self, name: &CStr, value: c_int) {
        // SAFETY: the mock has no initialisers; a library that is opened again is the same library, and stays open in the runtime.
        let library = unsafe { libloading::Library::new(&self.path) }.expect("the mock driver can be opened");
        // SAFETY: such variables of the mock are of type `int`.
        let variable = unsafe { library.get::<*mut c_int>(name) }.expect("the mock driver exports it");
        // SAFETY: as above; each test has a driver of its own, and writes only between calls.
        unsafe { variable.write_volatile(value) };
    }

    /// A variable of the driver that is an `int` or `unsigned`.
    #[must_use]
    pub fn number(&self, name: &CStr) -> c_int {
        // SAFETY: it is an `int` or `unsigned`.
        unsafe { self.read(name) }
    }

    /// The commands that were called, in their order.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        // SAFETY: the log is an array of so many bytes.
        let log: [u8; 1 << 16] = unsafe { self.read(c"mock_log") };
        let text = log.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).split_terminator(';').map(str::to_owned).collect()
    }

    /// How often a command was called.
    #[must_use]
    pub fn calls(&self, command: &str) -> usize {
        self.log().iter().filter(|called| *called == command).count()
    }

    /// The last descriptor that the driver was given, as far as `length` bytes.
    #[must_use]
    pub fn descriptor(&self, length: usize) -> Vec<u8> {
        // SAFETY: it is an array of so many bytes.
        let bytes: [u8; 144] = unsafe { self.read(c"mock_descriptor") };
        bytes.into_iter().take(length).collect()
    }

    /// An object that the driver made for somebody else: a semaphore of any handle type, or memory with its size.
    ///
    /// # Panics
    /// If the driver cannot.
    #[must_use]
    pub fn foreign(&self, maker: &CStr, handle_type: u32, size: u64) -> *mut c_void {
        // SAFETY: as in `set`.
        let library = unsafe { libloading::Library::new(&self.path) }.expect("the mock driver can be opened");
        // SAFETY: both makers take a type, and one a size besides, which the other does not look at.
        let make =
            unsafe { library.get::<unsafe extern "C" fn(u32, u64) -> *mut c_void>(maker) }.expect("the mock driver exports it");
        // SAFETY: as above.
        unsafe { make(handle_type, size) }
    }
}
