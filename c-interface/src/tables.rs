//! The tables, row by row: records that can be checked, rules, and kinds of external handles.
//!
//! The texts of a table are made for C once, when the first row is asked for, and stay.

use std::{ffi::c_char, sync::LazyLock};

use clcu_sys::{
    cuda, opencl,
    rules::{ExportedSize, HandleType, Origin, Rule, Subject},
};

use crate::{
    boundary::{answer, answer_or, text, write},
    records::RECORDS,
    status::clcu_status,
    texts::{joined, kept},
};

/// A record that can be checked. The texts stay for as long as the library is loaded.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct clcu_record {
    /// `cuda` or `opencl`.
    pub api: *const c_char,
    /// Upstream's name, with its version where it has one.
    pub name: *const c_char,
    /// Other names that mean it, with blanks between; empty where there is none.
    pub other_names: *const c_char,
    /// Its `sizeof`.
    pub size: usize,
    /// Its alignment in C. Checks do not need it.
    pub align: usize,
}

/// A rule. The texts stay for as long as the library is loaded; what is not known is empty.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct clcu_rule {
    /// Stable, and what a caller names to waive it.
    pub id: *const c_char,
    /// The record or command that it is about.
    pub subject: *const c_char,
    /// The fields, with blanks between.
    pub fields: *const c_char,
    /// What must hold of them, as a phrase.
    pub wanted: *const c_char,
    /// `stated` by upstream, `derived` from it, or `ours`.
    pub origin: *const c_char,
    /// The document that states it.
    pub document: *const c_char,
    /// The symbol whose text states it.
    pub symbol: *const c_char,
    /// Why this project adds or settles it.
    pub reason: *const c_char,
    /// The code that upstream promises where it does not hold.
    pub error: *const c_char,
    /// The first version in which it holds.
    pub since: *const c_char,
    /// The last one, where a newer one differs.
    pub until: *const c_char,
    /// Whether a check can decide it. If not, the caller vouches for it.
    pub checkable: bool,
}

/// A kind of external handle: who owns it, what it carries, where it exists. The texts stay for as long as the library is loaded; what upstream
/// does not say is `unspecified`, what there is not is empty. Lists have blanks between.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct clcu_handle_type {
    /// `cuda` or `opencl`.
    pub api: *const c_char,
    /// What it stands for: `memory`, `semaphore`, `allocation`, ….
    pub kind: *const c_char,
    /// Upstream's enumerator, or the type where there is none.
    pub name: *const c_char,
    /// What identifies it in ids of rules: `OPAQUE_FD`.
    pub short_name: *const c_char,
    /// The enumeration of its value.
    pub enumeration: *const c_char,
    /// Whether it has a value.
    pub has_value: bool,
    /// Its value.
    pub value: u64,
    /// The record that describes it for import.
    pub record: *const c_char,
    /// What carries the handle there.
    pub members: *const c_char,
    /// Where it exists.
    pub platform: *const c_char,
    /// What importing does to the payload.
    pub transference: *const c_char,
    /// How long an import lasts.
    pub permanence: *const c_char,
    /// Who owns the handle after a successful import.
    pub owner_on_success: *const c_char,
    /// Who owns it after a failed one.
    pub owner_on_failure: *const c_char,
    /// What a semaphore of it carries.
    pub payload: *const c_char,
    /// What a signal of such a semaphore reads of its parameters.
    pub signal: *const c_char,
    /// What a wait for it reads of them.
    pub wait: *const c_char,
    /// A semaphore's state after import.
    pub initial_state: *const c_char,
    /// Flags that must be set.
    pub required_flags: *const c_char,
    /// All flags that may be set.
    pub allowed_flags: *const c_char,
    /// What an export writes: so many bytes on this system, `never`, or `unspecified`.
    pub exported_size: *const c_char,
    /// What tells whether a device or platform has it.
    pub capability_query: *const c_char,
    /// The extension that brings it.
    pub extension: *const c_char,
    /// Whether a value of the handle stands for something special.
    pub has_special_value: bool,
    /// That value: -1 for a sync fd that is already signalled.
    pub special_value: i64,
    /// The same in Vulkan.
    pub vulkan: *const c_char,
    /// The same in Direct3D.
    pub d3d: *const c_char,
    /// The same in CUDA.
    pub cuda: *const c_char,
    /// The same in OpenCL.
    pub opencl: *const c_char,
    /// The first version that has it.
    pub since: *const c_char,
    /// The last one, where a newer one does not.
    pub until: *const c_char,
}

/// Rows for C. Their pointers are to texts that stay and never change.
struct Rows<T>(Vec<T>);

// SAFETY: the pointers in the rows are to texts that are never written or freed.
unsafe impl<T> Send for Rows<T> {}
// SAFETY: see above.
unsafe impl<T> Sync for Rows<T> {}

static RECORD_ROWS: LazyLock<Rows<clcu_record>> = LazyLock::new(|| {
    let row = |one: &crate::checkable::Checkable| clcu_record {
        api: kept(one.api),
        name: kept(one.names[0]),
        other_names: kept(&joined(one.names[1..].iter().copied())),
        size: one.size,
        align: one.align,
    };
    Rows(RECORDS.iter().map(row).collect())
});

/// Every rule with its subject.
fn rules() -> impl Iterator<Item = (&'static Subject, &'static Rule)> {
    cuda::RULES.iter().chain(opencl::RULES).flat_map(|subject| subject.rules.iter().map(move |rule| (subject, rule)))
}

