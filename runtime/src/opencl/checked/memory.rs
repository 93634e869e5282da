//! The commands of external memory, on raw arguments.

use std::{ffi::c_void, ptr};

use clcu_sys::{
    Command,
    opencl::{
        self, cl_command_queue, cl_event, cl_image_desc, cl_image_format, cl_mem, cl_mem_flags, cl_mem_properties, cl_result,
        clCreateBufferWithProperties_arguments, clCreateImageWithProperties_arguments,
        clEnqueueAcquireExternalMemObjectsKHR_arguments, clEnqueueReleaseExternalMemObjectsKHR_arguments,
    },
    rules::{Bytes, Given, HandleType, Inert, PropertyList},
};

use super::{Checked, Place, counted, create, event_of, impossible_value, null_event};
use crate::{
    checked::Passed,
    opencl::{Platform, error::Error, kind},
};

const TABLE: &clcu_sys::rules::PropertyTable = &opencl::PROPERTIES_OF_cl_mem_properties;
const DEVICES: u64 = cl_mem_properties::CL_MEM_DEVICE_HANDLE_LIST_KHR.0;

/// `clCreateBufferWithProperties`. `None` is the null pointer. `size` is in bytes. On failure nothing that the driver wrote is given on.
///
/// The buffer is the caller's to release. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::Missing`] where the platform lacks the command;
/// [`Error::Call`] with what the platform answers; [`Error::Nothing`] or [`Error::Silent`] where it gives no buffer.
///
/// # Safety
/// The context is alive, and so is each device in a device list. The list ends, also where the rule about that is waived. A handle in it is of
/// the kind that its property says, and a name can be followed to its zero. There are `size` bytes at `host_ptr` where the flags make use of
/// it, for as long as they do. After success a handle's owner is the one that
/// [`HandleType::owner_on_success`](clcu_sys::rules::HandleType::owner_on_success) says; after failure upstream says nothing.
///
/// Since OpenCL 3.0. Source: `clCreateBufferWithProperties` of the OpenCL API specification; handles in the list with
/// `cl_khr_external_memory`.
pub unsafe fn create_buffer(
    platform: &Platform,
    place: Place<'_>,
    properties: Option<&[u64]>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    waived: &[&str],
) -> Result<cl_mem, Error> {
    let list = properties.map_or(PropertyList::NULL, PropertyList::new);
    let arguments = clCreateBufferWithProperties_arguments { flags, size, host_ptr, properties: list };
    let command = opencl::clCreateBufferWithProperties;
    let about = || list.keys(TABLE).find_map(kind::of_memory_property);
    let passed = demand_properties(platform, command, place, &arguments, list, about, waived)?;
    let passed = || passed.unwrap_or_else(|| passed_by(&arguments));
    let start: *const cl_mem_properties = properties.map_or(ptr::null(), |words| words.as_ptr().cast());
    let is_null = |made: &cl_mem| made.is_null();
    // SAFETY: promised by the caller; the list ends, as was checked or is promised.
    create(platform, command, about, passed, &mut [], is_null, |create, _, errcode_ret| unsafe {
        create(place.context, start, flags, size, host_ptr, errcode_ret)
    })
}

/// `clCreateImageWithProperties`. `None` is the null pointer. On failure nothing that the driver wrote is given on.
///
/// The image is the caller's to release. `waived` are the ids of rules that are not checked.
///
/// # Errors
/// As for [`create_buffer`].
///
/// # Safety
/// As for [`create_buffer`], with as many bytes at `host_ptr` as the image has. Every byte of format and description is initialised. Upstream wants
/// neither for a handle that knows them itself, and both otherwise.
///
/// Since OpenCL 3.0. Source: `clCreateImageWithProperties` of the OpenCL API specification; handles in the list with
/// `cl_khr_external_memory`.
#[allow(clippy::too_many_arguments)] // those of the command
pub unsafe fn create_image(
    platform: &Platform,
    place: Place<'_>,
    properties: Option<&[u64]>,
    flags: cl_mem_flags,
    format: Option<&cl_image_format>,
    description: Option<&cl_image_desc>,
    host_ptr: *mut c_void,
    waived: &[&str],
) -> Result<cl_mem, Error> {
    let list = properties.map_or(PropertyList::NULL, PropertyList::new);
    let (image_format, image_desc) = (format.map_or(ptr::null(), ptr::from_ref), description.map_or(ptr::null(), ptr::from_ref));
    let arguments = clCreateImageWithProperties_arguments { flags, image_format, image_desc, host_ptr, properties: list };
    let command = opencl::clCreateImageWithProperties;
    let about = || list.keys(TABLE).find_map(kind::of_memory_property);
    let passed = demand_properties(platform, command, place, &arguments, list, about, waived)?;
    let passed = || passed.unwrap_or_else(|| passed_by(&arguments));
    let start: *const cl_mem_properties = properties.map_or(ptr::null(), |words| words.as_ptr().cast());
    let is_null = |made: &cl_mem| made.is_null();
    // SAFETY: promised by the caller; the list ends, as was checked or is promised.
    create(platform, command, about, passed, &mut [], is_null, |create, _, errcode_ret| unsafe {
        create(place.context, start, flags, image_format, image_desc, host_ptr, errcode_ret)
    })
}

