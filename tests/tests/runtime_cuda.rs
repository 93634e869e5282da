//! Opening CUDA drivers and finding their commands, on mock drivers: each test is something that real ones do.

use std::{ffi::c_int, path::Path, ptr};

use clcu::{
    Needs, OpenError,
    cuda::{InitError, Library, Options, Version},
    sys::cuda::{self, CUresult},
};
use clcu_tests::mock::{self, Mock};

fn open(mock: &Mock) -> Library {
    try_open(mock, |options| options).expect("the mock driver can be opened")
}

fn open_per_thread(mock: &Mock) -> Library {
    try_open(mock, |options| options.per_thread_default_stream(true)).expect("the mock driver can be opened")
}

fn try_open(mock: &Mock, more: impl FnOnce(Options) -> Options) -> Result<Library, OpenError> {
    // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
    more(unsafe { Options::new().path(&mock.path) }).open()
}

fn within(directory: &Path) -> Result<Library, OpenError> {
    // SAFETY: the directory holds mock drivers alone, or nothing.
    unsafe { Options::new().directory(directory) }.open()
}

/// B01: what is missing stops nothing else.
#[test]
fn a_driver_that_lacks_most_symbols_opens_and_calls_what_it_has() {
    let mock = mock::cuda().with("WITHOUT_cuCtxCreate_v4").with("WITHOUT_cuCtxSynchronize_v2").with("WITHOUT_cuDeviceGetAttribute");
    let Some(mock) = mock.build("runtime_cuda: a driver that lacks symbols") else { return };
    let library = open(&mock);
    let get_version = library.get(&cuda::cuDriverGetVersion).expect("the mock has it");
    let mut version = 0;
    // SAFETY: the command writes one `int`.
    unsafe { get_version(&raw mut version) }.result().expect("the mock succeeds");
    assert_eq!(version, 13050);

    let missing = library.get(&cuda::cuCtxCreate_v4).expect_err("the mock lacks it");
    assert_eq!(missing.command.symbol, c"cuCtxCreate_v4");
    assert_eq!(missing.needs, Needs::CudaDriver(Version(12050)));
    let text = missing.to_string();
    for part in ["cuCtxCreate_v4", "needs a driver for CUDA 12.5", &mock.real_path().display().to_string(), "(version 13.5)"] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert_eq!(library.get(&cuda::cuCtxCreate_v4).expect_err("it is still missing").to_string(), text);
}

#[test]
fn a_command_newer_than_the_driver_is_missing_and_the_driver_is_not_asked_for_it() {
    let mock = mock::cuda().with("DRIVER_VERSION=12040").with("WITHOUT_cuCtxCreate_v4");
    let Some(mock) = mock.build("runtime_cuda: a command newer than the driver") else { return };
    let library = open(&mock);
    let missing = library.get(&cuda::cuCtxCreate_v4).expect_err("it came with 12.5");
    assert!(missing.reason.contains("the driver is for CUDA 12.4"), "{}", missing.reason);
    // SAFETY: the variable is an `unsigned`.
    assert_eq!(unsafe { mock.read::<u32>(c"mock_queries") }, 0);
}

/// B02: what is in the header and not in the library is listed, in the words of the system.
#[test]
fn availability_lists_what_is_absent_in_the_words_of_the_system() {
    let mock = mock::cuda().with("WITHOUT_cuCtxSynchronize_v2");
    let Some(mock) = mock.build("runtime_cuda: availability") else { return };
    let availability = open(&mock).availability();
    assert_eq!(availability.present + availability.absent.len(), cuda::COMMAND_COUNT);
    let absent = |symbol| availability.absent.iter().find(|missing| missing.command.symbol == symbol);
    let missing = absent(c"cuDevSmResourceSplit").expect("no mock has it");
    // `dlerror` names the symbol in every language.
    // Windows gives a number besides: ERROR_PROC_NOT_FOUND.
    let words = ["undefined symbol", "cuDevSmResourceSplit", "os error 127"];
    assert!(words.iter().any(|words| missing.reason.contains(words)), "{}", missing.reason);
    assert!(absent(c"cuCtxSynchronize_v2").is_some());
    assert!(absent(c"cuInit").is_none());
}

/// B03: no driver is data, with every name that was tried.
#[test]
fn without_a_driver_every_name_is_listed_with_the_error_of_the_system() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let error = within(directory.path()).expect_err("the directory is empty");
    let OpenError::NotFound { attempts, .. } = &error else { panic!("{error:?}") };
    let files: Vec<_> =
        attempts.iter().map(|attempt| attempt.file.strip_prefix(directory.path()).expect("it lies there")).collect();
    if cfg!(windows) {
        assert_eq!(files, [Path::new("nvcuda.dll")]);
    } else {
        assert_eq!(files, [Path::new("libcuda.so.1"), Path::new("libcuda.so")]);
    }
    for attempt in attempts {
        // Windows does not repeat the name; its number is ERROR_MOD_NOT_FOUND.
        let told = attempt.error.contains(&attempt.file.display().to_string()) || attempt.error.contains("os error 126");
        assert!(told, "{attempt}");
    }
    assert!(error.to_string().contains("CLCU_CUDA_LIBRARY"), "{error}");
}

