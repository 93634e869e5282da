//! Semaphores of OpenCL on the mock platform: how they are made, imported, exported and released, what is refused before it is sent,
//! and who owns what afterwards. Signals and waits are in `opencl_runtime_signals.rs`.

use std::{
    os::fd::{AsRawFd as _, OwnedFd},
    sync::Arc,
};

use clcu::{
    Needs,
    opencl::{
        Context, Device, Error, ImportError, Library, Obstacle, Queue, Semaphore,
        semaphore::{Binary, Create, Fence, Misuse, Source, SyncFd, Tracking},
    },
    sys::{
        opencl::{cl_device_info, cl_external_semaphore_handle_type_khr as HandleType, cl_result, cl_semaphore_type_khr},
        rules::Utf16Name,
    },
};
use clcu_tests::{
    icd::{self, Driver, Kind},
    scene::{Scene, codes, fence, ids, signal_fence},
};

const SYNC_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
const OPAQUE_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
/// `CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`.
const DEVICE_IMPORTS: u32 = 0x204D;
/// `CL_PLATFORM_EXTENSIONS` and `CL_DEVICE_EXTENSIONS`.
const EXTENSIONS: (u32, u32) = (0x0904, 0x1030);

fn import(scene: &Scene, fd: impl Into<SyncFd>) -> Semaphore<Binary> {
    Semaphore::import(&scene.context, Source::sync_fd(fd)).expect("the mock imports it")
}

/// The path of the file that a descriptor refers to: of event files, with the number of each in the kernel.
fn is_the_same_file(one: &OwnedFd, other: &OwnedFd) -> bool {
    const KCMP_FILE: i64 = 0;
    // SAFETY: it compares two numbers of this process.
    unsafe {
        let process = i64::from(libc::getpid());
        libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, i64::from(one.as_raw_fd()), i64::from(other.as_raw_fd())) == 0
    }
}

fn is_closed_on_exec(fd: &OwnedFd) -> bool {
    // SAFETY: it asks for the flags of a descriptor.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) & libc::FD_CLOEXEC != 0 }
}

#[test]
fn a_semaphore_lives_through_the_real_loader_beside_another_platform() {
    icd::with_loader("a_semaphore_lives_through_the_real_loader_beside_another_platform", &[Driver::Mock, Driver::Mock], |mocks| {
        let platforms = Library::open().expect("the loader is installed").platforms().expect("it lists its platforms").usable;
        assert_eq!(platforms.len(), 2);
        for (platform, mock) in platforms.into_iter().zip(mocks) {
            let platform = Arc::new(platform);
            let (devices, context, queue) = Scene::of(&platform);
            let semaphore = Semaphore::create(&context, Create::binary().exportable(SYNC_FD)).expect("the mock makes it");
            semaphore.signal(&queue).expect("the mock signals");
            let SyncFd::Fd(fd) = semaphore.export_sync_fd(&devices[0]).expect("the mock exports it") else { panic!("a file") };
            let other = Semaphore::import(&context, Source::sync_fd(fd)).expect("the mock imports it");
            other.wait(&queue).expect("the mock waits");
            other.reimport(SyncFd::AlreadySignaled).expect("the payload was waited for");
            queue.finish().expect("the mock finishes");
            other.release().expect("the mock releases it");
            semaphore.release().expect("the mock releases it");
            assert_eq!(mock.alive(Kind::Semaphore), 0);
            assert_eq!(mock.number(c"mock_mixed_up"), 0);
        }
    });
}

#[test]
fn a20_the_words_of_an_exportable_semaphore_arrive_with_both_terminators() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: words") else { return };
    let create = Create::binary().exportable(SYNC_FD);
    let semaphore = Semaphore::create(&scene.context, create).expect("the mock makes it");
    let calls = scene.icd.calls("clCreateSemaphoreWithPropertiesKHR");
    assert!(calls[0].contains("sema_props=[0x203d, 0x1, 0x203f, 0x2058, 0x0, 0x0]"), "{calls:?}");
    assert_eq!(semaphore.properties().expect("the mock keeps them"), [0x203D, 1, 0x203F, 0x2058, 0, 0]);
}

