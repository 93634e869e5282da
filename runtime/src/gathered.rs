//! The arrays that a command takes: in, one value for each of some objects; out, a slice of them, on the stack where they are few, as nearly
//! always, so that a call that is made for each frame takes no memory.

use std::ops::Deref;

/// How many are few: what fits costs no more than a copy of them.
const FEW: usize = 8;

/// Values in one piece.
pub(crate) enum Gathered<T> {
    Few([T; FEW], usize),
    Many(Vec<T>),
}

impl<T: Copy> Gathered<T> {
    /// Those that `values` gives. `blank` is what lies behind them, and is not seen.
    #[inline]
    pub(crate) fn new(blank: T, values: impl ExactSizeIterator<Item = T>) -> Self {
        // None is a vector as well: it has no room to fill.
        if !(1..=FEW).contains(&values.len()) {
            return Self::Many(values.collect());
        }
        let mut room = [blank; FEW];
        let mut count = 0;
        for (place, value) in room.iter_mut().zip(values) {
            *place = value;
            count += 1;
        }
        Self::Few(room, count)
    }
}

impl<T> Deref for Gathered<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Few(room, count) => room.get(..*count).unwrap_or(room),
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
            let gathered = Gathered::new(0, values.iter().copied());
            assert_eq!(*gathered, *values);
            assert_eq!(matches!(gathered, Gathered::Few(..)), (1..=FEW).contains(&count));
        }
    }
}
