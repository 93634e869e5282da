//! What a check costs: of an import descriptor, of a signal and a wait for so many semaphores, of a signal of OpenCL, and of a property list.

use core::ptr::dangling_mut;

use clcu_sys::{
    cuda::{
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUexternalSemaphoreHandleType,
    },
    opencl::{clCreateSemaphoreWithPropertiesKHR_arguments, clEnqueueSignalSemaphoresKHR_arguments},
    rules::{Given, PropertyList, Record, Utf16Name, Zeroed, check, check_raw},
};
use divan::{Bencher, black_box, counter::ItemsCount};

type Semaphore = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
type Memory = CUDA_EXTERNAL_MEMORY_HANDLE_DESC;

fn main() {
    divan::main();
}

fn import<R: Record + Copy>(bencher: Bencher<'_, '_>, descriptor: &Zeroed<'_, R>) {
    let given = Given::default();
    bencher.bench_local(|| black_box(descriptor).check(black_box(&given)).is_ok());
}

#[divan::bench]
fn import_semaphore_fd(bencher: Bencher<'_, '_>) {
    import(bencher, &Semaphore::opaque_fd(3));
}

#[divan::bench]
fn import_semaphore_win32(bencher: Bencher<'_, '_>) {
    import(bencher, &Semaphore::opaque_win32(dangling_mut()));
}

#[divan::bench]
fn import_semaphore_by_a_name_of_42_units(bencher: Bencher<'_, '_>) {
    let name: Vec<u16> = "Global\\a name as long as they usually are\0".encode_utf16().collect();
    import(bencher, &Semaphore::opaque_win32_by_name(Utf16Name::new(&name).unwrap()));
}

#[divan::bench]
fn import_memory_fd(bencher: Bencher<'_, '_>) {
    import(bencher, &Memory::opaque_fd(3, 4096, 0));
}

#[divan::bench]
fn import_memory_d3d12_resource(bencher: Bencher<'_, '_>) {
    import(bencher, &Memory::d3d12_resource(dangling_mut(), 4096));
}

#[divan::bench]
fn signal_opencl(bencher: Bencher<'_, '_>) {
    let given = Given { semaphore_handle_type: Some(0x2055), ..Given::default() };
    let arguments = clEnqueueSignalSemaphoresKHR_arguments {
        num_sema_objects: 1,
        sema_payload_list: core::ptr::null(),
        num_events_in_wait_list: 0,
        event_wait_list: core::ptr::null(),
    };
    bencher.bench_local(|| check(black_box(&arguments), black_box(&given)).is_ok());
}

#[divan::bench]
fn import_semaphore_fd_by_the_table(bencher: Bencher<'_, '_>) {
    let (descriptor, given) = (Semaphore::opaque_fd(3), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check_waiving(black_box(&given), &[]).is_ok());
}

#[divan::bench]
fn import_semaphore_that_breaks_two_rules_to_text(bencher: Bencher<'_, '_>) {
    let (descriptor, given) = (Semaphore::opaque_fd(-1).with(Semaphore::FLAGS, 1), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check(black_box(&given)).unwrap_err().to_string());
}

/// Checks the parameters of so many semaphores, each with its own type.
fn each<R: Record + Copy>(bencher: Bencher<'_, '_>, count: usize) {
    let types = vec![CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD; count];
    let parameters = vec![*Zeroed::<R>::new(); count];
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        black_box(&parameters).iter().zip(black_box(&types)).all(|(parameters, of)| {
            let given = Given::default().with_semaphore(*of);
            // SAFETY: they are copies of what began as zeroes and was not changed.
            unsafe { check_raw(parameters, &given) }.is_ok()
        })
    });
}

#[divan::bench(args = [1, 8, 64])]
fn signal(bencher: Bencher<'_, '_>, count: usize) {
    each::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(bencher, count);
}

#[divan::bench(args = [1, 8, 64])]
fn wait(bencher: Bencher<'_, '_>, count: usize) {
    each::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(bencher, count);
}

#[divan::bench]
fn create_opencl_semaphore(bencher: Bencher<'_, '_>) {
    let list = [0x203D_u64, 1, 0x203F, 0x2058, 0, 0];
    let given = Given { context_device_count: Some(1), extensions: Some(&[]), ..Given::default() };
    let arguments = clCreateSemaphoreWithPropertiesKHR_arguments { sema_props: PropertyList::new(&list) };
    bencher.bench_local(|| check(black_box(&arguments), black_box(&given)).is_ok());
}
