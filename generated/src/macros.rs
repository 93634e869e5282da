//! The macros that generated code is made of: one invocation an item, one fact a line.
//!
//! In: a row of facts, with the text that documents it. Out: the item. What is the same for every item is written here once, so that
//! the generated files are tables that a reviewer can read in a diff, and compile as fast as tables.
//!
//! What an item implements is chosen by what it costs: with some hundred types, each trait is some hundred implementations to compile.
//! Newtypes compare and hash, but have no order, which upstream gives them no meaning for; `Eq` is written out, because the derived one
//! has a body.
//!
//! They are exported for code that is generated elsewhere (a build script), and may change with any version of this crate.

/// The text of an item: what its row says, and the address of upstream's page: the one that the row names, or the API's page of types.
#[doc(hidden)]
#[macro_export]
macro_rules! about {
    ($about:literal) => {
        $about
    };
    ($about:literal cuda) => {
        concat!($about, " [Official page](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html).")
    };
    ($about:literal cuda $page:literal) => {
        concat!($about, " [Official page](https://docs.nvidia.com/cuda/cuda-driver-api/", $page, ").")
    };
    ($about:literal opencl) => {
        concat!($about, " [Official page](https://registry.khronos.org/OpenCL/specs/unified/html/OpenCL_API.html).")
    };
    ($about:literal opencl $page:literal) => {
        concat!($about, " [Official page](https://registry.khronos.org/OpenCL/", $page, ").")
    };
}

/// An enumeration of which one value holds at a time: a newtype over the C integer, so that a value from a newer driver is sound.
///
/// ```
/// clcu_sys::enumeration! {
///     Shade: u32, "Since 1.0." {
///         DARK = 0x1, "Since 1.0.";
///         LIGHT = 0x2, "Since 1.0.";
///     }
///     aliases {
///         DIM = DARK, "Since 1.1.";
///     }
/// }
/// assert_eq!(Shade::DIM.name(), Some("DARK"));
/// assert_eq!(format!("{:?} {:?}", Shade::LIGHT, Shade(12345)), "LIGHT Shade(12345)");
/// ```
#[macro_export]
macro_rules! enumeration {
    (
        $name:ident: $repr:ident, $about:literal $($api:ident $($page:literal)?)? { $($value:ident = $number:expr, $fact:literal;)* }
        $(aliases { $($alias:ident = $of:ident, $note:literal;)* })?
    ) => {
        $crate::newtype_of_names! {
            $name: $repr, $about $($api $($page)?)? { $($value = $number, $fact;)* } aliases { $($($alias = $of, $note;)*)? }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::names::debug(f, stringify!($name), Self::NAMES, self.0)
            }
        }
    };
}

/// An enumeration of bits that combine. What has no name stays visible in its `Debug` form.
///
/// ```
/// clcu_sys::bits! {
///     Access: u64, "Since 1.0." {
///         READ = 1 << 0, "Since 1.0.";
///         WRITE = 1 << 1, "Since 1.0.";
///     }
/// }
/// let both = Access::READ | Access::WRITE;
/// assert!(both.contains(Access::WRITE) && !both.is_empty());
/// assert_eq!(format!("{:?}", both | Access(0x80)), "READ | WRITE | unknown bits 0x80");
/// ```
#[macro_export]
macro_rules! bits {
    (
        $name:ident: $repr:ident, $about:literal $($api:ident $($page:literal)?)? { $($value:ident = $number:expr, $fact:literal;)* }
        $(aliases { $($alias:ident = $of:ident, $note:literal;)* })?
    ) => {
        $crate::newtype_of_names! {
            $name: $repr, $about $($api $($page)?)? { $($value = $number, $fact;)* } aliases { $($($alias = $of, $note;)*)? }
        }

        impl $name {
            /// No bit.
            #[inline]
            #[must_use]
            pub const fn empty() -> Self {
                Self(0)
            }

            /// Whether no bit is set.
            #[inline]
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether every bit of `other` is set.
            #[inline]
            #[must_use]
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// The bits of both, where `|` cannot be written: in constants.
            #[inline]
            #[must_use]
            pub const fn union(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// The integer.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> $repr {
                self.0
            }
        }

        impl ::core::ops::BitOr for $name {
            type Output = Self;

            #[inline]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl ::core::ops::BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl ::core::ops::BitAnd for $name {
            type Output = Self;

            #[inline]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl ::core::ops::BitAndAssign for $name {
            #[inline]
            fn bitand_assign(&mut self, other: Self) {
                self.0 &= other.0;
            }
        }

        impl ::core::ops::Not for $name {
            type Output = Self;

            #[inline]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::names::debug_bits(f, stringify!($name), Self::NAMES, self.0)
            }
        }
    };
}

