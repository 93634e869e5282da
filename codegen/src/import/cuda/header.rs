//! The declarations of one release.
//!
//! In: [`Headers`] and an open [`Libclang`]. Out: [`Facts`]. Types, values and signatures come from bindgen's output; names, places and layouts
//! from the C parser, once a target. Where the two speak of the same thing they must agree, and so must all 64-bit targets.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

use super::{
    bindings::{Bindings, bindings, mangled},
    comments::{SubjectKind, comments},
    declarations::Declared,
    facts::{EnumerationFact, EnumeratorFact, Facts, FunctionFact, MemberFact, RecordFact, TypedefFact, VersionFact},
    groups::Groups,
    headers::Headers,
    layouts::Layout,
    libclang::{Libclang, Span},
    macros::notated,
    scan::scan,
    surveys::{Layouts, Survey, Surveys, surveys},
    typedefs::versioned,
};
use crate::{
    finding::{Finding, Findings, Place, Strictness},
    model::{CType, RecordKind, Signature},
};

/// Reads one release. With [`Strictness::Lenient`], what it does not understand in headers that the C parser reads is listed as warnings.
pub fn import(headers: &Headers, libclang: &Libclang, strictness: Strictness) -> Result<(Facts, Findings), Findings> {
    // First, and alone: bindgen prints what the parser says of faulty headers, and that has been said then.
    let (surveys, mut findings) = surveys(headers, libclang)?;
    let (linux, windows, comments) = thread::scope(|scope| {
        let linux = scope.spawn(|| bindings(headers, libclang, "x86_64-unknown-linux-gnu"));
        let windows = bindings(headers, libclang, "x86_64-pc-windows-msvc");
        let comments = comments(headers, libclang);
        let linux = linux.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (linux, windows, comments)
    });
    let (comments, of_comments) = comments?;
    findings.0.extend(of_comments.0);
    let join = Join::new(headers, surveys, linux?, windows?);
    let mut facts = join.facts(&mut findings);
    facts.comments = comments;
    if strictness == Strictness::Lenient {
        findings.soften();
    }
    findings.with(facts)
}

/// Joins what bindgen says with what the C parser says.
struct Join<'h> {
    headers: &'h Headers,
    surveys: Surveys,
    linux: Bindings,
    windows: Bindings,
    /// The model's names of records and enumerations, by bindgen's.
    names: BTreeMap<String, String>,
}

impl<'h> Join<'h> {
    fn new(headers: &'h Headers, surveys: Surveys, linux: Bindings, windows: Bindings) -> Self {
        let mut names = BTreeMap::new();
        for bindings in [&linux, &windows] {
            for (name, ctype) in &bindings.aliases {
                if let CType::Named(of) = ctype
                    && (bindings.records.contains_key(of) || bindings.enums.contains_key(of))
                {
                    names.entry(of.clone()).or_insert_with(|| name.clone());
                }
            }
        }
        Self { headers, surveys, linux, windows, names }
    }

    fn facts(mut self, findings: &mut Findings) -> Facts {
        let records = self.records(findings);
        let enumerations = self.enumerations(findings);
        let (typedefs, versions) = self.typedefs(findings);
        let functions = self.functions(findings);
        let symbols = functions.iter().map(|function| function.symbol.clone()).collect();
        let macros = self.macros(&symbols, findings);
        let number = super::macros::release(&macros).unwrap_or_else(|| {
            findings.push(Finding::error("the headers do not say which release they are of").wanted("a macro `CUDA_VERSION`"));
            0
        });
        Facts { number, records, enumerations, typedefs, functions, macros, versions, comments: Vec::new() }
    }

    fn place(&self, span: &Span) -> Place {
        self.headers.documents()[span.document].place(span.range())
    }

    /// `ctype` with the model's names.
    fn renamed(&self, ctype: &CType) -> CType {
        match ctype {
            CType::Void => CType::Void,
            CType::Named(name) => CType::named(self.names.get(name).unwrap_or(name)),
            CType::Pointer { to, constant } => CType::Pointer { to: Box::new(self.renamed(to)), constant: *constant },
            CType::Array { of, length } => CType::Array { of: Box::new(self.renamed(of)), length: *length },
            CType::Function(signature) => CType::Function(Box::new(self.renamed_signature(signature))),
        }
    }

    fn renamed_signature(&self, signature: &Signature) -> Signature {
        let mut renamed = signature.clone();
        for parameter in &mut renamed.parameters {
            parameter.ctype = self.renamed(&parameter.ctype);
        }
        renamed.returns = self.renamed(&renamed.returns);
        renamed
    }

