//! External memory of OpenCL on a mock driver: what arrives there word for word, who owns the descriptor afterwards, and what is refused before
//! it is called. Each test holds a lock, since numbers of descriptors are shared by the process.

use std::{
    os::{
        fd::{AsRawFd as _, OwnedFd, RawFd},
        unix::fs::MetadataExt as _,
    },
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clcu::{
    descriptor,
    opencl::{
        Context, Device, Error, ExternalMemory, ImportError, Obstacle, Queue,
        memory::{self, Image, Misuse, Object, Source},
    },
    sys::{
        opencl::{
            cl_channel_order, cl_channel_type, cl_device_info, cl_external_memory_handle_type_khr as HandleType, cl_mem_flags,
            cl_platform_info, cl_result,
        },
        rules::Utf16Name,
    },
};
use clcu_tests::icd::{Icd, Kind};

const IMPORT: u32 = cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.0;
const LINEAR: u32 = cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR.0;
const CREATE_BUFFER: &str = "clCreateBufferWithProperties";
const CREATE_IMAGE: &str = "clCreateImageWithProperties";
const ACQUIRE: &str = "clEnqueueAcquireExternalMemObjectsKHR";
const RELEASE: &str = "clEnqueueReleaseExternalMemObjectsKHR";

/// A mock driver with a context of all its devices, and a queue of each.
struct Machine {
    icd: Icd,
    context: Context,
    queues: Vec<Queue>,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    fn of(test: &str, devices: i32, prepare: impl FnOnce(&Icd)) -> Option<Self> {
        static LOCK: Mutex<()> = Mutex::new(());
        let alone = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let icd = Icd::new(&format!("opencl_runtime_memory: {test}"))?;
        icd.set(c"mock_device_count", devices);
        prepare(&icd);
        let platform = icd.open().platforms().expect("the mock lists its platforms").usable.pop().expect("it has one");
        let platform = Arc::new(platform);
        let devices = Device::all(&platform).expect("the mock lists its devices");
        let context = Context::new(&platform, &devices).expect("the mock makes contexts");
        let queue = |device| Queue::new(&context, device).expect("the mock makes queues");
        let queues = devices.iter().map(queue).collect();
        Some(Self { icd, context, queues, _alone: alone })
    }

    fn new(test: &str) -> Option<Self> {
        Self::of(test, 1, |_| ())
    }

    fn import(&self, source: Source<'_>) -> Result<ExternalMemory, ImportError> {
        ExternalMemory::import(&self.context, source)
    }

    fn last(&self, command: &str) -> String {
        self.icd.calls(command).pop().unwrap_or_default()
    }
}

fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it is there, and there are numbers left").into()
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: asking about a number does nothing to it.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

/// How many descriptors this process has.
fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("this is Linux").count()
}

fn rgba(width: usize, height: usize) -> Image {
    Image::new_2d(cl_channel_order::CL_RGBA, cl_channel_type::CL_UNORM_INT8, width, height)
}

#[test]
fn a_buffer_is_made_of_each_kind_of_descriptor_and_the_list_arrives_word_for_word() {
    let Some(machine) = Machine::new("buffers") else { return };
    for (source, key) in [(Source::opaque_fd as fn(_, _) -> _, 0x2060), (Source::dma_buf, 0x2067)] {
        let fd = fd();
        let number = fd.as_raw_fd();
        let memory = machine.import(source(fd, Object::buffer(4096))).expect("the mock imports it");
        let call = format!(
            "{CREATE_BUFFER}(context=context1, properties=[{key:#x}, {number:#x}, 0x0], flags=0x1, size=4096, host_ptr=NULL) = 0"
        );
        assert_eq!(machine.last(CREATE_BUFFER), call);
        assert_eq!(memory.handle_type().value, Some(key));
        memory.destroy().expect("the mock releases it");
    }
    assert_eq!(machine.icd.alive(Kind::Memory), 0);
}

