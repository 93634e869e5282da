//! Devices, and who they are for Vulkan and Direct3D.
//!
//! In: a driver. Out: identities to compare, so that a semaphore is not imported on another GPU than the one that made it.

use std::{ffi::c_char, fmt, sync::Arc};

use clcu_sys::cuda::{self, CUdevice, CUdevice_attribute, CUresult, CUuuid};

use super::{Library, error::Error};

/// A device of a driver.
///
/// It is a number, which nobody owns. A clone is another name for the same.
///
/// Since CUDA 2.0. Source: `CUdevice` of `cuda.h`.
#[derive(Clone)]
pub struct Device {
    library: Arc<Library>,
    handle: CUdevice,
}

impl Device {
    /// The device with this number, as `CUDA_VISIBLE_DEVICES` leaves them, from 0. Initialises the driver.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGet`, `cuInit` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks a command; [`Error::Call`] with what it answers, as `CUDA_ERROR_INVALID_DEVICE` for a
    /// number that no device has.
    pub fn new(library: &Arc<Library>, ordinal: i32) -> Result<Self, Error> {
        initialise(library)?;
        let mut handle = CUdevice(0);
        // SAFETY: the result is written to memory that is ours.
        library.checked(&cuda::cuDeviceGet).call(|get| unsafe { get(&raw mut handle, ordinal) })?;
        Ok(Self { library: Arc::clone(library), handle })
    }

    /// All devices, in the order of their numbers. Initialises the driver.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGetCount`, `cuDeviceGet`, `cuInit` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks a command; [`Error::Call`] with what it answers.
    pub fn all(library: &Arc<Library>) -> Result<Vec<Self>, Error> {
        initialise(library)?;
        let mut count = 0;
        // SAFETY: the result is written to memory that is ours.
        library.checked(&cuda::cuDeviceGetCount).call(|get| unsafe { get(&raw mut count) })?;
        (0..count).map(|ordinal| Self::new(library, ordinal)).collect()
    }

    /// The device that another API calls by this identity: `deviceUUID` or `deviceLUID` of Vulkan, `AdapterLuid` of DXGI.
    ///
    /// Since CUDA 9.2 by UUID, since 10.0 by LUID. Source: `cuDeviceGetUuid`, `cuDeviceGetUuid_v2`, `cuDeviceGetLuid` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`] names what was looked for and everything there is; else those of [`Device::all`], [`Device::uuid`] and
    /// [`Device::luid`].
    pub fn matching(library: &Arc<Library>, wanted: Identity) -> Result<Self, Error> {
        let mut found = Vec::new();
        for (ordinal, device) in (0..).zip(Self::all(library)?) {
            // Only what is looked for has to be known.
            let (uuid, luid) = match wanted {
                Identity::Uuid(_) => (Some(device.uuid()?), device.luid().ok().flatten()),
                Identity::Luid(_) => (device.uuid().ok(), device.luid()?),
            };
            let is_wanted = match wanted {
                Identity::Uuid(wanted) => uuid == Some(wanted),
                // Without a mask of nodes any node will do.
                Identity::Luid(wanted) => luid.is_some_and(|luid| {
                    luid.bytes == wanted.bytes && (wanted.node_mask == 0 || luid.node_mask == wanted.node_mask)
                }),
            };
            if is_wanted {
                return Ok(device);
            }
            found.push(Identities { ordinal, uuid, luid });
        }
        Err(Error::NoSuchDevice { wanted, found })
    }

    pub(super) fn of_context(library: &Arc<Library>, handle: CUdevice) -> Self {
        Self { library: Arc::clone(library), handle }
    }

    /// The handle, for other crates. It is a number, which nobody owns.
    ///
    /// Since CUDA 2.0. Source: `CUdevice` of `cuda.h`.
    #[must_use]
    pub fn as_raw(&self) -> CUdevice {
        self.handle
    }

    /// The driver.
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Its name, as `"NVIDIA H200"`.
    ///
    /// At most 255 bytes; what is no UTF-8 is replaced.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGetName` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
    pub fn name(&self) -> Result<String, Error> {
        let mut name = [0_u8; 256];
        // SAFETY: the buffer is as long as is said.
        let named =
            |get: unsafe extern "system" fn(_, _, _) -> CUresult| unsafe { get(name.as_mut_ptr().cast(), 256, self.handle) };
        self.library.checked(&cuda::cuDeviceGetName).call(named)?;
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// The identity that Vulkan calls `deviceUUID`: 16 bytes.
    ///
    /// A driver that is older than CUDA 11.4 has the first form of the command alone, which is asked then: of an instance of a device (MIG)
    /// it tells the device's.
    ///
    /// Since CUDA 9.2. Source: `cuDeviceGetUuid`, `cuDeviceGetUuid_v2` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] names both forms where the driver has neither; [`Error::Call`] with what it answers.
    pub fn uuid(&self) -> Result<Uuid, Error> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the result is written to memory that is ours.
        let get = |get: unsafe extern "system" fn(*mut CUuuid, CUdevice) -> CUresult| unsafe { get(&raw mut uuid, self.handle) };
        let (first, second) = (&cuda::cuDeviceGetUuid, &cuda::cuDeviceGetUuid_v2);
        if self.library.demand(&[second.info()]).is_ok() {
            self.library.checked(second).call(get)?;
        } else if self.library.demand(&[first.info()]).is_ok() {
            self.library.checked(first).call(get)?;
        } else {
            self.library.demand(&[second.info(), first.info()])?;
        }
        Ok(Uuid(uuid.bytes.map(|byte| u8::from_ne_bytes(byte.to_ne_bytes()))))
    }

