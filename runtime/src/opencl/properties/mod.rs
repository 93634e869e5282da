//! Property lists: in, what an object shall be; out, the words that say so. And back: a raw list in words that people read.
//!
//! A list is `key, value, key, value, …, 0`, and some values are lists with an end of their own. The builders here make lists that end, name
//! what they must, and nothing twice, as long as what goes in is what it is called: a handle type that is one, a device that is not null.
//! Whatever else the rules refuse is refused before the platform is called. [`explain`] says what a list that came from elsewhere holds, and
//! what is wrong with it.

mod explain;

use std::{error, fmt, ops::Deref};

use clcu_sys::{
    opencl::{
        cl_context_properties, cl_device_id, cl_external_semaphore_handle_type_khr, cl_mem_properties, cl_queue_properties,
        cl_semaphore_properties_khr, cl_semaphore_type_khr,
    },
    rules::Word,
};

pub use self::explain::{Described, Explanation, Fault, explain};

/// A word that does not fit the integer of which a list is made on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotFit {
    /// Which word of the list it is. The first is 0.
    pub at: usize,
    /// The word.
    pub word: u64,
    /// How many bits an element of the list has.
    pub bits: u32,
}

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "word {} of the property list is {:#X}, which does not fit the {} bits that an element of it has on this target",
            self.at, self.word, self.bits
        )
    }
}

impl error::Error for DoesNotFit {}

mod sealed {
    pub trait Sealed {}
}

/// An element of a property list, as commands take it.
///
/// Source: `cl_properties` of the OpenCL API specification, since OpenCL 3.0, and the types of lists that are older, as
/// `cl_context_properties`.
pub trait Element: Word + sealed::Sealed {
    /// How many bits it has: 32 or 64.
    const BITS: u32;

    /// The element that stands for `word`; `None` where bits would be lost. A number that is the extension of a negative one fits.
    fn of(word: u64) -> Option<Self>;
}

macro_rules! elements {
    ($($name:ty: $unsigned:ident, $signed:ident, $make:expr;)*) => {$(
        // On 32-bit targets too: `cl_properties` has 64 bits everywhere.
        const _: () = assert!(size_of::<$name>() == size_of::<$unsigned>());

        impl sealed::Sealed for $name {}

        impl Element for $name {
            const BITS: u32 = $unsigned::BITS;

            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)] // it is looked at afterwards
            #[allow(clippy::redundant_closure_call, clippy::cast_lossless)] // as for the newtypes; for every width alike
            fn of(word: u64) -> Option<Self> {
                let (unsigned, signed) = (word as $unsigned, word as $signed);
                (unsigned as u64 == word || signed as i64 as u64 == word).then(|| ($make)(word as $signed))
            }
        }
    )*};
}

elements! {
    i32: u32, i32, |signed: i32| signed;
    u64: u64, i64, |signed: i64| signed.cast_unsigned();
    isize: usize, isize, |signed: isize| signed;
    cl_context_properties: usize, isize, cl_context_properties;
    cl_mem_properties: u64, i64, |signed: i64| cl_mem_properties(signed.cast_unsigned());
    cl_queue_properties: u64, i64, |signed: i64| cl_queue_properties(signed.cast_unsigned());
    cl_semaphore_properties_khr: u64, i64, |signed: i64| cl_semaphore_properties_khr(signed.cast_unsigned());
}

/// A list of elements of the type that a command takes. Most are 64 bits wide on every target; `cl_context_properties` is as wide as a pointer.
///
/// # Errors
/// [`DoesNotFit`] with the first word that does not fit: a 64-bit mask in a list of `intptr_t` on a 32-bit target.
///
/// ```
/// use clcu::opencl::properties::encode;
/// assert_eq!(encode::<u64>(&[0x203D, 1, 0]), Ok(vec![0x203D, 1, 0]));
/// // As a list of `intptr_t` is on a 32-bit target.
/// assert!(encode::<i32>(&[0x1084, 1 << 32, 0]).is_err());
/// ```
///
/// Source: the property lists of the OpenCL API specification, as `cl_context_properties` since OpenCL 1.0.
pub fn encode<E: Element>(words: &[u64]) -> Result<Vec<E>, DoesNotFit> {
    let element = |(at, word): (usize, &u64)| E::of(*word).ok_or(DoesNotFit { at, word: *word, bits: E::BITS });
    words.iter().enumerate().map(element).collect()
}

