//! The stages in their order, as functions without printing: what the command, build scripts and tests call.
//!
//! In: pins, the cache, and the repository's files. Out: models, findings, and the set of files that should be on the disk.

mod import;
mod locate;
mod outputs;
mod pins;
mod releases;
mod stats;

pub use import::{Decisions, Imported, Read, Text, import};
pub use locate::{Cuda, Located, locate};
pub use outputs::{Difference, OutputError, Outputs};
pub use pins::{SOURCES, with_cuda, with_opencl};
pub use releases::{Release, read_all, read_release};
pub use stats::Stats;

use crate::{
    atlas, emit,
    finding::Findings,
    model::{Api, Model},
    parts::Texts,
    snapshot,
};

/// What people decided.
pub const OVERLAY: &str = "spec/overlay.toml";

/// The sentences of doc comments that people read.
pub const REVIEWED: &str = "spec/reviewed.toml";

/// Where the changelog fragments of updates are, until a release puts them into `CHANGELOG.md`.
pub const CHANGES: &str = "changes";

/// The snapshot of `api`.
#[must_use]
pub fn snapshot_path(api: Api) -> String {
    format!("spec/{}.json", api.name())
}

/// Where upstream declares what is in the snapshot of `api`.
#[must_use]
pub fn lines_path(api: Api) -> String {
    format!("spec/lines/{}.json", api.name())
}

/// Where the text of OpenCL's API has what it says about each symbol.
pub const TEXT_LINES: &str = "spec/lines/opencl-text.json";

/// How much of the text about `api` became rules.
#[must_use]
pub fn coverage_path(api: Api) -> String {
    format!("spec/coverage/{}.json", api.name())
}

/// The snapshots of what was read.
#[must_use]
pub fn snapshots(imported: &Imported) -> Outputs {
    let mut outputs = Outputs::default();
    for (api, result) in &imported.apis {
        if let Ok(read) = result {
            outputs.push(snapshot_path(*api), snapshot::write(&read.model));
            outputs.push(lines_path(*api), snapshot::lines::write(&read.lines));
            // What the text gives stays as it is where the text was not there.
            if let Some(text) = &read.text {
                outputs.push(coverage_path(*api), snapshot::coverage::write(&text.coverage));
                if *api == Api::OpenCl {
                    outputs.push(TEXT_LINES, snapshot::lines::write(&text.lines));
                }
            }
        }
    }
    outputs
}

/// The bindings of both APIs, the rows of the interface for other languages, and the pages that are made from the same tables.
pub fn bindings(cuda: &Model, opencl: &Model) -> Result<Outputs, Findings> {
    let mut outputs = Outputs::default();
    for output in emit::outputs(cuda, opencl)? {
        outputs.push(output.path, output.text);
    }
    let rows = emit::c_interface(cuda, opencl)?;
    outputs.push(rows.path, rows.text);
    for page in atlas::pages(cuda, opencl) {
        outputs.push(page.path, page.text);
    }
    for api in Api::ALL {
        outputs.own(emit::folder(api), emit::MARK);
    }
    outputs.own(emit::INDEXES, emit::MARK);
    Ok(outputs)
}

/// The text that parts of the two models are cut from.
pub fn texts(cuda: &Model, opencl: &Model) -> Result<Texts, Findings> {
    let outputs = emit::outputs(cuda, opencl)?.into_iter();
    Ok(Texts::shipped()
        .with_generated(outputs.map(|output| (output.path.trim_start_matches("generated/").to_owned(), output.text))))
}
