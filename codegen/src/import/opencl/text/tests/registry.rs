//! The names of a `cl.xml`, as far as these tests need them: no importer of the registry is asked, so that its mistakes cannot hide here.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::{import::opencl::text::Known, rules::opencl::Vocabulary};

/// The names in `xml`.
pub(crate) fn known(xml: &str) -> Known {
    read(xml).known
}

/// The names in `xml`, with what is of which type: as far as the registry says so itself.
pub(crate) fn vocabulary(xml: &str) -> Vocabulary {
    read(xml).vocabulary
}

#[derive(Default)]
struct Names {
    known: Known,
    vocabulary: Vocabulary,
    /// The struct, block or comment that the reader is in.
    group: String,
    command: String,
    ctype: String,
}

fn read(xml: &str) -> Names {
    let mut names = Names::default();
    let mut reader = Reader::from_str(xml);
    let mut path: Vec<String> = Vec::new();
    loop {
        match reader.read_event().expect("a registry that is read by tests is well-formed") {
            Event::Start(start) => {
                names.element(&start);
                path.push(start.name().as_ref().to_owned());
            }
            Event::Empty(start) => names.element(&start),
            Event::Text(text) => names.text(&path, text.trim()),
            Event::End(_) => drop(path.pop()),
            Event::Eof => break,
            _ => {}
        }
    }
    names
}

impl Names {
    fn element(&mut self, start: &BytesStart<'_>) {
        let attribute = |key: &str| {
            let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == key);
            found.map(|attribute| attribute.value.into_owned())
        };
        let name = attribute("name").unwrap_or_default();
        match start.name().as_ref() {
            "enums" => {
                if attribute("type").as_deref() == Some("bitmask") {
                    self.vocabulary.bits.insert(name.clone());
                }
                self.group = name;
            }
            "require" => self.group = attribute("comment").unwrap_or_default(),
            "enum" => {
                self.vocabulary.values.entry(self.group.clone()).or_default().push(name.clone());
                self.known.constants.insert(name);
            }
            "type" => {
                if attribute("category").as_deref() == Some("struct") {
                    self.group.clone_from(&name);
                }
                self.known.types.insert(name);
            }
            "extension" => drop(self.known.extensions.insert(name)),
            _ => {}
        }
    }

    fn text(&mut self, path: &[String], text: &str) {
        match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [.., "proto", "name"] => {
                text.clone_into(&mut self.command);
                self.known.commands.insert(text.to_owned(), Vec::new());
                self.vocabulary.commands.insert(text.to_owned(), Vec::new());
            }
            [.., "param", "type"] => text.clone_into(&mut self.ctype),
            [.., "param", "name"] => {
                self.known.commands.entry(self.command.clone()).or_default().push(text.to_owned());
                let parameters = self.vocabulary.commands.entry(self.command.clone()).or_default();
                parameters.push((text.to_owned(), self.ctype.clone()));
            }
            [.., "member", "name"] => {
                self.known.members.insert(text.to_owned());
                self.vocabulary.members.entry(self.group.clone()).or_default().push(text.to_owned());
            }
            [.., "type", "name"] => drop(self.known.types.insert(text.to_owned())),
            _ => {}
        }
    }
}
