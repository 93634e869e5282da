//! Who closes the descriptor that external memory is imported from, and what it refers to, in a process where nothing else opens any: each
//! test holds the lock, since numbers are shared.

use std::{
    os::{
        fd::{AsRawFd as _, OwnedFd, RawFd},
        unix::fs::MetadataExt as _,
    },
    sync::{Mutex, MutexGuard, PoisonError},
};

use clcu::{
    descriptor,
    opencl::{
        Error, ExternalMemory, ImportError, Semaphore,
        memory::{Image, Object, Source},
        semaphore,
    },
    sys::opencl::{cl_channel_order, cl_channel_type, cl_result},
};
use clcu_tests::{
    icd::Kind,
    scene::{Scene, fence, open_descriptors},
};

const CREATE_BUFFER: &str = "clCreateBufferWithProperties";

/// The lock, and a mock driver with one device.
fn scene(test: &str) -> Option<(MutexGuard<'static, ()>, Scene)> {
    static LOCK: Mutex<()> = Mutex::new(());
    let alone = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    Some((alone, Scene::new(&format!("opencl_runtime_memory_descriptors: {test}"))?))
}

fn import(scene: &Scene, source: Source<'_>) -> Result<ExternalMemory, ImportError> {
    ExternalMemory::import(&scene.context, source)
}

fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it is there, and there are numbers left").into()
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: asking about a number does nothing to it.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

fn rgba(width: usize, height: usize) -> Image {
    Image::new_2d(cl_channel_order::CL_RGBA, cl_channel_type::CL_UNORM_INT8, width, height)
}

#[test]
fn after_success_the_driver_has_closed_the_descriptor_and_its_number_is_left_alone() {
    let Some((_alone, scene)) = scene("ownership after success") else { return };
    let at_first = open_descriptors();
    let fd_of_memory = fd();
    let number = fd_of_memory.as_raw_fd();
    let memory = import(&scene, Source::dma_buf(fd_of_memory, Object::buffer(64))).expect("the mock imports it");
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
    let Some((_alone, scene)) = scene("ownership after failure") else { return };
    scene.icd.set(c"mock_garbage", 1);
    for code in [-4, -5, -6, -30, -33, -34, -37, -59, -61, -64, -12345] {
        scene.icd.fail(CREATE_BUFFER, code, 0, 1);
        let fd = fd();
        let number = fd.as_raw_fd();
        let error = import(&scene, Source::opaque_fd(fd, Object::buffer(64))).expect_err("the mock refuses");
        assert_eq!(error.error().result(), Some(cl_result(code)));
        assert!(error.to_string().contains(&format!("({code})")), "{error}");
        let back = error.into_fd().expect("it is the caller's");
        assert!(back.as_raw_fd() == number && is_open(number));
    }
    let calls = scene.icd.calls(CREATE_BUFFER).len();
    let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(0))).expect_err("nothing has no bytes");
    assert!(error.to_string().contains("INVALID_BUFFER_SIZE"), "{error}");
    assert_eq!(scene.icd.calls(CREATE_BUFFER).len(), calls, "the driver was not asked");
    let number = error.into_fd().map(|fd| fd.as_raw_fd()).expect("it is the caller's");
    assert!(!is_open(number), "who drops it closes it");
    assert_eq!(scene.icd.alive(Kind::Memory), 0);
}

#[test]
fn what_a_driver_closes_although_it_fails_comes_back_under_another_number() {
    let Some((_alone, scene)) = scene("closed on failure") else { return };
    let file = tempfile::tempfile().expect("a file can be made");
    let (before, handed) = (file.metadata().expect("it is open"), OwnedFd::from(file));
    let (number, open) = (handed.as_raw_fd(), open_descriptors());
    scene.icd.set(c"mock_closes_on_failure", 1);
    scene.icd.fail(CREATE_BUFFER, -6, 0, 1);
    let error = import(&scene, Source::dma_buf(handed, Object::buffer(64))).expect_err("the mock refuses");
    assert!(!is_open(number), "the mock closed it");
    let back = std::fs::File::from(error.into_fd().expect("it is the caller's"));
    let after = back.metadata().expect("it is open");
    assert_eq!((after.dev(), after.ino()), (before.dev(), before.ino()));
    assert_eq!(open_descriptors(), open);
}

#[test]
fn success_without_an_object_is_an_error_and_keeps_nothing() {
    let Some((_alone, scene)) = scene("nothing") else { return };
    let open = open_descriptors();
    scene.icd.set(c"mock_gives_nothing", 1);
    let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).expect_err("there is no object");
    assert!(matches!(error.error(), Error::Nothing { .. }), "{error}");
    assert!(error.into_fd().is_none(), "success says that the driver took it");
    assert_eq!(open_descriptors(), open);
}

