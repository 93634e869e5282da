//! `… must …`: demands, alone or joined by `and`.

use winnow::{
    Parser,
    combinator::{alt, opt, preceded, terminated},
};

use super::{
    Clause, Reading, Ref, Said, When, ask, attested, attested_about, condition, named,
    token::{Tokens, fail, name, one_of_words, reference, words},
};
use crate::model::{Object, Predicate};

fn clauses(fields: &[Ref], asks: Vec<Predicate>) -> Vec<Said> {
    asks.into_iter().map(|ask| Said::Clause(Clause { fields: fields.to_vec(), ask, when: Vec::new() })).collect()
}

fn clause(fields: &[Ref], ask: Predicate) -> Said {
    Said::Clause(Clause { fields: fields.to_vec(), ask, when: Vec::new() })
}

/// One or more demands, joined by `and`.
pub(super) fn demands(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    let mut all = demand.parse_next(input)?;
    while opt(words("and")).parse_next(input)?.is_some() {
        // `X must be A and reference B` leaves out what the second half is about.
        if let Some(asks) = opt(ask::ask).parse_next(input)? {
            let Some(Said::Clause(last)) = all.last() else { return fail(input) };
            let fields = last.fields.clone();
            all.extend(clauses(&fields, asks));
        } else {
            all.extend(demand.parse_next(input)?);
        }
    }
    Ok(all)
}

fn demand(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    alt((exactly_one, represents, special.map(|said| vec![said]), in_parentheses, simple)).parse_next(input)
}

fn exactly_one(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    let (first, (), second) = preceded(words("exactly one of"), (named, words("and"), named)).parse_next(input)?;
    alt((words("must not be NULL"), words("must be non-NULL"))).parse_next(input)?;
    Ok(vec![clause(&[first, second], Predicate::ExactlyOneNonNull)])
}

fn represents(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    let field = terminated(named, words("represents")).parse_next(input)?;
    ask::shared_handle.map(|ask| vec![clause(std::slice::from_ref(&field), ask)]).parse_next(input)
}

/// `subject must ask`.
fn simple(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    let fields = subject.parse_next(input)?;
    alt((words("must"), words("has to"), words("have to"))).parse_next(input)?;
    ask::ask.map(|asks| clauses(&fields, asks)).parse_next(input)
}

/// `Flags (must be zero)`.
fn in_parentheses(input: &mut Tokens<'_>) -> winnow::Result<Vec<Said>> {
    let lead = alt((words("context attach flags"), words("options"), words("flags"), words("context creation flags")));
    preceded((lead, words("( must")), terminated(ask::ask, words(")"))).map(|asks| clauses(&[Ref::Here], asks)).parse_next(input)
}

/// What a demand is about.
fn subject(input: &mut Tokens<'_>) -> winnow::Result<Vec<Ref>> {
    alt((
        words("the handle specified").map(|()| vec![Ref::Handle]),
        words("it").map(|()| vec![Ref::It]),
        reserved.map(|()| vec![Ref::Here]),
        some_fields,
        words("flags").map(|()| vec![Ref::Named("flags".to_owned())]),
        // What is no field: the comment's command vouches for it.
        alt((words("the memory"), words("the memory allocation"))).map(|()| Vec::new()),
        // No subject: what the comment is about.
        |_: &mut Tokens<'_>| Ok(vec![Ref::Here]),
    ))
    .parse_next(input)
}

/// One or two fields by name, with the words that may stand around them.
fn some_fields(input: &mut Tokens<'_>) -> winnow::Result<Vec<Ref>> {
    let device = alt((words("the device named by"), words("in both cases , the device named by")));
    alt((
        preceded(opt(words("both")), (named, words("and"), named)).map(|(first, (), second)| vec![first, second]),
        preceded(words("each node in"), (named, words("and"), named)).map(|(first, (), second)| vec![first, second]),
        preceded(device, named).map(|field| vec![field]),
        preceded(words("the returned pointer"), reference).map(|name| vec![Ref::Named(name)]),
        named.map(|field| vec![field]),
    ))
    .parse_next(input)
}

/// `Reserved for future use,` and its like, before a `must` that is about the thing at hand.
fn reserved(input: &mut Tokens<'_>) -> winnow::Result<()> {
    let future = alt((words("for future use"), words("for the future"), words("for now")));
    let lead = alt((
        (opt(words("flags")), words("reserved"), opt(future)).void(),
        words("flags for future use"),
        words("currently unused"),
        words("currently"),
        words("unused"),
    ));
    terminated(lead, opt(one_of_words(&[",", "-", ";"]))).parse_next(input)
}

/// Demands of a form of their own.
fn special(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((of_handles, result, graph_field, of_sizes)).parse_next(input)
}

fn of_handles(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((
        preceded(words("the size of the memory object must be specified in"), named)
            .map(|field| clause(&[field], attested_about("size_of", &["memory_object"]))),
        preceded(described, named).map(|field| clause(&[field], attested("describes_the_handle"))),
        unsupported,
        words("performing any operations on the file descriptor after it is imported results in undefined behavior")
            .map(|()| clause(&[Ref::Handle], attested("not_used_after_import"))),
    ))
    .parse_next(input)
}

fn of_sizes(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let limit = alt((words("cannot be larger than"), words("cannot exceed")));
    let ensure = (opt(words("users must ensure")), words("the"));
    alt((
        terminated(named, words("may not have any duplicate entries")).map(|field| clause(&[field], Predicate::NoDuplicates)),
        preceded(words("changing"), terminated(named, words("is not supported")))
            .map(|field| clause(&[field], Predicate::Unchanged)),
        terminated(named, words("cannot be larger than the size of the allocated memory"))
            .map(|field| clause(&[field], attested_about("at_most", &["size_of_allocation"]))),
        (named, limit, reference).map(|(field, (), limit)| clause(&[field], Predicate::AtMost(limit))),
        preceded(ensure, (named, words("and"), named, words("are aligned to the host page size")))
            .map(|(first, (), second, ())| clause(&[first, second], attested_about("multiple_of", &["host_page_size"]))),
    ))
    .parse_next(input)
}

