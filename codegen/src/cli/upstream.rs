//! What `update`, `import` and `check --upstream` have in common: upstream read, as far as it is in reach.

use clcu_codegen::{
    fetch::{FetchError, Reach},
    finding::Strictness,
    pass::merge,
    pipeline::{self, Imported},
};

use super::{
    arguments::{Reading, Upstream},
    exit::{Exit, Failure},
    findings::{self, counted},
    session::Session,
};

/// Locates and reads upstream, and shows what was found. What is wrong ends the command, what is out of reach does not.
pub(crate) fn read(session: &Session, upstream: &Upstream, reading: Reading) -> Result<Imported, Failure> {
    let located = session.locate(upstream)?;
    let failed = [located.cuda.as_ref().err(), located.opencl.as_ref().err()];
    let wrong = failed.into_iter().flatten().filter(|error| error.reach() != Reach::OutOfReach);
    if let Some(failure) = Failure::of(wrong) {
        return Err(failure);
    }
    let overlay = session.document(pipeline::OVERLAY)?;
    let reviewed = session.document(pipeline::REVIEWED)?;
    let mut imported = pipeline::import(located, &overlay, &reviewed, strictness(reading))?;
    for (api, result) in &mut imported.apis {
        // A snapshot that is not there has nothing to keep; one that cannot be read might, and ends the command.
        if let Ok(read) = result
            && read.text.is_none()
            && session.root.join(pipeline::snapshot_path(*api)).exists()
        {
            read.keep_rules(&session.snapshot(*api)?);
        }
    }
    findings::show(session.screen, &imported.findings);
    Ok(imported)
}

/// The same, with what the snapshots know of older releases.
pub(crate) fn read_with_history(session: &Session, upstream: &Upstream, reading: Reading) -> Result<Imported, Failure> {
    let mut imported = read(session, upstream, reading)?;
    for (api, result) in &mut imported.apis {
        // A snapshot that cannot be read is about to be replaced, and has no history to keep.
        if let (Ok(read), Ok(snapshot)) = (result, session.snapshot(*api)) {
            read.model = merge::onto(&snapshot, read.model.clone())?;
        }
    }
    Ok(imported)
}

pub(crate) const fn strictness(reading: Reading) -> Strictness {
    if reading.lenient { Strictness::Lenient } else { Strictness::Strict }
}

/// What kept the APIs from being read that were not.
pub(crate) fn out_of_reach(imported: &Imported) -> Option<Failure> {
    Failure::of(imported.apis.iter().filter_map(|(_, result)| result.as_ref().err()))
}

/// Says for each API whether it was read, and which release.
pub(crate) fn report(session: &Session, imported: &Imported) {
    for (api, result) in &imported.apis {
        let line = match result {
            Ok(read) => format!("{api}: {}", releases(&read.model.releases)),
            Err(error) => format!("{api}: kept as the snapshot has it, because upstream is out of reach ({})", reason(error)),
        };
        session.screen.report(&line);
    }
}

/// `read 13.5.37`, or `read 13.5.37, known since 11.7.99`.
fn releases(all: &[String]) -> String {
    match all {
        [] => "nothing read".to_owned(),
        [only] => format!("read {only}"),
        [first, .., last] => format!("read {last}, with the history of {} since {first}", counted(all.len(), "release")),
    }
}

/// The error without its advice, on a line of a report.
fn reason(error: &FetchError) -> String {
    let finding = error.finding();
    finding.found.map_or(finding.what.clone(), |found| format!("{}: {found}", finding.what))
}

/// Lists what upstream has and nobody has decided on; an error if the user does not want to have any.
pub(crate) fn undecided(session: &Session, imported: &Imported, reading: Reading) -> Result<(), Failure> {
    let undecided = imported.undecided();
    let screen = session.screen;
    match undecided.as_slice() {
        [] => screen.report("undecided: nothing"),
        all => {
            screen.report(&format!("undecided: {}", counted(all.len(), "item")));
            let shown = if screen.verbose || reading.deny_skipped { all.len() } else { all.len().min(20) };
            for line in &all[..shown] {
                screen.report(&format!("  {line}"));
            }
            if shown < all.len() {
                screen.report(&format!("  … {} more (--verbose shows them)", all.len() - shown));
            }
        }
    }
    if reading.deny_skipped && !undecided.is_empty() {
        Err(Failure::new(Exit::Different, clcu_codegen::finding::Findings::default()))
    } else {
        Ok(())
    }
}
