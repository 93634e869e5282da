//! What the specification says of external handle types outside of tables and error lists.
//!
//! In: the lines of a document. Out: the sections whose anchors are known, paragraph by paragraph and bullet by bullet, each with the
//! subsection that it stands in and the extension that guards it. Pages and tables within them are read elsewhere.

use crate::finding::{Document, Finding};

use super::{
    chunk::{Chunk, Shape},
    facts::{HandlePart, HandleSection},
    line::Line,
    page::Block,
    prose::{Kind, Prose},
};

/// The anchors of the sections on external handle types.
const ANCHORS: [&str; 2] = ["external-memory-handle-types", "external-semaphore-handle-types"];

/// The sections on external handle types in `lines`, and what could not be resolved in them.
pub(super) fn sections(document: &Document, lines: &[Line<'_>], blocks: &[Block<'_, '_>]) -> (Vec<HandleSection>, Vec<Finding>) {
    let mut findings = Vec::new();
    let found = ANCHORS.iter().filter_map(|anchor| {
        let start = lines.iter().position(|line| line.text == format!("[[{anchor}]]"))?;
        let body = &lines[start + 1..];
        let heading = body.iter().position(|line| level(line).is_some())?;
        let depth = level(&body[heading])?;
        let body = &body[heading + 1..];
        let length = body.iter().position(|line| level(line).is_some_and(|other| other <= depth)).unwrap_or(body.len());
        let parts = parts(document, &body[..length], blocks, &mut findings);
        Some(HandleSection { anchor: (*anchor).to_owned(), parts })
    });
    (found.collect(), findings)
}

/// How deep a heading is, if the line is one.
fn level(line: &Line<'_>) -> Option<usize> {
    let depth = line.text.bytes().take_while(|byte| *byte == b'=').count();
    (depth > 1 && line.text[depth..].starts_with(' ')).then_some(depth)
}

fn parts(document: &Document, body: &[Line<'_>], blocks: &[Block<'_, '_>], findings: &mut Vec<Finding>) -> Vec<HandlePart> {
    let mut parts: Vec<HandlePart> = Vec::new();
    let mut heading = String::new();
    let mut in_table = false;
    let in_page =
        |line: &Line<'_>| blocks.iter().any(|block| (block.page.lines.first..=block.page.lines.last).contains(&line.number));
    for chunk in Chunk::all(body) {
        let first = chunk.first();
        if first.text.starts_with("|====") {
            in_table = !in_table;
        }
        if let Some(depth) = level(first) {
            first.text[depth..].trim().clone_into(&mut heading);
        }
        if in_table || in_page(first) || matches!(chunk.shape, Shape::Markup | Shape::Marker | Shape::Aside) {
            continue;
        }
        let (mut prose, unresolved) = chunk.prose(document);
        findings.extend(unresolved);
        if chunk.shape == Shape::Indented
            && let Some(part) = parts.last_mut()
        {
            part.prose.tokens.extend(prose.tokens);
            continue;
        }
        let handle_type = if matches!(chunk.shape, Shape::Bullet(_)) { take_name(&mut prose) } else { None };
        parts.push(HandlePart {
            heading: heading.clone(),
            handle_type,
            prose,
            guards: chunk.guards(),
            place: chunk.place(document),
        });
    }
    parts
}

/// The constant that a bullet begins with.
fn take_name(prose: &mut Prose) -> Option<String> {
    let first = prose.tokens.first()?;
    (first.kind == Kind::Constant).then(|| prose.tokens.remove(0).text)
}
