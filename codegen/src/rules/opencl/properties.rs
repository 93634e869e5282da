//! What sentences say of property lists, and of the external handles in them.

use super::{
    forms::Form,
    formula::{Atom, Formula, property},
    phrase::Gaps,
    vocabulary::Scope,
};
use crate::model::{Given, Path, Predicate, Test};

/// The extension that brings `AHardwareBuffer`, which sentences call by that name and not by its constant.
const HARDWARE_BUFFER: &str = "CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR";

/// The forms, the longer ones before those that they begin with.
pub(super) const FORMS: &[Form] = &[
    Form("a ?context property name in {p} is not a supported property name", known_properties),
    Form("the property name in {p} is not a supported property name", known_properties),
    Form("the value specified for a supported property name is not valid", |_, scope| {
        Some(Formula::broken("valid_property_values", [list(scope)?.to_string()]))
    }),
    Form("the same property name is specified more than once", |_, scope| {
        Some(Formula::unmet(list(scope)?, Predicate::NoDuplicateProperty))
    }),
    Form("{p} is a multiple device context", |_, _| Some(Formula::given(Given::ContextDeviceCount, Test::Above("1".to_owned())))),
    Form("{c} is not specified as part of {p}", |gaps, scope| has(gaps, scope, 1, 0, Test::Absent)),
    Form("{c} is specified as part of {p}", |gaps, scope| has(gaps, scope, 1, 0, Test::Present)),
    Form("it does not identify exactly one valid device", |_, scope| one_valid_device(scope)),
    Form("a device {*} {c} is not a valid device or is not associated with {p}", |gaps, _| {
        Some(Formula::Any(vec![
            Formula::broken("valid_object", [gaps.name(0)?]),
            Formula::broken("device_of_context", gaps.names()),
        ]))
    }),
    Form("a device {*} {c} is not one of the devices within {p}", |gaps, _| {
        Some(Formula::broken("device_of_context", gaps.names()))
    }),
    Form("a device {*} {c} cannot import {*} memory object type", |gaps, scope| {
        importable(scope, scope.memory_types, gaps.name(0))
    }),
    Form("one or more devices in {p} cannot import {*} memory object type", |_, scope| importable(scope, scope.memory_types, None)),
    Form("one or more devices {*} {c} cannot import {*} semaphore handle type", |gaps, scope| {
        importable(scope, scope.semaphore_types, gaps.name(0))
    }),
    Form("more than one {*} handle type is specified in the {c} list", |gaps, scope| {
        Some(Formula::unmet(property(&list(scope)?, gaps.name(0)?)?, Predicate::AtMostValues(1)))
    }),
    Form("{w} specifies a {t} followed by a handle as well as {c}", |gaps, scope| {
        let list = list(scope)?;
        let exported = Formula::test(property(&list, gaps.name(2)?)?, Test::Present);
        Some(Formula::All(vec![exported, any_handle(&list, scope.semaphore_types)]))
    }),
    Form("{p} do|does not specify < property , value > pairs {*} ( i.e. {c} ) required {*} {t}", |gaps, scope| {
        has(gaps, scope, 0, 1, Test::Absent)
    }),
    Form("{p} includes more than one external semaphore handle", |gaps, scope| at_most_one(gaps, scope.semaphore_types)),
    Form("{p} includes more than one external memory handle", |gaps, scope| at_most_one(gaps, scope.memory_types)),
    Form("{p} includes an AHardwareBuffer external memory handle", |gaps, _| hardware_buffer(gaps, Test::Present)),
    Form("{p} does not include an AHardwareBuffer external memory handle", |gaps, _| hardware_buffer(gaps, Test::Absent)),
    Form("{p} includes a|an ?supported external memory handle", |gaps, scope| Some(any_handle(&path(gaps)?, scope.memory_types))),
    Form("{p} does not include a|an ?supported external memory handle", |gaps, scope| {
        any_handle(&path(gaps)?, scope.memory_types).negated()
    }),
    Form("the requested {*} semaphore handle type was not specified when {p} was created", |_, scope| {
        Some(Formula::Any(scope.semaphore_types.iter().map(|name| not_exportable(name)).collect::<Option<_>>()?))
    }),
    Form("a {c} handle was not imported when {p} was created", |gaps, _| {
        Some(Formula::given(Given::SemaphoreHandleType, Test::NotIn(vec![gaps.name(0)?.to_owned()])))
    }),
    Form("any of the semaphore objects specified by {p} requires a semaphore payload", |_, scope| {
        Some(Formula::given(Given::SemaphoreHandleType, Test::In(scope.payload_types.to_vec())))
    }),
];

