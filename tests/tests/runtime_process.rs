//! What only a process of its own can show: where the system looks for drivers, the environment, and the end of the process.

#[cfg(unix)]
use std::{
    any::Any,
    sync::{Arc, Mutex},
};
use std::{
    env,
    path::Path,
    process::{Command, Output},
};

use clcu::{cuda, opencl};
use clcu_tests::mock;

/// Set in a process that was started by [`child`], to what it shall do.
const TASK: &str = "CLCU_TEST_TASK";

/// Runs one task of [`a_process_of_its_own`] in a process whose libraries lie in `directory` alone.
fn child(task: &str, directory: &Path, environment: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program has a file"));
    command.args(["--exact", "a_process_of_its_own", "--nocapture"]).env(TASK, task).env("LD_LIBRARY_PATH", directory);
    command.env_remove(cuda::ENVIRONMENT).env_remove(opencl::ENVIRONMENT).envs(environment.iter().copied());
    command.output().expect("this program can be started again")
}

fn text(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert!(output.status.success(), "{}: {text}", output.status);
    text
}

/// What the other tests start. By itself it does nothing.
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
        "open and drop" => {
            for _ in 0..100 {
                let library = cuda::Library::open().expect("the mock driver is in the library path");
                library.init().expect("the mock initialises");
                assert!(opencl::Library::open().expect("the mock library is in the library path").platforms().is_ok());
            }
            println!("opened 100 times");
        }
        "end with objects" => end_with_objects(),
        other => panic!("{other}"),
    }
}

/// What is alive when `main` has returned, as in a static of C++ that ends then.
#[cfg(unix)]
static AT_EXIT: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// Makes one of each owner, and leaves them to a destructor that runs when the driver says that it is gone.
#[cfg(unix)]
fn end_with_objects() {
    use clcu::cuda::{Allocation, Context, Device, ExternalMemory, ExternalSemaphore, memory, semaphore};
    extern "C" fn at_exit() {
        let objects = std::mem::take(&mut *AT_EXIT.lock().expect("nobody else runs any more"));
        println!("{} objects end", objects.len());
        drop(objects);
        println!("they ended");
    }
    let library = Arc::new(cuda::Library::open().expect("the mock driver is in the library path"));
    let device = Device::new(&library, 0).expect("the mock has devices");
    let context = Context::primary(&device).expect("the mock has contexts");
    let fd = || std::fs::File::open("/dev/null").expect("it is there").into();
    let current = context.enter().expect("the mock has contexts");
    let semaphore = ExternalSemaphore::import(&current, semaphore::Source::timeline_semaphore_fd(fd())).expect("it imports");
    let memory = ExternalMemory::import(&current, memory::Source::opaque_fd(fd(), 4096)).expect("it imports");
    let handle_type = clcu::sys::cuda::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let allocation = Allocation::new(&device, 4096, handle_type).expect("the mock makes it");
    drop(current);
    *AT_EXIT.lock().expect("it is this thread's") =
        vec![Box::new(semaphore), Box::new(memory), Box::new(allocation), Box::new(context)];
    // SAFETY: the file is the mock's, which is loaded, and its variables are `int`s.
    unsafe {
        let file = libloading::Library::new(&library.driver().path).expect("it is loaded");
        for command in DESTROYING {
            let variable = format!("mock_fail_{command}");
            file.get::<*mut std::ffi::c_int>(variable.as_bytes()).expect("the mock has it").write_volatile(4);
        }
        std::mem::forget(file);
        assert_eq!(libc::atexit(at_exit), 0);
    }
    println!("main returns");
}

/// What destructors call.
#[cfg(unix)]
const DESTROYING: [&str; 6] = [
    "cuDestroyExternalSemaphore",
    "cuDestroyExternalMemory",
    "cuMemRelease",
    "cuDevicePrimaryCtxRelease",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
];

/// B37: destructors that run when the driver is gone end the process as if nothing were the matter.
#[cfg(unix)]
#[test]
fn b37_objects_that_end_with_the_process_do_not_panic_where_the_driver_is_gone() {
    let Some(driver) = mock::cuda().build("runtime_process: the end") else { return };
    let answer = text(&child("end with objects", driver.directory(), &[]));
    for part in ["main returns", "4 objects end", "they ended"] {
        assert!(answer.contains(part), "{answer}");
    }
    assert!(!answer.contains("panicked"), "{answer}");
}

/// B04: the loader's cache has the versioned name alone.
#[test]
fn the_system_finds_a_driver_of_which_only_the_versioned_name_exists() {
    let test = "runtime_process: the system's search";
    let (Some(driver), Some(library)) = (mock::cuda().build(test), mock::opencl().build(test)) else { return };
    let opened = |real: &Path| format!("opened {}", real.display());
    let cuda = text(&child("open CUDA", driver.directory(), &[]));
    assert!(cuda.contains(&opened(&driver.real_path())), "{cuda}");
    let opencl = text(&child("open OpenCL", library.directory(), &[]));
    assert!(opencl.contains(&opened(&library.real_path())), "{opencl}");
}

