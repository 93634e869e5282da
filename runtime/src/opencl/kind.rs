//! Kinds of external handles, by what OpenCL calls them: in, a value of an enumeration, or a property that carries a handle; out, its row in
//! the generated table, and what follows from it.

use clcu_sys::{
    opencl::{self, cl_external_memory_handle_type_khr, cl_external_semaphore_handle_type_khr},
    rules::{ExportedSize, HandleKind, HandleType, Owner, Platform},
};

use crate::import::Carrier;
pub(super) use crate::import::exists_here;

/// The row of a type of semaphore handle; `None` for one that this version of the crate does not know.
///
/// With `cl_khr_external_semaphore`. Source: `cl_external_semaphore_handle_type_khr` of the OpenCL API specification; the row is of
/// [`clcu_sys::opencl::HANDLE_TYPES`].
#[must_use]
pub fn of_semaphore(handle_type: cl_external_semaphore_handle_type_khr) -> Option<&'static HandleType> {
    row(HandleKind::Semaphore, handle_type.0.into())
}

/// The row of a type of memory handle; `None` for one that this version of the crate does not know.
///
/// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification; the row is of
/// [`clcu_sys::opencl::HANDLE_TYPES`].
#[must_use]
pub fn of_memory(handle_type: cl_external_memory_handle_type_khr) -> Option<&'static HandleType> {
    row(HandleKind::Memory, handle_type.0.into())
}

/// The row of the handle type that a property of a semaphore carries, if it carries one: the key is the type.
#[must_use]
pub(super) fn of_semaphore_property(key: u64) -> Option<&'static HandleType> {
    row(HandleKind::Semaphore, key)
}

/// The same for a property of memory.
#[must_use]
pub(super) fn of_memory_property(key: u64) -> Option<&'static HandleType> {
    row(HandleKind::Memory, key)
}

fn row(kind: HandleKind, value: u64) -> Option<&'static HandleType> {
    opencl::HANDLE_TYPES.iter().find(|row| row.value == Some(value) && row.kind == kind)
}

/// What a handle of some kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A file descriptor.
    Fd,
    /// An NT handle.
    Win32,
    /// The name of a Windows object.
    Name,
    /// A global KMT handle: a number.
    Kmt,
    /// The address of an object of another library.
    Object,
}

/// What a handle of this kind is. Upstream says it in prose alone; the names of handle types keep to it.
pub(super) fn form(row: &HandleType) -> Form {
    match row.platform {
        Platform::Windows if row.owner_on_success == Owner::None => Form::Kmt,
        Platform::Windows if row.short.ends_with("_NAME") => Form::Name,
        Platform::Windows => Form::Win32,
        _ if row.short.ends_with("HARDWARE_BUFFER") => Form::Object,
        _ => Form::Fd,
    }
}

/// Whether a handle of this kind is what an import was given.
pub(super) fn is_carried_by(row: &HandleType, carrier: &Carrier) -> bool {
    match carrier {
        #[cfg(unix)]
        Carrier::Fd(_) | Carrier::RawFd => form(row) == Form::Fd,
        Carrier::Nothing => row.special_value.is_some(),
        #[cfg(windows)]
        Carrier::Win32 => form(row) == Form::Win32,
        Carrier::Name => form(row) == Form::Name,
        Carrier::Kmt => form(row) == Form::Kmt,
        Carrier::Object => form(row) == Form::Object,
    }
}

/// Whether the word of a property list can stand for a handle of this kind. A file descriptor is a C `int`, whichever way it was widened.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // as a driver reads it
pub(super) fn may_carry(row: &HandleType, word: u64) -> bool {
    match form(row) {
        Form::Fd => {
            let fd = word as i32;
            let widened = i64::from(fd).cast_unsigned() == word || u64::from(fd.cast_unsigned()) == word;
            widened && (fd >= 0 || row.special_value == Some(fd.into()))
        }
        Form::Win32 | Form::Name | Form::Kmt | Form::Object => word != 0,
    }
}

/// The same, for a value that may be no handle at all. A positive `int` can stand for every kind, so that the row is not looked for.
#[inline]
pub(super) fn could_carry(word: u64, row: impl FnOnce() -> Option<&'static HandleType>) -> bool {
    (1..=i32::MAX as u64).contains(&word) || row().is_none_or(|row| may_carry(row, word))
}

/// How many bytes a handle of this kind has where it is exported. Upstream names no sizes.
pub(super) fn exported_size(row: &HandleType) -> usize {
    let size = match (row.exported_size, form(row)) {
        (ExportedSize::Unspecified, Form::Fd) => ExportedSize::INT,
        (ExportedSize::Unspecified, Form::Kmt) => ExportedSize::U32,
        (ExportedSize::Unspecified, _) => ExportedSize::POINTER,
        (stated, _) => stated,
    };
    if let ExportedSize::Bytes(bytes) = size { bytes } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_the_form_that_its_name_says() {
        let of = |short: &str| {
            let rows = opencl::HANDLE_TYPES.iter().filter(|row| row.short == short);
            rows.map(form).collect::<Vec<_>>()
        };
        for (short, wanted) in [
            ("OPAQUE_FD", Form::Fd),
            ("SYNC_FD", Form::Fd),
            ("DMA_BUF", Form::Fd),
            ("OPAQUE_WIN32", Form::Win32),
            ("D3D12_FENCE", Form::Win32),
            ("OPAQUE_WIN32_KMT", Form::Kmt),
            ("OPAQUE_WIN32_NAME", Form::Name),
            ("ANDROID_HARDWARE_BUFFER", Form::Object),
        ] {
            let found = of(short);
            assert!(!found.is_empty() && found.iter().all(|form| *form == wanted), "{short}: {found:?}");
        }
    }

    #[test]
    fn a_descriptor_is_read_as_an_int_and_minus_one_is_for_sync_files_alone() {
        let sync_fd =
            of_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR).expect("it is in cl.xml");
        let opaque =
            of_semaphore(cl_external_semaphore_handle_type_khr::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR).expect("it is in cl.xml");
        for (word, sync, other) in
            [(0, true, true), (7, true, true), (u64::MAX, true, false), (0xFFFF_FFFF, true, false), (1 << 32, false, false)]
        {
            assert_eq!((may_carry(sync_fd, word), may_carry(opaque, word)), (sync, other), "{word:#X}");
        }
    }
}
