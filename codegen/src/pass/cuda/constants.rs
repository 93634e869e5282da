//! Macros: values become constants, names of functions are known through the commands, the rest is listed.
//!
//! In: the facts of macros. Out: the model's constants, and an entry in `omitted` for each macro that is neither a value nor a name.

use super::{deprecated, lifetime};
use crate::{
    import::cuda::{Facts, facts::MacroMeaning},
    model::{Constant, Model, Omitted},
};

/// Adds every macro to where it belongs.
pub(super) fn add(model: &mut Model, facts: &Facts) {
    let deprecated = deprecated(facts);
    for one in &facts.macros {
        let name = one.name.clone();
        let reason = match &one.meaning {
            MacroMeaning::Value(ctype, value) => {
                let lifetime = lifetime(facts, deprecated.contains(&(&name, None)));
                model.constants.push(Constant { name, ctype: ctype.clone(), value: *value, lifetime, windows: one.windows });
                continue;
            }
            MacroMeaning::Rename(_) => continue,
            MacroMeaning::Empty => "has no value: an include guard, or a qualifier that is empty",
            MacroMeaning::Qualifier => "is a qualifier for the C compiler",
            MacroMeaning::FunctionLike => "makes up names for the C compiler; commands and types bear the names that it makes",
            MacroMeaning::Undefined => "is only for the header itself, which undefines it",
            MacroMeaning::Mistaken(_) => "is meant to name a versioned typedef, and names none",
            MacroMeaning::Unknown(_) => "is not understood",
        };
        model.omitted.push(Omitted { name, kind: "macro".to_owned(), reason: reason.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::add;
    use crate::{
        import::cuda::facts::{MacroFact, MacroMeaning},
        model::{Api, CType, Model, Value},
        pass::cuda::testing::{facts, place},
    };

    #[test]
    fn values_are_constants_names_are_known_and_the_rest_is_listed() {
        let mut facts = facts();
        let value = MacroMeaning::Value(CType::named("CUstream"), Value::Hex(2));
        let meanings = [("A", value), ("B", MacroMeaning::Rename("B_v2".to_owned())), ("C", MacroMeaning::Empty)];
        facts.macros =
            meanings.map(|(name, meaning)| MacroFact { name: name.to_owned(), meaning, windows: false, place: place() }).into();
        let mut model = Model::empty(Api::Cuda);
        add(&mut model, &facts);
        assert_eq!(model.constants.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["A"]);
        assert_eq!(model.omitted.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["C"]);
    }
}
