//! `clcu explain`, `coverage` and the atlas: from the committed snapshots alone.
#![cfg(feature = "cli")]

mod cli;

use std::{collections::BTreeSet, fs, path::Path};

use clcu_codegen::model::{Api, Model};
use cli::Repository;
use serde_json::Value;

/// A repository with what is committed under `spec/`.
fn repository() -> Repository {
    let repository = Repository::with_sources(clcu_spec::SOURCES);
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    for path in [
        "cuda.json",
        "opencl.json",
        "lines/cuda.json",
        "lines/opencl.json",
        "lines/opencl-text.json",
        "coverage/cuda.json",
        "coverage/opencl.json",
    ] {
        repository.put(&format!("spec/{path}"), fs::read(spec.join(path)).expect("it is committed"));
    }
    repository
}

fn json(repository: &Repository, arguments: &[&str]) -> Value {
    let ran = repository.run(arguments);
    ran.succeeds(&[]);
    serde_json::from_str(&ran.out).expect("JSON")
}

fn explained(name: &str) -> Value {
    json(&repository(), &["explain", name, "--json"])
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list `{key}` in {value}"))
}

fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    list(value, key).iter().map(|one| one.as_str().unwrap_or_default()).collect()
}

/// The row of a handle type by its short name.
fn row<'a>(explanation: &'a Value, short: &str) -> &'a Value {
    list(explanation, "handle_types").iter().find(|row| row["short"] == short).unwrap_or_else(|| panic!("no row `{short}`"))
}

/// Whether `explanation` has a rule of `predicate` over `fields`, with `when` among its conditions.
fn has(explanation: &Value, predicate: &str, fields: &[&str], when: &str) -> bool {
    let is =
        |rule: &&Value| rule["predicate"] == predicate && texts(rule, "fields") == fields && texts(rule, "when").contains(&when);
    list(explanation, "rules").iter().any(|rule| is(&rule))
}

/// A03: the owner of a descriptor after success is the driver, and it is said where people look.
#[test]
fn import_of_a_semaphore_has_ten_rows_and_each_takes_what_upstream_says() {
    let explanation = explained("cuImportExternalSemaphore");
    assert_eq!(list(&explanation, "handle_types").len(), 10);
    let (handle, name) = ("handle.win32.handle", "handle.win32.name");
    let when = |short: &str| format!("type in CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_{short}");
    for short in ["OPAQUE_WIN32", "D3D12_FENCE", "TIMELINE_SEMAPHORE_WIN32"] {
        assert!(has(&explanation, "exactly_one_non_null", &[handle, name], &when(short)), "{short}");
    }
    for short in ["OPAQUE_WIN32_KMT", "D3D11_KEYED_MUTEX_KMT"] {
        assert!(has(&explanation, "non_null", &[handle], &when(short)), "{short}");
        assert!(has(&explanation, "null", &[name], &when(short)), "{short}");
    }
    for short in ["OPAQUE_FD", "TIMELINE_SEMAPHORE_FD"] {
        let row = row(&explanation, short);
        assert_eq!((&row["owner_on_success"], &row["owner_on_failure"]), (&"driver".into(), &"caller".into()), "{short}");
        assert_eq!(row["member"], "handle.fd");
    }
    assert_eq!(row(&explanation, "OPAQUE_WIN32")["member"], "handle.win32");
}

#[test]
fn a_record_goes_by_either_of_its_names() {
    let alias = explained("CUDA_EXTERNAL_MEMORY_HANDLE_DESC");
    let versioned = explained("CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1");
    assert_eq!(list(&alias, "handle_types").len(), 9);
    for key in ["handle_types", "rules"] {
        assert_eq!(alias[key], versioned[key], "{key}");
    }
}

