//! Each condition of the error lists of `clCreateBufferWithProperties` and `clCreateImageWithProperties` that arguments can break, broken by a
//! call: the checker names its rule with the code that the specification gives, and no rule but those that cannot be kept with it. A call
//! that differs in the one thing that is wrong breaks none.
#![cfg(all(feature = "opencl", feature = "rules"))]

mod company;

use core::ptr::{dangling, dangling_mut, null, null_mut};
use std::collections::BTreeSet;

use clcu_sys::{
    opencl::{
        cl_external_memory_handle_type_khr as HandleType, cl_mem_flags as Flags, cl_mem_properties as Properties,
        clCreateBufferWithProperties_arguments, clCreateImageWithProperties_arguments,
    },
    rules::{Given, Inert, PropertyList, Record, Rule, check},
};

use company::{short, wanted};

/// Every handle type of external memory, as ids of rules name it.
const TYPES: [(&str, HandleType); 6] = [
    ("OPAQUE_FD", HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR),
    ("DMA_BUF", HandleType::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR),
    ("OPAQUE_WIN32", HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR),
    ("OPAQUE_WIN32_KMT", HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR),
    ("OPAQUE_WIN32_NAME", HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR),
    ("ANDROID_HARDWARE_BUFFER", HARDWARE_BUFFER),
];
const HARDWARE_BUFFER: HandleType = HandleType::CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR;
const FD: u64 = HandleType::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.0 as u64;
const DEVICES: u64 = Properties::CL_MEM_DEVICE_HANDLE_LIST_KHR.0;
const PRIVATE_ADDRESS: u64 = Properties::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.0;
/// No property of any extension.
const UNKNOWN: u64 = 0x7FFF_0001;

const USE: Flags = Flags::CL_MEM_USE_HOST_PTR;
const COPY: Flags = Flags::CL_MEM_COPY_HOST_PTR;
const ALLOC: Flags = Flags::CL_MEM_ALLOC_HOST_PTR;
const IMMUTABLE: Flags = Flags::CL_MEM_IMMUTABLE_EXT;

/// What the calls of both commands are made from, and what is known where they are made.
#[derive(Clone, Debug)]
struct Call {
    flags: Flags,
    /// Whether there is memory of the host.
    host: bool,
    size: usize,
    /// Whether an image has a format, and a description.
    format: bool,
    description: bool,
    list: Vec<u64>,
    /// The handle types that the devices can import.
    imports: Vec<u64>,
    extensions: &'static [&'static str],
}

/// Memory that is not imported, with these properties.
fn own(list: &[u64]) -> Call {
    Call {
        flags: Flags::CL_MEM_READ_WRITE,
        host: false,
        size: 64,
        format: true,
        description: true,
        list: list.to_vec(),
        imports: TYPES.map(|(_, handle_type)| handle_type.0.into()).to_vec(),
        extensions: &["cl_khr_external_memory_android_hardware_buffer"],
    }
}

/// Memory that is imported from a handle of this type: a hardware buffer knows its size, format and shape itself.
fn imported(handle_type: HandleType, more: &[u64]) -> Call {
    let itself = handle_type == HARDWARE_BUFFER;
    let list = [&[handle_type.0.into(), 7], more, &[0]].concat();
    Call { size: if itself { 0 } else { 64 }, format: !itself, description: !itself, ..own(&list) }
}

/// Rules with their codes.
type Rules = BTreeSet<(&'static str, &'static str)>;

/// The rules that are broken, and where there is none those that could not be decided.
fn found<R: Inert>(arguments: &R, given: &Given<'_>) -> (Rules, Rules) {
    let named = |rule: &'static Rule| (short(rule.id), rule.error);
    match check(arguments, given) {
        Ok(checked) => (Rules::new(), checked.not_checked().map(|undecided| named(undecided.rule)).collect()),
        Err(violations) => (violations.iter().map(|violation| named(violation.rule)).collect(), Rules::new()),
    }
}

impl Call {
    fn given(&self) -> Given<'_> {
        Given { import_types: Some(&self.imports), extensions: Some(self.extensions), ..Given::default() }
    }

    fn buffer(&self) -> (Rules, Rules) {
        let arguments = clCreateBufferWithProperties_arguments {
            flags: self.flags,
            size: self.size,
            host_ptr: if self.host { dangling_mut() } else { null_mut() },
            properties: PropertyList::new(&self.list),
        };
        found(&arguments, &self.given())
    }

    fn image(&self) -> (Rules, Rules) {
        let arguments = clCreateImageWithProperties_arguments {
            flags: self.flags,
            image_format: if self.format { dangling() } else { null() },
            image_desc: if self.description { dangling() } else { null() },
            host_ptr: if self.host { dangling_mut() } else { null_mut() },
            properties: PropertyList::new(&self.list),
        };
        found(&arguments, &self.given())
    }
}

