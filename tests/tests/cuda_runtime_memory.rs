//! External memory on the mock driver: what is sent, what is refused before it is sent, and in which order it goes.

use clcu::{
    cuda::{Current, Error, ExternalMemory, memory::Source},
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC as ArrayDescriptor, CUarray_format, CUexternalMemory,
            CUexternalMemoryHandleType,
        },
        rules::Zeroed,
    },
};
use clcu_tests::{exported, mock};

fn memory(current: &Current<'_>, size: u64) -> ExternalMemory {
    ExternalMemory::import(current, exported::memory(size)).expect("the mock imports it")
}

/// The ids of the rules that stop an import.
fn broken(current: &Current<'_>, source: Source<'_>) -> Vec<&'static str> {
    let error = ExternalMemory::import(current, source).expect_err("it breaks rules").into_error();
    let Error::Invalid(invalid) = error else { panic!("{error}") };
    invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect()
}

#[cfg(unix)]
#[test]
fn every_byte_of_the_import_descriptor_is_as_the_header_lays_it_out() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: import bytes") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let fd = exported::fd();
    let number = std::os::fd::AsRawFd::as_raw_fd(&fd);
    let memory =
        ExternalMemory::import(&current, Source::opaque_fd(fd, 0x0102_0304_0506).dedicated()).expect("the mock imports it");
    let mut expected = vec![0_u8; 104];
    expected[0..4].copy_from_slice(&1_u32.to_ne_bytes());
    expected[8..12].copy_from_slice(&number.to_ne_bytes());
    expected[24..32].copy_from_slice(&0x0102_0304_0506_u64.to_ne_bytes());
    expected[32..36].copy_from_slice(&1_u32.to_ne_bytes());
    assert_eq!(driver.mock.descriptor(104), expected);
    let buffer = memory.map_buffer(256, 512).expect("the mock maps it");
    let mut expected = vec![0_u8; 88];
    expected[0..8].copy_from_slice(&256_u64.to_ne_bytes());
    expected[8..16].copy_from_slice(&512_u64.to_ne_bytes());
    assert_eq!(driver.mock.descriptor(88), expected);
    assert_eq!((buffer.length(), buffer.address().is_null()), (512, false));
}

/// A06: the size is said, and zero is refused by the name of the field.
#[test]
fn memory_without_bytes_is_refused_by_the_name_of_the_field() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: no bytes") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    assert_eq!(broken(&current, exported::memory(0)), ["cuda/CUDA_EXTERNAL_MEMORY_HANDLE_DESC/size-non-zero"]);
    let error = ExternalMemory::import(&current, exported::memory(0)).expect_err("it breaks a rule");
    assert!(error.to_string().contains("CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1: size: found 0, wanted not zero"), "{error}");
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 0);
}

#[test]
fn all_rules_that_are_broken_are_listed_at_once() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: all at once") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let kmt = Source::opaque_win32_kmt(std::ptr::null_mut(), 0);
    let rules = broken(&current, kmt);
    assert_eq!(
        rules,
        [
            "cuda/CUDA_EXTERNAL_MEMORY_HANDLE_DESC/OPAQUE_WIN32_KMT/handle-non-null",
            "cuda/CUDA_EXTERNAL_MEMORY_HANDLE_DESC/size-non-zero"
        ]
    );
}

/// A32: the order in which everything goes.
#[test]
fn what_is_mapped_goes_before_the_memory_and_the_memory_before_the_context() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: order") else { return };
    {
        let context = driver.context;
        let current = context.enter().expect("the mock has contexts");
        let memory = memory(&current, 4096);
        let _first = memory.map_buffer(0, 1024).expect("the mock maps it");
        let _array = memory.map_mipmapped_array(&image(3)).expect("the mock maps it");
    }
    let log = driver.mock.log();
    assert_eq!(
        log[log.len() - 4..],
        ["cuMipmappedArrayDestroy", "cuMemFree", "cuDestroyExternalMemory", "cuDevicePrimaryCtxRelease"]
    );
    assert_eq!(driver.mock.number(c"mock_alive"), 0);
}

