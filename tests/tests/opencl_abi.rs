//! Every value, layout and function type of the OpenCL model against the installed C headers, compiled by gcc for each of the three
//! layouts. What the headers do not have is not compared; they are older than `cl.xml`.

use std::collections::BTreeSet;

use clcu_codegen::model::{Model, Target};
use clcu_tests::{
    opencl,
    opencl_differences::{self, FUNCTIONS, FUNCTIONS_BY_NAME, TYPES, TYPES_OF_LINUX_I686, VALUES},
    opencl_headers::{self, Declared, Headers, Probe},
    upstream,
};

/// The names of which a probe that `make` gives does not hold for some layout. There have to be `at_least` so many probes each time.
fn differences(test: &str, at_least: usize, make: impl Fn(&Model, &Declared, Target) -> Vec<Probe>) -> Option<BTreeSet<String>> {
    let model = opencl::model();
    let Some(headers) = Headers::find().expect("a directory for stubs") else {
        upstream::skipped(test, "gcc and opencl-c-headers");
        return None;
    };
    let declared = headers.declared().expect("gcc preprocesses the headers");
    let mut different = BTreeSet::new();
    for target in Target::ALL {
        let probes = make(&model, &declared, target);
        println!("{test}: {target:?}: {} facts", probes.len());
        assert!(probes.len() >= at_least, "{test}: {} facts, wanted at least {at_least}", probes.len());
        for (index, error) in headers.failures(&probes, target).expect("gcc compiles the probes") {
            let probe = probes.get(index).expect("gcc names lines of the program");
            println!("{target:?}: {}\n    {error}", probe.text);
            different.insert(probe.name.clone());
        }
    }
    Some(different)
}

#[test]
fn values_are_those_of_the_headers() {
    if let Some(different) = differences("values_are_those_of_the_headers", 1_100, opencl_headers::value_probes) {
        opencl_differences::assert_explained(&different, &[VALUES]);
    }
}

#[test]
fn types_and_layouts_are_those_of_the_headers() {
    if let Some(different) = differences("types_and_layouts_are_those_of_the_headers", 290, opencl_headers::type_probes) {
        opencl_differences::assert_explained(&different, &[TYPES, TYPES_OF_LINUX_I686]);
    }
}

#[test]
fn function_types_are_those_of_the_headers() {
    let make = |model: &Model, declared: &Declared, _: Target| opencl_headers::function_probes(model, declared);
    if let Some(different) = differences("function_types_are_those_of_the_headers", 300, make) {
        opencl_differences::assert_explained(&different, &[FUNCTIONS, FUNCTIONS_BY_NAME]);
    }
}
