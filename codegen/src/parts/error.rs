//! Why a part cannot be made.

use std::{fmt, io, path::PathBuf};

/// Why a part cannot be made. Its `Debug` form is the message too, since that is what cargo shows of a build script that fails.
pub enum Error {
    /// Nothing was asked for.
    Nothing,
    /// Names that nothing has, each with those that are nearest to it.
    Unknown(Vec<Unknown>),
    /// The disk refused.
    Disk {
        /// What was being done, as in "cannot write".
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of somebody's own lies where a part would be written.
    Stray(PathBuf),
    /// A variable that cargo sets for build scripts is not set.
    NoBuildScript(&'static str),
    /// What parts are cut from does not hold together: a fault of this crate.
    Damaged(String),
    /// The headers or the registry cannot be read, in words for people.
    Import(String),
}

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name.
    pub name: String,
    /// Those that are nearest to it, nearest first.
    pub nearest: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing is called `{}`", self.name)?;
        if !self.nearest.is_empty() {
            write!(f, ": did you mean {}?", self.suggestions())?;
        }
        Ok(())
    }
}

impl Unknown {
    /// The nearest names as a list to choose from.
    #[must_use]
    pub fn suggestions(&self) -> String {
        let names: Vec<String> = self.nearest.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    }
}

/// What one can ask for.
pub const WANTED: &str = "names of commands, extensions, records, enumerations, their values, handles or constants";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "nothing was asked for: wanted {WANTED}"),
            Self::Unknown(names) => {
                for (at, unknown) in names.iter().enumerate() {
                    write!(f, "{}{unknown}", if at == 0 { "" } else { "\n" })?;
                }
                write!(f, "\nwanted {WANTED}, as upstream writes them")
            }
            Self::Disk { doing, path, source } => write!(f, "{doing} {}: {source}", path.display()),
            Self::Stray(path) => {
                write!(
                    f,
                    "{} is not a part that was generated: move it elsewhere, or write the part to another place",
                    path.display()
                )
            }
            Self::NoBuildScript(variable) => {
                write!(f, "{variable} is not set: cargo sets it for build scripts; elsewhere, name the place with `write`")
            }
            Self::Damaged(what) => write!(f, "the text of clcu-sys does not hold together: {what}; please report it"),
            Self::Import(what) => f.write_str(what),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk { source, .. } => Some(source),
            _ => None,
        }
    }
}
