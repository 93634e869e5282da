//! The mock driver itself: it is compiled against NVIDIA's header and against the facts of this project, and does what its first lines say.

use std::{collections::BTreeSet, env, ffi::CStr, fs, os::fd::OwnedFd, path::Path, process::Command, ptr::NonNull};

use clcu::{
    cuda::{
        Access, Allocation, Context, Current, Device, Error, ExternalMemory, ExternalSemaphore, Pool, Reservation, checked, ipc,
        memory,
        semaphore::{Fence, Source, Tracking},
    },
    sys::{
        cuda::{
            CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC as ArrayDescriptor,
            CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
            CUdevice_attribute, CUdeviceptr, CUevent, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUgraph, CUgraphExec,
            CUgraphNode, CUgraphNodeParams, CUgraphNodeType, CUipcEventHandle, CUipcMemHandle, CUlogicalEndpointId,
            CUlogicalEndpointIpcHandleType, CUmemAllocationHandleType, CUmemFabricHandle, CUmemPoolPtrExportData, CUmemRangeFlags,
            CUmulticastGranularity_flags, CUmulticastObjectProp, CUresult,
        },
        rules::Zeroed,
    },
};
use clcu_codegen::fetch::AtHand;
use clcu_tests::{
    cuda_declarations,
    mock::{self, Opened},
    releases,
    upstream::skipped,
};

/// Set to write the header instead of comparing it.
const WRITE: &str = "CLCU_WRITE_DECLARATIONS";

