//! The core of OpenCL on a real platform, `PoCL` on the CPU, through the generated table and the ICD loader: what it computes proves that the
//! functions have the types that the table gives them.

use std::{
    ffi::{CStr, c_void},
    ptr,
};

use clcu::{
    opencl::{
        Context, Device, Error, ExternalMemory, Library, Platform,
        capabilities::Answer,
        memory::{Object, Source},
    },
    sys::opencl::{
        self, cl_bool, cl_command_queue, cl_context, cl_context_properties, cl_device_id, cl_device_info, cl_device_type,
        cl_kernel, cl_mem, cl_mem_flags, cl_mem_info, cl_program, cl_program_build_info, cl_result,
    },
};
use clcu_tests::icd::{self, Driver};

const SOURCE: &CStr = c"__kernel void scale(__global const int *in, __global int *out, int by) {
    size_t at = get_global_id(0);
    out[at] = in[at] * by + (int)at;
}";

/// A platform, its device, and what is made on it, each released with it.
struct Machine {
    platform: Platform,
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

impl Machine {
    fn new() -> Self {
        let library = Library::open().expect("the ICD loader is installed");
        let platform = library.platforms().expect("the loader lists its platforms").usable.pop().expect("PoCL is there");
        let mut device = cl_device_id::NULL;
        let mut count = 0;
        let get = platform.get(&opencl::clGetDeviceIDs).expect("it is in the core");
        // SAFETY: there is room for one device.
        let listed = unsafe { get(platform.id(), cl_device_type::CL_DEVICE_TYPE_ALL, 1, &raw mut device, &raw mut count) };
        assert_eq!((listed, count > 0, device.is_null()), (cl_result::CL_SUCCESS, true, false));

        let (mut code, id) = (cl_result::CL_SUCCESS, platform.id().0.addr());
        let properties = [cl_context_properties::CL_CONTEXT_PLATFORM.0, id.cast_signed(), 0].map(cl_context_properties);
        let create = platform.get(&opencl::clCreateContext).expect("it is in the core");
        // SAFETY: the list ends with a zero, and there is one device; nobody is to be notified.
        let context = unsafe { create(properties.as_ptr(), 1, &raw const device, None, ptr::null_mut(), &raw mut code) };
        assert_eq!((code, context.is_null()), (cl_result::CL_SUCCESS, false));
        let create = platform.get(&opencl::clCreateCommandQueueWithProperties).expect("it is in the core");
        // SAFETY: both were made by this platform; no list is an empty one.
        let queue = unsafe { create(context, device, ptr::null(), &raw mut code) };
        assert_eq!((code, queue.is_null()), (cl_result::CL_SUCCESS, false));
        Self { platform, device, context, queue }
    }

    fn buffer(&self, flags: cl_mem_flags, size: usize) -> cl_mem {
        let mut code = cl_result::CL_SUCCESS;
        let create = self.platform.get(&opencl::clCreateBufferWithProperties).expect("it is in OpenCL 3.0");
        // SAFETY: no list is an empty one, and the flags ask for no memory of the host.
        let buffer = unsafe { create(self.context, ptr::null(), flags, size, ptr::null_mut(), &raw mut code) };
        assert_eq!((code, buffer.is_null()), (cl_result::CL_SUCCESS, false));
        buffer
    }

    fn build(&self) -> (cl_program, cl_kernel) {
        let mut code = cl_result::CL_SUCCESS;
        let create = self.platform.get(&opencl::clCreateProgramWithSource).expect("it is in the core");
        let (text, length) = (SOURCE.as_ptr(), SOURCE.count_bytes());
        // SAFETY: there is one string, of this length.
        let program = unsafe { create(self.context, 1, (&raw const text).cast_mut(), &raw const length, &raw mut code) };
        assert_eq!(code, cl_result::CL_SUCCESS);
        let build = self.platform.get(&opencl::clBuildProgram).expect("it is in the core");
        // SAFETY: there is one device; no options and no callback.
        let answered = unsafe { build(program, 1, &raw const self.device, ptr::null(), None, ptr::null_mut()) };
        assert_eq!(answered, cl_result::CL_SUCCESS, "{}", self.build_log(program));
        let create = self.platform.get(&opencl::clCreateKernel).expect("it is in the core");
        // SAFETY: the program is built, and the name is a C string.
        let kernel = unsafe { create(program, c"scale".as_ptr(), &raw mut code) };
        assert_eq!(code, cl_result::CL_SUCCESS);
        (program, kernel)
    }

