//! Reads upstream into models, the two APIs at the same time.
//!
//! In: the inputs that are in reach, and the overlay. Out: a model for each of them with what was found on the way; or all errors.

use std::{fs, path::Path, thread};

use super::locate::{Cuda, Located};
use crate::{
    fetch::{FetchError, OpenClDocs},
    finding::{Document, Finding, Findings, Severity, Strictness},
    model::{Api, Model},
    overlay::Overlay,
};

/// One API, read from upstream.
#[derive(Clone, Debug)]
pub struct Read {
    /// What it is made of.
    pub model: Model,
}

/// Upstream, as far as it is in reach.
#[derive(Debug)]
pub struct Imported {
    /// Both APIs in the order of [`Api::ALL`], or what keeps each out of reach.
    pub apis: [(Api, Result<Read, FetchError>); 2],
    /// What was found on the way. None of it is an error.
    pub findings: Findings,
}
