//! Bindings of the OpenCL and CUDA driver APIs, generated from `cl.xml` and NVIDIA's headers.
//!
//! [`cuda`] and [`opencl`] hold what upstream declares, under upstream's names: enumerations as newtypes over the C integer, handles
//! as distinct newtypes, structs and unions with asserted layouts, and one [`Command`] constant for each function of the driver.
//! Nothing here opens a library: a loader resolves [`CommandInfo::symbol`], keeps the address in the slot that
//! [`CommandInfo::index`] names, and calls it through [`Command::function`].
//!
//! [`mod@rules`], the checker, and the tables that it walks come with the feature `rules`, which is on by default. The rules of OpenCL's
//! commands that are not about external objects, three quarters of all, come with `all-rules`.
//!
//! What upstream advises against is said in the documentation and in [`CommandInfo::deprecated`], not by `#[deprecated]`: what a newer
//! version deprecates is often the only way on the older driver that a program also has to run on.
#![no_std]

#[doc(hidden)]
pub mod command;
#[doc(hidden)]
pub mod layout;
#[macro_use]
mod macros;
pub mod names;
#[cfg(feature = "rules")]
#[macro_use]
pub mod rules;

#[cfg(feature = "source")]
pub mod source;

#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "opencl")]
pub mod opencl;

pub use command::{Api, Command, CommandInfo, ErrorChannel};
