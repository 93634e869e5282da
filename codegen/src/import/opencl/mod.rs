//! The documents of OpenCL.

pub mod text;
