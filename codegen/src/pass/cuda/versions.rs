//! Which public name and version each symbol has for `cuGetProcAddress`.
//!
//! In: functions with the names that the header writes and exports, and versioned typedefs with their signatures. Out: name and version of each
//! symbol. Typedefs name no symbols, so they are matched by name, then by signature, then by order:
//!
//! 1. The name that the header writes (`cuCtxCreate`), then the symbol, then the symbol without its ABI version (`cuStreamGetCtx` for
//!    `cuStreamGetCtx_v2`): the first of them that has a typedef of the same signature. Aliases do not count as differences.
//! 2. If several have, so that only their order tells: symbols of that name and signature, by ABI version, against the versions. As many of the one
//!    as of the other are pairs. If there are fewer symbols, because headers declare no old ones, they are the newest, provided that the last
//!    of them is what the header's own name means.
//! 3. Else it is unclear, and the overlay decides.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::{Finding, Findings},
    import::cuda::{
        Facts,
        facts::{FunctionFact, VersionFact},
    },
    model::{Api, CType, Model, Omitted, Signature},
    overlay::{Overlay, Question},
};

/// What is known of one symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The name for `cuGetProcAddress`.
    pub name: String,
    /// The version for it.
    pub version: Option<u32>,
    /// The version of the variant for the per-thread default stream.
    pub per_thread: Option<u32>,
}

/// What is known of each symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    known: BTreeMap<String, Known>,
    /// The names of which some version is that of a symbol.
    used: BTreeSet<String>,
}

impl Versions {
    /// What is known of `symbol`.
    pub(super) fn of(&self, symbol: &str) -> Option<&Known> {
        self.known.get(symbol)
    }
}

/// Resolves every function.
pub(super) fn resolve(facts: &Facts, overlay: &Overlay, findings: &mut Findings) -> Versions {
    let aliases = Aliases::read(facts);
    let mut typedefs: BTreeMap<&str, Vec<(&VersionFact, Signature)>> = BTreeMap::new();
    for version in &facts.versions {
        typedefs.entry(&version.name).or_default().push((version, aliases.signature(&version.signature)));
    }
    let mut versions = Versions::default();
    let signed: Vec<_> = facts.functions.iter().map(|function| (function, aliases.signature(&function.signature))).collect();
    for (function, signature) in &signed {
        let siblings = |name: &str| -> Vec<&FunctionFact> {
            let same = signed.iter().filter(|(other, of)| of == signature && names(other).contains(&name));
            let mut siblings: Vec<_> = same.map(|(other, _)| *other).collect();
            siblings.sort_by_key(|other| abi(&other.symbol).map_or(1, |(_, number)| number));
            siblings
        };
        let known = one(function, signature, &typedefs, &siblings).or_else(|| decided(function, overlay)).unwrap_or_else(|| {
            findings.push(
                Finding::error(format!("no typedef tells for certain which version `{}` has", function.symbol))
                    .at(function.place.clone())
                    .found(listed(function, &typedefs))
                    .wanted("one typedef of its name and signature")
                    .help("find out from the driver, and settle `command-version` in the overlay as `name@version`"),
            );
            Known { name: function.spelled.clone(), version: None, per_thread: None }
        });
        versions.used.insert(known.name.clone());
        versions.known.insert(function.symbol.clone(), known);
    }
    versions
}

/// `cuX@12000`, or `cuX` alone where nobody knows a version.
fn decided(function: &FunctionFact, overlay: &Overlay) -> Option<Known> {
    let text = overlay.decide_text(Api::Cuda, Question::CommandVersion, &function.symbol)?;
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version.parse().ok()?)),
        None => (text, None),
    };
    Some(Known { name: name.to_owned(), version, per_thread: None })
}

/// Name and version of one function, where both are certain.
fn one<'a>(
    function: &FunctionFact,
    signature: &Signature,
    typedefs: &BTreeMap<&str, Vec<(&VersionFact, Signature)>>,
    siblings: &impl Fn(&str) -> Vec<&'a FunctionFact>,
) -> Option<Known> {
    names(function).into_iter().find_map(|name| {
        let candidates = typedefs.get(name)?;
        let matching = |per_thread: bool| -> Vec<u32> {
            let same = candidates.iter().filter(|(fact, other)| fact.per_thread == per_thread && other == signature);
            let mut versions: Vec<u32> = same.map(|(fact, _)| fact.version).collect();
            versions.sort_unstable();
            versions
        };
        let version = by_order(function, name, &siblings(name), &matching(false))?;
        let per_thread = by_order(function, name, &siblings(name), &matching(true));
        Some(Known { name: name.to_owned(), version: Some(version), per_thread })
    })
}

