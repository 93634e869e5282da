//! Upstream's sentences, read into rules.
//!
//! In: doc comments with their places, the model that they speak of, and what a person decided about them. Out: rules, rows of handle
//! types and error lists, and an account of what was read and what was not.
//!
//! ```text
//! comment ─sentence─► sentences ─grammar─► clauses ─cuda─► rules, handle types, error lists
//!                                             ▲
//!                     overlay, reviewed ──────┘
//! ```
//!
//! A sentence in an area that matters is a rule, an attested rule, or on the reviewed list: one that is none of them is an error with
//! its place, never dropped. Nothing upstream wrote is kept: a sentence is named by its symbol and a hash.

pub mod cuda;
pub mod grammar;
pub mod names;
pub mod opencl;
pub mod reviewed;
pub mod sentence;
