//! Emits `records`: structs and unions, and the accessors of members that C reaches through a nameless one.
//!
//! In: the records. Out: a `record!` row each, with size, alignment and every offset to be asserted, and an `accessor!` row for each
//! member of a nameless member.

use super::{
    docs::Docs,
    page::Page,
    types::{identifier, literal},
};
use crate::{
    model::{CType, HandleRepr, Member, Model, PerTarget, Record, RecordKind},
    pass::{
        index::{Index, Resolved, primitive_bits},
        rust_layout::{self, Repair},
    },
};

/// The file of records.
pub(super) fn emit<'a>(model: &Model, docs: Docs, index: &Index<'_>, mut page: Page<'a>) -> Page<'a> {
    for record in &model.records {
        page.gap();
        page.item(&record.name);
        if record.windows {
            page.line(0, "#[cfg(windows)]");
        }
        page.line(0, "record! {");
        match rust_layout::repair(index, record) {
            Ok(Repair::Align(align)) => page.line(1, format_args!("#[repr(align({align}))]")),
            Ok(Repair::AlignOnLinuxI686(align)) => {
                page.line(1, format_args!("#[cfg_attr(all(target_arch = \"x86\", not(windows)), repr(align({align})))]"));
            }
            // An error does not get past validation.
            Ok(Repair::None) | Err(_) => {}
        }
        let keyword = match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        let (name, about) = (identifier(&record.name), docs.item(&record.lifetime));
        page.line(1, format_args!("{keyword} {name}, size {}, align {}, {about} {{", record.size, record.align));
        for member in &record.members {
            let ctype = page.ctype_by_width(&member.ctype, member.narrow_type.as_ref());
            let fact = docs.leaf(&record.lifetime, &member.lifetime);
            page.line(2, format_args!("{}: {ctype}, at {}, {fact};", identifier(&member.name), member.offset));
        }
        page.line(1, "}");
        page.line(0, "}");
        for accessor in accessors(index, record) {
            accessor.emit(record, &mut page);
        }
    }
    page
}

/// A member of a nameless member, and the way to it.
struct Accessor<'a> {
    member: &'a Member,
    path: Vec<&'a str>,
    /// Whichever member of the unions on the way was written, all bytes of this one were.
    sound: bool,
}

impl Accessor<'_> {
    fn emit(&self, record: &Record, page: &mut Page<'_>) {
        let name = &self.member.name;
        let path: Vec<_> = self.path.iter().map(|step| identifier(step)).collect();
        let (ctype, path) = (page.ctype(&self.member.ctype), path.join("."));
        let keyword = if self.sound { "" } else { "unsafe " };
        if record.windows {
            page.line(0, "#[cfg(windows)]");
        }
        page.line(
            0,
            format_args!(
                "accessor! {{ {keyword}{}: {}, set_{name}: {ctype} = {path}, {} }}",
                identifier(&record.name),
                identifier(name),
                literal(&format!("`{name}`"))
            ),
        );
    }
}

/// The members that C reaches through nameless ones. Validation has made sure that no record contains itself.
fn accessors<'a>(index: &Index<'a>, record: &'a Record) -> Vec<Accessor<'a>> {
    let mut found = Vec::new();
    for member in record.members.iter().filter(|member| member.nameless) {
        collect(index, member, &mut vec![&member.name], true, &mut found);
    }
    found
}

fn collect<'a>(index: &Index<'a>, nameless: &'a Member, path: &mut Vec<&'a str>, sound: bool, found: &mut Vec<Accessor<'a>>) {
    let Resolved::Record(inner) = index.resolve(&nameless.ctype) else {
        return;
    };
    let sound = sound && (inner.kind == RecordKind::Struct || is_uniform(index, inner));
    for member in &inner.members {
        path.push(&member.name);
        if member.nameless {
            collect(index, member, path, sound, found);
        } else {
            found.push(Accessor { member, path: path.clone(), sound });
        }
        path.pop();
    }
}

/// Whether every member of a union is as large as the union and has no padding, so that writing any of them writes all bytes.
fn is_uniform(index: &Index<'_>, union: &Record) -> bool {
    union.members.iter().all(|member| scalar_size(index, &member.ctype) == Some(union.size))
}

/// The size of a number, pointer or handle, or an array of them; `None` for a record, which may have padding.
fn scalar_size(index: &Index<'_>, ctype: &CType) -> Option<PerTarget> {
    let pointer = PerTarget { wide: 8, windows_i686: 4, linux_i686: 4 };
    match index.resolve(ctype) {
        Resolved::Pointer | Resolved::Function => Some(pointer),
        Resolved::Handle(handle) if handle.repr == HandleRepr::Pointer => Some(pointer),
        Resolved::Array(of, length) => {
            let one = scalar_size(index, of)?;
            Some(PerTarget {
                wide: one.wide.checked_mul(length)?,
                windows_i686: one.windows_i686.checked_mul(length)?,
                linux_i686: one.linux_i686.checked_mul(length)?,
            })
        }
        resolved => match primitive_bits(resolved.carrier()?)? {
            0 => Some(pointer),
            bits => Some(PerTarget::same(u64::from(bits / 8))),
        },
    }
}
