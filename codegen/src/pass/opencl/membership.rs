//! Decides which type each constant belongs to. Never by a guess.
//!
//! In: the registry, what each group of required constants is called, and what each expression says of itself. Out: for each constant the types
//! that it is a value of, or the type of a plain constant. Evidence, strongest first:
//!
//! 1. types named by the comments on the groups that require it (`cl_mem_flags and cl_svm_mem_flags - bitfield` names two), and `Error codes`;
//! 2. the type that its own expression casts to;
//! 3. the name of its block, where that is a type and the block is no allocation of numbers. An allocation (`cl_device_info` from 0x1000) holds
//!    values of many types, so its name says nothing.
//!
//! Where 1 and 2 disagree, or nothing is known, the overlay settles it, by the constant's name or its block's. What even that leaves open is an
//! error. `Constants*` blocks hold limits and sizes, which are plain constants with the type that C gives them.

use std::collections::BTreeMap;

use super::{availability::Requirements, constants::Known, typedefs::Typedefs};
use crate::{
    finding::{Finding, Findings, Strictness},
    import::opencl::registry::{
        Block, EnumEntry, ItemKind, Registry,
        spelling::{did_you_mean, nearest},
    },
    model::Api,
    overlay::{Overlay, Question},
};

/// The enumeration of status codes. Upstream has no name for it: commands return `cl_int`. The name is ours.
pub(super) const STATUS: &str = "cl_result";

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// A value of these enumerations, each of which lists it.
    Of(Vec<String>),
    /// A constant of this type.
    Plain(String),
}

/// All that evidence is drawn from.
pub(super) struct Evidence<'a> {
    pub(super) registry: &'a Registry,
    pub(super) typedefs: &'a Typedefs<'a>,
    pub(super) requirements: &'a Requirements,
    pub(super) known: &'a BTreeMap<String, Known>,
    pub(super) overlay: &'a Overlay,
}

/// Decides for every constant of every block. Read leniently, one that nothing decides is listed, and has no place.
pub(super) fn decide(evidence: &Evidence<'_>, strictness: Strictness, findings: &mut Findings) -> BTreeMap<String, Membership> {
    let mut decided = BTreeMap::new();
    for block in &evidence.registry.blocks {
        block_name(evidence, block, findings);
        // What has no value has been reported.
        for entry in block.entries.iter().filter(|entry| evidence.known.contains_key(&entry.name)) {
            out_of_range(evidence, block, entry, findings);
            match evidence.membership(block, entry) {
                Ok(membership) => {
                    decided.insert(entry.name.clone(), membership);
                }
                Err(finding) => {
                    let finding = finding.at(evidence.registry.place(&entry.span));
                    findings.push(if strictness == Strictness::Lenient { finding.softened() } else { finding });
                }
            }
        }
    }
    decided
}

