//! The headers of CUDA themselves: what their comments say of each handle type, and that no word of it can change unseen.
//!
//! Needs libclang and the headers, in the cache or named by the environment; skipped without them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{
    fetch::{AtHand, Cache, CudaRelease, Sources},
    finding::{Document, Findings, Strictness},
    import::cuda::{Comment, Headers, Libclang, import},
    model::{Api, ErrorList, HandleKind, HandleType, Model, Owner, Payload, Rule},
    overlay::Overlay,
    pass,
    rules::{
        cuda::{self, CudaRules, area},
        grammar,
        reviewed::Reviewed,
        sentence::{self, Kind},
    },
    skipped::skipped,
};

/// The headers, read once for all tests.
struct Upstream {
    comments: Vec<Comment>,
    model: Model,
    rules: CudaRules,
}

fn overlay() -> Overlay {
    Overlay::read(Document::new("overlay.toml", clcu_spec::OVERLAY)).unwrap()
}

fn reviewed() -> Reviewed {
    Reviewed::read(Document::new("reviewed.toml", clcu_spec::REVIEWED)).unwrap()
}

fn read(include: &Path, libclang: &Path, overlay: &Overlay, reviewed: &Reviewed) -> Result<Upstream, Findings> {
    let (facts, _) = import(&Headers::read(include)?, &Libclang::open(libclang)?, Strictness::Strict)?;
    let (model, _) = pass::cuda::model(&facts, overlay, &facts.version().to_string())?;
    let (rules, _) = cuda::rules(&facts.comments, &model, overlay, reviewed, Strictness::Strict)?;
    Ok(Upstream { comments: facts.comments, model, rules })
}

/// The headers at hand; without them the test called `test` is skipped, or fails under `CLCU_REQUIRE=all`.
fn upstream(test: &str) -> Option<&'static Upstream> {
    static READ: OnceLock<Option<Upstream>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let AtHand { cuda_include: Some(include), libclang: Some(libclang) } = AtHand::in_this_repository() else { return None };
        Some(read(&include, &libclang, &overlay(), &reviewed()).unwrap_or_else(|findings| panic!("{findings}")))
    });
    if read.is_none() {
        skipped(test, "CUDA headers and libclang (run `clcu fetch`, or set CLCU_CUDA_INCLUDE and CLCU_LIBCLANG)");
    }
    read.as_ref()
}

/// The pinned releases that are in the cache, and whether these are all.
fn releases() -> (Vec<(String, PathBuf)>, bool) {
    let sources = Sources::read(&Document::new("sources.toml", clcu_spec::SOURCES)).unwrap();
    let root =
        std::env::var_os("CLCU_CACHE").map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../cache").into(), PathBuf::from);
    let cache = Cache::at(root);
    let found = |release: &CudaRelease| Some((release.release.clone(), cache.find(&release.entry(), release.wheel().sha256)?));
    let found: Vec<_> = sources.cuda.iter().filter_map(found).collect();
    let all = found.len() == sources.cuda.len();
    (found, all)
}

impl Upstream {
    fn rows(&self, kind: HandleKind) -> Vec<&HandleType> {
        self.rules.handle_types.iter().filter(|row| row.kind == kind).collect()
    }

    fn errors(&self, symbol: &str) -> &ErrorList {
        self.rules.error_lists.iter().find(|list| list.symbol == symbol).unwrap()
    }

    fn codes(&self, symbol: &str) -> Vec<&str> {
        self.errors(symbol).codes.as_ref().unwrap().iter().map(|code| code.code.as_str()).collect()
    }

    /// The checkable rules of a handle type: the last part of the id.
    fn checks(&self, record: &str, short: &str) -> Vec<&str> {
        let start = format!("cuda/{record}/{short}/");
        let rules = self.rules.rules.iter().filter(|rule| rule.predicate.is_checkable());
        rules.filter_map(|rule| rule.id.strip_prefix(&start)).collect()
    }

    fn rule(&self, id: &str) -> &Rule {
        self.rules.rules.iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("no rule {id}"))
    }
}

const SEMAPHORE: &str = "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC";
const MEMORY: &str = "CUDA_EXTERNAL_MEMORY_HANDLE_DESC";

