//! The tables of CUDA: what they say of the cases that programs got wrong, each rule broken alone, and the specialised checks against the
//! walks over the tables.
#![cfg(all(feature = "cuda", feature = "rules"))]

use core::ptr::{dangling_mut, null, null_mut};

use clcu_sys::{
    cuda::*,
    rules::{
        Bytes, Field, Given, HandleKind, HandleType, Kind, Owner, Predicate, Record, Rule, Test, Utf16Name, Zeroed, check_raw,
        check_raw_waiving, every_rule_holds,
    },
};
use proptest::prelude::*;

type Memory = CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
type Semaphore = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
type Signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
type Wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

/// A name of an object, as long as the program.
static NAME: [u16; 3] = [71, 72, 0];
/// A name that does not end where one has to.
static ENDLESS: [u16; clcu_sys::rules::LONGEST + 1] = [71; clcu_sys::rules::LONGEST + 1];

fn broken<R: Record>(record: &R, given: &Given<'_>) -> Vec<&'static str> {
    // SAFETY: records here are initialised, and their names are null or lead to text that is long enough.
    match unsafe { check_raw(record, given) } {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|violation| violation.rule.id).collect(),
    }
}

fn text<R: Record>(record: &R) -> String {
    let given = Given::default();
    // SAFETY: as above.
    unsafe { check_raw(record, &given) }.map_or_else(|violations| violations.to_string(), |_| String::new())
}

fn rows(kind: HandleKind) -> Vec<&'static HandleType> {
    HANDLE_TYPES.iter().filter(|row| row.kind == kind).collect()
}

#[test]
fn there_is_a_row_for_each_of_the_ten_semaphores_and_nine_kinds_of_memory() {
    let shorts = |kind| rows(kind).iter().map(|row| row.short).collect::<Vec<_>>();
    assert_eq!(
        shorts(HandleKind::Semaphore),
        [
            "OPAQUE_FD",
            "OPAQUE_WIN32",
            "OPAQUE_WIN32_KMT",
            "D3D12_FENCE",
            "D3D11_FENCE",
            "NVSCISYNC",
            "D3D11_KEYED_MUTEX",
            "D3D11_KEYED_MUTEX_KMT",
            "TIMELINE_SEMAPHORE_FD",
            "TIMELINE_SEMAPHORE_WIN32"
        ]
    );
    assert_eq!(
        shorts(HandleKind::Memory),
        [
            "OPAQUE_FD",
            "OPAQUE_WIN32",
            "OPAQUE_WIN32_KMT",
            "D3D12_HEAP",
            "D3D12_RESOURCE",
            "D3D11_RESOURCE",
            "D3D11_RESOURCE_KMT",
            "NVSCIBUF",
            "DMABUF_FD"
        ]
    );
}

#[test]
fn file_descriptors_go_to_the_driver_on_success_only_and_nt_handles_stay() {
    for row in HANDLE_TYPES.iter().filter(|row| matches!(row.kind, HandleKind::Semaphore | HandleKind::Memory)) {
        let carries = |end: &str| row.members.iter().any(|member| member.ends_with(end));
        let wanted = if row.short.ends_with("_KMT") {
            Owner::None
        } else if carries("fd") && row.short != "DMABUF_FD" {
            Owner::Driver
        } else if carries("win32.handle") && row.owner_on_success != Owner::Unspecified {
            Owner::Caller
        } else {
            continue;
        };
        assert_eq!(row.owner_on_success, wanted, "{}", row.name);
        if wanted == Owner::Driver {
            // Of memory, a real driver closes the descriptor after some failures and not after others.
            let of_memory = row.kind == HandleKind::Memory;
            let wanted = if of_memory { Owner::Unspecified } else { Owner::Caller };
            assert_eq!(row.owner_on_failure, wanted, "{}", row.name);
        }
    }
    assert_eq!(rows(HandleKind::Semaphore)[0].owner_on_success, Owner::Driver);
    assert_eq!(rows(HandleKind::Semaphore)[1].owner_on_success, Owner::Caller);
}

