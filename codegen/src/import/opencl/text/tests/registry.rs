//! The names of a `cl.xml`, read by a few lines of their own: no importer of the registry is asked, so that its mistakes cannot hide here.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::import::opencl::text::Known;

/// The names in `xml`.
pub(crate) fn known(xml: &str) -> Known {
    let mut known = Known::default();
    let mut reader = Reader::from_str(xml);
    let mut path: Vec<String> = Vec::new();
    let mut command = String::new();
    loop {
        match reader.read_event().expect("a registry that is read by tests is well-formed") {
            Event::Start(start) => {
                named(&mut known, &start);
                path.push(start.name().as_ref().to_owned());
            }
            Event::Empty(start) => named(&mut known, &start),
            Event::Text(text) => {
                let text = text.trim().to_owned();
                match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                    [.., "proto", "name"] => {
                        command.clone_from(&text);
                        known.commands.insert(text, Vec::new());
                    }
                    [.., "param", "name"] => known.commands.entry(command.clone()).or_default().push(text),
                    [.., "member", "name"] => {
                        known.members.insert(text);
                    }
                    [.., "type", "name"] => {
                        known.types.insert(text);
                    }
                    _ => {}
                }
            }
            Event::End(_) => drop(path.pop()),
            Event::Eof => break,
            _ => {}
        }
    }
    known
}

fn named(known: &mut Known, start: &BytesStart<'_>) {
    let name = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == "name");
    let Some(name) = name.map(|attribute| attribute.value.into_owned()) else { return };
    let names = match start.name().as_ref() {
        "enum" => &mut known.constants,
        "type" => &mut known.types,
        "extension" => &mut known.extensions,
        _ => return,
    };
    names.insert(name);
}
