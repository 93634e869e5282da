//! The commands of semaphores, on raw arguments.

use std::{ffi::c_void, os::raw::c_int, ptr};

use clcu_sys::{
    opencl::{
        self, cl_context, cl_device_id, cl_external_semaphore_handle_type_khr, cl_semaphore_info_khr, cl_semaphore_khr,
        cl_semaphore_properties_khr, cl_semaphore_type_khr, clCreateSemaphoreWithPropertiesKHR_arguments,
        clGetSemaphoreHandleForTypeKHR_arguments, clGetSemaphoreInfoKHR_arguments, clReImportSemaphoreSyncFdKHR_arguments,
    },
    rules::{Bytes, Found, Given, HandleType, PropertyList, Record as _},
};

use super::{Place, create, impossible_value};
use crate::{
    checked::Passed,
    opencl::{Platform, error::Error, kind},
};

const TABLE: &clcu_sys::rules::PropertyTable = &opencl::PROPERTIES_OF_cl_semaphore_properties_khr;
const DEVICES: u64 = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0;

type CreateArguments<'a> = clCreateSemaphoreWithPropertiesKHR_arguments<'a>;

/// `clCreateSemaphoreWithPropertiesKHR`. `None` is the null pointer, which is refused. On failure nothing that the driver wrote is given on.
///
/// The semaphore is the caller's to release. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::Missing`] where the platform lacks the command;
/// [`Error::Call`] with what the platform answers; [`Error::Nothing`] or [`Error::Silent`] where it gives no semaphore.
///
/// # Safety
/// The context is alive, and so is each device in a device list. The list ends, also where the rule about that is waived. A handle in it is of
/// the kind that its property says, and a name can be followed to its zero. After success a handle's owner is the one that
/// [`HandleType::owner_on_success`](clcu_sys::rules::HandleType::owner_on_success) says; after failure upstream says nothing.
///
/// With `cl_khr_semaphore`. Source: `clCreateSemaphoreWithPropertiesKHR` of the OpenCL API specification; handles in the list with
/// `cl_khr_external_semaphore`.
pub unsafe fn create_semaphore(
    platform: &Platform,
    place: Place<'_>,
    properties: Option<&[u64]>,
    waived: &[&str],
) -> Result<cl_semaphore_khr, Error> {
    let list = properties.map_or(PropertyList::NULL, PropertyList::new);
    let about = || list.keys(TABLE).find_map(kind::of_semaphore_property);
    let passed = demand_properties(platform, place, list, about, waived)?;
    let start = properties.map_or(ptr::null(), <[_]>::as_ptr);
    // SAFETY: the context is alive, as the caller promises; the list ends, as was checked or is promised.
    unsafe { create_of_properties(platform, place.context, start, about, passed) }
}

/// Calls the command with properties that were checked. `passed` is `None` where it was certain.
///
/// # Safety
/// The context is alive, and the list ends, or is null. Handles in it are of the kind that their properties say.
#[inline]
pub(in crate::opencl) unsafe fn create_of_properties(
    platform: &Platform,
    context: cl_context,
    properties: *const u64,
    about: impl Fn() -> Option<&'static HandleType>,
    passed: Option<Passed>,
) -> Result<cl_semaphore_khr, Error> {
    let command = opencl::clCreateSemaphoreWithPropertiesKHR;
    let passed = || passed.unwrap_or_else(|| Passed::by(CreateArguments::SUBJECT));
    let is_null = |made: &cl_semaphore_khr| made.is_null();
    // SAFETY: promised by the caller.
    create(platform, command, about, passed, &mut [], is_null, |create, _, errcode_ret| unsafe {
        create(context, properties.cast(), errcode_ret)
    })
}

/// What is checked before a semaphore is made. What is behind the sure yes is not made for it: `None` says that it was certain.
#[inline]
pub(in crate::opencl) fn demand_properties(
    platform: &Platform,
    place: Place<'_>,
    list: PropertyList<'_>,
    about: impl Fn() -> Option<&'static HandleType>,
    waived: &[&str],
) -> Result<Option<Passed>, Error> {
    let arguments = CreateArguments { sema_props: list };
    // SAFETY: they are initialised, and their rules follow no pointer.
    let holds = || unsafe { CreateArguments::surely_holds(Bytes::of(&arguments), &place.given()) };
    if waived.is_empty() && !place.context.is_null() && place.suits(list, TABLE, DEVICES, could_be) && holds() {
        return Ok(None);
    }
    look_closer_at_properties(platform, place, list, about(), waived).map(Some)
}

/// Every rule, for properties of which it is not certain that they break none.
#[cold]
fn look_closer_at_properties(
    platform: &Platform,
    place: Place<'_>,
    list: PropertyList<'_>,
    about: Option<&'static HandleType>,
    waived: &[&str],
) -> Result<Passed, Error> {
    let listed = list.value_of(TABLE, DEVICES).into_iter().flat_map(PropertyList::iter);
    platform
        .checked(&opencl::clCreateSemaphoreWithPropertiesKHR)
        .about(about)
        .waiving(waived)
        .arguments(&CreateArguments { sema_props: list }, &place.given())
        .not_null("/INVALID_CONTEXT/context-valid-object", place.context.is_null())
        .settled("/INVALID_DEVICE/context-device-of-context", place.stranger(listed))
        .settled("/INVALID_PROPERTY/sema_props-valid-property-values", impossible_value(list, TABLE, could_be))
        .demand()
}

