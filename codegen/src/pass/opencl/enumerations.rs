//! Makes enumerations and plain constants of the values, once it is decided where each belongs.
//!
//! In: values and memberships. Out: [`Enumeration`]s with their enumerators in the order of the document, and [`Constant`]s. A value with
//! several names in one type has one canonical name, so that no match has two arms for it: the core's before an extension's, one in good
//! standing before a deprecated one, Khronos's before a vendor's, then the first.

use std::collections::BTreeMap;

use super::{
    availability::Requirements,
    constants::Known,
    membership::{Membership, STATUS},
    typedefs::Typedefs,
};
use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::{ItemKind, Registry, TypeKind},
    model::{CType, Constant, Enumeration, EnumerationKind, Enumerator, Lifetime, Value},
};

/// What is known of the values.
pub(super) struct Values<'a> {
    pub(super) registry: &'a Registry,
    pub(super) typedefs: &'a Typedefs<'a>,
    pub(super) requirements: &'a Requirements,
    pub(super) known: &'a BTreeMap<String, Known>,
    pub(super) memberships: &'a BTreeMap<String, Membership>,
}

impl Values<'_> {
    /// Everything that has a value, as the model has it. Both lists are sorted by name.
    pub(super) fn model(&self, findings: &mut Findings) -> (Vec<Enumeration>, Vec<Constant>) {
        let mut enumerations: BTreeMap<&str, Vec<Enumerator>> = BTreeMap::new();
        let mut constants = Vec::new();
        for entry in self.registry.blocks.iter().flat_map(|block| &block.entries) {
            let membership = self.memberships.get(&entry.name);
            let outcome = match membership {
                None => continue, // `decide` said why
                Some(Membership::Plain(ctype)) => self.constant(&entry.name, ItemKind::Enum, ctype).map(|it| constants.push(it)),
                Some(Membership::Of(types)) => types.iter().try_for_each(|name| {
                    let value = self.value(&entry.name, self.repr(name)?)?;
                    let lifetime = self.lifetime(ItemKind::Enum, &entry.name);
                    let enumerator = Enumerator { name: entry.name.clone(), value, alias_of: None, lifetime };
                    enumerations.entry(name).or_default().push(enumerator);
                    Ok(())
                }),
            };
            if let Err(error) = outcome {
                findings.push(Finding::error(format!("`{}`: {error}", entry.name)).at(self.registry.place(&entry.span)));
            }
        }
        constants.extend(self.macros(findings));
        constants.sort_by(|a, b| a.name.cmp(&b.name));
        (enumerations.into_iter().filter_map(|(name, enumerators)| self.enumeration(name, enumerators)).collect(), constants)
    }

    fn repr(&self, name: &str) -> Result<&'static str, String> {
        if name == STATUS { Ok("i32") } else { self.typedefs.number(name).ok_or_else(|| format!("`{name}` is no type of numbers")) }
    }

    fn value(&self, name: &str, repr: &str) -> Result<Value, String> {
        self.known.get(name).ok_or("it has no value".to_owned())?.in_type(repr)
    }

    fn lifetime(&self, kind: ItemKind, name: &str) -> Lifetime {
        self.requirements.lifetime(kind, name)
    }

    fn constant(&self, name: &str, kind: ItemKind, ctype: &str) -> Result<Constant, String> {
        Ok(Constant {
            name: name.to_owned(),
            ctype: CType::named(ctype),
            value: self.value(name, self.repr(ctype)?)?,
            lifetime: self.lifetime(kind, name),
            windows: self.requirements.is_windows(kind, name),
        })
    }

    fn enumeration(&self, name: &str, mut enumerators: Vec<Enumerator>) -> Option<Enumeration> {
        mark_aliases(&mut enumerators);
        let (kind, lifetime) = if name == STATUS {
            let since = enumerators.iter().filter_map(|enumerator| enumerator.lifetime.since).min();
            (EnumerationKind::Status, Lifetime { since, ..Lifetime::default() })
        } else {
            let kind = if self.typedefs.is_bits(name) { EnumerationKind::Bits } else { EnumerationKind::Choice };
            (kind, self.lifetime(ItemKind::Type, name))
        };
        let windows = self.requirements.is_windows(ItemKind::Type, name);
        Some(Enumeration { name: name.to_owned(), repr: self.repr(name).ok()?.to_owned(), kind, lifetime, windows, enumerators })
    }

    /// Macros without parameters. The type is that of a cast, or the one that all constants in the expression have, or C's.
    fn macros(&self, findings: &mut Findings) -> Vec<Constant> {
        let mut constants = Vec::new();
        for definition in &self.registry.types {
            let body = match &definition.kind {
                TypeKind::Macro(body) => body,
                TypeKind::MacroPerPointerWidth { wide, .. } => wide,
                _ => continue,
            };
            let Some(known) = self.known.get(&definition.name) else { continue };
            let ctype = match known.named.as_deref() {
                Some("intptr_t") => "isize".to_owned(),
                Some("size_t") => "usize".to_owned(),
                Some(named) => named.to_owned(),
                None => self.operands_type(body).unwrap_or_else(|| known.natural_type().to_owned()),
            };
            match self.constant(&definition.name, ItemKind::Type, &ctype) {
                Ok(constant) => constants.push(constant),
                Err(error) => findings
                    .push(Finding::error(format!("`{}`: {error}", definition.name)).at(self.registry.place(&definition.span))),
            }
        }
        constants
    }

    /// The one type that all constants named in `body` have.
    fn operands_type(&self, body: &str) -> Option<String> {
        let words = body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut types = words.filter_map(|word| self.memberships.get(word)).map(|membership| match membership {
            Membership::Of(types) => types.first().filter(|_| types.len() == 1),
            Membership::Plain(ctype) => Some(ctype),
        });
        let first = types.next()??;
        types.all(|other| other == Some(first)).then(|| first.clone())
    }
}

/// Says of each further name of a value which one is canonical.
fn mark_aliases(enumerators: &mut [Enumerator]) {
    let mut canonical: BTreeMap<i128, (bool, bool, u8, usize)> = BTreeMap::new();
    for (index, enumerator) in enumerators.iter().enumerate() {
        let Some(value) = enumerator.value.integer() else { continue };
        let rank =
            (enumerator.lifetime.since.is_none(), enumerator.lifetime.deprecated.is_some(), standing(&enumerator.name), index);
        canonical.entry(value).and_modify(|best| *best = rank.min(*best)).or_insert(rank);
    }
    let names: BTreeMap<i128, (usize, String)> = canonical
        .into_iter()
        .filter_map(|(value, (_, _, _, index))| Some((value, (index, enumerators.get(index)?.name.clone()))))
        .collect();
    for (index, enumerator) in enumerators.iter_mut().enumerate() {
        let best = enumerator.value.integer().and_then(|value| names.get(&value));
        enumerator.alias_of = best.filter(|(first, _)| *first != index).map(|(_, name)| name.clone());
    }
}

/// How widely a name is agreed upon: by Khronos, by several vendors, by one.
fn standing(name: &str) -> u8 {
    match name.rsplit('_').next() {
        Some("KHR") => 0,
        Some("EXT") => 1,
        _ => 2,
    }
}
