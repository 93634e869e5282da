//! `<feature>` and `<extensions>`: what brings which item.

use super::{
    facts::{Alternatives, Extension, Feature, Item, ItemKind, Require},
    reader::{Reader, value},
    xml::{Attribute, Element},
};
use crate::finding::Finding;

pub(super) fn feature(reader: &mut Reader<'_>, element: &Element) -> Option<Feature> {
    reader.flag(element, "api", "opencl");
    let name = reader.required_name(element, "name")?;
    let number = reader.required(element, "number")?;
    let version = match number.value.trim().parse() {
        Ok(version) => version,
        Err(error) => {
            reader.error(Finding::error(format!("the number of `{name}` is no version: {error}")), &number.span);
            return None;
        }
    };
    Some(Feature { name, version, requires: requires(reader, element), span: element.span.clone() })
}

pub(super) fn extensions(reader: &mut Reader<'_>, section: &Element, into: &mut Vec<Extension>) {
    for element in section.elements().filter(|element| element.name == "extension") {
        let Some(extension) = extension(reader, element) else { continue };
        if into.iter().any(|other| other.name == extension.name) {
            reader.error(Finding::error(format!("the extension `{}` is defined twice", extension.name)), &element.span);
        } else {
            into.push(extension);
        }
    }
}

fn extension(reader: &mut Reader<'_>, element: &Element) -> Option<Extension> {
    reader.flag(element, "supported", "opencl");
    let name = reader.required_name(element, "name")?;
    Some(Extension {
        name,
        revision: value(element, "revision"),
        depends: alternatives(reader, element.attribute("depends").or_else(|| element.attribute("requires"))),
        condition: value(element, "condition"),
        experimental: reader.flag(element, "experimental", "true") | reader.flag(element, "provisional", "true"),
        ratified: reader.flag(element, "ratified", "opencl"),
        promoted_to: value(element, "promotedto"),
        obsoleted_by: value(element, "obsoletedby"),
        requires: requires(reader, element),
        span: element.span.clone(),
    })
}

fn requires(reader: &mut Reader<'_>, element: &Element) -> Vec<Require> {
    element
        .elements()
        .filter(|child| child.name == "require")
        .map(|child| Require {
            comment: value(child, "comment"),
            condition: value(child, "condition"),
            depends: alternatives(reader, child.attribute("depends").or_else(|| child.attribute("feature"))),
            items: child.elements().filter_map(|item| self::item(reader, item)).collect(),
            span: child.span.clone(),
        })
        .collect()
}

fn item(reader: &mut Reader<'_>, element: &Element) -> Option<Item> {
    let kind = match element.name.as_str() {
        "type" => ItemKind::Type,
        "enum" => ItemKind::Enum,
        "command" => ItemKind::Command,
        _ => return None,
    };
    Some(Item { kind, name: reader.required_name(element, "name")?, span: element.span.clone() })
}

/// `a,b+c`: a comma is "or" and binds less tightly than `+`, which is "and".
fn alternatives(reader: &mut Reader<'_>, attribute: Option<&Attribute>) -> Option<Alternatives> {
    let attribute = attribute?;
    let text = attribute.value.trim().to_owned();
    let any_of: Vec<Vec<String>> = text.split(',').map(|all| all.split('+').map(|name| name.trim().to_owned()).collect()).collect();
    let is_name = |name: &String| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !any_of.iter().flatten().all(is_name) {
        let finding = Finding::error(format!("cannot read `{}`", attribute.name))
            .found(format!("`{text}`"))
            .wanted("names joined by `+` (and) and `,` (or)");
        reader.error(finding, &attribute.span);
        return None;
    }
    Some(Alternatives { text, any_of })
}