/// A rule, the code that its breach leads to, and a call that breaks it.
type Breach = (String, &'static str, Call);

fn breach(rule: &str, code: &'static str, call: Call) -> Breach {
    (rule.to_owned(), code, call)
}

/// What both commands say of the list, and of what the devices can import.
fn of_the_list() -> Vec<Breach> {
    let property = |rule, list: &[u64]| breach(&format!("INVALID_PROPERTY/properties-{rule}"), "CL_INVALID_PROPERTY", own(list));
    let mut all = vec![
        property("any-property", &[DEVICES, 64, 0, 0]),
        property("any-property", &[PRIVATE_ADDRESS, 1, DEVICES, 64, 0, 0]),
        property("no-duplicate-property", &[PRIVATE_ADDRESS, 1, PRIVATE_ADDRESS, 1, 0]),
        property("no-duplicate-property", &[DEVICES, 64, 0, FD, 7, DEVICES, 64, 0, 0]),
        property("only-properties", &[UNKNOWN, 1, 0]),
        property("only-properties", &[FD, 7, UNKNOWN, 1, 0]),
        breach("properties-list-terminated", "", own(&[])),
        breach("properties-list-terminated", "", own(&[FD, 7])),
        breach("properties-list-terminated", "", own(&[FD])),
        breach("properties-list-terminated", "", own(&[FD, 7, DEVICES, 64, 0])),
        breach("properties[CL_MEM_DEVICE_HANDLE_LIST_KHR]-list-terminated", "", own(&[FD, 7, DEVICES, 64])),
        breach("properties[CL_MEM_DEVICE_HANDLE_LIST_KHR]-list-terminated", "", own(&[FD, 7, DEVICES])),
    ];
    for (name, handle_type) in TYPES {
        let others = TYPES.iter().filter(|(_, other)| *other != handle_type && *other != HARDWARE_BUFFER);
        for (_, other) in others {
            let call = imported(handle_type, &[other.0.into(), 8]);
            all.push(breach("INVALID_PROPERTY/properties-at-most-one-property", "CL_INVALID_PROPERTY", call));
        }
        for (devices, list) in [("absent", &[][..]), ("present", &[DEVICES, 64, 72, 0])] {
            let mut call = imported(handle_type, list);
            call.imports.retain(|known| *known != u64::from(handle_type.0));
            let what = format!("properties-lacks-properties/EXTERNAL_MEMORY_HANDLE_{name}");
            let when =
                format!("properties-MEM_DEVICE_HANDLE_LIST-{devices}-given-import_types-lacks-EXTERNAL_MEMORY_HANDLE_{name}");
            all.push(breach(&format!("INVALID_DEVICE/{what}/{when}"), "CL_INVALID_DEVICE", call));
        }
    }
    all
}

/// What both commands say of flags and of memory of the host, without a handle.
fn of_flags() -> Vec<Breach> {
    let flags = |rule: &str, flags| breach(&format!("INVALID_VALUE/{rule}"), "CL_INVALID_VALUE", Call { flags, ..own(&[0]) });
    let host = |rule: &str, flags, host| {
        breach(&format!("INVALID_HOST_PTR/{rule}"), "CL_INVALID_HOST_PTR", Call { flags, host, ..own(&[0]) })
    };
    let mut all = vec![
        flags("flags-only-flags", Flags(1 << 63)),
        flags("properties-any-property", IMMUTABLE),
        flags("properties-any-property", IMMUTABLE | ALLOC),
        host("host_ptr-non-null/flags-has-MEM_COPY_HOST_PTR", COPY, false),
        host("host_ptr-non-null/flags-has-MEM_COPY_HOST_PTR", COPY | ALLOC, false),
        host("host_ptr-non-null/flags-has-MEM_USE_HOST_PTR", USE, false),
        host("host_ptr-null", Flags::CL_MEM_READ_WRITE, true),
        host("host_ptr-null", ALLOC, true),
    ];
    for writes in [Flags::CL_MEM_READ_WRITE, Flags::CL_MEM_WRITE_ONLY, Flags::CL_MEM_HOST_WRITE_ONLY] {
        let call = Call { flags: IMMUTABLE | COPY | writes, host: true, ..own(&[0]) };
        all.push(breach("INVALID_VALUE/flags-lacks-flags", "CL_INVALID_VALUE", call));
    }
    all
}

/// What both commands say of flags and of memory of the host, with a handle.
fn of_flags_with_a_handle() -> Vec<Breach> {
    let mut all = Vec::new();
    for (_, handle_type) in TYPES {
        for (name, flags) in [("USE", USE), ("COPY", COPY), ("ALLOC", ALLOC)] {
            let rule = format!("INVALID_VALUE/properties-lacks-properties/flags-has-MEM_{name}_HOST_PTR");
            all.push(breach(&rule, "CL_INVALID_VALUE", Call { flags, ..imported(handle_type, &[]) }));
        }
        let call = Call { host: true, ..imported(handle_type, &[]) };
        all.push(breach("INVALID_HOST_PTR/properties-lacks-properties", "CL_INVALID_HOST_PTR", call));
    }
    all
}

/// Breaks what `breaches` say, and nothing else. All rules of `R` that a program can check are among them. Those of `undecided` depend on what
/// only the caller knows, and are named as not checked.
fn each_is_named<R: Record>(breaches: &[Breach], undecided: &[&str], command: fn(&Call) -> (Rules, Rules)) {
    let rule_of = |id: &str| R::SUBJECT.rules.iter().find(|rule| short(rule.id) == id);
    for (id, code, call) in breaches {
        let rule = rule_of(id).unwrap_or_else(|| panic!("{}: no rule {id}", R::SUBJECT.name));
        let (broken, open) = command(call);
        let (here, there) = if undecided.contains(&id.as_str()) { (open, broken) } else { (broken, open) };
        assert!(here.contains(&(id.as_str(), *code)), "{id} {code}: {here:?} by {call:X?}");
        assert_eq!(here.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), wanted(rule), "{call:X?}");
        assert_eq!(there, Rules::new(), "{call:X?}");
    }
    let broken: BTreeSet<_> = breaches.iter().map(|(id, ..)| id.as_str()).collect();
    let checkable = R::SUBJECT.rules.iter().filter(|rule| rule.is_checkable());
    assert_eq!(broken, checkable.map(|rule| short(rule.id)).collect(), "{}", R::SUBJECT.name);
}

