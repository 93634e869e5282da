//! The rows of CUDA's handle types.
//!
//! In: facts, settled members, rules, and the overlay for what upstream leaves out. Out: one row a handle type with every column. Upstream's
//! word comes first; where it is silent the overlay may speak; where both are, a column is unspecified. Of who owns a handle nobody may be
//! silent: such a row is an error, since a guess there leaks or closes what is not ours.

use super::{
    agree::{Descriptor, is_handle_type},
    identity::short_value,
    interpret::{Basis, Context, Fact, Interpreted, What},
};
use crate::{
    finding::{Finding, Findings},
    model::{
        self, Api, Counterparts, Enumeration, Enumerator, Evidence, ExportedSize, HandleKind, HandleType, InitialState, Lifetime,
        Origin, Owner, Path, Payload, Permanence, Platform, Predicate, Rule, Transference,
    },
    overlay::Question,
};

/// Handle types that are values of an enumeration and are handed to a command by a parameter.
const BY_PARAMETER: [(&str, HandleKind, &str); 3] = [
    ("CUmemAllocationHandleType", HandleKind::Allocation, "osHandle"),
    ("CUmemRangeHandleType", HandleKind::Range, "handle"),
    ("CUlogicalEndpointIpcHandleType", HandleKind::Endpoint, "handle"),
];

/// Handles that are a record of bytes.
const BY_RECORD: [(&str, HandleKind); 2] = [("CUipcMemHandle", HandleKind::IpcMemory), ("CUipcEventHandle", HandleKind::IpcEvent)];

/// All rows, sorted by kind and value.
pub(super) fn rows(
    interpreted: &Interpreted,
    descriptors: &[Descriptor<'_>],
    rules: &[Rule],
    context: &Context<'_>,
    lifetime: &Lifetime,
    findings: &mut Findings,
) -> Vec<HandleType> {
    let mut rows = Vec::new();
    let mut make = Maker { interpreted, rules, context, findings };
    for descriptor in descriptors {
        let kind = if descriptor.enumeration.name.contains("emaphore") { HandleKind::Semaphore } else { HandleKind::Memory };
        for value in descriptor.enumeration.enumerators.iter().filter(|value| is_handle_type(&value.name)) {
            let start = Start {
                kind,
                enumeration: Some(descriptor.enumeration),
                value: Some(value),
                name: &value.name,
                lifetime: &value.lifetime,
            };
            rows.push(make.row(&start, descriptor.carriers(&value.name), Some(descriptor)));
        }
    }
    for (name, kind, parameter) in BY_PARAMETER {
        let Some(enumeration) = context.names.enumeration(name) else { continue };
        let members: Vec<Path> = parameter.parse().into_iter().collect();
        for value in enumeration.enumerators.iter().filter(|value| is_handle_type(&value.name)) {
            let start =
                Start { kind, enumeration: Some(enumeration), value: Some(value), name: &value.name, lifetime: &value.lifetime };
            rows.push(make.row(&start, members.clone(), None));
        }
    }
    for (name, kind) in BY_RECORD {
        if context.names.record(name).is_some() {
            let start = Start { kind, enumeration: None, value: None, name, lifetime };
            rows.push(make.row(&start, "handle".parse().into_iter().collect(), None));
        }
    }
    rows.sort_by_cached_key(|row| (row.kind, row.value.and_then(model::Value::integer), row.name.clone()));
    rows
}

struct Start<'a> {
    kind: HandleKind,
    enumeration: Option<&'a Enumeration>,
    value: Option<&'a Enumerator>,
    name: &'a str,
    lifetime: &'a Lifetime,
}

struct Maker<'a> {
    interpreted: &'a Interpreted,
    rules: &'a [Rule],
    context: &'a Context<'a>,
    findings: &'a mut Findings,
}

/// The columns of a row that rest on something, as they are found.
struct Columns {
    evidence: Vec<Evidence>,
}

impl Columns {
    fn rests(&mut self, column: &str, origin: Origin, basis: model::Basis) {
        self.evidence.push(Evidence { column: column.to_owned(), origin, basis });
    }

    fn stated(&mut self, column: &str, origin: Origin, basis: &Basis) {
        self.rests(column, origin, model::Basis::Source(basis.source.clone()));
    }
}

