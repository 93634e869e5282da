//! Libraries that stand for drivers, compiled where a benchmark begins: in, a source file in C; out, the shared library in a directory of its
//! own, which may go once the library is loaded.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The library called `name`, of `source`, a path from the package's directory.
pub(crate) fn library(source: &str, name: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory for a library can be made");
    let path = directory.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    // A mock that locks would be measured for its lock.
    let gcc =
        Command::new("gcc").args(["-std=c11", "-O2", "-shared", "-fPIC", "-DONE_THREAD", "-o"]).args([&path, &source]).status();
    assert!(gcc.is_ok_and(|status| status.success()), "gcc builds {}", source.display());
    (directory, path)
}