#[test]
fn an_image_arrives_with_its_format_and_extent_and_flags() {
    let Some(machine) = Machine::new("images") else { return };
    let image = rgba(1920, 1080).row_pitch(7680);
    let source = Source::dma_buf(fd(), image.into()).flags(cl_mem_flags::CL_MEM_READ_ONLY).linear();
    let memory = machine.import(source).expect("the mock imports it, and says that such images are linear");
    let call = machine.last(CREATE_IMAGE);
    for part in
        ["flags=0x4", "image_format={0x10b5, 0x10d2}", "image_desc={0x10f1, 1920, 1080, 0, 0, 7680, 0, 0, 0, (nil)}, host_ptr=NULL"]
    {
        assert!(call.contains(part), "{call:?} does not contain {part:?}");
    }
    assert!(matches!(memory.object(), Object::Image(image) if image.descriptor().image_width == 1920));
    drop(memory);

    let array = Image::new_1d(cl_channel_order::CL_R, cl_channel_type::CL_FLOAT, 64).array(5).slice_pitch(256);
    let _memory = machine.import(Source::dma_buf(fd(), array.into())).expect("the mock imports it");
    let call = machine.last(CREATE_IMAGE);
    assert!(call.contains("image_desc={0x10f5, 64, 0, 0, 5, 0, 256, 0, 0, (nil)}"), "{call}");
}

#[test]
fn an_image_that_has_to_be_linear_is_refused_where_no_device_says_so() {
    let Some(machine) = Machine::new("linear images") else { return };
    let image = || Object::from(rgba(64, 64));
    let error = machine.import(Source::opaque_fd(fd(), image()).linear()).expect_err("the mock lists dma-buf alone");
    let text = error.to_string();
    assert!(text.contains("CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR"), "{text}");
    assert!(text.contains("CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR"), "{text}");
    assert_eq!(machine.icd.calls(CREATE_IMAGE), Vec::<String>::new());
    assert!(machine.import(Source::opaque_fd(fd(), image())).is_ok(), "the layout is then the driver's own matter");
    machine.icd.refuse(0, Some(0), LINEAR, -30);
    assert!(machine.import(Source::opaque_fd(fd(), image()).linear()).is_ok(), "who refuses to say may do it");
}

#[test]
fn memory_is_for_the_devices_of_its_list_and_used_on_their_queues_alone() {
    let Some(machine) = Machine::of("device lists", 2, |_| ()) else { return };
    let devices = machine.context.devices();
    let source = Source::dma_buf(fd(), Object::buffer(64)).devices(&devices[1..]);
    let memory = machine.import(source).expect("the mock imports it");
    let list = format!(", 0x2051, {:#x}, 0x0, 0x0]", devices[1].as_raw().0.addr());
    assert!(machine.last(CREATE_BUFFER).contains(&list), "{}", machine.last(CREATE_BUFFER));
    let error = memory.acquire(&machine.queues[0], &[]).expect_err("it is not for this device");
    let Error::Invalid(invalid) = &error else { panic!("{error}") };
    let id = "opencl/clEnqueueAcquireExternalMemObjectsKHR/INVALID_COMMAND_QUEUE/command_queue+mem_objects-device-in-list";
    assert_eq!(invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect::<Vec<_>>(), [id]);
    assert_eq!(machine.icd.calls(ACQUIRE), Vec::<String>::new());
    memory.acquire(&machine.queues[1], &[]).expect("it is for this one");

    let for_all = machine.import(Source::dma_buf(fd(), Object::buffer(64))).expect("the mock imports it");
    for queue in &machine.queues {
        for_all.acquire(queue, &[]).expect("it is for all");
        for_all.release(queue, &[]).expect("it is for all");
    }
}

