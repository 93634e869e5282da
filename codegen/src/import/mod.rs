//! Reading upstream documents, each into the facts that it states.

pub mod opencl;
