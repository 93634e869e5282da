//! How many items of each kind a model has.
//!
//! In: a model. Out: numbers, for people and, as JSON, for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Model, RecordKind};

/// The counts of one API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// The releases that were read.
    pub releases: Vec<String>,
    /// Items by kind: `commands`, `parameters`, `enumerations`, …
    pub items: BTreeMap<&'static str, usize>,
    /// Of these, what only Windows declares, where anything is.
    pub windows_only: BTreeMap<&'static str, usize>,
    /// Commands by the header that declares them.
    pub commands_by_header: BTreeMap<String, usize>,
}

impl Stats {
    /// The counts of `model`.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let of_kind = |kind| model.records.iter().filter(|record| record.kind == kind).count();
        let items = BTreeMap::from([
            ("constants", model.constants.len()),
            ("enumerations", model.enumerations.len()),
            ("enumerators", model.enumerations.iter().map(|item| item.enumerators.len()).sum()),
            ("aliases", model.aliases.len()),
            ("handles", model.handles.len()),
            ("structs", of_kind(RecordKind::Struct)),
            ("unions", of_kind(RecordKind::Union)),
            ("members", model.records.iter().map(|item| item.members.len()).sum()),
            ("callbacks", model.callbacks.len()),
            ("commands", model.commands.len()),
            ("parameters", model.commands.iter().map(|item| item.parameters.len()).sum()),
            ("features", model.features.len()),
            ("extensions", model.extensions.len()),
            ("macro_functions", model.macro_functions.len()),
            ("omitted", model.omitted.len()),
        ]);
        let windows_only = BTreeMap::from([
            ("constants", model.constants.iter().filter(|item| item.windows).count()),
            ("enumerations", model.enumerations.iter().filter(|item| item.windows).count()),
            ("aliases", model.aliases.iter().filter(|item| item.windows).count()),
            ("handles", model.handles.iter().filter(|item| item.windows).count()),
            ("records", model.records.iter().filter(|item| item.windows).count()),
            ("commands", model.commands.iter().filter(|item| item.windows).count()),
        ]);
        let mut commands_by_header = BTreeMap::new();
        for header in model.commands.iter().filter_map(|command| command.header.clone()) {
            *commands_by_header.entry(header).or_default() += 1;
        }
        let windows_only = windows_only.into_iter().filter(|(_, count)| *count > 0).collect();
        Self { releases: model.releases.clone(), items, windows_only, commands_by_header }
    }
}
