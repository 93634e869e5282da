//! The stages in their order, as functions without printing: what the command, build scripts and tests call.
//!
//! In: pins, the cache, and the repository's files. Out: models, findings, and the set of files that should be on the disk.

mod locate;
mod outputs;

pub use locate::{Cuda, Located, locate};
pub use outputs::{Difference, OutputError, Outputs};
