//! Emits the kinds of item that take a row or a few: aliases, callbacks, commands, constants, functions and handles.
//!
//! In: the items of one kind. Out: a macro row each.

use super::{
    docs::Docs,
    page::Page,
    types::{identifier, literal, value},
};
use crate::{
    model::{Api, CType, Command, ErrorChannel, HandleRepr, Model, Parameter, ThreadSafety},
    pass::index::{Index, Resolved},
};

/// The file of other names.
pub(super) fn aliases<'a>(model: &Model, docs: Docs, mut page: Page<'a>) -> Page<'a> {
    for item in &model.aliases {
        page.item(&item.name);
        cfg(&mut page, item.windows);
        let ctype = page.ctype(&item.ctype);
        let about = docs.item(&item.lifetime);
        page.line(0, format_args!("alias! {{ {} = {ctype}, {about} }}", identifier(&item.name)));
    }
    page
}

/// The file of callbacks.
pub(super) fn callbacks<'a>(model: &Model, docs: Docs, mut page: Page<'a>) -> Page<'a> {
    for item in &model.callbacks {
        page.gap();
        page.item(&item.name);
        page.line(0, "callback! {");
        page.line(1, format_args!("{}, {},", identifier(&item.name), docs.item(&item.lifetime)));
        let returns = signature(&mut page, &item.parameters, &item.returns);
        page.line(1, returns);
        page.line(0, "}");
    }
    page
}

/// The file of constants.
pub(super) fn constants<'a>(model: &Model, docs: Docs, index: &Index<'_>, mut page: Page<'a>) -> Page<'a> {
    for item in &model.constants {
        page.item(&item.name);
        cfg(&mut page, item.windows);
        let ctype = page.ctype(&item.ctype);
        if matches!(index.resolve(&item.ctype), Resolved::Enumeration(_) | Resolved::Handle(_)) {
            page.needs_items();
        }
        let (number, about) = (value(index, &item.ctype, item.value), docs.item(&item.lifetime));
        page.line(0, format_args!("constant! {{ {}: {ctype} = {number}, {about} }}", identifier(&item.name)));
    }
    page
}

/// The file of macros with parameters.
pub(super) fn functions<'a>(model: &Model, docs: Docs, mut page: Page<'a>) -> Page<'a> {
    let constants: Vec<&str> = model.constants.iter().map(|item| item.name.as_str()).collect();
    for item in &model.macro_functions {
        page.item(&item.name);
        let parameters: Vec<_> = item.parameters.iter().map(|name| identifier(name)).collect();
        let words = item.body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if words.into_iter().any(|word| constants.contains(&word)) {
            page.needs_items();
        }
        let (name, about) = (identifier(&item.name), docs.item(&item.lifetime));
        page.line(0, format_args!("function! {{ {name}({}): {} = {}, {about} }}", parameters.join(", "), item.repr, item.body));
    }
    page
}

/// The file of handles.
pub(super) fn handles<'a>(model: &Model, docs: Docs, mut page: Page<'a>) -> Page<'a> {
    for item in &model.handles {
        page.item(&item.name);
        cfg(&mut page, item.windows);
        let markers = match item.threads {
            ThreadSafety::Any => "Send, Sync",
            ThreadSafety::Send => "Send",
            ThreadSafety::None => "",
        };
        let repr = match &item.repr {
            HandleRepr::Pointer => format!("pointer [{markers}]"),
            HandleRepr::Address => "address".to_owned(),
            HandleRepr::Integer(repr) => format!("integer {repr}"),
        };
        page.line(0, format_args!("handle! {{ {}: {repr}, {} }}", identifier(&item.name), docs.item(&item.lifetime)));
    }
    page
}

