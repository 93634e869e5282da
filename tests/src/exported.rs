//! What another API exported, as far as tests for every system need it: carried by a file descriptor, or on Windows by a handle.
//!
//! It is open, and of no kind that a real driver would take; the mock drivers take whatever is open.

#[cfg(unix)]
use std::os::fd::OwnedFd;

use clcu::cuda::{
    memory,
    semaphore::{Binary, Fence, Source},
};

/// A descriptor that is open.
///
/// # Panics
/// If there is none left.
#[cfg(unix)]
#[must_use]
pub fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it is there, and there are numbers left").into()
}

/// A handle that is open for as long as the program runs.
#[cfg(windows)]
fn handle() -> std::os::windows::io::BorrowedHandle<'static> {
    use std::os::windows::io::{AsHandle as _, OwnedHandle};

    static OBJECT: std::sync::OnceLock<OwnedHandle> = std::sync::OnceLock::new();
    OBJECT.get_or_init(crate::handles::object).as_handle()
}

/// A binary semaphore of Vulkan.
pub fn binary() -> Source<'static, Binary> {
    #[cfg(unix)]
    return Source::opaque_fd(fd());
    #[cfg(windows)]
    return Source::opaque_win32(handle());
}

/// A timeline semaphore of Vulkan.
pub fn timeline() -> Source<'static, Fence> {
    #[cfg(unix)]
    return Source::timeline_semaphore_fd(fd());
    #[cfg(windows)]
    return Source::timeline_semaphore_win32(handle());
}

/// So many bytes of memory of Vulkan.
pub fn memory(size: u64) -> memory::Source<'static> {
    #[cfg(unix)]
    return memory::Source::opaque_fd(fd(), size);
    #[cfg(windows)]
    return memory::Source::opaque_win32(handle(), size);
}
