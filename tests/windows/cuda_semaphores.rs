//! External semaphores of every kind of Windows handle: what is sent, what they carry, what is refused before it is sent, and who closes what.

use std::{
    ffi::c_void,
    os::windows::io::{AsHandle as _, AsRawHandle as _, BorrowedHandle},
    ptr,
    time::Duration,
};

use clcu::{
    cuda::{
        Error, ExternalSemaphore, Obstacle, Stream, checked,
        semaphore::{Binary, Fence, KeyedMutex, Kind, Source, Timeout},
    },
    sys::{
        cuda::{CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor, CUexternalSemaphoreHandleType as Type, CUresult},
        rules::{HandleKind, Owner, Utf16Name, Zeroed},
    },
};

use crate::{
    closings, cuda_handles, handles,
    mock::{self, Opened},
};

/// What is imported: the number of its type, where its handle or name is, and both.
fn bytes(handle_type: u32, handle: *mut c_void, name: *const c_void) -> Vec<u8> {
    let mut bytes = vec![0_u8; 96];
    bytes[0..4].copy_from_slice(&handle_type.to_ne_bytes());
    bytes[8..16].copy_from_slice(&handle.addr().to_ne_bytes());
    bytes[16..24].copy_from_slice(&name.addr().to_ne_bytes());
    bytes
}

/// The parameters of a signal or wait.
fn parameters(parts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0_u8; 144];
    for (at, part) in parts {
        bytes[*at..*at + part.len()].copy_from_slice(part);
    }
    bytes
}

fn binary(driver: &Opened, semaphore: &ExternalSemaphore<Binary>, stream: &Stream<'_>) {
    semaphore.signal(stream).expect("the mock signals");
    assert_eq!(driver.mock.descriptor(144), parameters(&[]));
    semaphore.wait(stream).expect("the mock waits");
    assert_eq!(driver.mock.descriptor(144), parameters(&[]));
}

fn fence(driver: &Opened, semaphore: &ExternalSemaphore<Fence>, stream: &Stream<'_>) {
    semaphore.signal(stream, 0x0102_0304_0506_0708).expect("the mock signals");
    assert_eq!(driver.mock.descriptor(144), parameters(&[(0, &0x0102_0304_0506_0708_u64.to_ne_bytes())]));
    semaphore.wait(stream, 9).expect("the mock waits");
    assert_eq!(driver.mock.descriptor(144), parameters(&[(0, &9_u64.to_ne_bytes())]));
}

fn keyed_mutex(driver: &Opened, semaphore: &ExternalSemaphore<KeyedMutex>, stream: &Stream<'_>) {
    semaphore.signal(stream, 5).expect("the mock releases");
    assert_eq!(driver.mock.descriptor(144), parameters(&[(16, &5_u64.to_ne_bytes())]));
    semaphore.wait(stream, 6, Timeout::After(Duration::from_millis(7))).expect("the mock acquires");
    assert_eq!(driver.mock.descriptor(144), parameters(&[(16, &6_u64.to_ne_bytes()), (24, &7_u32.to_ne_bytes())]));
    semaphore.wait(stream, 6, Timeout::Infinite).expect("the mock acquires");
    assert_eq!(driver.mock.descriptor(144), parameters(&[(16, &6_u64.to_ne_bytes()), (24, &u32::MAX.to_ne_bytes())]));
}

/// What a semaphore of the kind is used for.
type Use<K> = fn(&Opened, &ExternalSemaphore<K>, &Stream<'_>);

/// Imports, uses and destroys. Gives the kind's name.
fn live<K: Kind>(driver: &Opened, source: Source<'_, K>, sent: &[u8], kept: i32, used: Use<K>) -> &'static str {
    let current = driver.context.enter().expect("the mock has contexts");
    let semaphore = ExternalSemaphore::import(&current, source).expect("the mock imports it");
    let short = semaphore.handle_type().short;
    assert_eq!(driver.mock.descriptor(96), sent, "{short}");
    assert_eq!(driver.mock.number(c"mock_kept"), kept, "{short}");
    used(driver, &semaphore, &current.default_stream());
    semaphore.destroy().expect("the mock destroys it");
    assert_eq!(driver.mock.number(c"mock_kept"), 0, "{short}");
    short
}

#[test]
fn a05_a_borrowed_handle_of_every_kind_stays_open_and_is_the_callers_to_close() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: borrowed handles") else { return };
    let object = handles::object();
    let other = object.try_clone().expect("there are numbers left");
    let (handle, sent) = (object.as_handle(), |number| bytes(number, object.as_raw_handle(), ptr::null()));
    let (seen, closed) = closings::during(|| {
        [
            live(&driver, Source::opaque_win32(handle), &sent(2), 1, binary),
            live(&driver, Source::d3d12_fence(handle), &sent(4), 1, fence),
            live(&driver, Source::d3d11_fence(handle), &sent(5), 1, fence),
            live(&driver, Source::d3d11_keyed_mutex(handle), &sent(7), 1, keyed_mutex),
            live(&driver, Source::timeline_semaphore_win32(handle), &sent(10), 1, fence),
        ]
    });
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Semaphore, Owner::Caller));
    assert_eq!(closed, []);
    assert!(handles::is_open(object.as_raw_handle()));
    assert_eq!(handles::references(other.as_handle()), 2);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

