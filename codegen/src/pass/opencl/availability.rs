//! Since when each item exists, what brings it, and what upstream says about the groups in which it is required.
//!
//! In: core versions and extensions. Out: a [`Requirements`] that answers by kind and name. Conditions such as `!defined(CL_VERSION_2_1)`
//! say which C header declares an item, not whether it exists, so they lose nothing here.

use std::collections::BTreeMap;

use super::external;
use crate::{
    import::opencl::registry::{Extension, ItemKind, Registry, Require},
    model::{Lifetime, Version},
};

/// What is known about one item.
#[derive(Clone, Debug, Default)]
pub(super) struct Requirement {
    pub(super) lifetime: Lifetime,
    /// What upstream says about the groups that it stands in.
    pub(super) comments: Vec<String>,
    /// Nothing but extensions of Windows brings it.
    pub(super) windows: bool,
    /// Where it is brought on every system.
    elsewhere: bool,
}

/// All items that something requires.
pub(super) struct Requirements(BTreeMap<(ItemKind, String), Requirement>);

impl Requirements {
    pub(super) fn new(registry: &Registry) -> Self {
        let mut all = Self(BTreeMap::new());
        for feature in &registry.features {
            for require in &feature.requires {
                all.add(require, |requirement| {
                    requirement.lifetime.since.get_or_insert(feature.version);
                    requirement.elsewhere = true;
                });
            }
        }
        for extension in &registry.extensions {
            let windows = is_of_windows(extension);
            for require in &extension.requires {
                let windows = windows || require.condition.as_deref() == Some("defined(_WIN32)");
                all.add(require, |requirement| {
                    if !requirement.lifetime.extensions.contains(&extension.name) {
                        requirement.lifetime.extensions.push(extension.name.clone());
                    }
                    requirement.elsewhere |= !windows;
                });
            }
        }
        for requirement in all.0.values_mut() {
            requirement.lifetime.extensions.sort();
            requirement.windows = !requirement.elsewhere;
        }
        all
    }

    fn add(&mut self, require: &Require, mut note: impl FnMut(&mut Requirement)) {
        for item in &require.items {
            let requirement = self.0.entry((item.kind, item.name.clone())).or_default();
            note(requirement);
            if let Some(comment) = &require.comment {
                requirement.comments.push(comment.clone());
                if let Some(version) = deprecated_in(comment) {
                    requirement.lifetime.deprecated = Some(version);
                }
            }
        }
    }

    /// What is known about `name`, if anything requires it.
    pub(super) fn get(&self, kind: ItemKind, name: &str) -> Option<&Requirement> {
        self.0.get(&(kind, name.to_owned()))
    }

    /// Since and until when `name` exists; empty where nothing requires it.
    pub(super) fn lifetime(&self, kind: ItemKind, name: &str) -> Lifetime {
        self.get(kind, name).map(|requirement| requirement.lifetime.clone()).unwrap_or_default()
    }

    pub(super) fn is_windows(&self, kind: ItemKind, name: &str) -> bool {
        self.get(kind, name).is_some_and(|requirement| requirement.windows)
    }
}

/// An extension that needs a header of Windows.
fn is_of_windows(extension: &Extension) -> bool {
    let mut items = extension.requires.iter().flat_map(|require| &require.items);
    items.any(|item| item.kind == ItemKind::Type && external::is_windows_header(&item.name))
}

/// `… deprecated in OpenCL 1.2`.
fn deprecated_in(comment: &str) -> Option<Version> {
    let (_, after) = comment.split_once("deprecated in OpenCL ")?;
    after.split_whitespace().next()?.trim_end_matches(['.', ':', ',']).parse().ok()
}

/// What `CL_API_SUFFIX__VERSION_1_1_DEPRECATED` says: 1.1 is the last version that has it in good standing, so that the next one
/// deprecates it.
pub(super) fn deprecated_by(suffix: &str, registry: &Registry) -> Option<Version> {
    let numbers = suffix.strip_suffix("_DEPRECATED")?.rsplit_once("VERSION_")?.1;
    let last: Version = numbers.replace('_', ".").parse().ok()?;
    registry.features.iter().map(|feature| feature.version).find(|version| *version > last)
}
