//! What CUDA itself makes and shares, in one process: allocations mapped, ranges as dma-bufs, and nodes of graphs that carry semaphores.

use std::{fs, os::fd::AsFd as _};

use clcu::{
    cuda::{
        Access, Allocation, Context, Current, Error, ExternalSemaphore, Reservation, checked, kind,
        semaphore::{Source, Tracking},
    },
    descriptor,
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
            CUexternalMemoryHandleType, CUexternalSemaphoreHandleType, CUgraph, CUgraphExec,
            CUmemAllocationHandleType as HandleTypes, CUmemRangeFlags, CUresult,
        },
        rules::Zeroed,
    },
};

use crate::{fill, gpu, new_stream, open_descriptors, read};

const FD: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

fn allocation(context: &Context) -> (Allocation, usize) {
    let size = Allocation::granularity(&context.device(), FD).expect("the driver says it");
    (Allocation::new(&context.device(), size, FD).expect("so much is there"), size)
}

#[test]
fn two_mappings_of_one_allocation_have_the_same_bytes_and_outlive_it() {
    let Some(gpu) = gpu("an allocation mapped twice") else { return };
    let (current, device) = (gpu.context.enter().expect("the context can be current"), gpu.context.device());
    let (allocation, size) = allocation(&gpu.context);
    let access = [(&device, Access::ReadWrite)];
    let addresses = Reservation::new(gpu.context.library(), 2 * size).expect("there are addresses");
    let first = addresses.map(0, size, &allocation, &access).expect("it is mapped");
    let second = addresses.map(size, size, &allocation, &access).expect("it is mapped a second time");
    let third = allocation.map(size, &access).expect("and at addresses of its own");
    allocation.release().expect("what is mapped stays");
    let stream = current.default_stream();
    fill(&current, first.address(), 0x1234_5678, 1024, stream.as_raw());
    stream.synchronize().expect("nothing waits");
    for address in [first.address(), second.address(), third.address()] {
        assert!(read(&current, address, 1024).iter().all(|word| *word == 0x1234_5678), "{address:?}");
    }
    let beyond = addresses.map(size + 1, size, &allocation_of(&gpu.context), &access).expect_err("it does not lie within");
    assert!(matches!(beyond, Error::OutOfRange { .. }), "{beyond}");
    first.unmap().expect("it is unmapped once");
    second.unmap().expect("it is unmapped once");
    addresses.free().expect("nothing is mapped there");
    third.unmap().expect("it is unmapped once");
}

fn allocation_of(context: &Context) -> Allocation {
    allocation(context).0
}

#[test]
fn memory_that_may_only_be_read_is_read_and_mapping_often_leaves_nothing() {
    let Some(gpu) = gpu("mapped to be read") else { return };
    let (current, device) = (gpu.context.enter().expect("the context can be current"), gpu.context.device());
    let (allocation, size) = allocation(&gpu.context);
    let (read_only, both) = ([(&device, Access::Read)], [(&device, Access::ReadWrite)]);
    let writable = allocation.map(size, &both).expect("it is mapped");
    fill(&current, writable.address(), 7, 16, current.default_stream().as_raw());
    let readable = allocation.map(size, &read_only);
    println!("mapped to be read only: {:?}", readable.as_ref().map(|_| ()).map_err(Error::result));
    if let Ok(readable) = readable {
        assert_eq!(read(&current, readable.address(), 16), [7; 16]);
    }
    let (descriptors, free) = (open_descriptors(), free_bytes(&current));
    for _ in 0..1000 {
        allocation.map(size, &both).expect("it is mapped").unmap().expect("it is unmapped once");
    }
    assert_eq!(open_descriptors(), descriptors);
    assert!(free_bytes(&current) + (2 << 20) >= free);
}

fn free_bytes(current: &Current<'_>) -> usize {
    let (mut free, mut total) = (0, 0);
    let ask = current.library().get(&cuda::cuMemGetInfo_v2).expect("the driver has it");
    // SAFETY: the results are written to memory that is ours.
    assert_eq!(unsafe { ask(&raw mut free, &raw mut total) }, CUresult::CUDA_SUCCESS);
    free
}

#[test]
fn a_range_of_addresses_becomes_a_dma_buf_where_the_device_has_them() {
    let Some(gpu) = gpu("a dma-buf") else { return };
    let (current, device) = (gpu.context.enter().expect("the context can be current"), gpu.context.device());
    let (allocation, size) = allocation(&gpu.context);
    let mapped = allocation.map(size, &[(&device, Access::ReadWrite)]).expect("it is mapped");
    let exported = match mapped.export_dma_buf(&current, CUmemRangeFlags(0)) {
        Ok(exported) => exported,
        // Where the attribute is 0, or the kernel has no module for it, the error is the fact.
        Err(error) => return println!("no dma-buf: {error}"),
    };
    let kind = descriptor::Kind::of(exported.as_fd()).expect("this is Linux");
    println!("a dma-buf is {kind}: {}", fs::read_link(format!("/proc/self/fd/{}", raw(&exported))).expect("it is open").display());
    assert_eq!(kind, descriptor::Kind::DmaBuf);
    // SAFETY: asking about a number does nothing to it.
    assert_eq!(unsafe { libc::fcntl(raw(&exported), libc::F_GETFD) }, libc::FD_CLOEXEC);
}

