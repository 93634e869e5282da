//! A record of which every byte is initialised, because it began as zeroes and was only ever changed member by member.
//!
//! In: typed [`Member`]s and values. Out: a record that can be checked without `unsafe`, and handed to a driver.
//!
//! It gives no `&mut` to the record: assigning a union or a whole record, which safe code may do with any `&mut`, would leave bytes
//! uninitialised that a check reads. Nor does it let a pointer be set without a promise, if a rule follows it.

use core::{marker::PhantomData, ops::Deref};

use super::{
    check::{Checked, Record, Violations, check_raw, check_raw_waiving},
    field::{Followed, Member, Plain},
    given::Given,
    utf16::Utf16Name,
};

/// A record that began as zeroes. `'a` is the life of the names that it points to.
///
/// ```
/// # #[cfg(feature = "cuda")] {
/// use clcu_sys::{cuda::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, rules::Given};
/// let descriptor = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::opaque_fd(3);
/// assert!(descriptor.check(&Given::default()).is_ok());
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Zeroed<'a, R> {
    record: R,
    names: PhantomData<&'a [u16]>,
}

impl<'a, R: Record + Copy> Zeroed<'a, R> {
    /// All zeroes.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        // SAFETY: generated records are made of integers, floats, raw pointers, optional function pointers, and newtypes, arrays and
        // records of these; zero is a value of each.
        Self { record: unsafe { core::mem::zeroed() }, names: PhantomData }
    }

    /// Writes `value` into `member`.
    ///
    /// # Safety
    /// The bytes of the members that it overlaps stay such that a rule may follow a pointer among them.
    #[inline]
    const unsafe fn write<M: Copy, A: Copy>(&mut self, member: Member<R, M, A>, value: M) {
        // SAFETY: a member lies within its record; only this place and those over it are written, all bytes of the value are
        // initialised since its type has no padding, so all bytes of the record still are.
        unsafe { (&raw mut self.record).cast::<u8>().add(member.field.offset).cast::<M>().write_unaligned(value) }
    }

    /// The same with `value` in `member`.
    #[inline]
    #[must_use]
    pub const fn with<M: Copy>(mut self, member: Member<R, M, Plain>, value: M) -> Self {
        self.set(member, value);
        self
    }

    /// Sets `member` to `value`.
    #[inline]
    pub const fn set<M: Copy>(&mut self, member: Member<R, M, Plain>, value: M) {
        // SAFETY: a plain member overlaps no pointer that a rule follows.
        unsafe { self.write(member, value) }
    }

    /// The same with a pointer that a rule follows.
    ///
    /// # Safety
    /// `value` is null, or points to text that ends with a zero and stays as it is for `'a`.
    #[inline]
    #[must_use]
    pub const unsafe fn with_followed<M: Copy>(mut self, member: Member<R, M, Followed>, value: M) -> Self {
        // SAFETY: promised by the caller.
        unsafe { self.write(member, value) }
        self
    }

    /// The same with `name` in `member`.
    #[inline]
    #[must_use]
    pub const fn with_name(mut self, member: Member<R, *const core::ffi::c_void, Followed>, name: Utf16Name<'a>) -> Self {
        // SAFETY: a name ends with a zero, and lives for `'a`.
        unsafe { self.write(member, name.as_ptr()) }
        self
    }

    /// What `member` holds. If it shares bytes with others, what is read are the bytes that were written last.
    #[inline]
    #[must_use]
    pub const fn get<M: Copy, A: Copy>(&self, member: Member<R, M, A>) -> M {
        // SAFETY: a member lies within its record, every byte of which is initialised, and every pattern of bytes is a value of its type.
        unsafe { (&raw const self.record).cast::<u8>().add(member.field.offset).cast::<M>().read_unaligned() }
    }

    /// Checks it.
    ///
    /// # Errors
    /// All rules that it breaks, at once.
    #[inline]
    pub fn check<'c>(&'c self, given: &'c Given<'c>) -> Result<Checked<'c>, Violations<'c>> {
        // SAFETY: every byte is initialised, and pointers that rules follow were set from names or with a promise.
        unsafe { check_raw(&self.record, given) }
    }

    /// Checks it, except for the rules with the ids in `waived`.
    ///
    /// # Errors
    /// All other rules that it breaks, at once.
    #[inline]
    pub fn check_waiving<'c>(&'c self, given: &'c Given<'c>, waived: &'c [&'c str]) -> Result<Checked<'c>, Violations<'c>> {
        // SAFETY: as for `check`.
        unsafe { check_raw_waiving(&self.record, given, waived) }
    }

    /// For a command of the driver.
    #[inline]
    #[must_use]
    pub const fn as_ptr(&self) -> *const R {
        &raw const self.record
    }
}

impl<R: Record + Copy> Default for Zeroed<'_, R> {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Deref for Zeroed<'_, R> {
    type Target = R;

    #[inline]
    fn deref(&self) -> &R {
        &self.record
    }
}
