//! What an error says: the call, the code's name and number, whether it is documented, what was checked, what is likely, what is next.

use std::error::Error as _;

use clcu::{
    cuda::{Allocation, CallError, Device, Error, ExternalSemaphore, checked},
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_MEMORY_HANDLE_DESC as MemoryDescriptor, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor,
            CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
            CUdevice_attribute, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUmemAllocationHandleType, CUresult, CUstream,
        },
        rules::{Given, Zeroed, find_documented},
    },
};
use clcu_tests::{
    exported,
    mock::{self, Opened},
};

fn refused(error: Error) -> CallError {
    match error {
        Error::Call(error) => error,
        other => panic!("{other}"),
    }
}

/// The error of an import that the driver answers with `code`.
fn import_with(driver: &Opened, code: i32, descriptor: &Descriptor) -> CallError {
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", code);
    let _current = driver.context.enter().expect("the mock has contexts");
    // SAFETY: the descriptor began as zeroes; the mock takes nothing where it fails.
    refused(unsafe { checked::import_external_semaphore(&driver.library, descriptor, &[]) }.expect_err("the mock refuses"))
}

/// A09: a handle of another kind than its type gets a code that no document lists. The message says so, and what it may mean.
#[test]
fn a09_a_code_that_is_not_documented_for_the_call_is_said_to_be_so() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: undocumented") else { return };
    let keyed_mutex_kmt = Descriptor::d3d11_keyed_mutex_kmt(std::ptr::dangling_mut::<u8>().cast());
    let error = import_with(&driver, 999, &keyed_mutex_kmt);
    assert_eq!(error.is_documented(), Some(false));
    let text = error.to_string();
    for part in [
        "cuImportExternalSemaphore (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT): CUDA_ERROR_UNKNOWN (999)",
        "which is not among the codes that cuda.h lists for this command",
        "NT handles (CreateSharedHandle) are of another kind",
        &driver.mock.real_path().display().to_string(),
        "(version 13.5)",
    ] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    driver.mock.set(c"mock_fail_cuImportExternalMemory", 999);
    let _current = driver.context.enter().expect("the mock has contexts");
    let resource = MemoryDescriptor::d3d11_resource_kmt(std::ptr::dangling_mut::<u8>().cast(), 4096);
    // SAFETY: the descriptor began as zeroes; the mock takes nothing where it fails.
    let memory = unsafe { checked::import_external_memory(&driver.library, &resource, &[]) }.expect_err("the mock refuses");
    for part in [
        "cuImportExternalMemory (CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT): CUDA_ERROR_UNKNOWN (999), which is not among",
        "NT handles (CreateSharedHandle) are of another kind",
    ] {
        assert!(memory.to_string().contains(part), "{memory}");
    }
    let documented = import_with(&driver, 400, &keyed_mutex_kmt);
    assert_eq!(documented.is_documented(), Some(true));
    let unnamed = import_with(&driver, 12345, &keyed_mutex_kmt);
    assert!(unnamed.to_string().contains("CUresult(12345), which is not among"), "{unnamed}");
}

/// A12: a refusal of a good descriptor says that it was checked, and points to the driver and the system.
#[test]
fn a_descriptor_that_passed_every_check_points_to_the_driver_or_system() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: checked") else { return };
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", 1);
    let current = driver.context.enter().expect("the mock has contexts");
    let error = ExternalSemaphore::import(&current, exported::binary()).expect_err("the mock refuses");
    let text = error.to_string();
    for part in [
        "CUDA_ERROR_INVALID_VALUE (1)",
        "checked before the call: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 breaks no rule",
        "this driver or system does not support the handle type",
        "ask `Device::capabilities`",
        if cfg!(unix) { "the file descriptor is still the caller's" } else { "" },
    ] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert!(error.source().is_some());
}

/// D05: a message says call, name and number.
#[test]
fn every_code_of_every_call_has_a_message_that_names_it() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: every code") else { return };
    let descriptor = Descriptor::opaque_fd(0);
    for code in [2_i32, 3, 4, 34, 100, 201, 304, 400, 700, 719, 801, 909, 999] {
        let error = import_with(&driver, code, &descriptor);
        let text = error.to_string();
        let name = CUresult(code.cast_unsigned()).name().expect("cuda.h has it");
        let begins = format!("cuImportExternalSemaphore (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD): {name} ({code})");
        assert!(text.starts_with(&begins), "{text}");
    }
    // The command reports what earlier work did.
    assert!(import_with(&driver, 719, &descriptor).advice().likely.contains("earlier work"));
    assert!(import_with(&driver, 201, &descriptor).advice().next.contains("Context::enter"));
}

