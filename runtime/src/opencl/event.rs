//! Events of commands: in, what a command gave; out, an owner of a reference to it, to wait for and to order others by.

use std::{fmt, sync::Arc};

use clcu_sys::opencl::{self, cl_event, cl_event_info};

use super::{Context, error::Error, query};
use crate::trace;

/// The event of a command. A clone is another name for the same; the last one releases the reference.
///
/// It keeps its context alive.
///
/// Since OpenCL 1.0. Source: `cl_event` of the OpenCL API specification.
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    context: Context,
    handle: cl_event,
}

/// How far a command is.
///
/// Since OpenCL 1.0. Source: `CL_EVENT_COMMAND_EXECUTION_STATUS` of the OpenCL API specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// It has ended well.
    Complete,
    /// It is still to be done, or being done: the number that upstream gives the stage (`CL_RUNNING`, `CL_SUBMITTED`, `CL_QUEUED`).
    Pending(i32),
    /// It has ended with this code, which is negative.
    Failed(opencl::cl_result),
}

impl Event {
    /// What a command of this context gave.
    pub(super) fn own(context: &Context, handle: cl_event) -> Self {
        Self(Arc::new(Inner { context: context.clone(), handle }))
    }

    /// An event that somebody else made, such as a user event. It is retained, so that it lives as long as this value and its clones.
    ///
    /// The reference of whoever made it stays theirs to release.
    ///
    /// # Errors
    /// [`Error::Null`] for the null handle; [`Error::Missing`] where the platform lacks the commands that retain and release an event;
    /// [`Error::Call`] with what the platform answers.
    ///
    /// # Safety
    /// It is an event of this context, and alive now.
    ///
    /// Since OpenCL 1.0. Source: `clRetainEvent` of the OpenCL API specification.
    pub unsafe fn from_raw(context: &Context, handle: cl_event) -> Result<Self, Error> {
        let platform = context.platform();
        platform.demand(&[opencl::clRetainEvent.info(), opencl::clReleaseEvent.info()])?;
        let retain = platform.checked(&opencl::clRetainEvent);
        if handle.is_null() {
            return Err(Error::Null { what: "the event" });
        }
        // SAFETY: it is alive, as the caller promises.
        retain.call(|retain| unsafe { retain(handle) })?;
        Ok(Self::own(context, handle))
    }

    /// For other crates. It stays this value's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_event` of the OpenCL API specification.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> cl_event {
        self.0.handle
    }

    /// The context.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// How far its command is. It does not wait.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers to the query; [`Error::UnexpectedSize`] where the answer is not one `cl_int`;
    /// [`Error::Missing`] where it lacks the command. That the command of the event failed is [`Progress::Failed`].
    ///
    /// Since OpenCL 1.0. Source: `clGetEventInfo` of the OpenCL API specification, with `CL_EVENT_COMMAND_EXECUTION_STATUS`.
    pub fn progress(&self) -> Result<Progress, Error> {
        let what = cl_event_info::CL_EVENT_COMMAND_EXECUTION_STATUS;
        let name = "CL_EVENT_COMMAND_EXECUTION_STATUS";
        let status =
            query::value(self.0.context.platform(), &opencl::clGetEventInfo, name, 0_i32, |get, size, value, size_ret| {
                // SAFETY: the event is alive; there is room for `size` bytes, aligned for the answer.
                unsafe { get(self.0.handle, what, size, value, size_ret) }
            })?;
        Ok(match status {
            0 => Progress::Complete,
            1.. => Progress::Pending(status),
            _ => Progress::Failed(opencl::cl_result(status)),
        })
    }

    /// Waits until its command has ended. There is no limit of time.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers: `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST` where the command failed;
    /// [`Event::progress`] has its code. [`Error::Missing`] where it lacks the command.
    ///
    /// Since OpenCL 1.0. Source: `clWaitForEvents` of the OpenCL API specification.
    pub fn wait(&self) -> Result<(), Error> {
        // SAFETY: the event is alive.
        self.0.context.platform().checked(&opencl::clWaitForEvents).call(|wait| unsafe { wait(1, &raw const self.0.handle) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: one reference is this value's, and is released once.
        let released = self.context.platform().checked(&opencl::clReleaseEvent).call(|release| unsafe { release(self.handle) });
        if let Err(error) = released {
            trace::lost("an event could not be released", &error);
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Event").field(&self.0.handle).finish()
    }
}
