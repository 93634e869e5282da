//! Where allocations are mapped, pools, and ranges of addresses, on the mock driver: what goes before what, and what is exported.

use std::os::fd::{AsRawFd as _, OwnedFd};

use clcu::{
    cuda::{Access, Allocation, Device, Error, Obstacle, Pool, Reservation, checked, range},
    sys::cuda::{
        CUdeviceptr, CUlogicalEndpointFabricHandle, CUlogicalEndpointId, CUlogicalEndpointIpcHandleType,
        CUmemAllocationHandleType as HandleTypes, CUmemAllocationProp, CUmemFabricHandle, CUmemPoolProps, CUmemPoolPtrExportData,
        CUmemRangeFlags, CUmulticastGranularity_flags, CUmulticastObjectProp, CUresult,
    },
    sys::rules::Zeroed,
};
use clcu_tests::mock::{self, Opened};

const FD: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;
const SIZE: usize = 1 << 21;

fn is_closed_on_exec(fd: &OwnedFd) -> bool {
    // SAFETY: asking about a number does nothing to it.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) == libc::FD_CLOEXEC }
}

/// What was called since the context was made.
fn log(driver: &Opened) -> Vec<String> {
    driver.mock.log()[1..].to_vec()
}

#[test]
fn an_allocation_is_reserved_mapped_made_accessible_unmapped_and_freed_in_that_order() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: a life") else { return };
    let device = driver.context.device();
    assert_eq!(Allocation::granularity(&device, FD).expect("the mock says it"), 4096);
    let mapped = {
        let allocation = Allocation::new(&device, SIZE, FD).expect("the mock allocates");
        allocation.map(SIZE, &[(&device, Access::ReadWrite)]).expect("the mock maps it")
    };
    assert!(!mapped.address().is_null());
    assert_eq!((mapped.size(), driver.mock.number(c"mock_access")), (SIZE, 3));
    drop(mapped);
    let expected =
        ["cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemRelease", "cuMemUnmap", "cuMemAddressFree"];
    assert_eq!(log(&driver), expected);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

#[test]
fn parts_of_reserved_addresses_are_mapped_and_each_is_unmapped_before_them() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: parts") else { return };
    let (first, second) = (driver.context.device(), Device::new(&driver.library, 1).expect("the mock has two"));
    let allocation = Allocation::new(&first, SIZE, FD).expect("the mock allocates");
    let addresses = Reservation::new(&driver.library, 2 * SIZE).expect("the mock reserves");
    let one = addresses.map(0, SIZE, &allocation, &[(&first, Access::ReadWrite)]).expect("the mock maps it");
    let access = [(&first, Access::ReadWrite), (&second, Access::Read)];
    let two = addresses.map(SIZE, SIZE, &allocation, &access).expect("the mock maps it");
    assert_eq!((one.address().0, two.address().0), (addresses.address().0, addresses.address().0 + SIZE));
    assert_eq!((driver.mock.number(c"mock_access"), driver.mock.number(c"mock_access_device")), (1, 1));
    for (at, size) in [(2 * SIZE, 1), (0, 2 * SIZE + 1), (usize::MAX, 2), (0, 0)] {
        let error = addresses.map(at, size, &allocation, &[]).expect_err("it does not fit");
        assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    }
    one.unmap().expect("the mock unmaps it");
    drop(two);
    addresses.free().expect("nothing is mapped there any more");
    drop(allocation);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

#[test]
fn a_mapping_that_fails_on_the_way_leaves_nothing_behind() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: on the way") else { return };
    let device = driver.context.device();
    let allocation = Allocation::new(&device, SIZE, FD).expect("the mock allocates");
    driver.mock.set(c"mock_garbage", 1);
    for variable in [c"mock_fail_cuMemAddressReserve", c"mock_fail_cuMemMap", c"mock_fail_cuMemSetAccess"] {
        driver.mock.set(variable, 2);
        let error = allocation.map(SIZE, &[(&device, Access::Read)]).expect_err("the mock refuses");
        assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY), "{variable:?}");
        assert_eq!(driver.mock.number(c"mock_alive"), 1, "{variable:?}: only the allocation is left");
        driver.mock.set(variable, 0);
    }
    driver.mock.set(c"mock_fail_cuMemAddressReserve", -1);
    assert!(matches!(allocation.map(SIZE, &[]), Err(Error::Nothing { .. })));
    let Some(driver) = mock::cuda().with("WITHOUT_cuMemUnmap").open("cuda_runtime_mapping: no way back") else { return };
    let allocation = Allocation::new(&driver.context.device(), SIZE, FD).expect("the mock allocates");
    let error = allocation.map(SIZE, &[]).expect_err("it could not be unmapped");
    assert!(error.to_string().starts_with("the driver lacks cuMemUnmap; nothing was called"), "{error}");
    assert_eq!(driver.mock.calls("cuMemMap"), 0);
}