    /// The identity that Windows gives it: 8 bytes, and a mask of nodes; `None` where it has none, as on Linux.
    ///
    /// Since CUDA 10.0. Source: `cuDeviceGetLuid` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Call`] with what the driver answers, other than the codes by which it says that there is none:
    /// `CUDA_ERROR_NOT_SUPPORTED`, `CUDA_ERROR_INVALID_DEVICE`, `CUDA_ERROR_INVALID_VALUE`. A driver that lacks the command is `None`
    /// as well.
    pub fn luid(&self) -> Result<Option<Luid>, Error> {
        let (mut luid, mut node_mask) = ([0_u8; 8], 0);
        let get = |get: unsafe extern "system" fn(*mut c_char, *mut u32, CUdevice) -> CUresult| {
            // SAFETY: an LUID has eight bytes.
            unsafe { get(luid.as_mut_ptr().cast(), &raw mut node_mask, self.handle) }
        };
        match self.library.checked(&cuda::cuDeviceGetLuid).call(get) {
            Ok(()) => Ok(Some(Luid { bytes: luid, node_mask })),
            Err(Error::Missing(_)) => Ok(None),
            Err(Error::Call(error))
                if matches!(
                    error.result,
                    CUresult::CUDA_ERROR_NOT_SUPPORTED | CUresult::CUDA_ERROR_INVALID_DEVICE | CUresult::CUDA_ERROR_INVALID_VALUE
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// One attribute. A driver that is older than the attribute refuses.
    ///
    /// What the number means, and its unit, is the attribute's own; of those that say whether something is there, 0 is no.
    ///
    /// Since CUDA 2.0. Source: `cuDeviceGetAttribute`, `CUdevice_attribute` of `cuda.h`.
    ///
    /// # Errors
    /// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers, as `CUDA_ERROR_INVALID_VALUE` for
    /// an attribute that it does not know.
    pub fn attribute(&self, attribute: CUdevice_attribute) -> Result<i32, Error> {
        let mut value = 0;
        let get = self.library.checked(&cuda::cuDeviceGetAttribute);
        // SAFETY: the result is written to memory that is ours.
        get.call(|get| unsafe { get(&raw mut value, attribute, self.handle) })?;
        Ok(value)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.handle.0).finish()
    }
}

fn initialise(library: &Library) -> Result<(), Error> {
    // SAFETY: zero is the only flag there is.
    library.checked(&cuda::cuInit).call(|init| unsafe { init(0) })
}

/// What another API calls a device by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// On every system.
    Uuid(Uuid),
    /// On Windows.
    Luid(Luid),
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uuid(uuid) => write!(f, "UUID {uuid}"),
            Self::Luid(luid) => write!(f, "LUID {luid}"),
        }
    }
}

/// Everything that other APIs may call a device by, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identities {
    /// Its number, as for [`Device::new`].
    pub ordinal: i32,
    /// `None` where the driver does not say it.
    pub uuid: Option<Uuid>,
    /// `None` where it has none, as on Linux.
    pub luid: Option<Luid>,
}

impl fmt::Display for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}: ", self.ordinal)?;
        match self.uuid {
            Some(uuid) => write!(f, "UUID {uuid}, ")?,
            None => f.write_str("UUID unknown, ")?,
        }
        match self.luid {
            Some(luid) => write!(f, "LUID {luid}"),
            None => f.write_str("no LUID"),
        }
    }
}

/// The identity of a device on every system, 16 bytes: `VkPhysicalDeviceIDProperties::deviceUUID` of Vulkan.
///
/// Since CUDA 11.7 or earlier. Source: `CUuuid` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            write!(f, "{}{byte:02x}", if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" })?;
        }
        Ok(())
    }
}

/// The identity of a device on Windows: `VkPhysicalDeviceIDProperties::deviceLUID` of Vulkan with its mask of nodes.
///
/// Since CUDA 10.0. Source: `cuDeviceGetLuid` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Luid {
    /// The identity of the adapter.
    pub bytes: [u8; 8],
    /// Which of its nodes; 0 for whichever.
    pub node_mask: u32,
}

impl fmt::Display for Luid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, " (nodes {:#x})", self.node_mask)
    }
}
