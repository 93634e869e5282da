//! `check.c`, compiled against the committed header with gcc and linked with both libraries.
#![cfg(target_os = "linux")]

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The libraries, as cargo says that it made them: the shared one and the static one.
fn libraries() -> [PathBuf; 2] {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--package", "clcu-check", "--message-format", "json-render-diagnostics"])
        .output()
        .expect("cargo can be started");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    let files: Vec<PathBuf> = (messages.lines())
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "clcu_check")
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .collect();
    let ending = |extension: &str| {
        let file = files.iter().find(|file| file.extension().is_some_and(|it| it == extension));
        file.unwrap_or_else(|| panic!("no .{extension} among {files:?}")).clone()
    };
    [ending("so"), ending("a")]
}

/// Whether the test has to be left out, after saying so.
fn is_missing(what: &str) -> bool {
    let missing = Command::new(what).arg("--version").output().is_err();
    if missing {
        assert!(env::var("CLCU_REQUIRE").as_deref() != Ok("all"), "skipped: from_c: {what}, and CLCU_REQUIRE=all forbids that");
        println!("skipped: from_c: {what}");
    }
    missing
}

/// Compiles `check.c` with one of the libraries.
fn program(room: &Path, library: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = room.join("check");
    let output = Command::new("gcc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I"])
        .arg(source.join("include"))
        .arg(source.join("tests/check.c"))
        .arg(library)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output()
        .expect("gcc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

#[test]
fn a_program_of_c_checks_records_and_lists_with_either_library() {
    if is_missing("gcc") {
        return;
    }
    for library in libraries() {
        let room = tempfile::tempdir().expect("a temporary directory");
        let program = program(room.path(), &library);
        let directory = library.parent().expect("a directory");
        let output = Command::new(&program).env("LD_LIBRARY_PATH", directory).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said == "0 failures\n", "{}: {said}", library.display());
    }
}

/// Every byte that is read was written, and everything that is made for a caller ends with what he frees.
#[test]
fn valgrind_finds_nothing() {
    if is_missing("gcc") || is_missing("valgrind") {
        return;
    }
    let [shared, _] = libraries();
    let room = tempfile::tempdir().expect("a temporary directory");
    let program = program(room.path(), &shared);
    let output = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"])
        .arg(&program)
        .env("LD_LIBRARY_PATH", shared.parent().expect("a directory"))
        .output()
        .expect("valgrind runs");
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
}
