//! Checked calls on raw arguments: in, a command and the arguments that it shall get; out, a call of the platform, or every rule that they
//! break, all at once, and no call.
//!
//! One way serves every command: [`Platform::checked`] begins, arguments are added with the facts that their rules ask for, and
//! [`Checked::call`] or [`Checked::create`] calls. The commands for semaphores and external memory have a function each, which makes the list
//! of checks where it is not certain that no rule is broken, and calls without it where that is. What the raw
//! arguments themselves tell beyond the generated rules is settled there too: a handle that is null, memory for an answer that is too small,
//! a property whose value cannot be one.
//!
//! ```no_run
//! use clcu::{opencl::{Library, checked}, sys::opencl::cl_context};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let library = Library::open()?;
//! let platforms = library.platforms()?;
//! let place = checked::Place { context: cl_context::NULL, devices: &[], import_types: None };
//! // SAFETY: the call is refused: the context is null, and the list has no terminator.
//! let refused = unsafe { checked::create_semaphore(platforms.first()?, place, Some(&[0x203D, 1]), &[]) };
//! assert!(refused.is_err());
//! # Ok(())
//! # }
//! ```

mod enqueue;
mod memory;
mod semaphore;

use std::sync::Arc;

use clcu_sys::{
    Command, CommandInfo, ErrorChannel,
    opencl::{self, cl_context, cl_device_id, cl_event, cl_result},
    rules::{Entry, Found, Given, HandleType, Inert, PropertyList, PropertyTable, Shape, System},
};

pub(super) use self::{
    enqueue::{Direction, OnSemaphore, OnSemaphores, call_on_semaphores, checks_of_semaphores, surely_holds},
    semaphore::{create_of_properties, demand_properties},
};
pub use self::{
    enqueue::{Enqueue, Use, signal_semaphores, wait_semaphores},
    memory::{Objects, acquire_external_memory, create_buffer, create_image, release_external_memory},
    semaphore::{
        Export, create_semaphore, export_semaphore, reimport_sync_fd, release_semaphore, retain_semaphore, semaphore_info,
    },
};
use super::{
    Platform,
    error::{CallError, Error},
};
use crate::{
    checked::{Checks, Passed},
    trace::Began,
};

/// What `errcode_ret` holds before the call: no code that any platform has.
const UNWRITTEN: cl_result = cl_result(i32::MAX);

/// A command that is about to be called with what was checked. See the [module](self).
///
/// Source: the rules that are generated from the OpenCL API specification, [`clcu_sys::opencl::RULES`].
#[derive(Debug)]
#[must_use = "nothing is called before `call` or `create`"]
pub struct Checked<'l, F> {
    platform: &'l Platform,
    command: Command<F>,
    checks: Checks<'l>,
}

impl Platform {
    /// A command to be called with what is checked first.
    ///
    /// Nothing is called before [`Checked::call`], [`Checked::create`] or [`Checked::create_items`].
    #[inline]
    pub fn checked<F: Copy>(&self, command: &Command<F>) -> Checked<'_, F> {
        Checked { platform: self, command: *command, checks: Checks::new(command.info()) }
    }
}

impl<'l, F: Copy> Checked<'l, F> {
    /// The kind of handle that the call is about, for messages and events. `None` where it is about none, or about several.
    #[inline]
    pub fn about(mut self, handle_type: Option<&'static HandleType>) -> Self {
        self.checks.handle_type = handle_type;
        self
    }

