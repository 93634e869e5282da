//! Emits `rules`: for each record and command that upstream's text speaks of, its members, its table of rules, the specialised check of
//! the same rules, and for records that describe handles the constructors and the view.
//!
//! In: a model. Out: the file, or what of the rules cannot be written. Nothing here knows a handle type by name: what upstream adds
//! tomorrow becomes rows, arms, constructors and variants.

pub(super) mod c_interface;
mod constructors;
mod place;
mod quick;
mod row;
mod subject;
mod survey;
#[cfg(test)]
mod tests;
pub(super) mod words;

use self::{
    place::Leaf,
    quick::Quick,
    row::Rows,
    subject::{Subject, What},
    words::Words,
};
use super::{
    page::Page,
    types::{identifier, literal},
};
use crate::{
    finding::Findings,
    model::{HandleKind, Model},
    pass::index::Index,
};

/// Which rules a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Those of records, of CUDA's commands, and of OpenCL's commands for external objects: what comes with the feature `rules`.
    Main,
    /// Those of OpenCL's other commands: three quarters of all rules, which come with the feature `all-rules`.
    Others,
}

/// The file of rules.
pub(super) fn emit<'a>(model: &'a Model, index: &Index<'a>, part: Part, mut page: Page<'a>) -> Result<Page<'a>, Findings> {
    let words = Words::new(model, index);
    let subjects = subject::subjects(model, index, &words)?;
    let mut findings = Findings::default();
    for subject in subjects.iter().filter(|subject| subject.part() == part) {
        let rows = Rows { subject, words: &words, index };
        page.attached(&[&table_name(subject), &subject.name], &[subject.what.name()]);
        members(&rows, &mut page);
        findings.0.extend(table(&rows, &mut page).0);
        if !subject.handle_types.is_empty() {
            for written in [rows.constructors(&mut page), rows.view(&mut page)] {
                findings.0.extend(written.err());
            }
        }
    }
    if part == Part::Main {
        handle_type_values(model, &mut page);
        all(&subjects, &mut page);
    }
    if !page.is_empty() {
        page.needs_items();
        page.allows(
            "#![allow(clippy::cast_lossless, clippy::cast_sign_loss, clippy::cast_possible_truncation)] // a flag fits what carries flags\n\
             #![allow(clippy::doc_markdown)] // names of members are code, and stand alone",
        );
        page.needs("crate::rules::row::*");
        let names = ["Rule", "Source", "Subject", "Utf16Name", "Zeroed", "quick"];
        page.needs_of("crate::rules", &names);
    }
    findings.with(page).map(|(page, _)| page)
}

/// The constants of the places that a record has; for a command, the record of its arguments with those that rules speak of.
fn members(rows: &Rows<'_, '_>, page: &mut Page<'_>) {
    let subject = rows.subject;
    if !subject.is_reachable() {
        return;
    }
    page.gap();
    if subject.windows() {
        page.line(0, "#[cfg(windows)]");
    }
    if let What::Command(command) = subject.what {
        arguments(rows, &command.symbol, page);
        return;
    }
    page.line(0, "members! {");
    page.line(1, format_args!("{} {{", subject.name));
    for leaf in &subject.leaves {
        let ctype = page.ctype_by_width(&leaf.ctype, leaf.narrow_type.as_ref());
        let access = if subject.is_guarded(leaf) { "Followed" } else { "Plain" };
        let (path, kind) = (literal(&leaf.path), leaf.kind.name());
        page.line(2, format_args!("{}: {ctype} = {}, {path}, {kind}, {access};", leaf.constant, leaf.rust));
    }
    page.line(1, "}");
    page.line(0, "}");
}

/// The record of those arguments of a command that checks look at.
fn arguments(rows: &Rows<'_, '_>, symbol: &str, page: &mut Page<'_>) {
    let subject = rows.subject;
    let follows = if subject.leaves.iter().any(|leaf| subject.follows(leaf)) { " follows" } else { "" };
    let (lists, scalars): (Vec<&Leaf>, Vec<&Leaf>) = subject.leaves.iter().partition(|leaf| leaf.list.is_some());
    let life = if lists.is_empty() { "" } else { "<'a>" };
    page.line(0, "arguments! {");
    page.line(1, format_args!("{}{life}, {}, {}{follows} {{", subject.name, literal(symbol), table_name(subject)));
    for leaf in scalars {
        let ctype = page.ctype(&leaf.ctype);
        let (path, kind) = (literal(&leaf.path), leaf.kind.name());
        page.line(2, format_args!("{}: {ctype} = {}, {path}, {kind};", leaf.rust, leaf.constant));
    }
    page.line(1, "}");
    if !lists.is_empty() {
        page.line(1, "lists {");
        for leaf in lists {
            let table = leaf.list.as_deref().unwrap_or_default();
            page.line(2, format_args!("{} = {}, {}, {table};", leaf.rust, leaf.constant, literal(&leaf.path)));
        }
        page.line(1, "}");
    }
    if rows.has_quick() {
        let quick = rows.quick(&table_name(subject));
        page.line(1, format_args!("quick |{}| {{", quick.parameters()));
        body(subject, &quick, 2, page);
        page.line(1, "}");
    }
    page.line(0, "}");
}

