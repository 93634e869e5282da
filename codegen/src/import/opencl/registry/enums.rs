//! `<enums>`: named values, in blocks that are types or allocations of numbers.

use super::{
    facts::{Block, EnumEntry, EnumValue, Unused},
    reader::{Reader, value},
    xml::{Attribute, Element},
};
use crate::finding::Finding;

pub(super) fn read(reader: &mut Reader<'_>, element: &Element) -> Option<Block> {
    let name = reader.required_name(element, "name")?;
    let start = element.attribute("start").and_then(|attribute| number(reader, attribute));
    let end = element.attribute("end").and_then(|attribute| number(reader, attribute));
    let mut block = Block {
        name,
        vendor: value(element, "vendor"),
        bitmask: reader.flag(element, "type", "bitmask"),
        range: start.zip(end),
        entries: Vec::new(),
        unused: Vec::new(),
        span: element.span.clone(),
    };
    for child in element.elements() {
        match child.name.as_str() {
            "enum" => block.entries.extend(entry(reader, child)),
            "unused" => block.unused.extend(unused(reader, child)),
            _ => {}
        }
    }
    Some(block)
}

/// A value; `None` for a remark that names nothing: `<enum comment="…"/>`.
fn entry(reader: &mut Reader<'_>, element: &Element) -> Option<EnumEntry> {
    let only_a_comment = element.attributes.iter().all(|attribute| attribute.name == "comment");
    if only_a_comment && !element.attributes.is_empty() {
        return None;
    }
    let name = reader.required_name(element, "name")?;
    let value = match (element.attribute("value"), element.attribute("bitpos")) {
        (Some(value), None) => EnumValue::Expression(value.value.trim().to_owned()),
        (None, Some(position)) => {
            let Some(bit) = position.value.trim().parse().ok().filter(|bit| *bit < 64) else {
                let finding = Finding::error(format!("the bit position of `{name}` is no number"))
                    .found(format!("`{}`", position.value))
                    .wanted("0 to 63");
                reader.error(finding, &position.span);
                return None;
            };
            EnumValue::Bit(bit)
        }
        (Some(_), Some(position)) => {
            let finding = Finding::error(format!("`{name}` has a value and a bit position")).wanted("one of the two");
            reader.error(finding, &position.span);
            return None;
        }
        (None, None) => {
            let finding = Finding::error(format!("`{name}` has no value")).wanted("an attribute `value` or `bitpos`");
            reader.error(finding, &element.span);
            return None;
        }
    };
    Some(EnumEntry { name, value, span: element.span.clone() })
}

fn unused(reader: &mut Reader<'_>, element: &Element) -> Option<Unused> {
    let start = reader.required(element, "start")?;
    let start = number(reader, start)?;
    let end = match element.attribute("end") {
        Some(end) => number(reader, end)?,
        None => start,
    };
    Some(Unused { start, end })
}

/// A decimal or hexadecimal integer, possibly negative.
fn number(reader: &mut Reader<'_>, attribute: &Attribute) -> Option<i128> {
    let text = attribute.value.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse::<u64>().ok(),
    };
    if magnitude.is_none() {
        let finding = Finding::error(format!("`{}` is no number", attribute.name))
            .found(format!("`{text}`"))
            .wanted("a decimal or hexadecimal integer");
        reader.error(finding, &attribute.span);
    }
    magnitude.map(|magnitude| sign * i128::from(magnitude))
}