#[test]
fn a_queue_of_another_context_cannot_acquire_it() {
    let Some(machine) = Machine::of("other contexts", 2, |_| ()) else { return };
    let devices = machine.context.devices();
    let other = Context::new(machine.context.platform(), &devices[..1]).expect("the mock makes contexts");
    let memory = ExternalMemory::import(&other, Source::dma_buf(fd(), Object::buffer(64))).expect("the mock imports it");
    let error = memory.acquire(&machine.queues[1], &[]).expect_err("the context does not have this device").to_string();
    assert!(error.contains("INVALID_COMMAND_QUEUE/mem_objects+command_queue-device-of-context"), "{error}");
}

#[test]
fn acquiring_and_releasing_arrive_with_their_lists_and_give_events() {
    let Some(machine) = Machine::new("acquire and release") else { return };
    let queue = &machine.queues[0];
    let [one, two] =
        [64, 128].map(|size| machine.import(Source::dma_buf(fd(), Object::buffer(size))).expect("the mock imports it"));
    let first = memory::acquire(queue, &[&one, &two], &[]).expect("the mock acquires them");
    assert!(one.is_acquired() && two.is_acquired());
    let second = memory::release(queue, &[&two, &one], &[first.clone()]).expect("the mock releases them");
    second.wait().expect("the mock is through");
    assert!(!one.is_acquired() && !two.is_acquired());
    let call = |command, memory, events| {
        format!("{command}(command_queue=queue1, mem_objects={memory}, event_wait_list={events}, event=wanted) = 0")
    };
    assert_eq!(machine.icd.calls(ACQUIRE), [call(ACQUIRE, "[memory1, memory2]", "NULL")]);
    assert_eq!(machine.icd.calls(RELEASE), [call(RELEASE, "[memory2, memory1]", "[event1]")]);
    memory::acquire(queue, &[], &[second.clone()]).expect("none at all only waits");
    assert_eq!(machine.last(ACQUIRE), call(ACQUIRE, "NULL", "[event2]"));
    drop((first, second));
    assert_eq!(machine.icd.alive(Kind::Event), 0);
}

#[test]
fn acquiring_or_releasing_twice_is_refused_and_a_command_that_fails_changes_nothing() {
    let Some(machine) = Machine::new("twice") else { return };
    let queue = &machine.queues[0];
    let [one, two] =
        [64, 128].map(|size| machine.import(Source::opaque_fd(fd(), Object::buffer(size))).expect("the mock imports it"));
    let error = one.release(queue, &[]).expect_err("it is not acquired");
    assert!(matches!(error, Error::Transfer(Misuse::NotAcquired { .. })), "{error}");
    two.acquire(queue, &[]).expect("the mock acquires it");
    let error = memory::acquire(queue, &[&one, &two], &[]).expect_err("one of them is acquired");
    assert!(matches!(error, Error::Transfer(Misuse::AcquiredTwice { .. })), "{error}");
    assert!(!one.is_acquired() && two.is_acquired(), "nothing changed");
    assert!(memory::acquire(queue, &[&one, &one], &[]).is_err(), "the same twice in one command");
    assert_eq!((machine.icd.calls(ACQUIRE).len(), machine.icd.calls(RELEASE).len()), (1, 0));

    machine.icd.set(c"mock_garbage", 1);
    for code in [-5, -6, -34, -36, -38, -57, -14] {
        machine.icd.fail(ACQUIRE, code, 0, 1);
        machine.icd.fail(RELEASE, code, 0, 1);
        assert_eq!(one.acquire(queue, &[]).expect_err("the mock refuses").result(), Some(cl_result(code)));
        assert_eq!(two.release(queue, &[]).expect_err("the mock refuses").result(), Some(cl_result(code)));
        assert!(!one.is_acquired() && two.is_acquired(), "nothing changed");
    }
    // Somebody else released it by its raw handle, and says so.
    two.assume_acquired(false);
    two.acquire(queue, &[]).expect("it is not acquired any more");
}

