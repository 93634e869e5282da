//! A sync file of another driver's (a DRM out-fence, a fence of Android's) as the start of work in OpenCL, and one for the work's end.
//!
//! `docs/sync-fd-opencl.md` explains it. The number of a sync file that is left to this program is the argument, −1 for one that has
//! signalled already; without it, it says so and ends.

#[cfg(unix)]
mod unix {
    use std::{env, error::Error, os::fd::FromRawFd as _, os::fd::OwnedFd, sync::Arc};

    use clcu::{
        opencl::{
            Context, Device, Library, Queue, Semaphore,
            semaphore::{Create, Source, SyncFd},
        },
        sys::opencl::cl_external_semaphore_handle_type_khr as HandleType,
    };

    /// Queues work behind `fence`, and gives the fence of the work.
    pub(super) fn run(fence: SyncFd) -> Result<SyncFd, Box<dyn Error>> {
        let library = Library::open()?;
        let takes_fences = |platform: &clcu::opencl::Platform| platform.has_extension("cl_khr_external_semaphore_sync_fd");
        let platform =
            library.platforms()?.usable.into_iter().find(takes_fences).ok_or("no platform of OpenCL takes sync files")?;
        let platform = Arc::new(platform);
        let device = Device::all(&platform)?.remove(0);
        let context = Context::new(&platform, std::slice::from_ref(&device))?;
        let queue = Queue::new(&context, &device)?;

        let begin = Semaphore::import(&context, Source::sync_fd(fence))?;
        let end = Semaphore::create(&context, Create::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR))?;
        begin.wait(&queue)?;
        // Kernels that use what the other driver wrote go here.
        end.signal(&queue)?;
        queue.flush()?;
        Ok(end.export_sync_fd(&device)?)
    }

    pub(super) fn argument() -> Option<SyncFd> {
        let number = env::args().nth(1)?.parse().ok()?;
        match number {
            -1 => Some(SyncFd::AlreadySignaled),
            // SAFETY: who starts this program leaves it a descriptor of this number that is nobody else's.
            0.. => Some(SyncFd::Fd(unsafe { OwnedFd::from_raw_fd(number) })),
            _ => None,
        }
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let done = match unix::argument() {
        Some(fence) => unix::run(fence),
        None => Err("give the number of a sync file, or -1".into()),
    };
    match done {
        Ok(fence) => println!("the work's fence: {fence:?}"),
        Err(error) => {
            eprintln!("{error}");
            return std::process::ExitCode::FAILURE;
        }
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(not(unix))]
fn main() {
    eprintln!("sync files are of Linux and Android");
}
