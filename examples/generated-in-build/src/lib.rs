//! External semaphores of CUDA and OpenCL, from bindings that the build script makes.
#![no_std]

/// What the two APIs declare about external semaphores, and what must hold.
pub mod gpu {
    include!(concat!(env!("OUT_DIR"), "/gpu.rs"));
}
