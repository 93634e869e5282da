//! Signals and waits: in, a semaphore and what it carries; out, one call of the driver for as many as are to be made at once on a stream.

use std::{ffi::c_void, time::Duration};

use clcu_sys::{
    Command,
    cuda::{
        self, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
        CUexternalSemaphore, CUresult, CUstream,
    },
    rules::{Record, Zeroed},
};

use super::Inner;
use crate::{
    cuda::{
        Stream,
        checked::{self, Checked},
        error::Error,
    },
    tracking::Direction,
};

/// One semaphore of a call: which, and with what.
#[derive(Clone, Copy, Debug)]
#[must_use = "it is made by `Stream::signal` or `Stream::wait`"]
pub struct Operation<'s, P> {
    semaphore: &'s Inner,
    parameters: Zeroed<'static, P>,
    value: Option<u64>,
}

/// A signal, to be made by [`Stream::signal`].
pub type Signal<'s> = Operation<'s, SignalParameters>;

/// A wait, to be made by [`Stream::wait`].
pub type Wait<'s> = Operation<'s, WaitParameters>;

/// How long to wait for a keyed mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// As long as it takes.
    Infinite,
    /// At most so long, in whole milliseconds, rounded up; a time beyond 49 days counts as [`Timeout::Infinite`].
    After(Duration),
}

impl Timeout {
    /// As the driver takes it.
    fn milliseconds(self) -> u32 {
        /// `INFINITE` of Windows.
        const INFINITE: u32 = u32::MAX;
        match self {
            Self::Infinite => INFINITE,
            Self::After(duration) => u32::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(INFINITE),
        }
    }
}

/// Whether the driver makes memory of `NvSciBuf` objects coherent with the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipMemorySync {
    /// It does.
    No,
    /// It does not: the caller sees to it.
    Yes,
}

impl<'s, P: Record + Copy> Operation<'s, P> {
    pub(super) fn binary(semaphore: &'s Inner) -> Self {
        Self { semaphore, parameters: Zeroed::new(), value: None }
    }

    fn with(self, value: u64, parameters: Zeroed<'static, P>) -> Self {
        Self { parameters, value: Some(value), ..self }
    }
}

impl<'s> Signal<'s> {
    pub(super) fn signal_fence(semaphore: &'s Inner, value: u64) -> Self {
        let operation = Self::binary(semaphore);
        operation.with(value, operation.parameters.with(SignalParameters::PARAMS_FENCE_VALUE, value))
    }

    pub(super) fn release(semaphore: &'s Inner, key: u64) -> Self {
        let operation = Self::binary(semaphore);
        operation.with(key, operation.parameters.with(SignalParameters::PARAMS_KEYED_MUTEX_KEY, key))
    }

    pub(super) fn signal_nvscisync(semaphore: &'s Inner, fence: *mut c_void, sync: SkipMemorySync) -> Self {
        let mut operation = Self::binary(semaphore);
        operation.parameters.set(SignalParameters::PARAMS_NV_SCI_SYNC_FENCE, fence);
        if sync == SkipMemorySync::Yes {
            operation.parameters.set(SignalParameters::FLAGS, cuda::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC);
        }
        operation
    }
}

impl<'s> Wait<'s> {
    pub(super) fn wait_fence(semaphore: &'s Inner, value: u64) -> Self {
        let operation = Self::binary(semaphore);
        operation.with(value, operation.parameters.with(WaitParameters::PARAMS_FENCE_VALUE, value))
    }

    pub(super) fn acquire(semaphore: &'s Inner, key: u64, timeout: Timeout) -> Self {
        let operation = Self::binary(semaphore);
        let parameters = operation.parameters.with(WaitParameters::PARAMS_KEYED_MUTEX_KEY, key);
        operation.with(key, parameters.with(WaitParameters::PARAMS_KEYED_MUTEX_TIMEOUT_MS, timeout.milliseconds()))
    }

