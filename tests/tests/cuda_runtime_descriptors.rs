//! Who closes a file descriptor, in a process where nothing else opens any: each test holds the lock, since numbers are shared.

use std::{
    os::{
        fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd},
        unix::fs::MetadataExt as _,
    },
    sync::{Mutex, MutexGuard, PoisonError},
};

use clcu::{
    cuda::{
        Error, ExternalMemory, ExternalSemaphore,
        memory::Source as MemorySource,
        semaphore::{Fence, Source, Tracking},
    },
    descriptor,
    sys::cuda::{CUexternalSemaphoreHandleType, CUresult},
};
use clcu_tests::mock::{self, Opened};

fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
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

fn open(test: &str) -> Option<Opened> {
    mock::cuda().open(test)
}

/// A01: the number is reused at once, and nobody closes what has it now.
#[test]
fn after_success_the_driver_has_closed_the_descriptor_and_its_number_is_left_alone() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: success") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let semaphore_fd = fd();
    let number = semaphore_fd.as_raw_fd();
    let semaphore = ExternalSemaphore::import(&current, Source::opaque_fd(semaphore_fd)).expect("the mock imports it");
    assert!(!is_open(number), "the driver closes it");
    let reused = fd();
    assert_eq!(reused.as_raw_fd(), number, "the number is reused");
    drop(semaphore);
    assert!(is_open(number), "nobody closed it a second time");

    let memory_fd = fd();
    let number = memory_fd.as_raw_fd();
    let memory = ExternalMemory::import(&current, MemorySource::opaque_fd(memory_fd, 4096)).expect("the mock imports it");
    let reused = fd();
    assert_eq!(reused.as_raw_fd(), number, "the number is reused");
    memory.destroy().expect("the mock destroys it");
    assert!(is_open(number), "nobody closed it a second time");
}

#[test]
fn after_a_failure_the_same_descriptor_comes_back_open() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: failure") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_fail_cuImportExternalSemaphore", 999);
    driver.mock.set(c"mock_fail_cuImportExternalMemory", 1);
    let first = fd();
    let number = first.as_raw_fd();
    let error = ExternalSemaphore::import(&current, Source::opaque_fd(first)).expect_err("the mock refuses");
    let back = error.into_fd().expect("it is the caller's");
    assert_eq!(back.as_raw_fd(), number);
    let error = ExternalMemory::import(&current, MemorySource::opaque_fd(back, 4096)).expect_err("the mock refuses");
    let back = error.into_fd().expect("it is the caller's");
    assert!(back.as_raw_fd() == number && is_open(number));
    let error = ExternalMemory::import(&current, MemorySource::opaque_fd(back, 0)).expect_err("nothing has no bytes");
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 1);
    drop(error);
    assert!(!is_open(number), "who drops the error drops the descriptor");
}

/// A30: nothing is left of an import that fails.
#[test]
fn ten_thousand_failing_imports_leak_nothing_where_sixty_four_descriptors_are_allowed() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: a limit") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the result is written to memory that is ours.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut before) }, 0);
    let limit = libc::rlimit { rlim_cur: 64, ..before };
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    let at_first = open_descriptors();
    driver.mock.set(c"mock_garbage", 1);
    for code in [1, 2, 3, 4, 201, 304, 400, 801, 999, 12345] {
        driver.mock.set(c"mock_fail_cuImportExternalSemaphore", code);
        driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedBuffer", code);
        for round in 0..1500 {
            // Of three, a semaphore is not imported, memory is not imported, memory is imported and not mapped.
            driver.mock.set(c"mock_fail_cuImportExternalMemory", if round % 3 == 1 { code } else { 0 });
            let error: Error = match round % 3 {
                0 => {
                    ExternalSemaphore::<Fence>::import(&current, Source::timeline_semaphore_fd(fd())).expect_err("it fails").into()
                }
                _ => {
                    ExternalMemory::import_and_map(&current, MemorySource::opaque_fd(fd(), 64), 0, 64).expect_err("it fails").into()
                }
            };
            assert_eq!(error.result(), Some(CUresult(code.cast_unsigned())));
        }
    }
    assert_eq!(open_descriptors(), at_first);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
    // SAFETY: the argument is good for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const before) }, 0);
}

