//! The macros that tables of rules are made of; a row is a call of a function in [`row`](super::row).
//!
//! In: upstream's names and our words for what must hold. Out: constants. A name of a value stands once, and gives both the text for
//! messages and the number; a path stands for both position and type, which the compiler checks against the record.
//!
//! They are exported for code that is generated elsewhere (a build script), and may change with any version of this crate.

/// The members of a record, as typed constants: type, path, its text, kind, and whether a rule follows it. Then its rules, and the
/// specialised check.
///
/// ```
/// use clcu_sys::rules::{Given, Rule, Zeroed, quick, row::*};
/// clcu_sys::record! {
///     struct Region, size 8, align 4, "Since 1.0." {
///         origin: u32, at 0, "Since 1.0.";
///         size: u32, at 4, "Since 1.0.";
///     }
/// }
/// clcu_sys::members! {
///     Region {
///         ORIGIN: u32 = origin, "origin", Unsigned, Plain;
///         SIZE: u32 = size, "size", Unsigned, Plain;
///     }
/// }
/// static RULES_OF_REGION: &[Rule] =
///     &[ours("An example.", stated("size", &[Region::SIZE.field], NonZero, &[of(Region::ORIGIN.field, Test::NonZero)], None, ""))];
/// clcu_sys::rules! { Region, RULES_OF_REGION, |bytes, _given| {
///     quick::number(bytes, Region::ORIGIN.field) == 0 || quick::number(bytes, Region::SIZE.field) != 0
/// } }
///
/// let region = Zeroed::<Region>::new().with(Region::ORIGIN, 5);
/// let given = Given::default();
/// assert_eq!(region.check(&given).unwrap_err().to_string(), "Region: 1 rule broken\n  size: found 0, wanted not zero [size]");
/// assert!(region.with(Region::SIZE, 1).check(&given).is_ok());
/// ```
///
/// A type that is not the member's does not compile:
///
/// ```compile_fail,E0308
/// clcu_sys::record! {
///     struct Region, size 4, align 4, "Since 1.0." {
///         origin: u32, at 0, "Since 1.0.";
///     }
/// }
/// clcu_sys::members! { Region { ORIGIN: u64 = origin, "origin", Unsigned, Plain; } }
/// ```
#[macro_export]
macro_rules! members {
    ($record:ident { $($name:ident: $type:ty = $($path:ident).+, $text:literal, $kind:ident, $access:ident;)* }) => {
        impl $record {
            $(
                #[doc = $text]
                pub const $name: $crate::rules::Member<Self, $type, $crate::rules::$access> = {
                    let (path, offset) = ($text, ::core::mem::offset_of!(Self, $($path).+));
                    let kind = $crate::rules::Kind::$kind;
                    // SAFETY: path and type are those of a member of this record, as the compiler sees below; and only scalars,
                    // newtypes over them and arrays of them are listed, which have no padding and take every pattern of bytes.
                    unsafe { $crate::rules::Member::new(path, offset, kind) }
                };
            )*
        }

        // The compiler as a witness that each type is its member's.
        #[allow(clippy::macro_metavars_in_unsafe)] // the macro is for rows, whose paths are names
        const _: fn(*const $record) = |_record| {
            // SAFETY: it is never called, and would only compute addresses.
            unsafe {
                $(let _: *const $type = &raw const (*_record).$($path).+;)*
            }
        };
    };
}

/// Values by upstream's names: `named![CUmemorytype: A, B]`, `named![FLAG]`, `named![0, -1]`, `named![text "linux"]`.
#[macro_export]
macro_rules! named {
    ($enumeration:ident: $($name:ident),+) => {
        &[$($crate::rules::row::name(stringify!($name), $enumeration::$name.0 as i128)),+]
    };
    (text $($text:literal),+) => { &[$($crate::rules::Named { name: $text, value: 0 }),+] };
    ($($name:ident),+) => { &[$($crate::rules::Named { name: stringify!($name), value: $name as i128 }),+] };
    ($($number:expr),*) => { &[$($crate::rules::Named { name: "", value: $number }),*] };
}

/// Ties a record to its table of rules, and to the specialised check of the same rules.
#[macro_export]
macro_rules! rules {
    ($record:ident, $table:ident, |$bytes:ident, $given:ident| $quick:block) => {
        // SAFETY: the fields of every row are members of this record, or `elsewhere`.
        unsafe impl $crate::rules::Record for $record {
            const SUBJECT: &'static $crate::rules::Subject = &$crate::rules::Subject { name: stringify!($record), rules: $table };

            #[inline]
            #[allow(clippy::macro_metavars_in_unsafe)] // the macro is for generated checks
            #[allow(unused_parens, unused_unsafe)] // each demand keeps its own, whether or not it is joined to another; and there may be none
            unsafe fn surely_holds($bytes: $crate::rules::Bytes<'_>, $given: &$crate::rules::Given<'_>) -> bool {
                // SAFETY: the fields are members of this record, and the caller promises the bytes and what is behind pointers.
                unsafe { $quick }
            }
        }
    };
}

