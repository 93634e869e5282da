//! The changelog fragment of an update: what it changes for users of the bindings, as a file of its own under `changes/`.
//!
//! In: the snapshots as they are, and what was read. Out: a file for each API whose facts change, to be written with everything else. A file
//! that is there already is continued, so that nothing which somebody wrote is lost; at a release they go into `CHANGELOG.md`.

use std::{fs, io};

use clcu_codegen::{
    diff::Diff,
    finding::Finding,
    model::Model,
    pipeline::{self, Imported, Outputs},
};

use super::{
    exit::{Exit, Failure},
    session::Session,
};

/// The fragments of what `imported` changes in the snapshots.
pub(crate) fn fragments(session: &Session, imported: &Imported) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    for (path, section) in diffs(session, imported).iter().map(fragment) {
        let there = match fs::read_to_string(session.root.join(&path)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        if !there.contains(&section) {
            outputs.push(path, continued(&there, &section));
        }
    }
    Ok(outputs)
}

/// What `imported` changes in the snapshots, for each API of which it changes anything.
pub(crate) fn diffs(session: &Session, imported: &Imported) -> Vec<Diff> {
    let read = imported.apis.iter().filter_map(|(api, result)| Some((*api, &result.as_ref().ok()?.model)));
    // A snapshot that is not there or cannot be read is about to be replaced: there is nothing to compare with, and nothing to lose.
    read.filter_map(|(api, after)| difference(&session.snapshot(api).ok()?, after)).collect()
}

/// `None` where nothing changes, or where all is new because nothing was known.
fn difference(before: &Model, after: &Model) -> Option<Diff> {
    let diff = Diff::between(before, after);
    (!diff.changes.is_empty() && !before.releases.is_empty()).then_some(diff)
}

/// The path of the fragment, and what it has to say.
fn fragment(diff: &Diff) -> (String, String) {
    let steps = if diff.from == diff.to { diff.to.clone() } else { format!("{}-to-{}", diff.from, diff.to) };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
    let name: String = format!("{}-{steps}", diff.api.name()).chars().map(plain).collect();
    (format!("{}/{name}.md", pipeline::CHANGES), diff.to_markdown())
}

/// `section` after what is `there`.
fn continued(there: &str, section: &str) -> String {
    match there.trim_end() {
        "" => section.to_owned(),
        there => format!("{there}\n\n{section}"),
    }
}

fn unreadable(path: &str, error: &io::Error) -> Failure {
    let finding = Finding::error(format!("cannot read {path}"));
    let help = "it is the changelog fragment that this update continues: make it readable, or move it away";
    Failure::new(Exit::Disk, finding.found(error.to_string()).help(help))
}

#[cfg(test)]
mod tests {
    use super::{continued, difference, fragment};
    use clcu_codegen::model::{Api, CType, Constant, Lifetime, Model};

    fn model(release: &str, value: &str) -> Model {
        let mut model = Model::empty(Api::Cuda);
        model.releases.push(release.to_owned());
        let (ctype, value) = (CType::named("u32"), value.parse().expect("a number"));
        let name = "CU_LIMIT".to_owned();
        model.constants.push(Constant { name, ctype, value, lifetime: Lifetime::default(), windows: false });
        model
    }

    #[test]
    fn a_fragment_is_named_after_the_step_and_says_what_changes() {
        let (path, text) = fragment(&difference(&model("13.5.37", "1"), &model("13.6.1", "2")).expect("a change"));
        assert_eq!(path, "changes/cuda-13.5.37-to-13.6.1.md");
        let wanted = "### CUDA 13.5.37 to 13.6.1\n\n#### Breaks the ABI\n\n- renumbered constant `CU_LIMIT`: value `1` to `2`\n";
        assert_eq!(text, wanted);
        let (path, _) = fragment(&difference(&model("13.5.37", "1"), &model("13.5.37", "2")).expect("read otherwise than before"));
        assert_eq!(path, "changes/cuda-13.5.37.md");
    }

    #[test]
    fn where_nothing_changes_or_nothing_was_known_there_is_no_fragment() {
        assert_eq!(difference(&model("13.5.37", "1"), &model("13.6.1", "1")), None);
        assert_eq!(difference(&Model::empty(Api::Cuda), &model("13.5.37", "1")), None);
    }

    #[test]
    fn what_is_there_is_kept_above() {
        assert_eq!(continued("", "### A\n"), "### A\n");
        assert_eq!(continued("By hand.\n", "### A\n"), "By hand.\n\n### A\n");
    }
}
