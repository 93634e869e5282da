//! Property tables: which properties a command takes, of which type, and where a list ends.
//!
//! In: tables whose second column is a property's value, and the handle types, which are properties too. Out: one fact a property. Builders
//! and decoders walk them: a list inside of the list needs its own terminator, and without one a driver reads past the end.

use crate::{
    import::opencl::text::{
        TextFacts,
        facts::{Guard, Page, Row},
        prose::{Kind, Prose},
    },
    model::{Condition, HandleKind, HandleType, Lifetime, Origin, Path, Predicate, Property, Rule, Source, Term, Test},
};

use super::{Release, formula::property, vocabulary::Vocabulary};

/// The properties of every command of the registry.
pub(super) fn properties(facts: &TextFacts, handles: &[HandleType], vocabulary: &Vocabulary, release: &Release) -> Vec<Property> {
    let mut all = Vec::new();
    let tables = facts.tables.iter().filter(|table| table.header.get(1).is_some_and(|title| title == "Property Value"));
    for table in tables {
        let Some(page) = table.page.as_ref().and_then(|name| facts.page(name)) else { continue };
        for (command, list) in takers(page, vocabulary) {
            all.extend(table.rows.iter().flat_map(|row| described(&command, &list, row, release)));
        }
    }
    for handle in handles {
        let anchor = if handle.kind == HandleKind::Memory { "cl_mem_properties" } else { "cl_semaphore_properties_khr" };
        let creating = ["clCreateBufferWithProperties", "clCreateImageWithProperties", "clCreateSemaphoreWithPropertiesKHR"];
        for command in creating {
            let taken =
                vocabulary.commands.get(command).and_then(|parameters| parameters.iter().find(|(_, ctype)| ctype == anchor));
            if let Some((list, _)) = taken {
                all.push(carried(command, list, handle));
            }
        }
    }
    all.sort_by(|a: &Property, b| (&a.command, &a.list, &a.name).cmp(&(&b.command, &b.list, &b.name)));
    // A table that two commands share is seen once for each of their pages; a row of a table says more than the handle type alone.
    all.dedup_by(|later, first| {
        let same = (&first.command, &first.list, &first.name) == (&later.command, &later.list, &later.name);
        if same && first.source.is_none() {
            std::mem::swap(first, later);
        }
        same
    });
    all
}

/// The commands of a page that take a property list, and the parameter that is it.
fn takers(page: &Page, vocabulary: &Vocabulary) -> Vec<(String, String)> {
    let commands = std::iter::once(&page.name).chain(&page.aliases);
    let taker = |command: &String| {
        let list =
            vocabulary.commands.get(command)?.iter().find(|(name, ctype)| name.contains("prop") && ctype.contains("propert"))?;
        Some((command.clone(), list.0.clone()))
    };
    commands.filter_map(taker).collect()
}

/// A row of a table: each of its names is a property.
fn described(command: &str, list: &str, row: &Row, release: &Release) -> Vec<Property> {
    let (Some(value), Some(text)) = (row.cells.first(), row.cells.last()) else { return Vec::new() };
    let is_list = value.tokens.windows(2).any(|pair| pair[0].text == "[" && pair[1].text == "]");
    let fact = |name: &String| Property {
        command: command.to_owned(),
        list: list.to_owned(),
        name: name.clone(),
        value_type: value.names(&Kind::Type).first().map(|name| (*name).to_owned()),
        is_list,
        terminator: if is_list { terminator(text) } else { None },
        required: text.has("this property is always required"),
        source: Some(Source {
            document: row.place.document().name().to_owned(),
            version: release.0.clone(),
            symbol: name.clone(),
            hash: text.hash(),
        }),
        lifetime: Lifetime { extensions: innermost(&row.guards), ..Lifetime::default() },
    };
    row.names.iter().map(fact).collect()
}

/// `(terminated with X)`.
fn terminator(text: &Prose) -> Option<String> {
    let at = text.tokens.windows(2).position(|pair| pair[0].is("terminated") && pair[1].is("with"))?;
    text.tokens.get(at + 2).filter(|token| token.kind == Kind::Constant).map(|token| token.text.clone())
}

fn innermost(guards: &[Guard]) -> Vec<String> {
    let names = guards.iter().rev().find_map(|guard| match guard {
        Guard::AnyOf(names) | Guard::AllOf(names) => Some(names.clone()),
        Guard::Without(_) => None,
    });
    names.unwrap_or_default()
}

/// A handle type: a property whose value is the handle.
fn carried(command: &str, list: &str, handle: &HandleType) -> Property {
    Property {
        command: command.to_owned(),
        list: list.to_owned(),
        name: handle.name.clone(),
        value_type: None,
        is_list: false,
        terminator: None,
        required: false,
        source: None,
        lifetime: Lifetime { extensions: handle.extension.iter().cloned().collect(), ..Lifetime::default() },
    }
}

/// A list inside of a property list ends with its terminator.
pub(super) fn terminators(properties: &[Property]) -> Vec<Rule> {
    let rule = |fact: &Property| {
        let list: Path = fact.list.parse().ok()?;
        let value = property(&list, &fact.name)?;
        Some(Rule {
            id: format!("opencl/{}/{}-list-terminated", fact.command, value),
            subject: fact.command.clone(),
            fields: vec![value.clone()],
            predicate: Predicate::ListTerminated,
            when: vec![Condition::Test(Term::Field(value), Test::Present)],
            origin: Origin::Stated,
            source: fact.source.clone(),
            reason: None,
            error: None,
            lifetime: fact.lifetime.clone(),
        })
    };
    properties.iter().filter(|fact| fact.terminator.is_some()).filter_map(rule).collect()
}
