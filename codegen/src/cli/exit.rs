//! How a command ends: the code that `--help` promises, and what there is to say about it.

use clcu_codegen::{
    fetch::{FetchError, Reach},
    finding::{Finding, Findings},
    pipeline::OutputError,
};

/// What a command ends with where it does not succeed. clap gives 2, for a wrong command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// `check` found a difference, or something was skipped that nobody has decided on.
    Different = 1,
    /// An input is wrong.
    Input = 3,
    /// Upstream is out of reach.
    OutOfReach = 4,
    /// The disk refused.
    Disk = 5,
    /// `diff` found changes of text and nothing else.
    Text = 10,
    /// `diff` found something new, and nothing that breaks.
    Adds = 11,
    /// `diff` found what breaks source.
    Source = 12,
    /// `diff` found what breaks the ABI.
    Abi = 13,
}

/// A command that did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// What is yet to be shown.
    pub(crate) findings: Findings,
}

impl Failure {
    pub(crate) fn new(exit: Exit, findings: impl Into<Findings>) -> Self {
        Self { exit, findings: findings.into() }
    }

    /// With the code for `path`'s disk where it refused, and that of a wrong input where a file is missing.
    pub(crate) fn unreadable(what: String, error: &std::io::Error, help: &str) -> Self {
        let exit = if error.kind() == std::io::ErrorKind::NotFound { Exit::Input } else { Exit::Disk };
        Self::new(exit, Finding::error(what).found(error.to_string()).help(help))
    }

    /// One failure of all of `errors`. What is wrong counts for more than what is out of reach: that is no network's fault.
    pub(crate) fn of<'a>(errors: impl IntoIterator<Item = &'a FetchError>) -> Option<Self> {
        let failures: Vec<_> = errors.into_iter().map(Self::from).collect();
        let exit = failures.iter().map(|failure| failure.exit).min_by_key(|exit| *exit == Exit::OutOfReach)?;
        Some(Self { exit, findings: Findings(failures.into_iter().flat_map(|failure| failure.findings.0).collect()) })
    }
}

impl From<Findings> for Failure {
    fn from(findings: Findings) -> Self {
        Self::new(Exit::Input, findings)
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        let exit = match error {
            OutputError::Io { .. } => Exit::Disk,
            OutputError::Stray { .. } => Exit::Input,
        };
        Self::new(exit, error.finding())
    }
}

impl From<&FetchError> for Failure {
    fn from(error: &FetchError) -> Self {
        let exit = match error.reach() {
            Reach::OutOfReach => Exit::OutOfReach,
            Reach::Wrong => Exit::Input,
            Reach::Disk => Exit::Disk,
        };
        Self::new(exit, error.finding())
    }
}
