//! The CUDA side of a semaphore that Vulkan made: imports a timeline semaphore by its file descriptor, waits for Vulkan, signals Vulkan.
//!
//! `docs/vulkan-cuda-semaphore.md` explains it. The descriptor's number is the first argument, the device's UUID the second, as 32
//! hexadecimal digits; without them it says so and ends.

#[cfg(unix)]
pub(crate) mod unix {
    use std::{env, error::Error, os::fd::FromRawFd as _, os::fd::OwnedFd, sync::Arc};

    use clcu::cuda::{Context, Device, ExternalSemaphore, Identity, Library, Uuid, semaphore::Source};

    /// What `vkGetSemaphoreFdKHR` and `VkPhysicalDeviceIDProperties::deviceUUID` give.
    pub(crate) fn run(exported: OwnedFd, uuid: [u8; 16]) -> Result<(), Box<dyn Error>> {
        let library = Arc::new(Library::open()?);
        let device = Device::matching(&library, Identity::Uuid(Uuid(uuid)))?;
        let context = Context::primary(&device)?;
        let current = context.enter()?;
        let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(exported))?;

        let stream = current.default_stream();
        semaphore.wait(&stream, 1)?; // until Vulkan has signalled 1
        // Kernels and copies that use what Vulkan wrote go here.
        semaphore.signal(&stream, 2)?; // what Vulkan waits for
        stream.synchronize()?;

        if let Some(stats) = semaphore.stats() {
            println!("{stats}");
        }
        semaphore.destroy()?;
        println!("waited for 1, signalled 2");
        Ok(())
    }

    pub(crate) fn arguments() -> Option<(OwnedFd, [u8; 16])> {
        let mut arguments = env::args().skip(1);
        let number = arguments.next()?.parse().ok().filter(|number| *number >= 0)?;
        let uuid = u128::from_str_radix(&arguments.next()?, 16).ok()?.to_be_bytes();
        // SAFETY: who starts this program leaves it a descriptor of this number that is nobody else's.
        Some((unsafe { OwnedFd::from_raw_fd(number) }, uuid))
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let done = match unix::arguments() {
        Some((exported, uuid)) => unix::run(exported, uuid),
        None => Err("give the number of an exported descriptor, and the UUID of its device".into()),
    };
    if let Err(error) = done {
        eprintln!("{error}");
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(not(unix))]
fn main() {
    eprintln!("file descriptors are shared on Unix; on Windows use `Source::timeline_semaphore_win32`");
}
