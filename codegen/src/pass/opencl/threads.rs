//! What OpenCL promises about using each kind of object from several threads.
//!
//! The promise (appendix A, "Multiple host threads") is about calls: every call is thread-safe except those that change a kernel or a command buffer,
//! which may run at the same time only on different objects. So all objects may be shared, except those two kinds, and commands in a command
//! buffer, through which that buffer is changed.

use crate::model::ThreadSafety;

/// Objects whose state some calls change without synchronising, with those calls.
const ONE_THREAD_AT_A_TIME: &[(&str, &str)] = &[
    ("cl_kernel", "clSetKernelArg, clSetKernelArgSVMPointer, clSetKernelExecInfo, clCloneKernel"),
    ("cl_command_buffer_khr", "clFinalizeCommandBufferKHR, clUpdateMutableCommandsKHR"),
    ("cl_mutable_command_khr", "clUpdateMutableCommandsKHR, through the command buffer that it is in"),
];

/// Objects of other APIs, about which OpenCL promises nothing.
const FOREIGN: &[&str] = &["cl_GLsync", "CLeglImageKHR", "CLeglDisplayKHR", "CLeglSyncKHR"];

pub(super) fn promise(handle: &str) -> ThreadSafety {
    if FOREIGN.contains(&handle) {
        ThreadSafety::None
    } else if ONE_THREAD_AT_A_TIME.iter().any(|(name, _)| *name == handle) {
        ThreadSafety::Send
    } else {
        ThreadSafety::Any
    }
}
