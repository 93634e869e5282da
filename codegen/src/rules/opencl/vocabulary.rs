//! The names that sentences may speak of: parameters of the command, members behind them, values of their types.
//!
//! In: the registry's facts, or a few names in a test. Out: what a word of a sentence stands for. A name that is nothing the command
//! has is no name: a sentence that rests on it is not understood.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CType, Command, Enumeration, EnumerationKind, Model, Path};

/// What the registry knows, as far as sentences speak of it.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Every command with its parameters: name, and the name of the type that it is or points to.
    pub commands: BTreeMap<String, Vec<(String, String)>>,
    /// The members of every struct.
    pub members: BTreeMap<String, Vec<String>>,
    /// The values of every enumeration and bit mask that has any.
    pub values: BTreeMap<String, Vec<String>>,
    /// Which of them are bit masks: any combination of their values is one.
    pub bits: BTreeSet<String>,
}

impl Vocabulary {
    /// What `model` has.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let parameters = |command: &Command| {
            command.parameters.iter().map(|parameter| (parameter.name.clone(), pointee(&parameter.ctype).to_owned())).collect()
        };
        let names = |enumeration: &Enumeration| enumeration.enumerators.iter().map(|value| value.name.clone()).collect();
        let is_bits = |enumeration: &&Enumeration| enumeration.kind == EnumerationKind::Bits;
        Self {
            commands: model.commands.iter().map(|command| (command.symbol.clone(), parameters(command))).collect(),
            members: model
                .records
                .iter()
                .map(|record| (record.name.clone(), record.members.iter().map(|member| member.name.clone()).collect()))
                .collect(),
            values: model.enumerations.iter().map(|enumeration| (enumeration.name.clone(), names(enumeration))).collect(),
            bits: model.enumerations.iter().filter(is_bits).map(|enumeration| enumeration.name.clone()).collect(),
        }
    }
}

/// The name of what `ctype` is, or points to in the end.
fn pointee(ctype: &CType) -> &str {
    match ctype {
        CType::Named(name) => name,
        CType::Pointer { to, .. } | CType::Array { of: to, .. } => pointee(to),
        CType::Void | CType::Function(_) => "",
    }
}

/// What sentences about one command may speak of.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    vocabulary: &'a Vocabulary,
    /// The command, then those that share its list.
    pub commands: Vec<&'a str>,
    /// Every external memory handle type.
    pub memory_types: &'a [String],
    /// Every external semaphore handle type.
    pub semaphore_types: &'a [String],
    /// Those whose semaphores need a payload to signal and to wait.
    pub payload_types: &'a [String],
    tables: &'a [NamedTable],
}

impl<'a> Scope<'a> {
    /// The scope of `commands`, which share one list.
    pub(super) fn new(vocabulary: &'a Vocabulary, commands: Vec<&'a str>, types: &'a Types) -> Self {
        Self {
            vocabulary,
            commands,
            memory_types: &types.memory,
            semaphore_types: &types.semaphore,
            payload_types: &types.payload,
            tables: &types.tables,
        }
    }

    fn parameters(&self) -> impl Iterator<Item = &'a (String, String)> {
        self.commands.iter().filter_map(|command| self.vocabulary.commands.get(*command)).flatten()
    }

    /// The way to what is called `name`: a parameter, or a member of what a parameter points to.
    pub(super) fn path(&self, name: &str) -> Option<Path> {
        if self.parameters().any(|(parameter, _)| parameter == name) {
            return name.parse().ok();
        }
        let holder = self.parameters().find(|(_, ctype)| {
            self.vocabulary.members.get(ctype).is_some_and(|members| members.iter().any(|member| member == name))
        });
        holder.and_then(|(parameter, _)| format!("{parameter}.{name}").parse().ok())
    }

    /// The property list that the commands take, if they take one.
    pub(super) fn property_list(&self) -> Option<Path> {
        let (name, _) = self.parameters().find(|(name, ctype)| name.contains("prop") && ctype.contains("properties"))?;
        name.parse().ok()
    }

    /// The type of the parameter at `path`.
    fn ctype(&self, path: &Path) -> Option<&'a str> {
        self.parameters().find(|(parameter, _)| parameter == path.as_str()).map(|(_, ctype)| ctype.as_str())
    }

    /// Whether the parameter at `path` is any combination of the values of its type.
    pub(super) fn is_bits(&self, path: &Path) -> bool {
        self.ctype(path).is_some_and(|ctype| self.vocabulary.bits.contains(ctype))
    }

    /// Whether `path` is a list of properties: upstream calls some bit masks properties as well.
    pub(super) fn is_property_list(&self, path: &Path) -> bool {
        path.as_str().contains("prop") && !self.is_bits(path)
    }

    /// Whether every command of the list has what `path` begins with.
    pub(super) fn has(&self, command: &str, path: &Path) -> bool {
        let parameters = self.vocabulary.commands.get(command);
        let first = path.names().next().unwrap_or_default();
        parameters.is_some_and(|parameters| parameters.iter().any(|(parameter, _)| parameter == first))
    }

    /// Every value of the type of the parameter at `path`, and those that the page's tables list, if the registry says which the type has.
    /// Tables alone would not do: they list what the specification brings, and vendors bring more.
    pub(super) fn values(&self, path: &Path) -> Option<Vec<String>> {
        let ctype = self.ctype(path)?;
        let mut values = self.vocabulary.values.get(ctype).filter(|values| !values.is_empty())?.clone();
        let column = match path.as_str() {
            "param_name" => "return type",
            _ if self.is_property_list(path) => "property value",
            _ => "",
        };
        for table in self.tables.iter().filter(|table| self.commands.contains(&table.page.as_str()) && table.column == column) {
            values.extend(table.names.iter().cloned());
        }
        match ctype {
            "cl_mem_properties" => values.extend(self.memory_types.iter().cloned()),
            "cl_semaphore_properties_khr" => values.extend(self.semaphore_types.iter().cloned()),
            _ => {}
        }
        values.retain(|name| !name.contains("_LIST_END"));
        let mut seen = BTreeSet::new();
        values.retain(|name| seen.insert(name.clone()));
        Some(values)
    }
}

/// A table that lists names.
#[derive(Clone, Debug)]
pub(super) struct NamedTable {
    /// The page that it stands in.
    pub page: String,
    /// The title of its second column, in small letters.
    pub column: String,
    /// The names in its first column.
    pub names: Vec<String>,
}

/// What other places of the text say, and sentences of error lists rest on.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    /// Every external memory handle type.
    pub memory: Vec<String>,
    /// Every external semaphore handle type.
    pub semaphore: Vec<String>,
    /// Those whose semaphores need a payload.
    pub payload: Vec<String>,
    /// The tables of names.
    pub tables: Vec<NamedTable>,
}