#[test]
fn the_declarations_are_those_of_the_facts() {
    let wanted = cuda_declarations::header(&releases::cuda_snapshot(), &cuda_declarations::sources());
    let file = cuda_declarations::file();
    if env::var_os(WRITE).is_some() {
        fs::write(&file, &wanted).expect("the header can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{} is not what the facts give; write it with {WRITE}=1", file.display());
}

/// Compiles the mock without linking it, with every definition declared before.
fn compiles(declarations: &[String]) {
    let source = cuda_declarations::mock_directory().join("cuda.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).args(declarations).arg(source);
    let output = gcc.output().expect("gcc was asked for before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every definition has a declaration in the header, so a function with another signature than the real one does not compile.
#[test]
fn every_command_of_the_mock_has_the_signature_that_the_real_header_declares() {
    let test = "cuda_mock: the real header";
    if Command::new("gcc").arg("--version").output().is_err() {
        return skipped(test, "gcc");
    }
    compiles(&[]);
    let Some(include) = AtHand::in_this_repository().cuda_include else {
        return skipped(test, "CUDA headers (run `clcu fetch`, or set CLCU_CUDA_INCLUDE)");
    };
    compiles(&[header(&include), "-Werror=missing-prototypes".to_owned()]);
}

fn header(include: &Path) -> String {
    format!("-DCUDA_H=\"{}\"", include.join("cuda.h").display())
}

#[test]
fn whichever_symbol_is_left_out_is_neither_exported_nor_given_out() {
    for symbol in ["cuMemFree_v2", "cuMemPoolCreate", "cuStreamGetId_ptsz"] {
        let Some(mock) = mock::cuda().with(&format!("WITHOUT_{symbol}")).build("cuda_mock: left out") else { return };
        // SAFETY: the mock has no initialisers.
        let library = unsafe { libloading::Library::new(&mock.path) }.expect("the mock driver can be opened");
        // SAFETY: the symbol is asked for and not used.
        assert!(unsafe { library.get::<*const ()>(symbol.as_bytes()) }.is_err(), "{symbol}");
    }
}

/// What the runtime does by one command: its variable in the mock, and a call that reaches it.
type Operation = (&'static CStr, fn(&Opened, &Current<'_>) -> Result<(), Error>);

fn fd() -> OwnedFd {
    fs::File::open("/dev/null").expect("it is there").into()
}

fn semaphore(current: &Current<'_>) -> Result<ExternalSemaphore<Fence>, Error> {
    Ok(ExternalSemaphore::import(current, Source::timeline_semaphore_fd(fd()).tracking(Tracking::Off))?)
}

fn memory(current: &Current<'_>) -> Result<ExternalMemory, Error> {
    Ok(ExternalMemory::import(current, memory::Source::opaque_fd(fd(), 4096))?)
}

fn image() -> Zeroed<'static, ArrayDescriptor> {
    Zeroed::<ArrayDescriptor>::new().with(ArrayDescriptor::NUM_LEVELS, 1)
}

fn allocation(current: &Current<'_>) -> Result<Allocation, Error> {
    Allocation::new(&current.context().device(), 4096, FD)
}

fn pool(current: &Current<'_>) -> Result<Pool, Error> {
    Pool::new(&current.context().device(), FD)
}

const FD: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: CUmemFabricHandle = CUmemFabricHandle { data: [0xfa; 64] };

/// Makes an event or address of the mock's, which follows none.
fn event() -> CUevent {
    CUevent(std::ptr::dangling_mut::<u8>().cast())
}

/// Graphs and nodes are numbers to the mock.
const GRAPH: CUgraph = CUgraph(std::ptr::without_provenance_mut(0x1000));
const EXECUTABLE: CUgraphExec = CUgraphExec(std::ptr::without_provenance_mut(0x2000));
const NODE: CUgraphNode = CUgraphNode(std::ptr::without_provenance_mut(0x1001));
const ENDPOINT: CUlogicalEndpointIpcHandleType = CUlogicalEndpointIpcHandleType::CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC;
const TIMELINE: CUexternalSemaphoreHandleType =
    CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// A semaphore that the mock knows.
fn raw_semaphore(driver: &Opened) -> CUexternalSemaphore {
    CUexternalSemaphore(driver.mock.foreign(c"mock_semaphore", TIMELINE.0, 0))
}

/// A node of one signal.
fn signaling<T>(driver: &Opened, call: impl FnOnce(&[checked::Signal<'_>]) -> T) -> T {
    call(&[(raw_semaphore(driver), TIMELINE, &Zeroed::<SignalParameters>::new())])
}

/// A node of one wait.
fn waiting<T>(driver: &Opened, call: impl FnOnce(&[checked::Wait<'_>]) -> T) -> T {
    call(&[(raw_semaphore(driver), TIMELINE, &Zeroed::<WaitParameters>::new())])
}

fn empty_node() -> CUgraphNodeParams {
    *Zeroed::<CUgraphNodeParams>::new().with(CUgraphNodeParams::TYPE, CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY)
}

fn multicast() -> Zeroed<'static, CUmulticastObjectProp> {
    Zeroed::<CUmulticastObjectProp>::new()
        .with(CUmulticastObjectProp::NUM_DEVICES, 2)
        .with(CUmulticastObjectProp::SIZE, 4096)
        .with(CUmulticastObjectProp::HANDLE_TYPES, FD.0.into())
}

const OPERATIONS: &[Operation] = &[
    (c"mock_fail_cuInit", |driver, _| Device::new(&driver.library, 0).map(drop)),
    (c"mock_fail_cuDeviceGet", |driver, _| Device::new(&driver.library, 0).map(drop)),
    (c"mock_fail_cuDeviceGetCount", |driver, _| Device::all(&driver.library).map(drop)),
    (c"mock_fail_cuDeviceGetName", |_, current| current.context().device().name().map(drop)),
    (c"mock_fail_cuDeviceGetUuid", |_, current| current.context().device().uuid().map(drop)),
    (c"mock_fail_cuDeviceGetAttribute", |_, current| current.context().device().attribute(CUdevice_attribute(1)).map(drop)),
    (c"mock_fail_cuDevicePrimaryCtxRetain", |_, current| Context::primary(&current.context().device()).map(drop)),
    (c"mock_fail_cuCtxPushCurrent", |driver, _| driver.context.enter().map(drop)),
    // SAFETY: the mock's context outlives the call.
    (c"mock_fail_cuCtxGetCurrent", |driver, _| unsafe { Context::current(&driver.library) }.map(drop)),
    // SAFETY: as above.
    (c"mock_fail_cuCtxGetDevice", |driver, _| unsafe { Context::current(&driver.library) }.map(drop)),
    (c"mock_fail_cuStreamSynchronize", |_, current| current.default_stream().synchronize()),
    (c"mock_fail_cuImportExternalSemaphore", |_, current| semaphore(current).map(drop)),
    (c"mock_fail_cuSignalExternalSemaphoresAsync", |_, current| semaphore(current)?.signal(&current.default_stream(), 1)),
    (c"mock_fail_cuWaitExternalSemaphoresAsync", |_, current| semaphore(current)?.wait(&current.default_stream(), 1)),
    (c"mock_fail_cuDestroyExternalSemaphore", |_, current| semaphore(current)?.destroy()),
    (c"mock_fail_cuImportExternalMemory", |_, current| memory(current).map(drop)),
    (c"mock_fail_cuExternalMemoryGetMappedBuffer", |_, current| memory(current)?.map_buffer(0, 64).map(drop)),
    (c"mock_fail_cuMemFree", |_, current| memory(current)?.map_buffer(0, 64)?.unmap()),
    (c"mock_fail_cuExternalMemoryGetMappedMipmappedArray", |_, current| memory(current)?.map_mipmapped_array(&image()).map(drop)),
    (c"mock_fail_cuMipmappedArrayGetLevel", |_, current| memory(current)?.map_mipmapped_array(&image())?.level(0).map(drop)),
    (c"mock_fail_cuMipmappedArrayDestroy", |_, current| memory(current)?.map_mipmapped_array(&image())?.destroy()),
    (c"mock_fail_cuDestroyExternalMemory", |_, current| memory(current)?.destroy()),
    (c"mock_fail_cuMemCreate", |_, current| allocation(current).map(drop)),
    (c"mock_fail_cuMemGetAllocationGranularity", |_, current| Allocation::granularity(&current.context().device(), FD).map(drop)),
    (c"mock_fail_cuMemExportToShareableHandle", |_, current| allocation(current)?.export_fd().map(drop)),
    (c"mock_fail_cuMemImportFromShareableHandle", |_, current| {
        Allocation::import_fabric(&current.context().device(), &FABRIC).map(drop)
    }),
    (c"mock_fail_cuMemRelease", |_, current| allocation(current)?.release()),
    (c"mock_fail_cuMemAddressReserve", |driver, _| Reservation::new(&driver.library, 4096).map(drop)),
    (c"mock_fail_cuMemAddressFree", |driver, _| Reservation::new(&driver.library, 4096)?.free()),
    (c"mock_fail_cuMemMap", |_, current| allocation(current)?.map(4096, &[]).map(drop)),
    (c"mock_fail_cuMemSetAccess", |_, current| {
        allocation(current)?.map(4096, &[(&current.context().device(), Access::Read)]).map(drop)
    }),
    (c"mock_fail_cuMemUnmap", |_, current| allocation(current)?.map(4096, &[])?.unmap()),
    (c"mock_fail_cuMemGetHandleForAddressRange", |_, current| {
        allocation(current)?.map(4096, &[])?.export_dma_buf(current, CUmemRangeFlags(0)).map(drop)
    }),
    (c"mock_fail_cuMemPoolCreate", |_, current| pool(current).map(drop)),
    (c"mock_fail_cuMemPoolDestroy", |_, current| pool(current)?.destroy()),
    (c"mock_fail_cuMemPoolExportToShareableHandle", |_, current| pool(current)?.export_fd().map(drop)),
    (c"mock_fail_cuMemPoolImportFromShareableHandle", |_, current| {
        Pool::import_fabric(&current.context().device(), &FABRIC).map(drop)
    }),
    (c"mock_fail_cuMemAllocFromPoolAsync", |_, current| pool(current)?.allocate(&current.default_stream(), 64).map(drop)),
    (c"mock_fail_cuMemPoolExportPointer", |_, current| {
        pool(current)?.allocate(&current.default_stream(), 64)?.export_pointer().map(drop)
    }),
    (c"mock_fail_cuMemPoolImportPointer", |_, current| {
        let pool = pool(current)?;
        // SAFETY: such bytes are the mock's.
        unsafe { pool.import_pointer(current, &CUmemPoolPtrExportData { reserved: [0x94; 64] }) }.map(drop)
    }),
    // SAFETY: the mock follows no address.
    (c"mock_fail_cuIpcGetMemHandle", |_, current| unsafe { ipc::export_memory(current, CUdeviceptr(0x1000)) }.map(drop)),
    // SAFETY: as above.
    (c"mock_fail_cuIpcGetEventHandle", |_, current| unsafe { ipc::export_event(current, event()) }.map(drop)),
    (c"mock_fail_cuIpcOpenMemHandle", |_, current| {
        // SAFETY: such bytes are the mock's.
        unsafe { ipc::IpcMemory::open(current, CUipcMemHandle { reserved: [0x3e; 64] }) }.map(drop)
    }),
    (c"mock_fail_cuIpcCloseMemHandle", |_, current| {
        // SAFETY: such bytes are the mock's.
        unsafe { ipc::IpcMemory::open(current, CUipcMemHandle { reserved: [0x3e; 64] }) }?.close()
    }),
    (c"mock_fail_cuIpcOpenEventHandle", |_, current| {
        // SAFETY: such bytes are the mock's.
        unsafe { ipc::IpcEvent::open(current, CUipcEventHandle { reserved: [0x4e; 64] }) }.map(drop)
    }),
    (c"mock_fail_cuEventDestroy", |_, current| {
        // SAFETY: such bytes are the mock's.
        unsafe { ipc::IpcEvent::open(current, CUipcEventHandle { reserved: [0x4e; 64] }) }?.destroy()
    }),
    // SAFETY: graphs and nodes are numbers to the mock, and so is a multicast object; parameters began as zeroes. As for those below.
    (c"mock_fail_cuGraphAddExternalSemaphoresSignalNode", |driver, _| unsafe {
        signaling(driver, |all| checked::graph_add_external_semaphores_signal_node(&driver.library, GRAPH, &[], all, &[])).map(drop)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphAddExternalSemaphoresWaitNode", |driver, _| unsafe {
        waiting(driver, |all| checked::graph_add_external_semaphores_wait_node(&driver.library, GRAPH, &[], all, &[])).map(drop)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphExternalSemaphoresSignalNodeSetParams", |driver, _| unsafe {
        signaling(driver, |all| checked::graph_external_semaphores_signal_node_set_params(&driver.library, NODE, all, &[]))
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphExternalSemaphoresWaitNodeSetParams", |driver, _| unsafe {
        waiting(driver, |all| checked::graph_external_semaphores_wait_node_set_params(&driver.library, NODE, all, &[]))
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphExecExternalSemaphoresSignalNodeSetParams", |driver, _| unsafe {
        signaling(driver, |all| {
            checked::graph_exec_external_semaphores_signal_node_set_params(&driver.library, EXECUTABLE, NODE, all, &[])
        })
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphExecExternalSemaphoresWaitNodeSetParams", |driver, _| unsafe {
        waiting(driver, |all| {
            checked::graph_exec_external_semaphores_wait_node_set_params(&driver.library, EXECUTABLE, NODE, all, &[])
        })
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphAddNode", |driver, _| unsafe {
        checked::graph_add_node(&driver.library, GRAPH, &[], &mut empty_node(), &[], &[]).map(drop)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphNodeSetParams", |driver, _| unsafe {
        checked::graph_node_set_params(&driver.library, NODE, &mut empty_node(), &[], &[])
    }),
    // SAFETY: as above.
    (c"mock_fail_cuGraphExecNodeSetParams", |driver, _| unsafe {
        checked::graph_exec_node_set_params(&driver.library, EXECUTABLE, NODE, &mut empty_node(), &[], &[])
    }),
    // SAFETY: as above.
    (c"mock_fail_cuMulticastCreate", |driver, _| unsafe {
        checked::multicast_create(&driver.library, &multicast(), &[]).map(drop)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuMulticastGetGranularity", |driver, _| unsafe {
        let option = CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_MINIMUM;
        checked::multicast_get_granularity(&driver.library, &multicast(), option, &[]).map(drop)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuLogicalEndpointExport", |driver, _| unsafe {
        let mut handle = [0_u8; 64];
        checked::logical_endpoint_export(&driver.library, NonNull::from(&mut handle).cast(), CUlogicalEndpointId(5), ENDPOINT)
    }),
    // SAFETY: as above.
    (c"mock_fail_cuLogicalEndpointImport", |driver, _| unsafe {
        let mut handle = [0x1e_u8; 64];
        checked::logical_endpoint_import(&driver.library, CUlogicalEndpointId(6), NonNull::from(&mut handle).cast(), ENDPOINT)
    }),
];

/// What the mock can fail and no operation of the runtime reports, and why.
const UNREPORTED: [&str; 10] = [
    // Nothing of the runtime calls them: they are there for raw calls.
    "cuCtxCreate",
    "cuCtxSynchronize",
    "cuMemAlloc",
    "cuMemcpy",
    // Destructors alone call them, and tell who listens.
    "cuCtxPopCurrent",
    "cuDevicePrimaryCtxRelease",
    // Asked once when the driver is opened: `VERSION_FAILS`.
    "cuDriverGetVersion",
    // A device without one, a stream without an id, a stream of which nobody knows whether it is captured.
    "cuDeviceGetLuid",
    "cuStreamGetId",
    "cuStreamIsCapturing",
];

/// No command of the mock is forgotten.
#[test]
fn every_command_that_the_mock_can_fail_is_failed_or_said_not_to_be_reported() {
    let commands = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("mock/cuda_commands.h")).expect("it is there");
    let names = commands.lines().filter_map(|line| line.trim().strip_prefix("VARIANT(")?.split(',').next());
    let names: BTreeSet<String> = names.filter(|name| name.starts_with("cu")).map(str::to_owned).collect();
    let name = |variable: &&CStr| variable.to_str().expect("it is ASCII").trim_start_matches("mock_fail_").to_owned();
    let tried: BTreeSet<String> = OPERATIONS.iter().map(|(variable, _)| name(variable)).collect();
    let unreported: BTreeSet<String> = UNREPORTED.into_iter().map(str::to_owned).collect();
    assert_eq!(tried.union(&unreported).cloned().collect::<BTreeSet<_>>(), names);
    assert!(tried.is_disjoint(&unreported));
}

/// Every code that upstream names, and one that it does not.
fn codes() -> impl Iterator<Item = i32> {
    (1..1000).filter(|code: &i32| CUresult(code.cast_unsigned()).name().is_some()).chain([12345])
}

#[test]
fn every_call_of_the_runtime_fails_with_each_code_and_says_so() {
    let Some(driver) = mock::cuda().open("cuda_mock: each code") else { return };
    let current = driver.context.enter().expect("the mock has contexts");
    assert!(codes().count() > 90, "upstream names more than ninety");
    driver.mock.set(c"mock_garbage", 1);
    for (variable, operation) in OPERATIONS {
        operation(&driver, &current).unwrap_or_else(|error| panic!("{variable:?} is not set: {error}"));
        for code in codes() {
            driver.mock.set(variable, code);
            let error = operation(&driver, &current).expect_err("the mock refuses");
            assert_eq!(error.result(), Some(CUresult(code.cast_unsigned())), "{variable:?}: {error}");
            let command = variable.to_str().expect("it is ASCII").trim_start_matches("mock_fail_");
            assert!(error.to_string().starts_with(command), "{command}: {error}");
            assert!(error.to_string().contains(&format!("({code})")), "{command}: {error}");
        }
        driver.mock.set(variable, 0);
    }
}

#[test]
fn two_threads_share_a_driver_a_semaphore_and_a_context() {
    const ROUNDS: u64 = 300;
    let Some(driver) = mock::cuda().open("cuda_mock: two threads") else { return };
    let shared = {
        let current = driver.context.enter().expect("the mock has contexts");
        ExternalSemaphore::<Fence>::import(&current, Source::timeline_semaphore_fd(fd()).tracking(Tracking::Shared))
            .expect("the mock imports it")
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let current = driver.context.enter().expect("each thread enters for itself");
                for round in 0..ROUNDS {
                    let own = semaphore(&current).expect("the mock imports it");
                    own.signal(&current.default_stream(), round).expect("the mock signals");
                    shared.wait(&current.default_stream(), round).expect("the mock waits");
                    memory(&current).and_then(|memory| memory.map_buffer(0, 64).map(drop)).expect("the mock maps");
                    own.destroy().expect("it is destroyed once");
                }
            });
        }
    });
    assert_eq!(shared.stats().map(|stats| stats.waits), Some(2 * ROUNDS));
    shared.destroy().expect("it is destroyed once");
    assert_eq!((driver.mock.number(c"mock_alive"), driver.mock.number(c"mock_unclean")), (0, 0));
    let expected = 1 + 2 * ROUNDS * 8 + 2;
    assert_eq!(driver.mock.number(c"mock_calls").unsigned_abs(), u32::try_from(expected).expect("it is small"));
}
