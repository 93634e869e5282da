//! What a typedef's name stands for, through all typedefs between.

use std::collections::{BTreeMap, BTreeSet};

use super::external;
use crate::{
    import::opencl::registry::{Registry, TypeKind},
    model::CType,
};

/// Longer chains of typedefs are refused: a chain that never ends would be one.
const LONGEST: usize = 16;

/// The registry's types by name.
pub(super) struct Typedefs<'a> {
    kinds: BTreeMap<&'a str, &'a TypeKind>,
    /// Names that other typedefs stand on.
    targets: BTreeSet<&'a str>,
}

impl<'a> Typedefs<'a> {
    pub(super) fn new(registry: &'a Registry) -> Self {
        let kinds = registry.types.iter().map(|definition| (definition.name.as_str(), &definition.kind)).collect();
        let mut targets = BTreeSet::new();
        for definition in &registry.types {
            if let TypeKind::Typedef { target, .. } = &definition.kind {
                target.names(&mut |name| {
                    targets.insert(name);
                });
            }
        }
        Self { kinds, targets }
    }

    pub(super) fn kind(&self, name: &str) -> Option<&'a TypeKind> {
        self.kinds.get(name).copied()
    }

    /// Each typedef from `name` to the one that stands on no other.
    fn chain<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'s CType, Option<u64>)> {
        let step = |name: &str| match self.kind(name) {
            Some(TypeKind::Typedef { target, aligned }) => Some((target, *aligned)),
            _ => None,
        };
        let next = move |(target, _): &(&'s CType, Option<u64>)| match target {
            CType::Named(name) => step(name),
            _ => None,
        };
        std::iter::successors(step(name), next).take(LONGEST)
    }

    /// The number type that `name` stands for in the end: `u32`, `isize`, `c_int`, `f32`.
    pub(super) fn primitive(&self, name: &str) -> Option<&'static str> {
        if let Some(primitive) = primitive(name) {
            return Some(primitive);
        }
        if let Some(CType::Named(name)) = external::find(name).map(external::External::ctype) {
            return primitive(&name);
        }
        match self.chain(name).last()?.0 {
            CType::Named(name) => primitive(name),
            _ => None,
        }
    }

    /// Whether values of type `name` are pointers.
    pub(super) fn is_pointer(&self, name: &str) -> bool {
        let is_handle = |name: &str| matches!(self.kind(name), Some(TypeKind::Handle));
        let external = external::find(name).is_some_and(|external| matches!(external.ctype(), CType::Pointer { .. }));
        external
            || is_handle(name)
            || self.chain(name).last().is_some_and(|(target, _)| match target {
                CType::Pointer { .. } | CType::Function(_) => true,
                CType::Named(name) => is_handle(name),
                CType::Void | CType::Array { .. } => false,
            })
    }

    /// The number type that carries values of type `name`, with its width: `u32`, `isize`, `f64`.
    pub(super) fn number(&self, name: &str) -> Option<&'static str> {
        self.primitive(name).map(fixed_width)
    }

    /// The same, if it is an integer.
    pub(super) fn integer(&self, name: &str) -> Option<&'static str> {
        self.number(name).filter(|repr| !repr.starts_with('f'))
    }

    /// The alignment that a typedef on the way demands.
    pub(super) fn demanded_alignment(&self, name: &str) -> Option<u64> {
        self.chain(name).find_map(|(_, aligned)| aligned)
    }

    /// A type of numbers in general, such as `cl_uint` or `cl_bitfield`, which no named value belongs to: others stand on it, or
    /// it is a type of C under another name. Property lists are carried by `intptr_t` itself, and are no such types.
    pub(super) fn is_building_block(&self, name: &str) -> bool {
        if primitive(name).is_some() || self.targets.contains(name) {
            return true;
        }
        match self.kind(name) {
            Some(TypeKind::Typedef { target: CType::Named(target), .. }) => primitive(target).is_some_and(|it| it != "isize"),
            _ => false,
        }
    }

    /// Whether named values can belong to `name`.
    pub(super) fn can_be_enumeration(&self, name: &str) -> bool {
        matches!(self.kind(name), Some(TypeKind::Typedef { .. })) && self.integer(name).is_some() && !self.is_building_block(name)
    }

    /// Whether `name` stands on `cl_bitfield`.
    pub(super) fn is_bits(&self, name: &str) -> bool {
        self.chain(name).any(|(target, _)| *target == CType::named("cl_bitfield"))
    }
}

/// `name` if it is a type of numbers in the model's notation.
fn primitive(name: &str) -> Option<&'static str> {
    const ALL: [&str; 19] = [
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "f32", "f64", "c_char", "c_schar", "c_uchar",
        "c_short", "c_ushort", "c_int", "c_uint",
    ];
    ALL.into_iter().find(|primitive| *primitive == name)
}

/// C's own integer types have one width on every target that is supported.
fn fixed_width(primitive: &'static str) -> &'static str {
    match primitive {
        "c_char" | "c_schar" => "i8",
        "c_uchar" => "u8",
        "c_short" => "i16",
        "c_ushort" => "u16",
        "c_int" => "i32",
        "c_uint" => "u32",
        other => other,
    }
}
