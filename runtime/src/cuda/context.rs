//! Contexts: in, a device, or a context that somebody else made; out, a guard within which the context is current on this thread, and the
//! streams of it.
//!
//! The crate works beside others that call CUDA: what is current on a thread is pushed and popped, never replaced, and every handle goes
//! in and out raw.

use std::{fmt, marker::PhantomData, sync::Arc};

use clcu_sys::cuda::{self, CUcontext, CUdevice, CUstream};

use super::{Library, device::Device, error::Error};
use crate::trace;

/// A context, retained or borrowed. A clone is another name for the same; the last one releases what was retained.
///
/// Since CUDA 2.0. Source: `CUcontext` of `cuda.h`.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    library: Arc<Library>,
    handle: CUcontext,
    device: CUdevice,
    retained: bool,
}

impl Context {
    /// The primary context of a device, which the CUDA runtime uses as well. It is retained, and released by the last clone.
    ///
    /// Since CUDA 11.0. Source: `cuDevicePrimaryCtxRetain`, `cuDevicePrimaryCtxRelease_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that releases; [`Error::Call`] with what it answers;
    /// [`Error::Nothing`] where it reports success and gives none.
    pub fn primary(device: &Device) -> Result<Self, Error> {
        let library = Arc::clone(device.library());
        let mut handle = CUcontext::NULL;
        let command = &cuda::cuDevicePrimaryCtxRetain;
        // What cannot be released shall not be retained.
        library.get(&cuda::cuDevicePrimaryCtxRelease_v2)?;
        // SAFETY: the device is one of this driver's, and the result is written to memory that is ours.
        library.checked(command).call(|retain| unsafe { retain(&raw mut handle, device.as_raw()) })?;
        let handle = super::checked::some(&library, command.info(), handle, handle.is_null())?;
        Ok(Self(Arc::new(Inner { library, handle, device: device.as_raw(), retained: true })))
    }

    /// A context that somebody else made and destroys.
    ///
    /// It is borrowed: neither retained nor destroyed.
    ///
    /// Since CUDA 4.0. Source: `cuCtxPushCurrent_v2`, `cuCtxGetDevice` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::NoContext`] for null; [`Error::Missing`] and [`Error::Call`] where it cannot be made current and asked for its device.
    ///
    /// # Safety
    /// It is a context of this driver, and stays alive for as long as this value, its clones, and objects that are made with them.
    pub unsafe fn from_raw(library: &Arc<Library>, handle: CUcontext) -> Result<Self, Error> {
        if handle.is_null() {
            return Err(Error::NoContext);
        }
        let borrow = |device| Self(Arc::new(Inner { library: Arc::clone(library), handle, device, retained: false }));
        let mut device = CUdevice(0);
        {
            let unknown = borrow(device);
            let _current = unknown.enter()?;
            // SAFETY: the result is written to memory that is ours.
            library.checked(&cuda::cuCtxGetDevice).call(|get| unsafe { get(&raw mut device) })?;
        }
        Ok(borrow(device))
    }

    /// The context that is current on this thread: that of another crate, or of the CUDA runtime.
    ///
    /// Since CUDA 4.0. Source: `cuCtxGetCurrent` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::NoContext`] where none is current; else those of [`Context::from_raw`].
    ///
    /// # Safety
    /// As for [`Context::from_raw`].
    pub unsafe fn current(library: &Arc<Library>) -> Result<Self, Error> {
        let mut handle = CUcontext::NULL;
        // SAFETY: the result is written to memory that is ours.
        library.checked(&cuda::cuCtxGetCurrent).call(|get| unsafe { get(&raw mut handle) })?;
        // SAFETY: promised by the caller; null is refused.
        unsafe { Self::from_raw(library, handle) }
    }

    /// Makes it current on this thread until the guard is dropped. Guards of one thread end in the reverse of their order.
    ///
    /// Since CUDA 4.0. Source: `cuCtxPushCurrent_v2`, `cuCtxPopCurrent_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks one of both commands; [`Error::Call`] with what it answers.
    #[inline]
    pub fn enter(&self) -> Result<Current<'_>, Error> {
        let library = self.library();
        // What cannot be popped shall not be pushed.
        library.get(&cuda::cuCtxPopCurrent_v2)?;
        // SAFETY: the context is alive.
        library.checked(&cuda::cuCtxPushCurrent_v2).call(|push| unsafe { push(self.as_raw()) })?;
        Ok(Current { context: self, thread: PhantomData })
    }

    /// The handle, for other crates. It stays this value's to release.
    ///
    /// Since CUDA 2.0. Source: `CUcontext` of `cuda.h`.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> CUcontext {
        self.0.handle
    }

    /// The driver.
    #[inline]
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.0.library
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::of_context(&self.0.library, self.0.device)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.retained {
            return;
        }
        // SAFETY: it was retained once, and is released once.
        let released = self.library.checked(&cuda::cuDevicePrimaryCtxRelease_v2).call(|release| unsafe { release(self.device) });
        if let Err(error) = released {
            trace::lost("a primary context could not be released", &error);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { handle, device, retained, .. } = &*self.0;
        f.debug_struct("Context").field("handle", handle).field("device", device).field("retained", retained).finish()
    }
}

