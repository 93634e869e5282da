//! Reads `cl.xml` and `cuda.h` and writes the Rust bindings of `clcu-sys`.
//!
//! The data goes one way, and each stage takes plain data and gives plain data:
//!
//! ```text
//! upstream documents ─import─► facts ─pass─► model ─emit─► generated/
//!                                              │
//!                                              └──► spec/*.json
//! ```
//!
//! Only [`fetch`], the command line and the last write touch the disk.

pub mod atlas;
pub mod diff;
pub mod emit;
pub mod explain;
pub mod fetch;
pub mod finding;
pub mod import;
pub mod model;
pub mod overlay;
pub mod pass;
pub mod pipeline;
pub mod rules;
#[cfg(test)]
mod skipped;
pub mod snapshot;
