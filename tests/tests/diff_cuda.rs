//! `clcu diff` of two releases of CUDA against a comparison of the headers by a C compiler, which knows nothing of the importer.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
    process::Command,
};

use clcu_codegen::{
    diff::{Change, Diff, Kind, What},
    model::{CType, Model},
};
use clcu_tests::{releases, upstream};

/// What `cuda.h` says to a C compiler.
struct Header {
    /// Declarations of functions, by the name that is exported.
    functions: BTreeMap<String, String>,
    /// Values of enumerators.
    enumerators: BTreeMap<String, i64>,
    /// Size and alignment of types.
    types: BTreeMap<String, (u64, u64)>,
    /// The words of the other headers.
    other_words: BTreeSet<String>,
}

fn gcc(arguments: &[&str], include: &Path) -> Option<String> {
    let output = Command::new("gcc").arg("-I").arg(include).args(arguments).output().ok()?;
    assert!(output.status.success(), "gcc: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// The statements of preprocessed C that are not within braces, each without the bodies in it.
fn statements(text: &str) -> Vec<String> {
    let (mut found, mut current, mut depth) = (Vec::new(), String::new(), 0u32);
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => found.push(std::mem::take(&mut current)),
            _ if depth == 0 => current.push(c),
            _ => {}
        }
    }
    found.iter().map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The names in the bodies of enumerations.
fn enumerator_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let bodies = text.split("enum ").skip(1).filter_map(|rest| {
        let (head, rest) = rest.split_once('{')?;
        head.chars().all(|c| is_word(c) || c.is_whitespace()).then(|| rest.split('}').next().unwrap_or_default())
    });
    for body in bodies {
        let starts = body.split(',').filter_map(|one| words(one).next());
        names.extend(starts.map(str::to_owned));
    }
    names
}

/// The names that typedefs of the API give; those of the C library are left out.
fn typedef_names(statements: &[String]) -> BTreeSet<String> {
    let typedefs = statements.iter().filter_map(|statement| statement.strip_prefix("typedef "));
    let name = |text: &str| match text.split_once("(*").or_else(|| text.split_once("( *")) {
        Some((_, rest)) => words(rest).next().map(str::to_owned),
        None => words(text.split('[').next().unwrap_or_default()).last().map(str::to_owned),
    };
    typedefs.filter_map(name).filter(|name| ["CU", "cuuint", "cl_"].iter().any(|prefix| name.starts_with(prefix))).collect()
}

/// `None`, having said so, where there is no gcc.
fn read(test: &str, include: &Path) -> Option<Header> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    fs::write(&source, "#include <cuda.h>\n").expect("writable");
    let Some(preprocessed) = gcc(&["-E", "-P", &path(&source)], include) else {
        upstream::skipped(test, "gcc");
        return None;
    };
    let statements = statements(&preprocessed);
    let mut functions = BTreeMap::new();
    for statement in statements.iter().filter(|statement| !statement.starts_with("typedef ")) {
        // Attributes may stand before.
        let Some((_, declaration)) = statement.split_once("CUresult cu") else { continue };
        let (name, parameters) = declaration.split_once('(').expect("parameters");
        functions.insert(format!("cu{}", name.trim()), parameters.to_owned());
    }
    let (names, typedefs) = (enumerator_names(&preprocessed), typedef_names(&statements));
    let mut listing = String::from("#include <cuda.h>\n#include <stdio.h>\nint main(void) {\n");
    for name in &names {
        writeln!(listing, "printf(\"e {name} %lld 0\\n\", (long long){name});").expect("a String");
    }
    for name in &typedefs {
        writeln!(listing, "printf(\"t {name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));").expect("a String");
    }
    listing.push_str("}\n");
    fs::write(&source, listing).expect("writable");
    gcc(&["-o", &path(&program), &path(&source)], include)?;
    let listed = Command::new(&program).output().expect("the program runs").stdout;
    let (mut enumerators, mut types) = (BTreeMap::new(), BTreeMap::new());
    for line in String::from_utf8_lossy(&listed).lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        let [kind, name, first, second] = parts.as_slice() else { panic!("{line}") };
        if *kind == "e" {
            enumerators.insert((*name).to_owned(), first.parse().expect("a number"));
        } else {
            types.insert((*name).to_owned(), (first.parse().expect("a size"), second.parse().expect("an alignment")));
        }
    }
    let others = ["cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"].map(|name| fs::read_to_string(include.join(name)).unwrap_or_default());
    let other_words = others.iter().flat_map(|text| words(text)).map(str::to_owned).collect();
    Some(Header { functions, enumerators, types, other_words })
}

