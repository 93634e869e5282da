//! What checks cost beside the same calls without, on the mock driver of `tests/mock/`.
//!
//! `cargo bench -p clcu --bench checked`. The import is of a type that needs no file descriptor, and each is destroyed again, so that no system
//! call hides what is measured. The difference between two lines, divided by [`CALLS`], is the cost.

mod mock;

use std::{
    ffi::c_void,
    sync::{Arc, LazyLock},
};

use clcu::{
    cuda::{
        Context, Device, ExternalSemaphore, Library, Options, checked,
        semaphore::{Fence, NvSciSync, Source, Tracking},
    },
    sys::cuda::{
        self, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as Parameters,
        CUexternalSemaphore, CUexternalSemaphoreHandleType, CUstream,
    },
};
use divan::{Bencher, black_box, counter::ItemsCount};

/// As many calls a sample as make the clock's own cost vanish.
const CALLS: usize = 1000;

fn main() {
    divan::main();
}

/// The mock's file, which stays open when its directory goes.
static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let (_directory, path) = mock::library("../tests/mock/cuda.c", "libcuda.so.1");
    // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
    let library: Arc<Library> = Arc::new(unsafe { Options::new().path(path) }.open().expect("the mock driver can be opened"));
    Context::primary(&Device::new(&library, 0).expect("the mock has devices")).expect("the mock has contexts")
});

fn object() -> *const c_void {
    std::ptr::dangling::<u64>().cast()
}

#[divan::bench]
fn import_and_destroy_unchecked(bencher: Bencher<'_, '_>) {
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let import = CONTEXT.library().get(&cuda::cuImportExternalSemaphore).expect("the mock has it");
    let destroy = CONTEXT.library().get(&cuda::cuDestroyExternalSemaphore).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let descriptor = black_box(Descriptor::nvscisync(object()));
            let mut semaphore = CUexternalSemaphore::NULL;
            // SAFETY: both pointers are good for the call, and the mock does not follow the object.
            let _ = black_box(unsafe { import(&raw mut semaphore, descriptor.as_ptr()) });
            // SAFETY: it was just made.
            let _ = black_box(unsafe { destroy(semaphore) });
        }
    });
}

#[divan::bench]
fn import_and_destroy_checked(bencher: Bencher<'_, '_>) {
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let library = CONTEXT.library();
    let destroy = library.get(&cuda::cuDestroyExternalSemaphore).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let descriptor = black_box(Descriptor::nvscisync(object()));
            // SAFETY: the descriptor is initialised, and the mock does not follow the object.
            let semaphore = unsafe { cuda_checked(library, &descriptor) };
            // SAFETY: it was just made.
            let _ = black_box(unsafe { destroy(semaphore) });
        }
    });
}

/// # Safety
/// As for the function that it calls.
unsafe fn cuda_checked(library: &Library, descriptor: &Descriptor) -> CUexternalSemaphore {
    // SAFETY: promised by the caller.
    unsafe { clcu::cuda::checked::import_external_semaphore(library, descriptor, &[]) }.expect("the mock imports it")
}

#[divan::bench]
fn import_and_destroy_owned(bencher: Bencher<'_, '_>) {
    let current = CONTEXT.enter().expect("the mock has contexts");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            // SAFETY: the mock does not follow the object.
            let source = unsafe { Source::nvscisync(black_box(object())) }.tracking(Tracking::Off);
            let semaphore: ExternalSemaphore<NvSciSync> = ExternalSemaphore::import(&current, source).expect("the mock imports it");
            drop(black_box(semaphore));
        }
    });
}

fn fence(tracking: Tracking) -> ExternalSemaphore<Fence> {
    let current = CONTEXT.enter().expect("the mock has contexts");
    let fd = std::fs::File::open("/dev/null").expect("it is there").into();
    ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(fd).tracking(tracking)).expect("the mock imports it")
}

#[divan::bench]
fn signal_unchecked(bencher: Bencher<'_, '_>) {
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let semaphore = fence(Tracking::Off).into_raw();
    let signal = CONTEXT.library().get(&cuda::cuSignalExternalSemaphoresAsync).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for value in 0..CALLS as u64 {
            let parameters = clcu::sys::rules::Zeroed::<Parameters>::new().with(Parameters::PARAMS_FENCE_VALUE, black_box(value));
            // SAFETY: the semaphore is alive, the stream is the default one.
            let _ = black_box(unsafe { signal(&raw const semaphore, parameters.as_ptr(), 1, CUstream::NULL) });
        }
    });
}

