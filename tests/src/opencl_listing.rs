//! A model as lines that a person can read and write, for golden tests.
//!
//! In: a model. Out: one line an item, members and enumerators indented below theirs, in the model's order.

use std::fmt::Write as _;

use clcu_codegen::model::{
    Command, Enumeration, EnumerationKind, ErrorChannel, Extension, HandleRepr, Lifetime, Model, Record, RecordKind, ThreadSafety,
};

/// All of `model`.
#[must_use]
pub fn listing(model: &Model) -> String {
    let mut lines = Vec::new();
    for feature in &model.features {
        lines.push(format!("feature {} {}", feature.name, feature.version));
    }
    lines.extend(model.extensions.iter().map(extension));
    for alias in &model.aliases {
        lines.push(format!("alias {} = {}{}", alias.name, alias.ctype, since(&alias.lifetime, alias.windows)));
    }
    for handle in &model.handles {
        let repr = match &handle.repr {
            HandleRepr::Pointer => "pointer",
            HandleRepr::Integer(integer) => integer,
            HandleRepr::Address => "address",
        };
        let threads = match handle.threads {
            ThreadSafety::Any => "Send + Sync",
            ThreadSafety::Send => "Send",
            ThreadSafety::None => "one thread",
        };
        lines.push(format!("handle {} {repr}, {threads}{}", handle.name, since(&handle.lifetime, handle.windows)));
    }
    model.enumerations.iter().for_each(|it| enumeration(it, &mut lines));
    for constant in &model.constants {
        let since = since(&constant.lifetime, constant.windows);
        lines.push(format!("constant {}: {} = {}{since}", constant.name, constant.ctype, constant.value));
    }
    model.records.iter().for_each(|it| record(it, &mut lines));
    lines.extend(model.commands.iter().map(command));
    for function in &model.macro_functions {
        let parameters = function.parameters.join(", ");
        let since = since(&function.lifetime, false);
        lines.push(format!("function {}({parameters}): {} = {}{since}", function.name, function.repr, function.body));
    }
    lines.extend(model.omitted.iter().map(|omitted| format!("omitted {} ({})", omitted.name, omitted.kind)));
    lines.join("\n")
}

fn since(lifetime: &Lifetime, windows: bool) -> String {
    let mut text = String::new();
    let versions = [
        ("since", lifetime.since.map(|version| version.to_string())),
        ("until", lifetime.until.map(|release| release.to_string())),
        ("deprecated", lifetime.deprecated.map(|version| version.to_string())),
    ];
    for (word, version) in versions {
        if let Some(version) = version {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {word} {version}");
        }
    }
    if !lifetime.extensions.is_empty() {
        let _ = write!(text, ", by {}", lifetime.extensions.join(" "));
    }
    if windows {
        text.push_str(", Windows");
    }
    text
}

fn extension(extension: &Extension) -> String {
    let mut line = format!("extension {} {}", extension.name, extension.revision);
    let named = [("depends", &extension.depends), ("condition", &extension.condition), ("promoted to", &extension.promoted_to)];
    for (word, value) in named.into_iter().chain([("obsoleted by", &extension.obsoleted_by)]) {
        if let Some(value) = value {
            let _ = write!(line, ", {word} {value}");
        }
    }
    line.push_str(if extension.experimental { ", experimental" } else { "" });
    line.push_str(if extension.ratified { ", ratified" } else { "" });
    line
}

fn enumeration(enumeration: &Enumeration, lines: &mut Vec<String>) {
    let kind = match enumeration.kind {
        EnumerationKind::Choice => "choice",
        EnumerationKind::Bits => "bits",
        EnumerationKind::Status => "status",
    };
    let since_all = since(&enumeration.lifetime, enumeration.windows);
    lines.push(format!("enumeration {}: {} {kind}{since_all}", enumeration.name, enumeration.repr));
    for enumerator in &enumeration.enumerators {
        let alias = enumerator.alias_of.as_ref().map(|name| format!(" = {name}")).unwrap_or_default();
        lines.push(format!("    {} = {}{alias}{}", enumerator.name, enumerator.value, since(&enumerator.lifetime, false)));
    }
}

fn record(record: &Record, lines: &mut Vec<String>) {
    let kind = if record.kind == RecordKind::Union { "union" } else { "struct" };
    let parent = record.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
    let since_all = since(&record.lifetime, record.windows);
    lines.push(format!("{kind} {}{parent}: size {}, align {}{since_all}", record.name, record.size, record.align));
    for member in &record.members {
        let nameless = if member.nameless { ", nameless" } else { "" };
        lines.push(format!(
            "    {}: {} at {}{nameless}{}",
            member.name,
            member.ctype,
            member.offset,
            since(&member.lifetime, false)
        ));
    }
}

fn command(command: &Command) -> String {
    let parameters: Vec<String> = command.parameters.iter().map(|it| format!("{}: {}", it.name, it.ctype)).collect();
    let channel = match command.error_channel {
        ErrorChannel::Return => "fails by its result",
        ErrorChannel::ErrcodeRet => "fails by errcode_ret",
        ErrorChannel::PerItem => "fails for each item",
        ErrorChannel::None => "cannot fail",
    };
    let since = since(&command.lifetime, command.windows);
    format!("command {}({}) -> {}, {channel}{since}", command.symbol, parameters.join(", "), command.returns)
}
