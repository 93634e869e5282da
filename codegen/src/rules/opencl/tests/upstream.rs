//! Against the specification itself, where it is there.

use std::{collections::BTreeMap, sync::OnceLock};

use crate::{
    finding::{Document, Findings, Strictness},
    import::opencl::text::{
        facts::Condition,
        import,
        tests::upstream::{NEWEST, Upstream},
    },
    model::{HandleKind, Owner, Payload, Permanence, Predicate, Property, Rule, Transference, Value},
    overlay::Overlay,
    rules::opencl::{Class, Reading, Release, Vocabulary, by_sentence, read},
};

fn reading(upstream: &Upstream) -> Reading {
    let release = Release(upstream.name.clone());
    let read = read(&upstream.facts().0, &Vocabulary::of(&upstream.model()), &release, Strictness::Strict);
    read.unwrap_or_else(|findings| panic!("{}: {findings}", upstream.name)).0
}

/// The newest version, if it is there. Read once for all tests.
fn newest(test: &str) -> Option<&'static (Upstream, Reading)> {
    static NEWEST_READING: OnceLock<Option<(Upstream, Reading)>> = OnceLock::new();
    let all = Upstream::all(test);
    let read = || {
        let upstream = all.into_iter().find(|upstream| upstream.name == NEWEST)?;
        let reading = reading(&upstream);
        Some((upstream, reading))
    };
    let newest = NEWEST_READING.get_or_init(read).as_ref();
    if newest.is_none() {
        crate::skipped::skipped(test, &format!("the state `{NEWEST}` of the specification"));
    }
    newest
}

/// `predicate when conditions → code` of every rule of `command` about `field`.
fn about<'a>(reading: &'a Reading, command: &str, field: &str) -> Vec<String> {
    let speaks = |rule: &&'a Rule| rule.subject == command && rule.fields.iter().any(|path| path.as_str() == field);
    let shown = reading.rules.iter().filter(speaks).map(|rule| {
        let when: Vec<String> = rule.when.iter().map(ToString::to_string).collect();
        let when = if when.is_empty() { String::new() } else { format!(" when {}", when.join(" & ")) };
        format!("{}{when} → {}", rule.predicate, rule.error.as_deref().unwrap_or("none"))
    });
    shown.collect()
}

#[test]
fn no_sentence_on_external_memory_and_semaphores_is_unread_in_any_version() {
    for upstream in Upstream::all("no_sentence_on_external_memory_and_semaphores_is_unread_in_any_version") {
        let reading = reading(&upstream);
        let external = reading.coverage.iter().filter(|covered| covered.external && !covered.inherited);
        assert!(external.clone().count() > 100, "{}", upstream.name);
        let unread: Vec<_> = external.filter(|covered| covered.class == Class::Unread).collect();
        assert!(unread.is_empty(), "{}: {unread:?}", upstream.name);
    }
}

#[test]
fn ids_of_rules_are_unique_and_every_path_and_predicate_reads_back() {
    for upstream in Upstream::all("ids_of_rules_are_unique_and_every_path_and_predicate_reads_back") {
        let reading = reading(&upstream);
        assert!(reading.rules.windows(2).all(|pair| pair[0].id < pair[1].id), "{}", upstream.name);
        for rule in &reading.rules {
            assert_eq!(rule.predicate.to_string().parse().as_ref(), Ok(&rule.predicate), "{}", rule.id);
            for condition in &rule.when {
                assert_eq!(condition.to_string().parse().as_ref(), Ok(condition), "{}", rule.id);
            }
        }
    }
}

#[test]
fn four_property_lists_have_four_codes() {
    let Some((_, reading)) = newest("four_property_lists_have_four_codes") else { return };
    let command = "clCreateSemaphoreWithPropertiesKHR";
    let list = about(reading, command, "sema_props");
    let has = |start: &str, code: &str| list.iter().any(|rule| rule.starts_with(start) && rule.ends_with(&format!("→ {code}")));
    assert!(has("at_most_one_property(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR | ", "CL_INVALID_PROPERTY"), "{list:#?}");
    assert!(has("must_have_properties(CL_SEMAPHORE_TYPE_KHR)", "CL_INVALID_VALUE"), "{list:#?}");
    let wanted = "must_have_properties(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR) when given.context_device_count above 1";
    assert!(has(wanted, "CL_INVALID_PROPERTY"), "{list:#?}");
    let exported = about(reading, command, "sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR]");
    assert!(exported.contains(&"at_most_values(1) → CL_INVALID_VALUE".to_owned()), "{exported:#?}");
}

#[test]
fn what_is_imported_is_not_exported() {
    let Some((_, reading)) = newest("what_is_imported_is_not_exported") else { return };
    let list = about(reading, "clCreateSemaphoreWithPropertiesKHR", "sema_props");
    let refused =
        |rule: &&String| rule.starts_with("lacks_properties(CL_SEMAPHORE_HANDLE_") && rule.ends_with("→ CL_INVALID_OPERATION");
    let found: Vec<_> = list.iter().filter(refused).collect();
    assert_eq!(found.len(), 1, "{list:#?}");
    assert!(found[0].contains("when sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR] present"), "{found:?}");
}

