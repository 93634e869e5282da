//! The runtime as a program of Windows, on mock drivers: what it sends for each kind of Windows handle, and who closes what.
//!
//! In: the mock drivers that `build.rs` compiled. Out: tests. On another system there is nothing in it; `.ci/runtime-wine` builds it for
//! Windows and runs it under Wine. What is in `tests/tests/` and is not about one system is part of it as well.
#![cfg(windows)]

// The tests that are shared with other systems call their helpers by this name.
extern crate self as clcu_tests;

mod closings;
mod compiled;
mod cuda_allocations;
mod cuda_handles;
mod cuda_memory;
mod cuda_semaphores;
mod handles;
mod library;
mod opencl_memory;
mod opencl_semaphores;

#[path = "../tests/cuda_runtime_errors.rs"]
mod cuda_runtime_errors;
#[path = "../tests/cuda_runtime_graph.rs"]
mod cuda_runtime_graph;
#[path = "../tests/cuda_runtime_memory.rs"]
mod cuda_runtime_memory;
#[path = "../tests/cuda_runtime_semaphore.rs"]
mod cuda_runtime_semaphore;
#[path = "../tests/cuda_runtime_sharing.rs"]
mod cuda_runtime_sharing;
#[path = "../tests/runtime_cuda.rs"]
mod runtime_cuda;
#[path = "../tests/runtime_opencl.rs"]
mod runtime_opencl;

#[path = "../src/icd.rs"]
#[allow(dead_code, unreachable_pub, reason = "it serves the tests of other systems too")]
mod icd;

#[path = "../src/scene.rs"]
#[allow(dead_code, unreachable_pub, reason = "it serves the tests of other systems too")]
mod scene;

#[path = "../src/exported.rs"]
#[allow(dead_code, unreachable_pub, reason = "it serves the tests of other systems too")]
mod exported;
#[path = "../src/mock.rs"]
#[allow(dead_code, unreachable_pub, reason = "it serves the tests of other systems too")]
mod mock;

#[path = "../src/upstream.rs"]
#[allow(dead_code, unreachable_pub, reason = "it serves the tests of other systems too")]
mod upstream;
