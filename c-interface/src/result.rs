//! Checks, and what they found.

use std::{
    ffi::{CString, c_char, c_void},
    ptr, slice,
};

use clcu_sys::rules::PropertyList;

use crate::{
    boundary::{Outcome, answer, answer_or, reference, text, write},
    context::clcu_context,
    examined::{Broken, Examined, Undecided},
    records::{LISTS, RECORDS},
    status::clcu_status,
};

/// What a check found. It keeps nothing of what was checked.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Debug)]
pub struct clcu_result {
    examined: Examined,
}

/// A rule that is broken. The texts stay until the result is freed.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct clcu_violation {
    /// The id of the rule, by which it can be waived.
    pub rule: *const c_char,
    /// The fields that it is about, with blanks between: `handle.win32.handle handle.win32.name`.
    pub field: *const c_char,
    /// What stood there.
    pub found: *const c_char,
    /// What was wanted.
    pub wanted: *const c_char,
    /// The code that upstream promises in this case; empty where it promises none.
    pub error: *const c_char,
}

/// A rule that was not checked. The texts stay until the result is freed.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct clcu_undecided {
    /// The id of the rule.
    pub rule: *const c_char,
    /// The fields that it is about, with blanks between.
    pub field: *const c_char,
    /// The facts that would decide it, by the names that `clcu_context_number` and its like take, with blanks between; empty where only the
    /// caller can tell.
    pub missing: *const c_char,
}

/// Hands what is known to `check`: nothing, if `context` is null.
///
/// # Safety
/// `context` is null, or a context that nobody changes meanwhile.
unsafe fn with_context(context: *const clcu_context, check: impl FnOnce(&clcu_context) -> Examined) -> Examined {
    // SAFETY: promised by the caller.
    match unsafe { context.as_ref() } {
        Some(context) => check(context),
        None => check(&clcu_context::default()),
    }
}

/// Gives out a result.
///
/// # Safety
/// `result` is null, or points to room for a pointer.
unsafe fn give(result: *mut *mut clcu_result, examined: Examined) -> Outcome {
    // SAFETY: promised by the caller.
    unsafe { write(result, Box::into_raw(Box::new(clcu_result { examined }))) }
}

/// Checks a record, such as a descriptor, by its name: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`. `clcu_record_at` lists the names; `size` is its
/// `sizeof`, by which another version of it is recognised. `context` may be null: then nothing is known. The caller owns what is written to
/// `result`, and frees it with `clcu_result_free`.
///
/// # Safety
/// `context` is null or a context that nobody changes meanwhile; `name` is null or a zero-terminated text; `record` is null or points to `size`
/// bytes, each of which was written (start from zeroed memory), with or without alignment; `result` is null or points to room for a pointer.
/// Where a rule is about text behind a pointer of the record (`utf16_nul_terminated`), the pointer is null or leads to a text that ends
/// with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_check_record(
    context: *const clcu_context,
    name: *const c_char,
    record: *const c_void,
    size: usize,
    result: *mut *mut clcu_result,
) -> clcu_status {
    answer(|| {
        if record.is_null() || result.is_null() {
            return Err(clcu_status::CLCU_NULL_ARGUMENT);
        }
        // SAFETY: promised by the caller.
        let name = unsafe { text(name)? };
        let found = RECORDS.iter().find(|row| row.names.contains(&name)).ok_or(clcu_status::CLCU_UNKNOWN_NAME)?;
        if found.size != size {
            return Err(clcu_status::CLCU_WRONG_SIZE);
        }
        let check = |context: &clcu_context| {
            // SAFETY: the caller promises `size` initialised bytes, which is the size of this record, and what its pointers lead to.
            context.with(|given, waived| unsafe { (found.examine)(record.cast(), given, waived) })
        };
        // SAFETY: promised by the caller.
        unsafe { give(result, with_context(context, check)) }
    })
}

/// Checks the property list of a command by the rules that speak of the list alone: whether it is well-formed and terminated, which
/// properties it has to have, how often, with which values. `parameter` names the list as upstream does: `sema_props`. `words` is null (no list), or
/// points to `count` elements of the list's own type, its terminator included: no more are read. `context` may be null. The caller owns what
/// is written to `result`, and frees it with `clcu_result_free`.
///
/// # Safety
/// As for `clcu_check_record`; `words` is null or points to `count` aligned elements of the list's type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_check_property_list(
    context: *const clcu_context,
    command: *const c_char,
    parameter: *const c_char,
    words: *const c_void,
    count: usize,
    result: *mut *mut clcu_result,
) -> clcu_status {
    answer(|| {
        if result.is_null() {
            return Err(clcu_status::CLCU_NULL_ARGUMENT);
        }
        // SAFETY: promised by the caller.
        let (command, parameter) = unsafe { (text(command)?, text(parameter)?) };
        let found = LISTS.iter().find(|row| row.command == command && row.parameter == parameter);
        let found = found.ok_or(clcu_status::CLCU_UNKNOWN_NAME)?;
        let list = match (words.is_null(), found.width) {
            (true, _) => PropertyList::NULL,
            // SAFETY: promised by the caller; elements of this width are integers.
            (false, 4) => PropertyList::new(unsafe { slice::from_raw_parts(words.cast::<u32>(), count) }),
            // SAFETY: as above.
            (false, _) => PropertyList::new(unsafe { slice::from_raw_parts(words.cast::<u64>(), count) }),
        };
        let check = |context: &clcu_context| context.with(|given, waived| (found.examine)(list, given, waived));
        // SAFETY: promised by the caller.
        unsafe { give(result, with_context(context, check)) }
    })
}

