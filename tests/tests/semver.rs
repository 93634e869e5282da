//! `clcu-sys` keeps what its version promises: `tests/public-items.txt` is what that version offers, and each line of it is still there.

use std::{collections::BTreeSet, env, fs, path::Path};

use clcu_tests::{
    public_items::public_items,
    releases::{cuda_snapshot, opencl_snapshot},
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a version promises to be compatible with: `0.1` of `0.1.7`, `2` of `2.3.4`.
fn promise(version: &str) -> &str {
    let parts: Vec<&str> = version.splitn(3, '.').collect();
    let length = if parts.first() == Some(&"0") { parts[..2].join(".").len() } else { parts[0].len() };
    &version[..length]
}

/// The version that a list was written for, and its lines.
fn list(text: &str) -> (String, BTreeSet<String>) {
    let (head, rest) = text.split_once('\n').expect("a first line");
    let version = head.rsplit(' ').next().unwrap_or_default().to_owned();
    (version, rest.lines().map(str::to_owned).collect())
}

/// What of `listed`, the items of `since`, a program misses in `version`: nothing, if that is a version which may break.
fn missed<'a>(since: &str, version: &str, listed: &'a BTreeSet<String>, offered: &'a BTreeSet<String>) -> Vec<&'a String> {
    if promise(since) == promise(version) { listed.difference(offered).collect() } else { Vec::new() }
}

#[test]
fn no_public_item_is_gone_or_changed_within_a_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let offered = public_items(&[cuda_snapshot(), opencl_snapshot()], &root.join("../generated/src"));
    let path = root.join("public-items.txt");
    if env::var_os("CLCU_BLESS").is_some() {
        let lines: Vec<&str> = offered.iter().map(String::as_str).collect();
        fs::write(&path, format!("The public items of clcu-sys {VERSION}\n{}\n", lines.join("\n"))).expect("writable");
    }
    let (since, listed) = list(&fs::read_to_string(&path).expect("the list is committed"));
    assert!(listed.len() > 6_000, "{}", listed.len());
    let missed = missed(&since, VERSION, &listed, &offered);
    let shown: Vec<_> = missed.iter().take(20).collect();
    assert!(
        missed.is_empty(),
        "{} public items of clcu-sys {since} are gone or changed, so that it is another version: raise it in Cargo.toml, say what breaks in \
         CHANGELOG.md, and write the list anew with CLCU_BLESS=1 cargo test -p clcu-tests --test semver\n{shown:#?}",
        missed.len()
    );
}

#[test]
fn a_break_needs_another_version_and_an_addition_does_not() {
    let of = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>();
    let old = of(&["cuda value CUa::CU_A = 1", "cuda command cuA(u32) -> CUresult"]);
    let more = of(&["cuda value CUa::CU_A = 1", "cuda command cuA(u32) -> CUresult", "cuda value CUa::CU_B = 2"]);
    let other = of(&["cuda value CUa::CU_A = 2", "cuda command cuA(u32) -> CUresult"]);
    assert_eq!(missed("0.1.0", "0.1.4", &old, &more), Vec::<&String>::new());
    assert_eq!(missed("0.1.0", "0.1.4", &old, &other), ["cuda value CUa::CU_A = 1"]);
    assert_eq!(missed("0.1.0", "0.2.0", &old, &other), Vec::<&String>::new());
    assert_eq!(missed("1.4.0", "1.5.0", &old, &other).len(), 1);
    assert_eq!(missed("1.4.0", "2.0.0", &old, &other), Vec::<&String>::new());
}

/// The list has what programs depend on, of each kind.
#[test]
fn the_list_names_items_of_every_kind() {
    let (_, listed) =
        list(&fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/public-items.txt")).expect("the list is committed"));
    let wanted = [
        "cuda value CUresult::CUDA_ERROR_INVALID_VALUE = 1",
        "cuda member CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1.flags: c_uint 24/12/12",
        "cuda rule cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one",
        "opencl value cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR = 0x2053",
        "by hand field CommandInfo.until: & 'static str",
        "by hand variant Owner::Driver",
    ];
    for line in wanted {
        assert!(listed.contains(line), "{line}");
    }
}
