//! The vendored part, used as a crate would use it: a function that stands in for the driver's is called through a command.

use core::{
    mem::offset_of,
    ptr::{NonNull, without_provenance_mut},
};

use vendored_part::gpu::{
    Api, ErrorChannel,
    cuda::{
        COMMANDS, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUresult,
        cuImportExternalSemaphore,
    },
    opencl::{self, cl_external_semaphore_handle_type_khr, cl_result, clCreateSemaphoreWithPropertiesKHR},
};

const OPAQUE_FD: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

/// Takes the place of a driver's: imports file descriptors, and nothing else.
unsafe extern "system" fn import(out: *mut CUexternalSemaphore, desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> CUresult {
    // SAFETY: the tests pass a descriptor that began as zeroes.
    let desc = unsafe { &*desc };
    // SAFETY: the type says that the descriptor is a file descriptor.
    if desc.r#type != OPAQUE_FD || unsafe { desc.handle.fd } < 0 {
        return CUresult::CUDA_ERROR_INVALID_VALUE;
    }
    // SAFETY: the tests pass a place to write to.
    unsafe { out.write(CUexternalSemaphore(without_provenance_mut(0x10))) };
    CUresult::CUDA_SUCCESS
}

fn import_fd(fd: i32) -> Result<CUexternalSemaphore, CUresult> {
    let address = NonNull::new(import as *mut core::ffi::c_void).expect("a function is somewhere");
    // SAFETY: the function has the type of the command.
    let call = unsafe { cuImportExternalSemaphore.function(address) };
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::zeroed();
    desc.r#type = OPAQUE_FD;
    desc.handle.fd = fd;
    let mut semaphore = CUexternalSemaphore::NULL;
    // SAFETY: the function reads the one and writes the other.
    unsafe { call(&raw mut semaphore, &raw const desc) }.result()?;
    Ok(semaphore)
}

#[test]
fn a_command_is_called_with_its_own_types() {
    assert!(import_fd(5).is_ok_and(|semaphore| !semaphore.is_null()));
    let refused = import_fd(-1).expect_err("no descriptor");
    assert_eq!(refused.to_string(), "CUDA_ERROR_INVALID_VALUE (1)");
}

/// From the declaration in `cuda.h`: an enumeration, a union of two pointers, an integer and sixteen more.
#[test]
fn the_layout_is_that_of_c() {
    type Desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
    let pointer = size_of::<usize>();
    let flags = if pointer == 8 { 24 } else { 12 };
    assert_eq!((offset_of!(Desc, handle), offset_of!(Desc, flags), offset_of!(Desc, reserved)), (pointer, flags, flags + 4));
    assert_eq!((size_of::<Desc>(), align_of::<Desc>()), ((flags + 4 + 64).next_multiple_of(pointer), pointer));
}

#[test]
fn commands_know_what_a_loader_needs_and_are_numbered_without_gaps() {
    let info = cuImportExternalSemaphore.info();
    assert_eq!((info.symbol, info.version, info.api), (c"cuImportExternalSemaphore", 10000, Api::Cuda));
    assert!(COMMANDS.iter().enumerate().all(|(at, command)| usize::from(command.index) == at));
    assert_eq!(COMMANDS.len(), 4);
    let create = clCreateSemaphoreWithPropertiesKHR.info();
    assert_eq!((create.extensions, create.error_channel), (["cl_khr_semaphore"].as_slice(), ErrorChannel::ErrcodeRet));
    assert_eq!(opencl::COMMANDS.len(), 7);
}

#[test]
fn values_are_numbers_with_names() {
    assert_eq!(OPAQUE_FD.0, 1);
    assert_eq!(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0, 0x2058);
    assert_eq!(format!("{:?} {:?}", cl_result(-5), cl_result(12345)), "CL_OUT_OF_RESOURCES cl_result(12345)");
}
