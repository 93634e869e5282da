//! External memory of OpenCL on a mock driver: what arrives there word for word, and what is refused before it is called.

use std::{
    os::fd::{AsRawFd as _, OwnedFd},
    ptr,
    sync::Arc,
};

use clcu::{
    opencl::{
        Context, Error, Event, ExternalMemory, ImportError, Obstacle, Queue, Semaphore,
        memory::{Image, Misuse, Object, Source},
        semaphore::Create,
    },
    sys::{
        opencl::{
            cl_channel_order, cl_channel_type, cl_device_info, cl_external_memory_handle_type_khr as HandleType, cl_mem_flags,
            cl_platform_info, cl_result,
        },
        rules::Utf16Name,
    },
};
use clcu_tests::{
    icd::{Icd, Kind},
    scene::Scene,
};

const IMPORT: u32 = cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.0;
const LINEAR: u32 = cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR.0;
const CREATE_BUFFER: &str = "clCreateBufferWithProperties";
const CREATE_IMAGE: &str = "clCreateImageWithProperties";
const ACQUIRE: &str = "clEnqueueAcquireExternalMemObjectsKHR";
const RELEASE: &str = "clEnqueueReleaseExternalMemObjectsKHR";

fn scene(test: &str) -> Option<Scene> {
    Scene::new(&format!("opencl_runtime_memory: {test}"))
}

fn import(scene: &Scene, source: Source<'_>) -> Result<ExternalMemory, ImportError> {
    ExternalMemory::import(&scene.context, source)
}

fn last(scene: &Scene, command: &str) -> String {
    scene.icd.calls(command).pop().unwrap_or_default()
}

fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it is there, and there are numbers left").into()
}

fn rgba(width: usize, height: usize) -> Image {
    Image::new_2d(cl_channel_order::CL_RGBA, cl_channel_type::CL_UNORM_INT8, width, height)
}

#[test]
fn a_buffer_is_made_of_each_kind_of_descriptor_and_the_list_arrives_word_for_word() {
    let Some(scene) = scene("buffers") else { return };
    for (source, key) in [(Source::opaque_fd as fn(_, _) -> _, 0x2060), (Source::dma_buf, 0x2067)] {
        let fd = fd();
        let number = fd.as_raw_fd();
        let memory = import(&scene, source(fd, Object::buffer(4096))).expect("the mock imports it");
        let call = format!(
            "{CREATE_BUFFER}(context=context1, properties=[{key:#x}, {number:#x}, 0x0], flags=0x1, size=4096, host_ptr=NULL) = 0"
        );
        assert_eq!(last(&scene, CREATE_BUFFER), call);
        assert_eq!(memory.handle_type().value, Some(key));
        memory.destroy().expect("the mock releases it");
    }
    assert_eq!(scene.icd.alive(Kind::Memory), 0);
}

#[test]
fn an_image_arrives_with_its_format_and_extent_and_flags() {
    let Some(scene) = scene("images") else { return };
    let image = rgba(1920, 1080).row_pitch(7680);
    let source = Source::dma_buf(fd(), image.into()).flags(cl_mem_flags::CL_MEM_READ_ONLY).linear();
    let memory = import(&scene, source).expect("the mock imports it, and says that such images are linear");
    let call = last(&scene, CREATE_IMAGE);
    for part in
        ["flags=0x4", "image_format={0x10b5, 0x10d2}", "image_desc={0x10f1, 1920, 1080, 0, 0, 7680, 0, 0, 0, (nil)}, host_ptr=NULL"]
    {
        assert!(call.contains(part), "{call:?} does not contain {part:?}");
    }
    assert!(matches!(memory.object(), Object::Image(image) if image.descriptor().image_width == 1920));
    drop(memory);

    let array = Image::new_1d(cl_channel_order::CL_R, cl_channel_type::CL_FLOAT, 64).array(5).slice_pitch(256);
    let _memory = import(&scene, Source::dma_buf(fd(), array.into())).expect("the mock imports it");
    let call = last(&scene, CREATE_IMAGE);
    assert!(call.contains("image_desc={0x10f5, 64, 0, 0, 5, 0, 256, 0, 0, (nil)}"), "{call}");
}

