//! The facts that clcu generates from, as text: snapshots of the two models, what people decided, and what upstream is pinned.
//!
//! In: the files beside this one, which `clcu update` writes (`cuda.json`, `opencl.json`) or people do (`overlay.toml`, `sources.toml`).
//! Out: their text, so that a program that generates at build time needs no file of ours. `README.md` describes each.

/// The pinned upstream inputs.
pub const SOURCES: &str = include_str!("sources.toml");
