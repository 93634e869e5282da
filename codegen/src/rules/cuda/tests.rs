//! A small API of our own, documented in upstream's syntax: what becomes of its comments, and of mistakes in them.

mod lamp;
mod upstream;

use self::lamp::Lamp;
use crate::{
    finding::{Severity, Strictness},
    model::{ExportedSize, Origin, Owner, Payload, Platform},
};

#[test]
fn each_handle_type_has_its_own_rules() {
    let read = Lamp::new().read();
    let of = |short: &str| read.ids(&format!("cuda/CUDA_EXTERNAL_LAMP_DESC/{short}/"));
    assert_eq!(of("FD"), ["fd-file-descriptor attested(file_descriptor: memory_object)", "fd-non-negative fd_non_negative"]);
    assert_eq!(
        of("WIN32"),
        [
            "exactly-one exactly_one_non_null",
            "handle-shared-nt-handle attested(shared_nt_handle: memory_object) if handle.win32.handle non_null",
            "name-of attested(name_of: memory_object) if handle.win32.name non_null",
            "name-utf16-nul-terminated utf16_nul_terminated if handle.win32.name non_null",
        ]
    );
    assert_eq!(
        of("KMT"),
        [
            "flags-must-have-flags must_have_flags(CUDA_EXTERNAL_LAMP_BRIGHT)",
            "handle-global-kmt-handle attested(global_kmt_handle)",
            "handle-non-null non_null",
            "name-null null"
        ]
    );
    assert_eq!(of("OBJECT"), ["object-non-null non_null"]);
}

#[test]
fn a_rule_says_which_sentence_it_rests_on() {
    let read = Lamp::new().read();
    let rule = read.rule("cuda/CUDA_EXTERNAL_LAMP_DESC/KMT/name-null");
    assert_eq!((rule.subject.as_str(), rule.origin), ("CUDA_EXTERNAL_LAMP_DESC_v1", Origin::Stated));
    let source = rule.source.as_ref().unwrap();
    assert_eq!((source.document.as_str(), source.version.as_str()), ("lamp.h", "1.2.3"));
    assert_eq!(source.symbol, "cuImportExternalMemoryLamp");
    let sentence = "If CUDA_EXTERNAL_LAMP_DESC::type is CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT , then CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle \
                    must be non-NULL and CUDA_EXTERNAL_LAMP_DESC::handle::win32::name must be NULL";
    assert_eq!(source.hash, crate::rules::sentence::hash(sentence));
    assert_eq!(rule.lifetime.since.map(|version| version.to_string()).as_deref(), Some("1.2"));
}

#[test]
fn what_follows_from_a_valid_descriptor_is_derived_and_not_stated() {
    assert_eq!(Lamp::new().read().rule("cuda/CUDA_EXTERNAL_LAMP_DESC/FD/fd-non-negative").origin, Origin::Derived);
}

#[test]
fn nothing_is_said_of_a_member_that_the_type_does_not_choose() {
    for rule in &Lamp::new().read().rules.rules {
        if rule.fields.iter().any(|path| path.as_str().starts_with("handle.")) {
            assert!(rule.when.iter().any(|condition| condition.to_string().starts_with("type in ")), "{}", rule.id);
        }
    }
}

#[test]
fn a_handle_type_that_is_new_needs_no_line_of_code() {
    let read = Lamp::new().read();
    let rule = read.rule("cuda/CUDA_EXTERNAL_LAMP_DESC/type-one-of");
    assert_eq!(
        rule.predicate.to_string(),
        "one_of(CU_EXTERNAL_LAMP_HANDLE_TYPE_FD | CU_EXTERNAL_LAMP_HANDLE_TYPE_WIN32 | CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT | \
         CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT)"
    );
}

#[test]
fn an_unknown_sentence_stops_the_import_with_its_place() {
    let mut lamp = Lamp::new();
    lamp.replace("cuImportExternalMemoryLamp", "Ownership of the file", "The lamp must be warm.\nOwnership of the file");
    let finding = lamp.only_error();
    let place = finding.place.as_ref().unwrap();
    assert_eq!(place.to_string(), format!("lamp.h:{}:1", lamp.line_of("The lamp must be warm")));
    assert_eq!(finding.found.as_deref(), Some("\"The lamp must be warm\""));
    assert!(finding.help.as_ref().unwrap().contains("cuImportExternalMemoryLamp #"), "{finding}");
}

