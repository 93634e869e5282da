//! The mock driver of `tests/mock/icd.c`, and the real ICD loader over it: in, which drivers there shall be; out, a process whose loader has
//! them, or the driver opened without a loader.
//!
//! gcc compiles it once a process; each test works with a copy of its own, so that tests share no state although they share a process.
//! The loader reads its environment once, when it is first called: what needs it runs in a process of its own.

use std::{
    env,
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    fs,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    process::Command,
};

use clcu::opencl;
use libloading::Library;
use tempfile::TempDir;

use crate::upstream::skipped;

/// The kinds of objects that the mock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A context.
    Context = 2,
    /// A queue.
    Queue,
    /// An event.
    Event,
    /// A buffer or image.
    Memory,
    /// A semaphore.
    Semaphore,
}

/// The mock driver that was compiled along with this program (`tests/windows/build.rs`), since there is no compiler where it runs.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
fn compiled() -> Option<&'static [u8]> {
    Some(crate::compiled::library("icd.c", &[]))
}

/// The mock driver, compiled once; `None` where that cannot be done.
#[cfg(unix)]
fn compiled() -> Option<&'static [u8]> {
    static COMPILED: std::sync::OnceLock<Option<Vec<u8>>> = std::sync::OnceLock::new();
    let compile = || {
        if !Path::new("/usr/include/CL/cl_icd.h").exists() {
            return None;
        }
        let directory = TempDir::with_prefix("clcu-icd-").expect("a directory for a mock driver can be made");
        let path = directory.path().join("icd.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mock/icd.c");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-o"]);
        let output = gcc.arg(&path).arg(&source).output().ok()?;
        assert!(output.status.success(), "gcc refuses icd.c:\n{}", String::from_utf8_lossy(&output.stderr));
        Some(fs::read(&path).expect("gcc wrote it"))
    };
    COMPILED.get_or_init(compile).as_deref()
}

/// A mock driver in this process: what it is told, and what it tells.
#[derive(Debug)]
pub struct Icd {
    /// Where it lies, if it goes with this value.
    directory: Option<TempDir>,
    /// The file.
    pub path: PathBuf,
    /// Never closed: the runtime never unloads a driver either.
    library: ManuallyDrop<Library>,
}

impl Icd {
    /// A copy of the driver, of which nobody knows. `None`, after saying so for `test`, where gcc or Debian's headers are not there.
    ///
    /// # Panics
    /// If gcc refuses the source.
    #[must_use]
    pub fn new(test: &str) -> Option<Self> {
        let Some(bytes) = compiled() else {
            skipped(test, "gcc and opencl-c-headers");
            return None;
        };
        let directory = TempDir::with_prefix("clcu-icd-").expect("a directory for a mock driver can be made");
        let path = directory.path().join(if cfg!(windows) { "mock-icd.dll" } else { "libmock-icd.so" });
        fs::write(&path, bytes).expect("the directory can be written to");
        Some(Self { directory: Some(directory), ..Self::at(&path) })
    }

    /// The driver in this file.
    fn at(path: &Path) -> Self {
        // SAFETY: the mock's initialiser only fills its own tables.
        let library = unsafe { Library::new(path) }.expect("the mock driver can be opened");
        Self { directory: None, path: path.to_owned(), library: ManuallyDrop::new(library) }
    }

    /// Opens it without a loader.
    ///
    /// # Panics
    /// If the runtime refuses it.
    #[must_use]
    pub fn open(&self) -> opencl::Library {
        // SAFETY: the file is a mock driver, whose functions have the types of OpenCL's.
        unsafe { opencl::Options::new().path(&self.path) }.open().expect("the mock driver can be opened")
    }

    /// Something that it exports.
    ///
    /// # Safety
    /// It is a function, or a pointer to a variable, of the type `T`.
    unsafe fn symbol<T: Copy>(&self, name: &CStr) -> T {
        // SAFETY: as the caller promises.
        *unsafe { self.library.get::<T>(name) }.unwrap_or_else(|error| panic!("the mock driver does not export {name:?}: {error}"))
    }

