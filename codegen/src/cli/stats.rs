//! `clcu stats`: counts of what the snapshots hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use clcu_codegen::pipeline::Stats;

use super::{exit::Failure, screen::print, session::Session};

pub(crate) fn run(session: &Session, json: bool) -> Result<(), Failure> {
    let models = session.snapshots()?;
    let stats: BTreeMap<&str, Stats> = models.iter().map(|model| (model.api.name(), Stats::of(model))).collect();
    if json {
        // Maps of numbers and texts: there is nothing in them that JSON could not hold.
        let text = serde_json::to_string_pretty(&stats).unwrap_or_default();
        print(&format!("{text}\n"));
    } else {
        print(&table(&stats));
    }
    Ok(())
}

/// A line for each kind, a column for each API.
fn table(stats: &BTreeMap<&str, Stats>) -> String {
    let mut text = String::new();
    let mut row = |label: &str, cells: Vec<String>| {
        let cells: String = cells.iter().fold(String::new(), |line, cell| line + &format!("{cell:>16}"));
        let _ = writeln!(text, "{}", format!("{label:34}{cells}").trim_end());
    };
    row("", stats.keys().map(ToString::to_string).collect());
    row("releases", stats.values().map(|api| api.releases.last().cloned().unwrap_or_default()).collect());
    let kinds: BTreeSet<&str> = stats.values().flat_map(|api| api.items.keys().copied()).collect();
    for kind in kinds {
        row(kind, stats.values().map(|api| api.items.get(kind).copied().unwrap_or_default().to_string()).collect());
    }
    let windows: BTreeSet<&str> = stats.values().flat_map(|api| api.windows_only.keys().copied()).collect();
    for kind in windows {
        let label = format!("  Windows only: {kind}");
        row(&label, stats.values().map(|api| api.windows_only.get(kind).copied().unwrap_or_default().to_string()).collect());
    }
    let headers: BTreeSet<&String> = stats.values().flat_map(|api| api.commands_by_header.keys()).collect();
    for header in headers {
        let label = format!("  commands of {header}");
        row(
            &label,
            stats.values().map(|api| api.commands_by_header.get(header).copied().unwrap_or_default().to_string()).collect(),
        );
    }
    text
}