#[test]
fn the_handle_may_be_closed_as_soon_as_the_import_returned_and_is_closed_once() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: closed early") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let object = handles::object();
    let other = object.try_clone().expect("there are numbers left");
    let number = object.as_raw_handle();
    let ((), closed) = closings::during(|| {
        let semaphore = ExternalSemaphore::import(&current, Source::d3d12_fence(object.as_handle())).expect("the mock imports it");
        assert_eq!(handles::references(other.as_handle()), 3, "the driver has its own");
        drop(object);
        assert_eq!(handles::references(other.as_handle()), 2);
        semaphore.signal(&current.default_stream(), 1).expect("the mock signals");
        semaphore.destroy().expect("the mock destroys it");
    });
    assert_eq!(closed, [number], "by its owner");
    assert_eq!(handles::references(other.as_handle()), 1, "the driver closed its own");
}

#[test]
fn a35_a_name_of_every_kind_that_has_names_reaches_the_driver_as_utf_16() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: names") else { return };
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let sent = |number| bytes(number, ptr::null_mut(), name.as_ptr());
    let (seen, closed) = closings::during(|| {
        [
            live(&driver, Source::opaque_win32_by_name(name), &sent(2), 1, binary),
            live(&driver, Source::d3d12_fence_by_name(name), &sent(4), 1, fence),
            live(&driver, Source::d3d11_fence_by_name(name), &sent(5), 1, fence),
            live(&driver, Source::d3d11_keyed_mutex_by_name(name), &sent(7), 1, keyed_mutex),
            live(&driver, Source::timeline_semaphore_win32_by_name(name), &sent(10), 1, fence),
        ]
    });
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Semaphore, Owner::Caller));
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1, "the driver let go what it opened");
    // SAFETY: the mock's variable is an array of so many units.
    let last: [u16; 64] = unsafe { driver.mock.read(c"mock_name") };
    assert_eq!(last[..units.len()], units);
}

#[test]
fn a_global_number_is_nobodys_to_close() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: global numbers") else { return };
    let number: *mut c_void = ptr::without_provenance_mut(0x4000_0042);
    let (seen, closed) = closings::during(|| {
        [
            live(&driver, Source::opaque_win32_kmt(number), &bytes(3, number, ptr::null()), 0, binary),
            live(&driver, Source::d3d11_keyed_mutex_kmt(number), &bytes(8, number, ptr::null()), 0, keyed_mutex),
        ]
    });
    assert_eq!(closed, []);
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Semaphore, Owner::None));
}

/// Why an import is refused without asking the driver.
fn refused<K: Kind>(driver: &Opened, source: Source<'_, K>) -> Error {
    let current = driver.context.enter().expect("the mock has contexts");
    let before = driver.mock.calls("cuImportExternalSemaphore");
    let error = ExternalSemaphore::import(&current, source).expect_err("it is refused").into_error();
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), before, "{error}");
    error
}

fn why(error: &Error) -> Obstacle {
    match error {
        Error::Unsupported(unsupported) => unsupported.why,
        other => panic!("{other}"),
    }
}

#[test]
fn a_handle_is_not_taken_for_a_global_number_nor_a_number_for_a_handle() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: other carriers") else { return };
    let object = handles::object();
    let units = [71_u16, 0];
    let name = || Utf16Name::new(&units).expect("it ends with a zero");
    let number = ptr::without_provenance_mut(0x4000_0042);
    for of_handles in [2, 4, 5, 7, 10].map(Type) {
        let error = match of_handles.0 {
            2 => refused(&driver, Source::<Binary>::from_kmt(of_handles, number)),
            7 => refused(&driver, Source::<KeyedMutex>::from_kmt(of_handles, number)),
            _ => refused(&driver, Source::<Fence>::from_kmt(of_handles, number)),
        };
        assert_eq!(why(&error), Obstacle::Carrier, "{of_handles:?}");
    }
    let (opaque, mutex) = (Type(3), Type(8));
    assert_eq!(why(&refused(&driver, Source::<Binary>::from_handle(opaque, object.as_handle()))), Obstacle::Carrier);
    assert_eq!(why(&refused(&driver, Source::<KeyedMutex>::from_handle(mutex, object.as_handle()))), Obstacle::Carrier);
    for error in [
        refused(&driver, Source::<Binary>::from_name(opaque, name())),
        refused(&driver, Source::<KeyedMutex>::from_name(mutex, name())),
    ] {
        let text = error.to_string();
        assert!(text.contains("_KMT/handle-non-null") && text.contains("_KMT/name-null"), "{text}");
    }
}