    /// Does not check the rules with these ids in what is added from here on: where a driver accepts more than upstream says.
    ///
    /// An id is that of a [`Rule`](clcu_sys::rules::Rule), whole. One that no rule has does nothing.
    #[inline]
    pub fn waiving(mut self, ids: &'l [&'l str]) -> Self {
        self.checks.waive(ids);
        self
    }

    /// Checks the arguments of the command.
    ///
    /// What is broken is kept until the call. Rules that ask for a fact which `given` lacks are not decided.
    #[inline]
    pub fn arguments<R: Inert>(mut self, arguments: &R, given: &Given<'_>) -> Self {
        // SAFETY: they are initialised, and their rules follow no pointer.
        unsafe { self.checks.raw_record(arguments, given) };
        self
    }

    /// Settles a rule of the command that no argument decides, by what is known of the objects behind them: the rule whose id ends with
    /// `id`, such as `"/INVALID_CONTEXT/command_queue+sema_objects-same-context"`. It is broken where something was found that breaks it.
    #[inline]
    pub(crate) fn settled(mut self, id: &str, found: Option<Found>) -> Self {
        self.checks.settle(opencl::RULES, id, found);
        self
    }

    /// The same for objects that must not be null.
    #[inline]
    pub(crate) fn not_null(self, id: &str, is_null: bool) -> Self {
        self.settled(id, is_null.then_some(Found::Null))
    }

    /// Goes on only if no rule was broken so far.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every rule that was broken.
    #[inline]
    pub fn ready(mut self) -> Result<Self, Error> {
        self.checks.verdict()?;
        Ok(self)
    }

    /// Calls a command that returns its status code, if no rule was broken. `invoke` gets the function, and promises what the command's
    /// documentation asks for.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every rule that was broken; [`Error::Missing`] where the platform lacks the command, which is looked for
    /// after that; [`Error::Call`] with what the platform answers, other than success.
    #[inline]
    pub fn call(mut self, invoke: impl FnOnce(F) -> cl_result) -> Result<(), Error> {
        self.checks.verdict()?;
        let Self { platform, command, checks } = self;
        call(platform, command, || checks.handle_type, || checks.passed(), invoke)
    }

    /// What passed, if no rule was broken so far: for a call that is made without this value.
    pub(super) fn demand(mut self) -> Result<Passed, Error> {
        self.checks.verdict()?;
        Ok(self.checks.passed())
    }

    /// Calls a command that returns an object and its status code through `errcode_ret`, which `invoke` gets as well. What the platform
    /// returned beside a code other than success is not used.
    ///
    /// What it returned is the caller's to release.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::Missing`] and [`Error::Call`] as for [`Checked::call`]. [`Error::Nothing`] where it reports success
    /// and `is_null` says so of what it returned; [`Error::Silent`] where `is_null` says so and no code was written.
    ///
    /// Since OpenCL 1.0. Source: `errcode_ret` of the commands of the OpenCL API specification that make objects.
    #[inline]
    pub fn create<T>(self, is_null: impl Fn(&T) -> bool, invoke: impl FnOnce(F, *mut cl_result) -> T) -> Result<T, Error> {
        self.create_items(&mut [], is_null, |create, _, errcode_ret| invoke(create, errcode_ret))
    }

    /// As [`Checked::create`], for a command that gives each item of an array a status code of its own besides, as `binary_status` of
    /// `clCreateProgramWithBinary`. `invoke` gets that array, all success, as its second argument.
    ///
    /// # Errors
    /// Those of `create`; and [`Error::Call`] with a [`CallError`] whose channel is [`ErrorChannel::PerItem`] where the call reports
    /// success and an item does not. What was made is then given to nobody.
    ///
    /// Since OpenCL 1.0. Source: `binary_status` of `clCreateProgramWithBinary` of the OpenCL API specification.
    #[inline]
    pub fn create_items<T>(
        self,
        items: &mut [cl_result],
        is_null: impl Fn(&T) -> bool,
        invoke: impl FnOnce(F, &mut [cl_result], *mut cl_result) -> T,
    ) -> Result<T, Error> {
        let Self { platform, command, checks } = self.ready()?;
        create(platform, command, || checks.handle_type, || checks.passed(), items, is_null, invoke)
    }
}

/// Calls a command that returns its status code: nothing is checked any more. `about` is the kind of handle, asked for where somebody wants to
/// know; `passed` are the arguments that broke no rule.
#[inline]
fn call<F: Copy>(
    platform: &Platform,
    command: Command<F>,
    about: impl Fn() -> Option<&'static HandleType>,
    passed: impl FnOnce() -> Passed,
    invoke: impl FnOnce(F) -> cl_result,
) -> Result<(), Error> {
    let function = platform.get(&command)?;
    let began = Began::now();
    let result = invoke(function);
    began.ended(command.info(), &about, result.0.into());
    match result {
        cl_result::CL_SUCCESS => Ok(()),
        result => Err(refused(platform, command.info(), result, ErrorChannel::Return, &[], about(), passed())),
    }
}

/// The same for a command that returns an object, as [`Checked::create_items`].
#[inline]
fn create<F: Copy, T>(
    platform: &Platform,
    command: Command<F>,
    about: impl Fn() -> Option<&'static HandleType>,
    passed: impl FnOnce() -> Passed,
    items: &mut [cl_result],
    is_null: impl Fn(&T) -> bool,
    invoke: impl FnOnce(F, &mut [cl_result], *mut cl_result) -> T,
) -> Result<T, Error> {
    let function = platform.get(&command)?;
    items.fill(cl_result::CL_SUCCESS);
    let mut result = UNWRITTEN;
    let began = Began::now();
    let made = invoke(function, items, &raw mut result);
    began.ended(command.info(), &about, result.0.into());
    let failed = items.iter().find(|item| **item != cl_result::CL_SUCCESS);
    let refused = |result, channel| Err(refused(platform, command.info(), result, channel, items, about(), passed()));
    let driver = || Arc::clone(platform.shared_driver());
    match (result, failed) {
        (cl_result::CL_SUCCESS, None) if is_null(&made) => Err(Error::Nothing { command: command.info(), driver: driver() }),
        (UNWRITTEN, None) if is_null(&made) => Err(Error::Silent { command: command.info(), driver: driver() }),
        (cl_result::CL_SUCCESS | UNWRITTEN, None) => Ok(made),
        (cl_result::CL_SUCCESS | UNWRITTEN, Some(item)) => refused(*item, ErrorChannel::PerItem),
        (result, _) => refused(result, ErrorChannel::ErrcodeRet),
    }
}