/// What a command returns: to be looked at, and an error where it is not zero.
///
/// ```
/// clcu_sys::status! {
///     Outcome: i32, "Since 1.0." {
///         FINE = 0, "Since 1.0.";
///         LOST = -30, "Since 1.0.";
///     }
/// }
/// assert_eq!(Outcome::FINE.result(), Ok(()));
/// assert_eq!(Outcome(-30).result().unwrap_err().to_string(), "LOST (-30)");
/// assert_eq!(Outcome::from_name("LOST"), Some(Outcome::LOST));
/// ```
///
/// It may not be dropped unseen:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// clcu_sys::status! {
///     Outcome: i32, "Since 1.0." {
///         FINE = 0, "Since 1.0.";
///     }
/// }
/// fn call() -> Outcome {
///     Outcome::FINE
/// }
/// call();
/// ```
#[macro_export]
macro_rules! status {
    (
        $name:ident: $repr:ident, $about:literal $($api:ident $($page:literal)?)? { $($value:ident = $number:expr, $fact:literal;)* }
        $(aliases { $($alias:ident = $of:ident, $note:literal;)* })?
    ) => {
        $crate::newtype_of_names! {
            #[must_use = "a command says here whether it failed"]
            $name: $repr, $about $($api $($page)?)? { $($value = $number, $fact;)* } aliases { $($($alias = $of, $note;)*)? }
        }

        impl $name {
            /// `Ok` for zero, and itself as the error for everything else.
            ///
            /// # Errors
            /// Whatever is not zero, known or not.
            #[inline]
            pub const fn result(self) -> ::core::result::Result<(), Self> {
                if self.0 == 0 { ::core::result::Result::Ok(()) } else { ::core::result::Result::Err(self) }
            }

            /// The code that upstream gives this name, canonical or not; `None` for a name that is not one of its.
            #[must_use]
            pub fn from_name(name: &str) -> ::core::option::Option<Self> {
                Self::NAMES.value(name).map(Self)
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::names::debug(f, stringify!($name), Self::NAMES, self.0)
            }
        }

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::names::display(f, stringify!($name), Self::NAMES, self.0)
            }
        }

        impl ::core::error::Error for $name {}
    };
}

/// What the three kinds of enumeration have in common.
#[doc(hidden)]
#[macro_export]
macro_rules! newtype_of_names {
    (
        $(#[$attribute:meta])*
        $name:ident: $repr:ident, $about:literal $($api:ident $($page:literal)?)? { $($value:ident = $number:expr, $fact:literal;)* }
        aliases { $($alias:ident = $of:ident, $note:literal;)* }
    ) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Hash)]
        $(#[$attribute])*
        pub struct $name(pub $repr);

        impl ::core::cmp::Eq for $name {}

        impl $name {
            $(
                #[doc = concat!("`", stringify!($number), "`. ", $fact)]
                pub const $value: Self = Self($number);
            )*
            $(
                #[doc = concat!("Another name of [`", stringify!($of), "`](Self::", stringify!($of), "). ", $note)]
                pub const $alias: Self = Self::$of;
            )*

            const NAMES: $crate::names::Table<$repr> =
                $crate::names::Table { names: stringify!($($value)* $($alias)*), values: &[$($number,)* $(Self::$of.0,)*] };

            /// Upstream's name of the value, the canonical one where it has several; `None` for a value that is not known here.
            #[inline]
            #[must_use]
            pub const fn name(self) -> ::core::option::Option<&'static str> {
                $crate::names::of::$repr::find(Self::NAMES, self.0)
            }

            /// All of upstream's names of the value, the canonical one first.
            #[inline]
            #[must_use]
            pub const fn names(self) -> $crate::names::Names<$repr> {
                $crate::names::Names::new(Self::NAMES, self.0)
            }
        }
    };
}

