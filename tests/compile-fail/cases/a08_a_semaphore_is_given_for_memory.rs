//! A08: a handle to a semaphore is none to memory.

use clcu::{
    cuda::{Context, Error, ExternalMemory},
    sys::cuda::{CUexternalMemoryHandleType, CUexternalSemaphore},
};

fn own(context: &Context, semaphore: CUexternalSemaphore) -> Result<ExternalMemory, Error> {
    let handle_type = CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    unsafe { ExternalMemory::from_raw(context, semaphore, handle_type, 4096) }
}

fn main() {}
