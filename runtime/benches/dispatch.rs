//! What a call through a library costs beside one through a plain function pointer, on the mock driver of `tests/mock/`.
//!
//! `cargo bench -p clcu`. Each sample makes [`CALLS`] calls; the difference between two lines, divided by that, is the cost of a look-up.

mod mock;

use std::sync::LazyLock;

use clcu::{
    cuda::{Library, Options},
    sys::cuda::cuCtxSynchronize,
};
use divan::{Bencher, black_box, counter::ItemsCount};

/// As many calls a sample as make the clock's own cost vanish.
const CALLS: usize = 1000;

fn main() {
    divan::main();
}

/// The mock's file, which stays open when its directory goes.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let (_directory, path) = mock::library("../tests/mock/cuda.c", "libcuda.so.1");
    // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
    unsafe { Options::new().path(path) }.open().expect("the mock driver can be opened")
});

#[divan::bench]
fn a_plain_function_pointer(bencher: Bencher<'_, '_>) {
    let function = LIBRARY.get(&cuCtxSynchronize).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            // SAFETY: it takes nothing.
            let _ = black_box(unsafe { black_box(function)() });
        }
    });
}

#[divan::bench]
fn through_the_library(bencher: Bencher<'_, '_>) {
    let library = &*LIBRARY;
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let function = black_box(library).get(&cuCtxSynchronize).expect("the mock has it");
            // SAFETY: it takes nothing.
            let _ = black_box(unsafe { function() });
        }
    });
}
