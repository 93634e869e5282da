//! External semaphores on the mock driver: what is sent, what is refused before it is sent, and who owns what afterwards.

use std::{ffi::c_void, time::Duration};

use clcu::{
    cuda::{
        Current, Error, ExternalSemaphore, Identity, Obstacle, Support, Uuid,
        semaphore::{Binary, Fence, Initially, KeyedMutex, Misuse, NvSciSync, SkipMemorySync, Timeout, Tracking},
    },
    sys::{
        cuda::{CUexternalSemaphore, CUexternalSemaphoreHandleType, CUresult, CUstream},
        rules::Payload,
    },
};
use clcu_tests::{
    exported,
    mock::{self, Opened},
};

fn timeline(current: &Current<'_>) -> ExternalSemaphore<Fence> {
    ExternalSemaphore::import(current, exported::timeline().tracking(Tracking::Shared)).expect("the mock imports it")
}

fn binary(current: &Current<'_>, tracking: Tracking) -> ExternalSemaphore<Binary> {
    ExternalSemaphore::import(current, exported::binary().tracking(tracking)).expect("the mock imports it")
}

/// A semaphore of a type that does not exist on this system.
fn foreign<K: clcu::cuda::semaphore::Kind>(driver: &Opened, handle_type: u32, tracking: Tracking) -> ExternalSemaphore<K> {
    let handle = CUexternalSemaphore(driver.mock.foreign(c"mock_semaphore", handle_type, 0));
    // SAFETY: the mock made it with this type.
    unsafe { ExternalSemaphore::from_raw(&driver.context, handle, CUexternalSemaphoreHandleType(handle_type), tracking) }
        .expect("the type is known")
}

fn misuse(result: Result<(), Error>) -> Misuse {
    match result {
        Err(Error::Misuse(misuse)) => misuse,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_semaphore_is_imported_signalled_waited_for_and_destroyed() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: a life") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let semaphore = timeline(&current);
    let stream = current.default_stream();
    semaphore.wait(&stream, 1).expect("the mock waits");
    semaphore.signal(&stream, 2).expect("the mock signals");
    stream.synchronize().expect("the mock synchronises");
    semaphore.destroy().expect("the mock destroys it");
    assert_eq!(
        driver.mock.log(),
        [
            "cuDevicePrimaryCtxRetain",
            "cuImportExternalSemaphore",
            "cuWaitExternalSemaphoresAsync",
            "cuSignalExternalSemaphoresAsync",
            "cuStreamSynchronize",
            "cuDestroyExternalSemaphore"
        ]
    );
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

/// B40: a descriptor number takes four of the sixteen bytes of its union; the others are zero.
#[cfg(unix)]
#[test]
fn every_byte_of_the_import_descriptor_is_as_the_header_lays_it_out() {
    use clcu::cuda::semaphore::Source;

    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: import bytes") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let fd = exported::fd();
    let number = std::os::fd::AsRawFd::as_raw_fd(&fd);
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(fd)).expect("the mock imports it");
    let mut expected = vec![0_u8; 96];
    expected[0..4].copy_from_slice(&9_u32.to_ne_bytes());
    expected[8..12].copy_from_slice(&number.to_ne_bytes());
    assert_eq!(driver.mock.descriptor(96), expected);
    drop(semaphore);
}

/// A40, A41: all 144 bytes, reserved ones too; a mutex has a key and a time, of which the longest is for ever.
#[test]
fn every_byte_of_the_parameters_of_a_signal_and_a_wait_is_as_the_header_lays_it_out() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: parameter bytes") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let bytes = |parts: &[(usize, &[u8])]| {
        let mut bytes = vec![0_u8; 144];
        for (at, part) in parts {
            bytes[*at..*at + part.len()].copy_from_slice(part);
        }
        bytes
    };
    let fence = timeline(&current);
    fence.signal(&stream, 0x0102_0304_0506_0708).expect("the mock signals");
    assert_eq!(driver.mock.descriptor(144), bytes(&[(0, &0x0102_0304_0506_0708_u64.to_ne_bytes())]));
    let plain = binary(&current, Tracking::Off);
    plain.wait(&stream).expect("the mock waits");
    assert_eq!(driver.mock.descriptor(144), bytes(&[]));

    let mutex: ExternalSemaphore<KeyedMutex> = foreign(&driver, 7, Tracking::Shared);
    mutex.signal(&stream, 5).expect("the mock releases");
    assert_eq!(driver.mock.descriptor(144), bytes(&[(16, &5_u64.to_ne_bytes())]));
    mutex.wait(&stream, 6, Timeout::After(Duration::from_micros(1500))).expect("the mock acquires");
    assert_eq!(driver.mock.descriptor(144), bytes(&[(16, &6_u64.to_ne_bytes()), (24, &2_u32.to_ne_bytes())]));
    mutex.wait(&stream, 6, Timeout::Infinite).expect("the mock acquires");
    assert_eq!(driver.mock.number(c"mock_timeout").cast_unsigned(), u32::MAX);

    let sync: ExternalSemaphore<NvSciSync> = foreign(&driver, 6, Tracking::Shared);
    let fence = std::ptr::dangling_mut::<u64>().cast::<c_void>();
    // SAFETY: the mock does not follow the pointer.
    stream.signal(&[unsafe { sync.signaling(fence, SkipMemorySync::Yes) }]).expect("the mock signals");
    assert_eq!(driver.mock.descriptor(144), bytes(&[(8, &fence.addr().to_ne_bytes()), (72, &1_u32.to_ne_bytes())]));
    // SAFETY: as above.
    stream.wait(&[unsafe { sync.waiting(fence, SkipMemorySync::Yes) }]).expect("the mock waits");
    assert_eq!(driver.mock.descriptor(144), bytes(&[(8, &fence.addr().to_ne_bytes()), (72, &2_u32.to_ne_bytes())]));
}

