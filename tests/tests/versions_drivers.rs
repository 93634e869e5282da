//! One binary for the drivers of all releases: what each lacks is known when it runs, and nothing is chosen when it is built.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use clcu::cuda::ENVIRONMENT;
use clcu_codegen::model::Version;
use clcu_tests::{release_driver, releases};

/// The example, built once: the same file runs against every driver.
fn binary() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--package", "clcu", "--example", "lacks", "--message-format", "json-render-diagnostics"])
        .output()
        .expect("cargo can be started");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    let mut executables = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "lacks").then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
    });
    executables.next_back().expect("cargo says where the example is")
}

fn run(binary: &Path, driver: &Path) -> Output {
    Command::new(binary).env(ENVIRONMENT, driver).output().expect("the example can be started")
}

/// The symbols that a line of the report names after its colon.
fn listed(report: &str, start: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let lines = report.lines().filter_map(|line| line.split_once(": ")).filter(|(head, _)| start(head));
    let symbols = lines.flat_map(|(_, symbols)| symbols.split(", ")).filter_map(|symbol| symbol.split(' ').next());
    symbols.map(str::to_owned).collect()
}

/// D13: no Cargo feature chooses a version. B13: the driver's version is known at run time.
#[test]
fn d13_one_binary_works_with_every_driver_and_says_what_each_lacks() {
    let test = "d13_one_binary_works_with_every_driver_and_says_what_each_lacks";
    let model = releases::cuda_snapshot();
    let every: BTreeSet<String> =
        model.commands.iter().filter(|command| !command.windows).map(|command| command.symbol.clone()).collect();
    let binary = binary();
    // What is known of each release by other means: what came after it, and what had gone before it.
    let spot_checks: [(Version, &[&str], &[&str]); 4] = [
        (Version::new(11, 7), &["cuLibraryLoadData", "cuCtxCreate_v4", "cuCtxSynchronize_v2", "cuGetProcAddress_v2"], &[]),
        (Version::new(12, 4), &["cuCtxCreate_v4", "cuCtxSynchronize_v2"], &["cuGraphKernelNodeGetParams"]),
        (Version::new(13, 0), &[], &["cuMemAdvise", "cuCtxCreate_v2"]),
        (Version::new(13, 5), &[], &["cuMemAdvise", "cuCtxCreate_v2"]),
    ];
    for (version, newer, gone) in spot_checks {
        let Some(driver) = release_driver::build(test, &model, version) else { return };
        let output = run(&binary, &driver.path);
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "CUDA {version}: {report}{}", String::from_utf8_lossy(&output.stderr));
        assert!(report.contains(&format!("driver for CUDA {version}, 1 devices")), "{report}");

        let has: BTreeSet<String> =
            release_driver::commands(&model, version).into_iter().map(|command| command.symbol.clone()).collect();
        let lacks: BTreeSet<String> = every.difference(&has).cloned().collect();
        let counts = format!("{} commands are there, {} are missing", has.len(), lacks.len());
        assert!(report.contains(&counts), "wanted {counts}\n{report}");
        let (said_newer, said_gone) = (
            listed(&report, |head| head.starts_with("needs a driver")),
            listed(&report, |head| head == "no longer in the headers"),
        );
        assert_eq!(said_newer.union(&said_gone).cloned().collect::<BTreeSet<_>>(), lacks, "CUDA {version}");
        for symbol in newer {
            assert!(said_newer.contains(*symbol), "CUDA {version}: {symbol} is not said to be newer: {report}");
        }
        for symbol in gone {
            assert!(said_gone.contains(*symbol), "CUDA {version}: {symbol} is not said to be gone: {report}");
        }
        assert_eq!(lacks.is_empty(), said_newer.is_empty() && said_gone.is_empty());
    }
}
