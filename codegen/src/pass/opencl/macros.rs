//! Turns macros with parameters into functions.
//!
//! In: `(((version) >> BITS) & MASK)`. Out: the same as a Rust expression. The operators that macros of the registry use mean the same in both
//! languages and bind in the same order, so the text stays; what is checked is that it has nothing else in it.

use std::collections::BTreeMap;

use super::{availability::Requirements, constants::Known};
use crate::{
    finding::{Finding, Findings},
    import::opencl::registry::{ItemKind, Registry, TypeKind},
    model::MacroFunction,
};

/// All of them compute on versions, which `cl_version` carries in 32 bits without a sign.
const REPR: &str = "u32";

/// Every macro with parameters, sorted by name.
pub(super) fn functions(
    registry: &Registry,
    requirements: &Requirements,
    known: &BTreeMap<String, Known>,
    findings: &mut Findings,
) -> Vec<MacroFunction> {
    let mut functions = Vec::new();
    for definition in &registry.types {
        let TypeKind::MacroFunction { parameters, body } = &definition.kind else { continue };
        match translated(body, parameters, known) {
            Ok(body) => functions.push(MacroFunction {
                name: definition.name.clone(),
                parameters: parameters.clone(),
                repr: REPR.to_owned(),
                body,
                lifetime: requirements.lifetime(ItemKind::Type, &definition.name),
            }),
            Err(error) => findings.push(
                Finding::error(format!("the macro `{}` cannot become a function: {error}", definition.name))
                    .at(registry.place(&definition.span))
                    .wanted("its parameters, constants, numbers, parentheses and the operators `& | ^ << >> + - *`"),
            ),
        }
    }
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    functions
}

fn translated(body: &str, parameters: &[String], known: &BTreeMap<String, Known>) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for word in body.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()) {
        let number = word.chars().all(|c| c.is_ascii_digit());
        if !number && !known.contains_key(word) && !parameters.iter().any(|parameter| parameter == word) {
            return Err(format!("found `{word}`"));
        }
    }
    if let Some(sign) = body.chars().find(|c| !is_word(*c) && !c.is_whitespace() && !"()&|^<>+-*".contains(*c)) {
        return Err(format!("found `{sign}`"));
    }
    let text = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let rust = unwrapped(&text, parameters);
    Ok(rust.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|inner| balanced(inner)).unwrap_or(&rust).to_owned())
}

/// `(version)` as `version`: a macro guards its parameters, a function need not.
fn unwrapped(text: &str, parameters: &[String]) -> String {
    parameters.iter().fold(text.to_owned(), |text, parameter| text.replace(&format!("({parameter})"), parameter))
}

fn balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    }) && depth == 0
}
