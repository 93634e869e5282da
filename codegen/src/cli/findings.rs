//! Shows findings, each with the source line that it is about.
//!
//! In: [`Findings`]. Out: text for standard error, and a last line that counts them.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet, normalize_untrusted_str};
use clcu_codegen::finding::{Finding, Findings, Place, Severity};

use super::screen::{Screen, say};

/// Longer lines are shown in part: a document may be one line of megabytes.
const MOST_BEFORE: usize = 120;
const MOST_AFTER: usize = 160;
/// More findings of one kind than this help nobody; the rest is counted.
const MOST_WARNINGS: usize = 20;

/// Shows errors and warnings, and notes if everything is asked for, then `N errors, M warnings`.
pub(crate) fn show(screen: Screen, findings: &Findings) {
    let renderer = if screen.errors_coloured() { Renderer::styled() } else { Renderer::plain() };
    let count = |severity| findings.0.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut shown_warnings = 0;
    for finding in &findings.0 {
        let shown = match finding.severity {
            Severity::Error => true,
            Severity::Warning => {
                shown_warnings += 1;
                screen.verbose || (!screen.quiet && shown_warnings <= MOST_WARNINGS)
            }
            Severity::Note => screen.verbose,
        };
        if shown {
            say(&format!("{}\n", render(&renderer, finding)));
        }
    }
    if warnings > MOST_WARNINGS && !screen.verbose && !screen.quiet {
        say(&format!("… {} more warnings (--verbose shows them)", warnings - MOST_WARNINGS));
    }
    if errors > 0 || (warnings > 0 && !screen.quiet) {
        say(&format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")));
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn render(renderer: &Renderer, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(finding.what.as_str());
    let said = |level: Level<'static>, label: &str, text: &Option<String>| {
        text.as_ref().map(|text| level.message(format!("{label}{}", normalize_untrusted_str(text))))
    };
    let found = finding.found.as_ref().map(|found| format!("found {found}"));
    let mut group = match finding.place.as_ref().map(Excerpt::of) {
        Some(Excerpt { path, text, line, span, column }) => {
            let snippet = Snippet::source(text).line_start(line);
            let snippet = snippet.annotation(AnnotationKind::Primary.span(span).label(found));
            match column {
                None => title.element(snippet.path(path)),
                // The renderer would count the column from where the excerpt begins.
                Some(column) => title.element(Origin::path(path).line(line).char_column(column)).element(snippet),
            }
        }
        None => title.elements(said(Level::NOTE, "", &found)),
    };
    group = group.elements(said(Level::NOTE, "wanted ", &finding.wanted)).elements(said(Level::HELP, "", &finding.help));
    renderer.render(&[group])
}

/// The line of a place, or a part of it.
struct Excerpt {
    path: String,
    text: String,
    line: usize,
    /// The column in the whole line, where only a part of that is shown.
    column: Option<usize>,
    span: std::ops::Range<usize>,
}

impl Excerpt {
    fn of(place: &Place) -> Self {
        let (text, range) = (place.document().text(), place.range());
        let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
        let start = boundary(text, line_start.max(range.start.saturating_sub(MOST_BEFORE)));
        let end = boundary(text, line_end.min(range.start + MOST_AFTER));
        let span = range.start - start..range.end.clamp(range.start, end.max(range.start)) - start;
        let path = place.document().name().to_owned();
        let column = (start > line_start || end < line_end).then(|| place.column());
        Self { path, text: text[start..end].to_owned(), line: place.line(), column, span }
    }
}

/// The nearest place before `at` where a character begins.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use clcu_codegen::finding::Document;

    use super::*;

    fn rendered(text: &str, range: std::ops::Range<usize>) -> String {
        let place = Document::new("a.xml", text).place(range);
        render(&Renderer::plain(), &Finding::error("it is wrong").at(place).found("x").wanted("y").help("do z"))
    }

    #[test]
    fn a_finding_is_shown_with_its_line_and_column_and_all_that_it_says() {
        let text = rendered("one\ntwo x\nthree\n", 8..9);
        for part in ["error: it is wrong", "a.xml:2:5", "two x", "found x", "wanted y", "help: do z"] {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
        assert!(!text.contains("three"), "only the line itself\n{text}");
    }

    #[test]
    fn of_a_long_line_a_part_is_shown_under_the_column_of_the_whole() {
        let line = format!("{}x{}", "ä".repeat(5000), "b".repeat(5000));
        let text = rendered(&line, 10_000..10_001);
        assert!(text.contains("a.xml:1:5001") && text.contains("found x"), "{text}");
        assert!(text.len() < 2000, "{}", text.len());
    }

    #[test]
    fn places_at_the_very_end_and_over_many_lines_are_shown() {
        for (text, range) in [("", 0..0), ("a\n", 2..2), ("a\nb\nc\n", 0..5), ("ä", 2..2), ("a", 0..1)] {
            assert!(rendered(text, range.clone()).contains("it is wrong"), "{text:?} {range:?}");
        }
    }

    #[test]
    fn a_finding_without_a_place_says_what_was_found() {
        let text = render(&Renderer::plain(), &Finding::error("it is wrong").found("x"));
        assert!(text.contains("found x"), "{text}");
    }
}