impl Maker<'_> {
    fn row(&mut self, start: &Start<'_>, members: Vec<Path>, descriptor: Option<&Descriptor<'_>>) -> HandleType {
        let mut columns = Columns { evidence: Vec::new() };
        let (owner_on_success, owner_on_failure) = self.owners(start, &mut columns);
        let (payload, signal, wait) = self.payload(start, &mut columns);
        let (required_flags, allowed_flags) =
            descriptor.map_or_else(Default::default, |descriptor| self.flags(start.name, &descriptor.record));
        let platform = self.platform(start, &members, &mut columns);
        let exported_size = self.exported_size(start, descriptor.is_some(), &mut columns);
        let capability_query = self.overlay(start.name, "capability_query", &mut columns);
        let counterparts = self.counterparts(start.name, &mut columns);
        let mut evidence = columns.evidence;
        evidence.sort();
        HandleType {
            api: Api::Cuda,
            kind: start.kind,
            name: start.name.to_owned(),
            short: short_value(self.context.names, start.name).to_owned(),
            enumeration: start.enumeration.map(|enumeration| enumeration.name.clone()),
            value: start.value.map(|value| value.value),
            record: descriptor.map(|descriptor| descriptor.record.clone()),
            members,
            platform,
            transference: Transference::Unspecified,
            permanence: Permanence::Unspecified,
            owner_on_success,
            owner_on_failure,
            payload,
            signal,
            wait,
            initial_state: if start.kind == HandleKind::Semaphore { InitialState::Unspecified } else { InitialState::None },
            required_flags,
            allowed_flags,
            exported_size,
            capability_query,
            extension: None,
            special_value: None,
            counterparts,
            evidence,
            lifetime: start.lifetime.clone(),
        }
    }

    fn complain(&mut self, what: String, wanted: &str) {
        self.findings.push(Finding::error(what).wanted(wanted));
    }

    /// What the overlay says of a column; `unspecified` counts as said.
    fn overlay(&self, name: &str, column: &str, columns: &mut Columns) -> Option<String> {
        let decision = self.context.overlay.decide(Api::Cuda, Question::HandleTypeColumn, &format!("{name}/{column}"))?;
        columns.rests(column, Origin::Ours, model::Basis::Reason(decision.reason.to_owned()));
        decision.value.as_str().map(str::to_owned)
    }

    fn facts<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Fact> {
        self.interpreted.facts.iter().filter(move |fact| fact.types.iter().any(|value| value == name))
    }

    fn owners(&mut self, start: &Start<'_>, columns: &mut Columns) -> (Owner, Owner) {
        let said = self.facts(start.name).find_map(|fact| match fact.what {
            What::Owners { success, failure } => Some((success, failure, fact.basis.clone())),
            // A handle that holds no reference is a number: there is nothing to close.
            What::HoldsReference(false) => Some((Owner::None, Owner::None, fact.basis.clone())),
            _ => None,
        });
        if let Some((success, failure, basis)) = said {
            columns.stated("owner_on_success", Origin::Stated, &basis);
            // What follows from a sentence about success, drivers may know better.
            if self.overlay(start.name, "owner_on_failure", columns).as_deref() == Some("unspecified") {
                return (success, Owner::Unspecified);
            }
            columns.stated("owner_on_failure", Origin::Derived, &basis);
            return (success, failure);
        }
        let decided = self.overlay(start.name, "owner_on_success", columns);
        match decided.as_deref() {
            // What a successful call leaves alone, a failed one leaves alone too.
            Some("caller") => (Owner::Caller, Owner::Caller),
            Some("none") => (Owner::None, Owner::None),
            Some("unspecified") => (Owner::Unspecified, Owner::Unspecified),
            _ => {
                self.complain(
                    format!("nobody says who owns a handle of type `{}` after it was imported", start.name),
                    "a sentence of upstream's, or an overlay entry `handle-type-column` for `…/owner_on_success` with `caller`, `none` or `unspecified`",
                );
                (Owner::Unspecified, Owner::Unspecified)
            }
        }
    }

    /// What a semaphore carries, as the comments of signal and wait say; both must say the same.
    fn payload(&mut self, start: &Start<'_>, columns: &mut Columns) -> (Payload, Vec<Path>, Vec<Path>) {
        if start.kind != HandleKind::Semaphore {
            return (Payload::None, Vec::new(), Vec::new());
        }
        let of = |part: &str| {
            self.facts(start.name).find_map(|fact| match &fact.what {
                What::Carries { command, payload, members } if command.contains(part) => {
                    Some((*payload, members.clone(), fact.basis.clone()))
                }
                _ => None,
            })
        };
        let (signal, wait) = (of("Signal"), of("Wait"));
        if let (Some(signal), Some(wait)) = (&signal, &wait)
            && signal.0 != wait.0
        {
            let what = format!(
                "the comments of signal and wait disagree on what `{}` carries ({} and {})",
                start.name, signal.2.place, wait.2.place
            );
            self.complain(what, "the same in both");
        }
        let Some((payload, _, basis)) = signal.as_ref().or(wait.as_ref()) else {
            return (Payload::Unspecified, Vec::new(), Vec::new());
        };
        columns.stated("payload", Origin::Stated, basis);
        let payload = *payload;
        (
            payload,
            signal.map(|(_, members, _)| members).unwrap_or_default(),
            wait.map(|(_, members, _)| members).unwrap_or_default(),
        )
    }

    /// Flags that must, and that may be set: from the rules that are for this type, or for all.
    fn flags(&self, name: &str, record: &str) -> (Vec<String>, Vec<String>) {
        let is_flags = |rule: &&Rule| rule.subject == record && rule.fields.first().is_some_and(|path| path.as_str() == "flags");
        let for_type = |rule: &Rule| rule.when.iter().any(|condition| condition.to_string() == format!("type in {name}"));
        let mut required = Vec::new();
        let mut allowed = Vec::new();
        for rule in self.rules.iter().filter(is_flags).filter(|rule| rule.when.is_empty() || for_type(rule)) {
            match &rule.predicate {
                Predicate::OnlyFlags(flags) => allowed.extend(flags.iter().cloned()),
                Predicate::MustHaveFlags(flags) => required.extend(flags.iter().cloned()),
                _ => {}
            }
        }
        let none = self
            .rules
            .iter()
            .filter(is_flags)
            .any(|rule| rule.predicate == Predicate::Zero && (rule.when.is_empty() || for_type(rule)));
        if none {
            allowed.clear();
        }
        (required, allowed)
    }

    /// Where the type exists: by the member that carries it, unless the overlay knows more.
    fn platform(&self, start: &Start<'_>, members: &[Path], columns: &mut Columns) -> Platform {
        match self.overlay(start.name, "platform", columns).as_deref() {
            Some("any") => return Platform::Any,
            Some("posix") => return Platform::Posix,
            Some("windows") => return Platform::Windows,
            Some("fabric") => return Platform::Fabric,
            _ => {}
        }
        let last = members.first().map(Path::as_str).unwrap_or_default();
        let platform = if members.first().and_then(|path| path.names().last()) == Some("fd") {
            Platform::Posix
        } else if last.contains("win32") {
            Platform::Windows
        } else if last.contains("nvSci") {
            Platform::NvSci
        } else {
            return Platform::Unspecified;
        };
        columns.rests("platform", Origin::Derived, model::Basis::Reason(format!("the member `{last}` carries it")));
        platform
    }

    fn exported_size(&self, start: &Start<'_>, imports_only: bool, columns: &mut Columns) -> ExportedSize {
        if imports_only {
            return ExportedSize::Never;
        }
        if start.value.is_none() {
            columns.rests("exported_size", Origin::Derived, model::Basis::Reason(format!("the size of `{}`", start.name)));
            return self.record_size(start.name);
        }
        let said = self.facts(start.name).find_map(|fact| match &fact.what {
            What::Exports(ctype) => Some((ctype.clone(), fact.basis.clone())),
            _ => None,
        });
        if let Some((ctype, basis)) = said {
            columns.stated("exported_size", Origin::Stated, &basis);
            return match ctype.as_str() {
                "int" => ExportedSize::Int,
                "HANDLE" => ExportedSize::Pointer,
                "D3DKMT_HANDLE" => ExportedSize::U32,
                record => self.record_size(record),
            };
        }
        self.overlay(start.name, "exported_size", columns).and_then(|size| size.parse().ok()).unwrap_or(ExportedSize::Unspecified)
    }

    fn record_size(&self, name: &str) -> ExportedSize {
        let size = self.context.names.record(name).and_then(|record| u32::try_from(record.size.wide).ok());
        size.map_or(ExportedSize::Unspecified, ExportedSize::Bytes)
    }

    fn counterparts(&self, name: &str, columns: &mut Columns) -> Counterparts {
        let Some(decision) = self.context.overlay.decide(Api::Cuda, Question::Counterparts, name) else {
            return Counterparts::default();
        };
        columns.rests("counterparts", Origin::Ours, model::Basis::Reason(decision.reason.to_owned()));
        decision.counterparts()
    }
}