impl Evidence<'_> {
    fn membership(&self, block: &Block, entry: &EnumEntry) -> Result<Membership, Finding> {
        let commented = self.commented(&entry.name);
        let cast = self.known.get(&entry.name).and_then(|known| known.named.clone());
        let is_status = block.name.starts_with("ErrorCodes");
        if let Some(cast) = &cast
            && !commented.is_empty()
            && !commented.contains(cast)
        {
            let found = format!("`{cast}` in its value, {} in a comment", commented.join(" and "));
            return self.settled(block, entry, &found);
        }
        if !commented.is_empty() {
            return Ok(self.of(commented));
        }
        if is_status {
            return Ok(Membership::Of(vec![STATUS.to_owned()]));
        }
        if let Some(cast) = cast {
            return Ok(self.of(vec![cast]));
        }
        if block.range.is_none() && self.typedefs.can_be_enumeration(&block.name) {
            return Ok(Membership::Of(vec![block.name.clone()]));
        }
        match (self.settled(block, entry, &self.misspelt(&entry.name)), self.known.get(&entry.name)) {
            (Err(_), Some(known)) if block.name.starts_with("Constants") => Ok(Membership::Plain(known.natural_type().to_owned())),
            (settled, _) => settled,
        }
    }

    /// The types that the comments on its groups name.
    fn commented(&self, constant: &str) -> Vec<String> {
        let mut types: Vec<String> = Vec::new();
        let requirement = self.requirements.get(ItemKind::Enum, constant);
        for comment in requirement.iter().flat_map(|requirement| &requirement.comments) {
            if comment == "Error codes" {
                types.push(STATUS.to_owned());
            }
            let words = comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            types.extend(words.filter_map(|word| self.type_in_comment(word)).map(str::to_owned));
        }
        types.sort();
        types.dedup();
        types
    }

    /// The type that `word` names. What looks like a type's name and is none may be another spelling of one, which the overlay knows.
    fn type_in_comment<'w>(&'w self, word: &'w str) -> Option<&'w str> {
        match self.typedefs.kind(word) {
            Some(_) => self.typedefs.integer(word).map(|_| word),
            None if word.starts_with("cl_") => self.overlay.decide_text(Api::OpenCl, Question::ConstantType, word),
            None => None,
        }
    }

    /// What the comments on its groups say in place of a type, for a message.
    fn misspelt(&self, constant: &str) -> String {
        let comments = self.requirements.get(ItemKind::Enum, constant).map(|requirement| requirement.comments.as_slice());
        let types = || self.registry.types.iter().map(|definition| definition.name.as_str());
        let words = comments.unwrap_or_default().iter().flat_map(|comment| comment.split_whitespace());
        match words.into_iter().find(|word| word.starts_with("cl_") && self.typedefs.kind(word).is_none()) {
            Some(word) => format!(
                "`{word}` in a comment, which is no type{}",
                nearest(word, types()).map_or_else(String::new, |it| format!(" (did you mean `{it}`?)"))
            ),
            None => "nothing that says so".to_owned(),
        }
    }

    fn of(&self, types: Vec<String>) -> Membership {
        let (enumerations, numbers): (Vec<String>, Vec<String>) =
            types.into_iter().partition(|name| name == STATUS || self.typedefs.can_be_enumeration(name));
        match numbers.into_iter().next() {
            Some(number) if enumerations.is_empty() => Membership::Plain(number),
            _ => Membership::Of(enumerations),
        }
    }

    /// What the overlay says, where upstream does not, or says two things.
    fn settled(&self, block: &Block, entry: &EnumEntry, found: &str) -> Result<Membership, Finding> {
        let ask = |subject: &str| self.overlay.decide_text(Api::OpenCl, Question::ConstantType, subject);
        let Some(answer) = ask(&entry.name).or_else(|| ask(&block.name)) else {
            return Err(Finding::error(format!("which type `{}` belongs to cannot be told", entry.name))
                .found(found)
                .wanted("a comment on a <require>, a cast, or the name of its block that names a type")
                .help(format!("settle it in the overlay: `constant-type` of `{}` or of its block `{}`", entry.name, block.name)));
        };
        if answer == STATUS || self.typedefs.can_be_enumeration(answer) {
            Ok(Membership::Of(vec![answer.to_owned()]))
        } else if self.typedefs.primitive(answer).is_some() {
            Ok(Membership::Plain(answer.to_owned()))
        } else {
            Err(Finding::error(format!("the overlay gives `{}` the type `{answer}`, which is no type of numbers", entry.name)))
        }
    }
}

/// A block that is named like a type, and is none, loses its values from that type.
fn block_name(evidence: &Evidence<'_>, block: &Block, findings: &mut Findings) {
    let like_a_type = block.range.is_none() && block.name.starts_with("cl_") && !block.name.contains('.');
    if !like_a_type || block.entries.is_empty() || evidence.typedefs.kind(&block.name).is_some() {
        return;
    }
    let types = evidence.registry.types.iter().map(|definition| definition.name.as_str());
    findings.push(
        Finding::warning(format!("the block `{}` matches no type", block.name))
            .at(evidence.registry.place(&block.span))
            .help(did_you_mean(&block.name, types, "its name is not used as a type")),
    );
}

/// Numbers outside of their block's range are strange, and valid.
fn out_of_range(evidence: &Evidence<'_>, block: &Block, entry: &EnumEntry, findings: &mut Findings) {
    let Some((start, end)) = block.range else { return };
    let Some(value) = evidence.known.get(&entry.name).and_then(|known| known.in_type("i64").ok()?.integer()) else { return };
    if value < start.min(end) || value > start.max(end) {
        findings.push(
            Finding::note(format!("`{}` lies outside of the range of its block `{}`", entry.name, block.name))
                .at(evidence.registry.place(&entry.span))
                .found(format!("{value:#x}"))
                .wanted(format!("{start:#x} to {end:#x}")),
        );
    }
}
