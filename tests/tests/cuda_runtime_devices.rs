//! The example that lists devices: what a user sends along with a report.

use std::{
    env,
    path::Path,
    process::{Command, Output},
};

use clcu::{cuda, opencl};
use clcu_tests::mock;

fn run(driver: &Path) -> Output {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--quiet", "--package", "clcu", "--example", "devices"]);
    command.env(cuda::ENVIRONMENT, driver).env(opencl::ENVIRONMENT, "/nonexistent/libOpenCL.so.1");
    command.output().expect("cargo can be started")
}

#[test]
fn the_example_prints_identities_and_a_row_for_each_kind_of_handle() {
    let mock = mock::cuda().with("DRIVER_VERSION=12040");
    let Some(driver) = mock.build("cuda_runtime_devices: a mock") else { return };
    let output = run(&driver.path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(line(&["bindings of CUDA 13.5, driver for CUDA 12.4"]), "{text}");
    assert!(line(&["UUID f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff"]), "{text}");
    assert!(line(&["Semaphore", " TIMELINE_SEMAPHORE_FD", "Fence", "yes (attribute 114)", "never"]), "{text}");
    assert!(line(&["Semaphore", " D3D12_FENCE", "no (not on this system)"]), "{text}");
    assert!(line(&["Allocation", " POSIX_FILE_DESCRIPTOR", "yes (attribute 103)"]), "{text}");
    assert!(line(&["Pool", " POSIX_FILE_DESCRIPTOR", "yes (attribute 119)"]), "{text}");
    assert!(line(&["OpenCL: no OpenCL library could be opened"]), "{text}");
    let rows = text.lines().filter(|line| line.contains(" OPAQUE_WIN32_KMT ")).count();
    assert_eq!(rows, 4, "memory and semaphores of two devices: {text}");
}

#[test]
fn what_a_device_does_not_say_is_told_and_the_listing_goes_on() {
    let lacks = ["cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceGetUuid_v2", "cuDeviceGetLuid"];
    let mock = lacks.iter().fold(mock::cuda(), |mock, symbol| mock.with(&format!("WITHOUT_{symbol}")));
    let Some(driver) = mock.build("cuda_runtime_devices: a device without a name") else { return };
    let output = run(&driver.path);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for device in 0..2 {
        assert!(text.contains(&format!("  device {device}: unnamed, the driver lacks cuDeviceGetName;")), "{text}");
    }
    assert_eq!(
        text.matches("    its UUID is not known: the driver lacks cuDeviceGetUuid_v2, cuDeviceGetUuid;").count(),
        2,
        "{text}"
    );
    assert_eq!(text.lines().filter(|line| line.contains(" TIMELINE_SEMAPHORE_FD ")).count(), 2, "{text}");
}

#[test]
fn without_any_driver_the_example_says_what_was_tried_and_fails() {
    let output = run(Path::new("/nonexistent/libcuda.so.1"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("CUDA: no CUDA driver could be opened; tried:\n  /nonexistent/libcuda.so.1: "), "{text}");
}
