//! Every form of every table, read from an example that its own pattern gives: a form that another one hides, or that its builder
//! refuses, fails here by name; so does one that still reads when a word of it has changed.

use super::{types, vocabulary};
use crate::{
    import::opencl::text::prose::Prose,
    rules::opencl::{
        forms::{self, Form},
        formula::{Atom, Formula},
        phrase::{Input, pattern},
        promises::PROMISES,
        properties, values,
        vocabulary::Scope,
    },
};

/// Something of the right sort for each gap; the first word of each choice; what may be missing is missing.
fn example(pattern: &str) -> Vec<String> {
    let mut parameters = ["_lens_props_", "_flags_", "_desc_"].iter().cycle();
    let filled = pattern.split(' ').filter(|element| !element.starts_with('?')).map(|element| match element {
        "{p}" if pattern.contains("power") || pattern.contains("multiple of") || pattern.contains("less") => "_size_".to_owned(),
        "{p}" if pattern.contains("is invalid") => "_fd_".to_owned(),
        "{p}" if pattern.contains("values specified in {p} are not valid") => "_flags_".to_owned(),
        "{p}" if pattern.contains("supported values") => "_param_name_".to_owned(),
        "{p}" => (*parameters.next().expect("a cycle does not end")).to_owned(),
        "{ps}" if pattern.ends_with("{ps}") => "_list_ or _other_".to_owned(),
        "{ps}" => "_list_ and _other_".to_owned(),
        "{c}" => "{CL_A}".to_owned(),
        "{cs}" => "{CL_A} or {CL_B}".to_owned(),
        "{n}" => "2".to_owned(),
        "{e}" => "{cl_khr_lens_EXT}".to_owned(),
        "{t}" => "{cl_lens_TYPE}".to_owned(),
        "{f}" => "{clGrind}".to_owned(),
        "{fs}" => "{clGrind} or {clCut}".to_owned(),
        "{l}" => "<<lens-table, Lenses>>".to_owned(),
        "{w}" => "glass".to_owned(),
        "{*}" => "something".to_owned(),
        words => words.split('|').next().unwrap_or_default().to_owned(),
    });
    filled.collect()
}

fn read(text: &str) -> Option<Formula> {
    let (vocabulary, types) = (vocabulary(), types());
    let scope = Scope::new(&vocabulary, vec!["clPolish"], &types);
    forms::read(&Prose::read(text).0.tokens, &scope).ok().map(|(formula, _)| formula)
}

/// What the form itself makes of `text`, with no other form in its way.
fn made(Form(words, build): &Form, text: &str) -> Option<Formula> {
    let (vocabulary, types) = (vocabulary(), types());
    let scope = Scope::new(&vocabulary, vec!["clPolish"], &types);
    let prose = Prose::read(text).0;
    let mut input: Input<'_> = winnow::stream::Stateful { input: winnow::stream::TokenSlice::new(&prose.tokens), state: &scope };
    pattern(words)(&mut input).ok().and_then(|gaps| build(&gaps, &scope))
}

/// `text` with each plain word in turn replaced, ties between names excepted: they belong to the gap.
fn mutants(words: &[String]) -> impl Iterator<Item = String> {
    let plain = |word: &String| {
        word.chars().all(|c| c.is_ascii_alphabetic()) && !["something", "glass", "and", "or"].contains(&word.as_str())
    };
    (0..words.len()).filter(move |index| plain(&words[*index])).map(|index| {
        let mut words = words.to_vec();
        "zebra".clone_into(&mut words[index]);
        words.join(" ")
    })
}

#[test]
fn every_form_of_values_and_properties_is_read_as_itself() {
    for form in properties::FORMS.iter().chain(values::FORMS) {
        let text = example(form.0).join(" ");
        let wanted = made(form, &text);
        assert!(wanted.is_some(), "`{}` makes nothing of `{text}`", form.0);
        assert_eq!(read(&text), wanted, "`{}`: `{text}`", form.0);
    }
}

#[test]
fn every_promise_is_read_as_itself() {
    for promise in PROMISES {
        let text = example(promise.0).join(" ");
        match read(&text) {
            Some(Formula::Atom(Atom::Broken(object))) => assert_eq!(object.kind, promise.1, "`{}`: `{text}`", promise.0),
            other => panic!("`{}`: `{text}` gives {other:?}", promise.0),
        }
    }
}

#[test]
fn no_form_is_read_with_a_word_changed() {
    let forms = properties::FORMS.iter().chain(values::FORMS).map(|form| form.0);
    for words in forms.chain(PROMISES.iter().map(|promise| promise.0)) {
        let example = example(words);
        let wanted = read(&example.join(" "));
        for mutant in mutants(&example) {
            let found = read(&mutant);
            assert!(found.is_none() || found != wanted, "`{words}`: `{mutant}` gives {found:?}");
        }
    }
}
