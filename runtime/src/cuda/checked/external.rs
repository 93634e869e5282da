//! Commands of external semaphores and memory, which other APIs or processes made.

use clcu_sys::{
    Command,
    cuda::{
        self, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        CUdeviceptr, CUexternalMemory, CUexternalMemoryHandleType, CUexternalSemaphore, CUexternalSemaphoreHandleType,
        CUmipmappedArray, CUresult, CUstream,
    },
    rules::{Bytes, HandleType, Record},
};

use super::{call, count, given, some};
use crate::{
    checked::Passed,
    cuda::{Library, error::Error, kind},
    gathered::Gathered,
};

/// `cuImportExternalSemaphore`: a semaphore of the current context, from what another API or process exported. It is the caller's, who
/// destroys it with `cuDestroyExternalSemaphore`. On failure nothing that the driver wrote is given on.
///
/// Since CUDA 10.0. Source: `cuImportExternalSemaphore` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
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

/// `cuImportExternalMemory`: memory of the current context, from what another API or process exported, with its size in bytes in the
/// descriptor. It is the caller's, who destroys it with `cuDestroyExternalMemory`. On failure nothing that the driver wrote is given
/// on.
///
/// Since CUDA 10.0. Source: `cuImportExternalMemory` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
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

/// `cuExternalMemoryGetMappedBuffer`: where a part of the memory lies on the device, whose offset and size in bytes the descriptor
/// says. The caller unmaps it with `cuMemFree`, before the memory is destroyed. `handle_type` is the one by which the memory was
/// imported.
///
/// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedBuffer` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports success and gives none.
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

/// `cuExternalMemoryGetMappedMipmappedArray`: an image in the memory, whose offset in bytes, format, extent and levels the descriptor
/// says. The caller destroys it with `cuMipmappedArrayDestroy`, before the memory. `handle_type` is the one by which the memory was
/// imported.
///
/// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedMipmappedArray` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, among them one for handle types of which no image can be mapped;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports
/// success and gives none.
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

/// One semaphore of a call: the handle, the type by which it was imported, and its parameters.
pub(super) type Use<'a, P> = (CUexternalSemaphore, CUexternalSemaphoreHandleType, &'a P);

/// One semaphore of [`signal_external_semaphores`]: the handle, the type by which it was imported, and its parameters.
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` of `cuda.h`.
pub type Signal<'a> = Use<'a, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;

/// One semaphore of [`wait_external_semaphores`]: the handle, the type by which it was imported, and its parameters.
///
/// Since CUDA 10.0. Source: `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS` of `cuda.h`.
pub type Wait<'a> = Use<'a, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

/// `cuSignalExternalSemaphoresAsync`, for one or many at once.
///
/// They are signalled when the stream gets there; the call does not wait for that. The driver is called for none as well.
///
/// Since CUDA 10.0. Source: `cuSignalExternalSemaphoresAsync` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::System`] for more semaphores than 32 bits count;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, which may be an error of earlier work.
///
/// # Safety
/// The semaphores and the stream are alive. Every byte of the parameters is initialised.
#[inline]
pub unsafe fn signal_external_semaphores(
    library: &Library,
    signals: &[Signal<'_>],
    stream: CUstream,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { use_semaphores(library, cuda::cuSignalExternalSemaphoresAsync, signals, stream, waived) }
}

/// `cuWaitExternalSemaphoresAsync`, for one or many at once.
///
/// The stream waits, the call does not. The timeout of a keyed mutex is in milliseconds. The driver is called for none as well.
///
/// Since CUDA 10.0. Source: `cuWaitExternalSemaphoresAsync` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::System`] for more semaphores than 32 bits count;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, which may be an error of earlier work,
/// and is `CUDA_ERROR_TIMEOUT` where nobody released a keyed mutex in time.
///
/// # Safety
/// The semaphores and the stream are alive. Every byte of the parameters is initialised.
#[inline]
pub unsafe fn wait_external_semaphores(
    library: &Library,
    waits: &[Wait<'_>],
    stream: CUstream,
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    unsafe { use_semaphores(library, cuda::cuWaitExternalSemaphoresAsync, waits, stream, waived) }
}

/// What both commands are.
pub(in crate::cuda) type OnSemaphores<P> =
    unsafe extern "system" fn(*const CUexternalSemaphore, *const P, u32, CUstream) -> CUresult;

/// One semaphore of a call of either command.
pub(in crate::cuda) trait OnSemaphore<P> {
    fn handle(&self) -> &CUexternalSemaphore;
    fn parameters(&self) -> P;
    fn row(&self) -> Option<&'static HandleType>;
}

impl<P: Copy> OnSemaphore<P> for Use<'_, P> {
    #[inline]
    fn handle(&self) -> &CUexternalSemaphore {
        &self.0
    }

    #[inline]
    fn parameters(&self) -> P {
        *self.2
    }

    fn row(&self) -> Option<&'static HandleType> {
        kind::of_semaphore(self.1)
    }
}

