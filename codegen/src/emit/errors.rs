//! Emits `errors`: the errors that upstream documents for each command.
//!
//! In: the commands and their error lists. Out: one line a command, in the order of the command table, so that a command's index finds
//! it; and the function that does. A command without a list gets a line that says so.

use std::collections::BTreeMap;

use super::{page::Page, types::identifier};
use crate::{
    finding::{Finding, Findings},
    model::{Command, Enumeration, EnumerationKind, ErrorList, Model},
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
    let (windows, everywhere): (Vec<&Command>, Vec<&Command>) = model.commands.iter().partition(|command| command.windows);
    page.needs_items();
    page.needs("crate::{CommandInfo, rules::{Code, Codes, ErrorTable, find_documented}}");
    page.attached(&[], &[&status.name]);
    page.line(0, format_args!("impl Code for {status_name} {{"));
    page.line(1, "fn from_name(name: &str) -> Option<Self> {");
    page.line(2, "Self::from_name(name)");
    page.line(1, "}");
    page.line(0, "}");
    page.gap();
    page.open();
    page.line(0, "/// What upstream says about the errors of each command, by index.");
    page.line(0, format_args!("pub static ERRORS: ErrorTable<{status_name}> = ErrorTable::new(\"\\"));
    for command in everywhere.into_iter().chain(windows) {
        let list = lists.get(command.symbol.as_str());
        let codes = list.and_then(|list| list.codes.as_ref());
        for code in codes.into_iter().flatten().filter(|code| !has(status, &code.code)) {
            findings.0.push(Finding::error(format!(
                "`{}` documents `{}`, which `{}` does not have",
                command.symbol, code.code, status.name
            )));
        }
        let earlier = list.filter(|list| list.earlier_errors).map(|_| "earlier");
        let codes = codes.map_or_else(|| vec!["unlisted"], |codes| codes.iter().map(|code| code.code.as_str()).collect());
        let words: Vec<&str> = [command.symbol.as_str()].into_iter().chain(earlier).chain(codes).collect();
        page.row(&[&command.symbol]);
        page.line(0, words.join(" "));
    }
    page.close();
    page.line(0, "\");");
    page.gap();
    page.line(
        0,
        "/// The codes that upstream lists for `command`, in its order; `None` where it lists none, which is not the empty list.",
    );
    page.line(0, "#[must_use]");
    page.line(0, format_args!("pub fn documented_errors(command: &CommandInfo) -> Option<Codes<{status_name}>> {{"));
    page.line(1, "find_documented(ERRORS, command)?.codes");
    page.line(0, "}");
    findings.with(page).map(|(page, _)| page)
}