#[test]
fn several_semaphores_are_signalled_and_waited_for_by_one_call() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: several") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let (one, two, three) = (timeline(&current), binary(&current, Tracking::Shared), timeline(&current));
    stream.signal(&[one.signaling(4), two.signaling(), three.signaling(6)]).expect("the mock signals");
    assert_eq!(driver.mock.calls("cuSignalExternalSemaphoresAsync"), 1);
    // SAFETY: the variable is a `uint64_t`.
    assert_eq!(unsafe { driver.mock.read::<u64>(c"mock_value") }, 6);
    stream.wait(&[one.waiting(4), three.waiting(6)]).expect("the mock waits");
    assert_eq!(one.stats().map(|stats| (stats.signals, stats.waits)), Some((1, 1)));
    stream.signal(&[]).expect("nothing is no call");
    assert_eq!(driver.mock.calls("cuSignalExternalSemaphoresAsync"), 1);
}

/// A13: that an enumeration has a type does not mean that the device does. A15: what there may be instead is named.
#[test]
fn a_kind_that_the_device_says_it_lacks_is_unsupported_and_not_imported() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: unsupported") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_without", 114);
    let error = ExternalSemaphore::import(&current, exported::timeline()).expect_err("the device lacks it");
    let Error::Unsupported(unsupported) = error.error() else { panic!("{error}") };
    assert!(matches!(unsupported.why, Obstacle::Attribute(attribute) if attribute.0 == 114));
    assert!(error.to_string().contains("CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, attribute 114, is 0"), "{error}");
    let others = if cfg!(windows) {
        "OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_FENCE, D3D11_FENCE, NVSCISYNC, D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT"
    } else {
        "OPAQUE_FD, NVSCISYNC\n"
    };
    assert!(error.to_string().contains(&format!("of its sort there may be {others}")), "{error}");
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 0);
    #[cfg(unix)]
    assert!(error.into_fd().is_some());
    // The same device still takes binary semaphores.
    drop(binary(&current, Tracking::Off));
    driver.mock.set(c"mock_without", 0);
    drop(timeline(&current));
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 2);
}

