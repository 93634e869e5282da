//! What devices of the mock driver say of themselves: who they are, and what they support.

use clcu::{
    cuda::{Allocation, Device, Identity, Luid, Pool, Support, kind},
    sys::cuda::{CUmemAllocationHandleType as HandleTypes, CUmemFabricHandle, CUresult},
};
use clcu_tests::mock::{self, Opened};

const FABRIC: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;
const BYTES: CUmemFabricHandle = CUmemFabricHandle { data: [0xfa; 64] };

fn made(driver: &Opened) -> Vec<String> {
    driver.mock.log().into_iter().filter(|command| command.starts_with("cuMem")).collect()
}

/// An older driver does not know the attribute, and says so by CUDA_ERROR_INVALID_VALUE (as driver 580.159 does for the attribute 999).
#[test]
fn only_a_driver_that_does_not_know_the_attribute_has_nothing_to_ask() {
    let Some(driver) = mock::cuda().open("cuda_runtime_support: no answer") else { return };
    let device = driver.context.device();
    let row = kind::of_allocation(FABRIC).expect("it has a row");
    driver.mock.set(c"mock_fail_cuDeviceGetAttribute", 1);
    assert_eq!(device.supports(row), Support::NothingToAsk);
    Allocation::new(&device, 4096, FABRIC).expect("trying is the only way");
    Pool::new(&device, FABRIC).expect("trying is the only way");

    let before = made(&driver);
    driver.mock.set(c"mock_fail_cuDeviceGetAttribute", 999);
    let said = device.supports(row).to_string();
    assert_eq!(said, "unknown (cuDeviceGetAttribute: CUDA_ERROR_UNKNOWN (999))");
    let errors = [
        Allocation::new(&device, 4096, FABRIC).err(),
        Allocation::import_fabric(&device, &BYTES).err(),
        Pool::import_fabric(&device, &BYTES).err(),
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

/// On Linux no device has one (driver 580.159 answers CUDA_ERROR_NOT_SUPPORTED).
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
