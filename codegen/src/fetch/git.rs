//! Downloads the OpenCL documents out of Khronos's git repository.
//!
//! In: the pinned repository and commit. Out: `xml/cl.xml` and `api/*.asciidoc` of that commit in a directory.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    child::{self, Ended},
    error::FetchError,
    sources::OpenClPin,
};

/// Checks the documents of the pinned commit out below `directory`. Gives the root of the checkout.
///
/// The clone brings commits and the objects of what is checked out, not the history's contents: the repository is large, the documents
/// are not. A shallow fetch of the commit alone would need its full name.
pub(super) fn checkout(pin: &OpenClPin, directory: &Path, on_bytes: &mut dyn FnMut(u64)) -> Result<PathBuf, FetchError> {
    let root = directory.join("repository");
    let mut clone = git(directory);
    clone.args(["clone", "--quiet", "--no-checkout", "--no-tags", "--filter=tree:0", "--config", "core.autocrlf=false", "--"]);
    run(clone.arg(&pin.repository).arg(&root), pin, "git clone", directory, on_bytes)?;
    let mut checkout = git(&root);
    checkout.args(["checkout", "--quiet", &pin.commit, "--", "xml/cl.xml", "api"]);
    run(&mut checkout, pin, "git checkout", directory, on_bytes)?;
    Ok(root)
}

/// The full name of the newest commit of the repository's main branch.
pub(super) fn newest(pin: &OpenClPin, directory: &Path) -> Result<String, FetchError> {
    let what = format!("the newest commit of {}", pin.repository);
    let output = match git(directory).args(["ls-remote", "--", &pin.repository, "HEAD"]).output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(FetchError::NoGit { what }),
        Err(source) => return Err(FetchError::io("cannot start git in", directory)(source)),
    };
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match told.split_whitespace().next() {
        Some(commit) if output.status.success() && is_commit(commit) => Ok(commit.to_owned()),
        _ => Err(FetchError::Program { what, command: "git ls-remote".to_owned(), output: child::summary(&failed) }),
    }
}

/// The commit that is checked out in `directory` itself; `None` where that is no checkout, or git is not there.
pub(super) fn head(directory: &Path) -> Option<String> {
    let ask = |question: &[&str]| {
        let output = git(directory).args(question).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // A directory within another repository is not a checkout of its own.
    let top = ask(&["rev-parse", "--show-toplevel"])?;
    let same = fs::canonicalize(top).ok()? == fs::canonicalize(directory).ok()?;
    ask(&["rev-parse", "HEAD"]).filter(|commit| same && is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// git without the settings of a repository around it, and without questions: there may be nobody to answer them.
fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory)
        .args(["-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=30"])
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "")
        .env("LC_ALL", "C");
    git
}

fn run(
    command: &mut Command,
    pin: &OpenClPin,
    shown: &str,
    directory: &Path,
    on_bytes: &mut dyn FnMut(u64),
) -> Result<(), FetchError> {
    let what = format!("the OpenCL documents at commit {} of {}", pin.commit, pin.repository);
    match child::run(command, directory, on_bytes) {
        Ok(Ended::Success) => Ok(()),
        Ok(Ended::Stalled(after)) => Err(FetchError::Stalled { what, command: shown.to_owned(), seconds: after.as_secs() }),
        Ok(Ended::Failure(output)) if output.contains("No space left on device") => {
            Err(FetchError::io("cannot download into", directory)(io::ErrorKind::StorageFull.into()))
        }
        Ok(Ended::Failure(output)) => Err(FetchError::Program { what, command: shown.to_owned(), output: child::summary(&output) }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(FetchError::NoGit { what }),
        Err(source) => Err(FetchError::io("cannot download into", directory)(source)),
    }
}

/// Copies the documents from a checkout into `target`.
pub(super) fn copy_documents(root: &Path, target: &Path) -> Result<(), FetchError> {
    let make = |path: &Path| fs::create_dir_all(path).map_err(FetchError::io("cannot create", path));
    let copy = |from: &Path, to: &Path| fs::copy(from, to).map(|_| ()).map_err(FetchError::io("cannot copy", from));
    make(&target.join("xml"))?;
    copy(&root.join("xml/cl.xml"), &target.join("xml/cl.xml"))?;
    make(&target.join("api"))?;
    let api = root.join("api");
    for entry in fs::read_dir(&api).map_err(FetchError::io("cannot read", &api))?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "asciidoc") {
            copy(&path, &target.join("api").join(entry.file_name()))?;
        }
    }
    Ok(())
}
