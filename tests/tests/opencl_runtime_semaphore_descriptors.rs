//! Ten thousand imports and re-imports that fail leak no descriptor, whatever the platform does with what it was given. A program of its own: it
//! counts the descriptors of its process.

use clcu::opencl::{
    Semaphore,
    semaphore::{Binary, Source, SyncFd},
};
use clcu_tests::scene::{Scene, fence, open_descriptors};

#[test]
fn ten_thousand_failing_imports_leak_no_descriptor_and_close_none_twice() {
    let Some(scene) = Scene::new("opencl_runtime_semaphore_descriptors") else { return };
    let semaphore = Semaphore::import(&scene.context, Source::sync_fd(SyncFd::AlreadySignaled)).expect("the mock imports it");
    semaphore.wait(&scene.queue).expect("the mock waits");
    scene.icd.set(c"mock_quiet", 1);
    let before = open_descriptors();
    let mut came_back = 0;
    for round in 0..10_000 {
        scene.icd.set(c"mock_closes_on_failure", round & 1);
        // Some are refused by the platform, some before it is called.
        let failed = match round % 3 {
            0 => {
                scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -6, 0, 1);
                let source = if round & 2 == 0 { Source::sync_fd(fence(true)) } else { Source::opaque_fd(fence(true)) };
                let failed: Result<Semaphore<Binary>, _> = Semaphore::import(&scene.context, source);
                failed.map(drop)
            }
            1 => {
                scene.icd.fail("clReImportSemaphoreSyncFdKHR", -30, 0, 1);
                semaphore.reimport(fence(true))
            }
            _ => Semaphore::import(&scene.context, Source::sync_fd(fence(true)).device(&scene.devices[0])).and_then(|imported| {
                let refused = imported.reimport(fence(true));
                imported.release().expect("the mock releases it");
                refused
            }),
        };
        came_back += usize::from(failed.expect_err("it fails").into_fd().is_some());
    }
    assert_eq!(came_back, 10_000);
    assert_eq!(open_descriptors(), before);
}
