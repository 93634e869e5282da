//! Vulkan and OpenCL: memory and semaphores that Vulkan exports, imported by the platform of the same GPU.

use std::{io, sync::Arc};

use clcu::{
    descriptor,
    opencl::{
        Context, Device, ExternalMemory, Library, Platform, Queue, Semaphore,
        capabilities::Support,
        kind,
        memory::{Object, Source},
        semaphore,
    },
    sys::opencl::{self, cl_bool, cl_external_memory_handle_type_khr, cl_external_semaphore_handle_type_khr, cl_mem, cl_result},
};

use crate::{Gpu, gpu, is_open, open_descriptors, vulkan::Vulkan};

const WORDS: usize = 1 << 18;
const BYTES: u64 = WORDS as u64 * 4;

/// The platform that shares memory by opaque descriptors, with a queue of its first device; `None`, having said so, where there is none.
pub(crate) struct OpenCl {
    pub(crate) platform: Arc<Platform>,
    device: Device,
    pub(crate) context: Context,
    pub(crate) queue: Queue,
}

pub(crate) fn opencl(test: &str) -> Option<OpenCl> {
    let found = Library::open().map_err(|error| error.to_string()).and_then(|library| {
        let platforms = library.platforms().map_err(|error| error.to_string())?.usable;
        let shares = |platform: &Platform| platform.has_extension("cl_khr_external_memory_opaque_fd");
        platforms.into_iter().find(shares).ok_or_else(|| "no platform shares memory by opaque descriptors".to_owned())
    });
    match found {
        Ok(platform) => {
            let platform = Arc::new(platform);
            let device = Device::all(&platform).expect("the platform lists its devices").remove(0);
            let context = Context::new(&platform, std::slice::from_ref(&device)).expect("the platform makes contexts");
            let queue = Queue::new(&context, &device).expect("the platform makes queues");
            Some(OpenCl { platform, device, context, queue })
        }
        Err(missing) => {
            assert!(std::env::var("CLCU_REQUIRE").as_deref() != Ok("gpu"), "{test}: {missing}");
            println!("skipped: vulkan_cuda_gpu: {test}: {}", missing.lines().next().unwrap_or_default());
            None
        }
    }
}

impl OpenCl {
    pub(crate) fn read(&self, memory: cl_mem) -> Vec<u32> {
        self.read_by(&self.queue, memory)
    }

    pub(crate) fn read_by(&self, queue: &Queue, memory: cl_mem) -> Vec<u32> {
        let mut words = vec![0_u32; WORDS];
        let (room, blocking) = (size_of_val(words.as_slice()), cl_bool::CL_TRUE);
        let read = self.platform.get(&opencl::clEnqueueReadBuffer).expect("it is in the core");
        // SAFETY: the buffer and the vector have so many bytes, and the call returns when they are there.
        let code = unsafe {
            read(queue.as_raw(), memory, blocking, 0, room, words.as_mut_ptr().cast(), 0, std::ptr::null(), std::ptr::null_mut())
        };
        assert_eq!(code, cl_result::CL_SUCCESS);
        words
    }

    pub(crate) fn write(&self, memory: cl_mem, words: &[u32]) {
        self.write_by(&self.queue, memory, words);
    }

    pub(crate) fn write_by(&self, queue: &Queue, memory: cl_mem, words: &[u32]) {
        let (size, blocking) = (size_of_val(words), cl_bool::CL_TRUE);
        let write = self.platform.get(&opencl::clEnqueueWriteBuffer).expect("it is in the core");
        // SAFETY: the buffer has as many bytes, and the call returns when they are copied.
        let code = unsafe {
            write(queue.as_raw(), memory, blocking, 0, size, words.as_ptr().cast(), 0, std::ptr::null(), std::ptr::null_mut())
        };
        assert_eq!(code, cl_result::CL_SUCCESS);
    }
}

fn pattern(round: u32) -> Vec<u32> {
    (0..).take(WORDS).map(|index: u32| index.wrapping_mul(2_654_435_761) ^ round).collect()
}

