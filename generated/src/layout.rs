//! Which of the three layouts is in force, for the assertions that `record!` makes at compile time.
//!
//! In: the numbers of a row, one where all layouts agree and three where not. Out: the number for the target being compiled.

/// The number among `numbers` that holds here: for 64-bit targets, for 32-bit ones that align 64-bit integers to 8 (Windows), and for
/// 32-bit ones that align them to 4 (Linux on i686), in this order.
#[must_use]
pub const fn here(numbers: &[usize]) -> usize {
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
