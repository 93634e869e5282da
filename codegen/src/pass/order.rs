//! Sorts a model, so that what it becomes does not depend on the order in which upstream declares things.
//!
//! In: a model in any order. Out: the same with each list sorted by name. Enumerators, members and parameters keep the order of the
//! declaration, and releases their age: there the order is a fact.

use crate::model::{Model, Value};

/// Sorts every list of `model`.
pub fn order(model: &mut Model) {
    // Taken apart, so that a list added to the model does not compile until it is sorted here, or said not to be.
    let Model {
        api: _,
        releases: _,
        constants,
        enumerations,
        aliases,
        handles,
        records,
        callbacks,
        commands,
        features,
        extensions,
        macro_functions,
        omitted,
        rules,
        handle_types,
        error_lists,
        properties,
    } = model;
    constants.sort_by(|a, b| a.name.cmp(&b.name));
    enumerations.sort_by(|a, b| a.name.cmp(&b.name));
    aliases.sort_by(|a, b| a.name.cmp(&b.name));
    handles.sort_by(|a, b| a.name.cmp(&b.name));
    records.sort_by(|a, b| a.name.cmp(&b.name));
    callbacks.sort_by(|a, b| a.name.cmp(&b.name));
    commands.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    features.sort_by(|a, b| a.name.cmp(&b.name));
    extensions.sort_by(|a, b| a.name.cmp(&b.name));
    macro_functions.sort_by(|a, b| a.name.cmp(&b.name));
    omitted.sort_by(|a, b| (&a.name, &a.kind).cmp(&(&b.name, &b.kind)));
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    handle_types.sort_by_cached_key(|row| (row.kind, row.value.and_then(Value::integer), row.name.clone()));
    error_lists.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    properties.sort_by(|a, b| (&a.command, &a.list, &a.name).cmp(&(&b.command, &b.list, &b.name)));
}

#[cfg(test)]
mod tests {
    use super::order;
    use crate::model::{Api, CType, HandleRepr, Lifetime, Model, Parameter, ThreadSafety};
    use crate::model::{Command, ErrorChannel, Handle};

    fn handle(name: &str) -> Handle {
        Handle {
            name: name.to_owned(),
            repr: HandleRepr::Pointer,
            threads: ThreadSafety::Any,
            lifetime: Lifetime::default(),
            windows: false,
        }
    }

    #[test]
    fn items_are_sorted_and_parameters_are_not() {
        let mut model = Model::empty(Api::Cuda);
        model.handles = vec![handle("b"), handle("a")];
        let parameter = |name: &str| Parameter { name: name.to_owned(), ctype: CType::named("u32"), lifetime: Lifetime::default() };
        model.commands.push(Command {
            symbol: "cuInit".to_owned(),
            name: "cuInit".to_owned(),
            version: None,
            per_thread_symbol: None,
            per_thread_version: None,
            error_channel: ErrorChannel::Return,
            returns: CType::Void,
            group: None,
            header: None,
            lifetime: Lifetime::default(),
            windows: false,
            parameters: vec![parameter("z"), parameter("y")],
        });
        order(&mut model);
        let names: Vec<&str> = model.handles.iter().map(|handle| handle.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let names: Vec<&str> = model.commands[0].parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["z", "y"]);
    }
}
