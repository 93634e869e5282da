//! Checked calls on raw descriptors: in, a command and the records and arguments that it shall get; out, a call of the driver, or every
//! rule that they break, all at once, and no call.
//!
//! One way serves every command: [`Library::checked`] begins, each record is added with the facts that its rules ask for, and
//! [`Checked::call`] calls. The commands that import and use external objects have a function each.
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

use std::sync::Arc;

use clcu_sys::{
    Command, CommandInfo,
    cuda::{
        self, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        CUdeviceptr, CUexternalMemory, CUexternalMemoryHandleType, CUexternalSemaphore, CUexternalSemaphoreHandleType,
        CUmipmappedArray, CUresult, CUstream,
    },
    rules::{Given, HandleType, Inert, Record, System, Zeroed},
};

use super::{
    Library,
    error::{CallError, Error},
    kind,
};
use crate::{checked::Checks, trace::Began};

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

    /// Goes on only if no rule was broken so far.
    #[inline]
    pub fn ready(mut self) -> Result<Self, Error> {
        self.checks.verdict()?;
        Ok(self)
    }

    /// Calls the driver, if no rule was broken. `invoke` gets the function, and promises what the command's documentation asks for.
    #[inline]
    pub fn call(mut self, invoke: impl FnOnce(F) -> CUresult) -> Result<(), Error> {
        self.checks.verdict()?;
        let Self { library, command, checks: Checks { handle_type, passed, .. } } = self;
        let function = library.get(&command)?;
        let began = Began::now();
        let result = invoke(function);
        began.ended(command.info(), handle_type, result.0.into());
        match result {
            CUresult::CUDA_SUCCESS => Ok(()),
            result => Err(refused(library, command.info(), result, handle_type, passed).into()),
        }
    }
}

#[cold]
fn refused(
    library: &Library,
    command: &'static CommandInfo,
    result: CUresult,
    handle_type: Option<&'static HandleType>,
    checked: Option<&'static str>,
) -> CallError {
    CallError { command, result, handle_type, checked, driver: Arc::clone(library.shared_driver()) }
}

/// The facts that are the same for every call of this driver: its system and version.
#[must_use]
pub fn given(library: &Library) -> Given<'static> {
    let version = library.version().and_then(|version| {
        let (major, minor) = (version.0 / 1000, version.0 % 1000 / 10);
        Some((u16::try_from(major).ok()?, u16::try_from(minor).ok()?))
    });
    Given { platform: System::here(), api_version: version, ..Given::default() }
}

/// `cuImportExternalSemaphore`. On failure nothing that the driver wrote is given on.
///
/// # Safety
/// Every byte of the descriptor is initialised, and a name in it can be followed to its zero. What the rules only attest holds: the handle
/// is of the kind that the type says, a pointer to an `NvSci` object can be followed. After success the handle's owner is the one that
/// [`HandleType::owner_on_success`] says.
pub unsafe fn import_external_semaphore(
    library: &Library,
    descriptor: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    waived: &[&str],
) -> Result<CUexternalSemaphore, Error> {
    let command = &cuda::cuImportExternalSemaphore;
    let mut semaphore = CUexternalSemaphore::NULL;
    let checked = library.checked(command).about(kind::of_semaphore(descriptor.r#type)).waiving(waived);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked.raw_record(descriptor, &given(library)) };
    // SAFETY: both pointers are good for the call.
    checked.call(|import| unsafe { import(&raw mut semaphore, descriptor) })?;
    some(library, command.info(), semaphore, semaphore.is_null())
}

/// `cuImportExternalMemory`. On failure nothing that the driver wrote is given on.
///
/// # Safety
/// As for [`import_external_semaphore`]; and the size is that of the object.
pub unsafe fn import_external_memory(
    library: &Library,
    descriptor: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    waived: &[&str],
) -> Result<CUexternalMemory, Error> {
    let command = &cuda::cuImportExternalMemory;
    let mut memory = CUexternalMemory::NULL;
    let checked = library.checked(command).about(kind::of_memory(descriptor.r#type)).waiving(waived);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked.raw_record(descriptor, &given(library)) };
    // SAFETY: both pointers are good for the call.
    checked.call(|import| unsafe { import(&raw mut memory, descriptor) })?;
    some(library, command.info(), memory, memory.is_null())
}

/// `cuExternalMemoryGetMappedBuffer`. `handle_type` is the one by which the memory was imported.
///
/// # Safety
/// The memory is alive. Every byte of the descriptor is initialised.
pub unsafe fn external_memory_get_mapped_buffer(
    library: &Library,
    memory: CUexternalMemory,
    handle_type: CUexternalMemoryHandleType,
    descriptor: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    waived: &[&str],
) -> Result<CUdeviceptr, Error> {
    let command = &cuda::cuExternalMemoryGetMappedBuffer;
    let mut address = CUdeviceptr::NULL;
    let checked = library.checked(command).about(kind::of_memory(handle_type)).waiving(waived);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked.raw_record(descriptor, &given(library).with_memory(handle_type)) };
    // SAFETY: the memory is alive, and both pointers are good for the call.
    checked.call(|map| unsafe { map(&raw mut address, memory, descriptor) })?;
    some(library, command.info(), address, address.is_null())
}

/// `cuExternalMemoryGetMappedMipmappedArray`. `handle_type` is the one by which the memory was imported.
///
/// # Safety
/// The memory is alive. Every byte of the descriptor is initialised.
pub unsafe fn external_memory_get_mapped_mipmapped_array(
    library: &Library,
    memory: CUexternalMemory,
    handle_type: CUexternalMemoryHandleType,
    descriptor: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    waived: &[&str],
) -> Result<CUmipmappedArray, Error> {
    let command = &cuda::cuExternalMemoryGetMappedMipmappedArray;
    let mut array = CUmipmappedArray::NULL;
    let given = given(library).with_memory(handle_type);
    let arguments = cuda::cuExternalMemoryGetMappedMipmappedArray_arguments { extMem: memory };
    let checked = library.checked(command).about(kind::of_memory(handle_type)).waiving(waived).arguments(&arguments, &given);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked.raw_record(descriptor, &given) };
    // SAFETY: the memory is alive, and both pointers are good for the call.
    checked.call(|map| unsafe { map(&raw mut array, memory, descriptor) })?;
    some(library, command.info(), array, array.is_null())
}

/// One semaphore of [`signal_external_semaphores`]: the handle, the type by which it was imported, and its parameters.
pub type Signal<'a> = (CUexternalSemaphore, CUexternalSemaphoreHandleType, &'a CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);

/// One semaphore of [`wait_external_semaphores`]: the handle, the type by which it was imported, and its parameters.
pub type Wait<'a> = (CUexternalSemaphore, CUexternalSemaphoreHandleType, &'a CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);