/// A14: a device that shares binary semaphores need not share timelines.
#[test]
fn capabilities_are_keyed_by_handle_type_and_by_what_the_semaphore_carries() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: capabilities") else { return };
    driver.mock.set(c"mock_without", 114);
    let capabilities = driver.context.device().capabilities();
    let of = |short: &str, payload: Payload| {
        let found = capabilities.iter().find(|one| one.handle_type.short == short && one.handle_type.payload == payload);
        found.map(|one| one.import).expect("the table has it")
    };
    let names = [("OPAQUE_FD", "TIMELINE_SEMAPHORE_FD"), ("OPAQUE_WIN32", "TIMELINE_SEMAPHORE_WIN32")];
    let [here, elsewhere] = if cfg!(windows) { [names[1], names[0]] } else { names };
    assert_eq!(of(here.0, Payload::Binary), Support::NothingToAsk);
    assert!(matches!(of(here.1, Payload::Fence), Support::No(Obstacle::Attribute(attribute)) if attribute.0 == 114));
    assert_eq!(of(elsewhere.0, Payload::Binary), Support::No(Obstacle::System));
    assert_eq!(of(elsewhere.1, Payload::Fence), Support::No(Obstacle::System));
}

#[cfg(unix)]
#[test]
fn a_kind_that_does_not_exist_here_is_unsupported_and_a_bad_descriptor_is_invalid() {
    use clcu::{cuda::semaphore::Source, sys::rules::Utf16Name};

    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: not here") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let units: Vec<u16> = "Global\\fence\0".encode_utf16().collect();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let error = ExternalSemaphore::import(&current, Source::d3d12_fence_by_name(name)).expect_err("not on this system");
    assert!(matches!(error.error(), Error::Unsupported(unsupported) if unsupported.why == Obstacle::System), "{error}");
    let error =
        ExternalSemaphore::import(&current, Source::opaque_win32_kmt(std::ptr::null_mut())).expect_err("a handle is needed");
    let Error::Invalid(invalid) = error.error() else { panic!("{error}") };
    let rules: Vec<_> = invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect();
    assert_eq!(rules, ["cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32_KMT/handle-non-null"]);
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 0);
}

#[cfg(unix)]
#[test]
fn a_type_is_not_imported_as_a_semaphore_of_another_kind_nor_from_what_does_not_carry_it() {
    use clcu::cuda::semaphore::Source;

    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: another kind") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let of = |handle_type: u32| Source::<Binary>::from_fd(CUexternalSemaphoreHandleType(handle_type), exported::fd());
    let why = |handle_type| match ExternalSemaphore::import(&current, of(handle_type)).map_err(clcu::cuda::ImportError::into_error)
    {
        Err(Error::Unsupported(unsupported)) => unsupported.why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(9), Obstacle::Payload);
    let unknown = ExternalSemaphore::import(&current, of(99)).expect_err("no such type");
    assert!(unknown.to_string().contains("CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/type-one-of"), "{unknown}");
    assert!(unknown.into_fd().is_some());
    let nt = CUexternalSemaphoreHandleType(2);
    let kmt = Source::<Binary>::from_kmt(nt, std::ptr::dangling_mut::<u8>().cast());
    let error = ExternalSemaphore::import(&current, kmt).expect_err("an NT handle is no KMT handle");
    assert!(matches!(error.error(), Error::Unsupported(unsupported) if unsupported.why == Obstacle::Carrier), "{error}");
    // A type without a constructor of its own is imported by its row.
    let generic = Source::<Fence>::from_fd(CUexternalSemaphoreHandleType(9), exported::fd());
    let semaphore = ExternalSemaphore::import(&current, generic).expect("the mock imports it");
    assert_eq!(semaphore.handle_type().short, "TIMELINE_SEMAPHORE_FD");
}

