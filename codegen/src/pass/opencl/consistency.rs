//! Whether every type that the model uses is in it, and nothing is in it twice.

use std::collections::BTreeSet;

use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::Registry,
    model::{CType, Model},
};

/// Types that Rust itself has.
const BUILT_IN: &[&str] = &[
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "f32", "f64", "c_char", "c_schar", "c_uchar",
    "c_short", "c_ushort", "c_int", "c_uint",
];

/// Takes out the commands that use a type which nothing defines, and lists them.
pub(super) fn leave_out(model: &mut Model, registry: &Registry, findings: &mut Findings) {
    let known: BTreeSet<String> = BUILT_IN.iter().copied().chain(type_names(model)).map(str::to_owned).collect();
    model.commands.retain(|command| {
        let mut unknown = None;
        let mut look =
            |ctype: &CType| ctype.names(&mut |name| unknown = unknown.take().or((!known.contains(name)).then(|| name.to_owned())));
        look(&command.returns);
        command.parameters.iter().for_each(|parameter| look(&parameter.ctype));
        if let Some(name) = &unknown {
            let facts = registry.commands.iter().find(|facts| facts.name == command.symbol);
            let finding = Finding::error(format!("`{}` uses the type `{name}`, which nothing defines", command.symbol));
            let finding = facts.iter().fold(finding, |finding, facts| finding.at(registry.place(&facts.span)));
            findings.push(finding.softened());
        }
        unknown.is_none()
    });
}

pub(super) fn check(model: &Model, registry: &Registry, findings: &mut Findings) {
    let mut names: BTreeSet<&str> = BUILT_IN.iter().copied().collect();
    for name in type_names(model) {
        if !names.insert(name) {
            findings.push(Finding::error(format!("the type `{name}` is in the model twice")));
        }
    }
    let mut used = |ctype: &CType, by: &str| {
        ctype.names(&mut |name| {
            if !names.contains(name) {
                let command = registry.commands.iter().find(|command| command.name == by).map(|command| &command.span);
                let definition = registry.types.iter().find(|definition| definition.name == by).map(|definition| &definition.span);
                let mut finding = Finding::error(format!("`{by}` uses the type `{name}`, which nothing defines"));
                if let Some(span) = command.or(definition) {
                    finding = finding.at(registry.place(span));
                }
                findings.push(finding);
            }
        });
    };
    for command in &model.commands {
        used(&command.returns, &command.symbol);
        command.parameters.iter().for_each(|parameter| used(&parameter.ctype, &command.symbol));
    }
    for record in &model.records {
        record.members.iter().for_each(|member| used(&member.ctype, &record.name));
    }
    model.aliases.iter().for_each(|alias| used(&alias.ctype, &alias.name));
    model.constants.iter().for_each(|constant| used(&constant.ctype, &constant.name));
}

fn type_names(model: &Model) -> impl Iterator<Item = &str> {
    let enumerations = model.enumerations.iter().map(|item| item.name.as_str());
    let aliases = model.aliases.iter().map(|item| item.name.as_str());
    let handles = model.handles.iter().map(|item| item.name.as_str());
    let records = model.records.iter().map(|item| item.name.as_str());
    enumerations.chain(aliases).chain(handles).chain(records)
}