#[cold]
fn refused(
    platform: &Platform,
    command: &'static CommandInfo,
    result: cl_result,
    channel: ErrorChannel,
    items: &[cl_result],
    handle_type: Option<&'static HandleType>,
    checked: Passed,
) -> Error {
    let items = items.iter().copied().enumerate().filter(|(_, item)| *item != cl_result::CL_SUCCESS).collect();
    let driver = Arc::clone(platform.shared_driver());
    Error::Call(CallError { command, result, channel, items, handle_type, checked, driver })
}

/// Where an object is made, and what is known of the place.
///
/// Since OpenCL 1.0. Source: `cl_context` and `CL_CONTEXT_DEVICES` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The context.
    pub context: cl_context,
    /// The devices of the context. Empty where they are not known: rules about them are then not checked.
    pub devices: &'a [cl_device_id],
    /// The handle types that the device of the device list imports, or all devices of the context where there is no list. `None` where that
    /// is not known, as for a driver that does not answer.
    pub import_types: Option<&'a [u64]>,
}

impl Place<'_> {
    fn given(&self) -> Given<'_> {
        let count = u32::try_from(self.devices.len()).ok().filter(|count| *count != 0);
        Given { context_device_count: count, import_types: self.import_types, platform: System::here(), ..Given::default() }
    }

    /// Whether it is certain that each device of a property list is one of the context, and that each other value could be one. `devices` is the
    /// key of the list's device list.
    #[inline]
    fn suits(&self, list: PropertyList<'_>, table: &PropertyTable, devices: u64, could_be: impl Fn(u64, u64) -> bool) -> bool {
        // Nearly every list is pairs alone: it has no zero but its last word, and the table need not be asked where a value ends. Every list
        // within a list ends with a zero, which is made sure of below.
        let mut words = list.iter();
        let pairs = loop {
            match (words.next(), words.next()) {
                (Some(key @ 1..), Some(value @ 1..)) if key != devices && could_be(key, value) => {}
                (Some(0), None) => break true,
                _ => break false,
            }
        };
        pairs
            || list.entries(table).map_while(Result::ok).all(|Entry { key, values, .. }| {
                if key == devices {
                    self.stranger(values.iter()).is_none()
                } else {
                    values.first().is_none_or(|value| could_be(key, value))
                }
            })
    }

    /// The first device of a device list that is not one of the context.
    fn stranger(&self, mut listed: impl Iterator<Item = u64>) -> Option<Found> {
        if self.devices.is_empty() {
            return None;
        }
        let known = |device: u64| self.devices.iter().any(|known| known.0.addr() as u64 == device);
        listed.find(|device| !known(*device)).map(|device| Found::Number(device.into()))
    }
}

/// The first property of a list whose value cannot be one.
fn impossible_value(list: PropertyList<'_>, table: &PropertyTable, could_be: impl Fn(u64, u64) -> bool) -> Option<Found> {
    list.entries(table).map_while(Result::ok).find_map(|entry| {
        let value = entry.values.first()?;
        (!could_be(entry.key, value)).then(|| Found::Number(value.cast_signed().into()))
    })
}

/// That lists within lists end with a zero, as [`Place::suits`] relies on.
const fn ends_with_zeros(table: &PropertyTable) -> bool {
    let mut at = 0;
    while at < table.properties.len() {
        if let Shape::List { terminator: 1.. } = table.properties[at].shape {
            return false;
        }
        at += 1;
    }
    true
}

const _: () = assert!(ends_with_zeros(&opencl::PROPERTIES_OF_cl_semaphore_properties_khr));
const _: () = assert!(ends_with_zeros(&opencl::PROPERTIES_OF_cl_mem_properties));

/// A list as commands take it: how many, and where. Nothing is no list.
#[inline]
fn counted<T>(list: &[T]) -> Result<(u32, *const T), Error> {
    let what = "passing more objects than 32 bits count";
    let count = u32::try_from(list.len()).map_err(|_| Error::System { what, number: None })?;
    Ok((count, if list.is_empty() { std::ptr::null() } else { list.as_ptr() }))
}

/// A place for the event of a command; null where none is wanted.
#[inline]
fn event_of(event: Option<&mut cl_event>) -> *mut cl_event {
    event.map_or(std::ptr::null_mut(), |event| {
        *event = cl_event::NULL;
        &raw mut *event
    })
}

/// Whether one of the events of a wait list is null.
#[inline]
fn null_event(wait_list: &[cl_event]) -> bool {
    wait_list.iter().any(|event| event.is_null())
}
