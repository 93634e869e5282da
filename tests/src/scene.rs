//! A platform of the mock ICD with what semaphores need: in, a test's name; out, a context of its devices, and a queue on each.

#[cfg(unix)]
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::Arc;

use clcu::opencl::{Context, Device, Error, Event, Platform, Queue};

use crate::icd::Icd;

/// A context of the first platform, opened without a loader.
#[derive(Debug)]
pub struct Scene {
    /// The driver, from within.
    pub icd: Icd,
    /// As the runtime sees it.
    pub platform: Arc<Platform>,
    /// Its devices, which are those of the context.
    pub devices: Vec<Device>,
    /// The context.
    pub context: Context,
    /// A queue on the first device.
    pub queue: Queue,
}

impl Scene {
    /// One device. `None`, after saying so for `test`, where there is no mock.
    #[must_use]
    pub fn new(test: &str) -> Option<Self> {
        Self::with(test, 1, |_| {})
    }

    /// So many devices, after `prepare` told the driver what it shall be like.
    ///
    /// # Panics
    /// If the mock cannot make it.
    #[must_use]
    pub fn with(test: &str, devices: i32, prepare: impl FnOnce(&Icd)) -> Option<Self> {
        let icd = Icd::new(test)?;
        icd.set(c"mock_device_count", devices);
        prepare(&icd);
        let platforms = icd.open().platforms().expect("the mock lists its platforms");
        let platform = Arc::new(platforms.usable.into_iter().next().expect("it has one"));
        let (devices, context, queue) = Self::of(&platform);
        icd.clear_journal();
        Some(Self { icd, platform, devices, context, queue })
    }

    /// All devices of a platform, a context of them, and a queue on the first.
    ///
    /// # Panics
    /// If the platform cannot make them.
    #[must_use]
    pub fn of(platform: &Arc<Platform>) -> (Vec<Device>, Context, Queue) {
        let devices = Device::all(platform).expect("the platform lists its devices");
        let context = Context::new(platform, &devices).expect("the platform makes contexts");
        let queue = Queue::new(&context, &devices[0]).expect("the platform makes queues");
        (devices, context, queue)
    }

    /// An event that completes when the test says so.
    ///
    /// # Panics
    /// If the mock cannot make it.
    #[must_use]
    pub fn user_event(&self) -> Event {
        let create = &clcu::sys::opencl::clCreateUserEvent;
        let event = self
            .platform
            .checked(create)
            .create(
                |made: &clcu::sys::opencl::cl_event| made.is_null(),
                // SAFETY: the context is alive.
                |create, code| unsafe { create(self.context.as_raw(), code) },
            )
            .expect("the mock makes user events");
        // SAFETY: it was just made.
        let owned = unsafe { Event::from_raw(&self.context, event) }.expect("the mock retains it");
        // SAFETY: this is the reference of the one that made it.
        let release = |release: unsafe extern "system" fn(_) -> _| unsafe { release(event) };
        self.platform.checked(&clcu::sys::opencl::clReleaseEvent).call(release).expect("the mock releases it");
        owned
    }

    /// Sets the status of a user event: 0 completes it, a negative code fails it.
    pub fn set_status(&self, event: &Event, status: i32) -> Result<(), Error> {
        let set = self.platform.checked(&clcu::sys::opencl::clSetUserEventStatus);
        // SAFETY: the event is alive.
        set.call(|set| unsafe { set(event.as_raw(), status) })
    }
}

/// What stands for a sync file: it can be read as soon as it is signalled.
///
/// # Panics
/// If the system has none to give.
#[cfg(unix)]
#[must_use]
pub fn fence(signaled: bool) -> OwnedFd {
    // SAFETY: no pointer is passed.
    let number = unsafe { libc::eventfd(u32::from(signaled), libc::EFD_CLOEXEC) };
    assert!(number >= 0, "{}", std::io::Error::last_os_error());
    // SAFETY: it was just made, and is nobody else's.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Signals what [`fence`] made.
///
/// # Panics
/// If it is none.
#[cfg(unix)]
pub fn signal_fence(fence: &OwnedFd) {
    let one = 1_u64;
    // SAFETY: eight bytes are read, which are there.
    let written = unsafe { libc::write(fence.as_raw_fd(), (&raw const one).cast(), 8) };
    assert_eq!(written, 8, "{}", std::io::Error::last_os_error());
}

/// How many descriptors this process has open.
///
/// # Panics
/// Where there is no `/proc`.
#[cfg(unix)]
#[must_use]
pub fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux lists them").count()
}

/// The ids of the rules that a call broke.
///
/// # Panics
/// If the error is another.
#[must_use]
pub fn ids(error: &Error) -> Vec<&'static str> {
    match error {
        Error::Invalid(invalid) => invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect(),
        other => panic!("{other}"),
    }
}

/// The error codes of the rules that a call broke.
///
/// # Panics
/// If the error is another.
#[must_use]
pub fn codes(error: &Error) -> Vec<&'static str> {
    match error {
        Error::Invalid(invalid) => invalid.violations.iter().map(|(_, violation)| violation.rule.error).collect(),
        other => panic!("{other}"),
    }
}
