//! `clcu drift` against an index and a repository in directories: what is newer is written as files to commit, what is not changes nothing.
#![cfg(unix)]

mod cli;

use std::{
    io::{Cursor, Write},
    process::Command,
};

use clcu_codegen::{
    fetch::{AtHand, sha256},
    model::{Api, Model},
    snapshot,
};
use cli::{Ran, Repository};

const REGISTRY: &str = include_str!("cli/registry.xml");

/// Headers of one constant, and the companions that import wants.
fn wheel(version: u32, limit: u32) -> (Vec<u8>, String) {
    let header = format!("#define CUDA_VERSION {version}\n#define CU_LIMIT {limit}\n");
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let companions = ["cudaGL", "cudaEGL", "cudaVDPAU", "cudaTypedefs", "cudaGLTypedefs", "cudaEGLTypedefs", "cudaVDPAUTypedefs"];
    for (name, content) in
        companions.iter().chain(&["cudaProfilerTypedefs"]).map(|name| (*name, "")).chain([("cuda", header.as_str())])
    {
        writer.start_file(format!("n/include/{name}.h"), options).expect("in memory");
        writer.write_all(content.as_bytes()).expect("in memory");
    }
    (writer.finish().expect("in memory").into_inner(), sha256(header.as_bytes()))
}

/// A repository whose pins are the newest of an index and of a checkout, until something is published.
struct World {
    repository: Repository,
    libclang: String,
}

impl World {
    /// `None`, after saying so, where there is no libclang.
    fn new(test: &str) -> Option<Self> {
        let Some(libclang) = AtHand::in_this_repository().libclang else {
            let missing = "libclang (run `clcu fetch`, or set CLCU_LIBCLANG)";
            assert!(std::env::var_os("CLCU_REQUIRE").is_none_or(|value| value != "all"), "skipped: {test}: {missing}");
            println!("skipped: {test}: {missing}");
            return None;
        };
        let (headers, header) = wheel(13050, 1);
        let repository = Repository::with_sources("");
        let world = Self { repository, libclang: libclang.to_string_lossy().into_owned() };
        let commit = world.commit(REGISTRY);
        let upstream = world.repository.path("upstream");
        world.repository.put(
            "spec/sources.toml",
            format!(
                "# Said by people.\n[[cuda]]\nversion = \"13.5\"\npackage = \"headers\"\nrelease = \"13.5.37\"\nplatform = \"any\"\n\
                 bytes = {}\nsha256 = \"{}\"\nheader = \"{header}\"\ndefault = true\n\n# About libclang.\n[libclang]\n\
                 package = \"libclang\"\nrelease = \"18\"\nhost = []\n\n[opencl]\nrepository = \"{}\"\ncommit = \"{}\"\nsha256 = \"{}\"\n",
                headers.len(),
                sha256(&headers),
                upstream.display(),
                &commit[..8],
                sha256(REGISTRY.as_bytes()),
            ),
        );
        for (path, text) in [("spec/overlay.toml", ""), ("spec/reviewed.toml", "")] {
            world.repository.put(path, text);
        }
        for api in Api::ALL {
            world.repository.put(&format!("spec/{}.json", api.name()), snapshot::write(&Model::empty(api)));
        }
        world.publish("13.5.37", &headers);
        world.repository.program("git", "exec git \"$@\"");
        let index = world.repository.path("index");
        world.repository.program(
            "python3",
            &format!(
                "if [ \"$3\" = --version ]; then exit 0; fi\n\
                 while [ $# -gt 1 ]; do case $1 in --dest) dest=$2;; --requirement) list=$2;; esac; shift; done\n\
                 read package rest < \"$list\"\n\
                 case $package in *==*) file={index}/headers-${{package#*==}}-py3-none-any.whl;; *) file=$(ls {index}/*.whl | tail -n 1);; esac\n\
                 cp \"$file\" \"$dest/\"",
                index = index.display()
            ),
        );
        world.run(&["update"]).succeeds(&["CUDA: read 13.5.37", "OpenCL: read 1.0-"]);
        Some(world)
    }

    fn publish(&self, release: &str, wheel: &[u8]) {
        self.repository.put(&format!("index/headers-{release}-py3-none-any.whl"), wheel);
    }

    /// Commits a registry, and gives the commit's name.
    fn commit(&self, registry: &str) -> String {
        self.repository.put("upstream/xml/cl.xml", registry);
        self.repository.put("upstream/api/empty.asciidoc", "");
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .current_dir(self.repository.path("upstream"))
                .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
                .args(arguments)
                .output()
                .expect("there is a git");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        git(&["commit", "--quiet", "--message", "a state"]);
        git(&["rev-parse", "HEAD"])
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.repository.run(&[arguments, &["--libclang", &self.libclang]].concat())
    }

    /// Everything that is committed.
    fn files(&self) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        ["spec", "generated", "changes", "docs"].iter().flat_map(|directory| self.repository.files(directory)).collect()
    }
}

