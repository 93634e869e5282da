//! A tree of modules as one file.
//!
//! In: the files of a tree by path. Out: the text of its root, with each module's text where it is declared. It has no attributes of its own
//! at the top, so that it can be included into a module (`include!`).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    modules::{Declared, declared},
    words::strings,
};

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
    let starts = starts_in_strings(file);
    // Which command wrote the file is said at the top, once.
    for (at, line) in file.lines().enumerate().filter(|(_, line)| depth == 0 || !line.starts_with(super::MARK)) {
        let module = declared(line).filter(|(what, _)| *what == Declared::Module).map(|(_, name)| {
            let below = format!("{folder}{name}/");
            let nested = format!("{below}mod.rs");
            if files.contains_key(&nested) { (below, nested) } else { (folder.to_owned(), format!("{folder}{name}.rs")) }
        });
        if let Some((below, path)) = module {
            text.extend([margin.as_str(), line.trim_end_matches(';'), " {\n"]);
            inline(files, &below, &path, depth + 1, text);
            text.extend([margin.as_str(), "}\n"]);
        } else if line.is_empty() || starts.contains(&at) {
            text.extend([line, "\n"]);
        } else {
            text.extend([margin.as_str(), line, "\n"]);
        }
    }
}

/// The lines that begin within a string, from 0: a margin would become part of it.
fn starts_in_strings(text: &str) -> BTreeSet<usize> {
    let mut starts = BTreeSet::new();
    let (mut line, mut counted) = (0, 0);
    for string in strings(text).filter(|string| text[string.clone()].contains('\n')) {
        line += text[counted..string.start].matches('\n').count();
        let within = text[string.clone()].matches('\n').count();
        starts.extend(line + 1..=line + within);
        line += within;
        counted = string.end;
    }
    starts
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

    #[test]
    fn a_string_of_several_lines_is_not_moved() {
        let files = [("mod.rs", "mod a;\n"), ("a.rs", "const A: &str = \"\\\nb c\nd\";\nfn a() {}\n")];
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        assert_eq!(bundle(&files), "mod a {\n    const A: &str = \"\\\nb c\nd\";\n    fn a() {}\n}\n");
    }
}
