//! Short patterns of words, and what stands in their gaps.
//!
//! In: tokens, and a pattern such as `{p} is|are not ?a NULL ?value`. Out: what the gaps hold. A word stands for itself whatever the case of
//! its letters, `a|b` for either, `?a` for a word that may be missing. The gaps: `{p}` a parameter or what one points to, `{ps}` several
//! with `,`, `or`, `and` between, `{c}` and `{cs}` constants likewise, `{n}` a number, `{e}` an extension, `{t}` a type, `{l}` a link, `{w}` a word,
//! and `{*}` any words up to the next word of the pattern, but no comma, tie or negation.

use winnow::{
    Parser as _,
    combinator::{alt, opt, preceded},
    error::ContextError,
    stream::{Stateful, Stream as _, TokenSlice},
    token::any,
};

use super::vocabulary::Scope;
use crate::{
    import::opencl::text::prose::{Kind, Token},
    model::Path,
};

pub(super) type Input<'a> = Stateful<TokenSlice<'a, Token>, &'a Scope<'a>>;
pub(super) type Out<T> = Result<T, ContextError>;

/// What ties the names in a gap together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// There is only one.
    One,
    /// `or`.
    Or,
    /// `and`.
    And,
}

/// What a gap holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub names: Vec<String>,
    pub join: Join,
}

impl Gap {
    fn one(name: String) -> Self {
        Self { names: vec![name], join: Join::One }
    }
}

/// What the gaps of a pattern hold, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps(Vec<Gap>);

impl Gaps {
    /// The gap at `index`; every pattern is written beside the code that asks for its gaps.
    pub(super) fn get(&self, index: usize) -> Option<&Gap> {
        self.0.get(index)
    }

    /// The one name in the gap at `index`.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        self.get(index)?.names.first().map(String::as_str)
    }

    /// All names in all gaps.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.0.iter().flat_map(|gap| &gap.names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// Whether `pattern` matches at the front of `input`, which then stands behind it.
pub(super) fn pattern<'a>(pattern: &'static str) -> impl FnMut(&mut Input<'a>) -> Out<Gaps> {
    move |input| {
        let mut gaps = Gaps::default();
        let start = input.checkpoint();
        if matches(pattern, input, &mut gaps) {
            Ok(gaps)
        } else {
            input.reset(&start);
            Err(ContextError::new())
        }
    }
}

/// Matches the elements of `pattern` one after another. A lazy gap tries to end at each token in turn; at the end of a pattern it takes all
/// that it may.
fn matches(pattern: &str, input: &mut Input<'_>, gaps: &mut Gaps) -> bool {
    if pattern.is_empty() {
        return true;
    }
    let (element, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    let (start, filled) = (input.checkpoint(), gaps.0.len());
    if element == "{*}" {
        while rest.is_empty() || !matches(rest, input, gaps) {
            gaps.0.truncate(filled);
            if filler(input).is_err() {
                return rest.is_empty();
            }
        }
        return true;
    }
    let is_last = rest.split(' ').all(|element| element.is_empty() || element.starts_with('?'));
    if step(element, is_last, input, gaps).is_ok() && matches(rest, input, gaps) {
        return true;
    }
    input.reset(&start);
    gaps.0.truncate(filled);
    element.starts_with('?') && matches(rest, input, gaps)
}

/// One element that is not lazy. A list that ends a pattern takes no `and`, which ties the next condition to this one.
fn step(element: &str, is_last: bool, input: &mut Input<'_>, gaps: &mut Gaps) -> Out<()> {
    let gap = match element {
        "{p}" => parameter.map(|path| Gap::one(path.to_string())).parse_next(input)?,
        "{ps}" => list(is_last, |input| parameter.map(|path| path.to_string()).parse_next(input)).parse_next(input)?,
        "{c}" => of(Kind::Constant).map(Gap::one).parse_next(input)?,
        "{cs}" => list(is_last, |input| preceded(opt(word("the")), of(Kind::Constant)).parse_next(input)).parse_next(input)?,
        "{n}" => number.map(Gap::one).parse_next(input)?,
        "{e}" => of(Kind::Extension).map(Gap::one).parse_next(input)?,
        "{t}" => of(Kind::Type).map(Gap::one).parse_next(input)?,
        "{f}" => of(Kind::Command).map(Gap::one).parse_next(input)?,
        "{fs}" => list(is_last, |input| of(Kind::Command).parse_next(input)).parse_next(input)?,
        "{l}" => of(Kind::Link).map(Gap::one).parse_next(input)?,
        "{w}" => word_of_any_kind.map(Gap::one).parse_next(input)?,
        _ => {
            let words = element.trim_start_matches('?');
            return any.verify(|token: &Token| words.split('|').any(|word| token.is(word))).void().parse_next(input);
        }
    };
    gaps.0.push(gap);
    Ok(())
}

/// One word, whatever the case of its letters.
pub(super) fn word<'a>(word: &'static str) -> impl FnMut(&mut Input<'a>) -> Out<&'a Token> {
    move |input| any.verify(|token: &&Token| token.is(word)).parse_next(input)
}

fn of<'a>(kind: Kind) -> impl FnMut(&mut Input<'a>) -> Out<String> {
    move |input| any.verify(|token: &&Token| token.kind == kind).map(|token: &Token| token.text.clone()).parse_next(input)
}