#[test]
fn where_nothing_is_newer_nothing_is_written() {
    let Some(world) = World::new("where_nothing_is_newer_nothing_is_written") else { return };
    let before = world.files();
    world.run(&["drift"]).succeeds(&["CUDA: nothing newer than 13.5.37", "OpenCL: nothing newer than "]);
    world.run(&["drift", "--cuda", "13.5"]).fails(3, &["takes none by name", "--cuda-include"]);
    world.run(&["drift", "--opencl-docs", "upstream"]).succeeds(&["OpenCL: nothing newer than "]);
    // A mirror that lags behind has nothing newer either.
    std::fs::remove_file(world.repository.path("index/headers-13.5.37-py3-none-any.whl")).expect("there");
    world.publish("13.4.92", &wheel(13040, 1).0);
    world.run(&["drift"]).succeeds(&["CUDA: nothing newer than 13.5.37"]);
    assert_eq!(world.files(), before);
}

#[test]
fn what_is_newer_is_written_with_its_pins_and_fragments_and_is_not_newer_any_more() {
    let test = "what_is_newer_is_written_with_its_pins_and_fragments_and_is_not_newer_any_more";
    let Some(world) = World::new(test) else { return };
    world.publish("13.6.2", &wheel(13060, 2).0);
    let commit = world.commit(&REGISTRY.replace("CL_DEVICE_NOT_FOUND", "CL_DEVICE_LOST"));
    let ran = world.run(&["drift"]);
    let wanted = ["CUDA: 13.6.2 after 13.5.37", &format!("OpenCL: {} after ", &commit[..8]), "renumbered", "spec/sources.toml"];
    assert!(wanted.iter().all(|part| ran.fails(13, &[]).out.contains(part)), "{ran:#?}");

    let pins = world.repository.read("spec/sources.toml");
    for part in ["# Said by people.\n", "# About libclang.\n[libclang]", "release = \"13.6.2\"", "version = \"13.6\"", &commit[..8]]
    {
        assert!(pins.contains(part), "`{part}` is not in\n{pins}");
    }
    assert!(world.repository.read("spec/cuda.json").contains("\"13.6.2\""));
    assert!(world.repository.read("generated/src/cuda/constants.rs").contains("13060"));
    let fragment = world.repository.read("changes/cuda-13.5.37-to-13.6.2.md");
    assert!(fragment.contains("renumbered constant `CU_LIMIT`: value `1` to `2`"), "{fragment}");
    assert_eq!(world.repository.files("changes").len(), 2);

    let before = world.files();
    world.run(&["drift"]).succeeds(&["CUDA: nothing newer than 13.6.2", &format!("OpenCL: nothing newer than {}", &commit[..8])]);
    world.run(&["check", "--upstream"]).succeeds(&["nothing differs"]);
    assert_eq!(world.files(), before);
}

#[test]
fn the_exit_code_is_the_grade_and_a_directory_may_stand_in_for_the_network() {
    let test = "the_exit_code_is_the_grade_and_a_directory_may_stand_in_for_the_network";
    let Some(world) = World::new(test) else { return };
    let commit = world.commit(&REGISTRY.replace("CL_DEVICE_NOT_FOUND", "CL_DEVICE_LOST"));
    let ran = world.run(&["drift", "--opencl-docs", "upstream"]);
    assert!(ran.fails(12, &[]).out.contains("renamed"), "{ran:#?}");
    assert!(world.repository.read("spec/sources.toml").contains(&commit[..8]));

    // No checkout: nobody can say which commit it is.
    world.repository.put("docs/xml/cl.xml", REGISTRY);
    let pins = world.repository.read("spec/sources.toml");
    let ran = world.run(&["drift", "--opencl-docs", "docs"]);
    assert!(ran.fails(12, &[]).out.contains("its pin is yours to write"), "{ran:#?}");
    assert_eq!(world.repository.read("spec/sources.toml"), pins);
}

/// A new commit that changes nothing of the API is no reason for a change here.
#[test]
fn a_commit_that_changes_nothing_leaves_the_pin() {
    let Some(world) = World::new("a_commit_that_changes_nothing_leaves_the_pin") else { return };
    let before = world.files();
    world.commit(&format!("{REGISTRY}\n"));
    world.run(&["drift"]).succeeds(&[" after ", "the pin stays"]);
    assert_eq!(world.files(), before);
}

#[test]
fn what_is_out_of_reach_or_not_understood_changes_nothing() {
    let Some(world) = World::new("what_is_out_of_reach_or_not_understood_changes_nothing") else { return };
    let before = world.files();
    world.commit(&REGISTRY.replace("<registry>", "<registry><novelty/>"));
    world.run(&["drift"]).fails(3, &["novelty"]);
    assert_eq!(world.files(), before);
    world.repository.program("python3", "echo 'no route to host' >&2; [ \"$3\" = --version ]");
    world.run(&["drift"]).fails(4, &["the newest headers", "no route to host"]);
    assert_eq!(world.files(), before);
}