/// Driver 580 closes the descriptor of memory that it does not recognise, and no other.
#[test]
fn what_a_driver_closes_although_it_fails_comes_back_under_another_number_and_is_not_closed_twice() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: closed on failure") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let file = tempfile::tempfile().expect("a file can be made");
    let (before, handed) = (file.metadata().expect("it is open"), OwnedFd::from(file));
    let number = handed.as_raw_fd();
    let open = open_descriptors();
    driver.mock.set(c"mock_fail_cuImportExternalMemory", 999);
    let error = ExternalMemory::import(&current, MemorySource::opaque_fd(handed, 4096)).expect_err("the mock refuses");
    assert!(!is_open(number), "the mock closes it");
    let stranger = fd();
    assert_eq!(stranger.as_raw_fd(), number, "the number is somebody else's");
    let back = std::fs::File::from(error.into_fd().expect("the file is the caller's"));
    let after = back.metadata().expect("it is open");
    assert_eq!((after.dev(), after.ino()), (before.dev(), before.ino()), "it is the same file");
    drop(back);
    assert!(is_open(number), "nobody closed the stranger's descriptor");
    drop(stranger);
    assert_eq!(open_descriptors(), open - 1);
}

/// D09: the caller's descriptor is gone only when both import and mapping succeeded.
#[test]
fn a_mapping_that_fails_gives_back_the_descriptor_and_destroys_what_was_imported() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: import and map") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedBuffer", 2);
    let fd = fd();
    let number = fd.as_raw_fd();
    let error = ExternalMemory::import_and_map(&current, MemorySource::opaque_fd(fd, 4096), 0, 4096).expect_err("the mock refuses");
    assert_eq!(error.error().result(), Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    let back = error.into_fd().expect("it is the caller's");
    assert!(back.as_raw_fd() == number && is_open(number));
    assert_eq!(driver.mock.number(c"mock_alive"), 0, "what was imported is destroyed");

    let out_of_range =
        ExternalMemory::import_and_map(&current, MemorySource::opaque_fd(back, 4096), 4000, 97).expect_err("97 bytes too far");
    assert!(matches!(out_of_range.error(), Error::OutOfRange { offset: 4000, length: 97, size: 4096 }), "{out_of_range}");
    let back = out_of_range.into_fd().expect("it is the caller's");

    driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedBuffer", 0);
    let open = open_descriptors();
    let mapped = ExternalMemory::import_and_map(&current, MemorySource::opaque_fd(back, 4096), 0, 4096).expect("the mock maps it");
    assert!(!is_open(number), "both succeeded, so the descriptor is gone");
    assert_eq!(open_descriptors(), open - 1);
    mapped.destroy().expect("the mock destroys it");
    assert_eq!(driver.mock.log()[driver.mock.log().len() - 2..], ["cuMemFree", "cuDestroyExternalMemory"]);
}

#[test]
fn a_descriptor_of_which_nobody_says_who_closes_it_is_left_alone() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: dma-buf") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let fd = fd();
    let dma_buf = clcu::sys::cuda::CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
    let error = ExternalMemory::import(&current, MemorySource::from_fd(dma_buf, fd, 4096)).expect_err("its owner is unspecified");
    assert!(error.to_string().contains("upstream does not say who closes it"), "{error}");
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 0);
    let number = error.into_fd().expect("it is the caller's").into_raw_fd();
    // SAFETY: it is open until the import returned; whether the driver closed it is asked below.
    let memory = ExternalMemory::import(&current, unsafe { MemorySource::dmabuf_fd(number, 4096) }).expect("the mock imports it");
    drop(memory);
    assert!(is_open(number), "this mock leaves it open, and so does the runtime");
    // SAFETY: it is open, as was just asked, and nobody else's.
    drop(unsafe { OwnedFd::from_raw_fd(number) });
}

#[test]
fn a_hundred_imports_and_destructions_leak_neither_descriptors_nor_objects() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: cycles") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let before = open_descriptors();
    for _ in 0..100 {
        let source = Source::timeline_semaphore_fd(fd()).tracking(Tracking::Off);
        drop(ExternalSemaphore::import(&current, source).expect("the mock imports it"));
    }
    assert_eq!((open_descriptors(), driver.mock.number(c"mock_alive")), (before, 0));
}

