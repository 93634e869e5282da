//! What is followed of a semaphore, and what is refused because no other party can make it right.

use clcu::{
    opencl::{
        Error, ImportError, Progress, Semaphore,
        semaphore::{Binary, Create, Initially, Misuse, Source, SyncFd, Tracking},
    },
    sys::opencl::cl_external_semaphore_handle_type_khr as HandleType,
};
use clcu_tests::scene::{Scene, fence, signal_fence};

const SYNC_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
const OPAQUE_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;

fn misuse(result: Result<(), Error>) -> Misuse {
    match result {
        Err(Error::Misuse(misuse)) => misuse,
        other => panic!("{other:?}"),
    }
}

fn misuse_of(result: Result<(), ImportError>) -> Misuse {
    let error = result.expect_err("it is refused");
    let misuse = match error.error() {
        Error::Misuse(misuse) => *misuse,
        other => panic!("{other}"),
    };
    // What was to be imported is still the caller's.
    assert!(error.into_fd().is_some());
    misuse
}

fn sync(scene: &Scene, fd: impl Into<SyncFd>) -> Semaphore<Binary> {
    Semaphore::import(&scene.context, Source::sync_fd(fd).tracking(Tracking::Shared)).expect("the mock imports it")
}

fn exportable(scene: &Scene, handle_type: HandleType, tracking: Tracking) -> Semaphore<Binary> {
    Semaphore::create(&scene.context, Create::binary().exportable(handle_type).tracking(tracking)).expect("the mock makes it")
}

#[test]
fn a18_a_signal_of_what_came_signalled_is_refused_and_a_wait_and_another_file_are_not() {
    let Some(scene) = Scene::new("opencl_runtime_state: a18") else { return };
    let semaphore = sync(&scene, SyncFd::AlreadySignaled);
    let refused = misuse(semaphore.signal(&scene.queue));
    assert!(matches!(refused, Misuse::SignaledTwice { .. }));
    assert!(refused.to_string().contains("signal without an intervening wait"), "{refused}");
    assert_eq!(scene.icd.calls("clEnqueueSignalSemaphoresKHR").len(), 0);
    semaphore.wait(&scene.queue).expect("it is signalled");
    semaphore.reimport(fence(true)).expect("the payload before was waited for");
    semaphore.wait(&scene.queue).expect("there is a payload");
}

#[test]
fn a19_what_is_not_known_raises_no_alarm() {
    let Some(scene) = Scene::new("opencl_runtime_state: a19") else { return };
    // Made here: not signalled, and a wait may come before its signal.
    let made = exportable(&scene, SYNC_FD, Tracking::Shared);
    made.signal(&scene.queue).expect("it is not signalled");
    made.wait(&scene.queue).expect("it is signalled");
    made.wait(&scene.queue).expect("the signal may come later");
    assert!(matches!(misuse(made.wait(&scene.queue)), Misuse::WaitedTwice { .. }));
    made.signal(&scene.queue).expect("for the wait");
    made.signal(&scene.queue).expect("for the next one");
    assert!(matches!(misuse(made.signal(&scene.queue)), Misuse::SignaledTwice { .. }));
    // A file of which nobody knows whether it is signalled: either may come first.
    for first in [Semaphore::<Binary>::signal, Semaphore::<Binary>::wait] {
        first(&sync(&scene, fence(true)), &scene.queue).expect("its state is not known");
    }
    // Shared with another party, which signals and waits unseen.
    let shared = Semaphore::import(&scene.context, Source::opaque_fd(fence(false)).tracking(Tracking::Shared));
    let shared = shared.expect("the mock imports it");
    for _ in 0..3 {
        shared.signal(&scene.queue).expect("the other side may have waited");
    }
    for _ in 0..3 {
        shared.wait(&scene.queue).expect("the other side may signal");
    }
    // Once its handle is out, other code of this process is another party.
    let out = exportable(&scene, SYNC_FD, Tracking::Shared);
    out.signal(&scene.queue).expect("it is not signalled");
    let _ = out.as_raw();
    out.signal(&scene.queue).expect("the other code may have waited");
}

