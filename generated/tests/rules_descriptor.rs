//! A check of a descriptor: what it finds, what it says, and what it does not claim to have checked.
#![cfg(feature = "rules")]

use core::ptr::{dangling_mut, null};

use clcu_sys::rules::{Fact, Found, Given, Record, Utf16Name, Zeroed, check_raw, check_raw_waiving};

#[path = "rules/semaphore.rs"]
mod semaphore;
use semaphore::{Descriptor, Kind};

/// All facts that the rules here need.
fn known() -> Given<'static> {
    Given { context_device_count: Some(2), ..Given::default() }
}

/// The ids of the rules that a descriptor breaks.
fn broken(descriptor: &Zeroed<'_, Descriptor>) -> Vec<&'static str> {
    match descriptor.check(&known()) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|violation| violation.rule.id).collect(),
    }
}

#[test]
fn what_a_constructor_makes_breaks_no_rule() {
    let name = [71, 0];
    let name = Utf16Name::new(&name).unwrap();
    for descriptor in
        [Descriptor::fd(0), Descriptor::win32(dangling_mut()), Descriptor::win32_by_name(name), Descriptor::kmt(dangling_mut())]
    {
        let given = known();
        let checked = descriptor.check(&given).unwrap();
        assert!(checked.is_complete());
        assert_eq!(checked.not_checked().count(), 0);
    }
}

#[test]
fn each_rule_that_is_broken_alone_is_named_alone() {
    assert_eq!(broken(&Zeroed::<Descriptor>::new().with(Descriptor::TYPE, Kind(99))), ["type"]);
    assert_eq!(broken(&Descriptor::fd(-1)), ["FD/fd"]);
    assert_eq!(broken(&Descriptor::win32(core::ptr::null_mut())), ["WIN32/exactly-one"]);
    assert_eq!(broken(&Descriptor::kmt(core::ptr::null_mut())), ["KMT/handle"]);
    assert_eq!(broken(&Descriptor::fd(3).with(Descriptor::FLAGS, 1)), ["flags"]);
    assert_eq!(broken(&Descriptor::fd(3).with(Descriptor::RESERVED, [0, 0, 0, 0, 0, 0, 1])), ["reserved"]);
    let name = [71, 0];
    let name = Utf16Name::new(&name).unwrap();
    assert_eq!(broken(&Descriptor::kmt(dangling_mut()).with_name(Descriptor::NAME, name)), ["KMT/name"]);
    assert_eq!(broken(&Descriptor::win32(dangling_mut()).with_name(Descriptor::NAME, name)), ["WIN32/exactly-one"]);
}

#[test]
fn a_name_that_does_not_end_or_is_no_utf_16_is_found_behind_its_pointer() {
    let endless = vec![b'a'.into(); clcu_sys::rules::LONGEST + 1];
    let at = |name: *const u16| {
        // SAFETY: the text is as long as a check reads.
        unsafe { Zeroed::<Descriptor>::new().with(Descriptor::TYPE, Kind::WIN32).with_followed(Descriptor::NAME, name.cast()) }
    };
    assert_eq!(broken(&at(endless.as_ptr())), ["WIN32/name"]);
    assert_eq!(broken(&at(endless.as_ptr().wrapping_byte_add(1))), ["WIN32/name"]);
    assert_eq!(broken(&at(null())), ["WIN32/exactly-one"]);
}

#[test]
fn all_violations_are_listed_at_once_with_field_found_and_wanted() {
    let name = [71, 0];
    let descriptor = Descriptor::kmt(core::ptr::null_mut())
        .with_name(Descriptor::NAME, Utf16Name::new(&name).unwrap())
        .with(Descriptor::RESERVED, [0, 0x500, 0, 0, 0, 0, 0]);
    let given = known();
    let violations = descriptor.check(&given).unwrap_err();
    let found: Vec<_> = violations.iter().map(|violation| (violation.field(), violation.found)).collect();
    assert_eq!(
        found,
        [
            ("handle.win32.handle", Found::Null),
            ("handle.win32.name", Found::NonNull),
            ("reserved", Found::Byte { at: 5, value: 5 })
        ]
    );
    assert_eq!(
        violations.to_string(),
        "Descriptor: 3 rules broken\n  \
         handle.win32.handle: found null, wanted not null [KMT/handle]\n  \
         handle.win32.name: found a pointer that is not null, wanted null, or INVALID [KMT/name]\n  \
         reserved: found byte 5 is 0x05, wanted zero [reserved]"
    );
}

#[test]
fn a_rule_that_lacks_a_fact_is_reported_and_not_passed_in_silence() {
    let descriptor = Descriptor::fd(3).with(Descriptor::FLAGS, 1);
    let given = Given::default();
    let checked = descriptor.check(&given).unwrap();
    assert!(!checked.is_complete());
    assert_eq!(checked.not_checked().map(|undecided| undecided.rule.id).collect::<Vec<_>>(), ["flags"]);
    assert_eq!(checked.missing_facts().iter().collect::<Vec<_>>(), [Fact::ContextDeviceCount]);
    assert!(descriptor.check(&Given { context_device_count: Some(1), ..given }).unwrap().is_complete());
}

#[test]
fn a_rule_that_holds_whatever_the_missing_fact_is_counts_as_checked() {
    assert!(Descriptor::fd(3).check(&Given::default()).unwrap().is_complete());
}

#[test]
fn what_the_caller_vouches_for_is_listed_where_it_applies() {
    let given = known();
    let vouched =
        |descriptor: &Zeroed<'_, Descriptor>| descriptor.check(&given).unwrap().vouched().map(|rule| rule.id).collect::<Vec<_>>();
    assert_eq!(vouched(&Descriptor::fd(3)), ["FD/attested"]);
    assert!(vouched(&Descriptor::kmt(dangling_mut())).is_empty());
}

#[test]
fn a_rule_is_waived_by_its_id_and_no_other_is() {
    let descriptor = Descriptor::fd(-1).with(Descriptor::FLAGS, 1);
    let given = known();
    let left = descriptor.check_waiving(&given, &["FD/fd"]).unwrap_err();
    assert_eq!(left.iter().map(|violation| violation.rule.id).collect::<Vec<_>>(), ["flags"]);
    assert!(descriptor.check_waiving(&given, &["FD/fd", "flags"]).is_ok());
    // SAFETY: the record is initialised.
    assert!(unsafe { check_raw_waiving(&*descriptor, &given, &["nothing"]) }.is_err());
}

#[test]
fn a_record_that_somebody_made_is_checked_where_the_bytes_are() {
    let mut descriptor = Descriptor::zeroed();
    descriptor.r#type = Kind::FD;
    descriptor.handle.fd = -5;
    let given = known();
    // SAFETY: it began as zeroes and was changed member by member.
    let violations = unsafe { check_raw(&descriptor, &given) }.unwrap_err();
    assert_eq!(violations.iter().next().unwrap().found, Found::Number(-5));
    assert_eq!(violations.subject().name, Descriptor::SUBJECT.name);
}

#[test]
fn a_member_reads_back_as_it_was_written() {
    let descriptor = Descriptor::fd(-7);
    assert_eq!((descriptor.get(Descriptor::HANDLE_FD), descriptor.get(Descriptor::TYPE)), (-7, Kind::FD));
    assert_eq!(descriptor.r#type, Kind::FD);
}
