//! What works: bytes that one side writes, the other reads, in the order that semaphores make.

use std::thread;

use clcu::{
    cuda::{
        Error, ExternalMemory, ExternalSemaphore, Identity, Uuid,
        memory::{self, MappedMemory},
        semaphore::Source,
    },
    sys::cuda::{self, CUresult},
};

use crate::{
    Gpu, fill, gpu, is_open, new_stream, read,
    vulkan::{Exported, Vulkan},
    write,
};

const WORDS: usize = 1 << 18;
const BYTES: u64 = WORDS as u64 * 4;

/// The memory of a buffer, and all of the buffer mapped.
pub(crate) fn import(gpu: &Gpu, exported: Exported) -> MappedMemory {
    let current = gpu.context.enter().expect("the context can be current");
    let source = memory::Source::opaque_fd(gpu.vulkan.export_memory(exported), exported.size);
    let source = if exported.dedicated { source.dedicated() } else { source };
    ExternalMemory::import_and_map(&current, source, 0, exported.bytes).expect("CUDA imports what Vulkan exported")
}

pub(crate) fn pattern(round: u32) -> Vec<u32> {
    (0..).take(WORDS).map(|index: u32| index.wrapping_mul(2_654_435_761) ^ round).collect()
}

#[test]
fn bytes_that_cuda_writes_are_read_by_vulkan_after_a_binary_semaphore_and_the_other_way_round() {
    let Some(gpu) = gpu("binary semaphores, dedicated and shared memory") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    for dedicated in [false, true] {
        let exported = vulkan.exported(BYTES, dedicated);
        let mapped = import(&gpu, exported);
        let (to_vulkan, to_cuda) = (vulkan.semaphore(None), vulkan.semaphore(None));
        let import = |semaphore| ExternalSemaphore::import(&current, Source::opaque_fd(vulkan.export_semaphore(semaphore)));
        let signals = import(to_vulkan).expect("CUDA imports what Vulkan exported");
        let waits = import(to_cuda).expect("CUDA imports what Vulkan exported");
        for round in 0..8 {
            let words = pattern(round);
            write(&current, mapped.address(), &words, stream.as_raw());
            signals.signal(&stream).expect("the driver takes it");
            assert!(vulkan.read(exported, (to_vulkan, 0), None) == words, "round {round}, dedicated {dedicated}: other bytes");

            vulkan.fill(exported, !round, None, (to_cuda, 0));
            waits.wait(&stream).expect("the driver takes it");
            stream.synchronize().expect("Vulkan has signalled");
            assert!(read(&current, mapped.address(), WORDS).iter().all(|word| *word == !round), "round {round}: other bytes");
        }
        println!("binary, dedicated {dedicated}: 8 rounds each way of {BYTES} bytes, memory of {} bytes", exported.size);
        signals.destroy().expect("it is destroyed once");
        waits.destroy().expect("it is destroyed once");
        mapped.destroy().expect("it is destroyed once");
        vulkan.destroy_semaphore(to_vulkan);
        vulkan.destroy_semaphore(to_cuda);
        vulkan.free(exported);
    }
}

#[test]
fn a_timeline_semaphore_orders_both_sides_by_its_values() {
    let Some(gpu) = gpu("timeline semaphores") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let exported = vulkan.exported(BYTES, false);
    let mapped = import(&gpu, exported);
    let shared = vulkan.semaphore(Some(0));
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(vulkan.export_semaphore(shared)))
        .expect("CUDA imports what Vulkan exported");
    let mut value = 0;
    for round in 0..8 {
        vulkan.fill(exported, round, None, (shared, value + 1));
        semaphore.wait(&stream, value + 1).expect("the driver takes it");
        stream.synchronize().expect("Vulkan has signalled");
        assert!(read(&current, mapped.address(), WORDS).iter().all(|word| *word == round), "round {round}: other bytes");
        fill(&current, mapped.address(), !round, WORDS, stream.as_raw());
        semaphore.signal(&stream, value + 2).expect("the driver takes it");
        let words = vulkan.read(exported, (shared, value + 2), Some((shared, value + 3)));
        assert!(words.iter().all(|word| *word == !round), "round {round}: other bytes");
        value += 3;
        assert_eq!(vulkan.value(shared), value);
    }
    let stats = semaphore.stats();
    println!("timeline: 8 rounds, value {value}; {}", stats.map(|stats| stats.to_string()).unwrap_or_default());
    semaphore.destroy().expect("it is destroyed once");
    mapped.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(shared);
    vulkan.free(exported);
}

