//! `clcu generate --only`: a part of the bindings, for a crate that vendors it.

use std::{fs, path::Path};

use clcu_codegen::{
    Builder,
    finding::{Finding, Findings},
    model::Api,
    parts::{Error, MARK, WANTED},
    pipeline::{self, Difference, OutputError, Outputs},
};

use super::{
    arguments::{General, Only},
    exit::{Exit, Failure},
    findings::counted,
    screen::Screen,
    session::{self, Session},
};

/// Writes the part that `only` asks for: from the snapshots of the checkout where there is one, else from those that the command was built with.
pub(crate) fn run(general: &General, screen: Screen, only: &Only) -> Result<(), Failure> {
    let out = only.out.as_deref().unwrap_or(Path::new("."));
    let file = only.single_file.as_deref().map(file_name).transpose()?;
    if out.exists() && !out.is_dir() {
        let finding = Finding::error(format!("--out {} is no directory", out.display())).found("a file");
        return Err(Failure::new(Exit::Input, finding.help("name a directory: the part is written into it")));
    }
    let mut builder = Builder::new().only(only.names.iter().map(String::as_str)).rules(only.rules).repeat(repeat(only));
    if general.root.is_some() || session::find_root().is_some() {
        let session = Session::open(general, screen)?;
        let [cuda, opencl] = Api::ALL.map(|api| session.snapshot(api));
        builder = builder.texts(pipeline::texts(&cuda?, &opencl?)?);
    }
    let part = builder.part().map_err(failure)?;
    let mut outputs = Outputs::default();
    match &file {
        Some(name) => outputs.push(name.as_str(), part.single_file()),
        None => part.files().for_each(|(path, text)| outputs.push(path, text)),
    }
    if file.is_none() {
        for path in stale(out, "", &part.files().map(|(path, _)| path).collect::<Vec<_>>()) {
            outputs.remove(path);
        }
    }
    let foreign = |difference: &&Difference| difference.old.as_ref().is_some_and(|old| !old.starts_with(MARK));
    if let Some(difference) = outputs.differences(out)?.iter().find(foreign) {
        return Err(OutputError::Stray { path: out.join(&difference.path).display().to_string() }.into());
    }
    let written = outputs.write(out)?;
    let what = if written.is_empty() { "nothing changed" } else { "changed" };
    screen.report(&format!("{what}: {} of {}", written.len(), counted(outputs.len(), "file")));
    for difference in &written {
        screen.report(&format!("  {}", out.join(&difference.path).display()));
    }
    Ok(())
}

/// `name` if a file in a directory can be called so.
fn file_name(name: &str) -> Result<String, Failure> {
    let path = Path::new(name);
    if path.file_name().is_some_and(|own| own == name) && path.extension().is_some_and(|extension| extension == "rs") {
        return Ok(name.to_owned());
    }
    let finding =
        Finding::error(format!("--single-file {name} is no name of a file")).wanted("a name without directories that ends in .rs");
    Err(Failure::new(Exit::Input, finding.help("the directory is what --out names")))
}

/// What was written for a part before, and is none of it now: files below `folder` of `out` that are not among `paths`.
fn stale(out: &Path, folder: &str, paths: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    // What cannot be read is not removed either.
    for entry in fs::read_dir(out.join(folder)).into_iter().flatten().flatten() {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.path().is_dir() {
            // A part has directories of these names, and no deeper ones.
            if folder.is_empty() && ["cuda", "opencl", "rules"].contains(&name.as_str()) {
                found.extend(stale(out, &path, paths));
            }
        } else if !paths.contains(&path.as_str()) && fs::read_to_string(entry.path()).is_ok_and(|text| is_branch(&text)) {
            found.push(path);
        }
    }
    found
}

/// Whether `text` is a file of a tree, below its root: a root says how to make it again.
fn is_branch(text: &str) -> bool {
    text.starts_with(MARK) && text.lines().nth(1).is_none_or(|line| !line.starts_with("// "))
}

/// The command that does it again, for who stands in the directory. A path of this machine would mean nothing on another one.
fn repeat(only: &Only) -> String {
    let names: Vec<&str> = only.names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let mut command = format!("To repeat it, in this directory: clcu generate --only {}", names.join(","));
    if only.rules {
        command.push_str(" --rules");
    }
    if let Some(name) = &only.single_file {
        command.extend([" --single-file ", name]);
    }
    command + " --out ."
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Unknown(names) => {
            let finding = |unknown: &clcu_codegen::parts::Unknown| {
                let finding = Finding::error(format!("nothing is called `{}`", unknown.name)).wanted(WANTED);
                if unknown.nearest.is_empty() { finding } else { finding.help(format!("did you mean {}?", unknown.suggestions())) }
            };
            Failure::new(Exit::Input, Findings(names.iter().map(finding).collect()))
        }
        Error::Nothing => Failure::new(Exit::Input, Finding::error("--only names nothing").wanted(WANTED)),
        error => Failure::new(Exit::Input, Finding::error(error.to_string())),
    }
}
