//! The command line: reads arguments, calls the stages of [`clcu_codegen::pipeline`], and says what came of it.
//!
//! Reports go to standard output; findings and progress to standard error.

mod arguments;
mod check;
mod coverage;
mod diff;
mod drift;
mod exit;
mod explain;
mod fetch;
mod findings;
mod fragment;
mod part;
mod progress;
mod releases;
mod screen;
mod session;
mod stats;
mod update;
mod upstream;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use exit::Failure;
use session::Session;

/// Runs the command.
pub(crate) fn main() -> ExitCode {
    let Arguments { command, general } = Arguments::parse();
    let screen = screen::Screen::new(general.color, general.quiet, general.verbose);
    let result = match command {
        // The one command that needs no checkout.
        Command::Generate { only } if only.out.is_some() => part::run(&general, screen, &only),
        command => Session::open(&general, screen).and_then(|session| run(session, command)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            findings::show(screen, &failure.findings);
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// Runs what needs a checkout.
fn run(session: Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Update { history, upstream, reading } if history.all_releases => {
            update::update_all(&session, &upstream, &history.opencl, reading)
        }
        Command::Update { upstream, reading, .. } => update::update(&session, &upstream, reading),
        Command::Diff { old, new, json, markdown, upstream, releases, reading } => {
            diff::run(&session, &diff::Request { old, new, json, markdown, upstream, releases, reading })
        }
        Command::Drift { upstream, reading } => drift::run(session, &upstream, reading),
        Command::Fetch { upstream } => fetch::run(&session, &upstream),
        Command::Import { upstream, reading } => update::import(&session, &upstream, reading),
        Command::Generate { .. } => update::generate(&session),
        Command::Check { against_upstream, upstream, reading } => check::run(&session, against_upstream, &upstream, reading),
        Command::Stats { json } => stats::run(&session, json),
        Command::Coverage { json } => coverage::run(&session, json),
        Command::Explain { name, json, markdown } => explain::run(&session, &name, explain::Form::of(json, markdown)),
    }
}
