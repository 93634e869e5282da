//! Files that a builder writes.

use std::fs;

use super::Builder;
use crate::parts::{Error, MARK};

fn builder() -> Builder {
    Builder::new().only(["cuInit"]).only(vec!["CL_SUCCESS".to_owned()])
}

#[test]
fn a_file_is_written_once_and_is_the_part() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("deep/gpu.rs");
    builder().write(&path).expect("writable");
    let text = fs::read_to_string(&path).expect("written");
    assert_eq!(text, builder().part().expect("a part").single_file());
    assert!(text.contains("cuInit") && text.contains("CL_SUCCESS"));
    let time = || fs::metadata(&path).and_then(|data| data.modified()).expect("it is there");
    let before = time();
    builder().write(&path).expect("writable");
    assert_eq!(time(), before, "cargo would compile it again");
    let names: Vec<_> =
        fs::read_dir(directory.path().join("deep")).expect("there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["gpu.rs"], "no other file is left");
}

#[test]
fn a_file_of_somebody_s_own_is_kept_and_a_part_is_replaced() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("lib.rs");
    fs::write(&path, "mod mine;").expect("writable");
    let error = builder().write(&path).expect_err("somebody's own");
    assert!(matches!(&error, Error::Stray(of) if *of == path), "{error}");
    assert_eq!(fs::read(&path).expect("there"), b"mod mine;");
    fs::write(&path, format!("{MARK}\nolder")).expect("writable");
    builder().write(&path).expect("writable");
    assert!(fs::read_to_string(&path).expect("there").contains("cuInit"));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("file");
    fs::write(&file, "").expect("writable");
    let error = builder().write(file.join("gpu.rs")).expect_err("a file is no directory");
    assert!(matches!(&error, Error::Disk { path, .. } if path.starts_with(&file)), "{error}");
    assert!(format!("{error:?}").contains("gpu.rs"), "cargo shows the Debug form: {error:?}");
}

#[test]
fn outside_of_a_build_script_there_is_no_directory_of_cargo_s() {
    // Cargo sets the variable for crates with a build script, which this one has not.
    let error = builder().write_to_out_dir("gpu.rs").expect_err("no build script");
    assert!(matches!(error, Error::NoBuildScript("OUT_DIR")), "{error}");
}
