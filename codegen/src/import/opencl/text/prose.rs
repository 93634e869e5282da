//! A sentence of the specification as tokens: its names resolved, its mark-up gone.
//!
//! In: the lines of a paragraph or bullet. Out: [`Prose`], over which the grammar of conditions runs. Upstream's attributes have names
//! that say what they stand for (`{CL_X}`, `{CL_X_anchor}`, `{clFoo}`, `{cl_x_TYPE}`, `{cl_x_EXT}`, `{fn-x}`), so the dictionaries that define
//! them, which a build of the specification generates, are not needed.

use std::{
    fmt::{self, Write as _},
    ops::Range,
};

use sha2::{Digest, Sha256};
use winnow::{
    Parser as _,
    ascii::{digit1, multispace1},
    combinator::{alt, delimited, not, opt, preceded, repeat, terminated},
    error::ContextError,
    stream::{LocatingSlice, Location as _},
    token::{any, take_until, take_while},
};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A word of the language.
    Word,
    /// A number, with its sign.
    Number,
    /// A punctuation mark or operator.
    Mark,
    /// A parameter or member, emphasised in the source.
    Parameter,
    /// Something between backticks: `NULL`, a function of another API, a number.
    Literal,
    /// A constant: `CL_INVALID_VALUE`.
    Constant,
    /// A command: `clCreateBuffer`.
    Command,
    /// A type: `cl_mem_flags`.
    Type,
    /// An extension: `cl_khr_semaphore`.
    Extension,
    /// A link to another place of the specification: its anchor.
    Link,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its text: without mark-up, a word as it is written.
    pub text: String,
    /// Where it begins in the text that was read, in bytes.
    pub at: usize,
    /// How many bytes it has there, mark-up included.
    pub width: usize,
}

/// A sentence, or a few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// Its tokens.
    pub tokens: Vec<Token>,
}

/// An attribute whose name says nothing, by its range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub range: Range<usize>,
}

impl Prose {
    /// Reads `text`. Attributes that are not understood are words of their own, and come back beside it.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<Unresolved>) {
        let mut unresolved = Vec::new();
        let mut tokens = Vec::new();
        let mut input = LocatingSlice::new(text);
        loop {
            let at = input.current_token_start();
            let Ok(raw) = raw(&mut input) else { break };
            let (kind, text) = match raw {
                Raw::Nothing => continue,
                Raw::Token(kind, text) => (kind, text.to_owned()),
                Raw::Attribute(name) => match resolve(name) {
                    Resolved::Token(kind, text) => (kind, text.to_owned()),
                    Resolved::Nothing => continue,
                    Resolved::Unknown => {
                        unresolved.push(Unresolved { name: name.to_owned(), range: at..input.current_token_start() });
                        (Kind::Word, name.to_owned())
                    }
                },
            };
            tokens.push(Token { kind, text, at, width: input.current_token_start() - at });
        }
        (Self { tokens }, unresolved)
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The first sixteen digits of the SHA-256 of its normalised text: what is committed in place of the sentence.
    #[must_use]
    pub fn hash(&self) -> String {
        Sha256::digest(self.to_string()).iter().take(8).fold(String::new(), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }

    /// The constants, commands, types and parameters that it names, each once, in order of appearance.
    #[must_use]
    pub fn names(&self, kind: &Kind) -> Vec<&str> {
        let mut names = Vec::new();
        for token in self.tokens.iter().filter(|token| token.kind == *kind) {
            if !names.contains(&token.text.as_str()) {
                names.push(token.text.as_str());
            }
        }
        names
    }

    /// Whether it has these words in a row, letter case aside.
    #[must_use]
    pub fn has(&self, words: &str) -> bool {
        let words: Vec<&str> = words.split(' ').collect();
        self.tokens.windows(words.len()).any(|tokens| tokens.iter().zip(&words).all(|(token, word)| token.is(word)))
    }

    /// Its sentences, without the full stops.
    #[must_use]
    pub fn sentences(&self) -> Vec<Self> {
        let stop = |token: &Token| token.kind == Kind::Mark && token.text == ".";
        self.tokens.split(stop).filter(|tokens| !tokens.is_empty()).map(|tokens| Self { tokens: tokens.to_vec() }).collect()
    }
}

impl Token {
    /// Whether it reads `text`, letter case aside.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.text.eq_ignore_ascii_case(text)
    }
}

impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut joins = true;
        for token in &self.tokens {
            let mark = if token.kind == Kind::Mark { token.text.as_str() } else { "" };
            let space = if joins || matches!(mark, "." | "," | ";" | ":" | ")" | "[" | "]") { "" } else { " " };
            write!(f, "{space}{}", token.text)?;
            joins = matches!(mark, "(" | "[");
        }
        Ok(())
    }
}

