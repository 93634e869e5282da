//! Signals and waits, on raw arguments and for owners: in, semaphores with what they carry, and events to come after; out, one call of the platform.
//!
//! An owner and a raw call differ in where a semaphore, its type and its payload lie ([`OnSemaphore`]). What is checked and called is the same.

use std::ptr;

use clcu_sys::{
    Command,
    opencl::{
        self, cl_command_queue, cl_event, cl_external_semaphore_handle_type_khr, cl_result, cl_semaphore_khr,
        clEnqueueSignalSemaphoresKHR_arguments, clEnqueueWaitSemaphoresKHR_arguments,
    },
    rules::{Bytes, Given, HandleType, Inert},
};

use super::{Checked, call, counted, event_of, null_event};
use crate::{
    checked::Passed,
    gathered::Gathered,
    opencl::{Platform, error::Error, kind},
};

/// One semaphore of a signal or wait.
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_khr` and `cl_semaphore_payload_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The semaphore.
    pub semaphore: cl_semaphore_khr,
    /// The handle type from which it was made; `None` where it was made from none.
    pub handle_type: Option<cl_external_semaphore_handle_type_khr>,
    /// The value to signal or to wait for; `None` where there is none to give. If no semaphore of the call has one, the list of payloads is the
    /// null pointer; else those without one get 0, which upstream ignores for them.
    pub payload: Option<u64>,
}

/// What [`signal_semaphores`] and [`wait_semaphores`] are given.
///
/// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` and `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub struct Enqueue<'a> {
    /// The queue.
    pub queue: cl_command_queue,
    /// Those to signal or to wait for.
    pub semaphores: &'a [Use],
    /// The events after which it is done.
    pub wait_list: &'a [cl_event],
}

/// `clEnqueueSignalSemaphoresKHR`, for one or many at once. `event` gets the event of the command, which is the caller's to release.
///
/// `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break: upstream wants one semaphore at least; [`Error::System`] for more
/// semaphores or events than 32 bits count; [`Error::Missing`] where the platform lacks the command; [`Error::Call`] with what the
/// platform answers.
///
/// # Safety
/// The queue, the semaphores and the events are alive.
///
/// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR` of the OpenCL API specification.
pub unsafe fn signal_semaphores(
    platform: &Platform,
    enqueue: Enqueue<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { use_semaphores::<clEnqueueSignalSemaphoresKHR_arguments>(platform, enqueue, event, waived) }
}

/// `clEnqueueWaitSemaphoresKHR`, for one or many at once. `event` gets the event of the command, which is the caller's to release.
///
/// `waived` are the ids of rules that are not checked.
///
/// # Errors
/// As for [`signal_semaphores`].
///
/// # Safety
/// As for [`signal_semaphores`].
///
/// With `cl_khr_semaphore`. Source: `clEnqueueWaitSemaphoresKHR` of the OpenCL API specification.
pub unsafe fn wait_semaphores(
    platform: &Platform,
    enqueue: Enqueue<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { use_semaphores::<clEnqueueWaitSemaphoresKHR_arguments>(platform, enqueue, event, waived) }
}

/// What both commands are.
pub(in crate::opencl) type Function = unsafe extern "system" fn(
    cl_command_queue,
    u32,
    *const cl_semaphore_khr,
    *const u64,
    u32,
    *const cl_event,
    *mut cl_event,
) -> cl_result;

/// The arguments of either.
pub(in crate::opencl) trait Direction: Inert {
    const COMMAND: Command<Function>;

    fn new(count: u32, payloads: *const u64, events: u32, wait_list: *const cl_event) -> Self;
}

/// One semaphore of a call of either.
pub(in crate::opencl) trait OnSemaphore {
    fn handle(&self) -> &cl_semaphore_khr;
    fn handle_type(&self) -> Option<cl_external_semaphore_handle_type_khr>;
    fn payload(&self) -> Option<&u64>;

    /// The row of its type.
    fn row(&self) -> Option<&'static HandleType> {
        self.handle_type().and_then(kind::of_semaphore)
    }
}

impl OnSemaphore for Use {
    #[inline]
    fn handle(&self) -> &cl_semaphore_khr {
        &self.semaphore
    }

    #[inline]
    fn handle_type(&self) -> Option<cl_external_semaphore_handle_type_khr> {
        self.handle_type
    }

    #[inline]
    fn payload(&self) -> Option<&u64> {
        self.payload.as_ref()
    }
}

macro_rules! direction {
    ($($arguments:ident: $command:ident;)*) => {$(
        impl Direction for $arguments {
            const COMMAND: Command<Function> = opencl::$command;

            #[inline]
            fn new(count: u32, payloads: *const u64, events: u32, wait_list: *const cl_event) -> Self {
                Self {
                    num_sema_objects: count,
                    sema_payload_list: payloads,
                    num_events_in_wait_list: events,
                    event_wait_list: wait_list,
                }
            }
        }
    )*};
}

direction! {
    clEnqueueSignalSemaphoresKHR_arguments: clEnqueueSignalSemaphoresKHR;
    clEnqueueWaitSemaphoresKHR_arguments: clEnqueueWaitSemaphoresKHR;
}

/// The arguments of either command, for semaphores as an owner or a raw call has them.
pub(in crate::opencl) struct OnSemaphores<'a, U> {
    pub(in crate::opencl) queue: cl_command_queue,
    pub(in crate::opencl) semaphores: &'a [U],
    pub(in crate::opencl) wait_list: &'a [cl_event],
}