fn path(gaps: &Gaps) -> Option<Path> {
    gaps.name(0)?.parse().ok()
}

/// The property list of the command: sentences speak of "the property" without saying where.
fn list(scope: &Scope<'_>) -> Option<Path> {
    scope.property_list()
}

fn has(gaps: &Gaps, scope: &Scope<'_>, list: usize, name: usize, test: Test) -> Option<Formula> {
    let list: Path = gaps.name(list)?.parse().ok()?;
    if scope.is_property_list(&list) {
        return Some(Formula::test(property(&list, gaps.name(name)?)?, test));
    }
    let names = vec![gaps.name(name)?.to_owned()];
    Some(Formula::test(list, if test == Test::Present { Test::Has(names) } else { Test::Lacks(names) }))
}

/// Which properties a list may have, the registry says with the type of its elements.
fn known_properties(gaps: &Gaps, scope: &Scope<'_>) -> Option<Formula> {
    let path = path(gaps)?;
    Some(match scope.values(&path) {
        Some(values) => Formula::unmet(path, Predicate::OnlyProperties(values)),
        None => Formula::broken("supported_property", [path.to_string()]),
    })
}

/// The list of devices has one element, which is not null; that it is a device, the caller knows. `CL_…_LIST` stands in the clause
/// before, so that all of it is said of the one device list of the semaphore.
fn one_valid_device(scope: &Scope<'_>) -> Option<Formula> {
    let devices = property(&list(scope)?, "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR")?;
    Some(Formula::Any(vec![
        Formula::unmet(devices.clone(), Predicate::AtMostValues(1)),
        Formula::test(devices, Test::Null),
        Formula::broken("valid_object", ["CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"]),
    ]))
}

/// A handle type is in the list that the devices cannot import.
fn importable(scope: &Scope<'_>, types: &[String], devices: Option<&str>) -> Option<Formula> {
    let list = list(scope)?;
    let refused = |name: &String| {
        let present = Formula::test(property(&list, name)?, Test::Present);
        let lacking = Formula::given(Given::ImportTypes, Test::Lacks(vec![name.clone()]));
        let listed = devices.map(|devices| Some(Formula::test(property(&list, devices)?, Test::Present)));
        let mut all = vec![lacking, present];
        if let Some(listed) = listed {
            all.insert(0, listed?);
        }
        Some(Formula::All(all))
    };
    Some(Formula::Any(types.iter().map(refused).collect::<Option<_>>()?))
}

fn any_handle(list: &Path, types: &[String]) -> Formula {
    Formula::Atom(Atom::AnyPresent(list.clone(), types.to_vec()))
}

fn at_most_one(gaps: &Gaps, types: &[String]) -> Option<Formula> {
    Some(Formula::unmet(path(gaps)?, Predicate::AtMostOneProperty(types.to_vec())))
}

fn hardware_buffer(gaps: &Gaps, test: Test) -> Option<Formula> {
    Some(Formula::test(property(&path(gaps)?, HARDWARE_BUFFER)?, test))
}

/// `name` is asked for, and is none of those for which the semaphore may be exported.
fn not_exportable(name: &str) -> Option<Formula> {
    let names = vec![name.to_owned()];
    let asked = Formula::test("handle_type".parse().ok()?, Test::In(names.clone()));
    Some(Formula::All(vec![Formula::given(Given::SemaphoreExportTypes, Test::Lacks(names)), asked]))
}
