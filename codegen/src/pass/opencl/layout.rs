//! Derives sizes, alignments and offsets of structs for the three layouts that the supported systems have.
//!
//! In: members with their types. Out: numbers for each [`Target`]. 64-bit scalars of OpenCL are typedefs with a demanded alignment of 8, which
//! holds on 32-bit Linux too, where C's own 64-bit integers are aligned to 4.

use std::collections::BTreeMap;

use super::typedefs::Typedefs;
use crate::model::{CType, Member, PerTarget, Record, RecordKind, Target};

/// A typedef that demands more is refused by the importer.
const LARGEST_ALIGNMENT: u64 = 4096;

/// Size and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) size: u64,
    pub(super) align: u64,
}

/// Sizes of types, those of records that were laid out before included.
pub(super) struct Layouts<'a> {
    pub(super) typedefs: &'a Typedefs<'a>,
    pub(super) records: BTreeMap<String, (PerTarget, PerTarget)>,
}

impl Layouts<'_> {
    /// Size and alignment of `ctype`; `None` for a type that has none, or is not known.
    pub(super) fn extent(&self, ctype: &CType, target: Target) -> Option<Extent> {
        match ctype {
            CType::Void => None,
            CType::Pointer { .. } | CType::Function(_) => Some(pointer(target)),
            CType::Array { of, length } => {
                let element = self.extent(of, target)?;
                Some(Extent { size: element.size.checked_mul(*length)?, align: element.align })
            }
            CType::Named(name) => self.named(name, target),
        }
    }

    fn named(&self, name: &str, target: Target) -> Option<Extent> {
        if let Some((size, align)) = self.records.get(name) {
            return Some(Extent { size: size.get(target), align: align.get(target) });
        }
        let Some(primitive) = self.typedefs.primitive(name) else {
            return self.typedefs.is_pointer(name).then(|| pointer(target));
        };
        let natural = scalar(primitive, target)?;
        Some(Extent { align: self.typedefs.demanded_alignment(name).unwrap_or(natural.align), ..natural })
    }

    /// Gives `record` its numbers, and remembers them; the name of the first member that has no size, or makes it larger than any memory.
    pub(super) fn lay_out(&mut self, record: &mut Record) -> Result<(), String> {
        for target in Target::ALL {
            let mut offset = 0;
            let mut size = 0;
            let mut align = 1;
            for member in &mut record.members {
                let extent = self.extent(&member.ctype, target).ok_or_else(|| member.name.clone())?;
                let after = |offset: u64| offset.checked_next_multiple_of(extent.align).ok_or_else(|| member.name.clone());
                let at = if record.kind == RecordKind::Union { 0 } else { after(offset)? };
                // The end is rounded up as well, which has to be possible with the largest alignment that there is.
                let end = at.checked_add(extent.size).filter(|end| *end <= u64::MAX - LARGEST_ALIGNMENT);
                offset = end.ok_or_else(|| member.name.clone())?;
                set(&mut member.offset, target, at);
                size = size.max(offset);
                align = align.max(extent.align);
            }
            set(&mut record.size, target, size.next_multiple_of(align));
            set(&mut record.align, target, align);
        }
        self.records.insert(record.name.clone(), (record.size, record.align));
        Ok(())
    }
}

fn pointer(target: Target) -> Extent {
    let size = if target == Target::Wide { 8 } else { 4 };
    Extent { size, align: size }
}

/// A number type of C as the target's ABI has it.
fn scalar(primitive: &str, target: Target) -> Option<Extent> {
    let size = match primitive {
        "i8" | "u8" | "c_char" | "c_schar" | "c_uchar" => 1,
        "i16" | "u16" | "c_short" | "c_ushort" => 2,
        "i32" | "u32" | "c_int" | "c_uint" | "f32" => 4,
        "i64" | "u64" | "f64" => 8,
        "isize" | "usize" => return Some(pointer(target)),
        _ => return None,
    };
    let align = if size == 8 && target == Target::LinuxI686 { 4 } else { size };
    Some(Extent { size, align })
}

fn set(numbers: &mut PerTarget, target: Target, number: u64) {
    match target {
        Target::Wide => numbers.wide = number,
        Target::WindowsI686 => numbers.windows_i686 = number,
        Target::LinuxI686 => numbers.linux_i686 = number,
    }
}

/// A member before it is laid out.
pub(super) fn member(name: &str, ctype: CType, nameless: bool, lifetime: crate::model::Lifetime) -> Member {
    Member { name: name.to_owned(), ctype, narrow_type: None, offset: PerTarget::same(0), nameless, lifetime }
}
