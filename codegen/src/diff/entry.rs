//! What an item is, as named facts that can be compared with those of another release.
//!
//! In: an item of a model. Out: an [`Entry`]: facts in words, each with what a change of it breaks, and the same of its leaves. `diff` and
//! the merging of releases compare these and nothing else, so that they cannot disagree about what a change is.

use crate::{
    model::{CType, HandleRepr, Model, RecordKind},
    pass::index::{Index, Resolved, primitive_bits},
};

use super::Grade;

/// What kind of thing an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the names say it
pub enum Kind {
    Command,
    Parameter,
    Callback,
    Record,
    Member,
    Enumeration,
    Enumerator,
    Constant,
    Handle,
    Alias,
    MacroFunction,
    Feature,
    Extension,
    Rule,
    HandleType,
    Property,
    ErrorList,
    ErrorCode,
}

impl Kind {
    /// As reports say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Parameter => "parameter",
            Self::Callback => "callback",
            Self::Record => "record",
            Self::Member => "member",
            Self::Enumeration => "enumeration",
            Self::Enumerator => "enumerator",
            Self::Constant => "constant",
            Self::Handle => "handle",
            Self::Alias => "alias",
            Self::MacroFunction => "macro function",
            Self::Feature => "core version",
            Self::Extension => "extension",
            Self::Rule => "rule",
            Self::HandleType => "handle type",
            Self::Property => "property",
            Self::ErrorList => "error list",
            Self::ErrorCode => "error code",
        }
    }

    /// Whether it is the name of a type: one of these may become another and is still the same thing.
    #[must_use]
    pub const fn is_type(self) -> bool {
        matches!(self, Self::Callback | Self::Record | Self::Enumeration | Self::Handle | Self::Alias)
    }
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about, in one word: `value`, `type`, `size`.
    pub aspect: String,
    /// What it is.
    pub text: String,
    weight: Weight,
}

/// What a change of a fact breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Weight {
    Plain(Grade),
    /// A type or value: with aliases or notation set aside, and as calls carry it.
    Typed {
        source: String,
        abi: String,
    },
}

impl Fact {
    pub(super) fn plain(aspect: &str, text: impl Into<String>, grade: Grade) -> Self {
        Self { aspect: aspect.to_owned(), text: text.into(), weight: Weight::Plain(grade) }
    }

    /// What the step from `self` to `new` breaks; `None` if they say the same.
    #[must_use]
    pub fn step(&self, new: &Self) -> Option<Grade> {
        if self.text == new.text {
            return None;
        }
        match (&self.weight, &new.weight) {
            (Weight::Typed { source, abi }, Weight::Typed { source: new_source, abi: new_abi }) => match () {
                () if abi != new_abi => Some(Grade::Abi),
                () if source != new_source => Some(Grade::Source),
                // The same number, written otherwise.
                () if self.aspect == "value" => None,
                () => Some(Grade::Text),
            },
            (Weight::Plain(grade), _) | (_, Weight::Plain(grade)) => Some(*grade),
        }
    }

    /// What it breaks if there is no such fact any more, or not yet.
    #[must_use]
    pub const fn alone(&self) -> Grade {
        match &self.weight {
            Weight::Plain(grade) => *grade,
            Weight::Typed { .. } => Grade::Source,
        }
    }
}

/// An item or leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing it is.
    pub kind: Kind,
    /// What identifies it among its like: its name; for a parameter its place, which is what callers depend on.
    pub key: String,
    /// Its name.
    pub name: String,
    /// What there is to say about it.
    pub facts: Vec<Fact>,
    /// Its leaves.
    pub leaves: Vec<Entry>,
}

impl Entry {
    pub(super) fn new(kind: Kind, name: &str, facts: Vec<Fact>) -> Self {
        Self { kind, key: name.to_owned(), name: name.to_owned(), facts, leaves: Vec::new() }
    }

