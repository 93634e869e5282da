//! Which releases there are, and reading all of them.

use std::{
    env,
    path::{Path, PathBuf},
};

use clcu_codegen::{
    fetch::FetchError,
    finding::Finding,
    model::Api,
    pass::merge,
    pipeline::{self, Decisions, Imported, Read, Release},
};

use super::{
    arguments::{OpenClReleases, Reading, Upstream},
    exit::{Exit, Failure},
    findings,
    session::Session,
    upstream,
};

/// Every pinned release of CUDA, and every release of OpenCL that there is a directory of, merged; the newest state of OpenCL last.
///
/// Without a directory of releases OpenCL's newest state is read, and its snapshot's history kept.
pub(crate) fn read_all(session: &Session, from: &Upstream, opencl: &OpenClReleases, reading: Reading) -> Result<Imported, Failure> {
    let mut releases = Vec::new();
    for pinned in session.pinned_cuda() {
        let cuda = session.cuda(from, pinned, None).map_err(|error| Failure::from(&error))?;
        releases.push(Release::Cuda(Box::new(cuda)));
    }
    let tags = directory(from, opencl).map(|directory| tags(&directory)).unwrap_or_default();
    for (name, directory) in &tags {
        let docs = session.opencl(from, Some(directory)).map_err(|error| Failure::from(&error))?;
        releases.push(Release::OpenCl(docs, Some(name.clone())));
    }
    let docs = session.opencl(from, None).map_err(|error| Failure::from(&error))?;
    releases.push(Release::OpenCl(docs, None));
    let (overlay, reviewed) = (session.document(pipeline::OVERLAY)?, session.document(pipeline::REVIEWED)?);
    let decisions = Decisions { overlay: &overlay, reviewed: &reviewed };
    let (read, found) = pipeline::read_all(&releases, &decisions, upstream::strictness(reading))?;
    findings::show(session.screen, &found);
    let of = |wanted: Api| -> Result<(Api, Result<Read, FetchError>), Failure> {
        let one = read.iter().find(|(api, _)| *api == wanted).map(|(_, read)| read.clone());
        let mut one = one.ok_or_else(|| Failure::new(Exit::Input, Finding::error(format!("no release of {wanted} was read"))))?;
        if wanted == Api::OpenCl
            && tags.is_empty()
            && let Ok(snapshot) = session.snapshot(wanted)
        {
            one.model = merge::onto(&snapshot, one.model)?;
        }
        Ok((wanted, Ok(one)))
    };
    Ok(Imported { apis: [of(Api::Cuda)?, of(Api::OpenCl)?], findings: found })
}

/// The directory of OpenCL's releases: what the user named, or what the documents that he named are in.
pub(crate) fn directory(from: &Upstream, opencl: &OpenClReleases) -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = opencl.opencl_releases.clone().or_else(|| variable("CLCU_OPENCL_RELEASES"));
    named.or_else(|| {
        let docs = from.opencl_docs.clone().or_else(|| variable("CLCU_OPENCL_DOCS"))?;
        docs.parent().map(Path::to_owned)
    })
}

/// The releases in `directory`, oldest first: `3.0.19` and where it is.
fn tags(directory: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut tags: Vec<(Vec<u32>, String, PathBuf)> = entries
        .filter(|path| path.join("xml/cl.xml").is_file())
        .filter_map(|path| {
            let name = name_of(&path)?;
            let numbers: Option<Vec<u32>> = name.split('.').map(|number| number.parse().ok()).collect();
            Some((numbers?, name, path))
        })
        .collect();
    tags.sort();
    tags.into_iter().map(|(_, name, path)| (name, path)).collect()
}

/// `3.0.19` of a directory called `v3.0.19`.
pub(crate) fn name_of(directory: &Path) -> Option<String> {
    let name = directory.file_name()?.to_str()?.strip_prefix('v')?;
    name.starts_with(|c: char| c.is_ascii_digit()).then(|| name.to_owned())
}
