//! Each demand on numbers, pointers and bytes: what meets it, and what does not.
#![cfg(feature = "rules")]

use clcu_sys::rules::{Found, Given, Rule, Zeroed, every_rule_holds, row::*};

clcu_sys::record! {
    struct Sample, size 48/36/36, align 8/4/4, "" {
        signed: i32, at 0, "";
        unsigned: u32, at 4, "";
        first: *const u8, at 8, "";
        second: *const u8, at 16/12/12, "";
        wide: u64, at 24/16/16, "";
        bytes: [u8; 11], at 32/24/24, "";
    }
}

clcu_sys::members! {
    Sample {
        SIGNED: i32 = signed, "signed", Signed, Plain;
        UNSIGNED: u32 = unsigned, "unsigned", Unsigned, Plain;
        FIRST: *const u8 = first, "first", Pointer, Followed;
        SECOND: *const u8 = second, "second", Pointer, Plain;
        WIDE: u64 = wide, "wide", Unsigned, Plain;
        BYTES: [u8; 11] = bytes, "bytes", Bytes, Plain;
    }
}

type S = Sample;

/// A table with one rule, and a sample that is checked by it.
macro_rules! found {
    ([$($field:expr),*] $predicate:expr, $sample:expr) => {
        found!([$($field),*] $predicate, $sample, when [])
    };
    ([$($field:expr),*] $predicate:expr, $sample:expr, when [$($condition:expr),*]) => {{
        #[allow(dead_code)] // it is read as bytes
        struct Holder(Sample);
        static RULES: &[Rule] = &[ours("", stated("it", &[$($field),*], $predicate, &[$($condition),*], None, ""))];
        // SAFETY: it is a `Sample`, and so the members are its own.
        unsafe impl clcu_sys::rules::Record for Holder {
            const SUBJECT: &'static clcu_sys::rules::Subject = &clcu_sys::rules::Subject { name: "Sample", rules: RULES };
        }
        let holder = Holder($sample);
        let given = Given { context_device_count: Some(2), ..Given::default() };
        // SAFETY: it is made of whole members, and its pointers are null or lead to text that ends.
        let result = unsafe { clcu_sys::rules::check_raw(&holder, &given) }
            .map(|checked| checked.is_complete())
            .map_err(|violations| violations.iter().map(|violation| violation.found).collect::<Vec<_>>());
        result
    }};
}

/// That it is met.
const MET: Result<bool, Vec<Found>> = Ok(true);
/// That it cannot be decided.
const OUT_OF_REACH: Result<bool, Vec<Found>> = Ok(false);

fn one(found: Found) -> Result<bool, Vec<Found>> {
    Err(vec![found])
}

fn sample() -> Sample {
    Sample::zeroed()
}

const SOME: *const u8 = c"text".as_ptr().cast();

#[test]
fn pointers_are_counted_together() {
    let both = Sample { first: SOME, second: SOME, ..sample() };
    let none = sample();
    let one_of_two = Sample { second: SOME, ..sample() };
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] ExactlyOneNonNull, one_of_two), MET);
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] ExactlyOneNonNull, both), one(Found::NonNullFields(2)));
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] ExactlyOneNonNull, none), one(Found::NonNullFields(0)));
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] AnyNonNull, both), MET);
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] AnyNonNull, none), one(Found::NonNullFields(0)));
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] AllOrNoneNull, both), MET);
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] AllOrNoneNull, none), MET);
    assert_eq!(found!([S::FIRST.field, S::SECOND.field] AllOrNoneNull, one_of_two), one(Found::NonNullFields(1)));
    assert_eq!(found!([S::FIRST.field, S::WIDE.field] NullIffZero, none), MET);
    assert_eq!(found!([S::FIRST.field, S::WIDE.field] NullIffZero, Sample { first: SOME, wide: 1, ..sample() }), MET);
    assert_eq!(found!([S::FIRST.field, S::WIDE.field] NullIffZero, both), one(Found::NonNullFields(1)));
    assert_eq!(found!([S::FIRST.field, S::WIDE.field] NullIffZero, Sample { wide: 1, ..sample() }), one(Found::NonNullFields(1)));
}

#[test]
fn null_and_zero_are_seen_in_every_byte() {
    assert_eq!(found!([S::FIRST.field] NonNull, Sample { first: SOME, ..sample() }), MET);
    assert_eq!(found!([S::FIRST.field] NonNull, sample()), one(Found::Null));
    assert_eq!(found!([S::FIRST.field] Null, sample()), MET);
    assert_eq!(found!([S::FIRST.field] Null, Sample { first: SOME, ..sample() }), one(Found::NonNull));
    assert_eq!(found!([S::BYTES.field] Zero, sample()), MET);
    for at in 0..11 {
        let mut dirty = sample();
        dirty.bytes[at] = 9;
        assert_eq!(found!([S::BYTES.field] Zero, dirty), one(Found::Byte { at, value: 9 }));
        assert_eq!(found!([S::BYTES.field] NonZero, dirty), MET);
    }
    assert_eq!(found!([S::BYTES.field] NonZero, sample()), one(Found::Number(0)));
    assert_eq!(found!([S::SIGNED.field] Zero, Sample { signed: -1, ..sample() }), one(Found::Number(-1)));
    assert_eq!(found!([S::WIDE.field] NonZero, Sample { wide: 1 << 63, ..sample() }), MET);
    assert_eq!(found!([S::WIDE.field] NonZero, sample()), one(Found::Number(0)));
}

