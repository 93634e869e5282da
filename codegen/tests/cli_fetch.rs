//! `clcu fetch` against a pip that a test writes: what comes right is kept, whatever comes wrong leaves nothing and says what to do.
#![cfg(feature = "cli")]
#![cfg(unix)]

mod cli;

use std::io::{Cursor, Write};

use clcu_codegen::fetch::sha256;
use cli::Repository;

const HEADER: &[u8] = b"/* written for this test */\n#define CUDA_VERSION 13050\n";

/// A wheel of one file.
fn wheel(path: &str, content: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file(path, options).expect("in memory");
    writer.write_all(content).expect("in memory");
    writer.finish().expect("in memory").into_inner()
}

/// A repository whose pins are the two wheels that its own index, a directory, holds.
struct Index {
    repository: Repository,
}

impl Index {
    fn new() -> Self {
        Self::pinning(&wheel("n/include/cuda.h", HEADER))
    }

    fn pinning(headers: &[u8]) -> Self {
        let libclang = wheel("clang/native/libclang.so", b"not really a library");
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let repository = Repository::with_sources(&format!(
            "[[cuda]]\nversion = \"13.5\"\npackage = \"headers\"\nrelease = \"13.5.37\"\nplatform = \"any\"\nbytes = {}\nsha256 = \"{}\"\n\
             header = \"{}\"\ndefault = true\n[libclang]\npackage = \"libclang\"\nrelease = \"18\"\n[[libclang.host]]\nos = \"{os}\"\n\
             arch = \"{arch}\"\nplatform = \"any\"\nlibrary = \"libclang.so\"\nbytes = {}\nsha256 = \"{}\"\n[opencl]\nrepository = \"r\"\n\
             commit = \"c\"\nsha256 = \"{}\"\n",
            headers.len(),
            sha256(headers),
            sha256(HEADER),
            libclang.len(),
            sha256(&libclang),
            sha256(b"<registry/>"),
        ));
        repository.put("index/headers.whl", headers);
        repository.put("index/libclang.whl", &libclang);
        repository.put("docs/xml/cl.xml", "<registry/>");
        Self { repository }
    }

    /// A pip that copies wheels out of the index, and counts its downloads in a file.
    fn with_pip(self, before: &str) -> Self {
        let index = self.repository.path("index");
        let index = index.display();
        self.repository.program(
            "python3",
            &format!(
                "if [ \"$3\" = --version ]; then exit 0; fi\n\
                 while [ $# -gt 1 ]; do case $1 in --dest) dest=$2;; --requirement) list=$2;; esac; shift; done\n\
                 read package rest < \"$list\"; name=${{package%%==*}}\n\
                 echo \"$name\" >> {index}/downloads\n{before}\ncp {index}/$name.whl \"$dest/\""
            ),
        );
        self
    }

    fn fetch(&self) -> cli::Ran {
        self.repository.run(&["fetch", "--opencl-docs", "docs"])
    }

    fn downloads(&self) -> usize {
        let downloads = std::fs::read_to_string(self.repository.path("index/downloads"));
        downloads.map_or(0, |text| text.lines().count())
    }
}

#[test]
fn what_is_in_the_cache_is_not_fetched_again() {
    let index = Index::new().with_pip("");
    index.fetch().succeeds(&["CUDA 13.5.37: cache/headers-13.5.37", "libclang: cache/libclang-18-", "OpenCL c: docs/xml/cl.xml"]);
    assert_eq!(index.downloads(), 2);
    index.fetch().succeeds(&["CUDA 13.5.37"]);
    assert_eq!(index.downloads(), 2, "both were there");
    assert_eq!(std::fs::read(index.repository.path("cache/headers-13.5.37/cuda.h")).expect("unpacked"), HEADER);
}

#[test]
fn a_changed_file_in_the_cache_is_fetched_again() {
    let index = Index::new().with_pip("");
    index.fetch().succeeds(&[]);
    index.repository.put("cache/headers-13.5.37/cuda.h", "changed");
    let ran = index.fetch();
    ran.succeeds(&[]);
    assert!(ran.err.contains("fetching it again"), "{}", ran.err);
    assert_eq!(index.downloads(), 3);
    assert_eq!(std::fs::read(index.repository.path("cache/headers-13.5.37/cuda.h")).expect("unpacked"), HEADER);
}

#[test]
fn a_wrong_hash_is_refused_with_both_hashes_and_leaves_nothing() {
    let index = Index::new().with_pip("");
    let other = wheel("n/include/cuda.h", &HEADER.to_ascii_uppercase());
    index.repository.put("index/headers.whl", &other);
    let wanted = sha256(&wheel("n/include/cuda.h", HEADER));
    index.fetch().fails(3, &["headers 13.5.37 is not the file that was pinned", &sha256(&other), &wanted, "spec/sources.toml"]);
    assert!(index.repository.cached().iter().all(|name| name.starts_with("libclang-18")), "{:?}", index.repository.cached());
}

#[test]
fn half_a_download_is_told_from_another_file_and_leaves_nothing() {
    let index = Index::new().with_pip("");
    let whole = wheel("n/include/cuda.h", HEADER);
    index.repository.put("index/headers.whl", &whole[..whole.len() / 2]);
    let sizes = [format!("found {} bytes", whole.len() / 2), format!("wanted {} bytes", whole.len())];
    index.fetch().fails(3, &["half a download", &sizes[0], &sizes[1], "run the command again"]);
    assert!(index.repository.cached().iter().all(|name| name.starts_with("libclang-18")), "{:?}", index.repository.cached());
}

