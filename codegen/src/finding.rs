//! What an importer, a pass or the command has to say to a person: where, what was found, what was wanted, what to do.
//!
//! In: a [`Document`] and a byte range in it. Out: a [`Finding`], which the command line renders with the source line under it. Strict
//! import turns each unknown construct into an error; `--lenient` makes the same finding a warning, and nothing is skipped in silence.

use std::{fmt, ops::Range, sync::Arc};

/// An upstream text with the name under which messages speak of it.
#[derive(Clone, Debug)]
pub struct Document {
    name: Arc<str>,
    text: Arc<str>,
}

impl Document {
    /// A text called `name` in messages: a path relative to what the user gave, never an absolute one.
    #[must_use]
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// From bytes that should be UTF-8.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Finding> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => {
                let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let place = Self::new(name, &good).place(good.len()..good.len());
                Err(Finding::error("the document is not UTF-8")
                    .at(place)
                    .found(format!("byte 0x{:02X}", bytes[error.valid_up_to()]))
                    .help("fetch it again, or convert it to UTF-8"))
            }
        }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where `range` (in bytes) is. Ranges past the end, or within a character, are moved to the nearest position that exists.
    #[must_use]
    pub fn place(&self, range: Range<usize>) -> Place {
        let floor = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (floor(range.start), floor(range.end.max(range.start)));
        Place { document: self.clone(), range: start..end }
    }
}

/// A range of a [`Document`].
#[derive(Clone)]
pub struct Place {
    document: Document,
    range: Range<usize>,
}

impl Place {
    /// The document.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The range, in bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// The column in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        let before = self.before();
        before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1
    }

    fn before(&self) -> &str {
        &self.document.text[..self.range.start]
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.document.name, self.line(), self.column())
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Upstream is wrong or strange, and what to make of it is clear.
    Warning,
    /// The result cannot be trusted.
    Error,
}

/// One thing to say.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What happened, as a sentence without its full stop.
    pub what: String,
    /// Where.
    pub place: Option<Place>,
    /// What was found there.
    pub found: Option<String>,
    /// What was wanted.
    pub wanted: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Strict reading refuses it; lenient reading left it out.
    pub softened: bool,
}

impl Finding {
    /// An error: the result cannot be trusted.
    #[must_use]
    pub fn error(what: impl Into<String>) -> Self {
        Self::new(Severity::Error, what)
    }

    /// A warning: what to make of it is clear.
    #[must_use]
    pub fn warning(what: impl Into<String>) -> Self {
        Self::new(Severity::Warning, what)
    }

    /// A note.
    #[must_use]
    pub fn note(what: impl Into<String>) -> Self {
        Self::new(Severity::Note, what)
    }

    fn new(severity: Severity, what: impl Into<String>) -> Self {
        Self { severity, what: what.into(), place: None, found: None, wanted: None, help: None, softened: false }
    }

    /// The same where lenient reading leaves out what strict reading refuses: an error becomes a warning that says so.
    #[must_use]
    pub fn softened(mut self) -> Self {
        self.softened |= self.severity == Severity::Error;
        self.severity = self.severity.min(Severity::Warning);
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says what was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Says what was wanted.
    #[must_use]
    pub fn wanted(mut self, wanted: impl Into<String>) -> Self {
        self.wanted = Some(wanted.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)?;
        if let Some(found) = &self.found {
            write!(f, "; found {found}")?;
        }
        if let Some(wanted) = &self.wanted {
            write!(f, "; wanted {wanted}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

/// Everything that a stage had to say. A stage gives its result only if none of it is an error.
#[derive(Clone, Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Whether any of it is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Adds one.
    pub fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Turns errors into warnings: `--lenient`, which lists what strict import refuses.
    pub fn soften(&mut self) {
        self.0 = std::mem::take(&mut self.0).into_iter().map(Finding::softened).collect();
    }

    /// `result` with what was found beside it, or only the findings if any of them is an error.
    pub fn with<T>(self, result: T) -> Result<(T, Self), Self> {
        if self.has_errors() { Err(self) } else { Ok((result, self)) }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|finding| writeln!(f, "{finding}"))
    }
}

impl std::error::Error for Findings {}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        Self(vec![finding])
    }
}

/// Whether an importer refuses what it does not know, or lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Unknown constructs are errors.
    #[default]
    Strict,
    /// Unknown constructs are warnings.
    Lenient,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let document = Document::new("a.xml", "one\nzwö x\n");
        let at = document.text().find('x').unwrap_or_default();
        assert_eq!(document.place(at..at + 1).to_string(), "a.xml:2:5");
        assert_eq!(document.place(0..0).to_string(), "a.xml:1:1");
    }

    #[test]
    fn a_range_past_the_end_or_within_a_character_still_has_a_place() {
        let document = Document::new("a.xml", "ö");
        assert_eq!(document.place(1..99).to_string(), "a.xml:1:1");
        assert_eq!(document.place(99..100).to_string(), "a.xml:1:2");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_an_error_at_the_first_of_them() {
        let finding = Document::from_bytes("cl.xml", b"<a>\n<b\xFF/>").unwrap_err();
        assert_eq!(finding.place.as_ref().map(Place::to_string).as_deref(), Some("cl.xml:2:3"));
        assert_eq!(finding.found.as_deref(), Some("byte 0xFF"));
    }

    #[test]
    fn softening_turns_errors_into_warnings_and_leaves_notes() {
        let mut findings = Findings(vec![Finding::error("a"), Finding::note("b")]);
        assert!(findings.has_errors());
        findings.soften();
        assert!(!findings.has_errors());
        assert_eq!(findings.0[1].severity, Severity::Note);
    }
}
