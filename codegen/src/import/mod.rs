//! From upstream documents to facts.
//!
//! In: one upstream document, or one set of headers that belong together. Out: what it says, and nothing that it does not say. What an
//! importer does not know is an error with its place.

pub mod cuda;
pub mod opencl;
