//! Vulkan and CUDA on one GPU: what Vulkan exports, clcu imports, and each side sees what the other did.
//!
//! Without a GPU, or without a Vulkan loader, each test says that it is skipped; `CLCU_REQUIRE=gpu` makes that a failure. What the driver was
//! seen to do is in `RESULTS.md` beside this file, with how to repeat it.

mod allocations;
mod cycles;
mod descriptors;
mod mistaken;
mod misuse;
mod opencl;
mod processes;
mod sharing;
mod vulkan;

use std::{
    env,
    ffi::c_void,
    fs,
    os::fd::RawFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clcu::{
    cuda::{Context, Current, Device, Identity, Library, Uuid},
    sys::cuda::{self, CUdeviceptr, CUresult, CUstream},
};

use self::vulkan::Vulkan;

/// One GPU as both APIs have it, and the right to number descriptors alone in this process.
struct Gpu {
    vulkan: Vulkan,
    context: Context,
    _alone: MutexGuard<'static, ()>,
}

/// The GPU; `None`, having said so for `test`, where there is none.
fn gpu(test: &str) -> Option<Gpu> {
    static LOCK: Mutex<()> = Mutex::new(());
    let alone = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let opened = || {
        let vulkan = Vulkan::open()?;
        let library = Arc::new(Library::open().map_err(|error| error.to_string())?);
        let device = Device::matching(&library, Identity::Uuid(Uuid(vulkan.uuid))).map_err(|error| error.to_string())?;
        let context = Context::primary(&device).map_err(|error| error.to_string())?;
        Ok::<_, String>((vulkan, context))
    };
    match opened() {
        Ok((vulkan, context)) => {
            println!("{test}: {}", vulkan.name);
            Some(Gpu { vulkan, context, _alone: alone })
        }
        Err(missing) => {
            assert!(env::var("CLCU_REQUIRE").as_deref() != Ok("gpu"), "{test}: {missing}");
            println!("skipped: vulkan_cuda_gpu: {test}: {}", missing.lines().next().unwrap_or_default());
            None
        }
    }
}

/// Whether a number is that of an open descriptor.
fn is_open(number: RawFd) -> bool {
    // SAFETY: asking about a number does nothing to it.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

/// How many descriptors this process has.
fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("this is Linux").count()
}

/// A stream that does not wait for the default stream. It lives until the context is gone.
fn new_stream(current: &Current<'_>) -> CUstream {
    const NON_BLOCKING: u32 = 1;
    let mut stream = CUstream::NULL;
    let create = current.library().get(&cuda::cuStreamCreate).expect("every driver has it");
    // SAFETY: the result is written to memory that is ours.
    assert_eq!(unsafe { create(&raw mut stream, NON_BLOCKING) }, CUresult::CUDA_SUCCESS);
    stream
}

/// Fills words of the device from the stream.
fn fill(current: &Current<'_>, address: CUdeviceptr, word: u32, words: usize, stream: CUstream) {
    let fill = current.library().get(&cuda::cuMemsetD32Async).expect("every driver has it");
    // SAFETY: the callers map so many words there.
    assert_eq!(unsafe { fill(address, word, words, stream) }, CUresult::CUDA_SUCCESS);
}

/// Copies words to the device from the stream.
fn write(current: &Current<'_>, address: CUdeviceptr, words: &[u32], stream: CUstream) {
    let copy = current.library().get(&cuda::cuMemcpyHtoDAsync_v2).expect("every driver has it");
    // SAFETY: the callers map so many words there, and memory that is not pinned is copied before the call returns.
    let copied = unsafe { copy(address, words.as_ptr().cast::<c_void>(), size_of_val(words), stream) };
    assert_eq!(copied, CUresult::CUDA_SUCCESS);
}

/// Copies words from the device, once everything on the stream is done.
fn read(current: &Current<'_>, address: CUdeviceptr, words: usize) -> Vec<u32> {
    let mut read = vec![0_u32; words];
    let copy = current.library().get(&cuda::cuMemcpyDtoH_v2).expect("every driver has it");
    // SAFETY: the callers map so many words there, and as many are ours.
    let copied = unsafe { copy(read.as_mut_ptr().cast::<c_void>(), address, words * 4) };
    assert_eq!(copied, CUresult::CUDA_SUCCESS);
    read
}
