//! The guide's code: it is the example's, short, without `unsafe`, and runs; and what the example says where it cannot.

use std::{
    env, fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use clcu::cuda::ENVIRONMENT;
use clcu_tests::mock;

fn read(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The code in the guide.
fn code() -> String {
    let guide = read("docs/vulkan-cuda-semaphore.md");
    let block = guide.split("\n```rust\n").nth(1).and_then(|rest| rest.split("\n```").next());
    block.expect("the guide has code").to_owned()
}

/// D01: import, wait, signal and destroy in under forty lines of safe code.
#[test]
fn the_code_of_the_guide_is_that_of_the_example_and_under_forty_lines_without_unsafe() {
    let example: Vec<_> = read("runtime/examples/share_semaphore.rs").lines().map(|line| line.trim().to_owned()).collect();
    let code = code();
    let code: Vec<_> = code.lines().map(str::trim).collect();
    assert!(example.windows(code.len()).any(|lines| lines == code), "the guide is not the example");
    assert!(code.len() < 40, "{} lines", code.len());
    assert!(!code.iter().any(|line| line.contains("unsafe")));
}

/// Runs the example with the mock driver. Its standard input stands for an exported semaphore.
fn run(driver: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--quiet", "--package", "clcu", "--example", "share_semaphore", "--"]).args(arguments);
    command.env(ENVIRONMENT, driver).stdin(Stdio::from(fs::File::open("/dev/null").expect("it is there")));
    command.output().expect("cargo can be started")
}

#[test]
fn the_example_waits_and_signals() {
    let Some(driver) = mock::cuda().build("cuda_runtime_guide: the example") else { return };
    let output = run(&driver.path, &["0", "000102030405060708090a0b0c0d0e0f"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text, "own signals: 1, own waits: 1; waited for 1, highest own signal 2\nwaited for 1, signalled 2\n");
}

/// A34: both identities are printed.
#[test]
fn another_device_is_an_error_that_names_both_and_no_panic() {
    let Some(driver) = mock::cuda().build("cuda_runtime_guide: another device") else { return };
    let output = run(&driver.path, &["0", "ffffffffffffffffffffffffffffffff"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    for uuid in ["ffffffff-ffff-ffff-ffff-ffffffffffff", "00010203-0405-0607-0809-0a0b0c0d0e0f"] {
        assert!(text.contains(uuid), "{text}");
    }
}
