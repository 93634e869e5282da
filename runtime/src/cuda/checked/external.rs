//! Commands of external semaphores and memory, which other APIs or processes made.

use clcu_sys::cuda::{
    self, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUdeviceptr,
    CUexternalMemory, CUexternalMemoryHandleType, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUmipmappedArray, CUstream,
};

use super::{count, given, some};
use crate::cuda::{Library, error::Error, kind};

/// `cuImportExternalSemaphore`. On failure nothing that the driver wrote is given on.
///
/// # Safety
/// Every byte of the descriptor is initialised, and a name in it can be followed to its zero. What the rules only attest holds: the handle
/// is of the kind that the type says, a pointer to an `NvSci` object can be followed. After success the handle's owner is the one that
/// [`HandleType::owner_on_success`](clcu_sys::rules::HandleType::owner_on_success) says.
pub unsafe fn import_external_semaphore(
    library: &Library,
    descriptor: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    waived: &[&str],
) -> Result<CUexternalSemaphore, Error> {
    let command = &cuda::cuImportExternalSemaphore;
    let mut semaphore = CUexternalSemaphore::NULL;
    let checked = library.checked(command).about(kind::of_semaphore(descriptor.r#type)).waiving(waived);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked.raw_record(descriptor, &library.given) };
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
    let checked = unsafe { checked.raw_record(descriptor, &library.given) };
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
