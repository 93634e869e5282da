//! What an explanation consists of. The names of the fields are those of its JSON, on which programs rely.

use serde::Serialize;

use crate::{
    model::{Api, Counterparts, InitialState, Origin, Owner, Payload, Permanence, Platform, Property, Transference, Version},
    snapshot::lines::Lines,
};

/// Everything about a name.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The name that was asked for.
    pub name: String,
    /// Whose it is.
    pub api: Api,
    /// What is called so.
    pub items: Vec<Item>,
    /// The handle types that it is, takes, or speaks of.
    pub handle_types: Vec<HandleRow>,
    /// The properties that its commands take in lists (OpenCL only).
    pub properties: Vec<Property>,
    /// The rules about it.
    pub rules: Vec<RuleRow>,
    /// The documented errors of the commands that it is about.
    pub errors: Vec<ErrorRow>,
}

/// A thing of the API.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is: `command`, `struct`, `enumerator`, …
    pub kind: String,
    /// What else there is to say: the type behind an alias, the value of a constant.
    pub is: String,
    /// Since which version, or with which extensions.
    pub since: Option<String>,
    /// Where upstream declares it.
    pub lines: Option<Lines>,
    /// Its parameters, members or values.
    pub parts: Vec<Part>,
}

/// A parameter, member or value.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its type or value.
    pub is: String,
    /// Since which version.
    pub since: Option<String>,
}

/// A kind of external handle.
#[derive(Clone, Debug, Serialize)]
pub struct HandleRow {
    /// Upstream's name.
    pub name: String,
    /// The name without what all of its kind have in common.
    pub short: String,
    /// Its value; `null` where it is no value of an enumeration.
    pub value: Option<i128>,
    /// The member that carries it, or the parameter or property: what `members` have in common.
    pub member: String,
    /// Each member that it selects.
    pub members: Vec<String>,
    /// Where it exists.
    pub platform: Platform,
    /// Who has to close the handle after a successful import.
    pub owner_on_success: Owner,
    /// Who has to close it after a failed one.
    pub owner_on_failure: Owner,
    /// What importing does to the payload.
    pub transference: Transference,
    /// How long an import lasts.
    pub permanence: Permanence,
    /// What a semaphore carries.
    pub payload: Payload,
    /// A semaphore's state after import.
    pub initial_state: InitialState,
    /// A value of the handle with a meaning of its own.
    pub special_value: Option<i128>,
    /// The ids of the rules that apply to it, or speak of it.
    pub rules: Vec<String>,
    /// The codes that are documented for a wrong import, or for a broken one of those rules.
    pub errors: Vec<String>,
    /// The first version that has it; `null` where only extensions do, or none is named.
    pub since: Option<Version>,
    /// The same for a reader.
    #[serde(skip)]
    pub(super) seen: Option<String>,
    /// The extensions that bring it.
    pub extensions: Vec<String>,
    /// The same kind of handle in other APIs.
    pub counterparts: Counterparts,
    /// What the columns rest on.
    pub evidence: Vec<EvidenceRow>,
}

/// What a column of a handle type rests on.
#[derive(Clone, Debug, Serialize)]
pub struct EvidenceRow {
    /// The column, as snapshots call it.
    pub column: String,
    /// Why it holds.
    pub origin: Origin,
    /// Where upstream says so; `null` where a person decided.
    pub source: Option<SourceRow>,
    /// Why a person decided so.
    pub reason: Option<String>,
}

/// One rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleRow {
    /// What a caller names to waive it.
    pub id: String,
    /// The record or command that it is about.
    pub subject: String,
    /// What must hold, in the form of the snapshots.
    pub predicate: String,
    /// What it must hold of.
    pub fields: Vec<String>,
    /// The conditions, all of which must be met for it to apply.
    pub when: Vec<String>,
    /// The demand in plain English.
    pub demand: String,
    /// The conditions in plain English; empty where there are none.
    pub condition: String,
    /// Whether a program can check it.
    pub checkable: bool,
    /// Why it holds.
    pub origin: Origin,
    /// Where upstream says so; `null` where it does not.
    pub source: Option<SourceRow>,
    /// Why this project says so.
    pub reason: Option<String>,
    /// The code that upstream promises where it does not hold.
    pub error: Option<String>,
}

/// Where upstream says something. The sentence is upstream's, and not kept.
#[derive(Clone, Debug, Serialize)]
pub struct SourceRow {
    /// The document.
    pub document: String,
    /// Its release.
    pub version: String,
    /// The symbol whose text it is.
    pub symbol: String,
    /// A hash of the sentence.
    pub hash: String,
    /// The lines of the symbol's text in the newest release, where they are known.
    pub lines: Option<Lines>,
}

/// The documented errors of a command.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorRow {
    /// The command.
    pub command: String,
    /// Whether upstream documents any list for it; none is not the empty one.
    pub documented: bool,
    /// Whether errors of earlier work may come back, too.
    pub earlier_errors: bool,
    /// The codes, in upstream's order.
    pub codes: Vec<CodeRow>,
}

/// A documented code.
#[derive(Clone, Debug, Serialize)]
pub struct CodeRow {
    /// The code.
    pub code: String,
    /// The ids of the rules whose breach it answers.
    pub rules: Vec<String>,
    /// The extensions with which it may come.
    pub extensions: Vec<String>,
}
