//! What devices of the mock driver say of themselves: who they are, and what they support.

use clcu::{
    cuda::{Allocation, Device, Error, Identity, Luid, Pool, Reservation, Support, kind},
    sys::{
        cuda::{
            CUmemAllocationHandleType as HandleTypes, CUmemAllocationType, CUmemFabricHandle, CUmemLocationType, CUmemPoolProps,
            CUresult,
        },
        rules::Zeroed,
    },
};
use clcu_tests::mock::{self, Opened};

const FABRIC: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;
const BYTES: CUmemFabricHandle = CUmemFabricHandle { data: [0xfa; 64] };

/// What the message of an unsupported kind says, without the driver's file.
fn unsupported<T>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Unsupported(unsupported)) => unsupported.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is supported"),
    }
}

fn made(driver: &Opened) -> Vec<String> {
    driver.mock.log().into_iter().filter(|command| command.starts_with("cuMem")).collect()
}

/// `CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED`.
#[test]
fn a_device_without_pools_makes_and_imports_none() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: no pools") else { return };
    let device = driver.context.device();
    driver.mock.set(c"mock_without", 115);
    for shared_as in [HandleTypes::CU_MEM_HANDLE_TYPE_NONE, FABRIC] {
        let text = unsupported(Pool::new(&device, shared_as));
        let wanted = "pools of memory are not supported: the device says so (CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, attribute 115, is 0)";
        assert!(text.starts_with(wanted), "{text}");
    }
    unsupported(Pool::import_fabric(&device, &BYTES));
    assert_eq!(made(&driver), [""; 0]);
    Allocation::new(&device, 4096, FABRIC).expect("allocations are something else");
}

/// `CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES`: an H200 with driver 580.159 shares pools by 9, a file descriptor or a fabric handle.
#[test]
fn pools_are_shared_by_the_types_of_handles_that_the_device_lists_for_them() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: the handles of pools") else { return };
    let device = driver.context.device();
    // What allocations are shared by tells nothing of pools.
    driver.mock.set(c"mock_without", 128);
    let pool = Pool::new(&device, FABRIC).expect("the mask has it");
    assert_eq!(pool.export_fabric().expect("the mask has it").data, BYTES.data);
    drop(pool);

    driver.mock.set(c"mock_without", 0);
    driver.mock.set(c"mock_pool_handle_types", 1);
    let before = made(&driver);
    let text = unsupported(Pool::new(&device, FABRIC));
    let wanted = "pools of memory that are shared by CU_MEM_HANDLE_TYPE_FABRIC are not supported: the device lists the types of handles \
                  by which it shares pools (CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, attribute 119, is 0x1: \
                  POSIX_FILE_DESCRIPTOR)";
    assert!(text.starts_with(wanted), "{text}");
    unsupported(Pool::import_fabric(&device, &BYTES));
    assert_eq!(made(&driver), before);
    let rows = device.capabilities();
    let of = |is_pool| rows.iter().find(|one| one.is_pool == is_pool && one.handle_type.short == "FABRIC").expect("it has a row");
    let said = |support: Option<Support>| support.map(|support| support.to_string());
    for support in [Some(of(true).import), of(true).export] {
        assert_eq!(said(support).as_deref(), Some("no (attribute 119 is 0x1)"));
    }
    assert_eq!(said(of(false).export).as_deref(), Some("yes (attribute 128)"));
    Pool::new(&device, HandleTypes::CU_MEM_HANDLE_TYPE_NONE).expect("it is shared by nothing");
    Allocation::new(&device, 4096, FABRIC).expect("allocations are something else");

    driver.mock.set(c"mock_pool_handle_types", 0);
    let text = unsupported(Pool::new(&device, FABRIC));
    assert!(text.contains("attribute 119, is 0x0: none"), "{text}");
}

/// A pool of the host's memory is asked for by attributes of its own: `CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED` and so on.
#[test]
fn what_a_pool_lies_in_tells_which_attribute_is_asked() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: where pools lie") else { return };
    let device = driver.context.device();
    let make = |location: CUmemLocationType| {
        let properties = Zeroed::<CUmemPoolProps>::new()
            .with(CUmemPoolProps::ALLOC_TYPE, CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED)
            .with(CUmemPoolProps::LOCATION_TYPE, location);
        // SAFETY: the properties have no pointer.
        unsafe { Pool::with_properties(&device, &properties) }
    };
    for (location, attribute) in [
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, 142),
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 142),
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 144),
    ] {
        driver.mock.set(c"mock_without", attribute);
        let text = unsupported(make(location));
        assert!(text.contains(&format!("attribute {attribute}, is 0")), "{text}");
        driver.mock.set(c"mock_without", 115);
        // The mock has pools of devices only.
        let refused = make(location).expect_err("the mock refuses it");
        assert_eq!(refused.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{refused}");
    }
}

/// `CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`.
#[test]
fn a_device_without_virtual_memory_management_gives_no_allocations_and_no_addresses() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: no virtual memory management") else { return };
    let device = driver.context.device();
    driver.mock.set(c"mock_without", 102);
    let wanted = "virtual memory management is not supported: the device says so (";
    for text in [
        unsupported(Allocation::new(&device, 4096, HandleTypes::CU_MEM_HANDLE_TYPE_NONE)),
        unsupported(Allocation::new(&device, 4096, FABRIC)),
        unsupported(Allocation::import_fabric(&device, &BYTES)),
        unsupported(Reservation::new(&driver.library, 4096)),
    ] {
        assert!(text.starts_with(wanted) && text.contains("attribute 102, is 0"), "{text}");
    }
    assert_eq!(made(&driver), [""; 0]);
    let row = kind::of_allocation(FABRIC).expect("it has a row");
    assert_eq!(device.supports(row).to_string(), "no (attribute 102 is 0)");
    Pool::new(&device, FABRIC).expect("pools are something else");
}

