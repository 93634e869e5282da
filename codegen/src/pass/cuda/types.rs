//! Typedefs: handles, callbacks, aliases.
//!
//! In: the facts of typedefs. Out:
//!
//! - a pointer to a struct that no header shows is a handle;
//! - an integer that the driver's headers give a name (`CUdevice`, `CUtexObject`) is a handle too, for mixing two of them up is always a mistake;
//!   its short name is the handle's, the versioned one (`CUdevice_v1`) an alias. One as wide as a pointer is an address;
//! - a function is a callback;
//! - anything else is an alias, as are names of other APIs (`GLuint`), of which only those that something needs are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{deprecated, enumerations::repr, lifetime};
use crate::{
    finding::{Finding, Findings},
    import::cuda::{Facts, facts::TypedefFact},
    model::{Alias, Api, CType, Callback, Handle, HandleRepr, Model, Parameter, PerTarget, Target, ThreadSafety},
    overlay::{Overlay, Question},
};

/// The headers' own names for integers of a fixed width: plain numbers.
const NUMBERS: [&str; 2] = ["cuuint32_t", "cuuint64_t"];

/// Adds what the driver's headers declare.
pub(super) fn add(model: &mut Model, facts: &Facts, overlay: &Overlay, findings: &mut Findings) {
    let deprecated = deprecated(facts);
    let short = short_names(facts);
    for fact in facts.typedefs.iter().filter(|fact| fact.place.is_some()) {
        let lifetime = lifetime(facts, deprecated.contains(&(&fact.name, None)));
        let name = fact.name.clone();
        let windows = fact.windows;
        if fact.opaque {
            let threads = threads(fact, overlay, findings);
            model.handles.push(Handle { name, repr: HandleRepr::Pointer, threads, lifetime, windows });
        } else if let Some(integer) = integer(fact, facts) {
            let handle = short.get(name.as_str()).map_or(name.clone(), |short| (*short).to_owned());
            if handle != name {
                let ctype = CType::named(&handle);
                model.aliases.push(Alias { name, ctype, lifetime: lifetime.clone(), windows });
            }
            let repr = if is_address(fact.size) { HandleRepr::Address } else { HandleRepr::Integer(integer.to_owned()) };
            // A number is used by nobody but the driver, which takes calls from any thread.
            model.handles.push(Handle { name: handle, repr, threads: ThreadSafety::Any, lifetime, windows });
        } else if short.values().any(|short| *short == name) {
            // The short name of an integer, which is a handle already.
        } else if matches!(fact.ctype, CType::Function(_)) {
            add_callback(model, fact, lifetime, findings);
        } else {
            model.aliases.push(Alias { name, ctype: fact.ctype.clone(), lifetime, windows });
        }
    }
}

/// The integer that a typedef of the driver's headers carries, if it stands for a thing and not for a number.
fn integer(fact: &TypedefFact, facts: &Facts) -> Option<&'static str> {
    if NUMBERS.contains(&fact.name.as_str()) {
        return None;
    }
    if let CType::Named(name) = &fact.ctype
        && NUMBERS.contains(&name.as_str())
    {
        return facts.typedefs.iter().find(|number| number.name == *name).and_then(|number| repr(&number.ctype));
    }
    repr(&fact.ctype)
}

/// The short names of integers that have a versioned one.
fn short_names(facts: &Facts) -> BTreeMap<&str, &str> {
    let versioned = |fact: &&TypedefFact| fact.place.is_some() && !fact.opaque && integer(fact, facts).is_some();
    let integers: BTreeSet<&str> = facts.typedefs.iter().filter(versioned).map(|fact| fact.name.as_str()).collect();
    let shorter = facts.typedefs.iter().filter_map(|fact| match &fact.ctype {
        CType::Named(of) if of.rsplit_once("_v").is_some_and(|(short, _)| short == fact.name) => {
            Some((of.as_str(), fact.name.as_str()))
        }
        _ => None,
    });
    shorter.filter(|(of, _)| integers.contains(of)).collect()
}

/// As wide as a pointer on every target.
fn is_address(size: PerTarget) -> bool {
    Target::ALL.iter().all(|target| size.get(*target) == if *target == Target::Wide { 8 } else { 4 })
}