fn raw(fd: &impl std::os::fd::AsRawFd) -> std::os::fd::RawFd {
    fd.as_raw_fd()
}

/// What the kernel says that exported descriptors are, and that the check by kind lets them pass.
#[test]
fn what_vulkan_and_cuda_export_passes_the_check_by_kind() {
    let Some(gpu) = gpu("kinds of descriptors") else { return };
    let exported = gpu.vulkan.exported(1 << 20, false);
    let (binary, timeline) = (gpu.vulkan.semaphore(None), gpu.vulkan.semaphore(Some(0)));
    let semaphore = kind::of_semaphore(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
    let timelines = kind::of_semaphore(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
    let memory = kind::of_memory(CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
    for (what, row, fd) in [
        ("Vulkan's binary semaphore", semaphore, gpu.vulkan.export_semaphore(binary)),
        ("Vulkan's timeline semaphore", timelines, gpu.vulkan.export_semaphore(timeline)),
        ("Vulkan's memory", memory, gpu.vulkan.export_memory(exported)),
        ("CUDA's allocation", kind::of_allocation(FD), allocation(&gpu.context).0.export_fd().expect("it is exported")),
    ] {
        println!("{what}: {}", descriptor::Kind::of(fd.as_fd()).expect("this is Linux"));
        descriptor::check(fd.as_fd(), row.expect("it has a row")).expect(what);
    }
    gpu.vulkan.destroy_semaphore(binary);
    gpu.vulkan.destroy_semaphore(timeline);
    gpu.vulkan.free(exported);
}

/// A graph that waits for a value of Vulkan's and signals the next, launched twice with other values.
#[test]
fn nodes_of_a_graph_wait_for_vulkan_and_signal_it() {
    const TIMELINE: CUexternalSemaphoreHandleType =
        CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let Some(gpu) = gpu("nodes of a graph") else { return };
    let (current, library) = (gpu.context.enter().expect("the context can be current"), gpu.context.library());
    let shared = gpu.vulkan.semaphore(Some(0));
    let source = Source::timeline_semaphore_fd(gpu.vulkan.export_semaphore(shared)).tracking(Tracking::Off);
    let semaphore = ExternalSemaphore::import(&current, source).expect("it is good");
    let raw = semaphore.as_raw();
    let wait = |value| Zeroed::<WaitParameters>::new().with(WaitParameters::PARAMS_FENCE_VALUE, value);
    let signal = |value| Zeroed::<SignalParameters>::new().with(SignalParameters::PARAMS_FENCE_VALUE, value);
    let stream = new_stream(&current);
    let (mut graph, mut executable) = (CUgraph::NULL, CUgraphExec::NULL);
    let get = "the driver has it";
    // SAFETY: results are written to memory that is ours; the graph and the semaphore are alive; the parameters began as zeroes.
    unsafe {
        library.get(&cuda::cuGraphCreate).expect(get)(&raw mut graph, 0).result().expect("a graph can be made");
        let waits = wait(1);
        let first = checked::graph_add_external_semaphores_wait_node(library, graph, &[], &[(raw, TIMELINE, &*waits)], &[]);
        let first = first.expect("the driver takes the node");
        let signals = signal(2);
        let second =
            checked::graph_add_external_semaphores_signal_node(library, graph, &[first], &[(raw, TIMELINE, &*signals)], &[]);
        let second = second.expect("the driver takes the node");
        let instantiate = library.get(&cuda::cuGraphInstantiateWithFlags).expect(get);
        instantiate(&raw mut executable, graph, 0).result().expect("the graph can be made executable");
        let launch = library.get(&cuda::cuGraphLaunch).expect(get);
        launch(executable, stream).result().expect("it is launched");
        gpu.vulkan.host_signal((shared, 1));
        gpu.vulkan.host_wait((shared, 2));

        let (waits, signals) = (wait(3), signal(4));
        checked::graph_exec_external_semaphores_wait_node_set_params(library, executable, first, &[(raw, TIMELINE, &*waits)], &[])
            .expect("the driver takes other values");
        checked::graph_exec_external_semaphores_signal_node_set_params(
            library,
            executable,
            second,
            &[(raw, TIMELINE, &*signals)],
            &[],
        )
        .expect("the driver takes other values");
        launch(executable, stream).result().expect("it is launched");
        gpu.vulkan.host_signal((shared, 3));
        gpu.vulkan.host_wait((shared, 4));
        current.stream(stream).synchronize().expect("all is signalled");
        library.get(&cuda::cuGraphExecDestroy).expect(get)(executable).result().expect("it is destroyed once");
        library.get(&cuda::cuGraphDestroy).expect(get)(graph).result().expect("it is destroyed once");
    }
    assert_eq!(gpu.vulkan.value(shared), 4);
    semaphore.destroy().expect("it is destroyed once");
    gpu.vulkan.destroy_semaphore(shared);
}
