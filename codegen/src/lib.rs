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
//! Only `fetch`, the command line and the last write touch the disk.
//!
//! [`Builder`] makes a part of the bindings for another crate, in its build script. It is there without any feature; the rest comes with `import`
//! (the library) and `cli` (the command), both of which are on by default.

mod builder;
mod nearest;
pub mod parts;

pub use builder::Builder;

#[cfg(feature = "import")]
pub mod atlas;
#[cfg(feature = "import")]
pub mod diff;
#[cfg(feature = "import")]
pub mod emit;
#[cfg(feature = "import")]
pub mod explain;
#[cfg(feature = "import")]
pub mod fetch;
#[cfg(feature = "import")]
pub mod finding;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "import")]
pub mod model;
#[cfg(feature = "import")]
pub mod overlay;
#[cfg(feature = "import")]
pub mod pass;
#[cfg(feature = "import")]
pub mod pipeline;
#[cfg(feature = "import")]
pub mod rules;
#[cfg(all(test, feature = "import"))]
mod skipped;
#[cfg(feature = "import")]
pub mod snapshot;