/// A driver that fails without a word: no object, and `errcode_ret` as it was.
#[test]
fn a_failure_without_a_code_is_an_error_all_the_same() {
    let Some((_alone, scene)) = scene("silence") else { return };
    scene.icd.set(c"mock_silent", 1);
    scene.icd.fail(CREATE_BUFFER, -6, 0, 1);
    let error = import(&scene, Source::opaque_fd(fd(), Object::buffer(64))).expect_err("there is no object");
    assert!(matches!(error.error(), Error::Silent { .. }), "{error}");
    assert!(error.into_fd().is_some(), "nothing says that the driver took it");
}

#[test]
fn ten_thousand_failing_imports_leak_nothing_where_sixty_four_descriptors_are_allowed() {
    let Some((_alone, scene)) = scene("a limit") else { return };
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the result is written to memory that is ours.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut before) }, 0);
    let limit = libc::rlimit { rlim_cur: 64, ..before };
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    let at_first = open_descriptors();
    scene.icd.set(c"mock_quiet", 1);
    scene.icd.set(c"mock_garbage", 1);
    for round in 0..10_000 {
        // Of four: refused by the driver, which closes it or not; refused by a rule; refused by a capability.
        scene.icd.set(c"mock_closes_on_failure", i32::from(round % 4 == 1));
        let code = [-4, -5, -6, -61, -64, -12345][round % 6];
        scene.icd.fail(CREATE_BUFFER, code, 0, 0);
        let source = match round % 4 {
            2 => Source::opaque_fd(fd(), Object::buffer(0)),
            3 => Source::opaque_fd(fd(), rgba(8, 8).into()).linear(),
            _ => Source::dma_buf(fd(), Object::buffer(64)),
        };
        let error = import(&scene, source).expect_err("it fails");
        assert_eq!(error.error().result(), (round % 4 < 2).then_some(cl_result(code)));
    }
    assert_eq!(open_descriptors(), at_first);
    assert_eq!(scene.icd.alive(Kind::Memory), 0);
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const before) }, 0);
}

#[test]
fn a16_what_a_descriptor_refers_to_is_looked_at_where_it_is_asked_for() {
    let Some((_alone, scene)) = scene("kinds of descriptors") else { return };
    let (pipe, _writer) = std::io::pipe().expect("a pipe can be made");
    let file = tempfile::tempfile().expect("a file can be made");
    let eventfd = fence(false);
    for (fd, name) in [(OwnedFd::from(pipe), "pipe:["), (file.into(), "/"), (eventfd, "anon_inode:[eventfd] is not a dma-buf")] {
        let number = fd.as_raw_fd();
        let error = import(&scene, Source::dma_buf(fd, Object::buffer(64)).checking_descriptor()).expect_err("it is none");
        assert!(matches!(error.error(), Error::Descriptor(_)), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        let fd = error.into_fd().expect("it is the caller's");
        assert!(fd.as_raw_fd() == number && is_open(number), "it was not closed");
        let error =
            import(&scene, Source::opaque_fd(fd, Object::buffer(64)).checking_descriptor()).expect_err("no driver exports it");
        let fd = error.into_fd().expect("it is the caller's");
        import(&scene, Source::opaque_fd(fd, Object::buffer(64))).expect("nobody asked, and the mock takes it");
    }
    assert_eq!(scene.icd.calls(CREATE_BUFFER).len(), 3);
}

#[test]
fn a16_an_eventfd_a_pipe_and_a_file_are_no_semaphores_where_it_is_asked_for() {
    let Some((_alone, scene)) = scene("kinds of descriptors of semaphores") else { return };
    let (pipe, _writer) = std::io::pipe().expect("a pipe can be made");
    let file = tempfile::tempfile().expect("a file can be made");
    for fd in [OwnedFd::from(pipe), file.into(), fence(true)] {
        let number = fd.as_raw_fd();
        let error =
            Semaphore::import(&scene.context, semaphore::Source::sync_fd(fd).checking_descriptor()).expect_err("it is none");
        assert!(matches!(error.error(), Error::Descriptor(_)) && error.to_string().contains(" is not sync_file"), "{error}");
        let fd = error.into_fd().expect("it is the caller's");
        let source = semaphore::Source::opaque_fd(fd).checking_descriptor();
        let error = Semaphore::import(&scene.context, source).expect_err("no driver exports it");
        assert!(error.to_string().contains(" is not a semaphore of a driver"), "{error}");
        let fd = error.into_fd().expect("it is the caller's");
        assert!(fd.as_raw_fd() == number && is_open(number), "it was not closed");
        Semaphore::import(&scene.context, semaphore::Source::sync_fd(fd)).expect("nobody asked, and the mock takes it");
    }
    let already = semaphore::Source::sync_fd(semaphore::SyncFd::AlreadySignaled).checking_descriptor();
    Semaphore::import(&scene.context, already).expect("there is no descriptor to ask about");
    assert_eq!(scene.icd.calls("clCreateSemaphoreWithPropertiesKHR").len(), 4);
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
