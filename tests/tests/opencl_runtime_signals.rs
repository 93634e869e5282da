//! Signals and waits of OpenCL's semaphores on the mock platform: what order they arrive in, which payloads and events go with them, and which
//! are refused before they are sent.

use clcu::{
    opencl::{
        Context, Progress, Queue, Semaphore,
        semaphore::{Binary, Create, Fence, Source, Tracking},
    },
    sys::opencl::cl_external_semaphore_handle_type_khr as HandleType,
};
use clcu_tests::{
    icd::Kind,
    scene::{Scene, codes, fence, ids, signal_fence},
};

#[test]
fn several_are_signalled_and_waited_for_by_one_call_with_payloads_where_one_needs_them() {
    let Some(scene) = Scene::new("opencl_runtime_signals: several") else { return };
    let binary = || Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let (one, two) = (binary(), binary());
    scene.queue.signal(&[one.signaling(), two.signaling()]).expect("the mock signals");
    let calls = scene.icd.calls("clEnqueueSignalSemaphoresKHR");
    assert_eq!(calls.len(), 1);
    assert!(calls[0].contains("sema_payload_list=NULL"), "{calls:?}");
    // A fence beside a binary semaphore: the binary one gets a value that nobody reads.
    let fence = fence_of(&scene);
    scene.queue.wait(&[one.waiting(), fence.waiting(7)]).expect("the mock waits");
    assert!(scene.icd.calls("clEnqueueWaitSemaphoresKHR")[0].contains("sema_payload_list=[0x0, 0x7]"));
    fence.signal(&scene.queue, 8).expect("the mock signals");
    assert!(scene.icd.calls("clEnqueueSignalSemaphoresKHR")[1].contains("sema_payload_list=[0x8]"));
    assert_eq!(fence.stats().map(|stats| (stats.highest_wait, stats.highest_signal)), Some((Some(7), Some(8))));
    let none = scene.queue.signal(&[]).expect_err("upstream wants one");
    assert_eq!(ids(&none), ["opencl/clEnqueueSignalSemaphoresKHR/INVALID_VALUE/num_sema_objects-non-zero"]);
}

/// More than the runtime keeps on the stack.
#[test]
fn many_semaphores_and_events_arrive_in_their_order() {
    let Some(scene) = Scene::new("opencl_runtime_signals: many at once") else { return };
    let make = |_| Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let semaphores: Vec<_> = (0..20).map(make).collect();
    let events: Vec<_> = (0..20).map(|_| scene.user_event()).collect();
    for count in [2, 8, 9, 20] {
        let signals: Vec<_> = semaphores.iter().take(count).map(Semaphore::<Binary>::signaling).collect();
        let waits: Vec<_> = semaphores.iter().take(count).map(Semaphore::<Binary>::waiting).collect();
        let after: Vec<_> = events.iter().take(count).collect();
        scene.icd.clear_journal();
        scene.queue.signal_after(&signals, &after).expect("the mock signals");
        scene.queue.wait(&waits).expect("the mock waits");
        let call = &scene.icd.calls("clEnqueueSignalSemaphoresKHR")[0];
        let names = |what: &str| (1..=count).map(|number| format!("{what}{number}")).collect::<Vec<_>>().join(", ");
        assert!(call.contains(&format!("sema_objects=[{}], sema_payload_list=NULL", names("semaphore"))), "{call}");
        assert!(call.contains(&format!("event_wait_list=[{}]", names("event"))), "{call}");
    }
    // With a payload for one of them there is one for each.
    let fence = fence_of(&scene);
    let waits: Vec<_> = semaphores.iter().take(9).map(Semaphore::<Binary>::signaling).collect();
    scene.queue.signal(&waits).expect("the mock signals");
    let mut waits: Vec<_> = semaphores.iter().take(9).map(Semaphore::<Binary>::waiting).collect();
    waits.push(fence.waiting(7));
    scene.queue.wait(&waits).expect("the mock waits");
    let calls = scene.icd.calls("clEnqueueWaitSemaphoresKHR");
    let call = calls.last().expect("it was called");
    assert!(call.contains(&format!("sema_payload_list=[{}0x7]", "0x0, ".repeat(9))), "{call}");
}

