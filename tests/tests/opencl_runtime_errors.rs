//! Every error condition of the specification's lists for semaphores and external memory: where arguments or what owners know can break it, the
//! call is refused and the rule is named with the code; where only a platform can tell, the code that it answers names the rule.
//!
//! What arguments alone break is proven rule by rule in `generated/tests/rules_opencl_broken.rs` and beside it. Here is the rest, and a table that leaves
//! none out.

use std::{collections::BTreeSet, ptr};

use clcu::{
    opencl::{
        CallError, Context, Error, Queue, Semaphore,
        checked::{self, Enqueue, Export, Objects, Place, Use},
        semaphore::{Binary, Create},
    },
    sys::{
        ErrorChannel,
        opencl::{
            self, cl_command_queue, cl_context, cl_device_id, cl_event, cl_external_semaphore_handle_type_khr as HandleType,
            cl_mem, cl_mem_flags, cl_result, cl_semaphore_info_khr, cl_semaphore_khr,
        },
        rules::{PropertyList, Rule},
    },
};
use clcu_tests::scene::{Scene, fence};

/// `CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR`.
const OPAQUE_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
const SYNC_FD: HandleType = HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;

/// The rules of a command.
fn rules(command: &str) -> &'static [Rule] {
    opencl::RULES.iter().find(|subject| subject.name == command).expect("the command has rules").rules
}

/// What calls work on.
struct Calls {
    scene: Scene,
    semaphore: Semaphore<Binary>,
    synced: cl_semaphore_khr,
    memory: cl_mem,
}

