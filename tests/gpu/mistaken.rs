//! Objects of another kind than the type says: what no check can see, and the driver does not.

use std::os::fd::IntoRawFd as _;

use clcu::{
    cuda::{ExternalMemory, ExternalSemaphore, memory, semaphore::Source},
    sys::cuda::{CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor, CUresult},
};

use crate::{Gpu, descriptors, gpu, new_stream};

#[test]
fn a_semaphore_of_the_other_kind_is_accepted_by_the_driver() {
    let Some(gpu) = gpu("kinds that are mistaken") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let _current = context.enter().expect("the context can be current");
    let (binary, timeline) = (vulkan.semaphore(None), vulkan.semaphore(Some(0)));
    let number = vulkan.export_semaphore(timeline).into_raw_fd();
    let as_binary = descriptors::semaphore(context.library(), &Descriptor::opaque_fd(number), number);
    let number = vulkan.export_semaphore(binary).into_raw_fd();
    let as_timeline = descriptors::semaphore(context.library(), &Descriptor::timeline_semaphore_fd(number), number);
    println!("a timeline as OPAQUE_FD: {:?}; a binary one as TIMELINE_SEMAPHORE_FD: {:?}", as_binary.result, as_timeline.result);
    // What the documentation of `Source::opaque_fd` says of this driver.
    assert_eq!((as_binary.result, as_timeline.result), (CUresult::CUDA_SUCCESS, CUresult::CUDA_SUCCESS));
    vulkan.destroy_semaphore(binary);
    vulkan.destroy_semaphore(timeline);
}

#[test]
fn memory_is_imported_with_any_size_and_mapped_no_further_than_it_goes() {
    let Some(gpu) = gpu("a size that is not true") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    let exported = vulkan.exported(1 << 20, false);
    for (size, length) in [(1 << 19, 1 << 19), (1 << 24, 1 << 20), (1 << 24, 1 << 21), (1 << 24, 1 << 22), (1 << 24, 1 << 24)] {
        let memory = ExternalMemory::import(&current, memory::Source::opaque_fd(vulkan.export_memory(exported), size))
            .expect("the driver does not compare sizes");
        let mapped = memory.map_buffer(0, length).map(|mapped| mapped.unmap().expect("it is unmapped once"));
        println!("a mebibyte imported as {size} bytes, {length} mapped: {:?}", mapped.as_ref().map_err(clcu::cuda::Error::result));
        match mapped {
            Ok(()) => assert!(length <= exported.size, "more was mapped than there is"),
            Err(error) => assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}"),
        }
        memory.destroy().expect("it is destroyed once");
    }
    vulkan.free(exported);
}

#[test]
fn a_signal_writes_into_memory_that_was_imported_as_a_semaphore() {
    const VALUE: u64 = 0x1234_5678_9abc;
    let Some(gpu) = gpu("memory as a semaphore") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let exported = vulkan.exported(1 << 20, false);
    let point = vulkan.semaphore(Some(0));
    vulkan.fill(exported, 0, None, (point, 1));
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(vulkan.export_memory(exported)))
        .expect("the driver does not tell memory from a semaphore");
    semaphore.signal(&stream, VALUE).expect("the driver takes it");
    stream.synchronize().expect("nothing waits");
    let words = vulkan.read(exported, (point, 1), None);
    let changed: Vec<_> = words.iter().enumerate().filter(|(_, word)| **word != 0).take(8).collect();
    println!("words of the memory that a signal of {VALUE:#x} changed: {changed:x?}");
    assert_eq!(u64::from(words[1]) << 32 | u64::from(words[0]), VALUE);
    semaphore.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(point);
    vulkan.free(exported);
}
