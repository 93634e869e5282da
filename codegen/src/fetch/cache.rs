//! A directory of what was fetched: one entry an input, complete or not there at all.
//!
//! In: an entry's name, its pin, and how to make it. Out: its directory, whose files are those that were once unpacked from the pinned
//! archive. An entry is made in a directory beside it and renamed, so that neither an interrupted run nor two at once leave half of one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{error::FetchError, pip::sha256};

/// Lists an entry's files with their hashes, below the pin that they came from.
const MANIFEST: &str = "manifest";

/// Who is told how a download goes.
pub trait Progress: Sync {
    /// `what` begins; `bytes` of it are expected, where that is known.
    fn begin(&self, what: &str, bytes: Option<u64>);
    /// `what` has come to `bytes`.
    fn at(&self, what: &str, bytes: u64);
    /// `what` is done, or has failed, which is said elsewhere.
    fn end(&self, what: &str);
    /// Something worth knowing.
    fn note(&self, text: &str);
}

/// Tells nobody.
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: &str, _: u64) {}
    fn end(&self, _: &str) {}
    fn note(&self, _: &str) {}
}

/// The directory of what was fetched.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache at `root`, which need not exist yet.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The entry `name` if it is there, came from `pin`, and has not been changed since.
    #[must_use]
    pub fn find(&self, name: &str, pin: &str) -> Option<PathBuf> {
        let entry = self.root.join(name);
        let manifest = fs::read_to_string(entry.join(MANIFEST)).ok()?;
        let (first, files) = manifest.split_once('\n')?;
        let intact = |line: &str| {
            let (hash, path) = line.split_once(' ')?;
            (sha256(&fs::read(entry.join(path)).ok()?) == hash).then_some(())
        };
        (first == pin && files.lines().all(|line| intact(line).is_some())).then_some(entry)
    }

    /// The entry `name` from `pin`, made by `make` unless it is there.
    ///
    /// `make` gets an empty directory for whatever it needs on the way, and another for the files of the entry.
    pub(super) fn get(
        &self,
        name: &str,
        pin: &str,
        progress: &dyn Progress,
        make: impl FnOnce(&Path, &Path) -> Result<(), FetchError>,
    ) -> Result<PathBuf, FetchError> {
        if let Some(entry) = self.find(name, pin) {
            return Ok(entry);
        }
        fs::create_dir_all(&self.root).map_err(FetchError::io("cannot create the cache", &self.root))?;
        let _lock = self.lock(name)?;
        // Another run may have made it while this one waited for the lock.
        if let Some(entry) = self.find(name, pin) {
            return Ok(entry);
        }
        let entry = self.root.join(name);
        if entry.exists() {
            progress.note(&format!("{} is not what was pinned, or was changed: fetching it again", entry.display()));
        }
        let stage = tempfile::Builder::new().prefix(&unfinished(name)).tempdir_in(&self.root);
        let stage = stage.map_err(FetchError::io("cannot write to the cache", &self.root))?;
        let (scratch, files, old) = (stage.path().join("scratch"), stage.path().join("files"), stage.path().join("old"));
        for directory in [&scratch, &files] {
            fs::create_dir(directory).map_err(FetchError::io("cannot create", directory))?;
        }
        make(&scratch, &files)?;
        write_manifest(&files, pin)?;
        match fs::rename(&entry, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(FetchError::io("cannot replace", &entry)(error)),
            _ => fs::rename(&files, &entry).map_err(FetchError::io("cannot create", &entry))?,
        }
        Ok(entry)
    }

    /// Keeps other runs from making the same entry meanwhile, and clears away what an interrupted one left of it.
    ///
    /// Where the file system knows no locks, both are left out: the rename alone keeps entries whole.
    fn lock(&self, name: &str) -> Result<fs::File, FetchError> {
        let path = self.root.join(format!("{name}.lock"));
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(FetchError::io("cannot write to the cache", &path))?;
        match file.lock() {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(error) => return Err(FetchError::io("cannot lock", &path)(error)),
        }
        let prefix = unfinished(name);
        for entry in fs::read_dir(&self.root).map_err(FetchError::io("cannot read", &self.root))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(file)
    }
}

