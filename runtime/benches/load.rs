//! What opening a driver costs beside the system's loader alone, on the mock driver of `tests/mock/`.
//!
//! `cargo bench -p clcu --bench load`. A library that is loaded stays loaded, so that each sample loads a copy of its own. The more are
//! loaded, the longer the system takes: samples are few, and what the system does alone, which comes first, has the advantage. The mock is a hundred times smaller than a real driver, which takes milliseconds to load: what is added weighs most here.

mod mock;

use std::{
    path::PathBuf,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use clcu::{cuda::Options, sys::cuda::cuInit};
use divan::Bencher;

fn main() {
    divan::main();
}

/// The mock's file, and the directory for its copies, which ends with the process.
static MOCK: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| mock::library("../tests/mock/cuda.c", "libcuda.so.1"));

/// A copy that was never loaded.
fn copy() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let (directory, original) = &*MOCK;
    let copy = directory.path().join(format!("libcuda.so.{}", NUMBER.fetch_add(1, Ordering::Relaxed) + 2));
    std::fs::copy(original, &copy).expect("the mock driver can be copied");
    copy
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn loaded_by_the_system_alone(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(copy).bench_local_values(|path| {
        // SAFETY: the mock has no initialisers. It is never closed, as the runtime's is not.
        let library = unsafe { libloading::Library::new(path) }.expect("the mock driver can be loaded");
        std::mem::forget(library);
    });
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn opened(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(copy).bench_local_values(|path| {
        // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
        unsafe { Options::new().path(path) }.open().expect("the mock driver can be opened")
    });
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn opened_and_a_command_found(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(copy).bench_local_values(|path| {
        // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
        let library = unsafe { Options::new().path(path) }.open().expect("the mock driver can be opened");
        library.get(&cuInit).expect("the mock has it");
        library
    });
}
