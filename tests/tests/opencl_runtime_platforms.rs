//! Platforms and their commands, through the system's ICD loader and without it: several drivers at once, broken ones among them.

use clcu::{
    Needs,
    opencl::{Library, Platform, Platforms},
    sys::{
        Command,
        opencl::{self, cl_device_type, cl_platform_info},
    },
};
use clcu_tests::{
    icd::{self, Driver, Icd},
    mock,
};

const NAME: u32 = cl_platform_info::CL_PLATFORM_NAME.0;
const VERSION: u32 = cl_platform_info::CL_PLATFORM_VERSION.0;
const EXTENSIONS: u32 = cl_platform_info::CL_PLATFORM_EXTENSIONS.0;
const DEVICE_EXTENSIONS: u32 = opencl::cl_device_info::CL_DEVICE_EXTENSIONS.0;

fn platforms() -> Platforms {
    let library = Library::open().expect("the ICD loader is installed");
    library.platforms().expect("the loader lists its platforms")
}

fn names(platforms: &Platforms) -> Vec<&str> {
    platforms.usable.iter().filter_map(|platform| platform.driver().platform.as_deref()).collect()
}

fn only(icd: &Icd) -> Platform {
    icd.open().platforms().expect("the mock lists its platforms").usable.pop().expect("it has one")
}

#[test]
fn b36_many_platforms_of_several_drivers_are_listed() {
    let drivers = [Driver::Mock, Driver::Mock];
    icd::with_loader("b36_many_platforms_of_several_drivers_are_listed", &drivers, |mocks| {
        mocks[0].answer_text(0, None, NAME, "Mock one");
        mocks[1].set(c"mock_platform_count", 2);
        let platforms = platforms();
        let mut names = names(&platforms);
        names.sort_unstable();
        assert_eq!(names, ["Mock one", "Mock platform A", "Mock platform B"]);
        assert_eq!(platforms.null_entries, 0);
    });
}

#[test]
fn b36_drivers_that_do_not_load_are_passed_over() {
    let drivers = [Driver::Missing, Driver::NoLibrary, Driver::NoDriver, Driver::Mock];
    icd::with_loader("b36_drivers_that_do_not_load_are_passed_over", &drivers, |_| {
        assert_eq!(names(&platforms()), ["Mock platform A"]);
    });
}

#[test]
fn b36_a_driver_whose_list_fails_or_is_empty_or_begins_with_null_hides_no_other() {
    let test = "b36_a_driver_whose_list_fails_or_is_empty_or_begins_with_null_hides_no_other";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock, Driver::Mock, Driver::Mock], |mocks| {
        mocks[0].set(c"mock_list_fails", -6);
        mocks[1].set(c"mock_platform_count", 0);
        mocks[2].set(c"mock_null_entries", 1);
        mocks[3].answer_text(0, None, NAME, "The last");
        let platforms = platforms();
        let mut names = names(&platforms);
        names.sort_unstable();
        // This loader leaves null entries out by itself.
        assert_eq!(names, ["Mock platform A", "The last"]);
    });
}

#[test]
fn b36_a_loader_without_any_driver_has_no_platform_and_says_where_they_are_registered() {
    let test = "b36_a_loader_without_any_driver_has_no_platform_and_says_where_they_are_registered";
    icd::with_loader(test, &[Driver::NoLibrary], |_| {
        let platforms = platforms();
        assert!(platforms.usable.is_empty());
        let error = platforms.first().expect_err("there is none").to_string();
        assert!(error.contains("has no OpenCL platform") && error.contains("/etc/OpenCL/vendors"), "{error}");
    });
}

#[test]
fn b36_null_entries_of_a_library_are_counted_and_never_asked() {
    let Some(icd) = Icd::new("opencl_runtime_platforms: null entries") else { return };
    icd.set(c"mock_null_entries", 2);
    let platforms = icd.open().platforms().expect("the mock lists its platforms");
    assert_eq!((names(&platforms), platforms.null_entries), (vec!["Mock platform A"], 2));
    assert!(!icd.journal().iter().any(|call| call.contains("platform=NULL")), "{:?}", icd.journal());
}

#[test]
fn b33_a_core_command_that_a_loader_lacks_is_missed_when_it_is_asked_for_and_not_before() {
    let test = "opencl_runtime_platforms: an old loader";
    let Some(old) = mock::opencl().with("WITHOUT_clCreateBufferWithProperties").build(test) else { return };
    // SAFETY: the file is a mock library, whose functions have the types of OpenCL's.
    let library = unsafe { clcu::opencl::Options::new().path(&old.path) }.open().expect("what it lacks is not asked for");
    let platforms = library.platforms().expect("the mock lists its platforms");
    let platform = platforms.first().expect("the mock has two");
    let missing = platform.get(&opencl::clCreateBufferWithProperties).expect_err("the library lacks it");
    assert_eq!(missing.needs, Needs::OpenCl("3.0"));
    let message = missing.to_string();
    assert!(
        message.starts_with("clCreateBufferWithProperties is not available: it needs OpenCL 3.0 or newer; asked platform"),
        "{message}"
    );
    assert!(platform.get(&opencl::clGetDeviceInfo).is_ok());
}

