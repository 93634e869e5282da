//! What becomes of rules: rows, specialised checks, constructors and views, from models of a few lines.

use crate::{
    emit::files,
    finding::Findings,
    model::{Model, Rule},
    pass::index::Index,
    snapshot,
};

/// A lamp that is described by a cord or a name, and a command that takes it.
const LAMPS: &str = r#"{"api": "cuda", "releases": ["1.0"], "constants": [
    {"name": "DIMMED", "type": "u32", "value": "0x1", "since": "1.0", "until": null}],
  "enumerations": [{"name": "CUlampType", "repr": "u32", "kind": "choice", "since": "1.0", "until": null, "enumerators": [
    {"name": "CU_LAMP_CORD", "value": "1", "since": "1.0", "until": null},
    {"name": "CU_LAMP_NAMED", "value": "2", "since": "1.0", "until": null}]}],
  "aliases": [], "handles": [],
  "records": [
    {"name": "LAMP_handle", "kind": "union", "size": "16/8/8", "align": "8/4/4", "parent": "LAMP", "since": "1.0", "until": null, "members": [
      {"name": "cord", "type": "c_int", "offset": "0", "since": "1.0", "until": null},
      {"name": "socket", "type": "LAMP_handle_socket", "offset": "0", "since": "1.0", "until": null}]},
    {"name": "LAMP_handle_socket", "kind": "struct", "size": "16/8/8", "align": "8/4/4", "parent": "LAMP_handle", "since": "1.0", "until": null, "members": [
      {"name": "plug", "type": "*mut c_void", "offset": "0", "since": "1.0", "until": null},
      {"name": "name", "type": "*const c_void", "offset": "8/4/4", "since": "1.0", "until": null}]},
    {"name": "LAMP", "kind": "struct", "size": "32/20/20", "align": "8/4/4", "since": "1.0", "until": null, "members": [
      {"name": "type", "type": "CUlampType", "offset": "0", "since": "1.0", "until": null},
      {"name": "handle", "type": "LAMP_handle", "offset": "8/4/4", "since": "1.0", "until": null},
      {"name": "flags", "type": "u32", "offset": "24/12/12", "since": "1.0", "until": null},
      {"name": "watts", "type": "u32", "offset": "28/16/16", "since": "1.0", "until": null}]}],
  "callbacks": [], "commands": [
    {"symbol": "cuLight", "name": "cuLight", "error_channel": "return", "returns": "c_int", "since": "1.0", "until": null, "parameters": [
      {"name": "lamp", "type": "*const LAMP", "since": "1.0", "until": null},
      {"name": "count", "type": "c_uint", "since": "1.0", "until": null}]}],
  "features": [], "extensions": [], "macro_functions": [], "omitted": [],
  "rules": [
    {"id": "lamp/type", "subject": "LAMP", "fields": ["type"], "predicate": "one_of(CU_LAMP_CORD | CU_LAMP_NAMED)", "origin": "derived", "since": "1.0", "until": null},
    {"id": "lamp/cord", "subject": "LAMP", "fields": ["handle.cord"], "predicate": "fd_non_negative", "when": ["type in CU_LAMP_CORD"], "origin": "stated", "source": "lamp.h@1.0 cuLight #00", "since": "1.0", "until": null},
    {"id": "lamp/plug", "subject": "LAMP", "fields": ["handle.socket.plug", "handle.socket.name"], "predicate": "exactly_one_non_null", "when": ["type in CU_LAMP_NAMED"], "origin": "stated", "source": "lamp.h@1.0 cuLight #01", "since": "1.0", "until": null},
    {"id": "lamp/name", "subject": "LAMP", "fields": ["handle.socket.name"], "predicate": "utf16_nul_terminated", "when": ["type in CU_LAMP_NAMED", "handle.socket.name non_null"], "origin": "ours", "reason": "names are", "since": "1.0", "until": null},
    {"id": "lamp/flags", "subject": "LAMP", "fields": ["flags"], "predicate": "only_flags(DIMMED)", "origin": "stated", "source": "lamp.h@1.0 LAMP #02", "since": "1.0", "until": null},
    {"id": "lamp/dim", "subject": "LAMP", "fields": ["flags"], "predicate": "must_have_flags(DIMMED)", "when": ["type in CU_LAMP_NAMED"], "origin": "stated", "source": "lamp.h@1.0 LAMP #03", "since": "1.0", "until": null},
    {"id": "light/count", "subject": "cuLight", "fields": ["count"], "predicate": "non_zero", "when": ["given.platform in linux"], "origin": "stated", "source": "lamp.h@1.0 cuLight #04", "error": "BAD", "since": "1.0", "until": null},
    {"id": "light/watts", "subject": "cuLight", "fields": ["lamp.watts"], "predicate": "above(count)", "origin": "stated", "source": "lamp.h@1.0 cuLight #05", "since": "1.0", "until": null}],
  "handle_types": [
    {"api": "cuda", "kind": "semaphore", "name": "CU_LAMP_CORD", "short": "CORD", "enumeration": "CUlampType", "value": "1", "record": "LAMP", "members": ["handle.cord"], "platform": "posix", "transference": "unspecified", "permanence": "unspecified", "owner_on_success": "driver", "owner_on_failure": "caller", "payload": "binary", "initial_state": "unspecified", "required_flags": [], "allowed_flags": ["DIMMED"], "exported_size": "int", "capability_query": null, "counterparts": {}, "since": "1.0", "until": null},
    {"api": "cuda", "kind": "semaphore", "name": "CU_LAMP_NAMED", "short": "NAMED", "enumeration": "CUlampType", "value": "2", "record": "LAMP", "members": ["handle.socket.plug", "handle.socket.name"], "platform": "windows", "transference": "unspecified", "permanence": "unspecified", "owner_on_success": "caller", "owner_on_failure": "caller", "payload": "fence", "initial_state": "unspecified", "required_flags": ["DIMMED"], "allowed_flags": ["DIMMED"], "exported_size": "never", "capability_query": null, "counterparts": {}, "since": "1.0", "until": null}],
  "error_lists": [], "properties": []}"#;

