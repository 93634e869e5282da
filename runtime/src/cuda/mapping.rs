//! Where allocations are mapped: in, a range of the device's addresses and an allocation; out, addresses that the devices which were named reach.
//!
//! Addresses are reserved first, then allocations are mapped there, then access is set; what is mapped is unmapped before its addresses are
//! freed, which lifetimes see to ([`Mapping`] borrows its [`Reservation`]). An allocation may be released while it is mapped: its memory stays
//! until it is unmapped. [`MappedAllocation`] is both in one, for who maps once and keeps it in a struct.

use std::{mem, sync::Arc};

#[cfg(unix)]
use std::os::fd::OwnedFd;

#[cfg(unix)]
use clcu_sys::cuda::CUmemRangeFlags;
use clcu_sys::cuda::{
    self, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocation_v1_id_union, CUmemLocationType,
};

use super::{Library, allocation::Allocation, checked, device::Device, error::Error, support};
#[cfg(unix)]
use super::{context::Current, range};
use crate::trace;

/// What a device may do with what is mapped.
///
/// Since CUDA 10.2. Source: `CUmemAccess_flags` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Read and write it.
    ReadWrite,
}

impl Access {
    fn flags(self) -> CUmemAccess_flags {
        match self {
            Self::Read => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ,
            Self::ReadWrite => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }
    }
}

/// Addresses of the devices that are reserved: nothing lies there until something is mapped.
///
/// Since CUDA 10.2. Source: `cuMemAddressReserve` of `cuda.h`.
#[derive(Debug)]
pub struct Reservation {
    library: Arc<Library>,
    /// Null once it is freed.
    address: CUdeviceptr,
    size: usize,
}

impl Reservation {
    /// Reserves `size` bytes, a multiple of [`Allocation::granularity`], wherever there is room.
    ///
    /// Since CUDA 10.2. Source: `cuMemAddressReserve` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command, or the one that frees; [`Error::Unsupported`] where no device has virtual
    /// memory management (attribute 102); [`Error::Call`] with what it answers, as for a size that is no such multiple;
    /// [`Error::Nothing`] where it reports success and gives none.
    pub fn new(library: &Arc<Library>, size: usize) -> Result<Self, Error> {
        // What cannot be freed shall not be reserved.
        library.demand(&[cuda::cuMemAddressFree.info()])?;
        support::demand_addresses(library)?;
        let command = &cuda::cuMemAddressReserve;
        let mut address = CUdeviceptr::NULL;
        let arguments = cuda::cuMemAddressReserve_arguments { flags: 0 };
        let checked = library.checked(command).arguments(&arguments, &library.given);
        // SAFETY: the result is written to memory that is ours.
        checked.call(|reserve| unsafe { reserve(&raw mut address, size, 0, CUdeviceptr::NULL, 0) })?;
        let address = checked::some(library, command.info(), address, address.is_null())?;
        Ok(Self { library: Arc::clone(library), address, size })
    }

    /// Where the addresses begin.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// How many bytes are reserved.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Maps `size` bytes of an allocation `at` so many bytes from the beginning of the addresses, for these devices. Both are multiples
    /// of [`Allocation::granularity`]; the allocation is mapped from its own beginning on. Where no device is named, none has access.
    ///
    /// Since CUDA 10.2. Source: `cuMemMap`, `cuMemSetAccess` of `cuda.h`.
    ///
    /// # Errors
    /// Nothing is mapped then: what was mapped when access could not be set is unmapped. [`Error::Missing`] where the driver lacks a
    /// command that maps, unmaps or sets access; [`Error::OutOfRange`] for zero bytes, and for what does not lie within;
    /// [`Error::Call`] with what the driver answers.
    pub fn map(&self, at: usize, size: usize, allocation: &Allocation, access: &[(&Device, Access)]) -> Result<Mapping<'_>, Error> {
        let address = map(&self.library, (self.address, self.size), (at, size), allocation, access)?;
        Ok(Mapping { reservation: self, address, size })
    }

    /// Frees the addresses. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// What is mapped there goes first:
    ///
    /// ```compile_fail,E0505
    /// # use clcu::cuda::{Access, Allocation, Device, Reservation};
    /// # fn f(addresses: Reservation, allocation: &Allocation, device: &Device) -> Result<(), clcu::cuda::Error> {
    /// let mapping = addresses.map(0, 4096, allocation, &[(device, Access::ReadWrite)])?;
    /// addresses.free()?;
    /// println!("{:?}", mapping.address());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Since CUDA 10.2. Source: `cuMemAddressFree` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers. It is not tried again.
    pub fn free(mut self) -> Result<(), Error> {
        free(&self.library, &mut self.address, self.size)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Err(error) = free(&self.library, &mut self.address, self.size) {
            trace::lost("reserved addresses could not be freed", &error);
        }
    }
}

/// Bytes of an allocation that are mapped. They go before their addresses.
///
/// Since CUDA 10.2. Source: `cuMemMap` of `cuda.h`.
#[derive(Debug)]
pub struct Mapping<'r> {
    reservation: &'r Reservation,
    /// Null once it is unmapped.
    address: CUdeviceptr,
    size: usize,
}

