//! What comes after `must`.

use winnow::{
    Parser,
    combinator::{alt, opt, preceded, repeat, terminated},
};

use super::{
    attested, attested_about,
    token::{Tokens, name, names, number, one_of_words, reference, words},
};
use crate::model::{Object, Predicate};

/// What must hold. One phrase can ask for two things: a valid file descriptor is a number that is not negative, and one that is open.
pub(super) fn ask(input: &mut Tokens<'_>) -> winnow::Result<Vec<Predicate>> {
    alt((
        preceded(words("not"), negative).map(one),
        object,
        preceded(words("either be"), either).map(one),
        preceded(words("be either"), either).map(one),
        preceded(words("be"), be).map(one),
        past.map(one),
    ))
    .parse_next(input)
}

fn one(predicate: Predicate) -> Vec<Predicate> {
    vec![predicate]
}

/// After `must not`.
fn negative(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((
        words("be NULL").value(Predicate::NonNull),
        alt((words("be zero"), words("be 0"))).value(Predicate::NonZero),
        preceded(words("be"), name).map(|value| Predicate::NoneOf(vec![value])),
        preceded(words("exceed"), operand).map(Predicate::AtMost),
        preceded(alt((words("be larger than"), words("be greater than"))), operand).map(Predicate::AtMost),
        words("have been removed from the original graph").map(|()| attested("in_original_graph")),
        alt((words("be legacy NULL stream"), words("be default NULL stream"))).map(|()| attested("not_the_null_stream")),
    ))
    .parse_next(input)
}

/// After `must either be`, or `must be either`.
pub(super) fn either(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((preceded((one_of_words(&["zero", "0"]), words("or")), names).map(Predicate::OnlyFlags), names.map(Predicate::OneOf)))
        .parse_next(input)
}

/// After `must be`.
fn be(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((
        nothing,
        words("a power of two").value(Predicate::PowerOfTwo),
        comparison,
        alignment,
        preceded(words("one of"), names).map(Predicate::OneOf),
        several.map(Predicate::OneOf),
        equality,
        release,
    ))
    .parse_next(input)
}

/// Null and zero, and that they are not.
fn nothing(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((
        words("NULL").value(Predicate::Null),
        alt((words("non-NULL"), words("non NULL"), words("non-null"))).value(Predicate::NonNull),
        preceded((one_of_words(&["zero", "0"]), words("or")), names).map(Predicate::OnlyFlags),
        zero.value(Predicate::Zero),
        alt((words("non-zero"), words("nonzero"))).value(Predicate::NonZero),
    ))
    .parse_next(input)
}

fn zero(input: &mut Tokens<'_>) -> winnow::Result<()> {
    let value = alt((one_of_words(&["zero", "0", "zeroed"]).void(), words("set to zero"), words("set to 0")));
    terminated(value, opt(alt((words("for now"), words("now"))))).parse_next(input)
}

/// A number, constant or other field.
fn operand(input: &mut Tokens<'_>) -> winnow::Result<String> {
    alt((number, reference)).verify(|operand: &String| !operand.contains(['(', '*', '/'])).parse_next(input)
}

fn comparison(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    let less = one_of_words(&["less", "lesser", "smaller"]);
    let greater = one_of_words(&["greater", "larger"]);
    alt((
        preceded((less, words("than or equal to")), operand).map(Predicate::AtMost),
        preceded((one_of_words(&["less", "lesser", "smaller"]), words("than")), operand).map(Predicate::Below),
        preceded((greater, words("than or equal to")), operand).map(Predicate::AtLeast),
        preceded((one_of_words(&["greater", "larger"]), words("than")), operand).map(Predicate::Above),
        preceded(words("at least"), operand).map(Predicate::AtLeast),
        preceded(words("at most"), operand).map(Predicate::AtMost),
    ))
    .parse_next(input)
}

fn alignment(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((
        (opt(words("a")), words("multiple of"), number).map(|(_, (), unit)| Predicate::MultipleOf(unit)),
        preceded(words("aligned to"), terminated(number, words("bytes"))).map(Predicate::MultipleOf),
        terminated(number, alt((words("byte aligned"), words("bytes aligned")))).map(Predicate::MultipleOf),
        alt((words("aligned to host page size"), words("aligned to the host page size")))
            .map(|()| attested_about("multiple_of", &["host_page_size"])),
    ))
    .parse_next(input)
}

