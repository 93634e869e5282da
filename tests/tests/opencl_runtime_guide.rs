//! The code of OpenCL's guides: it is the examples', without `unsafe`, and the one that needs no other API runs behind the real loader.
#![cfg(unix)]

use std::{env, fs, path::Path, process::Command};

use clcu_tests::icd::{self, Driver};

fn read(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Every block of code in a guide stands so in its example.
fn is_of_the_example(guide: &str, example: &str) {
    let example: Vec<_> = read(example).lines().map(|line| line.trim().to_owned()).collect();
    let guide = read(guide);
    let blocks: Vec<_> = guide.split("\n```rust\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert!(!blocks.is_empty(), "the guide has no code");
    for block in blocks {
        let block: Vec<_> = block.lines().map(str::trim).collect();
        assert!(example.windows(block.len()).any(|lines| lines == block), "not in the example: {block:#?}");
        assert!(!block.iter().any(|line| line.contains("unsafe")));
    }
}

#[test]
fn the_code_of_the_guides_is_that_of_the_examples() {
    is_of_the_example("docs/sync-fd-opencl.md", "runtime/examples/sync_fd.rs");
    is_of_the_example("docs/vulkan-opencl-cuda.md", "runtime/examples/three_apis.rs");
}

#[test]
fn the_example_waits_for_a_sync_file_and_gives_one() {
    icd::with_loader("the_example_waits_for_a_sync_file_and_gives_one", &[Driver::Mock], |_| {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["run", "--quiet", "--package", "clcu", "--example", "sync_fd", "--", "-1"]);
        let output = command.output().expect("cargo can be started");
        let (said, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{failed}");
        assert!(said.starts_with("the work's fence: "), "{said}");
    });
}
