//! Allocations and IPC on the mock driver: what is exported is owned, closed on exec, and as large as its type says.

use clcu::{
    cuda::{Allocation, Error, Obstacle, ipc},
    sys::cuda::{CUdeviceptr, CUevent, CUmemAllocationHandleType as HandleTypes, CUmemFabricHandle, CUresult},
};
use clcu_tests::mock;

/// What this system shares an allocation by, and needs no attributes for.
const OWN: HandleTypes =
    if cfg!(windows) { HandleTypes::CU_MEM_HANDLE_TYPE_WIN32_KMT } else { HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR };
const FABRIC: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_FABRIC;

/// A32: an exported descriptor is owned, so that it is closed. B46: it came through a pointer to nothing in particular.
#[cfg(unix)]
#[test]
fn an_exported_descriptor_is_owned_and_closed_on_exec() {
    use std::os::fd::{AsRawFd as _, OwnedFd};

    let Some(driver) = mock::cuda().open("cuda_runtime_sharing: an exported descriptor") else { return };
    let allocation = Allocation::new(&driver.context.device(), 1 << 21, OWN).expect("the mock allocates");
    let fd: OwnedFd = allocation.export_fd().expect("the mock exports");
    // SAFETY: asking about a number does nothing to it.
    assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
    // SAFETY: it is open, and this mock leaves it open.
    let imported = unsafe { Allocation::import_fd(&driver.context.device(), fd.as_raw_fd()) }.expect("the mock imports");
    drop(imported);
    allocation.release().expect("the mock releases");
    assert_eq!(driver.mock.log()[1..], ["cuMemCreate", "cuMemImportFromShareableHandle", "cuMemRelease", "cuMemRelease"]);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
    // SAFETY: asking about a number does nothing to it.
    assert_ne!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, -1, "it is the caller's");
}

#[test]
fn every_byte_of_the_properties_is_as_the_header_lays_it_out() {
    let Some(driver) = mock::cuda().open("cuda_runtime_sharing: bytes") else { return };
    let device = clcu::cuda::Device::new(&driver.library, 1).expect("the mock has two");
    drop(Allocation::new(&device, 4096, OWN | FABRIC).expect("the mock allocates"));
    let mut expected = vec![0_u8; 32];
    for (at, value) in [(0, 1_u32), (4, OWN.0 | 8), (8, 1), (12, 1)] {
        expected[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    }
    assert_eq!(driver.mock.descriptor(32), expected);
}

#[test]
fn a_fabric_handle_is_sixty_four_bytes_that_nobody_owns() {
    let Some(driver) = mock::cuda().open("cuda_runtime_sharing: fabric") else { return };
    let device = driver.context.device();
    let handle = Allocation::new(&device, 4096, FABRIC).expect("the mock allocates").export_fabric().expect("the mock exports");
    assert_eq!(handle.data, [0xfa; 64]);
    drop(Allocation::import_fabric(&device, &handle).expect("the mock imports"));
    let error = Allocation::import_fabric(&device, &CUmemFabricHandle { data: [0; 64] }).expect_err("nothing made it");
    assert_eq!(error.result(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
}

#[test]
fn a_type_that_the_device_lacks_is_neither_allocated_for_nor_imported() {
    let Some(driver) = mock::cuda().open("cuda_runtime_sharing: unsupported") else { return };
    let device = driver.context.device();
    // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED.
    driver.mock.set(c"mock_without", 128);
    let unsupported = |result: Result<Allocation, Error>| match result {
        Err(Error::Unsupported(unsupported)) => matches!(unsupported.why, Obstacle::Attribute(attribute) if attribute.0 == 128),
        _ => false,
    };
    assert!(unsupported(Allocation::new(&device, 4096, FABRIC | OWN)));
    assert!(unsupported(Allocation::import_fabric(&device, &CUmemFabricHandle { data: [0xfa; 64] })));
    assert_eq!(driver.mock.log().len(), 1, "only the context was retained");
    Allocation::new(&device, 4096, OWN).expect("it is another type");
}

#[test]
fn memory_and_events_of_another_process_are_opened_and_closed_once() {
    let Some(driver) = mock::cuda().open("cuda_runtime_sharing: ipc") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    // SAFETY: the mock follows neither.
    let (memory, event) = unsafe {
        let memory = ipc::export_memory(&current, CUdeviceptr(0x1000)).expect("the mock exports");
        (memory, ipc::export_event(&current, CUevent(std::ptr::dangling_mut::<u8>().cast())).expect("the mock exports"))
    };
    // SAFETY: the bytes came from the mock.
    let opened = unsafe { ipc::IpcMemory::open(&current, memory) }.expect("the mock opens it");
    assert!(!opened.address().is_null());
    // SAFETY: as above.
    drop(unsafe { ipc::IpcEvent::open(&current, event) }.expect("the mock opens it"));
    opened.close().expect("the mock closes it");
    assert_eq!(driver.mock.calls("cuIpcCloseMemHandle") + driver.mock.calls("cuEventDestroy"), 2);
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}
