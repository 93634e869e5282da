//! What the tables say about a name: a command, a record, a handle type, a rule, an enumeration, an error code.
//!
//! In: both models, and where upstream declares what is in them. Out: an [`Explanation`], which serde writes as JSON and [`page`] lays out
//! for readers. Everything comes from the snapshots: nothing of upstream has to be in reach, and nothing of its text is shown.

mod find;
pub mod markdown;
pub mod page;
mod relate;
mod rows;
pub mod sheet;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod words;

pub use self::rows::{CodeRow, ErrorRow, EvidenceRow, Explanation, HandleRow, Item, Part, RuleRow, SourceRow};
use self::{find::Subject, relate::Related, words::Words};
use crate::{
    model::{Basis, CType, Command, Evidence, HandleType, Lifetime, Model, Path, RecordKind, Rule, Source},
    nearest::nearest,
    snapshot::lines::{BySymbol, Lines},
};

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
        return Err(Unknown { nearest: nearest(name, &names).into_iter().map(str::to_owned).collect() });
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
            handle_types: about.handle_types.iter().map(|row| self.handle_row(row, &related)).collect(),
            properties: about.properties.into_iter().cloned().collect(),
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
            source: rule.source.as_ref().map(|source| self.source_row(source)),
            reason: rule.reason.clone(),
            error: rule.error.clone(),
        }
    }

    fn handle_row(&self, row: &HandleType, related: &Related<'_>) -> HandleRow {
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
            seen: page::first_seen(self.model, row.lifetime.since),
            extensions: row.lifetime.extensions.clone(),
            counterparts: row.counterparts.clone(),
            evidence: row.evidence.iter().map(|one| self.evidence_row(one)).collect(),
        }
    }

    fn evidence_row(&self, evidence: &Evidence) -> EvidenceRow {
        let (source, reason) = match &evidence.basis {
            Basis::Source(source) => (Some(self.source_row(source)), None),
            Basis::Reason(reason) => (None, Some(reason.clone())),
        };
        EvidenceRow { column: evidence.column.clone(), origin: evidence.origin, source, reason }
    }

    fn source_row(&self, source: &Source) -> SourceRow {
        SourceRow {
            document: source.document.clone(),
            version: source.version.clone(),
            symbol: source.symbol.clone(),
            hash: source.hash.clone(),
            lines: self.lines_of(&source.document, &source.symbol),
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