#[test]
fn after_success_the_driver_has_closed_the_descriptor_and_its_number_is_left_alone() {
    let Some(machine) = Machine::new("ownership after success") else { return };
    let at_first = open_descriptors();
    let fd_of_memory = fd();
    let number = fd_of_memory.as_raw_fd();
    let memory = machine.import(Source::dma_buf(fd_of_memory, Object::buffer(64))).expect("the mock imports it");
    assert!(!is_open(number), "the driver closes it");
    let reused = fd();
    assert_eq!(reused.as_raw_fd(), number, "the number is reused");
    drop(memory);
    assert!(is_open(number), "nobody closed it a second time");
    drop(reused);
    assert_eq!(open_descriptors(), at_first);
}

#[test]
fn after_a_failure_the_descriptor_comes_back_whatever_the_code() {
    let Some(machine) = Machine::new("ownership after failure") else { return };
    machine.icd.set(c"mock_garbage", 1);
    for code in [-4, -5, -6, -30, -33, -34, -37, -59, -61, -64, -12345] {
        machine.icd.fail(CREATE_BUFFER, code, 0, 1);
        let fd = fd();
        let number = fd.as_raw_fd();
        let error = machine.import(Source::opaque_fd(fd, Object::buffer(64))).expect_err("the mock refuses");
        assert_eq!(error.error().result(), Some(cl_result(code)));
        assert!(error.to_string().contains(&format!("({code})")), "{error}");
        let back = error.into_fd().expect("it is the caller's");
        assert!(back.as_raw_fd() == number && is_open(number));
    }
    let calls = machine.icd.calls(CREATE_BUFFER).len();
    let error = machine.import(Source::opaque_fd(fd(), Object::buffer(0))).expect_err("nothing has no bytes");
    assert!(error.to_string().contains("INVALID_BUFFER_SIZE"), "{error}");
    assert_eq!(machine.icd.calls(CREATE_BUFFER).len(), calls, "the driver was not asked");
    let number = error.into_fd().map(|fd| fd.as_raw_fd()).expect("it is the caller's");
    assert!(!is_open(number), "who drops it closes it");
    assert_eq!(machine.icd.alive(Kind::Memory), 0);
}

#[test]
fn what_a_driver_closes_although_it_fails_comes_back_under_another_number() {
    let Some(machine) = Machine::new("closed on failure") else { return };
    let file = tempfile::tempfile().expect("a file can be made");
    let (before, handed) = (file.metadata().expect("it is open"), OwnedFd::from(file));
    let (number, open) = (handed.as_raw_fd(), open_descriptors());
    machine.icd.set(c"mock_closes_on_failure", 1);
    machine.icd.fail(CREATE_BUFFER, -6, 0, 1);
    let error = machine.import(Source::dma_buf(handed, Object::buffer(64))).expect_err("the mock refuses");
    assert!(!is_open(number), "the mock closed it");
    let back = std::fs::File::from(error.into_fd().expect("it is the caller's"));
    let after = back.metadata().expect("it is open");
    assert_eq!((after.dev(), after.ino()), (before.dev(), before.ino()));
    assert_eq!(open_descriptors(), open);
}

#[test]
fn success_without_an_object_is_an_error_and_keeps_nothing() {
    let Some(machine) = Machine::new("nothing") else { return };
    let open = open_descriptors();
    machine.icd.set(c"mock_gives_nothing", 1);
    let error = machine.import(Source::opaque_fd(fd(), Object::buffer(64))).expect_err("there is no object");
    assert!(matches!(error.error(), Error::Nothing { .. }), "{error}");
    assert!(error.into_fd().is_none(), "success says that the driver took it");
    assert_eq!(open_descriptors(), open);
}

/// A driver that fails without a word: no object, and `errcode_ret` as it was.
#[test]
fn a_failure_without_a_code_is_an_error_all_the_same() {
    let Some(machine) = Machine::new("silence") else { return };
    machine.icd.set(c"mock_silent", 1);
    machine.icd.fail(CREATE_BUFFER, -6, 0, 1);
    let error = machine.import(Source::opaque_fd(fd(), Object::buffer(64))).expect_err("there is no object");
    assert!(matches!(error.error(), Error::Silent { .. }), "{error}");
    assert!(error.into_fd().is_some(), "nothing says that the driver took it");
}

