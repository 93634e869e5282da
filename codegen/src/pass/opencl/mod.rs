//! From what `cl.xml` says to the model of the OpenCL API.
//!
//! In: the registry's facts and the overlay. Out: the model, and what there is to say about it. The steps, each in its own file:
//! `availability` (since when, by which extension), `constants` (values), `membership` (which type a value belongs to), `enumerations`,
//! `types` with `layout`, `threads` and `external`, `commands`, `macros`, `consistency` (every name that is used exists), `omissions`.

mod availability;
mod commands;
mod consistency;
mod constants;
mod enumerations;
mod expression;
mod external;
mod layout;
mod lines;
mod macros;
mod membership;
mod omissions;
#[cfg(test)]
mod tests;
mod threads;
mod typedefs;
mod types;

pub use lines::lines;

use crate::{
    finding::{Finding, Findings, Strictness},
    import::opencl::registry::{ItemKind, Registry},
    model::{Api, CType, Extension, Feature, Lifetime, Model},
    overlay::Overlay,
};

/// The model of `release`, such as `3.1.1` with a commit.
pub fn model(registry: &Registry, overlay: &Overlay, release: &str) -> Result<(Model, Findings), Findings> {
    model_as(registry, overlay, release, Strictness::Strict)
}

/// The same; read leniently, a value of which nobody can tell the type, and a command that uses a type which nothing defines, are left out and
/// listed.
pub fn model_as(
    registry: &Registry,
    overlay: &Overlay,
    release: &str,
    strictness: Strictness,
) -> Result<(Model, Findings), Findings> {
    let mut findings = Findings::default();
    let typedefs = typedefs::Typedefs::new(registry);
    let requirements = availability::Requirements::new(registry);
    let known = constants::evaluate(registry, &typedefs, &mut findings);
    let evidence = membership::Evidence { registry, typedefs: &typedefs, requirements: &requirements, known: &known, overlay };
    let memberships = membership::decide(&evidence, strictness, &mut findings);
    let values = enumerations::Values {
        registry,
        typedefs: &typedefs,
        requirements: &requirements,
        known: &known,
        memberships: &memberships,
    };
    let mut model = Model::empty(Api::OpenCl);
    model.releases.push(release.to_owned());
    (model.enumerations, model.constants) = values.model(&mut findings);
    types::Types {
        registry,
        typedefs: &typedefs,
        requirements: &requirements,
        known: &known,
        enumerations: model.enumerations.iter().map(|enumeration| enumeration.name.clone()).collect(),
    }
    .add(&mut model, &mut findings);
    let has_statuses = model.enumerations.iter().any(|enumeration| enumeration.name == membership::STATUS);
    let status = CType::named(if has_statuses { membership::STATUS } else { "cl_int" });
    model.commands = commands::commands(registry, &requirements, &status, &mut findings);
    model.macro_functions = macros::functions(registry, &requirements, &known, &mut findings);
    model.features = registry.features.iter().map(feature).collect();
    model.extensions = registry.extensions.iter().map(extension).collect();
    omissions::feature_guards(&mut model);
    omissions::decided(&mut model, overlay);
    orphans(registry, &requirements, &mut findings);
    sort(&mut model);
    if strictness == Strictness::Lenient {
        consistency::leave_out(&mut model, registry, &mut findings);
    }
    consistency::check(&model, registry, &mut findings);
    findings.with(model)
}

fn feature(facts: &crate::import::opencl::registry::Feature) -> Feature {
    Feature { name: facts.name.clone(), version: facts.version }
}

fn extension(facts: &crate::import::opencl::registry::Extension) -> Extension {
    Extension {
        name: facts.name.clone(),
        revision: facts.revision.clone().unwrap_or_default(),
        depends: facts.depends.as_ref().map(|depends| depends.text.clone()),
        condition: facts.condition.clone(),
        experimental: facts.experimental,
        ratified: facts.ratified,
        promoted_to: facts.promoted_to.clone(),
        obsoleted_by: facts.obsoleted_by.clone(),
        lifetime: Lifetime::default(),
    }
}

/// Values that are defined and that no core version or extension requires are emitted, and listed.
fn orphans(registry: &Registry, requirements: &availability::Requirements, findings: &mut Findings) {
    for entry in registry.blocks.iter().flat_map(|block| &block.entries) {
        if requirements.get(ItemKind::Enum, &entry.name).is_none() {
            let what = format!("`{}` is defined, and no core version or extension requires it", entry.name);
            findings.push(Finding::note(what).at(registry.place(&entry.span)));
        }
    }
}

fn sort(model: &mut Model) {
    model.aliases.sort_by(|a, b| a.name.cmp(&b.name));
    model.handles.sort_by(|a, b| a.name.cmp(&b.name));
    model.records.sort_by(|a, b| a.name.cmp(&b.name));
    model.features.sort_by(|a, b| a.name.cmp(&b.name));
    model.extensions.sort_by(|a, b| a.name.cmp(&b.name));
    model.omitted.sort_by(|a, b| a.name.cmp(&b.name));
}
