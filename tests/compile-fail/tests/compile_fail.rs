//! Mistakes that the types of `clcu` make impossible: each case does not compile, for the reason that stands beside it.
//!
//! The reasons are the words of the compiler that CI runs. Where another one words them anew, `TRYBUILD=overwrite` writes them, and a reader
//! sees whether they still say the same.

#[test]
fn what_must_not_compile_does_not() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("cases/*.rs");
    if cfg!(unix) {
        cases.compile_fail("cases/unix/*.rs");
    }
}
