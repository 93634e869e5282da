//! Doxygen text, taken apart into sentences.
//!
//! In: the text of a comment without its markers. Out: its sentences as words, names and numbers, each with the section, the paragraph and
//! the lines that it stands in; the codes of `\return`; the blocks between `\code` and `\endcode`. What follows `\sa` is left out: it
//! says nothing.
//!
//! A list that a sentence introduces (`one of the following:`) belongs to the sentence if its items are lone names; an item that says
//! more is a sentence of its own.

mod token;

use std::ops::Range;

use sha2::{Digest, Sha256};

pub use self::token::{Kind, Token};

/// The part of a comment that a sentence stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// `\brief`.
    Brief,
    /// The description.
    Body,
    /// `\param`: what is said of one parameter.
    Parameter(String),
    /// `\note`, `\warning`, `\deprecated`, `\par`, `\remark`: named without the backslash.
    Aside(String),
}

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Where in the comment it stands.
    pub section: Section,
    /// The number of its paragraph, counted from 0 over the whole comment.
    pub paragraph: usize,
    /// Its words, names and numbers; without the full stop.
    pub tokens: Vec<Token>,
    /// The lines of the comment's text that it covers, counted from 0.
    pub lines: Range<usize>,
}

impl Sentence {
    /// The sentence with one space between tokens, without marks: equal for texts that differ in line breaks and markup only.
    #[must_use]
    pub fn normalised(&self) -> String {
        let words: Vec<_> = self.tokens.iter().map(|token| token.text.as_str()).collect();
        words.join(" ")
    }

    /// The first 16 hexadecimal digits of the SHA-256 of [`Self::normalised`].
    #[must_use]
    pub fn hash(&self) -> String {
        hash(&self.normalised())
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of `text`.
#[must_use]
pub fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let half = digest.iter().take(8).fold(0u64, |half, byte| half << 8 | u64::from(*byte));
    format!("{half:016x}")
}

/// What `\return` lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returns {
    /// The names in it, each with its line of the text.
    pub names: Vec<(String, usize)>,
    /// The words beside the names, which say when a code comes back.
    pub words: Vec<Token>,
}

/// A block between `\code` and `\endcode`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its first line in the text.
    pub line: usize,
    /// What is in it.
    pub text: String,
}

/// A comment, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// Its sentences, in order.
    pub sentences: Vec<Sentence>,
    /// The list of `\return` or `\returns`; absent if there is none.
    pub returns: Option<Returns>,
    /// Whether `\notefnerr` says that errors of earlier work may come back.
    pub earlier_errors: bool,
    /// The blocks of code.
    pub code: Vec<Code>,
}

/// Takes the text of a comment apart.
#[must_use]
pub fn read(text: &str) -> Prose {
    let mut reader = Reader { prose: Prose::default(), section: At::Prose(Section::Body), paragraph: 0, lines: Vec::new() };
    let mut code: Option<Code> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(block) = &mut code {
            if line.contains("\\endcode") {
                reader.prose.code.extend(code.take());
            } else {
                block.text.push_str(line);
                block.text.push('\n');
            }
        } else if line.trim_start().starts_with("\\code") {
            reader.end_paragraph();
            code = Some(Code { line: number + 1, text: String::new() });
        } else {
            reader.line(number, line);
        }
    }
    reader.end_paragraph();
    reader.prose.code.extend(code);
    reader.prose
}

/// Where the reader is.
#[derive(Clone, Debug, PartialEq)]
enum At {
    Prose(Section),
    Returns,
    SeeAlso,
}

struct Reader<'a> {
    prose: Prose,
    section: At,
    paragraph: usize,
    /// The lines of the paragraph so far.
    lines: Vec<(usize, &'a str)>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, line: &'a str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.end_paragraph();
            // What `\brief`, `\return` and `\param` govern ends with their paragraph; a list of codes may go on after an empty line.
            if matches!(self.section, At::Prose(_)) {
                self.section = At::Prose(Section::Body);
            }
            return;
        }
        let Some(command) = command(trimmed) else {
            self.lines.push((number, line));
            return;
        };
        let rest = trimmed[1 + command.len()..].trim_start();
        match command {
            "brief" | "short" => self.begin(At::Prose(Section::Brief), number, rest),
            "param" => {
                let (name, rest) = parameter(rest);
                self.begin(At::Prose(Section::Parameter(name.to_owned())), number, rest);
            }
            "return" | "returns" | "result" => {
                self.begin(At::Returns, number, rest);
                self.prose.returns.get_or_insert_default();
            }
            "sa" | "see" => self.begin(At::SeeAlso, number, ""),
            "notefnerr" => {
                self.prose.earlier_errors = true;
                self.begin(At::Prose(Section::Body), number, rest);
            }
            "note" | "warning" | "deprecated" | "remark" | "remarks" | "par" | "attention" => {
                self.begin(At::Prose(Section::Aside(command.to_owned())), number, rest.trim_start_matches(':'));
            }
            // Notes that stand elsewhere (`\note_sync`), and structure.
            _ if command.starts_with("note_") || command.starts_with("note") || STRUCTURE.contains(&command) => {
                self.begin(At::Prose(Section::Body), number, "");
            }
            _ => self.lines.push((number, line)),
        }
    }

    fn begin(&mut self, section: At, number: usize, rest: &'a str) {
        self.end_paragraph();
        self.section = section;
        if !rest.is_empty() {
            self.lines.push((number, rest));
        }
    }

    fn end_paragraph(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if lines.is_empty() {
            return;
        }
        match &self.section {
            At::SeeAlso => {}
            At::Returns => {
                let returns = self.prose.returns.get_or_insert_default();
                for token in token::tokens(&lines).into_iter().flatten() {
                    match token.kind {
                        Kind::Name => returns.names.push((token.text, token.line)),
                        _ => returns.words.push(token),
                    }
                }
            }
            At::Prose(section) => {
                for tokens in token::tokens(&lines) {
                    let first = tokens.first().map_or(0, |token| token.line);
                    let last = tokens.last().map_or(0, |token| token.line);
                    self.prose.sentences.push(Sentence {
                        section: section.clone(),
                        paragraph: self.paragraph,
                        tokens,
                        lines: first..last + 1,
                    });
                }
                self.paragraph += 1;
            }
        }
    }
}

/// Commands that structure the text and govern no sentence.
const STRUCTURE: [&str; 14] = [
    "defgroup",
    "addtogroup",
    "ingroup",
    "section",
    "subsection",
    "file",
    "name",
    "internal",
    "endinternal",
    "cond",
    "endcond",
    "anchor",
    "image",
    "callergraph",
];

/// The Doxygen command that a line begins with, unless it is one that stands within a sentence.
fn command(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['\\', '@'])?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let word = &rest[..end];
    let inline = ["p", "ref", "e", "b", "c", "a", "n", "li", "em", "arg"];
    (!word.is_empty() && !inline.contains(&word)).then_some(word)
}

/// Takes `[out] name - text` apart into name and text.
fn parameter(rest: &str) -> (&str, &str) {
    let rest = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((_, after)) => after.trim_start(),
        None => rest,
    };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, text) = rest.split_at(end);
    let text = text.trim_start();
    let text = text.strip_prefix('-').unwrap_or(text).trim_start();
    (name.trim_start_matches('\\').trim_end_matches([',', ':']), text)
}

#[cfg(test)]
mod tests;
