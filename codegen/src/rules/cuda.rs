//! CUDA's doc comments, read into rules, rows of handle types and error lists.
//!
//! In: the comments of one release, its model, the overlay and the list of reviewed sentences. Out: [`CudaRules`]. In the areas that are
//! about handles every sentence is read, by the grammar or by a person; elsewhere what the grammar understands is taken, and the rest is
//! counted.

mod agree;
mod area;
mod build;
mod code;
mod errors;
mod handle_types;
mod identity;
mod interpret;
mod references;

use std::collections::BTreeMap;

use self::interpret::{Context, Outcome};
use super::{
    names::Names,
    reviewed::Reviewed,
    sentence::{self, Prose},
};
use crate::{
    finding::{Findings, Place, Strictness},
    import::cuda::Comment,
    model::{ErrorList, HandleType, Lifetime, Model, Rule, Source},
    overlay::Overlay,
};

/// Everything that the comments of one release say.
#[derive(Clone, Debug, Default)]
pub struct CudaRules {
    /// The rules, sorted by id.
    pub rules: Vec<Rule>,
    /// The handle types, sorted by kind and value.
    pub handle_types: Vec<HandleType>,
    /// The documented errors of each command, sorted by symbol.
    pub error_lists: Vec<ErrorList>,
    /// By command, record or enumeration: what became of its sentences that demand something.
    pub coverage: BTreeMap<String, Coverage>,
    /// The sentences with such a demand that were not understood, each with its place in the header.
    pub unread: Vec<(Source, Place)>,
    /// How many sentences stand in the areas where every one counts.
    pub sentences_in_areas: usize,
}

/// How many of the sentences with "must", "must not", "exactly one" or "cannot" became what. The figures are never added up: they do not
/// measure the same thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Became a rule that a program can check.
    pub checkable: usize,
    /// Became a rule that the caller vouches for.
    pub attested: usize,
    /// Were read by a person, or by the grammar, and demand nothing of a caller.
    pub explained: usize,
    /// Were not understood.
    pub unread: usize,
}

impl Coverage {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Checkable => self.checkable += 1,
            Outcome::Attested => self.attested += 1,
            Outcome::Explained => self.explained += 1,
            Outcome::Unread => self.unread += 1,
        }
    }
}

/// A comment, taken apart.
struct Text<'a> {
    comment: &'a Comment,
    prose: Prose,
}

/// Reads the comments of the release that `model` is of. The lists go into the model by [`CudaRules::apply`].
pub fn rules(
    comments: &[Comment],
    model: &Model,
    overlay: &Overlay,
    reviewed: &Reviewed,
    strictness: Strictness,
) -> Result<(CudaRules, Findings), Findings> {
    let names = Names::new(model);
    let release = model.releases.last().map(String::as_str).unwrap_or_default();
    let context = Context { names: &names, overlay, reviewed, release };
    let lifetime = Lifetime { since: major_minor(release), ..Lifetime::default() };
    let mut findings = Findings::default();
    let texts: Vec<Text<'_>> = comments.iter().map(|comment| Text { comment, prose: sentence::read(&comment.text) }).collect();
    let mut interpreted = interpret::interpret(&texts, &context, &mut findings);
    code::compare(&texts, &context, &mut findings);
    references::check(&texts, &context, &mut findings);
    let descriptors = agree::agree(&mut interpreted, &context, &mut findings);
    let rules = build::rules(&interpreted.statements, &descriptors, &context, &lifetime);
    let handle_types = handle_types::rows(&interpreted, &descriptors, &rules, &context, &lifetime, &mut findings);
    let error_lists = errors::lists(&texts, model, &names, &rules, &lifetime, release, &mut findings);
    if strictness == Strictness::Lenient {
        findings.soften();
    }
    findings.with(CudaRules {
        rules,
        handle_types,
        error_lists,
        coverage: interpreted.coverage,
        unread: interpreted.unread,
        sentences_in_areas: interpreted.in_areas,
    })
}

impl CudaRules {
    /// Puts rules, handle types and error lists into `model`.
    pub fn apply(self, model: &mut Model) {
        model.rules = self.rules;
        model.handle_types = self.handle_types;
        model.error_lists = self.error_lists;
    }
}

/// `13.5` of `13.5.37`.
fn major_minor(release: &str) -> Option<crate::model::Version> {
    let mut parts = release.split('.');
    format!("{}.{}", parts.next()?, parts.next()?).parse().ok()
}

#[cfg(test)]
mod tests;
