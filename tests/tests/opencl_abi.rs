//! Every value, layout and function type of the OpenCL model against the installed C headers, compiled by gcc.
//!
//! The installed headers are older than `cl.xml`: what they have is compared, for each of the three layouts, and each difference is
//! explained below. A difference without an explanation fails, and so does an explanation that no longer explains anything.

use std::collections::BTreeSet;

use clcu_codegen::model::{Model, Target};
use clcu_tests::{
    opencl,
    opencl_headers::{self, Declared, Headers, Probe},
    upstream,
};

/// A name, and why the headers say something else of it.
type Explanation = (&'static str, &'static str);

const VALUES: &[Explanation] = &[(
    "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR",
    "cl_khr_command_buffer_mutable_dispatch is experimental: 0.9.2 moved it to another type, where it is 0",
)];

const TYPES: &[Explanation] = &[
    (
        "cl_mutable_dispatch_config_khr",
        "cl_khr_command_buffer_mutable_dispatch is experimental: 0.9.2 dropped the members `type` and `next`",
    ),
    (
        "cl_queue_family_properties_intel",
        "cl.xml aligns cl_ulong to 8 everywhere; these headers leave it to the compiler, which on 32-bit Linux aligns it to 4 in a struct",
    ),
];

const PROPERTIES: &str = "cl_khr_command_buffer is experimental: 0.9.5 added the parameter `properties`";

const FUNCTIONS: &[Explanation] = &[
    ("clCommandBarrierWithWaitListKHR", PROPERTIES),
    ("clCommandCopyBufferKHR", PROPERTIES),
    ("clCommandCopyBufferRectKHR", PROPERTIES),
    ("clCommandCopyBufferToImageKHR", PROPERTIES),
    ("clCommandCopyImageKHR", PROPERTIES),
    ("clCommandCopyImageToBufferKHR", PROPERTIES),
    ("clCommandFillBufferKHR", PROPERTIES),
    ("clCommandFillImageKHR", PROPERTIES),
    ("clCommandNDRangeKernelKHR", PROPERTIES),
    (
        "clUpdateMutableCommandsKHR",
        "cl_khr_command_buffer_mutable_dispatch is experimental: 0.9.2 replaced one configuration by lists of them",
    ),
];

/// Compiles the probes that `make` gives for each layout, of which there have to be `at_least` so many.
fn compare(test: &str, explained: &[Explanation], at_least: usize, make: impl Fn(&Model, &Declared, Target) -> Vec<Probe>) {
    let Some(model) = opencl::model(test) else { return };
    let Some(headers) = Headers::find().expect("a directory for stubs") else {
        upstream::skipped(test, "gcc and opencl-c-headers");
        return;
    };
    let declared = headers.declared().expect("gcc preprocesses the headers");
    let mut different = BTreeSet::new();
    for target in Target::ALL {
        let probes = make(&model, &declared, target);
        println!("{test}: {target:?}: {} facts", probes.len());
        assert!(probes.len() >= at_least, "{test}: {} facts, wanted at least {at_least}", probes.len());
        for (index, error) in headers.failures(&probes, target).expect("gcc compiles the probes") {
            let probe = probes.get(index).expect("gcc names lines of the program");
            if !explained.iter().any(|(name, _)| *name == probe.name) {
                println!("{target:?}: {}\n    {error}", probe.text);
            }
            different.insert(probe.name.clone());
        }
    }
    let explained: BTreeSet<String> = explained.iter().map(|(name, _)| (*name).to_owned()).collect();
    let unexplained: Vec<&String> = different.difference(&explained).collect();
    assert!(unexplained.is_empty(), "differ from the headers without an explanation: {unexplained:?}");
    let stale: Vec<&String> = explained.difference(&different).collect();
    assert!(stale.is_empty(), "explained, and no longer different: {stale:?}");
}

#[test]
fn values_are_those_of_the_headers() {
    compare("values_are_those_of_the_headers", VALUES, 1_100, opencl_headers::value_probes);
}

#[test]
fn types_and_layouts_are_those_of_the_headers() {
    compare("types_and_layouts_are_those_of_the_headers", TYPES, 290, opencl_headers::type_probes);
}

#[test]
fn function_types_are_those_of_the_headers() {
    compare("function_types_are_those_of_the_headers", FUNCTIONS, 300, |model, declared, _| {
        opencl_headers::function_probes(model, declared)
    });
}
