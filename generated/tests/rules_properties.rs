//! Walks over property lists: what they find, and that they never read past the end.
#![cfg(feature = "rules")]
#![allow(non_camel_case_types)] // as generated code has it

use clcu_sys::rules::{Found, Given, MalformedKind, PropertyList, Rule, check, check_waiving, row::*};

clcu_sys::property_table! {
    PROPERTIES = "cl_semaphore_properties_khr" {
        TYPE = 0x203D, "cl_semaphore_type_khr", ["create"];
        EXPORT = 0x203F, "cl_external_semaphore_handle_type_khr" list until 0, ["create"];
        DEVICES = 0x2053, "cl_device_id" list until 0, ["create"];
        OPAQUE_FD = 0x2055, "", ["create"];
        SYNC_FD = 0x2058, "", ["create"];
    }
}

const TYPE: u64 = 0x203D;
const EXPORT: u64 = 0x203F;
const DEVICES: u64 = 0x2053;
const OPAQUE_FD: u64 = 0x2055;
const SYNC_FD: u64 = 0x2058;

clcu_sys::arguments! {
    create_arguments<'a>, "create", RULES_OF_CREATE {
        context: *mut u8 = CONTEXT, "context", Pointer;
    }
    lists {
        list = LIST, "sema_props", PROPERTIES;
    }
}

type R = create_arguments<'static>;
const ON_EXPORT: clcu_sys::rules::Field = property(R::LIST, "sema_props[EXPORT]", EXPORT);
const ON_TYPE: clcu_sys::rules::Field = property(R::LIST, "sema_props[TYPE]", TYPE);
const HANDLES: &[clcu_sys::rules::Named] = clcu_sys::named![OPAQUE_FD, SYNC_FD];

static RULES_OF_CREATE: &[Rule] = &[
    stated("terminated", &[R::LIST], ListTerminated, &[], None, ""),
    stated("export-terminated", &[ON_EXPORT], ListTerminated, &[of(ON_EXPORT, Test::Present)], None, ""),
    stated(
        "known",
        &[R::LIST],
        OnlyProperties(clcu_sys::named![TYPE, EXPORT, DEVICES, OPAQUE_FD, SYNC_FD]),
        &[],
        None,
        "CL_INVALID_PROPERTY",
    ),
    stated("no-duplicate", &[R::LIST], NoDuplicateProperty, &[], None, "CL_INVALID_PROPERTY"),
    stated("one-handle", &[R::LIST], AtMostOneProperty(HANDLES), &[], None, "CL_INVALID_PROPERTY"),
    stated("one-export-type", &[ON_EXPORT], AtMostValues(1), &[], None, "CL_INVALID_VALUE"),
    stated("type", &[R::LIST], MustHaveProperties(clcu_sys::named![TYPE]), &[], None, "CL_INVALID_VALUE"),
    stated("type-value", &[ON_TYPE], OneOf(clcu_sys::named![1]), &[], None, "CL_INVALID_VALUE"),
    stated(
        "devices",
        &[R::LIST],
        MustHaveProperties(clcu_sys::named![DEVICES]),
        &[given(Fact::ContextDeviceCount, Test::Above(constant(name("", 1))))],
        None,
        "CL_INVALID_PROPERTY",
    ),
    stated("import-or-export", &[R::LIST], LacksProperties(HANDLES), &[of(ON_EXPORT, Test::Present)], None, "CL_INVALID_OPERATION"),
    ours("", stated("export-twice", &[ON_EXPORT], NoDuplicates, &[], None, "")),
    ours(
        "",
        stated(
            "some-handle",
            &[R::LIST],
            AnyProperty(clcu_sys::named![EXPORT, OPAQUE_FD, SYNC_FD]),
            &[given(Fact::Extensions, Test::Has(clcu_sys::named![text "only_external"]))],
            None,
            "",
        ),
    ),
    ours(
        "",
        stated(
            "exactly-one-handle",
            &[R::LIST],
            ExactlyOneProperty(HANDLES),
            &[given(Fact::Extensions, Test::Has(clcu_sys::named![text "only_import"]))],
            None,
            "",
        ),
    ),
    stated("not-null", &[R::LIST], NonNull, &[], None, ""),
];