#[test]
fn bytes_that_vulkan_writes_are_read_by_opencl_and_the_other_way_round() {
    let test = "OpenCL reads and writes Vulkan's memory";
    let (Some(gpu), Some(opencl)) = (gpu(test), opencl(test)) else { return };
    let Gpu { vulkan, .. } = &gpu;
    for dedicated in [false, true] {
        let exported = vulkan.exported(BYTES, dedicated);
        let source = Source::opaque_fd(vulkan.export_memory(exported), Object::buffer(exported.size));
        let memory = ExternalMemory::import(&opencl.context, source).expect("OpenCL imports what Vulkan exported");
        let (to_opencl, to_vulkan) = (vulkan.semaphore(None), vulkan.semaphore(None));
        let import = |semaphore| {
            let source = semaphore::Source::opaque_fd(vulkan.export_semaphore(semaphore));
            Semaphore::import(&opencl.context, source).expect("OpenCL imports what Vulkan exported")
        };
        let (waits, signals) = (import(to_opencl), import(to_vulkan));
        for round in 0..8 {
            vulkan.fill(exported, !round, None, (to_opencl, 0));
            waits.wait(&opencl.queue).expect("the platform takes it");
            memory.acquire(&opencl.queue).expect("the platform takes it");
            assert!(opencl.read(memory.as_raw()).iter().all(|word| *word == !round), "round {round}: other bytes");
            let words = pattern(round);
            opencl.write(memory.as_raw(), &words);
            memory.release(&opencl.queue).expect("the platform takes it");
            signals.signal(&opencl.queue).expect("the platform takes it");
            opencl.queue.flush().expect("the platform takes it");
            assert!(vulkan.read(exported, (to_vulkan, 0), None) == words, "round {round}, dedicated {dedicated}: other bytes");
        }
        println!("OpenCL, dedicated {dedicated}: 8 rounds each way of {BYTES} bytes, memory of {} bytes", exported.size);
        drop((waits, signals));
        memory.destroy().expect("it is released once");
        vulkan.destroy_semaphore(to_opencl);
        vulkan.destroy_semaphore(to_vulkan);
        vulkan.free(exported);
    }
}

#[test]
fn what_the_platform_and_its_device_say_is_what_imports_do() {
    let test = "what OpenCL says that it shares";
    let (Some(gpu), Some(opencl)) = (gpu(test), opencl(test)) else { return };
    println!("{}", opencl.platform.driver());
    opencl.platform.capabilities().asked().for_each(|asked| println!("  {asked}"));
    let capabilities = opencl.device.capabilities();
    capabilities.asked().for_each(|asked| println!("  {asked}"));
    let memory = kind::of_memory(cl_external_memory_handle_type_khr::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    let semaphores = kind::of_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    for row in capabilities.rows().into_iter().filter(|row| matches!(row.import, Support::Yes(_) | Support::Refused(..))) {
        println!("  {}: import {}, export {:?}", row.handle_type.name, row.import, row.export.map(|export| export.to_string()));
    }
    let names: Vec<_> = capabilities
        .rows()
        .into_iter()
        .filter(|row| !matches!(row.import, Support::No(_) | Support::System | Support::Extension(_)))
        .map(|row| row.handle_type.name)
        .collect();
    for wanted in [memory, semaphores] {
        assert!(names.contains(&wanted.expect("the table has it").name), "{names:?}");
    }
    looks(&gpu.vulkan);
}

/// What the system says of descriptors that Vulkan exports.
fn looks(vulkan: &Vulkan) {
    let (exported, shared) = (vulkan.exported(BYTES, false), vulkan.semaphore(None));
    let (memory, semaphore) = (vulkan.export_memory(exported), vulkan.export_semaphore(shared));
    for (name, fd) in [("memory", &memory), ("a semaphore", &semaphore)] {
        println!("  {name} of Vulkan: {}", descriptor::Kind::of(fd).expect("this is Linux"));
    }
    vulkan.destroy_semaphore(shared);
    vulkan.free(exported);
}

#[test]
fn a_descriptor_of_something_else_is_refused_and_comes_back() {
    let test = "OpenCL and descriptors of something else";
    let (Some(_gpu), Some(opencl)) = (gpu(test), opencl(test)) else { return };
    let attempt = |what: &str, fd: std::os::fd::OwnedFd| {
        use std::os::fd::AsRawFd as _;
        let number = fd.as_raw_fd();
        let outcome = ExternalMemory::import(&opencl.context, Source::opaque_fd(fd, Object::buffer(4096)));
        let state = if is_open(number) { "open" } else { "closed" };
        match outcome {
            Ok(_memory) => println!("  memory, {what}: taken, the descriptor is {state}"),
            Err(error) => {
                println!("  memory, {what}: {:?}, the descriptor is {state} under its number", error.error().result());
                assert!(error.into_fd().is_some(), "it is the caller's");
            }
        }
    };
    let before = open_descriptors();
    for _ in 0..2 {
        let (pipe, _writer) = io::pipe().expect("a pipe can be made");
        attempt("a pipe", pipe.into());
        attempt("/dev/null", std::fs::File::open("/dev/null").expect("it is there").into());
        attempt("a file", tempfile::tempfile().expect("a file can be made").into());
    }
    assert_eq!(open_descriptors(), before);
}
