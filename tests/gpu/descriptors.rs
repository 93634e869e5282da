//! Who has a file descriptor after an import, asked of the kernel: the facts that the handle types' rows claim.

use std::{
    fs::File,
    os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd},
    ptr,
};

use clcu::{
    cuda::{Allocation, Library, kind},
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_MEMORY_HANDLE_DESC as MemoryDescriptor, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as SemaphoreDescriptor,
            CUexternalMemory, CUexternalMemoryHandleType as MemoryType, CUexternalSemaphore,
            CUexternalSemaphoreHandleType as SemaphoreType, CUmemAllocationHandleType, CUmemGenericAllocationHandle, CUresult,
        },
        rules::{HandleType, Owner, Zeroed},
    },
};

use crate::{Gpu, gpu, is_open};

/// What one import answered, and whether the descriptor's number was open afterwards.
pub(crate) struct Outcome {
    pub(crate) result: CUresult,
    pub(crate) open: bool,
}

/// Imports a semaphore unchecked, and destroys it. The descriptor is closed by whoever has it.
pub(crate) fn semaphore(library: &Library, descriptor: &Zeroed<'_, SemaphoreDescriptor>, number: RawFd) -> Outcome {
    let import = library.get(&cuda::cuImportExternalSemaphore).expect("the driver has it");
    let destroy = library.get(&cuda::cuDestroyExternalSemaphore).expect("the driver has it");
    let mut semaphore = CUexternalSemaphore::NULL;
    // SAFETY: both pointers are good for the call.
    let result = unsafe { import(&raw mut semaphore, descriptor.as_ptr()) };
    let open = close(number);
    if result == CUresult::CUDA_SUCCESS {
        // SAFETY: it is alive, and nothing uses it.
        assert_eq!(unsafe { destroy(semaphore) }, CUresult::CUDA_SUCCESS);
    }
    Outcome { result, open }
}

/// The same for memory.
pub(crate) fn memory(library: &Library, descriptor: &Zeroed<'_, MemoryDescriptor>, number: RawFd) -> Outcome {
    let import = library.get(&cuda::cuImportExternalMemory).expect("the driver has it");
    let destroy = library.get(&cuda::cuDestroyExternalMemory).expect("the driver has it");
    let mut memory = CUexternalMemory::NULL;
    // SAFETY: both pointers are good for the call.
    let result = unsafe { import(&raw mut memory, descriptor.as_ptr()) };
    let open = close(number);
    if result == CUresult::CUDA_SUCCESS {
        // SAFETY: it is alive, and nothing uses it.
        assert_eq!(unsafe { destroy(memory) }, CUresult::CUDA_SUCCESS);
    }
    Outcome { result, open }
}

/// Whether the driver left a descriptor open; if so it is closed.
fn close(number: RawFd) -> bool {
    let open = is_open(number);
    if open {
        // SAFETY: it is open, and of nobody else: one test at a time has descriptors.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
    }
    open
}

/// Descriptors of every kind that is at hand, right and wrong.
fn kinds(gpu: &Gpu) -> Vec<(&'static str, OwnedFd)> {
    let Gpu { vulkan, context, .. } = gpu;
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    // SAFETY: a new descriptor is the caller's.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, 0)) };
    let exported = vulkan.exported(1 << 20, false);
    let (binary, timeline) = (vulkan.semaphore(None), vulkan.semaphore(Some(0)));
    let shared_as = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let allocation = Allocation::new(&context.device(), 1 << 21, shared_as).expect("two mebibytes are there");
    let kinds = vec![
        ("a pipe's reader", reader.into()),
        ("a pipe's writer", writer.into()),
        ("a directory", File::open("/").expect("it is there").into()),
        ("/dev/null", File::open("/dev/null").expect("it is there").into()),
        ("a file", tempfile::tempfile().expect("a file can be made").into()),
        ("a socket", std::os::unix::net::UnixDatagram::unbound().expect("a socket can be made").into()),
        ("an eventfd", event),
        ("Vulkan's binary semaphore", vulkan.export_semaphore(binary)),
        ("Vulkan's timeline semaphore", vulkan.export_semaphore(timeline)),
        ("Vulkan's memory", vulkan.export_memory(exported)),
        ("CUDA's allocation", allocation.export_fd().expect("the device exports descriptors")),
    ];
    vulkan.destroy_semaphore(binary);
    vulkan.destroy_semaphore(timeline);
    vulkan.free(exported);
    kinds
}

