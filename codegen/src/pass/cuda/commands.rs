//! Functions become commands.
//!
//! In: the facts of functions, and the public name and version of each. Out: the model's commands, with the Doxygen group that documents them.

use super::{deprecated, lifetime, versions::Versions};
use crate::{
    import::cuda::Facts,
    model::{CType, Command, ErrorChannel, Model, Parameter, Version},
};

/// Adds every function.
pub(super) fn add(model: &mut Model, facts: &Facts, versions: &Versions) {
    let deprecated = deprecated(facts);
    for function in &facts.functions {
        let symbol = function.symbol.as_str();
        let known = versions.of(symbol);
        let mut lifetime = lifetime(facts, function.deprecated || deprecated.contains(&(symbol, None)));
        if let Some(version) = known.and_then(|known| known.version) {
            lifetime.since = Some(Version::from_cuda_number(version));
        }
        // A symbol never changes its signature, so parameters live as long as it does.
        let since = lifetime.since;
        let parameters = function.signature.parameters.iter().map(|parameter| Parameter {
            name: parameter.name.clone(),
            ctype: parameter.ctype.clone(),
            lifetime: crate::model::Lifetime { since, ..Default::default() },
        });
        let returns = function.signature.returns.clone();
        let returns_status = returns == CType::named("CUresult");
        model.commands.push(Command {
            symbol: symbol.to_owned(),
            name: known.map_or(&function.spelled, |known| &known.name).clone(),
            version: known.and_then(|known| known.version),
            per_thread_symbol: function.per_thread.clone(),
            per_thread_version: known.and_then(|known| known.per_thread).filter(|_| function.per_thread.is_some()),
            error_channel: if returns_status { ErrorChannel::Return } else { ErrorChannel::None },
            returns,
            group: function.group.clone(),
            header: Some(function.place.document().name().to_owned()),
            lifetime,
            windows: function.windows,
            parameters: parameters.collect(),
        });
    }
}