/// What is checked before a memory object is made. What is behind the sure yes is not made for it: `None` says that it was certain.
#[inline]
fn demand_properties<'l, F: Copy, R: Inert>(
    platform: &'l Platform,
    command: Command<F>,
    place: Place<'_>,
    arguments: &R,
    list: PropertyList<'_>,
    about: impl Fn() -> Option<&'static HandleType>,
    waived: &'l [&'l str],
) -> Result<Option<Passed>, Error> {
    let given = place.given();
    // SAFETY: they are initialised, and their rules follow no pointer.
    let holds = || unsafe { R::surely_holds(Bytes::of(arguments), &given) };
    let certain = waived.is_empty() && !place.context.is_null() && place.suits(list, TABLE, DEVICES, could_be) && holds();
    let checks = || of_place(platform.checked(&command).about(about()).waiving(waived).arguments(arguments, &given), place, list);
    if certain { Ok(None) } else { checks().demand().map(Some) }
}

/// The arguments alone were checked.
fn passed_by<R: Inert>(_: &R) -> Passed {
    Passed::by(R::SUBJECT)
}

/// What the place and the values of the list tell.
#[cold]
fn of_place<'l, F: Copy>(checked: Checked<'l, F>, place: Place<'_>, list: PropertyList<'_>) -> Checked<'l, F> {
    let listed = list.value_of(TABLE, DEVICES).into_iter().flat_map(PropertyList::iter);
    checked
        .not_null("/INVALID_CONTEXT/context-valid-object", place.context.is_null())
        .settled("/INVALID_DEVICE/context-device-of-context", place.stranger(listed))
        .settled("/INVALID_PROPERTY/properties-valid-property-values", impossible_value(list, TABLE, could_be))
}

/// Whether a property could have this value: a file descriptor below zero and a null handle could not.
#[inline]
fn could_be(key: u64, value: u64) -> bool {
    kind::could_carry(value, || kind::of_memory_property(key))
}

/// What [`acquire_external_memory`] and [`release_external_memory`] are given.
///
/// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` and `clEnqueueReleaseExternalMemObjectsKHR` of the
/// OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// The queue.
    pub queue: cl_command_queue,
    /// The objects, all made from external memory. None is allowed, and does nothing.
    pub objects: &'a [cl_mem],
    /// The events after which it is done.
    pub wait_list: &'a [cl_event],
}

/// `clEnqueueAcquireExternalMemObjectsKHR`. `event` gets the event of the command, which is the caller's to release.
///
/// `waived` are the ids of rules that are not checked.
///
/// # Errors
/// [`Error::Invalid`] with every rule that the arguments break; [`Error::System`] for more objects or events than 32 bits count;
/// [`Error::Missing`] where the platform lacks the command; [`Error::Call`] with what the platform answers.
///
/// # Safety
/// The queue, the objects and the events are alive.
///
/// With `cl_khr_external_memory`. Source: `clEnqueueAcquireExternalMemObjectsKHR` of the OpenCL API specification.
pub unsafe fn acquire_external_memory(
    platform: &Platform,
    objects: Objects<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { transfer::<clEnqueueAcquireExternalMemObjectsKHR_arguments>(platform, objects, event, waived) }
}

/// `clEnqueueReleaseExternalMemObjectsKHR`. `event` gets the event of the command, which is the caller's to release.
///
/// `waived` are the ids of rules that are not checked.
///
/// # Errors
/// As for [`acquire_external_memory`].
///
/// # Safety
/// As for [`acquire_external_memory`].
///
/// With `cl_khr_external_memory`. Source: `clEnqueueReleaseExternalMemObjectsKHR` of the OpenCL API specification.
pub unsafe fn release_external_memory(
    platform: &Platform,
    objects: Objects<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { transfer::<clEnqueueReleaseExternalMemObjectsKHR_arguments>(platform, objects, event, waived) }
}

/// What both commands are.
type Transfer = unsafe extern "system" fn(cl_command_queue, u32, *const cl_mem, u32, *const cl_event, *mut cl_event) -> cl_result;

/// The arguments of either.
trait Arguments: Inert {
    const COMMAND: Command<Transfer>;

    fn new(count: u32, objects: *const cl_mem, events: u32, wait_list: *const cl_event) -> Self;
}

macro_rules! transfers {
    ($($arguments:ident: $command:ident;)*) => {$(
        impl Arguments for $arguments {
            const COMMAND: Command<Transfer> = opencl::$command;

            fn new(count: u32, objects: *const cl_mem, events: u32, wait_list: *const cl_event) -> Self {
                Self { num_mem_objects: count, mem_objects: objects, num_events_in_wait_list: events, event_wait_list: wait_list }
            }
        }
    )*};
}

transfers! {
    clEnqueueAcquireExternalMemObjectsKHR_arguments: clEnqueueAcquireExternalMemObjectsKHR;
    clEnqueueReleaseExternalMemObjectsKHR_arguments: clEnqueueReleaseExternalMemObjectsKHR;
}

/// Either command.
///
/// # Safety
/// As for [`acquire_external_memory`].
unsafe fn transfer<A: Arguments>(
    platform: &Platform,
    objects: Objects<'_>,
    event: Option<&mut cl_event>,
    waived: &[&str],
) -> Result<(), Error> {
    let Objects { queue, objects, wait_list } = objects;
    let ((count, start), (events, wait_start)) = (counted(objects)?, counted(wait_list)?);
    let event = event_of(event);
    platform
        .checked(&A::COMMAND)
        .waiving(waived)
        .arguments(&A::new(count, start, events, wait_start), &Given::default())
        .not_null("/INVALID_COMMAND_QUEUE/command_queue-valid-object", queue.is_null())
        .not_null("/INVALID_MEM_OBJECT/mem_objects-imported-memory", objects.iter().any(|object| object.is_null()))
        .not_null("/INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object", null_event(wait_list))
        // SAFETY: the objects are alive, as the caller promises; each list is as long as its count says.
        .call(|transfer| unsafe { transfer(queue, count, start, events, wait_start, event) })
}