#[test]
fn ten_thousand_failing_imports_leak_nothing_where_sixty_four_descriptors_are_allowed() {
    let Some(machine) = Machine::new("a limit") else { return };
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the result is written to memory that is ours.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut before) }, 0);
    let limit = libc::rlimit { rlim_cur: 64, ..before };
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    let at_first = open_descriptors();
    machine.icd.set(c"mock_quiet", 1);
    machine.icd.set(c"mock_garbage", 1);
    for round in 0..10_000 {
        // Of four: refused by the driver, which closes it or not; refused by a rule; refused by a capability.
        machine.icd.set(c"mock_closes_on_failure", i32::from(round % 4 == 1));
        let code = [-4, -5, -6, -61, -64, -12345][round % 6];
        machine.icd.fail(CREATE_BUFFER, code, 0, 0);
        let source = match round % 4 {
            2 => Source::opaque_fd(fd(), Object::buffer(0)),
            3 => Source::opaque_fd(fd(), rgba(8, 8).into()).linear(),
            _ => Source::dma_buf(fd(), Object::buffer(64)),
        };
        let error = machine.import(source).expect_err("it fails");
        assert_eq!(error.error().result(), (round % 4 < 2).then_some(cl_result(code)));
    }
    assert_eq!(open_descriptors(), at_first);
    assert_eq!(machine.icd.alive(Kind::Memory), 0);
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const before) }, 0);
}