/// An event that failed ends what waits for it: the platform's code names the rule, in each of the commands that take a wait list.
#[test]
fn a_failed_event_in_a_wait_list_names_its_rule() {
    let Some(scene) = Scene::new("opencl_runtime_signals: failed events") else { return };
    let semaphore = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let failed = scene.user_event();
    scene.set_status(&failed, -5).expect("the mock takes the status");
    let error = scene.queue.signal_after(&[semaphore.signaling()], &[&failed]).expect_err("the event failed");
    let text = error.to_string();
    assert!(text.contains("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14)"), "{text}");
    assert!(text.contains("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/event_wait_list-no-failed-event"), "{text}");
    semaphore.signal(&scene.queue).expect("it was not signalled");
    let error = scene.queue.wait_after(&[semaphore.waiting()], &[&failed]).expect_err("the event failed").to_string();
    assert!(error.contains("clEnqueueWaitSemaphoresKHR") && error.contains("event_wait_list-no-failed-event"), "{error}");
}

/// A semaphore of a type that does not exist on this system, made behind the back of the runtime.
fn fence_of(scene: &Scene) -> Semaphore<Fence> {
    let words = [0x203D, 1, 0x2059, 0xF00, 0];
    let place = clcu::opencl::checked::Place { context: scene.context.as_raw(), devices: &[], import_types: None };
    // SAFETY: the context is alive; the mock follows no handle of Windows.
    let handle = unsafe { clcu::opencl::checked::create_semaphore(&scene.platform, place, Some(&words), &[]) };
    let handle = handle.expect("the mock makes it");
    let handle_type = Some(HandleType::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR);
    // SAFETY: it was just made so, and nobody else has it.
    unsafe { Semaphore::from_raw(&scene.context, handle, handle_type, Tracking::Shared) }.expect("it carries a fence")
}

#[test]
fn events_order_signals_and_waits_and_come_out_of_them() {
    let Some(scene) = Scene::new("opencl_runtime_signals: events") else { return };
    let semaphore = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let user = scene.user_event();
    let signaled = scene.queue.signal_after(&[semaphore.signaling()], &[&user]).expect("the mock signals");
    scene.set_status(&user, 0).expect("the mock completes it");
    let first = scene.queue.wait_after(&[semaphore.waiting()], &[&signaled, &user]).expect("the mock waits");
    first.wait().expect("it completes");
    assert_eq!(first.progress().ok(), Some(Progress::Complete));
    let call = &scene.icd.calls("clEnqueueWaitSemaphoresKHR")[0];
    assert!(call.contains("event_wait_list=[event2, event1], event=wanted"), "{call}");
    // A wait for a file is done when the file is signalled.
    let file = fence(false);
    let ours = file.try_clone().expect("it can be duplicated");
    let synced = Semaphore::import(&scene.context, Source::sync_fd(file)).expect("the mock imports it");
    let waited = scene.queue.wait_after(&[synced.waiting()], &[]).expect("the mock waits");
    assert!(matches!(waited.progress(), Ok(Progress::Pending(_))), "{:?}", waited.progress());
    signal_fence(&ours);
    waited.wait().expect("it completes");
    drop((signaled, first, waited, user, synced, semaphore));
    assert_eq!((scene.icd.alive(Kind::Event), scene.icd.alive(Kind::Semaphore)), (0, 0));
}

#[test]
fn objects_of_two_contexts_are_not_used_together() {
    let Some(scene) = Scene::new("opencl_runtime_signals: two contexts") else { return };
    let (_, other, queue) = Scene::of(&scene.platform);
    let semaphore = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let error = semaphore.signal(&queue).expect_err("the queue is of another context");
    assert_eq!(ids(&error), ["opencl/clEnqueueSignalSemaphoresKHR/INVALID_CONTEXT/command_queue+sema_objects-same-context"]);
    assert_eq!(codes(&error), ["CL_INVALID_CONTEXT"]);
    let event = scene.user_event();
    let theirs = Semaphore::create(&other, Create::binary()).expect("the mock makes it");
    let error = queue.wait_after(&[theirs.waiting()], &[&event]).expect_err("the event is of another context");
    assert_eq!(ids(&error), ["opencl/clEnqueueWaitSemaphoresKHR/INVALID_CONTEXT/command_queue+event_wait_list-same-context"]);
    assert_eq!(scene.icd.calls("clEnqueueSignalSemaphoresKHR").len() + scene.icd.calls("clEnqueueWaitSemaphoresKHR").len(), 0);
}

