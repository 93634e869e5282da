//! Every form of sentence that the grammar reads, in words of our own where upstream's are not what it is made of.

use super::*;
use crate::rules::sentence::{self, Kind};

/// A sentence, the condition it begins with, and what it asks for: `fields predicate [if when]`.
type Case = (&'static str, Option<&'static str>, &'static [&'static str]);

fn first(text: &str) -> Sentence {
    sentence::read(text).sentences.remove(0)
}

fn reference(field: &Ref) -> String {
    match field {
        Ref::Named(name) => name.clone(),
        Ref::Here => "<here>".to_owned(),
        Ref::It => "<it>".to_owned(),
        Ref::Handle => "<handle>".to_owned(),
    }
}

fn when(when: &When) -> String {
    match when {
        When::In(field, values) => format!("{} in {}", reference(field), values.join("|")),
        When::Headless(values) => format!("? in {}", values.join("|")),
        When::NonNull(field) => format!("{} non_null", reference(field)),
        When::Null(field) => format!("{} null", reference(field)),
        When::Semaphore(values) => format!("semaphore in {}", values.join("|")),
        When::OtherSemaphores => "other semaphores".to_owned(),
        When::Memory(values) => format!("memory in {}", values.join("|")),
        When::Specified(value) => format!("specified {value}"),
        When::NotSpecified => "not specified".to_owned(),
    }
}

fn said(said: &Said) -> String {
    match said {
        Said::Clause(clause) => {
            let fields: Vec<_> = clause.fields.iter().map(reference).collect();
            let conditions: Vec<_> = clause.when.iter().map(|condition| format!(" if {}", when(condition))).collect();
            format!("{} {}{}", fields.join("+"), clause.ask, conditions.concat())
        }
        Said::Selects(types) => format!("selected by {}", types.join("|")),
        Said::Owners { success, failure } => format!("owned by {success:?}, {failure:?}"),
        Said::HoldsReference(holds) => format!("holds a reference: {holds}"),
        Said::Exports(ctype) => format!("exports {ctype}"),
        Said::Carries { payload, members } => {
            format!("carries {payload:?} {}", members.iter().map(reference).collect::<Vec<_>>().join("+"))
        }
        Said::Flag { flag, field } => format!("flag {flag} in {}", reference(field)),
        Said::FlagRequired => "that flag".to_owned(),
    }
}

