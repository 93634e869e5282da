//! The names that a text of Rust speaks of.
//!
//! In: lines of generated or formatted Rust. Out: its identifiers, without those in comments and strings. It is all that it takes to see what
//! needs what, and far less than a parser.

/// The identifiers of `text` in order, each with the place right behind it.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    pieces(text).filter_map(|piece| match piece {
        // `c"…"` is a string too.
        Piece::Word(word, end) if text.as_bytes().get(end) != Some(&b'"') => Some((word, end)),
        _ => None,
    })
}

/// Where the strings of `text` are, without their quotes.
pub(crate) fn strings(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    pieces(text).filter_map(|piece| match piece {
        Piece::String(range) => Some(range),
        Piece::Word(..) => None,
    })
}

/// What a text has that matters here.
enum Piece<'t> {
    /// An identifier, and the place right behind it.
    Word(&'t str, usize),
    /// The content of a string.
    String(std::ops::Range<usize>),
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let bytes = text.as_bytes();
            match *bytes.get(rest)? {
                b'/' if bytes.get(rest + 1) == Some(&b'/') => rest = line_end(text, rest),
                b'"' => {
                    let content = rest + 1..string_end(bytes, rest + 1);
                    rest = content.end + 1;
                    return Some(Piece::String(content));
                }
                // A character that would otherwise begin a string or a comment.
                b'\'' if matches!(bytes.get(rest + 1..rest + 3), Some([b'"' | b'/', b'\''])) => rest += 3,
                first if is_word(first) => {
                    let end = rest + bytes[rest..].iter().take_while(|byte| is_word(**byte)).count();
                    let word = &text[rest..end];
                    rest = end;
                    if !first.is_ascii_digit() {
                        return Some(Piece::Word(word, end));
                    }
                }
                _ => rest += 1,
            }
        }
    })
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |length| from + length)
}

/// The quote that ends the string whose content begins at `from`.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{strings, words};

    fn list(text: &str) -> Vec<&str> {
        words(text).map(|(word, _)| word).collect()
    }

    #[test]
    fn names_in_strings_and_comments_are_none() {
        let text = "constant! { A: B = 0x1F, \"C \\\" D\" cuda } // E\n/// F\nsymbol: c\"G\", H::I('\"', J)";
        assert_eq!(list(text), ["constant", "A", "B", "cuda", "symbol", "H", "I", "J"]);
    }

    #[test]
    fn strings_are_found_with_what_is_quoted_in_them() {
        let text = "A(\"b\", c\"\\\"d\ne\") // \"f\"";
        assert_eq!(strings(text).map(|range| &text[range]).collect::<Vec<_>>(), ["b", "\\\"d\ne"]);
    }

    #[test]
    fn a_text_that_ends_within_a_string_ends() {
        assert_eq!(list("A \"b"), ["A"]);
        assert_eq!(list("A \"b\\"), ["A"]);
        assert_eq!(list("A é_b"), ["A", "é_b"]);
    }
}
