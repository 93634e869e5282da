//! Comments as the text has them, without a parser for C.
//!
//! In: the text of a header. Out: every comment with its range, in order. The C parser knows most of them too, but not those on macros, nor
//! plain `/* */`; so this list is the one that nothing may be missing from.

use std::ops::Range;

/// How a comment is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// For Doxygen: `/**`, `/*!`, `///`, `//!`.
    Doxygen,
    /// For readers of the header: `/*`, `//`.
    Plain,
}

/// A comment; neighbouring lines of `//` are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raw {
    /// Where it is, markers included.
    pub range: Range<usize>,
    /// How it is marked.
    pub marker: Marker,
    /// Whether it says, with `<`, that it belongs to what is before it.
    pub trailing: bool,
}

/// Every comment of `text`. A comment that does not end reaches to the end of the text.
pub(super) fn scan(text: &str) -> Vec<Raw> {
    let bytes = text.as_bytes();
    let mut found: Vec<Raw> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                let end = text[at + 2..].find("*/").map_or(text.len(), |length| at + 2 + length + 2);
                found.push(raw(text, at..end));
                at = end;
            }
            (b'/', Some(b'/')) => {
                let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
                let line = raw(text, at..end);
                match found.last_mut() {
                    Some(last) if continues(text, last, &line) => last.range.end = end,
                    _ => found.push(line),
                }
                at = end;
            }
            (quote @ (b'"' | b'\''), _) => at = after_literal(bytes, at + 1, quote),
            _ => at += 1,
        }
    }
    found
}

/// The position after a string or character that starts at `at`; literals end at the line's end at the latest, since an apostrophe in
/// `#error` opens none.
fn after_literal(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw(text: &str, range: Range<usize>) -> Raw {
    let comment = &text[range.clone()];
    let after = &comment[2..];
    let block = comment.starts_with("/*");
    let doxygen = if block {
        (after.starts_with('*') && after != "*/" && !after.starts_with("**")) || after.starts_with('!')
    } else {
        (after.starts_with('/') && !after.starts_with("//")) || after.starts_with('!')
    };
    let trailing = doxygen && after[1..].starts_with('<');
    Raw { range, marker: if doxygen { Marker::Doxygen } else { Marker::Plain }, trailing }
}

/// Whether `line`, a `//` comment, goes on from the one before: alone on the next line, marked in the same way.
fn continues(text: &str, last: &Raw, line: &Raw) -> bool {
    let between = &text[last.range.end..line.range.start];
    text[last.range.clone()].starts_with("//")
        && last.marker == line.marker
        && last.trailing == line.trailing
        && between.trim().is_empty()
        && between.matches('\n').count() == 1
}

/// The text of a comment without its markers. Each line of the source gives one line here, so that line numbers carry over.
pub(super) fn strip(comment: &str) -> String {
    let block = comment.starts_with("/*");
    let body = if block { comment.strip_suffix("*/").unwrap_or(comment) } else { comment };
    let lines = body.lines().enumerate().map(|(number, line)| {
        let line = line.trim_end();
        if number == 0 || !block {
            return strip_opening(line.trim_start());
        }
        match line.trim_start().strip_prefix('*') {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None => line,
        }
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.truncate(text.trim_end_matches(' ').len());
    text
}

/// Takes `/**<`, `///`, `//` and the like off the front of a line.
fn strip_opening(line: &str) -> &str {
    let rest = line.strip_prefix("/*").or_else(|| line.strip_prefix("//")).unwrap_or(line);
    let rest = rest.trim_start_matches(['*', '/', '!']);
    let rest = rest.strip_prefix('<').unwrap_or(rest);
    rest.strip_prefix(' ').unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::{Marker, Raw, scan, strip};

    fn texts(text: &str) -> Vec<(&str, Marker, bool)> {
        scan(text).into_iter().map(|Raw { range, marker, trailing }| (&text[range], marker, trailing)).collect()
    }

    #[test]
    fn every_marker_is_known() {
        let text = "/** a */ int b; /**< c */\n/*! d */ /* e */\n/// f\nint g; ///< h\n// i\n/****/ /**/";
        let (doxygen, plain) = (Marker::Doxygen, Marker::Plain);
        let wanted = [
            ("/** a */", doxygen, false),
            ("/**< c */", doxygen, true),
            ("/*! d */", doxygen, false),
            ("/* e */", plain, false),
            ("/// f", doxygen, false),
            ("///< h", doxygen, true),
            ("// i", plain, false),
            ("/****/", plain, false),
            ("/**/", plain, false),
        ];
        assert_eq!(texts(text), wanted);
    }

    #[test]
    fn what_looks_like_a_comment_in_a_literal_is_none() {
        assert_eq!(texts("char *a = \"/* b \\\" */\"; char c = '\"'; /* d */"), [("/* d */", Marker::Plain, false)]);
    }

    #[test]
    fn an_apostrophe_in_an_error_directive_hides_nothing() {
        assert_eq!(texts("#error don't\n/* a */"), [("/* a */", Marker::Plain, false)]);
    }

    #[test]
    fn lines_that_follow_one_another_are_one_comment() {
        assert_eq!(
            texts("/// a\n  /// b\n\n/// c"),
            [("/// a\n  /// b", Marker::Doxygen, false), ("/// c", Marker::Doxygen, false)]
        );
    }

    #[test]
    fn a_comment_without_an_end_reaches_to_the_end() {
        assert_eq!(texts("int a; /** b"), [("/** b", Marker::Doxygen, false)]);
    }

    #[test]
    fn stripping_keeps_one_line_a_line_and_the_indentation_of_lists() {
        assert_eq!(strip("/**\n * a\n *   - b\n *\n   c\n */"), "\na\n  - b\n\n   c\n");
        assert_eq!(strip("/**< a */"), "a");
        assert_eq!(strip("/// a\n    /// b"), "a\nb");
    }
}
