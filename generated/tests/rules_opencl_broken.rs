//! Each rule of OpenCL's semaphores and external memory that arguments can break, broken by a call made from its row: the checker names
//! that rule, and no other but those that cannot be kept without it. The rules that no argument breaks are listed by name. What arguments break
//! of the commands that make memory objects is in `rules_opencl_broken_memory`.
#![cfg(all(feature = "opencl", feature = "rules"))]

mod company;

use core::ptr::{dangling, dangling_mut, null};

use clcu_sys::{
    opencl::*,
    rules::{
        Condition, Fact, Field, Given, Inert, Kind, Predicate, PropertyList, PropertyTable, Record, Rule, Shape, Subject, Term,
        Test, check,
    },
};

use company::{short, wanted};

const OPAQUE_FD: u64 = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR.0 as u64;
const SYNC_FD: u64 = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0 as u64;
const TYPE: u64 = cl_semaphore_info_khr::CL_SEMAPHORE_TYPE_KHR.0 as u64;
/// No property of any extension.
const UNKNOWN: u64 = 0x7FFF_0001;

/// The commands that import memory.
const NEW_MEMORY: [&str; 2] = ["clCreateBufferWithProperties", "clCreateImageWithProperties"];

/// The commands of the family: those with a semaphore or external memory in their name, and those that import memory.
fn family() -> impl Iterator<Item = &'static Subject> {
    let named = |name: &str| name.contains("Semaphore") || name.contains("ExternalMem");
    RULES.iter().filter(move |subject| named(subject.name) || NEW_MEMORY.contains(&subject.name))
}

fn broken<R: Inert>(arguments: &R, given: &Given<'_>) -> Vec<&'static str> {
    match check(arguments, given) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|violation| short(violation.rule.id)).collect(),
    }
}

/// All handle types of semaphores but those that a condition of `rule` wants to be absent.
fn types_for(rule: &Rule) -> Vec<u64> {
    let lacking = |value: i128| {
        rule.when.iter().any(|condition| match condition {
            Condition::Test(Term::Given(Fact::ImportTypes | Fact::SemaphoreExportTypes), Test::Lacks(names)) => {
                names.iter().any(|name| name.value == value)
            }
            _ => false,
        })
    };
    let rows = HANDLE_TYPES.iter().filter_map(|row| row.value);
    rows.filter(|value| !lacking(i128::from(*value))).collect()
}

/// Facts under which `rule` applies, and all others that hold anyway.
fn given_for<'a>(rule: &Rule, types: &'a [u64], usual: u64) -> Given<'a> {
    let mut given = Given {
        context_device_count: Some(1),
        extensions: Some(&[]),
        import_types: Some(types),
        semaphore_export_types: Some(types),
        semaphore_handle_type: Some(usual),
        ..Given::default()
    };
    for condition in rule.when {
        match condition {
            Condition::Test(Term::Given(Fact::SemaphoreHandleType), Test::In(names)) => {
                given.semaphore_handle_type = names[0].value.try_into().ok();
            }
            Condition::Test(Term::Given(Fact::SemaphoreHandleType), Test::NotIn(names)) => {
                assert!(names.iter().all(|name| name.value != i128::from(OPAQUE_FD)));
                given.semaphore_handle_type = Some(OPAQUE_FD);
            }
            Condition::Test(Term::Given(Fact::ContextDeviceCount), Test::Above(_)) => given.context_device_count = Some(2),
            // What `types` and the list see to.
            Condition::Test(Term::Given(Fact::ImportTypes | Fact::SemaphoreExportTypes), Test::Lacks(_))
            | Condition::Test(Term::Field(_), Test::Present) => {}
            other => panic!("{}: no way to meet {other:?}", rule.id),
        }
    }
    given
}

/// The rules of `R` that a program can check.
fn checkable<R: Inert>() -> impl Iterator<Item = &'static Rule> {
    R::SUBJECT.rules.iter().filter(|rule| rule.is_checkable())
}

fn write<R: Inert>(mut record: R, writes: &[(Field, u64)]) -> R {
    for (field, value) in writes {
        let bytes = value.to_le_bytes();
        assert!(field.size <= bytes.len() && cfg!(target_endian = "little"));
        // SAFETY: the field lies within the record, and it is a number or a pointer that nothing follows.
        unsafe { (&raw mut record).cast::<u8>().add(field.offset).copy_from_nonoverlapping(bytes.as_ptr(), field.size) };
    }
    record
}

