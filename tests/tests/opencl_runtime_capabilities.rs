//! What platforms and devices say that they share, on a mock driver that says what real ones do: nothing, −30, sizes that are none.

use std::{env, path::Path, process::Command, sync::Arc};

use clcu::{
    cuda,
    opencl::{
        self, Context, Device, Error, Platform, Semaphore,
        capabilities::{Answer, Asked, Capabilities, Capability, Support},
        semaphore::{Source, SyncFd},
    },
    sys::{
        opencl::{
            HANDLE_TYPES, cl_device_info as D, cl_external_memory_handle_type_khr as M, cl_external_semaphore_handle_type_khr as S,
            cl_platform_info as P, cl_result, cl_semaphore_type_khr,
        },
        rules::{HandleKind, Permanence, Platform as System, Transference},
    },
};
use clcu_tests::{icd::Icd, mock};

fn platform(icd: &Icd) -> Arc<Platform> {
    Arc::new(icd.open().platforms().expect("the mock lists its platforms").usable.pop().expect("it has one"))
}

fn device(icd: &Icd) -> Device {
    Device::all(&platform(icd)).expect("the mock lists its devices").pop().expect("it has one")
}

fn row(capabilities: &Capabilities, kind: HandleKind, short: &str) -> Capability {
    let mut rows = capabilities.rows().into_iter().filter(|row| row.handle_type.kind == kind && row.handle_type.short == short);
    rows.next().expect("the table has it")
}

#[test]
fn a_device_and_a_platform_say_what_they_import_and_export() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: all answers") else { return };
    icd.answer(0, Some(0), D::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0, &[S::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0]);
    icd.answer(0, None, P::CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR.0, &[S::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR.0]);
    let of_device = device(&icd).capabilities();
    let supports = |capabilities: &Capabilities, kind, short| {
        let row = row(capabilities, kind, short);
        (row.import.to_string(), row.export.map(|export| export.to_string()), row.linear_images.map(|linear| linear.to_string()))
    };
    let said = |import: &str, export: Option<&str>, linear: Option<&str>| {
        (import.to_owned(), export.map(str::to_owned), linear.map(str::to_owned))
    };
    let (memory, semaphore) = (HandleKind::Memory, HandleKind::Semaphore);
    assert_eq!(supports(&of_device, semaphore, "SYNC_FD"), said("yes", Some("yes"), None));
    assert_eq!(supports(&of_device, semaphore, "OPAQUE_FD"), said("yes", Some("no"), None));
    assert_eq!(
        supports(&of_device, semaphore, "D3D12_FENCE"),
        said("no (not on this system)", Some("no (not on this system)"), None)
    );
    assert_eq!(supports(&of_device, memory, "DMA_BUF"), said("yes", None, Some("yes")));
    assert_eq!(supports(&of_device, memory, "OPAQUE_FD"), said("yes", None, Some("no")));
    assert_eq!(supports(&of_device, memory, "ANDROID_HARDWARE_BUFFER"), said("no", None, Some("no")));
    let of_platform = platform(&icd).capabilities();
    assert_eq!(supports(&of_platform, semaphore, "SYNC_FD"), said("no", Some("yes"), None));
    assert_eq!(supports(&of_platform, memory, "DMA_BUF"), said("yes", None, None));
    assert_eq!((of_platform.asked().count(), of_device.asked().count()), (4, 5));
    assert_eq!(of_device.rows().len(), HANDLE_TYPES.len());
}

#[test]
fn a14_a_row_is_of_a_kind_of_handle_and_a_type_of_semaphore() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: types of semaphores") else { return };
    let binary = cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR;
    let one = row(&device(&icd).capabilities(), HandleKind::Semaphore, "SYNC_FD");
    assert_eq!((one.semaphore_type, one.import), (Some(binary), Support::Yes("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR")));
    // A device with a type that upstream does not have yet: the lists do not say what goes with what.
    icd.answer(0, Some(0), D::CL_DEVICE_SEMAPHORE_TYPES_KHR.0, &[binary.0, 2]);
    let capabilities = device(&icd).capabilities();
    let rows =
        capabilities.rows().into_iter().filter(|row| row.handle_type.value == Some(S::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0.into()));
    let found: Vec<_> = rows.map(|row| (row.semaphore_type, row.import)).collect();
    let some = Support::OfSomeType("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR");
    assert_eq!(found, [(Some(binary), some), (Some(cl_semaphore_type_khr(2)), some)]);
    let memory = row(&capabilities, HandleKind::Memory, "DMA_BUF");
    assert_eq!((memory.semaphore_type, memory.import.to_string()), (None, "yes".into()));
}

