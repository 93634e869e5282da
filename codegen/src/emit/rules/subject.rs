//! The rules by what they speak of: one subject a record or command.
//!
//! In: a model. Out: for each subject its leaves and rules, resolved, so that what is written from it cannot fail; or why not.

use std::collections::BTreeMap;

use super::{
    Part,
    place::{self, Leaf},
    words::{Words, enumeration_of},
};
use crate::{
    emit::{properties, types::literal},
    finding::{Finding, Findings},
    model::{Api, Command, Condition, Given, HandleType, Model, Path, Predicate, Property, Record, Rule, Term, Test},
    pass::index::{Index, Item},
    rules::opencl::is_for_external_objects,
};

/// What a subject is.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    /// A record of C.
    Record(&'a Record),
    /// A command, whose arguments become a record.
    Command(&'a Command),
}

impl<'a> What<'a> {
    /// Upstream's name of it.
    pub(super) fn name(self) -> &'a str {
        match self {
            Self::Record(record) => &record.name,
            Self::Command(command) => &command.symbol,
        }
    }
}

/// A record or command with its rules.
pub(super) struct Subject<'a> {
    pub(super) what: What<'a>,
    pub(super) api: Api,
    /// The record's name in Rust: for a command, that of the record of its arguments.
    pub(super) name: String,
    pub(super) leaves: Vec<Leaf>,
    /// The keys of the properties that rules name, as expressions.
    keys: BTreeMap<String, String>,
    /// All properties of each table that its lists have, with keys and ends: other commands may take more of them.
    tables: BTreeMap<String, BTreeMap<String, (String, Option<String>)>>,
    pub(super) rules: Vec<&'a Rule>,
    /// The handle types that this record describes.
    pub(super) handle_types: Vec<&'a HandleType>,
    /// The member that says which handle type it is, or the one on which most conditions depend.
    pub(super) discriminator: Option<usize>,
}