/// B04: only the versioned name is there.
#[test]
fn a_directory_with_the_versioned_name_alone_will_do() {
    let Some(mock) = mock::cuda().build("runtime_cuda: the versioned name alone") else { return };
    let library = within(mock.directory()).expect("it is there");
    assert_eq!(library.driver().path, mock.real_path());
}

#[cfg(unix)]
#[test]
fn the_versioned_name_is_preferred_to_a_stub_under_the_plain_one() {
    let test = "runtime_cuda: the versioned name is preferred";
    let (Some(driver), Some(stub)) = (mock::cuda().build(test), mock::cuda().with("STUB").named("libcuda.so").build(test)) else {
        return;
    };
    std::fs::copy(&stub.path, driver.directory().join("libcuda.so")).expect("the stub can be copied");
    let library = within(driver.directory()).expect("the driver is there");
    assert_eq!(library.driver().path, driver.real_path());
}

/// B05: the toolkit's stub is named with its file.
#[test]
fn a_stub_is_named_with_the_file_that_was_loaded() {
    let stub = mock::cuda().with("STUB");
    // On Linux the second of two names, as a toolkit installs it.
    let stub = if cfg!(windows) { stub } else { stub.named("libcuda.so") };
    let Some(stub) = stub.build("runtime_cuda: a stub") else { return };
    let error = within(stub.directory()).expect_err("every call of it fails");
    let OpenError::StubLibrary { path, attempts, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*path, stub.real_path());
    assert_eq!(attempts.len(), if cfg!(windows) { 1 } else { 2 });
    assert!(error.to_string().contains("CUDA_ERROR_STUB_LIBRARY (34)"), "{error}");
}

