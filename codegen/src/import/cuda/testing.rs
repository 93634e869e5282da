//! What tests of this importer share: an open libclang, or a skip that says so.

use super::{Headers, Libclang};
use crate::{fetch::AtHand, finding::Document};

/// The libclang at hand; without one the test called `test` is skipped, or fails under `CLCU_REQUIRE=all`.
pub(crate) fn libclang(test: &str) -> Option<Libclang> {
    let Some(path) = AtHand::in_this_repository().libclang else {
        crate::skipped::skipped(test, "libclang (run `clcu fetch`, or set CLCU_LIBCLANG)");
        return None;
    };
    Some(Libclang::open(&path).expect("what is at hand is a libclang"))
}

/// Headers of one file, `cuda.h`.
pub(crate) fn headers(text: &str) -> Headers {
    Headers::from_documents(vec![Document::new("cuda.h", text)]).expect("a directory for temporary files")
}
