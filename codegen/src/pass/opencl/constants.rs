//! Evaluates every value and every macro without parameters.
//!
//! In: the registry. Out: for each name the value where pointers have 64 and 32 bits, and what the expression itself says of its type.

use std::{cell::Cell, collections::BTreeMap};

use super::{
    expression::{self, Evaluated, Integer, Names, Number},
    typedefs::Typedefs,
};
use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::{EnumValue, Registry, Span, TypeKind},
    model::Value,
};

/// Longer chains of names are refused: a circle would be one.
const LONGEST: u32 = 16;

/// A constant before it is known which type it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    wide: Number,
    narrow: Number,
    /// The type that the expression names by a cast.
    pub(super) named: Option<String>,
    hex: bool,
    bit: Option<u8>,
}

/// How a constant is defined.
#[derive(Clone, Copy)]
struct Definition<'a> {
    wide: &'a str,
    narrow: &'a str,
    bit: Option<u8>,
    span: &'a Span,
}

/// Everything that has a value, by name.
pub(super) fn evaluate(registry: &Registry, typedefs: &Typedefs<'_>, findings: &mut Findings) -> BTreeMap<String, Known> {
    let definitions = definitions(registry);
    let mut known = BTreeMap::new();
    for (name, definition) in &definitions {
        match evaluate_one(name, &definitions, typedefs) {
            Ok(value) => {
                known.insert((*name).to_owned(), value);
            }
            Err(error) => {
                findings.push(Finding::error(format!("cannot evaluate `{name}`: {error}")).at(registry.place(definition.span)));
            }
        }
    }
    known
}

fn definitions(registry: &Registry) -> BTreeMap<&str, Definition<'_>> {
    let mut definitions = BTreeMap::new();
    for entry in registry.blocks.iter().flat_map(|block| &block.entries) {
        let (text, bit) = match &entry.value {
            EnumValue::Expression(text) => (text.as_str(), None),
            EnumValue::Bit(bit) => ("0", Some(*bit)),
        };
        definitions.insert(entry.name.as_str(), Definition { wide: text, narrow: text, bit, span: &entry.span });
    }
    for definition in &registry.types {
        let (wide, narrow) = match &definition.kind {
            TypeKind::Macro(body) => (body, body),
            TypeKind::MacroPerPointerWidth { wide, narrow } => (wide, narrow),
            _ => continue,
        };
        definitions.insert(definition.name.as_str(), Definition { wide, narrow, bit: None, span: &definition.span });
    }
    definitions
}

fn evaluate_one(name: &str, definitions: &BTreeMap<&str, Definition<'_>>, typedefs: &Typedefs<'_>) -> Result<Known, String> {
    let scope = |pointer_bits| Scope { definitions, typedefs, pointer_bits, depth: Cell::new(0) };
    let wide = scope(64).constant(name)?;
    let narrow = scope(32).constant(name)?;
    let bit = definitions.get(name).and_then(|definition| definition.bit);
    Ok(Known { wide: wide.number, narrow: narrow.number, named: wide.named, hex: wide.hex, bit })
}

struct Scope<'a> {
    definitions: &'a BTreeMap<&'a str, Definition<'a>>,
    typedefs: &'a Typedefs<'a>,
    pointer_bits: u8,
    depth: Cell<u32>,
}

impl Names for Scope<'_> {
    fn type_called(&self, name: &str) -> Option<&'static str> {
        match name {
            "intptr_t" => Some("isize"),
            "size_t" => Some("usize"),
            name => self.typedefs.kind(name).and_then(|_| self.typedefs.primitive(name)),
        }
    }

    fn constant(&self, name: &str) -> Result<Evaluated, String> {
        let definition = self.definitions.get(name).ok_or_else(|| format!("`{name}` is not defined"))?;
        if let Some(bit) = definition.bit {
            let kind = Integer { signed: false, bits: 64 };
            return Ok(Evaluated { number: Number::Integer(1 << bit, kind), named: None, hex: true });
        }
        if self.depth.get() >= LONGEST {
            return Err(format!("`{name}` is defined by itself"));
        }
        self.depth.set(self.depth.get() + 1);
        let text = if self.pointer_bits == 64 { definition.wide } else { definition.narrow };
        let result = expression::evaluate(text, self);
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn pointer_bits(&self) -> u8 {
        self.pointer_bits
    }
}

impl Known {
    /// The type that C gives the expression, in the model's notation.
    pub(super) fn natural_type(&self) -> &'static str {
        match self.wide {
            Number::F32(_) => "f32",
            Number::F64(_) => "f64",
            Number::Integer(_, Integer { signed: true, bits: 32 }) => "i32",
            Number::Integer(_, Integer { signed: false, bits: 32 }) => "u32",
            Number::Integer(_, Integer { signed: true, .. }) => "i64",
            Number::Integer(_, Integer { signed: false, .. }) => "u64",
        }
    }

    /// The value as one of type `repr`, converted as C would; or why it has no such value.
    pub(super) fn in_type(&self, repr: &str) -> Result<Value, String> {
        let (wide, narrow) = match (self.wide, self.narrow) {
            (Number::F32(number), _) if repr == "f32" => return Ok(Value::F32(number)),
            (Number::F64(number), _) if repr == "f64" => return Ok(Value::F64(number)),
            (Number::Integer(wide, wide_kind), Number::Integer(narrow, narrow_kind)) => {
                (convert(wide, wide_kind, repr, 64)?, convert(narrow, narrow_kind, repr, 32)?)
            }
            _ => return Err(format!("it is no number of type `{repr}`")),
        };
        if let Some(bit) = self.bit {
            return Ok(Value::Bit(bit));
        }
        // A pointer's width shows in the value only where an all-ones or tag value fills it; a small number is the same number.
        if wide != narrow {
            return Ok(Value::PerPointerWidth { wide, narrow });
        }
        Ok(if self.hex && wide >= 0 { Value::Hex(wide) } else { Value::Decimal(wide) })
    }
}

/// `value` as one of type `repr`. A value that does not fit is converted only where C keeps all its bits.
fn convert(value: i128, kind: Integer, repr: &str, pointer_bits: u8) -> Result<i128, String> {
    let target = Integer::called(repr, pointer_bits).ok_or_else(|| format!("`{repr}` is no integer type"))?;
    let wrapped = target.wrap(value);
    if wrapped == value || kind.bits == target.bits && kind.wrap(wrapped) == value && kind.signed {
        Ok(wrapped)
    } else {
        Err(format!("{value} does not fit into `{repr}`"))
    }
}
