//! Where upstream declares or documents each symbol: apart from the snapshot, because nearly every line moves in every release.
//!
//! In: a range of lines for each symbol. Out: JSON, one symbol a line, sorted; and back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{layout, unreadable};
use crate::finding::{Document, Findings};

/// Lines of an upstream document, counted from 1, both included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The document's name: `cuda.h`, `xml/cl.xml`.
    pub document: String,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// The lines of each symbol. A leaf's symbol is its path: `CUmemorytype.CU_MEMORYTYPE_HOST`.
pub type BySymbol = BTreeMap<String, Lines>;

/// The text of `spec/lines/….json`.
#[must_use]
pub fn write(lines: &BySymbol) -> String {
    let mut text = String::from("{");
    let mut separator = "\n";
    for (symbol, lines) in lines {
        text.push_str(separator);
        text.push_str(&layout::line(symbol));
        text.push_str(": ");
        text.push_str(&layout::line(lines));
        separator = ",\n";
    }
    text.push_str("\n}\n");
    text
}

/// What `spec/lines/….json` holds.
pub fn read(document: &Document) -> Result<BySymbol, Findings> {
    serde_json::from_str(document.text()).map_err(|error| unreadable(document, &error))
}