/// Compares with what the row says. Rows that say nothing are only reported.
fn judge(what: &str, row: &'static HandleType, outcome: &Outcome, contradictions: &mut Vec<String>) {
    let succeeded = outcome.result == CUresult::CUDA_SUCCESS;
    let owner = if succeeded { row.owner_on_success } else { row.owner_on_failure };
    let line = format!("{}: {what}: {:?}, descriptor {}", row.short, outcome.result, if outcome.open { "open" } else { "closed" });
    println!("{line}");
    let expected = match owner {
        Owner::Driver => Some(false),
        Owner::Caller => Some(true),
        _ => None,
    };
    if expected.is_some_and(|open| open != outcome.open) {
        contradictions.push(format!("{line}, the row says {owner:?}"));
    }
}

#[test]
fn after_every_import_the_descriptor_is_whose_the_row_says() {
    let Some(gpu) = gpu("descriptors of every kind") else { return };
    let _current = gpu.context.enter().expect("the context can be current");
    let library = gpu.context.library();
    let mut contradictions = Vec::new();
    for handle_type in [
        SemaphoreType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        SemaphoreType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
    ] {
        let row = kind::of_semaphore(handle_type).expect("it has a row");
        for (what, fd) in kinds(&gpu) {
            let number = fd.into_raw_fd();
            let descriptor = Zeroed::<SemaphoreDescriptor>::new()
                .with(SemaphoreDescriptor::TYPE, handle_type)
                .with(SemaphoreDescriptor::HANDLE_FD, number);
            judge(&format!("semaphore from {what}"), row, &semaphore(library, &descriptor, number), &mut contradictions);
        }
    }
    for handle_type in [MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD]
    {
        let row = kind::of_memory(handle_type).expect("it has a row");
        for (what, fd) in kinds(&gpu) {
            let number = fd.into_raw_fd();
            let descriptor = Zeroed::<MemoryDescriptor>::new()
                .with(MemoryDescriptor::TYPE, handle_type)
                .with(MemoryDescriptor::SIZE, 1 << 20)
                .with(MemoryDescriptor::HANDLE_FD, number);
            judge(&format!("memory from {what}"), row, &memory(library, &descriptor, number), &mut contradictions);
        }
    }
    assert!(contradictions.is_empty(), "{contradictions:#?}");
}

#[test]
fn good_memory_with_a_wrong_size_or_flag_leaves_the_descriptor_as_the_row_says() {
    let Some(gpu) = gpu("sizes and flags of memory") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let _current = context.enter().expect("the context can be current");
    let row = kind::of_memory(MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD).expect("it has a row");
    let mut contradictions = Vec::new();
    for dedicated in [false, true] {
        let exported = vulkan.exported(1 << 20, dedicated);
        for (size, flags) in [
            (exported.size, 0),
            (exported.size, 1),
            (exported.size, 2),
            (0, 0),
            (exported.size / 2, 0),
            (exported.size * 16, 0),
            (u64::MAX, 0),
        ] {
            let number = vulkan.export_memory(exported).into_raw_fd();
            let descriptor = MemoryDescriptor::opaque_fd(number, size, flags);
            let outcome = memory(context.library(), &descriptor, number);
            let what = format!("memory of {} bytes, dedicated {dedicated}, as {size} with flags {flags}", exported.size);
            judge(&what, row, &outcome, &mut contradictions);
        }
        vulkan.free(exported);
    }
    assert!(contradictions.is_empty(), "{contradictions:#?}");
}

#[test]
fn importing_an_allocation_leaves_every_descriptor_open() {
    let Some(gpu) = gpu("descriptors as allocations") else { return };
    let _current = gpu.context.enter().expect("the context can be current");
    let library = gpu.context.library();
    let import = library.get(&cuda::cuMemImportFromShareableHandle).expect("the driver has it");
    let release = library.get(&cuda::cuMemRelease).expect("the driver has it");
    let shared_as = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    for (what, fd) in kinds(&gpu) {
        let number = fd.as_raw_fd();
        let mut handle = CUmemGenericAllocationHandle(0);
        let carried = ptr::without_provenance_mut(usize::try_from(number).expect("an open descriptor is no negative number"));
        // SAFETY: the result is written to memory that is ours; the descriptor is carried as the command asks for.
        let result = unsafe { import(&raw mut handle, carried, shared_as) };
        println!("allocation from {what}: {result:?}, descriptor {}", if is_open(number) { "open" } else { "closed" });
        assert!(is_open(number), "the driver closed it: {what}");
        if result == CUresult::CUDA_SUCCESS {
            // SAFETY: it is alive, and nothing uses it.
            assert_eq!(unsafe { release(handle) }, CUresult::CUDA_SUCCESS);
        }
    }
}