/// `cuSignalExternalSemaphoresAsync`, for one or many at once.
///
/// # Safety
/// The semaphores and the stream are alive. Every byte of the parameters is initialised.
pub unsafe fn signal_external_semaphores(
    library: &Library,
    signals: &[Signal<'_>],
    stream: CUstream,
    waived: &[&str],
) -> Result<(), Error> {
    let given = given(library);
    let mut checked = library.checked(&cuda::cuSignalExternalSemaphoresAsync).waiving(waived);
    for (_, handle_type, parameters) in signals {
        // SAFETY: promised by the caller.
        checked =
            unsafe { checked.about(kind::of_semaphore(*handle_type)).raw_record(*parameters, &given.with_semaphore(*handle_type)) };
    }
    let (handles, parameters): (Vec<_>, Vec<_>) = signals.iter().map(|(handle, _, parameters)| (*handle, **parameters)).unzip();
    let count = count(handles.len())?;
    // SAFETY: the semaphores and the stream are alive, and both arrays are as long as the count says.
    checked.call(|signal| unsafe { signal(handles.as_ptr(), parameters.as_ptr(), count, stream) })
}

/// `cuWaitExternalSemaphoresAsync`, for one or many at once.
///
/// # Safety
/// The semaphores and the stream are alive. Every byte of the parameters is initialised.
pub unsafe fn wait_external_semaphores(
    library: &Library,
    waits: &[Wait<'_>],
    stream: CUstream,
    waived: &[&str],
) -> Result<(), Error> {
    let given = given(library);
    let mut checked = library.checked(&cuda::cuWaitExternalSemaphoresAsync).waiving(waived);
    for (_, handle_type, parameters) in waits {
        // SAFETY: promised by the caller.
        checked =
            unsafe { checked.about(kind::of_semaphore(*handle_type)).raw_record(*parameters, &given.with_semaphore(*handle_type)) };
    }
    let (handles, parameters): (Vec<_>, Vec<_>) = waits.iter().map(|(handle, _, parameters)| (*handle, **parameters)).unzip();
    let count = count(handles.len())?;
    // SAFETY: the semaphores and the stream are alive, and both arrays are as long as the count says.
    checked.call(|wait| unsafe { wait(handles.as_ptr(), parameters.as_ptr(), count, stream) })
}

/// A count of semaphores as the driver takes it.
pub(super) fn count(length: usize) -> Result<u32, Error> {
    u32::try_from(length).map_err(|_| Error::System { what: "passing more semaphores than 32 bits count", number: None })
}

/// What the driver gave, unless it is nothing.
pub(super) fn some<T>(library: &Library, command: &'static CommandInfo, value: T, is_null: bool) -> Result<T, Error> {
    if is_null { Err(Error::Nothing { command, driver: Arc::clone(library.shared_driver()) }) } else { Ok(value) }
}
