//! `clcu diff`: two sides in every form, and an exit code that says how bad it is. `update --all-releases`: all of it or nothing.
#![cfg(feature = "cli")]

mod cli;

use cli::{Ran, Repository};

const REGISTRY: &str = include_str!("cli/registry.xml");

/// A repository without decisions, with a release of OpenCL called `v3.0.1` and one called `v3.0.2`, which `edit` makes of the first.
fn repository(edit: impl Fn(&str) -> String) -> Repository {
    let repository = Repository::with_sources(clcu_spec::SOURCES);
    repository.put("spec/overlay.toml", "");
    repository.put("spec/reviewed.toml", "");
    repository.put("releases/v3.0.1/xml/cl.xml", REGISTRY);
    repository.put("releases/v3.0.2/xml/cl.xml", edit(REGISTRY));
    repository
}

fn diff(edit: impl Fn(&str) -> String, more: &[&str]) -> Ran {
    let arguments = ["diff", "opencl-v3.0.1", "opencl-v3.0.2", "--opencl-releases", "releases"];
    repository(edit).run(&[&arguments, more].concat())
}

#[test]
fn the_exit_code_tells_the_worst_grade() {
    diff(str::to_owned, &[]).succeeds(&["OpenCL 3.0.1 to 3.0.2", "nothing changed"]);
    let text = diff(|xml| xml.replace("revision=\"1.0.0\"", "revision=\"1.1.0\""), &[]);
    assert_eq!(text.fails(10, &[]).out.matches("revision 1.0.0 -> 1.1.0").count(), 1, "{text:#?}");
    let more = "<extension name=\"cl_khr_more\" revision=\"1.0.0\" supported=\"opencl\"></extension>\n    </extensions>";
    let adds = diff(|xml| xml.replace("</extensions>", more), &[]);
    assert!(adds.fails(11, &[]).out.contains("added      extension cl_khr_more"), "{adds:#?}");
    let source = diff(|xml| xml.replace("CL_DEVICE_NOT_FOUND", "CL_DEVICE_LOST"), &[]);
    let renamed = "renamed    enumerator cl_result.CL_DEVICE_NOT_FOUND -> CL_DEVICE_LOST";
    assert!(source.fails(12, &[]).out.contains(renamed), "{source:#?}");
    let abi = diff(|xml| xml.replace("\"-1\"", "\"-2\""), &[]);
    assert!(abi.fails(13, &[]).out.contains("renumbered enumerator cl_result.CL_DEVICE_NOT_FOUND: value -1 -> -2"), "{abi:#?}");
}

#[test]
fn a_diff_is_json_for_programs_and_markdown_for_a_changelog() {
    let json = diff(|xml| xml.replace("\"-1\"", "\"-2\""), &["--json"]);
    let value: serde_json::Value = serde_json::from_str(&json.fails(13, &[]).out).expect("JSON and nothing else");
    assert_eq!(value["schema"], 1);
    let change = &value["diffs"][0]["changes"][0];
    assert_eq!(
        (&change["grade"], &change["change"], &change["leaf"]),
        (&"abi".into(), &"renumbered".into(), &"CL_DEVICE_NOT_FOUND".into())
    );
    let markdown = diff(|xml| xml.replace("\"-1\"", "\"-2\""), &["--markdown"]);
    let wanted = "### OpenCL 3.0.1 to 3.0.2\n\n#### Breaks the ABI\n\n- renumbered enumerator `cl_result.CL_DEVICE_NOT_FOUND`: value `-1` to `-2`\n";
    assert_eq!(markdown.fails(13, &[]).out, wanted);
}

/// A directory without the text of the API has no rules, which is not the same as taking all of them back.
#[test]
fn what_one_side_cannot_know_is_not_compared() {
    diff(str::to_owned, &[]).succeeds(&["nothing changed"]).fails(0, &["rules, handle types and errors are not compared"]);
}

#[test]
fn a_directory_is_a_side_of_its_own() {
    let repository = repository(|xml| xml.replace("\"-1\"", "\"-2\""));
    let ran = repository.run(&["diff", "releases/v3.0.1", "releases/v3.0.2"]);
    assert!(ran.fails(13, &[]).out.contains("OpenCL 3.0.1 to 3.0.2"), "{ran:#?}");
}

#[test]
fn what_is_no_side_is_refused_with_what_would_be_one() {
    let repository = repository(str::to_owned);
    repository.run(&["diff", "nonsense", "releases/v3.0.1"]).fails(3, &["`nonsense` is nothing that can be compared", "cuda-12.9"]);
    repository.run(&["diff", "opencl-v3.0.1", "releases/v3.0.2"]).fails(3, &["it is not known where", "--opencl-releases"]);
    let missing = repository.run(&["diff", "opencl-v9", "releases/v3.0.2", "--opencl-releases", "releases"]);
    missing.fails(3, &["no release of OpenCL called `v9`"]);
    repository.run(&["diff", "cuda-1.0", "releases/v3.0.2"]).fails(3, &["called `1.0` is pinned"]);
}

/// History written in part would say that things ended which did not.
#[test]
fn all_releases_are_read_or_nothing_is_written() {
    let repository = repository(str::to_owned);
    let before = repository.files("spec");
    let ran = repository.run(&["update", "--all-releases", "--opencl-docs", "releases/v3.0.2"]);
    ran.fails(4, &["pip"]);
    assert_eq!(repository.files("spec"), before);
}
