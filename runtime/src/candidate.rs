//! Where a driver may be found: in, an API and a system; out, the files to try, best first.
//!
//! Plain data, so that the order for every system is tested on every system.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// A system, as far as the names of drivers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Windows,
    Apple,
    Unix,
}

impl System {
    /// The one that this program runs on.
    pub(crate) const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_vendor = "apple") {
        Self::Apple
    } else {
        Self::Unix
    };
}

/// How the system's loader looks for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// As it always does: a bare name in the configured directories, a path as it is.
    Usual,
    /// In the directory of the operating system alone, so that no file beside the program or in the working directory is taken for
    /// the driver.
    SystemDirectory,
}

/// One file to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) file: PathBuf,
    pub(crate) search: Search,
}

impl Candidate {
    pub(crate) fn file(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), search: Search::Usual }
    }

    fn system_directory(name: &str) -> Self {
        Self { file: name.into(), search: Search::SystemDirectory }
    }
}

/// Where Windows puts the driver's library for Linux programs under WSL 2. Not every distribution there has it in its loader's cache.
pub(crate) const WSL_DIRECTORY: &str = "/usr/lib/wsl/lib";

/// The CUDA driver on `system`.
///
/// The name with the version comes first: the one without belongs to development packages, and a toolkit installs a stub under it.
pub(crate) fn cuda(system: System) -> Vec<Candidate> {
    match system {
        System::Windows => vec![Candidate::system_directory("nvcuda.dll")],
        System::Apple => vec![Candidate::file("/usr/local/cuda/lib/libcuda.dylib")],
        System::Unix => vec![
            Candidate::file("libcuda.so.1"),
            Candidate::file(Path::new(WSL_DIRECTORY).join("libcuda.so.1")),
            Candidate::file("libcuda.so"),
        ],
    }
}

/// The ICD loader of OpenCL on `system`, or what stands for it there.
pub(crate) fn opencl(system: System) -> Vec<Candidate> {
    match system {
        System::Windows => vec![Candidate::system_directory("OpenCL.dll")],
        System::Apple => vec![Candidate::file("/System/Library/Frameworks/OpenCL.framework/OpenCL")],
        System::Unix => vec![Candidate::file("libOpenCL.so.1"), Candidate::file("libOpenCL.so")],
    }
}

/// `candidates`, looked for in `directories` instead of where the system looks: every name in the first directory, then in the next.
fn within(directories: &[PathBuf], candidates: &[Candidate]) -> Vec<Candidate> {
    let mut names: Vec<_> = candidates.iter().filter_map(|candidate| candidate.file.file_name()).collect();
    names.dedup();
    let mut found: Vec<Candidate> = Vec::new();
    for directory in directories {
        for name in &names {
            let candidate = Candidate::file(directory.join(name));
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    found
}

/// Who named the one file that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    Caller,
    Environment,
}

impl NamedBy {
    /// What to do if that file, which is none of a `what`, will not do. `variable` is the one of the environment.
    pub(crate) fn advice(self, variable: &str, what: &str) -> String {
        match self {
            Self::Caller => format!(
                "The program chose this file (`Options::path`), so nothing else was tried: let it name the file of a {what}, or none."
            ),
            Self::Environment => format!(
                "The environment variable {variable} chose this file, so nothing else was tried: unset it, so that the usual files are \
                 tried, or let it name the file of a {what}."
            ),
        }
    }
}

/// What a caller and the user say about where the driver is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) path: Option<PathBuf>,
    pub(crate) directories: Vec<PathBuf>,
}

impl Place {
    /// The files to try: the caller's path alone, else the user's (`environment`) alone, else the usual names in the caller's directories,
    /// else where the system looks. Whoever names a file means that file: nothing else is opened in its place, and who did is told.
    pub(crate) fn candidates(&self, environment: Option<OsString>, usual: Vec<Candidate>) -> (Vec<Candidate>, Option<NamedBy>) {
        let environment = environment.filter(|value| !value.is_empty());
        match (&self.path, environment) {
            (Some(path), _) => (vec![Candidate::file(path)], Some(NamedBy::Caller)),
            (None, Some(path)) => (vec![Candidate::file(path)], Some(NamedBy::Environment)),
            (None, None) if self.directories.is_empty() => (usual, None),
            (None, None) => (within(&self.directories, &usual), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|candidate| candidate.file.to_str().expect("names of this module are ASCII")).collect()
    }

    #[test]
    fn the_versioned_name_of_the_cuda_driver_comes_before_the_one_that_stubs_use() {
        assert_eq!(files(&cuda(System::Unix)), ["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so"]);
    }

    #[test]
    fn on_windows_drivers_come_from_the_system_directory_only() {
        for candidate in cuda(System::Windows).into_iter().chain(opencl(System::Windows)) {
            assert_eq!(candidate.search, Search::SystemDirectory, "{candidate:?}");
        }
    }

    #[test]
    fn the_versioned_name_of_the_icd_loader_comes_first() {
        assert_eq!(files(&opencl(System::Unix)), ["libOpenCL.so.1", "libOpenCL.so"]);
    }

    /// The framework is in the system's cache of libraries: its path can be opened although no file is there.
    #[test]
    fn on_macos_opencl_is_the_systems_framework() {
        assert_eq!(files(&opencl(System::Apple)), ["/System/Library/Frameworks/OpenCL.framework/OpenCL"]);
        assert_eq!(files(&within(&["/mine".into()], &opencl(System::Apple))), ["/mine/OpenCL"]);
    }

    #[test]
    fn directories_are_searched_in_their_order_for_every_name_once() {
        let directories = [PathBuf::from("/a"), PathBuf::from("/b")];
        let found = within(&directories, &cuda(System::Unix));
        assert_eq!(files(&found), ["/a/libcuda.so.1", "/a/libcuda.so", "/b/libcuda.so.1", "/b/libcuda.so"]);
    }

    #[test]
    fn a_named_file_is_the_only_candidate_and_the_caller_comes_before_the_environment() {
        let usual = || cuda(System::Unix);
        let place = |path: Option<&str>| Place { path: path.map(PathBuf::from), directories: vec!["/d".into()] };
        let tried = |place: Place, environment: Option<&str>| {
            let (candidates, named_by) = place.candidates(environment.map(OsString::from), usual());
            (files(&candidates).join(" "), named_by)
        };
        assert_eq!(tried(place(Some("/mine.so")), Some("/env.so")), ("/mine.so".into(), Some(NamedBy::Caller)));
        assert_eq!(tried(place(None), Some("/env.so")), ("/env.so".into(), Some(NamedBy::Environment)));
        assert_eq!(tried(place(None), Some("")), ("/d/libcuda.so.1 /d/libcuda.so".into(), None));
        assert_eq!(Place::default().candidates(None, usual()), (usual(), None));
    }
}
