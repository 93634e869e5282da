//! The blocks of the specification that become reference pages.
//!
//! In: the lines of a document. Out: its [`Page`]s, each with the lines between its delimiters. A block begins with an attribute line that
//! has `refpage=` in it, and lies between two lines `--`.

use crate::finding::{Document, Finding, Findings};

use super::{
    facts::{Lines, Page},
    line::Line,
};

/// A page and what is in it.
pub(super) struct Block<'l, 'a> {
    pub page: Page,
    pub lines: &'l [Line<'a>],
}

/// Every block of `document`, whose lines are `lines`.
pub(super) fn blocks<'l, 'a>(document: &Document, lines: &'l [Line<'a>], findings: &mut Findings) -> Vec<Block<'l, 'a>> {
    let mut blocks = Vec::new();
    let mut rest = lines;
    while let Some(at) = rest.iter().position(|line| line.text.starts_with('[') && line.text.contains("refpage=")) {
        let (head, after) = (&rest[at], &rest[at + 1..]);
        let Some((body, closing)) = body(after) else {
            findings.push(
                Finding::error("a reference page has no body")
                    .at(document.place(head.range.clone()))
                    .wanted("a line `--` after it, and another at its end")
                    .help("the document may be cut short: fetch it again"),
            );
            rest = after;
            continue;
        };
        if let Some(page) = page(document, head, body, closing, findings) {
            blocks.push(Block { page, lines: body });
        }
        rest = &after[body.len() + 2..];
    }
    blocks
}

/// The lines between the two delimiters, and the closing one.
fn body<'l, 'a>(after: &'l [Line<'a>]) -> Option<(&'l [Line<'a>], &'l Line<'a>)> {
    let (opening, rest) = after.split_first()?;
    (opening.text == "--").then_some(())?;
    let end = rest.iter().position(|line| line.text == "--")?;
    Some((&rest[..end], &rest[end]))
}

fn page(document: &Document, head: &Line<'_>, body: &[Line<'_>], closing: &Line<'_>, findings: &mut Findings) -> Option<Page> {
    let mut required = |name: &str| {
        let value = attribute(head.text, name);
        if value.is_none() {
            findings.push(
                Finding::error("the attributes of a reference page are incomplete")
                    .at(document.place(head.range.clone()))
                    .wanted(format!("`{name}='…'`")),
            );
        }
        value.map(str::to_owned)
    };
    let aliases = attribute(head.text, "alias").unwrap_or_default();
    Some(Page {
        name: required("refpage")?,
        kind: required("type")?,
        aliases: aliases.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        guards: (*head.guards).clone(),
        place: document.place(head.range.clone()),
        lines: Lines { first: head.number, last: closing.number },
        marked: body.iter().any(Line::is_marker),
    })
}

/// The value of `name='value'`.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("{name}='");
    let (at, _) = text.match_indices(&key).find(|(at, _)| text[..*at].ends_with([',', '[', ' ']))?;
    text[at + key.len()..].split_once('\'').map(|(value, _)| value)
}