#[test]
fn drops_do_not_panic_when_the_driver_is_gone_and_nothing_is_ended_twice() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: deinitialised") else { return };
    let device = driver.context.device();
    let current = driver.context.enter().expect("the mock has contexts");
    let allocation = Allocation::new(&device, SIZE, FD).expect("the mock allocates");
    let (dropped, unmapped) = (allocation.map(SIZE, &[]).expect("it maps"), allocation.map(SIZE, &[]).expect("it maps"));
    let pool = Pool::new(&device, FD).expect("the mock makes pools");
    let memory = pool.allocate(&current.default_stream(), 64).expect("the mock allocates");
    for variable in [c"mock_fail_cuMemUnmap", c"mock_fail_cuMemAddressFree", c"mock_fail_cuMemPoolDestroy", c"mock_fail_cuMemFree"]
    {
        driver.mock.set(variable, 4);
    }
    drop(dropped);
    assert_eq!(unmapped.unmap().expect_err("the driver is gone").result(), Some(CUresult::CUDA_ERROR_DEINITIALIZED));
    assert_eq!(memory.free().expect_err("the driver is gone").result(), Some(CUresult::CUDA_ERROR_DEINITIALIZED));
    assert_eq!(pool.destroy().expect_err("the driver is gone").result(), Some(CUresult::CUDA_ERROR_DEINITIALIZED));
    let calls = |command| driver.mock.calls(command);
    assert_eq!((calls("cuMemUnmap"), calls("cuMemAddressFree")), (2, 2));
    assert_eq!((calls("cuMemFree"), calls("cuMemPoolDestroy")), (1, 1));
}

/// A32: an exported descriptor is owned.
#[test]
fn a_dma_buf_of_mapped_memory_is_owned_and_closed_on_exec() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: dma-buf") else { return };
    let (device, current) = (driver.context.device(), driver.context.enter().expect("the mock has contexts"));
    let allocation = Allocation::new(&device, SIZE, FD).expect("the mock allocates");
    let mapped = allocation.map(SIZE, &[(&device, Access::ReadWrite)]).expect("the mock maps it");
    let none = CUmemRangeFlags(0);
    let fd = mapped.export_dma_buf(&current, none).expect("the mock exports it");
    assert!(is_closed_on_exec(&fd));
    let addresses = Reservation::new(&driver.library, SIZE).expect("the mock reserves");
    let mapping = addresses.map(0, SIZE, &allocation, &[]).expect("the mock maps it");
    let pcie = CUmemRangeFlags::CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE;
    assert!(is_closed_on_exec(&mapping.export_dma_buf(&current, pcie).expect("the mock exports it")));
    // SAFETY: nothing is mapped there, which the mock sees.
    let nowhere = unsafe { range::export_dma_buf(&current, CUdeviceptr(0x1000), 4096, none) }.expect_err("nothing lies there");
    assert_eq!(nowhere.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    let calls = driver.mock.calls("cuMemGetHandleForAddressRange");
    // SAFETY: it is not called.
    let flagged =
        unsafe { range::export_dma_buf(&current, mapped.address(), SIZE, CUmemRangeFlags(6)) }.expect_err("no such flags");
    assert!(flagged.to_string().contains("cuda/cuMemGetHandleForAddressRange/flags-only-flags"), "{flagged}");
    driver.mock.set(c"mock_without", 124);
    let unsupported = mapped.export_dma_buf(&current, none).expect_err("the device has no dma-bufs");
    let Error::Unsupported(unsupported) = unsupported else { panic!("{unsupported}") };
    assert!(matches!(unsupported.why, Obstacle::Attribute(attribute) if attribute.0 == 124), "{unsupported}");
    assert_eq!(driver.mock.calls("cuMemGetHandleForAddressRange"), calls);
}

