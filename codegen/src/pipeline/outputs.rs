//! A set of files that belong together: compared with the disk, or written to it, all of them or none.
//!
//! In: every output of a run, rendered in memory. Out: how the disk differs from it; after [`Outputs::write`], no longer. Nothing else in
//! this crate writes into the repository.

use std::{
    fmt, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::finding::Finding;

/// Files by their path below the root of the repository, with `/` between directories.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    files: Vec<(String, String)>,
    owned: Vec<Owned>,
    removed: Vec<String>,
}

/// A directory in which there is nothing but outputs.
#[derive(Clone, Debug)]
struct Owned {
    directory: String,
    /// How every output there begins.
    mark: &'static str,
}

/// One file that is not on the disk as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its path below the root.
    pub path: String,
    /// What is on the disk; `None` where nothing is.
    pub old: Option<String>,
    /// What should be; `None` where nothing should.
    pub new: Option<String>,
}

impl Difference {
    /// How many lines are new, and how many are gone.
    #[must_use]
    pub fn lines(&self) -> (usize, usize) {
        let diff = similar::TextDiff::from_lines(self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default());
        diff.iter_all_changes().fold((0, 0), |(added, removed), change| match change.tag() {
            similar::ChangeTag::Insert => (added + 1, removed),
            similar::ChangeTag::Delete => (added, removed + 1),
            similar::ChangeTag::Equal => (added, removed),
        })
    }
}

/// Why the disk cannot be made, or seen, to be as it should be.
#[derive(Debug)]
pub enum OutputError {
    /// The disk refused.
    Io {
        /// What was being done, as in "cannot write".
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of somebody's own lies where everything is generated. It is neither removed nor overlooked.
    Stray {
        /// Its path below the root.
        path: String,
    },
}

impl OutputError {
    /// The same in the words of everything else.
    #[must_use]
    pub fn finding(&self) -> Finding {
        match self {
            Self::Io { doing, path, source } => Finding::error(format!("{doing} {}", path.display()))
                .found(source.to_string())
                .help("no output was changed: make room, or permit it, and run again"),
            Self::Stray { path } => Finding::error(format!("{path} is not generated, but lies among generated files"))
                .help("move it elsewhere, or remove it"),
        }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding().fmt(f)
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Stray { .. } => None,
        }
    }
}

fn refused(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    move |source| OutputError::Io { doing, path: path.to_owned(), source }
}

impl Outputs {
    /// Adds a file.
    pub fn push(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.push((path.into(), text.into()));
    }

    /// Declares that there is no file at `path`: an output of before.
    pub fn remove(&mut self, path: impl Into<String>) {
        self.removed.push(path.into());
    }

    /// Declares that every file right in `directory` is an output and begins with `mark`, so that one that is no longer written is removed.
    pub fn own(&mut self, directory: impl Into<String>, mark: &'static str) {
        self.owned.push(Owned { directory: directory.into(), mark });
    }

    /// Adds all of `others`.
    pub fn extend(&mut self, others: Self) {
        self.files.extend(others.files);
        self.owned.extend(others.owned);
        self.removed.extend(others.removed);
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Where the disk below `root` differs, in the order of the paths.
    pub fn differences(&self, root: &Path) -> Result<Vec<Difference>, OutputError> {
        let mut differences = Vec::new();
        for (path, new) in &self.files {
            let old = read(&root.join(path))?;
            if old.as_ref() != Some(new) {
                differences.push(Difference { path: path.clone(), old, new: Some(new.clone()) });
            }
        }
        for path in &self.removed {
            let old = read(&root.join(path))?;
            if old.is_some() {
                differences.push(Difference { path: path.clone(), old, new: None });
            }
        }
        for Owned { directory, mark } in &self.owned {
            for path in entries_of(root, directory)? {
                if self.files.iter().any(|(known, _)| *known == path) {
                    continue;
                }
                match read(&root.join(&path)) {
                    Ok(Some(old)) if old.starts_with(mark) => differences.push(Difference { path, old: Some(old), new: None }),
                    // A directory cannot be read, and is nobody's output either.
                    _ => return Err(OutputError::Stray { path }),
                }
            }
        }
        differences.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(differences)
    }

    /// Makes the disk below `root` as it should be. Gives what differed.
    ///
    /// Every new file is written in full beside its place before the first of them is moved there; if a move fails all the same, those
    /// already made are undone.
    pub fn write(&self, root: &Path) -> Result<Vec<Difference>, OutputError> {
        let differences = self.differences(root)?;
        let mut staged = Vec::new();
        for difference in &differences {
            let path = root.join(&difference.path);
            staged.push(match &difference.new {
                Some(text) => (Some(stage(&path, text)?), path),
                None => (None, path),
            });
        }
        for (done, (file, path)) in staged.into_iter().enumerate() {
            let moved = match file {
                Some(file) => file.persist(&path).map(|_| ()).map_err(|error| refused("cannot write", &path)(error.error)),
                None => fs::remove_file(&path).map_err(refused("cannot remove", &path)),
            };
            if let Err(error) = moved {
                undo(root, &differences[..done]);
                return Err(error);
            }
        }
        Ok(differences)
    }
}

fn read(path: &Path) -> Result<Option<String>, OutputError> {
    match fs::read(path) {
        // What is no text differs from every text, and its diff shows where.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused("cannot read", path)(error)),
    }
}

fn entries_of(root: &Path, directory: &str) -> Result<Vec<String>, OutputError> {
    let path = root.join(directory);
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(refused("cannot read", &path))?,
    };
    let entries = entries.collect::<io::Result<Vec<_>>>().map_err(refused("cannot read", &path))?;
    Ok(entries.iter().map(|entry| format!("{directory}/{}", entry.file_name().to_string_lossy())).collect())
}