/// Either command, checked. It is compiled into its caller: where parameters were just made, the compiler sees that most of them is zero, and
/// asks memory for the rest alone.
///
/// # Safety
/// As for [`signal_external_semaphores`].
#[inline]
unsafe fn use_semaphores<P: Record + Copy>(
    library: &Library,
    command: Command<OnSemaphores<P>>,
    uses: &[Use<'_, P>],
    stream: CUstream,
    waived: &[&str],
) -> Result<(), Error> {
    let mut given = library.given;
    let certain = waived.is_empty()
        && uses.iter().all(|(_, handle_type, parameters)| {
            given.semaphore_handle_type = Some(handle_type.0.into());
            // SAFETY: promised by the caller.
            unsafe { P::surely_holds(Bytes::of(*parameters), &given) }
        });
    // SAFETY: promised by the caller.
    let passed = if certain { None } else { Some(unsafe { look_closer(library, command, uses, waived)? }) };
    // SAFETY: promised by the caller.
    unsafe { call_on_semaphores(library, command, uses, stream, passed) }
}

/// The rules of parameters of which it is not certain that they break none.
///
/// # Safety
/// Every byte of the parameters is initialised.
#[cold]
unsafe fn look_closer<P: Record + Copy>(
    library: &Library,
    command: Command<OnSemaphores<P>>,
    uses: &[Use<'_, P>],
    waived: &[&str],
) -> Result<Passed, Error> {
    let mut checked = library.checked(&command).waiving(waived);
    for one @ (_, handle_type, parameters) in uses {
        // SAFETY: promised by the caller.
        checked = unsafe { checked.about(one.row()).raw_record(*parameters, &library.given.with_semaphore(*handle_type)) };
    }
    checked.demand()
}

/// Either command, for what was checked. `passed` is `None` where it was certain.
///
/// # Safety
/// The semaphores and the stream are alive. Every byte of the parameters is initialised.
#[inline]
pub(in crate::cuda) unsafe fn call_on_semaphores<P: Record + Copy>(
    library: &Library,
    command: Command<OnSemaphores<P>>,
    uses: &[impl OnSemaphore<P>],
    stream: CUstream,
    passed: Option<Passed>,
) -> Result<(), Error> {
    let about = || uses.last()?.row();
    // What is certain was not noted. Of no semaphore nothing was checked.
    let passed = || passed.unwrap_or_else(|| uses.last().map_or_else(Passed::default, |_| Passed::by(P::SUBJECT)));
    if let [one] = uses {
        let parameters = one.parameters();
        // SAFETY: the semaphore and the stream are alive, and both arrays have one element.
        return call(library, command, about, passed, |make| unsafe { make(one.handle(), &raw const parameters, 1, stream) });
    }
    let count = count(uses.len())?;
    let handles = Gathered::new(uses.iter().map(|one| *one.handle()));
    let parameters = Gathered::new(uses.iter().map(OnSemaphore::parameters));
    // SAFETY: the semaphores and the stream are alive, and both arrays are as long as the count says.
    call(library, command, about, passed, |make| unsafe { make(handles.as_ptr(), parameters.as_ptr(), count, stream) })
}
