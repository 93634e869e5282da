//! What the tables say about kinds of handles, as the other tests use it: all kinds of Windows that CUDA imports, and who closes them.

use clcu::sys::{
    cuda::HANDLE_TYPES,
    rules::{HandleKind, HandleType, Owner, Platform},
};

/// The kinds of handles that only Windows has and that `owner` closes after an import, by their names in rules.
pub(crate) fn of_windows(kind: HandleKind, owner: Owner) -> Vec<&'static str> {
    let wanted = |row: &&HandleType| {
        row.kind == kind && row.platform == Platform::Windows && (row.owner_on_success, row.owner_on_failure) == (owner, owner)
    };
    // Upstream uses some of them twice, for two things that a semaphore carries.
    let mut names: Vec<_> = HANDLE_TYPES.iter().filter(wanted).map(|row| row.short).collect();
    names.dedup();
    names
}

#[test]
fn every_kind_of_windows_is_either_the_callers_to_close_or_nobodys() {
    for kind in [HandleKind::Semaphore, HandleKind::Memory] {
        let all = HANDLE_TYPES.iter().filter(|row| row.kind == kind && row.platform == Platform::Windows);
        let mut all: Vec<_> = all.map(|row| row.short).collect();
        all.dedup();
        let (callers, nobodys) = (of_windows(kind, Owner::Caller), of_windows(kind, Owner::None));
        assert_eq!(all.len(), callers.len() + nobodys.len(), "{all:?}");
        assert!(nobodys.iter().all(|short| short.ends_with("_KMT")), "{nobodys:?}");
    }
}
