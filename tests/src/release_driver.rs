//! Mock drivers that have exactly the commands of one release of CUDA.
//!
//! In: the snapshot and a version. Out: the symbols of that release's headers, and a driver that exports them and nothing else of the API.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use clcu_codegen::model::{Command, Model, Version};

use crate::mock::{self, Mock};

/// What `tests/mock/release.c` writes by hand, because it has to answer.
const ANSWERING: [&str; 4] = ["cuDriverGetVersion", "cuDeviceGetCount", "cuGetProcAddress", "cuGetProcAddress_v2"];

/// The flags of `cuGetProcAddress`.
const LEGACY: u32 = 1;
const PER_THREAD: u32 = 2;

/// The commands that the headers of `version` declare outside of Windows.
#[must_use]
pub fn commands(model: &Model, version: Version) -> Vec<&Command> {
    let declares = |command: &&Command| {
        let lifetime = &command.lifetime;
        !command.windows
            && lifetime.since.is_some_and(|since| since <= version)
            && lifetime.until.is_none_or(|until| version <= until.version)
    };
    model.commands.iter().filter(declares).collect()
}

/// The driver of `version`; `None`, after saying so for `test`, where there is no gcc.
///
/// # Panics
/// If gcc refuses it.
#[must_use]
pub fn build(test: &str, model: &Model, version: Version) -> Option<Mock> {
    let (mut symbols, mut rows) = (BTreeSet::new(), String::new());
    for command in commands(model, version) {
        symbols.insert(command.symbol.as_str());
        symbols.extend(command.per_thread_symbol.as_deref());
        let mut variant = |symbol: &str, version: Option<u32>, flags: u32| {
            if let Some(version) = version {
                // Writing to a `String` does not fail.
                let _ = writeln!(rows, "VARIANT({}, {version}, {flags}, {symbol})", command.name);
            }
        };
        match &command.per_thread_symbol {
            Some(symbol) => {
                variant(&command.symbol, command.version, LEGACY);
                variant(symbol, command.per_thread_version, PER_THREAD);
            }
            None => variant(&command.symbol, command.version, LEGACY | PER_THREAD),
        }
    }
    for symbol in symbols.iter().filter(|symbol| !ANSWERING.contains(symbol)) {
        let _ = writeln!(rows, "SYMBOL({symbol})");
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("rows.h");
    fs::write(&file, rows).expect("writable");
    let number = u32::from(version.major) * 1000 + u32::from(version.minor) * 10;
    let driver = mock::release().with(&format!("RELEASE={number}")).with_text("ROWS", file.to_str().expect("UTF-8"));
    driver.build(test)
}
