//! The documented errors of every command.
//!
//! In: the comments of commands and the model. Out: one list a command, in upstream's order. A command whose comment has no list, or that
//! has no comment, has none, which is not the empty list. Codes that the model does not know are findings.

use std::collections::BTreeMap;

use crate::{
    finding::{Finding, Findings},
    import::cuda::SubjectKind,
    model::{ErrorCode, ErrorList, Lifetime, Model, Rule, Source},
    rules::{cuda::Text, names::Names, sentence},
};

/// The list of each command of `model`, sorted by symbol.
pub(super) fn lists(
    texts: &[Text<'_>],
    model: &Model,
    names: &Names<'_>,
    rules: &[Rule],
    lifetime: &Lifetime,
    release: &str,
    findings: &mut Findings,
) -> Vec<ErrorList> {
    let of_commands: BTreeMap<&str, &Text<'_>> = texts
        .iter()
        .filter(|text| text.comment.kind == SubjectKind::Command && text.comment.doxygen)
        .map(|text| (text.comment.subject.as_str(), text))
        .collect();
    let mut lists: Vec<_> = model
        .commands
        .iter()
        .map(|command| match of_commands.get(command.symbol.as_str()) {
            Some(text) => list(text, names, rules, lifetime, release, findings),
            None => ErrorList { symbol: command.symbol.clone(), codes: None, earlier_errors: false, source: None },
        })
        .collect();
    lists.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    lists
}

fn list(
    text: &Text<'_>,
    names: &Names<'_>,
    rules: &[Rule],
    lifetime: &Lifetime,
    release: &str,
    findings: &mut Findings,
) -> ErrorList {
    let Text { comment, prose } = text;
    let mut codes: Vec<ErrorCode> = Vec::new();
    let listed = prose.returns.as_ref().map(|returns| returns.names.as_slice()).unwrap_or_default();
    for (name, line) in listed {
        let code = name.rsplit("::").next().unwrap_or(name);
        match names.enumerator(code) {
            // Some lists name a code twice.
            Some(_) if codes.iter().any(|known| known.code == code) => {}
            Some((enumeration, _)) if enumeration.name == "CUresult" => {
                let broken = rules.iter().filter(|rule| rule.subject == comment.subject && rule.error.as_deref() == Some(code));
                codes.push(ErrorCode {
                    code: code.to_owned(),
                    rules: broken.map(|rule| rule.id.clone()).collect(),
                    lifetime: lifetime.clone(),
                });
            }
            _ if code.starts_with("CUDA_") => findings.push(
                Finding::warning(format!("`{}` documents an error code that does not exist", comment.subject))
                    .at(comment.place_of_line(*line))
                    .found(format!("`{code}`"))
                    .wanted("a value of `CUresult`"),
            ),
            // A list may name a command or a type in an aside.
            _ => {}
        }
    }
    let words: Vec<_> = listed.iter().map(|(name, _)| name.as_str()).collect();
    let documented = !codes.is_empty();
    ErrorList {
        symbol: comment.subject.clone(),
        codes: documented.then_some(codes),
        earlier_errors: prose.earlier_errors,
        source: documented.then(|| Source {
            document: comment.document.name().to_owned(),
            version: release.to_owned(),
            symbol: comment.subject.clone(),
            hash: sentence::hash(&words.join(" ")),
        }),
    }
}
