//! What is wrong: refused before the driver is called, and what the driver says to the same without a check.

use std::{env, os::fd::IntoRawFd as _, process::Command, ptr, sync::Arc, thread};

use clcu::{
    cuda::{
        Context, Error, ExternalSemaphore, Library, checked,
        semaphore::{Fence, Initially, Misuse, Source, Tracking},
    },
    sys::{
        cuda::{
            self, CUDA_EXTERNAL_MEMORY_HANDLE_DESC as MemoryDescriptor, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC as Descriptor,
            CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUexternalMemoryHandleType as MemoryType,
            CUexternalSemaphoreHandleType as Type, CUresult,
        },
        rules::{Utf16Name, Zeroed},
    },
};

use crate::{Gpu, descriptors, gpu, new_stream};

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// A bad descriptor, what is bad about it, and what the driver answers.
type Case<'a, R> = (&'static str, Zeroed<'a, R>, CUresult);

/// Bad descriptors of semaphores; `fd` is a good descriptor's number.
fn bad_semaphores(fd: i32, name: Utf16Name<'_>) -> Vec<Case<'_, Descriptor>> {
    let of = |handle_type| Zeroed::<Descriptor>::new().with(Descriptor::TYPE, handle_type);
    let handle = ptr::without_provenance_mut(0x40);
    let mut reserved = [0; 16];
    reserved[15] = 1;
    let good = Descriptor::opaque_fd(fd);
    vec![
        ("OPAQUE_FD, fd -1", Descriptor::opaque_fd(-1), CUresult::CUDA_ERROR_UNKNOWN),
        ("TIMELINE_SEMAPHORE_FD, fd -1", Descriptor::timeline_semaphore_fd(-1), INVALID),
        ("type 0", good.with(Descriptor::TYPE, Type(0)), INVALID),
        ("type 11", good.with(Descriptor::TYPE, Type(11)), INVALID),
        ("type 999", good.with(Descriptor::TYPE, Type(999)), INVALID),
        ("OPAQUE_FD, flags 1", good.with(Descriptor::FLAGS, 1), INVALID),
        ("TIMELINE_SEMAPHORE_FD, flags 1", Descriptor::timeline_semaphore_fd(fd).with(Descriptor::FLAGS, 1), INVALID),
        ("OPAQUE_FD, last reserved word 1", good.with(Descriptor::RESERVED, reserved), INVALID),
        ("OPAQUE_WIN32, neither handle nor name", of(Type::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32), INVALID),
        (
            "OPAQUE_WIN32, handle and name",
            Descriptor::opaque_win32_by_name(name).with(Descriptor::HANDLE_WIN32_HANDLE, handle),
            INVALID,
        ),
        ("OPAQUE_WIN32_KMT, null", of(Type::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT), INVALID),
        ("D3D11_KEYED_MUTEX_KMT, null", of(Type::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT), INVALID),
        ("NVSCISYNC, null", of(Type::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC), INVALID),
    ]
}

/// What a refusal says, in few words.
fn rules(error: &Error) -> String {
    match error {
        Error::Invalid(invalid) => invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[test]
fn every_bad_descriptor_of_a_semaphore_is_refused_before_the_driver_sees_it() {
    let Some(gpu) = gpu("bad descriptors of semaphores") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let _current = context.enter().expect("the context can be current");
    let library = context.library();
    let shared = vulkan.semaphore(None);
    let mut units = [0; 16];
    let name = Utf16Name::encode("none", &mut units).expect("it is short");
    let mut unlike = Vec::new();
    for index in 0..bad_semaphores(0, name).len() {
        let number = vulkan.export_semaphore(shared).into_raw_fd();
        let (what, descriptor, expected) = bad_semaphores(number, name).swap_remove(index);
        // SAFETY: the name in it can be followed.
        let refused = unsafe { checked::import_external_semaphore(library, &descriptor, &[]) }.expect_err(what);
        assert!(matches!(refused, Error::Invalid(_)), "{what}: {refused}");
        let outcome = descriptors::semaphore(library, &descriptor, number);
        println!("{what}: checked: {}; the driver: {:?}, a good fd left {}", rules(&refused), outcome.result, outcome.open);
        if !outcome.open || outcome.result != expected {
            unlike.push((what, outcome.result, outcome.open));
        }
    }
    vulkan.destroy_semaphore(shared);
    assert!(unlike.is_empty(), "the driver is not like the one that was measured before: {unlike:?}");
}

#[test]
fn every_bad_descriptor_of_memory_is_refused_before_the_driver_sees_it() {
    let Some(gpu) = gpu("bad descriptors of memory") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let _current = context.enter().expect("the context can be current");
    let library = context.library();
    let exported = vulkan.exported(1 << 20, false);
    let mut reserved = [0; 16];
    reserved[0] = 1;
    let of = |handle_type| Zeroed::<MemoryDescriptor>::new().with(MemoryDescriptor::TYPE, handle_type);
    let cases = |fd| {
        let good = MemoryDescriptor::opaque_fd(fd, exported.size, 0);
        vec![
            ("OPAQUE_FD, fd -1", MemoryDescriptor::opaque_fd(-1, exported.size, 0)),
            ("type 0", good.with(MemoryDescriptor::TYPE, MemoryType(0))),
            ("type 999", good.with(MemoryDescriptor::TYPE, MemoryType(999))),
            ("OPAQUE_FD, flags 2", good.with(MemoryDescriptor::FLAGS, 2)),
            ("OPAQUE_FD, first reserved word 1", good.with(MemoryDescriptor::RESERVED, reserved)),
            ("OPAQUE_WIN32, neither handle nor name", of(MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32)),
            ("D3D12_RESOURCE, neither, not dedicated", of(MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE)),
            ("NVSCIBUF, null", of(MemoryType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF)),
        ]
    };
    let mut passed = Vec::new();
    for index in 0..cases(0).len() {
        let number = vulkan.export_memory(exported).into_raw_fd();
        let (what, descriptor) = cases(number).swap_remove(index);
        // SAFETY: it has no name.
        let refused = unsafe { checked::import_external_memory(library, &descriptor, &[]) };
        let said = refused.as_ref().map_or_else(rules, |_| "nothing".to_owned());
        if !matches!(refused, Err(Error::Invalid(_))) {
            passed.push(what);
        }
        let outcome = descriptors::memory(library, &descriptor, number);
        println!("{what}: checked: {said}; the driver: {:?}, a good fd left {}", outcome.result, outcome.open);
    }
    vulkan.free(exported);
    assert!(passed.is_empty(), "the driver was called: {passed:?}");
}

#[test]
fn a_fence_of_direct3d_is_unsupported_here_and_the_driver_agrees() {
    let Some(gpu) = gpu("Direct3D on Linux") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let mut units = [0; 16];
    let name = Utf16Name::encode("none", &mut units).expect("it is short");
    let refused = ExternalSemaphore::<Fence>::import(&current, Source::d3d12_fence_by_name(name)).expect_err("this is Linux");
    assert!(matches!(refused.error(), Error::Unsupported(_)), "{refused}");
    let outcome = descriptors::semaphore(current.library(), &Descriptor::d3d12_fence_by_name(name), -1);
    println!("D3D12_FENCE by name: checked: {refused}; the driver: {:?}", outcome.result);
    assert_eq!(outcome.result, CUresult::CUDA_ERROR_NOT_SUPPORTED);
}

#[test]
fn bad_parameters_of_a_signal_are_refused_before_the_driver_sees_them() {
    let Some(gpu) = gpu("bad parameters of signals") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    let library = current.library();
    let shared = vulkan.semaphore(Some(0));
    let semaphore = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(vulkan.export_semaphore(shared)))
        .expect("CUDA imports what Vulkan exported");
    let signal = library.get(&cuda::cuSignalExternalSemaphoresAsync).expect("the driver has it");
    let handle_type = Type::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let (mut first, mut inner) = ([0; 16], [0; 12]);
    (first[0], inner[11]) = (1, 1);
    let stream = new_stream(&current);
    for (value, (what, bad)) in (1..).zip([
        ("flags 1", Zeroed::<SignalParameters>::new().with(SignalParameters::FLAGS, 1)),
        ("first reserved word 1", Zeroed::<SignalParameters>::new().with(SignalParameters::RESERVED, first)),
        ("last reserved word of params 1", Zeroed::<SignalParameters>::new().with(SignalParameters::PARAMS_RESERVED, inner)),
    ]) {
        let bad = bad.with(SignalParameters::PARAMS_FENCE_VALUE, value);
        // SAFETY: the semaphore and the stream are alive.
        let refused =
            unsafe { checked::signal_external_semaphores(library, &[(semaphore.as_raw(), handle_type, &*bad)], stream, &[]) };
        let refused = refused.expect_err(what);
        assert!(matches!(refused, Error::Invalid(_)), "{refused}");
        assert_eq!(vulkan.value(shared), value - 1, "the driver was called");
        let handle = semaphore.as_raw();
        // SAFETY: as above, and both arrays have one element.
        let result = unsafe { signal(&raw const handle, bad.as_ptr(), 1, stream) };
        // SAFETY: the stream is alive.
        unsafe { current.stream(stream) }.synchronize().expect("nothing waits");
        println!("signal with {what}: checked: {}; the driver: {result:?}, value then {}", rules(&refused), vulkan.value(shared));
        if vulkan.value(shared) < value {
            vulkan.host_signal((shared, value));
        }
    }
    semaphore.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(shared);
}

#[test]
fn a_timeline_that_would_go_back_is_refused_and_the_driver_lets_it_go_back() {
    let Some(gpu) = gpu("a timeline that goes back") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let shared = vulkan.semaphore(Some(0));
    let import = |tracking| {
        let source = Source::timeline_semaphore_fd(vulkan.export_semaphore(shared)).tracking(tracking);
        ExternalSemaphore::import(&current, source).expect("CUDA imports what Vulkan exported")
    };
    let followed = import(Tracking::Shared);
    followed.signal(&stream, 5).expect("the driver takes it");
    let refused = followed.signal(&stream, 3).expect_err("it goes back");
    assert!(matches!(refused, Error::Misuse(Misuse::NotMonotonic { last: 5, value: 3, .. })), "{refused}");
    stream.synchronize().expect("nothing waits");
    assert_eq!(vulkan.value(shared), 5, "the driver was not called");
    let alone = import(Tracking::Off);
    let result = alone.signal(&stream, 3);
    stream.synchronize().expect("nothing waits");
    println!("signal of 3 after 5: checked: {refused}; the driver: {result:?}, value then {}", vulkan.value(shared));
    followed.destroy().expect("it is destroyed once");
    alone.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(shared);
}

#[test]
fn an_exclusive_binary_semaphore_is_neither_signalled_twice_nor_waited_for_in_vain() {
    let Some(gpu) = gpu("an exclusive semaphore") else { return };
    let Gpu { vulkan, context, .. } = &gpu;
    let current = context.enter().expect("the context can be current");
    // SAFETY: it lives as long as the context.
    let stream = unsafe { current.stream(new_stream(&current)) };
    let shared = vulkan.semaphore(None);
    let source = Source::opaque_fd(vulkan.export_semaphore(shared)).tracking(Tracking::Exclusive(Initially::Unsignaled));
    let semaphore = ExternalSemaphore::import(&current, source).expect("CUDA imports what Vulkan exported");
    let refused = semaphore.wait(&stream).expect_err("nothing signalled it");
    assert!(matches!(refused, Error::Misuse(Misuse::NeverSignaled { .. })), "{refused}");
    semaphore.signal(&stream).expect("the driver takes it");
    let refused = semaphore.signal(&stream).expect_err("it is signalled");
    assert!(matches!(refused, Error::Misuse(Misuse::SignaledTwice { .. })), "{refused}");
    semaphore.wait(&stream).expect("the driver takes it");
    stream.synchronize().expect("the refused wait is not on it");
    semaphore.destroy().expect("it is destroyed once");
    vulkan.destroy_semaphore(shared);
}

#[test]
fn without_a_current_context_there_is_an_error_and_the_descriptor_stays() {
    let Some(gpu) = gpu("no context") else { return };
    let library = gpu.context.library();
    let shared = gpu.vulkan.semaphore(None);
    let number = gpu.vulkan.export_semaphore(shared).into_raw_fd();
    thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: none is current on a new thread, and nothing is made with it.
            let none = unsafe { Context::current(library) }.expect_err("this thread is new");
            assert!(matches!(none, Error::NoContext), "{none}");
            let outcome = descriptors::semaphore(library, &Descriptor::opaque_fd(number), number);
            println!("without a context: the driver: {:?}, fd left {}", outcome.result, outcome.open);
            assert_eq!((outcome.result, outcome.open), (CUresult::CUDA_ERROR_INVALID_CONTEXT, true));
        });
    });
    gpu.vulkan.destroy_semaphore(shared);
}

