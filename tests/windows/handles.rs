//! NT handles to share, and what the system says about them.

use std::{
    os::windows::io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _, OwnedHandle, RawHandle},
    process, ptr,
    sync::atomic::{AtomicU32, Ordering},
};

use windows_sys::{
    Wdk::Foundation::{NtQueryObject, ObjectBasicInformation},
    Win32::{
        Foundation::GetHandleInformation,
        System::{Threading::CreateEventW, WindowsProgramming::PUBLIC_OBJECT_BASIC_INFORMATION},
    },
};

/// A handle to an object of its own. To the mock drivers it is what any API exports.
pub(crate) fn object() -> OwnedHandle {
    created(ptr::null())
}

/// A handle to an object with a name, and the name with its zero. No other object has it.
pub(crate) fn named_object() -> (OwnedHandle, Vec<u16>) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Two units of UTF-16 make the last character, and three bytes of UTF-8 the one before.
    let name = format!("Local\\clcu-{}-{}-\u{20ac}\u{1f4a1}\0", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let units: Vec<u16> = name.encode_utf16().collect();
    (created(units.as_ptr()), units)
}

fn created(name: *const u16) -> OwnedHandle {
    // SAFETY: the name is null, or ends with a zero.
    let handle = unsafe { CreateEventW(ptr::null(), 0, 0, name) };
    assert!(!handle.is_null(), "an event can be created");
    // SAFETY: it was made for this.
    unsafe { OwnedHandle::from_raw_handle(handle) }
}

/// Whether this program has a handle of this number.
pub(crate) fn is_open(handle: RawHandle) -> bool {
    let mut flags = 0;
    // SAFETY: asking about a number does nothing to it.
    unsafe { GetHandleInformation(handle, &raw mut flags) != 0 }
}

/// How many handles refer to the object: this one, and those that others have.
pub(crate) fn references(handle: BorrowedHandle<'_>) -> u32 {
    let mut information = PUBLIC_OBJECT_BASIC_INFORMATION::default();
    let size = u32::try_from(size_of_val(&information)).expect("it has 56 bytes");
    let to = (&raw mut information).cast();
    // SAFETY: the buffer is as long as is said.
    let status = unsafe { NtQueryObject(handle.as_raw_handle(), ObjectBasicInformation, to, size, ptr::null_mut()) };
    assert_eq!(status, 0, "the system knows its objects");
    information.HandleCount
}
