//! The tables of OpenCL: what they say of the cases that programs got wrong.
#![cfg(all(feature = "opencl", feature = "rules"))]

use core::ptr::{dangling, null, null_mut};

use clcu_sys::{
    opencl::*,
    rules::{Given, HandleKind, Inert, InitialState, Owner, PropertyList, SemaphoreHandleType, Transference, check},
};

const fn key(number: u64) -> cl_semaphore_properties_khr {
    cl_semaphore_properties_khr(number)
}

const TYPE: cl_semaphore_properties_khr = key(cl_semaphore_info_khr::CL_SEMAPHORE_TYPE_KHR.0 as u64);
const EXPORT: cl_semaphore_properties_khr = cl_semaphore_properties_khr::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
const OPAQUE_FD: cl_semaphore_properties_khr =
    key(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR.0 as u64);
const SYNC_FD: cl_semaphore_properties_khr = key(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0 as u64);
const DEVICES: cl_semaphore_properties_khr = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;
const END: cl_semaphore_properties_khr = key(0);
const BINARY: cl_semaphore_properties_khr = key(1);

/// A context with one device, and nothing offered beyond the core.
fn small() -> Given<'static> {
    Given {
        context_device_count: Some(1),
        extensions: Some(&[]),
        import_types: Some(&[]),
        export_types: Some(&[]),
        ..Given::default()
    }
}

/// The rules that arguments break, without what all ids begin with, and the codes that they lead to.
fn broken<R: Inert>(arguments: &R, given: &Given<'_>) -> Vec<(String, &'static str)> {
    let short = |id: &str| id.split_once('/').and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, rest)| rest).to_owned();
    match check(arguments, given) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|violation| (short(violation.rule.id), violation.rule.error)).collect(),
    }
}

fn created(list: &[cl_semaphore_properties_khr], given: &Given<'_>) -> Vec<(String, &'static str)> {
    broken(&clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::new(list) }, given)
}