#[test]
fn re_import_of_a_sync_fd_has_four_codes_and_two_conditions_on_the_semaphore() {
    let explanation = explained("clReImportSemaphoreSyncFdKHR");
    let errors = list(&explanation, "errors");
    assert_eq!(errors.len(), 1);
    let codes = list(&errors[0], "codes");
    let found: Vec<(&str, usize)> =
        codes.iter().map(|code| (code["code"].as_str().unwrap_or_default(), list(code, "rules").len())).collect();
    let wanted =
        [("CL_INVALID_SEMAPHORE_KHR", 2), ("CL_INVALID_VALUE", 1), ("CL_OUT_OF_HOST_MEMORY", 1), ("CL_OUT_OF_RESOURCES", 1)];
    assert_eq!(found, wanted);
    let refused = "given.semaphore_handle_type not_in CL_SEMAPHORE_HANDLE_SYNC_FD_KHR";
    assert!(has(&explanation, "forbidden", &["sema_object"], refused));
    let fd = list(&explanation, "rules").iter().find(|rule| rule["predicate"] == "fd_or_minus_one").expect("a rule on the fd");
    assert_eq!(texts(fd, "fields"), ["fd"]);
    assert_eq!(row(&explanation, "SYNC_FD")["special_value"], -1);
}

#[test]
fn a_handle_type_is_one_row_with_its_rules_and_codes() {
    let explanation = explained("CL_SEMAPHORE_HANDLE_SYNC_FD_KHR");
    let rows = list(&explanation, "handle_types");
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["value"], &rows[0]["transference"]), (&0x2058.into(), &"copy".into()));
    assert!(texts(&rows[0], "errors").contains(&"CL_INVALID_SEMAPHORE_KHR"));
    let explained: BTreeSet<&str> = list(&explanation, "rules").iter().filter_map(|rule| rule["id"].as_str()).collect();
    let named = texts(&rows[0], "rules");
    assert!(!named.is_empty() && named.iter().all(|id| explained.contains(id)), "{named:?}");
}

#[test]
fn json_has_the_keys_that_programs_rely_on() {
    for name in ["cuImportExternalSemaphore", "clCreateSemaphoreWithPropertiesKHR", "CUmemAllocationHandleType"] {
        let explanation = explained(name);
        for row in list(&explanation, "handle_types") {
            for key in [
                "name",
                "value",
                "member",
                "owner_on_success",
                "owner_on_failure",
                "transference",
                "payload",
                "rules",
                "errors",
                "since",
            ] {
                assert!(row.get(key).is_some(), "{name}: no `{key}` in {row}");
            }
        }
        for rule in list(&explanation, "rules") {
            for key in ["id", "predicate", "fields", "when", "origin", "source"] {
                assert!(rule.get(key).is_some(), "{name}: no `{key}` in {rule}");
            }
            let source = &rule["source"];
            assert!(!source.is_null() || rule["origin"] != "stated", "{rule}");
            for key in ["document", "version", "symbol", "lines"] {
                assert!(source.is_null() || source.get(key).is_some(), "{name}: no `{key}` in {source}");
            }
        }
    }
}

#[test]
fn every_stated_rule_of_both_apis_has_the_lines_of_its_text() {
    for (api, document) in [("cuda/", "cuda"), ("opencl/", "api/")] {
        let explanation = explained(api);
        let stated: Vec<&Value> = list(&explanation, "rules").iter().filter(|rule| rule["origin"] == "stated").collect();
        assert!(stated.len() > 200, "{api}");
        for rule in stated {
            let lines = &rule["source"]["lines"];
            assert_eq!(lines["document"], rule["source"]["document"], "{rule}");
            assert!(lines["document"].as_str().is_some_and(|name| name.starts_with(document)), "{rule}");
            assert!(lines["first"].as_u64() > Some(0) && lines["last"].as_u64() >= lines["first"].as_u64(), "{rule}");
        }
    }
}

#[test]
fn a_rule_on_a_member_of_a_member_has_the_lines_of_that_member() {
    let repository = repository();
    let lines: Value = serde_json::from_str(&repository.read("spec/lines/cuda.json")).expect("JSON");
    let rule = json(&repository, &["explain", "cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/D3D11_FENCE/exactly-one", "--json"]);
    let source = &rule["rules"][0]["source"];
    assert_eq!(source["symbol"], "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::handle::win32");
    assert_eq!(source["lines"], lines["CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle::win32"]);
}

#[test]
fn a_command_shows_the_properties_that_it_takes() {
    let explanation = explained("clCreateSemaphoreWithPropertiesKHR");
    let rows = list(&explanation, "properties");
    let required: Vec<&Value> = rows.iter().filter(|row| row["required"] == true).map(|row| &row["name"]).collect();
    assert_eq!(required, ["CL_SEMAPHORE_TYPE_KHR"]);
    assert!(rows.iter().all(|row| row["command"] == "clCreateSemaphoreWithPropertiesKHR"), "{rows:?}");
}

