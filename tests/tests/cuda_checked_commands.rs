//! Every command that takes an external handle, or a descriptor of one, has a function in `cuda::checked`: asked of the model, so that one
//! which upstream adds is missed here.

use std::{collections::BTreeSet, fs, path::Path};

use clcu_codegen::model::{CType, Command, HandleKind, Model};
use clcu_tests::releases;

/// Commands that name a type of the set and hand nothing in by it, each with the reason.
const WITHOUT: &[(&str, &str)] = &[
    ("cuGraphAddMemAllocNode", "its rules allow no type of handle"),
    ("cuGraphAddNode", "older variant of cuGraphAddNode_v2, with the same parameters"),
    ("cuGraphAddNode_v3", "newer variant of cuGraphAddNode_v2, with the same parameters"),
    ("cuGraphNodeSetParams_v2", "newer variant of cuGraphNodeSetParams, with the same parameters"),
    ("cuGraphExternalSemaphoresSignalNodeGetParams", "writes them"),
    ("cuGraphExternalSemaphoresWaitNodeGetParams", "writes them"),
    ("cuGraphMemAllocNodeGetParams", "writes them"),
    ("cuGraphNodeGetParams", "writes them"),
    ("cuMemGetAllocationPropertiesFromHandle", "writes them"),
    ("cuLogicalEndpointGetLimits", "asks what endpoints with these properties may be; nothing is made or shared"),
];

fn base(ctype: &CType) -> Option<&str> {
    match ctype {
        CType::Named(name) => Some(name),
        CType::Pointer { to, .. } => base(to),
        CType::Array { of, .. } => base(of),
        CType::Void | CType::Function(_) => None,
    }
}

/// Types that carry a handle from outside, or say of which type one is.
fn carriers(model: &Model) -> BTreeSet<String> {
    let mut types: BTreeSet<String> = BTreeSet::new();
    for row in &model.handle_types {
        types.extend(row.record.clone());
        types.extend(row.enumeration.clone());
        if matches!(row.kind, HandleKind::IpcMemory | HandleKind::IpcEvent) {
            types.insert(row.short.clone());
        }
    }
    // By which a pointer into a pool travels; it has no type of its own among the rows.
    types.insert("CUmemPoolPtrExportData".to_owned());
    // Parameters that say what is done with an external semaphore or memory.
    types.extend(["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS", "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS"].map(str::to_owned));
    types.extend(["CUDA_EXTERNAL_MEMORY_BUFFER_DESC", "CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC"].map(str::to_owned));
    // What says for which types of handles something is made.
    types.extend(["CUmulticastObjectProp", "CUlogicalEndpointProp"].map(str::to_owned));
    loop {
        let before = types.len();
        for alias in &model.aliases {
            if base(&alias.ctype).is_some_and(|name| types.contains(name)) {
                types.insert(alias.name.clone());
            } else if types.contains(&alias.name) {
                types.extend(base(&alias.ctype).map(str::to_owned));
            }
        }
        for record in &model.records {
            if record.members.iter().any(|member| base(&member.ctype).is_some_and(|name| types.contains(name))) {
                types.insert(record.name.clone());
            }
        }
        if types.len() == before {
            return types;
        }
    }
}

fn takes(command: &Command, types: &BTreeSet<String>) -> bool {
    command.parameters.iter().any(|parameter| base(&parameter.ctype).is_some_and(|name| types.contains(name)))
}

#[test]
fn every_command_that_takes_an_external_handle_or_descriptor_has_a_checked_function() {
    let model = releases::cuda_snapshot();
    let types = carriers(&model);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    let directory = root.join("runtime/src/cuda/checked");
    let functions: String = fs::read_dir(directory)
        .expect("it is there")
        .map(|entry| fs::read_to_string(entry.expect("it can be listed").path()).expect("it can be read"))
        .collect();
    let has = |symbol: &str| {
        let name = format!("cuda::{symbol}");
        functions.match_indices(&name).any(|(at, _)| functions[at + name.len()..].starts_with([';', ',', ')']))
    };
    let mut wanted = Vec::new();
    let mut used = BTreeSet::new();
    for command in model.commands.iter().filter(|command| takes(command, &types)) {
        match WITHOUT.iter().find(|(symbol, _)| *symbol == command.symbol) {
            Some((symbol, _)) => {
                used.insert(*symbol);
            }
            None if has(&command.symbol) => {}
            None => wanted.push(command.symbol.clone()),
        }
    }
    assert!(wanted.is_empty(), "without a function: {wanted:#?}");
    let stale: Vec<_> = WITHOUT.iter().map(|(symbol, _)| *symbol).filter(|symbol| !used.contains(symbol)).collect();
    assert!(stale.is_empty(), "excepted, and no such command takes one: {stale:?}");
    let found = |symbol: &str| model.commands.iter().any(|command| command.symbol == symbol && takes(command, &types));
    for symbol in ["cuImportExternalSemaphore", "cuGraphAddExternalSemaphoresSignalNode", "cuMemGetHandleForAddressRange"] {
        assert!(found(symbol), "{symbol} is not found by its types");
    }
}
