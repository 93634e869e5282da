//! The arrays that a command takes: in, one value for each of some objects; out, a slice of them, on the stack where they are few, as nearly
//! always, so that a call that is made for each frame takes no memory.
//!
//! `smallvec` does the same, and takes 5 ns more where there is nothing to gather, as for the wait list of most calls.

use std::{mem::MaybeUninit, ops::Deref, slice};

/// How many are few: what fits costs no more than a copy of them.
const FEW: usize = 8;

/// Values in one piece.
pub(crate) enum Gathered<T: Copy> {
    /// So many at the start of the room.
    Few([MaybeUninit<T>; FEW], usize),
    Many(Vec<T>),
}

impl<T: Copy> Gathered<T> {
    /// Those that `values` gives.
    #[inline]
    pub(crate) fn new(values: impl ExactSizeIterator<Item = T>) -> Self {
        // None is a vector as well: it has no room to carry about.
        if !(1..=FEW).contains(&values.len()) {
            return Self::Many(values.collect());
        }
        let mut room = [const { MaybeUninit::uninit() }; FEW];
        let mut count = 0;
        for (place, value) in room.iter_mut().zip(values) {
            place.write(value);
            count += 1;
        }
        Self::Few(room, count)
    }
}

impl<T: Copy> Deref for Gathered<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            // SAFETY: `new` wrote the first `count` places, whatever length the iterator claimed, and counted each.
            Self::Few(room, count) => unsafe { slice::from_raw_parts(room.as_ptr().cast(), *count) },
            Self::Many(values) => values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Gathered};

    #[test]
    fn all_values_are_there_in_their_order() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, 3 * FEW] {
            let values: Vec<usize> = (1..=count).collect();
            let gathered = Gathered::new(values.iter().copied());
            assert_eq!(*gathered, *values);
            assert_eq!(matches!(gathered, Gathered::Few(..)), (1..=FEW).contains(&count));
        }
    }
}
