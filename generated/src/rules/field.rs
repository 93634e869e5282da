//! A member of a record, or a parameter of a command, as a place that can be read: by position and width, never by union member.
//!
//! In: `offset_of!` and the type of the member, taken by the macros of generated code. Out: [`Member`], typed, for constructors and
//! [`Zeroed`](super::Zeroed); and [`Field`], without types, for the tables of rules.
//!
//! Reading bytes at a position is sound whichever member of a union was written, as long as the bytes are initialised; which of them a
//! handle type selects is said by the conditions of the rules, which are looked at before the field is.

use core::marker::PhantomData;

use super::property::{PropertyList, PropertyTable};

/// What the bytes of a field are.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A pointer, or a handle that is carried by one.
    Pointer,
    /// An array or record: only its bytes as a whole mean something here.
    Bytes,
    /// A property list, described by a table.
    List(&'static PropertyTable),
    /// The value of the property with this key in the list.
    Property(&'static PropertyTable, u64),
    /// Behind a pointer, or in each element of an array: the checker does not go there, and says so.
    Elsewhere,
}

/// A place that a rule looks at.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The way to it, in upstream's names: `handle.win32.name`.
    pub path: &'static str,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// How many bytes it has.
    pub size: usize,
    /// What they are.
    pub kind: Kind,
}

/// Whether writing a member can change where a rule that follows a pointer would look.
pub trait Access: Copy {}

/// No rule follows it: any value may be written.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

/// A rule follows the pointer that it is, or overlaps: writing it takes a promise.
#[derive(Clone, Copy, Debug)]
pub struct Followed;

impl Access for Plain {}
impl Access for Followed {}

/// A member of the record `R` that has the type `M`. Its place is a field and not a method, because tables name some thousand of them, and
/// a method takes the compiler several times as long to find.
#[derive(Debug)]
pub struct Member<R, M, A = Plain> {
    /// The place without its types.
    pub field: Field,
    types: PhantomData<fn(R, A) -> M>,
}

impl<R, M, A> Clone for Member<R, M, A> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, M, A> Copy for Member<R, M, A> {}

impl<R, M, A> Member<R, M, A> {
    /// Only the macros of this crate make members.
    ///
    /// # Safety
    /// A value of `M` lies `offset` bytes from the start of every `R`. It has no padding, and every pattern of bytes is a value of it.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const unsafe fn new(path: &'static str, offset: usize, kind: Kind) -> Self {
        assert!(offset + size_of::<M>() <= size_of::<R>(), "a member lies within its record");
        Self { field: Field { path, offset, size: size_of::<M>(), kind }, types: PhantomData }
    }
}

/// The bytes of a record that is being checked.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    start: *const u8,
    record: PhantomData<&'a ()>,
}

impl<'a> Bytes<'a> {
    /// Those of `record`.
    ///
    /// # Safety
    /// All bytes of `record`, but padding, are initialised.
    #[inline]
    #[must_use]
    pub const unsafe fn of<R>(record: &'a R) -> Self {
        Self { start: (&raw const *record).cast(), record: PhantomData }
    }

    /// Reads a `T` at `offset`.
    ///
    /// # Safety
    /// There are `size_of::<T>()` initialised bytes within the record, and every pattern of bytes is a `T`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the width must be known where a specialised check is compiled
    pub(super) const unsafe fn read<T: Copy>(self, offset: usize) -> T {
        // SAFETY: the caller promises the bytes, and `read_unaligned` needs no alignment.
        unsafe { self.start.add(offset).cast::<T>().read_unaligned() }
    }

    /// The bits of a scalar field without its sign; `None` where it has another width than an integer.
    ///
    /// # Safety
    /// `field` is one of the record.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) unsafe fn bits(self, field: Field) -> Option<u64> {
        // SAFETY: the field lies within the record by its contract, and each arm reads as many bytes as it has.
        unsafe {
            match field.size {
                1 => Some(self.read::<u8>(field.offset).into()),
                2 => Some(self.read::<u16>(field.offset).into()),
                4 => Some(self.read::<u32>(field.offset).into()),
                8 => Some(self.read::<u64>(field.offset)),
                _ => None,
            }
        }
    }

    /// The number that a scalar field holds; `None` where it is none, or a property that the list does not have.
    ///
    /// # Safety
    /// `field` is one of the record.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) unsafe fn number(self, field: Field) -> Option<i128> {
        match field.kind {
            Kind::Unsigned | Kind::Pointer => {
                // SAFETY: promised by the caller.
                unsafe { self.bits(field) }.map(i128::from)
            }
            Kind::Signed => {
                // SAFETY: promised by the caller.
                let bits = unsafe { self.bits(field) }?;
                let unused = 64 - 8 * u32::try_from(field.size).ok()?;
                Some(i128::from((bits << unused).cast_signed() >> unused))
            }
            Kind::Property(table, key) => {
                // SAFETY: promised by the caller.
                unsafe { self.list(field) }.value_of(table, key)?.first().map(i128::from)
            }
            Kind::Bytes | Kind::List(_) | Kind::Elsewhere => None,
        }
    }

    /// The property list that a field is, or is a property of.
    ///
    /// # Safety
    /// `field` is one of the record, of [`Kind::List`] or [`Kind::Property`].
    #[inline]
    pub(super) unsafe fn list(self, field: Field) -> PropertyList<'a> {
        // SAFETY: fields of these kinds are made from members of the type `PropertyList`, and the caller promises that it is one.
        unsafe { self.read(field.offset) }
    }

    /// Whether every byte of the field is zero.
    ///
    /// # Safety
    /// `field` is one of the record.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) unsafe fn is_zero(self, field: Field) -> bool {
        let (words, rest) = (field.size / 8, field.size % 8);
        let mut seen = 0;
        // Word by word, and without leaving early: a handful of loads that the processor joins is cheaper than a branch a word.
        for word in 0..words {
            // SAFETY: `word` counts whole words of the field, which lies within the record.
            seen |= unsafe { self.read::<u64>(field.offset + 8 * word) };
        }
        let tail = field.offset + 8 * words;
        // SAFETY: as above; the parts of `rest` are read one after another, from the largest on.
        unsafe {
            if rest & 4 != 0 {
                seen |= u64::from(self.read::<u32>(tail));
            }
            if rest & 2 != 0 {
                seen |= u64::from(self.read::<u16>(tail + (rest & 4)));
            }
            if rest & 1 != 0 {
                seen |= u64::from(self.read::<u8>(tail + (rest & 6)));
            }
        }
        seen == 0
    }

    /// Where the first byte of the field is that is not zero, and what it is.
    ///
    /// # Safety
    /// `field` is one of the record.
    #[inline]
    pub(super) unsafe fn first_non_zero(self, field: Field) -> Option<(usize, u8)> {
        (0..field.size).find_map(|at| {
            // SAFETY: `at` is within the field, which lies within the record.
            let byte = unsafe { self.read::<u8>(field.offset + at) };
            (byte != 0).then_some((at, byte))
        })
    }
}
