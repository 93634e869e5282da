//! A32: what is mapped is unmapped before the memory, the addresses, or the pool that it lies in.

use clcu::cuda::{Access, Allocation, Device, Error, ExternalMemory, Pool, Reservation, Stream};

fn buffer(memory: ExternalMemory) -> Result<(), Error> {
    let buffer = memory.map_buffer(0, 4096)?;
    memory.destroy()?;
    buffer.unmap()
}

fn mapping(addresses: Reservation, allocation: &Allocation, device: &Device) -> Result<(), Error> {
    let mapping = addresses.map(0, 4096, allocation, &[(device, Access::ReadWrite)])?;
    addresses.free()?;
    mapping.unmap()
}

fn pooled(pool: Pool, stream: &Stream<'_>) -> Result<(), Error> {
    let memory = pool.allocate(stream, 4096)?;
    pool.destroy()?;
    memory.free()
}

fn main() {}
