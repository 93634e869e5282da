//! Downloads one wheel with `pip download`.
//!
//! In: the pinned wheel, or a package of which the newest is wanted. Out: its bytes, whose SHA-256 is the pinned one; or its file. No index is named here: pip asks the one that it is
//! configured for, mirrors and proxies included.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use sha2::{Digest, Sha256};

use super::{
    child::{self, Ended},
    error::FetchError,
    sources::Wheel,
};

const CANDIDATES: &[&[&str]] = &[&["python3", "-m", "pip"], &["python", "-m", "pip"], &["pip3"], &["pip"]];

/// The first command on `PATH` that is a working pip.
fn find(what: &str) -> Result<&'static [&'static str], FetchError> {
    let mut tried = Vec::new();
    for candidate in CANDIDATES {
        let [program, arguments @ ..] = *candidate else { continue };
        let output = Command::new(program).args(arguments).arg("--version").stdin(Stdio::null()).output();
        match output {
            Ok(output) if output.status.success() => return Ok(candidate),
            Ok(output) => {
                let said = child::summary(&String::from_utf8_lossy(&output.stderr));
                tried.push(format!("`{}` says {said}", candidate.join(" ")));
            }
            // The usual case, and four of them say no more than the headline.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tried.push(format!("`{}`: {error}", candidate.join(" "))),
        }
    }
    if tried.is_empty() {
        tried.push("nothing by these names".to_owned());
    }
    Err(FetchError::NoPip { what: what.to_owned(), tried })
}

/// Downloads `wheel` into `directory`, which must be empty, and gives its bytes once they have the pinned hash.
///
/// The hash is given to pip too, so that it picks the pinned file even where a package later gets a second build for the same platform.
pub(super) fn download(wheel: &Wheel<'_>, directory: &Path, on_bytes: &mut dyn FnMut(u64)) -> Result<Vec<u8>, FetchError> {
    let what = format!("{} {}", wheel.package, wheel.release);
    let line = format!("{}=={} --hash=sha256:{}\n", wheel.package, wheel.release, wheel.sha256);
    let wanted = Wanted { what: &what, line: &line, platform: wheel.platform, sha256: wheel.sha256 };
    let file = bring(&wanted, directory, on_bytes)?;
    verified(wheel, &what, &file)
}

/// Downloads the newest wheel of `package` that there is into `directory`, which must be empty. Gives its file.
pub(super) fn newest(
    package: &str,
    platform: &str,
    directory: &Path,
    on_bytes: &mut dyn FnMut(u64),
) -> Result<PathBuf, FetchError> {
    let what = format!("the newest {package}");
    let line = format!("{package}\n");
    bring(&Wanted { what: &what, line: &line, platform, sha256: "" }, directory, on_bytes)
}

/// A download, in the words of a list of requirements.
struct Wanted<'a> {
    what: &'a str,
    line: &'a str,
    platform: &'a str,
    /// The pinned hash; empty where there is none.
    sha256: &'a str,
}

/// Runs pip. Gives the one file that came.
fn bring(wanted: &Wanted<'_>, directory: &Path, on_bytes: &mut dyn FnMut(u64)) -> Result<PathBuf, FetchError> {
    let pip = find(wanted.what)?;
    let what = wanted.what.to_owned();
    let (requirements, arrived) = (directory.join("requirements.txt"), directory.join("wheel"));
    fs::write(&requirements, wanted.line).map_err(FetchError::io("cannot write", &requirements))?;
    fs::create_dir(&arrived).map_err(FetchError::io("cannot create", &arrived))?;
    let (program, arguments) = pip.split_first().unwrap_or((&"pip", &[]));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(["download", "--disable-pip-version-check", "--no-input", "--no-deps", "--no-cache-dir", "--only-binary=:all:"])
        // Two attempts, so that a machine without a network hears of it in seconds.
        .args(["--retries", "1", "--timeout", "20", "--progress-bar", "off", "--platform", wanted.platform, "--dest"])
        .arg(&arrived)
        .arg("--requirement")
        .arg(&requirements)
        // pip downloads here first: below the cache, so that it is cleared away with the rest and its growth can be shown.
        .env("TMPDIR", directory)
        .env("TEMP", directory)
        .env("TMP", directory);
    let shown = format!("{} download", pip.join(" "));
    match child::run(&mut command, directory, on_bytes).map_err(FetchError::io("cannot download into", directory))? {
        Ended::Success => {}
        Ended::Stalled(after) => return Err(FetchError::Stalled { what, command: shown, seconds: after.as_secs() }),
        Ended::Failure(output) => return Err(failure(&output, what, shown, wanted.sha256, directory)),
    }
    let entries = fs::read_dir(&arrived).map_err(FetchError::io("cannot read", &arrived))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match (files.pop(), files.len()) {
        (Some(file), 0) => Ok(file),
        (last, others) => {
            let output = format!("success, and {} files", others + usize::from(last.is_some()));
            Err(FetchError::Program { what, command: shown, output })
        }
    }
}

/// What pip's output says: a full disk and a wrong hash are told apart from a network that is out of reach.
fn failure(output: &str, what: String, command: String, sha256: &str, directory: &Path) -> FetchError {
    if output.contains("No space left on device") || output.contains("There is not enough space on the disk") {
        let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
        return FetchError::Io { doing: "cannot download into", path: directory.to_owned(), source };
    }
    let got = output.lines().find_map(|line| line.trim().strip_prefix("Got")).map(str::trim);
    if let (true, Some(found)) = (output.contains("DO NOT MATCH THE HASHES"), got) {
        return FetchError::Hash { what, found: found.to_owned(), wanted: sha256.to_owned() };
    }
    FetchError::Program { what, command, output: child::summary(output) }
}

/// The bytes of `file`, once they are those of `wheel`.
fn verified(wheel: &Wheel<'_>, what: &str, file: &Path) -> Result<Vec<u8>, FetchError> {
    let bytes = fs::read(file).map_err(FetchError::io("cannot read", file))?;
    let size = bytes.len() as u64;
    if size < wheel.bytes {
        return Err(FetchError::Short { what: what.to_owned(), found: size, wanted: wheel.bytes });
    }
    let found = sha256(&bytes);
    if found != wheel.sha256 {
        return Err(FetchError::Hash { what: what.to_owned(), found, wanted: wheel.sha256.to_owned() });
    }
    Ok(bytes)
}

/// The SHA-256 of `bytes`, as pins write it.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_nothing_is_the_published_one() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn pip_s_own_complaint_about_a_hash_is_told_from_a_network_out_of_reach() {
        let told = |output: &str| failure(output, "p 1".into(), "pip download".into(), "aa", Path::new("d"));
        let mismatch = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n  Expected sha256 aa\n       Got        bb\n";
        assert!(matches!(told(mismatch), FetchError::Hash { found, .. } if found == "bb"));
        assert!(matches!(told("ERROR: No matching distribution found for p==1\n"), FetchError::Program { .. }));
        assert!(matches!(told("OSError: [Errno 28] No space left on device\n"), FetchError::Io { .. }));
    }
}