const CASES: &[Case] = &[
    // Null and zero.
    ("\\p lamp must be NULL.", None, &["lamp null"]),
    ("::CU_X::lamp must be non-NULL", None, &["CU_X::lamp non_null"]),
    ("Must be non NULL", None, &["<here> non_null"]),
    ("\\p lamp must not be NULL.", None, &["lamp non_null"]),
    ("Flags for future use, must be zero for now.", None, &["<here> zero"]),
    ("Reserved for future use, must be 0", None, &["<here> zero"]),
    ("Currently unused, must be zero", None, &["<here> zero"]),
    ("\\p lamp must not be zero.", None, &["lamp non_zero"]),
    ("\\p lamp must be non-zero.", None, &["lamp non_zero"]),
    ("Must be NULL if 'name' is non-NULL", Some("name non_null"), &["<here> null"]),
    ("Exactly one of 'a' and 'b' must be non-NULL.", None, &["a+b exactly_one_non_null"]),
    ("Both \\p a and \\p b must be NULL", None, &["a+b null"]),
    // Values and flags.
    ("\\p lamp must be ::CU_RED", None, &["lamp equal(CU_RED)"]),
    ("\\p lamp must be equal to 1.", None, &["lamp equal(1)"]),
    ("\\p lamp must be six.", None, &["lamp equal(6)"]),
    ("\\p lamp must be one of ::CU_RED or ::CU_BLUE.", None, &["lamp one_of(CU_RED | CU_BLUE)"]),
    ("\\p lamp must be either ::CU_RED or ::CU_BLUE.", None, &["lamp one_of(CU_RED | CU_BLUE)"]),
    ("\\p lamp must not be ::CU_RED.", None, &["lamp none_of(CU_RED)"]),
    ("Flags must either be zero or ::CU_BRIGHT", None, &["<here> only_flags(CU_BRIGHT)"]),
    ("\\p lamp must be 0 or ::CU_BRIGHT", None, &["lamp only_flags(CU_BRIGHT)"]),
    (
        "Specifying the flag ::CU_BRIGHT in ::CU_X::lamp indicates that the resource is a dedicated resource.",
        None,
        &["flag CU_BRIGHT in CU_X::lamp"],
    ),
    (
        "This flag must be set if ::CU_X::type is one of the following: ::CU_A ::CU_B",
        Some("CU_X::type in CU_A|CU_B"),
        &["that flag"],
    ),
    (
        "Only when ::CU_X is used to signal a ::CU_S of type ::CU_A, the valid flag is ::CU_BRIGHT which indicates that while signaling the \
         ::CU_S, no memory synchronization operations should be performed for any external memory object imported as ::CU_M.",
        Some("semaphore in CU_A"),
        &["<here> only_flags(CU_BRIGHT)"],
    ),
    (
        "Only when ::CU_X is used to wait on a ::CU_S of type ::CU_A, the valid flag is ::CU_BRIGHT which indicates that while waiting for \
         the ::CU_S, no memory synchronization operations should be performed for any external memory object imported as ::CU_M.",
        Some("semaphore in CU_A"),
        &["<here> only_flags(CU_BRIGHT)"],
    ),
    ("For all other types of ::CU_S, flags must be zero.", Some("other semaphores"), &["flags zero"]),
    ("Windows-specific POBJECT_ATTRIBUTES required when ::CU_A is specified.", Some("specified CU_A"), &["<here> non_null"]),
    ("In all other cases, this field is required to be zero.", Some("not specified"), &["<here> zero"]),
    (
        "When requesting CU_A the value could be ::CU_BRIGHT, otherwise 0.",
        None,
        &["<here> only_flags(CU_BRIGHT) if specified CU_A", "<here> zero if not specified"],
    ),
    // Numbers.
    ("\\p lamp must be a power of two.", None, &["lamp power_of_two"]),
    ("\\p lamp must be a multiple of 16.", None, &["lamp multiple_of(16)"]),
    ("\\p lamp must be aligned to 64 bytes.", None, &["lamp multiple_of(64)"]),
    ("\\p lamp must be 16 byte aligned.", None, &["lamp multiple_of(16)"]),
    ("The \\p lamp pointer must be two byte aligned.", None, &["lamp multiple_of(2)"]),
    ("Must be aligned to host page size.", None, &["<here> attested(multiple_of: host_page_size)"]),
    (
        "Users must ensure the \\p a and \\p b are aligned to the host page size.",
        None,
        &["a+b attested(multiple_of: host_page_size)"],
    ),
    ("\\p lamp must be less than \\p count.", None, &["lamp below(count)"]),
    ("\\p lamp must be less than or equal to 256.", None, &["lamp at_most(256)"]),
    ("\\p lamp must be greater than 0.", None, &["lamp above(0)"]),
    ("\\p lamp must be greater than or equal to \\p count.", None, &["lamp at_least(count)"]),
    ("\\p lamp must be at least 3", None, &["lamp at_least(3)"]),
    ("\\p lamp must not exceed \\p count.", None, &["lamp at_most(count)"]),
    ("The \\p size cannot be larger than \\p total.", None, &["size at_most(total)"]),
    ("\\p lamps may not have any duplicate entries.", None, &["lamps no_duplicates"]),
    ("Must be 1, 2, or 4.", None, &["<here> one_of(1 | 2 | 4)"]),
    ("Options (must be ::CU_BRIGHT)", None, &["<here> equal(CU_BRIGHT)"]),
    ("\\p lamp address must be aligned to 64 bytes.", None, &["lamp multiple_of(64)"]),
    ("Must not be legacy NULL stream.", None, &["<here> attested(not_the_null_stream)"]),
    ("This field cannot be updated in an instantiated graph.", None, &["<here> unchanged"]),
    ("The \\p size cannot be larger than the size of the allocated memory.", None, &["size attested(at_most: size_of_allocation)"]),
    (
        "In both cases, the device named by \\p dev must have been added to the multicast team via ::cuAdd.",
        None,
        &["dev attested(added_with: cuAdd)"],
    ),
    ("Each node in \\p a and \\p b must belong to \\p g.", None, &["a+b attested(belongs_to: g)"]),
    ("The memory must have been allocated via ::cuA or ::cuB.", None, &[" attested(made_with: cuA | cuB)"]),
    // Handles.
    (
        "If ::CU_X::type is ::CU_A, then ::CU_X::fd must be a valid file descriptor referencing a memory object.",
        Some("CU_X::type in CU_A"),
        &["CU_X::fd fd_non_negative", "CU_X::fd attested(file_descriptor: memory_object)"],
    ),
    (
        "If ::CU_X::type is ::CU_A, then ::CU_X::fd must be a valid file descriptor referencing a dma_buf object and ::CU_X::flags must be zero.",
        Some("CU_X::type in CU_A"),
        &["CU_X::fd fd_non_negative", "CU_X::fd attested(file_descriptor: dma_buf)", "CU_X::flags zero"],
    ),
    (
        "If ::CU_X::h is not NULL, then it must represent a valid shared NT handle that references a synchronization object.",
        Some("CU_X::h non_null"),
        &["<it> attested(shared_nt_handle: synchronization_object)"],
    ),
    (
        "If ::CU_X::h is not NULL, then it must represent a valid shared NT handle that is returned by ID3D12Device::CreateSharedHandle \
         when referring to a ID3D12Fence object.",
        Some("CU_X::h non_null"),
        &["<it> attested(shared_nt_handle: ID3D12Device::CreateSharedHandle | ID3D12Fence)"],
    ),
    (
        "::CU_A, then ::CU_X::h represents a valid shared KMT handle that is returned by IDXGIResource::GetSharedHandle when referring to \
         a IDXGIKeyedMutex object and ::CU_X::n must be NULL.",
        Some("? in CU_A"),
        &["CU_X::h attested(global_kmt_handle: IDXGIResource::GetSharedHandle | IDXGIKeyedMutex)", "CU_X::n null"],
    ),
    (
        "If ::CU_X::n is not NULL, then it must point to a NULL-terminated array of UTF-16 characters that refers to a ID3D12Heap object.",
        Some("CU_X::n non_null"),
        &["<it> utf16_nul_terminated", "<it> attested(name_of: ID3D12Heap)"],
    ),
    (
        "If ::CU_X::n is not NULL, then it must name a valid synchronization object that refers to a valid ID3D11Fence object.",
        Some("CU_X::n non_null"),
        &["<it> attested(name_of: ID3D11Fence)"],
    ),
    ("The handle specified must be a globally shared KMT handle.", None, &["<handle> attested(global_kmt_handle)"]),
    (
        "If ::CU_X::type is ::CU_A, then ::CU_X::o must be non-NULL and reference a valid NvSciBuf object.",
        Some("CU_X::type in CU_A"),
        &["CU_X::o non_null", "CU_X::o attested(object: NvSciBufObj)"],
    ),
    (
        "Performing any operations on the file descriptor after it is imported results in undefined behavior.",
        None,
        &["<handle> attested(not_used_after_import)"],
    ),
    ("The size of the memory object must be specified in ::CU_X::size.", None, &["CU_X::size attested(size_of: memory_object)"]),
    ("The properties of the handle being imported must be described in \\p desc.", None, &["desc attested(describes_the_handle)"]),
    // What the object at hand came from, and what becomes of it.
    (
        "If \\p m was imported from a handle of type ::CU_A, then ::CU_X::n must be equal to 1.",
        Some("memory in CU_A"),
        &["CU_X::n equal(1)"],
    ),
    ("Mapping \\p m imported from a handle of type ::CU_A, is not supported.", None, &["m forbidden if memory in CU_A"]),
    ("Changing \\p a->count is not supported.", None, &["a->count unchanged"]),
    ("\\p node must not have been removed from the original graph.", None, &["node attested(in_original_graph)"]),
    ("The returned pointer \\p lamp must be freed using ::cuLampFree.", None, &["lamp attested(released_with: cuLampFree)"]),
    ("This event must be freed with ::cuLampFree.", None, &[" attested(released_with: cuLampFree)"]),
    ("Note that the \\p lamp must have been allocated using ::cuA or ::cuB.", None, &["lamp attested(made_with: cuA | cuB)"]),
    // Facts.
    (
        "Ownership of the file descriptor is transferred to the CUDA driver when the handle is imported successfully.",
        None,
        &["owned by Driver, Caller"],
    ),
    (
        "Ownership of this handle is not transferred to CUDA after the import operation, so the application must release the handle using \
         the appropriate system call.",
        None,
        &["owned by Caller, Caller"],
    ),
    (
        "This handle does not hold a reference to the underlying object, and thus will be invalid when all references to the memory object \
         are destroyed.",
        None,
        &["holds a reference: false"],
    ),
    ("This handle holds a reference to the underlying object.", None, &["holds a reference: true"]),
    ("Valid when type is one of the following:\n- ::CU_A\n- ::CU_B", None, &["selected by CU_A|CU_B"]),
    ("Valid if CUexternalSemaphoreHandleType is of type CU_A.", None, &["selected by CU_A"]),
    ("(D3DKMT_HANDLE)", None, &["exports D3DKMT_HANDLE"]),
    (
        "If the semaphore object is any one of the following types: ::CU_A, ::CU_B then signaling the semaphore will set it to the signaled state.",
        Some("semaphore in CU_A|CU_B"),
        &["carries Binary "],
    ),
    (
        "If the semaphore object is any one of the following types: ::CU_A then the semaphore will be set to the value specified in ::CU_X::v.",
        Some("semaphore in CU_A"),
        &["carries Fence CU_X::v"],
    ),
    (
        "If the semaphore object is any one of the following types: ::CU_A then waiting on the semaphore will wait until the value of the \
         semaphore is greater than or equal to ::CU_X::v.",
        Some("semaphore in CU_A"),
        &["carries Fence CU_X::v"],
    ),
    (
        "If the semaphore object is any one of the following types: ::CU_A then the keyed mutex will be acquired when it is released with \
         the key specified in ::CU_X::k or until the timeout specified by ::CU_X::t has lapsed.",
        Some("semaphore in CU_A"),
        &["carries KeyedMutex CU_X::k+CU_X::t"],
    ),
];