/// The facts of one semaphore. One that was made from no handle is of none of the types.
#[inline]
fn given_of(one: &impl OnSemaphore) -> Given<'static> {
    Given { semaphore_handle_type: Some(one.handle_type().map_or(0, |handle_type| handle_type.0.into())), ..Given::default() }
}

/// The arguments, as far as they are about one of the semaphores, or none.
#[inline]
fn arguments<R: Direction, U: OnSemaphore>(enqueue: &OnSemaphores<'_, U>, one: Option<&U>) -> Result<R, Error> {
    let ((count, _), (events, wait_list)) = (counted(enqueue.semaphores)?, counted(enqueue.wait_list)?);
    Ok(R::new(count, one.and_then(U::payload).map_or(ptr::null(), ptr::from_ref), events, wait_list))
}

/// The kind of handle that a call is about, where it is about one semaphore.
fn row_of<U: OnSemaphore>(semaphores: &[U]) -> Option<&'static HandleType> {
    if let [one] = semaphores { one.row() } else { None }
}

/// Whether it is certain that no rule is broken, by what the arguments show.
#[inline]
pub(in crate::opencl) fn surely_holds<R: Direction, U: OnSemaphore>(enqueue: &OnSemaphores<'_, U>) -> bool {
    let holds = |one: &U| {
        let given = given_of(one);
        // SAFETY: they are initialised, and their rules follow no pointer.
        let holds = |arguments: R| unsafe { R::surely_holds(Bytes::of(&arguments), &given) };
        !one.handle().is_null() && arguments(enqueue, Some(one)).is_ok_and(holds)
    };
    let OnSemaphores { queue, semaphores, wait_list } = enqueue;
    !semaphores.is_empty() && !queue.is_null() && semaphores.iter().all(holds) && !null_event(wait_list)
}

/// Every rule, for a call of which it is not certain that it breaks none.
pub(in crate::opencl) fn checks_of_semaphores<'l, R: Direction, U: OnSemaphore>(
    mut checked: Checked<'l, Function>,
    enqueue: &OnSemaphores<'_, U>,
) -> Result<Checked<'l, Function>, Error> {
    let OnSemaphores { queue, semaphores, wait_list } = enqueue;
    if semaphores.is_empty() {
        checked = checked.arguments(&arguments::<R, U>(enqueue, None)?, &Given::default());
    }
    for one in *semaphores {
        checked = checked.arguments(&arguments::<R, U>(enqueue, Some(one))?, &given_of(one));
    }
    let any_null = semaphores.iter().any(|one| one.handle().is_null());
    Ok(checked
        .about(row_of(semaphores))
        .not_null("/INVALID_COMMAND_QUEUE/command_queue-valid-object", queue.is_null())
        .not_null("/INVALID_SEMAPHORE_KHR/sema_objects-valid-object", any_null)
        .not_null("/INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object", null_event(wait_list)))
}

/// Either command, checked. What is behind the sure yes is not made for it.
///
/// # Safety
/// As for [`signal_semaphores`].
unsafe fn use_semaphores<R: Direction>(
    platform: &Platform,
    enqueue: Enqueue<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    let Enqueue { queue, semaphores, wait_list } = enqueue;
    let enqueue = OnSemaphores { queue, semaphores, wait_list };
    let certain = waived.is_empty() && surely_holds::<R, _>(&enqueue);
    let checks = || checks_of_semaphores::<R, _>(platform.checked(&R::COMMAND).waiving(waived), &enqueue)?.demand();
    let passed = if certain { None } else { Some(checks()?) };
    // SAFETY: promised by the caller.
    unsafe { call_on_semaphores::<R, _>(platform, &enqueue, event, passed) }
}

/// Either command, for what was checked. `passed` is `None` where it was certain.
///
/// # Safety
/// The queue, the semaphores and the events are alive.
#[inline]
pub(in crate::opencl) unsafe fn call_on_semaphores<R: Direction, U: OnSemaphore>(
    platform: &Platform,
    enqueue: &OnSemaphores<'_, U>,
    event: Option<&mut cl_event>,
    passed: Option<Passed>,
) -> Result<(), Error> {
    let OnSemaphores { queue, semaphores, wait_list } = *enqueue;
    let ((count, _), (events, wait_list)) = (counted(semaphores)?, counted(wait_list)?);
    let event = event_of(event);
    let (about, passed) = (|| row_of(semaphores), || passed.unwrap_or_else(|| Passed::by(R::SUBJECT)));
    if let [one] = semaphores {
        let payload = one.payload().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the objects are alive, as the caller promises; each list is as long as its count says.
        let invoke = |make: Function| unsafe { make(queue, 1, one.handle(), payload, events, wait_list, event) };
        return call(platform, R::COMMAND, about, passed, invoke);
    }
    let handles = Gathered::new(semaphores.iter().map(|one| *one.handle()));
    let any_payload = semaphores.iter().any(|one| one.payload().is_some());
    let payloads = any_payload.then(|| Gathered::new(semaphores.iter().map(|one| one.payload().copied().unwrap_or(0))));
    let payloads = payloads.as_ref().map_or(ptr::null(), |payloads| payloads.as_ptr());
    // SAFETY: as above.
    let invoke = |make: Function| unsafe { make(queue, count, handles.as_ptr(), payloads, events, wait_list, event) };
    call(platform, R::COMMAND, about, passed, invoke)
}
