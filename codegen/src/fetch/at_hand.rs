//! What of the inputs is on this disk already: named by the environment, or in the cache. Nothing is downloaded.
//!
//! In: the pins, the cache and the environment. Out: paths, where there are any. Tests and benchmarks ask here, so that they run with
//! whatever there is, and say by name what is missing.

use std::path::PathBuf;

use super::{Cache, Overrides, Sources};

/// Inputs that need no network.
#[derive(Clone, Debug, Default)]
pub struct AtHand {
    /// A directory with `cuda.h` in it: `CLCU_CUDA_INCLUDE`, or the default release out of the cache.
    pub cuda_include: Option<PathBuf>,
    /// libclang: `CLCU_LIBCLANG`, or the pinned one for this host out of the cache.
    pub libclang: Option<PathBuf>,
}

impl AtHand {
    /// Looks for what `overrides` does not name in `cache`.
    #[must_use]
    pub fn look(sources: &Sources, cache: &Cache, overrides: Overrides) -> Self {
        let headers = || {
            let release = sources.default_cuda()?;
            cache.find(&release.entry(), release.wheel().sha256)
        };
        let libclang = || {
            let host = sources.this_host()?;
            let directory = cache.find(&host.entry(&sources.libclang), host.wheel(&sources.libclang).sha256)?;
            Some(directory.join(&host.library))
        };
        Self { cuda_include: overrides.cuda_include.or_else(headers), libclang: overrides.libclang.or_else(libclang) }
    }

    /// What this repository's own tests can read: by its pins, its cache (or `CLCU_CACHE`) and the environment.
    #[must_use]
    pub fn in_this_repository() -> Self {
        let variable = |name: &str| std::env::var_os(name);
        let sources = crate::finding::Document::new("spec/sources.toml", clcu_spec::SOURCES);
        let Ok(sources) = Sources::read(&sources) else { return Self::default() };
        let root = variable("CLCU_CACHE").filter(|root| !root.is_empty()).map(PathBuf::from);
        let cache = Cache::at(root.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../cache").into()));
        Self::look(&sources, &cache, Overrides::default().or_environment(variable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_environment_names_goes_before_the_cache() {
        let named = Overrides { libclang: Some("named.so".into()), ..Overrides::default() };
        let sources =
            Sources::read(&crate::finding::Document::new("sources.toml", clcu_spec::SOURCES)).expect("the pins can be read");
        let at_hand = AtHand::look(&sources, &Cache::at("no such directory"), named);
        assert_eq!(at_hand.libclang, Some("named.so".into()));
        assert_eq!(at_hand.cuda_include, None, "an empty cache has nothing, and nothing is downloaded");
    }
}
