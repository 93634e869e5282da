//! The events of checked calls of OpenCL: one for each, with command, handle type, result and time; and what a destructor could not report.

use clcu::opencl::{
    Semaphore,
    semaphore::{Create, Source, SyncFd, Tracking},
};
use clcu_tests::{listener::Listener, scene::Scene};

#[test]
fn each_checked_call_is_an_event_and_so_is_what_a_destructor_could_not_report() {
    let Some(scene) = Scene::new("opencl_runtime_events") else { return };
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || {
        let source = Source::sync_fd(SyncFd::AlreadySignaled).tracking(Tracking::Shared);
        let semaphore = Semaphore::import(&scene.context, source).expect("the mock imports it");
        semaphore.wait(&scene.queue).expect("the mock waits");
        semaphore.reimport(SyncFd::AlreadySignaled).expect("the mock imports it again");
        scene.icd.fail("clReleaseSemaphoreKHR", -5, 0, 1);
        drop(semaphore);
    });
    let lines = listener.lines();
    let sync_fd = "handle_type=\"CL_SEMAPHORE_HANDLE_SYNC_FD_KHR\"";
    for (command, result) in [
        ("clCreateSemaphoreWithPropertiesKHR", 0),
        ("clEnqueueWaitSemaphoresKHR", 0),
        ("clReImportSemaphoreSyncFdKHR", 0),
        ("clReleaseSemaphoreKHR", -5),
    ] {
        let expected = format!("message=call command={command} {sync_fd} result={result} nanoseconds=");
        assert_eq!(lines.iter().filter(|line| **line == expected).count(), 1, "{expected}: {lines:#?}");
    }
    let ended = format!("message=destroyed {sync_fd} stats=own signals: 0, own waits: 1; re-imported: 1");
    assert!(lines.contains(&ended), "{lines:#?}");
    let lost = lines.iter().find(|line| line.starts_with("message=lost")).expect("the release failed");
    assert!(lost.contains("what=\"a semaphore could not be released\"") && lost.contains("CL_OUT_OF_RESOURCES (-5)"), "{lost}");

    // One that was made from no handle says its numbers as well.
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || {
        let create = Create::binary().tracking(Tracking::Shared);
        let semaphore = Semaphore::create(&scene.context, create).expect("the mock makes it");
        semaphore.signal(&scene.queue).expect("the mock signals");
        semaphore.release().expect("the mock releases it");
    });
    assert!(listener.lines().iter().any(|line| line.ends_with("stats=own signals: 1, own waits: 0")), "{:#?}", listener.lines());
}