#[test]
fn a_stream_stands_still_until_vulkan_signals_the_value_that_it_waits_for() {
    let Some(gpu) = gpu("a wait that is not over") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let query = current.library().get(&cuda::cuStreamQuery).expect("every driver has it");
    let shared = vulkan.semaphore(Some(7));
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(vulkan.export_semaphore(shared)))
        .expect("CUDA imports what Vulkan exported");
    semaphore.wait(&stream, 7).expect("the driver takes it");
    stream.synchronize().expect("the first value is enough");
    semaphore.wait(&stream, 10).expect("the driver takes it");
    semaphore.signal(&stream, 11).expect("the driver takes it");
    // SAFETY: the stream is alive.
    let asked = || unsafe { query(stream.as_raw()) };
    assert_eq!((asked(), vulkan.value(shared)), (CUresult::CUDA_ERROR_NOT_READY, 7));
    vulkan.host_signal((shared, 9));
    assert_eq!((asked(), vulkan.value(shared)), (CUresult::CUDA_ERROR_NOT_READY, 9));
    vulkan.host_signal((shared, 10));
    vulkan.host_wait((shared, 11));
    stream.synchronize().expect("Vulkan has signalled");
    assert_eq!((asked(), vulkan.value(shared)), (CUresult::CUDA_SUCCESS, 11));
    semaphore.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(shared);
}

#[test]
fn parts_are_mapped_where_they_lie_and_nothing_beyond_the_memory() {
    let Some(gpu) = gpu("parts of memory") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    let exported = vulkan.exported(BYTES, false);
    let fd = vulkan.export_memory(exported);
    let beyond = ExternalMemory::import_and_map(&current, memory::Source::opaque_fd(fd, exported.size), exported.size - 4, 8)
        .expect_err("the last four bytes are not there");
    assert!(matches!(beyond.error(), Error::OutOfRange { length: 8, .. }), "{beyond}");
    let fd = beyond.into_fd().expect("a mapping that fails gives it back");
    let memory = ExternalMemory::import(&current, memory::Source::opaque_fd(fd, exported.size)).expect("it is good still");
    let half = memory.map_buffer(BYTES / 2, BYTES / 2).expect("it lies within");
    let whole = memory.map_buffer(0, BYTES).expect("it lies within");
    let stream = current.default_stream();
    fill(&current, whole.address(), 1, WORDS, stream.as_raw());
    fill(&current, half.address(), 2, WORDS / 2, stream.as_raw());
    stream.synchronize().expect("nothing waits");
    half.unmap().expect("it is unmapped once");
    whole.unmap().expect("it is unmapped once");
    memory.destroy().expect("it is destroyed once");
    let point = (vulkan.semaphore(Some(1)), 1);
    let words = vulkan.read(exported, point, None);
    let (first, second) = words.split_at(WORDS / 2);
    assert!(first.iter().all(|word| *word == 1) && second.iter().all(|word| *word == 2));
    vulkan.destroy_semaphore(point.0);
    vulkan.free(exported);
}

#[test]
fn the_device_is_the_one_that_vulkan_names_and_another_is_not_found() {
    let Some(gpu) = gpu("one GPU by two APIs") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let device = context.device();
    assert_eq!(device.uuid().expect("every device has one"), Uuid(vulkan.uuid));
    println!("{} for Vulkan, {} for CUDA, {}", vulkan.name, device.name().expect("it has a name"), Uuid(vulkan.uuid));
    let other = Identity::Uuid(Uuid([0x5a; 16]));
    let absent = clcu::cuda::Device::matching(context.library(), other).expect_err("nobody has this one");
    println!("{absent}");
    assert!(absent.to_string().contains(&Uuid(vulkan.uuid).to_string()));
}