fn image(levels: u32) -> Zeroed<'static, ArrayDescriptor> {
    Zeroed::<ArrayDescriptor>::new()
        .with(ArrayDescriptor::ARRAY_DESC_WIDTH, 64)
        .with(ArrayDescriptor::ARRAY_DESC_HEIGHT, 64)
        .with(ArrayDescriptor::ARRAY_DESC_FORMAT, CUarray_format::CU_AD_FORMAT_FLOAT)
        .with(ArrayDescriptor::ARRAY_DESC_NUM_CHANNELS, 4)
        .with(ArrayDescriptor::NUM_LEVELS, levels)
}

#[test]
fn levels_of_a_mipmapped_array_are_arrays() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: levels") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let memory = memory(&current, 1 << 20);
    let array = memory.map_mipmapped_array(&image(2)).expect("the mock maps it");
    assert_eq!(array.levels(), 2);
    assert_ne!(array.level(0).expect("there are two"), array.level(1).expect("there are two"));
    let beyond = array.level(2).expect_err("there are two");
    assert!(beyond.to_string().starts_with("cuMipmappedArrayGetLevel: CUDA_ERROR_INVALID_VALUE (1)"), "{beyond}");
    array.destroy().expect("the mock destroys it");
}

#[test]
fn an_array_is_mapped_only_of_memory_whose_type_allows_it() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: arrays by type") else { return };
    let _current = driver.context.enter().expect("the mock has contexts");
    let of = |handle_type: u32| {
        let handle = CUexternalMemory(driver.mock.foreign(c"mock_memory", handle_type, 4096));
        // SAFETY: the mock made it with this type and size.
        unsafe { ExternalMemory::from_raw(&driver.context, handle, CUexternalMemoryHandleType(handle_type), 4096) }
            .expect("the type is known")
    };
    let dma_buf = of(9).map_mipmapped_array(&image(1)).expect_err("a dma-buf has no arrays");
    assert!(dma_buf.to_string().contains("cuda/cuExternalMemoryGetMappedMipmappedArray/DMABUF_FD/extMem-forbidden"), "{dma_buf}");
    let sci_buf = of(8).map_mipmapped_array(&image(2)).expect_err("an NvSciBuf has one level");
    assert!(sci_buf.to_string().contains("CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC/NVSCIBUF/numLevels-equal"), "{sci_buf}");
    of(8).map_mipmapped_array(&image(1)).expect("one level is allowed");
    assert_eq!(driver.mock.calls("cuExternalMemoryGetMappedMipmappedArray"), 1);
}

#[test]
fn a_part_that_does_not_lie_within_the_memory_is_not_mapped() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: range") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let memory = memory(&current, 4096);
    for (offset, length) in [(4096, 1), (0, 4097), (u64::MAX, 2), (0, 0)] {
        let error = memory.map_buffer(offset, length).expect_err("it does not fit");
        assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    }
    assert_eq!(driver.mock.calls("cuExternalMemoryGetMappedBuffer"), 0);
    memory.map_buffer(0, 4096).expect("all of it fits").unmap().expect("the mock unmaps it");
}

#[test]
fn what_could_not_be_destroyed_or_unmapped_is_not_imported_or_mapped() {
    let test = "cuda_runtime_memory: no way back";
    let mock = mock::cuda().with("WITHOUT_cuDestroyExternalMemory");
    let Some(driver) = mock.open(test) else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let error = ExternalMemory::import(&current, exported::memory(64)).expect_err("it could not be destroyed");
    assert!(error.to_string().starts_with("the driver lacks cuDestroyExternalMemory; nothing was called"), "{error}");

    let Some(driver) = mock::cuda().with("WITHOUT_cuMemFree_v2").open(test) else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let error = memory(&current, 64).map_buffer(0, 64).expect_err("it could not be unmapped");
    assert!(error.to_string().starts_with("the driver lacks cuMemFree_v2; nothing was called"), "{error}");
    let error = ExternalMemory::import_and_map(&current, exported::memory(64), 0, 64).expect_err("it could not be unmapped");
    assert!(matches!(error.error(), Error::Missing(_)), "{error}");
    #[cfg(unix)]
    assert!(error.into_fd().is_some());
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 1);
}