/// A context with one device, and no extension that asks for anything.
const SMALL: Given<'_> = Given {
    context_device_count: Some(1),
    extensions: Some(&[]),
    semaphore_handle_type: None,
    semaphore_type: None,
    semaphore_imported: None,
    semaphore_export_types: None,
    memory_handle_type: None,
    allocation_handle_types: None,
    import_types: None,
    export_types: None,
    platform: None,
    api_version: None,
};

/// The rules that a list breaks, with the codes that they lead to.
fn broken(words: &[u64], given: &Given<'_>) -> Vec<(&'static str, &'static str)> {
    let arguments = create_arguments { context: core::ptr::null_mut(), list: PropertyList::new(words) };
    match check(&arguments, given) {
        Ok(checked) => {
            assert!(checked.is_complete(), "{:?}", checked.not_checked().collect::<Vec<_>>());
            Vec::new()
        }
        Err(violations) => violations.iter().map(|violation| (violation.rule.id, violation.rule.error)).collect(),
    }
}

#[test]
fn a_list_with_what_it_needs_breaks_nothing() {
    assert!(broken(&[TYPE, 1, 0], &SMALL).is_empty());
    assert!(broken(&[TYPE, 1, EXPORT, SYNC_FD, 0, 0], &SMALL).is_empty());
    assert!(broken(&[TYPE, 1, OPAQUE_FD, 7, 0], &SMALL).is_empty());
}

#[test]
fn a_list_property_without_its_terminator_is_named_and_nothing_after_it_is_read() {
    // The word after the slice is one that would end both lists.
    let memory = [TYPE, 1, EXPORT, SYNC_FD, 0, 0];
    let list = PropertyList::new(&memory[..4]);
    let malformed = list.entries(&PROPERTIES).find_map(Result::err).unwrap();
    assert_eq!(malformed.kind, MalformedKind::ListNotTerminated { key: EXPORT, name: "EXPORT" });
    assert_eq!(malformed.to_string(), "list property 0x203F (EXPORT) not terminated");
    assert_eq!(broken(&memory[..4], &SMALL).iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["terminated", "export-terminated"]);
}

#[test]
fn a_list_that_ends_its_inner_list_but_not_itself_is_told_from_one_that_ends_neither() {
    let list = [TYPE, 1, EXPORT, SYNC_FD, 0];
    let malformed = PropertyList::new(&list).entries(&PROPERTIES).find_map(Result::err).unwrap();
    assert_eq!((malformed.at, malformed.kind), (5, MalformedKind::NotTerminated));
    let malformed = PropertyList::new(&[TYPE]).entries(&PROPERTIES).find_map(Result::err).unwrap();
    assert_eq!(malformed.kind, MalformedKind::NoValue { key: TYPE, name: "TYPE" });
    let malformed = PropertyList::new(&[0_u64; 0]).entries(&PROPERTIES).find_map(Result::err).unwrap();
    assert_eq!((malformed.at, malformed.kind), (0, MalformedKind::NotTerminated));
}

#[test]
fn four_mistakes_that_look_alike_have_four_rules_and_their_own_codes() {
    let many = Given { context_device_count: Some(2), ..SMALL };
    assert_eq!(broken(&[TYPE, 1, OPAQUE_FD, 3, SYNC_FD, 4, 0], &SMALL), [("one-handle", "CL_INVALID_PROPERTY")]);
    assert_eq!(broken(&[TYPE, 1, EXPORT, OPAQUE_FD, SYNC_FD, 0, 0], &SMALL), [("one-export-type", "CL_INVALID_VALUE")]);
    assert_eq!(broken(&[0], &SMALL), [("type", "CL_INVALID_VALUE")]);
    assert_eq!(broken(&[TYPE, 1, 0], &many), [("devices", "CL_INVALID_PROPERTY")]);
}