/// The difference of the keys of two maps.
fn fresh<'a, T>(old: &BTreeMap<String, T>, new: &'a BTreeMap<String, T>) -> BTreeSet<&'a str> {
    new.keys().filter(|name| !old.contains_key(*name)).map(String::as_str).collect()
}

/// What a diff says of one kind of thing, by name.
fn said(diff: &Diff, kinds: &[Kind], of: impl Fn(&Change) -> Option<String>) -> BTreeSet<String> {
    diff.changes.iter().filter(|change| kinds.contains(&change.kind)).filter_map(of).collect()
}

/// Asserts that `said` is `wanted`, where what the other headers alone declare is allowed if it is in one of the two only.
fn same(what: &str, said: &BTreeSet<String>, wanted: &BTreeSet<&str>, from: &Header, to: &Header) {
    let missing: Vec<_> = wanted.iter().filter(|name| !said.contains(**name)).collect();
    assert!(missing.is_empty(), "{what}, not listed: {missing:?}");
    let elsewhere = |name: &&String| to.other_words.contains(*name) && !from.other_words.contains(*name);
    let invented: Vec<_> = said.iter().filter(|name| !wanted.contains(name.as_str()) && !elsewhere(name)).collect();
    assert!(invented.is_empty(), "{what}, invented: {invented:?}");
}

fn leaf(change: &Change) -> Option<String> {
    change.leaf.clone()
}

fn in_whole(diff: &Diff, model: &Model, what: &What) -> BTreeSet<String> {
    let types = said(diff, &[Kind::Enumeration], |change| (change.what == *what).then(|| change.item.clone()));
    let of = model.enumerations.iter().filter(|item| types.contains(&item.name));
    of.flat_map(|item| &item.enumerators).map(|leaf| leaf.name.clone()).collect()
}

fn compare(test: &str, from: &str, to: &str) {
    let (Some((old_headers, _)), Some((new_headers, _))) = (releases::cuda_include(test, from), releases::cuda_include(test, to))
    else {
        return;
    };
    let (Some(old), Some(new)) = (read(test, &old_headers.include), read(test, &new_headers.include)) else { return };
    let (Some(old_model), Some(new_model)) = (releases::cuda(test, from), releases::cuda(test, to)) else { return };
    assert!(new.functions.len() > 350 && new.enumerators.len() > 600 && new.types.len() > 150, "the headers were read");
    let diff = Diff::between(&old_model, &new_model);

    let functions = [Kind::Command];
    let of = |what: What| move |change: &Change| (change.what == what).then(|| change.item.clone());
    same("new functions", &said(&diff, &functions, of(What::Added)), &fresh(&old.functions, &new.functions), &old, &new);
    same(
        "functions that are gone",
        &said(&diff, &functions, of(What::Removed)),
        &fresh(&new.functions, &old.functions),
        &new,
        &old,
    );
    let signatures = said(&diff, &[Kind::Command, Kind::Parameter], |change| {
        matches!(&change.what, What::Changed { aspect, .. } if ["parameters", "name"].contains(&aspect.as_str()) || change.leaf.is_some())
            .then(|| change.item.clone())
    });
    let other: BTreeSet<&str> = (new.functions.iter())
        .filter(|(name, is)| old.functions.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.as_str())
        .collect();
    same("declarations", &signatures, &other, &old, &new);

    let values = [Kind::Enumerator];
    let mut added = said(&diff, &values, |change| match &change.what {
        What::Added => leaf(change),
        What::Renamed { to } => Some(to.clone()),
        _ => None,
    });
    added.extend(in_whole(&diff, &new_model, &What::Added));
    same("new enumerators", &added, &fresh(&old.enumerators, &new.enumerators), &old, &new);
    // What becomes a macro is no enumerator any more.
    let no_type =
        |change: &Change| matches!(&change.what, What::Changed { aspect, is, .. } if aspect == "place" && is == "no type");
    let mut removed = said(&diff, &values, |change| {
        (matches!(change.what, What::Removed | What::Renamed { .. }) || no_type(change)).then(|| leaf(change)).flatten()
    });
    removed.extend(in_whole(&diff, &old_model, &What::Removed));
    same("enumerators that are gone", &removed, &fresh(&new.enumerators, &old.enumerators), &new, &old);
    // Numbers of the other headers, which this comparison does not compile, are left to it only if they stand there.
    let compiled = |name: &String| new.enumerators.contains_key(name) || !new.other_words.contains(name);
    let renumbered =
        said(&diff, &values, |change| (change.word() == "renumbered").then(|| leaf(change)).flatten().filter(compiled));
    let other: BTreeSet<&str> = (new.enumerators.iter())
        .filter(|(name, is)| old.enumerators.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.as_str())
        .collect();
    same("other numbers", &renumbered, &other, &old, &new);

    let types = [Kind::Record, Kind::Enumeration, Kind::Alias, Kind::Handle, Kind::Callback];
    let whole = |what: What| move |change: &Change| (change.leaf.is_none() && change.what == what).then(|| change.item.clone());
    same("new types", &said(&diff, &types, whole(What::Added)), &fresh(&old.types, &new.types), &old, &new);
    same("types that are gone", &said(&diff, &types, whole(What::Removed)), &fresh(&new.types, &old.types), &new, &old);
    layouts(&diff, &old, &new, [&old_model, &new_model]);
}

