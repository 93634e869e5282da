//! Signals and waits: in, semaphores and what they carry, events to come after; out, one call of the platform for as many as are to be made
//! at once on a queue, and its event where one is wanted.

use std::{marker::PhantomData, sync::Arc};

use clcu_sys::{
    opencl::{
        cl_event, cl_external_semaphore_handle_type_khr as HandleTypeValue, cl_semaphore_khr,
        clEnqueueSignalSemaphoresKHR_arguments as SignalArguments, clEnqueueWaitSemaphoresKHR_arguments as WaitArguments,
    },
    rules::{Found, HandleType},
};

use super::{Binary, Fence, Inner, Semaphore};
use crate::{
    checked::Passed,
    gathered::Gathered,
    opencl::{
        Event, Queue,
        checked::{self, OnSemaphore, OnSemaphores},
        error::Error,
    },
    tracking::Direction,
};

/// Marks a signal.
///
/// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub enum Signaling {}

/// Marks a wait.
///
/// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub enum Waiting {}

/// One semaphore of a call: which, and with what.
///
/// It borrows the semaphore, and does nothing until it is made.
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` and `cl_semaphore_payload_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
#[must_use = "it is made by `Queue::signal` or `Queue::wait`"]
pub struct Operation<'s, D> {
    semaphore: &'s Inner,
    payload: Option<u64>,
    direction: PhantomData<fn() -> D>,
}

/// A signal, to be made by [`Queue::signal`] or [`Queue::signal_after`].
///
/// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
pub type Signal<'s> = Operation<'s, Signaling>;

/// A wait, to be made by [`Queue::wait`] or [`Queue::wait_after`].
///
/// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
pub type Wait<'s> = Operation<'s, Waiting>;

impl<'s, D> Operation<'s, D> {
    fn new(semaphore: &'s Inner, payload: Option<u64>) -> Self {
        Self { semaphore, payload, direction: PhantomData }
    }
}

impl Semaphore<Binary> {
    /// Signals it when the queue gets there.
    ///
    /// # Errors
    /// As for [`Queue::signal`].
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn signal(&self, queue: &Queue) -> Result<(), Error> {
        queue.signal(&[self.signaling()])
    }

    /// Makes the queue wait until it is signalled, and unsignals it.
    ///
    /// # Errors
    /// As for [`Queue::wait`].
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn wait(&self, queue: &Queue) -> Result<(), Error> {
        queue.wait(&[self.waiting()])
    }

    /// A signal, to be made together with others.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn signaling(&self) -> Signal<'_> {
        Operation::new(&self.inner, None)
    }

    /// A wait, to be made together with others.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn waiting(&self) -> Wait<'_> {
        Operation::new(&self.inner, None)
    }
}

impl Semaphore<Fence> {
    /// Sets it to `value` when the queue gets there.
    ///
    /// # Errors
    /// As for [`Queue::signal`].
    ///
    /// With `cl_khr_semaphore` and `cl_khr_external_semaphore_dx_fence`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API
    /// specification.
    #[inline]
    pub fn signal(&self, queue: &Queue, value: u64) -> Result<(), Error> {
        queue.signal(&[self.signaling(value)])
    }

    /// Makes the queue wait until it is `value` or more.
    ///
    /// # Errors
    /// As for [`Queue::wait`].
    ///
    /// With `cl_khr_semaphore` and `cl_khr_external_semaphore_dx_fence`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API
    /// specification.
    #[inline]
    pub fn wait(&self, queue: &Queue, value: u64) -> Result<(), Error> {
        queue.wait(&[self.waiting(value)])
    }

    /// A signal with the value that it sets, to be made together with others.
    ///
    /// With `cl_khr_semaphore` and `cl_khr_external_semaphore_dx_fence`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API
    /// specification.
    #[inline]
    pub fn signaling(&self, value: u64) -> Signal<'_> {
        Operation::new(&self.inner, Some(value))
    }

    /// A wait with the value that it waits for, to be made together with others.
    ///
    /// With `cl_khr_semaphore` and `cl_khr_external_semaphore_dx_fence`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API
    /// specification.
    #[inline]
    pub fn waiting(&self, value: u64) -> Wait<'_> {
        Operation::new(&self.inner, Some(value))
    }
}

