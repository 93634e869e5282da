//! External memory of OpenCL of every kind of Windows handle: what is sent, what is refused before it is sent, and who closes what.

use std::{
    os::windows::io::{AsHandle as _, AsRawHandle as _, BorrowedHandle},
    ptr,
};

use clcu::{
    opencl::{
        Error, ExternalMemory, Obstacle,
        memory::{Image, Object, Source},
    },
    sys::{
        opencl::{HANDLE_TYPES, cl_channel_order, cl_channel_type, cl_external_memory_handle_type_khr as Type, cl_result},
        rules::{HandleKind, Platform, Utf16Name},
    },
};

use crate::{closings, handles, icd::Kind, scene::Scene};

const CREATE: &str = "clCreateBufferWithProperties";
const CREATE_IMAGE: &str = "clCreateImageWithProperties";
const NT: Type = Type::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR;
const KMT: Type = Type::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR;
const NAME: Type = Type::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR;

fn buffer() -> Object {
    Object::buffer(4096)
}

/// Imports, acquires, releases to the other side, and destroys. `word` is what stands for the handle in the property list.
fn live(scene: &Scene, source: Source<'_>, handle_type: Type, word: usize, kept: i32) -> &'static str {
    let memory = ExternalMemory::import(&scene.context, source).expect("the mock imports it");
    let short = memory.handle_type().short;
    let call = scene.icd.calls(CREATE).pop().unwrap_or_default();
    let sent = format!("properties=[{:#x}, {word:#x}, 0x0], flags=0x1, size=4096, host_ptr=NULL", handle_type.0);
    // The name comes after, as the mock found it.
    assert!(call.contains(&sent), "{short}: {call} has no {sent}");
    assert_eq!(scene.icd.number(c"mock_kept"), kept, "{short}");
    memory.acquire(&scene.queue).expect("the mock acquires it");
    memory.release(&scene.queue).expect("the mock releases it");
    scene.queue.finish().expect("the mock finishes");
    memory.destroy().expect("the mock destroys it");
    assert_eq!((scene.icd.number(c"mock_kept"), scene.icd.alive(Kind::Memory)), (0, 0), "{short}");
    short
}

#[test]
fn every_kind_of_windows_is_imported_as_it_is_and_nothing_is_closed() {
    let Some(scene) = Scene::new("opencl_memory: every kind") else { return };
    let (object, units) = handles::named_object();
    let other = object.try_clone().expect("there are numbers left");
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    let (mut seen, closed) = closings::during(|| {
        let handle = object.as_handle();
        vec![
            live(&scene, Source::opaque_win32(handle, buffer()), NT, object.as_raw_handle().addr(), 1),
            live(&scene, Source::opaque_win32_kmt(0x4000_0042, buffer()), KMT, 0x4000_0042, 0),
            live(&scene, Source::opaque_win32_name(name, buffer()), NAME, name.as_ptr().addr(), 1),
        ]
    });
    assert_eq!(closed, []);
    assert!(handles::is_open(object.as_raw_handle()));
    assert_eq!(handles::references(other.as_handle()), 2);
    let call = scene.icd.calls(CREATE).pop().unwrap_or_default();
    assert!(call.contains("\\u20ac\\ud83d\\udca1"), "the name as UTF-16: {call}");
    let of_windows = HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Memory && row.platform == Platform::Windows);
    let mut all: Vec<_> = of_windows.map(|row| row.short).collect();
    all.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, all);
}

#[test]
fn an_image_is_made_of_a_handle_that_may_be_closed_as_soon_as_the_import_returned() {
    let Some(scene) = Scene::new("opencl_memory: an image") else { return };
    let object = handles::object();
    let other = object.try_clone().expect("there are numbers left");
    let number = object.as_raw_handle();
    let ((), closed) = closings::during(|| {
        let image = Image::new_2d(cl_channel_order::CL_RGBA, cl_channel_type::CL_UNORM_INT8, 64, 32);
        let memory = ExternalMemory::import(&scene.context, Source::opaque_win32(object.as_handle(), image.into()));
        let memory = memory.expect("the mock imports it");
        drop(object);
        assert_eq!(handles::references(other.as_handle()), 2, "the platform has its own");
        memory.destroy().expect("the mock destroys it");
    });
    assert_eq!(closed, [number], "by its owner, once");
    assert_eq!(handles::references(other.as_handle()), 1);
    assert_eq!(scene.icd.calls(CREATE_IMAGE).len(), 1);
}

#[test]
fn what_carries_another_kind_is_refused_and_null_is_not_sent() {
    let Some(scene) = Scene::new("opencl_memory: other carriers") else { return };
    let object = handles::object();
    let refused = |source| ExternalMemory::import(&scene.context, source).expect_err("it is refused").into_error();
    let why = |error: &Error| match error {
        Error::Unsupported(unsupported) => unsupported.why,
        other => panic!("{other}"),
    };
    assert_eq!(why(&refused(Source::from_kmt(NT, 7, buffer()))), Obstacle::Carrier);
    assert_eq!(why(&refused(Source::from_handle(KMT, object.as_handle(), buffer()))), Obstacle::Carrier);
    assert_eq!(why(&refused(Source::from_handle(NAME, object.as_handle(), buffer()))), Obstacle::Carrier);
    let error = refused(Source::opaque_win32_kmt(0, buffer()));
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert_eq!(scene.icd.calls(CREATE), Vec::<String>::new());
}

#[test]
fn ten_thousand_failing_imports_close_nothing_and_leave_nothing_behind() {
    let Some(scene) = Scene::new("opencl_memory: failing imports") else { return };
    let (object, units) = handles::named_object();
    let name = Utf16Name::new(&units).expect("it ends with a zero");
    scene.icd.set(c"mock_garbage", 1);
    scene.icd.set(c"mock_quiet", 1);
    let ((), closed) = closings::during(|| {
        for code in [-2, -4, -5, -6, -30, -34, -59, -61, -64, -12345] {
            scene.icd.fail(CREATE, code, 0, 0);
            for round in 0..1000 {
                let source = match round % 3 {
                    0 => Source::opaque_win32(object.as_handle(), buffer()),
                    1 => Source::opaque_win32_name(name, buffer()),
                    _ => Source::opaque_win32_kmt(7, buffer()),
                };
                let error = ExternalMemory::import(&scene.context, source).expect_err("the mock refuses").into_error();
                assert_eq!(error.result(), Some(cl_result(code)));
            }
        }
    });
    assert_eq!(closed, []);
    assert_eq!(handles::references(object.as_handle()), 1);
    assert_eq!((scene.icd.number(c"mock_kept"), scene.icd.alive(Kind::Memory)), (0, 0));
}

#[test]
fn a_handle_that_is_of_nothing_is_the_platforms_to_refuse() {
    let Some(scene) = Scene::new("opencl_memory: of nothing") else { return };
    // SAFETY: nothing is done with it but to import it, which fails.
    let nothing = unsafe { BorrowedHandle::borrow_raw(ptr::without_provenance_mut(0x7fff_fff0)) };
    let error = ExternalMemory::import(&scene.context, Source::opaque_win32(nothing, buffer())).expect_err("no handle has it");
    assert_eq!(error.error().result(), Some(cl_result::CL_INVALID_PROPERTY));
    assert_eq!(scene.icd.alive(Kind::Memory), 0);
}
