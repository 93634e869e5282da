//! Reads upstream into models, the two APIs at the same time.
//!
//! In: the inputs that are in reach, and the overlay. Out: a model for each of them with what was found on the way; or all errors.

use std::{
    collections::BTreeSet,
    fs,
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use super::locate::{Cuda, Located};
use crate::{
    fetch::{FetchError, OpenClDocs},
    finding::{Document, Finding, Findings, Strictness},
    import::{
        self,
        cuda::{Headers, Libclang},
        opencl::text::{self, TextFacts},
    },
    model::{Api, Model},
    overlay::{Overlay, Question},
    pass::{self, validate},
    rules::{self, reviewed::Reviewed},
    snapshot::{
        coverage::{self, BySubject},
        lines::{BySymbol, Lines},
    },
};

/// One API, read from upstream.
#[derive(Clone, Debug)]
pub struct Read {
    /// What it is made of.
    pub model: Model,
    /// Where upstream declares each symbol.
    pub lines: BySymbol,
    /// What is known about the text that states rules. Where it was not there, the model has none of them.
    pub text: Option<Text>,
}

/// The text that states rules.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// How much of it became rules.
    pub coverage: BySubject,
    /// Where it stands, if apart from the declarations.
    pub lines: BySymbol,
}

impl Read {
    /// Takes rules, handle types, error lists and properties from `snapshot` if their text was not there.
    pub fn keep_rules(&mut self, snapshot: &Model) {
        if self.text.is_none() {
            self.model.rules.clone_from(&snapshot.rules);
            self.model.handle_types.clone_from(&snapshot.handle_types);
            self.model.error_lists.clone_from(&snapshot.error_lists);
            self.model.properties.clone_from(&snapshot.properties);
        }
    }
}

/// Upstream, as far as it is in reach.
#[derive(Debug)]
pub struct Imported {
    /// Both APIs in the order of [`Api::ALL`], or what keeps each out of reach.
    pub apis: [(Api, Result<Read, FetchError>); 2],
    /// What was found on the way. None of it is an error.
    pub findings: Findings,
}

impl Imported {
    /// What upstream declares and nobody has decided on, a line each: with lenient reading, what strict reading would have refused.
    #[must_use]
    pub fn undecided(&self) -> Vec<String> {
        self.findings.0.iter().filter(|finding| finding.softened).map(ToString::to_string).collect()
    }
}

/// Reads what is in reach, with what people decided (`overlay`) and the sentences that they read (`reviewed`).
pub fn import(located: Located, overlay: &Document, reviewed: &Document, strictness: Strictness) -> Result<Imported, Findings> {
    let Located { cuda, opencl } = located;
    let decisions = Decisions { overlay, reviewed };
    let (cuda, opencl) = thread::scope(|scope| {
        let cuda = scope.spawn(|| cuda.map(|cuda| read_cuda(&cuda, &decisions, strictness, cuda.newest)));
        let opencl = opencl.map(|docs| read_opencl(&docs, None, &decisions, strictness, true));
        // An importer that panics has a fault of its own, which must not pass for a fault of the document.
        (cuda.join().unwrap_or_else(|panic| resume_unwind(panic)), opencl)
    });
    let mut findings = Findings::default();
    let mut settle = |result: Result<Result<(Read, Findings, Asked), Findings>, FetchError>| match result {
        Err(unreachable) => Some(Err(unreachable)),
        Ok(Ok((read, found, _))) => {
            findings.0.extend(found.0);
            Some(Ok(read))
        }
        Ok(Err(found)) => {
            findings.0.extend(found.0);
            None
        }
    };
    match (settle(cuda), settle(opencl)) {
        (Some(cuda), Some(opencl)) => Ok(Imported { apis: [(Api::Cuda, cuda), (Api::OpenCl, opencl)], findings }),
        _ => Err(findings),
    }
}

/// What people decided, and the sentences that they read.
#[derive(Clone, Copy, Debug)]
pub struct Decisions<'a> {
    /// `spec/overlay.toml`.
    pub overlay: &'a Document,
    /// `spec/reviewed.toml`.
    pub reviewed: &'a Document,
}

