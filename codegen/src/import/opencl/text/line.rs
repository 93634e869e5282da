//! The lines of an asciidoc document as they are after its preprocessor: what guards each, and comments gone.
//!
//! In: a [`Document`]. Out: its lines with the `ifdef::` and `ifndef::` around each; `// refError`, the one comment with a meaning, is
//! kept. Text in the brackets of a directive becomes a line of its own. Nothing is decided here: every reading of the guards is kept.

use std::{ops::Range, rc::Rc};

use crate::finding::{Document, Finding, Findings};

use super::facts::Guard;

/// One line that survives the preprocessor.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// Its number, counted from 1.
    pub number: usize,
    /// Where it is, in bytes, without the end of the line.
    pub range: Range<usize>,
    /// Its text, without white space at its end.
    pub text: &'a str,
    /// What guards it, outermost first.
    pub guards: Rc<Vec<Guard>>,
}

impl<'a> Line<'a> {
    /// The bullet that begins here: its depth and what follows.
    pub(super) fn bullet(&self) -> Option<(usize, &'a str)> {
        let trimmed = self.text.trim_start();
        let depth = trimmed.bytes().take_while(|byte| *byte == b'*').count();
        let rest = trimmed.get(depth..)?;
        (depth > 0 && rest.starts_with(' ')).then(|| (depth, rest.trim_start()))
    }

    /// Whether it begins at the left margin.
    pub(super) fn is_unindented(&self) -> bool {
        !self.text.is_empty() && !self.text.starts_with([' ', '\t'])
    }

    /// The marker of an error list.
    pub(super) fn is_marker(&self) -> bool {
        self.text == MARKER
    }
}

/// The comment that announces an error list.
const MARKER: &str = "// refError";

/// Reads the lines of `document`.
pub(super) fn lines<'a>(document: &'a Document, findings: &mut Findings) -> Vec<Line<'a>> {
    let mut reader = Reader { document, findings, open: Vec::new(), guards: Rc::default(), lines: Vec::new() };
    let mut at = 0;
    let mut in_comment = false;
    for (index, whole) in document.text().split_inclusive('\n').enumerate() {
        let text = whole.trim_end();
        let range = at..at + text.len();
        at += whole.len();
        if text == "////" {
            in_comment = !in_comment;
        } else if !in_comment {
            reader.line(index + 1, range, text);
        }
    }
    reader.finish()
}

/// The directives that are open.
struct Reader<'a, 'f> {
    document: &'a Document,
    findings: &'f mut Findings,
    open: Vec<(String, Range<usize>)>,
    guards: Rc<Vec<Guard>>,
    lines: Vec<Line<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self, number: usize, range: Range<usize>, text: &'a str) {
        if let Some((directive, names, content)) = directive(text) {
            self.directive(number, range, directive, names, content);
        } else if text.trim_start().starts_with("//") && text != MARKER {
            if !text.starts_with('/') && self.follows_a_bullet() {
                self.findings.push(
                    Finding::warning("a comment is indented, so that readers of the page see it as text")
                        .at(self.document.place(range.end - text.trim_start().len()..range.end))
                        .help("it is taken as the comment that it is meant to be"),
                );
            }
        } else {
            let guards = Rc::clone(&self.guards);
            self.lines.push(Line { number, range, text, guards });
        }
    }

    /// Indented `//` within listings is code; after a bullet it is a comment that misses the margin.
    fn follows_a_bullet(&self) -> bool {
        self.lines.iter().rev().take_while(|line| !line.text.is_empty()).any(|line| line.bullet().is_some())
    }

    fn directive(&mut self, number: usize, range: Range<usize>, directive: &str, names: &'a str, content: &'a str) {
        if directive == "endif" {
            self.close(range, names);
            return;
        }
        let Some(guard) = guard(directive, names) else {
            self.findings.push(
                Finding::error("a directive of the preprocessor is not understood")
                    .at(self.document.place(range.clone()))
                    .found(format!("`{directive}::{names}`"))
                    .wanted("`ifdef` with names joined by `,` or by `+`, or `ifndef` with one name"),
            );
            if content.is_empty() || directive == "ifeval" {
                self.open(names, range, Guard::AllOf(Vec::new()));
            }
            return;
        };
        if content.is_empty() {
            self.open(names, range, guard);
        } else {
            let mut guards = (*self.guards).clone();
            guards.push(guard);
            self.lines.push(Line { number, range, text: content, guards: Rc::new(guards) });
        }
    }

    fn open(&mut self, names: &str, range: Range<usize>, guard: Guard) {
        self.open.push((names.to_owned(), range));
        Rc::make_mut(&mut self.guards).push(guard);
    }

    fn close(&mut self, range: Range<usize>, names: &str) {
        match self.open.pop() {
            Some((opened, _)) if names.is_empty() || opened == names => {}
            Some((opened, _)) => self.findings.push(
                Finding::error("an `endif` does not close the directive before it")
                    .at(self.document.place(range))
                    .found(format!("`{names}`"))
                    .wanted(format!("`{opened}`"))
                    .help("upstream's guards are crossed: report it there"),
            ),
            None => {
                self.findings.push(
                    Finding::error("an `endif` closes nothing")
                        .at(self.document.place(range))
                        .help("upstream's guards are unbalanced: report it there"),
                );
                return;
            }
        }
        Rc::make_mut(&mut self.guards).pop();
    }

    fn finish(self) -> Vec<Line<'a>> {
        for (names, range) in self.open {
            self.findings.push(
                Finding::error(format!("`{names}` is never closed"))
                    .at(self.document.place(range))
                    .wanted(format!("`endif::{names}[]`"))
                    .help("the document may be cut short: fetch it again"),
            );
        }
        self.lines
    }
}

/// The directive on a line: its word, its attributes, and what is in the brackets.
fn directive(text: &str) -> Option<(&str, &str, &str)> {
    let (word, rest) = text.split_once("::")?;
    matches!(word, "ifdef" | "ifndef" | "ifeval" | "endif").then_some(())?;
    let (names, rest) = rest.split_once('[')?;
    Some((word, names, rest.strip_suffix(']')?))
}

/// `a,b` asks for one of them, `a+b` for both.
fn guard(directive: &str, names: &str) -> Option<Guard> {
    let list = |separator: char| names.split(separator).map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    match (directive, names.contains(','), names.contains('+')) {
        ("ifdef", _, false) => Some(Guard::AnyOf(list(','))),
        ("ifdef", false, true) => Some(Guard::AllOf(list('+'))),
        ("ifndef", false, false) => Some(Guard::Without(names.to_owned())),
        _ => None,
    }
}