#[test]
fn lenient_reading_lists_what_strict_reading_refuses() {
    let mut lamp = Lamp::new();
    lamp.replace("cuImportExternalMemoryLamp", "Ownership of the file", "The lamp must be warm.\nOwnership of the file");
    let (_, findings) = lamp.try_read(Strictness::Lenient).unwrap();
    assert!(
        findings
            .0
            .iter()
            .any(|finding| finding.severity == Severity::Warning && finding.found.as_deref() == Some("\"The lamp must be warm\""))
    );
}

#[test]
fn a_reviewed_sentence_explains_or_is_vouched_for() {
    let mut lamp = Lamp::new();
    lamp.replace("cuImportExternalMemoryLamp", "Ownership of the file", "The lamp must be warm.\nOwnership of the file");
    let key = format!("cuImportExternalMemoryLamp #{}", crate::rules::sentence::hash("The lamp must be warm"));
    lamp.reviewed = format!(
        "{}[[attested]]\nsentence = \"{key}\"\nobject = \"warm: lamp\"\nfields = [\"desc\"]\nerror = \"CUDA_ERROR_COLD\"\n",
        lamp.reviewed
    );
    let read = lamp.read();
    let rule = read.rule("cuda/cuImportExternalMemoryLamp/FD/desc-warm");
    assert_eq!((rule.predicate.to_string().as_str(), rule.error.as_deref()), ("attested(warm: lamp)", Some("CUDA_ERROR_COLD")));
    lamp.reviewed = lamp.reviewed.replace("\"desc\"", "\"nothing\"");
    assert!(lamp.only_error().wanted.as_ref().unwrap().contains("`nothing`"));
}

#[test]
fn a_disagreement_on_null_pointers_is_settled_by_the_overlay_only() {
    let mut lamp = Lamp::new();
    // The function now demands a handle, the member's comment still lets a name stand for it.
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "then exactly one of\n::CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle and ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::name must not be NULL.",
        "then\n::CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle must be non-NULL.",
    );
    let finding = lamp.only_error();
    assert!(finding.what.contains("`CUDA_EXTERNAL_LAMP_DESC/WIN32/null`"), "{finding}");
    let settle = |lamp: &Lamp, value: &str| {
        let mut lamp = lamp.clone();
        lamp.decide("statement", "CUDA_EXTERNAL_LAMP_DESC/WIN32/null", &format!("\"{value}\""));
        lamp.read()
    };
    let rule = settle(&lamp, "fields").rule("cuda/CUDA_EXTERNAL_LAMP_DESC/WIN32/exactly-one").clone();
    assert_eq!((rule.origin, rule.reason.as_deref()), (Origin::Stated, Some("because")));
    assert_eq!(rule.source.unwrap().symbol, "CUDA_EXTERNAL_LAMP_DESC::handle::win32");
    let read = settle(&lamp, "function");
    assert_eq!(read.rule("cuda/CUDA_EXTERNAL_LAMP_DESC/WIN32/handle-non-null").origin, Origin::Stated);
}

#[test]
fn a_handle_type_missing_from_a_members_list_is_a_disagreement() {
    let mut lamp = Lamp::new();
    lamp.replace("CUDA_EXTERNAL_LAMP_DESC::handle::win32", "- ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT\nExactly", "Exactly");
    let finding = lamp.only_error();
    assert!(finding.what.contains("`CUDA_EXTERNAL_LAMP_DESC/KMT/member`"), "{finding}");
    assert!(finding.found.as_ref().unwrap().contains("no member in the fields'"), "{finding}");
    lamp.decide("statement", "CUDA_EXTERNAL_LAMP_DESC/KMT/member", "\"function\"");
    assert_eq!(lamp.read().row("CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT").members.len(), 2);
}

#[test]
fn a_paragraph_without_its_opening_words_is_settled_by_the_overlay_only() {
    let mut lamp = Lamp::new();
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "If ::CUDA_EXTERNAL_LAMP_DESC::type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT,",
        "::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT,",
    );
    let (_, findings) = lamp.try_read(Strictness::Lenient).unwrap();
    assert!(
        findings.to_string().contains("`opening-words` for `cuImportExternalMemoryLamp/CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT`"),
        "{findings}"
    );
    lamp.decide(
        "opening-words",
        "cuImportExternalMemoryLamp/CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT",
        "\"CUDA_EXTERNAL_LAMP_DESC::type\"",
    );
    assert_eq!(lamp.read().rule("cuda/CUDA_EXTERNAL_LAMP_DESC/KMT/name-null").origin, Origin::Stated);
}