/// A41: only a wait for a keyed mutex takes time.
#[test]
fn a_timeout_is_documented_for_a_wait_and_not_for_a_signal() {
    let codes = |command: &'static clcu::sys::CommandInfo| {
        find_documented(cuda::ERRORS, command).and_then(|row| row.codes).expect("cuda.h lists codes")
    };
    assert!(codes(cuda::cuWaitExternalSemaphoresAsync.info()).contains(&CUresult::CUDA_ERROR_TIMEOUT));
    assert!(!codes(cuda::cuSignalExternalSemaphoresAsync.info()).contains(&CUresult::CUDA_ERROR_TIMEOUT));
}

/// A40: the flag of a signal is none of a wait, and other types have none.
#[test]
fn flags_are_for_nvscisync_and_each_direction_has_its_own() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: flags") else { return };
    let _current = driver.context.enter().expect("the mock has contexts");
    let of = |handle_type: u32| {
        let handle = CUexternalSemaphore(driver.mock.foreign(c"mock_semaphore", handle_type, 0));
        (handle, CUexternalSemaphoreHandleType(handle_type))
    };
    let (plain, sync) = (of(1), of(6));
    let signal = |(handle, handle_type): (CUexternalSemaphore, CUexternalSemaphoreHandleType), flags| {
        let parameters = Zeroed::<SignalParameters>::new().with(SignalParameters::FLAGS, flags);
        // SAFETY: the semaphore is alive, the stream is the default one, and the parameters began as zeroes.
        unsafe { checked::signal_external_semaphores(&driver.library, &[(handle, handle_type, &*parameters)], CUstream::NULL, &[]) }
    };
    let wait = |(handle, handle_type): (CUexternalSemaphore, CUexternalSemaphoreHandleType), flags| {
        let parameters = Zeroed::<WaitParameters>::new().with(WaitParameters::FLAGS, flags);
        // SAFETY: as above.
        unsafe { checked::wait_external_semaphores(&driver.library, &[(handle, handle_type, &*parameters)], CUstream::NULL, &[]) }
    };
    assert!(matches!(signal(plain, 1), Err(Error::Invalid(_))));
    assert!(matches!(wait(plain, 2), Err(Error::Invalid(_))));
    assert!(matches!(signal(sync, 2), Err(Error::Invalid(_))));
    assert!(matches!(wait(sync, 1), Err(Error::Invalid(_))));
    assert_eq!(driver.mock.calls("cuSignalExternalSemaphoresAsync") + driver.mock.calls("cuWaitExternalSemaphoresAsync"), 0);
    signal(plain, 0).expect("the mock signals");
    signal(sync, 1).expect("the mock signals");
    wait(sync, 2).expect("the mock waits");
}

#[test]
fn a_rule_is_waived_for_one_call_by_its_id() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: waived") else { return };
    let _current = driver.context.enter().expect("the mock has contexts");
    let descriptor = Descriptor::opaque_fd(-1).with(Descriptor::FLAGS, 1);
    // SAFETY: the descriptor began as zeroes.
    let import = |waived: &[&str]| unsafe { checked::import_external_semaphore(&driver.library, &descriptor, waived) };
    let Err(Error::Invalid(invalid)) = import(&[]) else { panic!("two rules are broken") };
    let ids: Vec<_> = invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect();
    assert_eq!(ids.len(), 2, "{invalid}");
    let Err(Error::Invalid(left)) = import(&ids[..1]) else { panic!("one is left") };
    assert_eq!(left.violations.len(), 1);
    // With both waived the driver decides, and its error does not say that they held.
    let error = refused(import(&ids).expect_err("the mock looks as well"));
    assert_eq!(error.result, CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(error.checked.waived, ids);
    assert!(!error.checked.is_clean());
    let text = error.to_string();
    for id in &ids {
        assert!(text.contains(id), "{text}");
    }
    assert!(text.contains("but those that were waived") && !text.contains("passed every check"), "{text}");
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 1);
    // What is waived and holds all the same is not listed.
    let sound = Descriptor::opaque_fd(0);
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", 999);
    // SAFETY: the descriptor began as zeroes.
    let error = unsafe { checked::import_external_semaphore(&driver.library, &sound, &ids) };
    assert!(refused(error.expect_err("the mock refuses")).checked.is_clean());
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", 0);
}

