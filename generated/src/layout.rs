//! Which of the three layouts is in force, for the assertions that `record!` makes at compile time.
//!
//! In: the numbers of a row, one where all layouts agree and three where not. Out: the number for the target being compiled, and an error
//! of the compiler where Rust's differs.

/// A size, alignment or offset by its name, what Rust makes it, and what C makes it.
pub type Fact<'a> = (&'a str, usize, usize);

/// Holds Rust's numbers against C's, and panics with the name of the first that differs. One call a record, and no message but the name:
/// an assertion a number, or a sentence for each, is what the compiler would spend most of its time and memory on.
pub const fn must_agree_with_c(mut facts: &[Fact<'_>]) {
    while let [(name, rust, c), rest @ ..] = facts {
        assert!(*rust == *c, "{}", *name);
        facts = rest;
    }
}

/// The number among `numbers` that holds here: for 64-bit targets, for 32-bit ones that align 64-bit integers to 8 (Windows), and for
/// 32-bit ones that align them to 4 (Linux on i686), in this order.
#[must_use]
pub const fn here<const N: usize>(numbers: [usize; N]) -> usize {
    match *numbers.as_slice() {
        [same] => same,
        [wide, aligned_to_8, aligned_to_4] => match (size_of::<usize>(), align_of::<u64>()) {
            (8, _) => wide,
            (4, 8) => aligned_to_8,
            (4, 4) => aligned_to_4,
            _ => panic!("no layout is known for this target"),
        },
        _ => panic!("a row has one number, or one for each of the three layouts"),
    }
}
