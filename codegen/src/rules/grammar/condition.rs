//! `If … , then`: when a demand holds.

use winnow::{
    Parser,
    combinator::{alt, opt, preceded, terminated},
};

use super::{
    Ref, When, named,
    token::{Tokens, name, names, one_of_words, words},
};

/// The condition at the head of a sentence, up to the words that end it.
pub(super) fn head(input: &mut Tokens<'_>) -> winnow::Result<When> {
    alt((
        preceded(one_of_words(&["if", "when"]), terminated(condition, then)),
        (words("for all other types of"), name, words(",")).value(When::OtherSemaphores),
        // Upstream once dropped the words before the value.
        terminated(name, words(", then")).map(|value| When::Headless(vec![value])),
    ))
    .parse_next(input)
}

fn then(input: &mut Tokens<'_>) -> winnow::Result<()> {
    (opt(words(",")), opt(words("then")), opt(words(","))).void().parse_next(input)
}

/// A condition without the words around it.
pub(super) fn condition(input: &mut Tokens<'_>) -> winnow::Result<When> {
    alt((semaphore, memory, null, value)).parse_next(input)
}

/// The handle type of the semaphore that the call is about.
fn semaphore(input: &mut Tokens<'_>) -> winnow::Result<When> {
    let types = alt((words("any one of the following types :"), words("of the type"), words("of type")));
    preceded((words("the semaphore object is"), types), names).map(When::Semaphore).parse_next(input)
}

/// The handle type of the memory object that the call is about.
fn memory(input: &mut Tokens<'_>) -> winnow::Result<When> {
    (named, words("was imported from a handle of type"), names).map(|(_, (), types)| When::Memory(types)).parse_next(input)
}

fn null(input: &mut Tokens<'_>) -> winnow::Result<When> {
    let field = named.parse_next(input)?;
    alt((
        alt((words("is not NULL"), words("is non-NULL"), words("is non NULL"))).value(When::NonNull(field.clone())),
        words("is NULL").value(When::Null(field)),
    ))
    .parse_next(input)
}

fn value(input: &mut Tokens<'_>) -> winnow::Result<When> {
    let field = alt((named, words("type").value(Ref::Named("type".to_owned())))).parse_next(input)?;
    words("is").parse_next(input)?;
    opt(alt((
        words("one of the following :"),
        words("any one of the following types :"),
        words("one of"),
        words("set to"),
        words("equal to"),
        words("either"),
    )))
    .parse_next(input)?;
    names.map(|values| When::In(field.clone(), values)).parse_next(input)
}
