//! A property that a command takes in a list.
//!
//! In: the property tables of the specification, and its text on handle types. Out: one row a command and property, from which the tables
//! are generated that builders and decoders walk: without them nobody can say where the value of a property ends.

use serde::{Deserialize, Serialize};

use super::{availability::Lifetime, rule::Source};

/// A property that a list may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Its name: `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR`.
    pub name: String,
    /// The command that takes it.
    pub command: String,
    /// The parameter of the command that is the list.
    pub list: String,
    /// The type of its value, or of the elements of its list; absent where upstream gives none.
    pub value_type: Option<String>,
    /// Whether its value is a list of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_list: bool,
    /// What ends that list: a name or a number; absent where upstream does not say, which then is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminator: Option<String>,
    /// Whether every list must have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Where it is described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Since and until when, and with which extensions.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}
