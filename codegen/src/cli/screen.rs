//! Where the command prints, and whether in colour. A reader that goes away (`clcu stats | head`) is no error.

use std::io::{self, IsTerminal, Write};

use similar::{ChangeTag, TextDiff};

use super::arguments::Color;
use clcu_codegen::{explain::terminal::Style, pipeline::Difference};

/// Columns where nobody says how many there are: a file, or a program that reads.
const USUAL_WIDTH: usize = 100;

/// Lines of a diff of one file that are shown unless everything is asked for.
const DIFF_LINES: usize = 60;

/// Writes a line to standard error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes `text` to standard output as it is.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// How much is said, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    color: Color,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

impl Screen {
    pub(crate) fn new(color: Color, quiet: bool, verbose: bool) -> Self {
        Self { color, quiet, verbose }
    }

    fn coloured(self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                terminal && !no_color && !dumb
            }
        }
    }

    /// Whether standard error is in colour.
    pub(crate) fn errors_coloured(self) -> bool {
        self.coloured(io::stderr().is_terminal())
    }

    /// How standard output is: its width, which `COLUMNS` may say, and whether it is in colour.
    pub(crate) fn style(self) -> Style {
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
        let measured = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        Style { width: said.or_else(measured).unwrap_or(USUAL_WIDTH), colour: self.coloured(io::stdout().is_terminal()) }
    }

    /// Writes a line of the report, unless only errors are wanted.
    pub(crate) fn report(self, text: &str) {
        if !self.quiet {
            print(&format!("{text}\n"));
        }
    }

    /// Writes a line beside the report, so that the report alone can be read by a program.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            say(&format!("note: {text}"));
        }
    }

    /// Writes the unified diff of one file.
    pub(crate) fn diff(self, difference: &Difference) {
        let (old, new) = (difference.old.as_deref().unwrap_or_default(), difference.new.as_deref().unwrap_or_default());
        let name = |there: bool, side: &str| if there { format!("{side}/{}", difference.path) } else { "/dev/null".to_owned() };
        let coloured = self.coloured(io::stdout().is_terminal());
        let paint = |code: &str, line: &str| if coloured { format!("\x1b[{code}m{line}\x1b[0m") } else { line.to_owned() };
        let mut lines = vec![
            paint("1", &format!("--- {}", name(difference.old.is_some(), "a"))),
            paint("1", &format!("+++ {}", name(difference.new.is_some(), "b"))),
        ];
        let diff = TextDiff::from_lines(old, new);
        for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
            lines.push(paint("36", &hunk.header().to_string()));
            for change in hunk.iter_changes() {
                let line = change.value().trim_end_matches(['\n', '\r']);
                lines.push(match change.tag() {
                    ChangeTag::Equal => format!(" {line}"),
                    ChangeTag::Insert => paint("32", &format!("+{line}")),
                    ChangeTag::Delete => paint("31", &format!("-{line}")),
                });
            }
        }
        let hidden = if self.verbose { 0 } else { lines.len().saturating_sub(DIFF_LINES) };
        lines.truncate(lines.len() - hidden);
        if hidden > 0 {
            lines.push(format!("… {hidden} more lines (--verbose shows them)"));
        }
        print(&format!("{}\n", lines.join("\n")));
    }
}