/// Which decisions a release, or several, had a use for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// Entries of the overlay, by their place in the file.
    pub(super) overlay: BTreeSet<usize>,
    /// Reviewed sentences.
    pub(super) reviewed: BTreeSet<String>,
}

impl Asked {
    pub(super) fn add(&mut self, other: Self) {
        self.overlay.extend(other.overlay);
        self.reviewed.extend(other.reviewed);
    }
}

/// CUDA: the headers, the passes, then the rules that the comments state. `alone` says that a decision without use is an error.
pub(super) fn read_cuda(
    inputs: &Cuda,
    decisions: &Decisions<'_>,
    strictness: Strictness,
    alone: bool,
) -> Result<(Read, Findings, Asked), Findings> {
    let overlay = Overlay::read(decisions.overlay.clone())?;
    let reviewed = Reviewed::read(decisions.reviewed.clone())?;
    let headers = Headers::read(&inputs.headers.include)?;
    let libclang = Libclang::open(&inputs.libclang.library)?;
    let (facts, found) = import::cuda::import(&headers, &libclang, strictness)?;
    let mut accounts = BySubject::new();
    let model = pass::cuda::model(&facts, &overlay, &inputs.headers.release).and_then(|(mut model, mut findings)| {
        let (rules, found) = rules::cuda::rules(&facts.comments, &model, &overlay, &reviewed, strictness)?;
        accounts = coverage::of_cuda(&rules, &model);
        rules.apply(&mut model);
        findings.0.extend(found.0);
        findings.with(model)
    });
    let stale = if alone { overlay.stale(Api::Cuda) } else { Findings::default() };
    let (model, findings) = checked(found, model, stale, strictness)?;
    let lines = pass::cuda::lines::lines(&facts).into_iter();
    let at = |line: pass::cuda::lines::Lines| (line.symbol, Lines { document: line.document, first: line.first, last: line.last });
    let lines = lines.map(at).collect();
    coverage::locate(&mut accounts, &lines);
    let asked = Asked { overlay: overlay.asked(), reviewed: reviewed.asked() };
    let text = Some(Text { coverage: accounts, lines: BySymbol::new() });
    let (read, findings) = findings.with(Read { model, lines, text })?;
    Ok((read, findings, asked))
}

/// OpenCL: the registry, the passes, then the rules that the text of the API states. `name` is that of the release, where it is known.
pub(super) fn read_opencl(
    docs: &OpenClDocs,
    name: Option<&str>,
    decisions: &Decisions<'_>,
    strictness: Strictness,
    alone: bool,
) -> Result<(Read, Findings, Asked), Findings> {
    const NAME: &str = "xml/cl.xml";
    let document = read_document(&docs.registry, NAME)?;
    let overlay = Overlay::read(decisions.overlay.clone())?;
    let (registry, found) = import::opencl::registry::import(&document, strictness)?;
    let version = registry.features.iter().map(|feature| feature.version).max();
    let by_commit = || version.map_or_else(|| docs.state().to_owned(), |version| format!("{version}-{}", docs.state()));
    let release = name.map_or_else(by_commit, str::to_owned);
    let mut said = None;
    let model =
        pass::opencl::model_as(&registry, &overlay, &release, strictness).and_then(|(mut model, mut findings)| {
            if let Some(api) = &docs.api {
                let (read, found) = read_text(api, &release, &mut model, &overlay, strictness)?;
                said = Some(read);
                findings.0.extend(found.0);
            } else if alone {
                // What was decided on the text is not stale for want of the text.
                for question in [Question::HandleTypeColumn, Question::Counterparts] {
                    for subject in overlay.subjects(Api::OpenCl, question) {
                        let _kept = overlay.decide(Api::OpenCl, question, subject);
                    }
                }
                findings.push(Finding::warning("there is no text of the API beside the registry").help(
                    "without `api/*.asciidoc` there are no rules, handle types or error lists: those of the snapshot are kept",
                ));
            }
            findings.with(model)
        });
    let stale = if alone { overlay.stale(Api::OpenCl) } else { Findings::default() };
    let (model, findings) = checked(found, model, stale, strictness)?;
    let at = |(symbol, first, last)| (symbol, Lines { document: NAME.to_owned(), first, last });
    let lines = pass::opencl::lines(&registry).into_iter().map(at).collect();
    let asked = Asked { overlay: overlay.asked(), reviewed: BTreeSet::new() };
    let (read, findings) = findings.with(Read { model, lines, text: said })?;
    Ok((read, findings, asked))
}

