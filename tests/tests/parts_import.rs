//! Parts that are made of a user's own headers and registry, without a network.

use std::{env, fs, process::Command};

use clcu_codegen::{
    Builder,
    fetch::AtHand,
    import::cuda::Libclang,
    parts::{Error, Part},
};
use clcu_tests::upstream::{self, skipped};

fn text<'p>(part: &'p Part, path: &str) -> &'p str {
    part.files().find(|(known, _)| *known == path).unwrap_or_else(|| panic!("{path} is missing")).1
}

/// The rows of a record without its ages: one release knows nothing of older ones.
fn layout(part: &Part, record: &str) -> Vec<String> {
    let rows = text(part, "cuda/records.rs").lines().skip_while(|line| !line.contains(&format!("struct {record},")));
    rows.take_while(|line| *line != "}").map(|line| line.split('"').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn headers_of_one_s_own_give_the_layouts_of_the_whole() {
    let AtHand { cuda_include: Some(include), libclang: Some(library) } = AtHand::in_this_repository() else {
        return skipped("headers_of_one_s_own_give_the_layouts_of_the_whole", "CUDA headers and libclang");
    };
    let own = Builder::new().cuda_headers(include).libclang(library).only(["cuImportExternalSemaphore"]).part();
    let own = own.unwrap_or_else(|error| panic!("{error}"));
    let shipped = Builder::new().only(["cuImportExternalSemaphore"]).part().unwrap_or_else(|error| panic!("{error}"));
    for record in ["CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1", "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32"] {
        let layout = (layout(&own, record), layout(&shipped, record));
        assert!(layout.0.len() > 2, "{record}: {layout:?}");
        assert_eq!(layout.0, layout.1);
    }
    assert!(text(&own, "mod.rs").contains("CUDA 13.5"));
}

#[test]
fn a_registry_of_one_s_own_replaces_opencl_alone() {
    let Some(docs) = upstream::opencl_docs() else {
        return skipped("a_registry_of_one_s_own_replaces_opencl_alone", "the OpenCL documents");
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let registry = fs::read_to_string(docs.join("xml/cl.xml")).expect("readable");
    let changed = registry.replace("clReImportSemaphoreSyncFdKHR", "clReImportSemaphoreOfOursKHR");
    assert_ne!(registry, changed);
    fs::create_dir(directory.path().join("xml")).expect("writable");
    fs::write(directory.path().join("xml/cl.xml"), changed).expect("writable");
    let builder = Builder::new().opencl_registry(directory.path());
    let part =
        builder.clone().only(["cl_khr_external_semaphore_sync_fd", "cuInit"]).part().unwrap_or_else(|error| panic!("{error}"));
    assert!(text(&part, "opencl/commands.rs").contains("clReImportSemaphoreOfOursKHR"));
    assert!(text(&part, "cuda/commands.rs").contains("cuInit"));
    let gone = builder.only(["clReImportSemaphoreSyncFdKHR"]).part().expect_err("it has another name there");
    assert!(matches!(gone, Error::Unknown(_)), "{gone}");
}

#[test]
fn what_is_not_there_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let nowhere = directory.path().join("nowhere");
    let library = env::current_exe().expect("a test is a program");
    let cases = [
        (Builder::new().cuda_headers(&nowhere).libclang(&library), "nowhere", "cuda.h"),
        (Builder::new().opencl_registry(&nowhere), "nowhere", "xml/cl.xml"),
    ];
    for (builder, place, wanted) in cases {
        let error = builder.only(["cuInit"]).part().expect_err("nothing is there").to_string();
        assert!(error.contains(place) && error.contains(wanted), "{error}");
    }
    let Some(include) = AtHand::in_this_repository().cuda_include else {
        return skipped("what_is_not_there_is_named", "CUDA headers");
    };
    for (library, found) in [(nowhere, "nowhere"), (library, "libclang")] {
        let builder = Builder::new().cuda_headers(&include).libclang(&library).only(["cuInit"]);
        let error = builder.part().expect_err("no libclang").to_string();
        assert!(error.contains(found) && error.contains("libclang"), "{error}");
    }
}

/// The environment belongs to the whole process, so that the test runs itself in another one.
#[test]
fn libclang_is_found_where_its_usual_variable_says() {
    const WANTED: &str = "CLCU_TEST_LIBCLANG";
    if let Some(wanted) = env::var_os(WANTED) {
        assert_eq!(Libclang::find().expect("it is there").into_os_string(), wanted);
        println!("found");
        return;
    }
    let name = "libclang_is_found_where_its_usual_variable_says";
    let Some(library) = AtHand::in_this_repository().libclang else { return skipped(name, "libclang") };
    let library = fs::canonicalize(library).expect("it is there");
    let mut itself = Command::new(env::current_exe().expect("a test is a program"));
    itself.args(["--exact", name, "--nocapture"]).env("LIBCLANG_PATH", &library).env(WANTED, &library);
    let ran = itself.output().expect("it runs");
    let out = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && out.contains("found"), "{out}{}", String::from_utf8_lossy(&ran.stderr));
}
