//! External memory: in, what another API or process exported; out, an owner of it, and addresses and arrays that map parts of it.
//!
//! What is mapped borrows the memory, and the memory keeps its context: each goes before what it lies in. [`MappedMemory`] is both in one,
//! for who maps once and keeps it in a struct.
//!
//! Importing and mapping are safe for the reasons that [`semaphore`](super::semaphore) gives: an address of the device is a number to
//! this program, and who uses it in a launch or a copy promises that it is mapped, and that the accesses are ordered.

mod mapped;
mod source;

use std::{fmt, mem};

use clcu_sys::{
    cuda::{
        self, CUDA_EXTERNAL_MEMORY_BUFFER_DESC as BufferDescriptor, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC as ArrayDescriptor,
        CUdeviceptr, CUexternalMemory, CUexternalMemoryHandleType, CUmipmappedArray,
    },
    rules::{HandleType, Zeroed},
};

pub use self::{
    mapped::{MappedBuffer, MappedMemory, MipmappedArray},
    source::Source,
};
use super::{
    ImportError, checked,
    context::{Context, Current},
    error::Error,
    import::{self, Witness},
    kind,
};
use crate::trace;

/// External memory that was imported. Destroying it does not free what the other side has.
///
/// Since CUDA 10.0. Source: `CUexternalMemory` of `cuda.h`.
pub struct ExternalMemory {
    context: Context,
    /// Null once it is destroyed or given away.
    handle: CUexternalMemory,
    handle_type: CUexternalMemoryHandleType,
    row: &'static HandleType,
    size: u64,
}

impl ExternalMemory {
    /// Imports memory into the current context.
    ///
    /// Before the driver is called: every command that the memory will need is there, the descriptor breaks no rule, and the device does
    /// not say that it lacks the handle type.
    ///
    /// Since CUDA 10.0. Source: `cuImportExternalMemory` of `cuda.h`.
    ///
    /// # Errors
    /// A file descriptor comes back in the error, whatever the driver did with it, unless the driver reports success: see
    /// [`ImportError::into_fd`].
    ///
    /// What [`ImportError::error`] gives: [`Error::Missing`] where the driver lacks a command that the memory needs; [`Error::Invalid`]
    /// lists every rule that the descriptor breaks; [`Error::Unsupported`] where the system, driver or device lacks the handle type, or
    /// what was given does not carry it; [`Error::System`] where the file descriptor cannot be duplicated; [`Error::Call`] with what
    /// the driver answers; [`Error::Nothing`] where it reports success and gives none.
    pub fn import(current: &Current<'_>, source: Source<'_>) -> Result<Self, ImportError> {
        let (memory, _) = Self::import_seen(current, source, None)?;
        Ok(memory)
    }

