//! Reads many releases at the same time, and makes one model of each API out of them.
//!
//! In: inputs of several releases, oldest first. Out: a merged model for each API, or all errors. A release is a job of its own, and there
//! are as many workers as the machine has cores, so that the time grows with the number of releases and with nothing else.

use std::{
    collections::BTreeSet,
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{
    import::{Asked, Decisions, Read, read_cuda, read_opencl},
    locate::Cuda,
};
use crate::{
    fetch::OpenClDocs,
    finding::{Finding, Findings, Severity, Strictness},
    model::Api,
    overlay::Overlay,
    pass::{merge, validate},
    rules::reviewed::Reviewed,
};

/// The inputs of one release.
#[derive(Clone, Debug)]
pub enum Release {
    /// Headers of CUDA.
    Cuda(Box<Cuda>),
    /// A state of OpenCL's documents, with the name of the release where that is known (`3.0.19`).
    OpenCl(OpenClDocs, Option<String>),
}

impl Release {
    /// Whose release it is.
    #[must_use]
    pub const fn api(&self) -> Api {
        match self {
            Self::Cuda(_) => Api::Cuda,
            Self::OpenCl(..) => Api::OpenCl,
        }
    }
}

/// One release, with what was found on the way. Decisions that it has no use for are not reported: another release may have.
pub fn read_release(release: &Release, decisions: &Decisions<'_>, strictness: Strictness) -> Result<(Read, Findings), Findings> {
    read(release, decisions, strictness).map(|(read, findings, _)| (read, findings))
}

fn read(release: &Release, decisions: &Decisions<'_>, strictness: Strictness) -> Result<(Read, Findings, Asked), Findings> {
    match release {
        Release::Cuda(cuda) => read_cuda(cuda, decisions, strictness, false),
        Release::OpenCl(docs, name) => read_opencl(docs, name.as_deref(), decisions, strictness, false),
    }
}

/// All of `releases`, which are sorted by age within an API, as one model for each API that has any; with what was found on the way.
///
/// The newest release of an API is read as `strictness` says, older ones of OpenCL leniently, and one that cannot be read at all is left out with a
/// warning: published states do not change any more, so that nobody can set right what is wrong in them. A decision that no release has a use for is an error.
pub fn read_all(
    releases: &[Release],
    decisions: &Decisions<'_>,
    strictness: Strictness,
) -> Result<(Vec<(Api, Read)>, Findings), Findings> {
    let results = at_the_same_time(releases, |release| {
        let newest = newest_of(releases, release);
        let published = release.api() == Api::OpenCl && !newest;
        let (read, mut found, asked) = read(release, decisions, if published { Strictness::Lenient } else { strictness })?;
        for finding in found.0.iter_mut().filter(|_| published) {
            finding.softened = false;
        }
        if !newest {
            // What older releases say without consequence was said when they were new.
            found.0.retain(|finding| finding.severity > Severity::Note);
        }
        Ok::<_, Findings>((read, found, asked))
    });
    let (mut findings, mut asked) = (Findings::default(), Asked::default());
    let mut read: Vec<(Api, Vec<Read>)> = Api::ALL.map(|api| (api, Vec::new())).into();
    let mut failed = false;
    for (release, result) in releases.iter().zip(results) {
        match result {
            Ok((one, found, of_one)) => {
                findings.0.extend(found.0);
                asked.add(of_one);
                read.iter_mut().filter(|(api, _)| *api == release.api()).for_each(|(_, list)| list.push(one.clone()));
            }
            Err(found) if release.api() == Api::OpenCl && !newest_of(releases, release) => findings.push(left_out(release, &found)),
            Err(found) => {
                failed = true;
                findings.0.extend(found.0);
            }
        }
    }
    if failed {
        return Err(findings);
    }
    read.retain(|(_, list)| !list.is_empty());
    let apis: BTreeSet<Api> = read.iter().map(|(api, _)| *api).collect();
    findings.0.extend(stale(&apis, decisions, &asked, strictness)?.0);
    let mut merged = Vec::new();
    for (api, mut list) in read {
        keep_rules(&mut list);
        // Line numbers are those of the newest release: in older ones nobody looks.
        let text = list.last().and_then(|read| read.text.clone());
        let lines = list.last().map(|read| read.lines.clone()).unwrap_or_default();
        let model = merge::merge(list.into_iter().map(|read| read.model).collect())?;
        findings.0.extend(validate::validate(&model).0);
        merged.push((api, Read { model, lines, text }));
    }
    findings.with(merged)
}

/// Of a release whose text is not there nothing is known but that its rules may be those of the one before.
fn keep_rules(list: &mut [Read]) {
    let mut before: Option<Read> = None;
    for read in list {
        if let Some(before) = &before {
            read.keep_rules(&before.model);
        }
        before = Some(read.clone());
    }
}

/// Whether `release` is the last of its API among `releases`.
fn newest_of(releases: &[Release], release: &Release) -> bool {
    releases.iter().rfind(|other| other.api() == release.api()).is_some_and(|last| std::ptr::eq(last, release))
}

/// What to say of an older state that cannot be read at all.
fn left_out(release: &Release, found: &Findings) -> Finding {
    let name = match release {
        Release::OpenCl(docs, name) => name.clone().unwrap_or_else(|| docs.state().to_owned()),
        Release::Cuda(cuda) => cuda.headers.release.clone(),
    };
    let errors: Vec<&Finding> = found.0.iter().filter(|finding| finding.severity == Severity::Error).collect();
    let first = errors.first().map(|finding| finding.what.as_str()).unwrap_or_default();
    Finding::warning(format!("{} {name} is left out of the history", release.api()))
        .found(format!("{} errors, the first of them: {first}", errors.len()))
        .help("decisions for it in the overlay, with `until`, would let it be read")
}

/// The decisions that no release asked for.
fn stale(apis: &BTreeSet<Api>, decisions: &Decisions<'_>, asked: &Asked, strictness: Strictness) -> Result<Findings, Findings> {
    let overlay = Overlay::read(decisions.overlay.clone())?;
    let mut stale = Findings::default();
    for api in apis {
        stale.0.extend(overlay.stale_in_all(*api, &asked.overlay).0);
    }
    if apis.contains(&Api::Cuda) {
        stale.0.extend(Reviewed::read(decisions.reviewed.clone())?.stale_in_all(&asked.reviewed).0);
    }
    if strictness == Strictness::Lenient {
        stale.soften();
    }
    Ok(stale)
}

/// What `work` makes of each of `items`, in their order.
fn at_the_same_time<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(items.len());
    thread::scope(|scope| {
        let worker = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(place) else { break };
                let result = work(item);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        for handle in handles {
            // An importer that panics has a fault of its own, which must not pass for a fault of the document.
            handle.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::at_the_same_time;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let twice: Vec<u32> = items.iter().map(|item| item * 2).collect();
        assert_eq!(at_the_same_time(&items, |item| item * 2), twice);
    }
}
