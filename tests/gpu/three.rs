//! Vulkan, OpenCL and CUDA on one GPU: a buffer of Vulkan's that each of the three writes in its turn, in the order that semaphores make.

use ash::vk;
use clcu::{
    cuda,
    cuda::Stream,
    interop::{Counterpart, SharedSemaphore, vulkan},
    opencl::{ExternalMemory, Queue, Semaphore, memory, semaphore},
    sys::{cuda::CUexternalSemaphoreHandleType, opencl::cl_external_semaphore_handle_type_khr},
};

use crate::{Gpu, gpu, new_stream, opencl::opencl, read, sharing::import, sharing::pattern, write};

const BYTES: u64 = 1 << 20;
const ROUNDS: u32 = 8;

/// Signals one side and waits for the other, whichever API the semaphores belong to.
fn pass_on<S: SharedSemaphore>(signals: &S, queue: &S::Queue<'_>) {
    signals.signal(queue).unwrap_or_else(|error| panic!("{error}"));
}

fn wait_for<S: SharedSemaphore>(waits: &S, queue: &S::Queue<'_>) {
    waits.wait(queue).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn vulkan_creates_opencl_writes_and_signals_cuda_waits_and_writes_and_vulkan_reads() {
    let test = "Vulkan, OpenCL and CUDA in turn";
    let (Some(gpu), Some(opencl)) = (gpu(test), opencl(test)) else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };

    let exported = vulkan.exported(BYTES, true);
    let mapped = import(&gpu, exported);
    let source = memory::Source::opaque_fd(vulkan.export_memory(exported), memory::Object::buffer(exported.size));
    let buffer = ExternalMemory::import(&opencl.context, source).expect("OpenCL imports what Vulkan exported");

    let [to_opencl, to_cuda, to_vulkan] = [(); 3].map(|()| vulkan.semaphore(None));
    let for_opencl = |made| {
        let source = semaphore::Source::opaque_fd(vulkan.export_semaphore(made));
        Semaphore::import(&opencl.context, source).expect("OpenCL imports what Vulkan exported")
    };
    let for_cuda = |made| {
        let source = cuda::semaphore::Source::opaque_fd(vulkan.export_semaphore(made));
        cuda::ExternalSemaphore::import(&current, source).expect("CUDA imports what Vulkan exported")
    };
    let (opencl_waits, opencl_signals) = (for_opencl(to_opencl), for_opencl(to_cuda));
    let (cuda_waits, cuda_signals) = (for_cuda(to_cuda), for_cuda(to_vulkan));

    for round in 0..ROUNDS {
        vulkan.fill(exported, !round, None, (to_opencl, 0));

        wait_for(&opencl_waits, &opencl.queue);
        buffer.acquire(&opencl.queue).expect("the platform takes it");
        assert!(opencl.read(buffer.as_raw()).iter().all(|word| *word == !round), "round {round}: OpenCL sees other bytes");
        let first = pattern(round);
        opencl.write(buffer.as_raw(), &first);
        buffer.release(&opencl.queue).expect("the platform takes it");
        pass_on(&opencl_signals, &opencl.queue);
        opencl.queue.flush().expect("the platform takes it");

        wait_for(&cuda_waits, &stream);
        stream.synchronize().expect("OpenCL has signalled");
        assert!(read(&current, mapped.address(), first.len()) == first, "round {round}: CUDA sees other bytes");
        let second = pattern(round ^ 0x5A5A);
        write(&current, mapped.address(), &second, stream.as_raw());
        pass_on(&cuda_signals, &stream);

        assert!(vulkan.read(exported, (to_vulkan, 0), None) == second, "round {round}: Vulkan sees other bytes");
    }
    println!("Vulkan, OpenCL, CUDA: {ROUNDS} rounds of {BYTES} bytes");

    drop((opencl_waits, opencl_signals));
    buffer.destroy().expect("it is released once");
    cuda_waits.destroy().expect("it is destroyed once");
    cuda_signals.destroy().expect("it is destroyed once");
    mapped.destroy().expect("it is destroyed once");
    for made in [to_opencl, to_cuda, to_vulkan] {
        vulkan.destroy_semaphore(made);
    }
    vulkan.free(exported);
}

#[allow(dead_code, unreachable_pub)] // it is a program of its own
#[path = "../../runtime/examples/three_apis.rs"]
mod example;

#[test]
fn the_example_of_the_guide_passes_a_buffer_from_vulkan_through_both_and_back() {
    let test = "the guide's example";
    let (Some(gpu), Some(opencl)) = (gpu(test), opencl(test)) else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    let made = vulkan.exported(BYTES, true);
    let [to_opencl, to_cuda, to_vulkan] = [(); 3].map(|()| vulkan.semaphore(None));
    vulkan.fill(made, 7, None, (to_opencl, 0));
    let exported = example::unix::Exported {
        uuid: vulkan.uuid,
        size: made.size,
        memory: [vulkan.export_memory(made), vulkan.export_memory(made)],
        to_opencl: vulkan.export_semaphore(to_opencl),
        to_cuda: [vulkan.export_semaphore(to_cuda), vulkan.export_semaphore(to_cuda)],
        to_vulkan: vulkan.export_semaphore(to_vulkan),
    };
    let (first, second) = (pattern(1), pattern(2));
    let in_opencl = |buffer, queue: &Queue| {
        assert!(opencl.read_by(queue, buffer).iter().all(|word| *word == 7), "OpenCL sees other bytes");
        opencl.write_by(queue, buffer, &first);
    };
    let in_cuda = |address, stream: &Stream<'_>| {
        stream.synchronize().expect("OpenCL has signalled");
        assert!(read(&current, address, first.len()) == first, "CUDA sees other bytes");
        write(&current, address, &second, stream.as_raw());
    };
    example::unix::pass_on(exported, &opencl.platform, in_opencl, in_cuda).expect("both drivers take it");
    assert!(vulkan.read(made, (to_vulkan, 0), None) == second, "Vulkan sees other bytes");
    for semaphore in [to_opencl, to_cuda, to_vulkan] {
        vulkan.destroy_semaphore(semaphore);
    }
    vulkan.free(made);
}

#[test]
fn what_vulkan_exports_is_named_alike_by_both() {
    let (bit, binary) = (vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD, vk::SemaphoreType::BINARY);
    let cuda = vulkan::cuda_semaphore(bit, binary).expect("CUDA takes opaque descriptors");
    let opencl: Option<cl_external_semaphore_handle_type_khr> = cuda.counterpart();
    assert_eq!(opencl, vulkan::opencl_semaphore(bit, binary));
    let timeline = vulkan::cuda_semaphore(bit, vk::SemaphoreType::TIMELINE);
    assert_eq!(timeline, Some(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD));
}