#[test]
fn a_context_of_several_devices_needs_a_device_and_the_queue_must_be_on_it() {
    let Some(scene) = Scene::with("opencl_runtime_signals: two devices", 2, |_| {}) else { return };
    let [first, second] = &scene.devices[..] else { panic!("there are two") };
    let error = Semaphore::create(&scene.context, Create::binary()).expect_err("a device is needed");
    assert_eq!(codes(&error), ["CL_INVALID_PROPERTY"]);
    let error = Semaphore::import(&scene.context, Source::sync_fd(fence(true))).expect_err("a device is needed");
    assert_eq!(codes(error.error()), ["CL_INVALID_PROPERTY"]);
    assert!(error.into_fd().is_some());
    let semaphore = Semaphore::create(&scene.context, Create::binary().device(second)).expect("the mock makes it");
    assert_eq!(semaphore.devices().ok(), Some(vec![second.as_raw()]));
    let error = semaphore.signal(&scene.queue).expect_err("the queue is on the first");
    assert_eq!(
        ids(&error),
        ["opencl/clEnqueueSignalSemaphoresKHR/INVALID_COMMAND_QUEUE/command_queue+sema_objects-device-in-list"]
    );
    let queue = Queue::new(&scene.context, second).expect("the mock makes queues");
    semaphore.signal(&queue).expect("the mock signals");
    // A device of another context.
    let alone = Context::new(&scene.platform, std::slice::from_ref(first)).expect("the mock makes contexts");
    let error = Semaphore::create(&alone, Create::binary().device(second)).expect_err("it is not one of the context");
    assert_eq!(ids(&error), ["opencl/clCreateSemaphoreWithPropertiesKHR/INVALID_DEVICE/context-device-of-context"]);
    assert!(Semaphore::import(&scene.context, Source::sync_fd(fence(true)).device(first)).is_ok());
}

#[test]
fn a39_payloads_are_needed_where_one_semaphore_came_from_a_direct3d_fence() {
    use clcu::opencl::checked::{Enqueue, Use, wait_semaphores};
    let Some(scene) = Scene::new("opencl_runtime_signals: payloads") else { return };
    let (binary, fence) = (Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it"), fence_of(&scene));
    let d3d12 = Some(HandleType::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR);
    let wait = |payload| {
        let uses = [
            Use { semaphore: binary.as_raw(), handle_type: None, payload: None },
            Use { semaphore: fence.as_raw(), handle_type: d3d12, payload },
        ];
        let enqueue = Enqueue { queue: scene.queue.as_raw(), semaphores: &uses, wait_list: &[] };
        // SAFETY: the queue and the semaphores are alive.
        unsafe { wait_semaphores(&scene.platform, enqueue, None, &[]) }
    };
    let error = wait(None).expect_err("a value is needed");
    assert_eq!(codes(&error), ["CL_INVALID_VALUE"]);
    assert_eq!(scene.icd.calls("clEnqueueWaitSemaphoresKHR").len(), 0);
    wait(Some(7)).expect("the mock waits");
    assert!(scene.icd.calls("clEnqueueWaitSemaphoresKHR")[0].contains("sema_payload_list=[0x0, 0x7]"));
}

#[test]
fn threads_share_a_semaphore() {
    let Some(scene) = Scene::new("opencl_runtime_signals: threads") else { return };
    let semaphore = Semaphore::import(&scene.context, Source::opaque_fd(fence(false))).expect("the mock imports it");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    semaphore.signal(&scene.queue).expect("another party may wait");
                    semaphore.wait(&scene.queue).expect("another party may signal");
                }
            });
        }
    });
    assert_eq!(semaphore.stats().map(|stats| (stats.signals, stats.waits)), Some((200, 200)));
}
