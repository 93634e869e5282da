//! The members of a record and the parameters of a command, as places that a checker reads.
//!
//! In: a record or command, and the paths that rules name. Out: a [`Leaf`] for each place that holds a number, a pointer or an array of
//! numbers. What lies behind a pointer or in the elements of an array is none: a path that goes there finds nothing.

use crate::{
    emit::types::identifier,
    model::{CType, Command, HandleRepr, Record},
    pass::index::{Index, Resolved, integer_range, primitive_bits},
};

/// How the bytes of a leaf are read. The names are those of `clcu_sys::rules::Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unsigned,
    Signed,
    Pointer,
    Bytes,
}

impl Kind {
    /// Its name in generated code.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unsigned => "Unsigned",
            Self::Signed => "Signed",
            Self::Pointer => "Pointer",
            Self::Bytes => "Bytes",
        }
    }
}

/// A place that holds a value.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// In upstream's names, as rules write it: `handle.win32.name`.
    pub(super) path: String,
    /// The same in Rust, with members that C does not name: `handle.win32.name`, `r#type`.
    pub(super) rust: String,
    /// The name of its constant: `HANDLE_WIN32_NAME`.
    pub(super) constant: String,
    /// Its type.
    pub(super) ctype: CType,
    /// Its type where pointers have 32 bits, if that is another.
    pub(super) narrow_type: Option<CType>,
    /// How it is read.
    pub(super) kind: Kind,
    /// It is a property list: the name of its table.
    pub(super) list: Option<String>,
    /// Where it is, on 64-bit targets: to see what overlaps.
    offset: u64,
    size: u64,
}

impl Leaf {
    /// Whether the two have bytes in common.
    pub(super) const fn overlaps(&self, other: &Self) -> bool {
        self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }
}

/// The leaves of `record`, in the order of the declaration.
pub(super) fn of_record(index: &Index<'_>, record: &Record) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    members(index, record, "", "", 0, &mut leaves);
    leaves
}

fn members(index: &Index<'_>, record: &Record, path: &str, rust: &str, offset: u64, leaves: &mut Vec<Leaf>) {
    for member in &record.members {
        let join = |path: &str, name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let rust = join(rust, &identifier(&member.name));
        let path = if member.nameless { path.to_owned() } else { join(path, &member.name) };
        let offset = offset + member.offset.wide;
        // Validation has made sure that no record contains itself.
        if let Resolved::Record(inner) = index.resolve(&member.ctype) {
            members(index, inner, &path, &rust, offset, leaves);
        } else if let Some((kind, size)) = read_as(index, &member.ctype) {
            leaves.push(Leaf {
                constant: constant(&path),
                path,
                rust,
                ctype: member.ctype.clone(),
                narrow_type: member.narrow_type.clone(),
                kind,
                list: None,
                offset,
                size,
            });
        }
    }
}

/// The parameters of `command`, as members of a record of its arguments.
/// `lists` gives the table of a parameter that is a property list.
pub(super) fn of_command(index: &Index<'_>, command: &Command, lists: &impl Fn(&str) -> Option<String>) -> Vec<Leaf> {
    let leaf = |(at, parameter): (u64, &crate::model::Parameter)| {
        let (kind, size) = read_as(index, &parameter.ctype)?;
        let (path, ctype) = (parameter.name.clone(), parameter.ctype.clone());
        // The offset only has to be its own: parameters do not overlap.
        let list = lists(&path);
        let kind = if list.is_some() { Kind::Bytes } else { kind };
        Some(Leaf {
            constant: constant(&path),
            rust: identifier(&path).into_owned(),
            path,
            ctype,
            narrow_type: None,
            kind,
            list,
            offset: 1024 * at,
            size,
        })
    };
    (0..).zip(&command.parameters).filter_map(leaf).collect()
}

/// How a value of `ctype` is read, and its size on 64-bit targets. A pointer to a function is not: not every pattern of bytes is one.
fn read_as(index: &Index<'_>, ctype: &CType) -> Option<(Kind, u64)> {
    let resolved = index.resolve(ctype);
    match resolved {
        Resolved::Pointer => Some((Kind::Pointer, 8)),
        Resolved::Handle(handle) if handle.repr == HandleRepr::Pointer => Some((Kind::Pointer, 8)),
        Resolved::Array(of, length) => {
            let (_, size) = read_as(index, of)?;
            Some((Kind::Bytes, size * length))
        }
        _ => {
            let name = resolved.carrier()?;
            let size = match primitive_bits(name)? {
                0 => 8,
                bits => u64::from(bits / 8),
            };
            let kind = match integer_range(name) {
                None => Kind::Bytes,
                Some((0, _)) => Kind::Unsigned,
                Some(_) => Kind::Signed,
            };
            Some((kind, size))
        }
    }
}

/// `handle.nvSciSyncObj` as `HANDLE_NV_SCI_SYNC_OBJ`.
pub(super) fn constant(path: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for letter in path.chars() {
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            text.push('_');
        }
        text.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
        before = letter;
    }
    text.trim_matches('_').to_owned()
}

/// `OPAQUE_WIN32_KMT` as `OpaqueWin32Kmt`.
pub(super) fn camel(short: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
    };
    short.split('_').map(word).collect()
}