#[test]
fn what_a_semaphore_says_of_itself() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: info") else { return };
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    assert_eq!(semaphore.reference_count().ok(), Some(1));
    assert_eq!(semaphore.semaphore_type().ok(), Some(cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR));
    assert_eq!(semaphore.context_handle().ok(), Some(scene.context.as_raw()));
    assert_eq!(semaphore.devices().ok(), Some(vec![scene.devices[0].as_raw()]));
    assert_eq!(semaphore.is_exportable().ok(), Some(true));
    assert_eq!(semaphore.export_handle_types().ok(), Some(vec![OPAQUE_FD]));
    assert_eq!(semaphore.is_signaled().ok(), Some(false));
    semaphore.signal(&scene.queue).expect("the mock signals");
    assert_eq!((semaphore.is_signaled().ok(), semaphore.payload().ok()), (Some(true), Some(1)));
    let again = semaphore.retain().expect("the mock retains it");
    assert_eq!(again.reference_count().ok(), Some(2));
    semaphore.release().expect("the mock releases it");
    assert_eq!(again.reference_count().ok(), Some(1));
    // Both follow one state.
    assert_eq!(again.stats().map(|stats| stats.signals), Some(1));
}

#[test]
fn a37_no_export_types_is_an_empty_list_and_nothing_is_read() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: import only") else { return };
    let semaphore = import(&scene, SyncFd::AlreadySignaled);
    scene.icd.clear_journal();
    assert_eq!(semaphore.export_handle_types().expect("none is an answer"), []);
    assert_eq!(semaphore.is_exportable().ok(), Some(false));
    // The size was asked for, it was zero, and that was it.
    assert_eq!(scene.icd.calls("clGetSemaphoreInfoKHR").len(), 2);
}

#[test]
fn an_answer_of_another_size_is_an_error_and_is_not_used() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: sizes") else { return };
    let semaphore = import(&scene, SyncFd::AlreadySignaled);
    scene.icd.set(c"mock_size_error", 1);
    let error = semaphore.reference_count().expect_err("it has four bytes");
    assert!(matches!(error, Error::UnexpectedSize { wanted: 4, found: 5, .. }), "{error}");
    let error = semaphore.properties().expect_err("that is no whole number of words");
    assert!(error.to_string().contains("CL_SEMAPHORE_PROPERTIES_KHR has 8 bytes, and the platform announced"), "{error}");
    scene.icd.set(c"mock_size_error", -1);
    assert!(matches!(semaphore.payload(), Err(Error::UnexpectedSize { wanted: 8, found: 7, .. })));
    scene.icd.set(c"mock_size_error", 0);
    assert_eq!(semaphore.payload().ok(), Some(1));
}

#[test]
fn a31_a_handle_of_another_size_than_its_type_has_is_an_error() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: handle sizes") else { return };
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    scene.icd.set(c"mock_handle_size", 8);
    let error = semaphore.export_fd(&scene.devices[0], OPAQUE_FD).expect_err("a descriptor has four bytes");
    assert!(
        matches!(error, Error::UnexpectedSize { wanted: 4, found: 8, what: "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", .. }),
        "{error}"
    );
    let calls = scene.icd.calls("clGetSemaphoreHandleForTypeKHR");
    assert!(calls[0].contains("handle_size=4"), "{calls:?}");
    scene.icd.set(c"mock_handle_size", 0);
    assert!(semaphore.export_fd(&scene.devices[0], OPAQUE_FD).is_ok());
}

