//! `clcu import`, `update` and `check --upstream`: what is in reach is read, what is wrong is refused with its place and changes nothing.
#![cfg(feature = "cli")]

mod cli;

use std::fs;

use clcu_codegen::{
    model::{Api, Model},
    snapshot,
};
use cli::{Ran, Repository};

const REGISTRY: &str = include_str!("cli/registry.xml");

/// A repository with documents of OpenCL, empty snapshots, and neither pip nor git: CUDA is out of reach.
fn repository() -> Repository {
    let repository = Repository::with_sources(clcu_spec::SOURCES);
    repository.put("spec/overlay.toml", "");
    repository.put("spec/reviewed.toml", "");
    for api in Api::ALL {
        repository.put(&format!("spec/{}.json", api.name()), snapshot::write(&Model::empty(api)));
    }
    repository.put("docs/xml/cl.xml", REGISTRY);
    repository
}

fn outputs(repository: &Repository) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    [repository.files("spec"), repository.files("generated")].concat()
}

fn with_docs(repository: &Repository, arguments: &[&str]) -> Ran {
    repository.run(&[arguments, &["--opencl-docs", "docs"]].concat())
}

#[test]
fn update_reads_what_is_in_reach_keeps_the_rest_and_says_so() {
    let repository = repository();
    let cuda = repository.read("spec/cuda.json");
    let ran = with_docs(&repository, &["update"]);
    ran.succeeds(&[
        "CUDA: kept as the snapshot has it",
        "no working pip",
        "OpenCL: read 1.0-",
        "spec/opencl.json",
        "undecided: nothing",
    ]);
    assert_eq!(repository.read("spec/cuda.json"), cuda);
    assert!(repository.read("spec/opencl.json").contains("{\"symbol\": \"clFinish\""));
    assert!(repository.read("generated/src/opencl/commands.rs").contains("clFinish"));
    let before = outputs(&repository);
    with_docs(&repository, &["update"]).succeeds(&["nothing changed"]);
    assert_eq!(outputs(&repository), before);
}

#[test]
fn without_any_upstream_update_generates_from_the_snapshots_and_import_gives_up() {
    let repository = repository();
    let ran = repository.run(&["update"]);
    ran.succeeds(&["CUDA: kept", "OpenCL: kept", "git is not on PATH", "generated/src/cuda/mod.rs"]);
    let before = outputs(&repository);
    repository.run(&["import"]).fails(4, &["no working pip is on PATH", "git is not on PATH", "2 errors"]);
    repository.run(&["check", "--upstream"]).fails(4, &["no working pip is on PATH", "git is not on PATH"]);
    assert_eq!(outputs(&repository), before);
}

#[test]
fn documents_named_in_the_environment_are_read() {
    let repository = repository();
    let output = repository.command(&["import"]).env("CLCU_OPENCL_DOCS", repository.path("docs")).output();
    Ran::from(output.expect("the command was built")).succeeds(&["OpenCL: read 1.0-"]);
}

