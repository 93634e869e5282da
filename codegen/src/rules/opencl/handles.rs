//! What the specification says of external handle types: rows of the handle-type table.
//!
//! In: the sections on external handle types, the transference tables, and the queries that list handle types. Out: one row a handle type, and
//! what sentences of error lists rest on. Every sentence of a section has a meaning here; one that has none fails the import. Where the text is
//! silent a column is "unspecified".

use crate::{
    finding::{Finding, Findings},
    import::opencl::text::{
        TextFacts,
        facts::{Guard, HandlePart, Table},
        prose::{Kind, Prose},
    },
    model::{
        Api, Basis, Counterparts, Evidence, ExportedSize, HandleKind, HandleType, InitialState, Lifetime, Origin, Owner, Payload,
        Permanence, Platform, Source, Transference, Value,
    },
    overlay::{Overlay, Question},
};

use super::{
    Release,
    vocabulary::{NamedTable, Types},
};

/// The enumerations of external handle types: of memory, of semaphores.
pub(super) const ENUMERATIONS: [&str; 2] = ["cl_external_memory_handle_type_khr", "cl_external_semaphore_handle_type_khr"];

/// What kind of thing a handle is, from the words that introduce it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carrier {
    /// A file descriptor.
    FileDescriptor,
    /// An NT handle.
    NtHandle,
    /// A share handle of the kernel's graphics, a number.
    ShareHandle,
    /// The name of an NT handle.
    Name,
    /// A reference-counted object of Android's.
    HardwareBuffer,
}

/// What a sentence of a section says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// What the handle is.
    Carrier(Carrier),
    /// The handle holds a reference to the payload, or does not.
    HoldsReference(bool),
    /// Importing file descriptors hands them over.
    DescriptorGoesToDriver,
    /// Importing Windows handles hands nothing over.
    HandleStaysWithCaller,
    /// The application releases NT handles itself.
    CallerReleases,
    /// The object counts itself up and down: the application keeps its own reference.
    ReferenceCounted,
    /// −1 stands for a sync file that has signalled.
    MinusOneIsSignaled,
    /// The payload that was imported lasts until the next wait.
    Temporary,
    /// The names are UTF-16 with a zero at the end.
    NameIsUtf16,
    /// Semaphores of this type take a payload.
    NeedsPayload,
    /// An introduction, a remark, or advice that no column holds.
    Remark,
}

/// Functional phrases, and what a sentence with one means. The first that fits counts.
const MEANINGS: &[(&str, Meaning)] = &[
    ("specifies a posix file descriptor", Meaning::Carrier(Carrier::FileDescriptor)),
    ("is a file descriptor for a linux", Meaning::Carrier(Carrier::FileDescriptor)),
    ("specifies an nt handle name", Meaning::Carrier(Carrier::Name)),
    ("specifies an nt handle", Meaning::Carrier(Carrier::NtHandle)),
    ("specifies a global share handle", Meaning::Carrier(Carrier::ShareHandle)),
    ("specifies an android ahardwarebuffer", Meaning::Carrier(Carrier::HardwareBuffer)),
    ("it owns a reference to", Meaning::HoldsReference(true)),
    ("it does not own a reference to", Meaning::HoldsReference(false)),
    ("from a file descriptor transfers ownership", Meaning::DescriptorGoesToDriver),
    ("from windows handles does not transfer ownership", Meaning::HandleStaysWithCaller),
    ("the application must release", Meaning::CallerReleases),
    ("will increment the reference count on", Meaning::ReferenceCounted),
    ("special value -1 for fd is treated like", Meaning::MinusOneIsSignaled),
    ("will have a temporarily imported payload", Meaning::Temporary),
    ("null-terminated utf-16 string", Meaning::NameIsUtf16),
    ("payload must be provided for semaphores created from", Meaning::NeedsPayload),
    ("this section describes", Meaning::Remark),
    ("applications can import the same", Meaning::Remark),
    ("each import operation must create a distinct", Meaning::Remark),
    ("extension extends", Meaning::Remark),
    ("it must be compatible with the", Meaning::Remark),
    ("it must be transportable over a socket", Meaning::Remark),
    ("it is not compatible with any native", Meaning::Remark),
    ("it can be used with any native", Meaning::Remark),
    ("must accept any type of sync or fence fd", Meaning::Remark),
    ("must not perform any operations on", Meaning::Remark),
    ("the imported memory object holds a reference to its payload", Meaning::Remark),
    ("non-nt handle import operations do not add a reference", Meaning::Remark),
    ("sharing that payload will become invalid", Meaning::Remark),
    ("this special behavior for importing", Meaning::Remark),
    ("it is consistent with the option for", Meaning::Remark),
    ("has a mix of semaphores obtained from", Meaning::Remark),
    ("that do not require a payload will be ignored", Meaning::Remark),
    ("may return cl_invalid_value if", Meaning::Remark),
    ("created from a dma_buf has been acquired", Meaning::Remark),
    ("any operations external to opencl on the dma_buf", Meaning::Remark),
    ("if importing as a buffer", Meaning::Remark),
    ("if importing as an image", Meaning::Remark),
    ("the application is responsible for verifying", Meaning::Remark),
];