#[test]
fn an_image_that_has_to_be_linear_is_refused_where_no_device_says_so() {
    let Some(scene) = scene("linear images") else { return };
    let image = || Object::from(rgba(64, 64));
    let error = import(&scene, Source::opaque_fd(fd(), image()).linear()).expect_err("the mock lists dma-buf alone");
    let text = error.to_string();
    assert!(text.contains("CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR"), "{text}");
    assert!(text.contains("CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR"), "{text}");
    assert_eq!(scene.icd.calls(CREATE_IMAGE), Vec::<String>::new());
    assert!(import(&scene, Source::opaque_fd(fd(), image())).is_ok(), "the layout is then the driver's own matter");
    scene.icd.refuse(0, Some(0), LINEAR, -30);
    assert!(import(&scene, Source::opaque_fd(fd(), image()).linear()).is_ok(), "who refuses to say may do it");
}

#[test]
fn memory_is_for_the_devices_of_its_list_and_used_on_their_queues_alone() {
    let Some(scene) = Scene::with("opencl_runtime_memory: device lists", 2, |_| ()) else { return };
    let devices = scene.context.devices();
    let source = Source::dma_buf(fd(), Object::buffer(64)).devices(&devices[1..]);
    let memory = import(&scene, source).expect("the mock imports it");
    let list = format!(", 0x2051, {:#x}, 0x0, 0x0]", devices[1].as_raw().0.addr());
    assert!(last(&scene, CREATE_BUFFER).contains(&list), "{}", last(&scene, CREATE_BUFFER));
    let error = memory.acquire(&scene.queue).expect_err("it is not for this device");
    let Error::Invalid(invalid) = &error else { panic!("{error}") };
    let id = "opencl/clEnqueueAcquireExternalMemObjectsKHR/INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list";
    assert_eq!(invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect::<Vec<_>>(), [id]);
    assert_eq!(scene.icd.calls(ACQUIRE), Vec::<String>::new());
    let second = Queue::new(&scene.context, &devices[1]).expect("the mock makes queues");
    memory.acquire(&second).expect("it is for this one");
    let Err(Error::Invalid(invalid)) = memory.release(&scene.queue) else { panic!("it is not for this device") };
    let id = "opencl/clEnqueueReleaseExternalMemObjectsKHR/INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list";
    assert_eq!(
        invalid.violations.iter().map(|(_, violation)| (violation.rule.id, violation.rule.error)).collect::<Vec<_>>(),
        [(id, "CL_INVALID_COMMAND_QUEUE")]
    );

    let for_all = import(&scene, Source::dma_buf(fd(), Object::buffer(64))).expect("the mock imports it");
    for queue in [&scene.queue, &second] {
        for_all.acquire(queue).expect("it is for all");
        for_all.release(queue).expect("it is for all");
    }
}

#[test]
fn a_queue_of_another_context_cannot_acquire_it() {
    let Some(scene) = Scene::with("opencl_runtime_memory: other contexts", 2, |_| ()) else { return };
    let devices = scene.context.devices();
    let other = Context::new(scene.context.platform(), &devices[..1]).expect("the mock makes contexts");
    let memory = ExternalMemory::import(&other, Source::dma_buf(fd(), Object::buffer(64))).expect("the mock imports it");
    let second = Queue::new(&scene.context, &devices[1]).expect("the mock makes queues");
    let error = memory.acquire(&second).expect_err("the context does not have this device").to_string();
    assert!(
        error.contains("clEnqueueAcquireExternalMemObjectsKHR/INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context"),
        "{error}"
    );
    memory.assume_acquired(true);
    let error = memory.release(&second).expect_err("the context does not have this device").to_string();
    assert!(
        error.contains("clEnqueueReleaseExternalMemObjectsKHR/INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context"),
        "{error}"
    );
}