#[test]
fn a_handle_type_says_what_its_columns_rest_on() {
    let explanation = explained("CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD");
    let rows = list(&explanation, "handle_types");
    assert_eq!(rows.len(), 1);
    let evidence = list(&rows[0], "evidence");
    let owner = evidence.iter().find(|one| one["column"] == "owner_on_success").expect("the column has a basis");
    assert_eq!((&owner["origin"], &owner["source"]["symbol"]), (&"stated".into(), &"cuImportExternalMemory".into()));
    assert!(evidence.iter().all(|one| one["source"].is_null() != one["reason"].is_null()), "{evidence:?}");
    assert_eq!(texts(&rows[0]["counterparts"], "vulkan"), ["VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT"]);
}

#[test]
fn a_rule_an_enumeration_and_the_beginning_of_an_id_are_names_too() {
    let id = "cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one";
    let rule = explained(id);
    assert_eq!((list(&rule, "rules").len(), &rule["rules"][0]["id"]), (1, &id.into()));
    assert_eq!(list(&rule, "handle_types").len(), 1);
    assert_eq!(list(&explained("CUexternalMemoryHandleType"), "handle_types").len(), 9);
    let all = explained("cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32");
    let ids = list(&all, "rules").iter().filter_map(|rule| rule["id"].as_str());
    assert!(
        ids.clone().count() > 1 && ids.clone().all(|id| id.starts_with("cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/"))
    );
}

#[test]
fn an_error_code_names_the_commands_that_answer_with_it() {
    let explanation = explained("CL_INVALID_SEMAPHORE_KHR");
    let opencl: Value = serde_json::from_str(clcu_spec::OPENCL).expect("a snapshot");
    let lists = list(&opencl["model"], "error_lists").iter();
    let documented = |list: &&Value| {
        list["codes"].as_array().is_some_and(|codes| codes.iter().any(|code| code["code"] == "CL_INVALID_SEMAPHORE_KHR"))
    };
    let wanted: Vec<&Value> = lists.filter(documented).map(|list| &list["symbol"]).collect();
    let found: Vec<&Value> = list(&explanation, "errors").iter().map(|row| &row["command"]).collect();
    assert_eq!(found, wanted);
    assert!(found.contains(&&"clReImportSemaphoreSyncFdKHR".into()));
}

#[test]
fn an_unknown_name_is_an_error_with_the_nearest_names() {
    let repository = repository();
    let wrong = ["explain", "cuImportExternlSemaphore"];
    repository
        .run(&wrong)
        .fails(3, &["neither API has anything called `cuImportExternlSemaphore`", "did you mean `cuImportExternalSemaphore`"]);
    repository.run(&["explain", "ZZZZZZZZZZZZZZZZ"]).fails(3, &["neither API", "give the name of a command"]);
    repository.run(&["explain", "--json", "--markdown", "cuInit"]).fails(2, &[]);
}

#[test]
fn the_terminal_gets_plain_words_as_wide_as_it_is() {
    let repository = repository();
    for columns in ["60", "140"] {
        let output =
            repository.command(&["explain", "cuImportExternalSemaphore"]).env("COLUMNS", columns).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let width: usize = columns.parse().expect("a number");
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('`'), "{text}");
    }
    let coloured = repository.run(&["explain", "cuInit", "--color", "always"]);
    coloured.succeeds(&["\u{1b}["]);
    let markdown = repository.run(&["explain", "cuImportExternalSemaphore", "--markdown"]);
    markdown.succeeds(&["# `cuImportExternalSemaphore` (CUDA)", "| `OPAQUE_FD` | 1 | `handle.fd` |", "- `flags` is zero"]);
}

