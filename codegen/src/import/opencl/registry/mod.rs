//! `cl.xml`, the registry of the OpenCL API.
//!
//! In: the document. Out: [`Registry`], plain typed data that holds everything the document says and nothing else, with the byte
//! range of each item, so that passes can point at the source. What is not read: the prose of `<comment>` elements and of XML comments.
//!
//! The way: `xml` builds a tree with bounded depth and size, `schema` refuses every element, attribute and text that it does not
//! know, the readers (`types`, `enums`, `commands`, `availability`) turn elements into facts, with `declaration` for the C
//! text in them, and `references` checks that what is required is defined.

mod availability;
mod commands;
pub mod declaration;
mod enums;
mod facts;
mod reader;
mod references;
mod schema;
pub mod spelling;
#[cfg(test)]
mod tests;
mod types;
mod xml;

pub use facts::{
    Alternatives, Block, Command, EnumEntry, EnumValue, Extension, Feature, Item, ItemKind, Member, Parameter, Registry, Require,
    Span, TypeDefinition, TypeKind, Unused,
};

use crate::finding::{Document, Findings, Strictness};
use reader::Reader;

/// Reads `document`. With [`Strictness::Lenient`], what strict import refuses but can leave out is listed as warnings instead.
pub fn import(document: &Document, strictness: Strictness) -> Result<(Registry, Findings), Findings> {
    let root = xml::parse(document)?;
    let mut reader = Reader::new(document, strictness);
    schema::check(&mut reader, &root);
    let mut registry = Registry::empty(document.clone());
    for section in root.elements() {
        match section.name.as_str() {
            "types" => types::read(&mut reader, section, &mut registry.types),
            "enums" => registry.blocks.extend(enums::read(&mut reader, section)),
            "commands" => commands::read(&mut reader, section, &mut registry.commands),
            "feature" => registry.features.extend(availability::feature(&mut reader, section)),
            "extensions" => availability::extensions(&mut reader, section, &mut registry.extensions),
            _ => {}
        }
    }
    references::check(&mut reader, &mut registry);
    // In the order of the document, whichever reader had it to say.
    reader.findings.0.sort_by_key(|finding| finding.place.as_ref().map_or(0, |place| place.range().start));
    reader.findings.with(registry)
}
