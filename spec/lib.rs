//! The facts that clcu generates from, as text: snapshots of the two models, what people decided, and which upstream inputs are pinned.
//!
//! In: the files beside this one, which `clcu update` writes (`cuda.json`, `opencl.json`) or people do (`overlay.toml`, `sources.toml`).
//! Out: their text, so that a program that generates at build time needs no file of ours. `README.md` describes each.

#![no_std]

/// The snapshot of the CUDA driver API.
pub const CUDA: &str = include_str!("cuda.json");

/// The snapshot of OpenCL.
pub const OPENCL: &str = include_str!("opencl.json");

/// What people decided where upstream leaves something out, says it twice in two ways, or gets it wrong.
pub const OVERLAY: &str = include_str!("overlay.toml");

/// The pinned upstream inputs.
pub const SOURCES: &str = include_str!("sources.toml");

/// The sentences of doc comments that a person read, named by symbol and hash.
pub const REVIEWED: &str = include_str!("reviewed.toml");

/// What a snapshot is, as a JSON Schema.
pub const SCHEMA: &str = include_str!("snapshot.schema.json");
