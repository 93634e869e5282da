//! Makes commands: with status codes as a type of their own, and how each says that it failed.
//!
//! Upstream returns `cl_int` everywhere. What a command returns is a status code, and so is what it writes to `errcode_ret` and, for each
//! item, to `binary_status`. Other `cl_int`s are not: the status of an event is a state or an error.

use super::{
    availability::{self, Requirements},
    external,
};
use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::{self, ItemKind, Registry},
    model::{CType, Command, ErrorChannel, Lifetime, Parameter},
};

/// The parameter through which a command that returns an object says that it failed.
const ERROR_PARAMETER: &str = "errcode_ret";
/// Parameters that receive a status code for each item of a list.
const PER_ITEM_PARAMETERS: &[&str] = &["binary_status"];

/// Every command, sorted by name.
///
/// `status` is the type of status codes, or `cl_int` in a registry that defines none.
pub(super) fn commands(registry: &Registry, requirements: &Requirements, status: &CType, findings: &mut Findings) -> Vec<Command> {
    let mut commands: Vec<Command> =
        registry.commands.iter().map(|facts| command(facts, registry, requirements, status, findings)).collect();
    commands.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    commands
}

fn command(
    facts: &registry::Command,
    registry: &Registry,
    requirements: &Requirements,
    status: &CType,
    findings: &mut Findings,
) -> Command {
    let mut lifetime = requirements.lifetime(ItemKind::Command, &facts.name);
    // The prefix carries a compiler's attribute, and is often one version behind: the suffix says it.
    let marked = facts.suffix.as_deref().and_then(|suffix| availability::deprecated_by(suffix, registry));
    if let (Some(marked), Some(commented)) = (marked, lifetime.deprecated)
        && marked != commented
    {
        let what = format!(
            "`{}` is deprecated in {marked} by its suffix, and in {commented} by a comment; the suffix is taken",
            facts.name
        );
        findings.push(Finding::warning(what).at(registry.place(&facts.span)));
    }
    lifetime.deprecated = marked.or(lifetime.deprecated);
    let mentions = facts.parameters.iter().any(|parameter| external::mentions_windows(&parameter.ctype));
    let of_parameter = Lifetime { since: lifetime.since, extensions: lifetime.extensions.clone(), ..Lifetime::default() };
    let parameters = facts.parameters.iter().map(|parameter| Parameter {
        name: parameter.name.clone(),
        ctype: parameter_type(parameter, status),
        lifetime: of_parameter.clone(),
    });
    Command {
        symbol: facts.name.clone(),
        name: facts.name.clone(),
        version: None,
        per_thread_symbol: None,
        per_thread_version: None,
        error_channel: error_channel(facts),
        returns: if facts.returns == CType::named("cl_int") { status.clone() } else { facts.returns.clone() },
        group: None,
        header: lifetime.since.map(|_| "CL/cl.h".to_owned()),
        windows: mentions || requirements.is_windows(ItemKind::Command, &facts.name),
        parameters: parameters.collect(),
        lifetime,
    }
}

fn parameter_type(parameter: &registry::Parameter, status: &CType) -> CType {
    let is_status = parameter.name == ERROR_PARAMETER || PER_ITEM_PARAMETERS.contains(&parameter.name.as_str());
    if is_status && parameter.ctype == CType::named("cl_int").pointer_to_mut() {
        status.clone().pointer_to_mut()
    } else {
        parameter.ctype.clone()
    }
}

fn error_channel(facts: &registry::Command) -> ErrorChannel {
    let has = |name: &str| facts.parameters.iter().any(|parameter| parameter.name == name);
    if PER_ITEM_PARAMETERS.iter().any(|name| has(name)) {
        ErrorChannel::PerItem
    } else if has(ERROR_PARAMETER) {
        ErrorChannel::ErrcodeRet
    } else if facts.returns == CType::named("cl_int") {
        ErrorChannel::Return
    } else {
        ErrorChannel::None
    }
}
