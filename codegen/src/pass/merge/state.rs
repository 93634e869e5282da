//! A merged model as its newest release has it.
//!
//! In: a merged model. Out: the same without what only older releases have, so that it can be compared with another release.

use crate::model::{Lifetime, Model};

fn is_there(lifetime: &Lifetime) -> bool {
    lifetime.until.is_none()
}

/// `model` without everything that ended.
#[must_use]
pub fn newest(model: &Model) -> Model {
    let mut model = model.clone();
    model.constants.retain(|item| is_there(&item.lifetime));
    model.enumerations.retain(|item| is_there(&item.lifetime));
    for enumeration in &mut model.enumerations {
        enumeration.enumerators.retain(|leaf| is_there(&leaf.lifetime));
    }
    model.aliases.retain(|item| is_there(&item.lifetime));
    model.handles.retain(|item| is_there(&item.lifetime));
    model.records.retain(|item| is_there(&item.lifetime));
    model.callbacks.retain(|item| is_there(&item.lifetime));
    model.commands.retain(|item| is_there(&item.lifetime));
    model.extensions.retain(|item| is_there(&item.lifetime));
    model.macro_functions.retain(|item| is_there(&item.lifetime));
    model.rules.retain(|item| is_there(&item.lifetime));
    model.handle_types.retain(|item| is_there(&item.lifetime));
    for list in &mut model.error_lists {
        if let Some(codes) = &mut list.codes {
            let documented = !codes.is_empty();
            codes.retain(|code| is_there(&code.lifetime));
            if documented && codes.is_empty() {
                list.codes = None;
            }
        }
    }
    let commands: std::collections::BTreeSet<&str> = model.commands.iter().map(|command| command.symbol.as_str()).collect();
    model.error_lists.retain(|list| commands.contains(list.symbol.as_str()));
    model
}
