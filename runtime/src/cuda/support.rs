//! What a device supports: in, a kind of handle, or where pools and allocations lie; out, an answer of the device by the attribute that upstream
//! names, "nothing to ask" where it names none or the driver is older than the attribute, or an error before anything is imported or made.

use std::{fmt, sync::Arc};

use clcu_sys::{
    cuda::{
        self, CUdevice_attribute as Attribute, CUmemAllocationHandleType as HandleTypes, CUmemLocationType as LocationType,
        CUresult,
    },
    rules::{ExportedSize, HandleKind, HandleType},
};

use super::{
    Library,
    device::Device,
    error::{Error, Obstacle, Subject, Unsupported},
    kind,
};

impl Device {
    /// Whether this device takes handles of a kind: by the system, then by the version of the driver that the kind came with, then by the
    /// attribute that upstream names for it. Allocations need virtual memory management besides (attribute 102), which is asked before.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGetAttribute` of `cuda.h`.
    #[must_use]
    pub fn supports(&self, row: &'static HandleType) -> Support {
        match row.kind {
            HandleKind::Allocation => {
                self.answer_within(virtual_memory(LocationType::CU_MEM_LOCATION_TYPE_DEVICE), row, Self::answer)
            }
            _ => told(self.answer(row)),
        }
    }

    /// Whether pools of memory of this device are shared by a type of handle, of those that allocations have: by the system, the version of
    /// the driver, then by the attributes 115, whether there are pools, and 119, which types of handles pools are shared by.
    ///
    /// Since CUDA 11.2. Source: `cuDeviceGetAttribute`, `CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES` of `cuda.h`.
    #[must_use]
    pub fn shares_pools_by(&self, row: &'static HandleType) -> Support {
        self.answer_within(pools(LocationType::CU_MEM_LOCATION_TYPE_DEVICE), row, Self::answer_of_pools)
    }

