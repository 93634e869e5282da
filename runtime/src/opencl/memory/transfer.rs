//! Acquiring external memory for OpenCL and releasing it for the other side: in, a queue and memory of its context; out, the event of the
//! command.
//!
//! Upstream leaves to each implementation what acquiring twice does, or releasing twice. Nobody but this program acquires or releases an object
//! that it imported, so that this is an error here; who does so by the raw handle says so with [`ExternalMemory::assume_acquired`].

use std::{
    error, fmt,
    sync::{Arc, atomic::Ordering},
};

use clcu_sys::{
    Command,
    opencl::{self, cl_event, cl_mem},
    rules::{Found, HandleType},
};

use super::ExternalMemory;
use crate::opencl::{
    Event, Queue,
    checked::{self, Objects},
    error::Error,
};

/// Memory that is acquired twice, or released twice.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Misuse {
    /// It is acquired already, or stands twice in one command.
    AcquiredTwice {
        /// The kind of handle that it was imported from.
        handle_type: &'static HandleType,
    },
    /// It is not acquired, or stands twice in one command.
    NotAcquired {
        /// The kind of handle that it was imported from.
        handle_type: &'static HandleType,
    },
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, what, instead) = match self {
            Self::AcquiredTwice { handle_type } => (handle_type.name, "acquired although it is already", "Release it first"),
            Self::NotAcquired { handle_type } => (handle_type.name, "released although it is not acquired", "Acquire it first"),
        };
        write!(
            f,
            "memory of {name} would be {what}: what comes of that is each implementation's own. {instead}, or say with `assume_acquired` \
             what was done by its raw handle"
        )
    }
}

impl error::Error for Misuse {}

/// The direction of a transfer.
#[derive(Clone, Copy)]
enum To {
    OpenCl,
    OtherSide,
}

impl To {
    const fn after(self) -> bool {
        matches!(self, Self::OpenCl)
    }
}

/// Acquires memory, all of it by one command, after the events of `wait_list`. No memory at all is allowed.
///
/// # Errors
/// [`Error::Invalid`] where the queue's device is none that the memory is for; [`Error::Transfer`] where a part of it is acquired already.
pub fn acquire(queue: &Queue, memory: &[&ExternalMemory], wait_list: &[Event]) -> Result<Event, Error> {
    transfer(queue, memory, wait_list, To::OpenCl)
}

/// Releases memory that was acquired, all of it by one command, after the events of `wait_list`. Only then the other side may access it.
///
/// # Errors
/// As for [`acquire`], where a part of it is not acquired.
pub fn release(queue: &Queue, memory: &[&ExternalMemory], wait_list: &[Event]) -> Result<Event, Error> {
    transfer(queue, memory, wait_list, To::OtherSide)
}

impl ExternalMemory {
    /// Acquires it, after the events of `wait_list`, for all devices that it is for. See [`acquire`].
    pub fn acquire(&self, queue: &Queue, wait_list: &[Event]) -> Result<Event, Error> {
        acquire(queue, &[self], wait_list)
    }

    /// Releases it for the other side, after the events of `wait_list`. See [`release`].
    pub fn release(&self, queue: &Queue, wait_list: &[Event]) -> Result<Event, Error> {
        release(queue, &[self], wait_list)
    }

    /// Whether it is acquired, as far as this value knows.
    #[must_use]
    pub fn is_acquired(&self) -> bool {
        self.acquired.load(Ordering::Acquire)
    }

    /// Says that it was acquired, or released, by its raw handle.
    pub fn assume_acquired(&self, acquired: bool) {
        self.acquired.store(acquired, Ordering::Release);
    }

    /// What is wrong with a queue for it: its device is not one that the memory is for.
    fn refuses(&self, queue: &Queue) -> Option<(&'static str, Found)> {
        let device = queue.device_id();
        let found = Found::Number(device.0.addr().try_into().unwrap_or_default());
        if !self.devices.is_empty() && !self.devices.iter().any(|one| one.as_raw() == device) {
            return Some(("/INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list", found));
        }
        let is_of_context = self.context.device_ids().contains(&device);
        (!is_of_context).then_some(("/INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context", found))
    }
}

fn transfer(queue: &Queue, memory: &[&ExternalMemory], wait_list: &[Event], to: To) -> Result<Event, Error> {
    match to {
        To::OpenCl => fits(queue, memory, opencl::clEnqueueAcquireExternalMemObjectsKHR)?,
        To::OtherSide => fits(queue, memory, opencl::clEnqueueReleaseExternalMemObjectsKHR)?,
    }
    let context = queue.context();
    let handles: Vec<cl_mem> = memory.iter().map(|one| one.handle).collect();
    let events: Vec<cl_event> = wait_list.iter().map(Event::as_raw).collect();
    let objects = Objects { queue: queue.as_raw(), objects: &handles, wait_list: &events };
    let claimed = Claimed::new(memory, to)?;
    let mut event = cl_event::NULL;
    // SAFETY: the queue, the memory and the events are alive.
    unsafe {
        match to {
            To::OpenCl => checked::acquire_external_memory(context.platform(), objects, Some(&mut event), &[])?,
            To::OtherSide => checked::release_external_memory(context.platform(), objects, Some(&mut event), &[])?,
        }
    }
    claimed.keep();
    if event.is_null() {
        let (acquire, release) = (&opencl::clEnqueueAcquireExternalMemObjectsKHR, &opencl::clEnqueueReleaseExternalMemObjectsKHR);
        let command = if to.after() { acquire.info() } else { release.info() };
        return Err(Error::Nothing { command, driver: Arc::clone(context.platform().shared_driver()) });
    }
    Ok(Event::own(context, event))
}

/// Whether the queue's device is one that all of the memory is for.
fn fits<F: Copy>(queue: &Queue, memory: &[&ExternalMemory], command: Command<F>) -> Result<(), Error> {
    match memory.iter().find_map(|one| one.refuses(queue)) {
        None => Ok(()),
        Some((rule, found)) => queue.context().platform().checked(&command).settled(rule, Some(found)).ready().map(drop),
    }
}

/// Memory whose state was changed for a command that is about to be given; changed back unless it was.
struct Claimed<'m> {
    memory: Vec<&'m ExternalMemory>,
    to: To,
}

impl<'m> Claimed<'m> {
    fn new(memory: &[&'m ExternalMemory], to: To) -> Result<Self, Error> {
        let mut claimed = Self { memory: Vec::with_capacity(memory.len()), to };
        for one in memory {
            let (before, after) = (!to.after(), to.after());
            if one.acquired.compare_exchange(before, after, Ordering::AcqRel, Ordering::Acquire).is_err() {
                let handle_type = one.row;
                return Err(Error::Transfer(match to {
                    To::OpenCl => Misuse::AcquiredTwice { handle_type },
                    To::OtherSide => Misuse::NotAcquired { handle_type },
                }));
            }
            claimed.memory.push(one);
        }
        Ok(claimed)
    }

    fn keep(mut self) {
        self.memory.clear();
    }
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        for one in &self.memory {
            one.assume_acquired(!self.to.after());
        }
    }
}
