//! The model of CUDA's driver API.
//!
//! In: [`Facts`] of one release and the overlay. Out: the [`Model`] of that release. Each step answers one question: what is a handle, what is an
//! alias, which values are combined, which version a command has.

mod commands;
mod constants;
mod enumerations;
pub mod lines;
mod records;
mod references;
mod types;
mod versions;

use std::collections::BTreeSet;

use crate::{
    finding::Findings,
    import::cuda::Facts,
    model::{Api, Lifetime, Model},
    overlay::Overlay,
};

/// The model of one release. `release` is its full name, `13.5.37`.
pub fn model(facts: &Facts, overlay: &Overlay, release: &str) -> Result<(Model, Findings), Findings> {
    let mut findings = Findings::default();
    let mut model = Model::empty(Api::Cuda);
    model.releases.push(release.to_owned());
    enumerations::add(&mut model, facts, overlay, &mut findings);
    records::add(&mut model, facts);
    types::add(&mut model, facts, overlay, &mut findings);
    let versions = versions::resolve(facts, overlay, &mut findings);
    commands::add(&mut model, facts, &versions);
    constants::add(&mut model, facts);
    versions::omit_unused(&mut model, facts, &versions);
    types::add_foreign(&mut model, facts, &mut findings);
    crate::pass::order::order(&mut model);
    findings.0.extend(references::unresolved(facts).0);
    findings.with(model)
}

/// The lifetime of what `facts` declare: the release that was read, deprecated or not.
fn lifetime(facts: &Facts, deprecated: bool) -> Lifetime {
    let since = Some(facts.version());
    Lifetime { since, deprecated: since.filter(|_| deprecated), ..Lifetime::default() }
}

/// What upstream's comments call deprecated: items, and members as (item, member).
fn deprecated(facts: &Facts) -> BTreeSet<(&str, Option<&str>)> {
    let marked = facts.comments.iter().filter(|comment| comment.is_deprecated());
    marked.map(|comment| (comment.item.as_str(), comment.member.as_deref())).collect()
}

#[cfg(test)]
mod testing;