/// The calls of which those that break a rule differ in one thing.
fn right() -> Vec<Call> {
    let mut right = vec![
        own(&[0]),
        own(&[PRIVATE_ADDRESS, 1, 0]),
        Call { extensions: &[], ..own(&[0]) },
        Call { imports: Vec::new(), ..own(&[0]) },
        Call { flags: COPY, host: true, ..own(&[0]) },
        Call { flags: COPY | ALLOC, host: true, ..own(&[0]) },
        Call { flags: USE, host: true, ..own(&[0]) },
        Call { flags: ALLOC, ..own(&[0]) },
        Call { flags: IMMUTABLE | COPY, host: true, ..own(&[0]) },
        Call { flags: IMMUTABLE | USE, host: true, ..own(&[0]) },
    ];
    for (_, handle_type) in TYPES {
        right.push(imported(handle_type, &[]));
        right.push(imported(handle_type, &[DEVICES, 64, 72, 0]));
        right.push(Call { flags: IMMUTABLE, ..imported(handle_type, &[]) });
        right.push(Call { imports: vec![handle_type.0.into()], ..imported(handle_type, &[]) });
    }
    right
}

#[test]
fn each_rule_of_a_new_buffer_is_named_with_its_code_where_it_is_broken() {
    let size = |rule: &str, call| breach(&format!("INVALID_BUFFER_SIZE/{rule}"), "CL_INVALID_BUFFER_SIZE", call);
    let without_extension = "size-non-zero/given-extensions-lacks-cl_khr_external_memory_android_hardware_buffer";
    let without_buffer = "size-non-zero/properties-EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER-absent";
    let breaches = [
        of_the_list(),
        of_flags(),
        of_flags_with_a_handle(),
        vec![
            size(without_extension, Call { extensions: &[], ..imported(HARDWARE_BUFFER, &[]) }),
            size(without_buffer, Call { size: 0, ..own(&[0]) }),
            size(without_buffer, Call { size: 0, ..own(&[FD, 7, 0]) }),
            size("size-zero", Call { size: 64, ..imported(HARDWARE_BUFFER, &[]) }),
        ],
    ];
    each_is_named::<clCreateBufferWithProperties_arguments<'_>>(&breaches.concat(), &[], Call::buffer);
    for call in right() {
        assert_eq!(call.buffer(), (Rules::new(), Rules::new()), "{call:X?}");
    }
}

#[test]
fn each_rule_of_a_new_image_is_named_with_its_code_where_it_is_broken() {
    let format = |rule: &str, call| {
        breach(&format!("INVALID_IMAGE_FORMAT_DESCRIPTOR/image_format-{rule}"), "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", call)
    };
    let described = Call { description: true, ..imported(HARDWARE_BUFFER, &[]) };
    let breaches = [
        of_the_list(),
        of_flags(),
        of_flags_with_a_handle(),
        vec![
            format("non-null", Call { format: false, ..own(&[0]) }),
            format("non-null", Call { format: false, ..own(&[FD, 7, 0]) }),
            format("null", Call { format: true, ..imported(HARDWARE_BUFFER, &[]) }),
            breach("INVALID_IMAGE_DESCRIPTOR/image_desc-null", "CL_INVALID_IMAGE_DESCRIPTOR", described),
        ],
    ];
    // An image may be made of another memory object, which the description names behind a pointer: then this rule does not apply.
    let undecided = ["INVALID_VALUE/properties-any-property"];
    each_is_named::<clCreateImageWithProperties_arguments<'_>>(&breaches.concat(), &undecided, Call::image);
    for call in right() {
        assert_eq!(call.image(), (Rules::new(), Rules::new()), "{call:X?}");
    }
}
