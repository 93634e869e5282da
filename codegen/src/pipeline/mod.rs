//! The stages in their order, as functions without printing: what the command, build scripts and tests call.
//!
//! In: pins, the cache, and the repository's files. Out: models, findings, and the set of files that should be on the disk.

mod import;
mod locate;
mod outputs;
mod releases;
mod stats;

pub use import::{Decisions, Imported, Read, import};
pub use locate::{Cuda, Located, locate};
pub use outputs::{Difference, OutputError, Outputs};
pub use releases::{Release, read_all, read_release};
pub use stats::Stats;

use crate::{
    emit,
    finding::Findings,
    model::{Api, Model},
    snapshot,
};

/// What people decided.
pub const OVERLAY: &str = "spec/overlay.toml";

/// The sentences of doc comments that people read.
pub const REVIEWED: &str = "spec/reviewed.toml";

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

/// The snapshots of what was read.
#[must_use]
pub fn snapshots(imported: &Imported) -> Outputs {
    let mut outputs = Outputs::default();
    for (api, result) in &imported.apis {
        if let Ok(read) = result {
            outputs.push(snapshot_path(*api), snapshot::write(&read.model));
            outputs.push(lines_path(*api), snapshot::lines::write(&read.lines));
        }
    }
    outputs
}

/// The bindings of both APIs.
pub fn bindings(cuda: &Model, opencl: &Model) -> Result<Outputs, Findings> {
    let mut outputs = Outputs::default();
    for output in emit::outputs(cuda, opencl)? {
        outputs.push(output.path, output.text);
    }
    for api in Api::ALL {
        outputs.own(emit::folder(api), emit::MARK);
    }
    Ok(outputs)
}