#[cfg(unix)]
#[test]
fn a15_a_semaphore_of_a_kind_that_the_device_does_not_import_is_refused_with_those_that_it_does() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: what is imported") else { return };
    let sync_fd = S::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0;
    icd.answer(0, Some(0), D::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR.0, &[sync_fd]);
    let device = device(&icd);
    let context = Context::new(device.platform(), std::slice::from_ref(&device)).expect("the mock makes contexts");
    let fd = std::fs::File::open("/dev/null").expect("it is there");
    let error = Semaphore::import(&context, Source::opaque_fd(fd.into())).expect_err("the device does not import it");
    let Error::Unsupported(unsupported) = error.error() else { panic!("{error}") };
    assert_eq!(unsupported.listed, [sync_fd]);
    let text = error.to_string();
    let wanted = "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR is not supported: a device of the context does not list it in \
                  CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, which lists CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;";
    assert!(text.starts_with(wanted), "{text}");
    assert_eq!(icd.calls("clCreateSemaphoreWithPropertiesKHR"), Vec::<String>::new());
    Semaphore::import(&context, Source::sync_fd(SyncFd::AlreadySignaled)).expect("the device imports it");
}

#[test]
fn a26_every_handle_of_a_semaphore_says_whether_it_is_a_reference_or_a_copy_and_how_long_it_lasts() {
    let semaphores: Vec<_> = HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Semaphore).collect();
    for row in &semaphores {
        let is_sync_fd = row.short == "SYNC_FD";
        let transference = if is_sync_fd { Transference::Copy } else { Transference::Reference };
        // Upstream speaks of a temporary payload for sync files alone, and says nothing of the others.
        let permanence = if is_sync_fd { Permanence::Temporary } else { Permanence::Unspecified };
        assert_eq!((row.transference, row.permanence), (transference, permanence), "{}", row.name);
    }
    let of = |system| semaphores.iter().filter(|row| row.platform == system).count();
    assert_eq!((of(System::Posix), of(System::Windows)), (2, 4));
}

#[test]
fn a36_what_upstream_leaves_open_of_a_dma_buf_is_marked_and_not_invented() {
    let dma_buf = HANDLE_TYPES.iter().find(|row| row.name == "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR").expect("the table has it");
    assert_eq!((dma_buf.transference, dma_buf.permanence), (Transference::Unspecified, Permanence::Unspecified));
    assert_eq!(dma_buf.owner_on_failure, clcu::sys::rules::Owner::Unspecified);
}

#[test]
fn a37_a_list_of_no_bytes_is_an_empty_list_and_nothing_is_read() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: empty lists") else { return };
    icd.answer::<u32>(0, Some(0), D::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0, &[]);
    icd.answer::<u32>(0, None, P::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0, &[]);
    for capabilities in [device(&icd).capabilities(), platform(&icd).capabilities()] {
        assert_eq!(capabilities.semaphore_export.answer.listed(), Some(&[][..]));
        assert_eq!(capabilities.semaphore_export.answer.to_string(), "none");
        let row = row(&capabilities, HandleKind::Semaphore, "SYNC_FD");
        assert_eq!(row.export, Some(Support::No(capabilities.semaphore_export.query)));
        assert!(matches!(row.import, Support::Yes(_)), "it imports nevertheless");
    }
    let asked = icd.calls("clGetDeviceInfo").iter().filter(|call| call.contains("param_name=0x204e)")).count();
    assert_eq!(asked, 1, "the size alone");
}

/// NVIDIA's driver 580 answers so to the queries of platforms.
#[test]
fn a_query_that_is_refused_is_reported_with_its_code_and_hides_no_other() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: refusals") else { return };
    icd.set(c"mock_garbage", 1);
    for query in [P::CL_PLATFORM_SEMAPHORE_TYPES_KHR, P::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR] {
        icd.refuse(0, None, query.0, -30);
    }
    icd.refuse(0, Some(0), D::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR.0, -59);
    let platform = platform(&icd);
    let of_platform = platform.capabilities();
    let refused = |asked: &Asked| asked.answer.refused().map(|code| code.0);
    assert_eq!(of_platform.asked().map(refused).collect::<Vec<_>>(), [Some(-30), None, Some(-30), None]);
    assert_eq!(of_platform.semaphore_types.answer.to_string(), "refused with CL_INVALID_VALUE (-30)");
    let sync_fd = row(&of_platform, HandleKind::Semaphore, "SYNC_FD");
    let query = "CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR";
    assert_eq!(sync_fd.export, Some(Support::Refused(query, cl_result::CL_INVALID_VALUE)));
    assert!(matches!(sync_fd.import, Support::Yes(_)));
    let of_device = Device::all(&platform).expect("the mock lists its devices")[0].capabilities();
    assert_eq!(of_device.asked().map(refused).collect::<Vec<_>>(), [None, Some(-59), None, None, None]);
    assert!(matches!(row(&of_device, HandleKind::Memory, "DMA_BUF").import, Support::Yes(_)));
}