/// Values of fields that break `rule`.
fn values(rule: &Rule) -> Vec<Vec<(Field, u64)>> {
    let fields = rule.fields;
    match rule.predicate {
        Predicate::NullIffZero => vec![vec![(fields[0], 64), (fields[1], 0)], vec![(fields[0], 0), (fields[1], 1)]],
        Predicate::NonZero | Predicate::NonNull => vec![vec![(fields[0], 0)]],
        Predicate::FdOrMinusOne => {
            vec![vec![(fields[0], (-2_i64).cast_unsigned())], vec![(fields[0], i64::from(i32::MIN).cast_unsigned())]]
        }
        Predicate::OneOf(_) => vec![vec![(fields[0], UNKNOWN)], vec![(fields[0], 0)]],
        Predicate::NoneOf(names) => names.iter().map(|name| vec![(fields[0], name.value.try_into().unwrap())]).collect(),
        // The facts alone break it.
        Predicate::Forbidden => vec![vec![]],
        other => panic!("{}: no way to break {other}", rule.id),
    }
}

/// Breaks every rule of `R` in the call that `sound` makes, which breaks none. Says which rules it was.
fn each_broken<R: Inert>(sound: impl Fn() -> R, usual: u64) -> &'static str {
    for rule in checkable::<R>() {
        let types = types_for(rule);
        let all = types_for(&Rule { when: &[], ..*rule });
        assert_eq!(broken(&sound(), &given_for(&Rule { when: &[], ..*rule }, &all, usual)), [""; 0]);
        for writes in values(rule) {
            assert_eq!(broken(&write(sound(), &writes), &given_for(rule, &types, usual)), wanted(rule));
        }
    }
    R::SUBJECT.name
}

/// Properties with their values.
type Entries = Vec<(u64, Vec<u64>)>;

/// The words of a list, each property with its terminator where it needs one.
fn words(entries: &Entries, table: &PropertyTable) -> Vec<u64> {
    let mut words = Vec::new();
    for (key, values) in entries {
        words.push(*key);
        words.extend(values);
        if let Some(Shape::List { terminator }) = table.find(*key).map(|property| property.shape) {
            words.push(terminator);
        }
    }
    words.push(0);
    words
}

/// Lists that break `rule`; none for the null pointer.
fn lists(rule: &Rule) -> Vec<Option<Vec<u64>>> {
    let table = &PROPERTIES_OF_cl_semaphore_properties_khr;
    let mut entries: Entries = vec![(TYPE, vec![1])];
    for condition in rule.when {
        if let Condition::Test(Term::Field(Field { kind: Kind::Property(_, key), .. }), Test::Present) = condition {
            entries.push((*key, vec![SYNC_FD]));
        }
    }
    let with = |more: &[(u64, Vec<u64>)]| Some(words(&[&entries[..], more].concat(), table));
    let key_of = |kind: Kind| if let Kind::Property(_, key) = kind { Some(key) } else { None };
    let own = key_of(rule.fields[0].kind);
    let without_own = || entries.iter().filter(|(key, _)| Some(*key) != own).cloned().collect::<Entries>();
    let own_with = |values: Vec<u64>| Some(words(&[&without_own()[..], &[(own.unwrap(), values)]].concat(), table));
    let entry = |name: &clcu_sys::rules::Named| (u64::try_from(name.value).unwrap(), vec![1]);
    let cut = |list: Option<Vec<u64>>, words: usize| list.map(|list| list[..list.len() - words].to_vec());
    match (rule.predicate, own) {
        (Predicate::NonNull, None) => vec![None],
        (Predicate::NonNull, Some(_)) => vec![own_with(vec![])],
        (Predicate::ListTerminated, None) => vec![cut(with(&[]), 1), Some(vec![])],
        (Predicate::ListTerminated, Some(_)) => vec![cut(own_with(vec![SYNC_FD]), 2)],
        (Predicate::NoDuplicateProperty, None) => vec![with(&entries)],
        (Predicate::OnlyProperties(_), None) => vec![with(&[(UNKNOWN, vec![1])])],
        (Predicate::MustHaveProperties(names), None) => {
            let kept = entries.iter().filter(|(key, _)| names.iter().all(|name| name.value != i128::from(*key)));
            vec![Some(words(&kept.cloned().collect(), table))]
        }
        (Predicate::AtMostOneProperty(names), None) => {
            names.windows(2).map(|pair| with(&[entry(&pair[0]), entry(&pair[1])])).collect()
        }
        (Predicate::LacksProperties(names), None) => names.iter().map(|name| with(&[entry(name)])).collect(),
        (Predicate::AtMostValues(count), Some(_)) => vec![own_with((1..=u64::from(count) + 1).collect())],
        (other, _) => panic!("{}: no way to break {other}", rule.id),
    }
}

