//! Why an input could not be had, and what to do about it.
//!
//! In: what failed. Out: a [`Finding`] in the words of everything else, and how far upstream is out of reach, which decides whether the
//! snapshot can stand in for it: a missing network is no reason to stop, a wrong hash is.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use crate::finding::Finding;

/// What a failure says about upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Upstream is out of reach from here: the snapshot stands in for it.
    OutOfReach,
    /// Upstream, or what stands in for it, is there and is not what was pinned or asked for.
    Wrong,
    /// This machine's disk refused something.
    Disk,
}

/// Why an input could not be had.
#[derive(Debug)]
pub enum FetchError {
    /// No program on `PATH` is a working pip.
    NoPip {
        /// What was to be downloaded.
        what: String,
        /// The commands that were tried, with the reason why each is none.
        tried: Vec<String>,
    },
    /// pip or git failed.
    Program {
        /// What was to be downloaded.
        what: String,
        /// The command.
        command: String,
        /// The lines of its output that say why.
        output: String,
    },
    /// pip or git did nothing for a long time and was ended.
    Stalled {
        /// What was to be downloaded.
        what: String,
        /// The command.
        command: String,
        /// For how long nothing came.
        seconds: u64,
    },
    /// git is not installed.
    NoGit {
        /// What was to be downloaded.
        what: String,
    },
    /// There is no pinned libclang for this system.
    NoHost,
    /// The file is not the one that was pinned.
    Hash {
        /// Which file.
        what: String,
        /// Its SHA-256, or whatever pip says of it.
        found: String,
        /// The pinned one.
        wanted: String,
    },
    /// The download ended early.
    Short {
        /// Which file.
        what: String,
        /// Its size.
        found: u64,
        /// The pinned size.
        wanted: u64,
    },
    /// The archive has the pinned hash and yet cannot be read, or lacks what was wanted from it.
    Archive {
        /// Which archive.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or directory that the user named is not what it should be.
    Input {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What it should be.
        wanted: String,
    },
    /// The disk refused.
    Io {
        /// What was being done, as in "cannot create".
        doing: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl FetchError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// What it says about upstream.
    #[must_use]
    pub fn reach(&self) -> Reach {
        match self {
            Self::NoPip { .. } | Self::Program { .. } | Self::Stalled { .. } | Self::NoGit { .. } | Self::NoHost => {
                Reach::OutOfReach
            }
            Self::Hash { .. } | Self::Short { .. } | Self::Archive { .. } | Self::Input { .. } => Reach::Wrong,
            Self::Io { .. } => Reach::Disk,
        }
    }

    /// The same in the words of everything else.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let instead = "or name files that you have: --cuda-include DIR with --libclang FILE, --opencl-docs DIR";
        match self {
            Self::NoPip { what, tried } => Finding::error(format!("cannot download {what}: no working pip is on PATH"))
                .found(tried.join("; "))
                .wanted("one of `python3 -m pip`, `python -m pip`, `pip3`, `pip`")
                .help(format!("install Python with pip (python3-pip on Debian), {instead}")),
            Self::Program { what, command, output } => Finding::error(format!("cannot download {what}: `{command}` failed"))
                .found(output.clone())
                .help(format!("see whether the network and the configuration of that program are right, {instead}")),
            Self::Stalled { what, command, seconds } => Finding::error(format!("cannot download {what}: `{command}` was ended"))
                .found(format!("nothing for {seconds} seconds"))
                .help(format!("see whether the network is right, {instead}")),
            Self::NoGit { what } => Finding::error(format!("cannot download {what}: git is not on PATH"))
                .help("install git, or name a directory laid out like the repository: --opencl-docs DIR"),
            Self::NoHost => Finding::error("no libclang is pinned for this system")
                .found(format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH))
                .help("name one of that release with --libclang FILE, or add its wheel to spec/sources.toml"),
            Self::Hash { what, found, wanted } => Finding::error(format!("{what} is not the file that was pinned"))
                .found(format!("SHA-256 {found}"))
                .wanted(format!("SHA-256 {wanted}"))
                .help(
                    "nothing was unpacked; if a proxy or mirror serves another file, bypass it; if upstream really \
                     replaced the file, look at what changed and pin the new hash in spec/sources.toml",
                ),
            Self::Short { what, found, wanted } => Finding::error(format!("half a download: {what} is too short"))
                .found(format!("{found} bytes"))
                .wanted(format!("{wanted} bytes"))
                .help("nothing was unpacked; run the command again"),
            Self::Archive { what, reason } => Finding::error(format!("{what} cannot be unpacked"))
                .found(reason.clone())
                .help("its hash is the pinned one, so the pin in spec/sources.toml names a broken or different package"),
            Self::Input { path, reason, wanted } => {
                Finding::error(format!("{} cannot be used", path.display())).found(reason.clone()).wanted(wanted.clone())
            }
            Self::Io { doing, path, source } => {
                let help = match source.kind() {
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                        "make room there, or choose another place with --cache DIR"
                    }
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        "make it writable, or choose another place with --cache DIR"
                    }
                    _ => "see that the path is right, or choose another place with --cache DIR",
                };
                Finding::error(format!("{doing} {}", path.display())).found(source.to_string()).help(help)
            }
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding().fmt(f)
    }
}

impl std::error::Error for FetchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
