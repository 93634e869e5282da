//! Platforms through the system's ICD loader: several drivers at once, broken ones among them.

use clcu::opencl::Library;
use clcu_tests::icd::{self, Driver, Icd};

fn names() -> Vec<String> {
    let library = Library::open().expect("the ICD loader is installed");
    let platforms = library.platforms().expect("the loader lists its platforms");
    platforms.usable.iter().map(|platform| platform.driver().platform.clone().unwrap_or_default()).collect()
}

#[test]
fn two_drivers_and_pocl_are_listed_by_the_loader() {
    icd::with_loader("two_drivers_and_pocl_are_listed_by_the_loader", &[Driver::Mock, Driver::Mock, Driver::Pocl], |mocks| {
        mocks[0].answer_text(0, None, 0x0902, "Mock one");
        mocks[1].set(c"mock_platform_count", 2);
        let mut names = names();
        names.sort();
        assert_eq!(names, ["Mock one", "Mock platform A", "Mock platform B", "Portable Computing Language"]);
    });
}

#[test]
fn broken_drivers_are_passed_over() {
    let drivers = [Driver::Missing, Driver::NoLibrary, Driver::NoDriver, Driver::Mock];
    icd::with_loader("broken_drivers_are_passed_over", &drivers, |_| {
        assert_eq!(names(), ["Mock platform A"]);
    });
}

#[test]
fn the_driver_is_opened_without_a_loader() {
    let Some(icd) = Icd::new("opencl_runtime_platforms: without a loader") else { return };
    let library = icd.open();
    assert_eq!(library.platforms().expect("it lists them").usable.len(), 1);
}
