//! What the tests share: where upstream documents are, the model made of them, C programs made of the model, and mock drivers.

pub mod c_declaration;
pub mod cuda;
pub mod cuda_declarations;
pub mod cuda_program;
pub mod exported;
pub mod icd;
pub mod listener;
pub mod mock;
pub mod opencl;
pub mod opencl_bindgen;
pub mod opencl_differences;
pub mod opencl_headers;
pub mod opencl_listing;
pub mod public_items;
pub mod release_driver;
pub mod releases;
pub mod scene;
pub mod upstream;