#[test]
fn a_member_spelled_in_another_way_is_settled_by_the_overlay_only() {
    let mut lamp = Lamp::new();
    lamp.replace("cuImportExternalMemoryLamp", "    int fd;", "    int FD;");
    let finding = lamp.only_error();
    assert_eq!(finding.found.as_deref(), Some("`handle::FD`"));
    assert_eq!(finding.place.as_ref().unwrap().line(), lamp.line_of("int FD;"));
    lamp.decide("doc-reference", "CUDA_EXTERNAL_LAMP_DESC::handle::FD", "\"CUDA_EXTERNAL_LAMP_DESC::handle::fd\"");
    lamp.read();
}

#[test]
fn a_value_that_a_comment_gives_otherwise_than_the_header_is_an_error() {
    let mut lamp = Lamp::new();
    lamp.replace("cuImportExternalMemoryLamp", "CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT = 3", "CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT = 5");
    assert_eq!(lamp.only_error().found.as_deref(), Some("`CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT` = `5`"));
}

#[test]
fn of_who_owns_a_handle_nobody_may_be_silent() {
    let mut lamp = Lamp::new();
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "Ownership of the file descriptor is transferred to the CUDA driver when the handle is imported successfully.",
        "",
    );
    assert!(lamp.only_error().what.contains("nobody says who owns a handle of type `CU_EXTERNAL_LAMP_HANDLE_TYPE_FD`"));
    lamp.decide("handle-type-column", "CU_EXTERNAL_LAMP_HANDLE_TYPE_FD/owner_on_success", "\"unspecified\"");
    let read = lamp.read();
    let row = read.row("CU_EXTERNAL_LAMP_HANDLE_TYPE_FD");
    assert_eq!((row.owner_on_success, row.owner_on_failure), (Owner::Unspecified, Owner::Unspecified));
}

#[test]
fn rows_say_who_owns_what_and_where() {
    let read = Lamp::new().read();
    let columns = |name: &str| {
        let row = read.row(&format!("CU_EXTERNAL_LAMP_HANDLE_TYPE_{name}"));
        (row.owner_on_success, row.owner_on_failure, row.platform)
    };
    assert_eq!(columns("FD"), (Owner::Driver, Owner::Caller, Platform::Posix));
    assert_eq!(columns("WIN32"), (Owner::Caller, Owner::Caller, Platform::Windows));
    assert_eq!(columns("KMT"), (Owner::None, Owner::None, Platform::Windows));
    let row = read.row("CU_EXTERNAL_LAMP_HANDLE_TYPE_FD");
    assert_eq!(
        (row.payload, row.exported_size, row.record.as_deref()),
        (Payload::None, ExportedSize::Never, Some("CUDA_EXTERNAL_LAMP_DESC_v1"))
    );
    let evidence: Vec<_> = row.evidence.iter().map(|evidence| (evidence.column.as_str(), evidence.origin)).collect();
    assert_eq!(
        evidence,
        [("owner_on_failure", Origin::Derived), ("owner_on_success", Origin::Stated), ("platform", Origin::Derived)]
    );
}

#[test]
fn rows_say_which_flags_must_and_may_be_set() {
    let read = Lamp::new().read();
    let bright = ["CUDA_EXTERNAL_LAMP_BRIGHT".to_owned()];
    let kmt = read.row("CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT");
    assert_eq!((kmt.required_flags.as_slice(), kmt.allowed_flags.as_slice()), (&bright[..], &bright[..]));
    let fd = read.row("CU_EXTERNAL_LAMP_HANDLE_TYPE_FD");
    assert_eq!((fd.required_flags.as_slice(), fd.allowed_flags.as_slice()), (&[][..], &bright[..]));
    // "flags must be zero" for one type leaves it none.
    let object = read.row("CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT");
    assert_eq!(object.allowed_flags, bright);
    let mut lamp = Lamp::new();
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "::object must be non-NULL.",
        "::object must be non-NULL and ::CUDA_EXTERNAL_LAMP_DESC::flags must be zero.",
    );
    assert!(lamp.read().row("CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT").allowed_flags.is_empty());
}