/// What a platform is given is its own: another platform's event would be followed as if it were.
#[test]
fn objects_of_another_context_or_platform_are_refused_in_both_directions() {
    let Some(scene) = Scene::with("opencl_runtime_memory: foreign objects", 1, |icd| icd.set(c"mock_platform_count", 2)) else {
        return;
    };
    let second = Arc::new(scene.icd.open().platforms().expect("the mock lists two").usable.remove(1));
    let (_, other_context, other_queue) = Scene::of(&second);
    let theirs = Semaphore::create(&other_context, Create::binary()).expect("the mock makes it");
    let user = other_queue.signal_after(&[theirs.signaling()], &[]).expect("the mock signals");
    let memory = import(&scene, Source::dma_buf(fd(), Object::buffer(64))).expect("the mock imports it");
    let foreign = |result: Result<Event, Error>, wanted: &str| {
        assert!(matches!(result, Err(Error::Foreign { what, of: "context" }) if what == wanted), "{wanted}");
    };
    foreign(scene.queue.acquire_memory_after(&[&memory], &[&user]), "an event");
    memory.acquire(&scene.queue).expect("it is this context's");
    foreign(scene.queue.release_memory_after(&[&memory], &[&user]), "an event");
    assert!(memory.is_acquired(), "what is refused changes nothing");
    for command in [ACQUIRE, RELEASE] {
        assert_eq!(scene.icd.calls(command).len(), usize::from(command == ACQUIRE), "{command}");
    }
    // A queue of another context that has the same device.
    let (_, _, same_device) = Scene::of(&scene.platform);
    assert!(matches!(memory.release(&same_device), Err(Error::Foreign { what: "memory", .. })));
}

#[test]
fn acquiring_and_releasing_arrive_with_their_lists_and_give_events() {
    let Some(scene) = scene("acquire and release") else { return };
    let queue = &scene.queue;
    let [one, two] =
        [64, 128].map(|size| import(&scene, Source::dma_buf(fd(), Object::buffer(size))).expect("the mock imports it"));
    let first = queue.acquire_memory_after(&[&one, &two], &[]).expect("the mock acquires them");
    assert!(one.is_acquired() && two.is_acquired());
    let second = queue.release_memory_after(&[&two, &one], &[&first]).expect("the mock releases them");
    second.wait().expect("the mock is through");
    assert!(!one.is_acquired() && !two.is_acquired());
    one.acquire(queue).expect("the mock acquires it");
    let call = |command, memory, events, event| {
        format!("{command}(command_queue=queue1, mem_objects={memory}, event_wait_list={events}, event={event}) = 0")
    };
    let acquired = [call(ACQUIRE, "[memory1, memory2]", "NULL", "wanted"), call(ACQUIRE, "[memory1]", "NULL", "NULL")];
    assert_eq!(scene.icd.calls(ACQUIRE), acquired);
    assert_eq!(scene.icd.calls(RELEASE), [call(RELEASE, "[memory2, memory1]", "[event1]", "wanted")]);
    queue.acquire_memory_after(&[], &[&second]).expect("none at all only waits");
    assert_eq!(last(&scene, ACQUIRE), call(ACQUIRE, "NULL", "[event2]", "wanted"));
    scene.icd.set(c"mock_gives_nothing", 1);
    let error = queue.release_memory_after(&[&one], &[]).expect_err("there is no event");
    assert!(matches!(error, Error::Nothing { .. }) && !one.is_acquired(), "it was released nevertheless: {error}");
    drop((first, second));
    assert_eq!(scene.icd.alive(Kind::Event), 0);
}

#[test]
fn acquiring_or_releasing_twice_is_refused_and_a_command_that_fails_changes_nothing() {
    let Some(scene) = scene("twice") else { return };
    let queue = &scene.queue;
    let [one, two] =
        [64, 128].map(|size| import(&scene, Source::opaque_fd(fd(), Object::buffer(size))).expect("the mock imports it"));
    let error = one.release(queue).expect_err("it is not acquired");
    assert!(matches!(error, Error::Transfer(Misuse::NotAcquired { .. })), "{error}");
    two.acquire(queue).expect("the mock acquires it");
    let error = queue.acquire_memory(&[&one, &two]).expect_err("one of them is acquired");
    assert!(matches!(error, Error::Transfer(Misuse::AcquiredTwice { .. })), "{error}");
    assert!(!one.is_acquired() && two.is_acquired(), "nothing changed");
    assert!(queue.acquire_memory(&[&one, &one]).is_err(), "the same twice in one command");
    assert_eq!((scene.icd.calls(ACQUIRE).len(), scene.icd.calls(RELEASE).len()), (1, 0));

    scene.icd.set(c"mock_garbage", 1);
    for code in [-5, -6, -34, -36, -38, -57, -14] {
        scene.icd.fail(ACQUIRE, code, 0, 1);
        scene.icd.fail(RELEASE, code, 0, 1);
        assert_eq!(one.acquire(queue).expect_err("the mock refuses").result(), Some(cl_result(code)));
        assert_eq!(two.release(queue).expect_err("the mock refuses").result(), Some(cl_result(code)));
        assert!(!one.is_acquired() && two.is_acquired(), "nothing changed");
    }
    // Somebody else released it by its raw handle, and says so.
    two.assume_acquired(false);
    two.acquire(queue).expect("it is not acquired any more");
}

