//! A merged model as its newest release has it, and as checks need it.
//!
//! In: a merged model. Out: the same without what only older releases have, so that it can be compared with another release; or without the
//! rules that upstream has taken back.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{LastRelease, Lifetime, Model, Rule};

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
    model.properties.retain(|item| is_there(&item.lifetime));
    for list in &mut model.error_lists {
        if let Some(codes) = &mut list.codes {
            let documented = !codes.is_empty();
            codes.retain(|code| is_there(&code.lifetime));
            if documented && codes.is_empty() {
                list.codes = None;
            }
        }
    }
    let commands: BTreeSet<&str> = model.commands.iter().map(|command| command.symbol.as_str()).collect();
    model.error_lists.retain(|list| commands.contains(list.symbol.as_str()));
    model
}

/// Takes out the rules that ended before what they are about did: upstream has taken them back, and a check that refused what is allowed now
/// would be wrong. Those of something that is gone as a whole ended with it, and hold for whoever still uses it.
pub fn drop_rules_taken_back(model: &mut Model) {
    let commands = model.commands.iter().map(|item| (item.symbol.clone(), item.lifetime.until));
    let records = model.records.iter().map(|item| (item.name.clone(), item.lifetime.until));
    let subjects: BTreeMap<String, Option<LastRelease>> = commands.chain(records).collect();
    let holds = |rule: &Rule| {
        let gone = subjects.get(&rule.subject).copied().flatten();
        rule.lifetime.until.is_none_or(|until| gone.is_some_and(|gone| gone <= until))
    };
    model.rules.retain(holds);
    let known: BTreeSet<&str> = model.rules.iter().map(|rule| rule.id.as_str()).collect();
    for code in model.error_lists.iter_mut().flat_map(|list| &mut list.codes).flatten() {
        code.rules.retain(|id| known.contains(id.as_str()));
    }
}
