//! `clcu update`, `import` and `generate`: the commands that write. What changes a snapshot leaves a changelog fragment.

use clcu_codegen::{
    fetch::FetchError,
    model::Api,
    pipeline::{self, Difference, Imported, Outputs, Read},
};

use super::{
    arguments::{OpenClReleases, Reading, Upstream},
    exit::Failure,
    findings::counted,
    fragment, releases,
    session::Session,
    upstream,
};

/// Everything: snapshots of what is in reach, and bindings of both APIs.
pub(crate) fn update(session: &Session, from: &Upstream, reading: Reading) -> Result<(), Failure> {
    let imported = upstream::read_with_history(session, from, reading)?;
    write_all(session, &imported, reading, Outputs::default())
}

/// Everything, from every release: what is out of reach ends the command, because history cannot be written in part.
pub(crate) fn update_all(session: &Session, from: &Upstream, opencl: &OpenClReleases, reading: Reading) -> Result<(), Failure> {
    let imported = releases::read_all(session, from, opencl, reading)?;
    write_all(session, &imported, reading, Outputs::default())
}

/// Writes snapshots, bindings and fragments of what was read, and `more`.
pub(crate) fn write_all(session: &Session, imported: &Imported, reading: Reading, more: Outputs) -> Result<(), Failure> {
    let mut outputs = pipeline::snapshots(imported);
    outputs.extend(more);
    let model = |(api, result): &(Api, Result<Read, FetchError>)| match result {
        Ok(read) => Ok(read.model.clone()),
        Err(_) => session.snapshot(*api),
    };
    let [cuda, opencl] = imported.apis.each_ref().map(model);
    outputs.extend(fragment::fragments(session, imported)?);
    outputs.extend(pipeline::bindings(&cuda?, &opencl?)?);
    write(session, imported, reading, &outputs)
}

/// Snapshots of what is in reach.
pub(crate) fn import(session: &Session, from: &Upstream, reading: Reading) -> Result<(), Failure> {
    let imported = upstream::read_with_history(session, from, reading)?;
    if imported.apis.iter().all(|(_, result)| result.is_err())
        && let Some(failure) = upstream::out_of_reach(&imported)
    {
        return Err(failure);
    }
    let mut outputs = pipeline::snapshots(&imported);
    outputs.extend(fragment::fragments(session, &imported)?);
    write(session, &imported, reading, &outputs)
}

fn write(session: &Session, imported: &Imported, reading: Reading, outputs: &Outputs) -> Result<(), Failure> {
    upstream::report(session, imported);
    upstream::undecided(session, imported, reading)?;
    let written = outputs.write(&session.root)?;
    report(session, outputs, &written);
    Ok(())
}

/// Bindings from the snapshots.
pub(crate) fn generate(session: &Session) -> Result<(), Failure> {
    let outputs = session.bindings()?;
    let written = outputs.write(&session.root)?;
    report(session, &outputs, &written);
    Ok(())
}

/// Which files were written, and by how many lines they changed.
fn report(session: &Session, outputs: &Outputs, written: &[Difference]) {
    let screen = session.screen;
    if written.is_empty() {
        screen.report(&format!("nothing changed: all {} are as they were", counted(outputs.len(), "file")));
        return;
    }
    screen.report(&format!("changed: {} of {}", written.len(), counted(outputs.len(), "file")));
    let width = written.iter().map(|difference| difference.path.len()).max().unwrap_or_default();
    for difference in written {
        let (added, removed) = difference.lines();
        let what = match (&difference.old, &difference.new) {
            (None, _) => " (new)",
            (_, None) => " (removed)",
            _ => "",
        };
        screen.report(&format!("  {:width$}  +{added} -{removed}{what}", difference.path));
    }
}
