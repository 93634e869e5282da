//! Lays an [`Explanation`] out for readers.
//!
//! In: an explanation. Out: a [`Sheet`]. Rules with the same conditions stand together under them, because that is how a reader looks for
//! them: what kind of handle do I have, what must I do?

use serde::Serialize;

use super::{
    ErrorRow, Explanation, HandleRow, Item, RuleRow, SourceRow,
    sheet::{Point, Sheet},
};
use crate::{
    model::{Api, Model, Origin, Owner, Predicate, Version},
    snapshot::lines::Lines,
};

/// An explanation as a page.
#[must_use]
pub fn page(explanation: &Explanation) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.heading(1, format!("`{}` ({})", explanation.name, explanation.api));
    for one in &explanation.items {
        item(&mut sheet, one);
    }
    handle_types(&mut sheet, &explanation.handle_types);
    rules(&mut sheet, &explanation.rules);
    errors(&mut sheet, &explanation.errors, &explanation.name);
    sheet
}

fn item(sheet: &mut Sheet, item: &Item) {
    let mut said = vec![format!("`{}`: {}", item.name, item.kind)];
    said.extend((!item.is.is_empty()).then(|| item.is.clone()));
    said.extend(item.since.as_ref().map(|since| format!("since {since}")));
    said.extend(item.lines.as_ref().map(place));
    sheet.paragraph(format!("{}.", said.join("; ")));
    let rows =
        item.parts.iter().map(|part| vec![format!("`{}`", part.name), part.is.clone(), part.since.clone().unwrap_or_default()]);
    sheet.table("", &["name", if item.kind == "enumeration" { "value" } else { "type" }, "since"], rows.collect());
}

/// `cuda.h:12-34`.
fn place(lines: &Lines) -> String {
    if lines.first == lines.last {
        format!("{}:{}", lines.document, lines.first)
    } else {
        format!("{}:{}-{}", lines.document, lines.first, lines.last)
    }
}

/// A column's value as snapshots write it, in the words of a reader.
#[must_use]
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => match text.as_str() {
            "nv_sci" => "NvSci".to_owned(),
            "nv_sci_sync" => "NvSciSync".to_owned(),
            "posix" => "POSIX".to_owned(),
            "windows" => "Windows".to_owned(),
            _ => text.replace('_', " "),
        },
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Who has to close a handle, as the answer to that question.
#[must_use]
pub fn owner(owner: Owner) -> String {
    if owner == Owner::None { "nobody".to_owned() } else { word(&owner) }
}

/// `13.5`, or `13.5 or earlier` where nothing older was read.
#[must_use]
pub fn first_seen(model: &Model, since: Option<Version>) -> Option<String> {
    let oldest = model.releases.first().and_then(|release| {
        let mut parts = release.split('.');
        format!("{}.{}", parts.next()?, parts.next()?).parse::<Version>().ok()
    });
    let since = since?;
    Some(if model.api == Api::Cuda && Some(since) == oldest { format!("{since} or earlier") } else { since.to_string() })
}

fn handle_types(sheet: &mut Sheet, rows: &[HandleRow]) {
    if rows.is_empty() {
        return;
    }
    sheet.heading(2, format!("Handle types: {}", rows.len()));
    let has_special = rows.iter().any(|row| row.special_value.is_some());
    let mut head =
        vec!["handle type", "value", "member", "platform", "owner after success", "owner after failure", "transference", "payload"];
    head.extend(has_special.then_some("special value"));
    head.extend(["rules", "since"]);
    let cells = |row: &HandleRow| {
        let mut cells = vec![
            format!("`{}`", row.short),
            row.value.map(|value| format!("{value}")).unwrap_or_default(),
            format!("`{}`", row.member),
            word(&row.platform),
            owner(row.owner_on_success),
            owner(row.owner_on_failure),
            word(&row.transference),
            word(&row.payload),
        ];
        cells.extend(has_special.then(|| row.special_value.map(|value| value.to_string()).unwrap_or_default()));
        let since = row.seen.clone().unwrap_or_else(|| row.extensions.join(" or "));
        cells.extend([row.rules.len().to_string(), since]);
        cells
    };
    sheet.table("", &head, rows.iter().map(cells).collect());
    if let [row] = rows {
        sheet.paragraph(format!(
            "`{}` selects {}.",
            row.name,
            super::words::joined(&row.members.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>(), "and")
        ));
        if !row.errors.is_empty() {
            sheet.paragraph(format!(
                "A wrong one may be answered with {}.",
                row.errors.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
            ));
        }
    }
}

