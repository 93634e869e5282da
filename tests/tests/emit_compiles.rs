//! The golden files of the emitters, compiled as `clcu-sys` compiles its own, and looked at as a user would. Their layout assertions run
//! by compiling.

// A case stands for an API, so that not everything of it is used; its values are not those of a driver; and it may be called as the one
// file in it is.
#![allow(unused_imports, missing_docs, unreachable_pub, clippy::module_inception)]

#[macro_use]
extern crate clcu_sys;

use clcu_sys::{CommandInfo, ErrorChannel, command};

macro_rules! cases {
    ($($path:literal $case:ident)*) => {
        $(
            #[path = $path]
            #[allow(dead_code)]
            mod $case;
        )*
    };
}

cases! {
    "../fixtures/emit/aligned_record/mod.rs" aligned_record
    "../fixtures/emit/bits/mod.rs" bits
    "../fixtures/emit/callbacks/mod.rs" callbacks
    "../fixtures/emit/constants/mod.rs" constants
    "../fixtures/emit/cuda_commands/mod.rs" cuda_commands
    "../fixtures/emit/enumeration/mod.rs" enumeration
    "../fixtures/emit/functions/mod.rs" functions
    "../fixtures/emit/handles/mod.rs" handles
    "../fixtures/emit/nameless_union/mod.rs" nameless_union
    "../fixtures/emit/nothing/mod.rs" nothing
    "../fixtures/emit/opencl_commands/mod.rs" opencl_commands
    "../fixtures/emit/record/mod.rs" record
    "../fixtures/emit/status/mod.rs" status
    "../fixtures/emit/windows_only/mod.rs" windows_only
}

/// B17.
#[test]
fn an_alias_is_the_same_value_and_has_the_canonical_name() {
    use enumeration::CUshade;

    assert_eq!(CUshade::CU_SHADE_DIM, CUshade::CU_SHADE_DARK);
    assert_eq!(CUshade::CU_SHADE_DIM.name(), Some("CU_SHADE_DARK"));
    assert_eq!(CUshade(1).names().collect::<Vec<_>>(), ["CU_SHADE_DARK", "CU_SHADE_DIM"]);
}

#[test]
fn all_names_of_a_status_are_shown() {
    assert_eq!(status::cl_outcome(-1010).to_string(), "CL_LOST_A or CL_LOST_B (-1010)");
}

#[test]
fn bits_beyond_those_named_stay_visible() {
    let all = !bits::cl_kind::empty();
    assert_eq!(format!("{all:?}"), "CL_KIND_ALL | unknown bits 0xFFFFFFFF00000000");
    assert_eq!(bits::cl_kind::CL_KIND_CUSTOM.bits(), 16);
}

#[test]
fn constants_have_the_type_that_upstream_casts_to() {
    let own: constants::CUqueue = constants::CU_QUEUE_OWN;
    assert_eq!(own.0.addr(), 2);
    assert_eq!(constants::CU_NUMBER_HOST.0, -1);
    assert!(constants::CU_LIST_END.is_null());
    assert_eq!(constants::CU_LIST_START.addr(), 1);
    assert_eq!(constants::CU_SHADE_FIRST, constants::CUshade(1));
    assert!(constants::CU_HUGE.is_infinite());
    let tag = if cfg!(target_pointer_width = "64") { 0x4F50_454E_434C_3331_u64 } else { 0x434C_3331 };
    assert_eq!(u64::try_from(constants::CU_TAG), Ok(tag));
}

#[test]
fn members_of_a_nameless_union_are_reached_as_if_they_were_the_records_own() {
    let mut desc = nameless_union::cl_desc::zeroed();
    assert!(desc.mem_object().is_null());
    let memory = nameless_union::cl_mem(std::ptr::without_provenance_mut(0x10));
    desc.set_buffer(memory);
    assert_eq!(desc.mem_object(), memory);
    desc.set_type(7);
    // SAFETY: the record started from zero, so that all of its bytes are written.
    assert_eq!(unsafe { (desc.r#type(), desc.id(), desc.length()) }, (7, 7, 0));
}

#[test]
fn a_callback_is_a_nullable_function_of_the_systems_convention() {
    unsafe extern "system" fn doubled(kind: core::ffi::c_int, _: callbacks::CUnotify) -> usize {
        2 * usize::try_from(kind).unwrap_or(0)
    }
    let callback: callbacks::CUsizeOf = Some(doubled);
    // SAFETY: the function above follows no pointer.
    assert_eq!(callback.map(|call| unsafe { call(3, None) }), Some(6));
    assert_eq!(size_of::<callbacks::CUtick>(), size_of::<usize>());
}

#[test]
fn commands_are_listed_by_index_and_know_what_a_loader_needs() {
    use cuda_commands::{COMMAND_COUNT, COMMANDS, cuCopy, cuQueueCreate_v2};

    for (at, command) in COMMANDS.iter().enumerate() {
        assert_eq!(usize::from(command.index), at, "{:?}", command.symbol);
        assert_eq!(command.api, clcu_sys::Api::Cuda);
    }
    assert_eq!(COMMAND_COUNT, if cfg!(windows) { 3 } else { 2 });
    let create = cuQueueCreate_v2.info();
    assert_eq!((create.symbol, create.name, create.version), (c"cuQueueCreate_v2", c"cuQueueCreate", 12050));
    assert_eq!((create.since, create.deprecated, create.error_channel), ("12.5", "", ErrorChannel::Return));
    assert_eq!(cuCopy.info().per_thread, Some((c"cuCopy_ptds", 7000)));
    assert_eq!(cuCopy.info().deprecated, "13.0");
}

#[test]
fn a_command_is_typed_by_its_function() {
    use opencl_commands::{cl_outcome, cl_thing, clCreateThing};

    type Notify = Option<unsafe extern "system" fn(cl_thing, *mut core::ffi::c_void)>;
    let _: clcu_sys::Command<unsafe extern "system" fn(Notify, *mut cl_outcome) -> cl_thing> = clCreateThing;
    assert_eq!(clCreateThing.info().error_channel, ErrorChannel::ErrcodeRet);
    assert_eq!(opencl_commands::clBuildThingsACME.info().extensions, ["cl_acme_a", "cl_acme_b"]);
    assert_eq!(opencl_commands::clImportThingKHR.info().since, "");
}

#[test]
fn a_macro_with_parameters_is_a_const_fn() {
    const MAJOR: u32 = functions::CL_MAJOR(3 << 22);
    assert_eq!(MAJOR, 3);
}

#[test]
fn records_are_aligned_as_c_aligns_them() {
    assert_eq!(align_of::<aligned_record::cl_map>(), 128);
    assert_eq!(align_of::<aligned_record::cl_pair>(), 8);
}

#[test]
fn handles_are_used_from_as_many_threads_as_the_api_promises() {
    fn any<T: Send + Sync>() {}
    fn one<T: Send>() {}
    any::<handles::CUqueue>();
    any::<handles::CUplace>();
    one::<handles::CUrecorder>();
    assert!(handles::CUlocal::NULL.is_null() && handles::CUplace::NULL.is_null());
    assert_eq!(handles::CUnumber(0).0, 0);
}