/// The arguments of a command as a record, so that rules speak of them as they do of members. A property list stands as a slice.
///
/// Only what a check looks at is there. Each has a constant with its text and kind; a property list has its table as well. `follows` stands where
/// a rule follows a pointer among them, so that only [`check_raw`](crate::rules::check_raw) takes it. A specialised check comes last, for
/// commands that work on semaphores or make objects of external handles; most have none, and are checked by their tables.
///
/// ```
/// use clcu_sys::rules::{Field, Given, PropertyList, check, row::*};
/// clcu_sys::property_table! {
///     PROPERTIES = "colour_properties" {
///         HUE = 1, "int", ["paint"];
///         LAYERS = 2, "int" list until 0, ["paint"];
///     }
/// }
/// clcu_sys::arguments! {
///     paint_arguments<'a>, "paint", RULES_OF_PAINT {
///         shade: u32 = SHADE, "shade", Unsigned;
///     }
///     lists {
///         properties = LIST, "properties", PROPERTIES;
///     }
/// }
/// type R = paint_arguments<'static>;
/// static RULES_OF_PAINT: &[clcu_sys::rules::Rule] = &[
///     ours("", stated("shade", &[R::SHADE], NonZero, &[], None, "")),
///     ours("", stated("ended", &[R::LIST], ListTerminated, &[], None, "")),
///     ours("", stated("hue", &[property(R::LIST, "properties[HUE]", 1)], Below(constant(name("", 360))), &[], None, "")),
/// ];
///
/// let arguments = paint_arguments { shade: 1, properties: PropertyList::new(&[1_u64, 400, 2, 7]) };
/// let given = Given::default();
/// assert_eq!(
///     check(&arguments, &given).unwrap_err().to_string(),
///     "paint_arguments: 2 rules broken\n  \
///      properties: found list property 0x0002 (LAYERS) not terminated, wanted a list with its terminator [ended]\n  \
///      properties[HUE]: found 400, wanted less than 360 [hue]"
/// );
/// ```
#[macro_export]
macro_rules! arguments {
    (
        $name:ident $(<$life:lifetime>)?, $command:literal, $table:ident $($follows:ident)? {
            $($parameter:ident: $type:ty = $constant:ident, $text:literal, $kind:ident;)*
        }
        $(lists { $($list:ident = $list_constant:ident, $list_text:literal, $properties:ident;)* })?
        $(quick |$bytes:ident, $given:ident| $quick:block)?
    ) => {
        #[doc = concat!("Those arguments of `", $command, "` that can be checked before it is called.")]
        #[allow(missing_docs)] // the arguments have upstream's names
        pub struct $name $(<$life>)? {
            $(pub $parameter: $type,)*
            $($(pub $list: $crate::rules::PropertyList<'a>,)*)?
        }

        impl $(<$life>)? $name $(<$life>)? {
            $(
                const $constant: $crate::rules::Field = $crate::rules::Field {
                    path: $text,
                    offset: ::core::mem::offset_of!(Self, $parameter),
                    size: size_of::<$type>(),
                    kind: $crate::rules::Kind::$kind,
                };
            )*
            $($(
                const $list_constant: $crate::rules::Field = $crate::rules::Field {
                    path: $list_text,
                    offset: ::core::mem::offset_of!(Self, $list),
                    size: size_of::<$crate::rules::PropertyList<'static>>(),
                    kind: $crate::rules::Kind::List(&$properties),
                };
            )*)?
        }

        // SAFETY: the fields of every row are members of this record, or `elsewhere`.
        unsafe impl $(<$life>)? $crate::rules::Record for $name $(<$life>)? {
            const SUBJECT: &'static $crate::rules::Subject =
                &$crate::rules::Subject { name: stringify!($name), rules: $table };

            $(
                #[inline]
                #[allow(clippy::macro_metavars_in_unsafe)] // the macro is for generated checks
                #[allow(unused_parens, unused_unsafe)] // as for those of records
                unsafe fn surely_holds($bytes: $crate::rules::Bytes<'_>, $given: &$crate::rules::Given<'_>) -> bool {
                    // SAFETY: the fields are members of this record, and the caller promises the bytes.
                    unsafe { $quick }
                }
            )?
        }

        $crate::arguments! { @inert $($follows)? $name $(<$life>)? }
    };
    (@inert follows $name:ident $(<$life:lifetime>)?) => {};
    (@inert $name:ident $(<$life:lifetime>)?) => {
        // SAFETY: it is a struct of scalars and slices, all of which safe code has to initialise, and none of its rules follows a pointer.
        unsafe impl $(<$life>)? $crate::rules::Inert for $name $(<$life>)? {}
    };
}

/// A property table and its rows.
#[macro_export]
macro_rules! property_table {
    (
        $name:ident = $about:literal {
            $($property:ident = $key:expr, $value_type:literal $(list until $terminator:expr)?, [$($command:literal),*];)*
        }
    ) => {
        #[doc = concat!("The properties of `", $about, "`.")]
        #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, clippy::cast_lossless)] // keys fit the words of a list
        pub static $name: $crate::rules::PropertyTable = $crate::rules::PropertyTable {
            name: $about,
            properties: &[$(
                $crate::rules::Property {
                    name: stringify!($property),
                    key: $key as u64,
                    shape: $crate::property_table!(@shape $($terminator)?),
                    value_type: $value_type,
                    allowed_in: &[$($command),*],
                },
            )*],
        };
    };
    (@shape) => { $crate::rules::Shape::Scalar };
    (@shape $terminator:expr) => { $crate::rules::Shape::List { terminator: $terminator as u64 } };
}
