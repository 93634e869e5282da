//! Steps from facts to the model.

pub mod opencl;