#[divan::bench]
fn signal_raw_checked(bencher: Bencher<'_, '_>) {
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let (library, semaphore) = (CONTEXT.library(), fence(Tracking::Off).into_raw());
    let handle_type = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for value in 0..CALLS as u64 {
            let parameters = clcu::sys::rules::Zeroed::<Parameters>::new().with(Parameters::PARAMS_FENCE_VALUE, black_box(value));
            let signals = [(semaphore, handle_type, &*parameters)];
            // SAFETY: the semaphore is alive, the stream is the default one, and the parameters began as zeroes.
            unsafe { checked::signal_external_semaphores(library, &signals, CUstream::NULL, &[]) }.expect("the mock signals");
        }
    });
}

#[divan::bench]
fn signal_checked(bencher: Bencher<'_, '_>) {
    let current = CONTEXT.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphore = fence(Tracking::Off);
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for value in 0..CALLS as u64 {
            semaphore.signal(&stream, black_box(value)).expect("the mock signals");
        }
    });
}

#[divan::bench]
fn signal_tracked(bencher: Bencher<'_, '_>) {
    let current = CONTEXT.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphore = fence(Tracking::Shared);
    let mut value = 0;
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            value += 1;
            semaphore.signal(&stream, black_box(value)).expect("the mock signals");
        }
    });
}

/// So many semaphores in one call.
const MANY: u32 = 8;

#[divan::bench]
fn signal_eight_unchecked(bencher: Bencher<'_, '_>) {
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let semaphores: Vec<_> = (0..MANY).map(|_| fence(Tracking::Off).into_raw()).collect();
    let signal = CONTEXT.library().get(&cuda::cuSignalExternalSemaphoresAsync).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS * MANY as usize)).bench_local(|| {
        for value in 0..CALLS as u64 {
            let one = clcu::sys::rules::Zeroed::<Parameters>::new().with(Parameters::PARAMS_FENCE_VALUE, black_box(value));
            let parameters = [*one; MANY as usize];
            // SAFETY: the semaphores are alive, the stream is the default one.
            let _ = black_box(unsafe { signal(semaphores.as_ptr(), parameters.as_ptr(), MANY, CUstream::NULL) });
        }
    });
}

#[divan::bench]
fn signal_eight_checked(bencher: Bencher<'_, '_>) {
    let current = CONTEXT.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphores: [_; MANY as usize] = std::array::from_fn(|_| fence(Tracking::Off));
    bencher.counter(ItemsCount::new(CALLS * MANY as usize)).bench_local(|| {
        for value in 0..CALLS as u64 {
            let value = black_box(value);
            let signals: [_; MANY as usize] = std::array::from_fn(|index| semaphores[index].signaling(value));
            stream.signal(&signals).expect("the mock signals");
        }
    });
}

#[divan::bench]
fn wait_unchecked(bencher: Bencher<'_, '_>) {
    use cuda::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as Parameters;
    let _current = CONTEXT.enter().expect("the mock has contexts");
    let semaphore = fence(Tracking::Off).into_raw();
    let wait = CONTEXT.library().get(&cuda::cuWaitExternalSemaphoresAsync).expect("the mock has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for value in 0..CALLS as u64 {
            let parameters = clcu::sys::rules::Zeroed::<Parameters>::new().with(Parameters::PARAMS_FENCE_VALUE, black_box(value));
            // SAFETY: the semaphore is alive, the stream is the default one.
            let _ = black_box(unsafe { wait(&raw const semaphore, parameters.as_ptr(), 1, CUstream::NULL) });
        }
    });
}

#[divan::bench]
fn wait_checked(bencher: Bencher<'_, '_>) {
    let current = CONTEXT.enter().expect("the mock has contexts");
    let stream = current.default_stream();
    let semaphore = fence(Tracking::Off);
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for value in 0..CALLS as u64 {
            semaphore.wait(&stream, black_box(value)).expect("the mock waits");
        }
    });
}
