//! Where drivers come from on Windows: the directory of the system alone, unless somebody names a file; and what is said where none is.

use std::{
    env,
    ffi::OsString,
    fs,
    os::windows::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, MutexGuard, PoisonError},
};

use clcu::{
    OpenError,
    cuda::{self, Device, Error, Identity, Luid},
    opencl,
};
use windows_sys::{
    Win32::System::{
        LibraryLoader::{GetModuleHandleW, GetProcAddress},
        SystemInformation::GetSystemDirectoryW,
    },
    core::{s, w},
};

use crate::{
    mock::{self, Mock},
    upstream::skipped,
};

/// Set in a process that was started by [`child`], to what it shall do.
const TASK: &str = "CLCU_TEST_TASK";

/// What other tests start. By itself it does nothing.
#[test]
fn a_process_of_its_own() {
    let Ok(task) = env::var(TASK) else { return };
    match task.as_str() {
        "open CUDA" => match cuda::Library::open() {
            Ok(library) => println!("opened {}", library.driver()),
            Err(error) => println!("failed: {error}"),
        },
        "open OpenCL" => match opencl::Library::open() {
            Ok(library) => println!("opened {}", library.driver()),
            Err(error) => println!("failed: {error}"),
        },
        "open both and drop" => {
            for _ in 0..100 {
                let library = cuda::Library::open().expect("the environment names it");
                library.init().expect("the mock initialises");
                assert!(opencl::Library::open().expect("the environment names it").platforms().is_ok());
            }
            println!("opened 100 times");
        }
        other => panic!("{other}"),
    }
}

/// Runs one task in a process of which `program` is the file.
fn child(program: &Path, task: &str, settle: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(program);
    command.args(["--exact", "library::a_process_of_its_own", "--nocapture"]).env(TASK, task);
    command.env_remove(cuda::ENVIRONMENT).env_remove(opencl::ENVIRONMENT);
    settle(&mut command);
    let Output { status, stdout, stderr } = command.output().expect("this program can be started again");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(status.success(), "{status}: {text}");
    text
}

fn this_program() -> PathBuf {
    env::current_exe().expect("this program has a file")
}

