//! `clcu generate`, `check` and `stats`: from snapshots alone, without anything of upstream.
#![cfg(feature = "cli")]

mod cli;

use std::{fs, process::Stdio};

use clcu_codegen::{
    model::{Api, Constant, Enumeration, EnumerationKind, Enumerator, Lifetime, Model, Value, Version},
    snapshot,
};
use cli::Repository;

fn lifetime() -> Lifetime {
    Lifetime { since: Some(Version::new(1, 0)), ..Lifetime::default() }
}

/// A model of one constant and one enumeration with two values.
fn model(api: Api) -> Model {
    let enumerator =
        |name: &str, value| Enumerator { name: name.into(), value: Value::Decimal(value), alias_of: None, lifetime: lifetime() };
    Model {
        releases: vec!["1.0.1".into()],
        constants: vec![Constant {
            name: "X_MOST".into(),
            ctype: "u32".parse().expect("a type"),
            value: Value::Hex(16),
            lifetime: lifetime(),
            windows: true,
        }],
        enumerations: vec![Enumeration {
            name: "Xkind".into(),
            repr: "u32".into(),
            kind: EnumerationKind::Choice,
            lifetime: lifetime(),
            windows: false,
            enumerators: vec![enumerator("X_ONE", 1), enumerator("X_TWO", 2)],
        }],
        ..Model::empty(api)
    }
}

/// A repository with snapshots and nothing else.
fn repository() -> Repository {
    let repository = Repository::with_sources(clcu_spec::SOURCES);
    for api in Api::ALL {
        repository.put(&format!("spec/{}.json", api.name()), snapshot::write(&model(api)));
    }
    repository
}

/// B42.
#[test]
fn generated_twice_is_generated_once() {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&["changed: ", "generated/src/opencl/enums.rs", "(new)"]);
    let before = repository.files("generated");
    repository.run(&["generate"]).succeeds(&["nothing changed"]);
    assert_eq!(repository.files("generated"), before);
}

#[test]
fn a_check_finds_nothing_right_after_generate_and_everything_before() {
    let repository = repository();
    let before = repository.run(&["check"]);
    assert_eq!(before.code, Some(1), "{before:#?}");
    assert!(before.out.contains("--- /dev/null\n+++ b/generated/src/cuda/enums.rs"), "{}", before.out);
    assert!(!repository.path("generated").exists(), "check writes nothing");
    repository.run(&["generate"]).succeeds(&[]);
    repository.run(&["check"]).succeeds(&["nothing differs"]);
}

