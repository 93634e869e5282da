//! External semaphores: in, what another API or process exported; out, an owner that signals and waits on streams, and is destroyed once.
//!
//! ```no_run
//! # #[cfg(unix)]
//! # fn f(exported: std::os::fd::OwnedFd) -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use clcu::cuda::{Context, Device, ExternalSemaphore, Library, semaphore::Source};
//!
//! let library = Arc::new(Library::open()?);
//! let context = Context::primary(&Device::new(&library, 0)?)?;
//! let current = context.enter()?;
//! let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(exported))?;
//! let stream = current.default_stream();
//! semaphore.wait(&stream, 1)?; // for the other side
//! semaphore.signal(&stream, 2)?; // for the other side to wait for
//! stream.synchronize()?;
//! semaphore.destroy()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Why importing, signalling and waiting are safe
//!
//! They order what the device does, and reach no memory themselves. A wrong order makes a race between accesses to memory of the device;
//! those accesses (kernel launches, copies, submissions to Vulkan) are unsafe calls, whose callers promise that they are ordered. Nothing
//! that safe code can do with a semaphore reaches memory of the program. A file descriptor or handle of the wrong kind is refused by the
//! driver or the kernel, or makes a semaphore that orders nothing, with one exception that was seen on driver 580: a descriptor of *memory
//! that the driver exported* is accepted as a timeline semaphore, and a signal then writes its value into the first bytes of that memory
//! (tried with memory of the device; such memory may be mapped into the program as well). So who shares memory with a party that may mistake
//! its descriptor has to see to that before the accesses, which are unsafe calls as said.
//! What the driver would follow is taken by `unsafe` functions: streams, contexts, pointers to `NvSci` objects, handles that were made
//! elsewhere.
//!
//! # What the caller has to see to
//!
//! - Signals and waits that are still to be done when a semaphore is destroyed must have completed, by `cuda.h`: synchronise the streams
//!   first. Nothing here waits for them, since a wait that is never signalled would then hang the destructor.
//! - A semaphore works on the device that made it. [`Device::matching`](super::Device::matching) finds it.

mod operation;
mod source;
mod tracking;

use std::{ffi::c_void, fmt, marker::PhantomData, mem};

use clcu_sys::{
    cuda::{self, CUexternalSemaphore, CUexternalSemaphoreHandleType},
    rules::{Given, HandleType},
};

use self::tracking::Tracker;
pub use self::{
    operation::{Operation, Signal, SkipMemorySync, Timeout, Wait},
    source::Source,
    tracking::{Misuse, Stats},
};
use super::{
    ImportError, checked,
    context::{Context, Current},
    error::{Error, Obstacle, Subject, Unsupported},
    import, kind,
};
use crate::trace;
pub use crate::{
    payload::{Binary, Fence, KeyedMutex, Kind, NvSciSync},
    tracking::{Initially, Tracking},
};

/// An external semaphore that was imported. Destroying it does not destroy what the other side has.
///
/// It may be shared by threads; each makes the context current for itself.
///
/// Since CUDA 10.0. Source: `CUexternalSemaphore` of `cuda.h`.
pub struct ExternalSemaphore<K: Kind> {
    inner: Inner,
    kind: PhantomData<fn() -> K>,
}

/// What does not depend on what it carries.
#[derive(Debug)]
struct Inner {
    context: Context,
    /// Null once it is destroyed or given away.
    handle: CUexternalSemaphore,
    handle_type: CUexternalSemaphoreHandleType,
    row: &'static HandleType,
    /// What rules of its signals and waits ask of it. Made once, since it is larger than what they check.
    given: Given<'static>,
    tracker: Tracker,
}

