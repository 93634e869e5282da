//! The mock driver itself: it is compiled against NVIDIA's header and against the facts of this project, and does what its first lines say.

use std::{env, fs, path::Path, process::Command};

use clcu_codegen::fetch::AtHand;
use clcu_tests::{cuda_declarations, mock, releases, upstream::skipped};

/// Set to write the header instead of comparing it.
const WRITE: &str = "CLCU_WRITE_DECLARATIONS";

#[test]
fn the_declarations_are_those_of_the_facts() {
    let wanted = cuda_declarations::header(&releases::cuda_snapshot(), &cuda_declarations::sources());
    let file = cuda_declarations::file();
    if env::var_os(WRITE).is_some() {
        fs::write(&file, &wanted).expect("the header can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{} is not what the facts give; write it with {WRITE}=1", file.display());
}

/// Compiles the mock without linking it, with every definition declared before.
fn compiles(declarations: &[String]) {
    let source = cuda_declarations::mock_directory().join("cuda.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).args(declarations).arg(source);
    let output = gcc.output().expect("gcc was asked for before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every definition has a declaration in the header, so a function with another signature than the real one does not compile.
#[test]
fn every_command_of_the_mock_has_the_signature_that_the_real_header_declares() {
    let test = "cuda_mock: the real header";
    if Command::new("gcc").arg("--version").output().is_err() {
        return skipped(test, "gcc");
    }
    compiles(&[]);
    let Some(include) = AtHand::in_this_repository().cuda_include else {
        return skipped(test, "CUDA headers (run `clcu fetch`, or set CLCU_CUDA_INCLUDE)");
    };
    compiles(&[header(&include), "-Werror=missing-prototypes".to_owned()]);
}

fn header(include: &Path) -> String {
    format!("-DCUDA_H=\"{}\"", include.join("cuda.h").display())
}

#[test]
fn whichever_symbol_is_left_out_is_neither_exported_nor_given_out() {
    for symbol in ["cuMemFree_v2", "cuMemPoolCreate", "cuStreamGetId_ptsz"] {
        let Some(mock) = mock::cuda().with(&format!("WITHOUT_{symbol}")).build("cuda_mock: left out") else { return };
        // SAFETY: the mock has no initialisers.
        let library = unsafe { libloading::Library::new(&mock.path) }.expect("the mock driver can be opened");
        // SAFETY: the symbol is asked for and not used.
        assert!(unsafe { library.get::<*const ()>(symbol.as_bytes()) }.is_err(), "{symbol}");
    }
}
