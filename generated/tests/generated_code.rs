//! Facts about the text of generated files: what must never be in them, whatever upstream declares.

use std::{fs, path::PathBuf};

/// Name and text of each generated file.
fn generated() -> Vec<(String, String)> {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for api in ["cuda", "opencl"] {
        for entry in fs::read_dir(source.join(api)).unwrap() {
            let path = entry.unwrap().path();
            files.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(files.len() > 4);
    files
}

/// The lines of generated files, and of the macros, that have `word` as a word.
fn lines_with(word: &str) -> Vec<String> {
    let macros = ("macros.rs".to_owned(), include_str!("../src/macros.rs").to_owned());
    let is_word = |line: &&str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word);
    let files = generated().into_iter().chain([macros]);
    files
        .flat_map(|(name, text)| {
            text.lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .filter(is_word)
                .map(|line| format!("{name}: {}", line.trim()))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn nothing_is_transmuted() {
    assert_eq!(lines_with("transmute"), Vec::<String>::new());
    assert_eq!(lines_with("transmute_copy"), Vec::<String>::new());
}

#[test]
fn no_value_of_a_driver_is_a_rust_enum() {
    // One `enum` numbers commands by their place in the table. The others are views that this crate makes of a descriptor after looking at
    // its type: each has a variant for what is not known here, and none has a value of the driver's for a discriminant.
    let (views, others): (Vec<_>, Vec<_>) = lines_with("enum").into_iter().partition(|line| line.contains("rules.rs: pub enum"));
    assert_eq!(others, ["macros.rs: enum Index {"]);
    let unknown = generated().iter().map(|(_, text)| text.matches("    Unknown(").count()).sum::<usize>();
    assert_eq!((views.len(), unknown), (2, 2), "{views:?}");
    for (name, text) in generated().iter().filter(|(name, _)| name.ends_with("rules.rs")) {
        assert!(!text.contains("#[repr(u32)]") && !text.contains("#[repr(i32)]"), "{name}");
    }
}

#[test]
fn every_newtype_is_transparent() {
    let macros = include_str!("../src/macros.rs");
    assert_eq!(macros.matches("pub struct $name(pub $repr);").count(), macros.matches("#[repr(transparent)]").count());
}

#[test]
fn functions_have_the_systems_convention() {
    for (name, text) in generated() {
        assert!(!text.contains("extern \"C\""), "{name}");
    }
}