/// Whether a property could have this value: a type that upstream does not have, a file descriptor below zero and a null handle could not.
#[inline]
fn could_be(key: u64, value: u64) -> bool {
    use cl_semaphore_type_khr as Type;
    if key == cl_semaphore_properties_khr::CL_SEMAPHORE_TYPE_KHR.0 {
        // The one that upstream has is compared before names are looked through.
        let is_known = |kind: Type| kind == Type::CL_SEMAPHORE_TYPE_BINARY_KHR || kind.name().is_some();
        u32::try_from(value).is_ok_and(|value| is_known(Type(value)))
    } else {
        kind::could_carry(value, || kind::of_semaphore_property(key))
    }
}

/// What [`export_semaphore`] is given.
///
/// With `cl_khr_external_semaphore`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The semaphore.
    pub semaphore: cl_semaphore_khr,
    /// The device for which the handle shall be.
    pub device: cl_device_id,
    /// The kind of handle.
    pub handle_type: cl_external_semaphore_handle_type_khr,
    /// The handle types for which the semaphore was made to be exported; `None` where that is not known.
    pub export_types: Option<&'a [u64]>,
    /// The devices of the semaphore's context. Empty where they are not known.
    pub context_devices: &'a [cl_device_id],
    /// The device of the device list that the semaphore was made with; `None` where it had none, or that is not known.
    pub made_for: Option<cl_device_id>,
    /// How many bytes there are at `handle`.
    pub size: usize,
    /// Where the handle goes; null to ask for its size alone.
    pub handle: *mut c_void,
}

/// `clGetSemaphoreHandleForTypeKHR`. How many bytes the handle has.
///
/// Memory that is smaller than a handle of the type is refused: upstream names no sizes, so a file descriptor counts as a C `int`, an NT handle
/// as a pointer, a KMT handle as 32 bits.
///
/// A file descriptor or NT handle that was written is the caller's to close. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::Missing`] where the platform lacks the command;
/// [`Error::Call`] with what the platform answers.
///
/// # Safety
/// The semaphore and the device are alive. There are `size` bytes at `handle`, aligned for what is exported.
///
/// With `cl_khr_external_semaphore`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL API specification.
pub unsafe fn export_semaphore(platform: &Platform, export: Export<'_>, waived: &[&str]) -> Result<usize, Error> {
    let Export { semaphore, device, handle_type, export_types, context_devices, made_for, size, handle } = export;
    let is_stranger = !context_devices.is_empty() && !context_devices.contains(&device);
    let is_other = made_for.is_some_and(|made_for| made_for != device);
    let row = kind::of_semaphore(handle_type);
    let given = Given { semaphore_export_types: export_types, ..Given::default() };
    let too_small = !handle.is_null() && row.is_some_and(|row| size < kind::exported_size(row));
    let mut written = 0;
    platform
        .checked(&opencl::clGetSemaphoreHandleForTypeKHR)
        .about(row)
        .waiving(waived)
        .arguments(&clGetSemaphoreHandleForTypeKHR_arguments { handle_type, handle_ptr: handle }, &given)
        .not_null("/INVALID_SEMAPHORE_KHR/sema_object-valid-object", semaphore.is_null())
        .not_null("/INVALID_DEVICE/device-valid-object", device.is_null())
        .settled("/INVALID_DEVICE/sema_object+device-device-of-context", is_stranger.then_some(Found::Call))
        .settled("/INVALID_DEVICE/sema_object+device-shareable", is_other.then_some(Found::Call))
        .settled("/INVALID_VALUE/handle_size-exported-handle-size", too_small.then_some(Found::Number(size as i128)))
        // SAFETY: the objects are alive and there is memory, as the caller promises; the size goes to memory that is ours.
        .call(|export| unsafe { export(semaphore, device, handle_type, size, handle, &raw mut written) })?;
    Ok(written)
}

