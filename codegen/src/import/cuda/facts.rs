//! What one release of the headers says, as plain data.
//!
//! In: nothing; this is the form. Out: what `header`, `typedefs` and `comments` fill in and passes read. Types are written with the model's
//! names: a record goes by its first typedef, a nested one by its path.

use super::Comment;
use crate::{
    finding::Place,
    model::{CType, PerTarget, RecordKind, Signature, Value, Version},
};

/// One release.
#[derive(Clone, Debug)]
pub struct Facts {
    /// `CUDA_VERSION`: 13050.
    pub number: u32,
    /// Structs and unions, each before those nested in it.
    pub records: Vec<RecordFact>,
    /// Enumerations, in the order of the headers.
    pub enumerations: Vec<EnumerationFact>,
    /// Typedefs of anything else, in the order of the headers.
    pub typedefs: Vec<TypedefFact>,
    /// The functions of the driver.
    pub functions: Vec<FunctionFact>,
    /// Every macro.
    pub macros: Vec<MacroFact>,
    /// The typedefs of functions that carry a version.
    pub versions: Vec<VersionFact>,
    /// Every comment.
    pub comments: Vec<Comment>,
}

impl Facts {
    /// The release as a version: 13.5.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::from_cuda_number(self.number)
    }
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct RecordFact {
    /// The model's name.
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// In bytes.
    pub size: PerTarget,
    /// In bytes.
    pub align: PerTarget,
    /// The record that it is nested in.
    pub parent: Option<String>,
    /// Its members, in order.
    pub members: Vec<MemberFact>,
    /// Declared for Windows only.
    pub windows: bool,
    /// Where it is declared.
    pub place: Place,
}

/// A member of a [`RecordFact`].
#[derive(Clone, Debug)]
pub struct MemberFact {
    /// Its name, or one made from its first member.
    pub name: String,
    /// Its type.
    pub ctype: CType,
    /// Its type where pointers have 32 bits, if that is another.
    pub narrow_type: Option<CType>,
    /// In bytes from the start of the record.
    pub offset: PerTarget,
    /// Whether the header gives it no name.
    pub nameless: bool,
    /// Where it is declared.
    pub place: Place,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumerationFact {
    /// The typedef's name.
    pub name: String,
    /// The integer that carries it on Linux.
    pub repr: CType,
    /// Its values, in order.
    pub enumerators: Vec<EnumeratorFact>,
    /// Declared for Windows only.
    pub windows: bool,
    /// Where it is declared.
    pub place: Place,
}

/// A value of an [`EnumerationFact`].
#[derive(Clone, Debug)]
pub struct EnumeratorFact {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where it is declared.
    pub place: Place,
}

/// A typedef of something other than a record or enumeration that had no name yet.
#[derive(Clone, Debug)]
pub struct TypedefFact {
    /// Its name.
    pub name: String,
    /// What it stands for. For a handle a pointer to the tag of a struct that no header shows.
    pub ctype: CType,
    /// Whether it points to a struct that no header shows.
    pub opaque: bool,
    /// Its size in bytes; 0 for what has none.
    pub size: PerTarget,
    /// Whether functions of this type use C's own calling convention on 32-bit Windows, and not `__stdcall`.
    pub plain_call: bool,
    /// Declared for Windows only.
    pub windows: bool,
    /// Where it is declared; `None` for a type of another API (`GLuint`), which a stub declares.
    pub place: Option<Place>,
}

/// A function of the driver.
#[derive(Clone, Debug)]
pub struct FunctionFact {
    /// The symbol that the driver exports.
    pub symbol: String,
    /// The name that the header writes, before macros turn it into the symbol.
    pub spelled: String,
    /// The symbol that the same declaration has for the per-thread default stream, where that is another.
    pub per_thread: Option<String>,
    /// Its parameters and result.
    pub signature: Signature,
    /// Marked as deprecated for the compiler.
    pub deprecated: bool,
    /// The Doxygen group around its declaration.
    pub group: Option<String>,
    /// Declared for Windows only.
    pub windows: bool,
    /// Where it is declared.
    pub place: Place,
}

/// A macro.
#[derive(Clone, Debug)]
pub struct MacroFact {
    /// Its name.
    pub name: String,
    /// What it is.
    pub meaning: MacroMeaning,
    /// Declared for Windows only.
    pub windows: bool,
    /// Where it is declared.
    pub place: Place,
}

/// What a macro is.
#[derive(Clone, Debug, PartialEq)]
pub enum MacroMeaning {
    /// A value with a type.
    Value(CType, Value),
    /// Another name of a function or of a type: the symbol, or the typedef.
    Rename(String),
    /// Without a body: an include guard, or a qualifier that is empty here.
    Empty,
    /// A qualifier for the compiler: a calling convention, an attribute.
    Qualifier,
    /// Takes parameters.
    FunctionLike,
    /// The header itself undefines it further down.
    Undefined,
    /// Meant to be another name of a versioned typedef, which there is not.
    Mistaken(String),
    /// None of these.
    Unknown(String),
}

/// A typedef such as `PFN_cuCtxCreate_v12050`.
#[derive(Clone, Debug)]
pub struct VersionFact {
    /// `cuCtxCreate`.
    pub name: String,
    /// `12050`.
    pub version: u32,
    /// Whether it ends in `_ptds` or `_ptsz`.
    pub per_thread: bool,
    /// The function's parameters and result.
    pub signature: Signature,
    /// Where it is declared.
    pub place: Place,
}
