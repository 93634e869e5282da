//! Says what each item of a model is, in facts.
//!
//! In: a model. Out: an [`Entry`] for each item that a user of the bindings sees. A nested record is not an item of its own here: what is
//! in it are members of the record around it, as in C (`handle.win32.name`), and a member that C reaches through a nameless one has the
//! name that it has there, so that moving it into an anonymous union is a change of its way and of nothing else.

use super::{
    Grade,
    entry::{Entry, Fact, Kind, Types, value_fact},
};
use crate::{
    model::{
        Alias, Api, Callback, Command, Constant, Enumeration, Enumerator, ErrorChannel, ErrorList, Extension, Handle, HandleRepr,
        HandleType, Lifetime, MacroFunction, Member, Model, Parameter, PerTarget, Property, Record, RecordKind, Rule, Target,
    },
    pass::index::Resolved,
};

/// Every item of `model`.
#[must_use]
pub(crate) fn describe(model: &Model) -> Vec<Entry> {
    let describe = Describe { types: Types::new(model), api: model.api };
    let mut entries = Vec::new();
    entries.extend(model.commands.iter().map(|item| describe.command(item)));
    entries.extend(model.callbacks.iter().map(|item| describe.callback(item)));
    entries.extend(model.records.iter().filter(|item| item.parent.is_none()).map(|item| describe.record(item)));
    entries.extend(model.enumerations.iter().map(|item| describe.enumeration(item)));
    entries.extend(model.constants.iter().map(|item| describe.constant(item)));
    entries.extend(model.handles.iter().map(|item| describe.handle(item)));
    entries.extend(model.aliases.iter().map(|item| describe.alias(item)));
    entries.extend(model.macro_functions.iter().map(|item| describe.macro_function(item)));
    entries
        .extend((model.features.iter()).map(|item| {
            Entry::new(Kind::Feature, &item.name, vec![Fact::plain("version", item.version.to_string(), Grade::Text)])
        }));
    entries.extend(model.extensions.iter().map(extension));
    entries.extend(model.rules.iter().map(|item| describe.rule(item)));
    entries.extend(model.handle_types.iter().map(|item| describe.handle_type(item)));
    entries.extend(model.properties.iter().map(|item| describe.property(item)));
    entries.extend(model.error_lists.iter().map(|item| describe.error_list(item)));
    entries
}

/// Turns items into entries.
pub(crate) struct Describe<'a> {
    /// The types of the model that the items are of.
    pub types: Types<'a>,
    /// Its API.
    pub api: Api,
}

fn flag(aspect: &str, on: bool, grade: Grade) -> Option<Fact> {
    on.then(|| Fact::plain(aspect, "yes", grade))
}

fn text(aspect: &str, value: Option<&String>) -> Option<Fact> {
    value.map(|value| Fact::plain(aspect, value.clone(), Grade::Text))
}