/// A handle: a type of its own, so that one kind is never taken for another.
///
/// A `pointer` or an `address` can be null. An `integer` has no null: upstream counts from zero.
///
/// ```
/// clcu_sys::handle! { Queue: pointer [Send, Sync], "Since 1.0." }
/// assert!(Queue::NULL.is_null());
/// ```
///
/// ```compile_fail
/// clcu_sys::handle! { Queue: pointer [Send, Sync], "Since 1.0." }
/// clcu_sys::handle! { Memory: pointer [Send, Sync], "Since 1.0." }
/// let queue: Queue = Memory::NULL;
/// ```
#[macro_export]
macro_rules! handle {
    ($name:ident: pointer [$($marker:ident),*], $about:literal $($api:ident $($page:literal)?)?) => {
        $crate::handle! { @newtype $name: *mut ::core::ffi::c_void, $about $($api $($page)?)? }

        impl $name {
            /// No object.
            pub const NULL: Self = Self(::core::ptr::null_mut());

            /// Whether it refers to no object.
            #[inline]
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.0.is_null()
            }
        }

        $(
            // SAFETY: the handle itself is a number that only the driver follows, and the row says what the API promises about
            // using it from several threads.
            unsafe impl $marker for $name {}
        )*
    };
    ($name:ident: address, $about:literal $($api:ident $($page:literal)?)?) => {
        $crate::handle! { @newtype $name: usize, $about $($api $($page)?)? }

        impl $name {
            /// No memory.
            pub const NULL: Self = Self(0);

            /// Whether it refers to no memory.
            #[inline]
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }
    };
    ($name:ident: integer $repr:ident, $about:literal $($api:ident $($page:literal)?)?) => {
        $crate::handle! { @newtype $name: $repr, $about $($api $($page)?)? }
    };
    (@newtype $name:ident: $repr:ty, $about:literal $($api:ident $($page:literal)?)?) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Hash)]
        pub struct $name(pub $repr);

        impl ::core::cmp::Eq for $name {}
    };
}