/// B05: the same where only `cuInit` tells.
#[test]
fn a_stub_that_shows_at_initialisation_only_is_named_too() {
    let Some(stub) = mock::cuda().with("STUB_INIT").build("runtime_cuda: a stub at cuInit") else { return };
    match open(&stub).init() {
        Err(InitError::StubLibrary { path }) => assert_eq!(path, stub.real_path()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_library_that_is_no_driver_is_refused_by_name() {
    let Some(other) = mock::opencl().build("runtime_cuda: no driver") else { return };
    let error = try_open(&other, |options| options).expect_err("it is an OpenCL library");
    assert!(error.to_string().contains("does not export cuDriverGetVersion"), "{error}");
    // The variable would not help: the path comes before it.
    assert!(error.to_string().contains("The program chose this file (`Options::path`)"), "{error}");
    assert!(!error.to_string().contains("CLCU_CUDA_LIBRARY"), "{error}");
}

#[test]
fn a_driver_that_will_not_say_its_version_is_a_driver() {
    let Some(mock) = mock::cuda().with("VERSION_FAILS=999").build("runtime_cuda: no version") else { return };
    let library = open(&mock);
    assert_eq!(library.version(), None);
    library.init().expect("the mock initialises");
}

/// B07: the unsuffixed name is an old ABI, and not what is called.
#[test]
fn the_public_name_gives_the_variant_that_the_header_means() {
    let Some(mock) = mock::cuda().build("runtime_cuda: variants") else { return };
    let library = open(&mock);
    let mut address = cuda::CUdeviceptr::NULL;
    let allocate = library.get(&cuda::cuMemAlloc_v2).expect("the mock has it");
    // SAFETY: the command writes one address.
    unsafe { allocate(&raw mut address, 64) }.result().expect("the variant with 64-bit sizes succeeds");
    assert_eq!(mock.last_called(), "cuMemAlloc_v2");

    // One public name, two signatures: each command is asked for with its own version.
    // SAFETY: it takes nothing.
    unsafe { library.get(&cuda::cuCtxSynchronize).expect("the mock has it")() }.result().expect("the mock succeeds");
    assert_eq!(mock.last_called(), "cuCtxSynchronize");
    let synchronize = library.get(&cuda::cuCtxSynchronize_v2).expect("the mock has it");
    // SAFETY: the mock does not follow the handle.
    unsafe { synchronize(cuda::CUcontext::NULL) }.result().expect("the mock succeeds");
    assert_eq!(mock.last_called(), "cuCtxSynchronize_v2");
}

#[test]
fn an_older_variant_is_not_taken_for_the_one_that_a_driver_lacks() {
    let Some(mock) = mock::cuda().with("WITHOUT_cuCtxSynchronize_v2").build("runtime_cuda: an older variant") else { return };
    let library = open(&mock);
    let missing = library.get(&cuda::cuCtxSynchronize_v2).expect_err("the driver has one without parameters only");
    assert!(missing.reason.contains("a variant older than 13.0 only"), "{}", missing.reason);
    assert!(library.get(&cuda::cuCtxSynchronize).is_ok());
}

#[test]
fn without_cu_get_proc_address_exported_symbols_give_the_same_variants() {
    let mock = mock::cuda().with("DRIVER_VERSION=11000").with("WITHOUT_cuGetProcAddress").with("WITHOUT_cuGetProcAddress_v2");
    let Some(mock) = mock.build("runtime_cuda: exported symbols") else { return };
    let mut address = cuda::CUdeviceptr::NULL;
    let allocate = open(&mock).get(&cuda::cuMemAlloc_v2).expect("the mock exports it");
    // SAFETY: the command writes one address.
    unsafe { allocate(&raw mut address, 64) }.result().expect("the variant with 64-bit sizes succeeds");
    assert_eq!(mock.last_called(), "cuMemAlloc_v2");
}

#[test]
fn the_first_form_of_cu_get_proc_address_is_asked_where_the_second_is_absent() {
    let mock = mock::cuda().with("DRIVER_VERSION=11030").with("WITHOUT_cuGetProcAddress_v2");
    let Some(mock) = mock.build("runtime_cuda: the first form") else { return };
    open(&mock).get(&cuda::cuMemAlloc_v2).expect("the mock has it");
    // SAFETY: the variable is an `unsigned`.
    assert_ne!(unsafe { mock.read::<u32>(c"mock_queries") }, 0);
    // SAFETY: the variable is an `int`.
    assert_eq!(unsafe { mock.read::<c_int>(c"mock_last_version") }, 3020);
}

#[test]
fn what_the_driver_writes_before_it_fails_is_not_taken_for_a_function() {
    let test = "runtime_cuda: garbage";
    let second = mock::cuda().with("GARBAGE");
    let first = mock::cuda().with("GARBAGE").with("WITHOUT_cuGetProcAddress_v2");
    let (Some(first), Some(second)) = (first.build(test), second.build(test)) else { return };
    for (mock, answer) in [(second, "the driver does not know it"), (first, "CUDA_ERROR_NOT_FOUND (500)")] {
        let missing = open(&mock).get(&cuda::cuDevSmResourceSplit).expect_err("no mock has it");
        assert!(missing.reason.starts_with(&format!("cuGetProcAddress: {answer}")), "{}", missing.reason);
    }
}

/// B08: variants for each thread's own default stream have versions of their own.
#[test]
fn each_default_stream_gets_its_own_variants_with_their_own_versions() {
    let Some(mock) = mock::cuda().build("runtime_cuda: default streams") else { return };
    let copy = |library: &Library| {
        let copy = library.get(&cuda::cuMemcpy).expect("the mock has it");
        // SAFETY: the mock follows no address.
        unsafe { copy(cuda::CUdeviceptr::NULL, cuda::CUdeviceptr::NULL, 0) }.result().expect("the mock succeeds");
        // SAFETY: the variables are an `int` and a `uint64_t`.
        (mock.last_called(), unsafe { mock.read::<c_int>(c"mock_last_version") }, unsafe { mock.read::<u64>(c"mock_last_flags") })
    };
    let (legacy, per_thread) = (open(&mock), open_per_thread(&mock));
    assert_eq!(copy(&legacy), ("cuMemcpy".to_owned(), 4000, 1));
    assert_eq!(copy(&per_thread), ("cuMemcpy_ptds".to_owned(), 7000, 2));

    let signal = |library: &Library| {
        let signal = library.get(&cuda::cuSignalExternalSemaphoresAsync).expect("the mock has it");
        // SAFETY: no semaphore is passed.
        unsafe { signal(ptr::null(), ptr::null(), 0, cuda::CUstream::NULL) }.result().expect("the mock succeeds");
        mock.last_called()
    };
    assert_eq!(signal(&legacy), "cuSignalExternalSemaphoresAsync");
    assert_eq!(signal(&per_thread), "cuSignalExternalSemaphoresAsync_ptsz");
}

#[test]
fn the_per_thread_variant_is_also_found_by_its_exported_symbol() {
    let mock = mock::cuda().with("WITHOUT_cuGetProcAddress").with("WITHOUT_cuGetProcAddress_v2");
    let Some(mock) = mock.build("runtime_cuda: exported per-thread symbols") else { return };
    let copy = open_per_thread(&mock).get(&cuda::cuMemcpy).expect("the mock exports it");
    // SAFETY: the mock follows no address.
    unsafe { copy(cuda::CUdeviceptr::NULL, cuda::CUdeviceptr::NULL, 0) }.result().expect("the mock succeeds");
    assert_eq!(mock.last_called(), "cuMemcpy_ptds");
}

/// B09: a value that is newer than the driver. D06: the message has the versions.
#[test]
fn an_older_driver_refuses_a_newer_value_and_the_message_names_both_versions() {
    let Some(mock) = mock::cuda().with("DRIVER_VERSION=12040").build("runtime_cuda: a newer value") else { return };
    let library = open(&mock);
    let get_attribute = library.get(&cuda::cuDeviceGetAttribute).expect("the mock has it");
    let mut value = 0;
    // SAFETY: the command writes one `int`.
    let result = unsafe { get_attribute(&raw mut value, cuda::CUdevice_attribute(141), cuda::CUdevice(0)) };
    assert_eq!(result, CUresult::CUDA_ERROR_INVALID_VALUE);
    let text = library.versions().expect("the mock says its version").to_string();
    assert!(text.contains("bindings of CUDA 13.5, driver for CUDA 12.4"), "{text}");
    assert!(text.contains("newer than the driver"), "{text}");
    assert!(text.contains("renumbered"), "{text}");
}

#[test]
fn a_driver_newer_than_the_bindings_works_and_is_not_warned_about() {
    let Some(mock) = mock::cuda().with("DRIVER_VERSION=13990").build("runtime_cuda: a newer driver") else { return };
    let library = open(&mock);
    library.init().expect("the mock initialises");
    assert_eq!(library.versions().expect("the mock says its version").to_string(), "bindings of CUDA 13.5, driver for CUDA 13.99");
}

/// B10: a result that no header names.
#[test]
fn a_result_that_no_header_names_is_a_number_not_undefined_behaviour() {
    let Some(mock) = mock::cuda().with("UNKNOWN_RESULT=12345").build("runtime_cuda: an unknown result") else { return };
    let get_attribute = open(&mock).get(&cuda::cuDeviceGetAttribute).expect("the mock has it");
    let mut value = 0;
    // SAFETY: the command writes one `int`.
    let result = unsafe { get_attribute(&raw mut value, cuda::CUdevice_attribute(1), cuda::CUdevice(0)) };
    assert_eq!(format!("{result:?}"), "CUresult(12345)");
    assert_eq!(result.result(), Err(CUresult(12345)));
}

/// B46: an untyped output is no null pointer.
#[cfg(unix)]
#[test]
fn an_untyped_output_carries_a_file_descriptor() {
    use std::os::fd::{FromRawFd as _, OwnedFd};

    let Some(mock) = mock::cuda().build("runtime_cuda: a file descriptor") else { return };
    let export = open(&mock).get(&cuda::cuMemExportToShareableHandle).expect("the mock has it");
    let kind = cuda::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let mut fd: c_int = -1;
    // SAFETY: for this handle type the command writes one `int`.
    unsafe { export((&raw mut fd).cast(), cuda::CUmemGenericAllocationHandle(0), kind, 0) }.result().expect("the mock gives one");
    assert!(fd >= 0);
    // SAFETY: the mock gave it away.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}

#[test]
fn two_drivers_are_open_at_once_and_keep_their_commands_apart() {
    let test = "runtime_cuda: two drivers";
    let (Some(old), Some(new)) = (mock::cuda().with("DRIVER_VERSION=11080").build(test), mock::cuda().build(test)) else { return };
    let (old_library, new_library) = (open(&old), open(&new));
    assert!(old_library.get(&cuda::cuCtxSynchronize).is_ok());
    old_library.init().expect("the mock initialises");
    assert_eq!((old.last_called().as_str(), new.last_called().as_str()), ("cuInit", ""));
    assert_eq!(old_library.version(), Some(Version(11080)));
    assert_eq!(new_library.version(), Some(Version(13050)));
}

#[test]
fn a_function_may_be_called_after_its_library_was_dropped() {
    let Some(mock) = mock::cuda().build("runtime_cuda: a dropped library") else { return };
    let library = open(&mock);
    let get_version = library.get(&cuda::cuDriverGetVersion).expect("the mock has it");
    drop(library);
    drop(mock);
    let mut version = 0;
    // SAFETY: the command writes one `int`; a driver is never unloaded.
    unsafe { get_version(&raw mut version) }.result().expect("the mock succeeds");
    assert_eq!(version, 13050);
}

#[test]
fn a_library_is_shared_by_threads() {
    let Some(mock) = mock::cuda().build("runtime_cuda: threads") else { return };
    let library = open(&mock);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for command in cuda::COMMANDS {
                    assert_eq!(command.api, clcu::sys::Api::Cuda);
                }
                assert!(library.get(&cuda::cuInit).is_ok());
                assert!(library.get(&cuda::cuDevSmResourceSplit).is_err());
            });
        }
    });
}