#[test]
fn an_exported_descriptor_is_closed_on_exec_and_shares_the_payload_where_its_type_does() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: export") else { return };
    let device = &scene.devices[0];
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    let fd = semaphore.export_fd(device, OPAQUE_FD).expect("the mock exports it");
    assert!(is_closed_on_exec(&fd));
    let number = fd.as_raw_fd();
    let other = Semaphore::import(&scene.context, Source::opaque_fd(fd)).expect("the mock imports it");
    let calls = scene.icd.calls("clCreateSemaphoreWithPropertiesKHR");
    assert!(calls[1].contains(&format!("sema_props=[0x203d, 0x1, 0x2055, {number:#x}, 0x0]")), "{calls:?}");
    semaphore.signal(&scene.queue).expect("the mock signals");
    assert_eq!(other.is_signaled().ok(), Some(true));
    other.wait(&scene.queue).expect("the mock waits");
    assert_eq!(semaphore.is_signaled().ok(), Some(false));
    // The one that was imported cannot be exported, and the platform is not asked.
    let error = other.export_fd(device, OPAQUE_FD).expect_err("it was imported");
    assert_eq!(codes(&error), ["CL_INVALID_VALUE"]);
    assert_eq!(scene.icd.calls("clGetSemaphoreHandleForTypeKHR").len(), 1);
}

#[test]
fn a_sync_file_comes_and_goes_as_minus_one_where_there_is_nothing_to_wait_for() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: minus one") else { return };
    let semaphore = import(&scene, SyncFd::AlreadySignaled);
    let calls = scene.icd.calls("clCreateSemaphoreWithPropertiesKHR");
    assert!(calls[0].contains("sema_props=[0x203d, 0x1, 0x2058, 0xffffffffffffffff, 0x0]"), "{calls:?}");
    assert_eq!(semaphore.is_signaled().ok(), Some(true));

    let source = Semaphore::create(&scene.context, Create::binary().exportable(SYNC_FD)).expect("the mock makes it");
    scene.icd.set(c"mock_exports_minus_one", 1);
    source.signal(&scene.queue).expect("the mock signals");
    let exported = source.export_sync_fd(&scene.devices[0]).expect("the mock exports it");
    assert!(matches!(exported, SyncFd::AlreadySignaled), "{exported:?}");
    semaphore.wait(&scene.queue).expect("the mock waits");
    semaphore.reimport(exported).expect("the mock imports it again");
    assert!(scene.icd.calls("clReImportSemaphoreSyncFdKHR")[0].contains("reimport_props=NULL, fd=-1"));
    let opaque = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    let file = opaque.export_fd(&scene.devices[0], OPAQUE_FD).expect("the mock exports it");
    assert!(is_closed_on_exec(&file));
    // Where −1 is no special value, it is no descriptor either; and a number that nothing has is none.
    for number in [-1, -7, 9999] {
        scene.icd.set(c"mock_exported_number", number);
        let error = opaque.export_fd(&scene.devices[0], OPAQUE_FD).expect_err("it is none");
        assert!(matches!(error, Error::Nothing { .. }), "{number}: {error}");
    }
    scene.icd.set(c"mock_exported_number", 9999);
    source.signal(&scene.queue).expect("the mock signals");
    assert!(matches!(source.export_sync_fd(&scene.devices[0]), Err(Error::Nothing { .. })));
}

