//! The text of the API specification: error lists, property tables, and what is said of external handle types.
//!
//! In: the documents `api/*.asciidoc` of the OpenCL specification. Out: [`TextFacts`], which say what stands there and where, with every
//! sentence as tokens for the grammar of conditions. `cl.xml` has none of this: which errors a command may return, and when, is only in
//! the text.

mod chunk;
mod compare;
mod errors;
pub mod facts;
mod line;
mod page;
pub mod prose;
mod resolve;
mod section;
mod table;

pub use compare::{Known, compare};
pub use facts::TextFacts;
pub use resolve::{Coverage, Effective};

use crate::finding::{Document, Findings, Strictness};

/// Reads the documents of the specification, in the order given.
pub fn import(documents: &[Document], strictness: Strictness) -> Result<(TextFacts, Findings), Findings> {
    let mut facts = TextFacts::default();
    let mut unknown = Findings::default();
    let mut mistakes = Findings::default();
    for document in documents {
        let lines = line::lines(document, &mut unknown);
        let blocks = page::blocks(document, &lines, &mut unknown);
        let (tables, uneven) = table::tables(document, &lines, &blocks);
        facts.tables.extend(tables);
        unknown.0.extend(uneven);
        let (sections, unresolved) = section::sections(document, &lines, &blocks);
        facts.sections.extend(sections);
        mistakes.0.extend(unresolved);
        for block in blocks {
            if block.page.is_command() {
                let read = errors::read(document, &block);
                facts.lists.extend(read.list);
                unknown.0.extend(read.unknown);
                mistakes.0.extend(read.mistakes);
            }
            facts.pages.push(block.page);
        }
    }
    if strictness == Strictness::Lenient {
        unknown.soften();
    }
    unknown.0.extend(mistakes.0);
    unknown.with(facts)
}

#[cfg(test)]
pub(crate) mod tests;