#[test]
fn the_environment_names_the_file_and_nothing_else_is_tried() {
    let test = "runtime_process: the environment";
    let (Some(found), Some(named)) = (mock::cuda().build(test), mock::cuda().named("mine.so").build(test)) else { return };
    let answer = text(&child("open CUDA", found.directory(), &[(cuda::ENVIRONMENT, &named.path)]));
    assert!(answer.contains(&named.real_path().display().to_string()), "{answer}");

    let nowhere = Path::new("/nonexistent/libcuda.so.1");
    let answer = text(&child("open CUDA", found.directory(), &[(cuda::ENVIRONMENT, nowhere)]));
    assert!(answer.contains("failed: no CUDA driver could be opened"), "{answer}");
    let chose = "The environment variable CLCU_CUDA_LIBRARY chose this file, so nothing else was tried: unset it";
    assert!(answer.contains(chose) && !answer.contains("Install"), "{answer}");
    assert!(answer.contains("/nonexistent/libcuda.so.1: ") && !answer.contains("libcuda.so: "), "{answer}");
    let answer = text(&child("open OpenCL", found.directory(), &[(opencl::ENVIRONMENT, nowhere)]));
    assert!(answer.contains("failed: no OpenCL library could be opened"), "{answer}");
    let chose = "The environment variable CLCU_OPENCL_LIBRARY chose this file, so nothing else was tried: unset it";
    assert!(answer.contains(chose) && !answer.contains("Install"), "{answer}");
}

/// B05: the library path is not to blame for a stub that the variable names.
#[test]
fn a_stub_that_the_environment_names_is_said_to_be_chosen_by_it() {
    let Some(stub) = mock::cuda().with("STUB").build("runtime_process: a stub by name") else { return };
    let answer = text(&child("open CUDA", Path::new("/nonexistent"), &[(cuda::ENVIRONMENT, &stub.path)]));
    assert!(answer.contains("CUDA_ERROR_STUB_LIBRARY (34)"), "{answer}");
    assert!(answer.contains("CLCU_CUDA_LIBRARY chose this file") && !answer.contains("LD_LIBRARY_PATH"), "{answer}");
}

/// B05: the toolkit's directory of stubs is in the library path.
#[test]
fn a_stub_in_the_library_path_is_named() {
    let Some(stub) = mock::cuda().with("STUB").build("runtime_process: a stub in the library path") else { return };
    let answer = text(&child("open CUDA", stub.directory(), &[]));
    assert!(answer.contains(&stub.real_path().display().to_string()) && answer.contains("CUDA_ERROR_STUB_LIBRARY"), "{answer}");
}

/// B38: a driver is never unloaded.
#[test]
fn drivers_are_opened_and_dropped_a_hundred_times_and_the_process_ends_well() {
    let test = "runtime_process: open and drop";
    // Both in one directory.
    let (Some(driver), Some(library)) = (mock::cuda().build(test), mock::opencl().build(test)) else { return };
    std::fs::copy(&library.path, driver.directory().join("libOpenCL.so.1")).expect("the mock library can be copied");
    let answer = text(&child("open and drop", driver.directory(), &[]));
    assert!(answer.contains("opened 100 times"), "{answer}");
    assert_eq!(answer.matches("mock driver unloaded").count(), 1, "by the end of the process alone: {answer}");
}

/// Runs the example of the README.
fn example(directory: &Path, environment: &[(&str, &Path)]) -> Output {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "clcu", "--example", "versions"]).env("LD_LIBRARY_PATH", directory);
    command.env_remove(cuda::ENVIRONMENT).env_remove(opencl::ENVIRONMENT).envs(environment.iter().copied());
    command.output().expect("cargo can be started")
}

#[test]
fn the_example_calls_through_the_generated_tables() {
    let test = "runtime_process: the example";
    let (Some(driver), Some(library)) = (mock::cuda().with("DRIVER_VERSION=12040").build(test), mock::opencl().build(test)) else {
        return;
    };
    let environment = [(cuda::ENVIRONMENT, driver.path.as_path()), (opencl::ENVIRONMENT, library.path.as_path())];
    let answer = text(&example(driver.directory(), &environment));
    assert!(answer.contains("CUDA: driver for CUDA 12.4, "), "{answer}");
    assert!(answer.contains("OpenCL: 2 platforms, "), "{answer}");
}

/// B03: an exit code of the program's own, and no panic.
#[test]
fn without_drivers_the_example_says_what_was_tried_and_does_not_panic() {
    let empty = tempfile::tempdir().expect("a directory can be made");
    let nowhere = Path::new("/nonexistent/driver.so");
    let output = example(empty.path(), &[(cuda::ENVIRONMENT, nowhere), (opencl::ENVIRONMENT, nowhere)]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    for part in ["CUDA: no CUDA driver could be opened", "OpenCL: no OpenCL library could be opened", "/nonexistent/driver.so: "] {
        assert!(errors.contains(part), "{errors}");
    }
}