impl Calls {
    fn new(test: &str) -> Option<Self> {
        let scene = Scene::new(test)?;
        let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(OPAQUE_FD)).expect("the mock makes it");
        let (context, platform) = (scene.context.as_raw(), &scene.platform);
        let place = Place { context, devices: &[], import_types: None };
        // SAFETY: the context is alive; −1 is for what is signalled already.
        let synced = unsafe { checked::create_semaphore(platform, place, Some(&[0x203D, 1, 0x2058, u64::MAX, 0]), &[]) };
        let synced = synced.expect("the mock imports it");
        let file = fence(false);
        let number = std::os::fd::IntoRawFd::into_raw_fd(file);
        let list = [0x2060, i64::from(number).cast_unsigned(), 0];
        // SAFETY: the context is alive; the descriptor is the mock's after success.
        let memory = unsafe { checked::create_buffer(platform, place, Some(&list), cl_mem_flags(0), 64, ptr::null_mut(), &[]) };
        let memory = memory.expect("the mock imports it");
        Some(Self { scene, semaphore, synced, memory })
    }

    fn place(&self) -> Place<'_> {
        Place { context: self.scene.context.as_raw(), devices: &[], import_types: None }
    }

    fn create(&self, place: Place<'_>, words: &[u64]) -> Result<(), Error> {
        // SAFETY: the context is alive or null, which is refused; what is in the lists of this file is refused or harmless.
        let made = unsafe { checked::create_semaphore(&self.scene.platform, place, Some(words), &[]) }?;
        // SAFETY: it was just made.
        unsafe { checked::release_semaphore(&self.scene.platform, made, &[]) }
    }

    fn export(&self) -> Export<'static> {
        Export {
            semaphore: self.semaphore.as_raw(),
            device: self.scene.devices[0].as_raw(),
            handle_type: OPAQUE_FD,
            export_types: None,
            context_devices: &[],
            made_for: None,
            size: 0,
            handle: ptr::null_mut(),
        }
    }

    fn exported(&self, export: Export<'_>) -> Result<(), Error> {
        // SAFETY: objects are alive or null, which is refused; nothing is written where `handle` is null, or the call is refused.
        unsafe { checked::export_semaphore(&self.scene.platform, export, &[]) }.map(drop)
    }

    fn uses(&self) -> [Use; 1] {
        [Use { semaphore: self.semaphore.as_raw(), handle_type: None, payload: None }]
    }

    fn enqueue(&self, queue: cl_command_queue, semaphores: &[Use], wait_list: &[cl_event], signal: bool) -> Result<(), Error> {
        let (enqueue, platform) = (Enqueue { queue, semaphores, wait_list }, &self.scene.platform);
        // SAFETY: objects are alive or null, which is refused.
        unsafe {
            if signal {
                checked::signal_semaphores(platform, enqueue, None, &[])
            } else {
                checked::wait_semaphores(platform, enqueue, None, &[])
            }
        }
    }

    fn transfer(&self, queue: cl_command_queue, objects: &[cl_mem], wait_list: &[cl_event], acquire: bool) -> Result<(), Error> {
        let (objects, platform) = (Objects { queue, objects, wait_list }, &self.scene.platform);
        // SAFETY: as above.
        unsafe {
            if acquire {
                checked::acquire_external_memory(platform, objects, None, &[])
            } else {
                checked::release_external_memory(platform, objects, None, &[])
            }
        }
    }

    fn info(&self, semaphore: cl_semaphore_khr, size: usize, value: *mut std::ffi::c_void) -> Result<(), Error> {
        let what = cl_semaphore_info_khr::CL_SEMAPHORE_PAYLOAD_KHR;
        // SAFETY: the semaphore is alive or null, which is refused, as is too little memory.
        unsafe { checked::semaphore_info(&self.scene.platform, semaphore, what, size, value, &[]) }.map(drop)
    }

    /// A sound call of a command.
    fn sound(&self, command: &str) -> Result<(), Error> {
        let (queue, platform) = (self.scene.queue.as_raw(), &self.scene.platform);
        // SAFETY: the semaphores are alive.
        unsafe {
            match command {
                "clCreateSemaphoreWithPropertiesKHR" => self.create(self.place(), &[0x203D, 1, 0]),
                "clEnqueueSignalSemaphoresKHR" => self.enqueue(queue, &self.uses(), &[], true),
                "clEnqueueWaitSemaphoresKHR" => self.enqueue(queue, &self.uses(), &[], false),
                "clGetSemaphoreHandleForTypeKHR" => self.exported(self.export()),
                "clGetSemaphoreInfoKHR" => self.info(self.semaphore.as_raw(), 0, ptr::null_mut()),
                "clReImportSemaphoreSyncFdKHR" => checked::reimport_sync_fd(platform, self.synced, Some(SYNC_FD), -1, &[]),
                "clRetainSemaphoreKHR" => {
                    checked::retain_semaphore(platform, self.synced, &[])?;
                    checked::release_semaphore(platform, self.synced, &[])
                }
                "clReleaseSemaphoreKHR" => {
                    checked::retain_semaphore(platform, self.synced, &[])?;
                    let released = checked::release_semaphore(platform, self.synced, &[]);
                    if released.is_err() {
                        checked::release_semaphore(platform, self.synced, &[])?;
                    }
                    released
                }
                "clEnqueueAcquireExternalMemObjectsKHR" => self.transfer(queue, &[self.memory], &[], true),
                "clEnqueueReleaseExternalMemObjectsKHR" => self.transfer(queue, &[self.memory], &[], false),
                other => panic!("no call of {other}"),
            }
        }
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        let release = |release: unsafe extern "system" fn(_) -> _| {
            // SAFETY: it is alive, and released once.
            unsafe { release(self.memory) }
        };
        self.scene.platform.checked(&opencl::clReleaseMemObject).call(release).expect("the mock releases it");
        // SAFETY: it is alive, and released once.
        unsafe { checked::release_semaphore(&self.scene.platform, self.synced, &[]) }.expect("the mock releases it");
    }
}

/// The commands of the family.
const FAMILY: [&str; 10] = [
    "clCreateSemaphoreWithPropertiesKHR",
    "clEnqueueAcquireExternalMemObjectsKHR",
    "clEnqueueReleaseExternalMemObjectsKHR",
    "clEnqueueSignalSemaphoresKHR",
    "clEnqueueWaitSemaphoresKHR",
    "clGetSemaphoreHandleForTypeKHR",
    "clGetSemaphoreInfoKHR",
    "clReImportSemaphoreSyncFdKHR",
    "clReleaseSemaphoreKHR",
    "clRetainSemaphoreKHR",
];

fn refused(error: Error) -> CallError {
    match error {
        Error::Call(error) => error,
        other => panic!("{other}"),
    }
}