#[test]
fn every_form_is_read_as_it_is_meant() {
    for (text, head, wanted) in CASES {
        let reading = read(&first(text)).unwrap_or_else(|| panic!("not understood: {text}"));
        assert_eq!(reading.head.as_ref().map(when).as_deref(), *head, "{text}");
        let found: Vec<_> = reading.said.iter().map(said).collect();
        assert_eq!(found, *wanted, "{text}");
    }
}

/// The property that the whole design rests on: a sentence with a word that the grammar does not know is not understood.
#[test]
fn no_word_of_an_understood_sentence_can_become_another_unseen() {
    for (text, ..) in CASES {
        let sentence = first(text);
        for index in 0..sentence.tokens.len() {
            let mut changed = sentence.clone();
            if changed.tokens[index].kind == Kind::Word {
                "frobnicated".clone_into(&mut changed.tokens[index].text);
                assert_eq!(read(&changed), None, "{}", changed.normalised());
            }
        }
    }
}

#[test]
fn a_word_more_is_not_understood() {
    for (text, ..) in CASES {
        let mut sentence = first(text);
        let mut extra = sentence.tokens[0].clone();
        (extra.kind, extra.text) = (Kind::Word, "usually".to_owned());
        sentence.tokens.push(extra);
        assert_eq!(read(&sentence), None, "{}", sentence.normalised());
    }
}

#[test]
fn a_sentence_that_demands_nothing_is_not_understood() {
    for text in [
        "The lamp is lit.",
        "\\p lamp should be NULL.",
        "If \\p lamp is NULL, the room is dark.",
        "Lamps must be treated with care.",
    ] {
        assert_eq!(read(&first(text)), None, "{text}");
    }
}
