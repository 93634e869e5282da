//! Sentences that demand nothing and say what a kind of handle is: who owns it, what it carries.

use winnow::{
    Parser,
    combinator::{alt, opt, preceded, terminated},
};

use super::{
    Reading, Said, condition, named,
    token::{Tokens, name, names, one_of_words, words},
};
use crate::model::{Owner, Payload};

/// A fact without a condition of its own.
pub(super) fn fact(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((ownership, selects, exports)).parse_next(input)
}

fn ownership(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((
        words("ownership of the file descriptor is transferred to the CUDA driver when the handle is imported successfully")
            .value(Said::Owners { success: Owner::Driver, failure: Owner::Caller }),
        words(
            "ownership of this handle is not transferred to CUDA after the import operation , \
             so the application must release the handle using the appropriate system call",
        )
        .value(Said::Owners { success: Owner::Caller, failure: Owner::Caller }),
        (
            words("this handle does not hold a reference to the underlying object , and thus will be invalid when all references to the"),
            one_of_words(&["memory", "synchronization"]),
            words("object are destroyed"),
        )
            .value(Said::HoldsReference(false)),
        words("this handle holds a reference to the underlying object").value(Said::HoldsReference(true)),
    ))
    .parse_next(input)
}

/// `File descriptor referencing the memory object. Valid when type is one of the following: …`.
fn selects(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let lead = alt((words("valid when type is one of the following :"), words("valid when type is"), valid_if_semaphore));
    preceded(lead, names).map(Said::Selects).parse_next(input)
}

/// `Valid if CUexternalSemaphoreHandleType is of type …`.
fn valid_if_semaphore(input: &mut Tokens<'_>) -> winnow::Result<()> {
    words("valid if CUexternalSemaphoreHandleType is of type").parse_next(input)
}

/// `(int)` after a handle type: what an export writes.
fn exports(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    let ctype = alt((one_of_words(&["int", "HANDLE", "D3DKMT_HANDLE"]).map(str::to_owned), name));
    preceded((opt(words("allows export to a fabric handle")), words("(")), terminated(ctype, words(")")))
        .map(Said::Exports)
        .parse_next(input)
}

/// A fact about semaphores of some handle types: what a signal or a wait does to them.
pub(super) fn conditional(input: &mut Tokens<'_>) -> winnow::Result<Reading> {
    let head = condition::head.parse_next(input)?;
    let said = alt((signal, wait)).parse_next(input)?;
    Ok(Reading { head: Some(head), said: vec![said] })
}

fn carries(payload: Payload, members: Vec<super::Ref>) -> Said {
    Said::Carries { payload, members }
}

fn signal(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((
        words("signaling the semaphore will set it to the signaled state").map(|()| carries(Payload::Binary, Vec::new())),
        preceded(words("the semaphore will be set to the value specified in"), named).map(|value| carries(Payload::Fence, vec![value])),
        (
            words("this API sets"),
            named,
            words("to a value that can be used by subsequent waiters of the same NvSciSync object to order operations with those currently submitted in stream"),
        )
            .map(|((), fence, ())| carries(Payload::NvSciSync, vec![fence])),
        preceded(words("the keyed mutex will be released with the key specified in"), named)
            .map(|key| carries(Payload::KeyedMutex, vec![key])),
    ))
    .parse_next(input)
}

fn wait(input: &mut Tokens<'_>) -> winnow::Result<Said> {
    alt((
        words("waiting on the semaphore will wait until the semaphore reaches the signaled state")
            .map(|()| carries(Payload::Binary, Vec::new())),
        preceded(words("waiting on the semaphore will wait until the value of the semaphore is greater than or equal to"), named)
            .map(|value| carries(Payload::Fence, vec![value])),
        (
            words("waiting on the semaphore will wait until"),
            opt(words("the")),
            terminated(
                named,
                words("is signaled by the signaler of the NvSciSyncObj that was associated with this semaphore object"),
            ),
        )
            .map(|((), _, fence)| carries(Payload::NvSciSync, vec![fence])),
        (
            words("the keyed mutex will be acquired when it is released with the key specified in"),
            named,
            words("or until the timeout specified by"),
            named,
            words("has lapsed"),
        )
            .map(|((), key, (), timeout, ())| carries(Payload::KeyedMutex, vec![key, timeout])),
    ))
    .parse_next(input)
}
