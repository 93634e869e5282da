//! Handles of other crates: in, a pointer to whatever type they declare; out, the handle of `clcu-sys`, and back.

use clcu_sys::{
    cuda::{CUarray, CUcontext, CUevent, CUexternalMemory, CUexternalSemaphore, CUmemoryPool, CUmipmappedArray, CUstream},
    opencl::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_mem, cl_platform_id, cl_semaphore_khr},
};

/// A handle that is a pointer in C, to and from the pointers of other crates.
///
/// cudarc, opencl3 and C bindings of all kinds declare opaque types of their own; the pointers are the same. Making a handle is safe: only
/// what uses it follows it, and is `unsafe` where the handle is not known to be right.
///
/// ```
/// use clcu::{interop::Pointer, sys::{cuda::CUstream, opencl::cl_command_queue}};
/// # #[repr(C)] struct CUstream_st { _opaque: [u8; 0] } // as other bindings have it
/// # let of_cudarc: *mut CUstream_st = std::ptr::dangling_mut(); // `CudaStream::cu_stream()`
/// # let of_opencl3: *mut std::ffi::c_void = std::ptr::dangling_mut(); // `CommandQueue::get()`
/// let stream = CUstream::from_pointer(of_cudarc);
/// let queue = cl_command_queue::from_pointer(of_opencl3);
/// let back: *mut CUstream_st = stream.to_pointer();
/// # assert_eq!((back, queue.to_pointer()), (of_cudarc, of_opencl3));
/// ```
///
/// `Current::stream` then makes a [`Stream`](crate::cuda::Stream) of it, and `Queue::from_raw` a [`Queue`](crate::opencl::Queue).
///
/// A handle that is made owns nothing, and nothing is retained: who releases the object stays as it was.
///
/// Source: the types of handles of `cuda.h` and of the OpenCL API specification.
pub trait Pointer: Copy {
    /// The handle that this pointer is. A null pointer makes the null handle.
    #[must_use]
    fn from_pointer<T>(pointer: *mut T) -> Self;

    /// The pointer that this handle is.
    #[must_use]
    fn to_pointer<T>(self) -> *mut T;
}

macro_rules! pointers {
    ($($handle:ident),*) => {$(
        impl Pointer for $handle {
            #[inline]
            fn from_pointer<T>(pointer: *mut T) -> Self {
                Self(pointer.cast())
            }

            #[inline]
            fn to_pointer<T>(self) -> *mut T {
                self.0.cast()
            }
        }
    )*};
}

pointers! {
    CUarray, CUcontext, CUevent, CUexternalMemory, CUexternalSemaphore, CUmemoryPool, CUmipmappedArray, CUstream,
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_mem, cl_platform_id, cl_semaphore_khr
}