/// Type, member, owner after success and after failure, payload, and what can be checked.
type Row = (&'static str, &'static str, Owner, Owner, Payload, &'static [&'static str]);

const NAME: &[&str] = &["exactly-one", "name-utf16-nul-terminated"];
const KMT: &[&str] = &["handle-non-null", "name-null"];

const SEMAPHORES: [Row; 10] = [
    ("OPAQUE_FD", "handle.fd", Owner::Driver, Owner::Caller, Payload::Binary, &["fd-non-negative"]),
    ("OPAQUE_WIN32", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::Binary, NAME),
    ("OPAQUE_WIN32_KMT", "handle.win32.handle", Owner::None, Owner::None, Payload::Binary, KMT),
    ("D3D12_FENCE", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::Fence, NAME),
    ("D3D11_FENCE", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::Fence, NAME),
    ("NVSCISYNC", "handle.nvSciSyncObj", Owner::Unspecified, Owner::Unspecified, Payload::NvSciSync, &["nvSciSyncObj-non-null"]),
    ("D3D11_KEYED_MUTEX", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::KeyedMutex, NAME),
    ("D3D11_KEYED_MUTEX_KMT", "handle.win32.handle", Owner::None, Owner::None, Payload::KeyedMutex, KMT),
    ("TIMELINE_SEMAPHORE_FD", "handle.fd", Owner::Driver, Owner::Caller, Payload::Fence, &["fd-non-negative"]),
    ("TIMELINE_SEMAPHORE_WIN32", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::Fence, NAME),
];

const DEDICATED_NAME: &[&str] = &["exactly-one", "flags-must-have-flags", "name-utf16-nul-terminated"];
const DEDICATED_KMT: &[&str] = &["flags-must-have-flags", "handle-non-null", "name-null"];

const MEMORIES: [Row; 9] = [
    // After a failure a real driver has closed some descriptors and left others open: the overlay says so.
    ("OPAQUE_FD", "handle.fd", Owner::Driver, Owner::Unspecified, Payload::None, &["fd-non-negative"]),
    ("OPAQUE_WIN32", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::None, NAME),
    ("OPAQUE_WIN32_KMT", "handle.win32.handle", Owner::None, Owner::None, Payload::None, KMT),
    ("D3D12_HEAP", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::None, NAME),
    ("D3D12_RESOURCE", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::None, DEDICATED_NAME),
    ("D3D11_RESOURCE", "handle.win32.handle", Owner::Caller, Owner::Caller, Payload::None, DEDICATED_NAME),
    ("D3D11_RESOURCE_KMT", "handle.win32.handle", Owner::None, Owner::None, Payload::None, DEDICATED_KMT),
    ("NVSCIBUF", "handle.nvSciBufObject", Owner::Unspecified, Owner::Unspecified, Payload::None, &["nvSciBufObject-non-null"]),
    ("DMABUF_FD", "handle.fd", Owner::Unspecified, Owner::Unspecified, Payload::None, &["fd-non-negative", "flags-zero"]),
];

fn compare(upstream: &Upstream, record: &str, kind: HandleKind, wanted: &[Row]) {
    let rows = upstream.rows(kind);
    assert_eq!(rows.len(), wanted.len());
    for (row, (short, member, success, failure, payload, checks)) in rows.into_iter().zip(wanted) {
        assert_eq!((row.short.as_str(), row.members[0].as_str()), (*short, *member));
        assert_eq!((row.owner_on_success, row.owner_on_failure, row.payload), (*success, *failure, *payload), "{short}");
        assert_eq!(upstream.checks(record, short), *checks, "{short}");
    }
}

#[test]
fn the_ten_semaphore_types_are_what_the_header_says() {
    let Some(upstream) = upstream("the_ten_semaphore_types_are_what_the_header_says") else { return };
    compare(upstream, SEMAPHORE, HandleKind::Semaphore, &SEMAPHORES);
}

#[test]
fn the_nine_memory_types_are_what_the_header_says() {
    let Some(upstream) = upstream("the_nine_memory_types_are_what_the_header_says") else { return };
    compare(upstream, MEMORY, HandleKind::Memory, &MEMORIES);
}

