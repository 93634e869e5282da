//! A part beside the whole: the one that `examples/vendored-part` keeps and `clcu-sys`, both compiled here. Same names, layouts, values, facts.

use core::mem::offset_of;

use clcu_sys as sys;

#[path = "../../examples/vendored-part/src/gpu.rs"]
mod gpu;

macro_rules! same_record {
    ($($record:ident { $($member:ident)* })*) => {$({
        type Part = gpu::cuda::$record;
        type Whole = sys::cuda::$record;
        assert_eq!((size_of::<Part>(), align_of::<Part>()), (size_of::<Whole>(), align_of::<Whole>()), stringify!($record));
        $(assert_eq!(offset_of!(Part, $member), offset_of!(Whole, $member), "{}.{}", stringify!($record), stringify!($member));)*
    })*};
}

#[test]
fn records_are_laid_out_alike() {
    same_record! {
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { r#type handle flags reserved }
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle { fd win32 nvSciSyncObj }
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32 { handle name }
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS { params flags reserved }
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params { fence nvSciSync keyedMutex reserved }
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS { params flags reserved }
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params { fence nvSciSync keyedMutex reserved }
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_keyedMutex { key timeoutMs }
    }
}

macro_rules! same_names {
    ($($api:ident::$enumeration:ident, $values:expr;)*) => {$(
        for value in $values {
            let (part, whole) = (gpu::$api::$enumeration(value), sys::$api::$enumeration(value));
            assert!(part.names().eq(whole.names()), "{} {value}", stringify!($enumeration));
            assert_eq!(format!("{part:?}"), format!("{whole:?}"));
        }
    )*};
}

#[test]
fn values_have_the_same_names() {
    same_names! {
        cuda::CUexternalSemaphoreHandleType, 0..100;
        cuda::CUresult, 0..2000;
        opencl::cl_external_semaphore_handle_type_khr, 0x2000..0x2100;
        opencl::cl_semaphore_properties_khr, 0x2000..0x2100;
        opencl::cl_result, -1200..10;
    }
    let named = (0..2000).filter(|value| gpu::cuda::CUresult(*value).name().is_some()).count();
    assert!(named > 80, "{named} names of errors");
}

#[test]
fn commands_are_the_same_but_for_their_place() {
    let mut compared = 0;
    for (part, whole) in [(&gpu::cuda::COMMANDS[..], &sys::cuda::COMMANDS[..]), (&gpu::opencl::COMMANDS, &sys::opencl::COMMANDS)] {
        for command in part {
            let other = whole.iter().find(|other| other.symbol == command.symbol).expect("the whole has it");
            assert_eq!(
                (
                    command.name,
                    command.version,
                    command.per_thread,
                    command.since,
                    command.deprecated,
                    command.extensions,
                    command.header
                ),
                (other.name, other.version, other.per_thread, other.since, other.deprecated, other.extensions, other.header)
            );
            assert_eq!(
                format!("{:?} {:?}", command.api, command.error_channel),
                format!("{:?} {:?}", other.api, other.error_channel)
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 11);
}

/// The types differ by the crate that they are of, and by nothing else.
#[test]
fn a_command_has_the_same_type() {
    fn of<T>(_: &T) -> &'static str {
        core::any::type_name::<T>()
    }
    let name = |text: &str| text.replace("parts_same::gpu::", "").replace("clcu_sys::", "").replace("command::", "");
    let pairs = [
        (of(&gpu::cuda::cuImportExternalSemaphore), of(&sys::cuda::cuImportExternalSemaphore)),
        (of(&gpu::cuda::cuWaitExternalSemaphoresAsync), of(&sys::cuda::cuWaitExternalSemaphoresAsync)),
        (of(&gpu::opencl::clCreateSemaphoreWithPropertiesKHR), of(&sys::opencl::clCreateSemaphoreWithPropertiesKHR)),
        (of(&gpu::opencl::clReImportSemaphoreSyncFdKHR), of(&sys::opencl::clReImportSemaphoreSyncFdKHR)),
    ];
    for (part, whole) in pairs {
        assert_eq!(name(part), name(whole));
        assert!(name(part).starts_with("Command<unsafe extern \"system\" fn("), "{part}");
    }
}
