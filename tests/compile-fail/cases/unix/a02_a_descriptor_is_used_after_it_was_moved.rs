//! A02: the driver owns the descriptor of an import that succeeded, so that using it again is a mistake.

use std::os::fd::{AsRawFd, OwnedFd};

use clcu::cuda::{Current, ExternalSemaphore, ImportError, semaphore::Source};

fn import(current: &Current<'_>, exported: OwnedFd) -> Result<(), ImportError> {
    let semaphore = ExternalSemaphore::import(current, Source::opaque_fd(exported))?;
    println!("{}", exported.as_raw_fd());
    drop(semaphore);
    Ok(())
}

fn main() {}
