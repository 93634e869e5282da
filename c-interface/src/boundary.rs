//! What every call from C goes through: pointers become references or an error, texts become `str` or an error, and a panic a status.

use std::{
    ffi::{CStr, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};

use crate::status::clcu_status;

/// The outcome of a call on the way to its status.
pub(crate) type Outcome = Result<(), clcu_status>;

/// Makes `call`, and its status of what it gives. A panic ends here: nothing of C may be unwound.
pub(crate) fn answer(call: impl FnOnce() -> Outcome) -> clcu_status {
    // What a call has changed half is its own: results are made whole before a pointer to them is given out.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => clcu_status::CLCU_OK,
        Ok(Err(status)) => status,
        Err(_) => clcu_status::CLCU_FAULT,
    }
}

/// Makes `call`, and gives `fault` if it panics.
pub(crate) fn answer_or<T>(fault: T, call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(fault)
}

/// What `pointer` points to.
///
/// # Safety
/// It is null, or points to a `T` that stays as it is for `'a`.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, clcu_status> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_ref() }.ok_or(clcu_status::CLCU_NULL_ARGUMENT)
}

/// What `pointer` points to, to be changed.
///
/// # Safety
/// It is null, or points to a `T` that nobody else looks at for `'a`.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T) -> Result<&'a mut T, clcu_status> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_mut() }.ok_or(clcu_status::CLCU_NULL_ARGUMENT)
}

/// Writes `value` where `out` points.
///
/// # Safety
/// It is null, or points to room for a `T`, initialised or not.
pub(crate) unsafe fn write<T>(out: *mut T, value: T) -> Outcome {
    if out.is_null() {
        return Err(clcu_status::CLCU_NULL_ARGUMENT);
    }
    // SAFETY: promised by the caller.
    unsafe { out.write(value) };
    Ok(())
}

/// A text.
///
/// # Safety
/// It is null, or points to a zero-terminated text that stays as it is for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str, clcu_status> {
    if pointer.is_null() {
        return Err(clcu_status::CLCU_NULL_ARGUMENT);
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| clcu_status::CLCU_NOT_TEXT)
}

/// An array. Null is allowed where it has nothing in it.
///
/// # Safety
/// It is null, or points to `count` values of `T` that stay as they are for `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], clcu_status> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(clcu_status::CLCU_NULL_ARGUMENT),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, answer_or};
    use crate::status::clcu_status;

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(answer(|| panic!("a fault of ours")), clcu_status::CLCU_FAULT);
        assert_eq!(answer_or(0, || panic!("a fault of ours")), 0);
        assert_eq!(answer(|| Ok(())), clcu_status::CLCU_OK);
    }
}