fn lamps() -> Model {
    serde_json::from_str(LAMPS).unwrap()
}

fn emitted(model: &Model) -> Result<String, Findings> {
    files(model).map(|files| files.into_iter().find(|file| file.name == "rules").map(|file| file.text).unwrap_or_default())
}

fn rule(model: &Model, id: &str) -> usize {
    model.rules.iter().position(|rule| rule.id == id).unwrap()
}

/// That `text` has `line`, whatever stands around it.
#[track_caller]
fn has(text: &str, line: &str) {
    assert!(text.lines().any(|other| other.trim() == line), "no line `{line}` in:\n{text}");
}

#[test]
fn the_fragment_is_a_model_that_holds_together_and_the_file_is_rust() {
    let model = lamps();
    assert_eq!(snapshot::read(&crate::finding::Document::new("", &snapshot::write(&model))).unwrap().rules.len(), 8);
    syn::parse_file(&emitted(&model).unwrap()).unwrap();
    assert!(Index::new(&model).get("LAMP").is_some());
}

#[test]
fn every_place_of_a_record_has_a_constant_and_a_name_that_is_followed_is_guarded() {
    let text = emitted(&lamps()).unwrap();
    has(&text, "TYPE: CUlampType = r#type, \"type\", Unsigned, Plain;");
    has(&text, "HANDLE_CORD: c_int = handle.cord, \"handle.cord\", Signed, Plain;");
    has(&text, "HANDLE_SOCKET_PLUG: *mut c_void = handle.socket.plug, \"handle.socket.plug\", Pointer, Plain;");
    has(&text, "HANDLE_SOCKET_NAME: *const c_void = handle.socket.name, \"handle.socket.name\", Pointer, Followed;");
}

#[test]
fn a_member_that_overlaps_a_followed_pointer_is_guarded_too() {
    let mut model = lamps();
    let union = model.records.iter_mut().find(|record| record.name == "LAMP_handle").unwrap();
    union.members[0].ctype = "[*mut c_void; 2]".parse().unwrap();
    model.rules.retain(|rule| rule.id != "lamp/cord");
    model.handle_types.clear();
    has(&emitted(&model).unwrap(), "HANDLE_CORD: [*mut c_void; 2] = handle.cord, \"handle.cord\", Bytes, Followed;");
}

#[test]
fn a_rule_is_a_row_with_where_it_comes_from() {
    let text = emitted(&lamps()).unwrap();
    has(
        &text,
        "since(\"1.0\", stated(\"lamp/cord\", &[R::HANDLE_CORD.field], FdNonNegative, &[of(R::TYPE.field, Test::In(named![CUlampType: CU_LAMP_CORD]))],",
    );
    has(&text, "const FROM: Option<Source> = from(\"lamp.h\", \"1.0\", \"cuLight\");");
    has(&text, "FROM, \"\")),");
    has(&text, "const FROM_2: Option<Source> = from(\"lamp.h\", \"1.0\", \"LAMP\");");
    has(
        &text,
        "since(\"1.0\", ours(\"names are\", stated(\"lamp/name\", &[R::HANDLE_SOCKET_NAME.field], Utf16NulTerminated, \
         &[of(R::TYPE.field, Test::In(named![CUlampType: CU_LAMP_NAMED])), of(R::HANDLE_SOCKET_NAME.field, Test::NonNull)],",
    );
    has(
        &text,
        "since(\"1.0\", stated(\"light/count\", &[R::COUNT], NonZero, &[given(Fact::Platform, Test::In(named![text \"linux\"]))],",
    );
    has(&text, "FROM, \"BAD\")),");
}

#[test]
fn what_lies_behind_a_pointer_is_said_to_be_elsewhere() {
    has(
        &emitted(&lamps()).unwrap(),
        "since(\"1.0\", stated(\"light/watts\", &[elsewhere(\"lamp.watts\")], Above(Operand::Field(R::COUNT)), &[],",
    );
}