/// `1, 2, or 4`.
fn several(input: &mut Tokens<'_>) -> winnow::Result<Vec<String>> {
    let more = repeat(1.., preceded((opt(words(",")), opt(words("or"))), number));
    (number, more).map(|(first, more): (String, Vec<String>)| std::iter::once(first).chain(more).collect()).parse_next(input)
}

fn equality(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    let lead = alt((words("equal to"), words("set to"), words("specified as")));
    preceded(opt(lead), alt((number, names.verify(|names: &Vec<String>| names.len() == 1).map(|names| names.join("")))))
        .map(Predicate::Equal)
        .parse_next(input)
}

/// What has to be done with the result later.
fn release(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    let how = (
        one_of_words(&["freed", "released", "destroyed", "unregistered", "closed"]),
        one_of_words(&["with", "using", "by", "via"]),
    );
    preceded(how, name).map(|function| Predicate::Attested(Object::about("released_with", [function]))).parse_next(input)
}

/// After `must have been`: where a thing has to come from.
fn past(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    let verb = one_of_words(&["allocated", "created", "obtained", "reserved"]);
    let how = one_of_words(&["via", "with", "using", "by"]);
    alt((
        preceded((words("have been"), verb, how), names)
            .map(|functions| Predicate::Attested(Object::about("made_with", functions))),
        preceded(words("have been added to the multicast team via"), name)
            .map(|function| Predicate::Attested(Object::about("added_with", [function]))),
        preceded(words("belong to"), reference).map(|owner| Predicate::Attested(Object::about("belongs_to", [owner]))),
    ))
    .parse_next(input)
}

/// Handles of the operating system and objects of other APIs.
fn object(input: &mut Tokens<'_>) -> winnow::Result<Vec<Predicate>> {
    alt((
        preceded(words("be a valid file descriptor referencing"), thing)
            .map(|thing| vec![Predicate::FdNonNegative, attested_about("file_descriptor", &[thing])]),
        preceded(words("represent"), shared_handle).map(one),
        preceded(words("point to a NULL-terminated array of UTF-16 characters that refers to"), thing)
            .map(|thing| vec![Predicate::Utf16NulTerminated, attested_about("name_of", &[thing])]),
        preceded(words("name a valid synchronization object that refers to"), thing)
            .map(|thing| one(attested_about("name_of", &[thing]))),
        words("name a valid synchronization object").map(|()| one(attested_about("name_of", &["synchronization_object"]))),
        words("reference a valid NvSciBuf object").map(|()| one(attested_about("object", &["NvSciBufObj"]))),
        words("be a globally shared KMT handle").map(|()| one(attested("global_kmt_handle"))),
    ))
    .parse_next(input)
}

/// After `represent` or `represents`.
pub(super) fn shared_handle(input: &mut Tokens<'_>) -> winnow::Result<Predicate> {
    alt((words("a valid NvSciSyncObj").map(|()| attested_about("object", &["NvSciSyncObj"])), |input: &mut Tokens<'_>| {
        let kind = alt((
            words("a valid shared NT handle that").value("shared_nt_handle"),
            words("a valid shared KMT handle that").value("global_kmt_handle"),
        ))
        .parse_next(input)?;
        alt((
            preceded(words("references"), thing).map(|thing| attested_about(kind, &[thing])),
            (words("is returned by"), foreign_function, words("when referring to"), thing)
                .map(|((), function, (), thing)| attested_about(kind, &[function, thing])),
            preceded(words("is returned by"), foreign_function).map(|function| attested_about(kind, &[function])),
        ))
        .parse_next(input)
    }))
    .parse_next(input)
}

/// An object of the operating system or of another API. The list is closed: a word that is not on it is not understood.
fn thing(input: &mut Tokens<'_>) -> winnow::Result<&'static str> {
    let name = alt((
        one_of_words(&[
            "dma_buf",
            "ID3D11Fence",
            "ID3D11Resource",
            "ID3D12Fence",
            "ID3D12Heap",
            "ID3D12Resource",
            "IDXGIKeyedMutex",
        ]),
        words("memory").value("memory_object"),
        words("synchronization").value("synchronization_object"),
    ));
    preceded((one_of_words(&["a", "an"]), opt(words("valid"))), terminated(name, words("object"))).parse_next(input)
}

/// A function of another API that makes shared handles.
fn foreign_function(input: &mut Tokens<'_>) -> winnow::Result<&'static str> {
    one_of_words(&[
        "ID3D11Fence::CreateSharedHandle",
        "ID3D12Device::CreateSharedHandle",
        "IDXGIResource1::CreateSharedHandle",
        "IDXGIResource::GetSharedHandle",
    ])
    .parse_next(input)
}