/// A struct or union of C. Size, alignment and every offset are asserted; three numbers stand where the layouts of 64-bit targets,
/// 32-bit Windows and 32-bit Linux differ.
///
/// ```
/// clcu_sys::record! {
///     struct Region, size 16/8/8, align 8/4/4, "Since 1.0." {
///         origin: usize, at 0, "Since 1.0.";
///         size: usize, at 8/4/4, "Since 1.0.";
///     }
/// }
/// assert_eq!(Region::zeroed().size, 0);
/// ```
///
/// A wrong number does not compile:
///
/// ```compile_fail,E0080
/// clcu_sys::record! {
///     struct Region, size 8, align 4, "Since 1.0." {
///         origin: u32, at 0, "Since 1.0.";
///         size: u32, at 8, "Since 1.0.";
///     }
/// }
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[$attribute:meta])*
        struct $name:ident, size $($size:literal)/+, align $($align:literal)/+, $about:literal $($api:ident $($page:literal)?)? {
            $($member:ident: $type:ty, at $($offset:literal)/+, $fact:literal;)*
        }
    ) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        $(#[$attribute])*
        pub struct $name {
            $(
                #[doc = $fact]
                pub $member: $type,
            )*
        }

        $crate::record! { @layout $name, [$($size),+], [$($align),+], $($member [$($offset),+])* }
    };
    (
        $(#[$attribute:meta])*
        union $name:ident, size $($size:literal)/+, align $($align:literal)/+, $about:literal $($api:ident $($page:literal)?)? {
            $($member:ident: $type:ty, at $($offset:literal)/+, $fact:literal;)*
        }
    ) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        #[repr(C)]
        #[derive(Clone, Copy)]
        $(#[$attribute])*
        pub union $name {
            $(
                #[doc = $fact]
                pub $member: $type,
            )*
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        $crate::record! { @layout $name, [$($size),+], [$($align),+], $($member [$($offset),+])* }
    };
    (@here [$same:literal]) => { $same };
    (@here [$wide:literal, $aligned_to_8:literal, $aligned_to_4:literal]) => {
        $crate::layout::here($wide, $aligned_to_8, $aligned_to_4)
    };
    (@layout $name:ident, $size:tt, $align:tt, $($member:ident $offset:tt)*) => {
        const _: () = $crate::layout::must_agree_with_c(
            [size_of::<$name>(), align_of::<$name>()],
            [$crate::record!(@here $size), $crate::record!(@here $align)],
            stringify!($($member)*),
            [$(::core::mem::offset_of!($name, $member)),*],
            [$($crate::record!(@here $offset)),*],
        );

        impl $name {
            /// With every byte zero: numbers zero, pointers and handles null, nothing selected.
            #[inline]
            #[must_use]
            pub const fn zeroed() -> Self {
                // SAFETY: every member of a generated record is an integer, a float, a raw pointer, an optional function pointer, or a
                // newtype, array or record of these; zero is a value of each.
                unsafe { ::core::mem::zeroed() }
            }
        }
    };
}

/// A member of a member that has no name in C, reached as if it were the record's own.
///
/// `unsafe` stands where the union's members differ in size or kind, so that reading one may find bytes that nobody wrote.
///
/// ```
/// clcu_sys::record! {
///     union Either, size 4, align 4, "Since 1.0." {
///         signed: i32, at 0, "Since 1.0.";
///         unsigned: u32, at 0, "Since 1.0.";
///     }
/// }
/// clcu_sys::record! {
///     struct Holder, size 4, align 4, "Since 1.0." {
///         signed_union: Either, at 0, "Since 1.0.";
///     }
/// }
/// clcu_sys::accessor! { Holder: signed, set_signed: i32 = signed_union.signed, "`signed`" }
/// clcu_sys::accessor! { Holder: unsigned, set_unsigned: u32 = signed_union.unsigned, "`unsigned`" }
///
/// let mut holder = Holder::zeroed();
/// holder.set_signed(-1);
/// assert_eq!(holder.unsigned(), u32::MAX);
/// ```
#[macro_export]
macro_rules! accessor {
    ($record:ident: $get:ident, $set:ident: $type:ty = $($path:ident).+, $about:literal) => {
        impl $record {
            #[doc = concat!($about, ", which C reaches without naming the member around it.")]
            #[inline]
            #[must_use]
            #[allow(unused_unsafe)] // where the member around it is a struct
            pub const fn $get(&self) -> $type {
                // SAFETY: the members of the unions on the way are of one size and have no padding, so that whichever was written, all
                // bytes of this one were; and its type has no invalid bits.
                unsafe { self.$($path).+ }
            }

            $crate::accessor! { @set $set: $type = $($path).+, $about }
        }
    };
    (unsafe $record:ident: $get:ident, $set:ident: $type:ty = $($path:ident).+, $about:literal) => {
        impl $record {
            #[doc = concat!($about, ", which C reaches without naming the member around it.")]
            ///
            /// # Safety
            /// All its bytes were written: by its setter, through a member that covers it, or by `zeroed`.
            #[inline]
            #[must_use]
            pub const unsafe fn $get(&self) -> $type {
                // SAFETY: the caller promises that the bytes were written, and the type has no invalid bits.
                unsafe { self.$($path).+ }
            }

            $crate::accessor! { @set $set: $type = $($path).+, $about }
        }
    };
    (@set $set:ident: $type:ty = $($path:ident).+, $about:literal) => {
        #[doc = concat!("Sets ", $about, ".")]
        #[inline]
        pub const fn $set(&mut self, value: $type) {
            self.$($path).+ = value;
        }
    };
}

/// A function that the application provides, possibly null.
#[macro_export]
macro_rules! callback {
    ($name:ident, $about:literal $($api:ident $($page:literal)?)?, fn($($parameters:tt)*) $(-> $returns:ty)?) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        pub type $name = ::core::option::Option<unsafe extern "system" fn($($parameters)*) $(-> $returns)?>;
    };
}