#[test]
fn a_semaphore_that_is_imported_is_not_exported() {
    assert_eq!(broken(&[TYPE, 1, SYNC_FD, 3, EXPORT, SYNC_FD, 0, 0], &SMALL), [("import-or-export", "CL_INVALID_OPERATION")]);
}

#[test]
fn each_demand_on_a_list_is_broken_by_what_it_forbids() {
    assert_eq!(broken(&[TYPE, 1, TYPE, 1, 0], &SMALL), [("no-duplicate", "CL_INVALID_PROPERTY")]);
    assert_eq!(broken(&[TYPE, 1, 0x9999, 1, 0], &SMALL), [("known", "CL_INVALID_PROPERTY")]);
    assert_eq!(broken(&[TYPE, 2, 0], &SMALL), [("type-value", "CL_INVALID_VALUE")]);
    let external = Given { extensions: Some(&["only_external"]), ..SMALL };
    assert_eq!(broken(&[TYPE, 1, 0], &external), [("some-handle", "")]);
    assert!(broken(&[TYPE, 1, SYNC_FD, 0, 0], &external).is_empty());
    let import = Given { extensions: Some(&["only_import"]), ..SMALL };
    assert_eq!(broken(&[TYPE, 1, 0], &import), [("exactly-one-handle", "")]);
    assert!(broken(&[TYPE, 1, SYNC_FD, 0, 0], &import).is_empty());
    let twice = broken(&[TYPE, 1, EXPORT, SYNC_FD, SYNC_FD, 0, 0], &SMALL);
    assert_eq!(twice, [("one-export-type", "CL_INVALID_VALUE"), ("export-twice", "")]);
}

#[test]
fn what_stands_behind_an_unknown_property_is_not_guessed_at() {
    // Whether 0x9999 has a value, or a list of them, nobody knows: TYPE may be a key, or one of its values.
    let arguments = create_arguments { context: core::ptr::null_mut(), list: PropertyList::new(&[0x9999_u64, TYPE, 1, 0]) };
    let given = SMALL;
    let violations = check(&arguments, &given).unwrap_err();
    assert_eq!(violations.iter().map(|violation| violation.rule.id).collect::<Vec<_>>(), ["known"]);
    let checked = check_waiving(&arguments, &given, &["known"]).unwrap();
    assert_eq!(checked.not_checked().map(|undecided| undecided.rule.id).collect::<Vec<_>>(), ["type"]);
}

#[test]
fn null_is_no_list_and_not_an_empty_one() {
    let arguments = create_arguments { context: core::ptr::null_mut(), list: PropertyList::NULL };
    let found = check(&arguments, &SMALL).unwrap_err();
    let found: Vec<_> = found.iter().map(|violation| (violation.rule.id, violation.found)).collect();
    assert_eq!(found, [("type", Found::Property { key: TYPE, times: 0 }), ("not-null", Found::Null)]);
    assert_eq!(PropertyList::NULL.entries(&PROPERTIES).count(), 0);
}

#[test]
fn a_pointer_is_followed_to_the_terminator_and_never_beyond_the_bound() {
    let memory = [TYPE, 1, EXPORT, SYNC_FD, 0, 0, 0x9999];
    // SAFETY: the words are there for as long as the list is used.
    let read = |bound| unsafe { PropertyList::from_raw(memory.as_ptr(), bound, &PROPERTIES) };
    assert_eq!(read(usize::MAX).unwrap().iter().collect::<Vec<_>>(), memory[..6]);
    for bound in 0..6 {
        assert!(read(bound).is_err(), "{bound} words");
    }
    // SAFETY: null is allowed.
    assert!(unsafe { PropertyList::from_raw(core::ptr::null::<u64>(), 9, &PROPERTIES) }.unwrap().is_null());
}

#[test]
fn words_of_32_bits_are_read_as_such() {
    let entries: Vec<_> = PropertyList::new(&[0x203D_u32, 1, 0]).entries(&PROPERTIES).map(Result::unwrap).collect();
    assert_eq!((entries.len(), entries[0].key, entries[0].values.first()), (1, TYPE, Some(1)));
}
