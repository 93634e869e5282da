//! Parts of what is committed.

use std::collections::BTreeSet;

use super::{Error, MARK, Part, Request, Texts};

fn request(names: &[&str]) -> Request {
    Request { names: names.iter().map(|name| (*name).to_owned()).collect(), ..Request::default() }
}

fn part(names: &[&str]) -> Part {
    Part::cut(&Texts::shipped(), &request(names)).unwrap_or_else(|error| panic!("{error}"))
}

fn text<'p>(part: &'p Part, path: &str) -> &'p str {
    part.files().find(|(known, _)| *known == path).unwrap_or_else(|| panic!("{path} is missing")).1
}

#[test]
fn an_enumeration_alone_needs_its_macro_and_the_names_of_values() {
    let part = part(&["CUexternalSemaphoreHandleType"]);
    let paths: Vec<&str> = part.files().map(|(path, _)| path).collect();
    assert_eq!(paths, ["cuda/enums.rs", "cuda/mod.rs", "macros.rs", "mod.rs", "names.rs"]);
    assert_eq!(text(&part, "cuda/enums.rs").matches("enumeration! {").count(), 1);
    let macros = text(&part, "macros.rs");
    assert!(macros.contains("macro_rules! newtype_of_names {") && !macros.contains("macro_rules! record {"), "{macros}");
}

#[test]
fn a_command_brings_the_types_of_its_parameters_and_one_row_of_the_table() {
    let part = part(&["cuImportExternalSemaphore"]);
    assert!(text(&part, "cuda/records.rs").contains("struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32,"));
    assert!(text(&part, "cuda/aliases.rs").contains("alias! { CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC ="));
    assert!(text(&part, "cuda/status.rs").contains("CUDA_ERROR_UNKNOWN"));
    let commands = text(&part, "cuda/commands.rs");
    assert_eq!(commands.matches("command! {").count(), 1);
    assert!(commands.contains("command_table! {\n    {\n        cuImportExternalSemaphore\n    }\n}\n"), "{commands}");
    assert_eq!(commands.matches("    CommandInfo::cuda(").count(), 1);
}

#[test]
fn a_command_of_windows_alone_leaves_the_other_list_empty() {
    let part = part(&["clCreateFromD3D11BufferKHR"]);
    let commands = text(&part, "opencl/commands.rs");
    let table = "command_table! {\n    {\n    }\n    windows {\n        clCreateFromD3D11BufferKHR\n    }\n}\n";
    assert!(commands.contains(table), "{commands}");
}

#[test]
fn an_extension_brings_its_commands_types_and_values() {
    let part = part(&["cl_khr_external_semaphore_sync_fd"]);
    assert!(text(&part, "opencl/commands.rs").contains("clReImportSemaphoreSyncFdKHR, \""));
    assert!(text(&part, "opencl/aliases.rs").contains("cl_semaphore_reimport_properties_khr"));
    assert!(text(&part, "opencl/enums.rs").contains("CL_SEMAPHORE_HANDLE_SYNC_FD_KHR = 0x2058"));
    assert!(part.files().all(|(path, _)| !path.starts_with("cuda/")));
}

#[test]
fn a_public_name_of_cuda_brings_every_version_of_the_command() {
    let part = part(&["cuCtxCreate"]);
    for symbol in ["cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxCreate_v4"] {
        assert!(text(&part, "cuda/commands.rs").contains(&format!("(c\"{symbol}\",")), "{symbol}");
    }
}

#[test]
fn a_value_brings_its_enumeration_and_a_constant_itself() {
    assert!(text(&part(&["CU_MEMORYTYPE_HOST"]), "cuda/enums.rs").contains("CUmemorytype: u32"));
    let constants = part(&["CUDA_EXTERNAL_MEMORY_DEDICATED"]);
    assert_eq!(text(&constants, "cuda/constants.rs").matches("constant!").count(), 1);
}

#[test]
fn rules_come_with_the_checker_and_what_they_speak_of() {
    let request = Request { rules: true, ..request(&["CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC"]) };
    let part = Part::cut(&Texts::shipped(), &request).expect("a part");
    let rules = text(&part, "cuda/rules.rs");
    assert!(rules.contains("const RULES_OF_CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1:"));
    assert!(!rules.contains("RULES_OF_CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1"));
    assert!(text(&part, "cuda/handle_types.rs").contains("CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD"));
    assert!(!text(&part, "cuda/handle_types.rs").contains("CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD\""));
    assert!(text(&part, "rules/check.rs").starts_with(MARK));
    assert!(text(&part, "mod.rs").contains("#[macro_use]\n"));
}