impl<K: Kind> ExternalSemaphore<K> {
    /// Imports a semaphore into the current context.
    ///
    /// Before the driver is called: every command that the semaphore will need is there, the descriptor breaks no rule, and the device does
    /// not say that it lacks the handle type.
    ///
    /// Since CUDA 10.0. Source: `cuImportExternalSemaphore` of `cuda.h`.
    ///
    /// # Errors
    /// A file descriptor comes back in the error, whatever the driver did with it, unless the driver reports success: see
    /// [`ImportError::into_fd`].
    ///
    /// What [`ImportError::error`] gives: [`Error::Missing`] where the driver lacks a command that the semaphore needs;
    /// [`Error::Invalid`] lists every rule that the descriptor breaks; [`Error::Unsupported`] where the system, driver or device lacks
    /// the handle type, or what was given does not carry it, or a semaphore of it carries something else than `K`; [`Error::System`]
    /// where the file descriptor cannot be duplicated; [`Error::Call`] with what the driver answers; [`Error::Nothing`] where it
    /// reports success and gives none.
    pub fn import(current: &Current<'_>, source: Source<'_, K>) -> Result<Self, ImportError> {
        #[cfg(unix)]
        let is_suspicious = source.is_suspicious;
        let Source { descriptor, carrier, tracking, .. } = source;
        let library = current.library();
        let handle_type = descriptor.r#type;
        let command = &cuda::cuImportExternalSemaphore;
        let ready = || {
            library.demand(&[
                command.info(),
                cuda::cuDestroyExternalSemaphore.info(),
                cuda::cuSignalExternalSemaphoresAsync.info(),
                cuda::cuWaitExternalSemaphoresAsync.info(),
            ])?;
            let row = kind::of_semaphore(handle_type);
            let ready = library.checked(command).about(row).record(&descriptor, &library.given).ready()?;
            // The rules refuse every type that has no row.
            let row = row.ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
            if row.payload != K::PAYLOAD {
                return Err(Unsupported::error(library, Subject::Handle(row), Obstacle::Payload));
            }
            #[cfg(unix)]
            if is_suspicious {
                import::look(&carrier, descriptor.get(cuda::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::HANDLE_FD), row)?;
            }
            import::demand(&carrier, row, &current.context().device())?;
            Ok((ready, row, import::witness(&carrier)?))
        };
        let (ready, row, witness) = match ready() {
            Ok(ready) => ready,
            Err(error) => return Err(ImportError::before(error, carrier)),
        };
        let mut handle = CUexternalSemaphore::NULL;
        // SAFETY: both pointers are good for the call. What carries the handle is alive: an owned descriptor here, a borrowed handle or name
        // by its lifetime, an NvSci object by the promise of `Source::nvscisync`.
        if let Err(error) = ready.call(|import| unsafe { import(&raw mut handle, descriptor.as_ptr()) }) {
            return Err(ImportError::after(error, carrier, witness));
        }
        carrier.give(row.owner_on_success);
        let handle = checked::some(library, command.info(), handle, handle.is_null());
        let handle = handle.map_err(ImportError::kept)?;
        Ok(Self::own(current.context().clone(), handle, handle_type, row, tracking))
    }

    fn own(
        context: Context,
        handle: CUexternalSemaphore,
        handle_type: CUexternalSemaphoreHandleType,
        row: &'static HandleType,
        tracking: Tracking,
    ) -> Self {
        let tracker = Tracker::new(row, tracking);
        let given = Given::default().with_semaphore(handle_type);
        Self { inner: Inner { context, handle, handle_type, row, given, tracker }, kind: PhantomData }
    }

    /// Takes a semaphore that somebody else imported into `context`.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphore` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver cannot destroy it; [`Error::Unsupported`] where a semaphore of the handle type carries
    /// something else than `K`; [`Error::UnknownHandleType`].
    ///
    /// # Safety
    /// It is alive, was imported by this driver with this handle type, and nobody else destroys it.
    pub unsafe fn from_raw(
        context: &Context,
        handle: CUexternalSemaphore,
        handle_type: CUexternalSemaphoreHandleType,
        tracking: Tracking,
    ) -> Result<Self, Error> {
        let library = context.library();
        library.demand(&[cuda::cuDestroyExternalSemaphore.info()])?;
        match kind::of_semaphore(handle_type) {
            Some(row) if row.payload == K::PAYLOAD => Ok(Self::own(context.clone(), handle, handle_type, row, tracking)),
            Some(row) => Err(Unsupported::error(library, Subject::Handle(row), Obstacle::Payload)),
            None => Err(Error::UnknownHandleType { value: handle_type.0 }),
        }
    }

    /// The handle, for other crates. It stays this value's to destroy.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphore` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUexternalSemaphore {
        self.inner.handle
    }

    /// Gives the handle away, with the duty to destroy it by `cuDestroyExternalSemaphore`.
    ///
    /// Since CUDA 10.0. Source: `CUexternalSemaphore` of `cuda.h`.
    #[must_use]
    pub fn into_raw(mut self) -> CUexternalSemaphore {
        mem::replace(&mut self.inner.handle, CUexternalSemaphore::NULL)
    }

    /// The kind of handle that it was imported from.
    #[must_use]
    pub fn handle_type(&self) -> &'static HandleType {
        self.inner.row
    }

    /// What was done with it from here; `None` where it is not followed ([`Tracking::Off`]).
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        self.inner.tracker.stats()
    }

    /// Destroys it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Signals and waits of it must have completed. Whatever the driver answers, it is not destroyed a second time.
    ///
    /// Since CUDA 10.0. Source: `cuDestroyExternalSemaphore` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that).
    pub fn destroy(mut self) -> Result<(), Error> {
        self.inner.destroy()
    }
}

