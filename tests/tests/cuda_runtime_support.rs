//! What devices of the mock driver say of themselves: who they are, and what they support.

use clcu::cuda::{Device, Identity, Luid};
use clcu_tests::mock;

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
