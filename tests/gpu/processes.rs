//! What two processes share: this program starts itself again, hands over a descriptor as standard input or bytes as arguments of the
//! environment, and each side sees what the other wrote.

use std::{
    env,
    fmt::Write as _,
    os::fd::{AsFd as _, AsRawFd as _, OwnedFd},
    process::{Command, Output, Stdio},
    sync::Arc,
};

use clcu::{
    cuda::{Access, Allocation, Context, Current, Device, Error, Identity, Library, Pool, Uuid, ipc},
    sys::cuda::{
        self, CUdeviceptr, CUevent, CUipcEventHandle, CUipcMemHandle, CUmemAllocationHandleType as HandleTypes,
        CUmemPoolPtrExportData, CUresult,
    },
};

use crate::{Gpu, fill, gpu, read};

const FD: HandleTypes = HandleTypes::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
/// What the other process shall do, and with what.
const TASK: &str = "CLCU_GPU_TASK";
const BYTES: &str = "CLCU_GPU_BYTES";
const DEVICE: &str = "CLCU_GPU_DEVICE";

const WORDS: usize = 1024;

/// Bytes as two digits each, for the environment.
fn hexadecimal(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

fn bytes<B: From<u8> + Copy, const N: usize>(text: &str) -> [B; N] {
    let mut bytes = [B::from(0); N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(2 * index..2 * index + 2).expect("there are two digits for each byte");
        *byte = u8::from_str_radix(digits, 16).expect("they are hexadecimal").into();
    }
    bytes
}

/// The same, of `c_char`.
fn characters<const N: usize>(text: &str) -> [std::ffi::c_char; N] {
    bytes::<u8, N>(text).map(|byte| std::ffi::c_char::from_ne_bytes([byte]))
}

/// Starts this program again for one task.
fn other(task: &str, gpu: &Gpu, bytes: &str, fd: Option<OwnedFd>) -> String {
    let mut command = Command::new(env::current_exe().expect("this program has a file"));
    command.args(["--exact", "processes::the_other_process", "--nocapture"]);
    let uuid = hexadecimal(gpu.vulkan.uuid);
    command.env(TASK, task).env(BYTES, bytes).env(DEVICE, uuid);
    command.stdin(fd.map_or_else(Stdio::null, Stdio::from));
    let Output { status, stdout, stderr } = command.output().expect("this program can be started again");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(status.success(), "{task}: {status}: {text}");
    assert!(text.contains("done: "), "{task}: {text}");
    text
}

/// What the other process handed over, under another number: these commands take a descriptor in the place of a pointer, and the driver refuses 0
/// as null.
fn standard_input() -> OwnedFd {
    std::io::stdin().as_fd().try_clone_to_owned().expect("it can be duplicated")
}

/// What the other tests start. By itself it does nothing.
#[test]
fn the_other_process() {
    let Ok(task) = env::var(TASK) else { return };
    let (given, uuid) = (env::var(BYTES).unwrap_or_default(), env::var(DEVICE).expect("the device is named"));
    let library = Arc::new(Library::open().expect("the other process opened it"));
    let device = Device::matching(&library, Identity::Uuid(Uuid(bytes(&uuid)))).expect("it is the same machine");
    let context = Context::primary(&device).expect("a context can be made");
    let current = context.enter().expect("it can be current");
    match task.as_str() {
        "allocation" => {
            let size = Allocation::granularity(&device, FD).expect("the driver says it");
            let exported = standard_input();
            // SAFETY: it is what the other process exported, and stays open.
            let allocation = unsafe { Allocation::import_fd(&device, exported.as_raw_fd()) }.expect("it was exported");
            let mapped = allocation.map(size, &[(&device, Access::ReadWrite)]).expect("it is mapped");
            answer(&current, mapped.address());
            mapped.unmap().expect("it is unmapped once");
        }
        "pool" => {
            let exported = standard_input();
            // SAFETY: as above.
            let pool = unsafe { Pool::import_fd(&device, exported.as_raw_fd()) }.expect("it was exported");
            let data = CUmemPoolPtrExportData { reserved: bytes(&given) };
            // SAFETY: the bytes came from the other process, which keeps the memory.
            let memory = unsafe { pool.import_pointer(&current, &data) }.expect("it was exported");
            answer(&current, memory.address());
            memory.free().expect("it is freed once");
            pool.destroy().expect("it is destroyed once");
        }
        "memory" => {
            // SAFETY: as above.
            let memory = unsafe { ipc::IpcMemory::open(&current, CUipcMemHandle { reserved: characters(&given) }) };
            let memory = memory.expect("it was exported");
            answer(&current, memory.address());
            memory.close().expect("it is closed once");
        }
        "event" => {
            // SAFETY: as above.
            let event = unsafe { ipc::IpcEvent::open(&current, CUipcEventHandle { reserved: characters(&given) }) };
            let event = event.expect("it was exported");
            let wait = library.get(&cuda::cuEventSynchronize).expect("the driver has it");
            // SAFETY: the event is alive.
            unsafe { wait(event.as_raw()) }.result().expect("it was recorded");
            event.destroy().expect("it is destroyed once");
        }
        unknown => panic!("{unknown}"),
    }
    println!("done: {task}");
}

/// Reads what the other process wrote, and writes an answer.
fn answer(current: &Current<'_>, address: CUdeviceptr) {
    assert!(read(current, address, WORDS).iter().all(|word| *word == 1));
    fill(current, address, 2, WORDS, current.default_stream().as_raw());
    current.default_stream().synchronize().expect("nothing waits");
}

/// Writes, lets the other process answer, and reads.
fn exchange(current: &Current<'_>, address: CUdeviceptr, other: impl FnOnce()) {
    fill(current, address, 1, WORDS, current.default_stream().as_raw());
    current.default_stream().synchronize().expect("nothing waits");
    other();
    assert!(read(current, address, WORDS).iter().all(|word| *word == 2), "the other process wrote it");
}

#[test]
fn an_allocation_is_mapped_by_another_process() {
    let Some(gpu) = gpu("an allocation of two processes") else { return };
    let (current, device) = (gpu.context.enter().expect("the context can be current"), gpu.context.device());
    let size = Allocation::granularity(&device, FD).expect("the driver says it");
    let allocation = Allocation::new(&device, size, FD).expect("so much is there");
    let mapped = allocation.map(size, &[(&device, Access::ReadWrite)]).expect("it is mapped");
    exchange(&current, mapped.address(), || {
        other("allocation", &gpu, "", Some(allocation.export_fd().expect("it is exported")));
    });
}

#[test]
fn memory_of_a_pool_is_found_by_another_process() {
    let Some(gpu) = gpu("a pool of two processes") else { return };
    let (current, device) = (gpu.context.enter().expect("the context can be current"), gpu.context.device());
    let pool = match Pool::new(&device, FD) {
        Ok(pool) => pool,
        Err(error) => return println!("no pool that can be exported: {error}"),
    };
    let memory = pool.allocate(&current.default_stream(), WORDS * 4).expect("so much is there");
    current.default_stream().synchronize().expect("nothing waits");
    // In this order: to a pointer before its pool, with the allocation not yet done, driver 580 answered INVALID_VALUE.
    let fd = pool.export_fd().expect("it is exported");
    let data = memory.export_pointer().expect("memory of such a pool is exported");
    let text = hexadecimal(data.reserved);
    // SAFETY: asking about a number does nothing to it.
    assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
    exchange(&current, memory.address(), || {
        other("pool", &gpu, &text, Some(fd));
    });
    memory.free().expect("it is freed once");
    pool.destroy().expect("it is destroyed once");
}

#[test]
fn memory_and_events_are_opened_by_another_process_by_their_bytes() {
    const INTERPROCESS_WITHOUT_TIMING: u32 = 4 | 2;
    let Some(gpu) = gpu("IPC of two processes") else { return };
    let (current, library) = (gpu.context.enter().expect("the context can be current"), gpu.context.library());
    let mut address = CUdeviceptr::NULL;
    let allocate = library.get(&cuda::cuMemAlloc_v2).expect("the driver has it");
    // SAFETY: the result is written to memory that is ours.
    assert_eq!(unsafe { allocate(&raw mut address, 2 << 20) }, CUresult::CUDA_SUCCESS);
    // SAFETY: it is the beginning of an allocation.
    match unsafe { ipc::export_memory(&current, address) } {
        Ok(handle) => exchange(&current, address, || {
            other("memory", &gpu, &hexadecimal(handle.reserved.map(|byte| byte.to_ne_bytes()[0])), None);
        }),
        // Containers forbid it at times; the error is the fact.
        Err(error @ (Error::Call(_) | Error::Unsupported(_))) => println!("memory is not shared so: {error}"),
        Err(error) => panic!("{error}"),
    }
    let free = library.get(&cuda::cuMemFree_v2).expect("the driver has it");
    // SAFETY: it is allocated, and freed once.
    assert_eq!(unsafe { free(address) }, CUresult::CUDA_SUCCESS);

    let mut event = CUevent::NULL;
    let create = library.get(&cuda::cuEventCreate).expect("the driver has it");
    let record = library.get(&cuda::cuEventRecord).expect("the driver has it");
    let destroy = library.get(&cuda::cuEventDestroy_v2).expect("the driver has it");
    // SAFETY: the result is written to memory that is ours; the event is alive.
    unsafe {
        assert_eq!(create(&raw mut event, INTERPROCESS_WITHOUT_TIMING), CUresult::CUDA_SUCCESS);
        assert_eq!(record(event, current.default_stream().as_raw()), CUresult::CUDA_SUCCESS);
        match ipc::export_event(&current, event) {
            Ok(handle) => {
                other("event", &gpu, &hexadecimal(handle.reserved.map(|byte| byte.to_ne_bytes()[0])), None);
            }
            Err(error @ (Error::Call(_) | Error::Unsupported(_))) => println!("events are not shared so: {error}"),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(destroy(event), CUresult::CUDA_SUCCESS);
    }
}