impl ExternalSemaphore<Binary> {
    /// Signals it when the stream gets there.
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::signal`](super::Stream::signal).
    #[inline]
    pub fn signal(&self, stream: &super::Stream<'_>) -> Result<(), Error> {
        stream.signal(&[self.signaling()])
    }

    /// Makes the stream wait until it is signalled, and unsignals it.
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::wait`](super::Stream::wait).
    #[inline]
    pub fn wait(&self, stream: &super::Stream<'_>) -> Result<(), Error> {
        stream.wait(&[self.waiting()])
    }

    /// A signal, to be made together with others by [`Stream::signal`](super::Stream::signal).
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn signaling(&self) -> Signal<'_> {
        Operation::binary(&self.inner)
    }

    /// A wait, to be made together with others by [`Stream::wait`](super::Stream::wait).
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn waiting(&self) -> Wait<'_> {
        Operation::binary(&self.inner)
    }
}

impl ExternalSemaphore<Fence> {
    /// Sets it to `value` when the stream gets there.
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::signal`](super::Stream::signal).
    #[inline]
    pub fn signal(&self, stream: &super::Stream<'_>, value: u64) -> Result<(), Error> {
        stream.signal(&[self.signaling(value)])
    }

    /// Makes the stream wait until it is `value` or more.
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::wait`](super::Stream::wait).
    #[inline]
    pub fn wait(&self, stream: &super::Stream<'_>, value: u64) -> Result<(), Error> {
        stream.wait(&[self.waiting(value)])
    }

    /// A signal, to be made together with others by [`Stream::signal`](super::Stream::signal).
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn signaling(&self, value: u64) -> Signal<'_> {
        Operation::fence(&self.inner, value)
    }

    /// A wait, to be made together with others by [`Stream::wait`](super::Stream::wait).
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn waiting(&self, value: u64) -> Wait<'_> {
        Operation::fence(&self.inner, value)
    }
}

impl ExternalSemaphore<KeyedMutex> {
    /// Releases the mutex with `key` when the stream gets there.
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::signal`](super::Stream::signal).
    #[inline]
    pub fn signal(&self, stream: &super::Stream<'_>, key: u64) -> Result<(), Error> {
        stream.signal(&[self.signaling(key)])
    }

    /// Acquires the mutex with `key`. `CUDA_ERROR_TIMEOUT` says that nobody released it with that key in time.
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`Stream::wait`](super::Stream::wait).
    #[inline]
    pub fn wait(&self, stream: &super::Stream<'_>, key: u64, timeout: Timeout) -> Result<(), Error> {
        stream.wait(&[self.waiting(key, timeout)])
    }

    /// A release, to be made together with others by [`Stream::signal`](super::Stream::signal).
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn signaling(&self, key: u64) -> Signal<'_> {
        Operation::release(&self.inner, key)
    }

    /// An acquisition, to be made together with others by [`Stream::wait`](super::Stream::wait).
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    #[inline]
    pub fn waiting(&self, key: u64, timeout: Timeout) -> Wait<'_> {
        Operation::acquire(&self.inner, key, timeout)
    }
}

impl ExternalSemaphore<NvSciSync> {
    /// A signal that fills in a fence, to be made by [`Stream::signal`](super::Stream::signal).
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Safety
    /// `fence` points to an `NvSciSyncFence` that stays there until the call that makes the signal returns.
    pub unsafe fn signaling(&self, fence: *mut c_void, sync: SkipMemorySync) -> Signal<'_> {
        Operation::nvscisync(&self.inner, fence, sync)
    }

    /// A wait for a fence, to be made by [`Stream::wait`](super::Stream::wait).
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Safety
    /// As for [`ExternalSemaphore::<NvSciSync>::signaling`].
    pub unsafe fn waiting(&self, fence: *mut c_void, sync: SkipMemorySync) -> Wait<'_> {
        Operation::nvscisync(&self.inner, fence, sync)
    }
}

impl Inner {
    fn destroy(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUexternalSemaphore::NULL);
        if handle.is_null() {
            return Ok(());
        }
        self.tracker.ended();
        let _current = self.context.enter()?;
        let destroy = self.context.library().checked(&cuda::cuDestroyExternalSemaphore).about(Some(self.row));
        // SAFETY: it is alive, and this is the one time that it is destroyed.
        destroy.call(|destroy| unsafe { destroy(handle) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.destroy() {
            trace::lost("an external semaphore could not be destroyed", &error);
        }
    }
}

impl<K: Kind> fmt::Debug for ExternalSemaphore<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalSemaphore")
            .field("handle", &self.inner.handle)
            .field("type", &self.inner.handle_type)
            .finish_non_exhaustive()
    }
}
