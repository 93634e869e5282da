//! D12: a status, a result, and what is about to be done are not dropped without a word.

#![deny(unused_must_use)]

use clcu::{
    cuda::{
        ExternalSemaphore, Library, Stream,
        semaphore::{Fence, Source, Binary},
    },
    sys::cuda,
};

fn status(library: &Library) {
    let init = library.get(&cuda::cuInit).unwrap();
    unsafe { init(0) };
}

fn result(semaphore: ExternalSemaphore<Fence>, stream: &Stream<'_>) {
    semaphore.signal(stream, 1);
    semaphore.signaling(2);
    semaphore.destroy();
}

fn source() {
    Source::<Binary>::opaque_win32_kmt(std::ptr::null_mut());
}

fn main() {}