#[test]
fn a15_a_kind_that_the_device_does_not_import_is_refused_with_those_that_it_does() {
    let prepare = |icd: &Icd| icd.answer(0, Some(0), IMPORT, &[HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.0, 0x7777]);
    let Some(machine) = Machine::of("what is imported", 1, prepare) else { return };
    let error = machine.import(Source::opaque_fd(fd(), Object::buffer(64))).expect_err("the device does not import it");
    let Error::Unsupported(unsupported) = error.error() else { panic!("{error}") };
    assert_eq!(unsupported.why, Obstacle::NotListed("CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"));
    let text = error.to_string();
    for part in ["CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR is not supported", "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR", "0x7777"] {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
    assert_eq!(machine.icd.calls(CREATE_BUFFER), Vec::<String>::new());
    assert!(error.into_fd().is_some());
}

/// NVIDIA's driver answers −30 to queries of extensions that it lists.
#[test]
fn a_device_that_refuses_to_say_is_asked_for_the_import_itself() {
    let Some(machine) = Machine::of("refusals", 1, |icd| icd.refuse(0, Some(0), IMPORT, -30)) else { return };
    assert!(machine.import(Source::opaque_fd(fd(), Object::buffer(64))).is_ok());
}

#[test]
fn memory_for_several_devices_needs_each_of_them_to_import_the_kind() {
    let prepare = |icd: &Icd| icd.answer(0, Some(1), IMPORT, &[HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.0]);
    let Some(machine) = Machine::of("several devices", 2, prepare) else { return };
    let source = || Source::opaque_fd(fd(), Object::buffer(64));
    assert!(matches!(machine.import(source()).expect_err("the second does not").error(), Error::Unsupported(_)));
    machine.import(source().devices(&machine.context.devices()[..1])).expect("it is for the first alone");
}

#[test]
fn an_extension_that_is_not_listed_is_missed_by_name() {
    let listed = "cl_khr_icd cl_khr_external_memory cl_khr_external_memory_opaque_fd";
    let Some(machine) = Machine::of("extensions", 1, |icd| {
        icd.answer_text(0, None, cl_platform_info::CL_PLATFORM_EXTENSIONS.0, listed);
        icd.answer_text(0, Some(0), cl_device_info::CL_DEVICE_EXTENSIONS.0, listed);
    }) else {
        return;
    };
    assert!(machine.import(Source::opaque_fd(fd(), Object::buffer(64))).is_ok());
    let error = machine.import(Source::dma_buf(fd(), Object::buffer(64))).expect_err("it is not listed");
    assert!(matches!(error.error(), Error::Missing(_)), "{error}");
    assert!(error.to_string().contains("needs the extension cl_khr_external_memory_dma_buf"), "{error}");
}

#[test]
fn what_cannot_be_released_is_not_imported() {
    let Some(machine) = Machine::of("commands", 1, |icd| icd.lacks(RELEASE)) else { return };
    let error = machine.import(Source::opaque_fd(fd(), Object::buffer(64))).expect_err("it could not be released");
    assert!(error.to_string().contains(RELEASE), "{error}");
    assert_eq!(machine.icd.calls(CREATE_BUFFER), Vec::<String>::new());
}

#[test]
fn a35_handles_of_windows_are_refused_elsewhere_before_the_driver_is_called() {
    let Some(machine) = Machine::new("Windows") else { return };
    let mut units = [0; 16];
    let name = Utf16Name::encode("Global\\é", &mut units).expect("it fits");
    let by_name = Source::opaque_win32_name(name, Object::buffer(64));
    let by_kmt = Source::opaque_win32_kmt(0x4000_0001, Object::buffer(64));
    for source in [by_name, by_kmt] {
        let error = machine.import(source).expect_err("this is no Windows");
        let missing_or_unsupported = matches!(error.error(), Error::Missing(_) | Error::Unsupported(_));
        assert!(missing_or_unsupported, "{error}");
    }
    assert_eq!(machine.icd.calls(CREATE_BUFFER), Vec::<String>::new());
    let mut too_short = [0; 4];
    assert!(Utf16Name::encode("Global\\é", &mut too_short).is_err());
    assert!(Utf16Name::encode("a\0b", &mut units).is_err(), "a name ends at its first zero");
}

#[test]
fn an_android_buffer_brings_its_own_size_and_an_image_its_format() {
    let every = [HandleType::CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR.0];
    let listed = "cl_khr_icd cl_khr_external_memory cl_khr_external_memory_android_hardware_buffer";
    let Some(machine) = Machine::of("Android", 1, |icd| {
        icd.answer(0, Some(0), IMPORT, &every);
        icd.answer_text(0, None, cl_platform_info::CL_PLATFORM_EXTENSIONS.0, listed);
    }) else {
        return;
    };
    let buffer = ptr::without_provenance_mut(0xA4B0);
    // SAFETY: the mock does not follow it.
    let _memory = machine.import(unsafe { Source::android_hardware_buffer(buffer) }).expect("the mock imports it");
    let list = "properties=[0x2070, 0xa4b0, 0x0], flags=0x1";
    assert_eq!(machine.last(CREATE_BUFFER), format!("{CREATE_BUFFER}(context=context1, {list}, size=0, host_ptr=NULL) = 0"));
    // SAFETY: as above.
    let _image = machine.import(unsafe { Source::android_hardware_image(buffer) }).expect("the mock imports it");
    let call = format!("{CREATE_IMAGE}(context=context1, {list}, image_format=NULL, image_desc=NULL, host_ptr=NULL) = 0");
    assert_eq!(machine.last(CREATE_IMAGE), call);
    // SAFETY: as above.
    let error = machine.import(unsafe { Source::android_hardware_buffer(ptr::null_mut()) }).expect_err("null is none");
    assert!(matches!(error.error(), Error::Invalid(_)), "{error}");
}

#[test]
fn a16_what_a_descriptor_refers_to_is_looked_at_where_it_is_asked_for() {
    let Some(machine) = Machine::new("kinds of descriptors") else { return };
    let (pipe, _writer) = std::io::pipe().expect("a pipe can be made");
    let file = tempfile::tempfile().expect("a file can be made");
    // SAFETY: no pointer is passed.
    let eventfd = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) };
    for (fd, name) in [(OwnedFd::from(pipe), "pipe:["), (file.into(), "/"), (eventfd, "anon_inode:[eventfd] is not a dma-buf")] {
        let number = fd.as_raw_fd();
        let error = machine.import(Source::dma_buf(fd, Object::buffer(64)).checking_descriptor()).expect_err("it is none");
        assert!(matches!(error.error(), Error::Descriptor(_)), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        let fd = error.into_fd().expect("it is the caller's");
        assert!(fd.as_raw_fd() == number && is_open(number), "it was not closed");
        let error =
            machine.import(Source::opaque_fd(fd, Object::buffer(64)).checking_descriptor()).expect_err("no driver exports it");
        let fd = error.into_fd().expect("it is the caller's");
        machine.import(Source::opaque_fd(fd, Object::buffer(64))).expect("nobody asked, and the mock takes it");
    }
    assert_eq!(machine.icd.calls(CREATE_BUFFER).len(), 3);
}

