//! Whether a model holds together: what emitters take for granted.
//!
//! In: a model, from passes or from a snapshot that someone may have edited. Out: findings. After a model without errors, emitters
//! cannot fail: every name is one of C's, every type exists, every value fits its type, and every layout is one that Rust can give.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    index::{Index, Resolved, integer_range, primitive_bits},
    rust_layout,
};
use crate::{
    finding::{Document, Finding, Findings},
    model::{
        CType, Constant, Enumeration, EnumerationKind, HandleRepr, Lifetime, MacroFunction, Model, Parameter, Record, ThreadSafety,
        Value,
    },
};

/// Something that is wrong, and with what.
struct Fault {
    item: String,
    leaf: Option<String>,
    finding: Finding,
}

/// What is wrong with `model`.
#[must_use]
pub fn validate(model: &Model) -> Findings {
    Findings(faults(model).into_iter().map(|fault| fault.finding).collect())
}

/// What is wrong with `model`, which was read from `snapshot`: each with the line of the item or leaf.
#[must_use]
pub fn validate_snapshot(model: &Model, snapshot: &Document) -> Findings {
    let find = |from: usize, keys: &[&str], name: &str| {
        let rest = snapshot.text().get(from..)?;
        keys.iter().find_map(|key| rest.find(&format!("{{\"{key}\": \"{name}\""))).map(|at| from + at)
    };
    let place = |fault: Fault| {
        let item = find(0, &["name", "symbol"], &fault.item)?;
        let at = fault.leaf.and_then(|leaf| find(item + 1, &["name"], &leaf)).unwrap_or(item);
        Some(fault.finding.at(snapshot.place(at..at + 1)))
    };
    Findings(
        faults(model)
            .into_iter()
            .map(|fault| {
                let unplaced = fault.finding.clone();
                place(fault).unwrap_or(unplaced)
            })
            .collect(),
    )
}

fn faults(model: &Model) -> Vec<Fault> {
    let mut check = Check { index: Index::new(model), faults: Vec::new() };
    check.names_are_distinct(model);
    for constant in &model.constants {
        check.constant(constant);
    }
    for enumeration in &model.enumerations {
        check.enumeration(enumeration);
    }
    for alias in &model.aliases {
        check.identifier(&alias.name);
        check.lifetime(&alias.name, &alias.lifetime);
        check.ctype(&alias.name, None, &alias.ctype, alias.windows);
        if let Resolved::Unknown(name) = check.index.resolve(&alias.ctype)
            && check.index.get(name).is_some()
        {
            check.item(&alias.name, Finding::error(format!("the alias `{}` leads back to itself", alias.name)));
        }
    }
    for handle in &model.handles {
        check.identifier(&handle.name);
        check.lifetime(&handle.name, &handle.lifetime);
        if let HandleRepr::Integer(repr) = &handle.repr {
            check.repr(&handle.name, repr);
        }
        if handle.repr != HandleRepr::Pointer && handle.threads != ThreadSafety::Any {
            check.item(
                &handle.name,
                Finding::error(format!("the handle `{}` is an integer, which any thread may use", handle.name))
                    .wanted("`any`, or a pointer"),
            );
        }
    }
    for record in &model.records {
        check.record(record);
    }
    check.records_do_not_contain_themselves(&model.records);
    for callback in &model.callbacks {
        check.identifier(&callback.name);
        check.lifetime(&callback.name, &callback.lifetime);
        check.parameters(&callback.name, &callback.parameters, &callback.returns, false);
    }
    for command in &model.commands {
        check.identifier(&command.symbol);
        check.identifier(&command.name);
        check.lifetime(&command.symbol, &command.lifetime);
        if let Some(symbol) = &command.per_thread_symbol {
            check.identifier(symbol);
        }
        for text in [&command.group, &command.header].into_iter().flatten() {
            check.plain(&command.symbol, text);
        }
        check.parameters(&command.symbol, &command.parameters, &command.returns, command.windows);
    }
    if model.commands.len() > usize::from(u16::MAX) {
        check.item("", Finding::error(format!("{} commands are more than an index of 16 bits tells apart", model.commands.len())));
    }
    for function in &model.macro_functions {
        check.macro_function(function);
    }
    for extension in &model.extensions {
        check.identifier(&extension.name);
    }
    check.faults
}