#[test]
fn a23_another_file_before_the_last_one_was_waited_for_is_refused_unless_the_caller_vouches() {
    let Some(scene) = Scene::new("opencl_runtime_state: a23") else { return };
    let semaphore = sync(&scene, SyncFd::AlreadySignaled);
    assert_eq!(misuse_of(semaphore.reimport(fence(true))), Misuse::NotConsumed);
    semaphore.wait(&scene.queue).expect("it is signalled");
    let file = fence(false);
    let ours = file.try_clone().expect("it can be duplicated");
    semaphore.reimport(file).expect("the payload before was waited for");
    assert_eq!(misuse_of(semaphore.reimport(fence(true))), Misuse::NotConsumed);
    // The wait is made, and not done.
    semaphore.wait(&scene.queue).expect("the mock waits");
    assert_eq!(misuse_of(semaphore.reimport(fence(true))), Misuse::Pending { commands: 1 });
    assert_eq!(scene.icd.calls("clReImportSemaphoreSyncFdKHR").len(), 1);
    // SAFETY: the mock leaves commands what they had.
    unsafe { semaphore.reimport_regardless(fence(true)) }.expect("the mock imports it again");
    signal_fence(&ours);
    scene.queue.finish().expect("the mock finishes");
    semaphore.wait(&scene.queue).expect("there is a payload");
    semaphore.reimport(SyncFd::AlreadySignaled).expect("everything is done");
    assert_eq!(semaphore.stats().map(|stats| stats.reimports), Some(3));
}

#[test]
fn a_wait_with_an_event_of_the_callers_own_is_followed_as_well() {
    let Some(scene) = Scene::new("opencl_runtime_state: events") else { return };
    let file = fence(false);
    let ours = file.try_clone().expect("it can be duplicated");
    let semaphore = sync(&scene, file);
    let event = scene.queue.wait_after(&[semaphore.waiting()], &[]).expect("the mock waits");
    assert_eq!(misuse_of(semaphore.reimport(fence(true))), Misuse::Pending { commands: 1 });
    signal_fence(&ours);
    event.wait().expect("it completes");
    assert_eq!(event.progress().ok(), Some(Progress::Complete));
    semaphore.reimport(fence(true)).expect("everything is done");
}

#[test]
fn a25_an_export_by_copy_takes_the_payload_and_one_by_reference_makes_another_party() {
    let Some(scene) = Scene::new("opencl_runtime_state: a25") else { return };
    let device = &scene.devices[0];
    let copied = exportable(&scene, SYNC_FD, Tracking::Shared);
    copied.signal(&scene.queue).expect("it is not signalled");
    assert!(copied.export_sync_fd(device).is_ok());
    copied.signal(&scene.queue).expect("the export took the payload");
    assert!(matches!(misuse(copied.signal(&scene.queue)), Misuse::SignaledTwice { .. }));
    assert_eq!(copied.stats().map(|stats| (stats.signals, stats.waits, stats.exported_copies)), Some((2, 0, 1)));

    let referenced = exportable(&scene, OPAQUE_FD, Tracking::Shared);
    referenced.signal(&scene.queue).expect("it is not signalled");
    assert!(referenced.export_fd(device, OPAQUE_FD).is_ok());
    referenced.signal(&scene.queue).expect("the other party may have waited");
    assert_eq!(referenced.stats().map(|stats| stats.exported_references), Some(1));

    let exclusive = exportable(&scene, OPAQUE_FD, Tracking::Exclusive(Initially::Unsignaled));
    exclusive.signal(&scene.queue).expect("it is not signalled");
    assert!(exclusive.export_fd(device, OPAQUE_FD).is_ok());
    assert!(matches!(misuse(exclusive.signal(&scene.queue)), Misuse::SignaledTwice { .. }));
}

#[test]
fn an_export_by_copy_of_no_payload_is_judged_as_the_wait_that_it_is() {
    let Some(scene) = Scene::new("opencl_runtime_state: export of nothing") else { return };
    let exclusive = exportable(&scene, SYNC_FD, Tracking::Exclusive(Initially::Unsignaled));
    let error = exclusive.export_sync_fd(&scene.devices[0]).expect_err("nothing signalled it");
    assert!(matches!(error, Error::Misuse(Misuse::NeverSignaled { .. })), "{error}");
    assert_eq!(scene.icd.calls("clGetSemaphoreHandleForTypeKHR").len(), 0);
    let shared = exportable(&scene, SYNC_FD, Tracking::Shared);
    shared.wait(&scene.queue).expect("the signal may come later");
    let error = shared.export_sync_fd(&scene.devices[0]).expect_err("the wait before has no signal either");
    assert!(matches!(error, Error::Misuse(Misuse::WaitedTwice { .. })), "{error}");
}