/// How directories begin in which the entry `name` is being made.
fn unfinished(name: &str) -> String {
    format!(".{name}.unfinished-")
}

/// Lists the files below `directory` with their hashes, in the order of their paths.
fn write_manifest(directory: &Path, pin: &str) -> Result<(), FetchError> {
    let mut lines = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(&next).map_err(FetchError::io("cannot read", &next))?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let bytes = fs::read(&path).map_err(FetchError::io("cannot read", &path))?;
            let within = path.strip_prefix(directory).unwrap_or(&path);
            let parts: Vec<_> = within.iter().map(|part| part.to_string_lossy()).collect();
            lines.push((parts.join("/"), sha256(&bytes)));
        }
    }
    lines.sort();
    let text = lines.iter().fold(format!("{pin}\n"), |text, (path, hash)| text + hash + " " + path + "\n");
    let path = directory.join(MANIFEST);
    fs::write(&path, text).map_err(FetchError::io("cannot write", &path))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn make(content: &'static str) -> impl Fn(&Path, &Path) -> Result<(), FetchError> {
        move |_, files| fs::write(files.join("a"), content).map_err(FetchError::io("cannot write", files))
    }

    fn names(root: &Path) -> Vec<String> {
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_there_is_not_made_again() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(root.path());
        cache.get("e-1", "pin", &Quiet, make("a")).expect("made");
        let again = cache.get("e-1", "pin", &Quiet, |_, _| panic!("it is there"));
        assert_eq!(fs::read(again.expect("found").join("a")).expect("its file"), b"a");
        assert_eq!(names(root.path()), ["e-1", "e-1.lock"]);
    }

    #[test]
    fn another_pin_and_a_changed_or_missing_file_make_it_anew() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(root.path());
        let entry = cache.get("e-1", "pin", &Quiet, make("a")).expect("made");
        assert!(cache.find("e-1", "other").is_none());
        cache.get("e-1", "other", &Quiet, make("b")).expect("made anew");
        assert_eq!(fs::read(entry.join("a")).expect("its file"), b"b");
        fs::write(entry.join("a"), "changed").expect("writable");
        assert!(cache.find("e-1", "other").is_none());
        fs::remove_file(entry.join("a")).expect("there");
        assert!(cache.find("e-1", "other").is_none());
        cache.get("e-1", "other", &Quiet, make("b")).expect("made anew");
        assert!(cache.find("e-1", "other").is_some());
    }

    #[test]
    fn a_failure_leaves_nothing_and_keeps_what_was_there() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let cache = Cache::at(root.path());
        cache.get("e-1", "pin", &Quiet, make("a")).expect("made");
        let failed = cache.get("e-1", "other", &Quiet, |_, files| {
            make("half")(files, files)?;
            Err(FetchError::NoHost)
        });
        assert!(matches!(failed, Err(FetchError::NoHost)));
        assert!(cache.find("e-1", "pin").is_some(), "the old entry must stay");
        assert_eq!(names(root.path()), ["e-1", "e-1.lock"]);
    }

    #[test]
    fn what_an_interrupted_run_left_is_cleared_away() {
        let root = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir_all(root.path().join(".e-1.unfinished-x/files")).expect("writable");
        Cache::at(root.path()).get("e-1", "pin", &Quiet, make("a")).expect("made");
        assert_eq!(names(root.path()), ["e-1", "e-1.lock"]);
    }

    #[test]
    fn of_two_runs_at_once_one_makes_the_entry_and_both_get_it() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let (cache, made) = (Cache::at(root.path()), AtomicUsize::new(0));
        let run = || {
            cache.get("e-1", "pin", &Quiet, |scratch, files| {
                made.fetch_add(1, Ordering::SeqCst);
                make("a")(scratch, files)
            })
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
            for run in runs {
                assert!(run.join().expect("no panic").is_ok());
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_an_error_that_names_it() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let file = root.path().join("file");
        fs::write(&file, "").expect("writable");
        let failed = Cache::at(file.join("cache")).get("e-1", "pin", &Quiet, make("a")).expect_err("below a file");
        assert_eq!(failed.reach(), super::super::error::Reach::Disk);
        assert!(failed.to_string().contains(&file.display().to_string()), "{failed}");
    }
}
