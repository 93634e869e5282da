//! The commands of semaphores and external memory, called through the real ICD loader on several platforms at once, each by its own
//! functions: what arrives there is compared word for word.

use std::{
    os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd},
    ptr,
};

use clcu::{
    opencl::{Library, Platform},
    sys::{
        Command,
        opencl::{
            self, cl_command_queue, cl_context, cl_device_id, cl_device_type, cl_event, cl_external_memory_handle_type_khr,
            cl_external_semaphore_handle_type_khr, cl_mem_flags, cl_mem_properties, cl_result, cl_semaphore_khr,
            cl_semaphore_properties_khr, cl_semaphore_type_khr,
        },
    },
};
use clcu_tests::icd::{self, Driver, Icd, Kind};

const SYNC_FD: cl_external_semaphore_handle_type_khr = cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;

/// A platform with what commands work on.
struct Side {
    platform: Platform,
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

fn ok(code: cl_result) {
    assert_eq!(code, cl_result::CL_SUCCESS);
}

impl Side {
    fn new(platform: Platform) -> Self {
        let mut device = cl_device_id::NULL;
        let get = platform.get(&opencl::clGetDeviceIDs).expect("the loader has the core");
        // SAFETY: there is room for one.
        ok(unsafe { get(platform.id(), cl_device_type::CL_DEVICE_TYPE_ALL, 1, &raw mut device, ptr::null_mut()) });
        let mut code = cl_result(1);
        let create = platform.get(&opencl::clCreateContext).expect("the loader has the core");
        // SAFETY: there is one device, and nobody is to be notified.
        let context = unsafe { create(ptr::null(), 1, &raw const device, None, ptr::null_mut(), &raw mut code) };
        ok(code);
        let create = platform.get(&opencl::clCreateCommandQueueWithProperties).expect("the loader has the core");
        // SAFETY: both are of this platform.
        let queue = unsafe { create(context, device, ptr::null(), &raw mut code) };
        ok(code);
        Self { platform, device, context, queue }
    }

    fn create(&self, list: &[u64]) -> cl_semaphore_khr {
        let create = self.platform.get(&opencl::clCreateSemaphoreWithPropertiesKHR).expect("the platform has it");
        let list: Vec<_> = list.iter().copied().map(cl_semaphore_properties_khr).collect();
        let mut code = cl_result(1);
        // SAFETY: the list ends with a zero.
        let semaphore = unsafe { create(self.context, list.as_ptr(), &raw mut code) };
        ok(code);
        semaphore
    }

    /// Imports a descriptor, which is the driver's afterwards.
    fn import(&self, fd: RawFd) -> cl_semaphore_khr {
        let binary = u64::from(cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR.0);
        let key = cl_semaphore_properties_khr::CL_SEMAPHORE_TYPE_KHR.0;
        self.create(&[key, binary, SYNC_FD.0.into(), i64::from(fd).cast_unsigned(), 0])
    }

    fn signal(&self, semaphores: &[cl_semaphore_khr]) {
        let signal = self.platform.get(&opencl::clEnqueueSignalSemaphoresKHR).expect("the platform has it");
        let count = u32::try_from(semaphores.len()).expect("there are a few");
        // SAFETY: the list is as long as is said, and no event is waited for.
        ok(unsafe { signal(self.queue, count, semaphores.as_ptr(), ptr::null(), 0, ptr::null(), ptr::null_mut()) });
    }

    fn wait(&self, semaphore: cl_semaphore_khr) -> cl_event {
        let wait = self.platform.get(&opencl::clEnqueueWaitSemaphoresKHR).expect("the platform has it");
        let mut event = cl_event::NULL;
        // SAFETY: there is one semaphore, and no event is waited for.
        ok(unsafe { wait(self.queue, 1, &raw const semaphore, ptr::null(), 0, ptr::null(), &raw mut event) });
        event
    }

    fn export(&self, semaphore: cl_semaphore_khr) -> RawFd {
        let export = self.platform.get(&opencl::clGetSemaphoreHandleForTypeKHR).expect("the platform has it");
        let (mut fd, mut size): (RawFd, _) = (-2, 0);
        // SAFETY: there is room for a descriptor.
        ok(unsafe { export(semaphore, self.device, SYNC_FD, size_of::<RawFd>(), (&raw mut fd).cast(), &raw mut size) });
        assert_eq!(size, size_of::<RawFd>());
        fd
    }