/// A context that is current on this thread, until this is dropped.
///
/// Since CUDA 4.0. Source: `cuCtxPushCurrent_v2`, `cuCtxPopCurrent_v2` of `cuda.h`.
#[derive(Debug)]
#[must_use = "the context is current for as long as this lives"]
pub struct Current<'c> {
    context: &'c Context,
    /// What is current belongs to the thread.
    thread: PhantomData<*mut ()>,
}

impl<'c> Current<'c> {
    /// The context.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The driver.
    #[inline]
    #[must_use]
    pub fn library(&self) -> &'c Arc<Library> {
        self.context.library()
    }

    /// The default stream: the legacy one, or this thread's own, as the library was opened.
    ///
    /// Since CUDA 2.0. Source: `CUstream` of `cuda.h`.
    #[inline]
    #[must_use]
    pub fn default_stream(&self) -> Stream<'_> {
        Stream { current: self, handle: CUstream::NULL, id: None }
    }

    /// A stream that somebody else made and destroys.
    ///
    /// The driver is asked for its id where it has one to give, which is not an error where it has none.
    ///
    /// Since CUDA 2.0, with `cuStreamGetId` since 12.0. Source: `CUstream` of `cuda.h`.
    ///
    /// # Safety
    /// It is a stream of this context, or one of the special handles, and stays alive as long as the result.
    #[must_use]
    pub unsafe fn stream(&self, handle: CUstream) -> Stream<'_> {
        Stream { current: self, handle, id: self.stream_id(handle) }
    }

    /// A number that no later stream gets, unlike an address. Drivers before CUDA 12.0 have none.
    fn stream_id(&self, handle: CUstream) -> Option<u64> {
        let mut id = 0;
        // SAFETY: the stream is alive, as the caller of `stream` promises, and the result is written to memory that is ours.
        let asked = self.library().checked(&cuda::cuStreamGetId).call(|get| unsafe { get(handle, &raw mut id) });
        asked.is_ok().then_some(id)
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut popped = CUcontext::NULL;
        // SAFETY: the result is written to memory that is ours.
        let pop = self.library().checked(&cuda::cuCtxPopCurrent_v2).call(|pop| unsafe { pop(&raw mut popped) });
        if let Err(error) = pop {
            trace::lost("a context could not be popped", &error);
        } else if popped != self.context.as_raw() {
            trace::suspicious("a guard of a context ended before one that began later", 0, 0);
        }
    }
}

/// A stream of the current context. It orders what the device does, and owns nothing.
///
/// Since CUDA 2.0. Source: `CUstream` of `cuda.h`.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'t> {
    pub(super) current: &'t Current<'t>,
    handle: CUstream,
    id: Option<u64>,
}

impl Stream<'_> {
    /// The handle, for other crates and for the driver; null for the default stream. Who made it keeps it.
    ///
    /// Since CUDA 2.0. Source: `CUstream` of `cuda.h`.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> CUstream {
        self.handle
    }

    /// The context that it is of.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &Context {
        self.current.context
    }

    /// Waits on this thread until the device has done all that was put on the stream.
    ///
    /// There is no timeout.
    ///
    /// Since CUDA 2.0. Source: `cuStreamSynchronize` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, which may be an error of that work,
    /// or of earlier work.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the stream is alive.
        self.current.library().checked(&cuda::cuStreamSynchronize).call(|synchronize| unsafe { synchronize(self.handle) })
    }

    /// What tells this stream from all others.
    pub(super) fn key(&self) -> StreamKey {
        /// `CU_STREAM_PER_THREAD`.
        const PER_THREAD: usize = 2;
        let handle = match self.handle.0.addr() {
            0 if self.current.library().is_per_thread() => PER_THREAD,
            0 => LEGACY,
            other => other,
        };
        let thread = (handle == PER_THREAD).then(|| std::thread::current().id());
        match self.id.filter(|_| handle > PER_THREAD) {
            Some(id) => StreamKey { context: 0, stream: id, thread, by_id: true },
            None => StreamKey { context: self.current.context.as_raw().0.addr(), stream: handle as u64, thread, by_id: false },
        }
    }

    /// Whether work that is put on it now is kept for a graph instead of being done in the order of the stream.
    pub(super) fn is_capturing(&self) -> bool {
        let key = self.key();
        if key.stream == LEGACY as u64 && !key.by_id {
            // It cannot be captured, and asking while another stream is would disturb that.
            return false;
        }
        let mut status = cuda::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        let ask = self.current.library().checked(&cuda::cuStreamIsCapturing);
        // SAFETY: the stream is alive, and the result is written to memory that is ours.
        match ask.call(|is_capturing| unsafe { is_capturing(self.handle, &raw mut status) }) {
            Ok(()) => status != cuda::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE,
            // A driver without the command is older than capturing.
            Err(Error::Missing(_)) => false,
            // Who cannot tell must not raise an alarm.
            Err(_) => true,
        }
    }
}

/// `CU_STREAM_LEGACY`.
const LEGACY: usize = 1;

/// One stream of one context, on one thread where each has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamKey {
    context: usize,
    stream: u64,
    thread: Option<std::thread::ThreadId>,
    by_id: bool,
}

#[cfg(test)]
impl StreamKey {
    /// A stream that the driver has given this id.
    pub(super) fn of_id(id: u64) -> Self {
        Self { context: 0, stream: id, thread: None, by_id: true }
    }
}
