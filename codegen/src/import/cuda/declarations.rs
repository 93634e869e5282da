//! What the headers declare, as far as a comment can belong to it.
//!
//! In: a parsed [`Unit`]. Out: every macro, function, type, member and enumerator with its range, the range of its comment, and the two names
//! that it goes by: that of the model's item, and the one by which upstream's prose speaks of it.

use clang_sys as clang;

use super::{
    comments::SubjectKind,
    libclang::{Cursor, Span, Unit},
};

/// Something that a comment can belong to.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// What it is.
    pub kind: SubjectKind,
    /// As upstream's prose names it: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::handle::win32::name`.
    pub subject: String,
    /// The model's item: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32`.
    pub item: String,
    /// The member or enumerator of the item.
    pub member: Option<String>,
    /// The name as the header writes it, where a macro then changes it: `cuCtxCreate`.
    pub spelled: String,
    /// The names of a function's parameters.
    pub parameters: Vec<String>,
    /// The range of the declaration.
    pub span: Span,
    /// The range of the comment that the C parser gives to it.
    pub comment: Option<Span>,
    /// Marked as deprecated for the compiler.
    pub deprecated: bool,
}

/// The name of a record that has none, from that of the record it is nested in.
pub(super) fn nested_name(parent: &str, member: &str) -> String {
    format!("{parent}_{member}")
}

/// The name of a member that has none, from that of its own first member.
pub(super) fn nameless_member(first: &str, union: bool) -> String {
    format!("{first}_{}", if union { "union" } else { "struct" })
}

/// `name` without its ABI version: `CUmemLocation` for `CUmemLocation_v1`.
pub(super) fn without_version(name: &str) -> Option<&str> {
    let (short, version) = name.rsplit_once("_v").or_else(|| name.rsplit_once("_V"))?;
    (!version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())).then_some(short)
}

/// The typedefs of a unit: they name the records and enumerations, whose tags nobody uses.
pub(super) struct Naming<'u> {
    typedefs: Vec<Typedef<'u>>,
}

/// A typedef of something that has a declaration.
struct Typedef<'u> {
    name: String,
    of: Cursor<'u>,
}

impl<'u> Naming<'u> {
    pub(super) fn read(unit: &'u Unit<'_>) -> Self {
        let roots = unit.root().children();
        let typedefs = roots.iter().filter(|cursor| cursor.kind() == clang::CXCursor_TypedefDecl);
        Self { typedefs: typedefs.filter_map(|cursor| Some(Typedef { name: cursor.spelling(), of: cursor.names()? })).collect() }
    }

    /// The model's name of a record or enumeration: its first typedef, else its tag.
    pub(super) fn item(&self, cursor: Cursor<'_>) -> String {
        let direct = self.typedefs.iter().find(|typedef| typedef.of == cursor);
        direct.map_or_else(|| cursor.spelling(), |typedef| typedef.name.clone())
    }

    /// The name of `item` in prose: without its version, where upstream declares that as a further name.
    fn subject<'a>(&self, item: &'a str) -> &'a str {
        let renames = |typedef: &Typedef<'_>, short: &str| typedef.name == short && typedef.of.spelling() == item;
        let short = without_version(item).filter(|short| self.typedefs.iter().any(|typedef| renames(typedef, short)));
        short.unwrap_or(item)
    }
}

/// Everything that `unit` declares in the headers, in the order of the text.
pub(super) fn declared(unit: &Unit<'_>) -> Vec<Declared> {
    let mut walk = Walk { unit, naming: Naming::read(unit), found: Vec::new() };
    for cursor in unit.root().children() {
        walk.root(cursor);
    }
    walk.found.sort_by(|a, b| (&a.span, a.kind).cmp(&(&b.span, b.kind)));
    walk.found
}

/// The two names of the record or enum that is being walked.
struct Owner {
    subject: String,
    item: String,
}

struct Walk<'u> {
    unit: &'u Unit<'u>,
    naming: Naming<'u>,
    found: Vec<Declared>,
}