/// The loader has the command and would call what the older driver's table does not hold.
#[test]
fn b33_a_core_command_that_is_newer_than_the_platform_is_missed_although_the_loader_has_it() {
    let test = "b33_a_core_command_that_is_newer_than_the_platform_is_missed_although_the_loader_has_it";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock], |mocks| {
        mocks[0].answer_text(0, None, NAME, "Old");
        mocks[0].answer_text(0, None, VERSION, "OpenCL 1.2 mock");
        let all = platforms();
        let find = |old: bool| all.usable.iter().find(|one| (one.driver().platform.as_deref() == Some("Old")) == old);
        let (old, new) = (find(true).expect("it is listed"), find(false).expect("it is listed"));
        assert!(old.get(&opencl::clEnqueueMarkerWithWaitList).is_ok(), "since 1.2");
        assert!(new.get(&opencl::clCreateBufferWithProperties).is_ok());
        let missing = old.get(&opencl::clCreateBufferWithProperties).expect_err("it is of 3.0");
        assert_eq!(missing.needs, Needs::OpenCl("3.0"));
        assert_eq!(missing.reason, "the platform is of OpenCL 1.2");
        let loader = Library::open().expect("the ICD loader is installed");
        assert!(loader.get(&opencl::clCreateBufferWithProperties).is_ok(), "the loader has it nevertheless");
    });
}

/// Nothing is linked against: a program starts without OpenCL, and learns the version of what there is.
#[test]
fn b34_the_version_is_what_the_platform_says_and_one_that_says_none_is_a_platform_nonetheless() {
    let Some(icd) = Icd::new("opencl_runtime_platforms: versions") else { return };
    icd.answer_text(0, None, VERSION, "OpenCL 1.2 (Sep 30 2026)");
    assert_eq!(only(&icd).driver().version.as_deref(), Some("OpenCL 1.2 (Sep 30 2026)"));
    icd.refuse(0, None, VERSION, -30);
    let platform = only(&icd);
    assert_eq!(platform.driver().version, None);
    assert!(platform.get(&opencl::clCreateBufferWithProperties).is_ok(), "who does not say may have it");
}

#[test]
fn b35_a_pointer_that_is_handed_out_for_what_a_platform_does_not_list_is_not_taken() {
    let test = "b35_a_pointer_that_is_handed_out_for_what_a_platform_does_not_list_is_not_taken";
    icd::with_loader(test, &[Driver::Mock], |mocks| {
        // Longer names, and a shorter one: none of them is the extension.
        let listed = "cl_khr_icd cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd_x x_cl_khr_external_semaphore_sync_fd";
        mocks[0].answer_text(0, None, EXTENSIONS, listed);
        mocks[0].answer_text(0, Some(0), DEVICE_EXTENSIONS, listed);
        let platforms = platforms();
        let platform = platforms.first().expect("the mock has one");
        assert!(pointer(platform, opencl::clReImportSemaphoreSyncFdKHR), "the driver hands it out");
        let missing = platform.get(&opencl::clReImportSemaphoreSyncFdKHR).expect_err("it is not listed");
        assert_eq!(missing.needs, Needs::Extension(&["cl_khr_external_semaphore_sync_fd"]));
        assert!(platform.get(&opencl::clGetSemaphoreHandleForTypeKHR).is_ok());
        let message = missing.to_string();
        for part in ["clReImportSemaphoreSyncFdKHR", "cl_khr_external_semaphore_sync_fd", "Mock platform A", "OpenCL 3.0 mock"] {
            assert!(message.contains(part), "{message:?} does not contain {part:?}");
        }
    });
}

/// Whether the loader hands out a pointer, whatever the lists say.
fn pointer<F: Copy>(platform: &Platform, command: Command<F>) -> bool {
    let ask = platform.get(&opencl::clGetExtensionFunctionAddressForPlatform).expect("the loader has it");
    // SAFETY: the platform is one, and the name is a C string.
    !unsafe { ask(platform.id(), command.info().symbol.as_ptr()) }.is_null()
}

#[test]
fn b35_a_listed_extension_without_a_function_is_an_error_that_says_so() {
    let Some(icd) = Icd::new("opencl_runtime_platforms: a listed extension without a function") else { return };
    icd.lacks("clReImportSemaphoreSyncFdKHR");
    let missing = only(&icd).get(&opencl::clReImportSemaphoreSyncFdKHR).expect_err("the mock has no such function");
    assert!(missing.reason.contains("listed, but the platform has no function of this name"), "{missing}");
}

#[test]
fn b45_every_type_of_device_is_32_bits_of_64_and_the_driver_sees_no_more() {
    let Some(icd) = Icd::new("opencl_runtime_platforms: every type of device") else { return };
    let platform = only(&icd);
    assert_eq!(cl_device_type::CL_DEVICE_TYPE_ALL, cl_device_type(0xFFFF_FFFF_u64));
    assert_ne!(cl_device_type::CL_DEVICE_TYPE_ALL, cl_device_type(u64::MAX));
    assert_eq!(!cl_device_type::empty(), cl_device_type(u64::MAX));
    let shown = format!("{:?}", cl_device_type(u64::MAX));
    assert!(shown.starts_with("CL_DEVICE_TYPE_ALL | ") && shown.contains("unknown bits 0x"), "{shown}");
    // Only where the platform does not list the extension are its devices asked.
    icd.answer_text(0, None, EXTENSIONS, "cl_khr_icd");
    let _ = only(&icd).has_extension("cl_khr_semaphore");
    drop(platform);
    let calls = icd.calls("clGetDeviceIDs");
    assert!(!calls.is_empty() && calls.iter().all(|call| call.contains("device_type=0xffffffff)")), "{calls:?}");
}