    fn release(&self, semaphore: cl_semaphore_khr) {
        let release = self.platform.get(&opencl::clReleaseSemaphoreKHR).expect("the platform has it");
        // SAFETY: it is alive, and released once.
        ok(unsafe { release(semaphore) });
    }

    fn end(self) {
        let queue = self.platform.get(&opencl::clReleaseCommandQueue).expect("the loader has the core");
        let context = self.platform.get(&opencl::clReleaseContext).expect("the loader has the core");
        // SAFETY: both are alive, and released once.
        unsafe { (ok(queue(self.queue)), ok(context(self.context))) };
    }
}

/// The platforms with the extension, in the loader's order.
fn sides() -> Vec<Side> {
    let library = Library::open().expect("the ICD loader is installed");
    let platforms = library.platforms().expect("the loader lists its platforms").usable;
    platforms.into_iter().filter(|platform| platform.has_extension("cl_khr_semaphore")).map(Side::new).collect()
}

fn eventfd(count: u32) -> OwnedFd {
    // SAFETY: no pointer is passed; the result is ours.
    unsafe { OwnedFd::from_raw_fd(libc::eventfd(count, libc::EFD_CLOEXEC)) }
}

fn address<F: Copy>(platform: &Platform, command: Command<F>) -> usize {
    let function = platform.get(&command).expect("the platform has it");
    assert_eq!(size_of::<F>(), size_of::<usize>());
    // SAFETY: it is a function pointer, which is as wide as an address.
    unsafe { std::mem::transmute_copy(&function) }
}

/// The mock whose platform a side is of: the one that was asked to make its context.
fn mock_of<'m>(mocks: &'m [Icd], number: usize, sides: &[Side]) -> &'m Icd {
    let name = sides[number].platform.driver().platform.as_deref().unwrap_or_default();
    &mocks[usize::from(name == "Second")]
}

#[test]
fn b32_each_platform_has_functions_of_its_own_through_the_loader() {
    let test = "b32_each_platform_has_functions_of_its_own_through_the_loader";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock], |mocks| {
        mocks[0].set(c"mock_platform_count", 2);
        let sides = sides();
        assert_eq!(sides.len(), 3);
        let of = |find: fn(&Platform) -> usize| sides.iter().map(|side| find(&side.platform)).collect::<Vec<_>>();
        let family = [
            of(|platform| address(platform, opencl::clCreateSemaphoreWithPropertiesKHR)),
            of(|platform| address(platform, opencl::clGetSemaphoreHandleForTypeKHR)),
            of(|platform| address(platform, opencl::clReImportSemaphoreSyncFdKHR)),
            of(|platform| address(platform, opencl::clEnqueueSignalSemaphoresKHR)),
            of(|platform| address(platform, opencl::clEnqueueWaitSemaphoresKHR)),
            of(|platform| address(platform, opencl::clEnqueueAcquireExternalMemObjectsKHR)),
            of(|platform| address(platform, opencl::clEnqueueReleaseExternalMemObjectsKHR)),
        ];
        let mut all: Vec<_> = family.iter().flatten().collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 7 * 3, "no two are the same");
    });
}

#[test]
fn d02_semaphores_of_two_platforms_are_used_in_turns_and_never_mixed_up() {
    let test = "d02_semaphores_of_two_platforms_are_used_in_turns_and_never_mixed_up";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock], |mocks| {
        mocks[1].answer_text(0, None, 0x0902, "Second");
        let sides = sides();
        let semaphores: Vec<_> = sides.iter().map(|side| side.import(-1)).collect();
        for (side, semaphore) in sides.iter().zip(&semaphores) {
            let event = side.wait(*semaphore);
            let release = side.platform.get(&opencl::clReleaseEvent).expect("the loader has the core");
            // SAFETY: it is alive, and released once.
            ok(unsafe { release(event) });
        }
        for (number, (side, semaphore)) in sides.iter().zip(&semaphores).enumerate() {
            // The other side has signalled: a descriptor that can be read.
            let fd = eventfd(1);
            let raw = fd.into_raw_fd();
            let reimport = side.platform.get(&opencl::clReImportSemaphoreSyncFdKHR).expect("the platform has it");
            // SAFETY: there are no properties, and the descriptor is open and the driver's from here on.
            ok(unsafe { reimport(*semaphore, ptr::null_mut(), raw) });
            let calls = mock_of(mocks, number, &sides).calls("clReImportSemaphoreSyncFdKHR");
            assert_eq!(calls, [format!("clReImportSemaphoreSyncFdKHR(sema_object=semaphore1, reimport_props=NULL, fd={raw}) = 0")]);
            side.signal(&[*semaphore]);
            side.release(*semaphore);
        }
        for side in sides {
            side.end();
        }
        for mock in mocks {
            assert_eq!(mock.number(c"mock_mixed_up"), 0);
            assert_eq!([Kind::Context, Kind::Queue, Kind::Event, Kind::Semaphore].map(|kind| mock.alive(kind)), [0; 4]);
            let create = "clCreateSemaphoreWithPropertiesKHR(context=context1, sema_props=[0x203d, 0x1, 0x2058, 0xffffffffffffffff, 0x0]) = 0";
            assert_eq!(mock.calls("clCreateSemaphoreWithPropertiesKHR"), [create]);
        }
    });
}

