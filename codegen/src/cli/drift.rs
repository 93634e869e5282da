//! `clcu drift`: what upstream has newer than the pins, written as files that are ready to be committed.
//!
//! In: the newest release of each API, from upstream or from the directories that the user names. Out: moved pins, snapshots, bindings and changelog
//! fragments, all of them or none; the exit code is the grade of the change, as for `diff`.

use std::path::PathBuf;

use clcu_codegen::{
    diff::Diff,
    fetch::{self, FetchError, OpenClState},
    finding::Finding,
    pipeline::{self, Outputs},
};

use super::{
    arguments::{Reading, Upstream},
    diff,
    exit::{Exit, Failure},
    fragment,
    session::{Session, overrides},
    update, upstream,
};

pub(crate) fn run(session: Session, from: &Upstream, reading: Reading) -> Result<(), Failure> {
    if let Some(name) = &from.cuda {
        let finding =
            Finding::error("`drift` looks for the newest release, and takes none by name").found(format!("--cuda {name}"));
        return Err(Failure::new(Exit::Input, finding.help("leave it out, or name a directory of headers with --cuda-include")));
    }
    let before = session.document(pipeline::SOURCES)?.text().to_owned();
    let (cuda, opencl) = (newest_cuda(&session, from)?, newest_opencl(&session, from)?);
    for (api, said) in [("CUDA", &cuda.said), ("OpenCL", &opencl.said)] {
        session.screen.report(&format!("{api}: {said}"));
    }
    if !(cuda.newer || opencl.newer) {
        return Ok(());
    }
    let mut pins = before.clone();
    if let Some(pin) = &cuda.pin {
        pins = pipeline::with_cuda(&pins, pin)?;
    }
    if let Some(pin) = &opencl.pin {
        pins = pipeline::with_opencl(&pins, pin)?;
    }
    let session = session.with_pins(&pins)?;
    let imported = upstream::read_with_history(&session, from, reading)?;
    if let Some(failure) = upstream::out_of_reach(&imported) {
        // Half of a drift would pass for all of it.
        return Err(failure);
    }
    let diffs: Vec<Diff> = fragment::diffs(&session, &imported);
    let grade = diffs.iter().filter_map(Diff::grade).max();
    if grade.is_none() && !cuda.newer {
        session.screen.report("OpenCL: nothing of it is in the bindings, so that the pin stays");
        return Ok(());
    }
    let mut outputs = Outputs::default();
    if pins != before {
        outputs.push(pipeline::SOURCES, pins);
    }
    update::write_all(&session, &imported, reading, outputs)?;
    for diff in &diffs {
        session.screen.report(&diff.to_text());
    }
    diff::outcome(grade)
}

/// What there is of an API.
struct Newest<P> {
    newer: bool,
    /// The pin that has to move, where one can be written.
    pin: Option<P>,
    said: String,
}

fn nothing<P>(pinned: &str) -> Newest<P> {
    Newest { newer: false, pin: None, said: format!("nothing newer than {pinned}") }
}

fn newest_cuda(session: &Session, from: &Upstream) -> Result<Newest<fetch::CudaPin>, Failure> {
    let pinned = session.release(None)?.release.clone();
    let failed = |error: FetchError| Failure::from(&error);
    if let Some(include) = overrides(from).cuda_include {
        let headers = session.cuda(from, session.release(None)?, Some(&include)).map_err(failed)?.headers;
        if headers.release == pinned {
            return Ok(nothing(&pinned));
        }
        let said = format!("{} in {}, whose package is not known: its pin is yours to write", headers.release, include.display());
        return Ok(Newest { newer: true, pin: None, said });
    }
    let found = session.newest_cuda().map_err(failed)?;
    Ok(found.map_or_else(
        || nothing(&pinned),
        |pin| Newest { newer: true, said: format!("{} after {pinned}", pin.release), pin: Some(pin) },
    ))
}

fn newest_opencl(session: &Session, from: &Upstream) -> Result<Newest<OpenClState>, Failure> {
    let pinned = session.opencl_commit().to_owned();
    let failed = |error: FetchError| Failure::from(&error);
    let directory: Option<PathBuf> = overrides(from).opencl_docs;
    let found = match &directory {
        None => session.newest_opencl().map_err(failed)?.map(|state| (Some(state.commit), state.sha256)),
        Some(directory) => session.opencl_state(directory).map_err(failed)?,
    };
    Ok(match found {
        None => nothing(&pinned),
        Some((Some(commit), sha256)) => {
            let said = format!("{commit} after {pinned}");
            Newest { newer: true, pin: Some(OpenClState { commit, sha256 }), said }
        }
        Some((None, sha256)) => {
            let state = sha256.get(..8).unwrap_or(&sha256);
            let said = format!("a registry {state} that is no checkout of a commit: its pin is yours to write");
            Newest { newer: true, pin: None, said }
        }
    })
}
