//! What the importer reads, one construct a case, and how much of each there is in the specification itself.

mod golden;
mod hostile;
mod names;
pub(crate) mod registry;
pub(crate) mod upstream;
