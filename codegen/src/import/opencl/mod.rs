//! Khronos's OpenCL documents.

pub mod registry;