/// A token before its attribute is resolved.
#[derive(Clone)]
enum Raw<'a> {
    Nothing,
    Token(Kind, &'a str),
    Attribute(&'a str),
}

/// What an attribute stands for.
enum Resolved<'a> {
    Nothing,
    Token(Kind, &'a str),
    Unknown,
}

/// Upstream's attributes are named by a pattern; the few that are not stand for typography.
fn resolve(name: &str) -> Resolved<'_> {
    let base = |suffix| name.strip_suffix(suffix);
    match name {
        "empty" | "nbsp" => return Resolved::Nothing,
        "cpp" => return Resolved::Token(Kind::Word, "C++"),
        "lt" => return Resolved::Token(Kind::Mark, "<"),
        "gt" => return Resolved::Token(Kind::Mark, ">"),
        "leq" => return Resolved::Token(Kind::Mark, "<="),
        "geq" => return Resolved::Token(Kind::Mark, ">="),
        "times" => return Resolved::Token(Kind::Mark, "*"),
        "plus" => return Resolved::Token(Kind::Mark, "+"),
        _ => {}
    }
    if name.starts_with("fn-") {
        Resolved::Nothing
    } else if name.starts_with("CL_") {
        Resolved::Token(Kind::Constant, base("_anchor").unwrap_or(name))
    } else if let Some(name) = base("_TYPE") {
        Resolved::Token(Kind::Type, name)
    } else if let Some(name) = base("_EXT") {
        Resolved::Token(Kind::Extension, name)
    } else if name.strip_prefix("cl").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) {
        Resolved::Token(Kind::Command, name)
    } else if name.starts_with("opencl_c_") {
        Resolved::Token(Kind::Literal, name)
    } else {
        Resolved::Unknown
    }
}

type Input<'a> = LocatingSlice<&'a str>;
type Out<T> = Result<T, ContextError>;

/// The next token. Fails only at the end of the text: whatever nothing else takes is a mark.
fn raw<'a>(input: &mut Input<'a>) -> Out<Raw<'a>> {
    alt((
        multispace1.value(Raw::Nothing),
        footnote.value(Raw::Nothing),
        attribute.map(Raw::Attribute),
        parameter.map(|text| Raw::Token(Kind::Parameter, text)),
        literal.map(|text| Raw::Token(Kind::Literal, text)),
        link.map(|text| Raw::Token(Kind::Link, text)),
        number.map(|text| Raw::Token(Kind::Number, text)),
        word.map(|text| Raw::Token(Kind::Word, text)),
        mark.map(|text| Raw::Token(Kind::Mark, text)),
    ))
    .parse_next(input)
}

fn mark<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    alt((">=", "<=", "==", "!=", "...", any.take())).parse_next(input)
}

fn footnote<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    delimited("footnote:[", take_until(1.., "]"), "]").parse_next(input)
}

fn attribute<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let name = take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    delimited('{', name, '}').parse_next(input)
}

/// `_name_`, `__name__`, or `*name*`: single words only.
fn parameter<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let inner =
        || take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_').verify_map(|text: &'a str| text.strip_suffix('_'));
    preceded('_', inner())
        .map(|text: &str| text.trim_matches('_'))
        .verify(|text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic()))
        .parse_next(input)
}

fn literal<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let plain = delimited('`', take_while(1.., |c: char| c != '`' && c != '\n'), '`');
    alt((delimited("\"`", take_until(1.., "`\""), "`\""), plain)).parse_next(input)
}

/// `<<anchor>>` or `<<anchor, title>>`: the anchor is what a fact can hold.
fn link<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let anchor = take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    delimited("<<", terminated(anchor, opt((',', take_until(0.., ">>")))), ">>").parse_next(input)
}

fn number<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let digits = (opt('-'), digit1, repeat::<_, _, (), _, _>(0.., ('.', digit1))).take();
    terminated(digits, not(take_while(1, |c: char| c.is_alphanumeric()))).parse_next(input)
}

/// Words, with the dots and dashes that stand inside of one: `i.e.`, `sub-buffer`, `kernel's`.
fn word<'a>(input: &mut Input<'a>) -> Out<&'a str> {
    let abbreviation = alt(("i.e.", "e.g.", "etc."));
    let part = || take_while(1.., |c: char| c.is_alphanumeric() || c == '_');
    let plain = (part(), repeat::<_, _, (), _, _>(0.., (alt(('-', '\'', '.', '/', '\u{2019}')), part()))).take();
    alt((abbreviation, plain)).parse_next(input)
}