    /// Imports memory, with what tells afterwards what became of the descriptor: a duplicate, if nothing else does.
    fn import_seen(current: &Current<'_>, source: Source<'_>, witness: Option<Witness>) -> Result<(Self, Witness), ImportError> {
        #[cfg(unix)]
        let is_suspicious = source.is_suspicious;
        let Source { descriptor, carrier, .. } = source;
        let library = current.library();
        let (handle_type, size) = (descriptor.r#type, descriptor.size);
        let command = &cuda::cuImportExternalMemory;
        let ready = || {
            library.demand(&[command.info(), cuda::cuDestroyExternalMemory.info()])?;
            let row = kind::of_memory(handle_type);
            let ready = library.checked(command).about(row).record(&descriptor, &library.given).ready()?;
            // The rules refuse every type that has no row.
            let row = row.ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
            #[cfg(unix)]
            if is_suspicious {
                import::look(&carrier, descriptor.get(cuda::CUDA_EXTERNAL_MEMORY_HANDLE_DESC::HANDLE_FD), row)?;
            }
            import::demand(&carrier, row, &current.context().device())?;
            Ok((ready, row))
        };
        let (ready, row) = match ready() {
            Ok(ready) => ready,
            Err(error) => return Err(ImportError::after(error, carrier, witness.unwrap_or(Witness::none()))),
        };
        let witness = match witness.map_or_else(|| import::witness(&carrier), Ok) {
            Ok(witness) => witness,
            Err(error) => return Err(ImportError::before(error, carrier)),
        };
        let mut handle = CUexternalMemory::NULL;
        // SAFETY: both pointers are good for the call. What carries the handle is alive: an owned descriptor here, a borrowed handle or name
        // by its lifetime, a raw descriptor or an NvSci object by the promise of its constructor.
        if let Err(error) = ready.call(|import| unsafe { import(&raw mut handle, descriptor.as_ptr()) }) {
            return Err(ImportError::after(error, carrier, witness));
        }
        carrier.give(row.owner_on_success);
        match checked::some(library, command.info(), handle, handle.is_null()) {
            Ok(handle) => Ok((Self { context: current.context().clone(), handle, handle_type, row, size }, witness)),
            Err(error) => Err(ImportError::undone(error, witness)),
        }
    }

    /// Imports memory and maps a part of it, or does neither.
    ///
    /// The driver gets a duplicate of a file descriptor; the caller's is closed only when both succeeded. So an exported descriptor, which
    /// often cannot be had a second time, survives a mapping that fails.
    ///
    /// `offset` and `length` are in bytes, as for [`ExternalMemory::map_buffer`].
    ///
    /// Since CUDA 10.0. Source: `cuImportExternalMemory`, `cuExternalMemoryGetMappedBuffer` of `cuda.h`.
    ///
    /// # Errors
    /// The caller's file descriptor comes back in every one. Those of [`ExternalMemory::import`] and of [`ExternalMemory::map_buffer`].
    pub fn import_and_map(
        current: &Current<'_>,
        source: Source<'_>,
        offset: u64,
        length: u64,
    ) -> Result<MappedMemory, ImportError> {
        // What cannot be unmapped shall not be mapped, and nothing imported for it.
        let demanded = current.library().demand(&[cuda::cuExternalMemoryGetMappedBuffer.info(), cuda::cuMemFree_v2.info()]);
        if let Err(error) = demanded {
            return Err(ImportError::before(error, source.carrier));
        }
        let (source, witness) = source.duplicated()?;
        let (memory, witness) = Self::import_seen(current, source, witness)?;
        match memory.map(offset, length) {
            // The caller's descriptor is closed: the driver has its own.
            Ok(address) => Ok(MappedMemory::new(memory, address, length)),
            // The memory is dropped, which destroys it.
            Err(error) => Err(ImportError::undone(error, witness)),
        }
    }

    /// Takes memory that somebody else imported into `context`.
    ///
    /// `size` is in bytes: what is mapped lies within.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemory` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver cannot destroy it; [`Error::UnknownHandleType`].
    ///
    /// # Safety
    /// It is alive, was imported by this driver with this handle type and size, and nobody else destroys it.
    pub unsafe fn from_raw(
        context: &Context,
        handle: CUexternalMemory,
        handle_type: CUexternalMemoryHandleType,
        size: u64,
    ) -> Result<Self, Error> {
        context.library().demand(&[cuda::cuDestroyExternalMemory.info()])?;
        let row = kind::of_memory(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
        Ok(Self { context: context.clone(), handle, handle_type, row, size })
    }

    /// Maps `length` bytes from `offset` on into the device's addresses.
    ///
    /// They are mapped in the context of the memory. Both obey the alignment that the exporting API asks for. Mapping the same bytes twice
    /// gives two addresses.
    ///
    /// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedBuffer` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that unmaps; [`Error::OutOfRange`] for zero bytes, and for
    /// what does not lie within the memory; [`Error::Call`] with what the driver answers, to this or to making the context current;
    /// [`Error::Nothing`] where it reports success and gives none.
    pub fn map_buffer(&self, offset: u64, length: u64) -> Result<MappedBuffer<'_>, Error> {
        // What cannot be unmapped shall not be mapped.
        self.context.library().demand(&[cuda::cuMemFree_v2.info()])?;
        let address = self.map(offset, length)?;
        Ok(MappedBuffer::new(self, address, length))
    }

    fn map(&self, offset: u64, length: u64) -> Result<CUdeviceptr, Error> {
        let end = offset.checked_add(length).filter(|end| *end <= self.size);
        if end.is_none() || length == 0 {
            return Err(Error::OutOfRange { offset, length, size: self.size });
        }
        let descriptor =
            Zeroed::<BufferDescriptor>::new().with(BufferDescriptor::OFFSET, offset).with(BufferDescriptor::SIZE, length);
        let current = self.context.enter()?;
        // SAFETY: the memory is alive, and the descriptor is initialised.
        unsafe { checked::external_memory_get_mapped_buffer(current.library(), self.handle, self.handle_type, &descriptor, &[]) }
    }

    /// Maps an image of the memory as a mipmapped array. The descriptor says where it begins, its format, extent and levels, as the
    /// exporting API laid them out.
    ///
    /// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedMipmappedArray`, `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or those that give a level and destroy; [`Error::Invalid`] lists every
    /// rule that the descriptor breaks, or says that no image can be mapped of the handle type; [`Error::Call`] with what the driver
    /// answers, to this or to making the context current; [`Error::Nothing`] where it reports success and gives none.
    pub fn map_mipmapped_array(&self, descriptor: &Zeroed<'_, ArrayDescriptor>) -> Result<MipmappedArray<'_>, Error> {
        let library = self.context.library();
        library.demand(&[cuda::cuMipmappedArrayDestroy.info(), cuda::cuMipmappedArrayGetLevel.info()])?;
        let map = checked::external_memory_get_mapped_mipmapped_array;
        let _current = self.context.enter()?;
        // SAFETY: the memory is alive, and the descriptor is initialised.
        let array: CUmipmappedArray = unsafe { map(library, self.handle, self.handle_type, descriptor, &[]) }?;
        Ok(MipmappedArray::new(self, array, descriptor.numLevels))
    }

    /// The handle, for other crates. It stays this value's to destroy.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemory` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUexternalMemory {
        self.handle
    }

    /// Gives the handle away, with the duty to destroy it by `cuDestroyExternalMemory`.
    ///
    /// Since CUDA 10.0. Source: `CUexternalMemory` of `cuda.h`.
    #[must_use]
    pub fn into_raw(mut self) -> CUexternalMemory {
        mem::replace(&mut self.handle, CUexternalMemory::NULL)
    }

    /// Its size in bytes, as it was imported.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The kind of handle that it was imported from.
    #[must_use]
    pub fn handle_type(&self) -> &'static HandleType {
        self.row
    }

    /// Destroys it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// What is mapped of it goes first:
    ///
    /// ```compile_fail,E0505
    /// # fn f(memory: clcu::cuda::ExternalMemory) -> Result<(), clcu::cuda::Error> {
    /// let buffer = memory.map_buffer(0, 4096)?;
    /// memory.destroy()?;
    /// println!("{:?}", buffer.address());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Since CUDA 10.0. Source: `cuDestroyExternalMemory` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn destroy(mut self) -> Result<(), Error> {
        self.release()
    }

    fn release(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUexternalMemory::NULL);
        if handle.is_null() {
            return Ok(());
        }
        let _current = self.context.enter()?;
        let destroy = self.context.library().checked(&cuda::cuDestroyExternalMemory).about(Some(self.row));
        // SAFETY: it is alive, nothing is mapped of it, and this is the one time that it is destroyed.
        destroy.call(|destroy| unsafe { destroy(handle) })
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            trace::lost("external memory could not be destroyed", &error);
        }
    }
}

impl fmt::Debug for ExternalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle, handle_type, size, .. } = self;
        f.debug_struct("ExternalMemory")
            .field("handle", handle)
            .field("type", handle_type)
            .field("size", size)
            .finish_non_exhaustive()
    }
}