#[test]
fn flags_are_told_apart_bit_by_bit() {
    let flags = |unsigned| Sample { unsigned, ..sample() };
    assert_eq!(found!([S::UNSIGNED.field] OnlyFlags(clcu_sys::named![1, 4]), flags(5)), MET);
    assert_eq!(found!([S::UNSIGNED.field] OnlyFlags(clcu_sys::named![1, 4]), flags(7)), one(Found::Flags(2)));
    assert_eq!(found!([S::UNSIGNED.field] OnlyFlags(&[]), flags(1 << 31)), one(Found::Flags(1 << 31)));
    assert_eq!(found!([S::UNSIGNED.field] MustHaveFlags(clcu_sys::named![4]), flags(6)), MET);
    assert_eq!(
        found!([S::UNSIGNED.field] MustHaveFlags(clcu_sys::named![4, 1]), flags(6)),
        one(Found::WithoutFlags { missing: 1, found: 6 })
    );
    assert_eq!(found!([S::UNSIGNED.field] LacksFlags(clcu_sys::named![4]), flags(3)), MET);
    assert_eq!(found!([S::UNSIGNED.field] LacksFlags(clcu_sys::named![4]), flags(6)), one(Found::Flags(4)));
}

#[test]
fn numbers_are_compared_as_numbers_whatever_their_width_and_sign() {
    let with = |signed, wide| Sample { signed, wide, ..sample() };
    assert_eq!(found!([S::SIGNED.field] OneOf(clcu_sys::named![-1, 3]), with(-1, 0)), MET);
    assert_eq!(found!([S::SIGNED.field] OneOf(clcu_sys::named![-1, 3]), with(2, 0)), one(Found::Number(2)));
    assert_eq!(found!([S::SIGNED.field] NoneOf(clcu_sys::named![-1]), with(3, 0)), MET);
    assert_eq!(found!([S::SIGNED.field] NoneOf(clcu_sys::named![-1]), with(-1, 0)), one(Found::Number(-1)));
    assert_eq!(found!([S::WIDE.field] Equal(constant(name("", 3))), with(0, 3)), MET);
    assert_eq!(
        found!([S::WIDE.field] Equal(Operand::Field(S::SIGNED.field)), with(-1, u64::MAX)),
        one(Found::Number(u64::MAX.into()))
    );
    assert_eq!(found!([S::WIDE.field] NotEqual(Operand::Field(S::SIGNED.field)), with(3, 3)), one(Found::Number(3)));
    assert_eq!(found!([S::WIDE.field] NotEqual(Operand::Field(S::SIGNED.field)), with(3, 4)), MET);
    assert_eq!(found!([S::SIGNED.field] AtMost(constant(name("", 3))), with(3, 0)), MET);
    assert_eq!(found!([S::SIGNED.field] AtMost(constant(name("", 3))), with(4, 0)), one(Found::Number(4)));
    assert_eq!(found!([S::SIGNED.field] AtLeast(constant(name("", -3))), with(-3, 0)), MET);
    assert_eq!(found!([S::SIGNED.field] AtLeast(constant(name("", -3))), with(-4, 0)), one(Found::Number(-4)));
    assert_eq!(found!([S::SIGNED.field] Below(Operand::Field(S::WIDE.field)), with(-1, 0)), MET);
    assert_eq!(found!([S::SIGNED.field] Below(Operand::Field(S::WIDE.field)), with(1, 1)), one(Found::Number(1)));
    assert_eq!(found!([S::WIDE.field] Above(constant(name("", 1))), with(0, 2)), MET);
    assert_eq!(found!([S::WIDE.field] Above(constant(name("", 1))), with(0, 1)), one(Found::Number(1)));
    assert_eq!(found!([S::WIDE.field] MultipleOf(constant(name("", 4))), with(0, 8)), MET);
    assert_eq!(found!([S::WIDE.field] MultipleOf(constant(name("", 4))), with(0, 6)), one(Found::Number(6)));
    assert_eq!(found!([S::WIDE.field] MultipleOf(Operand::Field(S::SIGNED.field)), with(0, 6)), one(Found::Number(6)));
    assert_eq!(found!([S::WIDE.field] MultipleOf(Operand::Field(S::SIGNED.field)), with(0, 0)), MET);
    assert_eq!(found!([S::WIDE.field] PowerOfTwo, with(0, 1 << 40)), MET);
    assert_eq!(found!([S::WIDE.field] PowerOfTwo, with(0, 6)), one(Found::Number(6)));
    assert_eq!(found!([S::WIDE.field] PowerOfTwo, with(0, 0)), one(Found::Number(0)));
}

