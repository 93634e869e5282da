//! Emits `properties`: the tables of what each type of property list may hold.
//!
//! In: the properties that commands take, and the commands. Out: a table for each type of the lists' elements. It says of each property
//! whether its value is a list of its own, which is all that a walk over a list has to know, and which commands take it.

use std::collections::{BTreeMap, BTreeSet};

use super::{page::Page, rules::words::Words, types::identifier, types::literal};
use crate::{
    finding::{Finding, Findings},
    model::{CType, Model, Property},
    pass::index::{Index, Resolved},
};

/// The name of the table for lists of `element`s.
pub(super) fn table_name(element: &str) -> String {
    format!("PROPERTIES_OF_{element}")
}

/// The type of the elements of each list that a command takes: by command and parameter.
pub(super) fn elements(model: &Model) -> BTreeMap<(&str, &str), &str> {
    let listed: BTreeSet<(&str, &str)> =
        model.properties.iter().map(|property| (property.command.as_str(), property.list.as_str())).collect();
    let mut elements = BTreeMap::new();
    for command in &model.commands {
        for parameter in &command.parameters {
            if let CType::Pointer { to, .. } = &parameter.ctype
                && let CType::Named(element) = to.as_ref()
                && listed.contains(&(command.symbol.as_str(), parameter.name.as_str()))
            {
                elements.insert((command.symbol.as_str(), parameter.name.as_str()), element.as_str());
            }
        }
    }
    elements
}

/// The file of property tables; or what does not fit together.
pub(super) fn emit<'a>(model: &'a Model, index: &Index<'a>, mut page: Page<'a>) -> Result<Page<'a>, Findings> {
    let (words, elements) = (Words::new(model, index), elements(model));
    let mut findings = Findings::default();
    let mut tables: BTreeMap<&str, BTreeMap<&str, Vec<&Property>>> = BTreeMap::new();
    for property in &model.properties {
        match elements.get(&(property.command.as_str(), property.list.as_str())) {
            Some(element) => tables.entry(element).or_default().entry(&property.name).or_default().push(property),
            None => findings.0.push(Finding::error(format!(
                "`{}` is a property of `{}` of `{}`, which is no pointer to a named type",
                property.name, property.list, property.command
            ))),
        }
    }
    if !tables.is_empty() {
        page.needs_items();
        page.needs("crate::rules::Word");
    }
    for (element, properties) in tables {
        page.gap();
        page.item(&table_name(element));
        page.line(0, "property_table! {");
        page.line(1, format_args!("{} = {} {{", table_name(element), literal(element)));
        findings.0.extend(impossible(element, &properties, &words));
        for (name, uses) in properties {
            match row(name, &uses, element, &words) {
                Ok(row) => page.line(2, row),
                Err(finding) => findings.0.push(finding),
            }
        }
        page.line(1, "}");
        page.line(0, "}");
        if let Resolved::Enumeration(item) = index.resolve(&CType::named(element)) {
            page.gap();
            page.attached(&[], &[element]);
            page.line(0, format_args!("// SAFETY: it is a transparent newtype over `{}`.", item.repr));
            page.line(0, format_args!("unsafe impl Word for {} {{}}", identifier(&item.name)));
        }
    }
    findings.with(page).map(|(page, _)| page)
}

/// What no table may have: two names of one key, which a walk could not tell apart, and more properties than a check has bits.
fn impossible(element: &str, properties: &BTreeMap<&str, Vec<&Property>>, words: &Words<'_>) -> Vec<Finding> {
    let mut keys: BTreeMap<i128, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for name in properties.keys() {
        let Ok(key) = words.value(name, Some(element)) else { continue };
        if let Some(other) = keys.insert(key, name) {
            findings.push(
                Finding::error(format!("the properties `{other}` and `{name}` of `{element}` have one key, {key:#X}"))
                    .wanted("one name for each key of a list"),
            );
        }
    }
    if properties.len() > 64 {
        findings.push(
            Finding::error(format!("lists of `{element}` have {} properties", properties.len()))
                .wanted("64 at most: a specialised check has a bit for each"),
        );
    }
    findings
}

/// What ends the values of a property, as an expression; `None` where it has one value.
pub(super) fn end(property: &Property, element: &str, words: &Words<'_>) -> Result<Option<String>, Finding> {
    match (property.is_list, &property.terminator) {
        (false, _) => Ok(None),
        (true, None) => Ok(Some("0".to_owned())),
        (true, Some(end)) => words.number(end, Some(element)).map(Some),
    }
}

/// The row of one property, which has to be of one shape wherever it is taken.
fn row(name: &str, uses: &[&Property], element: &str, words: &Words<'_>) -> Result<String, Finding> {
    let shape = |property: &Property| (property.is_list, property.terminator.clone());
    let Some(first) = uses.first() else { return Err(Finding::error(format!("nothing takes the property `{name}`"))) };
    if uses.iter().any(|other| shape(other) != shape(first)) {
        return Err(Finding::error(format!("the value of the property `{name}` is a list for one command and none for another")));
    }
    let value_type = uses.iter().find_map(|property| property.value_type.as_deref()).unwrap_or_default();
    let list = end(first, element, words)?.map(|end| format!(" list until {end}")).unwrap_or_default();
    let commands: BTreeSet<String> = uses.iter().map(|property| literal(&property.command)).collect();
    let commands: Vec<String> = commands.into_iter().collect();
    let key = words.number(name, Some(element))?;
    Ok(format!("{} = {key}, {}{list}, [{}];", identifier(name), literal(value_type), commands.join(", ")))
}