#[test]
fn a15_a_kind_that_the_device_does_not_import_is_refused_with_those_that_it_does() {
    let prepare = |icd: &Icd| icd.answer(0, Some(0), IMPORT, &[HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.0, 0x7777]);
    let Some(scene) = Scene::with("opencl_runtime_memory: what is imported", 1, prepare) else { return };
    let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).expect_err("the device does not import it");
    let Error::Unsupported(unsupported) = error.error() else { panic!("{error}") };
    assert_eq!(unsupported.why, Obstacle::NotListed("CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"));
    let text = error.to_string();
    for part in ["CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR is not supported", "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR", "0x7777"] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert_eq!(scene.icd.calls(CREATE_BUFFER), Vec::<String>::new());
    assert!(error.into_fd().is_some());
}

/// NVIDIA's driver answers −30 to queries of extensions that it lists.
#[test]
fn a_device_that_refuses_to_say_is_asked_for_the_import_itself() {
    let Some(scene) = Scene::with("opencl_runtime_memory: refusals", 1, |icd| icd.refuse(0, Some(0), IMPORT, -30)) else { return };
    assert!(import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).is_ok());
}

#[test]
fn memory_for_several_devices_needs_each_of_them_to_import_the_kind() {
    let prepare = |icd: &Icd| icd.answer(0, Some(1), IMPORT, &[HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.0]);
    let Some(scene) = Scene::with("opencl_runtime_memory: several devices", 2, prepare) else { return };
    let source = || Source::opaque_fd(fd(), Object::buffer(64));
    assert!(matches!(import(&scene, source()).expect_err("the second does not").error(), Error::Unsupported(_)));
    import(&scene, source().devices(&scene.context.devices()[..1])).expect("it is for the first alone");
}

#[test]
fn an_extension_that_is_not_listed_is_missed_by_name() {
    let listed = "cl_khr_icd cl_khr_external_memory cl_khr_external_memory_opaque_fd";
    let Some(scene) = Scene::with("opencl_runtime_memory: extensions", 1, |icd| {
        icd.answer_text(0, None, cl_platform_info::CL_PLATFORM_EXTENSIONS.0, listed);
        icd.answer_text(0, Some(0), cl_device_info::CL_DEVICE_EXTENSIONS.0, listed);
    }) else {
        return;
    };
    assert!(import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).is_ok());
    let error = import(&scene, Source::dma_buf(fd(), Object::buffer(64))).expect_err("it is not listed");
    assert!(matches!(error.error(), Error::Missing(_)), "{error}");
    assert!(error.to_string().contains("needs the extension cl_khr_external_memory_dma_buf"), "{error}");
}

#[test]
fn what_cannot_be_released_is_not_imported() {
    let Some(scene) = Scene::with("opencl_runtime_memory: commands", 1, |icd| icd.lacks(RELEASE)) else { return };
    let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).expect_err("it could not be released");
    assert!(error.to_string().contains(RELEASE), "{error}");
    assert_eq!(scene.icd.calls(CREATE_BUFFER), Vec::<String>::new());
}

