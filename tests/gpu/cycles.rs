//! What is left behind: nothing.

use std::{fs, time::Instant};

use clcu::{
    cuda::{
        Current, ExternalMemory, ExternalSemaphore, checked, memory,
        semaphore::{Source, Tracking},
    },
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as Signal,
            CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as Wait, CUresult,
        },
        rules::Zeroed,
    },
};

use crate::{Gpu, gpu, open_descriptors, vulkan::Exported};

/// Imports of semaphores, half of them binary and half timelines.
const SEMAPHORES: u32 = 100_000;
/// Imports of memory, each mapped.
const MEMORIES: u32 = 5_000;
/// What the device may have less afterwards: one block of the driver's own.
const DEVICE_TOLERANCE: usize = 2 << 20;
/// What the process may have more afterwards: what an allocator keeps for later.
const HOST_TOLERANCE: usize = 8 << 20;

/// What can leak: descriptors, free bytes of the device, resident bytes of the process.
#[derive(Clone, Copy, Debug)]
struct Held {
    descriptors: usize,
    free: usize,
    resident: usize,
}

fn held(current: &Current<'_>) -> Held {
    let (mut free, mut total) = (0, 0);
    let ask = current.library().get(&cuda::cuMemGetInfo_v2).expect("the driver has it");
    // SAFETY: the results are written to memory that is ours.
    assert_eq!(unsafe { ask(&raw mut free, &raw mut total) }, CUresult::CUDA_SUCCESS);
    let pages = fs::read_to_string("/proc/self/statm").expect("this is Linux");
    let pages: usize =
        pages.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).expect("the second is the resident set");
    Held { descriptors: open_descriptors(), free, resident: pages * 4096 }
}

fn compare(what: &str, before: Held, after: Held) {
    println!("{what}: before {before:?}, after {after:?}");
    assert_eq!(after.descriptors, before.descriptors, "{what}: descriptors");
    assert!(after.free + DEVICE_TOLERANCE >= before.free, "{what}: memory of the device");
    assert!(after.resident <= before.resident + HOST_TOLERANCE, "{what}: memory of the process");
}

fn semaphores(gpu: &Gpu, current: &Current<'_>, count: u32) {
    let (binary, timeline) = (gpu.vulkan.semaphore(None), gpu.vulkan.semaphore(Some(0)));
    let (binary_fd, timeline_fd) = (gpu.vulkan.export_semaphore(binary), gpu.vulkan.export_semaphore(timeline));
    for _ in 0..count / 2 {
        let fd = binary_fd.try_clone().expect("there are numbers left");
        ExternalSemaphore::import(current, Source::opaque_fd(fd)).expect("it is good").destroy().expect("once");
        let fd = timeline_fd.try_clone().expect("there are numbers left");
        ExternalSemaphore::import(current, Source::timeline_semaphore_fd(fd)).expect("it is good").destroy().expect("once");
    }
    gpu.vulkan.destroy_semaphore(binary);
    gpu.vulkan.destroy_semaphore(timeline);
}

fn memories(gpu: &Gpu, current: &Current<'_>, exported: Exported, count: u32) {
    let shared = gpu.vulkan.export_memory(exported);
    for _ in 0..count {
        let fd = shared.try_clone().expect("there are numbers left");
        let source = memory::Source::opaque_fd(fd, exported.size);
        ExternalMemory::import_and_map(current, source, 0, exported.bytes).expect("it is good").destroy().expect("once");
    }
}

#[test]
fn a_hundred_thousand_semaphores_leave_no_descriptor_and_no_memory() {
    let Some(gpu) = gpu("a hundred thousand semaphores") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    semaphores(&gpu, &current, 2_000);
    let before = held(&current);
    let began = Instant::now();
    semaphores(&gpu, &current, SEMAPHORES);
    println!("{SEMAPHORES} semaphores imported and destroyed in {:?}", began.elapsed());
    compare("semaphores", before, held(&current));
}

#[test]
fn thousands_of_mapped_memories_leave_no_descriptor_and_no_memory() {
    let Some(gpu) = gpu("thousands of memories") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let exported = gpu.vulkan.exported(1 << 20, false);
    memories(&gpu, &current, exported, 200);
    let before = held(&current);
    let began = Instant::now();
    memories(&gpu, &current, exported, MEMORIES);
    println!("{MEMORIES} memories imported, mapped and destroyed in {:?}", began.elapsed());
    compare("memories", before, held(&current));
    gpu.vulkan.free(exported);
}

#[test]
fn failing_imports_leave_no_descriptor_and_no_memory() {
    let Some(gpu) = gpu("failing imports") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let fail = |count| {
        for _ in 0..count {
            let fd = fs::File::open("/dev/null").expect("there are numbers left").into();
            drop(ExternalSemaphore::import(&current, Source::opaque_fd(fd)).expect_err("it is no semaphore"));
        }
    };
    fail(200);
    let before = held(&current);
    let began = Instant::now();
    fail(10_000);
    println!("10000 imports failed in {:?}", began.elapsed());
    compare("failing imports", before, held(&current));
}

