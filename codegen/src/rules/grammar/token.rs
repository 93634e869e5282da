//! The smallest parsers: a phrase, a name, a list of names.

use winnow::{
    Parser,
    combinator::opt,
    error::{ContextError, ParserError},
    stream::{Stream, TokenSlice},
    token::any,
};

use crate::rules::sentence::{Kind, Token};

/// A sentence that is being read.
pub(super) type Tokens<'t> = TokenSlice<'t, Token>;

fn is(token: &Token, text: &str) -> bool {
    match token.kind {
        Kind::Word => token.is_word(text),
        Kind::Name | Kind::Local | Kind::Number | Kind::Mark => token.text == text,
    }
}

/// The words of `phrase`, one after another.
pub(super) fn words<'t>(phrase: &'static str) -> impl Parser<Tokens<'t>, (), ContextError> {
    move |input: &mut Tokens<'t>| {
        for word in phrase.split(' ') {
            any.verify(|token: &Token| is(token, word)).void().parse_next(input)?;
        }
        Ok(())
    }
}

/// One of `choices`, each of which is one word.
pub(super) fn one_of_words<'t>(choices: &'static [&'static str]) -> impl Parser<Tokens<'t>, &'static str, ContextError> {
    any.verify_map(move |token: &'t Token| choices.iter().copied().find(|choice| is(token, choice)))
}

/// A name of the API.
pub(super) fn name(input: &mut Tokens<'_>) -> winnow::Result<String> {
    any.verify_map(|token: &Token| (token.kind == Kind::Name).then(|| token.text.clone())).parse_next(input)
}

/// A name that can stand for a field: of the API, or a parameter or neighbouring member.
pub(super) fn reference(input: &mut Tokens<'_>) -> winnow::Result<String> {
    any.verify_map(|token: &Token| matches!(token.kind, Kind::Name | Kind::Local).then(|| token.text.clone())).parse_next(input)
}

/// A decimal number.
pub(super) fn number(input: &mut Tokens<'_>) -> winnow::Result<String> {
    any.verify_map(|token: &Token| {
        let word = SPELLED.iter().position(|word| token.is_word(word)).map(|position| position.to_string());
        (token.kind == Kind::Number && token.text.parse::<i64>().is_ok()).then(|| token.text.clone()).or(word)
    })
    .parse_next(input)
}

/// Numbers in words, by value.
const SPELLED: [&str; 9] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/// One or more names, with commas, `or`, or the marks of a list between them.
pub(super) fn names(input: &mut Tokens<'_>) -> winnow::Result<Vec<String>> {
    opt(words("-")).parse_next(input)?;
    let mut all = vec![name(input)?];
    loop {
        let before = input.checkpoint();
        opt(words(",")).parse_next(input)?;
        opt(one_of_words(&["or", "-"])).parse_next(input)?;
        if let Some(next) = opt(name).parse_next(input)? {
            all.push(next);
        } else {
            input.reset(&before);
            return Ok(all);
        }
    }
}

/// Fails, so that another way of reading is tried.
pub(super) fn fail<T>(input: &Tokens<'_>) -> winnow::Result<T> {
    Err(ContextError::from_input(input))
}
