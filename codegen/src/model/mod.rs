//! What both APIs are made of, as data without behaviour.
//!
//! In: what the passes made of imported facts, or a snapshot that was read back. Out: the same data, for snapshots, emitters,
//! `diff` and `explain`. Nothing here knows of XML, headers or Rust tokens.
//!
//! Every *leaf* (an enumerator, a member, a parameter) carries a [`Lifetime`], so that merging another release changes lines and
//! not shapes.

mod availability;
mod ctype;
mod handle_type;
mod items;
mod layout;
mod property;
mod rule;
mod value;

pub use availability::{Api, Change, LastRelease, Lifetime, Version};
pub use ctype::{CType, Parameter, Signature, SignatureParameter};
pub use handle_type::{
    Basis, Counterparts, Evidence, ExportedSize, HandleKind, HandleType, InitialState, Owner, Payload, Permanence, Platform,
    Transference,
};
pub use items::{
    Alias, Callback, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, Extension, Feature, Handle,
    HandleRepr, MacroFunction, Member, Omitted, Record, RecordKind, ThreadSafety,
};
pub use layout::{PerTarget, Target};
pub use property::Property;
pub use rule::{Condition, ErrorCode, ErrorList, Given, Object, Origin, Path, Predicate, Rule, Source, Term, Test};
pub use value::Value;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// One whole API: everything that is emitted for it, and what is deliberately not.
///
/// Each list is sorted by name, except members, parameters and enumerators, which keep the order of the declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Which API this is.
    pub api: Api,
    /// The releases that were read, oldest first: `13.5.37`, or `3.1.1` with a commit.
    ///
    /// A leaf whose `since` is the first of them existed then *or earlier*: nothing older was read.
    pub releases: Vec<String>,
    /// Named values that belong to no enumeration.
    pub constants: Vec<Constant>,
    /// Integer types with named values.
    pub enumerations: Vec<Enumeration>,
    /// Other names of a type.
    pub aliases: Vec<Alias>,
    /// Objects of the API that are only ever referred to.
    pub handles: Vec<Handle>,
    /// Structs and unions, nested ones included, each under a name of its own.
    pub records: Vec<Record>,
    /// Named function types that the application provides.
    pub callbacks: Vec<Callback>,
    /// The functions of the driver.
    pub commands: Vec<Command>,
    /// Core versions (OpenCL's `<feature>`; empty for CUDA).
    pub features: Vec<Feature>,
    /// Extensions (OpenCL only).
    pub extensions: Vec<Extension>,
    /// Macros with parameters, which become `const fn`.
    pub macro_functions: Vec<MacroFunction>,
    /// What upstream declares and this project does not emit, each with the reason.
    pub omitted: Vec<Omitted>,
    /// What must hold when a descriptor, a property list or a parameter is handed over, sorted by id.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// Every kind of external handle, sorted by kind and value.
    #[serde(default)]
    pub handle_types: Vec<HandleType>,
    /// The documented errors of each command, sorted by symbol.
    #[serde(default)]
    pub error_lists: Vec<ErrorList>,
    /// What commands take in property lists, sorted by command, list and name (OpenCL only).
    #[serde(default)]
    pub properties: Vec<Property>,
}

impl Model {
    /// The type that `name` is another name of in the end; `name` itself where it is none.
    #[must_use]
    pub fn resolve<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        // One that comes back to itself ends the walk: no more than all of them can be on it.
        for _ in 0..self.aliases.len() {
            match self.aliases.iter().find(|alias| alias.name == name).map(|alias| &alias.ctype) {
                Some(CType::Named(target)) => name = target,
                _ => break,
            }
        }
        name
    }

    /// A model of `api` with nothing in it.
    #[must_use]
    pub fn empty(api: Api) -> Self {
        Self {
            api,
            releases: Vec::new(),
            constants: Vec::new(),
            enumerations: Vec::new(),
            aliases: Vec::new(),
            handles: Vec::new(),
            records: Vec::new(),
            callbacks: Vec::new(),
            commands: Vec::new(),
            features: Vec::new(),
            extensions: Vec::new(),
            macro_functions: Vec::new(),
            omitted: Vec::new(),
            rules: Vec::new(),
            handle_types: Vec::new(),
            error_lists: Vec::new(),
            properties: Vec::new(),
        }
    }
}
