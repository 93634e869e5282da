//! Signals and waits: in, a semaphore and what it carries; out, one call of the driver for as many as are to be made at once on a stream.

use std::{ffi::c_void, marker::PhantomData, time::Duration};

use clcu_sys::{
    Command,
    cuda::{
        self, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
        CUexternalSemaphore,
    },
    rules::{Bytes, HandleType, Member, Record, Zeroed},
};

use super::Inner;
use crate::{
    checked::Passed,
    cuda::{
        Library, Stream,
        checked::{self, OnSemaphore, OnSemaphores},
        error::Error,
    },
    tracking::Direction,
};

/// One semaphore of a call: which, and with what.
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS`, `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS` of `cuda.h`.
#[derive(Clone, Copy, Debug)]
#[must_use = "it is made by `Stream::signal` or `Stream::wait`"]
pub struct Operation<'s, P> {
    semaphore: &'s Inner,
    carried: Carried,
    /// Whether it is certain that the parameters break no rule. Asked where the operation is made, because there the compiler sees that nearly
    /// all of them is zero; asked of memory, the same is a dozen loads for each signal.
    holds: bool,
    parameters: PhantomData<fn() -> P>,
}

/// What an operation carries: the rest of its parameters, which are a hundred bytes and more, is zero.
#[derive(Clone, Copy, Debug)]
enum Carried {
    Nothing,
    FenceValue(u64),
    /// Of a keyed mutex, with the milliseconds after which a wait for it ends.
    Key(u64, u32),
    NvSciSync(*mut c_void, SkipMemorySync),
}

/// The parameters of one semaphore, as the driver takes them: where in them lies what an operation carries.
trait Parameters: Record + Copy {
    const FENCE_VALUE: Member<Self, u64>;
    const KEY: Member<Self, u64>;
    /// Of a wait.
    const TIMEOUT: Option<Member<Self, u32>>;
    const NVSCISYNC_FENCE: Member<Self, *mut c_void>;
    const FLAGS: Member<Self, u32>;
    const SKIP_MEMORY_SYNC: u32;

    #[inline]
    fn of(carried: Carried) -> Zeroed<'static, Self> {
        let mut parameters = Zeroed::<Self>::new();
        match carried {
            Carried::Nothing => {}
            Carried::FenceValue(value) => parameters.set(Self::FENCE_VALUE, value),
            Carried::Key(key, milliseconds) => {
                parameters.set(Self::KEY, key);
                if let Some(timeout) = Self::TIMEOUT {
                    parameters.set(timeout, milliseconds);
                }
            }
            Carried::NvSciSync(fence, sync) => {
                parameters.set(Self::NVSCISYNC_FENCE, fence);
                if sync == SkipMemorySync::Yes {
                    parameters.set(Self::FLAGS, Self::SKIP_MEMORY_SYNC);
                }
            }
        }
        parameters
    }
}

impl Parameters for SignalParameters {
    const FENCE_VALUE: Member<Self, u64> = Self::PARAMS_FENCE_VALUE;
    const KEY: Member<Self, u64> = Self::PARAMS_KEYED_MUTEX_KEY;
    const TIMEOUT: Option<Member<Self, u32>> = None;
    const NVSCISYNC_FENCE: Member<Self, *mut c_void> = Self::PARAMS_NV_SCI_SYNC_FENCE;
    const FLAGS: Member<Self, u32> = Self::FLAGS;
    const SKIP_MEMORY_SYNC: u32 = cuda::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
}

impl Parameters for WaitParameters {
    const FENCE_VALUE: Member<Self, u64> = Self::PARAMS_FENCE_VALUE;
    const KEY: Member<Self, u64> = Self::PARAMS_KEYED_MUTEX_KEY;
    const TIMEOUT: Option<Member<Self, u32>> = Some(Self::PARAMS_KEYED_MUTEX_TIMEOUT_MS);
    const NVSCISYNC_FENCE: Member<Self, *mut c_void> = Self::PARAMS_NV_SCI_SYNC_FENCE;
    const FLAGS: Member<Self, u32> = Self::FLAGS;
    const SKIP_MEMORY_SYNC: u32 = cuda::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
}

/// A signal, to be made by [`Stream::signal`].
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` of `cuda.h`.
pub type Signal<'s> = Operation<'s, SignalParameters>;

/// A wait, to be made by [`Stream::wait`].
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS` of `cuda.h`.
pub type Wait<'s> = Operation<'s, WaitParameters>;

/// How long to wait for a keyed mutex.
///
/// Since CUDA 11.7 or earlier. Source: `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::params::keyedMutex::timeoutMs` of `cuda.h`.
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
///
/// Since CUDA 11.7 or earlier. Source: `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`,
/// `CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipMemorySync {
    /// It does.
    No,
    /// It does not: the caller sees to it.
    Yes,
}

