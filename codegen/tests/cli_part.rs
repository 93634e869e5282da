//! `clcu generate --only`: parts written by the command, in a checkout and without one.
#![cfg(feature = "cli")]

mod cli;

use std::{fs, path::Path, process::Command};

use clcu_codegen::{Builder, parts::MARK};
use cli::Repository;

/// A directory that is no checkout.
fn elsewhere() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// What the command says and how it ends, run in `directory`.
fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_clcu")).args(arguments).current_dir(directory).output().expect("it was built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("it is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

#[test]
fn a_part_needs_no_checkout_and_says_how_to_repeat_it() {
    let place = elsewhere();
    let (code, out, err) =
        run(place.path(), &["generate", "--only", "cuInit,CUresult", "--single-file", "gpu.rs", "--out", "src/deep"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let text = fs::read_to_string(place.path().join("src/deep/gpu.rs")).expect("written");
    let command = "clcu generate --only cuInit,CUresult --single-file gpu.rs --out .";
    assert_eq!(text.lines().nth(1), Some(format!("// To repeat it, in this directory: {command}").as_str()));
    assert!(text.starts_with(MARK) && text.contains("// SPDX-License-Identifier: MIT OR Apache-2.0\n"));
    let again: Vec<&str> = command.split(' ').skip(1).collect();
    let (code, out, _) = run(&place.path().join("src/deep"), &again);
    assert_eq!(code, Some(0));
    assert!(out.contains("nothing changed"), "{out}");
}

#[test]
fn a_tree_is_what_the_library_makes_and_fewer_names_leave_no_old_file() {
    let place = elsewhere();
    let generate = |only: &str| run(place.path(), &["generate", "--only", only, "--rules", "--out", "gpu"]);
    assert_eq!(generate("cuInit,clFinish").0, Some(0));
    let part = Builder::new().only(["cuInit", "clFinish"]).rules(true).part().expect("a part");
    let mut wanted: Vec<String> = part.files().map(|(path, _)| path.to_owned()).collect();
    wanted.sort();
    assert_eq!(files(&place.path().join("gpu")), wanted);
    fs::write(place.path().join("gpu/notes.txt"), "mine").expect("writable");
    assert_eq!(run(place.path(), &["generate", "--only", "CUmemorytype", "--out", "gpu"]).0, Some(0));
    assert_eq!(files(&place.path().join("gpu")), ["cuda/enums.rs", "cuda/mod.rs", "macros.rs", "mod.rs", "names.rs", "notes.txt"]);
}

#[test]
fn a_file_of_somebody_s_own_is_refused_and_kept() {
    let place = elsewhere();
    fs::write(place.path().join("lib.rs"), "mod mine;\n").expect("writable");
    let (code, _, err) = run(place.path(), &["generate", "--only", "cuInit", "--single-file", "lib.rs", "--out", "."]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("lib.rs is not generated"), "{err}");
    assert_eq!(fs::read_to_string(place.path().join("lib.rs")).expect("there"), "mod mine;\n");
    assert_eq!(files(place.path()), ["lib.rs"], "nothing else was written");
}

#[test]
fn wrong_names_and_places_are_told_and_write_nothing() {
    let place = elsewhere();
    fs::write(place.path().join("file"), "mine").expect("writable");
    let cases: [(&[&str], &[&str]); 6] = [
        (
            &["--only", "cuImportExternalSemaphor", "--out", "gpu"],
            &["nothing is called `cuImportExternalSemaphor`", "did you mean `cuImportExternalSemaphore`"],
        ),
        (&["--only", "zzzzzzzzz,yyyyyyyyy", "--out", "gpu"], &["`zzzzzzzzz`", "`yyyyyyyyy`", "2 errors"]),
        (&["--only", "", "--out", "gpu"], &["--only names nothing"]),
        (&["--only", "cuInit", "--out", "file"], &["--out file is no directory"]),
        (&["--only", "cuInit", "--out", "gpu", "--single-file", "a/b.rs"], &["--single-file a/b.rs is no name of a file"]),
        (&["--only", "cuInit", "--out", "gpu", "--single-file", ".."], &["is no name of a file"]),
    ];
    for (arguments, parts) in cases {
        let (code, _, err) = run(place.path(), &[&["generate"], arguments].concat());
        assert_eq!(code, Some(3), "{arguments:?}: {err}");
        for part in parts {
            assert!(err.contains(part), "`{part}` is not in\n{err}");
        }
    }
    let (code, _, err) = run(place.path(), &["generate", "--only", "cuInit", "--out", "file/below"]);
    assert_eq!(code, Some(5), "{err}");
    for wrong in [&["--only", "cuInit"][..], &["--out", "gpu"], &["--rules"], &["--single-file", "gpu.rs"]] {
        assert_eq!(run(place.path(), &[&["generate"], wrong].concat()).0, Some(2), "{wrong:?}");
    }
    assert_eq!(files(place.path()), ["file"]);
}

#[test]
fn in_a_checkout_a_part_comes_from_its_snapshots() {
    let repository = Repository::with_sources(clcu_spec::SOURCES);
    repository.put("spec/cuda.json", clcu_spec::CUDA.replace("cuInit", "cuBegin"));
    repository.put("spec/opencl.json", clcu_spec::OPENCL);
    repository.run(&["generate", "--only", "cuBegin", "--out", "gpu"]).succeeds(&["changed: "]);
    assert!(repository.read("gpu/cuda/commands.rs").contains("cuBegin"));
    repository.run(&["generate", "--only", "cuInit", "--out", "gpu"]).fails(3, &["nothing is called `cuInit`"]);
}