#[test]
fn a16_a_sync_file_has_one_kind_and_an_opaque_descriptor_is_the_drivers_own_matter() {
    let rows = clcu::sys::cuda::HANDLE_TYPES.iter().chain(clcu::sys::opencl::HANDLE_TYPES);
    let rows: Vec<_> = rows.filter(|row| matches!(row.short, "SYNC_FD" | "OPAQUE_FD" | "TIMELINE_SEMAPHORE_FD")).collect();
    assert_eq!(rows.len(), 6, "three of CUDA, three of OpenCL");
    let (pipe, _writer) = std::io::pipe().expect("a pipe can be made");
    let device = fd();
    for row in rows {
        let error = descriptor::check(&pipe, row).expect_err("no driver exports a pipe").to_string();
        assert!(error.contains(row.name) && error.starts_with("pipe:["), "{error}");
        let verdict = descriptor::check(&device, row);
        assert_eq!(verdict.is_ok(), row.short != "SYNC_FD", "{}: some drivers' opaque descriptors are of their device", row.name);
    }
    assert!(is_open(pipe.as_raw_fd()) && is_open(device.as_raw_fd()));
}

#[test]
fn flags_that_make_use_of_the_hosts_memory_are_refused() {
    let Some(machine) = Machine::new("flags") else { return };
    for flag in [cl_mem_flags::CL_MEM_USE_HOST_PTR, cl_mem_flags::CL_MEM_COPY_HOST_PTR, cl_mem_flags::CL_MEM_ALLOC_HOST_PTR] {
        let error = machine.import(Source::opaque_fd(fd(), Object::buffer(64)).flags(flag)).expect_err("it has memory");
        assert!(error.to_string().contains("INVALID_VALUE/properties-lacks-properties"), "{error}");
    }
    assert_eq!(machine.icd.calls(CREATE_BUFFER), Vec::<String>::new());
}

#[test]
fn dropping_never_panics_and_raw_handles_change_hands() {
    let Some(machine) = Machine::new("drop") else { return };
    let import = || machine.import(Source::opaque_fd(fd(), Object::buffer(64))).expect("the mock imports it");
    machine.icd.fail("clReleaseMemObject", -6, 0, 1);
    drop(import());
    assert_eq!(machine.icd.alive(Kind::Memory), 1, "the mock refused");
    let raw = import().into_raw();
    assert_eq!(machine.icd.alive(Kind::Memory), 2);
    let handle_type = HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
    // SAFETY: it was imported so, and is given away.
    let memory = unsafe { ExternalMemory::from_raw(&machine.context, raw, handle_type, Object::buffer(64), &[]) };
    let memory = memory.expect("the type is known");
    assert_eq!(memory.as_raw(), raw);
    memory.destroy().expect("the mock releases it");
    assert_eq!(machine.icd.alive(Kind::Memory), 1);
    // SAFETY: it is refused before anything is done with the handle.
    let unknown = unsafe { ExternalMemory::from_raw(&machine.context, raw, HandleType(0x7777), Object::buffer(64), &[]) };
    assert!(matches!(unknown, Err(Error::UnknownHandleType { value: 0x7777 })));
}