#[test]
fn a_descriptor_comes_back_in_every_error_whatever_became_of_its_number() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: descriptors") else { return };
    for closes in [0, 1] {
        scene.icd.set(c"mock_closes_on_failure", closes);
        scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -64, 0, 1);
        let mine = fence(false);
        let witness = mine.try_clone().expect("it can be duplicated");
        let error = Semaphore::import(&scene.context, Source::sync_fd(mine)).expect_err("the mock refuses");
        assert!(error.to_string().ends_with("the file descriptor is still the caller's, in this error"), "{error}");
        assert_eq!(error.error().result(), Some(cl_result::CL_INVALID_PROPERTY));
        let back = error.into_fd().expect("it comes back");
        assert!(is_the_same_file(&back, &witness));
        // It still works.
        let semaphore = import(&scene, back);
        semaphore.wait(&scene.queue).expect("the mock waits");
        signal_fence(&witness);
        scene.queue.finish().expect("the mock finishes");

        scene.icd.fail("clReImportSemaphoreSyncFdKHR", -6, 0, 1);
        let mine = fence(true);
        let witness = mine.try_clone().expect("it can be duplicated");
        let error = semaphore.reimport(mine).expect_err("the mock refuses");
        assert!(is_the_same_file(&error.into_fd().expect("it comes back"), &witness));
    }
    // Before the platform is called nothing is duplicated: the very number comes back.
    let (fd, context) = (fence(false), &scene.context);
    let number = fd.as_raw_fd();
    let error = Semaphore::import(context, Source::<Fence>::from_fd(SYNC_FD, fd)).expect_err("it carries no fence");
    assert!(matches!(error.error(), Error::Unsupported(unsupported) if unsupported.why == Obstacle::Payload), "{error}");
    assert_eq!(error.into_fd().map(|fd| fd.as_raw_fd()), Some(number));
}

#[test]
fn what_reports_success_and_gives_nothing_has_the_descriptor_and_what_reports_nothing_has_not() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: nothing") else { return };
    scene.icd.set(c"mock_gives_nothing", 1);
    let error = Semaphore::import(&scene.context, Source::sync_fd(fence(true))).expect_err("it is nothing");
    assert!(matches!(error.error(), Error::Nothing { .. }), "{error}");
    assert!(error.into_fd().is_none());
    scene.icd.set(c"mock_gives_nothing", 0);
    scene.icd.set(c"mock_silent", 1);
    scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -6, 0, 1);
    let error = Semaphore::import(&scene.context, Source::sync_fd(fence(true))).expect_err("it says nothing");
    assert!(matches!(error.error(), Error::Silent { .. }), "{error}");
    assert!(error.into_fd().is_some());
    // Garbage beside a code is not used.
    scene.icd.set(c"mock_silent", 0);
    scene.icd.set(c"mock_garbage", 1);
    scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -6, 0, 1);
    let error = Semaphore::create(&scene.context, Create::binary()).expect_err("the mock refuses");
    assert_eq!(error.result(), Some(cl_result::CL_OUT_OF_HOST_MEMORY));
    scene.icd.fail("clGetSemaphoreHandleForTypeKHR", -5, 0, 1);
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    let error = semaphore.export_fd(&scene.devices[0], OPAQUE_FD).expect_err("the mock refuses");
    assert_eq!(error.result(), Some(cl_result::CL_OUT_OF_RESOURCES));
}

#[test]
fn a24_a_code_that_is_not_documented_for_a_re_import_is_said_to_be_so() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: undocumented") else { return };
    let semaphore = import(&scene, SyncFd::AlreadySignaled);
    semaphore.wait(&scene.queue).expect("the mock waits");
    scene.icd.fail("clReImportSemaphoreSyncFdKHR", -64, 0, 1);
    let error = semaphore.reimport(SyncFd::AlreadySignaled).expect_err("the mock refuses");
    let Error::Call(call) = error.error() else { panic!("{error}") };
    assert_eq!((call.result, call.is_documented()), (cl_result::CL_INVALID_PROPERTY, Some(false)));
    let text = error.to_string();
    assert!(text.starts_with("clReImportSemaphoreSyncFdKHR: CL_INVALID_PROPERTY (-64): undocumented for this command"), "{text}");
    // There is no way to pass properties.
    assert!(scene.icd.calls("clReImportSemaphoreSyncFdKHR").iter().all(|call| call.contains("reimport_props=NULL")));
}