/// D06, A13: a kind that came later than the driver is no bad descriptor. The message has the versions of driver, bindings, and what is needed.
#[cfg(unix)]
#[test]
fn d06_a_kind_that_is_newer_than_the_driver_is_unsupported_with_three_versions() {
    use clcu::cuda::{Obstacle, Support, Version};

    let test = "cuda_runtime_memory: newer than the driver";
    let fd = exported::fd();
    // SAFETY: the descriptor is open; the mock leaves those of dma-bufs open.
    let dma_buf = || unsafe { Source::dmabuf_fd(std::os::fd::AsRawFd::as_raw_fd(&fd), 4096) };
    let Some(driver) = mock::cuda().with("DRIVER_VERSION=12040").open(test) else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let error = ExternalMemory::import(&current, dma_buf()).expect_err("it came with 13.0").into_error();
    let message = error.to_string();
    let Error::Unsupported(unsupported) = error else { panic!("{message}") };
    assert_eq!(unsupported.why, Obstacle::Driver(Version(13000)));
    for part in ["needs a driver for CUDA 13.0 or newer", "bindings of CUDA 13.5", "(version 12.4)", "may be OPAQUE_FD, NVSCIBUF"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(driver.mock.calls("cuImportExternalMemory"), 0);
    let capabilities = driver.context.device().capabilities();
    let of = |short: &str| capabilities.iter().find(|one| one.handle_type.short == short).map(|one| one.import);
    assert_eq!(of("DMABUF_FD"), Some(Support::No(Obstacle::Driver(Version(13000)))));
    assert_eq!(of("DMABUF_FD").expect("it is listed").to_string(), "no (needs a driver for CUDA 13.0)");
    assert_eq!(of("OPAQUE_FD"), Some(Support::NothingToAsk), "it may be older than anything that was read");

    let Some(driver) = mock::cuda().with("DRIVER_VERSION=13000").open(test) else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    ExternalMemory::import(&current, dma_buf()).expect("this driver is new enough");
}

#[test]
fn garbage_of_a_failing_map_never_surfaces() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: garbage") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    driver.mock.set(c"mock_garbage", 1);
    let memory = memory(&current, 64);
    for code in [1, 999, -1] {
        driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedBuffer", code);
        driver.mock.set(c"mock_fail_cuExternalMemoryGetMappedMipmappedArray", code);
        memory.map_buffer(0, 64).expect_err("the mock refuses");
        memory.map_mipmapped_array(&image(1)).expect_err("the mock refuses");
    }
    assert_eq!((driver.mock.calls("cuMemFree"), driver.mock.calls("cuMipmappedArrayDestroy")), (0, 0));
}

#[test]
fn drops_do_not_panic_when_the_driver_is_gone() {
    let Some(driver) = mock::cuda().open("cuda_runtime_memory: deinitialised") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    let memory = memory(&current, 64);
    let buffer = memory.map_buffer(0, 64).expect("the mock maps it");
    driver.mock.set(c"mock_fail_cuMemFree", 4);
    driver.mock.set(c"mock_fail_cuDestroyExternalMemory", 4);
    drop(buffer);
    assert_eq!(memory.destroy().expect_err("the driver is gone").result(), Some(cuda::CUresult::CUDA_ERROR_DEINITIALIZED));
    assert_eq!(driver.mock.calls("cuDestroyExternalMemory"), 1, "no second attempt");
}
