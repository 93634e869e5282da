//! What `cl.xml` says, as data.

use std::ops::Range;

use crate::{
    finding::{Document, Place},
    model::{CType, Version},
};

/// Bytes of the document.
pub type Span = Range<usize>;

/// The whole registry.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The document that it was read from, for messages.
    pub document: Document,
    /// Types and macros, in the order of the document.
    pub types: Vec<TypeDefinition>,
    /// Blocks of values.
    pub blocks: Vec<Block>,
    /// Functions.
    pub commands: Vec<Command>,
    /// Core versions, oldest first.
    pub features: Vec<Feature>,
    /// Extensions.
    pub extensions: Vec<Extension>,
}

impl Registry {
    /// A registry with nothing in it.
    #[must_use]
    pub fn empty(document: Document) -> Self {
        Self { document, types: Vec::new(), blocks: Vec::new(), commands: Vec::new(), features: Vec::new(), extensions: Vec::new() }
    }

    /// Where `span` is.
    #[must_use]
    pub fn place(&self, span: &Span) -> Place {
        self.document.place(span.clone())
    }
}

/// A `<type>` that defines something.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// What a `<type>` defines.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// A header to include.
    Header,
    /// A type of another API, and the header that has it, where the registry says so.
    External {
        /// `d3d10.h`, `va/va.h`.
        header: Option<String>,
    },
    /// A type of C itself.
    Base,
    /// `typedef T name`.
    Typedef {
        /// What it stands for.
        target: CType,
        /// `__attribute__((aligned(N)))`.
        aligned: Option<u64>,
    },
    /// `typedef struct tag *name`.
    Handle,
    /// `typedef struct tag name`, which nothing defines.
    Opaque,
    /// A struct.
    Struct(Vec<Member>),
    /// `#define name expression`.
    Macro(String),
    /// `#define name(a, b) expression`.
    MacroFunction {
        /// The names of its parameters.
        parameters: Vec<String>,
        /// The expression.
        body: String,
    },
    /// `#if INTPTR_MAX == INT32_MAX … #else … #endif`: one expression for each width of a pointer.
    MacroPerPointerWidth {
        /// Where pointers have 64 bits.
        wide: String,
        /// Where pointers have 32 bits.
        narrow: String,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A named one.
    Named {
        /// Its name.
        name: String,
        /// Its type, or that of its elements.
        ctype: CType,
        /// The length of an array, as an expression.
        length: Option<String>,
        /// Where.
        span: Span,
    },
    /// A union without a name.
    Union {
        /// Its members.
        members: Vec<(String, CType)>,
        /// Where.
        span: Span,
    },
}

/// An `<enums>` block. What its name says is a hint at most: a block with a range is an allocation of numbers, not a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// Who allocates from it.
    pub vendor: Option<String>,
    /// Upstream marks its values as bits.
    pub bitmask: bool,
    /// The first number and the last, where it is an allocation. Error codes descend.
    pub range: Option<(i128, i128)>,
    /// The values.
    pub entries: Vec<EnumEntry>,
    /// Numbers that are set aside.
    pub unused: Vec<Unused>,
    /// Where.
    pub span: Span,
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumEntry {
    /// Its name.
    pub name: String,
    /// Its value as written.
    pub value: EnumValue,
    /// Where.
    pub span: Span,
}

/// How a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumValue {
    /// `value="…"`: an expression of C.
    Expression(String),
    /// `bitpos="…"`.
    Bit(u8),
}

/// Numbers of a block that are set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The first.
    pub start: i128,
    /// The last; the first where upstream gives none.
    pub end: i128,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it returns.
    pub returns: CType,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The macro before the prototype: `CL_API_PREFIX__VERSION_1_1_DEPRECATED`.
    pub prefix: Option<String>,
    /// The macro after it: `CL_API_SUFFIX__VERSION_1_0`.
    pub suffix: Option<String>,
    /// Where.
    pub span: Span,
}

/// A parameter of a [`Command`].
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ctype: CType,
    /// Where.
    pub span: Span,
}

/// A core version.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// `CL_VERSION_3_0`.
    pub name: String,
    /// `3.0`.
    pub version: Version,
    /// What it brings.
    pub requires: Vec<Require>,
    /// Where.
    pub span: Span,
}

/// An extension.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension {
    /// Its name.
    pub name: String,
    /// `1.0.0`; older registries give none.
    pub revision: Option<String>,
    /// What it needs.
    pub depends: Option<Alternatives>,
    /// The preprocessor condition under which C headers declare it.
    pub condition: Option<String>,
    /// It may still change.
    pub experimental: bool,
    /// It is ratified.
    pub ratified: bool,
    /// The core version or extension that took it over.
    pub promoted_to: Option<String>,
    /// What replaced it.
    pub obsoleted_by: Option<String>,
    /// What it brings.
    pub requires: Vec<Require>,
    /// Where.
    pub span: Span,
}

/// `a,b+c`: one of several lists, all of whose names are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// As upstream writes it.
    pub text: String,
    /// Any one of these, and of it all.
    pub any_of: Vec<Vec<String>>,
}

/// A `<require>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// What upstream says about the group: often the type that its values belong to.
    pub comment: Option<String>,
    /// The preprocessor condition under which C headers declare it there. The items exist all the same: where it is negative, the
    /// core declares them.
    pub condition: Option<String>,
    /// What it needs besides.
    pub depends: Option<Alternatives>,
    /// What is required.
    pub items: Vec<Item>,
    /// Where.
    pub span: Span,
}

/// What kind of thing an [`Item`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// A type, a macro or a header.
    Type,
    /// A value.
    Enum,
    /// A function.
    Command,
}

impl ItemKind {
    /// The element's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Command => "command",
        }
    }
}

/// Something required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What kind of thing it names.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
    /// Where.
    pub span: Span,
}
