//! Opening OpenCL libraries, their platforms, and the commands of both, on mock libraries: each test is something that real ones do.

use std::{ffi::c_void, ptr};

use clcu::{
    Needs, OpenError,
    opencl::{Library, Options, Platform},
    sys::{
        cuda,
        opencl::{self, cl_result, cl_semaphore_khr},
    },
};
use clcu_tests::mock::{self, Builder, Mock};

const SYNC_FD: &str = "cl_khr_external_semaphore_sync_fd";

fn open(mock: &Mock) -> Library {
    // SAFETY: the file is a mock library, whose functions have the types of OpenCL's.
    unsafe { Options::new().path(&mock.path) }.open().expect("the mock library can be opened")
}

fn platforms(builder: Builder, test: &str) -> Option<(Mock, Vec<Platform>)> {
    let mock = builder.build(test)?;
    let platforms = open(&mock).platforms().expect("the mock lists its platforms");
    Some((mock, platforms.usable))
}

/// Which platform's function this is: the mock's functions succeed for a semaphore of their own platform alone.
fn owner(platform: &Platform) -> char {
    let retain = platform.get(&opencl::clRetainSemaphoreKHR).expect("the platform has it");
    // SAFETY: the mock follows no handle.
    let answers = [0xA, 0xB].map(|of| unsafe { retain(cl_semaphore_khr(ptr::without_provenance_mut::<c_void>(of))) });
    match answers {
        [cl_result::CL_SUCCESS, _] => 'A',
        [_, cl_result::CL_SUCCESS] => 'B',
        _ => panic!("{answers:?}"),
    }
}

#[test]
fn each_platform_has_its_own_functions_of_an_extension() {
    let Some((_mock, platforms)) = platforms(mock::opencl(), "runtime_opencl: extension functions") else { return };
    assert_eq!(platforms.iter().map(owner).collect::<String>(), "AB");
    // And again, from the slots.
    assert_eq!(platforms.iter().rev().map(owner).collect::<String>(), "BA");
}

#[test]
fn the_library_itself_has_no_function_of_an_extension_and_says_whom_to_ask() {
    let Some(mock) = mock::opencl().build("runtime_opencl: no extension functions") else { return };
    let missing = open(&mock).get(&opencl::clRetainSemaphoreKHR).expect_err("each platform has its own");
    assert_eq!(missing.needs, Needs::Platform(&["cl_khr_semaphore"]));
    assert!(missing.to_string().contains("Platform::get"), "{missing}");
}

#[test]
fn a_core_command_that_the_library_lacks_is_missed_when_it_is_asked_for_and_not_before() {
    let mock = mock::opencl().with("WITHOUT_clCreateBufferWithProperties");
    let Some((_mock, platforms)) = platforms(mock, "runtime_opencl: a missing core command") else { return };
    let missing = platforms[0].get(&opencl::clCreateBufferWithProperties).expect_err("the library lacks it");
    assert_eq!(missing.needs, Needs::OpenCl("3.0"));
    assert!(platforms[0].get(&opencl::clGetPlatformInfo).is_ok());
    assert!(platforms[0].get(&opencl::clRetainSemaphoreKHR).is_ok());
}

#[test]
fn an_extension_is_asked_for_by_its_whole_name_before_any_pointer_is_taken() {
    // The second platform lists two longer names and one shorter one, and hands out a pointer for everything.
    let mock = mock::opencl().with("ANSWERS_TO_EVERYTHING").with_text(
        "EXTENSIONS_1",
        "cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd_x x_cl_khr_external_semaphore_sync_fd",
    );
    let Some((_mock, platforms)) = platforms(mock, "runtime_opencl: whole names") else { return };
    assert!(platforms[0].get(&opencl::clReImportSemaphoreSyncFdKHR).is_ok());
    let missing = platforms[1].get(&opencl::clReImportSemaphoreSyncFdKHR).expect_err("the platform does not list it");
    assert_eq!(missing.needs, Needs::Extension(&[SYNC_FD]));
    let text = missing.to_string();
    for part in ["clReImportSemaphoreSyncFdKHR", SYNC_FD, "Mock platform B", "OpenCL 3.0 mock"] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert!(platforms[0].has_extension(SYNC_FD) && !platforms[1].has_extension(SYNC_FD));
}