    /// What of a kind is declared, Linux first, each with whether only Windows has it.
    fn declared(&self, kind: SubjectKind) -> Vec<(&Declared, bool)> {
        let of = |survey: &'_ Survey| -> Vec<_> { survey.declared.iter().filter(|one| one.kind == kind).cloned().collect() };
        let known: BTreeSet<String> = of(&self.surveys.linux).into_iter().map(|one| one.subject).collect();
        let linux = self.surveys.linux.declared.iter().filter(|one| one.kind == kind).map(|one| (one, false));
        let windows = self.surveys.windows.declared.iter();
        let windows = windows.filter(|one| one.kind == kind && !known.contains(&one.subject)).map(|one| (one, true));
        linux.chain(windows).collect()
    }

    fn bindings(&self, windows: bool) -> &Bindings {
        if windows { &self.windows } else { &self.linux }
    }

    fn records(&mut self, findings: &mut Findings) -> Vec<RecordFact> {
        let layouts = self.surveys.layouts(self.headers, findings);
        // A nested record's name in bindgen's output is that of the type of the member that alone has it.
        let mut nested: BTreeMap<String, String> = BTreeMap::new();
        let mut facts = Vec::new();
        for layout in &layouts {
            let tag = nested.get(&layout.base.name).unwrap_or(&layout.base.tag).clone();
            let Some(members) = self.bindings(layout.only_windows).records.get(&tag).cloned() else {
                let place = self.place(&layout.base.span);
                findings.push(Finding::error(format!("bindgen has no members of `{}`", layout.base.name)).at(place).found(tag));
                continue;
            };
            if let Some(finding) = disagreement(&layout.base, &members) {
                findings.push(finding.at(self.place(&layout.base.span)));
                continue;
            }
            for (place, (_, ctype)) in layout.base.members.iter().zip(&members) {
                if let (Some(name), Some(printed)) = (&place.nested, element(ctype)) {
                    nested.insert(name.clone(), printed.to_owned());
                    self.names.insert(printed.to_owned(), name.clone());
                }
            }
            facts.push((layout.clone(), members));
        }
        facts.into_iter().map(|(layout, members)| self.record(&layout, &members)).collect()
    }

    fn record(&self, layout: &Layouts, members: &[(String, CType)]) -> RecordFact {
        let members = layout.base.members.iter().zip(members).enumerate().map(|(number, (place, (_, ctype)))| MemberFact {
            name: place.name.clone(),
            ctype: self.renamed(ctype),
            narrow_type: layout.narrow_length(number).and_then(|length| resized(&self.renamed(ctype), length)),
            offset: layout.per_target(|layout| layout.members.get(number).map_or(0, |place| place.offset)),
            nameless: place.nameless,
            place: self.place(&place.span),
        });
        RecordFact {
            name: layout.base.name.clone(),
            kind: if layout.base.union { RecordKind::Union } else { RecordKind::Struct },
            size: layout.per_target(|layout| layout.size),
            align: layout.per_target(|layout| layout.align),
            parent: layout.base.parent.clone(),
            members: members.collect(),
            windows: layout.only_windows,
            place: self.place(&layout.base.span),
        }
    }

    fn enumerations(&self, findings: &mut Findings) -> Vec<EnumerationFact> {
        let mut facts: Vec<EnumerationFact> = Vec::new();
        let values = self.declared(SubjectKind::Enumerator);
        for (declared, windows) in self.declared(SubjectKind::Enumeration) {
            let bindings = self.bindings(windows);
            let of_this = values.iter().filter(|(value, _)| value.item == declared.item && declared.span.holds(&value.span));
            let mut repr = None;
            let mut enumerators = Vec::new();
            for (value, _) in of_this {
                let name = value.member.clone().unwrap_or_default();
                let Some((tag, number)) = bindings.enumerators.get(&name) else {
                    let finding = Finding::error(format!("bindgen has no value of `{name}`"));
                    findings.push(finding.at(self.place(&value.span)));
                    continue;
                };
                repr = repr.or_else(|| bindings.enums.get(tag).cloned());
                let written = &self.headers.documents()[value.span.document].text()[value.span.range()];
                let written = written.split_once('=').map_or("", |(_, written)| written);
                enumerators.push(EnumeratorFact { name, value: notated(written, *number), place: self.place(&value.span) });
            }
            let (name, place) = (declared.item.clone(), self.place(&declared.span));
            match repr {
                Some(repr) => facts.push(EnumerationFact { name, repr, enumerators, windows, place }),
                None => findings.push(Finding::error(format!("the enumeration `{name}` has no values")).at(place)),
            }
        }
        facts
    }

