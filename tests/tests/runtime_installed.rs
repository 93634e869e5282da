//! The ICD loader and the platforms that are installed here: what the mocks stand for, once for real.

use clcu::{
    Needs, OpenError,
    opencl::{Library, Platforms},
    sys::opencl,
};
use clcu_tests::upstream::skipped;

fn platforms(test: &str) -> Option<(Library, Platforms)> {
    let library = match Library::open() {
        Ok(library) => library,
        Err(OpenError::NotFound { .. }) => {
            skipped(test, "an ICD loader");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let platforms = library.platforms().expect("the loader lists its platforms");
    if platforms.usable.is_empty() {
        skipped(test, "an OpenCL platform");
        return None;
    }
    Some((library, platforms))
}

#[test]
fn an_installed_platform_has_the_core_of_its_version() {
    let Some((library, platforms)) = platforms("runtime_installed: the core") else { return };
    let platform = platforms.first().expect("there is one");
    let version = platform.driver().version.clone().expect("a platform says its version");
    assert!(version.starts_with("OpenCL "), "{version}");
    for command in opencl::COMMANDS.iter().filter(|command| command.since == "1.2") {
        let absent = platform.availability().absent;
        assert!(
            !absent.iter().any(|missing| missing.command.symbol == command.symbol),
            "{:?} of {}",
            command.symbol,
            library.driver()
        );
    }
}

#[test]
fn an_installed_platform_lacks_what_it_does_not_list_and_has_what_it_lists() {
    let Some((library, platforms)) = platforms("runtime_installed: extensions") else { return };
    for platform in &platforms.usable {
        for missing in platform.availability().absent.iter().filter(|missing| !missing.command.extensions.is_empty()) {
            assert_eq!(missing.needs, Needs::Extension(missing.command.extensions));
            let listed = missing.command.extensions.iter().any(|extension| platform.has_extension(extension));
            assert!(!listed || missing.reason.contains("has no function of this name"), "{missing}");
        }
    }
    let missing = library.get(&opencl::clRetainSemaphoreKHR).expect_err("the loader does not export it");
    assert_eq!(missing.needs, Needs::Platform(&["cl_khr_semaphore"]));
}
