//! A descriptor of three handle types, with rows written by hand in the form that the emitter writes: what the tests beside check.

use core::ffi::{c_int, c_void};

use clcu_sys::rules::{Followed, Member, Utf16Name, Zeroed, quick, row::*};

clcu_sys::enumeration! {
    Kind: u32, "" {
        FD = 1, "";
        WIN32 = 2, "";
        KMT = 3, "";
    }
}

clcu_sys::record! {
    struct Win32, size 16/8/8, align 8/4/4, "" {
        handle: *mut c_void, at 0, "";
        name: *const c_void, at 8/4/4, "";
    }
}

clcu_sys::record! {
    union Handle, size 16/8/8, align 8/4/4, "" {
        fd: c_int, at 0, "";
        win32: Win32, at 0, "";
    }
}

clcu_sys::record! {
    struct Descriptor, size 56/44/44, align 8/4/4, "" {
        r#type: Kind, at 0, "";
        handle: Handle, at 8/4/4, "";
        flags: u32, at 24/12/12, "";
        reserved: [u32; 7], at 28/16/16, "";
    }
}

clcu_sys::members! {
    Descriptor {
        TYPE: Kind = r#type, "type", Unsigned, Plain;
        HANDLE_FD: c_int = handle.fd, "handle.fd", Signed, Plain;
        HANDLE_WIN32_HANDLE: *mut c_void = handle.win32.handle, "handle.win32.handle", Pointer, Plain;
        HANDLE_WIN32_NAME: *const c_void = handle.win32.name, "handle.win32.name", Pointer, Followed;
        FLAGS: u32 = flags, "flags", Unsigned, Plain;
        RESERVED: [u32; 7] = reserved, "reserved", Bytes, Plain;
    }
}

const SOURCE: Option<clcu_sys::rules::Source> = from("header.h", "1.0", "import");

static RULES_OF_DESCRIPTOR: &[clcu_sys::rules::Rule] = &[
    derived("", stated("type", &[Descriptor::TYPE.field], OneOf(clcu_sys::named![Kind: FD, WIN32, KMT]), &[], SOURCE, "")),
    stated(
        "FD/fd",
        &[Descriptor::HANDLE_FD.field],
        FdNonNegative,
        &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: FD]))],
        SOURCE,
        "",
    ),
    attested(
        "FD/attested",
        &[Descriptor::HANDLE_FD.field],
        "file_descriptor",
        &["a semaphore"],
        &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: FD]))],
        SOURCE,
        "",
    ),
    stated(
        "WIN32/exactly-one",
        &[Descriptor::HANDLE_WIN32_HANDLE.field, Descriptor::HANDLE_WIN32_NAME.field],
        ExactlyOneNonNull,
        &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: WIN32]))],
        SOURCE,
        "",
    ),
    ours(
        "names are UTF-16",
        stated(
            "WIN32/name",
            &[Descriptor::HANDLE_WIN32_NAME.field],
            Utf16NulTerminated,
            &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: WIN32]))],
            None,
            "",
        ),
    ),
    stated(
        "KMT/handle",
        &[Descriptor::HANDLE_WIN32_HANDLE.field],
        NonNull,
        &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: KMT]))],
        SOURCE,
        "",
    ),
    stated(
        "KMT/name",
        &[Descriptor::HANDLE_WIN32_NAME.field],
        Null,
        &[of(Descriptor::TYPE.field, Test::In(clcu_sys::named![Kind: KMT]))],
        SOURCE,
        "INVALID",
    ),
    stated(
        "flags",
        &[Descriptor::FLAGS.field],
        Zero,
        &[given(Fact::ContextDeviceCount, Test::Above(constant(name("", 1))))],
        SOURCE,
        "",
    ),
    ours("bytes that a later version may use", stated("reserved", &[Descriptor::RESERVED.field], Zero, &[], None, "")),
];

clcu_sys::rules! { Descriptor, RULES_OF_DESCRIPTOR, |bytes, given| {
    quick::zero(bytes, [Descriptor::RESERVED.field])
        && match quick::value(bytes, Descriptor::TYPE) {
            Kind::FD => quick::number(bytes, Descriptor::HANDLE_FD.field) >= 0,
            Kind::WIN32 => {
                quick::non_null(bytes, [Descriptor::HANDLE_WIN32_HANDLE.field, Descriptor::HANDLE_WIN32_NAME.field]) == 1
                    && quick::utf16(bytes, [Descriptor::HANDLE_WIN32_NAME.field])
            }
            Kind::KMT => {
                quick::non_null(bytes, [Descriptor::HANDLE_WIN32_HANDLE.field]) == 1
                    && quick::zero(bytes, [Descriptor::HANDLE_WIN32_NAME.field])
            }
            _ => false,
        }
        && (given.context_device_count.is_some_and(|count| count <= 1) || quick::zero(bytes, [Descriptor::FLAGS.field]))
} }

impl Descriptor {
    /// As the emitter writes a constructor.
    pub(crate) fn fd(fd: c_int) -> Zeroed<'static, Self> {
        Zeroed::<Self>::new().with(Self::TYPE, Kind::FD).with(Self::HANDLE_FD, fd)
    }

    pub(crate) fn win32(handle: *mut c_void) -> Zeroed<'static, Self> {
        Zeroed::<Self>::new().with(Self::TYPE, Kind::WIN32).with(Self::HANDLE_WIN32_HANDLE, handle)
    }

    pub(crate) fn win32_by_name(name: Utf16Name<'_>) -> Zeroed<'_, Self> {
        Zeroed::<Self>::new().with(Self::TYPE, Kind::WIN32).with_name(Self::HANDLE_WIN32_NAME, name)
    }

    pub(crate) fn kmt(handle: *mut c_void) -> Zeroed<'static, Self> {
        Zeroed::<Self>::new().with(Self::TYPE, Kind::KMT).with(Self::HANDLE_WIN32_HANDLE, handle)
    }

    pub(crate) const NAME: Member<Self, *const c_void, Followed> = Self::HANDLE_WIN32_NAME;
}