/// The names under which typedefs may speak of a function, best first.
fn names(function: &FunctionFact) -> Vec<&str> {
    let mut names = vec![function.spelled.as_str(), function.symbol.as_str()];
    names.extend(abi(&function.symbol).map(|(short, _)| short));
    names.dedup();
    names
}

/// A symbol without its ABI version, and that: `cuCtxCreate` and 4 of `cuCtxCreate_v4`.
fn abi(symbol: &str) -> Option<(&str, usize)> {
    let (short, version) = symbol.rsplit_once("_v")?;
    Some((short, version.parse().ok()?))
}

/// The one of `versions` that a function has. They are sorted and all of the right signature; so are `siblings`, the function among them.
fn by_order(function: &FunctionFact, name: &str, siblings: &[&FunctionFact], versions: &[u32]) -> Option<u32> {
    if let [only] = versions {
        return (siblings.len() == 1).then_some(*only);
    }
    let older = versions.len().checked_sub(siblings.len())?;
    let last_is_current = siblings.last().is_some_and(|last| last.spelled == name && last.symbol != name);
    if older > 0 && !last_is_current {
        return None;
    }
    let number = siblings.iter().position(|other| other.symbol == function.symbol)?;
    versions.get(older + number).copied()
}

fn listed(function: &FunctionFact, typedefs: &BTreeMap<&str, Vec<(&VersionFact, Signature)>>) -> String {
    let all = names(function).into_iter().filter_map(|name| Some((name, typedefs.get(name)?)));
    let all: Vec<_> = all.flat_map(|(name, found)| found.iter().map(move |(fact, _)| format!("{name} {}", fact.version))).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// Lists the versioned typedefs of functions that the headers do not declare.
pub(super) fn omit_unused(model: &mut Model, facts: &Facts, versions: &Versions) {
    let unused: BTreeSet<_> =
        facts.versions.iter().filter(|fact| !versions.used.contains(&fact.name)).map(|fact| &fact.name).collect();
    model.omitted.extend(unused.into_iter().map(|name| Omitted {
        name: name.clone(),
        kind: "command".to_owned(),
        reason: "no header of the package declares it; only its versioned typedef is there".to_owned(),
    }));
}

/// What aliases stand for.
struct Aliases<'a>(BTreeMap<&'a str, &'a CType>);

impl<'a> Aliases<'a> {
    fn read(facts: &'a Facts) -> Self {
        let plain = facts.typedefs.iter().filter(|fact| !fact.opaque);
        Self(plain.map(|fact| (fact.name.as_str(), &fact.ctype)).collect())
    }

    /// `signature` without aliases and without names of parameters.
    fn signature(&self, signature: &Signature) -> Signature {
        let mut bare = signature.clone();
        for parameter in &mut bare.parameters {
            parameter.name.clear();
            parameter.ctype = self.ctype(&parameter.ctype, 0);
        }
        bare.returns = self.ctype(&bare.returns, 0);
        bare
    }

    fn ctype(&self, ctype: &CType, depth: usize) -> CType {
        // Aliases of C cannot be circular; the bound is for facts made by hand.
        if depth > 32 {
            return ctype.clone();
        }
        match ctype {
            CType::Void => CType::Void,
            CType::Named(name) => self.0.get(name.as_str()).map_or_else(|| ctype.clone(), |of| self.ctype(of, depth + 1)),
            CType::Pointer { to, constant } => CType::Pointer { to: Box::new(self.ctype(to, depth + 1)), constant: *constant },
            CType::Array { of, length } => CType::Array { of: Box::new(self.ctype(of, depth + 1)), length: *length },
            CType::Function(signature) => CType::Function(Box::new(self.signature(signature))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, resolve};
    use crate::{
        finding::Document,
        import::cuda::facts::{FunctionFact, TypedefFact, VersionFact},
        model::{CType, PerTarget, Signature},
        overlay::Overlay,
        pass::cuda::testing::{facts, place},
    };

    fn signature(text: &str) -> Signature {
        let CType::Function(signature) = text.parse().unwrap() else { panic!("{text} is no function") };
        *signature
    }

    fn function(symbol: &str, spelled: &str, of: &str) -> FunctionFact {
        let (symbol, spelled) = (symbol.to_owned(), spelled.to_owned());
        let signature = signature(of);
        FunctionFact {
            symbol,
            spelled,
            per_thread: None,
            signature,
            deprecated: false,
            group: None,
            windows: false,
            place: place(),
        }
    }

    fn version(name: &str, version: u32, per_thread: bool, of: &str) -> VersionFact {
        VersionFact { name: name.to_owned(), version, per_thread, signature: signature(of), place: place() }
    }

    fn known(function: FunctionFact, versions: Vec<VersionFact>, overlay: &Overlay) -> (Known, String) {
        known_beside(function, Vec::new(), versions, overlay)
    }

    fn known_beside(
        function: FunctionFact,
        others: Vec<FunctionFact>,
        versions: Vec<VersionFact>,
        overlay: &Overlay,
    ) -> (Known, String) {
        let mut facts = facts();
        let symbol = function.symbol.clone();
        facts.functions = others;
        facts.functions.push(function);
        facts.versions = versions;
        let ctype = CType::named("c_int");
        let (name, size) = ("CUdevice_v1".to_owned(), PerTarget::same(4));
        facts.typedefs.push(TypedefFact { name, ctype, opaque: false, size, plain_call: false, windows: false, place: None });
        let mut findings = crate::finding::Findings::default();
        let versions = resolve(&facts, overlay, &mut findings);
        (versions.of(&symbol).unwrap().clone(), findings.to_string())
    }

    fn is(name: &str, version: Option<u32>, per_thread: Option<u32>) -> (Known, String) {
        (Known { name: name.to_owned(), version, per_thread }, String::new())
    }

    #[test]
    fn the_signature_tells_versions_of_one_name_apart() {
        let versions = vec![version("cuA", 2000, false, "fn()"), version("cuA", 13000, false, "fn(a: CUctx)")];
        let old = known(function("cuA", "cuA", "fn()"), versions.clone(), &Overlay::empty());
        assert_eq!(old, is("cuA", Some(2000), None));
        let new = known(function("cuA_v2", "cuA_v2", "fn(b: CUctx)"), versions, &Overlay::empty());
        assert_eq!(new, is("cuA", Some(13000), None));
    }

    #[test]
    fn an_alias_is_no_difference() {
        let versions = vec![version("cuA", 2000, false, "fn(a: CUdevice_v1)")];
        assert_eq!(known(function("cuA", "cuA", "fn(a: c_int)"), versions, &Overlay::empty()), is("cuA", Some(2000), None));
    }

    #[test]
    fn the_name_that_a_macro_renames_means_the_newest() {
        let versions = vec![version("cuA", 9020, false, "fn()"), version("cuA", 11040, false, "fn()")];
        assert_eq!(known(function("cuA_v3", "cuA", "fn()"), versions, &Overlay::empty()), is("cuA", Some(11040), None));
    }

    #[test]
    fn as_many_symbols_as_versions_are_pairs() {
        let versions = vec![version("cuA", 12030, false, "fn()"), version("cuA", 13040, false, "fn()")];
        let (old, new) = (function("cuA_v2", "cuA", "fn()"), function("cuA_v3", "cuA_v3", "fn()"));
        let first = known_beside(old.clone(), vec![new.clone()], versions.clone(), &Overlay::empty());
        assert_eq!(first, is("cuA", Some(12030), None));
        assert_eq!(known_beside(new, vec![old], versions, &Overlay::empty()), is("cuA", Some(13040), None));
    }

    #[test]
    fn the_per_thread_variant_has_a_version_of_its_own() {
        let versions = vec![version("cuA", 4000, false, "fn()"), version("cuA", 7000, true, "fn()")];
        assert_eq!(known(function("cuA", "cuA", "fn()"), versions, &Overlay::empty()), is("cuA", Some(4000), Some(7000)));
    }

    #[test]
    fn what_stays_unclear_is_an_error_until_the_overlay_decides() {
        let versions = vec![version("cuA", 2000, false, "fn()"), version("cuA", 3000, false, "fn()")];
        let (unclear, said) = known(function("cuA", "cuA", "fn()"), versions.clone(), &Overlay::empty());
        assert_eq!(unclear.version, None);
        assert!(said.contains("found cuA 2000, cuA 3000"), "{said}");
        let text = "[[entry]]\napi = \"cuda\"\nsettles = \"command-version\"\nsubject = \"cuA\"\nvalue = \"cuA@2000\"\nreason = \"r\"\nevidence = \"e\"\n";
        let overlay = Overlay::read(Document::new("overlay.toml", text)).unwrap();
        assert_eq!(known(function("cuA", "cuA", "fn()"), versions, &overlay), is("cuA", Some(2000), None));
    }
}