    /// Typedefs that are not the name of a record or enumeration, and those that give versions.
    fn typedefs(&self, findings: &mut Findings) -> (Vec<TypedefFact>, Vec<VersionFact>) {
        let (mut facts, mut versions) = (Vec::new(), Vec::new());
        let declared = self.declared(SubjectKind::Typedef);
        let places: BTreeMap<&str, &Declared> = declared.iter().map(|(one, _)| (one.subject.as_str(), *one)).collect();
        let known: BTreeSet<&str> = self.linux.aliases.iter().map(|(name, _)| name.as_str()).collect();
        let linux = self.linux.aliases.iter().map(|alias| (alias, false));
        let windows = self.windows.aliases.iter().filter(|(name, _)| !known.contains(name.as_str())).map(|alias| (alias, true));
        for ((name, printed), windows) in linux.chain(windows) {
            let place = places.get(name.as_str()).map(|declared| self.place(&declared.span));
            let ctype = self.renamed(printed);
            if ctype == CType::named(name) || name.starts_with("__") {
                continue;
            }
            if let Some((function, version, per_thread)) = versioned(name) {
                match (ctype, place) {
                    (CType::Function(signature), Some(place)) => {
                        versions.push(VersionFact { name: function, version, per_thread, signature: *signature, place });
                    }
                    (other, _) => findings.push(
                        Finding::error(format!("`{name}` has a version but is no function of the headers"))
                            .found(other.to_string()),
                    ),
                }
                continue;
            }
            let opaque = matches!(printed, CType::Pointer { to, .. } if matches!(&**to, CType::Named(tag) if self.bindings(windows).opaque.contains(tag)));
            let plain_call = self.surveys.plain_calls.contains(name);
            let size = self.surveys.size(name);
            facts.push(TypedefFact { name: name.clone(), ctype, size, opaque, plain_call, windows, place });
        }
        (facts, versions)
    }

    fn functions(&self, findings: &mut Findings) -> Vec<FunctionFact> {
        let mut facts = Vec::new();
        // What is wrong with groups is said where comments are read.
        let groups: Vec<Groups> =
            self.headers.documents().iter().map(|document| Groups::read(document, &scan(document.text())).0).collect();
        for (declared, windows) in self.declared(SubjectKind::Command) {
            let (symbol, place) = (declared.subject.clone(), self.place(&declared.span));
            let Some(signature) = self.bindings(windows).functions.get(&symbol) else {
                findings.push(Finding::error(format!("bindgen has no function `{symbol}`")).at(place));
                continue;
            };
            if self.surveys.plain_calls.contains(&symbol) {
                let finding = Finding::error(format!("`{symbol}` has C's own calling convention on 32-bit Windows"));
                findings.push(
                    finding.at(place).wanted("`__stdcall`, which every command has").help("the model has no form for it yet"),
                );
                continue;
            }
            let per_thread = self.surveys.per_thread.get(&declared.span).filter(|other| **other != symbol).cloned();
            let mut signature = self.renamed_signature(signature);
            for (parameter, name) in signature.parameters.iter_mut().zip(&declared.parameters) {
                parameter.name.clone_from(name);
            }
            facts.push(FunctionFact {
                signature,
                symbol,
                spelled: declared.spelled.clone(),
                per_thread,
                deprecated: declared.deprecated,
                group: groups[declared.span.document].at(declared.span.start).map(str::to_owned),
                windows,
                place,
            });
        }
        facts
    }

    fn macros(&self, symbols: &BTreeSet<String>, findings: &mut Findings) -> Vec<super::facts::MacroFact> {
        let mut scope = super::macros::Scope::default();
        for bindings in [&self.linux, &self.windows] {
            scope.types.extend(bindings.aliases.iter().map(|(name, _)| name.clone()));
            for (name, (tag, number)) in &bindings.enumerators {
                let of = self.names.get(tag).unwrap_or(tag).clone();
                scope.enumerators.insert(name.clone(), (of, *number));
            }
        }
        let declared = self.declared(SubjectKind::Macro);
        super::macros::facts(self.headers, &declared, &self.surveys, scope, symbols, findings)
    }
}

/// What to say if bindgen does not show the members that the C parser knows, in that order.
fn disagreement(layout: &Layout, members: &[(String, CType)]) -> Option<Finding> {
    let same = layout.members.len() == members.len()
        && layout.members.iter().zip(members).all(|(place, (name, _))| place.nameless || mangled(&place.name) == *name);
    if same {
        return None;
    }
    let names = |names: Vec<&str>| names.join(", ");
    Some(
        Finding::error(format!("bindgen shows other members of `{}` than the C parser", layout.name))
            .found(names(members.iter().map(|(name, _)| name.as_str()).collect()))
            .wanted(names(layout.members.iter().map(|place| place.name.as_str()).collect())),
    )
}

/// An array type with another length.
fn resized(ctype: &CType, length: u64) -> Option<CType> {
    let CType::Array { of, .. } = ctype else { return None };
    Some(CType::Array { of: of.clone(), length })
}

/// The name of a type, or of the elements of an array of it.
fn element(ctype: &CType) -> Option<&str> {
    match ctype {
        CType::Named(name) => Some(name),
        CType::Array { of, .. } => element(of),
        _ => None,
    }
}
