//! What the README promises a reader who has nothing else: the two commands, an example that compiles, links that lead somewhere.

use std::{fs, path::Path, path::PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository").to_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The blocks of code of one language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("\n```{language}\n");
    text.split(opening.as_str()).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn the_first_screen_has_the_command_for_the_main_job_and_the_one_for_the_tests() {
    let readme = read("README.md");
    let screen: Vec<_> = readme.lines().take(24).collect();
    for command in ["cargo codegen update", "cargo test --workspace"] {
        assert!(screen.iter().any(|line| line.starts_with(command)), "{command}");
    }
    assert!(read(".cargo/config.toml").contains("\ncodegen = \"run "), "`cargo codegen` is an alias");
}

#[test]
fn the_example_is_the_one_that_is_compiled_and_run() {
    let example = read("runtime/examples/versions.rs");
    let code: Vec<_> = example.lines().skip_while(|line| line.starts_with("//!") || line.is_empty()).collect();
    assert_eq!(blocks(&read("README.md"), "rust"), [code.join("\n")]);
}

#[test]
fn every_relative_link_leads_to_a_file() {
    for document in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ARCHITECTURE.md"] {
        for rest in read(document).split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            if !target.contains("://") {
                assert!(root().join(target).exists(), "{document}: {target}");
            }
        }
    }
}

#[test]
fn the_crates_of_the_table_are_those_of_the_workspace() {
    let readme = read("README.md");
    for (folder, name) in [
        ("generated", "clcu-sys"),
        ("runtime", "clcu"),
        ("codegen", "clcu-codegen"),
        ("c-interface", "clcu-check"),
        ("spec", "clcu-spec"),
        ("tests", "clcu-tests"),
    ] {
        assert!(readme.contains(&format!("| [`{folder}/`]({folder}) | `{name}` |")), "{folder}");
        assert!(read(&format!("{folder}/Cargo.toml")).contains(&format!("name = \"{name}\"")), "{folder}");
    }
}

/// D13.
#[test]
fn no_cargo_feature_chooses_a_version_of_an_api() {
    for manifest in ["generated/Cargo.toml", "runtime/Cargo.toml"] {
        let text = read(manifest);
        let features = text.split("[features]\n").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or_default();
        for feature in features.lines().filter_map(|line| line.split_once(" = ").map(|(name, _)| name)) {
            assert!(!feature.contains(|digit: char| digit.is_ascii_digit()), "{manifest}: {feature}");
        }
    }
}

#[test]
fn both_licences_are_here() {
    assert!(read("LICENSE-MIT").contains("Copyright (c) The clcu maintainers"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
}
