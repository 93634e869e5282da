//! External memory of every kind of Windows handle: what is sent, what is refused before it is sent, and who closes what.

use std::{
    ffi::c_void,
    os::windows::io::{AsHandle as _, AsRawHandle as _},
    ptr,
};

use clcu::{
    cuda::{Error, ExternalMemory, Obstacle, checked, memory::Source},
    sys::{
        cuda::{
            CUDA_EXTERNAL_MEMORY_DEDICATED as DEDICATED, CUDA_EXTERNAL_MEMORY_HANDLE_DESC as Descriptor,
            CUexternalMemoryHandleType as Type, CUresult,
        },
        rules::{HandleKind, Owner, Utf16Name, Zeroed},
    },
};

use crate::{
    closings, cuda_handles, handles,
    mock::{self, Opened},
};

const SIZE: u64 = 0x0102_0304_0506;

fn bytes(handle_type: u32, handle: *mut c_void, name: *const c_void, flags: u32) -> Vec<u8> {
    let mut bytes = vec![0_u8; 104];
    bytes[0..4].copy_from_slice(&handle_type.to_ne_bytes());
    bytes[8..16].copy_from_slice(&handle.addr().to_ne_bytes());
    bytes[16..24].copy_from_slice(&name.addr().to_ne_bytes());
    bytes[24..32].copy_from_slice(&SIZE.to_ne_bytes());
    bytes[32..36].copy_from_slice(&flags.to_ne_bytes());
    bytes
}

/// Imports, maps, unmaps and destroys. Gives the kind's name.
fn live(driver: &Opened, source: Source<'_>, sent: &[u8], kept: i32) -> &'static str {
    let current = driver.context.enter().expect("the mock has contexts");
    let memory = ExternalMemory::import(&current, source).expect("the mock imports it");
    let short = memory.handle_type().short;
    assert_eq!(driver.mock.descriptor(104), sent, "{short}");
    assert_eq!(driver.mock.number(c"mock_kept"), kept, "{short}");
    let buffer = memory.map_buffer(SIZE - 256, 256).expect("the mock maps it");
    assert!(!buffer.address().is_null(), "{short}");
    buffer.unmap().expect("the mock unmaps it");
    memory.destroy().expect("the mock destroys it");
    assert_eq!((driver.mock.number(c"mock_kept"), driver.mock.number(c"mock_alive")), (0, 0), "{short}");
    short
}

#[test]
fn a05_a_borrowed_handle_of_every_kind_stays_open_and_is_the_callers_to_close() {
    let Some(driver) = mock::cuda().open("cuda_memory: borrowed handles") else { return };
    let object = handles::object();
    let other = object.try_clone().expect("there are numbers left");
    let (handle, sent) = (object.as_handle(), |number, flags| bytes(number, object.as_raw_handle(), ptr::null(), flags));
    let (seen, closed) = closings::during(|| {
        live(&driver, Source::opaque_win32(handle, SIZE).dedicated(), &sent(2, DEDICATED), 1);
        [
            live(&driver, Source::opaque_win32(handle, SIZE), &sent(2, 0), 1),
            live(&driver, Source::d3d12_heap(handle, SIZE), &sent(4, 0), 1),
            live(&driver, Source::d3d12_resource(handle, SIZE), &sent(5, DEDICATED), 1),
            live(&driver, Source::d3d11_resource(handle, SIZE), &sent(6, DEDICATED), 1),
        ]
    });
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Memory, Owner::Caller));
    assert_eq!(closed, []);
    assert!(handles::is_open(object.as_raw_handle()));
    assert_eq!(handles::references(other.as_handle()), 2);
}

#[test]
fn a35_a_name_of_every_kind_that_has_names_reaches_the_driver_as_utf_16() {
    let Some(driver) = mock::cuda().open("cuda_memory: names") else { return };
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let sent = |number, flags| bytes(number, ptr::null_mut(), name.as_ptr(), flags);
    let (seen, closed) = closings::during(|| {
        [
            live(&driver, Source::opaque_win32_by_name(name, SIZE), &sent(2, 0), 1),
            live(&driver, Source::d3d12_heap_by_name(name, SIZE), &sent(4, 0), 1),
            live(&driver, Source::d3d12_resource_by_name(name, SIZE), &sent(5, DEDICATED), 1),
            live(&driver, Source::d3d11_resource_by_name(name, SIZE), &sent(6, DEDICATED), 1),
        ]
    });
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Memory, Owner::Caller));
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1, "the driver let go what it opened");
    // SAFETY: the mock's variable is an array of so many units.
    let last: [u16; 64] = unsafe { driver.mock.read(c"mock_name") };
    assert_eq!(last[..units.len()], units);
}

#[test]
fn a_global_number_is_nobodys_to_close() {
    let Some(driver) = mock::cuda().open("cuda_memory: global numbers") else { return };
    let number: *mut c_void = ptr::without_provenance_mut(0x4000_0042);
    let (seen, closed) = closings::during(|| {
        [
            live(&driver, Source::opaque_win32_kmt(number, SIZE), &bytes(3, number, ptr::null(), 0), 0),
            live(&driver, Source::d3d11_resource_kmt(number, SIZE), &bytes(7, number, ptr::null(), DEDICATED), 0),
        ]
    });
    assert_eq!(closed, []);
    assert_eq!(seen.to_vec(), cuda_handles::of_windows(HandleKind::Memory, Owner::None));
}