/// Sizes and alignments. A short name has those of the versioned one, which is what the diff speaks of.
fn layouts(diff: &Diff, old: &Header, new: &Header, models: [&Model; 2]) {
    let laid_out = said(diff, &[Kind::Record], |change| match &change.what {
        What::Changed { aspect, .. } if aspect == "size" || aspect == "alignment" => Some(change.item.clone()),
        _ => None,
    });
    let target = |name: &str| {
        let aliases = models.iter().flat_map(|model| &model.aliases);
        aliases.into_iter().find_map(|alias| match &alias.ctype {
            CType::Named(target) if alias.name == name => Some(target.clone()),
            _ => None,
        })
    };
    let other: BTreeSet<&str> = (new.types.iter())
        .filter(|(name, is)| old.types.get(*name).is_some_and(|was| was != *is))
        .map(|(name, _)| name.as_str())
        .collect();
    for name in &other {
        // An alias that means another type, or a name that became one, says so itself.
        let of_kind = |name: &str| {
            diff.changes.iter().any(|change| {
                let kind = matches!(&change.what, What::Changed { aspect, .. } if aspect == "kind" || aspect == "type");
                change.item == name && change.leaf.is_none() && kind
            })
        };
        let is_listed = |name: &str| laid_out.contains(name) || of_kind(name);
        let listed = is_listed(name) || target(name).is_some_and(|target| is_listed(&target));
        assert!(listed, "another layout, not listed: {name}");
    }
    for name in &laid_out {
        // On 64-bit systems, for which gcc speaks; 32-bit ones may differ alone.
        let wide_only = |change: &&Change| match &change.what {
            What::Changed { aspect, was, is } if aspect == "size" || aspect == "alignment" => {
                change.item == *name && was.split('/').next() != is.split('/').next()
            }
            _ => false,
        };
        let wide = diff.changes.iter().any(|change| wide_only(&change));
        assert!(!wide || other.contains(name.as_str()), "another layout, invented: {name}");
    }
}

#[test]
fn every_change_from_12_9_to_13_0_is_listed_and_none_is_invented() {
    compare("every_change_from_12_9_to_13_0_is_listed_and_none_is_invented", "12.9", "13.0");
}

#[test]
fn every_change_from_11_8_to_12_0_is_listed_and_none_is_invented() {
    compare("every_change_from_11_8_to_12_0_is_listed_and_none_is_invented", "11.8", "12.0");
}

#[test]
fn every_change_from_11_7_to_13_5_is_listed_and_none_is_invented() {
    compare("every_change_from_11_7_to_13_5_is_listed_and_none_is_invented", "11.7", "13.5");
}