/// A sentence that was understood.
struct Said<'a> {
    part: &'a HandlePart,
    sentence: Prose,
    meaning: Meaning,
}

/// The rows, and what error lists rest on.
#[derive(Debug, Default)]
pub(super) struct Handles {
    pub rows: Vec<HandleType>,
    pub types: Types,
    /// How many sentences were read.
    pub sentences: usize,
    pub unknown: Findings,
}

/// Reads the handle types of `facts`.
pub(super) fn handles(facts: &TextFacts, release: &Release) -> Handles {
    let mut handles = Handles { types: Types { tables: named_tables(facts), ..Types::default() }, ..Handles::default() };
    for section in &facts.sections {
        let kind = if section.anchor.contains("memory") { HandleKind::Memory } else { HandleKind::Semaphore };
        let said = said(&section.parts, &mut handles);
        for part in section.parts.iter().filter(|part| part.handle_type.is_some()) {
            if let Some(row) = row(facts, kind, part, &said, release, &mut handles.unknown) {
                handles.rows.push(row);
            }
        }
        let payload = said.iter().filter(|said| said.meaning == Meaning::NeedsPayload);
        let named = payload.flat_map(|said| said.sentence.names(&Kind::Constant)).map(str::to_owned);
        handles.types.payload.extend(named);
    }
    let of = |kind| handles.rows.iter().filter(move |row| row.kind == kind).map(|row| row.name.clone()).collect();
    (handles.types.memory, handles.types.semaphore) = (of(HandleKind::Memory), of(HandleKind::Semaphore));
    handles
}

/// The tables that stand in a page and have a second column.
fn named_tables(facts: &TextFacts) -> Vec<NamedTable> {
    let named = |table: &Table| {
        Some(NamedTable {
            page: table.page.clone()?,
            column: table.header.get(1)?.to_lowercase(),
            names: table.rows.iter().flat_map(|row| row.names.clone()).collect(),
        })
    };
    facts.tables.iter().filter_map(named).collect()
}

/// Every sentence of a section with its meaning; those without one are findings.
fn said<'a>(parts: &'a [HandlePart], handles: &mut Handles) -> Vec<Said<'a>> {
    let mut all = Vec::new();
    for part in parts {
        for sentence in part.prose.sentences() {
            handles.sentences += 1;
            match MEANINGS.iter().find(|(words, _)| sentence.has(words)) {
                Some((_, meaning)) => all.push(Said { part, meaning: *meaning, sentence }),
                None => handles.unknown.push(
                    Finding::error("a sentence on external handle types is not understood")
                        .at(part.place.clone())
                        .found(format!("`{sentence}`"))
                        .wanted("a sentence that says what the handle is, who owns it, or what it stands for")
                        .help("add its meaning, or list it as a remark"),
                ),
            }
        }
    }
    all
}

