//! Names of Windows objects: UTF-16 text with a zero at its end, behind a pointer that C declares as `void *`.
//!
//! In: 16-bit units, or Rust text and a buffer. Out: [`Utf16Name`], which cannot be made of anything else, so that a pointer to UTF-8
//! bytes is never taken for one; and, for descriptors that somebody else made, what is wrong with the text behind a pointer.

use core::{ffi::c_void, fmt, marker::PhantomData};

/// The most units that a name of a Windows object has, by the 16-bit count of bytes that carries it within the system.
pub const LONGEST: usize = 32_767;

/// Text of UTF-16 units that ends with a zero and has none before.
#[derive(Clone, Copy, Debug)]
pub struct Utf16Name<'a> {
    start: *const u16,
    units: PhantomData<&'a [u16]>,
}

// SAFETY: it is a shared slice of integers.
unsafe impl Send for Utf16Name<'_> {}
// SAFETY: see above.
unsafe impl Sync for Utf16Name<'_> {}

/// Why a name is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No zero among so many units.
    NotTerminated(usize),
    /// A zero at this unit, with more after it.
    InteriorNul(usize),
    /// The pointer is not aligned to 16 bits, so it points to something else: to bytes, perhaps.
    Misaligned,
    /// The buffer is too short: it takes so many units.
    BufferTooShort(usize),
}

impl fmt::Display for Fault {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTerminated(units) => write!(f, "no zero among {units} units"),
            Self::InteriorNul(at) => write!(f, "a zero at unit {at}, with more after it"),
            Self::Misaligned => f.write_str("a pointer that is not aligned to 16 bits"),
            Self::BufferTooShort(units) => write!(f, "a buffer too short for {units} units"),
        }
    }
}

impl core::error::Error for Fault {}

impl<'a> Utf16Name<'a> {
    /// The name that `units` hold: the last is zero, and no other.
    ///
    /// # Errors
    /// Where that is not so, or the name is longer than any can be.
    #[inline]
    pub fn new(units: &'a [u16]) -> Result<Self, Fault> {
        match units.iter().position(|unit| *unit == 0) {
            None => Err(Fault::NotTerminated(units.len())),
            Some(at) if at > LONGEST => Err(Fault::NotTerminated(LONGEST)),
            Some(at) if at + 1 == units.len() => Ok(Self { start: units.as_ptr(), units: PhantomData }),
            Some(at) => Err(Fault::InteriorNul(at)),
        }
    }

    /// `text` as UTF-16 in `buffer`, with a zero after it.
    ///
    /// ```
    /// use clcu_sys::rules::Utf16Name;
    /// let mut buffer = [0; 16];
    /// assert!(Utf16Name::encode("Global\\é", &mut buffer).is_ok());
    /// assert_eq!(buffer[..9], [71, 108, 111, 98, 97, 108, 92, 0xE9, 0]);
    /// assert!(Utf16Name::encode("a\0b", &mut buffer).is_err());
    /// ```
    ///
    /// # Errors
    /// Where the text has a zero in it, or the buffer is too short.
    #[inline]
    pub fn encode(text: &str, buffer: &'a mut [u16]) -> Result<Self, Fault> {
        let needed = text.encode_utf16().count() + 1;
        let Some(place) = buffer.get_mut(..needed) else { return Err(Fault::BufferTooShort(needed)) };
        for (unit, place) in text.encode_utf16().chain([0]).zip(place.iter_mut()) {
            *place = unit;
        }
        Self::new(place)
    }

    /// The pointer, for a descriptor.
    #[inline]
    #[must_use]
    pub const fn as_ptr(self) -> *const c_void {
        self.start.cast()
    }
}

/// What is wrong with the text behind `name`; `None` for null, which is another rule's business.
///
/// # Safety
/// `name` is null, or can be read up to a zero unit or [`LONGEST`] units.
#[inline]
pub(super) unsafe fn fault(name: *const u16) -> Option<Fault> {
    if name.is_null() {
        return None;
    }
    if !name.is_aligned() {
        return Some(Fault::Misaligned);
    }
    // SAFETY: no unit before this one was zero, so the caller promises that it can be read.
    let ends = (0..=LONGEST).any(|at| unsafe { name.add(at).read() } == 0);
    (!ends).then_some(Fault::NotTerminated(LONGEST))
}

/// The same for bytes.
///
/// # Safety
/// `text` is null, or can be read up to a zero byte or [`LONGEST`] bytes.
#[inline]
pub(super) unsafe fn fault_of_bytes(text: *const u8) -> Option<Fault> {
    if text.is_null() {
        return None;
    }
    // SAFETY: no byte before this one was zero, so the caller promises that it can be read.
    let ends = (0..=LONGEST).any(|at| unsafe { text.add(at).read() } == 0);
    (!ends).then_some(Fault::NotTerminated(LONGEST))
}
