//! The grammar of a failure condition: forms, tied together by `and`, `but`, `or` and commas.
//!
//! In: one sentence as tokens. Out: a [`Formula`], or where reading stopped. The forms stand in tables, by what they speak of; the words in
//! them are the specification's own turns of phrase, and stay as few as tell one form from another.

use winnow::{
    Parser as _,
    combinator::{alt, opt, peek, preceded},
    error::ContextError,
    stream::{Stateful, Stream as _, TokenSlice},
};

use super::{
    formula::Formula,
    phrase::{Gaps, Input, Out, pattern, word},
    promises::PROMISES,
    properties, values,
    vocabulary::Scope,
};
use crate::{import::opencl::text::prose::Token, model::Test};

/// A pattern, and what its gaps make.
pub(super) struct Form(pub &'static str, pub fn(&Gaps, &Scope<'_>) -> Option<Formula>);

/// What the bullets under a sentence are to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    /// There is no word on them: each is enough.
    Nothing,
    /// Any of them has to hold too.
    Any,
    /// None of them may hold.
    None,
}

/// Reads `tokens` as one condition. The error is the index of the token at which it stopped making sense.
pub(super) fn read(tokens: &[Token], scope: &Scope<'_>) -> Result<(Formula, Under), usize> {
    let mut input: Input<'_> = Stateful { input: TokenSlice::new(tokens), state: scope };
    let read = (opt(word("additionally")), opt(word(",")), opt(word("if")), disjunction).parse_next(&mut input);
    let under = heading(&mut input);
    let rest = input.input.eof_offset();
    match read {
        Ok((.., formula)) if rest == 0 => Ok((formula, under)),
        _ => Err(tokens.len() - rest),
    }
}

/// What stands between two ways of failing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    /// `or`, with a comma, a semicolon or an `if`.
    Or,
    /// A comma before another `if`: an `or` if one follows. Without one it may as well be an `and`, and is not guessed at.
    Comma,
}

fn disjunction(input: &mut Input<'_>) -> Out<Formula> {
    let mut ways = vec![conjunction(input)?];
    let mut last = Tie::Or;
    while let Some((tie, way)) = opt((or, conjunction)).parse_next(input)? {
        ways.push(way);
        last = tie;
    }
    match last {
        Tie::Comma => Err(ContextError::new()),
        Tie::Or => Ok(if ways.len() == 1 { ways.remove(0) } else { Formula::Any(ways) }),
    }
}

/// `or`, `, or if`, `; or if`, or a comma before another `if`.
fn or(input: &mut Input<'_>) -> Out<Tie> {
    let with_or = (opt(mark), word("or"), opt(word("if"))).value(Tie::Or);
    let with_if = (mark, word("if")).value(Tie::Comma);
    alt((with_or, with_if)).parse_next(input)
}

fn mark(input: &mut Input<'_>) -> Out<()> {
    alt((word(","), word(";"))).void().parse_next(input)
}

fn conjunction(input: &mut Input<'_>) -> Out<Formula> {
    let mut parts = vec![atom(input)?];
    while let Some(part) = opt(preceded(and, atom)).parse_next(input)? {
        parts.push(part);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) })
}

/// `and`, `but`, with a comma or semicolon before it, and an `if` or `either` after it.
fn and(input: &mut Input<'_>) -> Out<()> {
    (opt(mark), alt((word("and"), word("but"))), opt(word("if"))).void().parse_next(input)
}

/// The first form of all tables that matches.
fn atom(input: &mut Input<'_>) -> Out<Formula> {
    let scope = input.state;
    if let Ok(gaps) = pattern("the {e} extension is not supported").parse_next(input) {
        return extension(&gaps, Test::Lacks);
    }
    if let Ok(gaps) = pattern("the {e} extension is supported").parse_next(input) {
        return extension(&gaps, Test::Has);
    }
    for Form(text, build) in properties::FORMS.iter().chain(values::FORMS) {
        let start = input.checkpoint();
        if let Ok(gaps) = pattern(text).parse_next(input) {
            if ends_here(input)
                && let Some(formula) = build(&gaps, scope)
            {
                return Ok(formula);
            }
            input.reset(&start);
        }
    }
    for promise in PROMISES {
        let start = input.checkpoint();
        if let Ok(gaps) = pattern(promise.0).parse_next(input) {
            if ends_here(input) {
                return Ok(Formula::broken(promise.1, gaps.names()));
            }
            input.reset(&start);
        }
    }
    Err(ContextError::new())
}

fn extension(gaps: &Gaps, test: fn(Vec<String>) -> Test) -> Out<Formula> {
    let name = gaps.name(0).ok_or_else(ContextError::new)?;
    Ok(Formula::given(crate::model::Given::Extensions, test(vec![name.to_owned()])))
}

/// Whether a form may end here: at the end, or before a word that ties another one to it. A form that ends elsewhere was too short.
fn ends_here(input: &mut Input<'_>) -> bool {
    let tie = alt((word(","), word(";"), word(":"), word("and"), word("or"), word("but"), word("under")));
    input.input.eof_offset() == 0 || peek(tie).parse_next(input).is_ok()
}

/// What stands between a sentence and the bullets under it.
fn heading(input: &mut Input<'_>) -> Under {
    const HEADINGS: &[(&str, Under)] = &[
        ("and none of the following conditions are met :", Under::None),
        ("; and any of the following conditions hold :", Under::Any),
        ("and any of the following conditions hold :", Under::Any),
        ("under one of the following circumstances :", Under::Any),
    ];
    for (text, under) in HEADINGS {
        if pattern(text).parse_next(input).is_ok() {
            return *under;
        }
    }
    Under::Nothing
}
