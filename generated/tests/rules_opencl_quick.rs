//! The specialised checks of OpenCL's commands say what their tables say, for every combination of arguments and facts that rules tell apart.
#![cfg(all(feature = "opencl", feature = "rules"))]

use core::ptr::{dangling, dangling_mut, null, null_mut};

use clcu_sys::{
    opencl::*,
    rules::{Bytes, Given, Inert, PropertyList, PropertyTable, Record, Shape, check, check_waiving, every_rule_holds},
};

/// No fact, a type that there is not, and every handle type.
fn facts() -> impl Iterator<Item = Given<'static>> {
    let types = HANDLE_TYPES.iter().filter_map(|row| row.value).chain([0]).map(Some).chain([None]);
    types.map(|semaphore_handle_type| Given { semaphore_handle_type, ..Given::default() })
}

/// How often the check was sure.
fn both_say_the_same<R: Inert>(arguments: &R) -> usize {
    both_say_the_same_given(arguments, facts())
}

fn both_say_the_same_given<'a, R: Inert>(arguments: &R, facts: impl Iterator<Item = Given<'a>>) -> usize {
    let mut sure = 0;
    for given in facts {
        let bytes = |arguments: &R| {
            // SAFETY: inert arguments are initialised, and no rule follows a pointer.
            unsafe {
                let bytes = Bytes::of(arguments);
                (R::surely_holds(bytes, &given), every_rule_holds(R::SUBJECT.rules, bytes, &given))
            }
        };
        let (quick, walk) = bytes(arguments);
        assert_eq!(quick, walk, "{}: {given:?}", R::SUBJECT.name);
        assert_eq!(quick, check_waiving(arguments, &given, &[]).is_ok_and(|checked| checked.is_complete()));
        sure += usize::from(quick);
    }
    sure
}

macro_rules! enqueues {
    ($($arguments:ident),*) => {$({
        let mut sure = 0;
        for count in [0, 1, u32::MAX] {
            for sema_payload_list in [null(), dangling()] {
                for events in [0, 1, u32::MAX] {
                    for event_wait_list in [null(), dangling()] {
                        sure += both_say_the_same(&$arguments {
                            num_sema_objects: count,
                            sema_payload_list,
                            num_events_in_wait_list: events,
                            event_wait_list,
                        });
                    }
                }
            }
        }
        // Two counts of semaphores, three right pairs of events; with payloads under any fact, without under all but two: none, and a fence.
        let facts = facts().count();
        assert_eq!(sure, 2 * 3 * (facts + facts - 2));
    })*};
}

#[test]
fn the_specialised_checks_of_signals_waits_and_re_imports_are_their_tables() {
    enqueues!(clEnqueueSignalSemaphoresKHR_arguments, clEnqueueWaitSemaphoresKHR_arguments);
    let fds = [i32::MIN, -2, -1, 0, 1, i32::MAX];
    let of = |fd| clReImportSemaphoreSyncFdKHR_arguments { sema_object: cl_semaphore_khr(dangling_mut()), fd };
    // Four descriptors, of a semaphore that came from a sync file.
    assert_eq!(fds.map(of).iter().map(both_say_the_same).sum::<usize>(), 4);
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

/// What is known, or not, of devices, extensions and what is imported.
fn places(types: &[u64]) -> impl Iterator<Item = Given<'_>> {
    let counts = [None, Some(1), Some(2)].into_iter();
    counts.flat_map(move |context_device_count| {
        [None, Some(&[][..]), Some(types)].into_iter().flat_map(move |import_types| {
            [None, Some(&[][..]), Some(&["cl_khr_external_memory_android_hardware_buffer"][..])]
                .into_iter()
                .map(move |extensions| Given { context_device_count, import_types, extensions, ..Given::default() })
        })
    })
}

/// Those that tell rules of memory apart.
fn memory_places(types: &[u64]) -> impl Iterator<Item = Given<'_>> {
    places(types).filter(|given| given.context_device_count.is_none())
}

#[test]
fn the_specialised_check_of_a_new_semaphore_is_its_table() {
    let table = &PROPERTIES_OF_cl_semaphore_properties_khr;
    let (kind, fd) = (cl_semaphore_properties_khr::CL_SEMAPHORE_TYPE_KHR.0, 0x2058);
    let create = |list: &[u64]| {
        let arguments = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::new(list) };
        both_say_the_same_given(&arguments, places(&[fd]))
    };
    let device = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0;
    // A context of one device, whatever else is known: 9 of 27 places.
    assert_eq!(create(&[kind, 1, 0]), 9);
    assert_eq!(create(&[kind, 1, fd, 7, 0]), 9);
    // For one device of any context: without a handle, and with one that the device is known to import.
    assert_eq!(create(&[kind, 1, device, 7, 0, 0]), 27);
    assert_eq!(create(&[device, 7, 0, kind, 1, fd, 7, 0]), 9);
    for broken in
        [&[][..], &[0], &[kind], &[kind, 1], &[kind, 1, kind, 1, 0], &[kind, 1, device, 0, 0], &[kind, 1, device, 7, 8, 0, 0]]
    {
        assert_eq!(create(broken), 0, "{broken:?}");
    }
    for list in lists(table, &[]).iter().chain(&lists(table, &[kind, 1])) {
        create(list);
    }
    let null = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::NULL };
    assert_eq!(both_say_the_same_given(&null, places(&[])), 0);
}

#[test]
fn the_specialised_checks_of_new_memory_objects_are_their_tables() {
    let table = &PROPERTIES_OF_cl_mem_properties;
    let fd = cl_external_memory_handle_type_khr::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.0.into();
    let fd_list = [fd, 7, 0];
    let lists = lists(table, &[]);
    let lists = lists.iter().map(|list| PropertyList::new(list)).chain([PropertyList::NULL, PropertyList::new(&fd_list)]);
    let flags = [
        cl_mem_flags::CL_MEM_READ_WRITE,
        cl_mem_flags::CL_MEM_COPY_HOST_PTR,
        cl_mem_flags::CL_MEM_IMMUTABLE_EXT,
        cl_mem_flags(1 << 63),
    ];
    let (mut buffers, mut images) = (0, 0);
    for properties in lists {
        // Long lists are about each other; short ones about the other arguments too.
        let flags = if properties.len() > 3 { &flags[..1] } else { &flags };
        for (flags, host_ptr) in flags.iter().flat_map(|flags| [(*flags, null_mut()), (*flags, dangling_mut())]) {
            for is_there in [false, true] {
                let arguments = clCreateBufferWithProperties_arguments { flags, size: is_there.into(), host_ptr, properties };
                buffers += both_say_the_same_given(&arguments, memory_places(&[fd]));
                let (image_format, image_desc) = if is_there { (dangling(), dangling()) } else { (null(), null()) };
                let arguments = clCreateImageWithProperties_arguments { flags, image_format, image_desc, host_ptr, properties };
                images += both_say_the_same_given(&arguments, memory_places(&[fd]));
            }
        }
    }
    assert!(buffers > 0 && images > 0);
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