#[test]
fn lists_within_property_lists_need_their_terminators() {
    let Some((_, reading)) = newest("lists_within_property_lists_need_their_terminators") else { return };
    let lists: Vec<(&str, &str)> = reading
        .properties
        .iter()
        .filter(|property| property.command == "clCreateSemaphoreWithPropertiesKHR")
        .filter_map(|property| Some((property.name.as_str(), property.terminator.as_deref()?)))
        .collect();
    let wanted = [
        ("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR"),
        ("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR"),
    ];
    assert_eq!(lists, wanted);
    let required: Vec<&Property> = reading.properties.iter().filter(|property| property.required).collect();
    assert_eq!(required.iter().map(|property| property.name.as_str()).collect::<Vec<_>>(), ["CL_SEMAPHORE_TYPE_KHR"]);
    let rules = about(reading, "clCreateSemaphoreWithPropertiesKHR", "sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR]");
    assert!(rules.iter().any(|rule| rule.starts_with("list_terminated")), "{rules:#?}");
}

#[test]
fn re_import_takes_semaphores_of_sync_files_and_minus_one() {
    let Some((_, reading)) = newest("re_import_takes_semaphores_of_sync_files_and_minus_one") else { return };
    let command = "clReImportSemaphoreSyncFdKHR";
    let wanted = "forbidden when given.semaphore_handle_type not_in CL_SEMAPHORE_HANDLE_SYNC_FD_KHR → CL_INVALID_SEMAPHORE_KHR";
    assert!(about(reading, command, "sema_object").contains(&wanted.to_owned()));
    assert_eq!(about(reading, command, "fd"), ["fd_or_minus_one → CL_INVALID_VALUE"]);
    let list = reading.error_lists.iter().find(|list| list.symbol == command).and_then(|list| list.codes.as_ref());
    let codes: Vec<&str> = list.expect("it has a list").iter().map(|code| code.code.as_str()).collect();
    assert_eq!(codes, ["CL_INVALID_SEMAPHORE_KHR", "CL_INVALID_VALUE", "CL_OUT_OF_HOST_MEMORY", "CL_OUT_OF_RESOURCES"]);
}

#[test]
fn a_payload_is_mandatory_for_semaphores_of_direct3d_fences() {
    let Some((_, reading)) = newest("a_payload_is_mandatory_for_semaphores_of_direct3d_fences") else { return };
    for command in ["clEnqueueWaitSemaphoresKHR", "clEnqueueSignalSemaphoresKHR"] {
        let wanted = "non_null when given.semaphore_handle_type in CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR → CL_INVALID_VALUE";
        assert_eq!(about(reading, command, "sema_payload_list"), [wanted], "{command}");
        let wait_list = about(reading, command, "num_events_in_wait_list");
        assert_eq!(wait_list, ["null_iff_zero → CL_INVALID_EVENT_WAIT_LIST"], "{command}");
    }
}

#[test]
fn an_image_of_a_hardware_buffer_has_no_format_of_its_own() {
    let Some((_, reading)) = newest("an_image_of_a_hardware_buffer_has_no_format_of_its_own") else { return };
    let rules = about(reading, "clCreateImageWithProperties", "image_format");
    let buffer = "properties[CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR]";
    for wanted in [format!("null when {buffer} present"), format!("non_null when {buffer} absent")] {
        assert!(rules.iter().any(|rule| rule.starts_with(&wanted)), "{wanted}: {rules:#?}");
    }
}

#[test]
fn every_handle_type_of_the_registry_has_a_row_as_the_text_has_it() {
    let Some((upstream, reading)) = newest("every_handle_type_of_the_registry_has_a_row_as_the_text_has_it") else { return };
    let rows: BTreeMap<&str, _> = reading
        .handle_types
        .iter()
        .map(|row| (row.name.as_str(), (row.transference, row.permanence, row.owner_on_success, row.payload)))
        .collect();
    let is_type = |name: &&String| name.starts_with("CL_SEMAPHORE_HANDLE_") || name.starts_with("CL_EXTERNAL_MEMORY_HANDLE_");
    let known = upstream.known();
    assert_eq!(rows.keys().copied().collect::<Vec<_>>(), known.constants.iter().filter(is_type).collect::<Vec<_>>());
    let memory = |owner| (Transference::Unspecified, Permanence::Unspecified, owner, Payload::None);
    let semaphore = |owner, payload| (Transference::Reference, Permanence::Unspecified, owner, payload);
    let wanted = [
        ("CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR", memory(Owner::Caller)),
        ("CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR", memory(Owner::Driver)),
        ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR", memory(Owner::Driver)),
        ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR", memory(Owner::Caller)),
        ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR", memory(Owner::None)),
        ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR", memory(Owner::Caller)),
        ("CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR", semaphore(Owner::Caller, Payload::Fence)),
        ("CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", semaphore(Owner::Driver, Payload::Unspecified)),
        ("CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR", semaphore(Owner::Caller, Payload::Unspecified)),
        ("CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR", semaphore(Owner::None, Payload::Unspecified)),
        ("CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR", semaphore(Owner::Caller, Payload::Unspecified)),
        ("CL_SEMAPHORE_HANDLE_SYNC_FD_KHR", (Transference::Copy, Permanence::Temporary, Owner::Driver, Payload::Unspecified)),
    ];
    assert_eq!(rows.into_iter().collect::<Vec<_>>(), wanted);
    for row in &reading.handle_types {
        assert_eq!(row.owner_on_failure, Owner::Unspecified, "{}", row.name);
        assert_eq!(row.special_value.is_some(), row.short == "SYNC_FD", "{}", row.name);
        let query = match row.kind {
            HandleKind::Memory => "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR",
            _ => "CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR",
        };
        assert_eq!(row.capability_query.as_deref(), Some(query), "{}", row.name);
    }
    let sync = reading.handle_types.iter().find(|row| row.short == "SYNC_FD").and_then(|row| row.special_value);
    assert_eq!(sync, Some(Value::Decimal(-1)));
}