/// `text` in a file beside `path`, which vanishes unless it is moved there.
fn stage(path: &Path, text: &str) -> Result<NamedTempFile, OutputError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(refused("cannot create", directory))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".clcu-");
    // Temporary files are private by default; outputs are as any other file of the user's.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory).map_err(refused("cannot write into", directory))?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(refused("cannot write", path))?;
    Ok(file)
}

/// Puts back what was there. Whatever fails here has failed before, and that is what the user is told.
fn undo(root: &Path, done: &[Difference]) {
    for difference in done {
        let path = root.join(&difference.path);
        let _ = match &difference.old {
            Some(old) => stage(&path, old).is_ok_and(|file| file.persist(&path).is_ok()),
            None => fs::remove_file(&path).is_ok(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(files: &[(&str, &str)]) -> Outputs {
        let mut outputs = Outputs::default();
        for (path, text) in files {
            outputs.push(*path, *text);
        }
        outputs
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(directory).expect("it exists").flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_written_does_not_differ_and_is_not_written_again() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let outputs = outputs(&[("a/b.rs", "b\n"), ("c.json", "c\n")]);
        assert_eq!(outputs.write(root.path()).expect("writable").len(), 2);
        let time = || fs::metadata(root.path().join("a/b.rs")).and_then(|data| data.modified()).expect("it is there");
        let before = time();
        assert_eq!(outputs.write(root.path()).expect("writable"), []);
        assert_eq!(time(), before);
        assert_eq!(names(&root.path().join("a")), ["b.rs"], "no temporary file is left");
    }

    #[test]
    fn a_file_that_is_no_longer_an_output_differs_and_is_removed() {
        let root = tempfile::tempdir().expect("a temporary directory");
        outputs(&[("g/a.rs", "//a"), ("g/b.rs", "//b"), ("other/c.rs", "c")]).write(root.path()).expect("writable");
        let mut fewer = outputs(&[("g/a.rs", "//a")]);
        fewer.own("g", "//");
        let gone = Difference { path: "g/b.rs".into(), old: Some("//b".into()), new: None };
        assert_eq!(fewer.differences(root.path()).expect("readable"), std::slice::from_ref(&gone));
        assert_eq!(names(&root.path().join("g")), ["a.rs", "b.rs"], "comparing writes nothing");
        assert_eq!(fewer.write(root.path()).expect("writable"), [gone]);
        assert_eq!((names(&root.path().join("g")), names(&root.path().join("other"))), (vec!["a.rs".into()], vec!["c.rs".into()]));
    }

    #[test]
    fn a_file_of_somebody_s_own_among_outputs_is_refused_and_kept() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let mut owning = outputs(&[("g/a.rs", "//a")]);
        owning.own("g", "//");
        outputs(&[("g/notes", "mine")]).write(root.path()).expect("writable");
        let refused = owning.write(root.path()).expect_err("somebody's own");
        assert!(matches!(&refused, OutputError::Stray { path } if path == "g/notes"), "{refused}");
        assert_eq!(names(&root.path().join("g")), ["notes"], "nothing was written or removed");
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_all_others_as_they_were() {
        let root = tempfile::tempdir().expect("a temporary directory");
        outputs(&[("a", "old"), ("z", "old")]).write(root.path()).expect("writable");
        // Its directory is a file: staging fails.
        let failed = outputs(&[("a", "new"), ("new", "new"), ("z/below", "new")]).write(root.path());
        assert!(failed.is_err());
        assert_eq!(names(root.path()), ["a", "z"]);
        assert_eq!(fs::read(root.path().join("a")).expect("there"), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_cannot_be_made_is_noticed_before_anything_is_moved() {
        let root = tempfile::tempdir().expect("a temporary directory");
        outputs(&[("a", "old")]).write(root.path()).expect("writable");
        // Nothing can be read through it, and nothing be made in its place: only staging finds out.
        std::os::unix::fs::symlink("nowhere", root.path().join("z")).expect("a link");
        let refused = outputs(&[("a", "new"), ("new", "new"), ("z/below", "new")]).write(root.path()).expect_err("no directory");
        assert!(refused.to_string().starts_with("cannot create"), "{refused}");
        assert_eq!(names(root.path()), ["a", "z"]);
        assert_eq!(fs::read(root.path().join("a")).expect("there"), b"old");
    }

    #[test]
    fn undoing_puts_back_what_was_there_and_removes_what_was_not() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let differences =
            |path: &str, old: Option<&str>| Difference { path: path.into(), old: old.map(Into::into), new: Some("new".into()) };
        fs::write(root.path().join("a"), "new").expect("writable");
        fs::write(root.path().join("b"), "new").expect("writable");
        undo(root.path(), &[differences("a", Some("old")), differences("b", None)]);
        assert_eq!(names(root.path()), ["a"]);
        assert_eq!(fs::read(root.path().join("a")).expect("there"), b"old");
    }

    #[test]
    fn lines_are_counted_as_new_and_gone() {
        let difference = Difference { path: "p".into(), old: Some("a\nb\nc\n".into()), new: Some("a\nB\nc\nd\n".into()) };
        assert_eq!(difference.lines(), (2, 1));
    }
}
