//! Text of `clcu-sys` for another place: paths that begin at the root of its crate become relative, so that a part can be any module of any
//! crate.
//!
//! In: lines of `clcu-sys`. Out: the same with `crate::` as so many `super::`, and without examples that name the crate.

/// `text` in a module `depth` steps below the root of the part. Macros expand two steps below it, in the modules of an API.
pub(super) fn relocate(text: &str, depth: usize) -> String {
    const WORD: &str = "crate::";
    let mut relocated = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(WORD) {
        let (before, after) = (&rest[..at], &rest[at + WORD.len()..]);
        rest = after;
        if let Some(before) = before.strip_suffix('$') {
            relocated.push_str(before);
            // A macro is found by its name alone: it stands before everything that uses it.
            if !is_macro(after) {
                relocated.push_str("super::super::");
            }
        } else {
            relocated.push_str(before);
            relocated.push_str(&if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                WORD.to_owned()
            } else {
                "super::".repeat(depth)
            });
        }
    }
    relocated.push_str(rest);
    relocated
}

/// Whether a path's rest is the call of a macro.
pub(super) fn is_macro(after: &str) -> bool {
    after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with('!')
}

/// `text` without the examples in its documentation.
pub(super) fn without_examples(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut within = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let fence = ["/// ```", "//! ```"].iter().any(|fence| trimmed.starts_with(fence));
        within ^= fence;
        if !within && !fence {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{relocate, without_examples};

    #[test]
    fn paths_from_the_root_become_relative() {
        assert_eq!(relocate("use crate::rules::row::*;", 2), "use super::super::rules::row::*;");
        assert_eq!(relocate("impl crate::names::X for Y", 1), "impl super::names::X for Y");
        assert_eq!(relocate("pub(crate) fn f() { mycrate::g() }", 1), "pub(crate) fn f() { mycrate::g() }");
    }

    #[test]
    fn a_macro_finds_macros_by_name_and_the_rest_two_steps_up() {
        assert_eq!(relocate("#[doc = $crate::about!($a)] $crate::names::X", 1), "#[doc = about!($a)] super::super::names::X");
    }

    #[test]
    fn examples_go_and_what_they_are_about_stays() {
        let text = "/// A thing.\n///\n/// ```\n/// let a = 1;\n/// ```\n///\n/// ```compile_fail\n/// b\n/// ```\npub struct A;\n";
        assert_eq!(without_examples(text), "/// A thing.\n///\n///\npub struct A;\n");
    }
}
