//! The part that the build script makes: what it declares, and what it knows must hold.

use core::mem::offset_of;

use generated_in_build::gpu::{
    cuda::{self, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUresult, HANDLE_TYPES, cuImportExternalSemaphore, documented_errors},
    opencl::{cl_device_info, clReImportSemaphoreSyncFdKHR},
    rules::{Given, Owner},
};

type Desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;

#[test]
fn a_descriptor_from_a_constructor_holds_and_a_broken_one_is_told() {
    let given = Given::default();
    assert!(Desc::opaque_fd(5).check(&given).is_ok());
    let with_flags = Desc::opaque_fd(5).with(Desc::FLAGS, 1);
    let broken = with_flags.check(&given).expect_err("flags have to be zero");
    assert!(broken.to_string().contains("flags: found 1"), "{broken}");
}

#[test]
fn the_layout_is_that_of_c() {
    let pointer = size_of::<usize>();
    assert_eq!((offset_of!(Desc, handle), size_of::<Desc>()), (pointer, if pointer == 8 { 96 } else { 80 }));
}

#[test]
fn tables_hold_what_was_asked_for_and_nothing_else() {
    assert!(HANDLE_TYPES.iter().all(|row| row.enumeration == "CUexternalSemaphoreHandleType"));
    let opaque_fd = HANDLE_TYPES.iter().find(|row| row.short == "OPAQUE_FD").expect("a kind of handle");
    assert_eq!(opaque_fd.owner_on_success, Owner::Driver);
    let errors = documented_errors(cuImportExternalSemaphore.info()).expect("upstream lists them");
    assert!(errors.contains(&CUresult::CUDA_ERROR_NOT_INITIALIZED));
    assert_eq!(cuda::COMMANDS.len(), 4);
}

#[test]
fn an_extension_brought_its_commands_and_values() {
    assert_eq!(clReImportSemaphoreSyncFdKHR.info().extensions, ["cl_khr_external_semaphore_sync_fd"]);
    assert_eq!(cl_device_info::CL_DEVICE_SEMAPHORE_TYPES_KHR.name(), Some("CL_DEVICE_SEMAPHORE_TYPES_KHR"));
}

/// Whatever else the generator is made of stays out of a crate that only takes a part.
#[test]
fn nothing_is_compiled_for_it_but_what_cuts_parts() {
    let lock = include_str!("../Cargo.lock");
    let names: Vec<&str> = lock.lines().filter_map(|line| line.strip_prefix("name = ")).collect();
    assert_eq!(names, ["\"clcu-codegen\"", "\"clcu-sys\"", "\"generated-in-build\""]);
}
