//! What must hold of the crates as they are written, whatever they do: features, and what generated code may not contain.

use std::{fs, path::PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository").to_owned()
}

/// The names of a crate's features.
fn features(manifest: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(manifest)).unwrap_or_else(|error| panic!("{manifest}: {error}"));
    let section = text.split("\n[features]\n").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let lines = section.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim().to_owned()).collect()
}

/// D13: a program is built once and meets every driver; what there is, is asked while it runs.
#[test]
fn d13_no_feature_names_a_version_of_cuda() {
    let of = |manifest: &str| {
        let features = features(manifest);
        assert!(!features.is_empty(), "{manifest} has features");
        features
    };
    for feature in of("runtime/Cargo.toml").iter().chain(&of("generated/Cargo.toml")) {
        assert!(!feature.contains(|c: char| c.is_ascii_digit()), "the feature {feature} names a version");
    }
}

/// B10: an unknown value of a C enumeration must stay a number. So none is a Rust `enum` of those values alone, and none is made by a transmutation.
#[test]
fn b10_generated_code_transmutes_nothing_and_has_a_place_for_unknown_values() {
    for api in ["cuda", "opencl"] {
        let directory = root().join("generated/src").join(api);
        let mut files = 0;
        for entry in fs::read_dir(&directory).expect("generated code is there") {
            let path = entry.expect("it can be listed").path();
            let text = fs::read_to_string(&path).expect("it can be read");
            files += 1;
            assert!(!text.contains("transmute"), "{} transmutes", path.display());
            // The views of descriptors are enums of ours, made by looking at the type, and have a place for one that is not known.
            for declared in text.split("\npub enum ").skip(1) {
                let body = declared.split("\n}").next().unwrap_or_default();
                assert!(body.contains("    Unknown"), "{}: pub enum {}", path.display(), body.lines().next().unwrap_or_default());
            }
        }
        assert!(files > 5, "{}: {files} files", directory.display());
    }
    let shown = [format!("{:?}", clcu_sys::cuda::CUresult(12345)), format!("{:?}", clcu_sys::cuda::CUmemorytype(77))];
    assert_eq!(shown, ["CUresult(12345)", "CUmemorytype(77)"]);
}

/// B13: codes were renumbered between releases, so that bindings say of which they are.
#[test]
fn b13_the_bindings_say_of_which_header_they_are() {
    assert_eq!(clcu_sys::cuda::CUDA_VERSION, 13050);
    let snapshot = clcu_tests::releases::cuda_snapshot();
    assert_eq!(snapshot.releases.last().map(String::as_str), Some("13.5.37"));
}