#[test]
fn a_pool_is_exported_imported_and_its_memory_found_by_sixty_four_bytes() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: a pool") else { return };
    let (device, current) = (driver.context.device(), driver.context.enter().expect("the mock has contexts"));
    let pool = Pool::new(&device, FD | FABRIC).expect("the mock makes pools");
    let fd = pool.export_fd().expect("the mock exports it");
    assert!(is_closed_on_exec(&fd));
    let memory = pool.allocate(&current.default_stream(), 4096).expect("the mock allocates");
    let data = memory.export_pointer().expect("the mock exports it");
    // SAFETY: it is open, and this mock leaves it open.
    let imported = unsafe { Pool::import_fd(&device, fd.as_raw_fd()) }.expect("the mock imports it");
    // SAFETY: the bytes came from the mock, and `memory` lives.
    let there = unsafe { imported.import_pointer(&current, &data) }.expect("the mock imports it");
    assert!(!there.address().is_null());
    let refused = imported.allocate(&current.default_stream(), 64).expect_err("an imported pool gives no memory");
    assert_eq!(refused.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    there.free().expect("the mock frees it");
    drop(imported);
    drop(memory);
    drop(pool);
    let end = log(&driver);
    assert_eq!(end[end.len() - 4..], ["cuMemFree", "cuMemPoolDestroy", "cuMemFree", "cuMemPoolDestroy"]);
    assert_eq!((driver.mock.number(c"mock_alive"), driver.mock.number(c"mock_unclean")), (0, 0));
    // SAFETY: asking about a number does nothing to it.
    assert_ne!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, -1, "it is the caller's");
}

#[test]
fn a_pool_travels_by_fabric_and_only_as_what_it_was_made_for() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: a pool by fabric") else { return };
    let device = driver.context.device();
    let pool = Pool::new(&device, FABRIC).expect("the mock makes pools");
    let handle = pool.export_fabric().expect("the mock exports it");
    drop(Pool::import_fabric(&device, &handle).expect("the mock imports it"));
    let error = Pool::import_fabric(&device, &CUmemFabricHandle { data: [0; 64] }).expect_err("nothing made it");
    assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    let error = pool.export_fd().expect_err("it was not made for that");
    assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    // CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES.
    driver.mock.set(c"mock_pool_handle_types", 1);
    assert!(matches!(Pool::new(&device, FABRIC), Err(Error::Unsupported(_))));
    assert!(matches!(Pool::import_fabric(&device, &handle), Err(Error::Unsupported(_))));
}

#[test]
fn garbage_of_failing_calls_never_surfaces_and_is_never_ended() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: garbage") else { return };
    let (device, current) = (driver.context.device(), driver.context.enter().expect("the mock has contexts"));
    let pool = Pool::new(&device, FD).expect("the mock makes pools");
    driver.mock.set(c"mock_garbage", 1);
    for code in [1, 999, -1] {
        for variable in [
            c"mock_fail_cuMemCreate",
            c"mock_fail_cuMemImportFromShareableHandle",
            c"mock_fail_cuMemPoolCreate",
            c"mock_fail_cuMemPoolImportFromShareableHandle",
            c"mock_fail_cuMemPoolImportPointer",
            c"mock_fail_cuMemAllocFromPoolAsync",
            c"mock_fail_cuMemGetAllocationGranularity",
        ] {
            driver.mock.set(variable, code);
        }
        assert!(Allocation::new(&device, SIZE, FD).is_err() && Allocation::granularity(&device, FD).is_err());
        assert!(Allocation::import_fabric(&device, &CUmemFabricHandle { data: [0xfa; 64] }).is_err());
        assert!(Pool::new(&device, FD).is_err());
        assert!(Pool::import_fabric(&device, &CUmemFabricHandle { data: [0xfa; 64] }).is_err());
        assert!(pool.allocate(&current.default_stream(), 64).is_err());
        // SAFETY: the mock refuses.
        assert!(unsafe { pool.import_pointer(&current, &CUmemPoolPtrExportData { reserved: [0; 64] }) }.is_err());
    }
    assert_eq!(driver.mock.calls("cuMemRelease") + driver.mock.calls("cuMemPoolDestroy") + driver.mock.calls("cuMemFree"), 0);
}

