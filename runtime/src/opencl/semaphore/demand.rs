//! What has to be so before a semaphore is made: in, a context, and what the semaphore is made from or shall be exported as; out, the row of
//! its kind of handle, or what stands in the way. Devices are asked which kinds they import and export; one that does not answer is not asked
//! further.

use std::{slice, sync::Arc};

use clcu_sys::{
    opencl::{self, cl_device_id, cl_external_semaphore_handle_type_khr as HandleTypeValue},
    rules::{HandleType, Payload, PropertyList},
};

use super::{COMMANDS, Kind};
use crate::{
    checked::Passed,
    import::Carrier,
    opencl::{
        Context, Platform, checked,
        error::{Error, Obstacle, Unsupported},
        kind,
    },
};

/// The facts of the handle types that a device, or every device of a context, imports; and what the first device lists that is known to lack
/// `row`.
struct Imports {
    types: Option<Vec<u64>>,
    without: Option<Vec<u32>>,
}

impl Imports {
    fn of(context: &Context, device: Option<cl_device_id>, row: Option<&'static HandleType>) -> Self {
        let Some(row) = row else { return Self { types: None, without: None } };
        let answers = context.imported_semaphore_types();
        if device.is_some() {
            // The rules judge a device of a device list by its answer.
            return Self { types: concerned(context, answers, device).next().cloned(), without: None };
        }
        Self { types: None, without: without(concerned(context, answers, None), row) }
    }
}

/// What those devices answered that an object is for: one, or all of the context.
fn concerned<'a>(
    context: &'a Context,
    answers: &'a [Option<Vec<u64>>],
    device: Option<cl_device_id>,
) -> impl Iterator<Item = &'a Vec<u64>> {
    let answers = context.device_ids().iter().zip(answers);
    answers.filter(move |(id, _)| device.is_none_or(|device| device == **id)).filter_map(|(_, types)| types.as_ref())
}

/// The first answer that leaves a kind of handle out.
fn without<'a>(mut answers: impl Iterator<Item = &'a Vec<u64>>, row: &HandleType) -> Option<Vec<u32>> {
    let types = answers.find(|types| row.value.is_some_and(|value| !types.contains(&value)))?;
    Some(types.iter().filter_map(|value| u32::try_from(*value).ok()).collect())
}

/// Everything that has to be so before a semaphore is made that may be exported.
pub(super) fn exportable(
    context: &Context,
    handle_type: HandleTypeValue,
    device: Option<cl_device_id>,
) -> Result<&'static HandleType, Error> {
    let platform = context.platform();
    platform.demand(&[opencl::clGetSemaphoreHandleForTypeKHR.info()])?;
    let row = kind::of_semaphore(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0.into() })?;
    platform.demand_extension(opencl::clCreateSemaphoreWithPropertiesKHR.info(), slice::from_ref(&row.extension))?;
    match without(concerned(context, context.exported_semaphore_types(), device), row) {
        None => Ok(row),
        Some(listed) => Err(not_listed(platform, row, "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", listed)),
    }
}

/// Everything that has to be so before a handle is imported.
pub(super) fn importable<K: Kind>(
    context: &Context,
    handle_type: HandleTypeValue,
    device: Option<cl_device_id>,
    carrier: &Carrier,
    words: &[u64],
) -> Result<(&'static HandleType, Option<Passed>), Error> {
    let platform = context.platform();
    let command = &opencl::clCreateSemaphoreWithPropertiesKHR;
    platform.demand(&COMMANDS)?;
    let row = kind::of_semaphore(handle_type);
    if let Some(row) = row {
        platform.demand_extension(command.info(), slice::from_ref(&row.extension))?;
    }
    let imports = Imports::of(context, device, row);
    let place = context.place(imports.types.as_deref());
    let passed = checked::demand_properties(platform, place, PropertyList::new(words), || row, &[])?;
    // The rules refuse every type that has no row.
    let row = row.ok_or(Error::UnknownHandleType { value: handle_type.0.into() })?;
    payload::<K>(platform, row)?;
    let why = if !kind::is_carried_by(row, carrier) {
        Obstacle::Carrier
    } else if !kind::exists_here(row) {
        Obstacle::System
    } else if let Some(listed) = imports.without {
        return Err(not_listed(platform, row, row.capability_query, listed));
    } else {
        return Ok((row, passed));
    };
    Err(unsupported(platform, row, why))
}

pub(super) fn payload<K: Kind>(platform: &Platform, row: &'static HandleType) -> Result<(), Error> {
    // Upstream has one type of semaphore, which is binary, and says of one kind of handle that it needs payloads.
    let carries = if row.payload == Payload::Unspecified { Payload::Binary } else { row.payload };
    if carries == K::PAYLOAD { Ok(()) } else { Err(unsupported(platform, row, Obstacle::Payload)) }
}

pub(super) fn unsupported(platform: &Platform, row: &'static HandleType, why: Obstacle) -> Error {
    obstructed(platform, row, why, Vec::new())
}

/// A device that is asked by `query` lists others, and not this one.
fn not_listed(platform: &Platform, row: &'static HandleType, query: &'static str, listed: Vec<u32>) -> Error {
    obstructed(platform, row, Obstacle::NotListed(query), listed)
}

fn obstructed(platform: &Platform, row: &'static HandleType, why: Obstacle, listed: Vec<u32>) -> Error {
    Error::Unsupported(Unsupported { handle_type: row, why, listed, driver: Arc::clone(platform.shared_driver()) })
}
