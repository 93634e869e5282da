//! What people asked of tables, as facts of the generated ones.

use clcu_codegen::model::EnumerationKind;
use clcu_sys::{
    ErrorChannel,
    cuda::{self, CUresult},
    opencl,
    rules::{HandleKind, Owner},
};
use clcu_tests::releases::cuda_snapshot;

/// A03, A07: what CUDA imports says for every kind whose it is afterwards, and by nothing else may a program decide whether to close it.
#[test]
fn every_import_of_cuda_says_who_owns_the_handle_afterwards() {
    let imports = || cuda::HANDLE_TYPES.iter().filter(|row| matches!(row.kind, HandleKind::Semaphore | HandleKind::Memory));
    let (mut descriptors, mut silent) = (0, Vec::new());
    for row in imports() {
        match row.owner_on_success {
            Owner::Unspecified => silent.push(row.short),
            owner if row.members.contains(&"handle.fd") => {
                assert_eq!(owner, Owner::Driver, "{}", row.name);
                descriptors += 1;
            }
            owner => assert!(matches!(owner, Owner::Caller | Owner::None), "{}: {owner:?}", row.name),
        }
    }
    assert!(descriptors >= 3, "{descriptors}");
    // Objects of another library, which no handle of the system stands for.
    silent.retain(|short| !short.starts_with("NVSCI"));
    // `cuda.h` says of no dma-buf whose it is, and no guess stands in its place: its import is `unsafe` and takes a number.
    assert_eq!(silent, ["DMABUF_FD"]);
}

/// B12: each code of the header has its name in the table, and the name its code.
#[test]
fn every_status_code_of_cuda_has_its_name() {
    let model = cuda_snapshot();
    let status = model.enumerations.iter().find(|item| item.kind == EnumerationKind::Status).expect("CUDA has one");
    let values = status.enumerators.iter().filter(|value| value.alias_of.is_none());
    let mut count = 0;
    for value in values {
        let code = CUresult::from_name(&value.name).unwrap_or_else(|| panic!("no {}", value.name));
        assert_eq!(code.name(), Some(value.name.as_str()));
        count += 1;
    }
    assert!(count >= 100, "{count} codes");
    assert_eq!((CUresult(4711).name(), CUresult::from_name("CUDA_ERROR_NOTHING")), (None, None));
}

/// D08: a program can be told where a command says that it failed; this one says it per device as well.
#[test]
fn each_command_says_by_which_channel_it_fails() {
    assert_eq!(opencl::clCreateProgramWithBinary.info().error_channel, ErrorChannel::PerItem);
    assert_eq!(opencl::clCreateSemaphoreWithPropertiesKHR.info().error_channel, ErrorChannel::ErrcodeRet);
    assert_eq!(opencl::clReImportSemaphoreSyncFdKHR.info().error_channel, ErrorChannel::Return);
    assert_eq!(opencl::clSVMFree.info().error_channel, ErrorChannel::None);
    assert_eq!(cuda::cuImportExternalSemaphore.info().error_channel, ErrorChannel::Return);
}
