//! `clcu check`: shows how the committed files differ from what they are made of, and writes nothing.

use clcu_codegen::{finding::Findings, pipeline};

use super::{
    arguments::{Reading, Upstream},
    exit::{Exit, Failure},
    findings::counted,
    session::Session,
    upstream,
};

pub(crate) fn run(session: &Session, against_upstream: bool, from: &Upstream, reading: Reading) -> Result<(), Failure> {
    let screen = session.screen;
    let bindings = session.bindings()?;
    let mut differences = bindings.differences(&session.root)?;
    let mut compared = bindings.len();
    let mut failure = None;
    if against_upstream {
        let imported = upstream::read_with_history(session, from, reading)?;
        let snapshots = pipeline::snapshots(&imported);
        differences.extend(snapshots.differences(&session.root)?);
        compared += snapshots.len();
        upstream::report(session, &imported);
        failure = upstream::undecided(session, &imported, reading).err().or_else(|| upstream::out_of_reach(&imported));
    }
    for difference in &differences {
        screen.diff(difference);
    }
    if differences.is_empty() {
        screen.report(&format!("nothing differs: {} compared", counted(compared, "file")));
        return failure.map_or(Ok(()), Err);
    }
    let advice = if against_upstream { "clcu update" } else { "clcu generate" };
    screen.report(&format!("{} of {} differ: `{advice}` writes what should be (+)", differences.len(), counted(compared, "file")));
    Err(Failure::new(Exit::Different, Findings::default()))
}