struct Check<'a> {
    index: Index<'a>,
    faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    fn item(&mut self, item: &str, finding: Finding) {
        self.faults.push(Fault { item: item.to_owned(), leaf: None, finding });
    }

    fn leaf(&mut self, item: &str, leaf: Option<&str>, finding: Finding) {
        self.faults.push(Fault { item: item.to_owned(), leaf: leaf.map(str::to_owned), finding });
    }

    /// Names become Rust identifiers, so that anything else would be code.
    fn identifier(&mut self, name: &str) {
        self.leaf_identifier(name, None, name);
    }

    fn leaf_identifier(&mut self, item: &str, leaf: Option<&str>, name: &str) {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.chars().all(letters) || name == "_" {
            self.leaf(item, leaf, Finding::error(format!("`{}` is no name of C", name.escape_debug())));
        }
    }

    /// Text that goes into a string or a link.
    fn plain(&mut self, item: &str, text: &str) {
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+ ".contains(c)) {
            self.item(item, Finding::error(format!("`{}` belongs into no name or path", text.escape_debug())));
        }
    }

    fn lifetime(&mut self, item: &str, lifetime: &Lifetime) {
        self.leaf_lifetime(item, None, lifetime);
    }

    fn leaf_lifetime(&mut self, item: &str, leaf: Option<&str>, lifetime: &Lifetime) {
        for extension in &lifetime.extensions {
            self.leaf_identifier(item, leaf, extension);
        }
        if let (Some(since), Some(until)) = (lifetime.since, lifetime.until)
            // A state of OpenCL's registry may hold what a later core version is going to bring.
            && until.patch.is_none()
            && until.version < since
        {
            let name = leaf.unwrap_or(item);
            self.leaf(item, leaf, Finding::error(format!("`{name}` ends with {until}, before it begins with {since}")));
        }
    }

    fn repr(&mut self, item: &str, repr: &str) {
        if integer_range(repr).is_none() || repr.starts_with("c_") {
            let finding = Finding::error(format!("`{item}` is carried by `{}`", repr.escape_debug()));
            self.item(item, finding.wanted("an integer of Rust, such as `u32`"));
        }
    }

    /// Types share one name space, constants, commands and functions another.
    fn names_are_distinct(&mut self, model: &'a Model) {
        let types = (model.enumerations.iter().map(|item| &item.name))
            .chain(model.aliases.iter().map(|item| &item.name))
            .chain(model.handles.iter().map(|item| &item.name))
            .chain(model.records.iter().map(|item| &item.name))
            .chain(model.callbacks.iter().map(|item| &item.name));
        // A newtype is a constructor too, so that its name is taken among values.
        let newtypes = model.enumerations.iter().map(|item| &item.name).chain(model.handles.iter().map(|item| &item.name));
        let values = (model.constants.iter().map(|item| &item.name))
            .chain(model.commands.iter().map(|item| &item.symbol))
            .chain(model.macro_functions.iter().map(|item| &item.name))
            .chain(newtypes);
        for name in types.clone().filter(|name| primitive_bits(name).is_some() || *name == "c_void") {
            self.item(name, Finding::error(format!("`{name}` is the name of a primitive type")));
        }
        for name in twice(types).into_iter().chain(twice(values)) {
            self.item(name, Finding::error(format!("two items are called `{name}`")));
        }
    }

    fn ctype(&mut self, item: &str, leaf: Option<&str>, ctype: &CType, windows: bool) {
        let mut unknown = Vec::new();
        ctype.names(&mut |name| match self.index.get(name) {
            None if primitive_bits(name).is_none() => unknown.push((name, "which nothing is called")),
            Some(found) if found.windows() && !windows => unknown.push((name, "which exists on Windows only")),
            _ => {}
        });
        for (name, why) in unknown {
            let of = leaf.map_or_else(|| format!("`{item}`"), |leaf| format!("`{leaf}` of `{item}`"));
            self.leaf(item, leaf, Finding::error(format!("the type of {of} speaks of `{}`, {why}", name.escape_debug())));
        }
        if let CType::Function(signature) = ctype {
            for parameter in signature.parameters.iter().filter(|parameter| !parameter.name.is_empty()) {
                self.leaf_identifier(item, leaf, &parameter.name);
            }
        }
    }

    /// A type of which there are values: not `void`.
    fn sized(&mut self, item: &str, leaf: Option<&str>, ctype: &CType, windows: bool) {
        self.ctype(item, leaf, ctype, windows);
        if matches!(self.index.resolve(ctype), Resolved::Void) {
            let finding = Finding::error(format!("`{}` of `{item}` is `void`", leaf.unwrap_or(item)));
            self.leaf(item, leaf, finding.wanted("a type that has values, or a pointer"));
        }
    }

    fn parameters(&mut self, item: &str, parameters: &[Parameter], returns: &CType, windows: bool) {
        self.ctype(item, None, returns, windows);
        for parameter in parameters {
            let leaf = Some(parameter.name.as_str());
            self.leaf_identifier(item, leaf, &parameter.name);
            self.leaf_lifetime(item, leaf, &parameter.lifetime);
            self.sized(item, leaf, &parameter.ctype, windows);
            if let CType::Array { .. } = parameter.ctype {
                let finding = Finding::error(format!("`{}` of `{item}` is an array, which C passes as a pointer", parameter.name));
                self.leaf(item, leaf, finding.wanted("a pointer to its elements"));
            }
        }
        for name in twice(parameters.iter().map(|parameter| &parameter.name)) {
            self.leaf(item, Some(name), Finding::error(format!("two parameters of `{item}` are called `{name}`")));
        }
    }

    fn constant(&mut self, constant: &Constant) {
        self.identifier(&constant.name);
        self.lifetime(&constant.name, &constant.lifetime);
        self.ctype(&constant.name, None, &constant.ctype, constant.windows);
        let fits = match self.index.resolve(&constant.ctype) {
            Resolved::Pointer => fits("usize", constant.value),
            Resolved::Handle(handle) if handle.repr == HandleRepr::Pointer => fits("usize", constant.value),
            resolved => resolved.carrier().is_some_and(|carrier| fits(carrier, constant.value)),
        };
        if !fits {
            let finding = Finding::error(format!("the value of `{}` does not fit its type", constant.name));
            self.item(&constant.name, finding.found(format!("`{}` for `{}`", constant.value, constant.ctype)));
        }
    }

    fn enumeration(&mut self, enumeration: &Enumeration) {
        let name = enumeration.name.as_str();
        self.identifier(name);
        self.lifetime(name, &enumeration.lifetime);
        self.repr(name, &enumeration.repr);
        let canonical: BTreeMap<&str, Option<i128>> = (enumeration.enumerators.iter())
            .filter(|enumerator| enumerator.alias_of.is_none())
            .map(|enumerator| (enumerator.name.as_str(), enumerator.value.integer()))
            .collect();
        for enumerator in &enumeration.enumerators {
            let leaf = Some(enumerator.name.as_str());
            self.leaf_identifier(name, leaf, &enumerator.name);
            self.leaf_lifetime(name, leaf, &enumerator.lifetime);
            if !fits(&enumeration.repr, enumerator.value) {
                let finding = Finding::error(format!("the value of `{}` does not fit its type", enumerator.name));
                self.leaf(name, leaf, finding.found(format!("`{}` for `{}`", enumerator.value, enumeration.repr)));
            }
            if let Some(of) = &enumerator.alias_of
                && canonical.get(of.as_str()) != Some(&enumerator.value.integer())
            {
                let finding = Finding::error(format!("`{}` is no other name of `{}`", enumerator.name, of.escape_debug()));
                self.leaf(name, leaf, finding.wanted("a name of the same enumeration and value that is no alias itself"));
            }
        }
        for twice in twice(enumeration.enumerators.iter().map(|enumerator| &enumerator.name)) {
            self.leaf(name, Some(twice), Finding::error(format!("two values of `{name}` are called `{twice}`")));
        }
        let taken: &[&str] = match enumeration.kind {
            EnumerationKind::Choice => &["name", "names", "NAMES"],
            EnumerationKind::Bits => &["name", "names", "NAMES", "empty", "is_empty", "contains", "intersects", "union", "bits"],
            EnumerationKind::Status => &["name", "names", "NAMES", "result"],
        };
        for enumerator in enumeration.enumerators.iter().filter(|enumerator| taken.contains(&enumerator.name.as_str())) {
            let finding = Finding::error(format!("`{}` is the name of something that every enumeration has", enumerator.name));
            self.leaf(name, Some(&enumerator.name), finding);
        }
    }

    fn record(&mut self, record: &Record) {
        self.identifier(&record.name);
        self.lifetime(&record.name, &record.lifetime);
        let before = self.faults.len();
        for member in &record.members {
            let leaf = Some(member.name.as_str());
            self.leaf_identifier(&record.name, leaf, &member.name);
            self.leaf_lifetime(&record.name, leaf, &member.lifetime);
            self.sized(&record.name, leaf, &member.ctype, record.windows);
            if member.nameless && !matches!(self.index.resolve(&member.ctype), Resolved::Record(_)) {
                let finding = Finding::error(format!("`{}` of `{}` is nameless, but no record", member.name, record.name));
                self.leaf(&record.name, leaf, finding);
            }
        }
        for twice in twice(record.members.iter().map(|member| &member.name)) {
            let finding = Finding::error(format!("two members of `{}` are called `{twice}`", record.name));
            self.leaf(&record.name, Some(twice), finding);
        }
        if record.members.is_empty() {
            self.item(
                &record.name,
                Finding::error(format!("`{}` has no members, so that Rust and C differ on its size", record.name)),
            );
        } else if self.faults.len() == before
            && let Err(difference) = rust_layout::repair(&self.index, record)
        {
            let finding = Finding::error(format!("Rust cannot lay out `{}` as C does", record.name)).found(difference);
            self.item(&record.name, finding.help("correct the layout, or teach the emitter how to write this record"));
        }
    }

    fn records_do_not_contain_themselves(&mut self, records: &[Record]) {
        // A record is settled when all that it contains is; what never settles contains itself.
        let mut settled: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<(&Record, Vec<&str>)> = Vec::new();
        for record in records {
            let parts = record.members.iter().filter_map(|member| self.contained(&member.ctype)).collect();
            open.push((record, parts));
        }
        loop {
            let before = open.len();
            open.retain(|(record, parts)| {
                let ready = parts.iter().all(|part| settled.contains(part));
                if ready {
                    settled.insert(&record.name);
                }
                !ready
            });
            if open.len() == before {
                break;
            }
        }
        let names: Vec<String> = open.iter().map(|(record, _)| record.name.clone()).collect();
        for name in names {
            self.item(&name, Finding::error(format!("`{name}` contains itself")));
        }
    }

    /// The record that a value of `ctype` contains.
    fn contained<'t>(&self, ctype: &'t CType) -> Option<&'t str>
    where
        'a: 't,
    {
        match self.index.resolve(ctype) {
            Resolved::Record(record) => Some(&record.name),
            Resolved::Array(of, _) => self.contained(of),
            _ => None,
        }
    }

    fn macro_function(&mut self, function: &MacroFunction) {
        self.identifier(&function.name);
        self.lifetime(&function.name, &function.lifetime);
        self.repr(&function.name, &function.repr);
        for parameter in &function.parameters {
            self.leaf_identifier(&function.name, None, parameter);
        }
        if function.body.contains(['"', ';', '{', '}', '#', '!', '\\', '\n']) {
            let finding = Finding::error(format!("the body of `{}` is more than an expression", function.name));
            self.item(&function.name, finding.found(format!("`{}`", function.body.escape_debug())));
        }
    }
}

/// Whether `value` is one of `carrier`, on targets of every pointer width.
fn fits(carrier: &str, value: Value) -> bool {
    let within = |number: i128, range: (i128, i128)| (range.0..=range.1).contains(&number);
    match (integer_range(carrier), value) {
        (Some(_), Value::PerPointerWidth { wide, narrow }) => {
            let wide_range = match carrier {
                "usize" => integer_range("u64"),
                "isize" => integer_range("i64"),
                other => integer_range(other),
            };
            wide_range.is_some_and(|range| within(wide, range)) && integer_range(carrier).is_some_and(|range| within(narrow, range))
        }
        (Some(range), value) => value.integer().is_some_and(|number| within(number, range)),
        (None, Value::F32(_)) => matches!(carrier, "f32" | "c_float"),
        (None, Value::F64(_)) => matches!(carrier, "f64" | "c_double"),
        (None, _) => false,
    }
}

/// The names that occur more than once, each once.
fn twice<'a>(names: impl Iterator<Item = &'a String>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    names.map(String::as_str).filter(|name| !seen.insert(*name)).collect()
}