fn threads(fact: &TypedefFact, overlay: &Overlay, findings: &mut Findings) -> ThreadSafety {
    match overlay.decide_text(Api::Cuda, Question::HandleThreads, &fact.name) {
        Some("any") => ThreadSafety::Any,
        Some("send") => ThreadSafety::Send,
        Some("none") => ThreadSafety::None,
        other => {
            let mut finding = Finding::error(format!("nobody has decided what `{}` promises about threads", fact.name))
                .found(other.map_or("no decision".to_owned(), |other| format!("the decision `{other}`")))
                .wanted("`any`, `send` or `none`")
                .help("read upstream's text, and settle `handle-threads` in the overlay");
            finding.place.clone_from(&fact.place);
            findings.push(finding);
            ThreadSafety::None
        }
    }
}

fn add_callback(model: &mut Model, fact: &TypedefFact, lifetime: crate::model::Lifetime, findings: &mut Findings) {
    let CType::Function(signature) = &fact.ctype else { return };
    if fact.plain_call {
        let what = format!("`{}` has C's own calling convention on 32-bit Windows, where all others are `__stdcall`", fact.name);
        let mut finding =
            Finding::warning(what).help("no driver for 32-bit Windows takes it; elsewhere there is one convention only");
        finding.place.clone_from(&fact.place);
        findings.push(finding);
    }
    let parameters = signature.parameters.iter().enumerate().map(|(number, parameter)| Parameter {
        name: if parameter.name.is_empty() { format!("arg{number}") } else { parameter.name.clone() },
        ctype: parameter.ctype.clone(),
        lifetime: crate::model::Lifetime { since: lifetime.since, ..Default::default() },
    });
    let (name, returns) = (fact.name.clone(), signature.returns.clone());
    model.callbacks.push(Callback { name, returns, parameters: parameters.collect(), lifetime });
}

/// Adds the names of other APIs that the model needs, until nothing more is needed.
pub(super) fn add_foreign(model: &mut Model, facts: &Facts, findings: &mut Findings) {
    let foreign: BTreeMap<&str, &TypedefFact> =
        facts.typedefs.iter().filter(|fact| fact.place.is_none()).map(|fact| (fact.name.as_str(), fact)).collect();
    let mut added = BTreeSet::new();
    loop {
        let needed: Vec<&TypedefFact> = names(model)
            .iter()
            .filter_map(|name| foreign.get(name.as_str()).copied())
            .filter(|fact| added.insert(&fact.name))
            .collect();
        if needed.is_empty() {
            return;
        }
        for fact in needed {
            let (name, lifetime) = (fact.name.clone(), lifetime(facts, false));
            if matches!(fact.ctype, CType::Function(_)) {
                // The convention is the other API's own affair.
                add_callback(model, &TypedefFact { plain_call: false, ..fact.clone() }, lifetime, findings);
            } else {
                model.aliases.push(Alias { name, ctype: fact.ctype.clone(), lifetime, windows: fact.windows });
            }
        }
    }
}

