//! What the macros promise, on items of our own: values that no driver of today returns, unions read as bytes, layouts.

use clcu_sys::{accessor, bits, enumeration, handle, record, status};

enumeration! {
    Shade: u32, "Since 1.0." {
        DARK = 0x1, "Since 1.0.";
        LIGHT = 0x2, "Since 1.0.";
    }
}

bits! {
    DeviceType: u64, "Since 1.0." {
        DEFAULT = 1 << 0, "Since 1.0.";
        CPU = 1 << 1, "Since 1.0.";
        GPU = 1 << 2, "Since 1.0.";
        BOTH = 0x6, "Since 1.0.";
        ALL = 0xFFFF_FFFF, "Since 1.0.";
    }
}

bits! {
    Signed: i32, "Since 1.0." {
        NONE = 0, "Since 1.0.";
        LOW = 0x1, "Since 1.0.";
    }
}

status! {
    Outcome: u32, "Since 1.0." {
        FINE = 0, "Since 1.0.";
        LOST = 999, "Since 1.0.";
    }
}

handle! { Queue: pointer [Send, Sync], "Since 1.0." }

record! {
    union Handle, size 16, align 4, "Since 1.0." {
        fd: i32, at 0, "Since 1.0.";
        bytes: [u32; 4], at 0, "Since 1.0.";
    }
}

record! {
    struct Desc, size 24, align 4, "Since 1.0." {
        kind: Shade, at 0, "Since 1.0.";
        fd_union: Handle, at 4, "Since 1.0.";
        flags: u32, at 20, "Since 1.0.";
    }
}

accessor! { unsafe Desc: fd, set_fd: i32 = fd_union.fd, "`fd`" }

#[test]
fn a_value_from_a_newer_driver_is_a_value() {
    /// What a driver writes.
    fn driver(result: *mut Outcome) {
        // SAFETY: the caller below points to an `Outcome`, which is any `u32`.
        unsafe { result.cast::<u32>().write(12345) }
    }
    let mut result = Outcome::FINE;
    driver(&raw mut result);
    assert_eq!(result, Outcome(12345));
    assert_eq!(result.name(), None);
    assert_eq!(format!("{result:?}"), "Outcome(12345)");
    assert_eq!(result.to_string(), "Outcome(12345)");
    assert_eq!(result.result(), Err(Outcome(12345)));
}

#[test]
fn a_status_is_an_error_that_says_name_and_number() {
    let error: Box<dyn std::error::Error> = Outcome::LOST.result().unwrap_err().into();
    assert_eq!(error.to_string(), "LOST (999)");
    assert_eq!(format!("{:?}", Outcome::LOST), "LOST");
}

#[test]
fn values_can_be_matched_and_named_in_constants() {
    const NAME: Option<&str> = Shade::LIGHT.name();
    assert_eq!(NAME, Some("LIGHT"));
    assert!(matches!(Shade(1), Shade::DARK));
}

#[test]
fn bits_are_shown_by_the_names_that_cover_most() {
    let shown = |bits: DeviceType| format!("{bits:?}");
    assert_eq!(shown(DeviceType::CPU), "CPU");
    assert_eq!(shown(DeviceType::DEFAULT | DeviceType::GPU), "DEFAULT | GPU");
    assert_eq!(shown(DeviceType::CPU | DeviceType::GPU), "BOTH");
    assert_eq!(shown(!DeviceType::empty()), "ALL | unknown bits 0xFFFFFFFF00000000");
    assert_eq!(shown(DeviceType(1 << 40)), "unknown bits 0x10000000000");
    assert_eq!(shown(DeviceType::empty()), "DeviceType(0)");
    assert_eq!(format!("{:?} {:?}", Signed::empty(), Signed(i32::MIN)), "NONE unknown bits 0x80000000");
}

#[test]
fn bits_combine() {
    const BOTH: DeviceType = DeviceType::CPU.union(DeviceType::GPU);
    let mut bits = DeviceType::CPU;
    bits |= DeviceType::GPU;
    assert_eq!(bits, BOTH);
    assert!(bits.contains(DeviceType::CPU) && !bits.contains(DeviceType::ALL) && bits.contains(DeviceType::empty()));
    bits &= !DeviceType::CPU;
    assert_eq!(bits, DeviceType::GPU);
    assert!((bits & DeviceType::CPU).is_empty());
    assert_eq!(BOTH.bits(), 6);
}

#[test]
fn the_all_of_a_wide_mask_is_not_every_bit() {
    assert_eq!(DeviceType::ALL.0, 0xFFFF_FFFF);
    assert_ne!(DeviceType::ALL, !DeviceType::empty());
}

#[test]
fn a_small_member_of_a_zeroed_union_leaves_the_other_bytes_zero() {
    let mut desc = Desc::zeroed();
    desc.set_fd(7);
    // SAFETY: `Desc` has no padding, and all of its bytes were zeroed.
    let bytes: [u8; 24] = unsafe { std::mem::transmute_copy(&desc) };
    assert_eq!(bytes[4..8], 7i32.to_ne_bytes());
    assert!(bytes[8..].iter().all(|byte| *byte == 0));
    // SAFETY: the setter wrote it.
    assert_eq!(unsafe { desc.fd() }, 7);
}

#[test]
fn a_record_with_a_union_has_a_debug_form_that_reads_no_union() {
    assert_eq!(format!("{:?}", Desc::zeroed()), "Desc { kind: Shade(0), fd_union: Handle { .. }, flags: 0 }");
}

#[test]
fn newtypes_are_as_large_as_what_they_carry() {
    assert_eq!(size_of::<Shade>(), 4);
    assert_eq!(size_of::<DeviceType>(), 8);
    assert_eq!(size_of::<Queue>(), size_of::<usize>());
    assert!(Queue::NULL.is_null() && !Queue(std::ptr::without_provenance_mut(2)).is_null());
}
