//! Khronos's OpenCL documents.

pub mod registry;
pub mod text;