/// Every name that a type of the model mentions.
fn names(model: &Model) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut visit = |ctype: &CType| ctype.names(&mut |name| _ = names.insert(name.to_owned()));
    model.constants.iter().for_each(|one| visit(&one.ctype));
    model.aliases.iter().for_each(|one| visit(&one.ctype));
    model.records.iter().flat_map(|one| &one.members).for_each(|one| visit(&one.ctype));
    for (returns, parameters) in model
        .callbacks
        .iter()
        .map(|one| (&one.returns, &one.parameters))
        .chain(model.commands.iter().map(|one| (&one.returns, &one.parameters)))
    {
        visit(returns);
        for parameter in parameters {
            visit(&parameter.ctype);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{add, add_foreign};
    use crate::{
        finding::{Document, Findings},
        import::cuda::{Facts, facts::TypedefFact},
        model::{Alias, Api, CType, HandleRepr, Model, PerTarget, ThreadSafety},
        overlay::Overlay,
        pass::cuda::testing::{facts, place},
    };

    fn typedef(name: &str, of: &str, size: PerTarget) -> TypedefFact {
        TypedefFact {
            name: name.to_owned(),
            ctype: of.parse().unwrap(),
            opaque: of.ends_with("_st"),
            size,
            plain_call: false,
            windows: false,
            place: Some(place()),
        }
    }

    fn model(facts: &Facts, overlay: &Overlay) -> (Model, Findings) {
        let (mut model, mut findings) = (Model::empty(Api::Cuda), Findings::default());
        add(&mut model, facts, overlay, &mut findings);
        add_foreign(&mut model, facts, &mut findings);
        (model, findings)
    }

    #[test]
    fn an_integer_of_the_driver_is_a_handle_under_its_short_name() {
        let mut facts = facts();
        let size = PerTarget::same(4);
        facts.typedefs = vec![typedef("CUdevice_v1", "c_int", size), typedef("CUdevice", "CUdevice_v1", size)];
        let (model, _) = model(&facts, &Overlay::empty());
        let [handle] = model.handles.as_slice() else { panic!("{:?}", model.handles) };
        assert_eq!((handle.name.as_str(), &handle.repr), ("CUdevice", &HandleRepr::Integer("i32".to_owned())));
        let aliases: Vec<_> = model.aliases.iter().map(|one| (one.name.as_str(), one.ctype.to_string())).collect();
        assert_eq!(aliases, [("CUdevice_v1", "CUdevice".to_owned())]);
    }

    #[test]
    fn an_integer_as_wide_as_a_pointer_is_an_address() {
        let mut facts = facts();
        let size = PerTarget { wide: 8, windows_i686: 4, linux_i686: 4 };
        facts.typedefs = vec![typedef("CUdeviceptr", "c_ulonglong", size)];
        assert_eq!(model(&facts, &Overlay::empty()).0.handles[0].repr, HandleRepr::Address);
    }

    #[test]
    fn a_number_with_a_width_in_its_name_is_a_number() {
        let mut facts = facts();
        facts.typedefs = vec![typedef("cuuint64_t", "u64", PerTarget::same(8)), typedef("CUa", "cuuint64_t", PerTarget::same(8))];
        let (model, _) = model(&facts, &Overlay::empty());
        assert_eq!(model.handles[0].repr, HandleRepr::Integer("u64".to_owned()));
        assert_eq!(model.aliases[0].name, "cuuint64_t");
    }

    #[test]
    fn threads_of_an_opaque_handle_are_decided_by_a_person() {
        let mut facts = facts();
        facts.typedefs = vec![typedef("CUa", "*mut CUa_st", PerTarget::same(8))];
        assert!(model(&facts, &Overlay::empty()).1.has_errors());
        let text = "[[entry]]\napi = \"cuda\"\nsettles = \"handle-threads\"\nsubject = \"CUa\"\nvalue = \"send\"\nreason = \"r\"\nevidence = \"e\"\n";
        let (model, findings) = model(&facts, &Overlay::read(Document::new("overlay.toml", text)).unwrap());
        assert!(!findings.has_errors());
        assert_eq!(model.handles[0].threads, ThreadSafety::Send);
    }

    #[test]
    fn names_of_other_apis_are_kept_only_where_needed() {
        let mut facts = facts();
        let foreign = |name: &str, of: &str| TypedefFact { place: None, ..typedef(name, of, PerTarget::same(4)) };
        facts.typedefs = vec![
            foreign("GLuint", "c_uint"),
            foreign("GLa", "GLuint"),
            foreign("GLb", "c_uint"),
            typedef("CUa", "*mut GLa", PerTarget::same(8)),
        ];
        let (model, _) = model(&facts, &Overlay::empty());
        let names: Vec<_> = model.aliases.iter().map(|Alias { name, .. }| name.as_str()).collect();
        assert_eq!(names, ["CUa", "GLa", "GLuint"]);
    }

    #[test]
    fn a_function_is_a_callback() {
        let mut facts = facts();
        facts.typedefs = vec![typedef("CUhostFn", "fn(*mut c_void)", PerTarget::same(8))];
        let (model, _) = model(&facts, &Overlay::empty());
        assert_eq!(model.callbacks[0].parameters[0].name, "arg0");
        assert_eq!(model.callbacks[0].returns, CType::Void);
    }
}
