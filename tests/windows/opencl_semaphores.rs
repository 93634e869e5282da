//! OpenCL semaphores of every kind of Windows handle: what is sent, what they carry, what is refused before it is sent, and who closes what.

use std::{
    os::windows::io::{AsHandle as _, AsRawHandle as _, BorrowedHandle},
    ptr,
};

use clcu::{
    opencl::{
        Device, Error, Obstacle, Semaphore,
        semaphore::{Binary, Create, Fence, Source},
    },
    sys::{
        opencl::{HANDLE_TYPES, cl_external_semaphore_handle_type_khr as Type, cl_result},
        rules::{HandleKind, Owner, Platform, Utf16Name},
    },
};

use crate::{closings, handles, icd::Kind, scene::Scene};

const CREATE: &str = "clCreateSemaphoreWithPropertiesKHR";
const SIGNAL: &str = "clEnqueueSignalSemaphoresKHR";
const WAIT: &str = "clEnqueueWaitSemaphoresKHR";
/// `CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`.
const IMPORTS: u32 = 0x204D;
const NT: Type = Type::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR;
const KMT: Type = Type::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR;

/// The last call of a command, as it arrived.
fn last(scene: &Scene, command: &str) -> String {
    scene.icd.calls(command).pop().unwrap_or_default()
}

/// The property list of a semaphore that is imported, as it arrives: its type, the handle's type with the handle, and the end.
fn list(handle_type: Type, handle: usize) -> String {
    format!("{CREATE}(context=context1, sema_props=[0x203d, 0x1, {:#x}, {handle:#x}, 0x0]", handle_type.0)
}

/// Imports, signals, waits and releases.
fn binary(scene: &Scene, source: Source<'_, Binary>, sent: &str, kept: i32) -> &'static str {
    let semaphore = Semaphore::import(&scene.context, source).expect("the mock imports it");
    let short = semaphore.handle_type().expect("it was imported").short;
    assert!(last(scene, CREATE).starts_with(sent), "{short}: {} is not {sent}", last(scene, CREATE));
    let made_of_nothing = i32::from(kept == 0);
    assert_eq!(scene.icd.number(c"mock_kept"), kept + made_of_nothing, "{short}");
    semaphore.signal(&scene.queue).expect("the mock signals");
    assert!(last(scene, SIGNAL).contains("sema_payload_list=NULL"), "{short}: {}", last(scene, SIGNAL));
    assert_eq!(semaphore.is_signaled().ok(), Some(true), "{short}");
    semaphore.wait(&scene.queue).expect("the mock waits");
    assert_eq!(semaphore.is_signaled().ok(), Some(false), "{short}");
    scene.queue.finish().expect("the mock finishes");
    semaphore.release().expect("the mock releases it");
    assert_eq!((scene.icd.number(c"mock_kept"), scene.icd.alive(Kind::Semaphore)), (0, 0), "{short}");
    short
}

/// The same for one that carries a number.
fn fence(scene: &Scene, source: Source<'_, Fence>, sent: &str) -> &'static str {
    let semaphore = Semaphore::import(&scene.context, source).expect("the mock imports it");
    let short = semaphore.handle_type().expect("it was imported").short;
    assert!(last(scene, CREATE).starts_with(sent), "{short}: {} is not {sent}", last(scene, CREATE));
    assert_eq!(scene.icd.number(c"mock_kept"), 1, "{short}");
    // 64 bits, of which none is lost.
    semaphore.signal(&scene.queue, 0x0102_0304_0506_0708).expect("the mock signals");
    assert!(last(scene, SIGNAL).contains("sema_payload_list=[0x102030405060708]"), "{}", last(scene, SIGNAL));
    semaphore.wait(&scene.queue, 9).expect("the mock waits");
    assert!(last(scene, WAIT).contains("sema_payload_list=[0x9]"), "{}", last(scene, WAIT));
    scene.queue.finish().expect("the mock finishes");
    semaphore.release().expect("the mock releases it");
    assert_eq!((scene.icd.number(c"mock_kept"), scene.icd.alive(Kind::Semaphore)), (0, 0), "{short}");
    short
}

#[test]
fn every_kind_of_windows_is_imported_as_it_is_and_nothing_is_closed() {
    let Some(scene) = Scene::new("opencl_semaphores: every kind") else { return };
    let (object, units) = handles::named_object();
    let other = object.try_clone().expect("there are numbers left");
    let (handle, number) = (object.as_handle(), object.as_raw_handle().addr());
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let by_name = list(Type::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR, name.as_ptr().addr());
    let (mut seen, closed) = closings::during(|| {
        vec![
            binary(&scene, Source::opaque_win32(handle), &list(NT, number), 1),
            binary(&scene, Source::opaque_win32_kmt(0x4000_0042), &list(KMT, 0x4000_0042), 0),
            fence(&scene, Source::d3d12_fence(handle), &list(Type::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR, number)),
            binary(&scene, Source::opaque_win32_name(name), &by_name, 1),
        ]
    });
    assert_eq!(closed, []);
    assert!(handles::is_open(object.as_raw_handle()));
    assert_eq!(handles::references(other.as_handle()), 2);
    assert!(last(&scene, CREATE).contains("\\u20ac\\ud83d\\udca1"), "the name as UTF-16: {}", last(&scene, CREATE));
    let of_windows = HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Semaphore && row.platform == Platform::Windows);
    let mut all: Vec<_> = of_windows.clone().map(|row| row.short).collect();
    all.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, all);
    assert!(of_windows.clone().all(|row| matches!(row.owner_on_success, Owner::Caller | Owner::None)), "the driver closes none");
}

