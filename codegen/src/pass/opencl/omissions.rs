//! What is deliberately not emitted.

use crate::{
    model::{Api, Model, Omitted},
    overlay::{Overlay, Question},
};

/// `CL_VERSION_3_0` is 1 in C headers, where it says that the version is there, and 300 in OpenCL C. It is a guard, and no number.
pub(super) fn feature_guards(model: &mut Model) {
    let guards = model.features.iter().map(|feature| Omitted {
        name: feature.name.clone(),
        kind: "macro".to_owned(),
        reason: "a guard that says whether a header has this version; `features` lists the versions".to_owned(),
    });
    model.omitted.extend(guards);
}

/// What the overlay leaves out.
pub(super) fn decided(model: &mut Model, overlay: &Overlay) {
    for subject in overlay.subjects(Api::OpenCl, Question::Omit) {
        let Some(kind) = remove(model, subject) else { continue };
        if let Some(decision) = overlay.decide(Api::OpenCl, Question::Omit, subject) {
            model.omitted.push(Omitted { name: subject.to_owned(), kind: kind.to_owned(), reason: decision.reason.to_owned() });
        }
    }
}

/// Takes `name` out of the model: what it was, if it was there.
fn remove(model: &mut Model, name: &str) -> Option<&'static str> {
    fn taken<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> bool {
        let before = list.len();
        list.retain(|item| !is_it(item));
        list.len() < before
    }
    let mut enumerator = false;
    for enumeration in &mut model.enumerations {
        enumerator |= taken(&mut enumeration.enumerators, |item| item.name == name);
    }
    if enumerator || taken(&mut model.constants, |item| item.name == name) {
        Some("enum")
    } else if taken(&mut model.commands, |item| item.symbol == name) {
        Some("command")
    } else if taken(&mut model.macro_functions, |item| item.name == name) {
        Some("macro")
    } else if taken(&mut model.aliases, |item| item.name == name)
        || taken(&mut model.handles, |item| item.name == name)
        || taken(&mut model.records, |item| item.name == name)
    {
        Some("type")
    } else {
        None
    }
}
