//! Where each item is declared. Kept apart from the model, because lines shift in every release.

use crate::import::opencl::registry::{Registry, Span};

/// Each symbol with the first and last line of its declaration, sorted by symbol.
#[must_use]
pub fn lines(registry: &Registry) -> Vec<(String, u32, u32)> {
    let starts: Vec<usize> = std::iter::once(0).chain(registry.document.text().match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: usize| u32::try_from(starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
    let entry = |(name, span): (&String, &Span)| (name.clone(), line(span.start), line(span.end.saturating_sub(1).max(span.start)));
    let types = registry.types.iter().map(|item| (&item.name, &item.span));
    let values = registry.blocks.iter().flat_map(|block| &block.entries).map(|item| (&item.name, &item.span));
    let commands = registry.commands.iter().map(|item| (&item.name, &item.span));
    let features = registry.features.iter().map(|item| (&item.name, &item.span));
    let extensions = registry.extensions.iter().map(|item| (&item.name, &item.span));
    let mut lines: Vec<_> = types.chain(values).chain(commands).chain(features).chain(extensions).map(entry).collect();
    lines.sort();
    lines
}
