//! Which of the three layouts is in force, for the assertions that `record!` makes at compile time.
//!
//! In: the numbers of a row, one where all layouts agree and three where not. Out: the number for the target being compiled.

/// A size, alignment or offset: what to say if it is wrong, what Rust makes it, and what C makes it.
pub type Fact<'a> = (&'a str, usize, &'a [usize]);

/// Holds Rust's numbers against C's; in a constant, so that a difference does not compile. One call a record, because an assertion a
/// number takes the compiler longer.
#[track_caller]
pub const fn check(mut facts: &[Fact<'_>]) {
    while let [(otherwise, rust, c), rest @ ..] = facts {
        assert!(*rust == here(c), "{}", *otherwise);
        facts = rest;
    }
}

/// The number among `numbers` that holds here: for 64-bit targets, for 32-bit ones that align 64-bit integers to 8 (Windows), and for
/// 32-bit ones that align them to 4 (Linux on i686), in this order.
const fn here(numbers: &[usize]) -> usize {
    match *numbers {
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