/// Ends a result, and every text that came from it. Null does nothing.
///
/// # Safety
/// `result` is null, or came from a check, was not freed, and is in use nowhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_free(result: *mut clcu_result) {
    answer_or((), || {
        if !result.is_null() {
            // SAFETY: promised by the caller.
            drop(unsafe { Box::from_raw(result) });
        }
    });
}

/// How many rules are broken. 0 for null.
///
/// # Safety
/// `result` is null, or a result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_violation_count(result: *const clcu_result) -> usize {
    // SAFETY: promised by the caller.
    answer_or(0, || unsafe { result.as_ref() }.map_or(0, |result| result.examined.broken.len()))
}

/// How many rules could not be decided. They are listed where no rule is broken; 0 for null.
///
/// # Safety
/// `result` is null, or a result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_not_checked_count(result: *const clcu_result) -> usize {
    // SAFETY: promised by the caller.
    answer_or(0, || unsafe { result.as_ref() }.map_or(0, |result| result.examined.not_checked.len()))
}

/// The broken rule at `index`, which is below `clcu_result_violation_count`.
///
/// # Safety
/// `result` is null or a result, `violation` null or room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_violation(
    result: *const clcu_result,
    index: usize,
    violation: *mut clcu_violation,
) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let broken = unsafe { broken(result, index)? };
        let Broken { rule, field, found, wanted, error, message: _ } = broken;
        let [rule, field, found, wanted, error] = [rule, field, found, wanted, error].map(|text| text.as_ptr());
        // SAFETY: promised by the caller.
        unsafe { write(violation, clcu_violation { rule, field, found, wanted, error }) }
    })
}

/// The rule at `index` that was not checked, which is below `clcu_result_not_checked_count`.
///
/// # Safety
/// `result` is null or a result, `undecided` null or room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_not_checked(
    result: *const clcu_result,
    index: usize,
    undecided: *mut clcu_undecided,
) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let one = unsafe { reference(result)? }.examined.not_checked.get(index).ok_or(clcu_status::CLCU_OUT_OF_RANGE)?;
        let Undecided { rule, field, missing } = one;
        let [rule, field, missing] = [rule, field, missing].map(|text| text.as_ptr());
        // SAFETY: promised by the caller.
        unsafe { write(undecided, clcu_undecided { rule, field, missing }) }
    })
}

/// What the broken rule at `index` says, on one line of text, copied into `buffer` with its terminating zero.
///
/// `needed` gets the number of bytes that takes, the zero included, also where the buffer is too small; it may be null. A buffer that is too
/// small gets as much of the text as fits, cut between characters and with a zero, and the status is `CLCU_BUFFER_TOO_SMALL`; with a `size` of
/// 0 the buffer may be null and is left alone.
///
/// # Safety
/// `result` is null or a result; `buffer` points to `size` bytes, or is null; `needed` is null or room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_result_message(
    result: *const clcu_result,
    index: usize,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let message: &CString = unsafe { &broken(result, index)?.message };
        if buffer.is_null() && size > 0 {
            return Err(clcu_status::CLCU_NULL_ARGUMENT);
        }
        let bytes = message.as_bytes();
        if !needed.is_null() {
            // SAFETY: promised by the caller.
            unsafe { write(needed, bytes.len() + 1)? };
        }
        let Some(room) = size.checked_sub(1) else { return Err(clcu_status::CLCU_BUFFER_TOO_SMALL) };
        let mut fits = room.min(bytes.len());
        while fits < bytes.len() && bytes[fits] & 0xC0 == 0x80 {
            // The next byte continues a character.
            fits -= 1;
        }
        // SAFETY: `fits` and the zero are at most `size` bytes, which the caller has; the text is our own.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), fits);
            buffer.add(fits).write(0);
        }
        if fits == bytes.len() { Ok(()) } else { Err(clcu_status::CLCU_BUFFER_TOO_SMALL) }
    })
}

/// The broken rule at `index`.
///
/// # Safety
/// `result` is null, or a result that lives for `'a`.
unsafe fn broken<'a>(result: *const clcu_result, index: usize) -> Result<&'a Broken, clcu_status> {
    // SAFETY: promised by the caller.
    unsafe { reference(result)? }.examined.broken.get(index).ok_or(clcu_status::CLCU_OUT_OF_RANGE)
}
