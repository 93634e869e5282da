//! Semaphores: in, nothing, or what another API or process exported; out, an owner that signals and waits on queues, can be exported if it
//! was made so, and is released once.
//!
//! ```no_run
//! # #[cfg(unix)]
//! # fn f(fences: impl Iterator<Item = std::os::fd::OwnedFd>) -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use clcu::opencl::{Context, Device, Library, Queue, Semaphore, semaphore::{Source, SyncFd}};
//!
//! let platform = Arc::new(Library::open()?.platforms()?.usable.swap_remove(0));
//! let devices = Device::all(&platform)?;
//! let context = Context::new(&platform, &devices[..1])?;
//! let queue = Queue::new(&context, &devices[0])?;
//! // Signalled already: the first wait passes.
//! let semaphore = Semaphore::import(&context, Source::sync_fd(SyncFd::AlreadySignaled))?;
//! semaphore.wait(&queue)?;
//! for fence in fences {
//!     queue.finish()?;
//!     semaphore.reimport(SyncFd::Fd(fence))?;
//!     semaphore.wait(&queue)?;
//! }
//! semaphore.release()?;
//! # Ok(())
//! # }
//! ```
//!
//! # What calls what
//!
//! | here | command of OpenCL | with the extension |
//! | --- | --- | --- |
//! | [`Semaphore::create`], [`Semaphore::import`] | `clCreateSemaphoreWithPropertiesKHR` | `cl_khr_semaphore`, and that of the handle type |
//! | `export_fd`, `export_sync_fd`, `export_handle`, [`Semaphore::export_kmt`] | `clGetSemaphoreHandleForTypeKHR` | `cl_khr_external_semaphore`, and that of the handle type |
//! | `reimport`, `reimport_regardless` | `clReImportSemaphoreSyncFdKHR` | `cl_khr_external_semaphore_sync_fd` |
//! | [`Queue::signal`], [`Queue::signal_after`] | `clEnqueueSignalSemaphoresKHR` | `cl_khr_semaphore` |
//! | [`Queue::wait`], [`Queue::wait_after`] | `clEnqueueWaitSemaphoresKHR` | `cl_khr_semaphore` |
//! | [`Semaphore::retain`], [`Semaphore::release`] | `clRetainSemaphoreKHR`, `clReleaseSemaphoreKHR` | `cl_khr_semaphore` |
//! | [`Semaphore::reference_count`] and others | `clGetSemaphoreInfoKHR` | `cl_khr_semaphore` |
//!
//! What each needs and returns is in the OpenCL API specification, in its chapter on semaphores; `clcu explain` shows the rules of a command.
//!
//! # Why importing, signalling and waiting are safe
//!
//! As in [`cuda::semaphore`](crate::cuda::semaphore): they order what devices do, and reach no memory themselves. A wrong order makes a
//! race between accesses to memory of the device, which are unsafe calls, whose callers promise that they are ordered. What upstream leaves
//! undefined for two signals or two waits in a row is which of them the payload belongs to. What the platform would follow comes from
//! `unsafe` functions: contexts, queues, events and handles that were made elsewhere. A device must be one of the context, which is
//! checked. Re-importing while commands are to be done, of which upstream does not say whether they see the old payload, the new one or
//! neither, is refused where it is known and where nobody followed it, and [`Semaphore::reimport_regardless`] is `unsafe`.
//!
//! # What the caller has to see to
//!
//! A semaphore is released at once: the platform keeps it until commands that use it have finished.

mod demand;
mod export;
mod info;
mod operation;
mod source;
mod tracking;

use std::{fmt, marker::PhantomData, mem};

use clcu_sys::{
    CommandInfo,
    opencl::{self, cl_device_id, cl_external_semaphore_handle_type_khr as HandleTypeValue, cl_semaphore_khr},
    rules::{HandleType, PropertyList, Transference},
};