#[test]
fn the_specialised_check_has_an_arm_for_what_each_type_demands_and_refuses_the_rest() {
    let text = emitted(&lamps()).unwrap();
    has(&text, "E::CU_LAMP_CORD => quick::number(bytes, R::HANDLE_CORD.field) >= 0,");
    let named = text.lines().find(|line| line.trim().starts_with("E::CU_LAMP_NAMED =>")).unwrap();
    for part in [
        "quick::non_null(bytes, [R::HANDLE_SOCKET_PLUG.field, R::HANDLE_SOCKET_NAME.field]) == 1",
        "(quick::utf16(bytes, [R::HANDLE_SOCKET_NAME.field])",
    ] {
        assert!(named.contains(part), "{named}");
    }
    has(&text, "_ => false,");
}

#[test]
fn a_constructor_takes_what_its_type_needs_and_sets_the_flags_that_must_be() {
    let text = emitted(&lamps()).unwrap();
    has(&text, "pub const fn cord(cord: c_int, flags: u32, watts: u32) -> Zeroed<'static, Self> {");
    has(&text, "pub const fn named(plug: *mut c_void, watts: u32) -> Zeroed<'static, Self> {");
    has(&text, "pub const fn named_by_name(name: Utf16Name<'_>, watts: u32) -> Zeroed<'_, Self> {");
    assert!(text.contains(".with(Self::FLAGS, (DIMMED as i128 as u64) as u32)"), "{text}");
}

#[test]
fn a_view_has_a_variant_for_each_type_and_one_for_what_is_not_known() {
    let text = emitted(&lamps()).unwrap();
    has(&text, "pub enum Lamp {");
    has(&text, "Unknown(CUlampType),");
    has(&text, "CUlampType::CU_LAMP_CORD => Self::Cord { cord: quick::value(bytes, LAMP::HANDLE_CORD) },");
    has(&text, "impl crate::rules::SemaphoreHandleType for CUlampType {");
}

#[test]
fn a_handle_type_that_is_added_upstream_needs_no_line_here() {
    let mut model = lamps();
    let mut enumerator = model.enumerations[0].enumerators[0].clone();
    (enumerator.name, enumerator.value) = ("CU_LAMP_SOLAR".to_owned(), "3".parse().unwrap());
    model.enumerations[0].enumerators.push(enumerator);
    let mut row = model.handle_types[0].clone();
    (row.name, row.short, row.value) = ("CU_LAMP_SOLAR".to_owned(), "SOLAR".to_owned(), "3".parse().ok());
    model.handle_types.push(row);
    let at = rule(&model, "lamp/type");
    model.rules[at].predicate = "one_of(CU_LAMP_CORD | CU_LAMP_NAMED | CU_LAMP_SOLAR)".parse().unwrap();
    let text = emitted(&model).unwrap();
    has(&text, "pub const fn solar(cord: c_int, flags: u32, watts: u32) -> Zeroed<'static, Self> {");
    has(&text, "CUlampType::CU_LAMP_SOLAR => Self::Solar { cord: quick::value(bytes, LAMP::HANDLE_CORD) },");
    // No rule says anything of it but that it exists.
    has(&text, "E::CU_LAMP_SOLAR => true,");
}

/// What is said of a model with `change` made to its first rule.
fn refused(change: impl FnOnce(&mut Rule)) -> String {
    let mut model = lamps();
    change(&mut model.rules[0]);
    emitted(&model).unwrap_err().to_string()
}

#[test]
fn a_rule_about_what_the_model_does_not_have_is_refused_by_its_id() {
    let unknown_subject = refused(|rule| rule.subject = "CANDLE".to_owned());
    assert!(unknown_subject.contains("`CANDLE`"), "{unknown_subject}");
    let unknown_value = refused(|rule| rule.predicate = "one_of(CU_LAMP_GAS)".parse().unwrap());
    assert!(unknown_value.contains("`CU_LAMP_GAS`") && unknown_value.contains("lamp/type"), "{unknown_value}");
}

#[test]
fn a_handle_type_that_is_carried_by_no_member_is_refused() {
    let mut model = lamps();
    model.handle_types[0].members = vec!["handle.wick".parse().unwrap()];
    assert!(emitted(&model).unwrap_err().to_string().contains("handle.wick"));
}

#[test]
fn two_members_that_would_share_a_constant_are_refused() {
    let mut model = lamps();
    let lamp = model.records.iter_mut().find(|record| record.name == "LAMP").unwrap();
    lamp.members[3].name = "Flags".to_owned();
    let said = emitted(&model).unwrap_err().to_string();
    assert!(said.contains("FLAGS"), "{said}");
}

#[test]
fn names_of_constants_part_words_where_upstream_does() {
    for (path, constant) in [
        ("handle.nvSciSyncObj", "HANDLE_NV_SCI_SYNC_OBJ"),
        ("numExtSems", "NUM_EXT_SEMS"),
        ("params.keyedMutex.timeoutMs", "PARAMS_KEYED_MUTEX_TIMEOUT_MS"),
        ("dptr", "DPTR"),
    ] {
        assert_eq!(super::place::constant(path), constant);
    }
    assert_eq!(super::place::camel("OPAQUE_WIN32_KMT"), "OpaqueWin32Kmt");
    assert_eq!(super::constructors::view_name("CUexternalSemaphoreHandleType"), "ExternalSemaphoreHandle");
}