impl Queue {
    /// Signals all of these when the queue gets there, by one call of the platform. Upstream wants one at least.
    ///
    /// # Errors
    /// [`Error::Misuse`] where a semaphore that is followed is signalled twice without a wait, which no other party can make right;
    /// [`Error::Invalid`] with every rule that is broken: there is no semaphore, one is of another context or not for the device of the
    /// queue; [`Error::System`] for more semaphores or events than 32 bits count; [`Error::Call`] with what the platform answers.
    /// Nothing is signalled then.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn signal(&self, signals: &[Signal<'_>]) -> Result<(), Error> {
        enqueue::<SignalArguments, _>(self, Direction::Signal, signals, &[], false).map(drop)
    }

    /// Makes the queue wait for all of these, by one call of the platform. Upstream wants one at least.
    ///
    /// On a queue that does commands out of order, nothing but the event of the wait orders other commands after it.
    ///
    /// # Errors
    /// [`Error::Misuse`] where a semaphore that is followed is waited for twice without a signal, or was declared exclusive and nothing
    /// signalled it; the others as for [`Queue::signal`]. Nothing is waited for then.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
    #[inline]
    pub fn wait(&self, waits: &[Wait<'_>]) -> Result<(), Error> {
        enqueue::<WaitArguments, _>(self, Direction::Wait, waits, &[], false).map(drop)
    }

    /// Signals all of these when the queue gets there and all events have completed. The event is that of the signal.
    ///
    /// # Errors
    /// As for [`Queue::signal`], with [`Error::Invalid`] for an event of another context, too. [`Error::Nothing`] where the platform
    /// gave no event: the signal is made nevertheless.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
    pub fn signal_after(&self, signals: &[Signal<'_>], events: &[&Event]) -> Result<Event, Error> {
        let made = enqueue::<SignalArguments, _>(self, Direction::Signal, signals, events, true)?;
        made.ok_or_else(|| self.no_event::<SignalArguments>())
    }

    /// Makes the queue wait for all of these and for all events. The event is that of the wait.
    ///
    /// # Errors
    /// As for [`Queue::wait`], with [`Error::Invalid`] for an event of another context, too. [`Error::Nothing`] where the platform gave
    /// no event: the wait is made nevertheless.
    ///
    /// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
    pub fn wait_after(&self, waits: &[Wait<'_>], events: &[&Event]) -> Result<Event, Error> {
        let made = enqueue::<WaitArguments, _>(self, Direction::Wait, waits, events, true)?;
        made.ok_or_else(|| self.no_event::<WaitArguments>())
    }

    fn no_event<R: checked::Direction>(&self) -> Error {
        Error::Nothing { command: R::COMMAND.info(), driver: Arc::clone(self.context().platform().shared_driver()) }
    }
}

#[inline]
fn enqueue<R: checked::Direction, D>(
    queue: &Queue,
    direction: Direction,
    operations: &[Operation<'_, D>],
    events: &[&Event],
    wants_event: bool,
) -> Result<Option<Event>, Error> {
    if operations.iter().any(|operation| operation.semaphore.tracker.is_on()) {
        followed::<R, D>(queue, direction, operations, events, wants_event)
    } else {
        call::<R, D>(queue, operations, events, wants_event)
    }
}

/// Makes operations of which one is followed.
fn followed<R: checked::Direction, D>(
    queue: &Queue,
    direction: Direction,
    operations: &[Operation<'_, D>],
    events: &[&Event],
    wants_event: bool,
) -> Result<Option<Event>, Error> {
    for (index, operation) in operations.iter().enumerate() {
        let before = operations.iter().take(index).filter(|earlier| earlier.semaphore.handle == operation.semaphore.handle).count();
        operation.semaphore.tracker.judge(direction, i32::try_from(before).unwrap_or(i32::MAX))?;
    }
    let wants_event = wants_event || operations.iter().any(|operation| operation.semaphore.tracker.wants_events());
    let event = call::<R, D>(queue, operations, events, wants_event)?;
    for operation in operations {
        let tracker = &operation.semaphore.tracker;
        tracker.made(direction, operation.payload, event.as_ref().filter(|_| tracker.wants_events()));
    }
    Ok(event)
}

impl<D> OnSemaphore for Operation<'_, D> {
    #[inline]
    fn handle(&self) -> &cl_semaphore_khr {
        &self.semaphore.handle
    }

    #[inline]
    fn handle_type(&self) -> Option<HandleTypeValue> {
        self.semaphore.imported_from
    }

    #[inline]
    fn payload(&self) -> Option<&u64> {
        self.payload.as_ref()
    }

    fn row(&self) -> Option<&'static HandleType> {
        self.semaphore.row
    }
}

impl Inner {
    /// Whether the queue is of the context.
    #[inline]
    fn is_of(&self, queue: &Queue) -> bool {
        self.context.is(queue.context())
    }

    /// Whether it was made for the device of the queue, or for all.
    #[inline]
    fn is_for(&self, queue: &Queue) -> bool {
        self.device.is_none_or(|device| device == queue.device_id())
    }

    /// Whether the device of the queue is one of the context.
    #[inline]
    fn knows(&self, queue: &Queue) -> bool {
        self.context.device_ids().contains(&queue.device_id())
    }
}

#[inline]
fn call<R: checked::Direction, D>(
    queue: &Queue,
    operations: &[Operation<'_, D>],
    events: &[&Event],
    wants_event: bool,
) -> Result<Option<Event>, Error> {
    let context = queue.context();
    let wait_list = Gathered::new(events.iter().map(|event| event.as_raw()));
    let enqueue = OnSemaphores { queue: queue.as_raw(), semaphores: operations, wait_list: &wait_list };
    let fits = |Operation { semaphore, .. }: &Operation<'_, D>| {
        semaphore.is_of(queue) && semaphore.is_for(queue) && semaphore.knows(queue)
    };
    let fit = operations.iter().all(fits) && events.iter().all(|event| event.context().is(context));
    let certain = fit && checked::surely_holds::<R, _>(&enqueue);
    let passed = if certain { None } else { Some(look_closer::<R, D>(queue, &enqueue, events)?) };
    let mut made = cl_event::NULL;
    // SAFETY: the queue, the semaphores and the events are alive.
    unsafe { checked::call_on_semaphores::<R, _>(context.platform(), &enqueue, wants_event.then_some(&mut made), passed)? };
    Ok((!made.is_null()).then(|| Event::own(context, made)))
}

/// Every rule of a call of which it is not certain that it breaks none.
#[cold]
fn look_closer<R: checked::Direction, D>(
    queue: &Queue,
    enqueue: &OnSemaphores<'_, Operation<'_, D>>,
    events: &[&Event],
) -> Result<Passed, Error> {
    let context = queue.context();
    let elsewhere = |holds: bool| (!holds).then_some(Found::Call);
    let mut checked = context.platform().checked(&R::COMMAND);
    for Operation { semaphore, .. } in enqueue.semaphores {
        checked = checked
            .settled("/INVALID_CONTEXT/command_queue+sema_objects-same-context", elsewhere(semaphore.is_of(queue)))
            .settled("/INVALID_COMMAND_QUEUE/command_queue+sema_objects-device-in-list", elsewhere(semaphore.is_for(queue)))
            .settled("/INVALID_COMMAND_QUEUE/sema_objects+command_queue-device-of-context", elsewhere(semaphore.knows(queue)));
    }
    let same = events.iter().all(|event| event.context().is(context));
    checked = checked.settled("/INVALID_CONTEXT/command_queue+event_wait_list-same-context", elsewhere(same));
    checked::checks_of_semaphores::<R, _>(checked, enqueue)?.demand()
}
