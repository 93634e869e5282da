//! Lines that belong together: bullets, paragraphs, and what is neither.
//!
//! In: the lines of a block. Out: its chunks, each with its prose. A line after a bullet belongs to it until an empty line or the next
//! bullet, indented or not, as asciidoc has it.

use crate::finding::{Document, Finding, Place};

use super::{
    facts::{Guard, Lines},
    line::Line,
    prose::Prose,
};

/// What a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A list item at this depth, from 1.
    Bullet(usize),
    /// Text at the left margin.
    Paragraph,
    /// Indented text that follows an empty line.
    Indented,
    /// A note that interrupts the text without belonging to it.
    Aside,
    /// A delimiter, a table, an attribute line, a heading, an include: nothing that reads as prose.
    Markup,
    /// The comment that announces an error list.
    Marker,
}

/// Lines that belong together.
pub(super) struct Chunk<'l, 'a> {
    pub shape: Shape,
    pub lines: &'l [Line<'a>],
}

impl<'l, 'a> Chunk<'l, 'a> {
    /// The chunks of `lines`.
    pub(super) fn all(mut lines: &'l [Line<'a>]) -> Vec<Self> {
        let mut chunks = Vec::new();
        while let Some((first, rest)) = lines.split_first() {
            if first.text.is_empty() {
                lines = rest;
                continue;
            }
            let shape = shape(first);
            let length = match shape {
                Shape::Markup | Shape::Marker => 1,
                Shape::Aside => aside(lines),
                _ => 1 + rest.iter().take_while(|line| continues(line)).count(),
            };
            chunks.push(Self { shape, lines: &lines[..length] });
            lines = &lines[length..];
        }
        chunks
    }

    /// Its first line. A chunk has one by construction.
    pub(super) fn first(&self) -> &'l Line<'a> {
        &self.lines[0]
    }

    /// What guards its first line.
    pub(super) fn guards(&self) -> Vec<Guard> {
        (*self.first().guards).clone()
    }

    /// Its lines, by number.
    pub(super) fn span(&self) -> Lines {
        let first = self.first().number;
        Lines { first, last: self.lines.last().map_or(first, |line| line.number) }
    }

    /// Where it is: without the white space in front of it.
    pub(super) fn place(&self, document: &Document) -> Place {
        let first = self.first();
        let indent = first.text.len() - first.text.trim_start().len();
        let end = self.lines.last().map_or(first.range.end, |line| line.range.end);
        document.place(first.range.start + indent..end)
    }

    /// What guards parts of it only: such a chunk says different things with and without an extension.
    pub(super) fn part_guards(&self) -> Vec<(Guard, &'l Line<'a>)> {
        let outer = &self.first().guards;
        let inner = self.lines.iter().filter_map(|line| line.guards.get(outer.len()..)?.first().map(|guard| (guard.clone(), line)));
        let mut guards: Vec<(Guard, &Line<'_>)> = inner.collect();
        guards.dedup_by(|later, earlier| later.0 == earlier.0);
        guards
    }

    /// What it says, and a warning for every attribute whose name says nothing.
    pub(super) fn prose(&self, document: &Document) -> (Prose, Vec<Finding>) {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(self.lines.len());
        for (index, line) in self.lines.iter().enumerate() {
            let content = match (index, line.bullet()) {
                (0, Some((_, content))) => content,
                _ => line.text.trim_start(),
            };
            starts.push((text.len(), line.range.end - content.len()));
            text.push_str(content);
            text.push('\n');
        }
        let original =
            |at: usize| starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(start, place)| place + at - start);
        let (mut prose, unresolved) = Prose::read(&text);
        for token in &mut prose.tokens {
            token.at = original(token.at);
        }
        let findings = unresolved.iter().map(|attribute| {
            let range = original(attribute.range.start)..original(attribute.range.end);
            Finding::warning("an attribute cannot be resolved by its name")
                .at(document.place(range))
                .found(format!("`{{{}}}`", attribute.name))
                .wanted("a constant, a command, or a name that ends in `_TYPE` or `_EXT`")
        });
        let findings = findings.collect();
        (prose, findings)
    }
}

fn shape(line: &Line<'_>) -> Shape {
    if line.is_marker() {
        Shape::Marker
    } else if let Some((depth, _)) = line.bullet() {
        Shape::Bullet(depth)
    } else if matches!(line.text, "[NOTE]" | ".Note" | "====") {
        Shape::Aside
    } else if is_markup(line.text) {
        Shape::Markup
    } else if line.is_unindented() {
        Shape::Paragraph
    } else {
        Shape::Indented
    }
}

/// How many lines a note has: to its closing delimiter, where it has delimiters.
fn aside(lines: &[Line<'_>]) -> usize {
    let delimited = lines.first().is_some_and(|line| line.text == "====");
    let closing = lines.iter().skip(1).position(|line| line.text == "====");
    if delimited { closing.map_or(lines.len(), |at| at + 2) } else { 1 }
}

/// Whether `line` is more of the chunk before it.
fn continues(line: &Line<'_>) -> bool {
    !line.text.is_empty() && line.bullet().is_none() && !line.is_marker() && !is_markup(line.text)
}

fn is_markup(text: &str) -> bool {
    let delimiter = ["====", "----", "|===", "--", "+", "...."];
    text.starts_with("include::")
        || text.starts_with("[[")
        || text.starts_with("== ")
        || text.starts_with("===")
        || text.starts_with('|')
        || text.starts_with("image::")
        || text.starts_with('[') && text.ends_with(']')
        || text.starts_with('.') && text[1..].starts_with(|c: char| c.is_ascii_alphabetic())
        || delimiter.contains(&text)
}