/// `clReImportSemaphoreSyncFdKHR`, without properties: upstream defines none.
///
/// `imported_from` is the handle type from which the semaphore was made; `None` where that is not known, and the type with the number 0 where
/// it was made from no handle.
///
/// After success the descriptor is the platform's; after failure upstream says nothing. `waived` are the ids of rules that are not
/// checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::Missing`] where the platform lacks the command;
/// [`Error::Call`] with what the platform answers.
///
/// # Safety
/// The semaphore is alive. The descriptor is −1, or one of a sync file that is the caller's to give. No command that uses the semaphore is to
/// be done: upstream does not say what becomes of it.
///
/// With `cl_khr_external_semaphore_sync_fd`. Source: `clReImportSemaphoreSyncFdKHR` of the OpenCL API specification.
pub unsafe fn reimport_sync_fd(
    platform: &Platform,
    semaphore: cl_semaphore_khr,
    imported_from: Option<cl_external_semaphore_handle_type_khr>,
    fd: c_int,
    waived: &[&str],
) -> Result<(), Error> {
    let given = imported_from.map_or_else(Given::default, |handle_type| Given::default().with_semaphore(handle_type));
    platform
        .checked(&opencl::clReImportSemaphoreSyncFdKHR)
        .about(kind::of_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR))
        .waiving(waived)
        .arguments(&clReImportSemaphoreSyncFdKHR_arguments { sema_object: semaphore, fd }, &given)
        .not_null("/INVALID_SEMAPHORE_KHR/sema_object-valid-object", semaphore.is_null())
        // SAFETY: promised by the caller; no properties is a null pointer.
        .call(|reimport| unsafe { reimport(semaphore, ptr::null_mut(), fd) })
}

/// `clRetainSemaphoreKHR`.
///
/// The further reference is the caller's to release. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] for the null handle; [`Error::Missing`] where the platform lacks the command; [`Error::Call`] with what the
/// platform answers.
///
/// # Safety
/// The semaphore is alive.
///
/// With `cl_khr_semaphore`. Source: `clRetainSemaphoreKHR` of the OpenCL API specification.
pub unsafe fn retain_semaphore(platform: &Platform, semaphore: cl_semaphore_khr, waived: &[&str]) -> Result<(), Error> {
    platform
        .checked(&opencl::clRetainSemaphoreKHR)
        .waiving(waived)
        .not_null("/INVALID_SEMAPHORE_KHR/sema_object-valid-object", semaphore.is_null())
        // SAFETY: it is alive, as the caller promises.
        .call(|retain| unsafe { retain(semaphore) })
}

/// `clReleaseSemaphoreKHR`. A semaphore goes when nothing holds it and commands that use it have finished.
///
/// `waived` are the ids of rules that are not checked.
///
/// # Errors
/// As for [`retain_semaphore`].
///
/// # Safety
/// The semaphore is alive, and a reference to it is the caller's to give up.
///
/// With `cl_khr_semaphore`. Source: `clReleaseSemaphoreKHR` of the OpenCL API specification.
pub unsafe fn release_semaphore(platform: &Platform, semaphore: cl_semaphore_khr, waived: &[&str]) -> Result<(), Error> {
    platform
        .checked(&opencl::clReleaseSemaphoreKHR)
        .waiving(waived)
        .not_null("/INVALID_SEMAPHORE_KHR/sema_object-valid-object", semaphore.is_null())
        // SAFETY: promised by the caller.
        .call(|release| unsafe { release(semaphore) })
}

/// `clGetSemaphoreInfoKHR`. How many bytes the answer has.
///
/// Memory that is too small for an answer of one value is refused; how long a list is, only the platform knows.
///
/// `size` is in bytes. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::Missing`] where the platform lacks the command;
/// [`Error::Call`] with what the platform answers.
///
/// # Safety
/// The semaphore is alive. There are `size` bytes at `value`, aligned for the answer, or it is null.
///
/// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification.
pub unsafe fn semaphore_info(
    platform: &Platform,
    semaphore: cl_semaphore_khr,
    what: cl_semaphore_info_khr,
    size: usize,
    value: *mut c_void,
    waived: &[&str],
) -> Result<usize, Error> {
    let too_small = !value.is_null() && size_of_info(what).is_some_and(|wanted| size < wanted);
    let mut written = 0;
    platform
        .checked(&opencl::clGetSemaphoreInfoKHR)
        .waiving(waived)
        .arguments(&clGetSemaphoreInfoKHR_arguments { param_name: what, param_value: value }, &Given::default())
        .not_null("/INVALID_SEMAPHORE_KHR/sema_object-valid-object", semaphore.is_null())
        .settled("/INVALID_VALUE/param_value_size-query-size", too_small.then_some(Found::Number(size as i128)))
        // SAFETY: it is alive and there is memory, as the caller promises; the size goes to memory that is ours.
        .call(|info| unsafe { info(semaphore, what, size, value, &raw mut written) })?;
    Ok(written)
}

/// How many bytes an answer of one value has; `None` for lists, and for what is not known.
fn size_of_info(what: cl_semaphore_info_khr) -> Option<usize> {
    use cl_semaphore_info_khr as Info;
    match what {
        Info::CL_SEMAPHORE_CONTEXT_KHR => Some(size_of::<opencl::cl_context>()),
        Info::CL_SEMAPHORE_REFERENCE_COUNT_KHR => Some(size_of::<opencl::cl_uint>()),
        Info::CL_SEMAPHORE_TYPE_KHR => Some(size_of::<cl_semaphore_type_khr>()),
        Info::CL_SEMAPHORE_PAYLOAD_KHR => Some(size_of::<opencl::cl_semaphore_payload_khr>()),
        Info::CL_SEMAPHORE_EXPORTABLE_KHR => Some(size_of::<opencl::cl_bool>()),
        _ => None,
    }
}
