//! The specialised checks of OpenCL's commands for semaphores and external memory say what their tables say. For each rule that a program can
//! check, a call breaks it and nothing else, so that no rule can be left out of a specialised check unnoticed; a rule that is never broken
//! alone, which `company` names, is broken with the fewest others.
//!
//! The calls are all combinations of the counts, pointers and facts that the rules tell apart. Of property lists they have all of up to two
//! properties, whole and cut, those of memory in words of both widths; and with each handle type of memory the flags that rules name, in pairs.
#![cfg(all(feature = "opencl", feature = "rules"))]

mod company;

use core::{
    ffi::c_void,
    ptr::{dangling, dangling_mut, null, null_mut},
    slice,
};
use std::collections::BTreeSet;

use clcu_sys::{
    opencl::*,
    rules::{
        Bytes, Given, Inert, PropertyList, PropertyTable, Record, Rule, Shape, Subject, check, check_waiving, every_rule_holds,
    },
};

use company::{short, wanted};

/// No fact, a type that there is not, and every handle type.
fn facts() -> impl Iterator<Item = Given<'static>> {
    let types = HANDLE_TYPES.iter().filter_map(|row| row.value).chain([0]).map(Some).chain([None]);
    types.map(|semaphore_handle_type| Given { semaphore_handle_type, ..Given::default() })
}

/// The rules that were broken or undecided together in the calls of one command, by their places in the table.
#[derive(Default)]
struct Shown(BTreeSet<Vec<usize>>);

impl Shown {
    /// Compares what the specialised check says with what each rule says. Whether both are sure.
    fn both_say_the_same<R: Inert>(&mut self, arguments: &R, given: &Given<'_>) -> bool {
        // SAFETY: inert arguments are initialised, and no rule follows a pointer.
        let (bytes, quick) = unsafe { (Bytes::of(arguments), R::surely_holds(Bytes::of(arguments), given)) };
        // SAFETY: see above.
        let holds = |rule: &Rule| unsafe { every_rule_holds(slice::from_ref(rule), bytes, given) };
        let rules = R::SUBJECT.rules.iter().enumerate();
        let broken: Vec<_> = rules.filter(|(_, rule)| !holds(rule)).map(|(at, _)| at).collect();
        assert_eq!(quick, broken.is_empty(), "{}: {:?} under {given:?}", R::SUBJECT.name, names(R::SUBJECT, &broken));
        assert_eq!(quick, check_waiving(arguments, given, &[]).is_ok_and(|checked| checked.is_complete()));
        self.0.insert(broken);
        quick
    }

    /// In how many of these places both are sure.
    fn sure<'a, R: Inert>(&mut self, arguments: &R, places: impl IntoIterator<Item = Given<'a>>) -> usize {
        places.into_iter().map(|given| usize::from(self.both_say_the_same(arguments, &given))).sum()
    }

    /// Each rule that a program can check was broken or undecided alone, or where that cannot be, with the fewest others; and a call broke none.
    fn has_each_rule_alone(&self, subject: &Subject) {
        let sets: BTreeSet<Vec<_>> = self.0.iter().map(|set| names(subject, set)).collect();
        assert!(sets.contains(&Vec::new()), "{}: no call is right", subject.name);
        for rule in subject.rules.iter().filter(|rule| rule.is_checkable()) {
            let wanted = wanted(rule);
            assert!(sets.contains(&wanted), "{}: no call breaks just {wanted:?}", subject.name);
            assert!(wanted.len() == 1 || !sets.contains([short(rule.id)].as_slice()), "{}: can be broken alone", rule.id);
        }
    }
}

/// What rules of `subject` say, by their places, in alphabetical order.
fn names(subject: &Subject, places: &[usize]) -> Vec<&'static str> {
    let mut names: Vec<_> = places.iter().map(|at| short(subject.rules[*at].id)).collect();
    names.sort_unstable();
    names
}

macro_rules! enqueues {
    ($($arguments:ident),*) => {$({
        let (mut sure, mut shown) = (0, Shown::default());
        for count in [0, 1, u32::MAX] {
            for sema_payload_list in [null(), dangling()] {
                for events in [0, 1, u32::MAX] {
                    for event_wait_list in [null(), dangling()] {
                        let arguments = $arguments {
                            num_sema_objects: count,
                            sema_payload_list,
                            num_events_in_wait_list: events,
                            event_wait_list,
                        };
                        sure += shown.sure(&arguments, facts());
                    }
                }
            }
        }
        // Two counts of semaphores, three right pairs of events; with payloads under any fact, without under all but two: none, and a fence.
        let facts = facts().count();
        assert_eq!(sure, 2 * 3 * (facts + facts - 2));
        shown.has_each_rule_alone($arguments::SUBJECT);
    })*};
}