#[test]
fn only_a_semaphore_that_came_from_a_sync_file_gets_another() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: reimport") else { return };
    let made = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let opaque = Semaphore::import(&scene.context, Source::opaque_fd(fence(false))).expect("the mock imports it");
    for semaphore in [&made, &opaque] {
        let error = semaphore.reimport(fence(true)).expect_err("it did not come from one");
        assert_eq!(codes(error.error()), ["CL_INVALID_SEMAPHORE_KHR"]);
        assert!(error.into_fd().is_some());
    }
    assert_eq!(scene.icd.calls("clReImportSemaphoreSyncFdKHR").len(), 0);
    let synced = import(&scene, SyncFd::AlreadySignaled);
    synced.wait(&scene.queue).expect("the mock waits");
    let file = fence(false);
    let number = file.as_raw_fd();
    synced.reimport(file).expect("the mock imports it again");
    assert!(scene.icd.calls("clReImportSemaphoreSyncFdKHR")[0].contains(&format!("fd={number})")));
    assert_eq!(synced.is_signaled().ok(), Some(false));
}

/// A15: a device that does not list a type is not asked for a semaphore of it; one that refuses to say is.
#[test]
fn a_semaphore_is_made_to_be_exported_as_what_its_devices_list_alone() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: exportable") else { return };
    let exportable = || Create::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    let query = cl_device_info::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0;
    scene.icd.answer(0, Some(0), query, &[HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0]);
    let error = Semaphore::create(&scene.context, exportable()).expect_err("the device does not list it");
    let text = error.to_string();
    for part in [
        "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR is not supported",
        "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR",
        "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR",
    ] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert_eq!(scene.icd.calls("clCreateSemaphoreWithPropertiesKHR"), Vec::<String>::new());
    // The answer is asked for once a context.
    let (_, other, _) = Scene::of(&scene.platform);
    scene.icd.refuse(0, Some(0), query, -30);
    Semaphore::create(&other, exportable()).expect("who refuses to say may do it");
}

#[test]
fn a_device_of_another_platform_is_not_given_to_this_one() {
    let Some(scene) = Scene::with("opencl_runtime_semaphore: two platforms", 1, |icd| icd.set(c"mock_platform_count", 2)) else {
        return;
    };
    let platforms = scene.icd.open().platforms().expect("the mock lists its platforms").usable;
    let other = Arc::new(platforms.into_iter().nth(1).expect("there are two"));
    let devices = Device::all(&other).expect("the mock lists its devices");
    scene.icd.clear_journal();
    let error = Context::new(&scene.platform, &devices).expect_err("the device is of the other platform");
    assert!(matches!(error, Error::Foreign { what: "the device", of: "platform" }), "{error}");
    assert!(matches!(Queue::new(&scene.context, &devices[0]), Err(Error::Foreign { .. })));
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
    let error = semaphore.export_fd(&devices[0], OPAQUE_FD).expect_err("the device is of the other platform");
    assert_eq!(ids(&error), ["opencl/clGetSemaphoreHandleForTypeKHR/INVALID_DEVICE/sema_object+device-device-of-context"]);
    let error = Semaphore::create(&scene.context, Create::binary().device(&devices[0])).expect_err("so it is");
    assert_eq!(codes(&error), ["CL_INVALID_DEVICE"]);
    assert_eq!(scene.icd.calls("clCreateSemaphoreWithPropertiesKHR").len(), 1);
    assert_eq!(scene.icd.number(c"mock_mixed_up"), 0);
}