/// Every record and argument that was looked at is named, and the kind of handle; of none, none.
#[test]
fn what_was_checked_before_a_refused_call_is_named_in_full() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: in full") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_fail_cuMemCreate", 800);
    let device = current.context().device();
    let fabric = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;
    let error = Allocation::new(&device, 2 << 20, fabric).expect_err("the mock refuses").to_string();
    assert!(error.starts_with("cuMemCreate (CU_MEM_HANDLE_TYPE_FABRIC): CUDA_ERROR_NOT_PERMITTED (800)"), "{error}");
    assert!(error.contains("checked before the call: CUmemAllocationProp_v1 and cuMemCreate_arguments break no rule"), "{error}");
    driver.mock.set(c"mock_fail_cuWaitExternalSemaphoresAsync", 400);
    // SAFETY: no semaphore is passed.
    let none = unsafe { checked::wait_external_semaphores(&driver.library, &[], CUstream::NULL, &[]) };
    let error = refused(none.expect_err("the mock refuses"));
    assert_eq!((error.checked.subjects.as_slice(), error.handle_type.is_none()), (&[][..], true));
    assert!(!error.to_string().contains("checked before"), "{error}");
}

/// B09, D06: what is newer than the driver is refused by a code that says nothing of it; the message has both versions.
#[test]
fn b09_a_refusal_by_an_older_driver_names_both_versions() {
    let Some(driver) = mock::cuda().with("DRIVER_VERSION=12040").open("cuda_runtime_errors: b09") else { return };
    let device = driver.context.device();
    let error = device.attribute(CUdevice_attribute(141)).expect_err("it came with a later release").to_string();
    for part in [
        "cuDeviceGetAttribute: CUDA_ERROR_INVALID_VALUE (1)",
        "versions: bindings of CUDA 13.5, driver for CUDA 12.4",
        "a value or command that is newer than the driver fails",
    ] {
        assert!(error.contains(part), "{error:?} does not contain {part:?}");
    }
    // The versions explain nothing of a code that is about something else.
    driver.mock.set(c"mock_fail_cuDeviceGetAttribute", 101);
    let other = device.attribute(CUdevice_attribute(1)).expect_err("the mock refuses").to_string();
    assert!(!other.contains("versions:"), "{other}");
}

#[test]
fn any_command_is_called_with_what_is_checked_first() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: any command") else { return };
    let arguments = cuda::cuInit_arguments { Flags: 5 };
    let error = driver
        .library
        .checked(&cuda::cuInit)
        .arguments(&arguments, &Given::default())
        // SAFETY: it is not reached.
        .call(|init| unsafe { init(5) })
        .expect_err("zero is the only flag there is");
    assert!(error.to_string().starts_with("cuInit was not called: 1 rule broken"), "{error}");
}

#[test]
fn a_driver_that_is_not_initialised_or_has_no_device_says_what_to_do() {
    let Some(driver) = mock::cuda().open("cuda_runtime_errors: no device") else { return };
    let error = Device::new(&driver.library, 9).expect_err("there are two");
    assert!(error.to_string().starts_with("cuDeviceGet: CUDA_ERROR_INVALID_DEVICE (101), one of the codes"), "{error}");
    // A raw call without a context, which the mock answers as the driver does.
    // SAFETY: the descriptor began as zeroes, and nothing is imported.
    let error =
        unsafe { checked::import_external_semaphore(&driver.library, &Descriptor::opaque_fd(0), &[]) }.expect_err("no context");
    let error = refused(error);
    assert_eq!(error.result, CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert!(error.to_string().contains("no context is current on this thread"), "{error}");
}

/// D06: the versions of header, driver, and what is needed.
#[test]
fn a_command_that_the_driver_is_too_old_for_is_named_with_three_versions() {
    let mock = mock::cuda().with("DRIVER_VERSION=12040").with("WITHOUT_cuCtxCreate_v4");
    let Some(driver) = mock.open("cuda_runtime_errors: three versions") else { return };
    let error = driver.library.demand(&[cuda::cuCtxCreate_v4.info()]).expect_err("it came with 12.5");
    let text = error.to_string();
    for version in ["a driver for CUDA 12.5 or newer", "bindings of CUDA 13.5", "(version 12.4)"] {
        assert!(text.contains(version), "{text}");
    }
}
