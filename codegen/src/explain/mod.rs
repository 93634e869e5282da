//! What the tables say about a name: a command, a record, a handle type, a rule, an enumeration, an error code.
//!
//! In: both models, and where upstream declares what is in them. Out: an [`Explanation`], which serde writes as JSON and [`page`] lays out
//! for readers. Everything comes from the snapshots: nothing of upstream has to be in reach, and nothing of its text is shown.

mod find;
pub mod markdown;
pub mod page;
mod relate;
pub mod sheet;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod words;

use serde::Serialize;

use self::{find::Subject, relate::Related, words::Words};
use crate::{
    model::{
        Api, CType, Command, HandleType, InitialState, Lifetime, Model, Origin, Owner, Path, Payload, Permanence, Platform,
        RecordKind, Rule, Transference, Version,
    },
    snapshot::lines::{BySymbol, Lines},
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
    seen: Option<String>,
    /// The extensions that bring it.
    pub extensions: Vec<String>,
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

/// Where upstream declares and documents the symbols of one API.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The declarations, and the comments with them.
    pub declarations: &'a BySymbol,
    /// Text that stands apart from the declarations.
    pub text: &'a BySymbol,
}

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The names that are nearest to it.
    pub nearest: Vec<String>,
}

/// What `models` say about `name`: one explanation for each API that has it.
pub fn explain(models: &[(&Model, Places<'_>)], name: &str) -> Result<Vec<Explanation>, Unknown> {
    let explained = models.iter().filter_map(|(model, lines)| Explainer { model, lines: *lines }.explain(name));
    let explained: Vec<Explanation> = explained.collect();
    if explained.is_empty() {
        let names = models.iter().flat_map(|(model, _)| find::names(model)).collect();
        return Err(Unknown { nearest: find::nearest(name, &names).into_iter().map(str::to_owned).collect() });
    }
    Ok(explained)
}

struct Explainer<'a> {
    model: &'a Model,
    lines: Places<'a>,
}

impl<'a> Explainer<'a> {
    fn explain(&self, name: &str) -> Option<Explanation> {
        let subjects = find::subjects(self.model, name);
        if subjects.is_empty() {
            return None;
        }
        let related = Related::new(self.model);
        let about = related.about(&subjects, name);
        let words = Words::of(self.model);
        Some(Explanation {
            name: name.to_owned(),
            api: self.model.api,
            items: subjects.iter().filter_map(|subject| self.item(*subject)).collect(),
            handle_types: about.handle_types.iter().map(|row| handle_row(self.model, row, &related)).collect(),
            rules: about.rules.iter().map(|rule| self.rule_row(rule, &words)).collect(),
            errors: about.errors,
        })
    }

    fn item(&self, subject: Subject<'a>) -> Option<Item> {
        let item = |name: &str, kind: &str, is: String, lifetime: Option<&Lifetime>, parts: Vec<Part>| Item {
            name: name.to_owned(),
            kind: kind.to_owned(),
            is,
            since: lifetime.and_then(since),
            lines: self.lines.declarations.get(name).cloned(),
            parts,
        };
        Some(match subject {
            Subject::Command(command) => {
                let parts = command.parameters.iter().map(|one| part(&one.name, &one.ctype, &one.lifetime)).collect();
                item(&command.symbol, "command", entry_point(command), Some(&command.lifetime), parts)
            }
            Subject::Record(record) => {
                let kind = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                let parts = record.members.iter().map(|one| part(&one.name, &one.ctype, &one.lifetime)).collect();
                item(&record.name, kind, String::new(), Some(&record.lifetime), parts)
            }
            Subject::Enumeration(one) => {
                let value = |value: &crate::model::Enumerator| part(&value.name, &value.value, &value.lifetime);
                item(&one.name, "enumeration", one.repr.clone(), Some(&one.lifetime), one.enumerators.iter().map(value).collect())
            }
            Subject::Enumerator(of, value) => {
                let mut item =
                    item(&value.name, "enumerator", format!("{} of `{}`", value.value, of.name), Some(&value.lifetime), Vec::new());
                item.lines = item.lines.or_else(|| self.lines.declarations.get(&format!("{}::{}", of.name, value.name)).cloned());
                item
            }
            Subject::Constant(one) => {
                item(&one.name, "constant", format!("{}: {}", one.ctype, one.value), Some(&one.lifetime), Vec::new())
            }
            Subject::Handle(one) => item(&one.name, "handle", String::new(), Some(&one.lifetime), Vec::new()),
            Subject::Alias(one) => {
                item(&one.name, "alias", format!("another name of `{}`", one.ctype), Some(&one.lifetime), Vec::new())
            }
            Subject::Omitted(one) => {
                item(&one.name, &one.kind, format!("not among the bindings: {}", one.reason), None, Vec::new())
            }
            // They are rows of their own.
            Subject::HandleType(_) | Subject::Rule(_) => return None,
        })
    }

    fn rule_row(&self, rule: &Rule, words: &Words) -> RuleRow {
        RuleRow {
            id: rule.id.clone(),
            subject: rule.subject.clone(),
            predicate: rule.predicate.to_string(),
            fields: rule.fields.iter().map(ToString::to_string).collect(),
            when: rule.when.iter().map(ToString::to_string).collect(),
            demand: words.demand(rule),
            condition: words.conditions(&rule.when),
            checkable: rule.predicate.is_checkable()
                && !rule.when.iter().any(|one| matches!(one, crate::model::Condition::Attested(_))),
            origin: rule.origin,
            source: rule.source.as_ref().map(|source| SourceRow {
                document: source.document.clone(),
                version: source.version.clone(),
                symbol: source.symbol.clone(),
                hash: source.hash.clone(),
                lines: self.lines_of(&source.document, &source.symbol),
            }),
            reason: rule.reason.clone(),
            error: rule.error.clone(),
        }
    }

    /// Where the text of `symbol` stands in `document`. A symbol names a type as upstream's text does, which may be by another name, and
    /// members of members by the whole way.
    fn lines_of(&self, document: &str, symbol: &str) -> Option<Lines> {
        let of = |lines: &BySymbol, symbol: &str| lines.get(symbol).filter(|lines| lines.document == document).cloned();
        let there = |symbol: &str| of(self.lines.declarations, symbol).or_else(|| of(self.lines.text, symbol));
        if let Some(lines) = there(symbol) {
            return Some(lines);
        }
        let mut way = symbol.split("::");
        let mut owner = self.model.resolve(way.next()?);
        let mut found = there(owner);
        for member in way {
            found = there(&format!("{owner}::{member}")).or(found);
            let record = self.model.records.iter().find(|record| record.name == owner);
            let of = record.and_then(|record| record.members.iter().find(|one| one.name == member));
            if let Some(CType::Named(next)) = of.map(|member| &member.ctype) {
                owner = self.model.resolve(next);
            }
        }
        found
    }
}

/// How a program gets at a command.
fn entry_point(command: &Command) -> String {
    let mut said = Vec::new();
    if let Some(header) = &command.header {
        said.push(header.clone());
    }
    if let Some(version) = command.version {
        said.push(format!("`cuGetProcAddress` gives it for `{}` and version {version}", command.name));
    }
    said.join("; ")
}

fn part(name: &str, is: &impl ToString, lifetime: &Lifetime) -> Part {
    Part { name: name.to_owned(), is: is.to_string(), since: since(lifetime) }
}

/// `3.0`, `cl_khr_semaphore`, or nothing where neither is known.
#[must_use]
pub fn since(lifetime: &Lifetime) -> Option<String> {
    let version = lifetime.since.map(|version| version.to_string());
    version.or_else(|| (!lifetime.extensions.is_empty()).then(|| lifetime.extensions.join(" or ")))
}

fn handle_row(model: &Model, row: &HandleType, related: &Related<'_>) -> HandleRow {
    let rules = related.rules_of(row);
    HandleRow {
        name: row.name.clone(),
        short: row.short.clone(),
        value: row.value.and_then(crate::model::Value::integer),
        member: common_member(row),
        members: row.members.iter().map(ToString::to_string).collect(),
        platform: row.platform,
        owner_on_success: row.owner_on_success,
        owner_on_failure: row.owner_on_failure,
        transference: row.transference,
        permanence: row.permanence,
        payload: row.payload,
        initial_state: row.initial_state,
        special_value: row.special_value.and_then(crate::model::Value::integer),
        errors: related.errors_of(row, &rules),
        rules: rules.iter().map(|rule| rule.id.clone()).collect(),
        since: row.lifetime.since,
        seen: page::first_seen(model, row.lifetime.since),
        extensions: row.lifetime.extensions.clone(),
    }
}

/// The member that all of a row's members are, or are in: `handle.win32` of `handle.win32.handle` and `handle.win32.name`.
#[must_use]
pub fn common_member(row: &HandleType) -> String {
    let mut paths = row.members.iter().map(Path::as_str);
    let Some(first) = paths.next() else { return String::new() };
    let mut common = first;
    for path in paths {
        while !(path == common || path.strip_prefix(common).is_some_and(|rest| rest.starts_with('.'))) {
            match common.rsplit_once('.') {
                Some((shorter, _)) => common = shorter,
                // They have nothing in common: all are named.
                None => return row.members.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            }
        }
    }
    common.to_owned()
}