/// A row as far as the text goes.
fn row(
    facts: &TextFacts,
    kind: HandleKind,
    part: &HandlePart,
    said: &[Said<'_>],
    release: &Release,
    unknown: &mut Findings,
) -> Option<HandleType> {
    let name = part.handle_type.clone()?;
    let own: Vec<&Said<'_>> = said.iter().filter(|said| said.part.handle_type.as_ref() == Some(&name)).collect();
    let Some((carrier, basis)) = own.iter().find_map(|said| match said.meaning {
        Meaning::Carrier(carrier) => Some((carrier, *said)),
        _ => None,
    }) else {
        unknown.push(Finding::error(format!("nothing says what kind of handle `{name}` is")).at(part.place.clone()));
        return None;
    };
    let mut row = Row { value: blank(kind, &name, part), release };
    row.value.platform = platform(carrier);
    row.evidence("platform", Origin::Derived, basis.part.place.document().name().to_owned(), basis.sentence.hash());
    let apart = |said: &&Said<'_>| said.part.handle_type.is_none() && said.part.heading == part.heading;
    let mine = own.into_iter().chain(said.iter().filter(apart).filter(|said| concerns(said, &name, carrier, part)));
    for said in mine {
        row.apply(said, carrier);
    }
    transference(facts, &mut row, &name);
    queries(facts, &mut row, kind);
    row.value.evidence.sort_by(|a, b| a.column.cmp(&b.column));
    row.value.evidence.dedup_by(|later, earlier| later.column == earlier.column);
    Some(row.value)
}

/// Whether a sentence that stands beside the bullets is about `name` too: it speaks of its kind of handle, under no extension of others.
fn concerns(said: &Said<'_>, name: &str, carrier: Carrier, part: &HandlePart) -> bool {
    let names = said.sentence.names(&Kind::Constant);
    if names.contains(&name) {
        return true;
    }
    let same_guards = said.part.guards.iter().all(|guard| part.guards.contains(guard));
    same_guards
        && match said.meaning {
            Meaning::DescriptorGoesToDriver => carrier == Carrier::FileDescriptor,
            Meaning::HandleStaysWithCaller => matches!(carrier, Carrier::NtHandle | Carrier::ShareHandle | Carrier::Name),
            Meaning::CallerReleases => carrier == Carrier::NtHandle,
            Meaning::MinusOneIsSignaled | Meaning::Temporary => carrier == Carrier::FileDescriptor && names.is_empty(),
            _ => false,
        }
}

fn platform(carrier: Carrier) -> Platform {
    match carrier {
        Carrier::FileDescriptor | Carrier::HardwareBuffer => Platform::Posix,
        Carrier::NtHandle | Carrier::ShareHandle | Carrier::Name => Platform::Windows,
    }
}

/// A row that says nothing but which handle type it is about.
fn blank(kind: HandleKind, name: &str, part: &HandlePart) -> HandleType {
    let (prefix, enumeration, list) = match kind {
        HandleKind::Semaphore => ("CL_SEMAPHORE_HANDLE_", ENUMERATIONS[1], "sema_props"),
        _ => ("CL_EXTERNAL_MEMORY_HANDLE_", ENUMERATIONS[0], "properties"),
    };
    let short = name.strip_prefix(prefix).unwrap_or(name);
    let extension = part.guards.iter().rev().find_map(|guard| match guard {
        Guard::AnyOf(names) | Guard::AllOf(names) if names.len() == 1 => names.first().cloned(),
        _ => None,
    });
    HandleType {
        api: Api::OpenCl,
        kind,
        name: name.to_owned(),
        short: short.strip_suffix("_KHR").unwrap_or(short).to_owned(),
        enumeration: Some(enumeration.to_owned()),
        value: None,
        record: None,
        members: format!("{list}[{name}]").parse().into_iter().collect(),
        platform: Platform::Unspecified,
        transference: Transference::Unspecified,
        permanence: Permanence::Unspecified,
        owner_on_success: Owner::Unspecified,
        owner_on_failure: Owner::Unspecified,
        payload: if kind == HandleKind::Memory { Payload::None } else { Payload::Unspecified },
        initial_state: if kind == HandleKind::Memory { InitialState::None } else { InitialState::Unspecified },
        signal: Vec::new(),
        wait: Vec::new(),
        required_flags: Vec::new(),
        allowed_flags: Vec::new(),
        exported_size: if kind == HandleKind::Memory { ExportedSize::Never } else { ExportedSize::Unspecified },
        capability_query: None,
        lifetime: Lifetime { extensions: extension.iter().cloned().collect(), ..Lifetime::default() },
        extension,
        special_value: None,
        counterparts: Counterparts::default(),
        evidence: Vec::new(),
    }
}

/// A row that is being filled.
struct Row<'a> {
    value: HandleType,
    release: &'a Release,
}