#[test]
fn what_carries_something_else_is_not_imported_and_file_descriptors_do_not_exist() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: other kinds") else { return };
    let object = handles::object();
    assert_eq!(why(&refused(&driver, Source::<Fence>::from_handle(Type(2), object.as_handle()))), Obstacle::Payload);
    assert_eq!(why(&refused(&driver, Source::<Binary>::from_handle(Type(10), object.as_handle()))), Obstacle::Payload);
    assert_eq!(why(&refused(&driver, Source::<KeyedMutex>::from_handle(Type(5), object.as_handle()))), Obstacle::Payload);
    driver.mock.set(c"mock_without", 114);
    let error = refused(&driver, Source::timeline_semaphore_win32(object.as_handle()));
    assert!(matches!(why(&error), Obstacle::Attribute(attribute) if attribute.0 == 114), "{error}");
    let capabilities = driver.context.device().capabilities();
    let fds = capabilities.iter().filter(|one| one.handle_type.members.contains(&"handle.fd"));
    assert!(fds.clone().count() >= 3 && fds.clone().all(|one| one.import == clcu::cuda::Support::No(Obstacle::System)));
}

/// The ids of the rules that a raw descriptor breaks.
fn broken(driver: &Opened, descriptor: &Zeroed<'_, Descriptor>) -> Vec<&'static str> {
    let _current = driver.context.enter().expect("the mock has contexts");
    // SAFETY: the descriptor began as zeroes, and a name in it is one; it is not imported.
    let error = unsafe { checked::import_external_semaphore(&driver.library, descriptor, &[]) }.expect_err("it breaks rules");
    let Error::Invalid(invalid) = error else { panic!("{error}") };
    invalid.violations.iter().map(|(_, violation)| violation.rule.id.rsplit_once('/').expect("ids have parts").1).collect()
}

#[test]
fn a11_a_handle_and_a_name_or_neither_break_a_rule_of_every_kind() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: raw descriptors") else { return };
    let object = handles::object();
    let units = [71_u16, 0];
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let of = |handle_type| Zeroed::<Descriptor>::new().with(Descriptor::TYPE, Type(handle_type));
    let with_handle = |handle_type| of(handle_type).with(Descriptor::HANDLE_WIN32_HANDLE, object.as_raw_handle());
    let ((), closed) = closings::during(|| {
        for handle_type in [2, 4, 5, 7, 10] {
            assert_eq!(broken(&driver, &of(handle_type)), ["exactly-one"], "{handle_type}");
            let both = with_handle(handle_type).with_name(Descriptor::HANDLE_WIN32_NAME, name);
            assert_eq!(broken(&driver, &both), ["exactly-one"], "{handle_type}");
            assert_eq!(broken(&driver, &with_handle(handle_type).with(Descriptor::FLAGS, 1)), ["flags-zero"], "{handle_type}");
        }
        for handle_type in [3, 8] {
            assert_eq!(broken(&driver, &of(handle_type)), ["handle-non-null"], "{handle_type}");
            let both = with_handle(handle_type).with_name(Descriptor::HANDLE_WIN32_NAME, name);
            assert_eq!(broken(&driver, &both), ["name-null"], "{handle_type}");
        }
    });
    assert_eq!(closed, []);
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore"), 0);
}

#[test]
fn ten_thousand_failing_imports_close_nothing_and_leave_nothing_behind() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: failing imports") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    driver.mock.set(c"mock_garbage", 1);
    let ((), closed) = closings::during(|| {
        for code in [1, 2, 3, 4, 201, 304, 400, 801, 999, 12345] {
            driver.mock.set(c"mock_fail_cuImportExternalSemaphore", code);
            for round in 0..1000 {
                let error = match round % 4 {
                    0 => ExternalSemaphore::import(&current, Source::opaque_win32(object.as_handle())).map(drop),
                    1 => ExternalSemaphore::import(&current, Source::d3d12_fence_by_name(name)).map(drop),
                    2 => ExternalSemaphore::import(&current, Source::d3d11_keyed_mutex(object.as_handle())).map(drop),
                    _ => ExternalSemaphore::import(&current, Source::opaque_win32_kmt(object.as_raw_handle())).map(drop),
                };
                let error = error.expect_err("the mock refuses").into_error();
                assert_eq!(error.result(), Some(CUresult(code.cast_unsigned())));
            }
        }
    });
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1);
    assert_eq!(driver.mock.calls("cuDestroyExternalSemaphore"), 0);
    assert_eq!((driver.mock.number(c"mock_kept"), driver.mock.number(c"mock_alive")), (0, 0));
}

#[test]
fn a_handle_or_name_that_is_of_nothing_is_the_drivers_to_refuse() {
    let Some(driver) = mock::cuda().open("cuda_semaphores: of nothing") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let (object, units) = handles::named_object();
    drop(object);
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let error = ExternalSemaphore::import(&current, Source::d3d12_fence_by_name(name)).expect_err("nothing has this name");
    assert_eq!(error.error().result(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE));
    let text = error.to_string();
    assert!(text.contains("CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE") && text.contains("nvcuda.dll"), "{text}");
    // SAFETY: nothing is done with it but to import it, which fails.
    let closed = unsafe { BorrowedHandle::borrow_raw(ptr::without_provenance_mut(0x7fff_fff0)) };
    let error = ExternalSemaphore::import(&current, Source::opaque_win32(closed)).expect_err("no handle has this number");
    assert_eq!(error.error().result(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE));
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}