#[test]
fn the_specialised_checks_of_signals_waits_and_re_imports_are_their_tables() {
    enqueues!(clEnqueueSignalSemaphoresKHR_arguments, clEnqueueWaitSemaphoresKHR_arguments);
    let fds = [i32::MIN, -2, -1, 0, 1, i32::MAX];
    let of = |fd| clReImportSemaphoreSyncFdKHR_arguments { sema_object: cl_semaphore_khr(dangling_mut()), fd };
    let mut shown = Shown::default();
    // Four descriptors, of a semaphore that came from a sync file.
    assert_eq!(fds.map(of).iter().map(|arguments| shown.sure(arguments, facts())).sum::<usize>(), 4);
    shown.has_each_rule_alone(clReImportSemaphoreSyncFdKHR_arguments::SUBJECT);
}

/// Pieces of a property list: each property with no, one and two values where it takes a list and with two values where not, and a property that
/// no table has.
fn pieces(table: &PropertyTable) -> Vec<Vec<u64>> {
    let mut pieces = vec![vec![0x00BA_D000, 1]];
    for property in table.properties {
        let values: &[&[u64]] = match property.shape {
            Shape::Scalar => &[&[7], &[0]],
            Shape::List { terminator } => {
                pieces.push(vec![property.key, terminator]);
                pieces.push(vec![property.key, 7, 8, terminator]);
                // The last is not ended, or ends with what ends the whole list.
                &[&[7, 0], &[0, 0], &[7]]
            }
        };
        pieces.extend(values.iter().map(|values| [&[property.key], *values].concat()));
    }
    pieces
}

/// Lists of up to two pieces after `first`, each as it is, ended, and cut within its last property.
fn lists(table: &PropertyTable, first: &[u64]) -> Vec<Vec<u64>> {
    let mut pieces = pieces(table);
    pieces.push(Vec::new());
    let mut lists = Vec::new();
    for one in &pieces {
        for other in &pieces {
            let list = [first, one, other].concat();
            lists.push([list.as_slice(), &[0]].concat());
            lists.push(list.split_last().map_or(&[][..], |(_, rest)| rest).to_vec());
            lists.push(list);
        }
    }
    lists
}

/// What is known, or not, of what can be imported: nothing, that nothing can, and that these types can.
fn imports(types: &[u64]) -> [Given<'_>; 3] {
    [None, Some(&[][..]), Some(types)].map(|import_types| Given { import_types, ..Given::default() })
}

/// The same, and what of the devices of the context: the facts that rules of a new semaphore ask for.
fn semaphore_places(types: &[u64]) -> impl Iterator<Item = Given<'_>> {
    let counts = [None, Some(1), Some(2)];
    imports(types).into_iter().flat_map(move |given| counts.map(|context_device_count| Given { context_device_count, ..given }))
}

/// An extension that allows a buffer of no size.
const HARDWARE_BUFFERS: &[&str] = &["cl_khr_external_memory_android_hardware_buffer"];

/// What is known, or not, of imports and extensions: the facts that rules of new memory objects ask for.
fn memory_places(types: &[u64]) -> impl Iterator<Item = Given<'_>> {
    let extensions = [None, Some(&[][..]), Some(HARDWARE_BUFFERS)];
    imports(types).into_iter().flat_map(move |given| extensions.map(|extensions| Given { extensions, ..given }))
}

/// The keys of a table that are handle types.
fn handle_types(table: &PropertyTable) -> Vec<u64> {
    let keys = table.properties.iter().map(|property| property.key);
    keys.filter(|key| HANDLE_TYPES.iter().any(|row| row.value == Some(*key))).collect()
}

#[test]
fn the_specialised_check_of_a_new_semaphore_is_its_table() {
    let table = &PROPERTIES_OF_cl_semaphore_properties_khr;
    let types = handle_types(table);
    let (kind, fd) = (cl_semaphore_properties_khr::CL_SEMAPHORE_TYPE_KHR.0, 0x2058);
    let mut shown = Shown::default();
    let mut create = |list: &[u64]| {
        let arguments = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::new(list) };
        shown.sure(&arguments, semaphore_places(&types))
    };
    let device = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0;
    // A context of one device, whatever can be imported: 3 of 9 places.
    assert_eq!(create(&[kind, 1, 0]), 3);
    assert_eq!(create(&[kind, 1, fd, 7, 0]), 3);
    // For one device of any context: without a handle, and with one that the device is known to import.
    assert_eq!(create(&[kind, 1, device, 7, 0, 0]), 9);
    assert_eq!(create(&[device, 7, 0, kind, 1, fd, 7, 0]), 3);
    for broken in
        [&[][..], &[0], &[kind], &[kind, 1], &[kind, 1, kind, 1, 0], &[kind, 1, device, 0, 0], &[kind, 1, device, 7, 8, 0, 0]]
    {
        assert_eq!(create(broken), 0, "{broken:?}");
    }
    for list in lists(table, &[]).iter().chain(&lists(table, &[kind, 1])) {
        create(list);
    }
    let null = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::NULL };
    assert_eq!(shown.sure(&null, semaphore_places(&types)), 0);
    shown.has_each_rule_alone(clCreateSemaphoreWithPropertiesKHR_arguments::SUBJECT);
}