impl Subject<'_> {
    /// The leaf that `path` leads to.
    pub(super) fn leaf(&self, path: &Path) -> Option<&Leaf> {
        self.leaves.iter().find(|leaf| leaf.path == path.as_str())
    }

    /// The list that `path` leads into, with the property: `sema_props[CL_SEMAPHORE_TYPE_KHR]`.
    pub(super) fn property<'p>(&self, path: &'p Path) -> Option<(&Leaf, &'p str)> {
        let (list, rest) = path.as_str().split_once('[')?;
        let property = rest.strip_suffix(']').filter(|name| !name.is_empty())?;
        let leaf = self.leaves.iter().find(|leaf| leaf.path == list && leaf.list.is_some())?;
        Some((leaf, property))
    }

    /// The value of a property as an expression.
    pub(super) fn property_field(&self, path: &Path, list: &Leaf, name: &str) -> String {
        let key = self.keys.get(name).map_or("0", String::as_str);
        format!("property(R::{}, {}, ({key}) as u64)", list.constant, literal(path.as_str()))
    }

    /// The properties that the table of a list has, each with its key and what ends its values, if it has a list of them.
    pub(super) fn properties_of(&self, list: &Leaf) -> impl Iterator<Item = (&String, &(String, Option<String>))> {
        list.list.as_ref().and_then(|table| self.tables.get(table)).into_iter().flatten()
    }

    /// Whether it is a record of C.
    pub(super) const fn is_record(&self) -> bool {
        matches!(self.what, What::Record(_))
    }

    /// Whether it is a command that works on semaphores that exist.
    pub(super) fn asks_for_semaphores(&self) -> bool {
        let asks = |condition: &Condition| matches!(condition, Condition::Test(Term::Given(Given::SemaphoreHandleType), _));
        self.rules.iter().any(|rule| rule.when.iter().any(asks))
    }

    /// The constant of a place as rows and checks name it. A record's is typed, and has the place without types within.
    pub(super) fn field(&self, leaf: &Leaf) -> String {
        format!("R::{}{}", leaf.constant, if self.is_record() { ".field" } else { "" })
    }

    /// Whether checking a rule takes `leaf`, or what stands in it.
    pub(super) fn speaks_of(&self, leaf: &Leaf) -> bool {
        let is_leaf =
            |path: &Path| path.as_str() == leaf.path || self.property(path).is_some_and(|(list, _)| list.path == leaf.path);
        self.rules.iter().any(|rule| {
            let operand = match &rule.predicate {
                Predicate::Equal(name)
                | Predicate::NotEqual(name)
                | Predicate::AtMost(name)
                | Predicate::AtLeast(name)
                | Predicate::Below(name)
                | Predicate::Above(name)
                | Predicate::MultipleOf(name) => name == &leaf.path,
                _ => false,
            };
            let asked = |condition: &Condition| match condition {
                Condition::Test(Term::Field(path), test) => {
                    let compared = match test {
                        Test::In(names) | Test::NotIn(names) => names.contains(&leaf.path),
                        Test::Above(name) | Test::Below(name) => name == &leaf.path,
                        _ => false,
                    };
                    compared || is_leaf(path)
                }
                _ => false,
            };
            operand || rule.predicate.is_checkable() && rule.fields.iter().any(is_leaf) || rule.when.iter().any(asked)
        })
    }

    /// Whether the record holds what `path` leads to.
    pub(super) fn reaches(&self, path: &Path) -> bool {
        self.leaf(path).is_some() || self.property(path).is_some_and(|(_, property)| self.keys.contains_key(property))
    }

    /// The record's type, with the life of its lists.
    pub(super) fn static_name(&self) -> String {
        let life = if self.leaves.iter().any(|leaf| leaf.list.is_some()) { "<'static>" } else { "" };
        format!("{}{life}", self.name)
    }

    /// Whether a rule follows the pointer that `leaf` is.
    pub(super) fn follows(&self, leaf: &Leaf) -> bool {
        self.rules.iter().any(|rule| {
            matches!(rule.predicate, Predicate::Utf16NulTerminated | Predicate::NulTerminated)
                && rule.fields.iter().any(|field| field.as_str() == leaf.path)
        })
    }

    /// Whether writing `leaf` can change where a rule that follows a pointer looks.
    pub(super) fn is_guarded(&self, leaf: &Leaf) -> bool {
        self.leaves.iter().any(|other| self.follows(other) && other.overlaps(leaf))
    }

    /// The file that its rules stand in.
    pub(super) fn part(&self) -> Part {
        match self.what {
            What::Command(command) if self.api == Api::OpenCl && !self.is_external(command) => Part::Others,
            _ => Part::Main,
        }
    }

    /// Whether the command is about external objects: it, or one of its rules, comes with an extension for them.
    fn is_external(&self, command: &Command) -> bool {
        let lifetimes = self.rules.iter().map(|rule| &rule.lifetime).chain([&command.lifetime]);
        lifetimes.flat_map(|lifetime| &lifetime.extensions).any(|name| is_for_external_objects(name))
    }

    /// Whether it exists on Windows only.
    pub(super) const fn windows(&self) -> bool {
        match self.what {
            What::Record(record) => record.windows,
            What::Command(command) => command.windows,
        }
    }

    /// Whether a rule of it can be checked by what the record holds. If not, it needs no record of its arguments.
    pub(super) fn is_reachable(&self) -> bool {
        matches!(self.what, What::Record(_))
            || self.rules.iter().any(|rule| rule.predicate.is_checkable() && rule.fields.iter().all(|field| self.reaches(field)))
    }
}

/// All subjects of `model`, sorted by name.
pub(super) fn subjects<'a>(model: &'a Model, index: &Index<'a>, words: &Words<'a>) -> Result<Vec<Subject<'a>>, Findings> {
    let mut rules: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in &model.rules {
        rules.entry(&rule.subject).or_default().push(rule);
    }
    let mut described: BTreeMap<&str, Vec<&HandleType>> = BTreeMap::new();
    for row in &model.handle_types {
        if let Some(record) = &row.record {
            described.entry(record).or_default().push(row);
            rules.entry(record).or_default();
        }
    }
    let elements = properties::elements(model);
    let mut findings = Findings::default();
    let mut subjects = Vec::new();
    for (name, rules) in rules {
        let Some(what) = what(model, index, name) else {
            findings.0.push(
                Finding::error(format!("rules speak of `{name}`, which the model does not have"))
                    .wanted("a record by its own name, not an alias, or a command by its symbol"),
            );
            continue;
        };
        let (name, leaves) = match what {
            What::Record(record) => (record.name.clone(), place::of_record(index, record)),
            What::Command(command) => (
                format!("{}_arguments", command.symbol),
                place::of_command(index, command, &|parameter| {
                    elements.get(&(command.symbol.as_str(), parameter)).map(|element| properties::table_name(element))
                }),
            ),
        };
        let handle_types = described.remove(name.as_str()).unwrap_or_default();
        let mut subject = Subject {
            what,
            api: model.api,
            name,
            leaves,
            keys: BTreeMap::new(),
            tables: BTreeMap::new(),
            rules,
            handle_types,
            discriminator: None,
        };
        if let What::Command(command) = what {
            subject.keys = keys(model, command, &elements, words);
            let lists: Vec<&str> =
                elements.iter().filter(|((symbol, _), _)| *symbol == command.symbol).map(|(_, element)| *element).collect();
            subject.tables = lists
                .into_iter()
                .map(|element| (properties::table_name(element), table(model, element, &elements, words)))
                .collect();
            let needed = subject.leaves.iter().map(|leaf| subject.speaks_of(leaf)).collect::<Vec<_>>();
            // A caller has to give what is looked at, and no more.
            subject.leaves = subject.leaves.into_iter().zip(needed).filter_map(|(leaf, needed)| needed.then_some(leaf)).collect();
        }
        findings.0.extend(collisions(&subject));
        subject.discriminator = discriminator(&subject, index, words);
        subjects.push(subject);
    }
    findings.with(subjects).map(|(subjects, _)| subjects)
}