/// An older driver does not know the attribute, and says so by `CUDA_ERROR_INVALID_VALUE` (as driver 580.159 does for the attribute 999).
#[test]
fn only_a_driver_that_does_not_know_the_attribute_has_nothing_to_ask() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: no answer") else { return };
    let device = driver.context.device();
    let row = kind::of_allocation(FABRIC).expect("it has a row");
    driver.mock.set(c"mock_fail_cuDeviceGetAttribute", 1);
    assert_eq!(device.supports(row), Support::NothingToAsk);
    Allocation::new(&device, 4096, FABRIC).expect("trying is the only way");
    Pool::new(&device, FABRIC).expect("trying is the only way");
    Reservation::new(&driver.library, 4096).expect("trying is the only way");

    let before = made(&driver);
    driver.mock.set(c"mock_fail_cuDeviceGetAttribute", 999);
    let said = device.supports(row).to_string();
    assert_eq!(said, "unknown (cuDeviceGetAttribute: CUDA_ERROR_UNKNOWN (999))");
    let errors = [
        Allocation::new(&device, 4096, FABRIC).err(),
        Allocation::import_fabric(&device, &BYTES).err(),
        Pool::new(&device, HandleTypes::CU_MEM_HANDLE_TYPE_NONE).err(),
        Pool::import_fabric(&device, &BYTES).err(),
        Reservation::new(&driver.library, 4096).err(),
    ];
    for error in errors.map(|error| error.expect("nobody knows")) {
        assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_UNKNOWN), "{error}");
        assert!(error.to_string().starts_with("cuDeviceGetAttribute: "), "{error}");
    }
    assert_eq!(made(&driver), before);
}

/// A driver that is older than CUDA 11.4 has the first form alone.
#[test]
fn a_driver_without_the_second_form_of_the_uuid_is_asked_by_the_first() {
    let test = "cuda_runtime_support: the first form of the UUID";
    let Some(driver) = mock::cuda().with("DRIVER_VERSION=11030").with("WITHOUT_cuDeviceGetUuid_v2").open(test) else { return };
    let device = Device::new(&driver.library, 1).expect("the mock has two");
    let uuid = device.uuid().expect("the first form is there");
    assert_eq!(uuid.to_string(), "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    assert_eq!(driver.mock.last_called(), "cuDeviceGetUuid");
    let found = Device::matching(&driver.library, Identity::Uuid(uuid)).expect("it is there");
    assert_eq!(found.as_raw(), device.as_raw());

    let Some(driver) = mock::cuda().open(test) else { return };
    driver.context.device().uuid().expect("the mock says it");
    assert_eq!(driver.mock.last_called(), "cuDeviceGetUuid_v2", "it tells more where it is there");
    // What the second form answers stands.
    driver.mock.set(c"mock_fail_cuDeviceGetUuid", 101);
    let error = driver.context.device().uuid().expect_err("the driver refuses");
    assert!(error.to_string().starts_with("cuDeviceGetUuid_v2: "), "{error}");

    let Some(driver) = mock::cuda().with("WITHOUT_cuDeviceGetUuid").with("WITHOUT_cuDeviceGetUuid_v2").open(test) else { return };
    let error = driver.context.device().uuid().expect_err("it has neither");
    assert!(error.to_string().starts_with("the driver lacks cuDeviceGetUuid_v2, cuDeviceGetUuid; "), "{error}");
}

/// On Linux no device has one (driver 580.159 answers `CUDA_ERROR_NOT_SUPPORTED`).
#[test]
fn a_luid_where_devices_have_none_is_answered_with_their_uuids() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: no LUID") else { return };
    let wanted = Identity::Luid(Luid { bytes: [0xab; 8], node_mask: 1 });
    let text = Device::matching(&driver.library, wanted).expect_err("no such device").to_string();
    assert!(text.starts_with("no CUDA device is LUID abababababababab (nodes 0x1); there are:"), "{text}");
    let second = "\n  device 1: UUID f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff, LUID 8181818181818181 (nodes 0x1)";
    assert!(text.contains(second) && !text.contains("Identity::Uuid"), "{text}");

    driver.mock.set(c"mock_fail_cuDeviceGetLuid", 801);
    let text = Device::matching(&driver.library, wanted).expect_err("none has one").to_string();
    assert!(text.contains("\n  device 0: UUID 00010203-0405-0607-0809-0a0b0c0d0e0f, no LUID"), "{text}");
    assert!(text.contains("\n  device 1: UUID f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff, no LUID"), "{text}");
    assert!(text.contains("match by the UUID (`Identity::Uuid`)"), "{text}");

    // What a listing cannot say does not stand in the way of what it can.
    driver.mock.set(c"mock_fail_cuDeviceGetUuid", 999);
    let text = Device::matching(&driver.library, wanted).expect_err("none has one").to_string();
    assert!(text.contains("\n  device 1: UUID unknown, no LUID"), "{text}");
}
