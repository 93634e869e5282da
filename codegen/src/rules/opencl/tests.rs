//! x
mod upstream;