/// A process that has not initialised the driver is another one.
#[test]
fn without_initialisation_there_is_an_error_and_the_descriptor_stays() {
    const CHILD: &str = "CLCU_TEST_UNINITIALISED";
    const NAME: &str = "misuse::without_initialisation_there_is_an_error_and_the_descriptor_stays";
    if env::var_os(CHILD).is_some() {
        let library = Arc::new(Library::open().expect("the parent opened it"));
        let number = std::fs::File::open("/dev/null").expect("it is there").into_raw_fd();
        let outcome = descriptors::semaphore(&library, &Descriptor::opaque_fd(number), number);
        println!("without cuInit: the driver: {:?}, fd left {}", outcome.result, outcome.open);
        assert_eq!((outcome.result, outcome.open), (CUresult::CUDA_ERROR_NOT_INITIALIZED, true));
        return;
    }
    let Some(_gpu) = gpu("no initialisation") else { return };
    let program = env::current_exe().expect("this program has a file");
    let child = Command::new(program).args(["--exact", NAME, "--nocapture"]).env(CHILD, "1").output().expect("it can be started");
    print!("{}", String::from_utf8_lossy(&child.stdout));
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
}

/// What the driver answers with 999 or 1 is refused before it, where that is asked for.
#[test]
fn a_pipe_and_a_number_that_is_not_open_are_refused_where_descriptors_are_looked_at() {
    let Some(gpu) = gpu("misuse: looking at descriptors") else { return };
    let current = gpu.context.enter().expect("the context can be current");
    let pipe = || std::os::fd::OwnedFd::from(std::io::pipe().expect("a pipe can be made").0);
    let source = Source::timeline_semaphore_fd(pipe()).checking_descriptor();
    let refused = ExternalSemaphore::import(&current, source).expect_err("it is a pipe");
    assert!(matches!(refused.error(), Error::Descriptor(_)), "{refused}");
    let unlooked = ExternalSemaphore::import(&current, Source::timeline_semaphore_fd(pipe())).expect_err("the driver looks");
    println!("a pipe as a semaphore: {:?}", unlooked.error().result());
    let import = gpu.context.library().get(&cuda::cuImportExternalSemaphore).expect("the driver has it");
    for closed in [Descriptor::opaque_fd(9999), Descriptor::timeline_semaphore_fd(9999)] {
        let row = clcu::cuda::kind::of_semaphore(closed.r#type).expect("the table has it");
        assert!(clcu::descriptor::check_number(9999, row).is_err(), "nothing has this number");
        let mut semaphore = cuda::CUexternalSemaphore::NULL;
        // SAFETY: both pointers are good for the call; the number is nobody's.
        let answer = unsafe { import(&raw mut semaphore, closed.as_ptr()) };
        println!("{}, fd 9999: {answer}", row.short);
        assert_ne!(answer, CUresult::CUDA_SUCCESS);
    }
}
