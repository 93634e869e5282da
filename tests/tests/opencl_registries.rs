//! Every published state of `cl.xml` imports, or says what is wrong and where; and the newest one is covered whole.

use std::fs;

use clcu_codegen::{
    finding::{Document, Findings, Severity, Strictness},
    import::opencl::registry::{self, Registry},
    model::{Api, Model, Target, Value},
    overlay::Question,
    pass,
};
use clcu_tests::{
    opencl,
    opencl_headers::{self, Headers},
    upstream,
};

/// What import of a published state has to say besides `ok`: the line, and a part of the message.
struct Expected {
    state: &'static str,
    /// Errors in strict import.
    errors: &'static [(usize, &'static str)],
}

/// Three states misspell an attribute; one nests a `<require>` in another, where a closing tag is missing.
const FAULTY: &[Expected] = &[
    Expected { state: "v3.0.4", errors: &[(4940, "unknown element <require> in <require>")] },
    Expected { state: "v3.0.8", errors: &[(429, "unknown attribute `commant`")] },
    Expected { state: "history/420e57f6", errors: &[(460, "unknown attribute `commant`")] },
    Expected { state: "history/ab0c92eb", errors: &[(416, "unknown attribute `commant`")] },
];

fn import(path: &std::path::Path, strictness: Strictness) -> Result<(Registry, Findings), Findings> {
    let bytes = fs::read(path).expect("cl.xml can be read");
    registry::import(&Document::from_bytes("cl.xml", &bytes)?, strictness)
}

#[test]
fn every_published_state_imports_or_names_its_fault() {
    let registries = upstream::opencl_registries();
    if registries.is_empty() {
        upstream::skipped("every_published_state_imports_or_names_its_fault", "the project's copies of cl.xml");
        return;
    }
    for (state, path) in registries {
        let expected = FAULTY.iter().find(|expected| expected.state == state).map_or(&[][..], |expected| expected.errors);
        let found: Vec<(usize, String)> = match import(&path, Strictness::Strict) {
            Ok(_) => Vec::new(),
            Err(findings) => findings.0.iter().filter(|it| it.severity == Severity::Error).map(line_and_text).collect(),
        };
        let matches = found.len() == expected.len()
            && found.iter().zip(expected).all(|((line, text), (at, part))| line == at && text.contains(part));
        assert!(matches, "{state}: found {found:?}, wanted {expected:?}");
        let (_, findings) = import(&path, Strictness::Lenient).unwrap_or_else(|findings| panic!("{state}, lenient: {findings}"));
        for (line, part) in expected {
            let listed = findings.0.iter().map(line_and_text).any(|(at, text)| at == *line && text.contains(part));
            assert!(listed, "{state}, lenient: line {line} is not listed");
        }
    }
}

fn line_and_text(finding: &clcu_codegen::finding::Finding) -> (usize, String) {
    (finding.place.as_ref().map_or(0, clcu_codegen::finding::Place::line), finding.to_string())
}

/// The model of a published state, and what import said of it; `None`, having said so, where there is no copy of it.
fn model_of(test: &str, state: &str) -> Option<(Model, Vec<(usize, String)>)> {
    let registries = upstream::opencl_registries();
    let Some((_, path)) = registries.iter().find(|(name, _)| name == state) else {
        upstream::skipped(test, "the project's copies of cl.xml");
        return None;
    };
    let (registry, findings) = import(path, Strictness::Strict).unwrap_or_else(|findings| panic!("{state}: {findings}"));
    let (model, _) =
        pass::opencl::model(&registry, &opencl::overlay(), state).unwrap_or_else(|findings| panic!("{state}: {findings}"));
    Some((model, findings.0.iter().map(line_and_text).collect()))
}

#[test]
fn every_published_state_without_a_fault_gives_a_model() {
    let test = "every_published_state_without_a_fault_gives_a_model";
    let registries = upstream::opencl_registries();
    if registries.is_empty() {
        upstream::skipped(test, "the project's copies of cl.xml");
    }
    for (state, _) in registries.iter().filter(|(state, _)| !FAULTY.iter().any(|faulty| faulty.state == state)) {
        let Some((model, _)) = model_of(test, state) else { return };
        assert!(model.commands.len() >= 230, "{state}: {} commands", model.commands.len());
    }
}