fn number(code: &str) -> i32 {
    let number = (-1200..0).find(|number| cl_result(*number).names().any(|name| name == code));
    number.unwrap_or_else(|| panic!("{code} is no code"))
}

#[test]
fn every_code_of_every_command_names_the_rules_that_lead_to_it_in_words() {
    let Some(calls) = Calls::new("opencl_runtime_errors: every code") else { return };
    let mut named = 0;
    for command in FAMILY {
        calls.sound(command).unwrap_or_else(|error| panic!("{command}: {error}"));
        let codes: BTreeSet<_> = rules(command).iter().map(|rule| rule.error).filter(|code| !code.is_empty()).collect();
        for code in codes {
            calls.scene.icd.fail(command, number(code), 0, 1);
            let error = refused(calls.sound(command).expect_err("the mock refuses"));
            let text = error.to_string();
            let start = format!("{command}: {code} ({}): one of the codes that the specification lists", number(code));
            assert!(text.starts_with(&start), "{text}");
            let leading: Vec<_> = rules(command).iter().filter(|rule| rule.error == code).map(|rule| rule.id).collect();
            assert_eq!(error.rules().map(|meaning| meaning.rule().id).collect::<Vec<_>>(), leading);
            for id in leading {
                assert!(text.contains(&format!(" [{id}]")), "{text}");
                named += 1;
            }
            let creates = command == "clCreateSemaphoreWithPropertiesKHR";
            assert_eq!(error.channel, if creates { ErrorChannel::ErrcodeRet } else { ErrorChannel::Return });
            assert_eq!(text.contains("it came through errcode_ret"), creates, "{text}");
            // No words of ours stand for a kind of promise by its name in the tables.
            assert!(!text.contains("_object") || text.contains("sema_object") || text.contains("mem_object"), "{text}");
        }
    }
    let all: usize = FAMILY.iter().map(|command| rules(command).iter().filter(|rule| !rule.error.is_empty()).count()).sum();
    assert_eq!(named, all);
}