/// What the calls of both commands that make memory objects have shown.
#[derive(Default)]
struct Memory {
    buffers: Shown,
    images: Shown,
}

impl Memory {
    /// A buffer of no size and of one byte, and an image with and without its format and description.
    fn compare(&mut self, flags: cl_mem_flags, host_ptr: *mut c_void, properties: PropertyList<'_>, given: &Given<'_>) {
        for is_there in [false, true] {
            let arguments = clCreateBufferWithProperties_arguments { flags, size: is_there.into(), host_ptr, properties };
            self.buffers.both_say_the_same(&arguments, given);
            let image_format = if is_there { dangling() } else { null() };
            for image_desc in [null(), dangling()] {
                let arguments = clCreateImageWithProperties_arguments { flags, image_format, image_desc, host_ptr, properties };
                self.images.both_say_the_same(&arguments, given);
            }
        }
    }

    fn each_rule_was_alone(&self) {
        self.buffers.has_each_rule_alone(clCreateBufferWithProperties_arguments::SUBJECT);
        self.images.has_each_rule_alone(clCreateImageWithProperties_arguments::SUBJECT);
    }
}

/// No list, an empty one, one of devices, and each handle type with and without devices.
fn short_lists(types: &[u64]) -> Vec<Vec<u64>> {
    let device = cl_mem_properties::CL_MEM_DEVICE_HANDLE_LIST_KHR.0;
    let handles = types.iter().flat_map(|key| [vec![*key, 7, 0], vec![*key, 7, device, 7, 0, 0]]);
    handles.chain([vec![0], vec![device, 7, 0, 0]]).collect()
}

#[test]
fn the_specialised_checks_of_new_memory_objects_are_their_tables() {
    let table = &PROPERTIES_OF_cl_mem_properties;
    let types = handle_types(table);
    let mut memory = Memory::default();
    // Long lists are about each other: nothing else is wrong, or not known.
    let all = Given { import_types: Some(&types), extensions: Some(HARDWARE_BUFFERS), ..Given::default() };
    for list in &lists(table, &[]) {
        let narrow: Vec<_> = list.iter().map(|word| u32::try_from(*word).unwrap()).collect();
        for (list, given) in [(PropertyList::new(list), &Given::default()), (PropertyList::new(&narrow), &all)] {
            memory.compare(cl_mem_flags::CL_MEM_READ_WRITE, null_mut(), list, given);
        }
    }
    // Short ones are about the other arguments too: two of the flags that rules name, or one, or none.
    let named = [
        cl_mem_flags(0),
        cl_mem_flags::CL_MEM_READ_WRITE,
        cl_mem_flags::CL_MEM_COPY_HOST_PTR,
        cl_mem_flags::CL_MEM_USE_HOST_PTR,
        cl_mem_flags::CL_MEM_ALLOC_HOST_PTR,
        cl_mem_flags::CL_MEM_IMMUTABLE_EXT,
    ];
    let pairs: BTreeSet<_> = named.iter().flat_map(|one| named.map(|other| one.0 | other.0)).collect();
    let short = short_lists(&types);
    for properties in short.iter().map(|list| PropertyList::new(list)).chain([PropertyList::NULL]) {
        for (flags, host_ptr) in pairs.iter().flat_map(|flags| [(*flags, null_mut()), (*flags, dangling_mut())]) {
            for given in memory_places(&types) {
                memory.compare(cl_mem_flags(flags), host_ptr, properties, &given);
            }
        }
    }
    // Devices that can import one type alone.
    for (list, one) in short.iter().flat_map(|list| types.iter().map(move |one| (list, one))) {
        let given = Given { import_types: Some(slice::from_ref(one)), ..all };
        memory.compare(cl_mem_flags::CL_MEM_READ_WRITE, null_mut(), PropertyList::new(list), &given);
    }
    // Each flag that there can be, alone and of memory that nobody writes.
    for flag in (0..u64::BITS).map(|bit| 1 << bit) {
        for flags in [flag, flag | cl_mem_flags::CL_MEM_IMMUTABLE_EXT.0] {
            memory.compare(cl_mem_flags(flags), null_mut(), PropertyList::new(&[types[0], 7, 0]), &all);
        }
    }
    memory.each_rule_was_alone();
}

#[test]
fn a_property_that_is_allowed_and_of_which_nobody_says_what_it_carries_is_looked_at_closer() {
    let list = [cl_mem_properties::CL_MEM_ALLOC_FLAGS_IMG.0, 1, 0];
    let arguments = clCreateBufferWithProperties_arguments {
        flags: cl_mem_flags(0),
        size: 1,
        host_ptr: null_mut(),
        properties: PropertyList::new(&list),
    };
    let given = Given { extensions: Some(&[]), ..Given::default() };
    // SAFETY: inert arguments are initialised, and no rule follows a pointer.
    assert!(!unsafe { clCreateBufferWithProperties_arguments::surely_holds(Bytes::of(&arguments), &given) });
    assert!(check(&arguments, &given).is_ok());
}