#[test]
fn a_payload_goes_from_one_platform_to_the_other_by_a_sync_fd() {
    let test = "a_payload_goes_from_one_platform_to_the_other_by_a_sync_fd";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock], |mocks| {
        let sides = sides();
        let [from, to] = sides.as_slice() else { panic!("there are two") };
        let key = cl_semaphore_properties_khr::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0;
        let semaphore = from.create(&[0x203D, 1, key, SYNC_FD.0.into(), 0, 0]);
        from.signal(&[semaphore]);
        let fd = from.export(semaphore);
        assert!(fd >= 0);
        let other = to.import(fd);
        // SAFETY: asking about a number does nothing to it.
        assert_eq!(unsafe { libc::fcntl(fd, libc::F_GETFD) }, -1, "the descriptor is the driver's, and closed");
        let event = to.wait(other);
        let wait = to.platform.get(&opencl::clWaitForEvents).expect("the loader has the core");
        // SAFETY: there is one event.
        ok(unsafe { wait(1, &raw const event) });

        // What is signalled already may be exported as no descriptor at all, and imported so.
        from.signal(&[semaphore]);
        for mock in mocks {
            mock.set(c"mock_exports_minus_one", 1);
        }
        assert_eq!(from.export(semaphore), -1);
        from.release(semaphore);
        to.release(other);
    });
}

#[test]
fn memory_is_acquired_and_released_by_the_platform_that_imported_it() {
    let test = "memory_is_acquired_and_released_by_the_platform_that_imported_it";
    icd::with_loader(test, &[Driver::Mock, Driver::Mock], |mocks| {
        for side in sides() {
            let fd = eventfd(0);
            let kind = cl_external_memory_handle_type_khr::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
            let raw = u64::from(fd.as_raw_fd().unsigned_abs());
            let list = [kind.0.into(), raw, cl_mem_properties::CL_MEM_DEVICE_HANDLE_LIST_KHR.0, side.device.0.addr() as u64, 0, 0];
            let list = list.map(cl_mem_properties);
            let create = side.platform.get(&opencl::clCreateBufferWithProperties).expect("the loader has the core");
            let mut code = cl_result(1);
            // SAFETY: the list ends with a zero; the descriptor is open.
            let memory = unsafe {
                create(side.context, list.as_ptr(), cl_mem_flags::CL_MEM_READ_WRITE, 4096, ptr::null_mut(), &raw mut code)
            };
            ok(code);
            let _ = fd.into_raw_fd(); // the driver has taken it
            let acquire = side.platform.get(&opencl::clEnqueueAcquireExternalMemObjectsKHR).expect("the platform has it");
            let release = side.platform.get(&opencl::clEnqueueReleaseExternalMemObjectsKHR).expect("the platform has it");
            for transfer in [acquire, release] {
                // SAFETY: there is one object, and no event is waited for.
                ok(unsafe { transfer(side.queue, 1, &raw const memory, 0, ptr::null(), ptr::null_mut()) });
            }
            let free = side.platform.get(&opencl::clReleaseMemObject).expect("the loader has the core");
            // SAFETY: it is alive, and released once.
            ok(unsafe { free(memory) });
            side.end();
        }
        for mock in mocks {
            let arguments = "(command_queue=queue1, mem_objects=[memory1], event_wait_list=NULL, event=NULL) = 0";
            for command in ["clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"] {
                assert_eq!(mock.calls(command), [format!("{command}{arguments}")]);
            }
            assert_eq!((mock.alive(Kind::Memory), mock.number(c"mock_mixed_up")), (0, 0));
        }
    });
}
