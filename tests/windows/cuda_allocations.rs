//! Allocations that are shared by Windows handles: what an export gives is owned and closed once, and what an import is given is left alone.

use std::{
    os::windows::io::{AsHandle as _, AsRawHandle as _},
    ptr,
};

use clcu::{
    cuda::{Allocation, Error, Obstacle, Pool},
    sys::{
        cuda::{
            CUmemAllocationHandleType as HandleTypes, CUmemAllocationProp, CUmemAllocationType, CUmemLocationType, CUmemPoolProps,
            CUresult,
        },
        rules::Zeroed,
    },
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;

use crate::{
    closings, handles,
    mock::{self, Opened},
};

const NT: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_WIN32;
const KMT: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT;

fn allocate(driver: &Opened, shared_as: HandleTypes) -> Allocation {
    let security = SECURITY_ATTRIBUTES::default();
    let meta = (&raw const security).cast_mut().cast();
    let properties = Zeroed::<CUmemAllocationProp>::new()
        .with(CUmemAllocationProp::TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
        .with(CUmemAllocationProp::LOCATION_TYPE, CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)
        .with(CUmemAllocationProp::REQUESTED_HANDLE_TYPES, shared_as)
        .with(CUmemAllocationProp::WIN32_HANDLE_META_DATA, meta);
    // SAFETY: the attributes live as long as the call; the mock looks at the pointer alone.
    let allocation =
        unsafe { Allocation::with_properties(&driver.context.device(), 4096, &properties) }.expect("the mock allocates");
    let mut expected = vec![0_u8; 32];
    for (at, value) in [(0, 1_u32), (4, shared_as.0), (8, 1)] {
        expected[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    }
    expected[16..24].copy_from_slice(&(&raw const security).addr().to_ne_bytes());
    assert_eq!(driver.mock.descriptor(32), expected);
    allocation
}

#[test]
fn an_exported_handle_is_the_callers_and_closed_once() {
    let Some(driver) = mock::cuda().open("cuda_allocations: export") else { return };
    let (number, closed) = closings::during(|| {
        let allocation = allocate(&driver, NT);
        let handle = allocation.export_handle().expect("the mock exports");
        let number = handle.as_raw_handle();
        assert_eq!(handles::references(handle.as_handle()), 1);
        allocation.release().expect("the mock releases");
        assert!(handles::is_open(number), "it does not go with the allocation");
        drop(handle);
        number
    });
    assert_eq!(closed, [number]);
    assert_eq!(driver.mock.log()[1..], ["cuMemCreate", "cuMemRelease"]);
}

#[test]
fn an_imported_handle_is_left_alone() {
    let Some(driver) = mock::cuda().open("cuda_allocations: import") else { return };
    let object = handles::object();
    let device = driver.context.device();
    let ((), closed) = closings::during(|| {
        // SAFETY: it is open, and this mock leaves it open.
        let imported = unsafe { Allocation::import_handle(&device, object.as_raw_handle()) }.expect("the mock imports");
        assert_eq!(handles::references(object.as_handle()), 2);
        imported.release().expect("the mock releases");
    });
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1);
    let nothing = ptr::without_provenance_mut(0x7fff_fff0);
    // SAFETY: no handle has this number, so that nothing is imported.
    let error = unsafe { Allocation::import_handle(&device, nothing) }.expect_err("the mock refuses");
    assert!(error.to_string().starts_with("cuMemImportFromShareableHandle (CU_MEM_HANDLE_TYPE_WIN32): "), "{error}");
}

#[test]
fn a_global_number_goes_out_and_in_and_nobody_closes_it() {
    let Some(driver) = mock::cuda().open("cuda_allocations: global numbers") else { return };
    let ((), closed) = closings::during(|| {
        let allocation = allocate(&driver, NT | KMT);
        let number = allocation.export_kmt().expect("the mock exports");
        assert_eq!(number, 0x4000_0042);
        // SAFETY: it came from this driver.
        drop(unsafe { Allocation::import_kmt(&driver.context.device(), number) }.expect("the mock imports"));
    });
    assert_eq!(closed, []);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

#[test]
fn a_pool_is_shared_by_a_handle_that_each_side_closes_for_itself() {
    let Some(driver) = mock::cuda().open("cuda_allocations: pools") else { return };
    let (device, current) = (driver.context.device(), driver.context.enter().expect("the mock has contexts"));
    let error = Pool::new(&device, NT).expect_err("it has no attributes");
    assert!(error.to_string().contains("cuda/CUmemPoolProps/win32SecurityAttributes-non-null"), "{error}");
    let security = SECURITY_ATTRIBUTES::default();
    let properties = Zeroed::<CUmemPoolProps>::new()
        .with(CUmemPoolProps::ALLOC_TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
        .with(CUmemPoolProps::LOCATION_TYPE, CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE)
        .with(CUmemPoolProps::HANDLE_TYPES, NT)
        .with(CUmemPoolProps::WIN32_SECURITY_ATTRIBUTES, (&raw const security).cast_mut().cast());
    let (number, closed) = closings::during(|| {
        // SAFETY: the attributes live as long as the call; the mock does not follow them.
        let pool = unsafe { Pool::with_properties(&device, &properties) }.expect("the mock makes pools");
        let handle = pool.export_handle().expect("the mock exports");
        let memory = pool.allocate(&current.default_stream(), 64).expect("the mock allocates");
        let data = memory.export_pointer().expect("the mock exports");
        // SAFETY: it is open, and this mock leaves it open.
        let imported = unsafe { Pool::import_handle(&device, handle.as_raw_handle()) }.expect("the mock imports");
        assert_eq!(handles::references(handle.as_handle()), 2, "the driver has its own");
        // SAFETY: the bytes came from the mock, and `memory` lives.
        drop(unsafe { imported.import_pointer(&current, &data) }.expect("the mock imports"));
        drop(imported);
        assert_eq!(handles::references(handle.as_handle()), 1);
        handle.as_raw_handle()
    });
    assert_eq!(closed, [number]);
    let left = (driver.mock.number(c"mock_kept"), driver.mock.number(c"mock_alive"), driver.mock.number(c"mock_unclean"));
    assert_eq!(left, (0, 0, 0));
}

#[test]
fn windows_handles_need_security_attributes_and_other_types_may_not_have_them() {
    let Some(driver) = mock::cuda().open("cuda_allocations: security attributes") else { return };
    let device = driver.context.device();
    let error = Allocation::new(&device, 4096, NT).expect_err("it has no attributes");
    assert!(error.to_string().contains("cuda/CUmemAllocationProp/win32HandleMetaData-non-null"), "{error}");
    drop(Allocation::new(&device, 4096, KMT).expect("a global number has none"));
    assert_eq!(driver.mock.calls("cuMemCreate"), 1);
}

#[test]
fn a_type_that_was_not_asked_for_is_not_exported_and_descriptors_do_not_exist() {
    let Some(driver) = mock::cuda().open("cuda_allocations: other types") else { return };
    let device = driver.context.device();
    let error = Allocation::new(&device, 4096, HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR).expect_err("not on Windows");
    assert!(matches!(error, Error::Unsupported(unsupported) if unsupported.why == Obstacle::System));
    let allocation = Allocation::new(&device, 4096, KMT).expect("the mock allocates");
    let error = allocation.export_handle().expect_err("it was made for global numbers");
    assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "the driver knows what it was made for");
    // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED.
    driver.mock.set(c"mock_without", 104);
    let error = allocation.export_handle().expect_err("the device lacks it");
    assert!(matches!(error, Error::Unsupported(unsupported) if matches!(unsupported.why, Obstacle::Attribute(_))));
    assert_eq!(driver.mock.calls("cuMemCreate"), 1);
}