/// The directory of the system, for one test at a time; `None`, after saying so for `test`, where it is that of a real one.
fn system_directory(test: &str) -> Option<(PathBuf, MutexGuard<'static, ()>)> {
    static ALONE: Mutex<()> = Mutex::new(());
    // SAFETY: both names are text that ends with a zero.
    let wine = unsafe { GetProcAddress(GetModuleHandleW(w!("ntdll.dll")), s!("wine_get_version")) };
    if wine.is_none() {
        skipped(test, "Wine, whose system directory is a test's to write to");
        return None;
    }
    let mut name = [0_u16; 260];
    // SAFETY: the buffer is as long as is said.
    let length = unsafe { GetSystemDirectoryW(name.as_mut_ptr(), 260) };
    let directory = PathBuf::from(OsString::from_wide(&name[..usize::try_from(length).expect("it fits")]));
    Some((directory, ALONE.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// A driver that was put into the system's directory, in the place of what was there, until this is dropped.
struct Installed {
    path: PathBuf,
    before: Option<Vec<u8>>,
}

impl Installed {
    fn new(mock: &Mock, system: &Path) -> Self {
        let path = system.join(mock.path.file_name().expect("it has a name"));
        let before = fs::read(&path).ok();
        fs::copy(&mock.path, &path).expect("the directory can be written to");
        Self { path, before }
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let restored = match &self.before {
            Some(before) => fs::write(&self.path, before),
            None => fs::remove_file(&self.path),
        };
        restored.expect("no process uses it any more");
    }
}

/// This program, in a directory.
fn program_in(directory: &Path) -> PathBuf {
    let program = directory.join("program.exe");
    fs::copy(this_program(), &program).expect("the program can be copied");
    program
}

/// Makes a directory the working directory, and the first in PATH.
fn work_in(directory: &Path, command: &mut Command) {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = [directory.to_owned()].into_iter().chain(env::split_paths(&path));
    command.current_dir(directory).env("PATH", env::join_paths(directories).expect("no quotes"));
}

/// Whether a message has this path in it, in whichever case Windows spells it.
fn names(text: &str, path: &Path) -> bool {
    text.to_lowercase().contains(&path.display().to_string().to_lowercase())
}

#[test]
fn the_driver_comes_from_the_directory_of_the_system() {
    let test = "library: the system's directory";
    let Some((system, _alone)) = system_directory(test) else { return };
    let Some(driver) = mock::cuda().build(test) else { return };
    let installed = Installed::new(&driver, &system);
    let text = child(&this_program(), "open CUDA", |_| {});
    assert!(text.contains("opened ") && names(&text, &installed.path), "{text}");
    assert!(text.contains("(version 13.5)"), "{text}");
}

#[test]
fn a_planted_driver_is_never_loaded_from_where_programs_lie_or_work_or_search() {
    let test = "library: planted drivers";
    let Some((system, _alone)) = system_directory(test) else { return };
    let (Some(planted), Some(driver)) = (mock::cuda().build(test), mock::cuda().with("DRIVER_VERSION=12040").build(test)) else {
        return;
    };
    let (program, settle) = (program_in(planted.directory()), |command: &mut Command| work_in(planted.directory(), command));
    let text = child(&program, "open CUDA", settle);
    assert!(text.contains("failed: no CUDA driver could be opened; tried:\n  nvcuda.dll: "), "{text}");
    assert!(!names(&text, planted.directory()), "{text}");
    // The planted one is good: who names it gets it.
    let text = child(&program, "open CUDA", |command| {
        settle(command);
        command.env(cuda::ENVIRONMENT, &planted.path);
    });
    assert!(text.contains("(version 13.5)") && names(&text, &planted.real_path()), "{text}");
    // With both, the system's is taken.
    let _installed = Installed::new(&driver, &system);
    let text = child(&program, "open CUDA", settle);
    assert!(text.contains("(version 12.4)") && names(&text, &system), "{text}");
}

#[test]
fn the_same_holds_for_the_library_of_opencl() {
    let test = "library: planted libraries of OpenCL";
    let Some((system, _alone)) = system_directory(test) else { return };
    let (Some(planted), Some(library)) = (mock::opencl().build(test), mock::opencl().build(test)) else { return };
    let (program, settle) = (program_in(planted.directory()), |command: &mut Command| work_in(planted.directory(), command));
    let text = child(&program, "open OpenCL", settle);
    assert!(text.contains("failed: no OpenCL library could be opened; tried:\n  OpenCL.dll: "), "{text}");
    assert!(!names(&text, planted.directory()), "{text}");
    let installed = Installed::new(&library, &system);
    let text = child(&program, "open OpenCL", settle);
    assert!(text.contains("opened ") && names(&text, &installed.path), "{text}");
}

#[test]
fn the_environment_names_the_file_and_nothing_else_is_tried() {
    let test = "library: the environment";
    let Some((system, _alone)) = system_directory(test) else { return };
    let (Some(named), Some(driver)) = (mock::cuda().named("mine.dll").build(test), mock::cuda().build(test)) else { return };
    let _installed = Installed::new(&driver, &system);
    let text = child(&this_program(), "open CUDA", |command| {
        command.env(cuda::ENVIRONMENT, &named.path);
    });
    assert!(names(&text, &named.real_path()) && !names(&text, &system), "{text}");
    let text = child(&this_program(), "open CUDA", |command| {
        command.env(cuda::ENVIRONMENT, r"C:\nowhere\nvcuda.dll");
    });
    assert!(text.contains("failed: no CUDA driver could be opened; tried:\n  C:\\nowhere\\nvcuda.dll: "), "{text}");
    assert!(text.contains(cuda::ENVIRONMENT) && text.matches("nvcuda.dll: ").count() == 1, "{text}");
    let text = child(&this_program(), "open OpenCL", |command| {
        command.env(opencl::ENVIRONMENT, r"C:\nowhere\OpenCL.dll");
    });
    assert!(text.contains("failed: no OpenCL library could be opened; tried:\n  C:\\nowhere\\OpenCL.dll: "), "{text}");
}

#[test]
fn drivers_are_opened_and_dropped_a_hundred_times_and_the_process_ends_well() {
    let test = "library: open and drop";
    let (Some(driver), Some(library)) = (mock::cuda().build(test), mock::opencl().build(test)) else { return };
    let text = child(&this_program(), "open both and drop", |command| {
        command.env(cuda::ENVIRONMENT, &driver.path).env(opencl::ENVIRONMENT, &library.path);
    });
    assert!(text.contains("opened 100 times"), "{text}");
    assert_eq!(text.matches("mock driver unloaded").count(), 1, "by the end of the process alone: {text}");
}

#[test]
fn a_file_that_is_no_library_is_refused_by_its_name() {
    let test = "library: a file that is no library";
    let Some(driver) = mock::cuda().build(test) else { return };
    let text = driver.directory().join("text.dll");
    fs::write(&text, "no library").expect("the directory can be written to");
    // SAFETY: it is not loaded.
    let error = unsafe { cuda::Options::new().path(&text) }.open().expect_err("it is text");
    let OpenError::NotFound { attempts, .. } = &error else { panic!("{error}") };
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].file, text);
}

#[test]
fn a_device_is_found_by_its_luid_and_a_mismatch_names_all_of_them() {
    let Some(driver) = mock::cuda().open("library: luid") else { return };
    let second = Device::new(&driver.library, 1).expect("the mock has two");
    let luid = second.luid().expect("the mock says it").expect("Windows has them");
    assert_eq!((luid.bytes, luid.node_mask), ([0x81; 8], 1));
    let of = |luid| Device::matching(&driver.library, Identity::Luid(luid));
    assert_eq!(of(luid).expect("it is there").as_raw(), second.as_raw());
    assert_eq!(of(Luid { node_mask: 0, ..luid }).expect("any node will do").as_raw(), second.as_raw());
    let error = of(Luid { node_mask: 2, ..luid }).expect_err("it is on the first node");
    assert!(matches!(&error, Error::NoSuchDevice { found, .. } if found.len() == 2));
    let text = error.to_string();
    for part in ["LUID 8181818181818181 (nodes 0x2)", "LUID 8080808080808080 (nodes 0x1)", "LUID 8181818181818181 (nodes 0x1)"] {
        assert!(text.contains(part), "{text}");
    }
}
