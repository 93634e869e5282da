//! Reads upstream documents. Each importer takes one document and says only what that document says.

pub mod opencl;
