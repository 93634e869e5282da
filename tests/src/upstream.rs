//! Where upstream documents are on this machine, for tests that read them, and what such a test says where they are not.
//!
//! In: the environment. Out: paths, or a line `skipped: <test>: <what is missing>`, which is a failure under `CLCU_REQUIRE=all`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Says that `test` cannot run without `missing`.
///
/// # Panics
/// If `CLCU_REQUIRE=all` asks that nothing be skipped.
pub fn skipped(test: &str, missing: &str) {
    assert!(env::var("CLCU_REQUIRE").as_deref() != Ok("all"), "skipped: {test}: {missing}, and CLCU_REQUIRE=all forbids that");
    println!("skipped: {test}: {missing}");
}

/// The directory of OpenCL documents to test against: `CLCU_OPENCL_DOCS`, or the project's shared copy.
#[must_use]
pub fn opencl_docs() -> Option<PathBuf> {
    let named = env::var_os("CLCU_OPENCL_DOCS").map(PathBuf::from);
    named.or_else(|| shared().map(|shared| shared.join("main-1fb076bc"))).filter(|docs| docs.join("xml/cl.xml").is_file())
}

/// Every `cl.xml` of the shared copy, with its directory's name (`v3.0.4`, `history/97350033`), sorted.
#[must_use]
pub fn opencl_registries() -> Vec<(String, PathBuf)> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut found = Vec::new();
    for (prefix, directory) in [("", shared.clone()), ("history/", shared.join("history"))] {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path().join("xml/cl.xml");
            if path.is_file() {
                found.push((format!("{prefix}{}", entry.file_name().to_string_lossy()), path));
            }
        }
    }
    found.sort();
    found
}

/// `../shared/upstream/opencl` beside the repository, or beside the directory that holds it.
fn shared() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    repository.ancestors().skip(1).map(|above| above.join("shared/upstream/opencl")).find(|shared| shared.is_dir())
}