    fn build_log(&self, program: cl_program) -> String {
        let mut log = vec![0_u8; 4096];
        let (what, room) = (cl_program_build_info::CL_PROGRAM_BUILD_LOG, log.len());
        let get = self.platform.get(&opencl::clGetProgramBuildInfo).expect("it is in the core");
        // SAFETY: the log has as much room as is said.
        let _ = unsafe { get(program, self.device, what, room, log.as_mut_ptr().cast(), ptr::null_mut()) };
        String::from_utf8_lossy(&log).into_owned()
    }

    fn set(&self, kernel: cl_kernel, index: u32, size: usize, value: *const c_void) {
        let set = self.platform.get(&opencl::clSetKernelArg).expect("it is in the core");
        // SAFETY: the value has this size, which is that of the kernel's argument.
        assert_eq!(unsafe { set(kernel, index, size, value) }, cl_result::CL_SUCCESS);
    }
}

#[test]
fn pocl_builds_and_runs_a_kernel_through_the_generated_table() {
    icd::with_loader("pocl_builds_and_runs_a_kernel_through_the_generated_table", &[Driver::Pocl], |_| {
        let machine = Machine::new();
        let get = |size: usize| {
            (machine.buffer(cl_mem_flags::CL_MEM_READ_ONLY, size), machine.buffer(cl_mem_flags::CL_MEM_WRITE_ONLY, size))
        };
        let numbers: Vec<i32> = (0..256).map(|number| number * 7 - 100).collect();
        let size = size_of_val(numbers.as_slice());
        let (from, to) = get(size);
        let (program, kernel) = machine.build();

        let write = machine.platform.get(&opencl::clEnqueueWriteBuffer).expect("it is in the core");
        let blocking = cl_bool::CL_TRUE;
        // SAFETY: the buffer and the numbers are of this size.
        let written =
            unsafe { write(machine.queue, from, blocking, 0, size, numbers.as_ptr().cast(), 0, ptr::null(), ptr::null_mut()) };
        assert_eq!(written, cl_result::CL_SUCCESS);
        machine.set(kernel, 0, size_of::<cl_mem>(), (&raw const from).cast());
        machine.set(kernel, 1, size_of::<cl_mem>(), (&raw const to).cast());
        let by = 3_i32;
        machine.set(kernel, 2, size_of::<i32>(), (&raw const by).cast());
        let run = machine.platform.get(&opencl::clEnqueueNDRangeKernel).expect("it is in the core");
        let global = numbers.len();
        // SAFETY: there is one dimension; its size is that of the buffers, and that of a group is the driver's to choose.
        let ran =
            unsafe { run(machine.queue, kernel, 1, ptr::null(), &raw const global, ptr::null(), 0, ptr::null(), ptr::null_mut()) };
        assert_eq!(ran, cl_result::CL_SUCCESS);

        let mut back = vec![0_i32; numbers.len()];
        let read = machine.platform.get(&opencl::clEnqueueReadBuffer).expect("it is in the core");
        // SAFETY: the buffer and the vector are of this size.
        let read = unsafe { read(machine.queue, to, blocking, 0, size, back.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut()) };
        assert_eq!(read, cl_result::CL_SUCCESS);
        let expected: Vec<i32> = (0..).zip(&numbers).map(|(at, number)| number * 3 + at).collect();
        assert_eq!(back, expected);
        release(&machine, &[from, to], program, kernel);
    });
}

fn release(machine: &Machine, buffers: &[cl_mem], program: cl_program, kernel: cl_kernel) {
    let platform = &machine.platform;
    let success = cl_result::CL_SUCCESS;
    let release = platform.get(&opencl::clReleaseMemObject).expect("it is in the core");
    for buffer in buffers {
        // SAFETY: it is alive, and released once.
        assert_eq!(unsafe { release(*buffer) }, success);
    }
    let release_kernel = platform.get(&opencl::clReleaseKernel).expect("it is in the core");
    let release_program = platform.get(&opencl::clReleaseProgram).expect("it is in the core");
    let release_queue = platform.get(&opencl::clReleaseCommandQueue).expect("it is in the core");
    let release_context = platform.get(&opencl::clReleaseContext).expect("it is in the core");
    // SAFETY: each is alive, and released once.
    let codes = unsafe {
        [release_kernel(kernel), release_program(program), release_queue(machine.queue), release_context(machine.context)]
    };
    assert_eq!(codes, [success; 4]);
}

#[test]
fn pocl_and_mocks_are_listed_side_by_side_and_pocl_has_no_semaphores() {
    let test = "pocl_and_mocks_are_listed_side_by_side_and_pocl_has_no_semaphores";
    icd::with_loader(test, &[Driver::Mock, Driver::Pocl, Driver::Missing], |_| {
        let library = Library::open().expect("the ICD loader is installed");
        let platforms = library.platforms().expect("the loader lists its platforms").usable;
        let names: Vec<_> = platforms.iter().filter_map(|platform| platform.driver().platform.as_deref()).collect();
        assert!(names.contains(&"Mock platform A") && names.contains(&"Portable Computing Language"), "{names:?}");
        assert_eq!(platforms.len(), 2);
        for platform in &platforms {
            let is_mock = platform.driver().platform.as_deref() == Some("Mock platform A");
            assert_eq!(platform.get(&opencl::clCreateSemaphoreWithPropertiesKHR).is_ok(), is_mock, "{}", platform.driver());
        }
    });
}

#[cfg(unix)]
#[test]
fn what_pocl_lacks_is_missed_by_command_and_extension_and_nothing_is_called() {
    let test = "what_pocl_lacks_is_missed_by_command_and_extension_and_nothing_is_called";
    icd::with_loader(test, &[Driver::Pocl], |_| {
        let library = Library::open().expect("the ICD loader is installed");
        let platform = library.platforms().expect("the loader lists its platforms").usable.pop().expect("PoCL is there");
        let platform = std::sync::Arc::new(platform);
        let devices = Device::all(&platform).expect("PoCL lists its devices");
        assert!(!devices[0].name().expect("it has a name").is_empty());
        let context = Context::new(&platform, &devices[..1]).expect("PoCL makes contexts");
        let file = tempfile::tempfile().expect("a file can be made");
        let error = ExternalMemory::import(&context, Source::opaque_fd(file.into(), Object::buffer(4096)));
        let error = error.expect_err("PoCL has no external memory");
        let Error::Missing(missing) = error.error() else { panic!("{error}") };
        assert_eq!(missing[0].command.symbol, c"clEnqueueAcquireExternalMemObjectsKHR");
        assert!(error.to_string().contains("needs the extension cl_khr_external_memory"), "{error}");
        assert!(error.into_fd().is_some());
        let capabilities = devices[0].capabilities();
        assert!(capabilities.asked().all(|asked| matches!(asked.answer, Answer::NotAsked { .. })), "{capabilities:?}");
    });
}

/// On a 32-bit system `size_t` has 4 bytes, and these two have 8 there too.
#[test]
fn b30_bit_fields_and_longs_have_eight_bytes_for_a_real_platform() {
    icd::with_loader("b30_bit_fields_and_longs_have_eight_bytes_for_a_real_platform", &[Driver::Pocl], |_| {
        let machine = Machine::new();
        let get = machine.platform.get(&opencl::clGetDeviceInfo).expect("it is in the core");
        let bytes_of = |what| {
            let mut size = 0;
            // SAFETY: the size alone is asked for.
            assert_eq!(unsafe { get(machine.device, what, 0, ptr::null_mut(), &raw mut size) }, cl_result::CL_SUCCESS);
            size
        };
        assert_eq!(bytes_of(cl_device_info::CL_DEVICE_TYPE), size_of::<cl_device_type>());
        assert_eq!(bytes_of(cl_device_info::CL_DEVICE_GLOBAL_MEM_SIZE), size_of::<opencl::cl_ulong>());
        assert_eq!(bytes_of(cl_device_info::CL_DEVICE_MAX_WORK_GROUP_SIZE), size_of::<usize>());
        let mut half = 0_u32;
        // SAFETY: four bytes are said and are there.
        let refused = unsafe { get(machine.device, cl_device_info::CL_DEVICE_TYPE, 4, (&raw mut half).cast(), ptr::null_mut()) };
        assert_eq!(refused, cl_result::CL_INVALID_VALUE);
        let buffer = machine.buffer(cl_mem_flags::CL_MEM_READ_WRITE, 4096);
        let get = machine.platform.get(&opencl::clGetMemObjectInfo).expect("it is in the core");
        let (mut flags, mut size) = (cl_mem_flags(0), 0);
        // SAFETY: the value has the size that is said.
        let asked =
            unsafe { get(buffer, cl_mem_info::CL_MEM_FLAGS, size_of::<cl_mem_flags>(), (&raw mut flags).cast(), &raw mut size) };
        assert_eq!((asked, flags, size), (cl_result::CL_SUCCESS, cl_mem_flags::CL_MEM_READ_WRITE, 8));
    });
}
