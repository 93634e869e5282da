//! Asks OpenCL for text and lists, the way that it wants: first the size, then the value. What a driver says about sizes is not
//! trusted: an implausible one is refused, and no more is read than was written.

use std::{ffi::c_void, ptr, sync::Arc};

use clcu_sys::{Command, CommandInfo, opencl::cl_result};

use super::{Platform, error::Error};

/// No text or list that is asked for here is longer. NVIDIA's extension string has about a thousand bytes.
const LONGEST: usize = 1 << 20;

/// The text that `ask(size, value, size_ret)` gives, without its terminating zero.
pub(super) fn text(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_result) -> Result<String, String> {
    let mut size = 0;
    refuse(ask(0, ptr::null_mut(), &raw mut size))?;
    if size > LONGEST {
        return Err(format!("the driver announces {size} bytes of text"));
    }
    if size == 0 {
        return Ok(String::new());
    }
    let mut bytes = vec![0u8; size];
    let mut written = size;
    refuse(ask(size, bytes.as_mut_ptr().cast(), &raw mut written))?;
    let bytes = bytes.get(..written.min(size)).unwrap_or_default();
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// The list that `ask(count, values, count_ret)` gives. `none` is the code that says that it is empty.
pub(super) fn list<T: Copy>(
    empty: T,
    none: cl_result,
    ask: impl Fn(u32, *mut T, *mut u32) -> cl_result,
) -> Result<Vec<T>, cl_result> {
    let mut count = 0;
    match ask(0, ptr::null_mut(), &raw mut count) {
        code if code == none => return Ok(Vec::new()),
        code => code.result()?,
    }
    let count = count.min(u32::try_from(LONGEST).unwrap_or(u32::MAX));
    if count == 0 {
        return Ok(Vec::new());
    }
    let length = usize::try_from(count).unwrap_or(LONGEST);
    let mut values = vec![empty; length];
    let mut written = count;
    ask(count, values.as_mut_ptr(), &raw mut written).result()?;
    // Between the two calls a device may have gone.
    values.truncate(usize::try_from(written).unwrap_or(length));
    Ok(values)
}

/// No platform has more devices, and no object more values of a list.
pub(super) const MOST_OBJECTS: u32 = 1 << 16;

/// One value that a command gives by `ask(function, size, value, size_ret)`. `what` is its name.
///
/// # Errors
/// [`Error::UnexpectedSize`] where the platform announces another size: what it wrote is then not looked at.
pub(super) fn value<F: Copy, T: Copy>(
    platform: &Platform,
    command: &Command<F>,
    what: &'static str,
    empty: T,
    ask: impl Fn(F, usize, *mut c_void, *mut usize) -> cl_result,
) -> Result<T, Error> {
    let wanted = size_of::<T>();
    let (mut answer, mut found) = (empty, wanted);
    platform.checked(command).call(|function| ask(function, wanted, (&raw mut answer).cast(), &raw mut found))?;
    if found == wanted { Ok(answer) } else { Err(unexpected(platform, command.info(), what, wanted, found)) }
}

/// The values of a list that a command gives in the same way. A size of zero is an empty list, and nothing more is asked for.
///
/// # Errors
/// As for [`value`].
pub(super) fn values<F: Copy, T: Copy>(
    platform: &Platform,
    command: &Command<F>,
    what: &'static str,
    empty: T,
    ask: impl Fn(F, usize, *mut c_void, *mut usize) -> cl_result,
) -> Result<Vec<T>, Error> {
    let (wanted, mut found) = (size_of::<T>(), 0);
    platform.checked(command).call(|function| ask(function, 0, ptr::null_mut(), &raw mut found))?;
    if found == 0 {
        return Ok(Vec::new());
    }
    if !found.is_multiple_of(wanted) || found > LONGEST {
        return Err(unexpected(platform, command.info(), what, wanted, found));
    }
    let mut answer = vec![empty; found / wanted];
    let mut written = found;
    platform.checked(command).call(|function| ask(function, found, answer.as_mut_ptr().cast(), &raw mut written))?;
    if written > found || !written.is_multiple_of(wanted) {
        return Err(unexpected(platform, command.info(), what, wanted, written));
    }
    answer.truncate(written / wanted);
    Ok(answer)
}

#[cold]
fn unexpected(platform: &Platform, command: &'static CommandInfo, what: &'static str, wanted: usize, found: usize) -> Error {
    Error::UnexpectedSize { command, what, wanted, found, driver: Arc::clone(platform.shared_driver()) }
}

fn refuse(code: cl_result) -> Result<(), String> {
    code.result().map_err(|code| code.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `bytes` as a driver does, and says `size` of them.
    fn driver(bytes: &'static [u8], size: usize) -> impl Fn(usize, *mut c_void, *mut usize) -> cl_result {
        move |room, value, size_ret| {
            if !value.is_null() {
                // SAFETY: `value` has `room` bytes.
                unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len().min(room)) };
            }
            // SAFETY: `text` gives a pointer to its own variable.
            unsafe { *size_ret = size };
            cl_result::CL_SUCCESS
        }
    }

    #[test]
    fn text_ends_at_its_zero() {
        assert_eq!(text(driver(b"a b\0", 4)).as_deref(), Ok("a b"));
        assert_eq!(text(driver(b"a\0b\0", 4)).as_deref(), Ok("a"));
        assert_eq!(text(driver(b"abc", 3)).as_deref(), Ok("abc"));
        assert_eq!(text(driver(b"", 0)).as_deref(), Ok(""));
    }

    #[test]
    fn an_implausible_size_is_an_error_not_an_allocation() {
        assert!(text(driver(b"", usize::MAX)).is_err_and(|error| error.contains("announces")));
    }

    #[test]
    fn a_second_size_that_is_larger_than_the_first_reads_nothing_beyond() {
        let sizes = std::cell::Cell::new(2usize);
        let ask = |room, value: *mut c_void, size_ret: *mut usize| {
            if !value.is_null() {
                // SAFETY: `value` has `room` bytes.
                unsafe { ptr::write_bytes(value.cast::<u8>(), b'x', room) };
            }
            // SAFETY: `text` gives a pointer to its own variable.
            unsafe { *size_ret = sizes.replace(1000) };
            cl_result::CL_SUCCESS
        };
        assert_eq!(text(ask).as_deref(), Ok("xx"));
    }

    #[test]
    fn the_code_for_none_is_an_empty_list() {
        let none = cl_result::CL_PLATFORM_NOT_FOUND_KHR;
        assert_eq!(list(0u8, none, |_, _, _| none), Ok(Vec::new()));
        assert_eq!(list(0u8, none, |_, _, _| cl_result::CL_INVALID_PLATFORM), Err(cl_result::CL_INVALID_PLATFORM));
    }
}