#[test]
fn slips_that_import_sets_right_are_warnings_with_their_line() {
    let test = "slips_that_import_sets_right_are_warnings_with_their_line";
    let Some((_, said)) = model_of(test, "history/97350033") else { return };
    let typedef = said.iter().filter(|(_, text)| text.contains("a typedef lacks its semicolon")).count();
    let block = "the name `cl_device_command_buffer_capabilities_khr` has stray white space around it";
    assert_eq!((typedef, said.iter().any(|(line, text)| *line > 0 && text.contains(block))), (1, true), "{said:?}");
}

/// A38: the name of the device list of semaphores was that of memory objects, with the same value; both changed.
#[test]
fn a_renamed_and_renumbered_property_shows_between_two_states() {
    let Some((older, _)) = model_of("a_renamed_and_renumbered_property_shows_between_two_states", "history/86019d49") else {
        return;
    };
    let newer = opencl::model();
    let both = |name: &str| {
        ["cl_semaphore_properties_khr", "cl_mem_properties"].map(|of| (value(&older, of, name), value(&newer, of, name)))
    };
    let number = |number| Some(Value::Hex(number));
    assert_eq!(both("CL_DEVICE_HANDLE_LIST_KHR"), [(number(0x2051), None), (number(0x2051), None)]);
    assert_eq!(both("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"), [(None, number(0x2053)), (None, None)]);
    assert_eq!(both("CL_MEM_DEVICE_HANDLE_LIST_KHR"), [(None, None), (None, number(0x2051))]);
}

/// A wrong number is valid XML: only another source can tell.
#[test]
fn a_wrong_value_is_found_by_the_c_headers() {
    let test = "a_wrong_value_is_found_by_the_c_headers";
    let Some((model, _)) = model_of(test, "history/6ca05e99") else { return };
    let Some(headers) = Headers::find().expect("a directory for stubs") else {
        upstream::skipped(test, "gcc and opencl-c-headers");
        return;
    };
    let probes = opencl_headers::value_probes(&model, &headers.declared().expect("gcc preprocesses the headers"), Target::Wide);
    let failures = headers.failures(&probes, Target::Wide).expect("gcc compiles the probes");
    let found =
        failures.iter().any(|(index, _)| probes.get(*index).is_some_and(|probe| probe.name == "CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL"));
    assert!(found, "{failures:?}");
}

/// D07: every value of the registry is a value of an enumeration, by the group that requires it, or a plain constant, or left out for a reason.
/// `clcu stats` says how many of each there are.
#[test]
fn the_registry_is_covered_whole() {
    let Some(registry) = opencl::registry("the_registry_is_covered_whole") else { return };
    let overlay = opencl::overlay();
    let (model, said) = pass::opencl::model(&registry, &overlay, "test").unwrap_or_else(|findings| panic!("{findings}"));
    // Columns of handle types are decided on the text, which is not read here.
    for question in [Question::HandleTypeColumn, Question::Counterparts] {
        for subject in overlay.subjects(Api::OpenCl, question) {
            assert!(overlay.decide(Api::OpenCl, question, subject).is_some());
        }
    }
    assert!(overlay.stale(Api::OpenCl).0.is_empty(), "{}", overlay.stale(Api::OpenCl));
    let values: Vec<&String> = registry.blocks.iter().flat_map(|block| &block.entries).map(|entry| &entry.name).collect();
    let missing: Vec<&&String> = values.iter().filter(|name| !is_in(&model, name)).collect();
    assert!(missing.is_empty(), "values that are neither emitted nor left out for a reason: {missing:?}");
    let structs = model.records.iter().filter(|record| record.parent.is_none()).count();
    println!(
        "{} commands, {} values, {} extensions, {structs} structs, {} handles, {} enumerations, {} plain constants, {} aliases",
        model.commands.len(),
        values.len(),
        model.extensions.len(),
        model.handles.len(),
        model.enumerations.len(),
        model.constants.len(),
        model.aliases.len(),
    );
    if upstream::opencl_docs().is_some_and(|docs| docs.ends_with("main-1fb076bc")) {
        // Four of five values say by their group which type they belong to; the others are limits, sizes and vendors' plain numbers.
        let grouped = |name: &&&String| model.enumerations.iter().flat_map(|it| &it.enumerators).any(|leaf| leaf.name == ***name);
        let in_a_group = values.iter().filter(grouped).count();
        let plain = values.iter().filter(|name| model.constants.iter().any(|constant| constant.name == ***name)).count();
        assert_eq!((in_a_group, plain, in_a_group + plain), (1_066, 267, values.len()));
        let counts = (model.commands.len(), values.len(), model.extensions.len(), structs);
        assert_eq!(counts, (252, 1_333, 155, 18));
        let orphans = said.0.iter().filter(|finding| finding.what.contains("no core version or extension requires it")).count();
        let experimental = model.extensions.iter().filter(|extension| extension.experimental).count();
        assert_eq!((orphans, experimental), (41, 8));
    }
}