    pub(super) fn wait_nvscisync(semaphore: &'s Inner, fence: *mut c_void, sync: SkipMemorySync) -> Self {
        let mut operation = Self::binary(semaphore);
        operation.parameters.set(WaitParameters::PARAMS_NV_SCI_SYNC_FENCE, fence);
        if sync == SkipMemorySync::Yes {
            operation.parameters.set(WaitParameters::FLAGS, cuda::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC);
        }
        operation
    }
}

impl Stream<'_> {
    /// Signals all of these when the stream gets there, by one call of the driver. None is no call.
    #[inline]
    pub fn signal(&self, signals: &[Signal<'_>]) -> Result<(), Error> {
        make(self, cuda::cuSignalExternalSemaphoresAsync, Direction::Signal, signals)
    }

    /// Makes the stream wait for all of these, by one call of the driver. None is no call.
    #[inline]
    pub fn wait(&self, waits: &[Wait<'_>]) -> Result<(), Error> {
        make(self, cuda::cuWaitExternalSemaphoresAsync, Direction::Wait, waits)
    }
}

/// What both commands are.
type Function<P> = unsafe extern "system" fn(*const CUexternalSemaphore, *const P, u32, CUstream) -> CUresult;

#[inline]
fn make<P: Record + Copy>(
    stream: &Stream<'_>,
    command: Command<Function<P>>,
    direction: Direction,
    operations: &[Operation<'_, P>],
) -> Result<(), Error> {
    if operations.iter().any(|operation| operation.semaphore.tracker.is_on()) {
        followed(stream, command, direction, operations)
    } else {
        call(stream, command, operations)
    }
}

/// Makes operations of which one is followed.
fn followed<P: Record + Copy>(
    stream: &Stream<'_>,
    command: Command<Function<P>>,
    direction: Direction,
    operations: &[Operation<'_, P>],
) -> Result<(), Error> {
    if stream.is_capturing() {
        call(stream, command, operations)?;
        for operation in operations {
            operation.semaphore.tracker.captured();
        }
        return Ok(());
    }
    let key = stream.key();
    for (index, operation) in operations.iter().enumerate() {
        let before = operations.iter().take(index).filter(|earlier| std::ptr::eq(earlier.semaphore, operation.semaphore));
        let judged = operation.semaphore.tracker.judge(direction, key, operation.value, before.map(|earlier| earlier.value));
        judged.map_err(Error::Misuse)?;
    }
    call(stream, command, operations)?;
    for operation in operations {
        operation.semaphore.tracker.made(direction, key, operation.value);
    }
    Ok(())
}

/// Checks one of the operations of a call.
#[inline]
fn added<'l, P: Record + Copy>(checked: Checked<'l, Function<P>>, operation: &Operation<'_, P>) -> Checked<'l, Function<P>> {
    checked.about(Some(operation.semaphore.row)).record(&operation.parameters, &operation.semaphore.given)
}

#[inline]
fn call<P: Record + Copy>(
    stream: &Stream<'_>,
    command: Command<Function<P>>,
    operations: &[Operation<'_, P>],
) -> Result<(), Error> {
    let library = stream.current.library();
    match operations {
        [] => Ok(()),
        [one] => {
            let make = |make: Function<P>| {
                // SAFETY: the semaphore and the stream are alive, and both arrays have one element.
                unsafe { make(&raw const one.semaphore.handle, one.parameters.as_ptr(), 1, stream.as_raw()) }
            };
            checked::call_with(library, command, one.semaphore.row, (&one.parameters, &one.semaphore.given), make)
        }
        many => {
            let checked = many.iter().fold(library.checked(&command), added);
            let count = checked::count(many.len())?;
            let handles: Vec<_> = many.iter().map(|operation| operation.semaphore.handle).collect();
            let parameters: Vec<P> = many.iter().map(|operation| *operation.parameters).collect();
            // SAFETY: the semaphores and the stream are alive, and both arrays are as long as the count says.
            checked.call(|make| unsafe { make(handles.as_ptr(), parameters.as_ptr(), count, stream.as_raw()) })
        }
    }
}