/// The properties of a semaphore that is made from nothing, and not to be exported.
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_properties_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub enum Created {}

/// The properties of a semaphore that may be exported.
///
/// With `cl_khr_external_semaphore`. Source: `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub enum Exportable {}

/// The properties of a semaphore that is made from a handle.
///
/// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
pub enum Imported {}

/// The properties of a semaphore. `S` says where it comes from: one that is imported cannot be made exportable, and one that is exportable is so
/// for one handle type.
///
/// ```
/// use clcu::{opencl::properties::Semaphore, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// let words = Semaphore::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR).words();
/// assert_eq!(words[..], [0x203D, 1, 0x203F, 0x2058, 0, 0]);
/// ```
///
/// An imported semaphore cannot be exported, which upstream answers with `CL_INVALID_OPERATION`:
///
/// ```compile_fail,E0599
/// use clcu::{opencl::properties::Semaphore, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// let imported = Semaphore::binary().imported_fd(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1);
/// imported.exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
/// ```
///
/// Nor is there a second export type, which upstream answers with `CL_INVALID_VALUE`, or a second handle (`CL_INVALID_PROPERTY`):
///
/// ```compile_fail,E0599
/// use clcu::{opencl::properties::Semaphore, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// let exportable = Semaphore::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
/// exportable.exportable(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
/// ```
///
/// ```compile_fail,E0599
/// use clcu::{opencl::properties::Semaphore, sys::opencl::cl_external_semaphore_handle_type_khr as HandleType};
/// let imported = Semaphore::binary().imported_fd(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1);
/// imported.imported_fd(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 3);
/// ```
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_properties_khr` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Semaphore<S> {
    of: cl_semaphore_type_khr,
    export: Option<cl_external_semaphore_handle_type_khr>,
    handle: Option<(cl_external_semaphore_handle_type_khr, u64)>,
    device: Option<cl_device_id>,
    state: std::marker::PhantomData<fn() -> S>,
}

impl Semaphore<Created> {
    /// A binary semaphore, the one type that upstream has.
    ///
    /// With `cl_khr_semaphore`. Source: `CL_SEMAPHORE_TYPE_BINARY_KHR` of the OpenCL API specification.
    pub const fn binary() -> Self {
        Self {
            of: cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR,
            export: None,
            handle: None,
            device: None,
            state: std::marker::PhantomData,
        }
    }

    fn into<S>(self) -> Semaphore<S> {
        let Self { of, export, handle, device, .. } = self;
        Semaphore { of, export, handle, device, state: std::marker::PhantomData }
    }

    /// May be exported as a handle of this type. Upstream allows one.
    ///
    /// With `cl_khr_external_semaphore`. Source: `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR` of the OpenCL API specification.
    pub fn exportable(self, handle_type: cl_external_semaphore_handle_type_khr) -> Semaphore<Exportable> {
        Semaphore { export: Some(handle_type), ..self.into() }
    }

    /// Is made from a file descriptor. It is widened as C does, so that −1 stays −1.
    ///
    /// The list only has the number: the descriptor stays the caller's until a platform imports it.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    pub fn imported_fd(self, handle_type: cl_external_semaphore_handle_type_khr, fd: std::ffi::c_int) -> Semaphore<Imported> {
        self.imported(handle_type, i64::from(fd).cast_unsigned())
    }

    /// Is made from another handle, by the word that stands for it: a pointer's address, a number.
    ///
    /// What is at the address has to stay there for as long as the list is used.
    ///
    /// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification.
    pub fn imported(self, handle_type: cl_external_semaphore_handle_type_khr, word: u64) -> Semaphore<Imported> {
        Semaphore { handle: Some((handle_type, word)), ..self.into() }
    }
}

impl<S> Semaphore<S> {
    /// For this device alone. In a context of several devices upstream demands it, and allows one.
    ///
    /// With `cl_khr_semaphore`. Source: `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR` of the OpenCL API specification.
    pub fn device(mut self, device: cl_device_id) -> Self {
        self.device = Some(device);
        self
    }

    /// The list, with the zero that ends it.
    ///
    /// With `cl_khr_semaphore`. Source: `cl_semaphore_properties_khr` of the OpenCL API specification.
    #[must_use]
    pub fn words(&self) -> Words {
        let mut words = Words { words: [0; LONGEST], len: 0 };
        words.push(&[cl_semaphore_properties_khr::CL_SEMAPHORE_TYPE_KHR.0, self.of.0.into()]);
        if let Some((handle_type, word)) = self.handle {
            words.push(&[handle_type.0.into(), word]);
        }
        if let Some(handle_type) = self.export {
            let end = cl_semaphore_properties_khr::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR.0;
            words.push(&[cl_semaphore_properties_khr::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.0, handle_type.0.into(), end]);
        }
        if let Some(device) = self.device {
            let end = cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR.0;
            words.push(&[cl_semaphore_properties_khr::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.0, address(device), end]);
        }
        words.push(&[0]);
        words
    }
}

/// The word that stands for a device in a list.
#[allow(clippy::unnecessary_cast)] // as wide as a pointer on each target
fn address(device: cl_device_id) -> u64 {
    device.0.addr() as u64
}

/// A type, one handle or export type, a device, and the end.
const LONGEST: usize = 2 + 3 + 3 + 1;

/// The words of a list, without memory of its own.
///
/// At most nine words, the zero that ends the list among them.
///
/// With `cl_khr_semaphore`. Source: `cl_semaphore_properties_khr` of the OpenCL API specification.
#[derive(Clone, Copy)]
pub struct Words {
    words: [u64; LONGEST],
    len: usize,
}

impl Words {
    fn push(&mut self, more: &[u64]) {
        if let Some(room) = self.words.get_mut(self.len..self.len + more.len()) {
            room.copy_from_slice(more);
            self.len += more.len();
        }
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        self.words.get(..self.len).unwrap_or_default()
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|word| format!("{word:#X}"))).finish()
    }
}

#[cfg(test)]
mod tests {
    use cl_external_semaphore_handle_type_khr as HandleType;

    use super::*;

    #[test]
    fn a20_a_list_within_the_list_has_an_end_of_its_own() {
        let words = Semaphore::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR).words();
        assert_eq!(words[..], [0x203D, 1, 0x203F, 0x2058, 0, 0]);
    }

    #[test]
    fn the_longest_list_fits() {
        let device = cl_device_id(std::ptr::without_provenance_mut(0xD0));
        let words = Semaphore::binary().exportable(HandleType::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR).device(device).words();
        assert_eq!(words[..], [0x203D, 1, 0x203F, 0x2055, 0, 0x2053, 0xD0, 0, 0]);
        assert_eq!(words.len(), LONGEST);
        let words = Semaphore::binary().imported_fd(HandleType::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1).device(device).words();
        assert_eq!(words[..], [0x203D, 1, 0x2058, u64::MAX, 0x2053, 0xD0, 0, 0]);
    }

    #[test]
    fn b31_a_mask_of_64_bits_does_not_fit_a_list_of_intptr_t_on_32_bits() {
        let fault = encode::<i32>(&[0x1084, 1 << 40, 0]).expect_err("an element has 32 bits");
        assert_eq!(fault, DoesNotFit { at: 1, word: 1 << 40, bits: 32 });
        assert!(fault.to_string().contains("word 1 of the property list is 0x10000000000"), "{fault}");
        // What has 32 bits fits, whether it is a high address or a negative number that was widened.
        assert_eq!(encode::<i32>(&[0xFFFF_0000, u64::MAX, 7]), Ok(vec![-0x1_0000, -1, 7]));
        assert_eq!(encode::<u64>(&[1 << 63]), Ok(vec![1 << 63]));
        assert_eq!(encode::<cl_context_properties>(&[0x1084, 5, 0]).map(|list| list.len()), Ok(3));
    }
}