/// What `spec/coverage` says of one API, counted without the program's own types.
fn figures(api: Api) -> (usize, u64, u64, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../spec/coverage/{}.json", api.name()));
    let text = fs::read_to_string(path).expect("it is committed");
    let number = |line: &str, key: &str| -> u64 {
        let found = line.split_once(&format!("\"{key}\": ")).map(|(_, rest)| rest.split([',', '}']).next().unwrap_or_default());
        found.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    let lines = text.lines().filter(|line| line.len() > 1);
    let sum = |key: &str| lines.clone().map(|line| number(line, key)).sum();
    (lines.clone().count(), sum("checkable"), sum("attested"), text.matches(" #").count())
}

#[test]
fn coverage_counts_what_is_written_down_for_each_symbol() {
    let coverage = json(&repository(), &["coverage", "--json"]);
    for api in Api::ALL {
        let report = &coverage[api.name()];
        let documents: Vec<&Value> = report["documents"].as_object().expect("documents").values().collect();
        let sum = |key: &str| documents.iter().filter_map(|one| one[key].as_u64()).sum::<u64>();
        let (symbols, checkable, attested, unread) = figures(api);
        assert_eq!(report["symbols"].as_object().map(serde_json::Map::len), Some(symbols), "{api}");
        assert_eq!((sum("checkable"), sum("attested"), sum("unread")), (checkable, attested, unread as u64), "{api}");
        assert!(checkable > 100 && attested > 50, "{api}");
    }
}

#[test]
fn a_hundred_and_seventy_eight_commands_of_opencl_have_codes_and_the_others_are_named() {
    let coverage = json(&repository(), &["coverage", "--json"]);
    let report = &coverage["opencl"];
    let opencl: Value = serde_json::from_str(clcu_spec::OPENCL).expect("a snapshot");
    let lists = list(&opencl["model"], "error_lists");
    let codes = |list: &Value| list["codes"].as_array().map_or(0, Vec::len);
    let with: Vec<&Value> = lists.iter().filter(|list| codes(list) > 0).collect();
    assert_eq!((with.len(), lists.len() - with.len()), (178, 74));
    let named: BTreeSet<&str> = ["no_text", "no_list", "no_codes"].into_iter().flat_map(|key| texts(report, key)).collect();
    let wanted: BTreeSet<&str> = lists.iter().filter(|list| codes(list) == 0).filter_map(|list| list["symbol"].as_str()).collect();
    assert_eq!(named, wanted);
    let once: usize = ["no_text", "no_list", "no_codes"].into_iter().map(|key| list(report, key).len()).sum();
    assert_eq!(once, named.len(), "each is named for one reason");
    let pairs: usize = with.iter().map(|list| codes(list)).sum();
    let counted: u64 = report["documents"].as_object().expect("documents").values().filter_map(|one| one["codes"].as_u64()).sum();
    assert_eq!(counted, pairs as u64);
}

#[test]
fn nothing_about_external_semaphores_is_left_unread() {
    let coverage = json(&repository(), &["coverage", "--json"]);
    for (api, symbol) in [
        ("cuda", "cuImportExternalSemaphore"),
        ("cuda", "cuImportExternalMemory"),
        ("opencl", "clCreateSemaphoreWithPropertiesKHR"),
        ("opencl", "clReImportSemaphoreSyncFdKHR"),
    ] {
        let account = &coverage[api]["symbols"][symbol];
        assert!(account["checkable"].as_u64() > Some(0), "{symbol}: {account}");
        assert_eq!(list(account, "unread").len(), 0, "{symbol}");
    }
}

#[test]
fn a_page_of_the_atlas_that_was_changed_by_hand_is_found_by_check_and_made_anew() {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&["docs/atlas.md", "docs/atlas.html"]);
    repository.run(&["check"]).succeeds(&["nothing differs"]);
    for path in ["docs/atlas.md", "docs/atlas.html"] {
        let right = repository.read(path);
        repository.put(path, right.replacen("driver", "caller", 3));
        let ran = repository.run(&["check"]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.out.contains(&format!("+++ b/{path}")), "{}", ran.out);
        repository.run(&["generate"]).succeeds(&[path]);
        assert_eq!(repository.read(path), right);
    }
}

#[test]
fn an_api_without_handle_types_has_an_atlas_without_rows() {
    let [markdown, _] = clcu_codegen::atlas::pages(&Model::empty(Api::Cuda), &Model::empty(Api::OpenCl));
    assert!(markdown.text.contains("0 of them") && !markdown.text.contains("\n|"), "{}", markdown.text);
}
