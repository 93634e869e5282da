use std::process::Command;

use super::*;
use crate::{
    fetch::{Quiet, Reach},
    finding::Document,
};

fn sources() -> Sources {
    Sources::read(&Document::new("spec/sources.toml", clcu_spec::SOURCES)).expect("the committed file is right")
}

fn written(directory: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("below the directory")).expect("writable");
        fs::write(path, content).expect("writable");
    }
}

fn given(cuda_include: Option<&Path>, libclang: Option<&Path>, opencl_docs: Option<&Path>) -> Overrides {
    let own = |path: Option<&Path>| path.map(Path::to_owned);
    Overrides { cuda_include: own(cuda_include), libclang: own(libclang), opencl_docs: own(opencl_docs) }
}

#[test]
fn a_directory_of_headers_has_the_version_that_its_cuda_h_defines() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    written(directory.path(), &[("cuda.h", "/* of ours */\n#define  CUDA_VERSION 12090 /* 12.9 */\n")]);
    let headers = given_headers(&sources(), directory.path()).expect("a good directory");
    assert_eq!((headers.version, headers.release.as_str()), (Version::new(12, 9), "12.9"));
}

#[test]
fn a_directory_without_cuda_h_and_one_whose_version_is_no_number_are_refused_by_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let told = || given_headers(&sources(), directory.path()).expect_err("refused").to_string();
    assert!(told().contains("no `cuda.h` there"), "{}", told());
    for text in
        ["", "#define CUDA_VERSION\n", "#define CUDA_VERSION (12 * 1000)\n", "#define CUDA_VERSION 7\n", "CUDA_VERSION 12000\n"]
    {
        written(directory.path(), &[("cuda.h", text)]);
        assert!(told().contains("CUDA_VERSION") && told().contains(&directory.path().display().to_string()), "{text}: {}", told());
    }
}

#[test]
fn a_library_that_is_not_there_is_refused() {
    let overrides = given(None, Some(Path::new("nowhere/libclang.so")), None);
    let refused = libclang(&sources(), &Cache::at("unused"), &overrides, &Quiet).expect_err("no such file");
    assert_eq!(refused.reach(), Reach::Wrong);
    assert!(refused.to_string().contains("nowhere/libclang.so"), "{refused}");
}

#[test]
fn a_directory_of_documents_needs_the_registry_and_not_the_text() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let refused = given_docs(&sources(), directory.path()).expect_err("empty");
    assert!(refused.to_string().contains("no `xml/cl.xml` there"), "{refused}");
    written(directory.path(), &[("xml/cl.xml", "<registry/>")]);
    let docs = given_docs(&sources(), directory.path()).expect("a registry");
    assert_eq!((docs.api, docs.commit), (None, None), "no text, and not the pinned state");
}

#[test]
fn the_command_line_goes_before_the_environment_and_an_empty_variable_is_none() {
    let overrides = given(Some(Path::new("line")), None, None).or_environment(|name| match name {
        "CLCU_CUDA_INCLUDE" | "CLCU_LIBCLANG" => Some("environment".into()),
        _ => Some("".into()),
    });
    assert_eq!(overrides.cuda_include.as_deref(), Some(Path::new("line")));
    assert_eq!(overrides.libclang.as_deref(), Some(Path::new("environment")));
    assert_eq!(overrides.opencl_docs, None);
}

/// A repository with two commits, and the name of the first.
fn repository(directory: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(directory).args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "uploadpack.allowFilter=true"]);
        let output = git.args(arguments).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    git(&["init", "--quiet"])?;
    git(&["config", "uploadpack.allowFilter", "true"])?;
    written(
        directory,
        &[("xml/cl.xml", "<registry/>\n"), ("api/a.asciidoc", "text\n"), ("api/b.rb", "no text\n"), ("c/c.c", "\n")],
    );
    git(&["add", "."])?;
    git(&["commit", "--quiet", "-m", "first"])?;
    let first = git(&["rev-parse", "--short", "HEAD"])?;
    written(directory, &[("xml/cl.xml", "<registry>newer</registry>\n")]);
    git(&["commit", "--quiet", "-a", "-m", "second"])?;
    Some(first)
}

#[test]
fn documents_of_the_pinned_commit_come_out_of_the_repository_and_a_wrong_hash_leaves_nothing() {
    let (upstream, cache) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let Some(commit) = repository(upstream.path()) else {
        return crate::skipped::skipped(
            "documents_of_the_pinned_commit_come_out_of_the_repository_and_a_wrong_hash_leaves_nothing",
            "git",
        );
    };
    let text = |hash: &str| {
        let committed = sources();
        clcu_spec::SOURCES
            .replace(&committed.opencl.repository, &format!("file://{}", upstream.path().display()))
            .replace(&committed.opencl.commit, &commit)
            .replace(committed.opencl.sha256.get_ref(), hash)
    };
    let get = |hash: &str| {
        let sources = Sources::read(&Document::new("sources.toml", &text(hash))).expect("only values were changed");
        opencl_docs(&sources, &Cache::at(cache.path()), &Overrides::default(), &Quiet)
    };
    let wrong = get(&"0".repeat(64)).expect_err("another hash");
    assert!(matches!(wrong, FetchError::Hash { .. }), "{wrong}");
    let left = || fs::read_dir(cache.path()).expect("it exists").flatten().filter(|entry| entry.path().is_dir()).count();
    assert_eq!(left(), 0);
    let docs = get(&pip::sha256(b"<registry/>\n")).expect("the first commit's registry");
    assert_eq!(fs::read(&docs.registry).expect("it is there"), b"<registry/>\n");
    let api = docs.api.expect("the text came too");
    let names: Vec<_> = fs::read_dir(api).expect("it exists").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["a.asciidoc"]);
    assert_eq!(left(), 1);
}