impl Row<'_> {
    fn set(&mut self, column: &str, said: &Said<'_>, set: impl FnOnce(&mut HandleType)) {
        set(&mut self.value);
        let (document, hash) = (said.part.place.document().name().to_owned(), said.sentence.hash());
        self.evidence(column, Origin::Stated, document, hash);
    }

    fn evidence(&mut self, column: &str, origin: Origin, document: String, hash: String) {
        let source = Source { document, version: self.release.0.clone(), symbol: self.value.name.clone(), hash };
        self.value.evidence.push(Evidence { column: column.to_owned(), origin, basis: Basis::Source(source) });
    }

    fn apply(&mut self, said: &Said<'_>, carrier: Carrier) {
        match said.meaning {
            Meaning::DescriptorGoesToDriver => self.set("owner_on_success", said, |row| row.owner_on_success = Owner::Driver),
            // A share handle is a number that holds no reference: there is nothing to own, and nothing to release.
            Meaning::HoldsReference(false) => self.set("owner_on_success", said, |row| row.owner_on_success = Owner::None),
            Meaning::HandleStaysWithCaller if carrier != Carrier::ShareHandle => {
                self.set("owner_on_success", said, |row| row.owner_on_success = Owner::Caller);
            }
            Meaning::ReferenceCounted => self.set("owner_on_success", said, |row| row.owner_on_success = Owner::Caller),
            Meaning::MinusOneIsSignaled if self.value.short == "SYNC_FD" => {
                self.set("special_value", said, |row| row.special_value = Some(Value::Decimal(-1)));
            }
            Meaning::Temporary if self.value.short == "SYNC_FD" => {
                self.set("permanence", said, |row| row.permanence = Permanence::Temporary);
            }
            Meaning::NeedsPayload => self.set("payload", said, |row| {
                row.payload = Payload::Fence;
                row.signal = "sema_payload_list".parse().into_iter().collect();
                row.wait.clone_from(&row.signal);
            }),
            _ => {}
        }
    }
}

/// The transference tables: a handle type, and one word.
fn transference(facts: &TextFacts, row: &mut Row<'_>, name: &str) {
    let rows = facts.tables.iter().filter(|table| table.header.iter().any(|title| title == "Transference"));
    for cells in rows.flat_map(|table| &table.rows).filter(|cells| cells.names.iter().any(|other| other == name)) {
        let Some(cell) = cells.cells.first() else { continue };
        row.value.transference = match cell.to_string().as_str() {
            "Reference" => Transference::Reference,
            "Copy" => Transference::Copy,
            _ => Transference::Unspecified,
        };
        row.evidence("transference", Origin::Stated, cells.place.document().name().to_owned(), cell.hash());
    }
}

/// The query of a device that lists the importable handle types of this kind.
fn queries(facts: &TextFacts, row: &mut Row<'_>, kind: HandleKind) {
    let ending =
        if kind == HandleKind::Memory { "EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR" } else { "SEMAPHORE_IMPORT_HANDLE_TYPES_KHR" };
    let rows = facts.tables.iter().filter(|table| table.page.as_deref() == Some("clGetDeviceInfo")).flat_map(|table| &table.rows);
    for cells in rows {
        let Some(name) = cells.names.iter().find(|name| name.ends_with(ending)) else { continue };
        row.value.capability_query = Some(name.clone());
        let hash = cells.cells.last().map(Prose::hash).unwrap_or_default();
        row.evidence("capability_query", Origin::Stated, cells.place.document().name().to_owned(), hash);
    }
}

/// What the overlay says of a row: its counterparts in the other APIs, and the state after an import.
pub(super) fn decide(row: &mut HandleType, overlay: &Overlay) -> Option<Finding> {
    if let Some(decision) = overlay.decide(Api::OpenCl, Question::Counterparts, &row.name) {
        row.counterparts = decision.counterparts();
        let basis = Basis::Reason(decision.reason.to_owned());
        row.evidence.push(Evidence { column: "counterparts".to_owned(), origin: Origin::Ours, basis });
    }
    let unknown = initial_state(row, overlay);
    row.evidence.sort_by(|a, b| a.column.cmp(&b.column));
    unknown
}

/// What the overlay says of the state after an import. The text says only that a semaphore that is created anew begins un-signalled: it does
/// so where it describes the command that imports as well, and a payload that is shared or copied is in the state of the other side.
fn initial_state(row: &mut HandleType, overlay: &Overlay) -> Option<Finding> {
    let decision = overlay.decide(Api::OpenCl, Question::HandleTypeColumn, &format!("{}/initial_state", row.name))?;
    let Ok(state) = decision.value.clone().try_into() else {
        return Some(
            Finding::error(format!("the overlay says what no semaphore is right after an import of `{}`", row.name))
                .found(decision.value.to_string())
                .wanted("`signaled`, `unsignaled`, `inherited` or `unspecified`"),
        );
    };
    row.initial_state = state;
    let basis = Basis::Reason(decision.reason.to_owned());
    row.evidence.push(Evidence { column: "initial_state".to_owned(), origin: Origin::Ours, basis });
    None
}
