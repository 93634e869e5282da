//! What the tests share: where upstream documents are, the model made of them, and C programs made of the model.

pub mod c_declaration;
pub mod opencl;
pub mod opencl_headers;
pub mod opencl_listing;
pub mod upstream;
