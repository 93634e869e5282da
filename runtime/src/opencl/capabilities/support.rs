//! Whether a kind of handle can be used: in, the answer to the query about it; out, yes, no, or why nobody can tell.

use std::fmt;

use clcu_sys::{
    opencl::{cl_result, cl_semaphore_type_khr},
    rules::HandleType,
};

use super::{Answer, Asked};
use crate::opencl::kind;

/// What is known about a kind of handle on a platform or device.
///
/// Source: the queries that are named at [`Capabilities`](super::Capabilities).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// It is listed in the answer to this query.
    Yes(&'static str),
    /// The answer to this query lists others, or none.
    No(&'static str),
    /// It does not exist on this system.
    System,
    /// The extension that brings the query is not listed.
    Extension(&'static str),
    /// The query is refused with this code, which says nothing about the kind: trying is the only way.
    Refused(&'static str, cl_result),
    /// It is listed, and so are several types of semaphores: nothing tells which of them it goes with.
    OfSomeType(&'static str),
    /// The answer to this query could not be had, or not be read.
    Failed(&'static str),
}

impl Support {
    /// `types` is how many types of semaphores are listed; one for memory.
    pub(super) fn of(handle_type: &HandleType, asked: &Asked, types: usize) -> Self {
        let query = asked.query;
        if !kind::exists_here(handle_type) {
            return Self::System;
        }
        match &asked.answer {
            Answer::Listed(listed) if !listed.iter().any(|number| handle_type.value == Some((*number).into())) => Self::No(query),
            Answer::Listed(_) if types > 1 => Self::OfSomeType(query),
            Answer::Listed(_) => Self::Yes(query),
            Answer::Refused(code) => Self::Refused(query, *code),
            Answer::NotAsked { extension } => Self::Extension(extension),
            Answer::Failed(_) => Self::Failed(query),
        }
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes(_) => f.write_str("yes"),
            Self::No(_) => f.write_str("no"),
            Self::System => f.write_str("no (not on this system)"),
            Self::Extension(extension) => write!(f, "no ({extension} is not listed)"),
            Self::Refused(_, code) => write!(f, "refused: {code}"),
            Self::OfSomeType(_) => f.write_str("for some type of semaphore"),
            Self::Failed(_) => f.write_str("failed"),
        }
    }
}

/// One kind of handle, and whether a platform or device imports and exports it.
///
/// With `cl_khr_external_semaphore` or `cl_khr_external_memory`. Source: `cl_external_semaphore_handle_type_khr` and
/// `cl_external_memory_handle_type_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Capability {
    /// The kind.
    pub handle_type: &'static HandleType,
    /// The type of semaphore that the row is about; `None` for memory.
    pub semaphore_type: Option<cl_semaphore_type_khr>,
    /// Whether it can be imported.
    pub import: Support,
    /// Whether it can be exported; `None` for memory, which OpenCL only imports.
    pub export: Option<Support>,
    /// Whether an image in memory of this kind is taken to be linear where nothing else tells its layout. `None` for semaphores, and for
    /// platforms, which cannot be asked.
    pub linear_images: Option<Support>,
}
