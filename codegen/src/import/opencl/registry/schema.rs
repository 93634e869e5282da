//! Which elements, attributes and texts a registry may have, and where.
//!
//! In: the tree. Out: a finding for each part of it that this table does not list. Readers may then take what they know and ignore the
//! rest, because the rest has been named here.

use super::{
    reader::Reader,
    spelling::did_you_mean,
    xml::{Element, Node},
};
use crate::finding::Finding;

/// What an element may hold.
struct Shape {
    /// The name of its parent, and its own.
    place: (&'static str, &'static str),
    attributes: &'static [&'static str],
    children: &'static [&'static str],
    /// Whether text other than white space may stand in it.
    text: bool,
}

const fn shape(
    parent: &'static str,
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
    text: bool,
) -> Shape {
    Shape { place: (parent, name), attributes, children, text }
}

/// `requires` of an extension, `feature` of a require and `provisional` are what registries before 3.0.18 say for `depends` and
/// `experimental`.
const SHAPES: &[Shape] = &[
    shape("", "registry", &[], &["comment", "types", "enums", "commands", "feature", "extensions"], false),
    shape("registry", "comment", &[], &[], true),
    shape("registry", "types", &["comment"], &["comment", "type"], false),
    shape("types", "comment", &[], &[], true),
    shape("types", "type", &["category", "name", "requires", "comment"], &["type", "name", "member"], true),
    shape("type", "type", &[], &[], true),
    shape("type", "name", &[], &[], true),
    shape("type", "member", &[], &["type", "name", "enum"], true),
    shape("member", "type", &[], &[], true),
    shape("member", "name", &[], &[], true),
    shape("member", "enum", &[], &[], true),
    shape("registry", "enums", &["name", "vendor", "comment", "start", "end", "type"], &["enum", "unused", "comment"], false),
    shape("enums", "enum", &["name", "value", "bitpos", "comment"], &[], false),
    shape("enums", "unused", &["start", "end", "comment"], &[], false),
    shape("enums", "comment", &[], &[], true),
    shape("registry", "commands", &[], &["command"], false),
    shape("commands", "command", &["prefix", "suffix", "comment"], &["proto", "param"], false),
    shape("command", "proto", &[], &["type", "name"], true),
    shape("proto", "type", &[], &[], true),
    shape("proto", "name", &[], &[], true),
    shape("command", "param", &[], &["type", "name"], true),
    shape("param", "type", &[], &[], true),
    shape("param", "name", &[], &[], true),
    shape("registry", "feature", &["api", "name", "number", "comment"], &["require"], false),
    shape("feature", "require", &["comment", "condition", "depends"], &["type", "enum", "command", "comment"], false),
    shape("registry", "extensions", &[], &["extension"], false),
    shape(
        "extensions",
        "extension",
        &[
            "name",
            "revision",
            "supported",
            "ratified",
            "promotedto",
            "obsoletedby",
            "depends",
            "requires",
            "condition",
            "experimental",
            "provisional",
            "comment",
        ],
        &["require"],
        false,
    ),
    shape("extension", "require", &["comment", "condition", "depends", "feature"], &["type", "enum", "command", "comment"], false),
    shape("require", "type", &["name", "comment"], &[], false),
    shape("require", "enum", &["name", "comment"], &[], false),
    shape("require", "command", &["name", "comment", "requires"], &[], false),
    shape("require", "comment", &[], &[], true),
];

/// Names what the table does not list. Stops at an unknown element: what is in it is unknown too.
pub(super) fn check(reader: &mut Reader<'_>, root: &Element) {
    match SHAPES.iter().find(|shape| shape.place == ("", root.name.as_str())) {
        Some(shape) => element(reader, root, shape),
        None => reader.error(
            Finding::error("the document is no registry").found(format!("<{}>", root.name)).wanted("<registry>"),
            &root.span,
        ),
    }
}

fn element(reader: &mut Reader<'_>, element: &Element, shape: &Shape) {
    for attribute in &element.attributes {
        if !shape.attributes.contains(&attribute.name.as_str()) {
            let known = shape.attributes.iter().copied();
            let finding = Finding::error(format!("unknown attribute `{}` of <{}>", attribute.name, element.name))
                .wanted(if shape.attributes.is_empty() {
                    "none".to_owned()
                } else {
                    format!("one of {}", shape.attributes.join(", "))
                })
                .help(did_you_mean(&attribute.name, known, "teach the importer, or leave it out with --lenient"));
            reader.unknown(finding, &attribute.span);
        }
    }
    for node in &element.children {
        match node {
            Node::Text { text, span } if !shape.text && !text.trim().is_empty() => {
                let lead = text.len() - text.trim_start().len();
                let finding = Finding::error(format!("unknown text in <{}>", element.name))
                    .found(format!("`{}`", shortened(text.trim())))
                    .help("teach the importer, or leave it out with --lenient");
                reader.unknown(finding, &(span.start + lead..span.end));
            }
            Node::Text { .. } => {}
            Node::Element(child) => child_element(reader, child, element, shape),
        }
    }
}

fn child_element(reader: &mut Reader<'_>, child: &Element, parent: &Element, shape: &Shape) {
    let allowed = shape.children.contains(&child.name.as_str());
    let known = SHAPES.iter().find(|shape| shape.place == (parent.name.as_str(), child.name.as_str())).filter(|_| allowed);
    if let Some(known) = known {
        element(reader, child, known);
        return;
    }
    let belongs: Vec<&str> = SHAPES.iter().filter(|shape| shape.place.1 == child.name).map(|shape| shape.place.0).collect();
    let otherwise = if belongs.is_empty() {
        "teach the importer, or leave it out with --lenient".to_owned()
    } else {
        format!("it belongs into <{}>; check whether a closing tag is missing", belongs.join(">, <"))
    };
    let finding = Finding::error(format!("unknown element <{}> in <{}>", child.name, parent.name))
        .wanted(if shape.children.is_empty() { "none".to_owned() } else { format!("one of {}", shape.children.join(", ")) })
        .help(did_you_mean(&child.name, shape.children.iter().copied(), &otherwise));
    reader.unknown(finding, &child.span);
}

/// The beginning of a text that may be long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() > 60 { format!("{}…", line.chars().take(60).collect::<String>()) } else { line.to_owned() }
}