/// Puts what the text in the directory `api` states into `model`.
fn read_text(
    api: &Path,
    release: &str,
    model: &mut Model,
    overlay: &Overlay,
    strictness: Strictness,
) -> Result<(Text, Findings), Findings> {
    let documents = read_documents(api)?;
    let (facts, mut findings) = text::import(&documents, strictness)?;
    findings.0.extend(text::compare(&facts, &text::Known::of(model)).0);
    let release = rules::opencl::Release(release.to_owned());
    let vocabulary = rules::opencl::Vocabulary::of(model);
    let (reading, found) = rules::opencl::read(&facts, &vocabulary, &release, strictness)?;
    findings.0.extend(found.0);
    let covered = reading.coverage.clone();
    findings.0.extend(reading.apply(model, overlay).0);
    Ok((Text { coverage: coverage::of_opencl(&covered, &facts, model), lines: lines_of_text(&facts) }, findings))
}

/// Where the text has the error list of each command, the paragraph on each handle type, and the row of each property.
fn lines_of_text(facts: &TextFacts) -> BySymbol {
    let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let mut lines = BySymbol::new();
    let rows = facts.tables.iter().flat_map(|table| &table.rows);
    let rows = rows.flat_map(|row| row.names.iter().map(move |name| (name, &row.place)));
    let parts = facts.sections.iter().flat_map(|section| &section.parts);
    let parts = parts.filter_map(|part| Some((part.handle_type.as_ref()?, &part.place)));
    // What a section says of a handle type counts for more than a row of a table with its name.
    for (name, place) in parts.chain(rows) {
        let document = place.document();
        let end = document.place(place.range().end..place.range().end);
        let at = Lines { document: document.name().to_owned(), first: line(place.line()), last: line(end.line()) };
        lines.entry(name.clone()).or_insert(at);
    }
    for list in &facts.lists {
        let document = list.place.document().name().to_owned();
        lines.insert(list.command.clone(), Lines { document, first: line(list.lines.first), last: line(list.lines.last) });
    }
    lines
}

/// The documents of the text, by name.
fn read_documents(api: &Path) -> Result<Vec<Document>, Findings> {
    let unreadable = |error: std::io::Error| Finding::error(format!("cannot read {}", api.display())).found(error.to_string());
    let mut names = Vec::new();
    for entry in fs::read_dir(api).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "asciidoc") {
            names.push(path);
        }
    }
    names.sort();
    let document = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        read_document(path, &format!("api/{name}"))
    };
    names.iter().map(document).collect()
}

/// What the passes made, with what they and the importer `found`. A `stale` decision is an error, which lenient reading lists; a model that
/// does not hold together is one always, because no snapshot may hold it.
fn checked(
    mut found: Findings,
    model: Result<(Model, Findings), Findings>,
    mut stale: Findings,
    strictness: Strictness,
) -> Result<(Model, Findings), Findings> {
    let model = match model {
        Ok((model, findings)) => {
            found.0.extend(findings.0);
            model
        }
        Err(findings) => {
            found.0.extend(findings.0);
            return Err(found);
        }
    };
    if strictness == Strictness::Lenient {
        stale.soften();
    }
    found.0.extend(stale.0);
    found.0.extend(validate::validate(&model).0);
    found.with(model)
}

fn read_document(path: &Path, name: &str) -> Result<Document, Findings> {
    let bytes =
        fs::read(path).map_err(|error| Finding::error(format!("cannot read {}", path.display())).found(error.to_string()))?;
    Ok(Document::from_bytes(name, &bytes)?)
}