impl<'u> Walk<'u> {
    fn root(&mut self, cursor: Cursor<'u>) {
        match cursor.kind() {
            clang::CXCursor_MacroDefinition => self.plain(cursor, SubjectKind::Macro),
            clang::CXCursor_FunctionDecl => self.plain(cursor, SubjectKind::Command),
            clang::CXCursor_TypedefDecl => self.plain(cursor, SubjectKind::Typedef),
            clang::CXCursor_StructDecl | clang::CXCursor_UnionDecl if cursor.is_definition() => {
                let owner = self.owner(cursor);
                self.add(cursor, SubjectKind::Record, &owner, None);
                self.members(cursor, &owner);
            }
            clang::CXCursor_EnumDecl if cursor.is_definition() => {
                let owner = self.owner(cursor);
                self.add(cursor, SubjectKind::Enumeration, &owner, None);
                for value in cursor.children() {
                    if value.kind() == clang::CXCursor_EnumConstantDecl {
                        self.add(value, SubjectKind::Enumerator, &owner, Some(&value.spelling()));
                    }
                }
            }
            _ => {}
        }
    }

    fn owner(&self, cursor: Cursor<'_>) -> Owner {
        let item = self.naming.item(cursor);
        Owner { subject: self.naming.subject(&item).to_owned(), item }
    }

    fn members(&mut self, record: Cursor<'u>, owner: &Owner) {
        let children = record.children();
        let fields: Vec<_> = children.iter().filter(|child| child.kind() == clang::CXCursor_FieldDecl).copied().collect();
        for child in children {
            match child.kind() {
                clang::CXCursor_FieldDecl => self.add(child, SubjectKind::Member, owner, Some(&child.spelling())),
                kind @ (clang::CXCursor_StructDecl | clang::CXCursor_UnionDecl) if child.is_definition() => {
                    let field = fields.iter().find(|field| field.names() == Some(child));
                    let nested = if let Some(field) = field {
                        let subject = format!("{}::{}", owner.subject, field.spelling());
                        Owner { subject, item: nested_name(&owner.item, &field.spelling()) }
                    } else {
                        // Prose reaches its members as if they were the outer record's.
                        let member = nameless_member(&first_member(child), kind == clang::CXCursor_UnionDecl);
                        self.add(child, SubjectKind::Member, owner, Some(&member));
                        Owner { subject: owner.subject.clone(), item: nested_name(&owner.item, &member) }
                    };
                    self.members(child, &nested);
                }
                _ => {}
            }
        }
    }

    fn plain(&mut self, cursor: Cursor<'u>, kind: SubjectKind) {
        let name = cursor.spelling();
        self.add_as(cursor, kind, name.clone(), &name, None);
    }

    fn add(&mut self, cursor: Cursor<'u>, kind: SubjectKind, owner: &Owner, member: Option<&str>) {
        let subject = match member {
            Some(member) => format!("{}::{member}", owner.subject),
            None => owner.subject.clone(),
        };
        self.add_as(cursor, kind, subject, &owner.item, member);
    }

    /// Adds what is in one of the headers; the rest (stubs, what the compiler predefines) is nobody's business.
    fn add_as(&mut self, cursor: Cursor<'u>, kind: SubjectKind, subject: String, item: &str, member: Option<&str>) {
        let Some(span) = self.unit.span(cursor.extent()) else { return };
        let comment = self.unit.span(cursor.comment_range());
        let spelled = self.unit.spelled(cursor).unwrap_or_default().to_owned();
        let (item, member, deprecated) = (item.to_owned(), member.map(str::to_owned), cursor.is_deprecated());
        let parameters = cursor.parameters();
        self.found.push(Declared { kind, subject, item, member, spelled, parameters, span, comment, deprecated });
    }
}

/// The name of the first member of a record; where that has none, of its first.
pub(super) fn first_member(record: Cursor<'_>) -> String {
    let children = record.children();
    let Some(first) = children.first() else { return String::new() };
    let named = children
        .iter()
        .find(|child| child.kind() == clang::CXCursor_FieldDecl && (*child == first || child.names() == Some(*first)));
    named.map_or_else(|| first_member(*first), |field| field.spelling())
}
