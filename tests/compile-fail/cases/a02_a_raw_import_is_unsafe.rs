//! A02: the entry for raw descriptors promises nothing about who owns what, so that its caller does.

use clcu::{
    cuda::{Library, checked},
    sys::cuda::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
};

fn import(library: &Library) {
    let descriptor = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::opaque_fd(3);
    let _ = checked::import_external_semaphore(library, &descriptor, &[]);
}

fn main() {}
