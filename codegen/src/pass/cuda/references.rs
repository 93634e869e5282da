//! Names that upstream's prose refers to and nobody declares.
//!
//! In: the facts, comments among them. Out: a note for each such name, at the first place that mentions it. Whoever turns prose into rules
//! or links must know that these lead nowhere; a reader of the header may want to report them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::{Finding, Findings},
    import::cuda::Facts,
};

/// Notes on every reference of a comment that leads nowhere.
pub(super) fn unresolved(facts: &Facts) -> Findings {
    let known = known(facts);
    let mut told = BTreeSet::new();
    let mut findings = Findings::default();
    for comment in &facts.comments {
        let source = &comment.document.text()[comment.range.clone()];
        for (at, name) in references(source) {
            if known.contains(&name) || !is_of_driver(&name) || !told.insert(name.clone()) {
                continue;
            }
            let start = comment.range.start + at;
            let place = comment.document.place(start..start + name.len());
            findings.push(Finding::note(format!("a comment refers to `{name}`, which nothing declares")).at(place));
        }
    }
    findings
}

/// Whether a name is one of the driver API: not of the runtime (`cudaMalloc`), nor of C, OpenGL or the device.
fn is_of_driver(name: &str) -> bool {
    let next = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.chars().next());
    next("CU").is_some() || next("cu").is_some_and(|letter| letter.is_ascii_uppercase())
}

/// `::name`, `::record::member` and `::record.member` in a comment, with where the name begins.
fn references(comment: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = comment[from..].find("::") {
        let start = from + at + 2;
        let before = comment[..start - 2].chars().next_back();
        let length = path(&comment[start..]);
        if length > 0 && !before.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            found.push((start, comment[start..start + length].replace('.', "::")));
        }
        from = start + length;
    }
    found
}

/// How long the path of names at the start of `text` is.
fn path(text: &str) -> usize {
    let word = |text: &str| text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    let mut length = word(text);
    loop {
        let rest = &text[length..];
        let separator = if rest.starts_with("::") { 2 } else { usize::from(rest.starts_with('.')) };
        // A full stop ends a sentence more often than it reaches a member, whose names begin in lower case.
        let next = rest[separator..].chars().next().filter(|letter| separator == 2 || letter.is_ascii_lowercase());
        let more = if next.is_some() { word(&rest[separator..]) } else { 0 };
        if separator == 0 || more == 0 || length == 0 {
            return length;
        }
        length += separator + more;
    }
}

/// Every name and path that is declared.
fn known(facts: &Facts) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    known.extend(facts.functions.iter().flat_map(|one| [one.symbol.clone(), one.spelled.clone()]));
    known.extend(facts.versions.iter().map(|one| one.name.clone()));
    known.extend(facts.macros.iter().map(|one| one.name.clone()));
    known.extend(facts.typedefs.iter().map(|one| one.name.clone()));
    known.extend(facts.comments.iter().flat_map(|one| [one.subject.clone(), one.spelled.clone()]));
    for enumeration in &facts.enumerations {
        known.insert(enumeration.name.clone());
        for value in &enumeration.enumerators {
            known.extend([value.name.clone(), format!("{}::{}", enumeration.name, value.name)]);
        }
    }
    known.extend(paths(facts));
    known
}

/// Every record and member under each name that it has: its own, its tag, its aliases.
fn paths(facts: &Facts) -> BTreeSet<String> {
    let mut names: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for record in facts.records.iter().filter(|record| record.parent.is_none()) {
        let mut all = BTreeSet::from([record.name.clone(), format!("{}_st", short(&record.name))]);
        loop {
            let aliases = facts.typedefs.iter().filter(|one| all.contains(&one.ctype.to_string()));
            let aliases: Vec<_> = aliases.map(|one| one.name.clone()).filter(|name| !all.contains(name)).collect();
            if aliases.is_empty() {
                break;
            }
            all.extend(aliases);
        }
        names.insert(&record.name, all);
    }
    let mut found = BTreeSet::new();
    // A record stands before those nested in it.
    for record in &facts.records {
        let Some(own) = names.get(record.name.as_str()).cloned() else { continue };
        found.extend(own.iter().cloned());
        for member in &record.members {
            let reached: BTreeSet<String> =
                own.iter().map(|name| if member.nameless { name.clone() } else { format!("{name}::{}", member.name) }).collect();
            found.extend(reached.iter().cloned());
            member.ctype.names(&mut |inner| {
                if facts.records.iter().any(|one| one.name == inner && one.parent.as_deref() == Some(record.name.as_str())) {
                    names.entry(inner).or_default().extend(reached.iter().cloned());
                }
            });
        }
    }
    found
}

fn short(name: &str) -> &str {
    name.rsplit_once("_v").map_or(name, |(short, _)| short)
}

#[cfg(test)]
mod tests {
    use super::{is_of_driver, references};

    fn names(comment: &str) -> Vec<String> {
        references(comment).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn a_reference_is_a_path_after_two_colons() {
        assert_eq!(names("see ::cuA(), ::CUa::b::c and ::CUa.b."), ["cuA", "CUa::b::c", "CUa::b"]);
    }

    #[test]
    fn only_names_of_the_driver_count() {
        assert_eq!(["cuInit", "CUresult", "cudaMalloc", "printf", "GL_RGBA"].map(is_of_driver), [true, true, false, false, false]);
    }

    #[test]
    fn a_full_stop_ends_a_reference() {
        assert_eq!(names("Use ::CUa. Then ::CUb.\nMore"), ["CUa", "CUb"]);
        assert_eq!(names("a::b"), Vec::<String>::new());
        assert_eq!(names(":: "), Vec::<String>::new());
    }
}