/// B42: what is changed by hand in generated files is found, not kept in silence.
#[test]
fn a_value_changed_by_hand_is_shown_as_a_diff_and_generated_away() {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&[]);
    let path = "generated/src/cuda/enums.rs";
    let right = repository.read(path);
    let wrong = right.replace("X_TWO", "X_THREE");
    assert_ne!(right, wrong);
    repository.put(path, &wrong);
    let ran = repository.run(&["check"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let removed = ran.out.lines().any(|line| line.starts_with('-') && line.contains("X_THREE"));
    let added = ran.out.lines().any(|line| line.starts_with('+') && line.contains("X_TWO"));
    assert!(removed && added, "{}", ran.out);
    assert_eq!(repository.read(path), wrong, "check writes nothing");
    repository.run(&["generate"]).succeeds(&["changed: 1 of", path]);
    assert_eq!(repository.read(path), right);
}

#[test]
fn a_file_that_is_no_longer_generated_is_drift_and_one_of_somebody_s_own_is_refused() {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&[]);
    let stale = "generated/src/cuda/obsolete.rs";
    repository.put(stale, format!("{}\n", clcu_codegen::emit::MARK));
    let ran = repository.run(&["check"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains("+++ /dev/null"), "{}", ran.out);
    repository.run(&["generate"]).succeeds(&[stale, "(removed)"]);
    assert!(!repository.path(stale).exists());
    repository.put("generated/src/cuda/mine.rs", "// mine\n");
    for command in ["check", "generate"] {
        repository.run(&[command]).fails(3, &["generated/src/cuda/mine.rs is not generated"]);
    }
    assert_eq!(repository.read("generated/src/cuda/mine.rs"), "// mine\n");
}

#[test]
fn a_snapshot_that_cannot_be_read_is_an_error_at_its_line_and_changes_nothing() {
    let repository = repository();
    repository.run(&["generate"]).succeeds(&[]);
    let before = repository.files("generated");
    let right = repository.read("spec/cuda.json");
    let cases = [
        (right.replace("\"X_TWO\"", "X_TWO"), "spec/cuda.json:"),
        (right.replacen("\"schema\": 1", "\"schema\": 999", 1), "schema 999"),
        (right.replacen("\"api\": \"cuda\"", "\"api\": \"opencl\"", 1), "a snapshot of another API"),
        (right.replacen("\"value\"", "\"valeu\"", 1), "missing field `value`"),
        (right[..right.len() / 2].to_owned(), "spec/cuda.json:"),
        (String::new(), "spec/cuda.json:1:1"),
        ("[".repeat(100_000), "spec/cuda.json:1:"),
    ];
    for (wrong, part) in cases {
        assert_ne!(wrong, right);
        repository.put("spec/cuda.json", wrong);
        for command in [&["generate"][..], &["check"], &["stats"], &["stats", "--json"]] {
            repository.run(command).fails(3, &[part, "1 error, 0 warnings"]);
        }
    }
    repository.put("spec/cuda.json", [b"{\n\"schema\": ".as_slice(), &[0xFF]].concat());
    repository.run(&["generate"]).fails(3, &["spec/cuda.json:2:11", "not UTF-8", "0xFF"]);
    fs::remove_file(repository.path("spec/cuda.json")).expect("there");
    repository.run(&["generate"]).fails(3, &["cannot read spec/cuda.json"]);
    assert_eq!(repository.files("generated"), before);
}

#[test]
fn a_place_that_cannot_be_written_is_a_disk_error_and_changes_nothing() {
    let repository = repository();
    repository.put("generated/src/opencl", "a file where a directory should be");
    let before = repository.files("generated");
    repository.run(&["generate"]).fails(5, &["generated/src/opencl", "no output was changed"]);
    assert_eq!(repository.files("generated"), before);
}

#[test]
fn stats_count_each_kind_by_api() {
    let ran = repository().run(&["stats", "--json"]);
    let stats: serde_json::Value = serde_json::from_str(&ran.succeeds(&[]).out).expect("JSON");
    for api in ["cuda", "opencl"] {
        let items = &stats[api]["items"];
        let counts = ["constants", "enumerations", "enumerators", "commands"].map(|kind| items[kind].as_u64());
        assert_eq!(counts, [Some(1), Some(1), Some(2), Some(0)], "{stats}");
        assert_eq!(stats[api]["windows_only"], serde_json::json!({ "constants": 1 }));
        assert_eq!(stats[api]["releases"], serde_json::json!(["1.0.1"]));
    }
    let table = repository().run(&["stats"]);
    let row =
        table.succeeds(&[]).out.lines().find(|line| line.starts_with("enumerators")).map(|row| row.split_whitespace().collect());
    assert_eq!(row, Some(vec!["enumerators", "2", "2"]), "{}", table.out);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let repository = repository();
    let child = repository.command(&["check"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the command was built");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_root_is_found_from_below_and_a_directory_that_is_none_is_refused() {
    let repository = repository();
    repository.put("deep/below/file", "");
    let below = repository.command(&["generate"]).current_dir(repository.path("deep/below")).output();
    let below = below.expect("the command was built");
    assert!(below.status.success(), "{}", String::from_utf8_lossy(&below.stderr));
    assert!(repository.path("generated/src/cuda/enums.rs").is_file());
    repository.run(&["--root", "deep", "check"]).fails(3, &["not a checkout of clcu", "deep", "--root DIR"]);
}

#[test]
fn a_wrong_command_line_is_2_and_help_is_0_and_tells_every_code() {
    let repository = repository();
    for wrong in [&[][..], &["nonsense"], &["check", "--nonsense"], &["generate", "-q", "-v"], &["--color", "blue", "check"]] {
        assert_eq!(repository.run(wrong).code, Some(2), "{wrong:?}");
    }
    let help = repository.run(&["--help"]);
    help.succeeds(&["Examples:", "Exit codes:", "clcu update", "CLCU_CACHE"]);
    for code in ["0  done", "1  `check`", "2  the command", "3  an input", "4  upstream", "5  the disk"] {
        assert!(help.out.contains(code), "{code}\n{}", help.out);
    }
    for command in ["update", "fetch", "import", "generate", "check", "stats"] {
        repository.run(&[command, "--help"]).succeeds(&["Usage: clcu"]);
    }
}

#[test]
fn quiet_says_nothing_and_color_is_as_asked() {
    let repository = repository();
    let quiet = repository.run(&["generate", "--quiet"]);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (Some(0), "", ""));
    repository.put("generated/src/cuda/enums.rs", clcu_codegen::emit::MARK);
    let coloured = |color: &[&str]| repository.run(&[&["check"], color].concat()).out.contains('\x1b');
    assert!(coloured(&["--color", "always"]));
    assert!(!coloured(&["--color", "never"]));
    assert!(!coloured(&[]), "a pipe is no terminal");
}