    /// Sets a variable: `icd.c` and `icd_script.h` say what each does.
    pub fn set(&self, variable: &CStr, value: c_int) {
        // SAFETY: such variables of the mock are of type `int`; tests write between calls.
        unsafe { self.symbol::<*mut c_int>(variable).write_volatile(value) }
    }

    /// Reads a variable.
    #[must_use]
    pub fn number(&self, variable: &CStr) -> c_int {
        // SAFETY: such variables of the mock are of type `int`.
        unsafe { self.symbol::<*const c_int>(variable).read_volatile() }
    }

    /// A command fails with `code` from now on, after it has worked `after` times; `times` times, or for ever if that is 0. The code 0 takes
    /// it back.
    ///
    /// # Panics
    /// If more commands fail than the mock has room for.
    pub fn fail(&self, command: &str, code: i32, after: u32, times: u32) {
        let command = CString::new(command).expect("commands have no zero in their names");
        // SAFETY: this is its type.
        let fail = unsafe { self.symbol::<unsafe extern "C" fn(*const c_char, c_int, c_uint, c_uint)>(c"mock_fail") };
        // SAFETY: the name is a C string, of which the mock keeps a copy.
        unsafe { fail(command.as_ptr(), code, after, times) }
    }

    fn answer_bytes(&self, platform: u32, device: Option<i32>, parameter: u32, code: i32, value: *const c_void, length: usize) {
        // SAFETY: this is its type.
        let answer =
            unsafe { self.symbol::<unsafe extern "C" fn(c_uint, c_int, c_uint, c_int, *const c_void, usize)>(c"mock_answer") };
        // SAFETY: the mock copies `length` bytes.
        unsafe { answer(platform, device.unwrap_or(-1), parameter, code, value, length) }
    }

    /// What a query of a platform (from 0), or of a device of it (from 0), answers from now on.
    pub fn answer<T: Copy>(&self, platform: u32, device: Option<i32>, parameter: u32, values: &[T]) {
        self.answer_bytes(platform, device, parameter, 0, values.as_ptr().cast(), size_of_val(values));
    }

    /// The same for a text.
    ///
    /// # Panics
    /// If it has a zero in it.
    pub fn answer_text(&self, platform: u32, device: Option<i32>, parameter: u32, text: &str) {
        let text = CString::new(text).expect("the text of a test has no zero in it");
        self.answer(platform, device, parameter, text.as_bytes_with_nul());
    }

    /// A query fails with `code` from now on.
    pub fn refuse(&self, platform: u32, device: Option<i32>, parameter: u32, code: i32) {
        self.answer_bytes(platform, device, parameter, code, std::ptr::null(), 0);
    }

    /// No platform has the function of this name, whatever it lists.
    ///
    /// # Panics
    /// If it has a zero in it.
    pub fn lacks(&self, function: &str) {
        let function = CString::new(function).expect("functions have no zero in their names");
        // SAFETY: this is its type; the mock keeps a copy of the name.
        unsafe { self.symbol::<unsafe extern "C" fn(*const c_char)>(c"mock_lacks")(function.as_ptr()) }
    }

    /// Every call so far, one an element: `command(name=value, …) = code`. Objects are named by kind and number, words are hexadecimal.
    #[must_use]
    pub fn journal(&self) -> Vec<String> {
        // SAFETY: this is its type, and its text is good until the next call, of which there is none meanwhile.
        let text = unsafe { CStr::from_ptr(self.symbol::<unsafe extern "C" fn() -> *const c_char>(c"mock_journal")()) };
        text.to_string_lossy().lines().map(str::to_owned).collect()
    }

    /// The calls of one command.
    #[must_use]
    pub fn calls(&self, command: &str) -> Vec<String> {
        let is_it = |line: &String| line.strip_prefix(command).is_some_and(|rest| rest.starts_with('('));
        self.journal().into_iter().filter(is_it).collect()
    }

