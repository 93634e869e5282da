//! Command queues: in, a context and one of its devices, or a queue that somebody else made; out, an owner of a reference to it.

use std::{fmt, sync::Arc};

use clcu_sys::opencl::{self, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context, cl_device_id};

use super::{Context, Device, error::Error, query};
use crate::trace;

/// A command queue. A clone is another name for the same; the last one releases the reference, which flushes what was enqueued.
///
/// It keeps its context alive.
///
/// Since OpenCL 1.0. Source: `cl_command_queue` of the OpenCL API specification.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    context: Context,
    handle: cl_command_queue,
    device: cl_device_id,
}

impl Queue {
    /// A queue that does its commands in their order: without properties. A platform older than OpenCL 2.0 makes it by
    /// `clCreateCommandQueue`.
    ///
    /// # Errors
    /// [`Error::Foreign`] for a device of another platform; [`Error::Missing`] where the platform lacks the commands that make and
    /// release a queue; [`Error::Call`] with what the platform answers: `CL_INVALID_DEVICE` for a device that is not one of the
    /// context; [`Error::Nothing`] or [`Error::Silent`] where it gives no queue.
    ///
    /// Since OpenCL 2.0. Source: `clCreateCommandQueueWithProperties` of the OpenCL API specification; since OpenCL 1.0,
    /// `clCreateCommandQueue`.
    pub fn new(context: &Context, device: &Device) -> Result<Self, Error> {
        let platform = context.platform();
        device.demand_platform(platform)?;
        platform.demand(&[opencl::clReleaseCommandQueue.info()])?;
        let is_null = |made: &cl_command_queue| made.is_null();
        let (context_handle, id) = (context.as_raw(), device.as_raw());
        let handle = if platform.get(&opencl::clCreateCommandQueueWithProperties).is_ok() {
            let create = platform.checked(&opencl::clCreateCommandQueueWithProperties);
            // SAFETY: context and device are alive; no properties is a null pointer.
            create.create(is_null, |create, errcode_ret| unsafe { create(context_handle, id, std::ptr::null(), errcode_ret) })?
        } else {
            let create = platform.checked(&opencl::clCreateCommandQueue);
            let plain = cl_command_queue_properties(0);
            // SAFETY: context and device are alive.
            create.create(is_null, |create, errcode_ret| unsafe { create(context_handle, id, plain, errcode_ret) })?
        };
        Ok(Self(Arc::new(Inner { context: context.clone(), handle, device: id })))
    }

    /// A queue that somebody else made. It is retained, so that it lives as long as this value and its clones.
    ///
    /// The reference of whoever made it stays theirs to release.
    ///
    /// # Errors
    /// [`Error::Null`] for the null handle; [`Error::Foreign`] where the platform says that the queue is of another context;
    /// [`Error::Missing`] where the platform lacks the commands to retain, release or ask a queue; [`Error::Call`] with what the
    /// platform answers; [`Error::UnexpectedSize`] where an answer is not one handle.
    ///
    /// # Safety
    /// It is a queue of the platform of the context, and alive now.
    ///
    /// Since OpenCL 1.0. Source: `clRetainCommandQueue` and `clGetCommandQueueInfo` of the OpenCL API specification.
    pub unsafe fn from_raw(context: &Context, handle: cl_command_queue) -> Result<Self, Error> {
        let platform = context.platform();
        platform.demand(&[opencl::clRetainCommandQueue.info(), opencl::clReleaseCommandQueue.info()])?;
        let retain = platform.checked(&opencl::clRetainCommandQueue);
        if handle.is_null() {
            return Err(Error::Null { what: "the queue" });
        }
        // SAFETY: it is alive, as the caller promises.
        retain.call(|retain| unsafe { retain(handle) })?;
        // From here on a failure releases it again.
        let mut queue = Self(Arc::new(Inner { context: context.clone(), handle, device: cl_device_id::NULL }));
        let of: cl_context = queue.ask(cl_command_queue_info::CL_QUEUE_CONTEXT, "CL_QUEUE_CONTEXT", cl_context::NULL)?;
        if of != context.as_raw() {
            return Err(Error::Foreign { what: "the queue", of: "context" });
        }
        let device = queue.ask(cl_command_queue_info::CL_QUEUE_DEVICE, "CL_QUEUE_DEVICE", cl_device_id::NULL)?;
        if let Some(inner) = Arc::get_mut(&mut queue.0) {
            inner.device = device;
        }
        Ok(queue)
    }

    fn ask<T: Copy>(&self, what: cl_command_queue_info, name: &'static str, empty: T) -> Result<T, Error> {
        query::value(self.0.context.platform(), &opencl::clGetCommandQueueInfo, name, empty, |get, size, value, size_ret| {
            // SAFETY: the queue is alive; there is room for `size` bytes, aligned for the answer.
            unsafe { get(self.as_raw(), what, size, value, size_ret) }
        })
    }

    /// For other crates. It stays this value's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_command_queue` of the OpenCL API specification.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> cl_command_queue {
        self.0.handle
    }

    /// The context.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The handle of its device. It is nobody's to release.
    ///
    /// Since OpenCL 1.0. Source: `CL_QUEUE_DEVICE` of the OpenCL API specification.
    #[inline]
    #[must_use]
    pub fn device_id(&self) -> cl_device_id {
        self.0.device
    }

    /// Gives what was enqueued to the device. It does not wait.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers; [`Error::Missing`] where it lacks the command.
    ///
    /// Since OpenCL 1.0. Source: `clFlush` of the OpenCL API specification.
    pub fn flush(&self) -> Result<(), Error> {
        // SAFETY: the queue is alive.
        self.0.context.platform().checked(&opencl::clFlush).call(|flush| unsafe { flush(self.as_raw()) })
    }

    /// Waits until everything that was enqueued is done. There is no limit of time.
    ///
    /// # Errors
    /// As for [`Queue::flush`].
    ///
    /// Since OpenCL 1.0. Source: `clFinish` of the OpenCL API specification.
    pub fn finish(&self) -> Result<(), Error> {
        // SAFETY: the queue is alive.
        self.0.context.platform().checked(&opencl::clFinish).call(|finish| unsafe { finish(self.as_raw()) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let release = self.context.platform().checked(&opencl::clReleaseCommandQueue);
        // SAFETY: one reference is this value's, and is released once.
        if let Err(error) = release.call(|release| unsafe { release(self.handle) }) {
            trace::lost("a command queue could not be released", &error);
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("handle", &self.0.handle).field("device", &self.0.device).finish_non_exhaustive()
    }
}
