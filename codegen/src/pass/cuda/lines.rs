//! Where upstream says what: for `spec/lines/cuda.json`, apart from the snapshot because lines shift in every release.
//!
//! In: facts. Out: for each item of the model, and each member and enumerator that has a comment, the header and its lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::import::cuda::Facts;

/// The lines of one item: its comment and declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// `cuCtxCreate_v4`, or `CUresult::CUDA_ERROR_INVALID_VALUE`: the model's item, and the member or enumerator of it.
    pub symbol: String,
    /// The header: `cuda.h`.
    pub document: String,
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// The lines of everything, sorted by symbol. An item is placed by its comment, together with its declaration where that follows.
#[must_use]
pub fn lines(facts: &Facts) -> Vec<Lines> {
    let mut found: BTreeMap<String, Lines> = BTreeMap::new();
    let mut add = |symbol: String, document: &str, first: u32, last: u32| {
        let entry = found.entry(symbol.clone());
        let lines = entry.or_insert_with(|| Lines { symbol, document: document.to_owned(), first, last });
        if lines.document == document {
            (lines.first, lines.last) = (lines.first.min(first), lines.last.max(last));
        }
    };
    // Counting lines from the start of a header for each of its thousand items would take longer than reading it.
    let mut starts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (symbol, place) in declarations(facts) {
        let (name, text) = (place.document().name(), place.document().text());
        let starts = starts
            .entry(name.to_owned())
            .or_insert_with(|| std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect());
        let line = |at: usize| u32::try_from(starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
        add(symbol, name, line(place.range().start), line(place.range().end));
    }
    for comment in &facts.comments {
        let symbol = match &comment.member {
            Some(member) => format!("{}::{member}", comment.item),
            None => comment.item.clone(),
        };
        add(symbol, comment.document.name(), comment.lines.0, comment.lines.1);
    }
    found.into_values().collect()
}

/// Every item with its declaration. Members and enumerators are placed by their comments only: most have one.
fn declarations(facts: &Facts) -> Vec<(String, &crate::finding::Place)> {
    let functions = facts.functions.iter().map(|one| (one.symbol.clone(), &one.place));
    let records = facts.records.iter().map(|one| (one.name.clone(), &one.place));
    let enumerations = facts.enumerations.iter().map(|one| (one.name.clone(), &one.place));
    let typedefs = facts.typedefs.iter().filter_map(|one| Some((one.name.clone(), one.place.as_ref()?)));
    let macros = facts.macros.iter().map(|one| (one.name.clone(), &one.place));
    functions.chain(records).chain(enumerations).chain(typedefs).chain(macros).collect()
}
