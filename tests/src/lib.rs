//! What the tests share: where upstream documents are, and mock drivers.

pub mod mock;
pub mod upstream;
