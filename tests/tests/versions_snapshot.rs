//! The designed answers of merging, in the committed snapshots and in the bindings that are made of them.

use std::collections::BTreeMap;

use clcu_codegen::{
    diff::{Diff, Grade},
    model::{Api, CType, Enumerator, Lifetime, Model, PerTarget, Version},
};
use clcu_sys::cuda;
use clcu_tests::releases::{cuda as cuda_release, cuda_snapshot, opencl_snapshot};

fn value<'a>(model: &'a Model, name: &str) -> &'a Enumerator {
    let all = model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators);
    all.into_iter().find(|leaf| leaf.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn changed(lifetime: &Lifetime) -> Vec<String> {
    lifetime.changed.iter().map(ToString::to_string).collect()
}

fn version(text: &str) -> Option<Version> {
    text.parse().ok()
}

#[test]
fn every_release_since_11_7_is_in_the_snapshot_of_cuda() {
    let releases = cuda_snapshot().releases;
    let minors: Vec<String> =
        releases.iter().map(|release| release.rsplit_once('.').expect("three numbers").0.to_owned()).collect();
    let wanted = [
        "11.7", "11.8", "12.0", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6", "12.8", "12.9", "13.0", "13.1", "13.2", "13.3",
        "13.4", "13.5",
    ];
    assert_eq!(minors, wanted);
}

#[test]
fn every_tag_of_the_registry_is_in_the_snapshot_of_opencl() {
    let releases = opencl_snapshot().releases;
    let (newest, tags) = releases.split_last().expect("releases");
    let wanted = ["3.0.4", "3.0.8", "3.0.12", "3.0.15", "3.0.16", "3.0.17", "3.0.18", "3.0.19", "3.1.0", "3.1.1"];
    assert_eq!(tags, wanted);
    assert!(newest.starts_with("3.1-"), "{newest}");
}

/// Khronos took the D3D11 handle types back after this tag, and reordered the parameters of a layer's query before the next but one.
#[test]
fn what_leaves_the_registry_says_after_which_tag() {
    let model = opencl_snapshot();
    let ended = value(&model, "CL_EXTERNAL_MEMORY_HANDLE_D3D12_HEAP_KHR").lifetime.until;
    assert_eq!(ended, "3.0.16".parse().ok());
    let layer = model.commands.iter().find(|command| command.symbol == "clGetLayerInfo").expect("a command");
    let size_first = "parameters (param_value_size: usize, param_name: cl_layer_info, param_value: *mut c_void, param_value_size_ret: \
                      *mut usize) until 3.0.8";
    assert_eq!(changed(&layer.lifetime), [size_first]);
}

#[test]
fn values_that_changed_have_the_newest_and_tell_the_older() {
    let model = cuda_snapshot();
    let known = |name: &str| (value(&model, name).value.integer(), changed(&value(&model, name).lifetime));
    assert_eq!(known("CU_CTX_FLAGS_MASK"), (Some(0xFF), vec!["value 0x1F until 12.0".to_owned()]));
    assert_eq!(known("CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"), (Some(122), vec!["value 93 until 11.8".to_owned()]));
    // What the plain name meant before has a name of its own since.
    assert_eq!(value(&model, "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1").value.integer(), Some(93));
    let lightweight = known("CU_COREDUMP_LIGHTWEIGHT_FLAGS");
    assert_eq!(lightweight.1, ["value 15 until 12.5", "value 47 until 13.4"]);
    assert_eq!(cuda::CUctx_flags::CU_CTX_FLAGS_MASK.0, 0xFF);
}

#[test]
fn both_signatures_of_one_name_are_there() {
    let model = cuda_snapshot();
    let both: Vec<_> = (model.commands.iter())
        .filter(|command| command.name == "cuCtxSynchronize")
        .map(|command| (command.symbol.as_str(), command.version, command.parameters.len(), command.lifetime.since))
        .collect();
    let wanted = [("cuCtxSynchronize", Some(2000), 0, version("2.0")), ("cuCtxSynchronize_v2", Some(13000), 1, version("13.0"))];
    assert_eq!(both, wanted);
}

/// B23: the layout is the same, and so is the way to the member in both.
#[test]
fn a_member_that_moved_into_a_union_is_reached_by_its_old_name() {
    let mut location = zeroed_location();
    location.set_id(7);
    // SAFETY: the line before wrote it.
    assert_eq!(unsafe { location.id() }, 7);
    assert_eq!((size_of_val(&location), align_of_val(&location)), (8, 4));
    let model = cuda_snapshot();
    let record = model.records.iter().find(|record| record.name == "CUmemLocation_v1").expect("a record");
    assert_eq!(changed(&record.lifetime), Vec::<String>::new(), "no member is gone, and none has another place");
    let nameless = record.members.iter().find(|member| member.nameless).expect("a nameless union");
    assert_eq!(nameless.offset, PerTarget::same(4));
    let CType::Named(union) = &nameless.ctype else { panic!("a record") };
    let inner = model.records.iter().find(|record| record.name == *union).expect("its record");
    let since: BTreeMap<&str, _> = inner.members.iter().map(|member| (member.name.as_str(), member.lifetime.since)).collect();
    assert_eq!(since["id"], version("11.7"), "as old as it was before it moved");
    assert!(since["localized"] > version("13.0"), "{since:?}");
}

/// B23: of the headers before and after, the same way leads to the same place; what is new is the other member alone.
#[test]
fn b23_the_headers_before_and_after_agree_on_the_member_that_moved() {
    let test = "b23_the_headers_before_and_after_agree_on_the_member_that_moved";
    let [Some(old), Some(new)] = ["12.9", "13.5"].map(|version| cuda_release(test, version)) else { return };
    let record = |model: &Model| model.records.iter().find(|record| record.name == "CUmemLocation_v1").cloned().expect("a record");
    let (before, after) = (record(&old), record(&new));
    assert_eq!((before.size, before.align), (after.size, after.align));
    let id = before.members.iter().find(|member| member.name == "id").expect("a member of its own");
    let moved = after.members.iter().find(|member| member.nameless).expect("a nameless union");
    assert_eq!((id.offset, moved.offset), (PerTarget::same(4), PerTarget::same(4)));
    let diff = Diff::between(&old, &new);
    let said: Vec<_> = (diff.changes.iter().filter(|change| change.item == "CUmemLocation_v1"))
        .map(|change| (change.grade, change.word(), change.leaf.as_deref().unwrap_or_default()))
        .collect();
    assert!(said.iter().all(|(grade, ..)| *grade < Grade::Abi), "the layout is as it was: {said:?}");
    assert!(said.contains(&(Grade::Adds, "added", "localized")), "{said:?}");
    assert!(!said.iter().any(|(_, word, leaf)| *leaf == "id" && ["added", "removed", "renamed"].contains(word)), "{said:?}");
}

/// B24: each of the twelve nameless members of 13.5 is named by a rule that looks at nothing beside it.
#[test]
fn b24_nameless_members_are_named_after_their_own_first_member() {
    let model = cuda_snapshot();
    let of = |name: &str| model.records.iter().find(|record| record.name == name).unwrap_or_else(|| panic!("no {name}"));
    let mut count = 0;
    for record in &model.records {
        for member in record.members.iter().filter(|member| member.nameless) {
            let CType::Named(inner) = &member.ctype else { panic!("{}: {} is no record", record.name, member.name) };
            let first = &of(inner).members[0].name;
            assert_eq!(member.name, format!("{first}_union"));
            assert_eq!(*inner, format!("{}_{first}_union", record.name));
            count += 1;
        }
    }
    assert_eq!(count, 12);
    let handle = of("CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32");
    assert_eq!(handle.parent.as_deref(), Some("CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle"));
}

/// A location of zeros, which is a valid one.
fn zeroed_location() -> cuda::CUmemLocation_v1 {
    // SAFETY: it holds integers only, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

#[test]
fn the_newest_alignment_of_a_tensor_map_holds() {
    assert_eq!(align_of::<cuda::CUtensorMap>(), 128);
    let model = cuda_snapshot();
    let record = model.records.iter().find(|record| record.name == "CUtensorMap").expect("a record");
    assert_eq!((changed(&record.lifetime), record.lifetime.since), (vec!["alignment 64 until 12.9".to_owned()], version("12.0")));
}

/// `CUDA_KERNEL_NODE_PARAMS` became the second version in 12.0; the command of before fills the first.
#[test]
fn a_command_that_is_gone_takes_the_record_that_it_took() {
    let model = cuda_snapshot();
    let command = model.commands.iter().find(|command| command.symbol == "cuGraphKernelNodeGetParams").expect("a command");
    assert_eq!(command.lifetime.until, "11.8".parse().ok());
    assert_eq!(command.parameters[1].ctype.to_string(), "*mut CUDA_KERNEL_NODE_PARAMS_v1");
    assert_eq!(size_of::<cuda::CUDA_KERNEL_NODE_PARAMS_v1>(), 56);
    assert_eq!(size_of::<cuda::CUDA_KERNEL_NODE_PARAMS>(), 72);
}

#[test]
fn names_and_commands_that_are_gone_are_still_there() {
    assert_eq!(cuda::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS.0, 92);
    let info = cuda::COMMANDS.iter().find(|info| info.symbol == c"cuMemAdvise").expect("a command");
    assert_eq!((info.version, info.since, info.until), (8000, "8.0", "12.9"));
    let model = cuda_snapshot();
    let gone: Vec<&str> =
        model.commands.iter().filter(|command| command.lifetime.until.is_some()).map(|command| command.symbol.as_str()).collect();
    assert!(gone.contains(&"cuMemAdvise") && gone.contains(&"cuCtxCreate_v2"), "{gone:?}");
}

/// B17: the further names of a value are constants, and its own lookup lists them after the canonical one.
#[test]
fn b17_further_names_of_a_value_are_constants_and_are_listed() {
    use cuda::{CUctx_flags, CUdevice_attribute, CUmemLocationType};

    assert_eq!(CUctx_flags::CU_CTX_BLOCKING_SYNC, CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC);
    let shared = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK;
    assert_eq!(shared.name(), Some("CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK"));
    let names = ["CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK", "CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK"];
    assert_eq!(shared.names().collect::<Vec<_>>(), names);
    let none: Vec<_> = CUmemLocationType::CU_MEM_LOCATION_TYPE_NONE.names().collect();
    assert!(none.len() == 2 && none.contains(&"CU_MEM_LOCATION_TYPE_INVALID"), "{none:?}");
    let model = cuda_snapshot();
    let leaves = model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators);
    let newest = leaves.filter(|leaf| leaf.alias_of.is_some() && leaf.lifetime.until.is_none());
    assert_eq!(newest.count(), 9, "as many as were counted in the header of 13.5");
}

/// B17. Several names of one value: the lookup gives the canonical one, also where an older name is kept.
#[test]
fn a_value_with_several_names_is_called_by_the_canonical_one() {
    let name = cuda::CUdevice_attribute(92).name();
    assert_eq!(name, Some("CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1"));
    for enumeration in cuda_snapshot().enumerations {
        let mut canonical: BTreeMap<i128, &str> = BTreeMap::new();
        for leaf in enumeration.enumerators.iter().filter(|leaf| leaf.alias_of.is_none()) {
            let value = leaf.value.integer().expect("an integer");
            if let Some(other) = canonical.insert(value, &leaf.name) {
                panic!("{}: both {other} and {} are canonical for {value}", enumeration.name, leaf.name);
            }
        }
    }
}

/// B08.
#[test]
fn the_per_thread_variant_is_asked_for_with_its_own_version() {
    let model = cuda_snapshot();
    let known = |symbol: &str| {
        let command = model.commands.iter().find(|command| command.symbol == symbol).unwrap_or_else(|| panic!("no {symbol}"));
        (command.version, command.per_thread_symbol.clone(), command.per_thread_version)
    };
    assert_eq!(known("cuMemcpy"), (Some(4000), Some("cuMemcpy_ptds".to_owned()), Some(7000)));
    let signal = known("cuSignalExternalSemaphoresAsync");
    assert_eq!(signal, (Some(10000), Some("cuSignalExternalSemaphoresAsync_ptsz".to_owned()), Some(10000)));
}

/// B13. Status codes were never renumbered since 11.7: had one been, its row would say so.
#[test]
fn no_status_code_of_cuda_has_another_number_than_before() {
    let model = cuda_snapshot();
    let status = model.enumerations.iter().find(|enumeration| enumeration.name == "CUresult").expect("the status codes");
    assert!(status.enumerators.iter().all(|leaf| leaf.lifetime.changed.is_empty()));
    assert_eq!(cuda::CUDA_VERSION, 13050, "the bindings say of which header they are");
    assert_eq!(model.constants.iter().find(|one| one.name == "CUDA_VERSION").map(|one| one.value.integer()), Some(Some(13050)));
}

/// C20. What is since when in OpenCL comes from the core versions of the registry, not from the age of a file.
#[test]
fn the_core_version_of_opencl_is_that_of_the_feature() {
    let model = opencl_snapshot();
    let cores: Vec<Version> = model.features.iter().map(|feature| feature.version).collect();
    let all = (model.commands.iter().map(|item| &item.lifetime))
        .chain(model.constants.iter().map(|item| &item.lifetime))
        .chain(model.enumerations.iter().flat_map(|item| &item.enumerators).map(|leaf| &leaf.lifetime));
    for since in all.filter_map(|lifetime| lifetime.since) {
        assert!(cores.contains(&since), "{since} is no core version");
    }
    assert_eq!(value(&model, "CL_DEVICE_UUID").value.integer(), Some(0x106A));
    assert_eq!(model.api, Api::OpenCl);
}

/// D13.
#[test]
fn no_cargo_feature_is_needed_for_a_version() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/Cargo.toml")).expect("the manifest");
    let (_, features) = manifest.split_once("[features]").expect("features");
    let features = features.split("\n[").next().unwrap_or_default();
    let names: Vec<&str> = features.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim()).collect();
    assert!(names.contains(&"cuda") && names.contains(&"opencl"), "{names:?}");
    assert!(names.iter().all(|name| !name.contains(|c: char| c.is_ascii_digit())), "{names:?}");
}