#[cfg(unix)]
pub use self::source::SyncFd;
use self::tracking::{Beginning, Tracker};
pub use self::{
    operation::{Operation, Signal, Signaling, Wait, Waiting},
    source::{Create, Source},
    tracking::{Misuse, Stats},
};
#[cfg(doc)]
use super::Queue;
use super::{Context, ImportError, checked, error::Error, kind};
#[cfg(unix)]
use crate::descriptor;
use crate::{
    checked::Passed,
    import::{Carrier, DUPLICATING},
    trace,
};
pub use crate::{
    payload::{Binary, Fence, Kind},
    tracking::{Initially, Tracking},
};

/// A semaphore of OpenCL. What it shares a payload with lives on when it is released.
///
/// It may be shared by threads.
///
/// It keeps its context alive, and releases its reference when it is dropped.
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` of the OpenCL API specification.
pub struct Semaphore<K: Kind> {
    inner: Inner,
    kind: PhantomData<fn() -> K>,
}

/// What does not depend on what it carries.
#[derive(Debug)]
struct Inner {
    context: Context,
    /// Null once it is released or given away.
    handle: cl_semaphore_khr,
    /// The handle type from which it was made, if it was made from a handle.
    imported_from: Option<HandleTypeValue>,
    /// Its row.
    row: Option<&'static HandleType>,
    /// What it may be exported as; `None` where somebody else made it.
    export_types: Option<Vec<u64>>,
    /// The device that it is for, if it is for one alone.
    device: Option<cl_device_id>,
    tracker: Tracker,
}

/// What every semaphore needs.
const COMMANDS: [&CommandInfo; 4] = [
    opencl::clCreateSemaphoreWithPropertiesKHR.info(),
    opencl::clReleaseSemaphoreKHR.info(),
    opencl::clEnqueueSignalSemaphoresKHR.info(),
    opencl::clEnqueueWaitSemaphoresKHR.info(),
];

impl Semaphore<Binary> {
    /// Makes a semaphore that is not signalled.
    ///
    /// Before the platform is called: every command and extension that the semaphore will need is there, no device that it is for leaves the
    /// type out that it shall be exported as, and the properties break no rule. A device that does not answer is not asked further.
    ///
    /// # Errors
    /// [`Error::Missing`] where a command or extension is not there; [`Error::Unsupported`] where a device does not list the type to be
    /// exported; [`Error::UnknownHandleType`] where this version of the crate does not know it; [`Error::Invalid`] with every rule that the properties break; [`Error::Call`] with
    /// what the platform answers; [`Error::Nothing`] or [`Error::Silent`] where it gives no semaphore.
    ///
    /// With `cl_khr_semaphore`. Source: `clCreateSemaphoreWithPropertiesKHR` of the OpenCL API specification.
    pub fn create<S>(context: &Context, create: Create<S>) -> Result<Self, Error> {
        let Create { properties, export, device, tracking } = create;
        let platform = context.platform();
        platform.demand(&COMMANDS)?;
        let row = export.map(|handle_type| demand::exportable(context, handle_type, device)).transpose()?;
        let words = properties.words();
        let passed = checked::demand_properties(platform, context.place(None), PropertyList::new(&words), || row, &[])?;
        // SAFETY: the list was checked, and has no handles.
        let handle = unsafe { make(context, &words, row, passed)? };
        let export_types = Some(export.map(|handle_type| handle_type.0.into()).into_iter().collect());
        let tracker = Tracker::new(None, Beginning::Created, tracking);
        let inner = Inner { context: context.clone(), handle, imported_from: None, row: None, export_types, device, tracker };
        Ok(Self { inner, kind: PhantomData })
    }
}

/// Makes a semaphore from a list that was checked.
///
/// # Safety
/// It was checked: it ends, and its devices are those of the context. Handles in it are alive.
unsafe fn make(
    context: &Context,
    words: &[u64],
    row: Option<&'static HandleType>,
    passed: Option<Passed>,
) -> Result<cl_semaphore_khr, Error> {
    // SAFETY: the context is alive; the caller promises the rest.
    unsafe { checked::create_of_properties(context.platform(), context.as_raw(), words.as_ptr(), || row, passed) }
}

impl<K: Kind> Semaphore<K> {
    /// Makes a semaphore from a handle.
    ///
    /// Before the platform is called: every command and extension that the semaphore will need is there, the properties break no rule, and
    /// no device that it is for says that it lacks the handle type. A device that does not answer is not asked further.
    ///
    /// # Errors
    /// A file descriptor comes back in the error, whatever the platform did with it: see [`ImportError::into_fd`]. [`Error::Missing`]
    /// where a command or extension is not there; [`Error::Invalid`] with every rule that the properties break, also for a handle type
    /// that is not known, and where the one device that it is for lacks the type; [`Error::Unsupported`] where the type carries
    /// something else than `K`, is carried by something else, does not exist on this system, or is lacked by a device of the context;
    /// `Error::Descriptor` where the descriptor is none of the type, if that is asked for; [`Error::System`] where the descriptor
    /// cannot be duplicated; [`Error::Call`] with what the platform answers; [`Error::Nothing`] or [`Error::Silent`] where it gives no
    /// semaphore. After [`Error::Nothing`] the platform keeps the descriptor.
    ///
    /// With `cl_khr_semaphore` and `cl_khr_external_semaphore`. Source: `clCreateSemaphoreWithPropertiesKHR` of the OpenCL API
    /// specification.
    pub fn import(context: &Context, source: Source<'_, K>) -> Result<Self, ImportError> {
        #[cfg(unix)]
        let is_suspicious = source.is_suspicious;
        let Source { handle_type, word, carrier, device, tracking, .. } = source;
        let mut properties = properties_of(handle_type, word);
        if let Some(device) = device {
            properties = properties.device(device);
        }
        let words = properties.words();
        let ready = || {
            let (row, passed) = demand::importable::<K>(context, handle_type, device, &carrier, &words)?;
            #[cfg(unix)]
            if is_suspicious && let Carrier::Fd(fd) = &carrier {
                descriptor::check(fd, row).map_err(Error::Descriptor)?;
            }
            let witness = carrier.witness();
            Ok((row, passed, witness.map_err(|error| Error::System { what: DUPLICATING, number: error.raw_os_error() })?))
        };
        let (row, passed, witness) = match ready() {
            Ok(ready) => ready,
            Err(error) => return Err(ImportError::before(error, carrier)),
        };
        let beginning = match row.transference {
            Transference::Copy => Beginning::Copied { signaled: matches!(carrier, Carrier::Nothing) },
            Transference::Reference | Transference::Unspecified => Beginning::Unknown,
        };
        // SAFETY: the list was checked; the handle in it is alive: an owned descriptor here, a borrowed handle or name by its lifetime.
        let handle = match unsafe { make(context, &words, Some(row), passed) } {
            Ok(handle) => handle,
            // It reported success, so that it has the descriptor.
            Err(error @ Error::Nothing { .. }) => {
                carrier.give(row.owner_on_success);
                return Err(ImportError::kept(error));
            }
            Err(error) => return Err(ImportError::after(error, carrier, witness)),
        };
        carrier.give(row.owner_on_success);
        let tracker = Tracker::new(Some(row), beginning, tracking);
        let imported_from = Some(handle_type);
        let inner = Inner {
            context: context.clone(),
            handle,
            imported_from,
            row: Some(row),
            export_types: Some(Vec::new()),
            device,
            tracker,
        };
        Ok(Self { inner, kind: PhantomData })
    }

    /// Takes a semaphore that somebody else made, and the reference to it. `imported_from` is the handle type from which it was made, if it was
    /// made from a handle.
    ///
    /// # Errors
    /// [`Error::Missing`] where a command that the semaphore will need is not there; [`Error::UnknownHandleType`] for a handle type
    /// that this version of the crate does not know; [`Error::Unsupported`] where the handle type is of another kind than `K`.
    ///
    /// # Safety
    /// It is alive, is one of this context, was made so, and nobody else releases the reference.
    ///
    /// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` of the OpenCL API specification.
    pub unsafe fn from_raw(
        context: &Context,
        handle: cl_semaphore_khr,
        imported_from: Option<HandleTypeValue>,
        tracking: Tracking,
    ) -> Result<Self, Error> {
        context.platform().demand(&COMMANDS)?;
        let row = match imported_from {
            Some(value) => Some(kind::of_semaphore(value).ok_or(Error::UnknownHandleType { value: value.0.into() })?),
            None => None,
        };
        if let Some(row) = row {
            demand::payload::<K>(context.platform(), row)?;
        }
        let tracker = Tracker::new(row, Beginning::Unknown, tracking);
        let inner = Inner { context: context.clone(), handle, imported_from, row, export_types: None, device: None, tracker };
        Ok(Self { inner, kind: PhantomData })
    }

    /// For other crates. It stays this value's to release. From here on somebody else may signal it and wait for it, so that less of what is
    /// done here can be judged.
    ///
    /// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` of the OpenCL API specification.
    #[must_use]
    pub fn as_raw(&self) -> cl_semaphore_khr {
        self.inner.tracker.given_out();
        self.inner.handle
    }

    /// Gives it away, with the duty to release it.
    ///
    /// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` of the OpenCL API specification.
    #[must_use]
    pub fn into_raw(mut self) -> cl_semaphore_khr {
        self.inner.tracker.given_out();
        mem::replace(&mut self.inner.handle, cl_semaphore_khr::NULL)
    }

    /// Another owner of the same semaphore. Both follow its state together. Each releases a reference of its own.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers; [`Error::Missing`] where it lacks the command.
    ///
    /// With `cl_khr_semaphore`. Source: `clRetainSemaphoreKHR` of the OpenCL API specification.
    pub fn retain(&self) -> Result<Self, Error> {
        let Inner { context, handle, imported_from, row, export_types, device, tracker } = &self.inner;
        context.platform().demand(&[opencl::clRetainSemaphoreKHR.info()])?;
        let retain = context.platform().checked(&opencl::clRetainSemaphoreKHR);
        // SAFETY: it is alive.
        retain.call(|retain| unsafe { retain(*handle) })?;
        let inner = Inner {
            context: context.clone(),
            handle: *handle,
            imported_from: *imported_from,
            row: *row,
            export_types: export_types.clone(),
            device: *device,
            tracker: tracker.clone(),
        };
        Ok(Self { inner, kind: PhantomData })
    }

    /// The kind of handle that it was made from; `None` where it was made from none.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    #[must_use]
    pub fn handle_type(&self) -> Option<&'static HandleType> {
        self.inner.row
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// What was done with it from here; `None` where it is not followed ([`Tracking::Off`]).
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        self.inner.tracker.stats()
    }

    /// Releases the reference. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Whatever the platform answers, it is not released a second time.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers.
    ///
    /// With `cl_khr_semaphore`. Source: `clReleaseSemaphoreKHR` of the OpenCL API specification.
    pub fn release(mut self) -> Result<(), Error> {
        self.inner.release()
    }
}

/// The properties of a semaphore that is made from a handle.
fn properties_of(handle_type: HandleTypeValue, word: u64) -> super::properties::Semaphore<super::properties::Imported> {
    super::properties::Semaphore::binary().imported(handle_type, word)
}

impl Inner {
    fn release(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, cl_semaphore_khr::NULL);
        if handle.is_null() {
            return Ok(());
        }
        self.tracker.ended();
        let release = self.context.platform().checked(&opencl::clReleaseSemaphoreKHR).about(self.row);
        // SAFETY: it is alive, and this is the one time that this reference is released.
        release.call(|release| unsafe { release(handle) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            trace::lost("a semaphore could not be released", &error);
        }
    }
}

impl<K: Kind> fmt::Debug for Semaphore<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore")
            .field("handle", &self.inner.handle)
            .field("imported_from", &self.inner.imported_from)
            .finish_non_exhaustive()
    }
}
