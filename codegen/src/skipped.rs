//! What a test of this crate says that needs something which is not there.

/// Says that `test` cannot run without `missing`; a failure if `CLCU_REQUIRE=all` asks that nothing be skipped.
pub(crate) fn skipped(test: &str, missing: &str) {
    assert!(std::env::var_os("CLCU_REQUIRE").is_none_or(|value| value != "all"), "skipped: {test}: {missing}");
    println!("skipped: {test}: {missing}");
}