/// The name of a subject's table.
fn table_name(subject: &Subject<'_>) -> String {
    format!("RULES_OF_{}", subject.name)
}

/// The table of a subject, and the check that is tied to it.
fn table(rows: &Rows<'_, '_>, page: &mut Page<'_>) -> Findings {
    let subject = rows.subject;
    let mut findings = Findings::default();
    let name = table_name(subject);
    page.gap();
    if subject.windows() {
        page.line(0, "#[cfg(windows)]");
    }
    let mut lines = Vec::new();
    for rule in &subject.rules {
        match rows.rule(rule) {
            Ok(row) => lines.extend(row.lines().map(str::to_owned)),
            Err(finding) => findings.0.push(finding),
        }
    }
    page.line(0, format_args!("pub(super) const {name}: &[Rule] = {{"));
    if lines.iter().any(|line| line.contains("R::")) {
        page.line(1, format_args!("type R = {};", subject.static_name()));
    }
    for (at, source) in rows.sources().iter().enumerate() {
        page.line(1, format_args!("const {}: Option<Source> = {source};", row::source_name(at)));
    }
    page.line(1, "&[");
    for line in &lines {
        page.line(2, line);
    }
    page.line(1, "]");
    page.line(0, "};");
    if subject.is_record() {
        quick(rows, &name, page);
    }
    findings
}

/// The specialised check, tied to the table.
fn quick(rows: &Rows<'_, '_>, table: &str, page: &mut Page<'_>) {
    let subject = rows.subject;
    let quick = rows.quick(table);
    page.gap();
    if subject.windows() {
        page.line(0, "#[cfg(windows)]");
    }
    page.line(0, format_args!("rules! {{ {}, {table}, |{}| {{", subject.name, quick.parameters()));
    body(subject, &quick, 1, page);
    page.line(0, "} }");
}

/// The expression of a specialised check.
fn body(subject: &Subject<'_>, quick: &Quick, depth: usize, page: &mut Page<'_>) {
    if quick.before.iter().chain(&quick.lines).any(|line| line.contains("R::")) {
        page.line(depth, format_args!("type R = {};", subject.static_name()));
    }
    if let Some(enumeration) = &quick.enumeration {
        page.line(depth, format_args!("type E = {enumeration};"));
    }
    for line in &quick.before {
        page.line(depth, line);
    }
    for (at, part) in quick.lines.iter().enumerate() {
        let (deeper, and) = if at == 0 { (0, "") } else { (1, "&& ") };
        for (within, line) in part.lines().enumerate() {
            page.line(depth + deeper, format_args!("{}{line}", if within == 0 { and } else { "" }));
        }
    }
}

/// Which enumerations say what a semaphore or memory is, so that one is never taken for the other.
fn handle_type_values(model: &Model, page: &mut Page<'_>) {
    for (kind, marker) in [(HandleKind::Semaphore, "SemaphoreHandleType"), (HandleKind::Memory, "MemoryHandleType")] {
        let enumerations: std::collections::BTreeSet<_> =
            model.handle_types.iter().filter(|row| row.kind == kind).filter_map(|row| row.enumeration.as_deref()).collect();
        for name in enumerations {
            page.gap();
            page.attached(&[], &[name]);
            page.name(name);
            page.line(0, format_args!("impl crate::rules::{marker} for {} {{", identifier(name)));
            page.line(1, "#[inline]");
            page.line(1, "fn number(self) -> u64 {");
            page.line(2, "self.0.into()");
            page.line(1, "}");
            page.line(0, "}");
        }
    }
}

/// The list of all subjects.
fn all(subjects: &[Subject<'_>], page: &mut Page<'_>) {
    if subjects.is_empty() {
        return;
    }
    page.gap();
    page.open();
    page.line(0, "/// Every record and command of the API that has rules, by name.");
    page.line(0, "pub const RULES: &[Subject] = &[");
    for subject in subjects {
        let name = subject.what.name();
        page.row(&[name]);
        if subject.windows() {
            page.line(1, "#[cfg(windows)]");
        }
        let module = match subject.part() {
            Part::Main => "",
            Part::Others => {
                page.line(1, "#[cfg(feature = \"all-rules\")]");
                "other_rules::"
            }
        };
        page.line(1, format_args!("Subject {{ name: {}, rules: {module}{} }},", literal(name), table_name(subject)));
    }
    page.close();
    page.line(0, "];");
}
