//! External semaphores of CUDA and OpenCL, from a part of clcu's bindings that is kept in this crate: no dependency, no build script.
//!
//! `gpu.rs` is generated; its first lines say by which command.
#![no_std]

pub mod gpu;
