//! `clcu diff`: what changed between two releases, and what it breaks.

use std::path::{Path, PathBuf};

use clcu_codegen::{
    diff::{Diff, Grade},
    fetch::FetchError,
    finding::{Document, Finding, Findings},
    model::Model,
    pipeline::{self, Decisions, Read, Release},
    snapshot,
};

use super::{
    arguments::{OpenClReleases, Reading, Upstream},
    exit::{Exit, Failure},
    findings, releases,
    screen::print,
    session::Session,
    upstream,
};

/// What is to be compared, and how to show it.
pub(crate) struct Request {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) json: bool,
    pub(crate) markdown: bool,
    pub(crate) upstream: Upstream,
    pub(crate) releases: OpenClReleases,
    pub(crate) reading: Reading,
}

/// The shape of `--json`. Grows by one when a field is renamed, removed, or changes its meaning.
const SCHEMA: u32 = 1;

pub(crate) fn run(session: &Session, request: &Request) -> Result<(), Failure> {
    let (mut old, mut new) = (side(session, request, &request.old)?, side(session, request, &request.new)?);
    let mut diffs = Vec::new();
    for old in &mut old {
        let Some(new) = new.iter_mut().find(|new| new.model.api == old.model.api) else { continue };
        if !(old.text && new.text) {
            let without = if old.text { &request.new } else { &request.old };
            session.screen.note(&format!("rules, handle types and errors are not compared: the text of `{without}` is not there"));
            for side in [&mut *old, &mut *new] {
                side.text = false;
                side.model.rules.clear();
                side.model.handle_types.clear();
                side.model.error_lists.clear();
                side.model.properties.clear();
            }
        }
        diffs.push(Diff::between(&old.model, &new.model));
    }
    if diffs.is_empty() {
        let finding = Finding::error(format!("`{}` and `{}` have no API in common", request.old, request.new));
        return Err(Failure::new(Exit::Input, finding.wanted("two releases of CUDA, or two of OpenCL")));
    }
    print(&rendered(request, &diffs));
    outcome(diffs.iter().filter_map(Diff::grade).max())
}

/// How a command ends that found a change of this grade.
pub(crate) fn outcome(grade: Option<Grade>) -> Result<(), Failure> {
    let exit = match grade {
        None => return Ok(()),
        Some(Grade::Text) => Exit::Text,
        Some(Grade::Adds) => Exit::Adds,
        Some(Grade::Source) => Exit::Source,
        Some(Grade::Abi) => Exit::Abi,
    };
    Err(Failure::new(exit, Findings::default()))
}

fn rendered(request: &Request, diffs: &[Diff]) -> String {
    if request.json {
        let all = serde_json::json!({ "schema": SCHEMA, "diffs": diffs });
        return format!("{all:#}\n");
    }
    let texts: Vec<String> = diffs.iter().map(|diff| if request.markdown { diff.to_markdown() } else { diff.to_text() }).collect();
    texts.join("\n")
}

/// What is compared: a model, and whether the text that states rules was there.
struct Side {
    model: Model,
    text: bool,
}

/// The models that a side of the comparison means.
fn side(session: &Session, request: &Request, name: &str) -> Result<Vec<Side>, Failure> {
    let cannot = |error: FetchError| Failure::from(&error);
    let of = |read: Read| Side { model: read.model, text: read.text.is_some() };
    let path = PathBuf::from(name);
    match name {
        "snapshot" => return Ok(session.snapshots()?.map(|model| Side { model, text: true }).into()),
        "upstream" => {
            let imported = upstream::read(session, &request.upstream, request.reading)?;
            if let Some(failure) = upstream::out_of_reach(&imported) {
                return Err(failure);
            }
            return Ok(imported.apis.into_iter().filter_map(|(_, read)| read.ok()).map(of).collect());
        }
        _ => {}
    }
    let release = if let Some(version) = name.strip_prefix("cuda-") {
        let pinned = session.release(Some(version))?;
        Release::Cuda(Box::new(session.cuda(&request.upstream, pinned, None).map_err(cannot)?))
    } else if let Some(tag) = name.strip_prefix("opencl-") {
        let directory = opencl_directory(request, tag)?;
        let docs = session.opencl(&request.upstream, Some(&directory)).map_err(cannot)?;
        Release::OpenCl(docs, releases::name_of(&directory))
    } else if path.is_file() {
        return Ok(vec![Side { model: snapshot_file(&path)?, text: true }]);
    } else if path.join("cuda.h").is_file() {
        let pinned = session.release(None)?;
        Release::Cuda(Box::new(session.cuda(&request.upstream, pinned, Some(&path)).map_err(cannot)?))
    } else if path.join("xml/cl.xml").is_file() {
        let docs = session.opencl(&request.upstream, Some(&path)).map_err(cannot)?;
        Release::OpenCl(docs, releases::name_of(&path))
    } else {
        let finding = Finding::error(format!("`{name}` is nothing that can be compared"));
        let wanted = "`snapshot`, `upstream`, `cuda-12.9`, `opencl-v3.0.19`, the file of a snapshot, or a directory with cuda.h or xml/cl.xml in it";
        return Err(Failure::new(Exit::Input, finding.wanted(wanted)));
    };
    let (overlay, reviewed) = (session.document(pipeline::OVERLAY)?, session.document(pipeline::REVIEWED)?);
    let decisions = Decisions { overlay: &overlay, reviewed: &reviewed };
    let (read, found) = pipeline::read_release(&release, &decisions, upstream::strictness(request.reading))?;
    if session.screen.verbose {
        findings::show(session.screen, &found);
    }
    Ok(vec![of(read)])
}

/// Where the release of OpenCL called `tag` is.
fn opencl_directory(request: &Request, tag: &str) -> Result<PathBuf, Failure> {
    let directory = releases::directory(&request.upstream, &request.releases).ok_or_else(|| {
        let finding = Finding::error(format!("it is not known where `opencl-{tag}` is"));
        let help = "name the directory that the releases are in with --opencl-releases DIR, or give the path of the release itself";
        Failure::new(Exit::Input, finding.help(help))
    })?;
    let there = |name: String| Some(directory.join(name)).filter(|path| path.join("xml/cl.xml").is_file());
    there(tag.to_owned()).or_else(|| there(format!("v{tag}"))).ok_or_else(|| {
        let finding = Finding::error(format!("there is no release of OpenCL called `{tag}`"));
        Failure::new(Exit::Input, finding.found(format!("no `{tag}/xml/cl.xml` in {}", directory.display())))
    })
}

fn snapshot_file(path: &Path) -> Result<Model, Failure> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::unreadable(format!("cannot read {shown}"), &error, "give the path of a snapshot"))?;
    let document = Document::from_bytes(&shown, &bytes).map_err(|finding| Failure::new(Exit::Input, finding))?;
    Ok(snapshot::read(&document)?)
}
