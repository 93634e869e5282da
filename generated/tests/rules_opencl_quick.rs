//! The specialised checks of OpenCL's commands say what their tables say, for every combination of arguments and facts that rules tell apart.
#![cfg(all(feature = "opencl", feature = "rules"))]

use core::ptr::{dangling, dangling_mut, null};

use clcu_sys::{
    opencl::*,
    rules::{Bytes, Given, Inert, check_waiving, every_rule_holds},
};

/// No fact, a type that there is not, and every handle type.
fn facts() -> impl Iterator<Item = Given<'static>> {
    let types = HANDLE_TYPES.iter().filter_map(|row| row.value).chain([0]).map(Some).chain([None]);
    types.map(|semaphore_handle_type| Given { semaphore_handle_type, ..Given::default() })
}

/// How often the check was sure.
fn both_say_the_same<R: Inert>(arguments: &R) -> usize {
    let mut sure = 0;
    for given in facts() {
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