/// The codes that creating a semaphore from `list` leads to.
fn codes(list: &[cl_semaphore_properties_khr], given: &Given<'_>) -> Vec<&'static str> {
    created(list, given).into_iter().map(|(_, code)| code).collect()
}

#[test]
fn a_list_of_export_types_ends_with_its_own_zero_and_the_list_with_another() {
    let list = [TYPE, BINARY, EXPORT, SYNC_FD, END, END];
    assert_eq!(list.map(|word| word.0), [0x203D, 1, 0x203F, 0x2058, 0, 0]);
    assert_eq!(created(&list, &small()), []);
    let unended = PropertyList::new(&list[..4]);
    let fault = unended.entries(&PROPERTIES_OF_cl_semaphore_properties_khr).find_map(Result::err).unwrap();
    assert_eq!(fault.to_string(), "list property 0x203F (CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) not terminated");
    let said = created(&list[..4], &small());
    let ids: Vec<&str> = said.iter().map(|(id, _)| id.as_str()).collect();
    let inner = "sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR]-list-terminated";
    assert_eq!(ids, ["sema_props-list-terminated", inner]);
    assert_eq!(created(&list[..5], &small()), [("sema_props-list-terminated".to_owned(), "")]);
}

#[test]
fn what_is_imported_is_not_exported() {
    let list = [TYPE, BINARY, SYNC_FD, key(3), EXPORT, SYNC_FD, END, END];
    assert_eq!(codes(&list, &small()), ["CL_INVALID_OPERATION"]);
}

#[test]
fn four_mistakes_that_look_alike_have_the_codes_that_the_specification_gives_them() {
    let many = Given { context_device_count: Some(2), ..small() };
    assert_eq!(codes(&[TYPE, BINARY, OPAQUE_FD, key(3), SYNC_FD, key(4), END], &small()), ["CL_INVALID_PROPERTY"]);
    assert_eq!(codes(&[TYPE, BINARY, EXPORT, OPAQUE_FD, SYNC_FD, END, END], &small()), ["CL_INVALID_VALUE"]);
    assert_eq!(codes(&[EXPORT, SYNC_FD, END, END], &small()), ["CL_INVALID_VALUE"]);
    assert_eq!(codes(&[TYPE, BINARY, END], &many), ["CL_INVALID_PROPERTY"]);
    assert_eq!(codes(&[TYPE, BINARY, DEVICES, key(64), END, END], &many), [""; 0]);
    assert_eq!(codes(&[TYPE, BINARY, TYPE, BINARY, END], &small()), ["CL_INVALID_PROPERTY"]);
}

#[test]
fn only_a_semaphore_of_a_sync_fd_is_imported_again_and_minus_one_is_a_signalled_one() {
    let arguments = |fd| clReImportSemaphoreSyncFdKHR_arguments { sema_object: cl_semaphore_khr(null_mut()), fd };
    let of = |handle_type: cl_external_semaphore_handle_type_khr| small().with_semaphore(handle_type);
    let sync_fd = of(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    let opaque_fd = of(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    assert_eq!(broken(&arguments(-1), &sync_fd), []);
    assert_eq!(broken(&arguments(5), &sync_fd), []);
    assert_eq!(broken(&arguments(-2), &sync_fd).iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["CL_INVALID_VALUE"]);
    assert_eq!(broken(&arguments(5), &opaque_fd).iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["CL_INVALID_SEMAPHORE_KHR"]);
    // Which type it is of was not said: then that is what was not checked.
    let given = small();
    let unknown = arguments(5);
    assert_eq!(check(&unknown, &given).unwrap().not_checked().count(), 1);
}

#[test]
fn documented_errors_of_re_import_do_not_have_the_code_that_a_driver_was_seen_to_return() {
    let documented = documented_errors(clReImportSemaphoreSyncFdKHR.info()).unwrap();
    let names: Vec<_> = documented.iter().map(|code| code.name().unwrap()).collect();
    assert_eq!(names, ["CL_INVALID_SEMAPHORE_KHR", "CL_INVALID_VALUE", "CL_OUT_OF_HOST_MEMORY", "CL_OUT_OF_RESOURCES"]);
}

#[test]
fn a_list_of_payloads_is_needed_for_a_fence_of_d3d12_and_for_no_other() {
    let arguments = |payloads| clEnqueueWaitSemaphoresKHR_arguments {
        num_sema_objects: 2,
        sema_payload_list: payloads,
        num_events_in_wait_list: 0,
        event_wait_list: null(),
    };
    let fence = small().with_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR);
    let binary = small().with_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    assert_eq!(broken(&arguments(null()), &fence).len(), 1);
    assert_eq!(broken(&arguments(dangling()), &fence), []);
    assert_eq!(broken(&arguments(null()), &binary), []);
}

#[test]
fn every_kind_of_handle_says_how_it_is_passed_on_and_what_an_export_writes_where_upstream_does() {
    let row = |kind, short: &str| HANDLE_TYPES.iter().find(|row| row.kind == kind && row.short == short).unwrap();
    assert_eq!(row(HandleKind::Semaphore, "SYNC_FD").transference, Transference::Copy);
    assert_eq!(row(HandleKind::Semaphore, "OPAQUE_FD").transference, Transference::Reference);
    assert_eq!(row(HandleKind::Semaphore, "SYNC_FD").special_value, Some(-1));
    assert_eq!(row(HandleKind::Semaphore, "OPAQUE_FD").owner_on_success, Owner::Driver);
    assert_eq!(row(HandleKind::Semaphore, "OPAQUE_WIN32").owner_on_success, Owner::Caller);
    // What is imported is in the state of the other side, which no text names; a semaphore that is created anew has no row.
    let states = HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Semaphore).map(|row| row.initial_state);
    assert!(states.eq([InitialState::Unspecified; 6]));
    // No text says who owns a handle after a failed import, and no row guesses.
    assert!(HANDLE_TYPES.iter().all(|row| row.owner_on_failure == Owner::Unspecified));
}

#[test]
fn a_type_of_memory_is_not_taken_for_one_of_a_semaphore() {
    fn takes_semaphores(_: impl SemaphoreHandleType) {}
    takes_semaphores(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
}

#[test]
fn a_command_has_a_row_of_errors_at_its_index_and_one_without_text_has_none() {
    assert!(ERRORS.iter().count() >= COMMAND_COUNT);
    for (row, command) in ERRORS.iter().zip(&COMMANDS) {
        assert_eq!(row.symbol.as_bytes(), command.symbol.to_bytes());
        // Every name is one of the status's.
        assert!(row.codes.is_none_or(|codes| codes.iter().count() == codes.len()), "{row:?}");
    }
    assert!(documented_errors(clSVMFree.info()).is_none());
    assert!(documented_errors(clUnloadCompiler.info()).unwrap().is_empty());
}

#[test]
fn an_id_names_one_rule() {
    let mut ids: Vec<_> = RULES.iter().flat_map(|subject| subject.rules).map(|rule| rule.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn every_table_of_properties_finds_its_own_keys_and_no_key_twice() {
    for table in
        [&PROPERTIES_OF_cl_semaphore_properties_khr, &PROPERTIES_OF_cl_mem_properties, &PROPERTIES_OF_cl_context_properties]
    {
        for property in table.properties {
            assert_eq!(table.find(property.key).unwrap().name, property.name, "{}", table.name);
        }
    }
}
