//! The events of checked calls: one for each, with command, handle type, result and time; and what a destructor could not report.

use std::os::fd::OwnedFd;

use clcu::cuda::{
    ExternalSemaphore, Options,
    semaphore::{Source, Tracking},
};
use clcu_tests::{listener::Listener, mock};

fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it is there").into()
}

/// A29: whether semaphores do anything is seen in events and counters. B37: what a destructor could not report is an event.
#[test]
fn each_checked_call_is_an_event_and_so_is_what_a_destructor_could_not_report() {
    let Some(driver) = mock::cuda().open("cuda_runtime_events") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || {
        let source = Source::timeline_semaphore_fd(fd()).tracking(Tracking::Shared);
        let semaphore = ExternalSemaphore::import(&current, source).expect("the mock imports it");
        semaphore.wait(&current.default_stream(), 5).expect("the mock waits");
        semaphore.signal(&current.default_stream(), 4).expect("the mock signals");
        driver.mock.set(c"mock_fail_cuDestroyExternalSemaphore", 4);
        drop(semaphore);
    });
    let lines = listener.lines();
    let timeline = "handle_type=\"CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD\"";
    for (command, result) in [
        ("cuImportExternalSemaphore", 0),
        ("cuWaitExternalSemaphoresAsync", 0),
        ("cuSignalExternalSemaphoresAsync", 0),
        ("cuDestroyExternalSemaphore", 4),
    ] {
        let expected = format!("message=call command={command} {timeline} result={result} nanoseconds=");
        assert_eq!(lines.iter().filter(|line| **line == expected).count(), 1, "{expected}: {lines:#?}");
    }
    assert!(
        lines.iter().any(|line| line.starts_with("message=destroyed") && line.contains("waited for 5, highest own signal 4")),
        "{lines:#?}"
    );
    let lost = lines.last().expect("there are events");
    assert!(lost.contains("message=lost what=\"an external semaphore could not be destroyed\""), "{lost}");
    assert!(lost.contains("CUDA_ERROR_DEINITIALIZED (4)"), "{lost}");
}

/// B13: codes are renumbered between major versions, so that their names may be wrong.
#[test]
fn b13_a_driver_of_another_major_version_is_a_warning_when_it_is_opened() {
    let test = "cuda_runtime_events: versions";
    let opened = |version: &str| {
        let mock = mock::cuda().with(version).build(test)?;
        let listener = Listener::default();
        tracing::subscriber::with_default(listener.clone(), || {
            // SAFETY: the file is a mock driver, whose functions have the types of CUDA's.
            unsafe { Options::new().path(&mock.path) }.open().expect("the mock driver can be opened")
        });
        Some(listener.lines())
    };
    let (Some(older), Some(same)) = (opened("DRIVER_VERSION=12040"), opened("DRIVER_VERSION=13000")) else { return };
    assert_eq!(older.len(), 1, "{older:#?}");
    assert!(older[0].contains("bindings of CUDA 13.5, driver for CUDA 12.4") && older[0].contains("renumbered"), "{older:#?}");
    assert_eq!(same, [""; 0]);
}
