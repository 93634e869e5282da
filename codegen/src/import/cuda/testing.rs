//! What tests of this importer share: an open libclang, or a skip that says so.

use std::path::Path;

use super::{Headers, Libclang};
use crate::finding::Document;

/// The libclang that `CLCU_LIBCLANG` names; without it the test called `test` is skipped, or fails under `CLCU_REQUIRE=all`.
pub(crate) fn libclang(test: &str) -> Option<Libclang> {
    let Some(path) = std::env::var_os("CLCU_LIBCLANG") else {
        assert!(std::env::var_os("CLCU_REQUIRE").is_none_or(|value| value != "all"), "{test} needs CLCU_LIBCLANG");
        println!("skipped: {test}: CLCU_LIBCLANG, the path of a libclang");
        return None;
    };
    Some(Libclang::open(Path::new(&path)).expect("CLCU_LIBCLANG names a libclang"))
}

/// Headers of one file, `cuda.h`.
pub(crate) fn headers(text: &str) -> Headers {
    Headers::from_documents(vec![Document::new("cuda.h", text)]).expect("a directory for temporary files")
}
