//! Reads upstream into models, the two APIs at the same time.
//!
//! In: the inputs that are in reach, and the overlay. Out: a model for each of them with what was found on the way; or all errors.

use std::{collections::BTreeSet, fs, panic::resume_unwind, path::Path, thread};

use super::locate::{Cuda, Located};
use crate::{
    fetch::{FetchError, OpenClDocs},
    finding::{Document, Finding, Findings, Strictness},
    import::{
        self,
        cuda::{Headers, Libclang},
    },
    model::{Api, Model},
    overlay::Overlay,
    pass::{self, validate},
    rules::{self, reviewed::Reviewed},
    snapshot::lines::{BySymbol, Lines},
};

/// One API, read from upstream.
#[derive(Clone, Debug)]
pub struct Read {
    /// What it is made of.
    pub model: Model,
    /// Where upstream declares each symbol.
    pub lines: BySymbol,
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
    let model = pass::cuda::model(&facts, &overlay, &inputs.headers.release).and_then(|(mut model, mut findings)| {
        let (rules, found) = rules::cuda::rules(&facts.comments, &model, &overlay, &reviewed, strictness)?;
        rules.apply(&mut model);
        findings.0.extend(found.0);
        findings.with(model)
    });
    let stale = if alone { overlay.stale(Api::Cuda) } else { Findings::default() };
    let (model, findings) = checked(found, model, stale, strictness)?;
    let lines = pass::cuda::lines::lines(&facts).into_iter();
    let at = |line: pass::cuda::lines::Lines| (line.symbol, Lines { document: line.document, first: line.first, last: line.last });
    let asked = Asked { overlay: overlay.asked(), reviewed: reviewed.asked() };
    let (read, findings) = findings.with(Read { model, lines: lines.map(at).collect() })?;
    Ok((read, findings, asked))
}

/// OpenCL: the registry, then the passes. `name` is that of the release, where it is known.
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
    let state = || version.map_or_else(|| docs.state().to_owned(), |version| format!("{version}-{}", docs.state()));
    let model = pass::opencl::model(&registry, &overlay, &name.map_or_else(state, str::to_owned));
    let stale = if alone { overlay.stale(Api::OpenCl) } else { Findings::default() };
    let (model, findings) = checked(found, model, stale, strictness)?;
    let at = |(symbol, first, last)| (symbol, Lines { document: NAME.to_owned(), first, last });
    let lines = pass::opencl::lines(&registry).into_iter().map(at).collect();
    let asked = Asked { overlay: overlay.asked(), reviewed: BTreeSet::new() };
    let (read, findings) = findings.with(Read { model, lines })?;
    Ok((read, findings, asked))
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
