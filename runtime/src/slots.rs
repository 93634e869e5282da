//! The addresses that one library, or one platform, has found: in, a command's dense index; out, its address at the price of one load.
//!
//! Each owner has its own, so that two drivers of one API live side by side. A slot tells three states apart: nobody has asked yet,
//! an address, and known to be missing, so that a command that a driver lacks is looked for once.

use std::{
    ffi::c_void,
    ptr::{self, NonNull},
    sync::atomic::{AtomicPtr, Ordering},
};

/// Marks a command that was looked for in vain. No function lies at address 1 on any supported target.
const MISSING: *mut c_void = ptr::without_provenance_mut(1);

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Unresolved,
    Missing,
    Address(NonNull<c_void>),
}

/// One slot for each command of a table.
#[derive(Debug)]
pub(crate) struct Slots(Box<[AtomicPtr<c_void>]>);

impl Slots {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).map(|_| AtomicPtr::new(ptr::null_mut())).collect())
    }

    /// The address of the command at `index`, if it was found before. This is all that a call costs.
    #[inline]
    pub(crate) fn address(&self, index: u16) -> Option<NonNull<c_void>> {
        match self.state(index) {
            State::Address(address) => Some(address),
            State::Unresolved | State::Missing => None,
        }
    }

    /// What is known of the command at `index`.
    #[inline]
    pub(crate) fn state(&self, index: u16) -> State {
        let Some(slot) = self.0.get(usize::from(index)) else { return State::Unresolved };
        // Pairs with the release in `set`: who sees the address also sees what the driver did to make the function callable.
        let found = slot.load(Ordering::Acquire);
        if found == MISSING { State::Missing } else { NonNull::new(found).map_or(State::Unresolved, State::Address) }
    }

    /// Keeps what was found out. Threads that look for the same command at once find the same and store the same.
    pub(crate) fn set(&self, index: u16, found: Option<NonNull<c_void>>) {
        if let Some(slot) = self.0.get(usize::from(index)) {
            slot.store(found.map_or(MISSING, NonNull::as_ptr), Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_tells_unresolved_missing_and_found_apart() {
        let slots = Slots::new(3);
        let function = NonNull::<u64>::dangling().cast();
        slots.set(1, None);
        slots.set(2, Some(function));
        assert_eq!([0, 1, 2].map(|index| slots.state(index)), [State::Unresolved, State::Missing, State::Address(function)]);
        assert_eq!([0, 1, 2].map(|index| slots.address(index)), [None, None, Some(function)]);
    }

    #[test]
    fn an_index_beyond_the_table_is_never_resolved_and_never_a_panic() {
        let slots = Slots::new(1);
        slots.set(1, Some(NonNull::<u64>::dangling().cast()));
        assert_eq!(slots.state(1), State::Unresolved);
        assert_eq!(Slots::new(0).state(u16::MAX), State::Unresolved);
    }

    #[test]
    fn another_thread_sees_what_was_found() {
        let slots = Slots::new(64);
        let function = NonNull::<u64>::dangling().cast();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for index in 0..64 {
                        slots.set(index, (index % 2 == 0).then(|| NonNull::<u64>::dangling().cast()));
                    }
                });
            }
        });
        for index in 0..64 {
            let expected = if index % 2 == 0 { State::Address(function) } else { State::Missing };
            assert_eq!(slots.state(index), expected);
        }
    }
}