/// Nothing is asserted of times; they are for `RESULTS.md`.
#[test]
fn what_a_check_costs_beside_an_import_is_printed() {
    const ROUNDS: u32 = 5_000;
    let Some(gpu) = gpu("costs") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let library = gpu.context.library();
    let timeline = gpu.vulkan.semaphore(Some(0));
    let shared = gpu.vulkan.export_semaphore(timeline);
    let fds = || -> Vec<_> { (0..ROUNDS / 50).map(|_| shared.try_clone().expect("there are numbers left")).collect() };

    let given = checked::given(library);
    let descriptor: Zeroed<'_, Descriptor> = Descriptor::timeline_semaphore_fd(3);
    let began = Instant::now();
    let good = (0..1_000_000).filter(|_| std::hint::black_box(&descriptor).check(&given).is_ok()).count();
    println!("a check alone: {:?} each", began.elapsed() / 1_000_000);
    assert_eq!(good, 1_000_000);

    let import = library.get(&cuda::cuImportExternalSemaphore).expect("the driver has it");
    let destroy = library.get(&cuda::cuDestroyExternalSemaphore).expect("the driver has it");
    let (mut raw, mut owned) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
    for _ in 0..50 {
        for fd in fds() {
            let descriptor = Descriptor::timeline_semaphore_fd(std::os::fd::IntoRawFd::into_raw_fd(fd));
            let mut semaphore = cuda::CUexternalSemaphore::NULL;
            let began = Instant::now();
            // SAFETY: both pointers are good for the call.
            assert_eq!(unsafe { import(&raw mut semaphore, descriptor.as_ptr()) }, CUresult::CUDA_SUCCESS);
            raw += began.elapsed();
            // SAFETY: it is alive, and nothing uses it.
            assert_eq!(unsafe { destroy(semaphore) }, CUresult::CUDA_SUCCESS);
        }
        for fd in fds() {
            let source = Source::timeline_semaphore_fd(fd).tracking(Tracking::Off);
            let began = Instant::now();
            let semaphore = ExternalSemaphore::import(&current, source).expect("it is good");
            owned += began.elapsed();
            semaphore.destroy().expect("once");
        }
    }
    println!("an import: unchecked {:?}, by its owner {:?} each", raw / ROUNDS, owned / ROUNDS);
    gpu.vulkan.destroy_semaphore(timeline);
}

#[test]
fn what_a_check_costs_beside_a_signal_and_a_wait_is_printed() {
    const ROUNDS: u64 = 200;
    const EACH: u64 = 50;
    let Some(gpu) = gpu("costs of signals") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let (library, stream) = (gpu.context.library(), current.default_stream());
    let timeline = gpu.vulkan.semaphore(Some(0));
    let fd = gpu.vulkan.export_semaphore(timeline);
    let source = Source::timeline_semaphore_fd(fd).tracking(Tracking::Off);
    let semaphore = ExternalSemaphore::import(&current, source).expect("it is good");
    let handle = semaphore.as_raw();
    let signal = library.get(&cuda::cuSignalExternalSemaphoresAsync).expect("the driver has it");
    let wait = library.get(&cuda::cuWaitExternalSemaphoresAsync).expect("the driver has it");
    let mut spent = [std::time::Duration::ZERO; 4];
    let mut value = 0;
    // In turns, so that all four meet the same clock of the processor; a wait is for what was signalled before it on the stream.
    for _ in 0..ROUNDS {
        for (way, spent) in spent.iter_mut().enumerate() {
            let began = Instant::now();
            for _ in 0..EACH {
                value += u64::from(way < 2);
                match way {
                    0 => {
                        let parameters = Zeroed::<Signal>::new().with(Signal::PARAMS_FENCE_VALUE, value);
                        // SAFETY: the semaphore is alive, the stream is the default one.
                        let code = unsafe { signal(&raw const handle, parameters.as_ptr(), 1, stream.as_raw()) };
                        assert_eq!(code, CUresult::CUDA_SUCCESS);
                    }
                    1 => semaphore.signal(&stream, value).expect("it goes up"),
                    2 => {
                        let parameters = Zeroed::<Wait>::new().with(Wait::PARAMS_FENCE_VALUE, value);
                        // SAFETY: as above.
                        let code = unsafe { wait(&raw const handle, parameters.as_ptr(), 1, stream.as_raw()) };
                        assert_eq!(code, CUresult::CUDA_SUCCESS);
                    }
                    _ => semaphore.wait(&stream, value).expect("it was signalled"),
                }
            }
            *spent += began.elapsed();
            stream.synchronize().expect("everything was signalled");
        }
    }
    let each = u32::try_from(ROUNDS * EACH).expect("it is small");
    let [raw_signal, signal, raw_wait, wait] = spent.map(|spent| spent / each);
    println!("a signal: unchecked {raw_signal:?}, by its owner {signal:?}; a wait: {raw_wait:?}, {wait:?} each");
    semaphore.destroy().expect("once");
    gpu.vulkan.destroy_semaphore(timeline);
}
