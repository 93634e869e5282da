//! The driver and GPU that are installed here: what the mock stands for, once for real.
//!
//! Without a GPU each test says that it is skipped. `CLCU_REQUIRE=gpu` makes that a failure; `CLCU_REQUIRE=all` does not, because the machines
//! that ask for everything else have none.

use std::{
    env,
    fs::File,
    os::fd::{AsRawFd as _, OwnedFd},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clcu::{
    cuda::{
        Allocation, Context, Device, Error, ExternalMemory, ExternalSemaphore, Identity, Library, memory,
        semaphore::{Fence, Source},
    },
    sys::cuda::{CUmemAllocationHandleType, CUresult},
};

/// The primary context of the first device; `None`, having said so for `test`, where there is none.
fn context(test: &str) -> Option<Context> {
    let opened = || {
        let library = Library::open().map_err(|error| error.to_string())?;
        let device = Device::new(&Arc::new(library), 0).map_err(|error| error.to_string())?;
        Context::primary(&device).map_err(|error| error.to_string())
    };
    match opened() {
        Ok(context) => Some(context),
        Err(missing) => {
            assert!(env::var("CLCU_REQUIRE").as_deref() != Ok("gpu"), "{test}: {missing}");
            println!("skipped: {test}: {}", missing.lines().next().unwrap_or_default());
            None
        }
    }
}

/// Numbers of descriptors are shared by the process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_open(fd: &OwnedFd) -> bool {
    // SAFETY: asking about a number does nothing to it.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) != -1 }
}

/// Descriptors that are open and of no kind that CUDA imports.
fn strangers() -> Vec<(&'static str, OwnedFd)> {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    let directory = File::open("/").expect("it is there");
    let null = File::open("/dev/null").expect("it is there");
    let file = tempfile::tempfile().expect("a file can be made");
    let socket = std::os::unix::net::UnixDatagram::unbound().expect("a socket can be made");
    vec![
        ("a pipe's end", reader.into()),
        ("a pipe's other end", writer.into()),
        ("a directory", directory.into()),
        ("/dev/null", null.into()),
        ("a file", file.into()),
        ("a socket", socket.into()),
    ]
}

#[test]
fn a_failing_import_leaves_the_descriptor_open_and_it_comes_back() {
    let _alone = alone();
    let Some(context) = context("cuda_runtime_gpu: failing imports") else { return };
    let current = context.enter().expect("the context can be current");
    for (what, fd) in strangers() {
        let error = ExternalSemaphore::import(&current, Source::opaque_fd(fd)).expect_err(what);
        println!("OPAQUE_FD semaphore from {what}: {:?}", error.error().result());
        let fd = error.into_fd().expect(what);
        assert!(is_open(&fd), "the driver closed {what} although the import failed");
        let error = ExternalSemaphore::<Fence>::import(&current, Source::timeline_semaphore_fd(fd)).expect_err(what);
        println!("TIMELINE_SEMAPHORE_FD from {what}: {:?}", error.error().result());
        let fd = error.into_fd().expect(what);
        assert!(is_open(&fd), "the driver closed {what} although the import failed");
        let error = ExternalMemory::import(&current, memory::Source::opaque_fd(fd, 1 << 21)).expect_err(what);
        println!("OPAQUE_FD memory from {what}: {:?}", error.error().result());
        assert!(is_open(&error.into_fd().expect(what)), "the driver closed {what} although the import failed");
    }
}

#[test]
fn an_allocation_is_exported_and_imported_and_the_descriptor_stays_the_callers() {
    let _alone = alone();
    let Some(context) = context("cuda_runtime_gpu: an allocation") else { return };
    let shared_as = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let allocation = Allocation::new(&context.device(), 1 << 21, shared_as).expect("two mebibytes are there");
    let fd = allocation.export_fd().expect("the device exports descriptors");
    // SAFETY: asking about a number does nothing to it.
    assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
    // SAFETY: it is open; whether the driver closes it is what this finds out.
    let imported = unsafe { Allocation::import_fd(&context.device(), fd.as_raw_fd()) }.expect("the driver imports its own");
    assert!(is_open(&fd), "the driver closed it");
    imported.release().expect("it is released once");
    allocation.release().expect("it is released once");
    assert!(is_open(&fd), "the driver closed it");
    let refused = Allocation::new(&context.device(), 1, shared_as).expect_err("one byte is no multiple of the granularity");
    assert_eq!(refused.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{refused}");
}

#[test]
fn the_device_is_found_by_its_own_uuid() {
    let Some(context) = context("cuda_runtime_gpu: identity") else { return };
    let uuid = context.device().uuid().expect("every device has one");
    let found = Device::matching(context.library(), Identity::Uuid(uuid)).expect("it is there");
    assert_eq!(found.as_raw(), context.device().as_raw());
    println!("{} is {uuid}, LUID {:?}", found.name().expect("it has a name"), found.luid());
}

#[test]
fn a_context_of_somebody_else_is_borrowed() {
    let Some(context) = context("cuda_runtime_gpu: borrow") else { return };
    let _current = context.enter().expect("the context can be current");
    // SAFETY: `context` outlives it.
    let borrowed = unsafe { Context::current(context.library()) }.expect("one is current");
    assert_eq!((borrowed.as_raw(), borrowed.device().as_raw()), (context.as_raw(), context.device().as_raw()));
    drop(borrowed);
    let current = context.enter().expect("it is alive still");
    current.default_stream().synchronize().expect("nothing is on it");
}

#[test]
fn a_thousand_failing_imports_leak_nothing() {
    let _alone = alone();
    let Some(context) = context("cuda_runtime_gpu: a thousand") else { return };
    let current = context.enter().expect("the context can be current");
    let count = || std::fs::read_dir("/proc/self/fd").expect("this is Linux").count();
    let attempt = || -> Error {
        let fd = File::open("/dev/null").expect("there are numbers left").into();
        ExternalMemory::import_and_map(&current, memory::Source::opaque_fd(fd, 4096), 0, 4096).expect_err("it is no memory").into()
    };
    assert!(matches!(attempt(), Error::Call(_)));
    let before = count();
    for _ in 0..1000 {
        drop(attempt());
    }
    assert_eq!(count(), before);
}