/// B43.
#[test]
fn a_pinned_file_that_is_no_archive_or_lacks_the_header_is_refused() {
    let index = Index::pinning(b"no archive at all").with_pip("");
    index.fetch().fails(3, &["headers 13.5.37 cannot be unpacked"]);
    let index = Index::pinning(&wheel("n/lib/cuda.h", HEADER)).with_pip("");
    index.fetch().fails(3, &["headers 13.5.37 cannot be unpacked", "no `include/cuda.h` in it"]);
}

#[test]
fn without_pip_the_message_names_what_was_looked_for_and_what_to_install() {
    let index = Index::new();
    index.fetch().fails(4, &["no working pip is on PATH", "python3 -m pip", "install Python with pip", "--cuda-include DIR"]);
    assert_eq!(index.repository.cached(), Vec::<String>::new());
}

#[test]
fn a_python_without_pip_is_passed_over_for_the_next() {
    let index = Index::new().with_pip("");
    let programs = index.repository.path("programs");
    // The working one answers to `$3`, so as `python -m pip` it works and as `python3 -m pip` the new one fails.
    std::fs::rename(programs.join("python3"), programs.join("python")).expect("both there");
    index.repository.program("python3", "echo 'No module named pip' >&2; exit 1");
    index.fetch().succeeds(&["CUDA 13.5.37"]);
    std::fs::remove_file(programs.join("python")).expect("there");
    std::fs::remove_dir_all(index.repository.path("cache")).expect("there");
    index.fetch().fails(4, &["`python3 -m pip` says No module named pip"]);
}

#[test]
fn without_a_network_the_message_gives_pip_s_reason_and_a_way_around() {
    let index = Index::new().with_pip("echo 'Looking' ; echo 'ERROR: Could not reach the index' >&2; exit 1");
    let ran = index.fetch();
    ran.fails(4, &["cannot download headers 13.5.37", "ERROR: Could not reach the index", "network", "--cuda-include DIR"]);
    assert!(!ran.err.contains("Looking"), "only what says why\n{}", ran.err);
    assert_eq!(index.repository.cached(), Vec::<String>::new());
}

#[test]
fn a_full_disk_is_told_from_a_network_out_of_reach() {
    let index = Index::new().with_pip("echo 'OSError: [Errno 28] No space left on device' >&2; exit 2");
    index.fetch().fails(5, &["cannot download into", "--cache DIR"]);
    assert_eq!(index.repository.cached(), Vec::<String>::new());
}

#[test]
fn a_cache_that_may_not_be_written_is_named() {
    let index = Index::new().with_pip("");
    index.repository.put("file", "");
    let ran = index.repository.run(&["fetch", "--opencl-docs", "docs", "--cache", "file/cache"]);
    ran.fails(5, &["cannot create the cache file/cache", "--cache DIR"]);
}

#[test]
fn an_interrupted_run_leaves_no_entry_and_the_next_one_clears_its_rest_away() {
    use std::process::Stdio;
    let index = Index::new().with_pip("echo x > \"$dest/part\"; while [ -d \"$dest\" ]; do sleep 0.1; done; exit 1");
    let mut running = index.repository.command(&["fetch", "--opencl-docs", "docs"]);
    let mut running = running.stderr(Stdio::null()).spawn().expect("the command was built");
    let unfinished = |index: &Index| index.repository.cached().into_iter().filter(|name| name.starts_with('.')).count();
    while unfinished(&index) < 2 || index.downloads() < 2 {
        assert!(running.try_wait().expect("it was started").is_none(), "it ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    running.kill().expect("it runs");
    running.wait().expect("it was killed");
    assert_eq!(index.repository.cached().len(), unfinished(&index), "no entry under its own name");
    let index = index.with_pip("");
    index.fetch().succeeds(&["CUDA 13.5.37"]);
    assert_eq!((unfinished(&index), index.repository.cached().len()), (0, 2));
}

#[test]
fn two_runs_at_once_fetch_each_input_once() {
    let index = Index::new().with_pip("sleep 0.3");
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| index.fetch())).collect();
        for run in runs {
            run.join().expect("no panic").succeeds(&["CUDA 13.5.37"]);
        }
    });
    assert_eq!(index.downloads(), 2);
}

#[test]
fn a_directory_of_headers_and_a_library_need_no_pip() {
    let index = Index::new();
    index.repository.put("include/cuda.h", HEADER);
    index.repository.put("lib/libclang.so", "any");
    let own = ["--cuda-include", "include", "--libclang", "lib/libclang.so"];
    let ran = index.repository.run(&[&["fetch", "--opencl-docs", "docs"], &own[..]].concat());
    ran.succeeds(&["CUDA 13.5.37: include", "libclang: lib/libclang.so (not the pinned one"]);
    index.repository.put("include/cuda.h", "#define CUDA_VERSION 12040\n");
    index.repository.run(&[&["fetch", "--opencl-docs", "docs"], &own[..]].concat()).succeeds(&["CUDA 12.4: include"]);
}

#[test]
fn documents_that_are_not_there_are_refused_by_name() {
    let index = Index::new().with_pip("");
    index
        .repository
        .run(&["fetch", "--opencl-docs", "nowhere"])
        .fails(3, &["nowhere cannot be used", "nothing there", "xml/cl.xml"]);
}

#[test]
fn without_git_the_documents_are_out_of_reach_and_the_rest_is_fetched() {
    let index = Index::new().with_pip("");
    let ran = index.repository.run(&["fetch"]);
    ran.fails(4, &["git is not on PATH", "--opencl-docs DIR"]);
    assert!(ran.out.contains("CUDA 13.5.37"), "{}", ran.out);
    assert_eq!(index.repository.cached().len(), 2);
}

#[test]
fn a_release_that_is_not_pinned_is_refused_with_those_that_are() {
    let index = Index::new();
    index.repository.run(&["fetch", "--cuda", "9.9"]).fails(3, &["`9.9`", "one of 13.5"]);
}