fn rules(sheet: &mut Sheet, rules: &[RuleRow]) {
    if rules.is_empty() {
        return;
    }
    let checkable = rules.iter().filter(|rule| rule.checkable).count();
    sheet.heading(
        2,
        format!("Rules: {checkable} that a program can check, {} that the caller vouches for", rules.len() - checkable),
    );
    let mut groups: Vec<(&str, &str, Vec<&RuleRow>)> = Vec::new();
    for rule in rules {
        match groups.iter_mut().find(|(subject, condition, _)| *subject == rule.subject && *condition == rule.condition) {
            Some((_, _, group)) => group.push(rule),
            None => groups.push((&rule.subject, &rule.condition, vec![rule])),
        }
    }
    // What always holds comes first.
    groups.sort_by_key(|(subject, condition, _)| (*subject, !condition.is_empty()));
    for (subject, condition, rules) in groups {
        let when = if condition.is_empty() { "always".to_owned() } else { format!("when {condition}") };
        sheet.paragraph(format!("`{subject}`, {when}:"));
        sheet.points(rules.into_iter().map(point).collect());
    }
}

fn point(rule: &RuleRow) -> Point {
    let mut text = rule.demand.clone();
    if let Some(error) = &rule.error {
        let refused = rule.predicate == Predicate::Forbidden.name();
        text = if refused { format!("{text}, with `{error}`") } else { format!("{text}; otherwise `{error}`") };
    }
    let basis = match (&rule.source, &rule.reason) {
        (Some(source), Some(reason)) => format!("{}; {reason}", source_text(source)),
        (Some(source), None) => source_text(source),
        (None, Some(reason)) => reason.clone(),
        (None, None) => String::new(),
    };
    let origin = match rule.origin {
        Origin::Stated => "stated in",
        Origin::Derived => "derived from",
        Origin::Ours => "our own caution:",
    };
    let basis = if basis.is_empty() { word(&rule.origin) } else { format!("{origin} {basis}") };
    Point { text, note: format!("`{}`, {basis}", rule.id) }
}

fn source_text(source: &SourceRow) -> String {
    let place = source.lines.as_ref().map_or_else(|| source.document.clone(), place);
    format!("{place} (`{}`, {})", source.symbol, source.version)
}

fn errors(sheet: &mut Sheet, rows: &[ErrorRow], name: &str) {
    let own = rows.iter().any(|row| row.codes.iter().all(|code| code.code != name));
    if rows.is_empty() {
        return;
    }
    sheet
        .heading(2, if own { "Documented errors".to_owned() } else { format!("Commands that may answer with it: {}", rows.len()) });
    for row in rows.iter().filter(|_| own) {
        if !row.documented {
            sheet.paragraph(format!("`{}`: upstream documents no list, which is not the empty list.", row.command));
        }
        let conditions = |count: usize| if count == 0 { "none stated".to_owned() } else { count.to_string() };
        let cells =
            |code: &super::CodeRow| vec![format!("`{}`", code.code), conditions(code.rules.len()), code.extensions.join(" or ")];
        sheet.table("", &["code", "conditions", "with the extension"], row.codes.iter().map(cells).collect());
        if row.earlier_errors {
            sheet.paragraph("Errors of earlier, asynchronous work may come back as well.");
        }
    }
    if !own {
        let rules = |row: &ErrorRow| row.codes.iter().map(|code| code.rules.len()).sum::<usize>().to_string();
        sheet.table(
            "",
            &["command", "rules that lead to it"],
            rows.iter().map(|row| vec![format!("`{}`", row.command), rules(row)]).collect(),
        );
    }
}
