//! Opens the real CUDA and OpenCL drivers, finds their commands for `clcu-sys`, and calls them with checks first.
//!
//! In: the generated tables of commands. Out: functions that can be called, each found on first use and kept by the library, or platform,
//! that it came from. Nothing is a global: two drivers of one API live side by side. A missing driver and a missing command are errors
//! that name what was tried and what is needed, never a panic. A driver is never unloaded.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cuda = clcu::cuda::Library::open()?;
//! let get_version = cuda.get(&clcu::sys::cuda::cuDriverGetVersion)?;
//! let mut version = 0;
//! // SAFETY: the command writes one `int`.
//! unsafe { get_version(&mut version) }.result()?;
//! # Ok(())
//! # }
//! ```
//!
//! Three layers, each usable without the next:
//!
//! 1. [`cuda::Library::get`] gives the function. Calling it is as unsafe as in C: nothing is checked before the driver sees it.
//! 2. [`cuda::Library::checked`] calls it if no generated rule is broken, and lists every one that is. [`cuda::checked`] has the commands for
//!    external objects. [`opencl::Platform::checked`] and [`opencl::checked`] are the same for OpenCL.
//! 3. [`cuda::ExternalSemaphore`], [`cuda::ExternalMemory`] and [`cuda::Allocation`] own what they import, in safe code; so do
//!    [`opencl::Semaphore`] and [`opencl::ExternalMemory`].
//!
//! [`interop`] says what CUDA, OpenCL and Vulkan call the same kind of handle, and takes handles of other crates.
//!
//! What a driver shares with others, [`cuda::Device::capabilities`] and [`opencl::capabilities`] say; what a file descriptor refers to, the
#![cfg_attr(unix, doc = "module [`descriptor`].")]
#![cfg_attr(not(unix), doc = "module `descriptor`, on Unix.")]
// What a call can fail by is half of what it is.
#![warn(clippy::missing_errors_doc)]

mod candidate;
mod checked;
pub mod cuda;
#[cfg(unix)]
pub mod descriptor;
mod error;
mod gathered;
mod import;
pub mod interop;
mod loader;
pub mod opencl;
mod payload;
mod resolved;
mod slots;
mod trace;
mod tracking;

pub use clcu_sys as sys;

pub use crate::{
    checked::Passed,
    error::{Attempt, Availability, Driver, Invalid, Missing, Needs, OpenError},
    import::ImportError,
};

const _: () = {
    const fn may_cross_threads<T: Send + Sync>() {}
    may_cross_threads::<cuda::Library>();
    may_cross_threads::<opencl::Library>();
    may_cross_threads::<opencl::Platform>();
    may_cross_threads::<opencl::Context>();
    may_cross_threads::<opencl::Queue>();
    may_cross_threads::<opencl::Event>();
    may_cross_threads::<opencl::Semaphore<opencl::semaphore::Binary>>();
};
