//! Parts of external memory that are mapped: addresses of the device and mipmapped arrays, each unmapped once and before its memory.

use std::mem;

use clcu_sys::cuda::{self, CUarray, CUdeviceptr, CUmipmappedArray};

use super::ExternalMemory;
use crate::{
    cuda::{context::Context, error::Error},
    trace,
};

/// Bytes of external memory that are mapped. It goes before the memory.
///
/// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedBuffer` of `cuda.h`.
#[derive(Debug)]
pub struct MappedBuffer<'m> {
    memory: &'m ExternalMemory,
    /// Null once it is unmapped.
    address: CUdeviceptr,
    length: u64,
}

impl<'m> MappedBuffer<'m> {
    pub(super) fn new(memory: &'m ExternalMemory, address: CUdeviceptr, length: u64) -> Self {
        Self { memory, address, length }
    }

    /// Where they lie on the device, for kernels and copies, whose callers promise that this value lives long enough.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// How many bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Unmaps them. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Waits for the device, as `cuMemFree` does.
    ///
    /// Since CUDA 3.2. Source: `cuMemFree_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn unmap(mut self) -> Result<(), Error> {
        unmap(&self.memory.context, &mut self.address)
    }
}

impl Drop for MappedBuffer<'_> {
    fn drop(&mut self) {
        if let Err(error) = unmap(&self.memory.context, &mut self.address) {
            trace::lost("mapped memory could not be unmapped", &error);
        }
    }
}

fn unmap(context: &Context, address: &mut CUdeviceptr) -> Result<(), Error> {
    let address = mem::replace(address, CUdeviceptr::NULL);
    if address.is_null() {
        return Ok(());
    }
    let _current = context.enter()?;
    // SAFETY: it is mapped, and this is the one time that it is unmapped.
    context.library().checked(&cuda::cuMemFree_v2).call(|free| unsafe { free(address) })
}

/// External memory with a part of it mapped, in one value: the part is unmapped first.
///
/// Since CUDA 10.0. Source: `cuImportExternalMemory`, `cuExternalMemoryGetMappedBuffer` of `cuda.h`.
#[derive(Debug)]
pub struct MappedMemory {
    memory: ExternalMemory,
    /// Null once it is unmapped.
    address: CUdeviceptr,
    length: u64,
}

impl MappedMemory {
    pub(super) fn new(memory: ExternalMemory, address: CUdeviceptr, length: u64) -> Self {
        Self { memory, address, length }
    }

    /// Where the part lies on the device.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// How many bytes are mapped.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &ExternalMemory {
        &self.memory
    }

    /// Unmaps the part and destroys the memory. The memory is destroyed whatever comes of the first.
    ///
    /// Since CUDA 10.0. Source: `cuMemFree_v2`, `cuDestroyExternalMemory` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to the first, else to the second, or to making the context current
    /// ([`Error::Missing`] where it cannot do that). Neither is tried again.
    pub fn destroy(mut self) -> Result<(), Error> {
        let unmapped = unmap(&self.memory.context, &mut self.address);
        unmapped.and(self.memory.release())
    }
}

impl Drop for MappedMemory {
    fn drop(&mut self) {
        if let Err(error) = unmap(&self.memory.context, &mut self.address) {
            trace::lost("mapped memory could not be unmapped", &error);
        }
    }
}

/// An image in external memory that is mapped. It goes before the memory.
///
/// Since CUDA 10.0. Source: `cuExternalMemoryGetMappedMipmappedArray`, `CUmipmappedArray` of `cuda.h`.
#[derive(Debug)]
pub struct MipmappedArray<'m> {
    memory: &'m ExternalMemory,
    /// Null once it is destroyed.
    handle: CUmipmappedArray,
    levels: u32,
}

impl<'m> MipmappedArray<'m> {
    pub(super) fn new(memory: &'m ExternalMemory, handle: CUmipmappedArray, levels: u32) -> Self {
        Self { memory, handle, levels }
    }

    /// The handle, for other crates. It stays this value's to destroy.
    ///
    /// Since CUDA 5.0. Source: `CUmipmappedArray` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUmipmappedArray {
        self.handle
    }

    /// How many levels it was mapped with.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The array of one level, from 0 to one below [`levels`](Self::levels). It is not the caller's to destroy, and lives as long as
    /// this value.
    ///
    /// Since CUDA 5.0. Source: `cuMipmappedArrayGetLevel` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, as for a level that there is not, to this or to making the context current
    /// ([`Error::Missing`] where it cannot do that); [`Error::Nothing`] where it reports success and gives none.
    pub fn level(&self, level: u32) -> Result<CUarray, Error> {
        let mut array = CUarray::NULL;
        let command = &cuda::cuMipmappedArrayGetLevel;
        let current = self.memory.context.enter()?;
        // SAFETY: the mipmapped array is alive, and the result is written to memory that is ours.
        current.library().checked(command).call(|get| unsafe { get(&raw mut array, self.handle, level) })?;
        crate::cuda::checked::some(current.library(), command.info(), array, array.is_null())
    }

    /// Destroys it. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 5.0. Source: `cuMipmappedArrayDestroy` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, to this or to making the context current ([`Error::Missing`] where it cannot do
    /// that). It is not tried again.
    pub fn destroy(mut self) -> Result<(), Error> {
        self.release()
    }

    fn release(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, CUmipmappedArray::NULL);
        if handle.is_null() {
            return Ok(());
        }
        let context = &self.memory.context;
        let _current = context.enter()?;
        // SAFETY: it is alive, and this is the one time that it is destroyed.
        context.library().checked(&cuda::cuMipmappedArrayDestroy).call(|destroy| unsafe { destroy(handle) })
    }
}

impl Drop for MipmappedArray<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            trace::lost("a mipmapped array could not be destroyed", &error);
        }
    }
}