#[test]
fn a_file_descriptor_is_not_negative_unless_minus_one_means_something() {
    let fd = |signed| Sample { signed, ..sample() };
    assert_eq!(found!([S::SIGNED.field] FdNonNegative, fd(0)), MET);
    assert_eq!(found!([S::SIGNED.field] FdNonNegative, fd(-1)), one(Found::Number(-1)));
    assert_eq!(found!([S::SIGNED.field] FdOrMinusOne, fd(-1)), MET);
    assert_eq!(found!([S::SIGNED.field] FdOrMinusOne, fd(-2)), one(Found::Number(-2)));
}

#[test]
fn text_ends_with_a_zero_or_is_not_there() {
    assert_eq!(found!([S::FIRST.field] NulTerminated, Sample { first: SOME, ..sample() }), MET);
    assert_eq!(found!([S::FIRST.field] NulTerminated, sample()), MET);
    let endless = vec![b'a'; clcu_sys::rules::LONGEST + 1];
    let at = Sample { first: endless.as_ptr(), ..sample() };
    assert!(matches!(found!([S::FIRST.field] NulTerminated, at).unwrap_err()[..], [Found::Text(_)]));
    let name = [b'a'.into(), 0_u16];
    assert_eq!(found!([S::FIRST.field] Utf16NulTerminated, Sample { first: name.as_ptr().cast(), ..sample() }), MET);
}

#[test]
fn a_call_that_is_forbidden_has_nothing_that_could_make_it_right() {
    assert_eq!(found!([] Forbidden, sample()), one(Found::Call));
    assert_eq!(found!([] Forbidden, sample(), when [of(S::SIGNED.field, Test::NonZero)]), MET);
}

#[test]
fn what_the_checker_cannot_see_is_neither_met_nor_broken() {
    assert_eq!(found!([elsewhere("pointer.member")] Zero, sample()), OUT_OF_REACH);
    assert_eq!(found!([S::BYTES.field] PowerOfTwo, sample()), OUT_OF_REACH);
    assert_eq!(found!([S::SIGNED.field] NonZero, sample(), when [of(elsewhere("a.b"), Test::Null)]), OUT_OF_REACH);
    assert_eq!(found!([S::SIGNED.field] NonZero, sample(), when [if_vouched("attribute_unset", &[])]), OUT_OF_REACH);
    assert_eq!(found!([S::SIGNED.field] Attested(clcu_sys::rules::Object { kind: "object", of: &[] }), sample()), MET);
}

#[test]
fn each_condition_on_a_field_decides_whether_a_rule_applies() {
    let with = |unsigned| Sample { unsigned, first: SOME, ..sample() };
    macro_rules! applies {
        ($test:expr, $unsigned:expr) => {
            found!([] Forbidden, with($unsigned), when [of(S::UNSIGNED.field, $test)]) == one(Found::Call)
        };
    }
    assert!(applies!(Test::In(clcu_sys::named![1, 2]), 2) && !applies!(Test::In(clcu_sys::named![1, 2]), 3));
    assert!(applies!(Test::NotIn(clcu_sys::named![1, 2]), 3) && !applies!(Test::NotIn(clcu_sys::named![1, 2]), 1));
    assert!(applies!(Test::Has(clcu_sys::named![1, 2]), 7) && !applies!(Test::Has(clcu_sys::named![1, 2]), 5));
    assert!(applies!(Test::Lacks(clcu_sys::named![1, 2]), 4) && !applies!(Test::Lacks(clcu_sys::named![1, 2]), 5));
    assert!(applies!(Test::Above(constant(name("", 1))), 2) && !applies!(Test::Above(constant(name("", 1))), 1));
    assert!(applies!(Test::Below(constant(name("", 1))), 0) && !applies!(Test::Below(constant(name("", 1))), 1));
    assert!(applies!(Test::Equal(Operand::Field(S::WIDE.field)), 0) && !applies!(Test::Equal(Operand::Field(S::WIDE.field)), 1));
    assert!(
        applies!(Test::NotEqual(Operand::Field(S::WIDE.field)), 1) && !applies!(Test::NotEqual(Operand::Field(S::WIDE.field)), 0)
    );
    assert!(applies!(Test::Zero, 0) && !applies!(Test::Zero, 1));
    assert!(applies!(Test::NonZero, 1) && !applies!(Test::NonZero, 0));
    assert_eq!(found!([] Forbidden, with(0), when [of(S::FIRST.field, Test::NonNull)]), one(Found::Call));
    assert_eq!(found!([] Forbidden, with(0), when [of(S::FIRST.field, Test::Null)]), MET);
}

#[test]
fn every_rule_of_an_empty_table_holds() {
    let sample = sample();
    // SAFETY: the sample is initialised.
    assert!(unsafe { every_rule_holds(&[], clcu_sys::rules::Bytes::of(&sample), &Given::default()) });
    let _ = Zeroed::<Unruled>::new().with(Unruled::VALUE, 3);
}

clcu_sys::record! {
    struct Unruled, size 4, align 4, "" {
        value: u32, at 0, "";
    }
}
clcu_sys::members! { Unruled { VALUE: u32 = value, "value", Unsigned, Plain; } }
static NO_RULES: &[Rule] = &[];
clcu_sys::rules! { Unruled, NO_RULES, |_bytes, _given| { true } }