impl Describe<'_> {
    /// What a lifetime says that is upstream's word and not the age of the releases that were read.
    fn lifetime(&self, lifetime: &Lifetime) -> Vec<Fact> {
        let mut facts = Vec::new();
        let since = lifetime.since.filter(|_| self.api == Api::OpenCl);
        facts.extend(since.map(|version| Fact::plain("core", version.to_string(), Grade::Text)));
        facts.extend(lifetime.deprecated.map(|_| Fact::plain("deprecated", "yes", Grade::Text)));
        if !lifetime.extensions.is_empty() {
            facts.push(Fact::plain("extensions", lifetime.extensions.join(", "), Grade::Text));
        }
        facts
    }

    pub(crate) fn constant(&self, item: &Constant) -> Entry {
        let mut facts = vec![value_fact(item.value), self.types.fact("type", &item.ctype, None)];
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Constant, &item.name, facts)
    }

    pub(crate) fn enumerator(&self, item: &Enumerator) -> Entry {
        let mut facts = vec![value_fact(item.value)];
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Enumerator, &item.name, facts)
    }

    pub(crate) fn enumeration(&self, item: &Enumeration) -> Entry {
        let mut facts = vec![
            Fact::plain("representation", item.repr.clone(), Grade::Abi),
            Fact::plain("use", format!("{:?}", item.kind).to_lowercase(), Grade::Source),
        ];
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        let leaves = item.enumerators.iter().map(|leaf| self.enumerator(leaf)).collect();
        Entry { leaves, ..Entry::new(Kind::Enumeration, &item.name, facts) }
    }

    pub(crate) fn alias(&self, item: &Alias) -> Entry {
        let mut facts = vec![self.types.fact("type", &item.ctype, None)];
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Alias, &item.name, facts)
    }

    pub(crate) fn handle(&self, item: &Handle) -> Entry {
        let repr = match &item.repr {
            HandleRepr::Pointer => "pointer",
            HandleRepr::Address => "address",
            HandleRepr::Integer(repr) => repr,
        };
        let threads = format!("{:?}", item.threads).to_lowercase();
        let mut facts = vec![Fact::plain("representation", repr, Grade::Abi), Fact::plain("threads", threads, Grade::Source)];
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Handle, &item.name, facts)
    }

    /// A record without its members.
    pub(crate) fn bare_record(&self, item: &Record) -> Entry {
        let kind = if item.kind == RecordKind::Struct { "struct" } else { "union" };
        let mut facts = vec![
            Fact::plain("shape", kind, Grade::Abi),
            Fact::plain("size", item.size.to_string(), Grade::Abi),
            Fact::plain("alignment", item.align.to_string(), Grade::Abi),
        ];
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Record, &item.name, facts)
    }

    fn record(&self, item: &Record) -> Entry {
        let mut leaves = Vec::new();
        self.members(item, &Way::default(), &mut leaves);
        Entry { leaves, ..self.bare_record(item) }
    }

    /// A member as it stands in its own record.
    pub(crate) fn member(&self, item: &Member) -> Entry {
        let facts = vec![
            self.types.fact("type", &item.ctype, item.narrow_type.as_ref()),
            Fact::plain("offset", item.offset.to_string(), Grade::Abi),
        ];
        Entry::new(Kind::Member, &item.name, facts)
    }

    /// The members of `record` and of what is nested in it.
    fn members(&self, record: &Record, way: &Way, leaves: &mut Vec<Entry>) {
        for member in &record.members {
            let way = way.to(member);
            match self.types.index().resolve(&member.ctype) {
                Resolved::Record(inner) if inner.parent.is_some() => {
                    if !member.nameless {
                        let shape = if inner.kind == RecordKind::Struct { "struct" } else { "union" };
                        leaves.push(way.entry(Fact::plain("type", shape, Grade::Abi), self.lifetime(&member.lifetime)));
                    }
                    self.members(inner, &way, leaves);
                }
                _ => {
                    let ctype = self.types.fact("type", &member.ctype, member.narrow_type.as_ref());
                    leaves.push(way.entry(ctype, self.lifetime(&member.lifetime)));
                }
            }
        }
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<Entry> {
        let one = |(place, item): (usize, &Parameter)| {
            let facts = vec![self.types.fact("type", &item.ctype, None), Fact::plain("name", item.name.clone(), Grade::Text)];
            Entry { key: place.to_string(), ..Entry::new(Kind::Parameter, &item.name, facts) }
        };
        parameters.iter().enumerate().map(one).collect()
    }

    pub(crate) fn callback(&self, item: &Callback) -> Entry {
        let mut facts = vec![self.types.fact("returns", &item.returns, None)];
        facts.extend(self.lifetime(&item.lifetime));
        Entry { leaves: self.parameters(&item.parameters), ..Entry::new(Kind::Callback, &item.name, facts) }
    }

    pub(crate) fn command(&self, item: &Command) -> Entry {
        let channel = match item.error_channel {
            ErrorChannel::Return => "returned",
            ErrorChannel::ErrcodeRet => "errcode_ret",
            ErrorChannel::PerItem => "one an item",
            ErrorChannel::None => "none",
        };
        let mut facts = vec![
            self.types.fact("returns", &item.returns, None),
            Fact::plain("name", item.name.clone(), Grade::Source),
            Fact::plain("errors", channel, Grade::Source),
        ];
        facts.extend(item.version.map(|version| Fact::plain("version", version.to_string(), Grade::Text)));
        facts.extend(text("per-thread", item.per_thread_symbol.as_ref()));
        facts.extend(item.per_thread_version.map(|version| Fact::plain("per-thread-version", version.to_string(), Grade::Text)));
        facts.extend(text("header", item.header.as_ref()));
        facts.extend(text("group", item.group.as_ref()));
        facts.extend(flag("windows", item.windows, Grade::Source));
        facts.extend(self.lifetime(&item.lifetime));
        Entry { leaves: self.parameters(&item.parameters), ..Entry::new(Kind::Command, &item.symbol, facts) }
    }

    pub(crate) fn macro_function(&self, item: &MacroFunction) -> Entry {
        let mut facts = vec![
            Fact::plain("parameters", item.parameters.join(", "), Grade::Source),
            Fact::plain("representation", item.repr.clone(), Grade::Source),
            Fact::plain("body", item.body.clone(), Grade::Abi),
        ];
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::MacroFunction, &item.name, facts)
    }

    pub(crate) fn rule(&self, item: &Rule) -> Entry {
        let join = |texts: Vec<String>| texts.join(", ");
        let mut facts = vec![
            Fact::plain("subject", item.subject.clone(), Grade::Source),
            Fact::plain("fields", join(item.fields.iter().map(ToString::to_string).collect()), Grade::Source),
            Fact::plain("predicate", item.predicate.to_string(), Grade::Source),
            Fact::plain("origin", item.origin.name(), Grade::Text),
        ];
        if !item.when.is_empty() {
            facts.push(Fact::plain("when", join(item.when.iter().map(ToString::to_string).collect()), Grade::Source));
        }
        facts.extend(text("reason", item.reason.as_ref()));
        facts.extend(text("error", item.error.as_ref()));
        facts.extend(item.source.as_ref().map(|source| Fact::plain("sentence", format!("#{}", source.hash), Grade::Text)));
        facts.extend(self.lifetime(&item.lifetime));
        Entry::new(Kind::Rule, &item.id, facts)
    }

    /// A row with a fact for each column, under the column's name in the snapshot.
    pub(crate) fn handle_type(&self, item: &HandleType) -> Entry {
        const NO_COLUMNS: [&str; 9] =
            ["name", "api", "evidence", "since", "until", "deprecated", "extensions", "changed", "counterparts"];
        let columns = match serde_json::to_value(item) {
            Ok(serde_json::Value::Object(columns)) => columns,
            _ => serde_json::Map::new(),
        };
        let columns = columns.iter().filter(|(name, value)| !NO_COLUMNS.contains(&name.as_str()) && !value.is_null());
        let mut facts: Vec<Fact> = columns
            .map(|(name, value)| {
                let grade = match name.as_str() {
                    "owner_on_success" | "owner_on_failure" | "value" => Grade::Abi,
                    "short" | "capability_query" | "extension" => Grade::Text,
                    _ => Grade::Source,
                };
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Fact::plain(name, value, grade)
            })
            .collect();
        facts.extend(self.lifetime(&item.lifetime));
        let key = format!("{:?} {}", item.kind, item.name);
        Entry { key, ..Entry::new(Kind::HandleType, &item.name, facts) }
    }

    pub(crate) fn property(&self, item: &Property) -> Entry {
        let mut facts = Vec::new();
        facts.extend(item.value_type.as_ref().map(|ctype| Fact::plain("type", ctype.clone(), Grade::Source)));
        facts.extend(flag("list", item.is_list, Grade::Abi));
        facts.extend(item.terminator.as_ref().map(|end| Fact::plain("terminator", end.clone(), Grade::Abi)));
        facts.extend(flag("required", item.required, Grade::Source));
        facts.extend(item.source.as_ref().map(|source| Fact::plain("sentence", format!("#{}", source.hash), Grade::Text)));
        facts.extend(self.lifetime(&item.lifetime));
        let name = format!("{} of {}", item.name, item.command);
        Entry { key: format!("{} {}", item.list, name), ..Entry::new(Kind::Property, &name, facts) }
    }

    pub(crate) fn error_list(&self, item: &ErrorList) -> Entry {
        let mut facts = Vec::new();
        facts.extend(flag("earlier-errors", item.earlier_errors, Grade::Text));
        let codes = item.codes.iter().flatten();
        let leaves = codes.map(|code| Entry::new(Kind::ErrorCode, &code.code, self.lifetime(&code.lifetime))).collect();
        Entry { leaves, ..Entry::new(Kind::ErrorList, &item.symbol, facts) }
    }
}

