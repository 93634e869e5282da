//! The way from a record or command to one of its parts.

use std::{fmt, str::FromStr};

/// `handle.win32.name`, `nodeParams.numExtSems`, `paramsArray[].flags`, `sema_props[CL_SEMAPHORE_TYPE_KHR]`.
///
/// Names are upstream's. A dot goes into a member, through a pointer as well; `[]` means every element of an array, and a name in
/// brackets the value of that property in a property list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(String);

impl Path {
    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names on the way, without brackets: the first is a member or parameter.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split(['.', '[', ']']).filter(|name| !name.is_empty())
    }

    /// The same way, continued with `name`.
    #[must_use]
    pub fn then(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{}.{name}", self.0)) }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether `text` can be a C name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let segment = |segment: &str| match segment.split_once('[') {
            None => is_name(segment),
            Some((name, rest)) => {
                is_name(name) && rest.strip_suffix(']').is_some_and(|property| property.is_empty() || is_name(property))
            }
        };
        if text.split('.').all(segment) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("`{text}` is no path: wanted names with dots between, as in `handle.win32.name`"))
        }
    }
}

crate::model::value::serde_as_text!(Path);
