//! A08: the numbers of both enumerations coincide, and their types do not.

use std::os::fd::OwnedFd;

use clcu::{cuda::memory::Source, sys::cuda::CUexternalSemaphoreHandleType};

fn source(exported: OwnedFd) -> Source<'static> {
    Source::from_fd(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, exported, 4096)
}

fn main() {}