#[test]
fn the_two_sides_of_a_handle_see_each_other() {
    let Some(scene) = Scene::new("opencl_semaphores: two sides") else { return };
    let semaphore = Semaphore::create(&scene.context, Create::binary().exportable(NT)).expect("the mock makes it");
    let (number, closed) = closings::during(|| {
        let exported = semaphore.export_handle(&scene.devices[0], NT).expect("the mock exports it");
        let number = exported.as_raw_handle();
        let imported = Semaphore::import(&scene.context, Source::opaque_win32(exported.as_handle())).expect("the mock imports it");
        drop(exported);
        semaphore.signal(&scene.queue).expect("the mock signals");
        assert_eq!(imported.is_signaled().ok(), Some(true));
        imported.wait(&scene.queue).expect("the mock waits");
        assert_eq!(semaphore.is_signaled().ok(), Some(false));
        number
    });
    assert_eq!(closed, [number], "by its owner, once");
    semaphore.release().expect("the mock releases it");
    assert_eq!(scene.icd.number(c"mock_kept"), 0);
}

#[test]
fn a31_an_exported_number_has_32_bits_and_a_size_that_is_another_is_an_error() {
    let Some(scene) = Scene::new("opencl_semaphores: exported numbers") else { return };
    let create = Create::binary().exportable(KMT);
    let semaphore = Semaphore::create(&scene.context, create).expect("the mock makes it");
    let device: &Device = &scene.devices[0];
    assert_eq!(semaphore.export_kmt(device, KMT).expect("the mock exports it"), 0x1001);
    assert!(last(&scene, "clGetSemaphoreHandleForTypeKHR").contains("handle_size=4,"));
    let refused = semaphore.export_kmt(device, NT).expect_err("a handle is no number");
    assert!(matches!(refused, Error::Unsupported(ref unsupported) if unsupported.why == Obstacle::Carrier), "{refused}");
    let refused = semaphore.export_handle(device, KMT).expect_err("a number is no handle");
    assert!(matches!(refused, Error::Unsupported(ref unsupported) if unsupported.why == Obstacle::Carrier), "{refused}");
    scene.icd.set(c"mock_handle_size", 8);
    let error = semaphore.export_kmt(device, KMT).expect_err("a number has four bytes");
    assert!(matches!(error, Error::UnexpectedSize { wanted: 4, found: 8, .. }), "{error}");
}

/// Why an import is refused without asking the platform.
fn refused<K: clcu::opencl::semaphore::Kind>(scene: &Scene, source: Source<'_, K>) -> Error {
    let before = scene.icd.calls(CREATE).len();
    let error = Semaphore::import(&scene.context, source).expect_err("it is refused").into_error();
    assert_eq!(scene.icd.calls(CREATE).len(), before, "{error}");
    error
}