    /// The fact called `aspect`.
    #[must_use]
    pub fn fact(&self, aspect: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.aspect == aspect)
    }

    /// What a command or callback takes: `(event: CUevent, flags: c_uint)`.
    #[must_use]
    pub fn parameters(&self) -> String {
        let one = |leaf: &Self| format!("{}: {}", leaf.name, leaf.fact("type").map(|fact| fact.text.as_str()).unwrap_or_default());
        let parameters = self.leaves.iter().filter(|leaf| leaf.kind == Kind::Parameter);
        format!("({})", parameters.map(one).collect::<Vec<_>>().join(", "))
    }

    /// What breaks if a function takes what `new` does: the worst of its parameters, whose names are only prose.
    #[must_use]
    pub fn parameters_step(&self, new: &Self) -> Option<Grade> {
        if self.leaves.len() != new.leaves.len() {
            return Some(Grade::Abi);
        }
        let pairs = self.leaves.iter().zip(&new.leaves);
        pairs.filter_map(|(was, is)| was.fact("type")?.step(is.fact("type")?)).max()
    }

    /// The facts that differ in `new`, each as it was and as it is.
    #[must_use]
    pub fn steps<'a>(&'a self, new: &'a Self) -> Vec<(Option<&'a Fact>, Option<&'a Fact>, Grade)> {
        let mut steps = Vec::new();
        for was in &self.facts {
            match new.fact(&was.aspect) {
                Some(is) => steps.extend(was.step(is).map(|grade| (Some(was), Some(is), grade))),
                None => steps.push((Some(was), None, was.alone())),
            }
        }
        let fresh = new.facts.iter().filter(|is| self.fact(&is.aspect).is_none());
        steps.extend(fresh.map(|is| (None, Some(is), is.alone())));
        steps
    }
}

/// The types of a model, as facts need them.
#[derive(Debug)]
pub(crate) struct Types<'a>(Index<'a>);

impl<'a> Types<'a> {
    /// The types of `model`.
    #[must_use]
    pub(crate) fn new(model: &'a Model) -> Self {
        Self(Index::new(model))
    }

    pub(super) fn index(&self) -> &Index<'a> {
        &self.0
    }

    /// The fact that something has the type `ctype`.
    pub(super) fn fact(&self, aspect: &str, ctype: &CType, narrow: Option<&CType>) -> Fact {
        let text = narrow.map_or_else(|| ctype.to_string(), |narrow| format!("{ctype} or {narrow}"));
        let source = narrow.map_or_else(String::new, |narrow| self.source(narrow, 0)) + &self.source(ctype, 0);
        let abi = narrow.map_or_else(String::new, |narrow| self.abi(narrow)) + &self.abi(ctype);
        Fact { aspect: aspect.to_owned(), text, weight: Weight::Typed { source, abi } }
    }

    /// `ctype` with aliases followed.
    pub(crate) fn followed(&self, ctype: &CType) -> String {
        self.source(ctype, 0)
    }

    fn source(&self, ctype: &CType, depth: usize) -> String {
        match ctype {
            CType::Pointer { to, constant } => {
                format!("*{} {}", if *constant { "const" } else { "mut" }, self.source(to, depth))
            }
            CType::Array { of, length } => format!("[{}; {length}]", self.source(of, depth)),
            CType::Named(name) => match self.0.get(name) {
                // An alias that leads back to itself is a fault that validation reports; here it only has to end.
                Some(crate::pass::index::Item::Alias(alias)) if depth < 16 => self.source(&alias.ctype, depth + 1),
                _ => name.clone(),
            },
            CType::Function(signature) => {
                let types: Vec<_> = signature.parameters.iter().map(|one| self.source(&one.ctype, depth)).collect();
                format!("fn({}) -> {}", types.join(", "), self.source(&signature.returns, depth))
            }
            CType::Void => ctype.to_string(),
        }
    }

    /// How a value of `ctype` is carried.
    fn abi(&self, ctype: &CType) -> String {
        match self.0.resolve(ctype) {
            Resolved::Void => "nothing".to_owned(),
            Resolved::Pointer | Resolved::Function => "pointer".to_owned(),
            Resolved::Array(of, length) => format!("{length} of {}", self.abi(of)),
            Resolved::Handle(handle) if handle.repr == HandleRepr::Pointer => "pointer".to_owned(),
            Resolved::Record(record) => {
                let kind = if record.kind == RecordKind::Struct { "struct" } else { "union" };
                format!("{kind} of {} aligned to {}", record.size, record.align)
            }
            resolved => match resolved.carrier().map(|carrier| (carrier, primitive_bits(carrier))) {
                Some((carrier, Some(bits))) if !matches!(carrier, "f32" | "f64" | "c_float" | "c_double") => format!("{bits} bits"),
                Some((carrier, _)) => carrier.to_owned(),
                None => ctype.to_string(),
            },
        }
    }
}

/// The fact that something has the value `value`: its notation does not count.
pub(super) fn value_fact(value: crate::model::Value) -> Fact {
    use crate::model::Value;
    let number = match value {
        Value::PerPointerWidth { .. } | Value::F32(_) | Value::F64(_) => value.to_string(),
        Value::Decimal(_) | Value::Hex(_) | Value::Bit(_) => value.integer().map(|number| number.to_string()).unwrap_or_default(),
    };
    Fact { aspect: "value".to_owned(), text: value.to_string(), weight: Weight::Typed { source: number.clone(), abi: number } }
}
