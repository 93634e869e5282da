//! What the text of the API specification says, as plain data: nothing here judges, resolves or checks.
//!
//! Sentences live in these structures only while the importer runs; what is committed of them is [`Prose::hash`].

use std::fmt;

use crate::finding::Place;

use super::prose::Prose;

/// Everything that was read.
#[derive(Clone, Debug, Default)]
pub struct TextFacts {
    /// Every reference page block, in the order of the documents.
    pub pages: Vec<Page>,
    /// The error list of every command that has one, in the order of the documents.
    pub lists: Vec<ErrorList>,
    /// The tables that map properties, queries and handle types to what they mean.
    pub tables: Vec<Table>,
    /// The sections that describe external handle types.
    pub sections: Vec<HandleSection>,
}

/// Lines of a document, counted from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

/// What `ifdef::` and `ifndef::` around a line ask for. Extensions are the only attributes that guard normative text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// At least one of these is there.
    AnyOf(Vec<String>),
    /// All of these are there.
    AllOf(Vec<String>),
    /// This is not there.
    Without(String),
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyOf(names) => write!(f, "any of {}", names.join(", ")),
            Self::AllOf(names) => write!(f, "all of {}", names.join(", ")),
            Self::Without(name) => write!(f, "without {name}"),
        }
    }
}

/// A block that becomes a reference page.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it documents: a command, a struct, or a name of the specification's own.
    pub name: String,
    /// Its type, in upstream's word: `protos`, `structs`, `freeform`.
    pub kind: String,
    /// Other names that the same page documents.
    pub aliases: Vec<String>,
    /// What has to be there for the page to be.
    pub guards: Vec<Guard>,
    /// The line of its attributes.
    pub place: Place,
    /// From its attributes to its closing delimiter.
    pub lines: Lines,
    /// Whether a `// refError` comment announces its error list.
    pub marked: bool,
}

impl Page {
    /// Whether it documents a command.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.kind == "protos"
    }
}

/// The error codes of one command, with the conditions that lead to them.
#[derive(Clone, Debug)]
pub struct ErrorList {
    /// The page's command.
    pub command: String,
    /// Commands that share the list.
    pub aliases: Vec<String>,
    /// Whether a `// refError` comment announces it.
    pub marked: bool,
    /// From its introduction to its last condition.
    pub lines: Lines,
    /// Where it begins.
    pub place: Place,
    /// The paragraph that introduces it, which may say more than that: in which state an object is that was made.
    pub introduction: Prose,
    /// Lists of other commands that this one takes over.
    pub inherits: Vec<Inheritance>,
    /// Its own codes. Empty where the text says that the command cannot fail, and where all of it is inherited.
    pub entries: Vec<ErrorEntry>,
}

/// A list that takes over the list of another command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inheritance {
    /// The other command.
    pub from: String,
    /// When it does, where that is not always.
    pub under: Option<Prose>,
    /// Codes that this list states anew.
    pub replaced: Vec<String>,
    /// Codes that do not apply here.
    pub removed: Vec<String>,
}

/// One bullet at the first depth.
#[derive(Clone, Debug)]
pub struct ErrorEntry {
    /// The code. Absent where a command fails without one, and where the text speaks of any code of other commands.
    pub code: Option<String>,
    /// What stands before the bullets that follow it; empty where there is nothing but the code.
    pub condition: Condition,
    /// The code of the inherited list that it replaces.
    pub replaces: Option<String>,
    /// The paragraph that introduces a group of codes, where it states a condition of its own.
    pub under: Option<Prose>,
}

/// A sentence with the bullets under it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The sentence, without the connective at its end.
    pub prose: Prose,
    /// What has to be there for the sentence to be.
    pub guards: Vec<Guard>,
    /// How it is tied to the next bullet at its depth.
    pub connective: Connective,
    /// What has to be there for parts of the sentence to be.
    pub part_guards: Vec<Guard>,
    /// The bullets one level deeper.
    pub children: Vec<Condition>,
    /// Where it stands.
    pub place: Place,
    /// Where it stands, by line.
    pub lines: Lines,
}

impl Condition {
    /// How many sentences are in it: its own, if it has one, and those under it.
    #[must_use]
    pub fn count(&self) -> usize {
        usize::from(!self.prose.is_empty()) + self.children.iter().map(Self::count).sum::<usize>()
    }
}

/// What a bullet ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    /// Nothing: in an error list, each bullet is enough.
    None,
    /// `or`.
    Or,
    /// `and`.
    And,
}

/// A table that has names in its first column.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its title.
    pub title: Prose,
    /// Its anchor, where it has one.
    pub anchor: Option<String>,
    /// The page that it stands in.
    pub page: Option<String>,
    /// The titles of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Where it begins.
    pub place: Place,
}

/// One row of a [`Table`].
#[derive(Clone, Debug)]
pub struct Row {
    /// The names in the first column.
    pub names: Vec<String>,
    /// The other columns.
    pub cells: Vec<Prose>,
    /// What has to be there for the row to be.
    pub guards: Vec<Guard>,
    /// Where it stands.
    pub place: Place,
}

/// A section on external handle types of one kind.
#[derive(Clone, Debug)]
pub struct HandleSection {
    /// Its anchor: `external-memory-handle-types`.
    pub anchor: String,
    /// Its parts, in order.
    pub parts: Vec<HandlePart>,
}

/// A paragraph or bullet of a [`HandleSection`].
#[derive(Clone, Debug)]
pub struct HandlePart {
    /// The title of the subsection that it stands in.
    pub heading: String,
    /// The handle type that it is about, where it is a bullet that begins with one.
    pub handle_type: Option<String>,
    /// What it says, without that name.
    pub prose: Prose,
    /// What has to be there for it to be.
    pub guards: Vec<Guard>,
    /// Where it stands.
    pub place: Place,
}
