//! Which exported function a public name of CUDA means, asked of the C preprocessor on the headers of three releases, and compared with the
//! generated table.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    process::Command,
};

use clcu::sys::{CommandInfo, cuda};
use clcu_tests::{releases, upstream::skipped};

/// What a release's header makes of the public names of the table.
struct Expanded {
    /// Exported function by public name, for names that the header declares.
    meaning: BTreeMap<String, String>,
    /// Every identifier of the preprocessed text.
    identifiers: BTreeSet<String>,
}

fn text(name: &'static std::ffi::CStr) -> &'static str {
    name.to_str().expect("names are ASCII")
}

fn public_names() -> BTreeSet<&'static str> {
    cuda::COMMANDS.iter().map(|command| text(command.name)).collect()
}

/// Runs the preprocessor over the header, with each public name on a line of its own behind it. `None` where something is missing.
fn expand(test: &str, version: &str, per_thread: bool) -> Option<Expanded> {
    let (headers, _) = releases::cuda_include(test, version)?;
    let directory = tempfile::tempdir().expect("a directory can be made");
    let source = directory.path().join("names.c");
    fs::write(&source, program(per_thread)).expect("it can be written");
    let Ok(output) = Command::new("gcc").args(["-E", "-P", "-I"]).arg(&headers.include).arg(&source).output() else {
        skipped(test, "gcc");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let preprocessed = String::from_utf8(output.stdout).expect("the header is ASCII");
    let (declarations, names) = preprocessed.split_once("clcu_names_follow").expect("the program ends with the names");
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let identifiers: BTreeSet<String> = words(declarations).into_iter().collect();
    let expansions = words(names);
    let pairs = expansions.chunks_exact(2).map(|pair| (pair[0].trim_start_matches("name_of_").to_owned(), pair[1].clone()));
    let meaning = pairs.filter(|(_, symbol)| identifiers.contains(symbol)).collect();
    Some(Expanded { meaning, identifiers })
}

fn program(per_thread: bool) -> String {
    let mut program = String::new();
    if per_thread {
        program.push_str("#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n");
    }
    program.push_str("#include <cuda.h>\n#include <cudaTypedefs.h>\n");
    program.push_str("clcu_names_follow\n");
    for name in public_names() {
        let _ = writeln!(program, "name_of_{name} {name}");
    }
    program
}

fn row(symbol: &str) -> Option<&'static CommandInfo> {
    cuda::COMMANDS.iter().find(|command| text(command.symbol) == symbol)
}

const RELEASES: [&str; 3] = ["11.8", "12.9", "13.5"];

/// B07: an unsuffixed name is an old ABI; the header's macros say which function it means.
#[test]
fn b07_public_names_mean_the_functions_that_the_preprocessor_says() {
    let test = "cuda_names: the preprocessor";
    for version in RELEASES {
        let Some(Expanded { meaning, .. }) = expand(test, version, false) else { return };
        assert!(meaning.len() > 300, "{version}: {} names", meaning.len());
        for (name, symbol) in &meaning {
            let row = row(symbol).unwrap_or_else(|| panic!("{version}: {name} means {symbol}, which the table lacks"));
            // That function is public under its own name besides.
            if (name.as_str(), symbol.as_str()) != ("cuGraphInstantiate", "cuGraphInstantiateWithFlags") {
                assert_eq!(text(row.name), name, "{version}: {symbol}");
            }
        }
        let means = |name: &str| meaning.get(name).map(String::as_str);
        let expected = match version {
            "13.5" => [Some("cuCtxCreate_v4"), Some("cuMemPrefetchAsync_v2"), Some("cuGetProcAddress_v2"), Some("cuMemAlloc_v2")],
            "12.9" => [Some("cuCtxCreate_v2"), Some("cuMemPrefetchAsync"), Some("cuGetProcAddress_v2"), Some("cuMemAlloc_v2")],
            _ => [Some("cuCtxCreate_v2"), Some("cuMemPrefetchAsync"), Some("cuGetProcAddress"), Some("cuMemAlloc_v2")],
        };
        let found = ["cuCtxCreate", "cuMemPrefetchAsync", "cuGetProcAddress", "cuMemAlloc"].map(means);
        assert_eq!(found, expected, "{version}");
    }
}

/// The version by which `cuGetProcAddress` is asked for each is one of the header's own type names.
#[test]
fn b07_every_version_of_the_table_is_in_the_name_of_a_function_type() {
    let test = "cuda_names: versions";
    let Some(Expanded { meaning, identifiers }) = expand(test, "13.5", false) else { return };
    let mut compared = 0;
    for symbol in meaning.values() {
        let row = row(symbol).expect("the test above looks for it");
        let (name, version) = (text(row.name), row.version);
        let kind = format!("PFN_{name}_v{version}");
        // Functions of OpenGL, EGL and VDPAU have their types in other headers.
        if version != 0 && row.header == "cuda.h" {
            assert!(identifiers.contains(&kind), "{symbol} has version {version}, and no {kind} is declared");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

/// B08: what each thread's own default stream makes of the names, in number and in name.
#[test]
fn b08_per_thread_variants_are_those_of_the_preprocessor() {
    let test = "cuda_names: per-thread variants";
    for (version, streams) in RELEASES.into_iter().zip([61, 66, 74]) {
        let Some(Expanded { meaning, identifiers }) = expand(test, version, true) else { return };
        let ending = |end: &str| identifiers.iter().filter(|name| name.starts_with("cu") && name.ends_with(end)).count();
        assert_eq!((ending("_ptsz"), ending("_ptds")), (streams, 20), "{version}");
        for (name, symbol) in meaning.iter().filter(|(_, symbol)| symbol.ends_with("_ptsz") || symbol.ends_with("_ptds")) {
            // The header makes that one of its own, inline.
            if name == "cuGetProcAddress" {
                continue;
            }
            let known = cuda::COMMANDS.iter().any(|command| {
                text(command.name) == name && command.per_thread.is_some_and(|(per_thread, _)| text(per_thread) == symbol)
            });
            assert!(known, "{version}: {name} is {symbol} for each thread's own stream");
        }
    }
}
