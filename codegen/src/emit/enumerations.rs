//! Emits `enums`, `bits` and `status`: integer types with named values.
//!
//! In: the enumerations of one kind. Out: a macro row each, with canonical values first and further names of them apart, so that a
//! lookup finds the canonical name.

use super::{
    docs::Docs,
    page::Page,
    types::{identifier, number},
};
use crate::model::{EnumerationKind, Model};

/// The file of the enumerations of `kind`.
pub(super) fn emit<'a>(model: &Model, docs: Docs, kind: EnumerationKind, mut page: Page<'a>) -> Page<'a> {
    let name_of_macro = match kind {
        EnumerationKind::Choice => "enumeration",
        EnumerationKind::Bits => "bits",
        EnumerationKind::Status => "status",
    };
    for item in model.enumerations.iter().filter(|item| item.kind == kind) {
        page.gap();
        page.item(&item.name);
        if item.windows {
            page.line(0, "#[cfg(windows)]");
        }
        page.line(0, format_args!("{name_of_macro}! {{"));
        let about = docs.item(&item.lifetime);
        page.line(1, format_args!("{}: {}, {about} {{", identifier(&item.name), item.repr));
        for value in item.enumerators.iter().filter(|value| value.alias_of.is_none()) {
            let fact = docs.leaf(&item.lifetime, &value.lifetime);
            page.line(2, format_args!("{} = {}, {fact};", identifier(&value.name), number(value.value, &item.repr)));
        }
        page.line(1, "}");
        let mut aliases = item.enumerators.iter().filter_map(|value| Some((value, value.alias_of.as_ref()?))).peekable();
        if aliases.peek().is_some() {
            page.line(1, "aliases {");
            for (value, of) in aliases {
                let fact = docs.leaf(&item.lifetime, &value.lifetime);
                page.line(2, format_args!("{} = {}, {fact};", identifier(&value.name), identifier(of)));
            }
            page.line(1, "}");
        }
        page.line(0, "}");
    }
    page
}