/// A33: what could not be destroyed is not imported.
#[test]
fn a_driver_that_lacks_destroy_is_refused_up_front_and_named() {
    let mock = mock::cuda().with("WITHOUT_cuDestroyExternalSemaphore").with("WITHOUT_cuWaitExternalSemaphoresAsync");
    let Some(driver) = mock.open("cuda_runtime_semaphore: no destroy") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let error = ExternalSemaphore::import(&current, exported::binary()).expect_err("it could not be destroyed");
    assert!(
        error
            .to_string()
            .starts_with("the driver lacks cuDestroyExternalSemaphore, cuWaitExternalSemaphoresAsync; nothing was called"),
        "{error}"
    );
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 0);
    #[cfg(unix)]
    assert!(error.into_fd().is_some());
}

/// A30: what a driver wrote before it failed is nothing.
#[test]
fn what_a_failing_import_writes_never_surfaces_and_is_never_destroyed() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: garbage") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_garbage", 1);
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", 999);
    let error = ExternalSemaphore::import(&current, exported::binary()).expect_err("the mock refuses");
    assert_eq!(error.error().result(), Some(CUresult::CUDA_ERROR_UNKNOWN));
    drop(error);
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", -1);
    let error = ExternalSemaphore::import(&current, exported::binary()).expect_err("the mock gives nothing");
    assert!(matches!(error.error(), Error::Nothing { .. }), "{error}");
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 0);
}

/// B37: a driver that is gone makes no destructor panic.
#[test]
fn a_drop_never_panics_and_destroy_says_what_the_driver_answers() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: deinitialised") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let (dropped, destroyed, unreachable) = (timeline(&current), timeline(&current), timeline(&current));
    driver.mock.set(c"mock_fail_cuDestroyExternalSemaphore", 4);
    drop(dropped);
    let error = destroyed.destroy().expect_err("the driver is gone");
    assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_DEINITIALIZED));
    assert!(error.to_string().contains("the process is ending and the driver is gone"), "{error}");
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 2);
    drop(current);
    driver.mock.set(c"mock_fail_cuCtxPushCurrent", 4);
    drop(unreachable);
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 2);
    assert!(driver.context.enter().is_err());
}

/// B37: nor one that runs when its thread ends.
#[test]
fn a_thread_local_that_outlives_the_driver_does_no_harm() {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<ExternalSemaphore<Fence>>> = const { std::cell::RefCell::new(None) };
    }
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: a thread-local") else { return };
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let current = driver.context.enter().expect("the mock has contexts");
            KEPT.set(Some(timeline(&current)));
            driver.mock.set(c"mock_fail_cuDestroyExternalSemaphore", 4);
        });
        thread.join().expect("no destructor panics");
    });
}

/// A28: a timeline semaphore that goes back loses the device.
#[test]
fn a_timeline_semaphore_only_goes_up_on_one_stream() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: monotonic") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphore = timeline(&current);
    semaphore.signal(&stream, 3).expect("the first signal");
    for value in [3, 0] {
        let refused = misuse(semaphore.signal(&stream, value));
        assert!(matches!(refused, Misuse::NotMonotonic { last: 3, value: found, .. } if found == value), "{refused}");
    }
    assert_eq!(driver.mock.calls("cuSignalExternalSemaphoresAsync"), 1);
    let within = misuse(stream.signal(&[semaphore.signaling(5), semaphore.signaling(4)]));
    assert!(matches!(within, Misuse::NotMonotonic { last: 5, value: 4, .. }), "{within}");
    semaphore.signal(&stream, 4).expect("what was refused changed nothing");
}