#[test]
fn a_handle_is_not_taken_for_a_global_number_nor_a_number_for_a_handle() {
    let Some(driver) = mock::cuda().open("cuda_memory: other carriers") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let object = handles::object();
    let refused = |source| match ExternalMemory::import(&current, source).map_err(Error::from) {
        Err(Error::Unsupported(unsupported)) => unsupported.why,
        other => panic!("{other:?}"),
    };
    let number = ptr::without_provenance_mut(0x4000_0042);
    for of_handles in [2, 4].map(Type) {
        assert_eq!(refused(Source::from_kmt(of_handles, number, SIZE)), Obstacle::Carrier, "{of_handles:?}");
    }
    for of_handles in [5, 6].map(Type) {
        assert_eq!(refused(Source::from_kmt(of_handles, number, SIZE).dedicated()), Obstacle::Carrier, "{of_handles:?}");
    }
    assert_eq!(refused(Source::from_handle(Type(3), object.as_handle(), SIZE)), Obstacle::Carrier);
    assert_eq!(refused(Source::from_handle(Type(7), object.as_handle(), SIZE).dedicated()), Obstacle::Carrier);
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 0);
}

/// The ids of the rules that a raw descriptor breaks.
fn broken(driver: &Opened, descriptor: &Zeroed<'_, Descriptor>) -> Vec<&'static str> {
    let _current = driver.context.enter().expect("the mock has contexts");
    // SAFETY: the descriptor began as zeroes, and a name in it is one; it is not imported.
    let error = unsafe { checked::import_external_memory(&driver.library, descriptor, &[]) }.expect_err("it breaks rules");
    let Error::Invalid(invalid) = error else { panic!("{error}") };
    invalid.violations.iter().map(|(_, violation)| violation.rule.id.rsplit_once('/').expect("ids have parts").1).collect()
}

#[test]
fn a10_a11_a_handle_and_a_name_or_neither_or_a_missing_flag_break_a_rule_of_every_kind() {
    let Some(driver) = mock::cuda().open("cuda_memory: raw descriptors") else { return };
    let object = handles::object();
    let units = [71_u16, 0];
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let of = |handle_type, flags| {
        let zeroed = Zeroed::<Descriptor>::new().with(Descriptor::TYPE, Type(handle_type)).with(Descriptor::SIZE, SIZE);
        zeroed.with(Descriptor::FLAGS, flags)
    };
    let with_handle = |handle_type, flags| of(handle_type, flags).with(Descriptor::HANDLE_WIN32_HANDLE, object.as_raw_handle());
    let ((), closed) = closings::during(|| {
        for (handle_type, flags) in [(2, 0), (4, 0), (5, DEDICATED), (6, DEDICATED)] {
            assert_eq!(broken(&driver, &of(handle_type, flags)), ["exactly-one"], "{handle_type}");
            let both = with_handle(handle_type, flags).with_name(Descriptor::HANDLE_WIN32_NAME, name);
            assert_eq!(broken(&driver, &both), ["exactly-one"], "{handle_type}");
        }
        for (handle_type, flags) in [(3, 0), (7, DEDICATED)] {
            assert_eq!(broken(&driver, &of(handle_type, flags)), ["handle-non-null"], "{handle_type}");
            let both = with_handle(handle_type, flags).with_name(Descriptor::HANDLE_WIN32_NAME, name);
            assert_eq!(broken(&driver, &both), ["name-null"], "{handle_type}");
        }
        for handle_type in [5, 6, 7] {
            let rules = broken(&driver, &with_handle(handle_type, 0));
            assert_eq!(rules.len(), 1, "{rules:?}");
            assert!(rules[0].starts_with("flags-"), "{rules:?}");
        }
    });
    assert_eq!(closed, []);
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 0);
}

#[test]
fn ten_thousand_imports_that_fail_or_cannot_be_mapped_close_nothing_and_leave_nothing_behind() {
    let Some(driver) = mock::cuda().open("cuda_memory: failing imports") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    driver.mock.set(c"mock_garbage", 1);
    let ((), closed) = closings::during(|| {
        for code in [1, 2, 3, 4, 201, 304, 400, 801, 999, 12345] {
            driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedBuffer", code);
            for round in 0..1000 {
                // Every other one is imported and not mapped.
                driver.mock.set(c"mock_fail_cuImportExternalMemory", if round % 2 == 0 { code } else { 0 });
                let source = match round / 2 % 3 {
                    0 => Source::opaque_win32(object.as_handle(), 64),
                    1 => Source::d3d12_resource_by_name(name, 64),
                    _ => Source::d3d11_resource_kmt(object.as_raw_handle(), 64),
                };
                let error = ExternalMemory::import_and_map(&current, source, 0, 64).expect_err("the mock refuses").into_error();
                assert_eq!(error.result(), Some(CUresult(code.cast_unsigned())));
            }
        }
    });
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1);
    assert_eq!((driver.mock.number(c"mock_kept"), driver.mock.number(c"mock_alive")), (0, 0));
}
