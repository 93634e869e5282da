//! A tree of modules as one file.
//!
//! In: the files of a tree by path. Out: the text of its root, with each module's text where it is declared. It has no attributes of its own
//! at the top, so that it can be included into a module (`include!`).

use std::collections::BTreeMap;

use super::modules::{Declared, declared};

/// The root of `files` with every module in it.
pub(super) fn bundle(files: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    inline(files, "", "mod.rs", 0, &mut text);
    text
}

/// The text of `path`, with the modules declared in it, which are below `folder`.
fn inline(files: &BTreeMap<String, String>, folder: &str, path: &str, depth: usize, text: &mut String) {
    let Some(file) = files.get(path) else { return };
    let margin = "    ".repeat(depth);
    // Which command wrote the file is said at the top, once.
    for line in file.lines().filter(|line| depth == 0 || !line.starts_with(super::MARK)) {
        let module = declared(line).filter(|(what, _)| *what == Declared::Module).map(|(_, name)| {
            let below = format!("{folder}{name}/");
            let nested = format!("{below}mod.rs");
            if files.contains_key(&nested) { (below, nested) } else { (folder.to_owned(), format!("{folder}{name}.rs")) }
        });
        if let Some((below, path)) = module {
            text.push_str(&format!("{margin}{} {{\n", line.trim_end_matches(';')));
            inline(files, &below, &path, depth + 1, text);
            text.push_str(&format!("{margin}}}\n"));
        } else if line.is_empty() {
            text.push('\n');
        } else {
            text.push_str(&format!("{margin}{line}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bundle;

    #[test]
    fn modules_stand_where_they_are_declared() {
        let files = [
            ("mod.rs", "// top\nmod a;\npub mod b;\n"),
            ("a.rs", "fn a() {}\n"),
            ("b/mod.rs", "//! B.\nmod c;\n"),
            ("b/c.rs", "\nfn c() {\n}\n"),
        ];
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        let text =
            "// top\nmod a {\n    fn a() {}\n}\npub mod b {\n    //! B.\n    mod c {\n\n        fn c() {\n        }\n    }\n}\n";
        assert_eq!(bundle(&files), text);
    }
}
