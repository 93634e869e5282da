//! Checked calls on raw descriptors: in, a command and the records and arguments that it shall get; out, a call of the driver, or every
//! rule that they break, all at once, and no call.
//!
//! One way serves every command: [`Library::checked`] begins, each record is added with the facts that its rules ask for, and
//! [`Checked::call`] calls. Every command that takes an external handle, or a descriptor of one, has a function of its own here, named as the
//! command is: of semaphores and memory of other APIs ([`import_external_semaphore`] and its neighbours), of nodes of graphs that carry
//! semaphores ([`graph_add_external_semaphores_signal_node`]), of what CUDA itself shares ([`mem_create`], [`mem_pool_create`],
//! [`mem_get_handle_for_address_range`], [`multicast_create`], [`logical_endpoint_export`]), and of what processes share by bytes
//! ([`ipc_get_mem_handle`]). The last parameter of each names rules that shall not be checked, for one call ([`Checked::waiving`]).
//!
//! What a driver wrote before it failed is never given on, and an object that it reports to have made and did not is an error.
//!
//! ```no_run
//! use clcu::{cuda::Library, sys::{cuda, rules::Given}};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let library = Library::open()?;
//! let descriptor = cuda::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::opaque_fd(-1);
//! let mut semaphore = cuda::CUexternalSemaphore::NULL;
//! let refused = library
//!     .checked(&cuda::cuImportExternalSemaphore)
//!     .record(&descriptor, &Given::default())
//!     // SAFETY: both pointers are good for the call; the descriptor is not, so that this is not reached.
//!     .call(|import| unsafe { import(&raw mut semaphore, descriptor.as_ptr()) });
//! assert!(refused.is_err());
//! # Ok(())
//! # }
//! ```

mod external;
mod graph;
mod ipc;
mod shareable;

use std::sync::Arc;

use clcu_sys::{
    Command, CommandInfo,
    cuda::CUresult,
    rules::{Found, Given, HandleType, Inert, Record, Rule, Subject, System, Zeroed},
};

pub use self::{external::*, graph::*, ipc::*, shareable::*};
use super::{
    Library, Version,
    error::{CallError, Error},
};
use crate::{
    checked::{Checks, Passed},
    trace::Began,
};

/// A command that is about to be called with what was checked. See the [module](self).
#[derive(Debug)]
#[must_use = "nothing is called before `call`"]
pub struct Checked<'l, F> {
    library: &'l Library,
    command: Command<F>,
    checks: Checks<'l>,
}

impl Library {
    /// A command to be called with what is checked first.
    ///
    /// Nothing is looked for or called before [`Checked::call`].
    #[inline]
    pub fn checked<F: Copy>(&self, command: &Command<F>) -> Checked<'_, F> {
        Checked { library: self, command: *command, checks: Checks::new(command.info()) }
    }
}

impl<'l, F: Copy> Checked<'l, F> {
    /// The kind of handle that the call is about, for messages and events.
    #[inline]
    pub fn about(mut self, handle_type: Option<&'static HandleType>) -> Self {
        self.checks.handle_type = handle_type;
        self
    }

    /// Does not check the rules with these ids in what is added from here on: where a driver accepts more than upstream says.
    #[inline]
    pub fn waiving(mut self, ids: &'l [&'l str]) -> Self {
        self.checks.waive(ids);
        self
    }

    /// Checks a record that began as zeroes.
    #[inline]
    pub fn record<R: Record + Copy>(self, record: &Zeroed<'_, R>, given: &Given<'_>) -> Self {
        // SAFETY: every byte of it is initialised, and pointers that rules follow were set from names or with a promise.
        unsafe { self.raw_record(&**record, given) }
    }

    /// Checks the arguments of the command.
    #[inline]
    pub fn arguments<R: Inert>(self, arguments: &R, given: &Given<'_>) -> Self {
        // SAFETY: they are initialised, and their rules follow no pointer.
        unsafe { self.raw_record(arguments, given) }
    }

    /// Checks a record that somebody made.
    ///
    /// # Safety
    /// As for [`check_raw`](clcu_sys::rules::check_raw): its bytes are initialised, and names in it can be followed.
    #[inline]
    pub unsafe fn raw_record<R: Record>(mut self, record: &R, given: &Given<'_>) -> Self {
        // SAFETY: promised by the caller.
        unsafe { self.checks.raw_record(record, given) };
        self
    }

    /// A rule that is broken by what no record shows.
    pub(super) fn broken(mut self, subject: &'static Subject, rule: &'static Rule, found: Found) -> Self {
        self.checks.add(subject, rule, found);
        self
    }

    /// Goes on only if no rule was broken so far.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every rule that is broken by what was added so far.
    #[inline]
    pub fn ready(mut self) -> Result<Self, Error> {
        self.checks.verdict()?;
        Ok(self)
    }

    /// Calls the driver, if no rule was broken. `invoke` gets the function, and promises what the command's documentation asks for.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
    /// [`Error::Call`] with what it answers, if that is not `CUDA_SUCCESS`.
    #[inline]
    pub fn call(mut self, invoke: impl FnOnce(F) -> CUresult) -> Result<(), Error> {
        self.checks.verdict()?;
        let Self { library, command, checks } = self;
        call(library, command, || checks.handle_type, || checks.passed(), invoke)
    }

    /// What passed, if no rule was broken so far: for a call that is made without this value.
    pub(super) fn demand(mut self) -> Result<Passed, Error> {
        self.checks.verdict()?;
        Ok(self.checks.passed())
    }
}

/// Calls the driver: nothing is checked any more. `about` is the kind of handle, asked for where somebody wants to know; `passed` is the record
/// that broke no rule, asked for where the driver refuses.
#[inline]
fn call<F: Copy>(
    library: &Library,
    command: Command<F>,
    about: impl Fn() -> Option<&'static HandleType>,
    passed: impl FnOnce() -> Passed,
    invoke: impl FnOnce(F) -> CUresult,
) -> Result<(), Error> {
    let function = library.get(&command)?;
    let began = Began::now();
    let result = invoke(function);
    began.ended(command.info(), &about, result.0.into());
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        result => Err(refused(library, command.info(), result, about(), passed()).into()),
    }
}

#[cold]
fn refused(
    library: &Library,
    command: &'static CommandInfo,
    result: CUresult,
    handle_type: Option<&'static HandleType>,
    checked: Passed,
) -> CallError {
    let (driver, versions) = (Arc::clone(library.shared_driver()), library.versions());
    CallError { command, result, handle_type, checked, driver, versions }
}

/// The facts that are the same for every call of this driver: its system and version.
///
/// The version is what `cuDriverGetVersion` of `cuda.h` said when the library was opened.
#[must_use]
pub fn given(library: &Library) -> Given<'static> {
    library.given
}

/// The same of a driver of this version.
pub(super) fn given_by(version: Option<Version>) -> Given<'static> {
    let version = version.and_then(|version| {
        let (major, minor) = (version.0 / 1000, version.0 % 1000 / 10);
        Some((u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
    });
    Given { platform: System::here(), api_version: version, ..Given::default() }
}

/// A count of semaphores as the driver takes it.
pub(super) fn count(length: usize) -> Result<u32, Error> {
    u32::try_from(length).map_err(|_| Error::System { what: "passing more semaphores than 32 bits count", number: None })
}

/// What the driver gave, unless it is nothing.
pub(super) fn some<T>(library: &Library, command: &'static CommandInfo, value: T, is_null: bool) -> Result<T, Error> {
    if is_null { Err(Error::Nothing { command, driver: Arc::clone(library.shared_driver()) }) } else { Ok(value) }
}
