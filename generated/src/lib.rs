//! Generated bindings of the OpenCL and CUDA driver APIs.
#![no_std]

mod command;

pub use command::{Command, CommandInfo, ErrorChannel};