#[test]
fn what_another_party_or_stream_can_make_right_is_no_error() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: no false alarm") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    // SAFETY: a stream is a number to the mock.
    let other = unsafe { current.stream(CUstream(0x500 as *mut c_void)) };
    let semaphore = timeline(&current);
    // The loop of every application: signal here, wait there, signal here.
    let plain = binary(&current, Tracking::Shared);
    for _ in 0..3 {
        plain.signal(&stream).expect("the other side waited unseen");
    }
    plain.wait(&stream).expect("the other side signalled unseen");
    plain.wait(&stream).expect("the other side signalled unseen");
    semaphore.wait(&stream, 9).expect("the other side signals");
    semaphore.signal(&stream, 7).expect("the first signal");
    semaphore.signal(&other, 6).expect("it may run first");
    // A signal that the driver refused did not happen.
    driver.mock.set(c"mock_fail_cuSignalExternalSemaphoresAsync", 999);
    assert!(matches!(semaphore.signal(&other, 10), Err(Error::Call(_))));
    driver.mock.set(c"mock_fail_cuSignalExternalSemaphoresAsync", 0);
    semaphore.signal(&other, 8).expect("10 was never signalled");
    // What is captured runs when the graph does.
    driver.mock.set(c"mock_capturing", 1);
    semaphore.signal(&other, 1).expect("it is captured");
    driver.mock.set(c"mock_capturing", 0);
    let stats = semaphore.stats().expect("it is followed");
    assert_eq!((stats.signals, stats.waits, stats.captured), (3, 1, 1));
}

/// A28: a fence of Direct3D may.
#[test]
fn a_fence_of_direct3d_may_go_back_and_that_is_counted() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: a fence goes back") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let fence: ExternalSemaphore<Fence> = foreign(&driver, 4, Tracking::Shared);
    for value in [3, 3, 0, 1] {
        fence.signal(&stream, value).expect("it may be set to anything");
    }
    assert_eq!(fence.stats().map(|stats| (stats.not_rising, stats.highest_signal)), Some((2, Some(3))));
}

/// A29: counters, and never an error, since the other side signals unseen.
#[test]
fn stats_tell_what_was_waited_for_and_never_signalled_here() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: stats") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphore = timeline(&current);
    semaphore.signal(&stream, 4).expect("the mock signals");
    semaphore.wait(&stream, 5).expect("no error: the other side signals unseen");
    let stats = semaphore.stats().expect("it is followed");
    assert_eq!(stats.to_string(), "own signals: 1, own waits: 1; waited for 5, highest own signal 4");
    assert_eq!(binary(&current, Tracking::Off).stats(), None);
}

#[test]
fn an_exclusive_binary_semaphore_is_checked_strictly() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: exclusive") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let exclusive = |initially| binary(&current, Tracking::Exclusive(initially));
    let semaphore = exclusive(Initially::Unsignaled);
    assert!(matches!(misuse(semaphore.wait(&stream)), Misuse::NeverSignaled { .. }));
    semaphore.signal(&stream).expect("the first signal");
    let twice = misuse(semaphore.signal(&stream));
    assert!(twice.to_string().contains("signal without an intervening wait"), "{twice}");
    semaphore.wait(&stream).expect("it was signalled");
    assert!(matches!(misuse(semaphore.wait(&stream)), Misuse::NeverSignaled { .. }));
    assert!(matches!(misuse(exclusive(Initially::Signaled).signal(&stream)), Misuse::SignaledTwice { .. }));
    exclusive(Initially::Unknown).wait(&stream).expect("it may be signalled");
    exclusive(Initially::Unknown).signal(&stream).expect("it may not be signalled");
    let semaphore = exclusive(Initially::Unsignaled);
    assert!(matches!(misuse(stream.signal(&[semaphore.signaling(), semaphore.signaling()])), Misuse::SignaledTwice { .. }));
}