    /// Forgets the calls.
    pub fn clear_journal(&self) {
        // SAFETY: this is its type.
        unsafe { self.symbol::<unsafe extern "C" fn()>(c"mock_clear_journal")() }
    }

    /// How many objects of a kind were made and not destroyed.
    #[must_use]
    pub fn alive(&self, kind: Kind) -> c_int {
        // SAFETY: it is an array of `int`, with an element a kind.
        unsafe { self.symbol::<*const c_int>(c"mock_alive").add(kind as usize).read_volatile() }
    }

    /// The directory that holds it and nothing else; `None` for a driver of [`with_loader`].
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_ref().map(TempDir::path)
    }
}

/// A driver that the ICD loader is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The mock.
    Mock,
    /// `PoCL`, as it is installed.
    Pocl,
    /// A file that is not there.
    Missing,
    /// A file that is no library.
    NoLibrary,
    /// A library that is no driver.
    NoDriver,
}

/// Names the directory of the drivers in a process that [`with_loader`] started.
const DIRECTORY: &str = "CLCU_TEST_VENDORS";

/// What such a process prints when it is through.
const THROUGH: &str = "the test ran in a process of its own";

/// Runs `body` where the system's ICD loader has these drivers and no other: in a process of its own, of the same program. `test` is the name
/// of the test function, which calls this and does nothing else. `body` gets the mocks, in their order.
///
/// # Panics
/// If `body` does, or if no test has that name.
pub fn with_loader(test: &str, drivers: &[Driver], body: impl FnOnce(&[Icd])) {
    if let Some(directory) = env::var_os(DIRECTORY) {
        let mocks = drivers.iter().enumerate().filter(|(_, driver)| **driver == Driver::Mock);
        let mocks: Vec<_> = mocks.map(|(number, _)| Icd::at(&library(Path::new(&directory), number))).collect();
        body(&mocks);
        println!("{THROUGH}");
        return;
    }
    let directory = TempDir::with_prefix("clcu-vendors-").expect("a directory can be made");
    for (number, driver) in drivers.iter().enumerate() {
        if !register(directory.path(), number, *driver, test) {
            return;
        }
    }
    let mut child = Command::new(env::current_exe().expect("this program has a file"));
    child.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(DIRECTORY, directory.path());
    child.env("OCL_ICD_VENDORS", directory.path()).env_remove("OCL_ICD_FILENAMES").env_remove(opencl::ENVIRONMENT);
    let output = child.output().expect("this program can be started again");
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert!(output.status.success(), "{}:\n{said}", output.status);
    assert!(said.contains(THROUGH), "no test is called {test}, or it did not reach its end:\n{said}");
}

fn library(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("libmock{number}.so"))
}

/// Writes the file by which the loader learns of a driver. False, after saying so, where there is no such driver.
fn register(directory: &Path, number: usize, driver: Driver, test: &str) -> bool {
    let path = library(directory, number);
    let named = match driver {
        Driver::Mock => {
            let Some(bytes) = compiled() else {
                skipped(test, "gcc and opencl-c-headers");
                return false;
            };
            fs::write(&path, bytes).expect("the directory can be written to");
            path.display().to_string()
        }
        Driver::Pocl => {
            let Ok(named) = fs::read_to_string("/etc/OpenCL/vendors/pocl.icd") else {
                skipped(test, "PoCL");
                return false;
            };
            named.trim().to_owned()
        }
        Driver::Missing => path.display().to_string(),
        Driver::NoLibrary => {
            fs::write(&path, "no library").expect("the directory can be written to");
            path.display().to_string()
        }
        Driver::NoDriver => "libm.so.6".to_owned(),
    };
    fs::write(directory.join(format!("{number}.icd")), named + "\n").expect("the directory can be written to");
    true
}
