//! What a query about lists came to: in, the outcome of asking; out, a list, or why there is none.

use std::fmt;

use clcu_sys::opencl::cl_result;

use crate::opencl::Error;

/// What a platform or device answered to one query.
///
/// Since OpenCL 1.0. Source: `clGetPlatformInfo` and `clGetDeviceInfo` of the OpenCL API specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// What it lists, in its order. Empty is an answer: a platform that imports only has nothing to export. A value has 32 bits.
    Listed(Vec<u32>),
    /// It refused with this code, although it lists the extension that brings the query.
    Refused(cl_result),
    /// It was not asked: it does not list the extension that brings the query.
    NotAsked {
        /// The extension.
        extension: &'static str,
    },
    /// It could not be asked, or its answer could not be read.
    Failed(Error),
}

impl Answer {
    pub(super) fn from_list(has_extension: bool, extension: &'static str, ask: impl FnOnce() -> Result<Vec<u32>, Error>) -> Self {
        if !has_extension {
            return Self::NotAsked { extension };
        }
        match ask() {
            Ok(listed) => Self::Listed(listed),
            Err(error) => error.result().map_or(Self::Failed(error), Self::Refused),
        }
    }

    /// The list, if there is one.
    #[must_use]
    pub fn listed(&self) -> Option<&[u32]> {
        if let Self::Listed(listed) = self { Some(listed) } else { None }
    }

    /// The code by which it was refused.
    #[must_use]
    pub fn refused(&self) -> Option<cl_result> {
        if let Self::Refused(code) = self { Some(*code) } else { None }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(listed) if listed.is_empty() => f.write_str("none"),
            Self::Listed(listed) => {
                let separated = |(index, number): (usize, &u32)| write!(f, "{}{number:#06X}", if index == 0 { "" } else { ", " });
                listed.iter().enumerate().try_for_each(separated)
            }
            Self::Refused(code) => write!(f, "refused with {code}"),
            Self::NotAsked { extension } => write!(f, "not asked, {extension} is not listed"),
            Self::Failed(error) => write!(f, "failed: {error}"),
        }
    }
}
