//! Names in upstream's prose that nothing has.
//!
//! In: comments and the model. Out: a warning for each name that is marked as one (`::NAME`) and that neither the model nor the runtime API
//! has, so that no link to nowhere is rendered. A name that the overlay settles is no finding.

use std::collections::BTreeSet;

use crate::{
    finding::{Finding, Findings},
    model::Api,
    overlay::Question,
    rules::cuda::{Text, interpret::Context},
};

/// Lists the names that lead nowhere, once for each comment.
pub(super) fn check(texts: &[Text<'_>], context: &Context<'_>, findings: &mut Findings) {
    for Text { comment, prose } in texts.iter().filter(|text| text.comment.doxygen) {
        let mut seen = BTreeSet::new();
        for sentence in &prose.sentences {
            for token in sentence.tokens.iter().filter(|token| token.linked) {
                let name = token.text.as_str();
                // Prose of the driver API links to the runtime API, to functions of C, and to neighbouring members by their bare names.
                let elsewhere = !name.starts_with(['c', 'C'])
                    || name.starts_with("cuda")
                    || !name.get(1..).is_some_and(|rest| rest.starts_with(['u', 'U']));
                // What is left of a word after a missing space is no name.
                let torn = name
                    .contains(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':' | '.' | '>' | '-' | '[' | ']'))
                    || name.contains("-:");
                if torn || elsewhere || context.names.knows(name) || !seen.insert(name.to_owned()) {
                    continue;
                }
                if context
                    .overlay
                    .decide_text(Api::Cuda, Question::DocReference, name)
                    .is_some_and(|right| context.names.knows(right))
                {
                    continue;
                }
                findings.push(
                    Finding::warning(format!("the comment of `{}` refers to something that does not exist", comment.subject))
                        .at(comment.place_of_line(token.line))
                        .found(format!("`{name}`"))
                        .help("an overlay entry `doc-reference` can say what it means"),
                );
            }
        }
    }
}