fn what<'a>(model: &'a Model, index: &Index<'a>, name: &str) -> Option<What<'a>> {
    match index.get(name) {
        Some(Item::Record(record)) => Some(What::Record(record)),
        _ => model.commands.iter().find(|command| command.symbol == name).map(What::Command),
    }
}

/// The element type of each property list: by command and parameter.
type Elements<'m> = BTreeMap<(&'m str, &'m str), &'m str>;

/// The keys of all properties that `command` takes.
fn keys(model: &Model, command: &Command, elements: &Elements<'_>, words: &Words<'_>) -> BTreeMap<String, String> {
    let own = model.properties.iter().filter(|property| property.command == command.symbol);
    own.filter_map(|property| {
        let element = elements.get(&(command.symbol.as_str(), property.list.as_str())).copied();
        Some((property.name.clone(), words.number(&property.name, element).ok()?))
    })
    .collect()
}

/// All properties that lists of `element`s have: keys, and what ends their values.
fn table(model: &Model, element: &str, elements: &Elements<'_>, words: &Words<'_>) -> BTreeMap<String, (String, Option<String>)> {
    let is_of = |property: &&Property| elements.get(&(property.command.as_str(), property.list.as_str())) == Some(&element);
    let row = |property: &Property| {
        let key = words.number(&property.name, Some(element)).ok()?;
        Some((property.name.clone(), (key, properties::end(property, element, words).ok()?)))
    };
    model.properties.iter().filter(is_of).filter_map(row).collect()
}

/// Two leaves with one constant.
fn collisions(subject: &Subject<'_>) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for leaf in &subject.leaves {
        if let Some(other) = seen.insert(&leaf.constant, &leaf.path) {
            findings.push(Finding::error(format!(
                "`{}` and `{}` of `{}` would both be called `{}`",
                other, leaf.path, subject.name, leaf.constant
            )));
        }
    }
    findings
}

/// The member that holds the handle type; without handle types, the enumeration that most conditions ask for.
fn discriminator(subject: &Subject<'_>, index: &Index<'_>, words: &Words<'_>) -> Option<usize> {
    let enumeration = |leaf: &Leaf| enumeration_of(index, &leaf.ctype).map(|item| item.name.clone());
    let wanted = subject.handle_types.iter().find_map(|row| row.enumeration.clone());
    if let Some(wanted) = wanted {
        return subject.leaves.iter().position(|leaf| enumeration(leaf).as_ref() == Some(&wanted));
    }
    let asks = |leaf: &Leaf| {
        let of_leaf = |condition: &&Condition| match condition {
            Condition::Test(Term::Field(path), Test::In(names) | Test::NotIn(names)) => {
                let own = words.enumeration(names, enumeration(leaf).as_deref()).map(|item| item.name.clone());
                path.as_str() == leaf.path && own.is_some() && own == enumeration(leaf)
            }
            _ => false,
        };
        subject.rules.iter().flat_map(|rule| &rule.when).filter(of_leaf).count()
    };
    let (at, count) = subject.leaves.iter().map(asks).enumerate().max_by_key(|(at, count)| (*count, usize::MAX - at))?;
    (count > 0).then_some(at)
}
