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
    Command, CommandInfo,
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
///
/// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` and `clEnqueueReleaseExternalMemObjectsKHR` of the
/// OpenCL API specification.
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

impl ExternalMemory {
    /// Acquires it for all devices that it is for, when the queue gets there.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the queue's device is none that the memory is for; [`Error::Foreign`] where the queue, or an event, is of another
    /// context; [`Error::Transfer`] where it is acquired already; [`Error::Call`] with what the platform answers.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn acquire(&self, queue: &Queue) -> Result<(), Error> {
        queue.acquire_memory(&[self])
    }

    /// Releases it for the other side, when the queue gets there.
    ///
    /// # Errors
    /// As for [`acquire`](Self::acquire), with [`Error::Transfer`] where it is not acquired.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueReleaseExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn release(&self, queue: &Queue) -> Result<(), Error> {
        queue.release_memory(&[self])
    }

    /// Whether it is acquired, as far as this value knows.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` of the OpenCL API specification; no query tells.
    #[must_use]
    pub fn is_acquired(&self) -> bool {
        self.acquired.load(Ordering::Acquire)
    }

    /// Says that it was acquired, or released, by its raw handle. Nothing is called.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` and `clEnqueueReleaseExternalMemObjectsKHR` of
    /// the OpenCL API specification.
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

impl Queue {
    /// Acquires all of this memory when the queue gets there, by one call of the platform. None at all is allowed.
    ///
    /// # Errors
    /// As for [`ExternalMemory::acquire`], with [`Error::Transfer`] also where one stands twice in the list; [`Error::System`] for more
    /// objects or events than 32 bits count; [`Error::Missing`] where the platform lacks the command. Nothing is acquired then.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn acquire_memory(&self, memory: &[&ExternalMemory]) -> Result<(), Error> {
        transfer(self, memory, &[], To::OpenCl, None)
    }

    /// Releases all of this memory when the queue gets there, by one call of the platform. Only then the other side may access it.
    ///
    /// # Errors
    /// As for [`ExternalMemory::release`], with [`Error::Transfer`] also where one stands twice in the list; [`Error::System`] for more
    /// objects or events than 32 bits count; [`Error::Missing`] where the platform lacks the command. Nothing is released then.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueReleaseExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn release_memory(&self, memory: &[&ExternalMemory]) -> Result<(), Error> {
        transfer(self, memory, &[], To::OtherSide, None)
    }

    /// Acquires all of this memory when the queue gets there and all events have completed. The event is that of the acquisition.
    ///
    /// # Errors
    /// As for [`Queue::acquire_memory`]. [`Error::Nothing`] where the platform gave no event: the memory is acquired nevertheless.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn acquire_memory_after(&self, memory: &[&ExternalMemory], events: &[&Event]) -> Result<Event, Error> {
        let mut event = cl_event::NULL;
        transfer(self, memory, events, To::OpenCl, Some(&mut event))?;
        self.own(event, opencl::clEnqueueAcquireExternalMemObjectsKHR.info())
    }

    /// Releases all of this memory when the queue gets there and all events have completed. The event is that of the release.
    ///
    /// # Errors
    /// As for [`Queue::release_memory`]. [`Error::Nothing`] where the platform gave no event: the memory is released nevertheless.
    ///
    /// With `cl_khr_external_memory`. Source: `clEnqueueReleaseExternalMemObjectsKHR` of the OpenCL API specification.
    pub fn release_memory_after(&self, memory: &[&ExternalMemory], events: &[&Event]) -> Result<Event, Error> {
        let mut event = cl_event::NULL;
        transfer(self, memory, events, To::OtherSide, Some(&mut event))?;
        self.own(event, opencl::clEnqueueReleaseExternalMemObjectsKHR.info())
    }

    fn own(&self, event: cl_event, command: &'static CommandInfo) -> Result<Event, Error> {
        if event.is_null() {
            return Err(Error::Nothing { command, driver: Arc::clone(self.context().platform().shared_driver()) });
        }
        Ok(Event::own(self.context(), event))
    }
}

fn transfer(
    queue: &Queue,
    memory: &[&ExternalMemory],
    events: &[&Event],
    to: To,
    event: Option<&mut cl_event>,
) -> Result<(), Error> {
    match to {
        To::OpenCl => fits(queue, memory, opencl::clEnqueueAcquireExternalMemObjectsKHR)?,
        To::OtherSide => fits(queue, memory, opencl::clEnqueueReleaseExternalMemObjectsKHR)?,
    }
    // What belongs to another context is another platform's, perhaps: its function must not follow it.
    if !memory.iter().all(|one| one.context.is(queue.context())) {
        return Err(Error::Foreign { what: "memory", of: "context" });
    }
    if !events.iter().all(|event| event.context().is(queue.context())) {
        return Err(Error::Foreign { what: "an event", of: "context" });
    }
    let platform = queue.context().platform();
    let handles: Vec<cl_mem> = memory.iter().map(|one| one.handle).collect();
    let events: Vec<cl_event> = events.iter().map(|event| event.as_raw()).collect();
    let objects = Objects { queue: queue.as_raw(), objects: &handles, wait_list: &events };
    let claimed = Claimed::new(memory, to)?;
    // SAFETY: the queue, the memory and the events are alive, and of one context.
    unsafe {
        match to {
            To::OpenCl => checked::acquire_external_memory(platform, objects, event, &[])?,
            To::OtherSide => checked::release_external_memory(platform, objects, event, &[])?,
        }
    }
    claimed.keep();
    Ok(())
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