#[test]
fn each_rule_of_a_list_of_semaphore_properties_is_named_where_it_is_broken() {
    type R = clCreateSemaphoreWithPropertiesKHR_arguments<'static>;
    for rule in checkable::<R>() {
        let types = types_for(rule);
        let given = given_for(rule, &types, OPAQUE_FD);
        for list in lists(rule) {
            let sema_props = list.as_ref().map_or(PropertyList::NULL, |list| PropertyList::new(list));
            let mut found = broken(&clCreateSemaphoreWithPropertiesKHR_arguments { sema_props }, &given);
            found.sort_unstable();
            assert_eq!(found, wanted(rule), "{list:X?}");
        }
    }
}

#[test]
fn each_rule_of_the_other_commands_of_the_family_is_named_alone_where_it_is_broken() {
    let signal = || clEnqueueSignalSemaphoresKHR_arguments {
        num_sema_objects: 1,
        sema_payload_list: dangling(),
        num_events_in_wait_list: 0,
        event_wait_list: null(),
    };
    let wait = || clEnqueueWaitSemaphoresKHR_arguments {
        num_sema_objects: 1,
        sema_payload_list: dangling(),
        num_events_in_wait_list: 0,
        event_wait_list: null(),
    };
    let acquire = || clEnqueueAcquireExternalMemObjectsKHR_arguments {
        num_mem_objects: 1,
        mem_objects: dangling(),
        num_events_in_wait_list: 0,
        event_wait_list: null(),
    };
    let release = || clEnqueueReleaseExternalMemObjectsKHR_arguments {
        num_mem_objects: 1,
        mem_objects: dangling(),
        num_events_in_wait_list: 0,
        event_wait_list: null(),
    };
    let export = || clGetSemaphoreHandleForTypeKHR_arguments {
        handle_type: cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        handle_ptr: dangling_mut(),
    };
    let import = || clReImportSemaphoreSyncFdKHR_arguments { sema_object: cl_semaphore_khr(dangling_mut()), fd: 3 };
    let ask = || clGetSemaphoreInfoKHR_arguments {
        param_name: cl_semaphore_info_khr::CL_SEMAPHORE_TYPE_KHR,
        param_value: dangling_mut(),
    };
    let mut checked = [
        each_broken(signal, OPAQUE_FD),
        each_broken(wait, OPAQUE_FD),
        each_broken(acquire, OPAQUE_FD),
        each_broken(release, OPAQUE_FD),
        each_broken(export, OPAQUE_FD),
        each_broken(import, SYNC_FD),
        each_broken(ask, OPAQUE_FD),
    ]
    .map(|name| name.trim_end_matches("_arguments"));
    checked.sort_unstable();
    // A command that upstream gives rules which a program can check has a line above, or a test of its own.
    let mut with_rules: Vec<_> =
        family().filter(|subject| subject.rules.iter().any(Rule::is_checkable)).map(|subject| subject.name).collect();
    with_rules.retain(|name| *name != "clCreateSemaphoreWithPropertiesKHR" && !NEW_MEMORY.contains(name));
    assert_eq!(checked[..], with_rules);
}

