//! What layout Rust gives a record, to see whether it is C's.
//!
//! In: a record and the types of its members. Out: what must be said besides `#[repr(C)]`, or why nothing can make it right. C headers
//! align some typedefs more than their integer (`cl_ulong` to 8 on i686 Linux), and Rust has no such typedefs.

use super::index::{Index, Resolved, primitive_bits};
use crate::model::{CType, Handle, HandleRepr, PerTarget, Record, RecordKind, Target};

/// A size and an alignment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    size: u64,
    align: u64,
}

/// What has to be said besides `#[repr(C)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing: Rust's layout is C's.
    None,
    /// A greater alignment on every target.
    Align(u64),
    /// A greater alignment on i686 Linux only.
    AlignOnLinuxI686(u64),
}

/// What must be said so that Rust's layout of `record` is the one that it states; an error says where they differ.
pub fn repair(index: &Index<'_>, record: &Record) -> Result<Repair, String> {
    let mut natural = PerTarget::default();
    for target in Target::ALL {
        let align = align_of_members(index, record, target)?;
        match target {
            Target::Wide => natural.wide = align,
            Target::WindowsI686 => natural.windows_i686 = align,
            Target::LinuxI686 => natural.linux_i686 = align,
        }
        place(index, record, target)?;
    }
    let more = |target| record.align.get(target) > natural.get(target);
    if Target::ALL.iter().all(|target| !more(*target)) {
        Ok(Repair::None)
    } else if record.align == PerTarget::same(record.align.wide) {
        let linux_only = !more(Target::Wide) && !more(Target::WindowsI686);
        Ok(if linux_only { Repair::AlignOnLinuxI686(record.align.wide) } else { Repair::Align(record.align.wide) })
    } else {
        Err(format!("its alignment is {} but its members need {natural}", record.align))
    }
}

/// The greatest alignment among the members.
fn align_of_members(index: &Index<'_>, record: &Record, target: Target) -> Result<u64, String> {
    let mut align = 1;
    for member in &record.members {
        align = align.max(extent(index, member.type_on(target), target)?.align);
    }
    if record.align.get(target) < align {
        return Err(format!("its alignment is {} but its members need {align}", record.align.get(target)));
    }
    Ok(align)
}

/// Places the members as Rust does and compares with what `record` states.
fn place(index: &Index<'_>, record: &Record, target: Target) -> Result<(), String> {
    let (mut end, mut largest) = (0u64, 0u64);
    for member in &record.members {
        let Extent { size, align } = extent(index, member.type_on(target), target)?;
        let at = match record.kind {
            RecordKind::Struct => round_up(end, align),
            RecordKind::Union => 0,
        };
        if at != member.offset.get(target) {
            return Err(format!("`{}` is at {} but Rust places it at {at} ({target:?})", member.name, member.offset.get(target)));
        }
        end = at.saturating_add(size);
        largest = largest.max(end);
    }
    let size = round_up(largest, record.align.get(target));
    if size != record.size.get(target) {
        return Err(format!("its size is {} but Rust makes it {size} ({target:?})", record.size.get(target)));
    }
    Ok(())
}

const fn round_up(size: u64, align: u64) -> u64 {
    match size.checked_next_multiple_of(if align == 0 { 1 } else { align }) {
        Some(rounded) => rounded,
        None => u64::MAX,
    }
}

/// How large a type is, and how aligned. Of another record, what it states: it is looked at by itself.
fn extent(index: &Index<'_>, ctype: &CType, target: Target) -> Result<Extent, String> {
    let pointer = if target == Target::Wide { 8 } else { 4 };
    let word = Extent { size: pointer, align: pointer };
    match index.resolve(ctype) {
        Resolved::Pointer | Resolved::Function | Resolved::Handle(Handle { repr: HandleRepr::Pointer, .. }) => Ok(word),
        Resolved::Array(of, length) => {
            let one = extent(index, of, target)?;
            Ok(Extent { size: one.size.saturating_mul(length), align: one.align })
        }
        Resolved::Record(record) => Ok(Extent { size: record.size.get(target), align: record.align.get(target) }),
        Resolved::Void => Err("`c_void` has no size".to_owned()),
        Resolved::Unknown(name) => Err(format!("nothing is called `{name}`")),
        resolved => match resolved.carrier().and_then(primitive_bits) {
            Some(0) => Ok(word),
            Some(64) if target == Target::LinuxI686 => Ok(Extent { size: 8, align: 4 }),
            Some(bits) => Ok(Extent { size: u64::from(bits / 8), align: u64::from(bits / 8) }),
            None => Err(format!("`{ctype}` has no size")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Repair, repair};
    use crate::{
        model::{Api, CType, Lifetime, Member, Model, PerTarget, Record, RecordKind},
        pass::index::Index,
    };

    fn member(name: &str, ctype: &str, offset: &str) -> Member {
        Member {
            name: name.to_owned(),
            ctype: ctype.parse::<CType>().unwrap(),
            narrow_type: None,
            offset: offset.parse().unwrap(),
            nameless: false,
            lifetime: Lifetime::default(),
        }
    }

    fn record(kind: RecordKind, size: &str, align: &str, members: Vec<Member>) -> Record {
        Record {
            name: "r".to_owned(),
            kind,
            size: size.parse().unwrap(),
            align: align.parse::<PerTarget>().unwrap(),
            parent: None,
            lifetime: Lifetime::default(),
            windows: false,
            members,
        }
    }

    fn repair_of(record: &Record) -> Result<Repair, String> {
        repair(&Index::new(&Model::empty(Api::OpenCl)), record)
    }

    #[test]
    fn a_natural_layout_needs_nothing() {
        let natural = record(RecordKind::Struct, "16/16/12", "8/8/4", vec![member("a", "u32", "0"), member("b", "u64", "8/8/4")]);
        assert_eq!(repair_of(&natural), Ok(Repair::None));
    }

    #[test]
    fn a_typedef_aligned_to_8_is_repaired_on_i686_linux() {
        let aligned = record(RecordKind::Struct, "16", "8", vec![member("a", "u64", "0"), member("b", "u32", "8")]);
        assert_eq!(repair_of(&aligned), Ok(Repair::AlignOnLinuxI686(8)));
    }

    #[test]
    fn a_record_aligned_beyond_its_members_is_repaired_everywhere() {
        let tensor_map = record(RecordKind::Struct, "128", "128", vec![member("opaque", "[u64; 16]", "0")]);
        assert_eq!(repair_of(&tensor_map), Ok(Repair::Align(128)));
    }

    #[test]
    fn an_offset_that_rust_cannot_give_is_an_error() {
        let moved = record(RecordKind::Struct, "16", "8", vec![member("a", "u32", "0"), member("b", "u64", "8")]);
        assert_eq!(repair_of(&moved), Err("`b` is at 8 but Rust places it at 4 (LinuxI686)".to_owned()));
    }

    #[test]
    fn a_wrong_size_is_an_error() {
        let short = record(RecordKind::Union, "4", "4", vec![member("a", "[u32; 2]", "0")]);
        assert_eq!(repair_of(&short), Err("its size is 4 but Rust makes it 8 (Wide)".to_owned()));
    }
}