/// What an extension is: nothing of it depends on types.
pub(crate) fn extension(item: &Extension) -> Entry {
    let mut facts = vec![Fact::plain("revision", item.revision.clone(), Grade::Text)];
    facts.extend(text("depends", item.depends.as_ref()));
    facts.extend(text("condition", item.condition.as_ref()));
    facts.extend(flag("experimental", item.experimental, Grade::Text));
    facts.extend(flag("ratified", item.ratified, Grade::Text));
    facts.extend(text("promoted", item.promoted_to.as_ref()));
    facts.extend(text("obsoleted", item.obsoleted_by.as_ref()));
    Entry::new(Kind::Extension, &item.name, facts)
}

/// The way from a record to something in it.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The names that C needs.
    name: Vec<String>,
    /// Those and the ones that stand for nameless members.
    full: Vec<String>,
    offset: PerTarget,
}

impl Way {
    fn to(&self, member: &Member) -> Self {
        let mut way = self.clone();
        way.full.push(member.name.clone());
        if !member.nameless {
            way.name.push(member.name.clone());
        }
        let add = |target: Target| way.offset.get(target).saturating_add(member.offset.get(target));
        way.offset =
            PerTarget { wide: add(Target::Wide), windows_i686: add(Target::WindowsI686), linux_i686: add(Target::LinuxI686) };
        way
    }

    fn entry(&self, ctype: Fact, more: Vec<Fact>) -> Entry {
        let mut facts = vec![ctype, Fact::plain("offset", self.offset.to_string(), Grade::Abi)];
        facts.push(Fact::plain("way", self.full.join("."), Grade::Source));
        facts.extend(more);
        Entry::new(Kind::Member, &self.name.join("."), facts)
    }
}