#[test]
fn a35_handles_of_windows_are_refused_elsewhere_before_the_driver_is_called() {
    let Some(scene) = scene("Windows") else { return };
    let mut units = [0; 16];
    let name = Utf16Name::encode("Global\\é", &mut units).expect("it fits");
    let by_name = Source::opaque_win32_name(name, Object::buffer(64));
    let by_kmt = Source::opaque_win32_kmt(0x4000_0001, Object::buffer(64));
    for source in [by_name, by_kmt] {
        let error = import(&scene, source).expect_err("this is no Windows");
        let missing_or_unsupported = matches!(error.error(), Error::Missing(_) | Error::Unsupported(_));
        assert!(missing_or_unsupported, "{error}");
    }
    assert_eq!(scene.icd.calls(CREATE_BUFFER), Vec::<String>::new());
    let mut too_short = [0; 4];
    assert!(Utf16Name::encode("Global\\é", &mut too_short).is_err());
    assert!(Utf16Name::encode("a\0b", &mut units).is_err(), "a name ends at its first zero");
}

#[test]
fn an_android_buffer_brings_its_own_size_and_an_image_its_format() {
    let every = [HandleType::CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR.0];
    let listed = "cl_khr_icd cl_khr_external_memory cl_khr_external_memory_android_hardware_buffer";
    let Some(scene) = Scene::with("opencl_runtime_memory: Android", 1, |icd| {
        icd.answer(0, Some(0), IMPORT, &every);
        icd.answer_text(0, None, cl_platform_info::CL_PLATFORM_EXTENSIONS.0, listed);
    }) else {
        return;
    };
    let buffer = ptr::without_provenance_mut(0xA4B0);
    // SAFETY: the mock does not follow it.
    let _memory = import(&scene, unsafe { Source::android_hardware_buffer(buffer) }).expect("the mock imports it");
    let list = "properties=[0x2070, 0xa4b0, 0x0], flags=0x1";
    assert_eq!(last(&scene, CREATE_BUFFER), format!("{CREATE_BUFFER}(context=context1, {list}, size=0, host_ptr=NULL) = 0"));
    // SAFETY: as above.
    let _image = import(&scene, unsafe { Source::android_hardware_image(buffer) }).expect("the mock imports it");
    let call = format!("{CREATE_IMAGE}(context=context1, {list}, image_format=NULL, image_desc=NULL, host_ptr=NULL) = 0");
    assert_eq!(last(&scene, CREATE_IMAGE), call);
    // SAFETY: as above.
    let error = import(&scene, unsafe { Source::android_hardware_buffer(ptr::null_mut()) }).expect_err("null is none");
    assert!(matches!(error.error(), Error::Invalid(_)), "{error}");
}

#[test]
fn flags_that_make_use_of_the_hosts_memory_are_refused() {
    let Some(scene) = scene("flags") else { return };
    for flag in [cl_mem_flags::CL_MEM_USE_HOST_PTR, cl_mem_flags::CL_MEM_COPY_HOST_PTR, cl_mem_flags::CL_MEM_ALLOC_HOST_PTR] {
        let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(64)).flags(flag)).expect_err("it has memory");
        assert!(error.to_string().contains("INVALID_VALUE/properties-lacks-properties"), "{error}");
    }
    assert_eq!(scene.icd.calls(CREATE_BUFFER), Vec::<String>::new());
}

#[test]
fn dropping_never_panics_and_raw_handles_change_hands() {
    let Some(scene) = scene("drop") else { return };
    let import = || import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).expect("the mock imports it");
    scene.icd.fail("clReleaseMemObject", -6, 0, 1);
    drop(import());
    assert_eq!(scene.icd.alive(Kind::Memory), 1, "the mock refused");
    let raw = import().into_raw();
    assert_eq!(scene.icd.alive(Kind::Memory), 2);
    let handle_type = HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
    // SAFETY: it was imported so, and is given away.
    let memory = unsafe { ExternalMemory::from_raw(&scene.context, raw, handle_type, Object::buffer(64), &[]) };
    let memory = memory.expect("the type is known");
    assert_eq!(memory.as_raw(), raw);
    memory.destroy().expect("the mock releases it");
    assert_eq!(scene.icd.alive(Kind::Memory), 1);
    // SAFETY: it is refused before anything is done with the handle.
    let unknown = unsafe { ExternalMemory::from_raw(&scene.context, raw, HandleType(0x7777), Object::buffer(64), &[]) };
    assert!(matches!(unknown, Err(Error::UnknownHandleType { value: 0x7777 })));
}