/// A16: who asks for it gets a pipe refused, and a number that is not open, before the driver answers `CUDA_ERROR_UNKNOWN`.
#[test]
fn a16_an_import_that_looks_at_its_descriptor_refuses_what_no_driver_exports() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: looking") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let pipe = || OwnedFd::from(std::io::pipe().expect("a pipe can be made").0);
    let (semaphore, memory) = (pipe(), pipe());
    let numbers = [semaphore.as_raw_fd(), memory.as_raw_fd()];
    let source = Source::timeline_semaphore_fd(semaphore).checking_descriptor();
    let error = ExternalSemaphore::import(&current, source).expect_err("it is a pipe");
    assert!(error.to_string().contains("is not a semaphore of a driver"), "{error}");
    assert!(matches!(error.error(), clcu::cuda::Error::Descriptor(_)));
    let semaphore = error.into_fd().expect("it comes back");
    let error = ExternalMemory::import(&current, MemorySource::opaque_fd(memory, 4096).checking_descriptor());
    let memory = error.expect_err("it is a pipe").into_fd().expect("it comes back");
    assert_eq!([semaphore.as_raw_fd(), memory.as_raw_fd()], numbers);
    // A number that nothing has, as raw descriptors carry them.
    let row = clcu::cuda::kind::of_semaphore(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
    let wrong = descriptor::check_number(9999, row.expect("the table has it")).expect_err("it is not open");
    assert!(wrong.to_string().starts_with("a number that no open descriptor has is not"), "{wrong}");
    // SAFETY: the number is not open, which is what is to be found.
    let source = unsafe { MemorySource::dmabuf_fd(9999, 4096) }.checking_descriptor();
    let error = ExternalMemory::import(&current, source).expect_err("it is not open");
    assert!(matches!(error.error(), clcu::cuda::Error::Descriptor(wrong) if wrong.found == descriptor::Kind::Closed), "{error}");
    assert_eq!(driver.mock.calls("cuImportExternalSemaphore") + driver.mock.calls("cuImportExternalMemory"), 0);
    // What passes is imported as ever: a device is the driver's own matter.
    let device = std::fs::File::open("/dev/null").expect("it is there");
    let source = Source::timeline_semaphore_fd(device.into()).checking_descriptor();
    ExternalSemaphore::import(&current, source).expect("the mock imports it");
}

/// A16: a descriptor has a kind, which a driver may not look at. Who wants to know asks the system first.
#[test]
fn a16_what_cannot_be_a_handle_of_a_driver_is_told_by_its_kind_and_left_open() {
    let _alone = alone();
    let row = clcu::cuda::kind::of_semaphore(CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
    let row = row.expect("the table has it");
    // SAFETY: a new descriptor is the caller's.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, 0)) };
    let (reader, _writer) = std::io::pipe().expect("a pipe can be made");
    let file = tempfile::tempfile().expect("a file can be made");
    let strangers = [("anon_inode:[eventfd]", event), ("pipe:[", reader.into()), ("/", file.into())];
    for (kind, stranger) in strangers {
        let wrong = descriptor::check(&stranger, row).expect_err("no driver exports it");
        assert!(wrong.to_string().starts_with(kind), "{wrong}");
        assert!(wrong.to_string().contains("OPAQUE_FD takes; nothing was called, and the descriptor is untouched"), "{wrong}");
        assert!(is_open(stranger.as_raw_fd()));
    }
}

/// D09: what fails before the driver is asked, and what fails afterwards, give back the same number; no duplicate stays.
#[test]
fn d09_whatever_stops_an_import_that_maps_the_callers_own_number_comes_back_and_no_duplicate_stays() {
    let _alone = alone();
    let Some(driver) = open("cuda_runtime_descriptors: every way to fail") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let mut fd = fd();
    let (number, open) = (fd.as_raw_fd(), open_descriptors());
    for (variable, code, size) in [
        (c"mock_fail_cuImportExternalMemory", 0, 0),
        (c"mock_fail_cuImportExternalMemory", 1, 64),
        // The mock closes the descriptor that it was given, as driver 580 does: the duplicate.
        (c"mock_fail_cuImportExternalMemory", 999, 64),
        (c"mock_fail_cuExternalMemoryGetMappedBuffer", 2, 64),
        (c"mock_fail_cuExternalMemoryGetMappedBuffer", -1, 64),
        // Imported, and too small for what is to be mapped.
        (c"mock_fail_cuDestroyExternalMemory", 0, 32),
    ] {
        driver.mock.set(variable, code);
        let error = ExternalMemory::import_and_map(&current, MemorySource::opaque_fd(fd, size), 0, 64).expect_err("it fails");
        fd = error.into_fd().expect("it is the caller's");
        assert!(fd.as_raw_fd() == number && is_open(number), "{variable:?} {code}");
        assert_eq!(open_descriptors(), open, "{variable:?} {code}");
        driver.mock.set(variable, 0);
    }
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}
