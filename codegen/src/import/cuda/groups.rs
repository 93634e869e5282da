//! Doxygen's groups: which part of the documentation a place in a header belongs to.
//!
//! In: the comments of one header. Out: [`Groups`], which know the innermost group around a position, and a finding for each mark that has no
//! partner.

use super::scan::{Marker, Raw};
use crate::finding::{Document, Finding, Findings};

/// Where each group of a header begins and ends, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// From this position on, this is the innermost group.
    borders: Vec<(usize, Option<String>)>,
    /// The comment at this position defines or reopens this group.
    openings: Vec<(usize, String)>,
}

/// Whether a comment for Doxygen shapes the documentation instead of describing a declaration.
pub(super) fn is_structure(comment: &str) -> bool {
    names_group(comment).is_some() || ["\\file", "@{", "@}", "\\{", "\\}"].iter().any(|mark| comment.contains(mark))
}

/// The group that a comment defines or reopens.
fn names_group(comment: &str) -> Option<&str> {
    let rest = ["\\defgroup ", "\\addtogroup ", "@defgroup ", "@addtogroup "]
        .iter()
        .find_map(|command| Some(&comment[comment.find(command)? + command.len()..]))?;
    let name = rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').find(|word| !word.is_empty());
    name.filter(|_| rest.starts_with(|letter: char| letter != '\n'))
}

impl Groups {
    /// Reads the groups of `document`, whose comments are `raws`.
    pub(super) fn read(document: &Document, raws: &[Raw]) -> (Self, Findings) {
        let (mut groups, mut findings) = (Self::default(), Findings::default());
        let mut open: Vec<(Option<String>, usize)> = Vec::new();
        for raw in raws.iter().filter(|raw| raw.marker == Marker::Doxygen) {
            let comment = &document.text()[raw.range.clone()];
            let named = names_group(comment).map(str::to_owned);
            if let Some(name) = &named {
                groups.openings.push((raw.range.start, name.clone()));
            }
            if comment.contains("@{") {
                let inherited = open.last().and_then(|(name, _)| name.clone());
                open.push((named.or(inherited), raw.range.start));
            }
            if comment.contains("@}") && open.pop().is_none() {
                let place = document.place(raw.range.clone());
                findings.push(Finding::warning("a group of the documentation ends that never began").at(place));
            }
            groups.borders.push((raw.range.end, open.last().and_then(|(name, _)| name.clone())));
        }
        for (_, start) in open {
            let place = document.place(start..start);
            findings.push(Finding::warning("a group of the documentation does not end").at(place));
        }
        (groups, findings)
    }

    /// The innermost group around `position`.
    pub(super) fn at(&self, position: usize) -> Option<&str> {
        let next = self.borders.partition_point(|(start, _)| *start <= position);
        self.borders[..next].last()?.1.as_deref()
    }

    /// The group that the comment at `position` defines or reopens.
    pub(super) fn opened_by(&self, position: usize) -> Option<&str> {
        self.openings.iter().find(|(start, _)| *start == position).map(|(_, name)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Groups, is_structure};
    use crate::{finding::Document, import::cuda::scan::scan};

    fn groups(text: &str) -> (Groups, Vec<String>) {
        let document = Document::new("a.h", text);
        let (groups, findings) = Groups::read(&document, &scan(text));
        (groups, findings.0.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_position_belongs_to_the_innermost_group() {
        let text = "/** \\defgroup A one\n * @{ */\na\n/** \\addtogroup B\n * @{ */\nb\n/** @} */\nc\n/** @} */\nd";
        let (groups, findings) = groups(text);
        assert!(findings.is_empty(), "{findings:?}");
        let group = |letter: &str| groups.at(text.find(&format!("\n{letter}")).unwrap() + 1);
        assert_eq!([group("a"), group("b"), group("c"), group("d")], [Some("A"), Some("B"), Some("A"), None]);
        assert_eq!(groups.opened_by(0), Some("A"));
    }

    #[test]
    fn marks_without_a_partner_are_reported_with_their_place() {
        let (_, findings) = groups("/** @} */\n/** \\defgroup A\n@{ */");
        assert_eq!(
            findings,
            ["a.h:1:1: a group of the documentation ends that never began", "a.h:2:1: a group of the documentation does not end"]
        );
    }

    #[test]
    fn a_description_is_no_structure() {
        assert!(is_structure("/** \\file a.h */"));
        assert!(!is_structure("/** \\brief Takes the group's lock */"));
    }
}
