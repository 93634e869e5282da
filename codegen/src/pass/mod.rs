//! From facts to a model, and from model to model: one named step a file.

pub mod cuda;
pub mod index;
pub mod merge;
pub mod opencl;
pub mod order;
pub mod rust_layout;
pub mod validate;
