//! Emits `errors`: the errors that upstream documents for each command.
//!
//! In: the commands and their error lists. Out: one row a command, in the order of the command table, so that a command's index finds
//! it; and the function that does. A command without a list gets a row that says so.

use std::collections::BTreeMap;

use super::{page::Page, types::identifier, types::literal};
use crate::{
    finding::{Finding, Findings},
    model::{Command, Enumeration, EnumerationKind, ErrorCode, ErrorList, Model},
};

/// The file of errors; or which codes no status has.
pub(super) fn emit<'a>(model: &Model, mut page: Page<'a>) -> Result<Page<'a>, Findings> {
    if model.error_lists.is_empty() {
        return Ok(page);
    }
    let lists: BTreeMap<&str, &ErrorList> = model.error_lists.iter().map(|list| (list.symbol.as_str(), list)).collect();
    let codes: Vec<&str> =
        model.error_lists.iter().flat_map(|list| list.codes.iter().flatten()).map(|code| code.code.as_str()).collect();
    let statuses = || model.enumerations.iter().filter(|item| item.kind == EnumerationKind::Status);
    let has = |item: &Enumeration, code: &str| item.enumerators.iter().any(|enumerator| enumerator.name == code);
    let Some(status) = statuses().max_by_key(|item| codes.iter().filter(|code| has(item, code)).count()) else {
        return Err(Finding::error("errors are documented, and the model has no status codes").into());
    };
    let mut findings = Findings::default();
    let status_name = identifier(&status.name);
    page.needs_items();
    page.needs("crate::{CommandInfo, rules::{Documented, documented, find_documented}}");
    page.line(0, format_args!("type S = {status_name};"));
    let (windows, everywhere): (Vec<&Command>, Vec<&Command>) = model.commands.iter().partition(|command| command.windows);
    let commands: Vec<&Command> = everywhere.into_iter().chain(windows).collect();
    // The first command with a list gives it its name; what is written once is compiled once.
    let mut first: BTreeMap<Vec<&str>, (&str, usize)> = BTreeMap::new();
    for command in &commands {
        let codes = lists.get(command.symbol.as_str()).and_then(|list| list.codes.as_ref());
        for code in codes.into_iter().flatten().filter(|code| !has(status, &code.code)) {
            findings.0.push(Finding::error(format!(
                "`{}` documents `{}`, which `{}` does not have",
                command.symbol, code.code, status.name
            )));
        }
        if let Some(codes) = codes.filter(|_| !command.windows) {
            first.entry(names(codes)).or_insert((&command.symbol, 0)).1 += 1;
        }
    }
    let written = |codes: &[&str]| {
        let codes: Vec<String> = codes.iter().map(|code| format!("S::{}", identifier(code))).collect();
        format!("&[{}]", codes.join(", "))
    };
    let mut shared: Vec<_> = first.iter().filter(|(_, (_, uses))| *uses > 1).map(|(codes, (symbol, _))| (*symbol, codes)).collect();
    shared.sort_unstable();
    page.gap();
    for (symbol, codes) in shared {
        page.line(0, format_args!("const CODES_OF_{symbol}: &[S] = {};", written(codes)));
    }
    page.gap();
    page.line(0, "/// What upstream says about the errors of each command, by index.");
    page.line(0, "pub static ERRORS: &[Documented<S>] = &[");
    for command in commands {
        if command.windows {
            page.line(1, "#[cfg(windows)]");
        }
        let list = lists.get(command.symbol.as_str());
        let codes = list.and_then(|list| list.codes.as_ref()).map(|codes| {
            let codes = names(codes);
            match first.get(&codes) {
                Some((symbol, 2..)) => format!("Some(CODES_OF_{symbol})"),
                _ => format!("Some({})", written(&codes)),
            }
        });
        let codes = codes.unwrap_or_else(|| "None".to_owned());
        let earlier = list.is_some_and(|list| list.earlier_errors);
        page.line(1, format_args!("documented({}, {codes}, {earlier}),", literal(&command.symbol)));
    }
    page.line(0, "];");
    page.gap();
    page.line(
        0,
        "/// The codes that upstream lists for `command`, in its order; `None` where it lists none, which is not the empty list.",
    );
    page.line(0, "#[must_use]");
    page.line(0, format_args!("pub fn documented_errors(command: &CommandInfo) -> Option<&'static [{status_name}]> {{"));
    page.line(1, "find_documented(ERRORS, command)?.codes");
    page.line(0, "}");
    findings.with(page).map(|(page, _)| page)
}

/// The names of codes.
fn names(codes: &[ErrorCode]) -> Vec<&str> {
    codes.iter().map(|code| code.code.as_str()).collect()
}