#[test]
fn a_size_that_is_no_list_is_a_failure_and_not_read_beyond() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: sizes") else { return };
    let platform = platform(&icd);
    let device = Device::all(&platform).expect("the mock lists its devices").remove(0);
    assert!(
        platform.has_extension("cl_khr_semaphore") && platform.has_extension("cl_khr_external_memory"),
        "asked before sizes go wrong"
    );
    let answer = |error| {
        icd.set(c"mock_size_error", error);
        device.capabilities().memory_import.answer
    };
    for error in [1, -1, 3, i32::MAX] {
        assert!(matches!(answer(error), Answer::Failed(Error::UnexpectedSize { .. })), "{error}");
    }
    assert_eq!(answer(-4).refused(), Some(cl_result::CL_INVALID_VALUE), "there is then too little room");
    // Of a driver that announces more than it writes, the rest is what was there before.
    assert_eq!(answer(4).listed(), Some(&[0x2060, 0x2067, 0][..]));
    icd.set(c"mock_size_error", 1);
    let answer = device.capabilities().semaphore_types.answer;
    assert!(answer.to_string().contains("CL_DEVICE_SEMAPHORE_TYPES_KHR"), "{answer}");
}

#[test]
fn what_is_not_listed_as_an_extension_is_not_asked_about() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: extensions") else { return };
    let listed = "cl_khr_icd cl_khr_semaphore cl_khr_external_memory_dma_buf";
    icd.answer_text(0, None, P::CL_PLATFORM_EXTENSIONS.0, listed);
    icd.answer_text(0, Some(0), D::CL_DEVICE_EXTENSIONS.0, listed);
    let capabilities = device(&icd).capabilities();
    let text: Vec<_> = capabilities.asked().map(|asked| asked.answer.to_string()).collect();
    let not_asked = |extension| format!("not asked, {extension} is not listed");
    let [semaphores, memory] = ["cl_khr_external_semaphore", "cl_khr_external_memory"].map(not_asked);
    assert_eq!(text, ["0x0001".to_owned(), semaphores.clone(), semaphores, memory.clone(), memory]);
    assert!(!icd.journal().iter().any(|call| call.contains("param_name=0x204f")), "it was not asked");
    let row = row(&capabilities, HandleKind::Memory, "DMA_BUF");
    assert_eq!(row.import, Support::Extension("cl_khr_external_memory"));
}

#[test]
fn an_extension_that_only_the_device_lists_is_asked_about_there() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: extensions of a device") else { return };
    icd.set(c"mock_device_count", 2);
    icd.answer_text(0, None, P::CL_PLATFORM_EXTENSIONS.0, "cl_khr_icd");
    icd.answer_text(0, Some(1), D::CL_DEVICE_EXTENSIONS.0, "cl_khr_icd");
    let devices = Device::all(&platform(&icd)).expect("the mock lists its devices");
    let asked: Vec<_> = devices.iter().map(|device| device.capabilities().semaphore_types.answer.listed().is_some()).collect();
    assert_eq!(asked, [true, false]);
}

#[test]
fn handle_types_that_these_bindings_do_not_know_are_told() {
    let Some(icd) = Icd::new("opencl_runtime_capabilities: unknown types") else { return };
    // The second is a number of memory's, which is none of a semaphore.
    let types = [S::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR.0, M::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.0, 0x7777];
    icd.answer(0, Some(0), D::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR.0, &types);
    let query = "CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR";
    assert_eq!(device(&icd).capabilities().unknown_handle_types(), [(query, 0x2067), (query, 0x7777)]);
}

/// Runs the example that lists devices, on these libraries.
fn example(cuda_driver: &Path, opencl_library: &Path) -> String {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--quiet", "--package", "clcu", "--example", "devices"]);
    let output = command.env(cuda::ENVIRONMENT, cuda_driver).env(opencl::ENVIRONMENT, opencl_library).output();
    let output = output.expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn d04_the_example_prints_one_table_of_kinds_with_import_and_export_for_both_apis() {
    let name = "opencl_runtime_capabilities: the example";
    let (Some(icd), Some(cuda)) = (Icd::new(name), mock::cuda().build(name)) else { return };
    let text = example(&cuda.path, &icd.path);
    let line = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(line(&["OpenCL: ", "libmock-icd.so"]), "{text}");
    assert!(line(&["platform \"Mock platform A\"", "OpenCL 3.0 mock"]), "{text}");
    assert!(line(&["device 0: Mock device 0"]), "{text}");
    assert!(line(&["Semaphore", " SYNC_FD ", "Binary", "yes ", "yes"]), "{text}");
    assert!(line(&["Semaphore", " D3D12_FENCE ", "Fence", "no (not on this system)"]), "{text}");
    assert!(line(&["Memory", " DMA_BUF ", "yes ", "never"]), "{text}");
    assert!(line(&["Memory", " OPAQUE_WIN32_NAME ", "no (not on this system)"]), "{text}");
    assert!(line(&["linear images", "DMA_BUF"]), "{text}");
    let answer =
        "CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR";
    assert!(line(&[answer]), "{text}");
    // CUDA's rows have the same columns.
    assert!(line(&["Semaphore", " TIMELINE_SEMAPHORE_FD ", "Fence", "yes (attribute 114)", "never"]), "{text}");
    let heads =
        text.lines().filter(|line| line.split_whitespace().eq(["kind", "handle", "type", "carries", "import", "export"])).count();
    assert_eq!(heads, 3, "two devices of CUDA, one of OpenCL: {text}");
}