/// Every line of an item in a part is a line of the whole, in its order.
#[test]
fn an_item_is_the_same_text_in_a_part_and_in_the_whole() {
    let texts = Texts::shipped();
    let request = Request { rules: true, ..request(&["cuImportExternalSemaphore", "cl_khr_semaphore", "clCreateImage"]) };
    let part = Part::cut(&texts, &request).expect("a part");
    let mut compared = 0;
    for (path, text) in
        part.files().filter(|(path, _)| (path.starts_with("cuda") || path.starts_with("opencl")) && !path.ends_with("mod.rs"))
    {
        let whole = texts.get(&format!("src/{path}")).expect("a file of the whole").replace("crate::", "super::super::");
        let mut rest = whole.lines();
        for line in text.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with("use core::ffi::")) {
            assert!(rest.any(|known| known == line), "{path}: {line}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared} lines");
}

#[test]
fn a_name_that_nothing_has_is_an_error_with_the_nearest_ones() {
    let error = Part::cut(&Texts::shipped(), &request(&["cuInit", "cuImportExternalSemaphor", "zzzzzzzz"])).expect_err("unknown");
    let Error::Unknown(names) = &error else { panic!("{error}") };
    assert_eq!(names.iter().map(|unknown| unknown.name.as_str()).collect::<Vec<_>>(), ["cuImportExternalSemaphor", "zzzzzzzz"]);
    assert_eq!(names[0].nearest.first().map(String::as_str), Some("cuImportExternalSemaphore"));
    assert!(
        error.to_string().starts_with("nothing is called `cuImportExternalSemaphor`: did you mean `cuImportExternalSemaphore`"),
        "{error}"
    );
}

#[test]
fn nothing_asked_for_is_an_error() {
    for names in [&[][..], &[""], &[" ", "\n"]] {
        let error = Part::cut(&Texts::shipped(), &request(names)).expect_err("nothing");
        assert!(matches!(error, Error::Nothing), "{error}");
    }
}

#[test]
fn an_index_that_is_not_that_of_the_text_is_noticed() {
    let texts = Texts::shipped();
    let generated = |change: &dyn Fn(&str, &str) -> String| {
        let files: Vec<(String, String)> = texts
            .below("")
            .filter(|(path, _)| path.contains("cuda") || path.contains("opencl"))
            .map(|(path, text)| (path.to_owned(), change(path, text)))
            .collect();
        Part::cut(&Texts::shipped().with_generated(files), &request(&["cuInit"]))
    };
    assert!(generated(&|_, text| text.to_owned()).is_ok());
    let longer = generated(&|path, text| if path == "src/cuda/commands.rs" { format!("{text}// more\n") } else { text.to_owned() });
    let broken = generated(&|path, text| if path == "index/cuda.txt" { format!("{text}nonsense\n") } else { text.to_owned() });
    for (result, place) in [(longer, "src/cuda/commands.rs"), (broken, "index/cuda.txt:")] {
        let error = result.expect_err("damaged");
        assert!(matches!(&error, Error::Damaged(what) if what.contains(place)), "{error}");
    }
}

/// A feature of the whole means nothing to the crate that has a part.
#[test]
fn no_line_of_a_part_depends_on_a_feature() {
    let request = Request { rules: true, ..request(&["clBuildProgram", "clCreateSemaphoreWithPropertiesKHR"]) };
    let part = Part::cut(&Texts::shipped(), &request).expect("a part");
    assert!(text(&part, "opencl/other_rules.rs").contains("RULES_OF_clBuildProgram_arguments:"));
    assert!(text(&part, "opencl/rules.rs").contains("RULES_OF_clCreateSemaphoreWithPropertiesKHR_arguments:"));
    for (path, text) in part.files() {
        assert!(!text.contains("cfg(feature"), "{path}");
    }
}

/// What `clcu-sys` ships of itself is all that there is, so that a file which is added is not forgotten.
#[test]
fn every_file_of_the_bindings_is_shipped() {
    fn collect(folder: &std::path::Path, root: &std::path::Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("the bindings are beside the generator") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                collect(&path, root, found);
            } else {
                let path = path.strip_prefix(root).expect("below it").to_string_lossy().replace('\\', "/");
                found.insert(path);
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
    let mut found = BTreeSet::new();
    collect(&root.join("src"), &root, &mut found);
    collect(&root.join("index"), &root, &mut found);
    found.remove("src/source.rs");
    assert_eq!(found, clcu_sys::source::FILES.iter().map(|(path, _)| (*path).to_owned()).collect());
}
