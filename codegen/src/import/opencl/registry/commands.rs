//! `<commands>`: functions with their parameters.

use super::{
    declaration::{self, Declaration},
    facts::{Command, Parameter},
    reader::{Reader, value},
    xml::Element,
};
use crate::{finding::Finding, model::CType};

pub(super) fn read(reader: &mut Reader<'_>, section: &Element, into: &mut Vec<Command>) {
    for element in section.elements().filter(|element| element.name == "command") {
        let Some(command) = command(reader, element) else { continue };
        if into.iter().any(|other| other.name == command.name) {
            reader.error(Finding::error(format!("the command `{}` is defined twice", command.name)), &element.span);
        } else {
            into.push(command);
        }
    }
}

fn command(reader: &mut Reader<'_>, element: &Element) -> Option<Command> {
    let Some(prototype) = element.child("proto") else {
        reader.error(Finding::error("a command without a <proto>"), &element.span);
        return None;
    };
    let Declaration { name, ctype, .. } = read_declaration(reader, prototype, "a prototype")?;
    if name.is_empty() {
        reader.error(Finding::error("a prototype without a name").wanted("<name>"), &prototype.span);
        return None;
    }
    let parameters: Vec<&Element> = element.elements().filter(|child| child.name == "param").collect();
    let mut command = Command {
        name,
        returns: ctype,
        parameters: Vec::new(),
        prefix: value(element, "prefix"),
        suffix: value(element, "suffix"),
        span: element.span.clone(),
    };
    for child in &parameters {
        let Some(declaration) = read_declaration(reader, child, &format!("a parameter of `{}`", command.name)) else { continue };
        command.parameters.extend(parameter(reader, child, declaration, &command.name, parameters.len() == 1));
    }
    Some(command)
}

fn parameter(
    reader: &mut Reader<'_>,
    element: &Element,
    declaration: Declaration,
    command: &str,
    alone: bool,
) -> Option<Parameter> {
    let Declaration { name, ctype, length } = declaration;
    if ctype == CType::Void && name.is_empty() && alone {
        reader.warning(format!("`{command}` has a parameter `void`, which means that it has none"), &element.span);
        return None;
    }
    let wrong = if ctype == CType::Void {
        format!("`{command}` has a parameter of type `void`")
    } else if name.is_empty() {
        format!("a parameter of `{command}` has no name")
    } else if length.is_some() {
        format!("the parameter `{name}` of `{command}` is an array with a length")
    } else {
        return Some(Parameter { name, ctype, span: element.span.clone() });
    };
    reader.error(Finding::error(wrong), &element.span);
    None
}

/// The C text of `element`, whose `<name>`, where it has one, is the name in it.
fn read_declaration(reader: &mut Reader<'_>, element: &Element, what: &str) -> Option<Declaration> {
    let text = element.text();
    let declaration = match declaration::declaration(&text) {
        Ok(declaration) => declaration,
        Err(error) => {
            reader.error(Finding::error(format!("cannot read {what}: {error}")), &element.span);
            return None;
        }
    };
    let marked = element.child("name").map(Element::text).unwrap_or_default();
    if marked.trim() != declaration.name {
        let finding = Finding::error(format!("the name in {what} is not the one that is marked"))
            .found(format!("`{}`", declaration.name))
            .wanted(format!("`{}`", marked.trim()));
        reader.error(finding, &element.span);
        return None;
    }
    Some(declaration)
}
