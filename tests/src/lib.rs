//! x
pub mod upstream;