#[allow(private_bounds)] // the two that there are
impl<'s, P: Parameters> Operation<'s, P> {
    #[inline]
    fn new(semaphore: &'s Inner, carried: Carried) -> Self {
        // SAFETY: every byte is initialised; pointers that rules follow are set from names, or with a promise, as `Zeroed` demands.
        let holds = unsafe { P::surely_holds(Bytes::of(&*P::of(carried)), &semaphore.given) };
        Self { semaphore, carried, holds, parameters: PhantomData }
    }

    #[inline]
    pub(super) fn binary(semaphore: &'s Inner) -> Self {
        Self::new(semaphore, Carried::Nothing)
    }

    #[inline]
    pub(super) fn fence(semaphore: &'s Inner, value: u64) -> Self {
        Self::new(semaphore, Carried::FenceValue(value))
    }

    #[inline]
    pub(super) fn nvscisync(semaphore: &'s Inner, fence: *mut c_void, sync: SkipMemorySync) -> Self {
        Self::new(semaphore, Carried::NvSciSync(fence, sync))
    }

    /// The value of a fence, or the key of a mutex.
    fn value(&self) -> Option<u64> {
        match self.carried {
            Carried::FenceValue(value) | Carried::Key(value, _) => Some(value),
            Carried::Nothing | Carried::NvSciSync(..) => None,
        }
    }
}

impl<'s> Signal<'s> {
    #[inline]
    pub(super) fn release(semaphore: &'s Inner, key: u64) -> Self {
        Self::new(semaphore, Carried::Key(key, 0))
    }
}

impl<'s> Wait<'s> {
    #[inline]
    pub(super) fn acquire(semaphore: &'s Inner, key: u64, timeout: Timeout) -> Self {
        Self::new(semaphore, Carried::Key(key, timeout.milliseconds()))
    }
}

impl Stream<'_> {
    /// Signals all of these when the stream gets there, by one call of the driver. None is no call.
    ///
    /// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Misuse`] for what cannot be right, of semaphores that are followed; [`Error::Invalid`] lists every rule that is broken;
    /// [`Error::System`] for more than 32 bits count; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what
    /// it answers, which may be an error of earlier work. Nothing is signalled then.
    #[inline]
    pub fn signal(&self, signals: &[Signal<'_>]) -> Result<(), Error> {
        make(self, cuda::cuSignalExternalSemaphoresAsync, Direction::Signal, signals)
    }

    /// Makes the stream wait for all of these, by one call of the driver. None is no call.
    ///
    /// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Misuse`] for what cannot be right, of semaphores that are followed; [`Error::Invalid`] lists every rule that is broken;
    /// [`Error::System`] for more than 32 bits count; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what
    /// it answers, which may be an error of earlier work, and `CUDA_ERROR_TIMEOUT` for a keyed mutex that nobody released in time.
    /// Nothing is waited for then.
    #[inline]
    pub fn wait(&self, waits: &[Wait<'_>]) -> Result<(), Error> {
        make(self, cuda::cuWaitExternalSemaphoresAsync, Direction::Wait, waits)
    }
}

#[inline]
fn make<P: Parameters>(
    stream: &Stream<'_>,
    command: Command<OnSemaphores<P>>,
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
fn followed<P: Parameters>(
    stream: &Stream<'_>,
    command: Command<OnSemaphores<P>>,
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
        let judged = operation.semaphore.tracker.judge(direction, key, operation.value(), before.map(Operation::value));
        judged.map_err(Error::Misuse)?;
    }
    call(stream, command, operations)?;
    for operation in operations {
        operation.semaphore.tracker.made(direction, key, operation.value());
    }
    Ok(())
}

impl<P: Parameters> OnSemaphore<P> for Operation<'_, P> {
    #[inline]
    fn handle(&self) -> &CUexternalSemaphore {
        &self.semaphore.handle
    }

    #[inline]
    fn parameters(&self) -> P {
        *P::of(self.carried)
    }

    #[inline]
    fn row(&self) -> Option<&'static HandleType> {
        Some(self.semaphore.row)
    }
}

/// The rules of operations of which one is not certain to break none.
#[cold]
fn look_closer<P: Parameters>(
    library: &Library,
    command: Command<OnSemaphores<P>>,
    operations: &[Operation<'_, P>],
) -> Result<Passed, Error> {
    let mut checked = library.checked(&command);
    for Operation { semaphore, carried, .. } in operations {
        checked = checked.about(Some(semaphore.row)).record(&P::of(*carried), &semaphore.given);
    }
    checked.demand()
}

#[inline]
fn call<P: Parameters>(
    stream: &Stream<'_>,
    command: Command<OnSemaphores<P>>,
    operations: &[Operation<'_, P>],
) -> Result<(), Error> {
    let library = stream.current.library();
    let certain = operations.iter().all(|operation| operation.holds);
    let passed = if certain { None } else { Some(look_closer(library, command, operations)?) };
    if operations.is_empty() {
        return Ok(());
    }
    // SAFETY: the semaphores and the stream are alive, and parameters begin as zeroes.
    unsafe { checked::call_on_semaphores(library, command, operations, stream.as_raw(), passed) }
}
