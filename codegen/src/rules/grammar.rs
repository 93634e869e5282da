//! What a sentence of a CUDA header says.
//!
//! In: a [`Sentence`]. Out: a [`Reading`]: the demands it makes, the facts it states, and the condition that it sets for the rest of its
//! paragraph; or nothing, if any word of it is not understood. A sentence is read as a whole or not at all, so that a changed word
//! never changes a table in silence.
//!
//! Names are taken as they stand; what they refer to is found out later, with the model.

mod ask;
mod condition;
mod demand;
mod fact;
mod token;

use winnow::{
    Parser,
    combinator::{alt, eof, opt, preceded, terminated},
    token::any,
};

use self::token::{Tokens, one_of_words, words};
use super::sentence::{Kind, Sentence, Token};
use crate::model::{Object, Owner, Payload, Predicate};

/// A field or parameter, as a sentence refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ref {
    /// By name: `CUDA_EXTERNAL_MEMORY_HANDLE_DESC::handle::fd`, `flags`, `nodeParams->numExtSems`.
    Named(String),
    /// What the comment or its section is about.
    Here,
    /// What the condition of the same sentence is about.
    It,
    /// The handle that the paragraph spoke of before.
    Handle,
}

/// A condition, as a sentence states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// The field has one of these values.
    In(Ref, Vec<String>),
    /// A value without the words that say what has it: upstream dropped them.
    Headless(Vec<String>),
    /// The field is not null.
    NonNull(Ref),
    /// The field is null.
    Null(Ref),
    /// The semaphore was imported from one of these handle types.
    Semaphore(Vec<String>),
    /// The semaphore was imported from another handle type than the one that the comment named before.
    OtherSemaphores,
    /// The memory object was imported from one of these handle types.
    Memory(Vec<String>),
    /// The value is among those that the neighbouring field or parameter of its type asks for.
    Specified(String),
    /// The value that the comment named before is not among them.
    NotSpecified,
}

/// One demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What it is about.
    pub fields: Vec<Ref>,
    /// What must hold.
    pub ask: Predicate,
    /// When, beside the condition of the whole sentence.
    pub when: Vec<When>,
}

/// One thing that a sentence says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A demand.
    Clause(Clause),
    /// The member is the one to use with these handle types.
    Selects(Vec<String>),
    /// Who owns the handle after a successful import, and after a failed one.
    Owners {
        /// After success.
        success: Owner,
        /// After failure.
        failure: Owner,
    },
    /// The handle keeps the object alive (or does not): so it has to be closed (or need not be).
    HoldsReference(bool),
    /// What an export writes: `int`, `HANDLE`, `D3DKMT_HANDLE`, or a record.
    Exports(String),
    /// What a semaphore carries, and the members of the parameters that an operation on it uses.
    Carries {
        /// What it carries.
        payload: Payload,
        /// The members.
        members: Vec<Ref>,
    },
    /// Introduces a flag and the field that it belongs in, which the next sentences speak of.
    Flag {
        /// The flag.
        flag: String,
        /// The field.
        field: Ref,
    },
    /// The flag that was introduced must be set.
    FlagRequired,
}

/// What a sentence says, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The condition that it begins with; one on a handle type holds for the rest of the paragraph.
    pub head: Option<When>,
    /// What it says.
    pub said: Vec<Said>,
}

/// Reads a sentence, or gives nothing if it is not understood as a whole.
#[must_use]
pub fn read(sentence: &Sentence) -> Option<Reading> {
    terminated(reading, eof).parse(Tokens::new(&sentence.tokens)).ok()
}

fn reading(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    opt(alt((
        words("note that"),
        words("also ,"),
        words("furthermore ,"),
        words("furthermore"),
        words("currently ,"),
        words("similarly"),
        words("similarly ,"),
        words("in such a case"),
        words("additionally ,"),
    )))
    .parse_next(input)?;
    alt((
        fact::fact.map(|said| Reading { head: None, said: vec![said] }),
        fact::conditional,
        demand::flag_rules,
        demand::specified,
        (condition::head, demand::demands).map(|(head, said)| Reading { head: Some(head), said }),
        demand::trailing,
        demand::demands.map(|said| Reading { head: None, said }),
    ))
    .parse_next(input)
}

/// A promise that the caller makes.
fn attested(kind: &str) -> Predicate {
    Predicate::Attested(Object::new(kind))
}

/// A promise about `of`.
fn attested_about(kind: &str, of: &[&str]) -> Predicate {
    Predicate::Attested(Object::about(kind, of.iter().copied()))
}

/// `a`, `an` or `the`, if it is there. A parameter may be called `a` as well.
fn article(input: &mut Tokens<'_>) -> winnow::Result<()> {
    let article = any.verify(|token: &Token| token.kind == Kind::Word && ["a", "an", "the"].iter().any(|word| token.is_word(word)));
    opt(article).void().parse_next(input)
}

/// A field or parameter by name, with an article before and a noun such as `parameter` after it, if they are there.
fn named(input: &mut Tokens<'_>) -> winnow::Result<Ref> {
    let noun = one_of_words(&["parameter", "field", "member", "argument", "pointer", "array", "structure", "struct", "address"]);
    terminated(preceded(article, token::reference), opt(noun)).map(Ref::Named).parse_next(input)
}

#[cfg(test)]
mod tests;
