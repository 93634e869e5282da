//! A repository in a temporary directory, and the command run in it with nothing of this machine's: no network, no cache, no pip.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A repository to run the command in.
pub(crate) struct Repository {
    directory: TempDir,
}

impl Repository {
    /// With `sources` as its list of pins.
    pub(crate) fn with_sources(sources: &str) -> Self {
        let repository = Self { directory: TempDir::new().expect("a temporary directory") };
        repository.put("spec/sources.toml", sources);
        fs::create_dir(repository.path("programs")).expect("writable");
        repository
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
        fs::write(path, content).expect("writable");
    }

    #[allow(dead_code)] // not every test file reads
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a text")
    }

    /// Every file below `directory` with its content, sorted.
    #[allow(dead_code)] // not every test file compares
    pub(crate) fn files(&self, directory: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut directories) = (Vec::new(), vec![self.path(directory)]);
        while let Some(next) = directories.pop() {
            for entry in fs::read_dir(next).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => directories.push(path),
                    path => found.push((path.clone(), fs::read(path).expect("readable"))),
                }
            }
        }
        found.sort();
        found
    }

    /// A program on the `PATH` of the command: a shell script.
    #[cfg(unix)]
    #[allow(dead_code)] // not every test file has one
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.path("programs").join(name);
        self.put("script", format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n"));
        // Copied by a process of its own: a file that this one has just written may still be open in a child that another test is starting,
        // and what is open for writing cannot be run.
        let copied = Command::new("/bin/cp").arg(self.path("script")).arg(&path).status().expect("there is a cp");
        let made = Command::new("/bin/chmod").arg("755").arg(&path).status().expect("there is a chmod");
        assert!(copied.success() && made.success());
    }

    /// `clcu` in the root, with only the repository's own programs on `PATH`, and none of the tester's own settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clcu"));
        command.current_dir(self.root()).args(arguments).env("PATH", self.path("programs"));
        for variable in ["CLCU_CACHE", "CLCU_CUDA_INCLUDE", "CLCU_LIBCLANG", "CLCU_OPENCL_DOCS", "CLCU_OPENCL_RELEASES", "NO_COLOR"]
        {
            command.env_remove(variable);
        }
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().expect("the command was built"))
    }

    /// The names in the cache that are no locks.
    #[allow(dead_code)] // not every test file fetches
    pub(crate) fn cached(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("cache")).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| Path::new(name).extension().is_none_or(|extension| extension != "lock"));
        names.sort();
        names
    }
}

/// What the command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Ran {
    /// Asserts the exit code, and that standard error holds each of `parts`.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in\n{}", self.err);
        }
        self
    }

    /// Asserts success, and that standard output holds each of `parts`.
    #[track_caller]
    pub(crate) fn succeeds(&self, parts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is not in\n{}", self.out);
        }
        self
    }
}