#[test]
fn a_device_that_says_that_it_lacks_a_type_is_believed_and_one_that_does_not_answer_is_not_asked_further() {
    let lists = |icd: &icd::Icd| icd.answer(0, Some(0), DEVICE_IMPORTS, &[OPAQUE_FD]);
    let Some(scene) = Scene::with("opencl_runtime_semaphore: lacking", 2, lists) else { return };
    let source = || Source::sync_fd(fence(true));
    let alone = Context::new(&scene.platform, &scene.devices[..1]).expect("the mock makes contexts");
    let error = Semaphore::import(&alone, source()).expect_err("the device lacks it");
    let Error::Unsupported(unsupported) = error.error() else { panic!("{error}") };
    assert_eq!(unsupported.why, Obstacle::NotListed("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR"));
    assert!(error.into_fd().is_some());
    // With a device list it is a rule of the specification.
    let error = Semaphore::import(&scene.context, source().device(&scene.devices[0])).expect_err("the device lacks it");
    assert_eq!(codes(error.error()), ["CL_INVALID_DEVICE"]);
    assert!(Semaphore::import(&scene.context, source().device(&scene.devices[1])).is_ok());

    let refuses = |icd: &icd::Icd| icd.refuse(0, Some(0), DEVICE_IMPORTS, -30);
    let Some(scene) = Scene::with("opencl_runtime_semaphore: not answering", 1, refuses) else { return };
    assert!(Semaphore::import(&scene.context, source()).is_ok());
    assert!(Semaphore::import(&scene.context, source().device(&scene.devices[0])).is_ok());
}

#[test]
fn b35_an_extension_that_is_not_listed_is_missed_before_any_function_is_called() {
    let lists = |icd: &icd::Icd| {
        icd.set(c"mock_hands_out", 1);
        // A longer name, which has the wanted one in it, does not count.
        let text =
            "cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd_x cl_khr_external_semaphore_opaque_fd";
        icd.answer_text(0, None, EXTENSIONS.0, text);
        icd.answer_text(0, Some(0), EXTENSIONS.1, text);
    };
    let Some(scene) = Scene::with("opencl_runtime_semaphore: extensions", 1, lists) else { return };
    let error = Semaphore::import(&scene.context, Source::sync_fd(fence(true))).expect_err("it is not listed");
    let Error::Missing(missing) = error.error() else { panic!("{error}") };
    assert_eq!(missing[0].needs, Needs::Extension(&["cl_khr_external_semaphore_sync_fd"]));
    assert!(error.to_string().contains("needs the extension cl_khr_external_semaphore_sync_fd"), "{error}");
    assert!(error.into_fd().is_some());
    let error = Semaphore::create(&scene.context, Create::binary().exportable(SYNC_FD)).expect_err("it is not listed");
    assert!(matches!(error, Error::Missing(_)), "{error}");
    let opaque = Semaphore::import(&scene.context, Source::opaque_fd(fence(true))).expect("the other is listed");
    let error = opaque.reimport(fence(true)).expect_err("it is not listed");
    assert!(matches!(error.error(), Error::Missing(_)), "{error}");
    assert_eq!(scene.icd.calls("clReImportSemaphoreSyncFdKHR").len(), 0);
}

#[test]
fn a_command_that_is_needed_only_to_release_is_missed_before_anything_is_made() {
    let Some(scene) = Scene::with("opencl_runtime_semaphore: no release", 1, |icd| icd.lacks("clReleaseSemaphoreKHR")) else {
        return;
    };
    let error = Semaphore::import(&scene.context, Source::sync_fd(fence(true))).expect_err("it could not be released");
    assert!(error.to_string().starts_with("the platform lacks clReleaseSemaphoreKHR"), "{error}");
    assert!(error.into_fd().is_some());
    assert_eq!(scene.icd.calls("clCreateSemaphoreWithPropertiesKHR").len(), 0);
}

#[test]
fn d11_one_export_type_is_all_that_can_be_said_and_two_are_named_with_their_code() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: two export types") else { return };
    let place = clcu::opencl::checked::Place { context: scene.context.as_raw(), devices: &[], import_types: None };
    let words = [0x203D, 1, 0x203F, 0x2058, 0x2055, 0, 0];
    // SAFETY: the context is alive, and the list has both its ends.
    let error = unsafe { clcu::opencl::checked::create_semaphore(&scene.platform, place, Some(&words), &[]) };
    assert_eq!(codes(&error.expect_err("one type is allowed")), ["CL_INVALID_VALUE"]);
}