/// Another name of a type.
#[macro_export]
macro_rules! alias {
    ($name:ident = $type:ty, $about:literal $($api:ident $($page:literal)?)?) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        pub type $name = $type;
    };
}

/// A named value that belongs to no enumeration.
#[macro_export]
macro_rules! constant {
    ($name:ident: $type:ty = $value:expr, $about:literal $($api:ident $($page:literal)?)?) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        pub const $name: $type = $value;
    };
}

/// A macro of C with parameters.
#[macro_export]
macro_rules! function {
    ($name:ident($($parameter:ident),*): $repr:ident = $body:expr, $about:literal $($api:ident $($page:literal)?)?) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        #[inline]
        #[must_use]
        pub const fn $name($($parameter: $repr),*) -> $repr {
            $body
        }
    };
}

/// A function of the driver, as a [`Command`](crate::Command) constant. What is known of it stands in the `COMMANDS` beside it, at the place
/// that the `command_table!` gives.
#[macro_export]
macro_rules! command {
    (
        $(#[$attribute:meta])*
        $name:ident, $about:literal $($api:ident $($page:literal)?)?,
        fn($($parameters:tt)*) $(-> $returns:ty)?
    ) => {
        #[doc = $crate::about!($about $($api $($page)?)?)]
        $(#[$attribute])*
        pub const $name: $crate::Command<unsafe extern "system" fn($($parameters)*) $(-> $returns)?> =
            // SAFETY: the function is the command's of this name, and so are the facts, whose order is held against the names.
            unsafe { $crate::Command::new(&COMMANDS[Index::$name as usize]) };
    };
}

/// The order of an API's commands: gives each its index. What exists on Windows only comes last, so that an index is the same on every
/// target. An index counts within one table. The rows stand beside it, in the same order, as a static array of the name `COMMANDS`.
///
/// ```
/// use clcu_sys::{CommandInfo, command::numbered};
/// clcu_sys::command! { clOpen, "Since 1.0.", fn(fd: i32) -> i32 }
/// clcu_sys::command! { clClose, "Since 1.0.", fn(fd: i32) -> i32 }
/// clcu_sys::command_table! { { clOpen clClose } }
/// static COMMANDS: [CommandInfo; COMMAND_COUNT] =
///     numbered(NAMES, [CommandInfo::opencl(c"clOpen", "1.0", ""), CommandInfo::opencl(c"clClose", "1.0", "")]);
/// # fn main() { assert_eq!((clClose.info().index, clClose.info().symbol), (1, c"clClose")) }
/// ```
///
/// Rows in another order do not compile:
///
/// ```compile_fail,E0080
/// use clcu_sys::{CommandInfo, command::numbered};
/// clcu_sys::command! { clOpen, "Since 1.0.", fn(fd: i32) -> i32 }
/// clcu_sys::command! { clClose, "Since 1.0.", fn(fd: i32) -> i32 }
/// clcu_sys::command_table! { { clOpen clClose } }
/// static COMMANDS: [CommandInfo; COMMAND_COUNT] =
///     numbered(NAMES, [CommandInfo::opencl(c"clClose", "1.0", ""), CommandInfo::opencl(c"clOpen", "1.0", "")]);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! command_table {
    ({ $($name:ident)* } $(windows { $($more:ident)* })?) => {
        /// The place of each command in the table; a position, not a value of the driver.
        #[allow(clippy::enum_variant_names)]
        enum Index {
            $($name,)*
            $($(#[cfg(windows)] $more,)*)?
            Count,
        }

        /// The names in the order of the table.
        const NAMES: &str = stringify!($($name)* $($($more)*)?);

        /// How many commands the API has on this target.
        pub const COMMAND_COUNT: usize = Index::Count as usize;
    };
}
