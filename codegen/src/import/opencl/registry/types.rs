//! `<types>`: headers, types of C and of other APIs, typedefs, structs, macros.

use super::{
    declaration::{self, Declaration, Define, Typedef},
    facts::{Member, TypeDefinition, TypeKind},
    reader::{Reader, value},
    spelling::did_you_mean,
    xml::Element,
};
use crate::finding::Finding;

const CATEGORIES: [&str; 4] = ["include", "basetype", "define", "struct"];

pub(super) fn read(reader: &mut Reader<'_>, section: &Element, into: &mut Vec<TypeDefinition>) {
    for element in section.elements().filter(|element| element.name == "type") {
        let Some(definition) = definition(reader, element) else { continue };
        if into.iter().any(|other| other.name == definition.name) {
            reader.error(Finding::error(format!("the type `{}` is defined twice", definition.name)), &element.span);
        } else {
            into.push(definition);
        }
    }
}

fn definition(reader: &mut Reader<'_>, element: &Element) -> Option<TypeDefinition> {
    let category = reader.required(element, "category")?;
    let span = element.span.clone();
    let (name, kind) = match category.value.as_str() {
        "include" => {
            let is_header = !element.text().trim().is_empty();
            let kind = if is_header { TypeKind::Header } else { TypeKind::External { header: value(element, "requires") } };
            (reader.required_name(element, "name")?, kind)
        }
        "basetype" => (reader.required_name(element, "name")?, TypeKind::Base),
        "define" => define(reader, element)?,
        "struct" => (reader.required_name(element, "name")?, TypeKind::Struct(members(reader, element))),
        other => {
            let finding = Finding::error("unknown category of <type>")
                .found(format!("`{other}`"))
                .wanted(format!("one of {}", CATEGORIES.join(", ")))
                .help(did_you_mean(other, CATEGORIES, "teach the importer, or leave it out with --lenient"));
            reader.unknown(finding, &category.span);
            return None;
        }
    };
    Some(TypeDefinition { name, kind, span })
}

fn define(reader: &mut Reader<'_>, element: &Element) -> Option<(String, TypeKind)> {
    let text = element.text();
    let parsed = match text.split_whitespace().next() {
        Some("typedef") => declaration::typedef(&text).map(|(typedef, terminated)| {
            if !terminated {
                reader.warning("a typedef lacks its semicolon, and is read as if it had one", &element.span);
            }
            match typedef {
                Typedef::Alias { name, target, aligned } => (name, TypeKind::Typedef { target, aligned }),
                Typedef::Handle(name) => (name, TypeKind::Handle),
                Typedef::Opaque(name) => (name, TypeKind::Opaque),
            }
        }),
        Some("#define") => declaration::define(&text).map(|Define { name, parameters, body }| match parameters {
            Some(parameters) => (name, TypeKind::MacroFunction { parameters, body }),
            None => (name, TypeKind::Macro(body)),
        }),
        Some("#if") => declaration::define_per_pointer_width(&text)
            .map(|(name, wide, narrow)| (name, TypeKind::MacroPerPointerWidth { wide, narrow })),
        _ => Err("wanted `typedef`, `#define` or `#if`".to_owned()),
    };
    match parsed {
        Ok((name, kind)) => {
            names_agree(reader, element, &name);
            Some((name, kind))
        }
        Err(error) => {
            reader.error(Finding::error(format!("cannot read a definition: {error}")), &element.span);
            None
        }
    }
}

/// The name stands in the C text, and again as an element or attribute.
fn names_agree(reader: &mut Reader<'_>, element: &Element, name: &str) {
    let marked = element.child("name").map(Element::text).or_else(|| value(element, "name"));
    let wrong = match marked.as_deref() {
        Some(marked) if marked.trim() == name => return,
        Some(marked) => format!("a definition of `{name}` is marked as `{}`", marked.trim()),
        None => format!("the definition of `{name}` has neither a <name> nor an attribute `name`"),
    };
    reader.error(Finding::error(wrong), &element.span);
}

fn members(reader: &mut Reader<'_>, element: &Element) -> Vec<Member> {
    let mut members = Vec::new();
    for child in element.elements().filter(|child| child.name == "member") {
        let text = child.text();
        let span = child.span.clone();
        let member = if child.child("name").is_none() {
            declaration::union_members(&text).map(|members| Member::Union {
                members: members.into_iter().map(|member| (member.name, member.ctype)).collect(),
                span,
            })
        } else {
            declaration::declaration(&text).and_then(|Declaration { name, ctype, length }| {
                if name.is_empty() {
                    Err("a member without a name".to_owned())
                } else {
                    Ok(Member::Named { name, ctype, length, span })
                }
            })
        };
        match member {
            Ok(member) => members.push(member),
            Err(error) => reader.error(Finding::error(format!("cannot read a member: {error}")), &child.span),
        }
    }
    if members.is_empty() {
        reader.error(Finding::error("a struct without members"), &element.span);
    }
    members
}
