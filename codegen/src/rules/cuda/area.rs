//! Where every sentence counts.
//!
//! In: a comment and a sentence. Out: whether it belongs to the areas in which a sentence that nobody understands stops the import: external
//! memory and semaphores, shared allocations and pools, ranges, inter-process handles, logical endpoints' handles, and the graph nodes that
//! carry semaphores. Chosen by upstream's names, so that a new function or member of such an area is in it at once.

use crate::{
    import::cuda::{Comment, SubjectKind},
    rules::sentence::{Kind, Sentence},
};

/// Parts of the names of commands whose comments are in an area.
const COMMANDS: [&str; 6] =
    ["ExternalMemory", "ExternalSemaphore", "ShareableHandle", "cuMemGetHandleForAddressRange", "cuIpc", "cuLogicalEndpoint"];

/// Of logical endpoints only what shares them is in the area.
const ENDPOINT: [&str; 2] = ["cuLogicalEndpointExport", "cuLogicalEndpointImport"];

/// What the names of types and macros begin with whose comments, and whose members' comments, are in an area.
const TYPES: [&str; 15] = [
    "CUDA_EXTERNAL_",
    "CUDA_EXT_SEM_",
    "CUexternalMemory",
    "CUexternalSemaphore",
    "CUmemAllocationHandleType",
    "CUmemFabricHandle",
    "CUmemRangeHandleType",
    "CUmemRangeFlags",
    "CUipcEventHandle",
    "CUipcMemHandle",
    "CUipcMem_flags",
    "CU_IPC_HANDLE_SIZE",
    "CUlogicalEndpointIpcHandleType",
    "CUlogicalEndpointFabricHandle",
    "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_",
];

/// Members elsewhere that ask for a handle type.
const MEMBERS: [&str; 5] = [
    "CUmemAllocationProp::requestedHandleTypes",
    "CUmemAllocationProp::win32HandleMetaData",
    "CUmemPoolProps::handleTypes",
    "CUmemPoolProps::win32SecurityAttributes",
    "CUlogicalEndpointProp::ipcHandleTypes",
];

/// What the names of handle types begin with. A sentence that names one is in the area wherever it stands.
const HANDLE_TYPES: [&str; 5] = [
    "CU_EXTERNAL_MEMORY_HANDLE_TYPE_",
    "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_",
    "CU_MEM_HANDLE_TYPE_",
    "CU_MEM_RANGE_HANDLE_TYPE_",
    "CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_",
];

/// Whether every sentence of the comment counts.
pub(super) fn holds_comment(comment: &Comment) -> bool {
    match comment.kind {
        SubjectKind::Command => {
            let name = comment.spelled.as_str();
            COMMANDS.iter().any(|part| name.contains(part)) && (!name.starts_with("cuLogicalEndpoint") || ENDPOINT.contains(&name))
        }
        SubjectKind::Group | SubjectKind::File => false,
        _ => {
            // An enumerator is named with its enumeration before it; either may tell.
            let last = comment.subject.rsplit("::").next().unwrap_or_default();
            TYPES.iter().any(|start| comment.subject.starts_with(start) || last.starts_with(start))
                || MEMBERS.contains(&comment.subject.as_str())
        }
    }
}

/// Whether the sentence counts, wherever it stands: it names a handle type.
pub(super) fn holds_sentence(sentence: &Sentence) -> bool {
    sentence.tokens.iter().any(|token| {
        let name = token.text.rsplit("::").next().unwrap_or_default();
        token.kind != Kind::Number && HANDLE_TYPES.iter().any(|start| name.starts_with(start))
    })
}

/// Whether the sentence demands something, by its words: the ones that coverage counts.
pub(super) fn is_normative(sentence: &Sentence) -> bool {
    let words = &sentence.tokens;
    words.iter().enumerate().any(|(index, token)| {
        let next = words.get(index + 1);
        token.is_word("must")
            || token.is_word("cannot")
            || (token.is_word("may") && next.is_some_and(|next| next.is_word("not")))
            || (token.is_word("exactly") && next.is_some_and(|next| next.is_word("one")))
    })
}