/// Both ways in which upstream says that a driver may run out of something.
const RESOURCES: [&str; 2] = ["OUT_OF_HOST_MEMORY/resources-of-host", "OUT_OF_RESOURCES/resources-of-device"];
/// What is so of the queue, the memory objects and the events that a command is given, and no argument shows.
const OF_MEMORY: &[&str] = &[
    "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/event_wait_list-no-failed-event",
    "INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list",
    "INVALID_COMMAND_QUEUE/command_queue-valid-object",
    "INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context",
    "INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object",
    "INVALID_MEM_OBJECT/mem_objects-imported-memory",
];
/// The same of semaphores.
const OF_SEMAPHORES: &[&str] = &[
    "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/event_wait_list-no-failed-event",
    "INVALID_COMMAND_QUEUE/command_queue+sema_objects-device-in-list",
    "INVALID_COMMAND_QUEUE/command_queue-valid-object",
    "INVALID_COMMAND_QUEUE/sema_objects+command_queue-device-of-context",
    "INVALID_CONTEXT/command_queue+event_wait_list-same-context",
    "INVALID_CONTEXT/command_queue+sema_objects-same-context",
    "INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object",
    "INVALID_SEMAPHORE_KHR/sema_objects-valid-object",
];
const OF_ONE: &[&str] = &["INVALID_SEMAPHORE_KHR/sema_object-valid-object"];
/// The rules of the family that no argument breaks, besides those on resources: whether an object is alive, what it belongs to, what
/// became of an event, sizes that the object decides, and what a device is able to do.
const VOUCHED: [(&str, &[&str]); 12] = [
    (
        "clCreateBufferWithProperties",
        &[
            "INVALID_BUFFER_SIZE/host_ptr-svm-pointer/flags-has-MEM_COPY_HOST_PTR-attested-svm_size-size-clSVMAlloc",
            "INVALID_BUFFER_SIZE/host_ptr-svm-pointer/flags-has-MEM_USE_HOST_PTR-attested-svm_size-size-clSVMAlloc",
            "INVALID_BUFFER_SIZE/size+context-device-limit",
            "INVALID_CONTEXT/context-valid-object",
            "INVALID_DEVICE/context-device-of-context",
            "INVALID_DEVICE/valid-object",
            "INVALID_OPERATION/context-device-extension",
            "INVALID_OPERATION/hardware-buffer-format",
            "INVALID_PROPERTY/properties-valid-property-values",
            "MEM_OBJECT_ALLOCATION_FAILURE/memory",
        ],
    ),
    (
        "clCreateImageWithProperties",
        &[
            "IMAGE_FORMAT_NOT_SUPPORTED/context-device-support",
            "IMAGE_FORMAT_NOT_SUPPORTED/hardware-buffer-format",
            "INVALID_CONTEXT/context-valid-object",
            "INVALID_DEVICE/context-device-of-context",
            "INVALID_DEVICE/valid-object",
            "INVALID_IMAGE_FORMAT_DESCRIPTOR/image_format-valid-values",
            "INVALID_OPERATION/context-device-support",
            "INVALID_PROPERTY/properties-valid-property-values",
            "MEM_OBJECT_ALLOCATION_FAILURE/memory",
        ],
    ),
    (
        "clCreateSemaphoreWithPropertiesKHR",
        &[
            "INVALID_CONTEXT/context-valid-object",
            "INVALID_DEVICE/context-device-of-context",
            "INVALID_DEVICE/valid-object",
            "INVALID_PROPERTY/sema_props-valid-property-values",
        ],
    ),
    ("clEnqueueAcquireExternalMemObjectsKHR", OF_MEMORY),
    ("clEnqueueReleaseExternalMemObjectsKHR", OF_MEMORY),
    ("clEnqueueSignalSemaphoresKHR", OF_SEMAPHORES),
    ("clEnqueueWaitSemaphoresKHR", OF_SEMAPHORES),
    (
        "clGetSemaphoreHandleForTypeKHR",
        &[
            "INVALID_DEVICE/device-valid-object",
            "INVALID_DEVICE/sema_object+device-device-of-context",
            "INVALID_DEVICE/sema_object+device-shareable",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            "INVALID_VALUE/handle_size-exported-handle-size",
        ],
    ),
    ("clGetSemaphoreInfoKHR", &["INVALID_SEMAPHORE_KHR/sema_object-valid-object", "INVALID_VALUE/param_value_size-query-size"]),
    ("clReImportSemaphoreSyncFdKHR", OF_ONE),
    ("clReleaseSemaphoreKHR", OF_ONE),
    ("clRetainSemaphoreKHR", OF_ONE),
];

#[test]
fn the_rules_that_no_argument_breaks_are_these_and_a_check_that_passes_names_them() {
    let unchecked = |subject: &'static Subject| -> Vec<&'static str> {
        subject.rules.iter().filter(|rule| !rule.is_checkable()).map(|rule| short(rule.id)).collect()
    };
    let all = family().map(|subject| (subject.name, unchecked(subject)));
    let listed = VOUCHED.map(|(name, rules)| (name, [rules, &RESOURCES].concat()));
    assert_eq!(all.collect::<Vec<_>>(), listed);

    let devices = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0;
    let list = [TYPE, 1, devices, 64, 0, 0];
    let given = Given { context_device_count: Some(1), import_types: Some(&[]), ..Given::default() };
    let arguments = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::new(&list) };
    let vouched: Vec<_> = check(&arguments, &given).unwrap().vouched().map(|rule| short(rule.id)).collect();
    assert_eq!(vouched, unchecked(clCreateSemaphoreWithPropertiesKHR_arguments::SUBJECT));
}