/// `This field cannot be updated after instantiation`.
fn graph_field(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let when = alt((words("in an instantiated graph"), words("after instantiation")));
    preceded(words("this field cannot be updated"), when).map(|()| clause(&[Ref::Here], Predicate::Unchanged)).parse_next(input)
}

fn described(input: &mut Tokens<'_>) -> winnow::Result<()> {
    alt((
        words("the properties of the handle being imported must be described in"),
        words("the properties of the buffer being mapped must be described in"),
        words("the properties of the CUDA mipmapped array being mapped must be described in"),
    ))
    .parse_next(input)
}

/// `Mapping X imported from a handle of type T, is not supported`.
fn unsupported(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let (field, (), value) =
        preceded(words("mapping"), (named, words("imported from a handle of type"), name)).parse_next(input)?;
    opt(words(",")).parse_next(input)?;
    words("is not supported").parse_next(input)?;
    Ok(Said::Clause(Clause { fields: vec![field], ask: Predicate::Forbidden, when: vec![When::Memory(vec![value])] }))
}

/// `The returned array must be freed using F`: what is to be done with a result.
fn result(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let what = alt((
        words("the returned CUDA mipmapped array"),
        words("this event"),
        (words("memory returned from"), name).void(),
        words("the memory allocated by this function"),
        words("the memory page-locked by this function"),
    ));
    let how = (
        words("must be"),
        one_of_words(&["freed", "released", "destroyed", "unregistered", "closed"]),
        one_of_words(&["with", "using", "by", "via"]),
    );
    preceded((what, how), name)
        .map(|function| clause(&[], Predicate::Attested(Object::about("released_with", [function]))))
        .parse_next(input)
}

/// A demand with its condition after it: `Must be NULL if 'name' is non-NULL`.
pub(super) fn trailing(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    let (said, (), condition) = (demands, words("if"), condition::condition).parse_next(input)?;
    Ok(Reading { head: Some(condition), said })
}

/// Sentences about flags, which speak of one another.
pub(super) fn flag_rules(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    alt((flag_of_type, flag_introduced, flag_required, flags_choice)).parse_next(input)
}

/// `Only when R is used to signal a S of type T, the valid flag is F which indicates that …`.
fn flag_of_type(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    (words("only when"), name, words("is used to")).void().parse_next(input)?;
    let signal = alt((words("signal a").value(true), words("wait on a").value(false))).parse_next(input)?;
    let (_, (), value, (), flag) = (name, words("of type"), name, words(", the valid flag is"), name).parse_next(input)?;
    if signal {
        (words("which indicates that while signaling the"), name).void().parse_next(input)?;
    } else {
        (words("which indicates that while waiting for the"), name).void().parse_next(input)?;
    }
    words(", no memory synchronization operations should be performed for any external memory object imported as")
        .parse_next(input)?;
    name.parse_next(input)?;
    Ok(Reading { head: Some(When::Semaphore(vec![value])), said: vec![clause(&[Ref::Here], Predicate::OnlyFlags(vec![flag]))] })
}

/// `Specifying the flag F in X indicates that the resource is a dedicated resource`.
fn flag_introduced(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    let (flag, (), field) = preceded(words("specifying the flag"), (name, words("in"), named)).parse_next(input)?;
    words("indicates that the resource is a dedicated resource").parse_next(input)?;
    Ok(Reading { head: None, said: vec![Said::Flag { flag, field }] })
}

/// `This flag must be set if X is one of the following: …`.
fn flag_required(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    preceded(words("this flag must be set if"), condition::condition)
        .map(|condition| Reading { head: Some(condition), said: vec![Said::FlagRequired] })
        .parse_next(input)
}

/// `Flags must either be zero or F`.
fn flags_choice(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    preceded(words("flags must either be"), ask::either)
        .map(|ask| Reading { head: None, said: vec![clause(&[Ref::Here], ask)] })
        .parse_next(input)
}

/// What depends on whether a handle type is asked for.
pub(super) fn specified(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    alt((attributes, in_other_cases, range_flags)).parse_next(input)
}

/// `Windows-specific X required when V is specified`.
fn attributes(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    let what = one_of_words(&["POBJECT_ATTRIBUTES", "LPSECURITYATTRIBUTES"]);
    let value = preceded((words("windows-specific"), what, words("required when")), terminated(name, words("is specified")))
        .parse_next(input)?;
    Ok(Reading { head: Some(When::Specified(value)), said: vec![clause(&[Ref::Here], Predicate::NonNull)] })
}

/// `In all other cases, this field is required to be zero`.
fn in_other_cases(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    words("in all other cases , this field is required to be zero")
        .map(|()| Reading { head: Some(When::NotSpecified), said: vec![clause(&[Ref::Here], Predicate::Zero)] })
        .parse_next(input)
}

/// `When requesting V the value could be F, otherwise 0`.
fn range_flags(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    let (value, (), flag) = preceded(words("when requesting"), (name, words("the value could be"), name)).parse_next(input)?;
    words(", otherwise 0").parse_next(input)?;
    let flags = Clause { fields: vec![Ref::Here], ask: Predicate::OnlyFlags(vec![flag]), when: vec![When::Specified(value)] };
    let none = Clause { fields: vec![Ref::Here], ask: Predicate::Zero, when: vec![When::NotSpecified] };
    Ok(Reading { head: None, said: vec![Said::Clause(flags), Said::Clause(none)] })
}