    /// The answer about a kind that is there only if the device has all of a sort.
    fn answer_within(
        &self,
        all: Attribute,
        row: &'static HandleType,
        answer: fn(&Self, &'static HandleType) -> Result<Support, Error>,
    ) -> Support {
        if let Some(why) = self.too_old_for(row) {
            return Support::No(why);
        }
        told(self.ask(all).and_then(|all| if matches!(all, Support::No(_)) { Ok(all) } else { answer(self, row) }))
    }

    fn answer(&self, row: &'static HandleType) -> Result<Support, Error> {
        match (self.too_old_for(row), kind::attribute(row)) {
            (Some(why), _) => Ok(Support::No(why)),
            (None, Some(attribute)) => self.ask(attribute),
            (None, None) => Ok(Support::NothingToAsk),
        }
    }

    /// Pools have the types of handles that allocations have, and an attribute of their own, in which each type is a flag.
    fn answer_of_pools(&self, row: &'static HandleType) -> Result<Support, Error> {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
        if let Some(why) = self.too_old_for(row) {
            return Ok(Support::No(why));
        }
        let Some(flags) = self.known(attribute)? else { return Ok(Support::NothingToAsk) };
        let listed = HandleTypes(flags.cast_unsigned());
        let is_listed = kind::of_allocations(listed).any(|one| one.name == row.name);
        Ok(if is_listed { Support::Yes(attribute) } else { Support::No(Obstacle::NotListed { attribute, listed }) })
    }

    /// What keeps this system or driver from a kind, whatever the device.
    fn too_old_for(&self, row: &'static HandleType) -> Option<Obstacle> {
        if !kind::exists_here(row) {
            return Some(Obstacle::System);
        }
        let (since, driver) = (kind::since(row)?, self.library().version()?);
        (driver < since).then_some(Obstacle::Driver(since))
    }

    /// Asks by an attribute that is zero for no.
    fn ask(&self, attribute: Attribute) -> Result<Support, Error> {
        Ok(match self.known(attribute)? {
            Some(0) => Support::No(Obstacle::Attribute(attribute)),
            Some(_) => Support::Yes(attribute),
            None => Support::NothingToAsk,
        })
    }

    /// An attribute; `None` where the driver is older than it and so says nothing about the device. Any other error is one.
    fn known(&self, attribute: Attribute) -> Result<Option<i32>, Error> {
        match self.attribute(attribute) {
            Err(error) if error.result() == Some(CUresult::CUDA_ERROR_INVALID_VALUE) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The same as a result, for who is about to import or export.
    pub(super) fn demand(&self, row: &'static HandleType) -> Result<(), Error> {
        demanded(self.library(), Subject::Handle(row), self.answer(row)?)
    }

    /// The same for pools that are shared by a type of handle.
    pub(super) fn demand_pools_by(&self, row: &'static HandleType) -> Result<(), Error> {
        demanded(self.library(), Subject::Pools(Some(row)), self.answer_of_pools(row)?)
    }

    /// The same for pools of memory that lies there.
    pub(super) fn demand_pools(&self, location: LocationType) -> Result<(), Error> {
        demanded(self.library(), Subject::Pools(None), self.ask(pools(location))?)
    }

    /// The same for allocations of memory that lies there.
    pub(super) fn demand_virtual_memory(&self, location: LocationType) -> Result<(), Error> {
        demanded(self.library(), Subject::VirtualMemory, self.ask(virtual_memory(location))?)
    }

    /// Every kind of handle of the API, with what the device says about it; then the types of handles of pools, which are those of allocations.
    ///
    /// A row is keyed by kind of handle *and* by what a semaphore of it carries: a device that shares binary semaphores need not share
    /// timeline semaphores.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGetAttribute` of `cuda.h`.
    #[must_use]
    pub fn capabilities(&self) -> Vec<Capability> {
        let capability = |handle_type: &'static HandleType| {
            let import = self.supports(handle_type);
            let export = (handle_type.exported_size != ExportedSize::Never).then_some(import);
            Capability { handle_type, is_pool: false, import, export }
        };
        let of_pool = |handle_type: &'static HandleType| {
            let import = self.shares_pools_by(handle_type);
            Capability { handle_type, is_pool: true, import, export: Some(import) }
        };
        let pools = cuda::HANDLE_TYPES.iter().filter(|row| row.kind == HandleKind::Allocation).map(of_pool);
        cuda::HANDLE_TYPES.iter().map(capability).chain(pools).collect()
    }
}

/// Addresses to map allocations at are of no device: one that maps will do.
pub(super) fn demand_addresses(library: &Arc<Library>) -> Result<(), Error> {
    let attribute = virtual_memory(LocationType::CU_MEM_LOCATION_TYPE_DEVICE);
    let mut answer = Support::NothingToAsk;
    for device in Device::all(library)? {
        answer = device.ask(attribute)?;
        if !matches!(answer, Support::No(_)) {
            break;
        }
    }
    demanded(library, Subject::VirtualMemory, answer)
}

/// The attribute that tells whether a device has pools of memory that lies there.
fn pools(location: LocationType) -> Attribute {
    match location {
        LocationType::CU_MEM_LOCATION_TYPE_HOST => Attribute::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
        LocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA | LocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => {
            Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED
        }
        _ => Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
    }
}

/// The same for allocations.
fn virtual_memory(location: LocationType) -> Attribute {
    match location {
        LocationType::CU_MEM_LOCATION_TYPE_HOST => Attribute::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        LocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA | LocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => {
            Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        }
        _ => Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    }
}

fn demanded(library: &Library, what: Subject, answer: Support) -> Result<(), Error> {
    match answer {
        Support::No(why) => Err(Unsupported::error(library, what, why)),
        Support::Yes(_) | Support::NothingToAsk | Support::Failed(_) => Ok(()),
    }
}

/// The answer as something to show. A driver without the command has nothing to ask.
fn told(answer: Result<Support, Error>) -> Support {
    answer.unwrap_or_else(|error| error.result().map_or(Support::NothingToAsk, Support::Failed))
}

/// What is known about a kind of handle on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// The device says yes, by this attribute.
    Yes(Attribute),
    /// It cannot be used here.
    No(Obstacle),
    /// Upstream names nothing to ask, or the driver is older than the question: trying is the only way.
    NothingToAsk,
    /// The driver was asked, and `cuDeviceGetAttribute` failed with this code. Whoever imports or exports gets it as [`Error::Call`].
    Failed(CUresult),
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes(attribute) => write!(f, "yes (attribute {})", attribute.0),
            Self::No(Obstacle::Attribute(attribute)) => write!(f, "no (attribute {} is 0)", attribute.0),
            Self::No(Obstacle::NotListed { attribute, listed }) => write!(f, "no (attribute {} is {:#x})", attribute.0, listed.0),
            Self::No(Obstacle::Driver(since)) => write!(f, "no (needs a driver for CUDA {since})"),
            Self::No(_) => f.write_str("no (not on this system)"),
            Self::NothingToAsk => f.write_str("no query exists"),
            Self::Failed(result) => write!(f, "unknown (cuDeviceGetAttribute: {result})"),
        }
    }
}

/// One kind of handle, and whether a device imports and exports it.
#[derive(Clone, Copy, Debug)]
pub struct Capability {
    /// The kind, with what a semaphore of it carries.
    pub handle_type: &'static HandleType,
    /// Whether it is a handle to a pool: pools have the types of handles of allocations, and need not be shared by the same.
    pub is_pool: bool,
    /// Whether it can be imported.
    pub import: Support,
    /// Whether it can be exported; `None` where the API only imports it.
    pub export: Option<Support>,
}
