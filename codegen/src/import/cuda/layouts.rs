//! Where the C parser puts members, for one target.
//!
//! In: a parsed [`Unit`]. Out: every record, nested ones under a name made of the path, with size, alignment and offsets. bindgen knows the
//! members' types but computes no layout for another target; so their shapes are joined later, member by member.

use clang_sys as clang;

use super::{
    declarations::{Naming, nameless_member, nested_name},
    libclang::{Cursor, Span, Unit},
};
use crate::finding::{Finding, Findings};

/// A struct or union of one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The model's name.
    pub name: String,
    /// The name after `struct` in the header, or of the typedef if there is none; for a nested record that of the outermost one.
    pub tag: String,
    /// The record that it is nested in.
    pub parent: Option<String>,
    /// Whether it is a union.
    pub union: bool,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// Where it is declared.
    pub span: Span,
    /// Its members, in order.
    pub members: Vec<Place>,
}

/// A member of a [`Layout`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, or one made from its first member.
    pub name: String,
    /// Whether the header gives it none.
    pub nameless: bool,
    /// In bytes from the start of the record.
    pub offset: u64,
    /// How many elements it has, if it is an array.
    pub length: Option<u64>,
    /// The record that it alone has, if its type is nested in this one.
    pub nested: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

/// Every record of `unit` that has members, outer ones before those nested in them.
pub(super) fn layouts(unit: &Unit<'_>, naming: &Naming<'_>) -> Result<Vec<Layout>, Findings> {
    let mut walk = Walk { unit, found: Vec::new(), findings: Findings::default() };
    for cursor in unit.root().children() {
        let is_record = matches!(cursor.kind(), clang::CXCursor_StructDecl | clang::CXCursor_UnionDecl);
        if is_record && cursor.is_definition() && unit.span(cursor.extent()).is_some() {
            let (item, tag) = (naming.item(cursor), cursor.spelling());
            walk.record(cursor, &item, &tag, None);
        }
    }
    walk.findings.with(walk.found).map(|(found, _)| found)
}

struct Walk<'u> {
    unit: &'u Unit<'u>,
    found: Vec<Layout>,
    findings: Findings,
}

impl Walk<'_> {
    fn record(&mut self, cursor: Cursor<'_>, name: &str, tag: &str, parent: Option<&str>) {
        let Some(span) = self.unit.span(cursor.extent()) else { return };
        let Some((size, align)) = cursor.size_and_align() else {
            self.refuse(format!("the layout of `{name}` is unknown to the C parser"), &span);
            return;
        };
        let (name, tag, parent) = (name.to_owned(), tag.to_owned(), parent.map(str::to_owned));
        let union = cursor.kind() == clang::CXCursor_UnionDecl;
        let number = self.found.len();
        self.found.push(Layout { name: name.clone(), tag: tag.clone(), parent, union, size, align, span, members: Vec::new() });
        let members = self.members(cursor, &name, &tag);
        self.found[number].members = members;
    }

    fn members(&mut self, record: Cursor<'_>, owner: &str, tag: &str) -> Vec<Place> {
        let children = record.children();
        let fields: Vec<_> = children.iter().filter(|child| child.kind() == clang::CXCursor_FieldDecl).collect();
        let mut places = Vec::new();
        for child in &children {
            let inner = match child.kind() {
                clang::CXCursor_FieldDecl => {
                    let nested = children.iter().find(|inner| is_record(**inner) && child.names() == Some(**inner));
                    let nested = nested.map(|_| nested_name(owner, &child.spelling()));
                    places.extend(self.place(record, *child, child.spelling(), false, nested));
                    continue;
                }
                _ if is_record(*child) => *child,
                _ => continue,
            };
            if let Some(field) = fields.iter().find(|field| field.names() == Some(inner)) {
                self.record(inner, &nested_name(owner, &field.spelling()), tag, Some(owner));
            } else {
                let member = nameless_member(&super::declarations::first_member(inner), is_union(inner));
                let nested = nested_name(owner, &member);
                self.record(inner, &nested, tag, Some(owner));
                places.extend(self.place(record, inner, member, true, Some(nested)));
            }
        }
        places
    }

    /// Where `member` is in `record`. A nameless one is where its first member is, which is at its very start.
    fn place(
        &mut self,
        record: Cursor<'_>,
        member: Cursor<'_>,
        name: String,
        nameless: bool,
        nested: Option<String>,
    ) -> Option<Place> {
        let span = self.unit.span(member.extent())?;
        let reached = if nameless { super::declarations::first_member(member) } else { name.clone() };
        let Some(offset) = record.offset_of(&reached).filter(|_| !member.is_bit_field()) else {
            self.refuse(format!("the member `{name}` does not begin at a whole byte, or is a bit field"), &span);
            return None;
        };
        Some(Place { name, nameless, offset, length: member.array_length(), nested, span })
    }

    fn refuse(&mut self, what: String, span: &Span) {
        self.findings.push(Finding::error(what).at(self.unit.place(span)).help("the model has no form for it yet"));
    }
}

fn is_record(cursor: Cursor<'_>) -> bool {
    matches!(cursor.kind(), clang::CXCursor_StructDecl | clang::CXCursor_UnionDecl) && cursor.is_definition()
}

fn is_union(cursor: Cursor<'_>) -> bool {
    cursor.kind() == clang::CXCursor_UnionDecl
}