/// Waits for `from`, `from + 2`, … on a stream of its own, and signals the value after each.
fn answer(gpu: &Gpu, fd: std::os::fd::OwnedFd, from: u64, rounds: u64) {
    let current = gpu.context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(fd)).expect("both import the same");
    for round in 0..rounds {
        semaphore.wait(&stream, from + 2 * round).expect("the driver takes it");
        semaphore.signal(&stream, from + 2 * round + 1).expect("the driver takes it");
    }
    stream.synchronize().expect("the other thread answers");
    semaphore.destroy().expect("it is destroyed once");
}

#[test]
fn two_threads_answer_each_other_through_one_semaphore() {
    const ROUNDS: u64 = 500;
    let Some(gpu) = gpu("two threads") else { return };
    let shared = gpu.vulkan.semaphore(Some(0));
    let (first, second) = (gpu.vulkan.export_semaphore(shared), gpu.vulkan.export_semaphore(shared));
    thread::scope(|scope| {
        scope.spawn(|| answer(&gpu, first, 1, ROUNDS));
        scope.spawn(|| answer(&gpu, second, 2, ROUNDS));
        gpu.vulkan.host_signal((shared, 1));
        gpu.vulkan.host_wait((shared, 2 * ROUNDS + 1));
    });
    assert_eq!(gpu.vulkan.value(shared), 2 * ROUNDS + 1);
    gpu.vulkan.destroy_semaphore(shared);
}

/// Imports and destroys, on a thread of its own.
fn import_often(gpu: &Gpu, vulkan: &Vulkan, timeline: bool) {
    let current = gpu.context.enter().expect("the context can be current");
    let shared = vulkan.semaphore(timeline.then_some(0));
    for _ in 0..1000 {
        let fd = vulkan.export_semaphore(shared);
        if timeline {
            ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(fd)).expect("it is good").destroy().expect("once");
        } else {
            ExternalSemaphore::import(&current, Source::opaque_fd(fd)).expect("it is good").destroy().expect("once");
        }
    }
    vulkan.destroy_semaphore(shared);
}

#[test]
fn two_threads_import_at_once_and_no_descriptor_is_lost_or_closed_for_the_other() {
    let Some(gpu) = gpu("two threads that import") else { return };
    import_often(&gpu, &gpu.vulkan, true);
    let before = crate::open_descriptors();
    let witness = std::fs::File::open("/dev/null").expect("there are numbers left");
    thread::scope(|scope| {
        scope.spawn(|| import_often(&gpu, &gpu.vulkan, true));
        scope.spawn(|| import_often(&gpu, &gpu.vulkan, false));
    });
    assert!(is_open(std::os::fd::AsRawFd::as_raw_fd(&witness)), "somebody closed a descriptor that was not theirs");
    drop(witness);
    assert_eq!(crate::open_descriptors(), before);
}

#[allow(dead_code)] // it is a program of its own
#[path = "../../runtime/examples/share_semaphore.rs"]
mod example;

#[test]
fn the_example_of_the_guide_waits_for_vulkan_and_signals_it() {
    let Some(gpu) = gpu("the example of the guide for semaphores") else { return };
    let timeline = gpu.vulkan.semaphore(Some(0));
    let exported = gpu.vulkan.export_semaphore(timeline);
    gpu.vulkan.host_signal((timeline, 1));
    example::unix::run(exported, gpu.vulkan.uuid).expect("the driver takes it");
    gpu.vulkan.host_wait((timeline, 2));
    assert_eq!(gpu.vulkan.value(timeline), 2);
    gpu.vulkan.destroy_semaphore(timeline);
}
