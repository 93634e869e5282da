//! What checks of OpenCL cost beside the same calls without, on a library of which every call succeeds at once (`opencl.c`).
//!
//! `cargo bench -p clcu --bench opencl`. The difference between two lines, divided by [`CALLS`], is the cost; where several semaphores are in
//! one call, that of all of them.

mod mock;

use std::{
    ptr,
    sync::{Arc, LazyLock},
};

use clcu::{
    opencl::{
        Context, Device, Options, Platform, Queue, Semaphore, checked,
        checked::Place,
        semaphore::{Binary, Create, Source, Tracking},
    },
    sys::opencl::{self, cl_result, cl_semaphore_khr},
};
use divan::{Bencher, black_box, counter::ItemsCount};

/// As many calls a sample as make the clock's own cost vanish.
const CALLS: usize = 1000;

fn main() {
    divan::main();
}

/// The library's file, which stays open when its directory goes.
static PLACE: LazyLock<(Arc<Platform>, Context, Queue)> = LazyLock::new(|| {
    let (_directory, path) = mock::library("benches/opencl.c", "libOpenCL.so.1");
    // SAFETY: the file is a library whose functions have the types of OpenCL's.
    let library = unsafe { Options::new().path(path) }.open().expect("the library can be opened");
    let platform = Arc::new(library.platforms().expect("it lists them").usable.swap_remove(0));
    let devices = Device::all(&platform).expect("it lists them");
    let context = Context::new(&platform, &devices).expect("every call succeeds");
    let queue = Queue::new(&context, &devices[0]).expect("every call succeeds");
    (platform, context, queue)
});

fn semaphores(count: usize, tracking: Tracking) -> Vec<Semaphore<Binary>> {
    let make = |_| Semaphore::create(&PLACE.1, Create::binary().tracking(tracking)).expect("every call succeeds");
    (0..count).map(make).collect()
}

#[divan::bench]
fn resolved_command(bencher: Bencher<'_, '_>) {
    let semaphore = semaphores(1, Tracking::Off).remove(0).into_raw();
    let release = PLACE.0.get(&opencl::clReleaseSemaphoreKHR).expect("the library has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            // SAFETY: the library does nothing with it.
            let _ = black_box(unsafe { release(black_box(semaphore)) });
        }
    });
}

#[divan::bench]
fn platform_command(bencher: Bencher<'_, '_>) {
    let semaphore = semaphores(1, Tracking::Off).remove(0).into_raw();
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let release = black_box(&PLACE.0).get(&opencl::clReleaseSemaphoreKHR).expect("the library has it");
            // SAFETY: the library does nothing with it.
            let _ = black_box(unsafe { release(black_box(semaphore)) });
        }
    });
}

/// A semaphore of its own.
const CREATED: [u64; 3] = [0x203D, 1, 0];
/// An import of a sync file. Its number belongs to nobody: the library does nothing with it, and raw calls own nothing.
const SYNC_FILE: [u64; 5] = [0x203D, 1, 0x2058, 7, 0];

fn made_unchecked<const N: usize>(bencher: Bencher<'_, '_>, words: [u64; N]) {
    let create = PLACE.0.get(&opencl::clCreateSemaphoreWithPropertiesKHR).expect("the library has it");
    let release = PLACE.0.get(&opencl::clReleaseSemaphoreKHR).expect("the library has it");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let words = black_box(words);
            let mut code = cl_result::CL_SUCCESS;
            // SAFETY: the context is alive, and the list ends.
            let made = black_box(unsafe { create(PLACE.1.as_raw(), words.as_ptr().cast(), &raw mut code) });
            // SAFETY: it was just made.
            let _ = black_box(unsafe { release(made) });
        }
    });
}

fn made_checked<const N: usize>(bencher: Bencher<'_, '_>, words: [u64; N]) {
    let release = PLACE.0.get(&opencl::clReleaseSemaphoreKHR).expect("the library has it");
    let devices: Vec<_> = PLACE.1.devices().iter().map(Device::as_raw).collect();
    let place = Place { context: PLACE.1.as_raw(), devices: &devices, import_types: None };
    let platform = &*PLACE.0;
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let words = black_box(words);
            // SAFETY: the context is alive, and the list ends.
            let made = unsafe { checked::create_semaphore(platform, place, Some(&words), &[]) };
            // SAFETY: it was just made.
            let _ = black_box(unsafe { release(made.expect("every call succeeds")) });
        }
    });
}

#[divan::bench]
fn create_and_release_unchecked(bencher: Bencher<'_, '_>) {
    made_unchecked(bencher, CREATED);
}

#[divan::bench]
fn create_and_release_checked(bencher: Bencher<'_, '_>) {
    made_checked(bencher, CREATED);
}

#[divan::bench]
fn import_and_release_unchecked(bencher: Bencher<'_, '_>) {
    made_unchecked(bencher, SYNC_FILE);
}

#[divan::bench]
fn import_and_release_checked(bencher: Bencher<'_, '_>) {
    made_checked(bencher, SYNC_FILE);
}

#[divan::bench]
fn create_and_release_owned(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let create = black_box(Create::binary().tracking(Tracking::Off));
            drop(black_box(Semaphore::create(&PLACE.1, create).expect("every call succeeds")));
        }
    });
}

#[divan::bench]
fn import_minus_one_and_release_owned(bencher: Bencher<'_, '_>) {
    use clcu::opencl::semaphore::SyncFd;
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let source = Source::sync_fd(black_box(SyncFd::AlreadySignaled)).tracking(Tracking::Off);
            drop(black_box(Semaphore::import(&PLACE.1, source).expect("every call succeeds")));
        }
    });
}

#[divan::bench(args = [1, 8])]
fn signal_unchecked(bencher: Bencher<'_, '_>, count: usize) {
    let handles: Vec<cl_semaphore_khr> = semaphores(count, Tracking::Off).into_iter().map(Semaphore::into_raw).collect();
    let signal = PLACE.0.get(&opencl::clEnqueueSignalSemaphoresKHR).expect("the library has it");
    let number = u32::try_from(count).expect("there are a few");
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        for _ in 0..CALLS {
            let handles = black_box(handles.as_ptr());
            // SAFETY: there are as many as is said, and no event is waited for.
            let code = unsafe { signal(PLACE.2.as_raw(), number, handles, ptr::null(), 0, ptr::null(), ptr::null_mut()) };
            let _ = black_box(code);
        }
    });
}

fn signal(bencher: Bencher<'_, '_>, count: usize, tracking: Tracking) {
    let semaphores = semaphores(count, tracking);
    if tracking != Tracking::Off {
        // Others may wait: nothing is refused.
        for semaphore in &semaphores {
            black_box(semaphore.as_raw());
        }
    }
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        let signals: Vec<_> = semaphores.iter().map(Semaphore::<Binary>::signaling).collect();
        for _ in 0..CALLS {
            PLACE.2.signal(black_box(&signals)).expect("every call succeeds");
        }
    });
}

#[divan::bench(args = [1, 8])]
fn signal_checked(bencher: Bencher<'_, '_>, count: usize) {
    signal(bencher, count, Tracking::Off);
}

#[divan::bench(args = [1, 8])]
fn signal_tracked(bencher: Bencher<'_, '_>, count: usize) {
    signal(bencher, count, Tracking::Shared);
}
