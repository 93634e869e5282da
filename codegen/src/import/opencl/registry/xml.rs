//! Bytes to a tree of elements, with bounds.
//!
//! In: a document. Out: its root [`Element`]. Anything that is not well-formed XML is an error with its place. Depth, size and the number
//! of elements are bounded, far above what a registry has, so that a hostile document costs neither the stack nor all memory.

use quick_xml::{
    XmlVersion,
    escape::resolve_xml_entity,
    events::{BytesStart, Event},
    reader::Reader,
};

use super::facts::Span;
use crate::finding::{Document, Finding};

/// A registry nests 5 deep.
const DEEPEST: usize = 16;
/// A registry has half a megabyte.
const LARGEST: usize = 64 << 20;
/// A registry has some 15,000 elements.
const MOST: usize = 1_000_000;

/// An element with everything in it.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Node>,
    pub(super) span: Span,
}

/// An attribute of an [`Element`].
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) span: Span,
}

/// What an element holds.
#[derive(Debug)]
pub(super) enum Node {
    Element(Element),
    Text { text: String, span: Span },
}

impl Element {
    /// Its child elements, in order.
    pub(super) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text { .. } => None,
        })
    }

    /// Its first child called `name`.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.name == name)
    }

    /// Its attribute called `name`.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// All text in it, that of its children included. Words of two elements that touch stay two words.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.collect_text(&mut text);
        text
    }

    fn collect_text(&self, into: &mut String) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for node in &self.children {
            let mut piece = String::new();
            match node {
                Node::Element(element) => element.collect_text(&mut piece),
                Node::Text { text, .. } => piece.push_str(text),
            }
            if into.ends_with(is_word) && piece.starts_with(is_word) {
                into.push(' ');
            }
            into.push_str(&piece);
        }
    }
}

/// The root of `document`.
pub(super) fn parse(document: &Document) -> Result<Element, Finding> {
    if document.text().len() > LARGEST {
        return Err(Finding::error("the document is too large for a registry")
            .at(document.place(0..0))
            .found(format!("{} bytes", document.text().len()))
            .wanted(format!("at most {LARGEST}")));
    }
    Builder { document, reader: Reader::from_str(document.text()), open: Vec::new(), root: None, elements: 0 }.build()
}

struct Builder<'a> {
    document: &'a Document,
    reader: Reader<&'a [u8]>,
    open: Vec<Element>,
    root: Option<Element>,
    elements: usize,
}

impl Builder<'_> {
    fn build(mut self) -> Result<Element, Finding> {
        loop {
            let start = position(self.reader.buffer_position());
            let event = self.reader.read_event().map_err(|error| {
                let at = position(self.reader.error_position());
                self.malformed(&error, at..at)
            })?;
            let span = start..position(self.reader.buffer_position());
            match event {
                Event::Start(tag) => {
                    let element = self.element(&tag, span)?;
                    self.open.push(element);
                }
                Event::Empty(tag) => {
                    let element = self.element(&tag, span)?;
                    self.close(element)?;
                }
                Event::End(_) => {
                    if let Some(mut element) = self.open.pop() {
                        element.span.end = span.end;
                        self.close(element)?;
                    }
                }
                Event::Text(text) => self.text(&text.xml10_content(), span)?,
                Event::CData(text) => self.text(&text.xml10_content(), span)?,
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref().map_err(|error| self.malformed(&error, span.clone()))?;
                    let name = reference.xml10_content();
                    match (character, resolve_xml_entity(&name)) {
                        (Some(character), _) => self.text(&character.to_string(), span)?,
                        (None, Some(text)) => self.text(text, span)?,
                        (None, None) => return Err(self.malformed(&format!("the entity `&{name};` is not defined"), span)),
                    }
                }
                Event::DocType(_) => {
                    return Err(self.malformed(&"a document type declaration, which a registry has none of", span));
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof => return self.finish(),
            }
        }
    }

    fn malformed(&self, what: &dyn std::fmt::Display, span: Span) -> Finding {
        let inside = self.open.last().map_or(String::new(), |element| format!(", inside <{}>", element.name));
        Finding::error(format!("the document is not well-formed XML: {what}{inside}"))
            .at(self.document.place(span))
            .help("fetch it again, or correct it there")
    }

    fn element(&mut self, tag: &BytesStart<'_>, span: Span) -> Result<Element, Finding> {
        self.elements += 1;
        if self.open.len() >= DEEPEST || self.elements > MOST {
            return Err(Finding::error(format!("<{}> is one element too many", tag.name().0))
                .at(self.document.place(span))
                .found(format!("depth {}, element {}", self.open.len() + 1, self.elements))
                .wanted(format!("at most {DEEPEST} levels and {MOST} elements"))
                .help("no registry is like this; check where the document comes from"));
        }
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(&error, span.clone()))?;
            let name = attribute.key.0;
            let value =
                attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| self.malformed(&error, span.clone()))?;
            // Within the tag, whose bytes are in the document as they stand: find the name again for its exact place.
            let tag_text = self.document.text().get(span.clone()).unwrap_or("");
            let at = find_attribute(tag_text, name).map_or(span.clone(), |at| span.start + at..span.start + at + name.len());
            attributes.push(Attribute { name: name.to_owned(), value: value.into_owned(), span: at });
        }
        Ok(Element { name: tag.name().0.to_owned(), attributes, children: Vec::new(), span })
    }

    fn close(&mut self, element: Element) -> Result<(), Finding> {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Node::Element(element)),
            None if self.root.is_none() => self.root = Some(element),
            None => {
                return Err(self.malformed(&format!("<{}> is a second root element", element.name), element.span));
            }
        }
        Ok(())
    }

    fn text(&mut self, more: &str, span: Span) -> Result<(), Finding> {
        match self.open.last_mut() {
            None if more.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {}
            None => return Err(self.malformed(&"text outside of the root element", span)),
            // References split a text into several events; what is read are whole texts.
            Some(parent) => match parent.children.last_mut() {
                Some(Node::Text { text, span: whole }) => {
                    text.push_str(more);
                    whole.end = span.end;
                }
                _ => parent.children.push(Node::Text { text: more.to_owned(), span }),
            },
        }
        Ok(())
    }

    fn finish(self) -> Result<Element, Finding> {
        if let Some(element) = self.open.last() {
            return Err(Finding::error(format!("the document ends inside <{}>", element.name))
                .at(self.document.place(element.span.clone()))
                .wanted(format!("</{}>", element.name))
                .help("the document is truncated: fetch it again"));
        }
        self.root.ok_or_else(|| {
            let end = self.document.text().len();
            Finding::error("the document holds no element").at(self.document.place(end..end)).wanted("<registry>")
        })
    }
}

fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Where the attribute `name` begins in the text of a tag: the name as a word of its own, outside of values.
fn find_attribute(tag: &str, name: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in tag.char_indices() {
        match quote {
            Some(mark) => quote = quote.filter(|_| character != mark),
            None if character == '"' || character == '\'' => quote = Some(character),
            None if before.is_whitespace()
                && tag[at..].starts_with(name)
                && tag[at + name.len()..].starts_with(|c: char| c == '=' || c.is_whitespace()) =>
            {
                return Some(at);
            }
            None => {}
        }
        before = character;
    }
    None
}
