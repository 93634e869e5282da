//! Runs pip or git, watches what arrives on the disk meanwhile, and ends a program that brings nothing for too long.
//!
//! In: a command, and the directory into which it downloads. Out: whether it succeeded, and what it printed.

use std::{
    fs, io,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longer than pip takes to ask a slow index, shorter than a person waits.
const STALL: Duration = Duration::from_mins(2);
const INTERVAL: Duration = Duration::from_millis(50);

/// How a program ended.
pub(super) enum Ended {
    Success,
    /// With what it printed, both streams in order.
    Failure(String),
    /// By us.
    Stalled(Duration),
}

/// Runs `command`. Whatever it writes below `directory` counts as progress; its output goes to a file there, because a pipe that nobody
/// empties would block it.
pub(super) fn run(command: &mut Command, directory: &Path, on_bytes: &mut dyn FnMut(u64)) -> io::Result<Ended> {
    let log = directory.join("output");
    let output = fs::File::create(&log)?;
    let mut child = command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).spawn()?;
    let (mut size, mut since) = (0, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(INTERVAL);
        let now = size_below(directory);
        if now != size {
            (size, since) = (now, Instant::now());
            on_bytes(size);
        } else if since.elapsed() > STALL {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Stalled(STALL));
        }
    };
    if status.success() {
        return Ok(Ended::Success);
    }
    let printed = fs::read(&log).unwrap_or_default();
    Ok(Ended::Failure(String::from_utf8_lossy(&printed).into_owned()))
}

/// The size of all files below `directory`. What vanishes meanwhile counts as nothing.
fn size_below(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// The lines of a program's output that say why it failed: those that speak of an error, each once, or else the last ones.
pub(super) fn summary(output: &str) -> String {
    const MOST: usize = 4;
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut told: Vec<&str> = Vec::new();
    for line in lines().filter(|line| ["ERROR", "error:", "fatal:"].iter().any(|mark| line.starts_with(mark))) {
        if !told.contains(&line) {
            told.push(line);
        }
    }
    if told.is_empty() {
        told = lines().collect();
        told.drain(..told.len().saturating_sub(MOST));
    }
    // A retry says what the network is like; the error after it only that no version was found.
    if let Some(reason) =
        lines().filter(|line| line.starts_with("WARNING: Retrying")).find_map(|line| line.split("broken by ").nth(1))
    {
        // It names an object of Python's, with its address, before the words for people.
        told.insert(0, reason.split_once(">: ").map_or(reason, |(_, words)| words));
    }
    told.truncate(MOST);
    if told.is_empty() { "no output".to_owned() } else { told.join(" / ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_gives_the_network_s_reason_and_the_errors_once() {
        let output = "Collecting a\nWARNING: Retrying (Retry(total=1)) after connection broken by 'Unreachable': /a/\n\
                      WARNING: Retrying (Retry(total=0)) after connection broken by 'Unreachable': /a/\n\
                      ERROR: No matching distribution\nERROR: No matching distribution\n[notice] a new release\n";
        assert_eq!(summary(output), "'Unreachable': /a/ / ERROR: No matching distribution");
    }

    #[test]
    fn a_summary_leaves_addresses_of_objects_out() {
        let output =
            "WARNING: Retrying (Retry(total=1)) after connection broken by 'E('<o object at 0x7fa5>: Name not known')': /a/\n";
        assert_eq!(summary(output), "Name not known')': /a/ / ".to_owned() + output.trim());
    }

    #[test]
    fn a_summary_of_output_without_errors_is_its_end() {
        assert_eq!(summary("one\ntwo\nthree\nfour\n\nfive\n"), "two / three / four / five");
        assert_eq!(summary(" \n"), "no output");
    }
}