#[test]
fn our_own_cautions_are_marked_as_ours_and_come_from_the_overlay() {
    let mut lamp = Lamp::new();
    assert!(lamp.read().rules.rules.iter().all(|rule| rule.origin != Origin::Ours));
    lamp.decide("caution", "reserved-zero", "[\"CUDA_EXTERNAL_LAMP_DESC\"]");
    let read = lamp.read();
    let rule = read.rule("cuda/CUDA_EXTERNAL_LAMP_DESC/reserved-zero");
    assert_eq!((rule.origin, rule.reason.as_deref(), rule.source.as_ref()), (Origin::Ours, Some("because"), None));
}

#[test]
fn a_size_that_must_be_specified_is_not_zero_where_the_overlay_says_so() {
    const ID: &str = "cuda/CUDA_EXTERNAL_LAMP_DESC/flags-non-zero";
    let mut lamp = Lamp::new();
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "::object must be non-NULL.",
        "::object must be non-NULL. The size of the memory object must be specified in ::CUDA_EXTERNAL_LAMP_DESC::flags.",
    );
    assert!(lamp.read().rules.rules.iter().all(|rule| rule.id != ID));
    lamp.decide("caution", "specified-size", "[\"CUDA_EXTERNAL_LAMP_DESC\"]");
    let read = lamp.read();
    let rule = read.rule(ID);
    assert_eq!((rule.origin, rule.reason.as_deref(), rule.when.as_slice()), (Origin::Derived, Some("because"), &[][..]));
    let symbol = rule.source.as_ref().map(|source| source.symbol.as_str());
    assert_eq!(symbol, Some("cuImportExternalMemoryLamp"));
}

#[test]
fn no_error_list_is_not_the_empty_list() {
    let mut lamp = Lamp::new();
    let read = lamp.read();
    let list = read.errors("cuImportExternalMemoryLamp");
    let codes: Vec<_> = list.codes.as_ref().unwrap().iter().map(|code| code.code.as_str()).collect();
    assert_eq!((codes.as_slice(), list.earlier_errors), (&["CUDA_SUCCESS", "CUDA_ERROR_COLD"][..], true));
    let list = read.errors("cuLampUndocumented");
    assert_eq!((list.codes.as_ref(), list.earlier_errors, list.source.as_ref()), (None, false, None));
    // `\returns`, and codes without marks, are read as well; a code that does not exist is reported.
    lamp.replace(
        "cuImportExternalMemoryLamp",
        "\\return\n::CUDA_SUCCESS,\n::CUDA_ERROR_COLD",
        "\\returns\nCUDA_SUCCESS,\nCUDA_ERROR_HOT",
    );
    let (rules, findings) = lamp.try_read(Strictness::Strict).unwrap();
    let list = rules.error_lists.iter().find(|list| list.symbol == "cuImportExternalMemoryLamp").unwrap();
    assert_eq!(list.codes.as_ref().unwrap().len(), 1);
    assert!(findings.0.iter().any(|finding| finding.found.as_deref() == Some("`CUDA_ERROR_HOT`")), "{findings}");
}

/// C23
#[test]
fn a_reference_to_nothing_is_listed() {
    let mut lamp = Lamp::new();
    lamp.replace("cuLampTurn", "\\p lamp must", "See ::cuLampNowhere. \\p lamp must");
    let (_, findings) = lamp.try_read(Strictness::Strict).unwrap();
    let found: Vec<_> = findings.0.iter().filter_map(|finding| finding.found.as_deref()).collect();
    assert_eq!(found, ["`cuLampNowhere`"]);
}

#[test]
fn coverage_counts_what_became_of_demands_outside_the_areas() {
    let mut lamp = Lamp::new();
    lamp.replace(
        "cuLampTurn",
        "\\p lamp must",
        "The lamp must shine. \\p lamp must have been created with ::cuLampMake. \\p lamp must",
    );
    let read = lamp.read();
    let coverage = read.rules.coverage["cuLampTurn"];
    assert_eq!((coverage.checkable, coverage.attested, coverage.explained, coverage.unread), (1, 1, 0, 1));
}

#[test]
fn the_same_comments_give_the_same_rules() {
    let (first, second) = (Lamp::new().read(), Lamp::new().read());
    assert_eq!(first.rules.rules, second.rules.rules);
    assert_eq!(first.rules.handle_types, second.rules.handle_types);
}

#[test]
fn ids_are_sorted_and_no_two_rules_share_one() {
    let rules = Lamp::new().read().rules.rules;
    assert!(rules.windows(2).all(|pair| pair[0].id < pair[1].id));
}