/// An exported file descriptor that the driver says to have given and did not give is none.
#[test]
fn an_export_without_a_descriptor_is_an_error() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: no descriptor") else { return };
    let device = driver.context.device();
    let (pool, allocation) = (Pool::new(&device, FD).expect("it makes"), Allocation::new(&device, SIZE, FD).expect("it makes"));
    driver.mock.set(c"mock_fail_cuMemPoolExportToShareableHandle", -1);
    driver.mock.set(c"mock_fail_cuMemExportToShareableHandle", -1);
    assert!(matches!(pool.export_fd(), Err(Error::Nothing { .. })));
    assert!(matches!(allocation.export_fd(), Err(Error::Nothing { .. })));
}

#[test]
fn properties_that_break_rules_are_refused_before_the_driver_sees_them() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: rules") else { return };
    let library = &driver.library;
    let ids = |result: Result<(), Error>| {
        let Err(Error::Invalid(invalid)) = result else { panic!("{result:?}") };
        invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect::<Vec<_>>()
    };
    let properties = Zeroed::<CUmemPoolProps>::new().with(CUmemPoolProps::HANDLE_TYPES, HandleTypes::CU_MEM_HANDLE_TYPE_WIN32);
    // SAFETY: the records began as zeroes; nothing is called.
    unsafe {
        assert_eq!(
            ids(checked::mem_pool_create(library, &properties, &[]).map(|_| ())),
            ["cuda/CUmemPoolProps/allocType-equal", "cuda/CUmemPoolProps/win32SecurityAttributes-non-null"]
        );
        let properties = Zeroed::<CUmemAllocationProp>::new()
            .with(CUmemAllocationProp::REQUESTED_HANDLE_TYPES, HandleTypes::CU_MEM_HANDLE_TYPE_WIN32);
        assert_eq!(
            ids(checked::mem_create(library, SIZE, &properties, &[]).map(|_| ())),
            ["cuda/CUmemAllocationProp/win32HandleMetaData-non-null"]
        );
        let properties = Zeroed::<CUmulticastObjectProp>::new().with(CUmulticastObjectProp::FLAGS, 1);
        assert_eq!(
            ids(checked::multicast_create(library, &properties, &[]).map(|_| ())),
            ["cuda/CUmulticastObjectProp/flags-zero"]
        );
        let option = CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_MINIMUM;
        assert_eq!(
            ids(checked::multicast_get_granularity(library, &properties, option, &[]).map(|_| ())),
            ["cuda/CUmulticastObjectProp/flags-zero"]
        );
        let unknown = checked::mem_import_from_shareable_handle(library, std::ptr::null_mut(), HandleTypes(64), &[]);
        assert!(matches!(unknown, Err(Error::UnknownHandleType { value: 64 })));
    }
    assert_eq!(log(&driver), [""; 0]);
}

#[test]
fn multicast_objects_and_endpoints_are_called_through_checks_as_well() {
    let Some(driver) = mock::cuda().open("cuda_runtime_mapping: multicast and endpoints") else { return };
    let library = &driver.library;
    let properties = Zeroed::<CUmulticastObjectProp>::new()
        .with(CUmulticastObjectProp::NUM_DEVICES, 2)
        .with(CUmulticastObjectProp::SIZE, SIZE)
        .with(CUmulticastObjectProp::HANDLE_TYPES, FD.0.into());
    let fabric = CUlogicalEndpointIpcHandleType::CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC;
    let mut handle = CUlogicalEndpointFabricHandle { data: [0; 64] };
    let out = std::ptr::NonNull::from(&mut handle).cast();
    // SAFETY: the records began as zeroes, and 64 bytes are there for the handle.
    unsafe {
        let option = CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_MINIMUM;
        assert_eq!(checked::multicast_get_granularity(library, &properties, option, &[]).expect("the mock says it"), 4096);
        checked::multicast_create(library, &properties, &[]).expect("the mock makes it");
        checked::logical_endpoint_export(library, out, CUlogicalEndpointId(5), fabric).expect("the mock exports it");
        checked::logical_endpoint_import(library, CUlogicalEndpointId(6), out, fabric).expect("the mock imports it");
        let unknown = checked::logical_endpoint_export(library, out, CUlogicalEndpointId(5), CUlogicalEndpointIpcHandleType(9));
        assert!(matches!(unknown, Err(Error::UnknownHandleType { value: 9 })));
    }
    assert_eq!(handle.data, [0x1e; 64]);
}