/// Where the rule with this id is in the list of all.
pub(crate) fn position(id: &str) -> Option<usize> {
    rules().position(|(_, rule)| rule.id == id)
}

static RULE_ROWS: LazyLock<Rows<clcu_rule>> = LazyLock::new(|| {
    let row = |(subject, rule): (&Subject, &Rule)| clcu_rule {
        id: kept(rule.id),
        subject: kept(subject.name),
        fields: kept(&joined(rule.fields.iter().map(|field| field.path))),
        wanted: kept(&rule.predicate.to_string()),
        origin: kept(match rule.origin {
            Origin::Stated => "stated",
            Origin::Derived => "derived",
            Origin::Ours => "ours",
        }),
        document: kept(rule.source.map_or("", |source| source.document)),
        symbol: kept(rule.source.map_or("", |source| source.symbol)),
        reason: kept(rule.reason),
        error: kept(rule.error),
        since: kept(rule.since),
        until: kept(rule.until),
        checkable: rule.is_checkable(),
    };
    Rows(rules().map(row).collect())
});

/// Every kind of handle with its API.
fn handle_types() -> impl Iterator<Item = (&'static str, &'static HandleType)> {
    let of = |api| move |row| (api, row);
    cuda::HANDLE_TYPES.iter().map(of("cuda")).chain(opencl::HANDLE_TYPES.iter().map(of("opencl")))
}

static HANDLE_TYPE_ROWS: LazyLock<Rows<clcu_handle_type>> = LazyLock::new(|| {
    let list = |names: &[&str]| kept(&joined(names.iter().copied()));
    let row = |(api, row): (&str, &HandleType)| clcu_handle_type {
        api: kept(api),
        kind: word(row.kind),
        name: kept(row.name),
        short_name: kept(row.short),
        enumeration: kept(row.enumeration),
        has_value: row.value.is_some(),
        value: row.value.unwrap_or_default(),
        record: kept(row.record),
        members: list(row.members),
        platform: word(row.platform),
        transference: word(row.transference),
        permanence: word(row.permanence),
        owner_on_success: word(row.owner_on_success),
        owner_on_failure: word(row.owner_on_failure),
        payload: word(row.payload),
        signal: list(row.signal),
        wait: list(row.wait),
        initial_state: word(row.initial_state),
        required_flags: list(row.required_flags),
        allowed_flags: list(row.allowed_flags),
        exported_size: match row.exported_size {
            ExportedSize::Bytes(bytes) => kept(&bytes.to_string()),
            ExportedSize::Never => kept("never"),
            ExportedSize::Unspecified => kept("unspecified"),
        },
        capability_query: kept(row.capability_query),
        extension: kept(row.extension),
        has_special_value: row.special_value.is_some(),
        special_value: row.special_value.unwrap_or_default(),
        vulkan: list(row.vulkan),
        d3d: list(row.d3d),
        cuda: list(row.cuda),
        opencl: list(row.opencl),
        since: kept(row.since),
        until: kept(row.until),
    };
    Rows(handle_types().map(row).collect())
});

/// A value of one of the columns, as snapshots write it: `keyed_mutex`.
fn word(value: impl std::fmt::Debug) -> *const c_char {
    let mut text = String::new();
    for letter in format!("{value:?}").chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    kept(&text)
}

/// Writes the row at `index`.
///
/// # Safety
/// `row` is null, or points to room for one.
unsafe fn at<T: Copy>(rows: &LazyLock<Rows<T>>, index: usize, row: *mut T) -> clcu_status {
    answer(|| {
        let found = rows.0.get(index).ok_or(clcu_status::CLCU_OUT_OF_RANGE)?;
        // SAFETY: promised by the caller.
        unsafe { write(row, *found) }
    })
}

/// How many records can be checked on this system.
#[unsafe(no_mangle)]
pub extern "C" fn clcu_record_count() -> usize {
    answer_or(0, || RECORDS.len())
}

/// The record at `index`, which is below `clcu_record_count`.
///
/// # Safety
/// `record` is null or room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_record_at(index: usize, record: *mut clcu_record) -> clcu_status {
    // SAFETY: promised by the caller.
    unsafe { at(&RECORD_ROWS, index, record) }
}

/// How many rules there are, of both APIs.
#[unsafe(no_mangle)]
pub extern "C" fn clcu_rule_count() -> usize {
    answer_or(0, || rules().count())
}

/// The rule at `index`, which is below `clcu_rule_count`.
///
/// # Safety
/// `rule` is null or room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_rule_at(index: usize, rule: *mut clcu_rule) -> clcu_status {
    // SAFETY: promised by the caller.
    unsafe { at(&RULE_ROWS, index, rule) }
}

/// Where the rule with this id is: an index for `clcu_rule_at`.
///
/// # Safety
/// `id` is null or a zero-terminated text, `index` null or room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_rule_find(id: *const c_char, index: *mut usize) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let id = unsafe { text(id)? };
        // SAFETY: promised by the caller.
        unsafe { write(index, position(id).ok_or(clcu_status::CLCU_UNKNOWN_NAME)?) }
    })
}

/// How many kinds of external handles there are, of both APIs.
#[unsafe(no_mangle)]
pub extern "C" fn clcu_handle_type_count() -> usize {
    answer_or(0, || handle_types().count())
}

/// The kind of handle at `index`, which is below `clcu_handle_type_count`.
///
/// # Safety
/// `handle_type` is null or room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_handle_type_at(index: usize, handle_type: *mut clcu_handle_type) -> clcu_status {
    // SAFETY: promised by the caller.
    unsafe { at(&HANDLE_TYPE_ROWS, index, handle_type) }
}
