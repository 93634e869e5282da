//! A diff as people read it.
//!
//! In: a [`Diff`]. Out: lines for a terminal, or Markdown for a changelog. JSON is what serde makes of it.

use std::fmt::Write as _;

use super::{Change, Diff, Grade, What};

impl Diff {
    /// A line for each change under the heading of its grade.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{} {} to {}\n", self.api, self.from, self.to);
        if self.changes.is_empty() {
            text.push_str("  nothing changed\n");
        }
        // Writing to a `String` does not fail.
        for (grade, changes) in self.by_grade() {
            let _ = writeln!(text, "\n{} ({})", grade.heading(), changes.len());
            for change in changes {
                let _ = writeln!(text, "  {:10} {} {}", change.word(), change.kind.name(), plain(change));
            }
        }
        text
    }

    /// A section for a changelog: a heading for each grade, a list item for each change; what only says something is counted.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = format!("### {} {} to {}\n", self.api, self.from, self.to);
        if self.changes.is_empty() {
            text.push_str("\nNothing changed.\n");
        }
        for (grade, changes) in self.by_grade() {
            let _ = writeln!(text, "\n#### {}\n", grade.heading());
            if grade == Grade::Text {
                let _ = writeln!(text, "- {} in descriptions", counted(changes.len(), "change"));
                continue;
            }
            for change in changes {
                let _ = writeln!(text, "- {}", markdown(change));
            }
        }
        text
    }

    fn by_grade(&self) -> Vec<(Grade, Vec<&Change>)> {
        let of = |grade| self.changes.iter().filter(|change| change.grade == grade).collect::<Vec<_>>();
        Grade::ALL.into_iter().map(|grade| (grade, of(grade))).filter(|(_, changes)| !changes.is_empty()).collect()
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `CUa.B: value 1 -> 2`.
fn plain(change: &Change) -> String {
    let name = change.name();
    match &change.what {
        What::Added | What::Removed => name,
        What::Renamed { to } => format!("{name} -> {to}"),
        What::Changed { aspect, was, is } => format!("{name}: {aspect} {} -> {}", or_none(was), or_none(is)),
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}

fn markdown(change: &Change) -> String {
    let (kind, name) = (change.kind.name(), change.name());
    let quoted = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("`{text}`") };
    match &change.what {
        What::Added => format!("added {kind} `{name}`"),
        What::Removed => format!("removed {kind} `{name}`"),
        What::Renamed { to } => format!("renamed {kind} `{name}` to `{to}`"),
        What::Changed { aspect, was, is } => {
            format!("{} {kind} `{name}`: {aspect} {} to {}", change.word(), quoted(was), quoted(is))
        }
    }
}