#[test]
fn a21_what_is_imported_and_exportable_at_once_is_refused_with_its_code() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: imported and exportable") else { return };
    let place = clcu::opencl::checked::Place { context: scene.context.as_raw(), devices: &[], import_types: None };
    let words = [0x203D, 1, 0x2058, 3, 0x203F, 0x2058, 0, 0];
    // SAFETY: the call is refused.
    let error = unsafe { clcu::opencl::checked::create_semaphore(&scene.platform, place, Some(&words), &[]) };
    assert_eq!(codes(&error.expect_err("that cannot be")), ["CL_INVALID_OPERATION"]);
    assert_eq!(scene.icd.calls("clCreateSemaphoreWithPropertiesKHR").len(), 0);
}

#[test]
fn a22_four_lists_that_look_alike_have_four_codes() {
    let Some(scene) = Scene::with("opencl_runtime_semaphore: four lists", 2, |_| {}) else { return };
    let devices: Vec<_> = scene.devices.iter().map(Device::as_raw).collect();
    let of = |devices: &[_], words: &[u64]| {
        let place = clcu::opencl::checked::Place { context: scene.context.as_raw(), devices, import_types: None };
        // SAFETY: the calls are refused.
        let error = unsafe { clcu::opencl::checked::create_semaphore(&scene.platform, place, Some(words), &[]) };
        let error = error.expect_err("a rule is broken");
        (codes(&error), error.to_string())
    };
    let found = [
        of(&[], &[0x203D, 1, 0x2055, 3, 0x2058, 4, 0]),
        of(&[], &[0x203D, 1, 0x203F, 0x2055, 0x2058, 0, 0]),
        of(&[], &[0x203F, 0x2055, 0, 0]),
        of(&devices, &[0x203D, 1, 0]),
    ];
    let wanted = [["CL_INVALID_PROPERTY"], ["CL_INVALID_VALUE"], ["CL_INVALID_VALUE"], ["CL_INVALID_PROPERTY"]];
    assert_eq!(found.each_ref().map(|(codes, _)| &codes[..]), wanted.each_ref().map(|codes| &codes[..]));
    for (index, (_, text)) in found.iter().enumerate() {
        assert!(found[..index].iter().all(|(_, other)| other != text), "{text}");
    }
}

#[test]
fn a35_a_name_is_utf_16_that_ends_with_a_zero() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: names") else { return };
    let units: Vec<u16> = "Global\\é\0".encode_utf16().collect();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    assert!(Utf16Name::new(&units[..8]).is_err(), "it does not end");
    assert!(Utf16Name::new(&[71, 0, 72, 0]).is_err(), "it ends twice");
    // On this system there are no names: it gets as far as that.
    let all = "cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_win32";
    let lists = |icd: &icd::Icd| icd.answer_text(0, None, EXTENSIONS.0, all);
    let Some(windows) = Scene::with("opencl_runtime_semaphore: names", 1, lists) else { return };
    let error = Semaphore::import(&windows.context, Source::opaque_win32_name(name)).expect_err("not on this system");
    assert!(matches!(error.error(), Error::Unsupported(unsupported) if unsupported.why == Obstacle::System), "{error}");
    // The mock reads what a raw call passes.
    let place = clcu::opencl::checked::Place { context: scene.context.as_raw(), devices: &[], import_types: None };
    let words = [0x203D, 1, 0x2068, name.as_ptr().addr() as u64, 0];
    // SAFETY: the context is alive, and the name can be followed to its zero.
    let semaphore = unsafe { clcu::opencl::checked::create_semaphore(&scene.platform, place, Some(&words), &[]) };
    let semaphore = semaphore.expect("the mock makes it");
    let call = &scene.icd.calls("clCreateSemaphoreWithPropertiesKHR")[0];
    assert!(call.contains("Global"), "{call}");
    // SAFETY: it is alive, and released once.
    unsafe { clcu::opencl::checked::release_semaphore(&scene.platform, semaphore, &[]) }.expect("the mock releases it");
}