impl Mapping<'_> {
    /// Where they lie on the devices that have access, for kernels and copies, whose callers promise that this value lives long enough.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// How many bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// A dma-buf of them, by which other drivers reach the memory: see [`range::export_dma_buf`]. It is of no use once they are unmapped.
    ///
    /// Since CUDA 11.7 or earlier, on Linux. Source: `cuMemGetHandleForAddressRange` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`range::export_dma_buf`].
    #[cfg(unix)]
    pub fn export_dma_buf(&self, current: &Current<'_>, flags: CUmemRangeFlags) -> Result<OwnedFd, Error> {
        // SAFETY: they are mapped; the descriptor reaches memory of the device alone, whose other users promise that accesses are ordered.
        unsafe { range::export_dma_buf(current, self.address, self.size, flags) }
    }

    /// Unmaps them. Dropping it does the same, and says nothing of a failure but to who listens for events.
    ///
    /// Since CUDA 10.2. Source: `cuMemUnmap` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers. It is not tried again.
    pub fn unmap(mut self) -> Result<(), Error> {
        unmap(&self.reservation.library, &mut self.address, self.size)
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        if let Err(error) = unmap(&self.reservation.library, &mut self.address, self.size) {
            trace::lost("an allocation could not be unmapped", &error);
        }
    }
}

/// An allocation that is mapped at addresses of its own, in one value: it is unmapped, then the addresses are freed.
///
/// Since CUDA 10.2. Source: `cuMemAddressReserve`, `cuMemMap` of `cuda.h`.
#[derive(Debug)]
pub struct MappedAllocation {
    addresses: Reservation,
    /// Null once it is unmapped.
    address: CUdeviceptr,
}

impl MappedAllocation {
    pub(super) fn new(allocation: &Allocation, size: usize, access: &[(&Device, Access)]) -> Result<Self, Error> {
        let addresses = Reservation::new(allocation.device().library(), size)?;
        let address = map(&addresses.library, (addresses.address, size), (0, size), allocation, access)?;
        Ok(Self { addresses, address })
    }

    /// Where it lies on the devices that have access.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// How many bytes are mapped.
    #[must_use]
    pub fn size(&self) -> usize {
        self.addresses.size
    }

    /// A dma-buf of it, as [`Mapping::export_dma_buf`].
    ///
    /// Since CUDA 11.7 or earlier, on Linux. Source: `cuMemGetHandleForAddressRange` of `cuda.h`.
    ///
    /// # Errors
    /// Those of [`range::export_dma_buf`].
    #[cfg(unix)]
    pub fn export_dma_buf(&self, current: &Current<'_>, flags: CUmemRangeFlags) -> Result<OwnedFd, Error> {
        // SAFETY: as there.
        unsafe { range::export_dma_buf(current, self.address, self.addresses.size, flags) }
    }

    /// Unmaps it and frees the addresses. They are freed whatever comes of the first.
    ///
    /// Since CUDA 10.2. Source: `cuMemUnmap`, `cuMemAddressFree` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers to the first, else to the second. Neither is tried again.
    pub fn unmap(mut self) -> Result<(), Error> {
        let unmapped = unmap(&self.addresses.library, &mut self.address, self.addresses.size);
        let Reservation { library, address, size } = &mut self.addresses;
        unmapped.and(free(library, address, *size))
    }
}

impl Drop for MappedAllocation {
    fn drop(&mut self) {
        if let Err(error) = unmap(&self.addresses.library, &mut self.address, self.addresses.size) {
            trace::lost("an allocation could not be unmapped", &error);
        }
    }
}

/// Maps a part of reserved addresses and lets devices reach it, or does neither.
fn map(
    library: &Library,
    (base, reserved): (CUdeviceptr, usize),
    (at, size): (usize, usize),
    allocation: &Allocation,
    access: &[(&Device, Access)],
) -> Result<CUdeviceptr, Error> {
    // What cannot be unmapped shall not be mapped.
    library.demand(&[cuda::cuMemUnmap.info(), cuda::cuMemSetAccess.info()])?;
    if size == 0 || at.checked_add(size).is_none_or(|end| end > reserved) {
        return Err(Error::OutOfRange { offset: at as u64, length: size as u64, size: reserved as u64 });
    }
    let mut address = CUdeviceptr(base.0 + at);
    let arguments = cuda::cuMemMap_arguments { flags: 0 };
    let checked = library.checked(&cuda::cuMemMap).arguments(&arguments, &library.given);
    // SAFETY: the addresses are reserved, and the allocation is alive.
    checked.call(|map| unsafe { map(address, size, 0, allocation.as_raw(), 0) })?;
    let descriptors: Vec<_> = access.iter().map(|(device, access)| descriptor(device, *access)).collect();
    if descriptors.is_empty() {
        return Ok(address);
    }
    // SAFETY: it is mapped, and the array is as long as is said.
    let set =
        library.checked(&cuda::cuMemSetAccess).call(|set| unsafe { set(address, size, descriptors.as_ptr(), descriptors.len()) });
    match set {
        Ok(()) => Ok(address),
        Err(error) => {
            if let Err(lost) = unmap(library, &mut address, size) {
                trace::lost("an allocation could not be unmapped", &lost);
            }
            Err(error)
        }
    }
}

fn descriptor(device: &Device, access: Access) -> CUmemAccessDesc {
    let id_union = CUmemLocation_v1_id_union { id: device.as_raw().0 };
    let location = CUmemLocation { r#type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id_union };
    CUmemAccessDesc { location, flags: access.flags() }
}

fn unmap(library: &Library, address: &mut CUdeviceptr, size: usize) -> Result<(), Error> {
    let address = mem::replace(address, CUdeviceptr::NULL);
    if address.is_null() {
        return Ok(());
    }
    // SAFETY: all of it is mapped, and this is the one time that it is unmapped.
    library.checked(&cuda::cuMemUnmap).call(|unmap| unsafe { unmap(address, size) })
}

fn free(library: &Library, address: &mut CUdeviceptr, size: usize) -> Result<(), Error> {
    let address = mem::replace(address, CUdeviceptr::NULL);
    if address.is_null() {
        return Ok(());
    }
    // SAFETY: it is reserved, nothing is mapped there, and this is the one time that it is freed.
    library.checked(&cuda::cuMemAddressFree).call(|free| unsafe { free(address, size) })
}
