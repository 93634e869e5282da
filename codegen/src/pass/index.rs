//! Finds what a type's name stands for.
//!
//! In: a model. Out: answers by name, with aliases followed to their end. Passes and emitters ask; nothing is changed.

use std::collections::BTreeMap;

use crate::model::{Alias, CType, Callback, Enumeration, Handle, HandleRepr, Model, Record};

/// An item that has a type's name.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// An integer with named values.
    Enumeration(&'a Enumeration),
    /// An object that is only referred to.
    Handle(&'a Handle),
    /// A struct or union.
    Record(&'a Record),
    /// A pointer to a function.
    Callback(&'a Callback),
    /// Another name of a type.
    Alias(&'a Alias),
}

impl Item<'_> {
    /// Whether it is declared for Windows only.
    #[must_use]
    pub const fn windows(&self) -> bool {
        match self {
            Self::Enumeration(item) => item.windows,
            Self::Handle(item) => item.windows,
            Self::Record(item) => item.windows,
            Self::Callback(_) => false,
            Self::Alias(item) => item.windows,
        }
    }
}

/// A type with its aliases followed.
#[derive(Clone, Copy, Debug)]
pub enum Resolved<'a> {
    /// `void`.
    Void,
    /// A primitive, by its Rust name or that of `core::ffi`.
    Primitive(&'a str),
    /// Any pointer to data.
    Pointer,
    /// A pointer to a function.
    Function,
    /// An array.
    Array(&'a CType, u64),
    /// An integer with named values.
    Enumeration(&'a Enumeration),
    /// An object that is only referred to.
    Handle(&'a Handle),
    /// A struct or union.
    Record(&'a Record),
    /// A name that nothing has, or that leads back to itself.
    Unknown(&'a str),
}

impl<'a> Resolved<'a> {
    /// The primitive integer or float that carries it, if one does and it is no pointer.
    #[must_use]
    pub fn carrier(self) -> Option<&'a str> {
        match self {
            Self::Primitive(name) => Some(name),
            Self::Enumeration(enumeration) => Some(&enumeration.repr),
            Self::Handle(Handle { repr: HandleRepr::Integer(repr), .. }) => Some(repr),
            Self::Handle(Handle { repr: HandleRepr::Address, .. }) => Some("usize"),
            _ => None,
        }
    }
}

/// Integers and floats of Rust that generated code may use, with their bits; 0 stands for a pointer's width. `bool` is not among
/// them: a driver may write any byte.
const RUST: [(&str, u32); 12] = [
    ("u8", 8),
    ("u16", 16),
    ("u32", 32),
    ("u64", 64),
    ("usize", 0),
    ("i8", 8),
    ("i16", 16),
    ("i32", 32),
    ("i64", 64),
    ("isize", 0),
    ("f32", 32),
    ("f64", 64),
];

/// The types of `core::ffi` that generated code may use, with their bits on every supported target. `c_long` is not among them: it is
/// wider on 64-bit Linux than on 64-bit Windows, and neither API uses it.
const FFI: [(&str, u32); 11] = [
    ("c_char", 8),
    ("c_schar", 8),
    ("c_uchar", 8),
    ("c_short", 16),
    ("c_ushort", 16),
    ("c_int", 32),
    ("c_uint", 32),
    ("c_longlong", 64),
    ("c_ulonglong", 64),
    ("c_float", 32),
    ("c_double", 64),
];

/// The bits of a primitive, 0 for a pointer's width; `None` for what is none.
#[must_use]
pub fn primitive_bits(name: &str) -> Option<u32> {
    RUST.iter().chain(&FFI).find(|(known, _)| *known == name).map(|(_, bits)| *bits)
}

/// `name`, if it is one of `core::ffi`'s integers and floats.
#[must_use]
pub fn ffi(name: &str) -> Option<&'static str> {
    FFI.iter().find(|(known, _)| *known == name).map(|(known, _)| *known)
}

/// The range of an integer's values, by its name, on targets of every pointer width; `None` for a float and what is no primitive.
#[must_use]
pub fn integer_range(name: &str) -> Option<(i128, i128)> {
    let bits = match primitive_bits(name)? {
        0 => 32,
        bits => bits,
    };
    let signed = match name {
        "i8" | "i16" | "i32" | "i64" | "isize" | "c_char" | "c_schar" | "c_short" | "c_int" | "c_longlong" => true,
        "f32" | "f64" | "c_float" | "c_double" => return None,
        _ => false,
    };
    Some(if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
}

/// The types of a model by name.
#[derive(Debug)]
pub struct Index<'a> {
    items: BTreeMap<&'a str, Item<'a>>,
}

impl<'a> Index<'a> {
    /// The types of `model`. Where two have one name, which is a fault that validation reports, the last one counts.
    #[must_use]
    pub fn new(model: &'a Model) -> Self {
        let mut items = BTreeMap::new();
        items.extend(model.enumerations.iter().map(|item| (item.name.as_str(), Item::Enumeration(item))));
        items.extend(model.handles.iter().map(|item| (item.name.as_str(), Item::Handle(item))));
        items.extend(model.records.iter().map(|item| (item.name.as_str(), Item::Record(item))));
        items.extend(model.callbacks.iter().map(|item| (item.name.as_str(), Item::Callback(item))));
        items.extend(model.aliases.iter().map(|item| (item.name.as_str(), Item::Alias(item))));
        Self { items }
    }

    /// The item called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Item<'a>> {
        self.items.get(name).copied()
    }

    /// What `ctype` is, with aliases followed.
    #[must_use]
    pub fn resolve<'t>(&self, ctype: &'t CType) -> Resolved<'t>
    where
        'a: 't,
    {
        let mut current = ctype;
        // As many steps as there are names: an alias that leads back to itself ends too.
        for _ in 0..=self.items.len() {
            let name = match current {
                CType::Void => return Resolved::Void,
                CType::Pointer { .. } => return Resolved::Pointer,
                CType::Function(_) => return Resolved::Function,
                CType::Array { of, length } => return Resolved::Array(of, *length),
                CType::Named(name) => name.as_str(),
            };
            match self.get(name) {
                Some(Item::Alias(alias)) => current = &alias.ctype,
                Some(Item::Enumeration(item)) => return Resolved::Enumeration(item),
                Some(Item::Handle(item)) => return Resolved::Handle(item),
                Some(Item::Record(item)) => return Resolved::Record(item),
                Some(Item::Callback(_)) => return Resolved::Function,
                None if primitive_bits(name).is_some() => return Resolved::Primitive(name),
                None => return Resolved::Unknown(name),
            }
        }
        match current {
            CType::Named(name) => Resolved::Unknown(name),
            _ => Resolved::Void,
        }
    }
}
