//! The vocabulary that semaphores of both APIs share, as traits: in, a semaphore and what its work is queued on; out, a signal or a wait.

use crate::{cuda, opencl};

/// A semaphore without a value, of either API.
///
/// ```
/// use clcu::interop::SharedSemaphore;
/// /// Lets the other side go first.
/// fn take_turns<S: SharedSemaphore>(mine: &S, others: &S, queue: &S::Queue<'_>) -> Result<(), S::Error> {
///     mine.signal(queue)?;
///     others.wait(queue)
/// }
/// ```
///
/// What a signal or wait promises about memory is said at the methods of the same name of
/// [`cuda::ExternalSemaphore`] and [`opencl::Semaphore`].
///
/// Source: `cuSignalExternalSemaphoresAsync` and `cuWaitExternalSemaphoresAsync` of `cuda.h`; `clEnqueueSignalSemaphoresKHR` and
/// `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification, with `cl_khr_semaphore`.
pub trait SharedSemaphore {
    /// What work is queued on: a stream of CUDA, a command queue of OpenCL.
    type Queue<'q>;
    /// What a refusal says.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Signals when the work that was queued before is done.
    ///
    /// # Errors
    /// [`cuda::Error`] or [`opencl::Error`]: the driver refuses, or rules or tracking do before it is asked.
    fn signal(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error>;

    /// Lets the work that is queued from here on wait for a signal.
    ///
    /// # Errors
    /// As for [`SharedSemaphore::signal`].
    fn wait(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error>;
}

/// A semaphore whose value only goes up, of either API: a timeline semaphore of Vulkan, a fence of Direct3D.
///
/// Source: `cuSignalExternalSemaphoresAsync` and `cuWaitExternalSemaphoresAsync` of `cuda.h`; `clEnqueueSignalSemaphoresKHR` and
/// `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification, with `cl_khr_external_semaphore_dx_fence`.
pub trait SharedTimeline {
    /// What work is queued on.
    type Queue<'q>;
    /// What a refusal says.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Sets the value when the work that was queued before is done.
    ///
    /// # Errors
    /// As for [`SharedSemaphore::signal`].
    fn signal(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error>;

    /// Lets the work that is queued from here on wait until the value is at least this.
    ///
    /// # Errors
    /// As for [`SharedSemaphore::signal`].
    fn wait(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error>;
}

impl SharedSemaphore for cuda::ExternalSemaphore<cuda::semaphore::Binary> {
    type Queue<'q> = cuda::Stream<'q>;
    type Error = cuda::Error;

    fn signal(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error> {
        Self::signal(self, queue)
    }

    fn wait(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error> {
        Self::wait(self, queue)
    }
}

impl SharedSemaphore for opencl::Semaphore<opencl::semaphore::Binary> {
    type Queue<'q> = opencl::Queue;
    type Error = opencl::Error;

    fn signal(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error> {
        Self::signal(self, queue)
    }

    fn wait(&self, queue: &Self::Queue<'_>) -> Result<(), Self::Error> {
        Self::wait(self, queue)
    }
}

impl SharedTimeline for cuda::ExternalSemaphore<cuda::semaphore::Fence> {
    type Queue<'q> = cuda::Stream<'q>;
    type Error = cuda::Error;

    fn signal(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error> {
        Self::signal(self, queue, value)
    }

    fn wait(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error> {
        Self::wait(self, queue, value)
    }
}

impl SharedTimeline for opencl::Semaphore<opencl::semaphore::Fence> {
    type Queue<'q> = opencl::Queue;
    type Error = opencl::Error;

    fn signal(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error> {
        Self::signal(self, queue, value)
    }

    fn wait(&self, queue: &Self::Queue<'_>, value: u64) -> Result<(), Self::Error> {
        Self::wait(self, queue, value)
    }
}
