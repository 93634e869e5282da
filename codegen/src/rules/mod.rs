//! Sentences to rules: what upstream's prose demands, in the closed vocabulary of the model.

pub mod opencl;