#[test]
fn what_carries_another_kind_is_not_imported_and_file_descriptors_do_not_exist() {
    let Some(scene) = Scene::new("opencl_semaphores: other carriers") else { return };
    let object = handles::object();
    let units = [71_u16, 0];
    let name = || Utf16Name::new(&units).expect("it ends with a zero");
    let why = |error: &Error| match error {
        Error::Unsupported(unsupported) => unsupported.why,
        other => panic!("{other}"),
    };
    let handle = object.as_handle();
    assert_eq!(why(&refused(&scene, Source::<Binary>::from_handle(KMT, handle))), Obstacle::Carrier);
    assert_eq!(why(&refused(&scene, Source::<Binary>::from_kmt(NT, 7))), Obstacle::Carrier);
    assert_eq!(why(&refused(&scene, Source::<Binary>::from_name(NT, name()))), Obstacle::Carrier);
    let d3d12 = Type::CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR;
    assert_eq!(why(&refused(&scene, Source::<Binary>::from_handle(d3d12, handle))), Obstacle::Payload);
    let sync_fd = Type::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    let error = refused(&scene, Source::<Binary>::from_handle(sync_fd, handle));
    assert!(matches!(error, Error::Unsupported(_) | Error::Missing(_)), "{error}");
}

#[test]
fn ten_thousand_failing_imports_close_nothing_and_leave_nothing_behind() {
    let Some(scene) = Scene::new("opencl_semaphores: failing imports") else { return };
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    scene.icd.set(c"mock_garbage", 1);
    scene.icd.set(c"mock_quiet", 1);
    let ((), closed) = closings::during(|| {
        for code in [-2, -5, -6, -30, -33, -34, -59, -64, -1142, -12345] {
            scene.icd.fail(CREATE, code, 0, 0);
            for round in 0..1000 {
                let failed = match round % 4 {
                    0 => Semaphore::import(&scene.context, Source::opaque_win32(object.as_handle())).map(drop),
                    1 => Semaphore::import(&scene.context, Source::opaque_win32_name(name)).map(drop),
                    2 => Semaphore::import(&scene.context, Source::d3d12_fence(object.as_handle())).map(drop),
                    _ => Semaphore::import(&scene.context, Source::opaque_win32_kmt(7)).map(drop),
                };
                let error = failed.expect_err("the mock refuses").into_error();
                assert_eq!(error.result(), Some(cl_result(code)));
            }
        }
    });
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1);
    assert_eq!((scene.icd.number(c"mock_kept"), scene.icd.alive(Kind::Semaphore)), (0, 0));
}

#[test]
fn a_handle_or_name_that_is_of_nothing_is_the_platforms_to_refuse_and_null_is_not_sent() {
    let Some(scene) = Scene::new("opencl_semaphores: of nothing") else { return };
    let (object, units) = handles::named_object();
    drop(object);
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let error = Semaphore::import(&scene.context, Source::opaque_win32_name(name)).expect_err("nothing has this name");
    assert_eq!(error.error().result(), Some(cl_result::CL_INVALID_PROPERTY));
    // SAFETY: nothing is done with it but to import it, which fails.
    let nothing = unsafe { BorrowedHandle::borrow_raw(ptr::without_provenance_mut(0x7fff_fff0)) };
    let error = Semaphore::import(&scene.context, Source::opaque_win32(nothing)).expect_err("no handle has this number");
    assert_eq!(error.error().result(), Some(cl_result::CL_INVALID_PROPERTY));
    let error = refused(&scene, Source::opaque_win32_kmt(0));
    assert!(error.to_string().contains("sema_props-valid-property-values"), "{error}");
}

#[test]
fn a_kind_that_the_device_does_not_import_is_unsupported_and_says_which_ones_it_does() {
    let Some(scene) = Scene::with("opencl_semaphores: unsupported", 1, |icd| icd.answer(0, Some(0), IMPORTS, &[KMT.0])) else {
        return;
    };
    let object = handles::object();
    let ((), closed) = closings::during(|| {
        let error = refused(&scene, Source::opaque_win32(object.as_handle()));
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.to_string().contains("CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR"), "{error}");
    });
    assert_eq!(closed, []);
}
