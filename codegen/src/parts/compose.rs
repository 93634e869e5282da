//! A part as a tree of modules: stretches of the generated files, and what of the rest of `clcu-sys` they need.
//!
//! In: which stretches were chosen of each API. Out: the files of the part by path. Every line is one of `clcu-sys`, but for paths, which
//! become relative, and the lines that declare modules.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    MARK,
    error::Error,
    index::{File, Index, Role},
    macros::Macros,
    modules::{Declared, declarations, declared},
    relocate::{is_macro, relocate, without_examples},
    texts::{Texts, folder},
    words::words,
};

/// What of an API is in the part.
pub(super) struct Chosen<'t> {
    pub(super) api: &'static str,
    pub(super) index: Index<'t>,
    pub(super) places: BTreeSet<(usize, usize)>,
}

/// Lints that are not for a part: it need not use all of itself, and is as its generator writes it.
const ALLOWED: &str = "#[allow(dead_code, missing_docs, unreachable_pub, unsafe_code, unused_imports, unused_macros)]\n\
                       #[allow(clippy::all, clippy::pedantic, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]\n\
                       #[rustfmt::skip]\n";

/// The files of the part. `header` is what its root says of it.
pub(super) fn tree(texts: &Texts, chosen: &[Chosen<'_>], rules: bool, header: &str) -> Result<BTreeMap<String, String>, Error> {
    let mut files = BTreeMap::new();
    for chosen in chosen {
        api(texts, chosen, &mut files)?;
    }
    let mut support = Support::new(texts)?;
    if rules {
        support.take("rules")?;
    }
    for text in files.values() {
        support.need(text)?;
    }
    let modules = support.modules;
    for module in &modules {
        for (path, text) in module_files(texts, module) {
            let text = without_examples(text);
            files.insert(path, text);
        }
    }
    for (path, macros) in [("macros.rs", support.macros), ("rules/macros.rs", support.rules)] {
        if path == "macros.rs" || modules.contains("rules") {
            files.insert(path.to_owned(), macros.text(|name| support.wanted.contains(name)));
        }
    }
    let mut files: BTreeMap<String, String> = files
        .into_iter()
        .map(|(path, text)| {
            let depth = if path.contains('/') && !path.ends_with("/mod.rs") { 2 } else { 1 };
            let text = format!("{MARK}\n{}", relocate(&text, depth));
            (path, text)
        })
        .collect();
    files.insert("mod.rs".to_owned(), root(texts, chosen, &modules, header)?);
    Ok(files)
}

/// The root: `lib.rs` without what the part does not have.
fn root(texts: &Texts, chosen: &[Chosen<'_>], modules: &BTreeSet<&str>, header: &str) -> Result<String, Error> {
    let is_there = |name: &str| name == "macros" || modules.contains(name) || chosen.iter().any(|chosen| chosen.api == name);
    let mut text = format!("{MARK}\n{header}\n");
    for line in declarations(texts.get("src/lib.rs")?, is_there).lines() {
        match declared(line) {
            Some((Declared::Module, _)) => text.push_str(ALLOWED),
            Some((Declared::Use, _)) => text.push_str("#[allow(unreachable_pub, unused_imports)]\n"),
            None => {}
        }
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

/// The files of one API, with paths as they are in `clcu-sys`.
fn api(texts: &Texts, chosen: &Chosen<'_>, files: &mut BTreeMap<String, String>) -> Result<(), Error> {
    let folder = folder(chosen.api);
    let mut names = BTreeSet::new();
    for (at, file) in chosen.index.files.iter().enumerate() {
        let places: BTreeSet<usize> = chosen.places.range((at, 0)..(at + 1, 0)).map(|(_, within)| *within).collect();
        if !places.is_empty() {
            names.insert(file.name);
            let path = format!("{folder}{}.rs", file.name);
            let text = cut(texts.get(&path)?, file, &places);
            let text = text.ok_or_else(|| Error::Damaged(format!("{path} has not as many lines as its index says")))?;
            files.insert(format!("{}/{}.rs", chosen.api, file.name), text);
        }
    }
    let module = texts.get(&format!("{folder}mod.rs"))?;
    let about = module.lines().filter(|line| line.starts_with("//!") || line.starts_with("#![")).collect::<Vec<_>>().join("\n");
    let module = format!("{about}\n\n{}", declarations(module, |name| names.contains(name)));
    files.insert(format!("{}/mod.rs", chosen.api), module);
    Ok(())
}

/// Those stretches of `text` that are at `places`, below its head; `None` if the index is not that of the text.
fn cut(text: &str, file: &File<'_>, places: &BTreeSet<usize>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let (head, mut rest) = lines.split_at_checked(file.head)?;
    let mut body = String::new();
    let mut gap = false;
    for (at, stretch) in file.stretches.iter().enumerate() {
        let (own, after) = rest.split_at_checked(stretch.lines)?;
        rest = after;
        if places.contains(&at) {
            append(&mut body, own, stretch.role, &mut gap);
        }
    }
    rest.is_empty().then(|| format!("{}\n{body}", self::head(head, &body)))
}

/// Puts `lines` behind `body`, apart from it as they were in the whole: `gap` says whether an empty line is due.
fn append(body: &mut String, lines: &[&str], role: Role, gap: &mut bool) {
    let Some(first) = lines.iter().position(|line| !line.is_empty()) else { return };
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(first);
    let apart = first > 0 || matches!(role, Role::Item | Role::Open) && last > first;
    // The opening lines of a table in a table continue it.
    let continues = lines[first].starts_with(' ');
    if !body.is_empty() && !continues && (*gap || apart) {
        body.push('\n');
    }
    // A part has what it was asked for, and no features.
    for line in lines[first..=last].iter().filter(|line| !line.trim_start().starts_with("#[cfg(feature")) {
        body.push_str(line);
        body.push('\n');
    }
    *gap = last + 1 < lines.len();
}

/// The lines before the first item, without those names from `core` that `body` does not speak of.
fn head(lines: &[&str], body: &str) -> String {
    let spoken: BTreeSet<&str> = words(body).map(|(word, _)| word).collect();
    let mut head = String::new();
    for line in lines.iter().skip(1) {
        let names = line.strip_prefix("use core::ffi::").and_then(|rest| rest.strip_suffix(';'));
        let Some(names) = names else {
            if !(line.is_empty() && head.ends_with("\n\n")) {
                head.push_str(line);
                head.push('\n');
            }
            continue;
        };
        let names: Vec<&str> = names.trim_matches(['{', '}']).split(", ").filter(|name| spoken.contains(name)).collect();
        match names.as_slice() {
            [] => {}
            [one] => head.extend(["use core::ffi::", one, ";\n"]),
            names => head.extend(["use core::ffi::{", &names.join(", "), "};\n"]),
        }
    }
    head.truncate(head.trim_end().len());
    head.push('\n');
    head
}

/// The files of a module that is written by hand, by their paths in the part.
fn module_files<'t>(texts: &'t Texts, module: &'t str) -> impl Iterator<Item = (String, &'t str)> {
    let single = format!("{module}.rs");
    let folder = format!("{module}/");
    texts
        .below("src/")
        .filter(move |(path, _)| (*path == single || path.starts_with(&folder)) && *path != "rules/macros.rs")
        .map(|(path, text)| (path.to_owned(), text))
}

/// What generated rows need of the rest of `clcu-sys`: macros, and modules that are taken as a whole.
struct Support<'t> {
    texts: &'t Texts,
    root: &'t str,
    macros: Macros<'t>,
    rules: Macros<'t>,
    wanted: BTreeSet<&'t str>,
    modules: BTreeSet<&'t str>,
}

impl<'t> Support<'t> {
    fn new(texts: &'t Texts) -> Result<Self, Error> {
        Ok(Self {
            texts,
            root: texts.get("src/lib.rs")?,
            macros: Macros::read(texts.get("src/macros.rs")?),
            rules: Macros::read(texts.get("src/rules/macros.rs")?),
            wanted: BTreeSet::new(),
            modules: BTreeSet::new(),
        })
    }

    /// Takes what `text` calls or names.
    fn need(&mut self, text: &str) -> Result<(), Error> {
        for (word, end) in words(text) {
            if text[end..].starts_with('!') {
                self.need_macro(word)?;
            }
        }
        for (at, path) in text.match_indices("crate::") {
            let after = &text[at + path.len()..];
            // `crate::name`, or `crate::{name, module::{…}}`.
            let until = if after.starts_with('{') { after.find(';').unwrap_or(0) } else { 0 };
            let names = words(if until > 0 { &after[..until] } else { after.lines().next().unwrap_or_default() });
            for (name, _) in names.take(if until > 0 { usize::MAX } else { 1 }) {
                if !is_macro(after) {
                    self.take(name)?;
                }
            }
        }
        Ok(())
    }

    fn need_macro(&mut self, name: &str) -> Result<(), Error> {
        let found = self.macros.get(name).or_else(|| self.rules.get(name)).map(|one| (one.name, one.text));
        if let Some((name, text)) = found
            && self.wanted.insert(name)
        {
            self.need(text)?;
        }
        Ok(())
    }

    /// Takes the module that is called `name`, or that the root takes `name` from; other names are nothing of the root's.
    fn take(&mut self, name: &str) -> Result<(), Error> {
        let module = self.root.lines().find_map(|line| match declared(line)? {
            (Declared::Module, module) if module == name => Some(module),
            (Declared::Use, module) if words(line).any(|(word, _)| word == name) => Some(module),
            _ => None,
        });
        let Some(module) = module.filter(|module| *module != "macros" && self.modules.insert(module)) else { return Ok(()) };
        let texts = self.texts;
        for (_, text) in module_files(texts, module) {
            self.need(&without_examples(text))?;
        }
        Ok(())
    }
}