#[test]
fn a_check_with_upstream_shows_how_the_snapshot_differs() {
    let repository = repository();
    with_docs(&repository, &["update"]).succeeds(&[]);
    // Nothing differs, and yet one half could not be compared.
    with_docs(&repository, &["check", "--upstream"]).fails(4, &["no working pip"]);
    with_docs(&repository, &["check"]).succeeds(&["nothing differs"]);
    repository.put("docs/xml/cl.xml", REGISTRY.replace("\"-1\"", "\"-2\""));
    let before = outputs(&repository);
    let ran = with_docs(&repository, &["check", "--upstream"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    for line in
        ["-    {\"name\": \"CL_DEVICE_NOT_FOUND\", \"value\": \"-1\"", "+    {\"name\": \"CL_DEVICE_NOT_FOUND\", \"value\": \"-2\""]
    {
        assert!(ran.out.contains(line), "`{line}` is not in\n{}", ran.out);
    }
    assert_eq!(outputs(&repository), before, "check writes nothing");
}

/// Runs `import` and `update` on `registry`: both must end with 3, name `parts`, and change nothing.
#[track_caller]
fn refused(registry: impl AsRef<[u8]>, parts: &[&str]) {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&[]);
    let before = outputs(&repository);
    repository.put("docs/xml/cl.xml", registry);
    for command in ["import", "update"] {
        with_docs(&repository, &[command]).fails(3, parts);
    }
    assert_eq!(outputs(&repository), before);
}

#[test]
fn a_registry_that_is_no_xml_is_refused_where_it_goes_wrong() {
    refused(REGISTRY.replacen("</types>", "</typos>", 1), &["xml/cl.xml:6:", "</typos>"]);
    refused(&REGISTRY[..REGISTRY.len() / 2], &["xml/cl.xml:"]);
    refused("", &["xml/cl.xml:1:1"]);
}

#[test]
fn a_registry_that_is_not_utf_8_is_refused_with_the_byte() {
    let at = REGISTRY.find("Khronos").expect("it is there");
    let mut bytes = REGISTRY.as_bytes().to_vec();
    bytes[at] = 0xFE;
    refused(bytes, &["xml/cl.xml:7:", "not UTF-8", "0xFE"]);
}

#[test]
fn nesting_without_end_is_refused_and_overflows_nothing() {
    // 100 MB.
    refused("<registry>".repeat(10_000_000), &["xml/cl.xml:1:"]);
    let parentheses = format!("value=\"{}0\"", "(".repeat(200_000));
    refused(REGISTRY.replacen("value=\"0\"", &parentheses, 1), &["xml/cl.xml:8:"]);
}

#[test]
fn documents_without_a_registry_are_refused() {
    let repository = repository();
    fs::remove_file(repository.path("docs/xml/cl.xml")).expect("there");
    let before = outputs(&repository);
    with_docs(&repository, &["update"]).fails(3, &["docs cannot be used", "no `xml/cl.xml` there", "laid out like a checkout"]);
    assert_eq!(outputs(&repository), before);
}

#[test]
fn what_is_unknown_is_refused_listed_if_lenient_and_counted_if_none_may_be_skipped() {
    let unknown = REGISTRY.replacen("<enum value=\"0\"", "<enun value=\"7\" name=\"CL_OF_OURS\"/>\n        <enum value=\"0\"", 1);
    refused(&unknown, &["xml/cl.xml:8:9", "<enun>", "1 error"]);
    let repository = repository();
    repository.put("docs/xml/cl.xml", unknown);
    let before = outputs(&repository);
    let denied = with_docs(&repository, &["import", "--lenient", "--deny-skipped"]);
    assert_eq!(denied.code, Some(1), "{denied:#?}");
    assert!(denied.out.contains("undecided: 1 item\n  xml/cl.xml:8:9"), "{}", denied.out);
    assert_eq!(outputs(&repository), before);
    let listed = with_docs(&repository, &["import", "--lenient"]);
    listed.succeeds(&["undecided: 1 item"]);
    // The other one says that the fixture has no text of the API.
    assert!(listed.err.contains("warning: ") && listed.err.contains("0 errors, 2 warnings"), "{}", listed.err);
    assert!(listed.err.contains("there is no text of the API beside the registry"), "{}", listed.err);
    assert!(repository.read("spec/opencl.json").contains("CL_SUCCESS"));
}

/// B42: a decision lives in a file of its own, and one that matches nothing is an error.
#[test]
fn a_decision_that_settles_nothing_or_cannot_be_read_is_refused_at_its_line() {
    let repository = repository();
    let before = repository.files("generated");
    let entry = "[[entry]]\napi = \"opencl\"\nsettles = \"omit\"\nsubject = \"CL_NOT_THERE\"\nvalue = true\nreason = \"r\"\nevidence = \"e\"\n";
    repository.put("spec/overlay.toml", entry);
    with_docs(&repository, &["update"]).fails(3, &["spec/overlay.toml:4:11", "CL_NOT_THERE", "settles nothing"]);
    repository.put("spec/overlay.toml", entry.replace("settles", "setles"));
    with_docs(&repository, &["update"]).fails(3, &["spec/overlay.toml:3:1", "unknown field `setles`"]);
    fs::remove_file(repository.path("spec/overlay.toml")).expect("there");
    with_docs(&repository, &["update"]).fails(3, &["cannot read spec/overlay.toml"]);
    assert_eq!(repository.files("generated"), before);
}

#[test]
fn a_snapshot_that_cannot_be_written_leaves_every_output_as_it_was() {
    let repository = repository();
    repository.put("spec/lines", "a file where a directory should be");
    let before = outputs(&repository);
    with_docs(&repository, &["update"]).fails(5, &["spec/lines", "no output was changed"]);
    assert_eq!(outputs(&repository), before);
}

/// B43.
#[test]
fn headers_that_are_cut_short_or_no_text_are_refused_with_their_place() {
    let test = "headers_that_are_cut_short_or_no_text_are_refused_with_their_place";
    let Some(libclang) = clcu_codegen::fetch::AtHand::in_this_repository().libclang else {
        let missing = "libclang (run `clcu fetch`, or set CLCU_LIBCLANG)";
        assert!(std::env::var_os("CLCU_REQUIRE").is_none_or(|value| value != "all"), "skipped: {test}: {missing}");
        println!("skipped: {test}: {missing}");
        return;
    };
    let libclang = libclang.to_string_lossy().into_owned();
    let repository = repository();
    let companions = ["cudaGL", "cudaEGL", "cudaVDPAU", "cudaTypedefs", "cudaGLTypedefs", "cudaEGLTypedefs", "cudaVDPAUTypedefs"];
    for name in companions.iter().chain(&["cudaProfilerTypedefs"]) {
        repository.put(&format!("include/{name}.h"), "");
    }
    let before = outputs(&repository);
    let told = |header: &[u8], parts: &[&str]| {
        repository.put("include/cuda.h", header);
        with_docs(&repository, &["update", "--cuda-include", "include", "--libclang", &libclang]).fails(3, parts);
        assert_eq!(outputs(&repository), before);
    };
    let header = "#define CUDA_VERSION 13050\ntypedef struct CUctx_st *CUcontext;\ntypedef enum { CU_ONE = 1,\n";
    told(header.as_bytes(), &["cuda.h:", "error"]);
    told(b"#define CUDA_VERSION 13050\n/* \xFF */\n", &["cuda.h:2:4", "not UTF-8", "0xFF"]);
    told(format!("#define CUDA_VERSION 13050\nint a = {}1;\n", "(".repeat(100_000)).as_bytes(), &["cuda.h:"]);
    fs::remove_file(repository.path("include/cudaGL.h")).expect("there");
    told(b"#define CUDA_VERSION 13050\n", &["cudaGL.h", "cannot be read"]);
}

/// What is new, and what of it breaks, stands in a fragment for the changelog; what somebody wrote there stays.
#[test]
fn an_update_that_changes_facts_leaves_a_changelog_fragment() {
    let repository = repository();
    with_docs(&repository, &["update"]).succeeds(&["OpenCL: read 1.0-"]);
    assert_eq!(repository.files("changes"), [], "nothing was known before, so that nothing changed");

    let changes = || -> Vec<(String, String)> {
        let files = repository.files("changes").into_iter();
        let name = |path: std::path::PathBuf| path.file_name().expect("a file").to_string_lossy().into_owned();
        files.map(|(path, text)| (name(path), String::from_utf8(text).expect("UTF-8"))).collect()
    };
    repository.put("docs/xml/cl.xml", REGISTRY.replace("\"-1\"", "\"-2\""));
    with_docs(&repository, &["update"]).succeeds(&["changes/opencl-1.0-"]);
    let [(name, text)] = changes().try_into().expect("one fragment");
    assert!(name.starts_with("opencl-1.0-") && name.contains("-to-1.0-"), "{name}");
    let renumbered = "#### Breaks the ABI\n\n- renumbered enumerator `cl_result.CL_DEVICE_NOT_FOUND`: value `-1` to `-2`\n";
    assert!(text.starts_with("### OpenCL 1.0-") && text.ends_with(renumbered), "{text}");

    // Nothing changes, nothing is written; and neither is a release that only moves lines.
    with_docs(&repository, &["update"]).succeeds(&["nothing changed"]);
    repository.put("docs/xml/cl.xml", REGISTRY.replace("\"-1\"", "\"-2\"") + "\n\n");
    with_docs(&repository, &["update"]).succeeds(&["spec/opencl.json"]);
    assert_eq!(changes(), [(name.clone(), text.clone())]);

    // The same step again, after somebody added a word.
    repository.put("docs/xml/cl.xml", REGISTRY);
    with_docs(&repository, &["update"]).succeeds(&["changes/"]);
    let (back, _) = changes().into_iter().find(|(other, _)| *other != name).expect("the way back is a step of its own");
    repository.put(&format!("changes/{back}"), "Said by hand.\n");
    repository.put("docs/xml/cl.xml", REGISTRY.replace("\"-1\"", "\"-2\"") + "\n\n");
    with_docs(&repository, &["update"]).succeeds(&["spec/opencl.json"]);
    repository.put("docs/xml/cl.xml", REGISTRY);
    with_docs(&repository, &["import"]).succeeds(&["changes/"]);
    let kept = repository.read(&format!("changes/{back}"));
    assert!(kept.starts_with("Said by hand.\n\n### OpenCL 1.0-"), "{kept}");
}

/// A fragment that cannot be read ends the update before anything is written.
#[test]
fn a_fragment_that_cannot_be_continued_changes_nothing() {
    let repository = repository();
    with_docs(&repository, &["update"]).succeeds(&["OpenCL: read 1.0-"]);
    repository.put("changes", "a file where a directory should be");
    repository.put("docs/xml/cl.xml", REGISTRY.replace("\"-1\"", "\"-2\""));
    let before = outputs(&repository);
    with_docs(&repository, &["update"]).fails(5, &["changes/opencl-1.0-"]);
    assert_eq!(outputs(&repository), before);
}
