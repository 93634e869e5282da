//! What must hold before a driver is called, and the check of it: for descriptors, property lists and arguments of commands.
//!
//! In: generated tables, one row a rule, made of upstream's text; and a record or property list. Out: every rule that it breaks, each with
//! its stable id, the field, what was found and what was wanted; and every rule that could not be decided, with the fact that would.
//! Nothing is allocated.
//!
//! # Three ways to a check
//!
//! - [`Zeroed`], which begins as zeroes and changes member by member, or comes from a constructor that exists for every handle type
//!   (`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::opaque_fd`). It is initialised by how it is made: checking it is safe.
//! - [`check`] takes what can only be initialised: the arguments of a command, property lists (as slices) among them.
//! - [`check_raw`] takes a record that somebody made. No check can establish that bytes are initialised or that a pointer can be followed,
//!   so it is `unsafe` and says what the caller promises.
//!
//! # Why there is a table and a function
//!
//! A table can be listed, explained and waived by id, and says what is wrong. Walking it for every call costs several times what the same
//! rules cost as straight-line code. So both are emitted from the same rows: the function answers "every rule holds" or "look closer",
//! and only then the table is walked. A rule that depends on a fact that was not given, and that would be broken if it applied, makes the
//! function say "look closer" too; the walk then reports it as not checked.
//!
//! # What is not checked here
//!
//! What only the operating system can tell (is this file descriptor open), what only the caller knows
//! ([`Predicate::Attested`]; see [`Checked::vouched`]), and what lies behind a pointer in another record, which is checked as that record.

mod check;
mod condition;
mod errors;
mod field;
mod found;
mod given;
mod handle_type;
#[macro_use]
mod macros;
mod predicate;
mod property;
#[doc(hidden)]
pub mod quick;
#[doc(hidden)]
pub mod row;
mod utf16;
mod zeroed;

pub use check::{
    Checked, Inert, Record, Subject, Undecided, Violation, Violations, check, check_raw, check_raw_waiving, check_waiving,
    every_rule_holds,
};
pub use condition::{Condition, Term, Test};
pub use errors::{Code, Codes, Documented, ErrorTable, find as find_documented};
pub use field::{Access, Bytes, Field, Followed, Kind, Member, Plain};
pub use found::Found;
pub use given::{Fact, Facts, Given, MemoryHandleType, SemaphoreHandleType, System};
pub use handle_type::{ExportedSize, HandleKind, HandleType, InitialState, Owner, Payload, Permanence, Platform, Transference};
pub use predicate::{Named, Object, Operand, Predicate};
pub use property::{Entries, Entry, Malformed, MalformedKind, Property, PropertyList, PropertyTable, Shape, Word};
pub use utf16::{Fault, LONGEST, Utf16Name};
pub use zeroed::Zeroed;

/// Why a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Upstream says so.
    Stated,
    /// It follows from what upstream says.
    Derived,
    /// Our own caution, which no document states.
    Ours,
}

/// Where upstream says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The document: `cuda.h`.
    pub document: &'static str,
    /// The first release that was read in which it stands so.
    pub version: &'static str,
    /// Whose text it is: `cuImportExternalSemaphore`.
    pub symbol: &'static str,
}

/// One thing that must hold.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable, and what a caller names to waive it: `cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one`.
    pub id: &'static str,
    /// What must hold.
    pub predicate: Predicate,
    /// Of which fields.
    pub fields: &'static [Field],
    /// When: under all of these conditions.
    pub when: &'static [Condition],
    /// Why it holds.
    pub origin: Origin,
    /// Where it is said; `None` where no document does.
    pub source: Option<Source>,
    /// Why this project adds or settles it, in our words; empty where upstream's text is all there is to it.
    pub reason: &'static str,
    /// The code that upstream promises where it does not hold; empty where it promises none.
    pub error: &'static str,
    /// The first version in which it holds; empty where an extension brings it.
    pub since: &'static str,
    /// The last version in which it holds, where a newer one differs; else empty.
    pub until: &'static str,
}

impl Rule {
    /// Whether a program can decide it from fields and given facts.
    #[must_use]
    #[inline]
    pub fn is_checkable(&self) -> bool {
        !matches!(self.predicate, Predicate::Attested(_) | Predicate::Unchanged)
            && !self.fields.iter().any(|field| matches!(field.kind, Kind::Elsewhere))
    }
}
