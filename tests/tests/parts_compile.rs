//! Parts of the bindings, compiled by plain `rustc` as crates that need no other: every command's alone, and others in each form.
//!
//! All commands take minutes: a sample is compiled unless `CLCU_PARTS=all` is set.

use std::{env, fmt::Write as _, fs, path::Path, process::Command, thread};

use clcu_codegen::{
    Builder,
    model::{Api, Model},
    parts::Part,
};
use clcu_tests::releases;

/// The first of how many commands is compiled, unless all are.
const SAMPLE: usize = 24;

/// Parts that are compiled together, as modules of one crate.
const TOGETHER: usize = 31;

fn part(names: &[&str], rules: bool) -> Part {
    Builder::new().only(names.iter().copied()).rules(rules).part().unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles the crate at `root` without anything beside it; warnings are errors.
fn compile(root: &Path, more: &[&str]) {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let out = root.with_extension("rmeta");
    let mut command = Command::new(rustc);
    command.args(["--crate-type", "lib", "--emit", "metadata", "--crate-name", "part", "-D", "warnings"]).args(more);
    let ran = command.arg("-o").arg(&out).arg(root).output().expect("rustc is there, since it compiled this");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}:\n{}", root.display(), errors.lines().take(60).collect::<Vec<_>>().join("\n"));
}

/// The symbols of all commands, or every `step`th of them.
fn symbols(step: usize) -> Vec<String> {
    let models: [Model; 2] = [releases::cuda_snapshot(), releases::opencl_snapshot()];
    let symbols: Vec<String> = models.iter().flat_map(|model| &model.commands).map(|command| command.symbol.clone()).collect();
    assert!(symbols.len() > 700, "{} commands", symbols.len());
    symbols.into_iter().step_by(step).collect()
}

/// Compiles the part of each of `symbols`, many of them in one crate: what each brings stands in a module.
fn compile_each(symbols: &[String], rules: bool, more: &[&str]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (at, symbols) in symbols.chunks(TOGETHER).enumerate() {
        let mut root = "#![no_std]\n".to_owned();
        for symbol in symbols {
            let file = format!("{symbol}.rs");
            fs::write(directory.path().join(&file), part(&[symbol], rules).single_file()).expect("writable");
            writeln!(root, "#[allow(non_snake_case)]\nmod {symbol} {{\n    include!({file:?});\n}}").expect("a string takes it");
        }
        let path = directory.path().join(format!("crate{at}.rs"));
        fs::write(&path, root).expect("writable");
        compile(&path, more);
    }
}

#[test]
fn the_part_of_every_command_compiles() {
    let all = match env::var("CLCU_PARTS") {
        Ok(value) => {
            assert_eq!(value, "all", "CLCU_PARTS is `all` or not set");
            true
        }
        Err(_) => false,
    };
    let symbols = symbols(if all { 1 } else { SAMPLE });
    // The checker is most of such a part, and the same in each.
    let with_rules: Vec<String> = symbols.iter().step_by(8).cloned().collect();
    thread::scope(|scope| {
        let (first, second) = symbols.split_at(symbols.len() / 2);
        scope.spawn(|| compile_each(first, false, &["--edition", "2024"]));
        scope.spawn(|| compile_each(second, false, &["--edition", "2021"]));
    });
    compile_each(&with_rules, true, &["--edition", "2024"]);
}

/// Whole APIs by their extensions and commands: whatever is in them finds what it needs.
#[test]
fn everything_compiles_as_a_part_and_as_a_tree() {
    let symbols = symbols(1);
    let names: Vec<&str> = symbols.iter().map(String::as_str).collect();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let part = part(&names, true);
    for (path, text) in part.files() {
        let path = directory.path().join("deep/gpu").join(path);
        fs::create_dir_all(path.parent().expect("in a directory")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    let root = directory.path().join("root.rs");
    fs::write(&root, "#![no_std]\npub mod deep {\n    pub mod gpu;\n}\n").expect("writable");
    compile(&root, &["--edition", "2024"]);
}

#[test]
fn one_file_has_the_same_words_as_the_tree() {
    let part = part(&["cuImportExternalSemaphore", "cl_khr_semaphore"], true);
    let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>().unwrap_or_else(|error| panic!("{error}")).to_string();
    let whole = tokens(&part.single_file());
    for (path, text) in part.files().filter(|(path, _)| !path.ends_with("mod.rs")) {
        let tokens = tokens(text);
        assert!(whole.contains(&tokens), "{path} is another text in one file");
    }
}

#[test]
fn every_api_is_in_a_part_of_both_and_one_alone_is_not() {
    for (name, api) in [("cuInit", Api::Cuda), ("clGetPlatformIDs", Api::OpenCl)] {
        let part = part(&[name], false);
        let folders = Api::ALL.map(|api| part.files().any(|(path, _)| path.starts_with(api.name())));
        assert_eq!(folders, Api::ALL.map(|other| other == api), "{name}");
    }
}
