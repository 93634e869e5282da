//! One buffer of Vulkan's that OpenCL and CUDA write in turn: imports memory and semaphores into both, and passes the buffer on.
//!
//! `docs/vulkan-opencl-cuda.md` explains it; `tests/gpu/three.rs` runs it beside Vulkan on a GPU. Alone it has nothing to import, and says so.

/// What needs file descriptors.
#[cfg(unix)]
pub mod unix {
    use std::{error::Error, os::fd::OwnedFd, sync::Arc};

    use clcu::{
        cuda::{self, Context, Device, ExternalMemory, ExternalSemaphore, Identity, Stream, Uuid},
        opencl::{self, Queue, Semaphore},
        sys::{cuda::CUdeviceptr, opencl::cl_mem},
    };

    /// What Vulkan exported, by opaque descriptors. Each import takes one, so that what two APIs import is exported twice.
    #[derive(Debug)]
    pub struct Exported {
        /// The device's.
        pub uuid: [u8; 16],
        /// In bytes, of the allocation.
        pub size: u64,
        /// A dedicated allocation.
        pub memory: [OwnedFd; 2],
        /// Vulkan signals it.
        pub to_opencl: OwnedFd,
        /// OpenCL signals it, CUDA waits for it.
        pub to_cuda: [OwnedFd; 2],
        /// CUDA signals it.
        pub to_vulkan: OwnedFd,
    }

    /// Waits for Vulkan, lets OpenCL and then CUDA work on the buffer, and signals Vulkan.
    ///
    /// # Errors
    /// Those of each step; what was imported until then is released.
    pub fn pass_on(
        exported: Exported,
        platform: &Arc<opencl::Platform>,
        in_opencl: impl FnOnce(cl_mem, &Queue),
        in_cuda: impl FnOnce(CUdeviceptr, &Stream<'_>),
    ) -> Result<(), Box<dyn Error>> {
        let Exported { uuid, size, memory: [memory_1, memory_2], to_opencl, to_cuda: [to_cuda_1, to_cuda_2], to_vulkan } = exported;

        let device = opencl::Device::all(platform)?.remove(0);
        let context = opencl::Context::new(platform, std::slice::from_ref(&device))?;
        let queue = Queue::new(&context, &device)?;
        let source = opencl::memory::Source::opaque_fd(memory_1, opencl::memory::Object::buffer(size));
        let buffer = opencl::ExternalMemory::import(&context, source)?;
        let from_vulkan = Semaphore::import(&context, opencl::semaphore::Source::opaque_fd(to_opencl))?;
        let done = Semaphore::import(&context, opencl::semaphore::Source::opaque_fd(to_cuda_1))?;

        from_vulkan.wait(&queue)?;
        buffer.acquire(&queue)?;
        in_opencl(buffer.as_raw(), &queue);
        buffer.release(&queue)?;
        done.signal(&queue)?;
        queue.flush()?;

        let library = Arc::new(cuda::Library::open()?);
        let context = Context::primary(&Device::matching(&library, Identity::Uuid(Uuid(uuid)))?)?;
        let current = context.enter()?;
        let source = cuda::memory::Source::opaque_fd(memory_2, size).dedicated();
        let mapped = ExternalMemory::import_and_map(&current, source, 0, size)?;
        let from_opencl = ExternalSemaphore::import(&current, cuda::semaphore::Source::opaque_fd(to_cuda_2))?;
        let done = ExternalSemaphore::import(&current, cuda::semaphore::Source::opaque_fd(to_vulkan))?;

        let stream = current.default_stream();
        from_opencl.wait(&stream)?;
        in_cuda(mapped.address(), &stream);
        done.signal(&stream)?;
        stream.synchronize()?;
        queue.finish()?;
        Ok(())
    }
}

fn main() {
    eprintln!("there is nothing to import: Vulkan's side is in tests/gpu/three.rs");
}