/// The file of commands. Those of Windows come last in the table, so that an index is the same on every target.
pub(super) fn commands<'a>(model: &Model, docs: Docs, mut page: Page<'a>) -> Page<'a> {
    for item in &model.commands {
        page.gap();
        page.item(&item.symbol);
        cfg(&mut page, item.windows);
        command(item, docs, &mut page);
    }
    if model.commands.is_empty() {
        return page;
    }
    let (windows, everywhere): (Vec<&Command>, Vec<&Command>) = model.commands.iter().partition(|item| item.windows);
    page.gap();
    page.open();
    page.line(0, "command_table! {");
    page.line(1, "{");
    for item in &everywhere {
        page.row(&[&item.symbol]);
        page.line(2, identifier(&item.symbol));
    }
    if !windows.is_empty() {
        // A table in the table, which begins where the other list ends: what closes the table closes the last list, whichever it is.
        page.open();
        page.line(1, "}");
        page.line(1, "windows {");
        for item in &windows {
            page.row(&[&item.symbol]);
            page.line(2, identifier(&item.symbol));
        }
        page.close();
    }
    page.close();
    page.line(1, "}");
    page.line(0, "}");
    page.gap();
    page.open();
    page.line(0, "/// Every command of the API, by index.");
    page.line(0, "pub static COMMANDS: [CommandInfo; COMMAND_COUNT] = numbered(NAMES, [");
    for item in everywhere.iter().chain(&windows) {
        page.row(&[&item.symbol]);
        let cfg = if item.windows { "#[cfg(windows)] " } else { "" };
        page.line(1, format_args!("{cfg}{},", facts(model.api, item)));
    }
    page.close();
    page.line(0, "]);");
    page.needs("crate::command::numbered");
    page.needs_of("crate", &["CommandInfo", "ErrorChannel"]);
    page
}

/// One command: its function.
fn command(item: &Command, docs: Docs, page: &mut Page<'_>) {
    page.line(0, "command! {");
    if item.name != item.symbol {
        page.line(1, format_args!("#[doc(alias = {})]", literal(&item.name)));
    }
    page.line(1, format_args!("{}, {},", identifier(&item.symbol), docs.command(item)));
    let returns = signature(page, &item.parameters, &item.returns);
    page.line(1, returns);
    page.line(0, "}");
}

/// What is known of a command besides: first what every one has, then in what it is not like most.
fn facts(api: Api, item: &Command) -> String {
    use std::fmt::Write as _;

    let (symbol, header) = (literal(&item.symbol), literal(item.header.as_deref().unwrap_or_default()));
    let since = item.lifetime.since.map_or_else(|| "\"\"".to_owned(), |since| format!("\"{since}\""));
    let mut row = match api {
        Api::Cuda => format!("CommandInfo::cuda(c{symbol}, {}, {since}, {header})", item.version.unwrap_or(0)),
        Api::OpenCl => format!("CommandInfo::opencl(c{symbol}, {since}, {header})"),
    };
    // Writing to a `String` does not fail.
    if item.name != item.symbol {
        let _ = write!(row, ".named(c{})", literal(&item.name));
    }
    if let Some(symbol) = &item.per_thread_symbol {
        let _ = write!(row, ".per_thread(c{}, {})", literal(symbol), item.per_thread_version.unwrap_or(0));
    }
    if let Some(until) = item.lifetime.until {
        let _ = write!(row, ".until(\"{until}\")");
    }
    if let Some(deprecated) = item.lifetime.deprecated {
        let _ = write!(row, ".deprecated(\"{deprecated}\")");
    }
    if !item.lifetime.extensions.is_empty() {
        let names: Vec<String> = item.lifetime.extensions.iter().map(|name| literal(name)).collect();
        let _ = write!(row, ".extensions(&[{}])", names.join(", "));
    }
    let channel = match item.error_channel {
        ErrorChannel::Return => None,
        ErrorChannel::ErrcodeRet => Some("ErrcodeRet"),
        ErrorChannel::PerItem => Some("PerItem"),
        ErrorChannel::None => Some("None"),
    };
    if let Some(channel) = channel {
        let _ = write!(row, ".fails_by(ErrorChannel::{channel})");
    }
    row
}

/// `fn(` and a line for each parameter; gives the last line, `) -> …`.
fn signature(page: &mut Page<'_>, parameters: &[Parameter], returns: &CType) -> String {
    let returns = match returns {
        CType::Void => String::new(),
        ctype => format!(" -> {}", page.ctype(ctype)),
    };
    if parameters.is_empty() {
        return format!("fn(){returns}");
    }
    page.line(1, "fn(");
    for parameter in parameters {
        let ctype = page.ctype(&parameter.ctype);
        page.line(2, format_args!("{}: {ctype},", identifier(&parameter.name)));
    }
    format!("){returns}")
}

fn cfg(page: &mut Page<'_>, windows: bool) {
    if windows {
        page.line(0, "#[cfg(windows)]");
    }
}