fn word_of_any_kind(input: &mut Input<'_>) -> Out<String> {
    any.verify(|token: &&Token| token.kind != Kind::Mark).map(|token: &Token| token.text.clone()).parse_next(input)
}

fn number(input: &mut Input<'_>) -> Out<String> {
    let digits = any.verify(|token: &&Token| token.kind == Kind::Number || token.text.parse::<i64>().is_ok());
    alt((digits.map(|token: &Token| token.text.clone()), word("zero").map(|_| "0".to_owned()))).parse_next(input)
}

/// What a lazy gap may run over: nothing that ties conditions together or turns one into its contrary.
fn filler<'a>(input: &mut Input<'a>) -> Out<&'a Token> {
    const STOPS: &[&str] =
        &["and", "or", ",", ";", ":", "but", "not", "no", "cannot", "never", "neither", "nor", "unless", "except", "without"];
    any.verify(|token: &&Token| !STOPS.iter().any(|stop| token.is(stop))).parse_next(input)
}

/// A parameter or member by its name, emphasised or not, with an index or without. One that the command lacks is none.
fn parameter(input: &mut Input<'_>) -> Out<Path> {
    let scope = input.state;
    let name = any.verify(|token: &&Token| matches!(token.kind, Kind::Parameter | Kind::Word));
    name.verify_map(|token: &Token| scope.path(&token.text)).parse_next(input)
}

/// One or more of `item`.
fn list<'a>(is_last: bool, mut item: impl FnMut(&mut Input<'a>) -> Out<String>) -> impl FnMut(&mut Input<'a>) -> Out<Gap> {
    move |input| {
        let mut gap = Gap::one(item(input)?);
        loop {
            let start = input.checkpoint();
            let next = opt(|input: &mut Input<'a>| Ok((separator(input)?, item(input)?))).parse_next(input)?;
            let Some((join, name)) = next else { break };
            // `A or B and C` ties `C` to something else.
            let mixes = gap.join != Join::One && join.is_some_and(|join| join != gap.join);
            if mixes || is_last && join == Some(Join::And) {
                input.reset(&start);
                break;
            }
            gap.names.push(name);
            gap.join = join.unwrap_or(gap.join);
        }
        Ok(gap)
    }
}

/// What may stand between the names of a list: a comma, `or`, `and`, or a comma with either.
fn separator(input: &mut Input<'_>) -> Out<Option<Join>> {
    let tie = |input: &mut Input<'_>| alt((word("or").value(Join::Or), word("and").value(Join::And))).parse_next(input);
    let comma = opt(word(",")).parse_next(input)?.is_some();
    match (comma, opt(tie).parse_next(input)?) {
        (_, Some(join)) => Ok(Some(join)),
        (true, None) => Ok(None),
        (false, None) => Err(ContextError::new()),
    }
}