/// A sentence that is taken for more than it says would forbid calls that are well.
#[test]
fn nothing_is_forbidden_by_its_conditions_alone_but_re_import() {
    let Some((_, reading)) = newest("nothing_is_forbidden_by_its_conditions_alone_but_re_import") else { return };
    let forbidden: Vec<&str> =
        reading.rules.iter().filter(|rule| rule.predicate == Predicate::Forbidden).map(|rule| rule.subject.as_str()).collect();
    assert_eq!(forbidden, ["clReImportSemaphoreSyncFdKHR"]);
}

#[test]
fn conditions_that_newer_devices_do_not_have_do_not_hold_of_all() {
    let Some((_, reading)) = newest("conditions_that_newer_devices_do_not_have_do_not_hold_of_all") else { return };
    let offset = about(reading, "clEnqueueNDRangeKernel", "global_work_offset");
    assert_eq!(offset, ["null when attested(version_below: 1.1) → CL_INVALID_GLOBAL_OFFSET"]);
}

#[test]
fn rows_get_the_values_of_the_registry() {
    let Some((upstream, reading)) = newest("rows_get_the_values_of_the_registry") else { return };
    let mut model = upstream.model();
    let findings = reading.clone().apply(&mut model, &Overlay::empty());
    assert_eq!(findings.to_string(), "");
    let row = model.handle_types.iter().find(|row| row.name == "CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR").expect("it has a row");
    assert_eq!(row.value, Some(Value::Hex(0x2068)));
    assert_eq!(model.error_lists.len(), model.commands.len());
}

/// How many sentences stand under `condition`: counted from the facts, so that none can get lost on the way to a class.
fn sentences(condition: &Condition) -> usize {
    condition.prose.sentences().len() + condition.children.iter().map(sentences).sum::<usize>()
}

#[test]
fn no_more_sentences_are_unread_than_were() {
    let Some((upstream, reading)) = newest("no_more_sentences_are_unread_than_were") else { return };
    let mut classes = [0; 4];
    for class in by_sentence(&reading.coverage).into_values() {
        classes[class as usize] += 1;
    }
    println!("checkable, partly, attested, unread: {classes:?}; rules: {}", reading.rules.len());
    assert!(classes[Class::Unread as usize] <= 275, "{classes:?}");
    let facts = upstream.facts().0;
    let all: usize = facts.lists.iter().flat_map(|list| &list.entries).map(|entry| sentences(&entry.condition)).sum();
    let seen: usize = classes.iter().sum();
    assert!(seen <= all, "{seen} of {all}");
    println!("sentences: {all}, seen {seen}");
}

/// The newest text with one sentence changed.
fn changed(upstream: &Upstream, from: &str, to: &str) -> Findings {
    let change = |document: &Document| Document::new(document.name(), &document.text().replace(from, to));
    let documents: Vec<Document> = upstream.documents().iter().map(change).collect();
    let facts = import(&documents, Strictness::Strict).expect("the change is to a sentence").0;
    let release = Release(upstream.name.clone());
    read(&facts, &Vocabulary::of(&upstream.model()), &release, Strictness::Strict).expect_err("a changed word is not understood")
}

#[test]
fn a_changed_word_fails_the_import_and_not_the_table() {
    let Some((upstream, _)) = newest("a_changed_word_fails_the_import_and_not_the_table") else { return };
    for (from, to) in [
        ("was not imported when _sema_object_", "was seldom imported when _sema_object_"),
        ("external\n    semaphore handle.", "external\n    semaphore handles at once."),
        ("transfers ownership of\nthe file descriptor", "lends\nthe file descriptor"),
    ] {
        let said = changed(upstream, from, to).to_string();
        assert!(said.contains("not understood"), "`{from}`: {said}");
    }
}