/// What a call is refused for: each rule, by what follows the command in its id, with its code.
fn broken(result: Result<(), Error>) -> Vec<(&'static str, &'static str)> {
    match result {
        Err(Error::Invalid(invalid)) => {
            let rules = invalid.violations.iter().map(|(_, violation)| violation.rule);
            rules.map(|rule| (rule.id.splitn(3, '/').nth(2).expect("ids have three parts"), rule.error)).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// A call that breaks one rule, and the rule.
type Broken<'c> = (&'static str, &'static str, Box<dyn Fn() -> Result<(), Error> + 'c>);

/// The calls that break what no generated check decides: by handles that are null, memory that is too small, values that cannot be.
fn of_arguments(calls: &Calls) -> Vec<Broken<'_>> {
    let queue = calls.scene.queue.as_raw();
    let device = calls.scene.devices[0].as_raw();
    let nowhere = Place { context: cl_context::NULL, devices: &[], import_types: None };
    let mut all: Vec<Broken<'_>> = vec![
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_CONTEXT/context-valid-object",
            Box::new(move || calls.create(nowhere, &[0x203D, 1, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(|| calls.create(calls.place(), &[0x203D, 99, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(|| calls.create(calls.place(), &[0x203D, 1, 0x2055, u64::MAX, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(|| calls.create(calls.place(), &[0x203D, 1, 0x2059, 0, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_DEVICE/context-device-of-context",
            Box::new(move || calls.create(Place { devices: &[device], ..calls.place() }, &[0x203D, 1, 0x2053, 0xD0, 0, 0])),
        ),
        // Where the device is known no rule of the list is left to look at: what is certain is decided without them.
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_CONTEXT/context-valid-object",
            Box::new(move || calls.create(Place { devices: &[device], ..nowhere }, &[0x203D, 1, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(move || calls.create(Place { devices: &[device], ..calls.place() }, &[0x203D, 99, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(move || calls.create(Place { devices: &[device], ..calls.place() }, &[0x203D, 1, 0x2055, u64::MAX, 0])),
        ),
        (
            "clCreateSemaphoreWithPropertiesKHR",
            "INVALID_PROPERTY/sema_props-valid-property-values",
            Box::new(move || calls.create(Place { devices: &[device], ..calls.place() }, &[0x203D, 1, 0x2059, 0, 0])),
        ),
        (
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            Box::new(|| calls.exported(Export { semaphore: cl_semaphore_khr::NULL, ..calls.export() })),
        ),
        (
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_DEVICE/device-valid-object",
            Box::new(|| calls.exported(Export { device: cl_device_id::NULL, ..calls.export() })),
        ),
        (
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_DEVICE/sema_object+device-device-of-context",
            Box::new(|| {
                let others = [cl_device_id(ptr::dangling_mut())];
                calls.exported(Export { context_devices: &others, ..calls.export() })
            }),
        ),
        (
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_DEVICE/sema_object+device-shareable",
            Box::new(|| calls.exported(Export { made_for: Some(cl_device_id(ptr::dangling_mut())), ..calls.export() })),
        ),
        (
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_VALUE/handle_size-exported-handle-size",
            Box::new(|| calls.exported(Export { size: 3, handle: ptr::dangling_mut(), ..calls.export() })),
        ),
        (
            // A31: an NT handle is as wide as a pointer, and four bytes are not enough.
            "clGetSemaphoreHandleForTypeKHR",
            "INVALID_VALUE/handle_size-exported-handle-size",
            Box::new(|| {
                let handle_type = HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR;
                calls.exported(Export { handle_type, size: 4, handle: ptr::dangling_mut(), ..calls.export() })
            }),
        ),
        (
            "clGetSemaphoreInfoKHR",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            Box::new(|| calls.info(cl_semaphore_khr::NULL, 0, ptr::null_mut())),
        ),
        (
            "clGetSemaphoreInfoKHR",
            "INVALID_VALUE/param_value_size-query-size",
            Box::new(|| calls.info(calls.semaphore.as_raw(), 7, ptr::dangling_mut())),
        ),
        (
            "clReImportSemaphoreSyncFdKHR",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            // SAFETY: null is refused.
            Box::new(|| unsafe {
                checked::reimport_sync_fd(&calls.scene.platform, cl_semaphore_khr::NULL, Some(SYNC_FD), -1, &[])
            }),
        ),
        (
            "clReleaseSemaphoreKHR",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            // SAFETY: null is refused.
            Box::new(|| unsafe { checked::release_semaphore(&calls.scene.platform, cl_semaphore_khr::NULL, &[]) }),
        ),
        (
            "clRetainSemaphoreKHR",
            "INVALID_SEMAPHORE_KHR/sema_object-valid-object",
            // SAFETY: null is refused.
            Box::new(|| unsafe { checked::retain_semaphore(&calls.scene.platform, cl_semaphore_khr::NULL, &[]) }),
        ),
    ];
    for (command, signal) in [("clEnqueueSignalSemaphoresKHR", true), ("clEnqueueWaitSemaphoresKHR", false)] {
        all.extend::<[Broken<'_>; 3]>([
            (
                command,
                "INVALID_COMMAND_QUEUE/command_queue-valid-object",
                Box::new(move || calls.enqueue(cl_command_queue::NULL, &calls.uses(), &[], signal)),
            ),
            (
                command,
                "INVALID_SEMAPHORE_KHR/sema_objects-valid-object",
                Box::new(move || {
                    let [one] = calls.uses();
                    calls.enqueue(queue, &[one, Use { semaphore: cl_semaphore_khr::NULL, ..one }], &[], signal)
                }),
            ),
            (
                command,
                "INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object",
                Box::new(move || calls.enqueue(queue, &calls.uses(), &[cl_event::NULL], signal)),
            ),
        ]);
    }
    for (command, acquire) in [("clEnqueueAcquireExternalMemObjectsKHR", true), ("clEnqueueReleaseExternalMemObjectsKHR", false)] {
        all.extend::<[Broken<'_>; 3]>([
            (
                command,
                "INVALID_COMMAND_QUEUE/command_queue-valid-object",
                Box::new(move || calls.transfer(cl_command_queue::NULL, &[calls.memory], &[], acquire)),
            ),
            (
                command,
                "INVALID_MEM_OBJECT/mem_objects-imported-memory",
                Box::new(move || calls.transfer(queue, &[cl_mem::NULL], &[], acquire)),
            ),
            (
                command,
                "INVALID_EVENT_WAIT_LIST/event_wait_list-valid-object",
                Box::new(move || calls.transfer(queue, &[calls.memory], &[cl_event::NULL], acquire)),
            ),
        ]);
    }
    all
}

/// Buffers and images, where the device and all handle types are known, so that no rule of the list is left to look at.
#[test]
fn devices_and_handles_of_a_new_memory_object_are_looked_at_whatever_the_rules_of_its_list_say() {
    let Some(calls) = Calls::new("opencl_runtime_errors: memory objects") else { return };
    let (platform, device) = (&calls.scene.platform, calls.scene.devices[0].as_raw());
    let all: Vec<u64> = (0x2060..=0x2070).collect();
    let place = Place { devices: &[device], import_types: Some(&all), ..calls.place() };
    let nowhere = Place { context: cl_context::NULL, ..place };
    let format = opencl::cl_image_format {
        image_channel_order: opencl::cl_channel_order::CL_RGBA,
        image_channel_data_type: opencl::cl_channel_type::CL_UNORM_INT8,
    };
    let of_list = "INVALID_PROPERTY/properties-valid-property-values";
    calls.scene.icd.clear_journal();
    for (place, words, rule, code) in [
        (place, &[0x2060, u64::MAX, 0][..], of_list, "CL_INVALID_PROPERTY"),
        (place, &[0x2061, 0, 0], of_list, "CL_INVALID_PROPERTY"),
        (place, &[0x2060, 1 << 32, 0], of_list, "CL_INVALID_PROPERTY"),
        (place, &[0x2060, 7, 0x2051, 0xD0, 0, 0], "INVALID_DEVICE/context-device-of-context", "CL_INVALID_DEVICE"),
        (nowhere, &[0x2060, 7, 0], "INVALID_CONTEXT/context-valid-object", "CL_INVALID_CONTEXT"),
    ] {
        let (flags, none) = (cl_mem_flags::CL_MEM_READ_WRITE, ptr::null_mut());
        // SAFETY: what is in the lists is refused, and so is no context.
        let buffer = unsafe { checked::create_buffer(platform, place, Some(words), flags, 64, none, &[]) };
        assert_eq!(broken(buffer.map(drop)), [(rule, code)], "buffer of {words:X?}");
        // SAFETY: as above.
        let image = unsafe { checked::create_image(platform, place, Some(words), flags, Some(&format), None, none, &[]) };
        assert_eq!(broken(image.map(drop)), [(rule, code)], "image of {words:X?}");
    }
    assert_eq!(calls.scene.icd.journal(), [""; 0], "nothing was called");
}

/// What only owners know: which objects belong together.
const OF_OWNERS: [&str; 4] = [
    "INVALID_COMMAND_QUEUE/command_queue+sema_objects-device-in-list",
    "INVALID_COMMAND_QUEUE/sema_objects+command_queue-device-of-context",
    "INVALID_CONTEXT/command_queue+event_wait_list-same-context",
    "INVALID_CONTEXT/command_queue+sema_objects-same-context",
];

/// The same of memory, broken in `opencl_runtime_memory.rs`.
const OF_OWNERS_OF_MEMORY: [&str; 2] = [
    "INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list",
    "INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context",
];

/// What only the platform knows. Its code names these rules.
const OF_THE_PLATFORM: [&str; 4] = [
    "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/event_wait_list-no-failed-event",
    "INVALID_DEVICE/valid-object",
    "OUT_OF_HOST_MEMORY/resources-of-host",
    "OUT_OF_RESOURCES/resources-of-device",
];

#[test]
fn what_no_generated_check_decides_is_settled_by_arguments_and_owners_or_left_to_the_platform_and_nothing_is_left_out() {
    let Some(calls) = Calls::new("opencl_runtime_errors: settled") else { return };
    let cases = of_arguments(&calls);
    calls.scene.icd.clear_journal();
    for (command, rule, call) in &cases {
        let code = rules(command).iter().find(|row| row.id == format!("opencl/{command}/{rule}")).expect("it is a rule").error;
        assert!(rule.starts_with(code.trim_start_matches("CL_")));
        assert_eq!(broken(call()), [(*rule, code)], "{command}");
    }
    assert_eq!(calls.scene.icd.journal(), [""; 0], "nothing was called");
    for command in FAMILY {
        for rule in rules(command).iter().filter(|rule| !rule.is_checkable()) {
            let short = rule.id.splitn(3, '/').nth(2).expect("ids have three parts");
            let settled = cases.iter().any(|(of, rule, _)| *of == command && *rule == short);
            let of_owners = OF_OWNERS.contains(&short) || OF_OWNERS_OF_MEMORY.contains(&short);
            let places = [settled, of_owners, OF_THE_PLATFORM.contains(&short)];
            assert_eq!(places.iter().filter(|place| **place).count(), 1, "{}: {places:?}", rule.id);
        }
    }
}

#[test]
fn objects_that_do_not_belong_together_are_refused_by_what_their_owners_know() {
    let Some(scene) = Scene::with("opencl_runtime_errors: owners", 2, |_| {}) else { return };
    let [first, second] = &scene.devices[..] else { panic!("there are two") };
    let alone = Context::new(&scene.platform, std::slice::from_ref(first)).expect("the mock makes contexts");
    let queue = Queue::new(&scene.context, second).expect("the mock makes queues");
    let [stranger, other] = [(); 2].map(|()| Semaphore::create(&alone, Create::binary()).expect("the mock makes it"));
    let of_first = Semaphore::create(&scene.context, Create::binary().device(first)).expect("the mock makes it");
    let of_second = Semaphore::create(&scene.context, Create::binary().device(second)).expect("the mock makes it");
    let event = {
        let theirs = Queue::new(&alone, first).expect("the mock makes queues");
        theirs.signal_after(&[other.signaling()], &[]).expect("the mock signals")
    };
    scene.icd.clear_journal();
    let [in_list, of_context, events, semaphores] = OF_OWNERS;
    let queue_code = "CL_INVALID_COMMAND_QUEUE";
    for signal in [true, false] {
        let with = |semaphore: &Semaphore<Binary>, events: &[&clcu::opencl::Event]| {
            let done = if signal {
                queue.signal_after(&[semaphore.signaling()], events)
            } else {
                queue.wait_after(&[semaphore.waiting()], events)
            };
            done.map(drop)
        };
        assert_eq!(broken(with(&of_first, &[])), [(in_list, queue_code)]);
        assert_eq!(broken(with(&stranger, &[])), [(semaphores, "CL_INVALID_CONTEXT"), (of_context, queue_code)]);
        assert_eq!(broken(with(&of_second, &[&event])), [(events, "CL_INVALID_CONTEXT")]);
        // All at once.
        assert_eq!(broken(with(&stranger, &[&event])).len(), 3);
    }
    assert_eq!(scene.icd.journal(), [""; 0], "nothing was called");
    let error = queue.signal(&[of_first.signaling()]).expect_err("the queue is on the other device");
    let text = error.to_string();
    assert!(text.starts_with("clEnqueueSignalSemaphoresKHR was not called: 1 rule broken"), "{text}");
    assert!(text.contains("the device of the queue is the one in the device list"), "{text}");
    assert!(text.contains("and is not so, or CL_INVALID_COMMAND_QUEUE [opencl/clEnqueueSignalSemaphoresKHR/"), "{text}");
}

#[test]
fn d05_an_error_begins_with_the_call_the_name_and_the_number() {
    let Some(calls) = Calls::new("opencl_runtime_errors: d05") else { return };
    calls.scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -64, 0, 1);
    let error = Semaphore::create(&calls.scene.context, Create::binary()).expect_err("the mock refuses");
    let text = error.to_string();
    assert!(text.starts_with("clCreateSemaphoreWithPropertiesKHR: CL_INVALID_PROPERTY (-64): "), "{text}");
    for part in [
        "Mock platform A",
        "libmock-icd.so",
        "sema_props: no property twice (checked before the call: it is so)",
        "sema_props: each property has a value that upstream allows for it [",
        "where the number of devices of the context is more than 1",
    ] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    // A number that has no name is shown as one.
    calls.scene.icd.fail("clCreateSemaphoreWithPropertiesKHR", -4242, 0, 1);
    let error = refused(Semaphore::create(&calls.scene.context, Create::binary()).expect_err("the mock refuses"));
    assert_eq!((error.is_documented(), error.rules().count()), (Some(false), 0));
    assert!(error.to_string().starts_with("clCreateSemaphoreWithPropertiesKHR: cl_result(-4242): undocumented"), "{error}");
}

#[test]
fn a_command_for_which_the_specification_lists_no_codes_says_so() {
    let Some(calls) = Calls::new("opencl_runtime_errors: no list") else { return };
    let command = opencl::ERRORS.iter().find(|row| row.codes.is_none()).expect("extensions of vendors have none");
    let info = opencl::COMMANDS.iter().find(|info| info.symbol.to_bytes() == command.symbol.as_bytes()).expect("it is a command");
    calls.scene.icd.fail("clGetSemaphoreInfoKHR", -30, 0, 1);
    let mut error = refused(calls.sound("clGetSemaphoreInfoKHR").expect_err("the mock refuses"));
    error.command = info;
    assert_eq!(error.is_documented(), None);
    assert!(error.to_string().contains("the specification lists no codes for this command"), "{error}");
}

#[test]
fn codes_of_items_are_listed_whether_the_call_as_a_whole_fails_or_not() {
    let Some(calls) = Calls::new("opencl_runtime_errors: items") else { return };
    // What a command such as clCreateProgramWithBinary does, in the place of the function.
    let call = |code: cl_result| {
        let mut items = [cl_result(7); 3];
        let create = calls.scene.platform.checked(&opencl::clCreateContext);
        let made = create.create_items(
            &mut items,
            |made: &cl_context| made.is_null(),
            |_, items, errcode_ret| {
                assert_eq!(items, [cl_result::CL_SUCCESS; 3]);
                (items[0], items[2]) = (cl_result::CL_INVALID_VALUE, cl_result::CL_INVALID_BINARY);
                // SAFETY: it is a pointer to the call's own variable.
                unsafe { *errcode_ret = code };
                cl_context(ptr::dangling_mut())
            },
        );
        refused(made.expect_err("items failed"))
    };
    let items = vec![(0, cl_result::CL_INVALID_VALUE), (2, cl_result::CL_INVALID_BINARY)];
    let error = call(cl_result::CL_SUCCESS);
    assert_eq!((error.channel, error.result, &error.items), (ErrorChannel::PerItem, cl_result::CL_INVALID_VALUE, &items));
    let error = call(cl_result::CL_INVALID_BINARY);
    assert_eq!((error.channel, error.result, &error.items), (ErrorChannel::ErrcodeRet, cl_result::CL_INVALID_BINARY, &items));
    assert!(error.to_string().contains("\n  item 2: CL_INVALID_BINARY (-42)"), "{error}");
}

#[test]
fn a_rule_is_waived_for_one_call_by_its_id() {
    let Some(calls) = Calls::new("opencl_runtime_errors: waived") else { return };
    // Some drivers take the type twice.
    let words = [0x203D, 1, 0x203D, 1, 0];
    // SAFETY: the context is alive, and the list ends.
    let create = |waived: &[&str]| unsafe { checked::create_semaphore(&calls.scene.platform, calls.place(), Some(&words), waived) };
    let Err(Error::Invalid(invalid)) = create(&[]) else { panic!("a rule is broken") };
    let ids: Vec<_> = invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect();
    assert_eq!(ids, ["opencl/clCreateSemaphoreWithPropertiesKHR/INVALID_PROPERTY/sema_props-no-duplicate-property"]);
    let made = create(&ids).expect("the mock takes it");
    // SAFETY: it was just made.
    unsafe { checked::release_semaphore(&calls.scene.platform, made, &[]) }.expect("the mock releases it");
    // What was settled is waived as well.
    let id = "opencl/clGetSemaphoreHandleForTypeKHR/INVALID_VALUE/handle_size-exported-handle-size";
    let mut byte = 0_u8;
    let export = Export { size: 1, handle: (&raw mut byte).cast(), ..calls.export() };
    // SAFETY: there is one byte, and the mock looks at the size as well.
    let error = unsafe { checked::export_semaphore(&calls.scene.platform, export, &[id]) };
    assert_eq!(error.expect_err("the mock refuses").result(), Some(cl_result::CL_INVALID_VALUE));
}

#[test]
fn several_violations_come_at_once_and_none_twice() {
    let Some(calls) = Calls::new("opencl_runtime_errors: all at once") else { return };
    let d3d12 = Use {
        semaphore: cl_semaphore_khr::NULL,
        handle_type: Some(HandleType::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR),
        payload: None,
    };
    let found = broken(calls.enqueue(cl_command_queue::NULL, &[d3d12, d3d12], &[cl_event::NULL], true));
    let codes: Vec<_> = found.iter().map(|(_, code)| *code).collect();
    assert_eq!(codes, ["CL_INVALID_VALUE", "CL_INVALID_COMMAND_QUEUE", "CL_INVALID_SEMAPHORE_KHR", "CL_INVALID_EVENT_WAIT_LIST"]);
}

#[test]
fn a_function_that_a_loader_hands_out_for_what_is_not_there_is_undocumented_when_it_refuses() {
    let Some(scene) = Scene::with("opencl_runtime_errors: stub", 1, |icd| {
        icd.set(c"mock_hands_out", 1);
        icd.lacks("clRetainSemaphoreKHR");
    }) else {
        return;
    };
    let semaphore = Semaphore::create(&scene.context, Create::binary()).expect("the mock makes it");
    let error = semaphore.retain().expect_err("the platform has no such function");
    assert!(matches!(error, Error::Missing(_)), "{error}");
    scene.icd.fail("clReleaseSemaphoreKHR", -59, 0, 1);
    let error = refused(semaphore.release().expect_err("the mock refuses"));
    assert_eq!(error.is_documented(), Some(false));
}

#[test]
fn a_raw_list_is_explained_in_words_and_never_read_past_its_end() {
    use clcu::opencl::properties::explain;
    let table = &opencl::PROPERTIES_OF_cl_semaphore_properties_khr;
    let of = |words: &[u64]| explain(PropertyList::new(words), table);
    let good = of(&[0x203D, 1, 0x203F, 0x2058, 0, 0]);
    assert!(good.is_well_formed(), "{good}");
    assert_eq!(
        good.to_string(),
        "cl_semaphore_properties_khr:\n  word 0: CL_SEMAPHORE_TYPE_KHR (0x203D) = CL_SEMAPHORE_TYPE_BINARY_KHR (0x1)\n  word 2: \
         CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR (0x203F) = a list of 1: CL_SEMAPHORE_HANDLE_SYNC_FD_KHR (0x2058)"
    );
    // A20: the list within the list has no end, and what lies behind the slice is not looked at.
    let memory = [0x203D, 1, 0x203F, 0x2058, 0xDEAD, 0, 0];
    let cut = of(&memory[..4]);
    assert_eq!(cut.faults.len(), 1);
    assert!(cut.to_string().contains("wrong: list property 0x203F (CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) not terminated"), "{cut}");
    let imported = of(&[0x203D, 1, 0x2058, u64::MAX, 0]);
    assert!(imported.to_string().contains("CL_SEMAPHORE_HANDLE_SYNC_FD_KHR (0x2058) = file descriptor -1"), "{imported}");
    for (words, says) in [
        (&[0x203D, 1, 0x203D, 1, 0][..], "property 0x203D (CL_SEMAPHORE_TYPE_KHR) stands at word 0 and again at word 2"),
        (&[0x203D, 1], "property list not terminated after 2 words"),
        (&[0x203D], "property 0x203D (CL_SEMAPHORE_TYPE_KHR) at word 0 has no value"),
        (&[0x203D, 1, 0x7FFF, 1, 0], "unknown property 0x7FFF at word 2"),
        // The device list of memory was that of semaphores once.
        (&[0x2051, 5, 0, 0], "unknown property 0x2051 at word 0; it is CL_MEM_DEVICE_HANDLE_LIST_KHR of cl_mem_properties"),
        (&[0x203D, 1, 0, 7], "the list ended before word 3"),
        (&[0, 7], "the list ended before word 1"),
    ] {
        let explained = of(words);
        assert!(!explained.is_well_formed() && explained.to_string().contains(says), "{explained}");
    }
    assert!(of(&[0]).to_string().ends_with("no properties"));
    assert!(explain(PropertyList::NULL, table).is_well_formed());
}