#[test]
fn an_extension_that_only_a_device_lists_counts() {
    let mock = mock::opencl().with_text("EXTENSIONS_0", "cl_khr_icd").with_text("DEVICE_EXTENSIONS_0", "cl_khr_semaphore");
    let Some((_mock, platforms)) = platforms(mock, "runtime_opencl: extensions of devices") else { return };
    assert_eq!(owner(&platforms[0]), 'A');
    assert_eq!(platforms[0].extensions(), Ok(vec!["cl_khr_icd"]));
    assert!(platforms[0].has_extension("cl_khr_semaphore"));
}

#[test]
fn a_listed_extension_without_a_function_is_an_error_that_says_so() {
    // Listed, but the mock has functions of two names only.
    let mock = mock::opencl().with_text("EXTENSIONS_0", "cl_khr_external_memory cl_khr_semaphore");
    let Some((_mock, platforms)) = platforms(mock, "runtime_opencl: a listed extension without a function") else { return };
    let missing = platforms[0].get(&opencl::clEnqueueAcquireExternalMemObjectsKHR).expect_err("the mock has no such function");
    assert!(missing.reason.contains("has no function of this name"), "{}", missing.reason);
}

#[test]
fn a_library_older_than_1_2_has_its_core_and_no_extensions() {
    let mock = mock::opencl().with("WITHOUT_clGetExtensionFunctionAddressForPlatform");
    let Some((_mock, platforms)) = platforms(mock, "runtime_opencl: before 1.2") else { return };
    let missing = platforms[0].get(&opencl::clRetainSemaphoreKHR).expect_err("there is no way to ask for it");
    assert!(missing.reason.contains("older than OpenCL 1.2"), "{}", missing.reason);
    assert!(platforms[0].get(&opencl::clGetDeviceIDs).is_ok());
}

#[test]
fn no_platform_is_an_empty_list_and_a_clear_error_for_who_needs_one() {
    let Some(mock) = mock::opencl().with("PLATFORMS=0").build("runtime_opencl: no platform") else { return };
    let platforms = open(&mock).platforms().expect("none is an answer");
    assert!(platforms.usable.is_empty());
    let error = platforms.first().expect_err("there is none");
    assert!(error.to_string().contains("has no OpenCL platform"), "{error}");
}

#[test]
fn a_null_platform_is_counted_and_never_asked() {
    let Some(mock) = mock::opencl().with("NULL_ENTRY").build("runtime_opencl: a null platform") else { return };
    let found = open(&mock).platforms().expect("the mock lists its platforms");
    assert_eq!((found.usable.len(), found.null_entries), (2, 1));
    assert_eq!(found.usable.iter().map(owner).collect::<String>(), "AB");

    let alone = mock::opencl().with("NULL_ENTRY").with("PLATFORMS=0").build("runtime_opencl: a null platform alone");
    let Some(alone) = alone else { return };
    let error =
        open(&alone).platforms().expect("the mock lists its platforms").first().expect_err("null is no platform").to_string();
    assert!(error.contains("1 entries of its list are null"), "{error}");
}

#[test]
fn one_platform_is_enough() {
    let Some((_mock, platforms)) = platforms(mock::opencl().with("PLATFORMS=1"), "runtime_opencl: one platform") else { return };
    assert_eq!(platforms.iter().map(owner).collect::<String>(), "A");
}