#[test]
fn a_handle_goes_out_and_comes_back() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: raw") else { return };
    let raw = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it").into_raw();
    assert_eq!(scene.icd.alive(Kind::Semaphore), 1);
    // SAFETY: it is the reference that was given away.
    let semaphore: Semaphore<Binary> = unsafe { Semaphore::from_raw(&scene.context, raw, None, Tracking::Off) }.expect("binary");
    assert_eq!(semaphore.as_raw(), raw);
    assert!(semaphore.stats().is_none());
    semaphore.signal(&scene.queue).expect("the mock signals");
    drop(semaphore);
    assert_eq!(scene.icd.alive(Kind::Semaphore), 0);
}

#[test]
fn objects_that_other_code_made_are_retained_and_released_once() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: objects of others") else { return };
    {
        // SAFETY: the context is alive, and of this platform.
        let context = unsafe { Context::from_raw(&scene.platform, scene.context.as_raw()) }.expect("the mock retains it");
        assert_eq!(context.devices(), scene.devices);
        // SAFETY: the queue is alive, and of this platform.
        let queue = unsafe { Queue::from_raw(&context, scene.queue.as_raw()) }.expect("the mock retains it");
        assert_eq!(queue.device_id(), scene.devices[0].as_raw());
        let semaphore = Semaphore::create(&context, Create::binary()).expect("the mock makes it");
        semaphore.signal(&queue).expect("the mock signals");
        // A queue is not taken for one of another context, and is let go.
        let (_, other, theirs) = Scene::of(&scene.platform);
        // SAFETY: as above.
        let error = unsafe { Queue::from_raw(&context, theirs.as_raw()) }.expect_err("it is of another context");
        assert!(matches!(error, Error::Foreign { of: "context", .. }), "{error}");
        drop((theirs, other));
    }
    assert_eq!((scene.icd.alive(Kind::Context), scene.icd.alive(Kind::Queue), scene.icd.alive(Kind::Semaphore)), (1, 1, 0));
    // SAFETY: null is refused.
    let error = unsafe { Context::from_raw(&scene.platform, clcu::sys::opencl::cl_context::NULL) }.expect_err("it is null");
    assert!(matches!(error, Error::Null { what: "the context" }), "{error}");
    // A device of a context keeps the context, of which it may be a part.
    let devices = scene.context.devices();
    let Scene { icd, context, queue, platform, devices: all } = scene;
    drop((context, queue, platform, all));
    assert_eq!(icd.alive(Kind::Context), 1);
    assert!(devices[0].list(clcu::sys::opencl::cl_device_info(DEVICE_IMPORTS)).is_ok());
    drop(devices);
    assert_eq!(icd.alive(Kind::Context), 0);
}

#[test]
fn a_release_that_fails_is_told_once_and_never_tried_again() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: release") else { return };
    scene.icd.fail("clReleaseSemaphoreKHR", -5, 0, 0);
    let semaphore = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let error = semaphore.release().expect_err("the mock refuses");
    assert_eq!(error.result(), Some(cl_result::CL_OUT_OF_RESOURCES));
    assert_eq!(scene.icd.calls("clReleaseSemaphoreKHR").len(), 1);
    drop(Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it"));
    assert_eq!(scene.icd.calls("clReleaseSemaphoreKHR").len(), 2);
}

#[test]
fn an_import_error_is_an_error_that_shows_its_cause() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore: cause") else { return };
    scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -5, 0, 1);
    let failed: Result<Semaphore<Binary>, ImportError> = Semaphore::import(&scene.context, Source::sync_fd(fence(true)));
    let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(failed.expect_err("the mock refuses"));
    assert!(boxed.source().is_some_and(|cause| cause.to_string().starts_with("clCreateSemaphoreWithPropertiesKHR: ")));
    assert!(matches!(Misuse::NotConsumed.to_string().as_str(), text if text.contains("unspecified")));
}