#[test]
fn shared_allocations_say_how_many_bytes_an_export_writes() {
    let Some(upstream) = upstream("shared_allocations_say_how_many_bytes_an_export_writes") else { return };
    let sizes: Vec<_> =
        [HandleKind::Allocation, HandleKind::Range, HandleKind::IpcMemory, HandleKind::IpcEvent, HandleKind::Endpoint]
            .into_iter()
            .flat_map(|kind| upstream.rows(kind))
            .map(|row| format!("{} {}", row.short, row.exported_size))
            .collect();
    let wanted = [
        "POSIX_FILE_DESCRIPTOR int",
        "WIN32 pointer",
        "WIN32_KMT u32",
        "FABRIC 64",
        "DMA_BUF_FD int",
        "CUipcMemHandle 64",
        "CUipcEventHandle 64",
        "FABRIC 64",
    ];
    assert_eq!(sizes, wanted);
}

#[test]
fn flags_of_signal_and_wait_belong_to_nvscisync_alone() {
    let Some(upstream) = upstream("flags_of_signal_and_wait_belong_to_nvscisync_alone") else { return };
    for (record, flag) in [("SIGNAL", "SIGNAL_SKIP_NVSCIBUF_MEMSYNC"), ("WAIT", "WAIT_SKIP_NVSCIBUF_MEMSYNC")] {
        let id = format!("cuda/CUDA_EXTERNAL_SEMAPHORE_{record}_PARAMS");
        let only = upstream.rule(&format!("{id}/NVSCISYNC/flags-only-flags"));
        assert_eq!(only.predicate.to_string(), format!("only_flags(CUDA_EXTERNAL_SEMAPHORE_{flag})"));
        assert_eq!(only.when[0].to_string(), "given.semaphore_handle_type in CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC");
        let zero = upstream.rule(&format!("{id}/flags-zero"));
        assert_eq!(zero.when[0].to_string(), "given.semaphore_handle_type not_in CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC");
    }
}

#[test]
fn a_keyed_mutex_waits_with_a_key_and_a_timeout_that_may_lapse() {
    let Some(upstream) = upstream("a_keyed_mutex_waits_with_a_key_and_a_timeout_that_may_lapse") else { return };
    let rows = upstream.rows(HandleKind::Semaphore);
    let row = rows.iter().find(|row| row.short == "D3D11_KEYED_MUTEX").unwrap();
    let paths = |paths: &[crate::model::Path]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(paths(&row.signal), ["params.keyedMutex.key"]);
    assert_eq!(paths(&row.wait), ["params.keyedMutex.key", "params.keyedMutex.timeoutMs"]);
    assert!(upstream.codes("cuWaitExternalSemaphoresAsync").contains(&"CUDA_ERROR_TIMEOUT"));
    assert!(!upstream.codes("cuSignalExternalSemaphoresAsync").contains(&"CUDA_ERROR_TIMEOUT"));
}

#[test]
fn errors_are_those_of_the_list_and_none_is_made_up() {
    let Some(upstream) = upstream("errors_are_those_of_the_list_and_none_is_made_up") else { return };
    let wanted = [
        "CUDA_SUCCESS",
        "CUDA_ERROR_NOT_INITIALIZED",
        "CUDA_ERROR_NOT_SUPPORTED",
        "CUDA_ERROR_INVALID_HANDLE",
        "CUDA_ERROR_OPERATING_SYSTEM",
    ];
    assert_eq!(upstream.codes("cuImportExternalSemaphore"), wanted);
    assert!(upstream.errors("cuImportExternalSemaphore").earlier_errors);
    // The comment of this command has no list.
    assert_eq!(upstream.errors("cuMemPoolGetAccess").codes, None);
    assert_eq!(upstream.rules.error_lists.len(), upstream.model.commands.len());
}

#[test]
fn a_dma_buf_cannot_be_mapped_as_an_array() {
    let Some(upstream) = upstream("a_dma_buf_cannot_be_mapped_as_an_array") else { return };
    let rule = upstream.rule("cuda/cuExternalMemoryGetMappedMipmappedArray/DMABUF_FD/extMem-forbidden");
    assert_eq!(rule.when[0].to_string(), "given.memory_handle_type in CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD");
}

/// Whether the importer would take the sentence for something that it knows.
fn is_known(sentence: &sentence::Sentence, symbol: &str, reviewed: &Reviewed) -> bool {
    grammar::read(sentence).is_some() || reviewed.verdict(symbol, &sentence.hash()).is_some()
}