/// A34: the first Vulkan device need not be the CUDA device.
#[test]
fn a_device_is_found_by_its_uuid_and_a_mismatch_names_all_of_them() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: uuid") else { return };
    let second = clcu::cuda::Device::new(&driver.library, 1).expect("the mock has two");
    let uuid = second.uuid().expect("the mock says it");
    let found = clcu::cuda::Device::matching(&driver.library, Identity::Uuid(uuid)).expect("it is there");
    assert_eq!(found.as_raw(), second.as_raw());
    let error = clcu::cuda::Device::matching(&driver.library, Identity::Uuid(Uuid([0xab; 16]))).expect_err("no such device");
    let text = error.to_string();
    for uuid in [
        "UUID abababab-abab-abab-abab-abababababab",
        "UUID 00010203-0405-0607-0809-0a0b0c0d0e0f",
        "UUID f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff",
    ] {
        assert!(text.contains(uuid), "{text}");
    }
    let luid = second.luid().expect("the mock says it").expect("the mock has one");
    assert_eq!((luid.bytes, luid.node_mask), ([0x81; 8], 1));
    let any_node = Identity::Luid(clcu::cuda::Luid { node_mask: 0, ..luid });
    assert_eq!(clcu::cuda::Device::matching(&driver.library, any_node).expect("it is there").as_raw(), second.as_raw());
}

#[test]
fn a_semaphore_goes_to_another_thread_and_is_used_there() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: a thread") else { return };
    let semaphore = {
        let current = driver.context.enter().expect("the mock has contexts");
        timeline(&current)
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let current = driver.context.enter().expect("each thread enters for itself");
            semaphore.signal(&current.default_stream(), 1).expect("the mock signals");
        });
    });
    // No context is current here: the semaphore brings its own.
    semaphore.destroy().expect("the mock destroys it");
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

#[test]
fn the_primary_context_is_released_after_everything_in_it() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: release") else { return };
    let Opened { context, library, mock } = driver;
    let semaphore = timeline(&context.enter().expect("the mock has contexts"));
    drop((context, library));
    assert_eq!(mock.number(c"mock_retained"), 1, "the semaphore keeps its context");
    drop(semaphore);
    assert_eq!(mock.number(c"mock_retained"), 0);
    assert_eq!(
        mock.log().iter().map(String::as_str).collect::<Vec<_>>()[2..],
        ["cuDestroyExternalSemaphore", "cuDevicePrimaryCtxRelease"]
    );
}

#[test]
fn a_context_that_somebody_else_made_is_borrowed_and_not_released() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: borrow") else { return };
    // SAFETY: the mock's context outlives this test.
    let none = unsafe { clcu::cuda::Context::current(&driver.library) }.expect_err("none is current");
    assert!(matches!(none, Error::NoContext));
    let _current = driver.context.enter().expect("the mock has contexts");
    // SAFETY: as above.
    let borrowed = unsafe { clcu::cuda::Context::current(&driver.library) }.expect("one is current");
    assert_eq!(borrowed.as_raw(), driver.context.as_raw());
    assert_eq!(borrowed.device().name().expect("the mock has names"), "Mock 0");
    drop(borrowed);
    assert_eq!(driver.mock.calls("cuDevicePrimaryCtxRelease"), 0);
}

#[test]
fn a_raw_handle_goes_out_and_is_not_destroyed() {
    let Some(driver) = mock::cuda().open("cuda_runtime_semaphore: raw") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let semaphore = timeline(&current);
    let number = semaphore.handle_type().value.and_then(|value| u32::try_from(value).ok());
    let handle_type = CUexternalSemaphoreHandleType(number.expect("the type has one"));
    let raw = semaphore.into_raw();
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 0);
    // SAFETY: it was imported with this type, and given away.
    let wrong = unsafe { ExternalSemaphore::<Binary>::from_raw(&driver.context, raw, handle_type, Tracking::Off) };
    assert!(matches!(wrong, Err(Error::Unsupported(_))));
    // SAFETY: as above; the last attempt took nothing.
    drop(unsafe { ExternalSemaphore::<Fence>::from_raw(&driver.context, raw, handle_type, Tracking::Off) }.expect("it is a fence"));
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 1);
}