#[test]
fn a_handle_or_a_name_and_never_both_or_neither() {
    type ByHandle = fn(*mut core::ffi::c_void) -> Zeroed<'static, Semaphore>;
    type ByName = fn(Utf16Name<'_>) -> Zeroed<'_, Semaphore>;
    let name = Utf16Name::new(&NAME).unwrap();
    let types: [(ByHandle, ByName, &str); 5] = [
        (Semaphore::opaque_win32, Semaphore::opaque_win32_by_name, "OPAQUE_WIN32"),
        (Semaphore::d3d12_fence, Semaphore::d3d12_fence_by_name, "D3D12_FENCE"),
        (Semaphore::d3d11_fence, Semaphore::d3d11_fence_by_name, "D3D11_FENCE"),
        (Semaphore::d3d11_keyed_mutex, Semaphore::d3d11_keyed_mutex_by_name, "D3D11_KEYED_MUTEX"),
        (Semaphore::timeline_semaphore_win32, Semaphore::timeline_semaphore_win32_by_name, "TIMELINE_SEMAPHORE_WIN32"),
    ];
    for (by_handle, by_name, short) in types {
        let rule = format!("cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/{short}/exactly-one");
        assert!(broken(&*by_handle(dangling_mut()), &Given::default()).is_empty(), "{short}");
        assert!(broken(&*by_name(name), &Given::default()).is_empty(), "{short}");
        assert_eq!(broken(&*by_handle(null_mut()), &Given::default()), [&rule]);
        let both = by_handle(dangling_mut()).with_name(Semaphore::HANDLE_WIN32_NAME, name);
        assert_eq!(broken(&*both, &Given::default()), [&rule]);
        assert!(text(&*both).contains("handle.win32.handle, handle.win32.name: found 2 that are not null, wanted exactly one"));
    }
    for kmt in [Semaphore::opaque_win32_kmt(dangling_mut()), Semaphore::d3d11_keyed_mutex_kmt(dangling_mut())] {
        assert!(broken(&*kmt, &Given::default()).is_empty());
        assert!(
            text(&*kmt.with_name(Semaphore::HANDLE_WIN32_NAME, name))
                .contains("handle.win32.name: found a pointer that is not null")
        );
    }
}

#[test]
fn a_dedicated_resource_needs_its_flag_and_a_heap_does_not() {
    let mut resource = Memory::d3d12_resource(dangling_mut(), 4096);
    assert!(broken(&*resource, &Given::default()).is_empty(), "the constructor sets the flag");
    resource.set(Memory::FLAGS, 0);
    assert!(text(&*resource).contains("wanted the flag CUDA_EXTERNAL_MEMORY_DEDICATED"), "{}", text(&*resource));
    assert!(broken(&*Memory::d3d12_heap(dangling_mut(), 4096, 0), &Given::default()).is_empty());
    for row in rows(HandleKind::Memory) {
        let number = row.value.and_then(|value| u32::try_from(value).ok()).unwrap();
        let descriptor = Zeroed::<Memory>::new().with(Memory::TYPE, CUexternalMemoryHandleType(number)).with(Memory::FLAGS, 2);
        assert!(text(&*descriptor).contains("flags: found flags 0x2"), "{}", row.name);
    }
}

#[test]
fn memory_of_no_size_is_refused_by_the_name_of_the_member() {
    assert!(broken(&*Memory::opaque_fd(3, 4096, 0), &Given::default()).is_empty());
    for descriptor in [Memory::opaque_fd(3, 0, 0), Memory::d3d12_heap(dangling_mut(), 0, 0)] {
        assert_eq!(broken(&*descriptor, &Given::default()), ["cuda/CUDA_EXTERNAL_MEMORY_HANDLE_DESC/size-non-zero"]);
        assert!(text(&*descriptor).contains("size: found 0, wanted not zero"), "{}", text(&*descriptor));
    }
}

#[test]
fn flags_of_signals_and_waits_are_for_nvscisync_and_each_has_its_own() {
    let fd = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
    let nvscisync = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
    let signal = |flags, of| broken(&*Zeroed::<Signal>::new().with(Signal::FLAGS, flags), &Given::default().with_semaphore(of));
    let wait = |flags, of| broken(&*Zeroed::<Wait>::new().with(Wait::FLAGS, flags), &Given::default().with_semaphore(of));
    assert_eq!(signal(1, fd), ["cuda/CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS/flags-zero"]);
    assert!(signal(0, fd).is_empty() && signal(1, nvscisync).is_empty());
    assert_eq!(signal(2, nvscisync), ["cuda/CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS/NVSCISYNC/flags-only-flags"]);
    assert!(wait(2, nvscisync).is_empty() && wait(0, fd).is_empty());
    assert_eq!(wait(1, nvscisync), ["cuda/CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS/NVSCISYNC/flags-only-flags"]);
    // Whose semaphore it is was not said: then it is not known whether the flag is right, and that is said.
    let unknown = Zeroed::<Signal>::new().with(Signal::FLAGS, 1);
    let given = Given::default();
    assert_eq!(unknown.check(&given).unwrap().not_checked().count(), 1);
}

#[test]
fn reserved_bytes_are_zero_by_our_own_rule_and_in_what_we_make() {
    let made = Zeroed::<Signal>::new().with(Signal::PARAMS_FENCE_VALUE, 7);
    let bytes = clcu_sys::cuda::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::zeroed();
    assert_eq!(size_of_val(&bytes), 144);
    assert_eq!((made.flags, made.reserved), (0, [0; 16]));
    let dirty = made.with(Signal::RESERVED, core::array::from_fn(|at| u32::from(at == 15)));
    let given = Given::default();
    let violations = dirty.check(&given).unwrap_err();
    let rule = violations.iter().next().unwrap().rule;
    assert_eq!(rule.origin, clcu_sys::rules::Origin::Ours);
    assert!(!rule.reason.is_empty() && rule.source.is_none());
}

#[test]
fn a_view_tells_what_a_descriptor_holds_and_gives_back_a_type_that_is_not_known() {
    assert_eq!(ExternalSemaphoreHandle::of(&Semaphore::opaque_fd(5)), ExternalSemaphoreHandle::OpaqueFd { fd: 5 });
    let handle = dangling_mut();
    assert_eq!(
        ExternalMemoryHandle::of(&Memory::d3d12_heap(handle, 1, 0)),
        ExternalMemoryHandle::D3d12Heap { handle, name: null() }
    );
    let newer = CUexternalSemaphoreHandleType(4711);
    let descriptor = Zeroed::<Semaphore>::new().with(Semaphore::TYPE, newer);
    assert_eq!(ExternalSemaphoreHandle::of(&descriptor), ExternalSemaphoreHandle::Unknown(newer));
    assert!(text(&*descriptor).contains("type: found 4711"));
}

/// C24
#[test]
fn documented_errors_are_a_list_or_none_which_is_not_the_empty_list() {
    use clcu_sys::cuda::CUresult as C;
    let import = documented_errors(cuImportExternalSemaphore.info()).unwrap();
    assert!(import.iter().eq([
        C::CUDA_SUCCESS,
        C::CUDA_ERROR_NOT_INITIALIZED,
        C::CUDA_ERROR_NOT_SUPPORTED,
        C::CUDA_ERROR_INVALID_HANDLE,
        C::CUDA_ERROR_OPERATING_SYSTEM
    ]));
    assert!(documented_errors(cuWaitExternalSemaphoresAsync.info()).unwrap().contains(&C::CUDA_ERROR_TIMEOUT));
    assert!(!documented_errors(cuSignalExternalSemaphoresAsync.info()).unwrap().contains(&C::CUDA_ERROR_TIMEOUT));
    assert!(documented_errors(cuMemPoolGetAccess.info()).is_none());
    assert!(ERRORS.iter().count() >= COMMAND_COUNT);
    for (row, command) in ERRORS.iter().zip(&COMMANDS) {
        assert_eq!(row.symbol.as_bytes(), command.symbol.to_bytes());
        // Every name is one of the status's.
        assert!(row.codes.is_none_or(|codes| codes.iter().count() == codes.len()), "{row:?}");
    }
}

#[test]
fn an_id_names_one_rule() {
    let mut ids: Vec<_> = RULES.iter().flat_map(|subject| subject.rules).map(|rule| rule.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

/// Writes `bytes` over a field of a record.
fn write<R: Copy>(record: &R, field: Field, bytes: &[u8]) -> R {
    let mut changed = *record;
    assert!(bytes.len() <= field.size);
    // SAFETY: the field lies within the record, which is made of numbers and pointers.
    unsafe { (&raw mut changed).cast::<u8>().add(field.offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    changed
}

fn field<R: Record>(path: &str) -> Field {
    let fields = R::SUBJECT.rules.iter().flat_map(|rule| rule.fields);
    *fields.into_iter().find(|field| field.path == path).unwrap_or_else(|| panic!("no rule speaks of {path}"))
}

fn pointer(address: usize) -> [u8; size_of::<usize>()] {
    address.to_ne_bytes()
}

/// A descriptor for `row` that breaks nothing, made from the row alone.
fn sound<R: Record + Copy>(row: &HandleType) -> R {
    let number = u32::try_from(row.value.unwrap()).unwrap().to_ne_bytes();
    let mut record = write(&*Zeroed::<R>::new(), field::<R>("type"), &number);
    let handle = field::<R>(row.members[0]);
    record = match handle.kind {
        Kind::Signed => write(&record, handle, &3_i32.to_ne_bytes()),
        _ => write(&record, handle, &pointer(64)),
    };
    if !row.required_flags.is_empty() {
        record = write(&record, field::<R>("flags"), &1_u32.to_ne_bytes());
    }
    for rule in R::SUBJECT.rules.iter().filter(|rule| matches!(rule.predicate, Predicate::NonZero)) {
        record = write(&record, rule.fields[0], &[1]);
    }
    record
}

/// Records that break `rule`, made from one that does not.
fn mutations<R: Copy>(record: &R, rule: &Rule) -> Vec<R> {
    let fields = rule.fields;
    match rule.predicate {
        Predicate::FdNonNegative => vec![write(record, fields[0], &(-1_i32).to_ne_bytes())],
        Predicate::ExactlyOneNonNull => {
            vec![write(record, fields[0], &pointer(0)), write(record, fields[1], &pointer(NAME.as_ptr() as usize))]
        }
        Predicate::NonNull => vec![write(record, fields[0], &pointer(0))],
        Predicate::Null => vec![write(record, fields[0], &pointer(NAME.as_ptr() as usize))],
        Predicate::Zero if fields[0].size > 8 => (0..fields[0].size)
            .step_by(7)
            .map(|at| {
                let mut bytes = vec![0; at + 1];
                bytes[at] = 1;
                write(record, fields[0], &bytes)
            })
            .collect(),
        Predicate::Zero => vec![write(record, fields[0], &[1])],
        Predicate::NonZero => vec![write(record, fields[0], &[0; 8])],
        Predicate::OnlyFlags(_) => vec![write(record, fields[0], &[0x81])],
        Predicate::MustHaveFlags(_) => vec![write(record, fields[0], &[0])],
        Predicate::OneOf(_) => vec![write(record, fields[0], &[0xFF, 0xFF]), write(record, fields[0], &[0, 0])],
        Predicate::Utf16NulTerminated => {
            let named = |address| write(&write(record, fields[0], &pointer(address)), field_before(fields[0]), &pointer(0));
            vec![named(ENDLESS.as_ptr() as usize), named(NAME.as_ptr() as usize + 1)]
        }
        other => panic!("{}: no way to break {other}", rule.id),
    }
}

/// The handle that stands before a name.
fn field_before(name: Field) -> Field {
    Field { offset: name.offset - name.size, ..name }
}

/// Breaks every rule of `R`, for every row that it applies to.
fn each_rule_broken_is_named_alone<R: Record + Copy>(kind: HandleKind) -> usize {
    let mut count = 0;
    for row in rows(kind) {
        let record = sound::<R>(row);
        assert_eq!(broken(&record, &Given::default()), [""; 0], "{}", row.name);
        let checkable = R::SUBJECT.rules.iter().filter(|rule| rule.is_checkable());
        for rule in checkable.filter(|rule| rule.when.iter().all(|condition| applies(condition, row))) {
            // A stricter rule on the same flags is broken with the general one.
            let stricter = |other: &&Rule| matches!(other.predicate, Predicate::Zero) && other.fields[0].path == "flags";
            let general = matches!(rule.predicate, Predicate::OnlyFlags(_));
            let shadowed = general
                && R::SUBJECT.rules.iter().filter(stricter).any(|other| other.when.iter().all(|condition| applies(condition, row)));
            for changed in mutations(&record, rule).into_iter().filter(|_| !shadowed) {
                assert_eq!(broken(&changed, &Given::default()), [rule.id], "{}", row.name);
                count += 1;
            }
        }
    }
    count
}

/// Whether a condition holds for a row, as far as the type decides; a name is there where one is wanted.
fn applies(condition: &clcu_sys::rules::Condition, row: &HandleType) -> bool {
    use clcu_sys::rules::{Condition, Term};
    match condition {
        Condition::Test(Term::Field(field), Test::In(values)) if field.path == "type" => {
            values.iter().any(|value| value.name == row.name)
        }
        Condition::Test(Term::Field(field), Test::NonNull) => field.path.ends_with("name"),
        _ => false,
    }
}

#[test]
fn each_rule_of_each_semaphore_broken_alone_is_named_alone() {
    assert!(each_rule_broken_is_named_alone::<Semaphore>(HandleKind::Semaphore) > 100);
}

#[test]
fn each_rule_of_each_kind_of_memory_broken_alone_is_named_alone() {
    assert!(each_rule_broken_is_named_alone::<Memory>(HandleKind::Memory) > 100);
}

/// Holds the specialised check of a record against the walk over its table.
fn both_say_the_same<R: Record>(record: &R, given: &Given<'_>) -> Result<(), TestCaseError> {
    // SAFETY: the record is initialised, and names are null or lead to text that is long enough.
    let (quick, walk, waiving) = unsafe {
        let bytes = Bytes::of(record);
        (
            R::surely_holds(bytes, given),
            every_rule_holds(R::SUBJECT.rules, bytes, given),
            check_raw_waiving(record, given, &[]).is_ok_and(|checked| checked.is_complete()),
        )
    };
    prop_assert_eq!(quick, walk);
    prop_assert_eq!(quick, waiving);
    Ok(())
}

/// Mostly zero, sometimes a small number, seldom anything.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![12 => Just(0), 3 => 0_u32..4, 1 => Just(u32::MAX), 1 => any::<u32>()]
}

/// The bytes of a record, with names only where they can be followed.
fn descriptor<R: Record + Copy + std::fmt::Debug>() -> impl Strategy<Value = R> {
    let words = proptest::collection::vec(word(), size_of::<R>() / 4);
    let name =
        prop_oneof![Just(0), Just(NAME.as_ptr() as usize), Just(ENDLESS.as_ptr() as usize), Just(NAME.as_ptr() as usize + 1)];
    (words, 0_u32..12, prop_oneof![Just(0), Just(64)], name).prop_map(|(words, kind, handle, name)| {
        let whole = Field { path: "", offset: 0, size: size_of::<R>(), kind: Kind::Bytes };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let record = write(&*Zeroed::<R>::new(), whole, &bytes);
        let record = write(&record, field::<R>("type"), &kind.to_ne_bytes());
        let record = if handle == 0 { record } else { write(&record, field::<R>("handle.win32.handle"), &pointer(handle)) };
        write(&record, field::<R>("handle.win32.name"), &pointer(name))
    })
}

fn parameters<R: Record + Copy + std::fmt::Debug>() -> impl Strategy<Value = R> {
    proptest::collection::vec(word(), size_of::<R>() / 4).prop_map(|words| {
        let whole = Field { path: "", offset: 0, size: size_of::<R>(), kind: Kind::Bytes };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        write(&*Zeroed::<R>::new(), whole, &bytes)
    })
}

fn given() -> impl Strategy<Value = Given<'static>> {
    let number = || proptest::option::of(0_u64..12);
    (number(), number(), proptest::option::of(0_u32..3)).prop_map(|(semaphore, memory, devices)| Given {
        semaphore_handle_type: semaphore,
        memory_handle_type: memory,
        context_device_count: devices,
        ..Given::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn the_specialised_checks_say_what_the_tables_say(
        memory in descriptor::<Memory>(),
        semaphore in descriptor::<Semaphore>(),
        signal in parameters::<Signal>(),
        wait in parameters::<Wait>(),
        buffer in parameters::<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>(),
        mipmap in parameters::<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>(),
        given in given(),
    ) {
        both_say_the_same(&memory, &given)?;
        both_say_the_same(&semaphore, &given)?;
        both_say_the_same(&signal, &given)?;
        both_say_the_same(&wait, &given)?;
        both_say_the_same(&buffer, &given)?;
        both_say_the_same(&mipmap, &given)?;
    }

    #[test]
    fn a_descriptor_made_right_passes_and_one_changed_member_is_found(fd in 0_i32.., size in 1_u64.., at in 0_usize..16, with in 1_u32..) {
        let made = Memory::opaque_fd(fd, size, 0);
        prop_assert!(broken(&*made, &Given::default()).is_empty());
        let dirty = made.with(Memory::RESERVED, core::array::from_fn(|index| if index == at { with } else { 0 }));
        prop_assert_eq!(broken(&*dirty, &Given::default()), ["cuda/CUDA_EXTERNAL_MEMORY_HANDLE_DESC/reserved-zero"]);
        prop_assert_eq!(broken(&*made.with(Memory::HANDLE_FD, -1 - fd), &Given::default()).len(), 1);
    }

    #[test]
    fn any_bytes_at_all_are_checked_without_a_panic(
        memory in proptest::collection::vec(any::<u8>(), size_of::<Signal>()),
        given in given(),
    ) {
        let whole = Field { path: "", offset: 0, size: memory.len(), kind: Kind::Bytes };
        let signal = write(&*Zeroed::<Signal>::new(), whole, &memory);
        let _ = text(&signal);
        both_say_the_same(&signal, &given)?;
    }
}
