//! To what a comment belongs that the C parser does not attach: to what stands beside it.
//!
//! In: the declarations of one header and a comment. Out: the declaration that ends before it on its line; else the one that begins after it,
//! with nothing of weight between; else the next one in the declaration around it, or that one itself.

use super::{
    comments::SubjectKind,
    declarations::Declared,
    scan::{Marker, Raw},
};
use crate::finding::Document;

/// The declarations of one header, and its text without comments.
pub(super) struct Neighbours<'a> {
    /// By the start of their range.
    declared: Vec<&'a Declared>,
    /// The text, each comment overwritten with spaces (line ends kept), so that positions are those of the header.
    bare: Vec<u8>,
    /// The comments, by place.
    raws: &'a [Raw],
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(number: usize, document: &Document, raws: &'a [Raw], declared: &'a [Declared]) -> Self {
        let mut bare = document.text().as_bytes().to_vec();
        for raw in raws {
            for byte in &mut bare[raw.range.clone()] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        let mut here: Vec<_> = declared.iter().filter(|one| one.span.document == number).collect();
        here.sort_by_key(|one| (one.span.start, one.kind));
        Self { declared: here, bare, raws }
    }

    /// All declarations of the header.
    pub(super) fn declared(&self) -> &[&'a Declared] {
        &self.declared
    }

    /// What `raw` belongs to.
    pub(super) fn of(&self, raw: &Raw) -> Option<&'a Declared> {
        self.before(raw).or_else(|| self.after(raw)).or_else(|| self.around(raw))
    }

    /// The declaration that ends before the comment on its line; for one that says it is trailing, on any line.
    fn before(&self, raw: &Raw) -> Option<&'a Declared> {
        let last = self
            .declared
            .iter()
            .filter(|one| one.span.end <= raw.range.start)
            .max_by_key(|one| (one.span.end, std::cmp::Reverse(one.span.end - one.span.start)))?;
        let between = self.bare.get(last.span.end..raw.range.start)?;
        let near = raw.trailing || !between.contains(&b'\n');
        let light = between.iter().all(|byte| byte.is_ascii_whitespace() || b";,".contains(byte));
        (near && light).then_some(*last)
    }

    /// The declaration that begins after the comment. Between them a Doxygen comment may not stand, nor, for a plain one, an empty line.
    fn after(&self, raw: &Raw) -> Option<&'a Declared> {
        let next = self.declared.iter().find(|one| one.span.start >= raw.range.end)?;
        let doxygen = raw.marker == Marker::Doxygen;
        let between = std::str::from_utf8(self.bare.get(raw.range.end..next.span.start)?).ok()?;
        let mut lines: Vec<_> = between.split('\n').map(str::trim).collect();
        let last = lines.pop()?;
        let light = (last.is_empty() || last.split_whitespace().all(is_prefix))
            && lines.iter().enumerate().all(|(number, line)| match line.as_bytes().first() {
                None => doxygen || number == 0,
                Some(b'#') => doxygen,
                Some(_) => line.split_whitespace().all(is_prefix),
            });
        let covered = self.raws.iter().any(|other| {
            other.marker == Marker::Doxygen && other.range.start >= raw.range.end && other.range.end <= next.span.start
        });
        (light && !covered).then(|| self.described(next))
    }

    /// Of `typedef struct { … } name;` the struct.
    fn described(&self, next: &'a Declared) -> &'a Declared {
        let record =
            |one: &&&'a Declared| matches!(one.kind, SubjectKind::Record | SubjectKind::Enumeration) && next.span.holds(&one.span);
        if next.kind == SubjectKind::Typedef { self.declared.iter().find(record).map_or(next, |one| one) } else { next }
    }

    /// The declaration around the comment, or the next one in it. One that says it is trailing stands behind an opening brace.
    fn around(&self, raw: &Raw) -> Option<&'a Declared> {
        let around = self
            .declared
            .iter()
            .filter(|one| one.span.start <= raw.range.start && raw.range.end <= one.span.end)
            .min_by_key(|one| (one.span.end - one.span.start, one.kind))?;
        let inside = |one: &&&'a Declared| !raw.trailing && one.span.start >= raw.range.end && one.span.end <= around.span.end;
        Some(self.declared.iter().find(inside).map_or(*around, |one| *one))
    }
}

/// Whether a word may stand between a comment and the range of the declaration that it is for.
fn is_prefix(word: &str) -> bool {
    matches!(word, "#define" | "#" | "define" | "typedef" | "extern") || word.starts_with("__")
}
