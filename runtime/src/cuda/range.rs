//! Handles to ranges of addresses: in, a range of the device's addresses; out, a file descriptor of a dma-buf, by which other drivers (a
//! network card, a video codec, Vulkan) reach the memory behind it.

#[cfg(unix)]
use std::os::fd::OwnedFd;

#[cfg(unix)]
use clcu_sys::cuda::{self, CUdeviceptr, CUmemRangeFlags, CUmemRangeHandleType};

#[cfg(unix)]
use super::{checked, context::Current, error::Error, export, kind};

/// A dma-buf of `size` bytes from `address` on: a new file descriptor, which is the caller's and closed on exec. Both are multiples of the
/// host's page size. `flags` is none, or [`CUmemRangeFlags::CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE`] (CUDA 12.8).
///
/// Since CUDA 11.7 or earlier, on Linux. Source: `cuMemGetHandleForAddressRange` of `cuda.h`.
///
/// # Errors
/// [`Error::Unsupported`] where the system, driver or device (attribute 124) has no dma-bufs; [`Error::Invalid`] for other flags;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports
/// success and gives none; [`Error::System`] where the descriptor cannot be made to close on exec.
///
/// # Safety
/// All of the range is memory of one device that `cuMemAlloc` gave or that is mapped, and stays so for as long as the descriptor, its
/// duplicates, or what other drivers made of it are used. A range that is mapped anew needs a new descriptor.
#[cfg(unix)]
pub unsafe fn export_dma_buf(
    current: &Current<'_>,
    address: CUdeviceptr,
    size: usize,
    flags: CUmemRangeFlags,
) -> Result<OwnedFd, Error> {
    let library = current.library();
    let handle_type = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    let row = kind::of_range(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0 })?;
    current.context().device().demand(row)?;
    let command = cuda::cuMemGetHandleForAddressRange.info();
    let flags = flags.0.into();
    // SAFETY: the driver writes a file descriptor for this type; the caller promises the rest.
    export::fd(&current.context().device(), row, command, |out| unsafe {
        checked::mem_get_handle_for_address_range(library, out, address, size, handle_type, flags, &[])
    })
}