#[test]
fn a_semaphore_that_is_declared_exclusive_is_judged_as_if_nobody_else_had_it() {
    let Some(scene) = Scene::new("opencl_runtime_state: exclusive") else { return };
    let of = |initially| {
        let source = Source::opaque_fd(fence(true)).tracking(Tracking::Exclusive(initially));
        Semaphore::import(&scene.context, source).expect("the mock imports it")
    };
    let signaled = of(Initially::Signaled);
    assert!(matches!(misuse(signaled.signal(&scene.queue)), Misuse::SignaledTwice { .. }));
    signaled.wait(&scene.queue).expect("it is signalled");
    assert!(matches!(misuse(signaled.wait(&scene.queue)), Misuse::NeverSignaled { .. }));
    let unsignaled = of(Initially::Unsignaled);
    assert!(matches!(misuse(unsignaled.wait(&scene.queue)), Misuse::NeverSignaled { .. }));
    unsignaled.signal(&scene.queue).expect("it is not signalled");
    let unknown = of(Initially::Unknown);
    unknown.wait(&scene.queue).expect("its state is not known");
    assert!(matches!(misuse(unknown.wait(&scene.queue)), Misuse::NeverSignaled { .. }));
    // Twice in one call is twice.
    let twice = exportable(&scene, SYNC_FD, Tracking::Shared);
    let refused = scene.queue.signal(&[twice.signaling(), twice.signaling()]);
    assert!(matches!(misuse(refused), Misuse::SignaledTwice { .. }));
}

#[test]
fn a_call_that_the_platform_refuses_counts_for_nothing() {
    let Some(scene) = Scene::new("opencl_runtime_state: refused") else { return };
    let semaphore = exportable(&scene, SYNC_FD, Tracking::Shared);
    scene.icd.fail("clEnqueueSignalSemaphoresKHR", -5, 0, 1);
    assert!(semaphore.signal(&scene.queue).is_err());
    assert_eq!(semaphore.stats().map(|stats| stats.signals), Some(0));
    semaphore.signal(&scene.queue).expect("it is not signalled");
    scene.icd.fail("clGetSemaphoreHandleForTypeKHR", -5, 0, 1);
    assert!(semaphore.export_sync_fd(&scene.devices[0]).is_err());
    assert!(matches!(misuse(semaphore.signal(&scene.queue)), Misuse::SignaledTwice { .. }));
    // What is there after a re-import that failed is not known.
    let synced = sync(&scene, SyncFd::AlreadySignaled);
    synced.wait(&scene.queue).expect("it is signalled");
    scene.icd.fail("clReImportSemaphoreSyncFdKHR", -6, 0, 1);
    assert!(synced.reimport(fence(true)).is_err());
    synced.signal(&scene.queue).expect("its state is not known");
}

#[test]
fn what_is_not_followed_is_neither_counted_nor_refused_nor_asked_for_events() {
    let Some(scene) = Scene::new("opencl_runtime_state: off") else { return };
    let source = Source::sync_fd(SyncFd::AlreadySignaled).tracking(Tracking::Off);
    let semaphore = Semaphore::import(&scene.context, source).expect("the mock imports it");
    assert!(semaphore.stats().is_none());
    semaphore.signal(&scene.queue).expect("it is not followed");
    semaphore.wait(&scene.queue).expect("it is not followed");
    assert!(scene.icd.calls("clEnqueueWaitSemaphoresKHR")[0].contains("event=NULL"));
    // A23: whether commands that use it are still to be done is then not known, and a re-import takes a promise.
    let refused = semaphore.reimport(fence(true)).expect_err("nobody knows what is to be done");
    assert!(matches!(refused.error(), Error::Misuse(Misuse::NotFollowed)), "{refused}");
    assert!(refused.to_string().contains("reimport_regardless"), "{refused}");
    assert_eq!(scene.icd.calls("clReImportSemaphoreSyncFdKHR"), Vec::<String>::new());
    // SAFETY: nothing that uses it is still to be done.
    unsafe { semaphore.reimport_regardless(fence(true)) }.expect("the mock imports it");
    // What can be imported again is followed in every build unless told otherwise.
    assert!(sync(&scene, SyncFd::AlreadySignaled).stats().is_some());
    // By default debug builds follow, and others do not.
    let usual = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    assert_eq!(usual.stats().is_some(), cfg!(debug_assertions));
}

#[test]
fn counters_read_as_a_line() {
    let Some(scene) = Scene::new("opencl_runtime_state: counters") else { return };
    let semaphore = exportable(&scene, SYNC_FD, Tracking::Shared);
    semaphore.signal(&scene.queue).expect("it is not signalled");
    semaphore.wait(&scene.queue).expect("it is signalled");
    semaphore.signal(&scene.queue).expect("it was waited for");
    assert!(semaphore.export_sync_fd(&scene.devices[0]).is_ok());
    let stats = semaphore.stats().expect("it is followed");
    assert_eq!(stats.to_string(), "own signals: 2, own waits: 1; exported by copy: 1");
}
