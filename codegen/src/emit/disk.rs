//! The last write, and the comparison that stands for it.
//!
//! In: the generated files in memory, and the repository's root. Out: the files on disk, each replaced whole or left alone; or the
//! differences between the two. Both look at the same list, and both notice a file that is no longer generated.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use similar::TextDiff;

use super::{Output, folder, page::MARK};
use crate::{finding::Finding, model::Api};

/// What writing changed, by path below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that were new, or whose text was another.
    pub written: Vec<String>,
    /// Files that are no longer generated.
    pub removed: Vec<String>,
    /// How many files had that text already; they were not touched.
    pub kept: usize,
}

/// A difference between what is generated and what is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// The file has another text.
    Differs {
        /// Its path below the root.
        path: String,
        /// A unified diff from the file on disk to what is generated.
        diff: String,
    },
    /// The file is not there.
    Missing {
        /// Its path below the root.
        path: String,
    },
    /// The file is there, but is no longer generated.
    Stale {
        /// Its path below the root.
        path: String,
    },
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { diff, .. } => f.write_str(diff),
            Self::Missing { path } => writeln!(f, "{path}: missing"),
            Self::Stale { path } => writeln!(f, "{path}: no longer generated"),
        }
    }
}

/// Makes the files below `root` those of `outputs`: all texts are written beside their places before any takes its place, what has that
/// text already is not touched, and what is no longer generated is removed.
pub fn write(root: &Path, outputs: &[Output]) -> Result<Report, Finding> {
    let stale = stale(root, outputs)?;
    let mut report = Report::default();
    let mut ready = Vec::new();
    for output in outputs {
        let path = root.join(&output.path);
        if read(&path)?.as_deref() == Some(output.text.as_bytes()) {
            report.kept += 1;
            continue;
        }
        let parent = path.parent().unwrap_or(root);
        let written = fs::create_dir_all(parent).and_then(|()| {
            let mut file = tempfile::Builder::new().prefix(".clcu-").tempfile_in(parent)?;
            file.write_all(output.text.as_bytes())?;
            // As for any source file, whatever the temporary one was given.
            #[cfg(unix)]
            fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
            Ok(file)
        });
        ready.push((output, path.clone(), written.map_err(|error| failed("write", &path, &error))?));
    }
    for (output, path, file) in ready {
        file.persist(&path).map_err(|error| failed("replace", &path, &error.error))?;
        report.written.push(output.path.clone());
    }
    for path in stale {
        let place = root.join(&path);
        fs::remove_file(&place).map_err(|error| failed("remove", &place, &error))?;
        report.removed.push(path);
    }
    Ok(report)
}

/// The differences between `outputs` and the files below `root`. Changes nothing.
pub fn compare(root: &Path, outputs: &[Output]) -> Result<Vec<Drift>, Finding> {
    let mut drift = Vec::new();
    for output in outputs {
        let path = output.path.clone();
        match read(&root.join(&path))? {
            None => drift.push(Drift::Missing { path }),
            Some(bytes) if bytes == output.text.as_bytes() => {}
            Some(bytes) => {
                let found = String::from_utf8_lossy(&bytes);
                let diff = TextDiff::from_lines(found.as_ref(), output.text.as_str());
                let diff = diff.unified_diff().header(&path, &format!("{path} (generated)")).to_string();
                drift.push(Drift::Differs { path, diff });
            }
        }
    }
    drift.extend(stale(root, outputs)?.into_iter().map(|path| Drift::Stale { path }));
    Ok(drift)
}

/// The files in the folders of generated code that are not among `outputs`. One without the mark of a generated file is somebody's own:
/// an error, so that it is neither removed nor overlooked.
fn stale(root: &Path, outputs: &[Output]) -> Result<Vec<String>, Finding> {
    let known: BTreeSet<&str> = outputs.iter().map(|output| output.path.as_str()).collect();
    let mut stale = Vec::new();
    for folder in Api::ALL.map(folder) {
        let place = root.join(&folder);
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("list", &place, &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed("list", &place, &error))?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if known.contains(path.as_str()) {
                continue;
            }
            let is_ours = entry.path().is_file() && read(&entry.path())?.is_some_and(|bytes| bytes.starts_with(MARK.as_bytes()));
            if !is_ours {
                return Err(Finding::error(format!("`{path}` is not generated, but lies among generated files"))
                    .help("move it elsewhere, or remove it"));
            }
            stale.push(path);
        }
    }
    stale.sort();
    Ok(stale)
}

/// The bytes of a file, if it is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Finding> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", &PathBuf::from(path), &error)),
    }
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> Finding {
    Finding::error(format!("cannot {verb} `{}`", path.display())).found(error.to_string())
}
