//! Makes aliases, handles and records of the types; headers and C's own types are left out, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    availability::Requirements,
    constants::Known,
    external,
    layout::{self, Layouts},
    threads,
    typedefs::Typedefs,
};
use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::{ItemKind, Member, Registry, TypeDefinition, TypeKind},
    model::{Alias, CType, Handle, HandleRepr, Lifetime, Model, Omitted, PerTarget, Record, RecordKind},
};

/// What the types are made from.
pub(super) struct Types<'a> {
    pub(super) registry: &'a Registry,
    pub(super) typedefs: &'a Typedefs<'a>,
    pub(super) requirements: &'a Requirements,
    pub(super) known: &'a BTreeMap<String, Known>,
    /// Types that are enumerations already.
    pub(super) enumerations: BTreeSet<String>,
}

impl Types<'_> {
    /// Adds all of them to `model`.
    pub(super) fn add(&self, model: &mut Model, findings: &mut Findings) {
        let mut layouts = Layouts { typedefs: self.typedefs, records: BTreeMap::new() };
        for definition in &self.registry.types {
            self.add_one(definition, model, &mut layouts, findings);
        }
    }

    fn add_one(&self, definition: &TypeDefinition, model: &mut Model, layouts: &mut Layouts<'_>, findings: &mut Findings) {
        let name = &definition.name;
        match &definition.kind {
            TypeKind::Header => model.omitted.push(omitted(name, "header", "a header of C, which Rust does not include")),
            TypeKind::Base => model.omitted.push(omitted(name, "type", "a type of C itself, which Rust has under another name")),
            TypeKind::External { .. } => match external::find(name) {
                Some(external) => {
                    let mut alias = self.alias(name, external.ctype());
                    alias.windows |= external.windows;
                    model.aliases.push(alias);
                    findings.push(
                        Finding::note(format!("`{name}` is of another API: {}", external.reason))
                            .at(self.registry.place(&definition.span)),
                    );
                }
                None => findings.push(
                    Finding::error(format!("`{name}` is of another API, and nothing says what it is in Rust"))
                        .at(self.registry.place(&definition.span))
                        .help("decide it in the table of external types"),
                ),
            },
            TypeKind::Typedef { .. } if self.enumerations.contains(name) => {}
            // What is only known as a pointer to anything is an object that is only referred to.
            TypeKind::Typedef { target: CType::Pointer { to, .. }, .. } if **to == CType::Void => {
                model.handles.push(self.handle(name));
            }
            TypeKind::Typedef { target, .. } => model.aliases.push(self.alias(name, target.clone())),
            TypeKind::Handle => model.handles.push(self.handle(name)),
            TypeKind::Opaque => model.aliases.push(self.alias(name, CType::Void)),
            TypeKind::Struct(members) => match self.records(name, members, layouts) {
                Ok(records) => model.records.extend(records),
                Err(error) => findings.push(
                    Finding::error(format!("the layout of `{name}` cannot be derived: {error}"))
                        .at(self.registry.place(&definition.span)),
                ),
            },
            TypeKind::Macro(_) | TypeKind::MacroFunction { .. } | TypeKind::MacroPerPointerWidth { .. } => {}
        }
    }

    fn alias(&self, name: &str, ctype: CType) -> Alias {
        let windows = self.requirements.is_windows(ItemKind::Type, name);
        Alias { name: name.to_owned(), ctype, lifetime: self.requirements.lifetime(ItemKind::Type, name), windows }
    }

    fn handle(&self, name: &str) -> Handle {
        Handle {
            name: name.to_owned(),
            repr: HandleRepr::Pointer,
            threads: threads::promise(name),
            lifetime: self.requirements.lifetime(ItemKind::Type, name),
            windows: self.requirements.is_windows(ItemKind::Type, name),
        }
    }

    /// The struct, after the unions in it.
    fn records(&self, name: &str, members: &[Member], layouts: &mut Layouts<'_>) -> Result<Vec<Record>, String> {
        let lifetime = self.requirements.lifetime(ItemKind::Type, name);
        let of_member = Lifetime { since: lifetime.since, extensions: lifetime.extensions.clone(), ..Lifetime::default() };
        let mut windows = self.requirements.is_windows(ItemKind::Type, name);
        let mut nested = Vec::new();
        let mut laid_out = Vec::new();
        for member in members {
            match member {
                Member::Named { name, ctype, length, .. } => {
                    windows |= external::mentions_windows(ctype);
                    let ctype = match length {
                        Some(length) => CType::Array { of: Box::new(ctype.clone()), length: self.length(length)? },
                        None => ctype.clone(),
                    };
                    laid_out.push(layout::member(name, ctype, false, of_member.clone()));
                }
                Member::Union { members, .. } => {
                    let first = members.first().map(|(name, _)| name.as_str()).ok_or("a union without members")?;
                    let member_name = format!("{first}_union");
                    let mut union = record(&format!("{name}_{member_name}"), RecordKind::Union, &lifetime, Some(name));
                    union.members =
                        members.iter().map(|(name, ctype)| layout::member(name, ctype.clone(), false, of_member.clone())).collect();
                    layouts.lay_out(&mut union).map_err(|member| format!("`{member}` has no size"))?;
                    laid_out.push(layout::member(&member_name, CType::named(&union.name), true, of_member.clone()));
                    nested.push(union);
                }
            }
        }
        let mut whole = record(name, RecordKind::Struct, &lifetime, None);
        whole.windows = windows;
        whole.members = laid_out;
        layouts.lay_out(&mut whole).map_err(|member| format!("`{member}` has no size"))?;
        nested.push(whole);
        Ok(nested)
    }

    /// An array's length: a number, or a constant's name.
    fn length(&self, text: &str) -> Result<u64, String> {
        let number = text.parse().ok();
        let named = || self.known.get(text)?.in_type("u64").ok()?.integer()?.try_into().ok();
        number.or_else(named).ok_or_else(|| format!("the length `{text}` is neither a number nor a constant"))
    }
}

fn record(name: &str, kind: RecordKind, lifetime: &Lifetime, parent: Option<&str>) -> Record {
    Record {
        name: name.to_owned(),
        kind,
        size: PerTarget::same(0),
        align: PerTarget::same(1),
        parent: parent.map(str::to_owned),
        lifetime: lifetime.clone(),
        windows: false,
        members: Vec::new(),
    }
}

fn omitted(name: &str, kind: &str, reason: &str) -> Omitted {
    Omitted { name: name.to_owned(), kind: kind.to_owned(), reason: reason.to_owned() }
}
