//! The documented errors of every command.
//!
//! In: the comments of commands and the model. Out: one list a command, in upstream's order. A command whose comment has no list, or that
//! has no comment, has none, which is not the empty list. Codes that the model does not know are findings.

use std::collections::BTreeMap;

use crate::{
    finding::{Finding, Findings},
    import::cuda::{Comment, SubjectKind},
    model::{ErrorCode, ErrorList, Model, Rule, Source},
    rules::{names::Names, sentence},
};

/// The list of each command of `model`, sorted by symbol.
pub(super) fn lists(
    comments: &[Comment],
    model: &Model,
    names: &Names<'_>,
    rules: &[Rule],
    release: &str,
    findings: &mut Findings,
) -> Vec<ErrorList> {
    let of_commands: BTreeMap<&str, &Comment> = comments
        .iter()
        .filter(|comment| comment.kind == SubjectKind::Command && comment.doxygen)
        .map(|comment| (comment.subject.as_str(), comment))
        .collect();
    let mut lists: Vec<_> = model
        .commands
        .iter()
        .map(|command| match of_commands.get(command.symbol.as_str()) {
            Some(comment) => list(comment, names, rules, release, findings),
            None => ErrorList { symbol: command.symbol.clone(), codes: None, earlier_errors: false, source: None },
        })
        .collect();
    lists.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    lists
}

fn list(comment: &Comment, names: &Names<'_>, rules: &[Rule], release: &str, findings: &mut Findings) -> ErrorList {
    let prose = sentence::read(&comment.text);
    let mut codes: Vec<ErrorCode> = Vec::new();
    let returns = prose.returns.unwrap_or_default();
    for (name, line) in &returns.names {
        let code = name.rsplit("::").next().unwrap_or(name);
        match names.enumerator(code) {
            Some((enumeration, value)) if enumeration.name == "CUresult" => {
                if codes.iter().all(|known| known.code != code) {
                    let broken = rules.iter().filter(|rule| rule.subject == comment.subject && rule.error.as_deref() == Some(code));
                    codes.push(ErrorCode {
                        code: code.to_owned(),
                        rules: broken.map(|rule| rule.id.clone()).collect(),
                        lifetime: value.lifetime.clone(),
                    });
                }
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
    let words: Vec<_> = returns.names.iter().map(|(name, _)| name.as_str()).collect();
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
