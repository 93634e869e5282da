//! Which of the three layouts is in force, for the assertions that `record!` makes at compile time.
//!
//! In: the numbers of a row, one where all layouts agree and three where not. Out: the number for the target being compiled, and an error
//! of the compiler where Rust's differs.

/// Holds Rust's numbers against C's, and panics with the name of the first that differs: `members` has the names, with white space between.
/// One call a record, with bare numbers and one text: a pair for each number, or an assertion, is what the compiler would spend most of its
/// memory on.
pub const fn must_agree_with_c<const N: usize>(
    record: [usize; 2],
    record_in_c: [usize; 2],
    members: &str,
    offsets: [usize; N],
    in_c: [usize; N],
) {
    assert!(record[0] == record_in_c[0], "size");
    assert!(record[1] == record_in_c[1], "alignment");
    let mut place = 0;
    while place < N {
        assert!(offsets[place] == in_c[place], "{}", crate::names::word(members, place));
        place += 1;
    }
}

/// The number that holds here: for 64-bit targets, for 32-bit ones that align 64-bit integers to 8 (Windows), and for 32-bit ones that align
/// them to 4 (Linux on i686), in this order.
#[must_use]
pub const fn here(wide: usize, aligned_to_8: usize, aligned_to_4: usize) -> usize {
    match (size_of::<usize>(), align_of::<u64>()) {
        (8, _) => wide,
        (4, 8) => aligned_to_8,
        (4, 4) => aligned_to_4,
        _ => panic!("no layout is known for this target"),
    }
}
