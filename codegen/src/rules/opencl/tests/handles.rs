//! Handle types of our own, read into rows.

use crate::{
    finding::{Document, Findings, Strictness},
    import::opencl::text::import,
    model::{HandleType, InitialState, Origin, Owner, Payload, Permanence, Platform, Transference, Value},
    rules::opencl::{Release, Vocabulary, read},
};

const TEXT: &str = "[[external-semaphore-handle-types]]
=== Handle Types

ifdef::cl_khr_external_semaphore_glass_fd[]
  * {CL_SEMAPHORE_HANDLE_GLASS_FD_KHR} specifies a POSIX file descriptor of glass.
endif::cl_khr_external_semaphore_glass_fd[]
ifdef::cl_khr_external_semaphore_sync_fd[]
  * {CL_SEMAPHORE_HANDLE_SYNC_FD_KHR} specifies a POSIX file descriptor too.

The special value -1 for fd is treated like a light that is on.
It will have a temporarily imported payload.
endif::cl_khr_external_semaphore_sync_fd[]

.Transference
|====
| Handle Type | Transference
| {CL_SEMAPHORE_HANDLE_GLASS_FD_KHR} | Reference
| {CL_SEMAPHORE_HANDLE_SYNC_FD_KHR} | Copy
|====

Importing from a file descriptor transfers ownership of the file descriptor.

==== Windows

ifdef::cl_khr_external_semaphore_pane[]
  * {CL_SEMAPHORE_HANDLE_PANE_KHR} specifies an NT handle of a pane.
  * {CL_SEMAPHORE_HANDLE_PANE_KMT_KHR} specifies a global share handle.
    It does not own a reference to the pane.
  * {CL_SEMAPHORE_HANDLE_PANE_NAME_KHR} specifies an NT handle name.

The payload must be provided for semaphores created from {CL_SEMAPHORE_HANDLE_PANE_KHR}.
endif::cl_khr_external_semaphore_pane[]

Importing from Windows handles does not transfer ownership.
";

fn rows(text: &str) -> Result<Vec<HandleType>, Findings> {
    let facts = import(&[Document::new("pane.asciidoc", text)], Strictness::Strict).expect("the text is in order").0;
    let reading = read(&facts, &Vocabulary::default(), &Release("1.0".to_owned()), Strictness::Strict);
    reading.map(|(reading, _)| reading.handle_types)
}

fn row(short: &str) -> HandleType {
    let rows = rows(TEXT).expect("every sentence has a meaning");
    rows.into_iter().find(|row| row.short == short).expect("the text describes it")
}

#[test]
fn a_descriptor_goes_to_the_driver_and_a_windows_handle_stays() {
    assert_eq!(row("GLASS_FD").owner_on_success, Owner::Driver);
    assert_eq!(row("PANE").owner_on_success, Owner::Caller);
    assert_eq!(row("PANE_NAME").owner_on_success, Owner::Caller);
}

#[test]
fn a_share_handle_is_owned_by_nobody() {
    assert_eq!(row("PANE_KMT").owner_on_success, Owner::None);
}

#[test]
fn nothing_is_said_of_a_failed_import() {
    assert!(rows(TEXT).expect("every sentence has a meaning").iter().all(|row| row.owner_on_failure == Owner::Unspecified));
}

#[test]
fn transference_comes_from_the_table() {
    assert_eq!(row("GLASS_FD").transference, Transference::Reference);
    assert_eq!(row("SYNC_FD").transference, Transference::Copy);
    assert_eq!(row("PANE").transference, Transference::Unspecified);
}

#[test]
fn minus_one_and_a_temporary_payload_are_of_the_sync_file_only() {
    assert_eq!(row("SYNC_FD").special_value, Some(Value::Decimal(-1)));
    assert_eq!(row("SYNC_FD").permanence, Permanence::Temporary);
    assert_eq!(row("GLASS_FD").special_value, None);
    assert_eq!(row("GLASS_FD").permanence, Permanence::Unspecified);
}

#[test]
fn a_payload_is_needed_by_the_type_that_is_named() {
    assert_eq!(row("PANE").payload, Payload::Fence);
    assert_eq!(row("PANE_KMT").payload, Payload::Unspecified);
    let parameters =
        |row: &HandleType| [row.signal.clone(), row.wait.clone()].concat().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(parameters(&row("PANE")), ["sema_payload_list", "sema_payload_list"]);
    assert_eq!(parameters(&row("PANE_KMT")), Vec::<String>::new());
}

#[test]
fn a_row_says_where_it_exists_and_which_extension_brings_it() {
    let row = row("PANE");
    assert_eq!(row.platform, Platform::Windows);
    assert_eq!(row.extension.as_deref(), Some("cl_khr_external_semaphore_pane"));
    assert_eq!(row.members.iter().map(ToString::to_string).collect::<Vec<_>>(), ["sema_props[CL_SEMAPHORE_HANDLE_PANE_KHR]"]);
}

#[test]
fn every_column_that_is_set_rests_on_a_sentence() {
    let row = row("SYNC_FD");
    let columns: Vec<(&str, Origin)> = row.evidence.iter().map(|evidence| (evidence.column.as_str(), evidence.origin)).collect();
    let wanted = [
        ("owner_on_success", Origin::Stated),
        ("permanence", Origin::Stated),
        ("platform", Origin::Derived),
        ("special_value", Origin::Stated),
        ("transference", Origin::Stated),
    ];
    assert_eq!(columns, wanted);
}

#[test]
fn the_state_after_creation_is_said_where_creation_is() {
    assert_eq!(row("SYNC_FD").initial_state, InitialState::Unspecified);
    let creation = "
[open,refpage='clCreateSemaphoreWithPropertiesKHR',type='protos']
--
// refError

{clCreateSemaphoreWithPropertiesKHR} returns a semaphore in an un-signaled state.
Otherwise, it returns one of the following errors:

  * {CL_OUT_OF_GLASS} if there is none.
--
";
    let rows = rows(&format!("{TEXT}{creation}")).expect("every sentence has a meaning");
    assert!(rows.iter().all(|row| row.initial_state == InitialState::Unsignaled));
}

#[test]
fn a_sentence_without_a_meaning_fails_the_import() {
    let text = TEXT.replace("transfers ownership", "lends ownership");
    let said = rows(&text).expect_err("nobody knows what lending means").to_string();
    assert!(said.starts_with("pane.asciidoc:21:1: a sentence on external handle types is not understood"), "{said}");
    assert!(said.contains("found `Importing from a file descriptor lends ownership of the file descriptor`"), "{said}");
}

#[test]
fn a_bullet_that_does_not_say_what_the_handle_is_fails_the_import() {
    let text = TEXT.replace("specifies a global share handle.", "");
    let said = rows(&text).expect_err("nothing says what it is").to_string();
    assert!(said.contains("nothing says what kind of handle `CL_SEMAPHORE_HANDLE_PANE_KMT_KHR` is"), "{said}");
}