#[test]
fn no_word_in_the_areas_can_change_unseen() {
    let Some(upstream) = upstream("no_word_in_the_areas_can_change_unseen") else { return };
    let reviewed = reviewed();
    let mut tried = 0;
    for comment in &upstream.comments {
        for sentence in sentence::read(&comment.text).sentences {
            if !area::holds_comment(comment) && !area::holds_sentence(&sentence) {
                continue;
            }
            assert!(is_known(&sentence, &comment.subject, &reviewed), "{}", sentence.normalised());
            for index in 0..sentence.tokens.len() {
                let mut changed = sentence.clone();
                // A name that changes is looked up in the model; the next test covers that.
                if changed.tokens[index].kind == Kind::Word {
                    changed.tokens[index].text.push_str("ly");
                    tried += 1;
                    assert!(!is_known(&changed, &comment.subject, &reviewed), "{}", changed.normalised());
                }
            }
        }
    }
    assert!(tried > 2000, "{tried} words tried");
}

#[test]
fn no_name_in_a_demand_on_handles_can_change_unseen() {
    let Some(upstream) = upstream("no_name_in_a_demand_on_handles_can_change_unseen") else { return };
    let descriptor = |comment: &&Comment| comment.subject.starts_with(SEMAPHORE) || comment.subject == "cuImportExternalSemaphore";
    let mut names = BTreeSet::new();
    for comment in upstream.comments.iter().filter(descriptor) {
        for sentence in sentence::read(&comment.text).sentences.iter().filter(|sentence| grammar::read(sentence).is_some()) {
            let demanded = sentence.tokens.iter().filter(|token| token.kind == Kind::Name);
            names.extend(demanded.map(|token| (comment.subject.clone(), token.text.clone())));
        }
    }
    assert!(names.len() > 15, "{names:?}");
    for (subject, name) in names {
        let mut comments = upstream.comments.clone();
        for comment in comments.iter_mut().filter(|comment| comment.subject == subject) {
            comment.text = comment.text.replace(&format!("::{name}"), &format!("::{name}_CHANGED"));
        }
        let result = cuda::rules(&comments, &upstream.model, &overlay(), &reviewed(), Strictness::Strict);
        assert!(result.is_err(), "{name} in {subject}");
    }
}

#[test]
fn every_decision_on_cudas_comments_is_used() {
    let Some(upstream) = upstream("every_decision_on_cudas_comments_is_used") else { return };
    let overlay = overlay();
    cuda::rules(&upstream.comments, &upstream.model, &overlay, &reviewed(), Strictness::Strict).unwrap();
    let ours = ["statement", "doc-reference", "opening-words", "handle-type-column", "counterparts", "caution"];
    let stale = overlay.stale(Api::Cuda).0.into_iter().map(|finding| finding.what);
    let stale: Vec<_> = stale.filter(|what| ours.iter().any(|question| what.contains(&format!("`{question}`")))).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}

#[test]
fn every_release_is_read_without_an_unknown_sentence_and_every_review_is_of_some_release() {
    let test = "every_release_is_read_without_an_unknown_sentence_and_every_review_is_of_some_release";
    let (releases, all) = releases();
    let Some(libclang) = AtHand::in_this_repository().libclang.filter(|_| all) else {
        return skipped(test, "libclang and every pinned release of the CUDA headers (run `clcu fetch --cuda 11.7`, …)");
    };
    let reviewed = reviewed();
    let mut kinds = Vec::new();
    for (release, include) in &releases {
        let upstream = read(include, &libclang, &overlay(), &reviewed).unwrap_or_else(|findings| panic!("{release}: {findings}"));
        kinds.push((release.as_str(), upstream.rows(HandleKind::Semaphore).len(), upstream.rows(HandleKind::Memory).len()));
    }
    assert!(reviewed.stale().0.is_empty(), "{}", reviewed.stale());
    // The kinds of semaphores did not change; the dma_buf came to memory with 13.0.
    for (release, semaphores, memories) in kinds {
        let dma_buf = usize::from(release.starts_with("13."));
        assert_eq!((semaphores, memories), (10, 8 + dma_buf), "{release}");
    }
}
