//! The ids of rules.
//!
//! In: what a rule is about. Out: an id that does not change while the rule stays: from the subject's public name, the handle type, the
//! last name of the field and the predicate; never from an order or a line.

use crate::{
    model::{Enumeration, Path, Predicate},
    rules::names::Names,
};

/// What the names of an enumeration's values have in common, up to the last `_`. The bound that upstream adds to some (`…_MAX`) takes no part.
fn common_start(enumeration: &Enumeration) -> &str {
    let mut names = enumeration.enumerators.iter().map(|value| value.name.as_str());
    let Some(first) = names.next() else { return "" };
    let mut length = first.len();
    for name in names {
        length = first.bytes().zip(name.bytes()).take(length).take_while(|(a, b)| a == b).count();
    }
    let start = &first[..length];
    &start[..start.rfind('_').map_or(0, |at| at + 1)]
}

/// `OPAQUE_FD` for `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`.
pub(super) fn short_value<'b>(names: &Names<'_>, value: &'b str) -> &'b str {
    let Some((enumeration, _)) = names.enumerator(value) else { return value };
    // One value has itself in common with itself: its short name would be its last word.
    let start = common_start(enumeration);
    let start = start.find("HANDLE_TYPE_").map_or(start, |at| &start[..at + "HANDLE_TYPE_".len()]);
    value.strip_prefix(start).filter(|rest| !rest.is_empty()).unwrap_or(value)
}

/// The last part of an id: `exactly-one`, `name-null`, `handle-shared-nt-handle`, `dptr-made-with-cuMemAlloc`.
pub(super) fn slug(fields: &[Path], predicate: &Predicate) -> String {
    let what = match predicate {
        Predicate::ExactlyOneNonNull => return "exactly-one".to_owned(),
        Predicate::Attested(object) => object.kind.as_str(),
        other => other.name(),
    };
    let mut words: Vec<String> = fields.iter().map(word).collect();
    // `fd_non_negative` of `fd` says the field by itself.
    if words.last().is_some_and(|last| what.split('_').next() == Some(last)) {
        words.pop();
    }
    words.push(what.replace('_', "-"));
    // One thing may have to come from several sources, and a device have several properties.
    if let Predicate::Attested(object) = predicate
        && ["device_has", "made_with"].contains(&what)
    {
        words.extend(object.of.first().cloned());
    }
    words.join("-")
}

/// A field in an id: its path, without the union that holds the members of a handle.
fn word(field: &Path) -> String {
    let names: Vec<_> = field.names().collect();
    match names.as_slice() {
        ["handle", .., last] => (*last).to_owned(),
        names => names.join("-"),
    }
}

/// `cuda/SUBJECT/TYPE/slug`, without the third part where the rule is not about one handle type.
pub(super) fn id(names: &Names<'_>, subject: &str, value: Option<&str>, slug: &str) -> String {
    let subject = names.short(subject);
    match value {
        Some(value) => format!("cuda/{subject}/{}/{slug}", short_value(names, value)),
        None => format!("cuda/{subject}/{slug}"),
    }
}
