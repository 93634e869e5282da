//! The rules that no call breaks alone, and what is broken with them: two test programs break every rule, and both have to know.

use clcu_sys::rules::Rule;

const SEMA_TERMINATED: &[&str] = &["sema_props-list-terminated"];

/// Each such rule, and the fewest others that are broken where it is.
const IN_COMPANY: [(&str, &[&str]); 7] = [
    // No list at all has no type either.
    ("INVALID_VALUE/sema_props-non-null", &["INVALID_VALUE/sema_props-must-have-properties"]),
    // A list within a list that does not end takes the outer one along.
    ("sema_props[CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR]-list-terminated", SEMA_TERMINATED),
    ("sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR]-list-terminated", SEMA_TERMINATED),
    ("properties[CL_MEM_DEVICE_HANDLE_LIST_KHR]-list-terminated", &["properties-list-terminated"]),
    // Memory of the host is not allowed with a handle, nor are the two flags that ask for it, nor is it without one of them.
    ("INVALID_HOST_PTR/properties-lacks-properties", &["INVALID_HOST_PTR/host_ptr-null"]),
    (
        "INVALID_VALUE/properties-lacks-properties/flags-has-MEM_COPY_HOST_PTR",
        &["INVALID_HOST_PTR/host_ptr-non-null/flags-has-MEM_COPY_HOST_PTR"],
    ),
    (
        "INVALID_VALUE/properties-lacks-properties/flags-has-MEM_USE_HOST_PTR",
        &["INVALID_HOST_PTR/host_ptr-non-null/flags-has-MEM_USE_HOST_PTR"],
    ),
];

/// The part of an id that says what a rule of this command is.
pub(super) fn short(id: &'static str) -> &'static str {
    id.splitn(3, '/').nth(2).unwrap()
}

/// What is broken where `rule` is, in alphabetical order.
pub(super) fn wanted(rule: &Rule) -> Vec<&'static str> {
    let company = IN_COMPANY.iter().find(|(id, _)| *id == short(rule.id)).map_or(&[][..], |(_, with)| *with);
    let mut all: Vec<_> = company.iter().copied().chain([short(rule.id)]).collect();
    all.sort_unstable();
    all
}