#[test]
fn the_model_holds_together() {
    let model = opencl::model();
    let findings = pass::validate::validate(&model);
    assert!(findings.0.is_empty(), "{findings}");
}

fn is_in(model: &Model, name: &str) -> bool {
    model.constants.iter().any(|constant| constant.name == name)
        || model.omitted.iter().any(|omitted| omitted.name == name)
        || model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators).any(|enumerator| enumerator.name == name)
}

/// The value of `name` in the enumeration `of`, or as a plain constant where that is empty.
fn value(model: &Model, of: &str, name: &str) -> Option<Value> {
    let constant = model.constants.iter().find(|constant| of.is_empty() && constant.name == name);
    let mut enumerators = model.enumerations.iter().filter(|enumeration| enumeration.name == of).flat_map(|it| &it.enumerators);
    constant.map(|constant| constant.value).or_else(|| enumerators.find(|it| it.name == name).map(|it| it.value))
}

#[test]
fn values_that_others_got_wrong() {
    let model = opencl::model();
    let expected = [
        ("cl_external_semaphore_handle_type_khr", "CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR", "0x2068"),
        ("cl_semaphore_properties_khr", "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "0x2053"),
        ("cl_semaphore_info_khr", "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "0x2053"),
        ("cl_mem_flags", "CL_MEM_PROTECTED_ALLOC_ARM", "1 << 36"),
        ("cl_mem_flags", "CL_MEM_ALLOC_HOST_PTR", "1 << 4"),
        ("cl_svm_mem_flags", "CL_MEM_READ_WRITE", "1 << 0"),
        ("cl_device_type", "CL_DEVICE_TYPE_ALL", "0xFFFFFFFF"),
        ("cl_device_partition_property_ext", "CL_PARTITION_BY_NAMES_LIST_END_EXT", "18446744073709551615"),
        ("cl_device_partition_property", "CL_PARTITION_BY_NAMES_LIST_END_INTEL", "-1"),
        ("cl_context_info", "CL_CONTEXT_DEVICES", "0x1081"),
        ("", "CL_LONG_MIN", "-9223372036854775808"),
        ("", "CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM", "0xFFFFFFFFFFFFFFFF | 0xFFFFFFFF"),
        ("", "CL_ICD2_TAG_KHR", "0x4F50454E434C3331 | 0x434C3331"),
        ("", "CL_HUGE_VALF", "inff32"),
        ("", "CL_NAN", "NaNf32"),
        ("", "CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL", "0x4"),
    ];
    for (of, name, wanted) in expected {
        let found = value(&model, of, name).map(|value| value.to_string());
        assert_eq!(found.as_deref(), Some(wanted), "{name} of `{of}`");
    }
    assert_eq!(value(&model, "cl_device_info", "CL_CONTEXT_DEVICES"), None, "the name of a block is not its values' type");
    assert_eq!(value(&model, "cl_context_properties", "CL_DEVICE_HANDLE_LIST_KHR"), None);
}

#[test]
fn signatures_that_others_got_wrong() {
    let model = opencl::model();
    let parameter = |command: &str, name: &str| {
        let command = model.commands.iter().find(|it| it.symbol == command)?;
        command.parameters.iter().find(|it| it.name == name).map(|it| it.ctype.to_string())
    };
    assert_eq!(parameter("clEnqueueSVMFree", "svm_pointers").as_deref(), Some("*mut *mut c_void"));
    assert_eq!(
        parameter("clEnqueueSVMFree", "pfn_free_func").as_deref(),
        Some("fn(queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void)")
    );
    assert_eq!(parameter("clCreateProgramWithBinary", "binary_status").as_deref(), Some("*mut cl_result"));
    assert_eq!(parameter("clSetUserEventStatus", "execution_status").as_deref(), Some("cl_int"), "a state or an error");
    let unload = model.commands.iter().find(|it| it.symbol == "clUnloadCompiler").expect("the command");
    assert!(unload.parameters.is_empty());
    assert_eq!(unload.lifetime.deprecated.map(|version| version.to_string()).as_deref(), Some("1.2"));
}