#[test]
fn a_list_that_fails_is_an_error_with_name_and_number() {
    let Some(mock) = mock::opencl().with("LIST_FAILS=-6").build("runtime_opencl: a failing list") else { return };
    let error = open(&mock).platforms().expect_err("the mock fails");
    assert_eq!(error.code, cl_result(-6));
    assert!(error.to_string().starts_with("clGetPlatformIDs: CL_OUT_OF_HOST_MEMORY (-6)"), "{error}");
}

#[test]
fn a_vendors_library_is_opened_without_a_loader() {
    let Some((_mock, platforms)) =
        platforms(mock::opencl().with("VENDOR").with("PLATFORMS=1"), "runtime_opencl: a vendor's library")
    else {
        return;
    };
    assert_eq!(platforms.iter().map(owner).collect::<String>(), "A");
    assert!(platforms[0].get(&opencl::clGetPlatformInfo).is_ok());
    assert!(platforms[0].get(&opencl::clCreateBufferWithProperties).is_err());
}

#[test]
fn a_command_of_cuda_is_not_looked_for_in_a_library_of_opencl() {
    let Some(mock) = mock::opencl().build("runtime_opencl: a command of CUDA") else { return };
    let library = open(&mock);
    assert!(library.availability().present > 0);
    let missing = library.get(&cuda::cuInit).expect_err("it is no CUDA driver");
    assert_eq!(missing.needs, Needs::Api(clcu::sys::Api::Cuda));
}

#[test]
fn availability_of_a_platform_has_its_extensions_and_that_of_a_library_its_core() {
    let Some(mock) = mock::opencl().build("runtime_opencl: availability") else { return };
    let library = open(&mock);
    let core = library.availability();
    assert!(core.absent.iter().all(|missing| missing.command.extensions.is_empty()));
    let platforms = library.platforms().expect("the mock lists its platforms");
    let all = platforms.first().expect("the mock has two").availability();
    assert_eq!(all.present + all.absent.len(), opencl::COMMAND_COUNT);
    // Two functions of extensions.
    assert_eq!(all.present, core.present + 2);
}

#[test]
fn every_type_of_device_is_32_bits_of_64_and_the_rest_stays_visible() {
    use opencl::cl_device_type;

    assert_eq!(cl_device_type::CL_DEVICE_TYPE_ALL, cl_device_type(0xFFFF_FFFF_u64));
    assert_ne!(cl_device_type::CL_DEVICE_TYPE_ALL, cl_device_type(u64::MAX));
    // Bit 32 is a vendor's; what is above it has no name.
    assert_eq!(format!("{:?}", cl_device_type(1 << 40 | 0xFFFF_FFFF)), "CL_DEVICE_TYPE_ALL | unknown bits 0x10000000000");
}

#[test]
fn two_libraries_are_open_at_once_and_keep_their_platforms_apart() {
    let test = "runtime_opencl: two libraries";
    let (Some(one), Some(two)) = (mock::opencl().with("PLATFORMS=1").build(test), mock::opencl().build(test)) else { return };
    let (one, two) = (open(&one), open(&two));
    let count = |library: &Library| library.platforms().expect("the mock lists its platforms").usable.len();
    assert_eq!((count(&one), count(&two), count(&one)), (1, 2, 1));
}

#[test]
fn without_a_library_every_name_is_listed_with_the_error_of_the_system() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    // SAFETY: the directory is empty.
    let error = unsafe { Options::new().directory(directory.path()) }.open().expect_err("the directory is empty");
    let OpenError::NotFound { attempts, .. } = &error else { panic!("{error:?}") };
    let files: Vec<_> = attempts.iter().filter_map(|attempt| attempt.file.file_name()?.to_str()).collect();
    if cfg!(windows) {
        assert_eq!(files, ["OpenCL.dll"]);
    } else {
        assert_eq!(files, ["libOpenCL.so.1", "libOpenCL.so"]);
    }
    assert!(error.to_string().contains("CLCU_OPENCL_LIBRARY"), "{error}");
}
