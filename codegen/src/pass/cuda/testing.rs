//! What tests of these passes share.

use crate::{
    finding::{Document, Place},
    import::cuda::Facts,
};

/// A place in a header of nothing.
pub(super) fn place() -> Place {
    Document::new("cuda.h", "").place(0..0)
}

/// Facts of release 13.5 that say nothing.
pub(super) fn facts() -> Facts {
    Facts {
        number: 13050,
        records: Vec::new(),
        enumerations: Vec::new(),
        typedefs: Vec::new(),
        functions: Vec::new(),
        macros: Vec::new(),
        versions: Vec::new(),
        comments: Vec::new(),
    }
}
