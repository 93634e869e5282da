//! From facts to the model: named steps, each in its own file.
//!
//! In: the facts of one importer and the overlay. Out: a [`Model`](crate::model::Model), sorted, and findings on everything that is not certain.

pub mod cuda;
