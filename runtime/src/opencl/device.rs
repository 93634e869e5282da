//! Devices of a platform: in, the platform; out, its devices, and what they answer about external handles.

use std::{fmt, sync::Arc};

use clcu_sys::opencl::{self, cl_device_id, cl_device_info, cl_device_type, cl_result};

use super::{Context, Platform, error::Error, query};

/// A device. A clone is another name for the same. Root devices live as long as their platform, so that nothing is to be released; those of a
/// context, which may be parts of others, are kept by it.
///
/// Since OpenCL 1.0. Source: `cl_device_id` of the OpenCL API specification.
#[derive(Clone)]
pub struct Device {
    platform: Arc<Platform>,
    id: cl_device_id,
    /// What keeps it, if something has to.
    _context: Option<Context>,
}

impl Device {
    /// Every device of the platform, of whatever type. None at all is an answer, not an error. Entries that are null are left out.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers, other than that there is no device; [`Error::Missing`] where it lacks the
    /// command.
    ///
    /// Since OpenCL 1.0. Source: `clGetDeviceIDs` of the OpenCL API specification, with `CL_DEVICE_TYPE_ALL`.
    pub fn all(platform: &Arc<Platform>) -> Result<Vec<Self>, Error> {
        let mut count = 0;
        // SAFETY: the platform is alive; the count goes to memory that is ours.
        let counted = platform
            .checked(&opencl::clGetDeviceIDs)
            .call(|get| unsafe { get(platform.id(), cl_device_type::CL_DEVICE_TYPE_ALL, 0, std::ptr::null_mut(), &raw mut count) });
        match counted {
            Err(error) if error.result() == Some(cl_result::CL_DEVICE_NOT_FOUND) => return Ok(Vec::new()),
            counted => counted?,
        }
        let room = count.min(query::MOST_OBJECTS);
        let mut ids = vec![cl_device_id::NULL; usize::try_from(room).unwrap_or_default()];
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        // SAFETY: as above; there is room for as many as it says.
        platform.checked(&opencl::clGetDeviceIDs).call(|get| unsafe {
            get(platform.id(), cl_device_type::CL_DEVICE_TYPE_ALL, room, ids.as_mut_ptr(), &raw mut count)
        })?;
        ids.truncate(usize::try_from(count).unwrap_or_default());
        let device = |id: cl_device_id| (!id.is_null()).then(|| Self { platform: Arc::clone(platform), id, _context: None });
        Ok(ids.into_iter().filter_map(device).collect())
    }

    /// A device of a context.
    pub(super) fn of_context(context: &Context, id: cl_device_id) -> Self {
        Self { platform: Arc::clone(context.platform()), id, _context: Some(context.clone()) }
    }

    /// A device that other code got.
    ///
    /// It is not retained, and never released.
    ///
    /// # Safety
    /// It is a device of this platform, and stays alive for as long as this value, its clones, and objects that are made with them.
    ///
    /// Since OpenCL 1.0. Source: `cl_device_id` of the OpenCL API specification.
    #[must_use]
    pub unsafe fn from_raw(platform: &Arc<Platform>, id: cl_device_id) -> Self {
        Self { platform: Arc::clone(platform), id, _context: None }
    }

    /// For other crates. It is nobody's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_device_id` of the OpenCL API specification.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> cl_device_id {
        self.id
    }

    /// The platform.
    #[inline]
    #[must_use]
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// Whether it is one of this platform: another would follow its handle into the wrong driver.
    pub(super) fn demand_platform(&self, platform: &Platform) -> Result<(), Error> {
        let is_its = self.platform.id() == platform.id();
        if is_its { Ok(()) } else { Err(Error::Foreign { what: "the device", of: "platform" }) }
    }

    /// Its name, as `"NVIDIA H200"`, without white space around it. Bytes that are no UTF-8 are replaced.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers where it refuses to say; [`Error::UnexpectedSize`] where it announces more than
    /// 1 MiB; [`Error::Missing`] where it lacks the command.
    ///
    /// Since OpenCL 1.0. Source: `clGetDeviceInfo` of the OpenCL API specification, with `CL_DEVICE_NAME`.
    pub fn name(&self) -> Result<String, Error> {
        let what = cl_device_info::CL_DEVICE_NAME;
        let bytes =
            query::values(&self.platform, &opencl::clGetDeviceInfo, "CL_DEVICE_NAME", 0_u8, |get, size, value, size_ret| {
                // SAFETY: the device is alive; there is room for `size` bytes.
                unsafe { get(self.id, what, size, value, size_ret) }
            })?;
        let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).trim().to_owned())
    }

    /// Whether it lists this extension, by its whole name, or its platform does for all its devices. `false` also where neither answers.
    ///
    /// Since OpenCL 1.0. Source: `CL_DEVICE_EXTENSIONS` and `CL_PLATFORM_EXTENSIONS` of the OpenCL API specification.
    #[must_use]
    pub fn has_extension(&self, name: &str) -> bool {
        self.platform.has_extension_for(self.id, name)
    }

    /// The values of a list that the device is asked for, such as `CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`. An empty list is an
    /// answer. A value has 32 bits.
    ///
    /// # Errors
    /// [`Error::Call`] where the platform refuses to say, as some do for extensions that they list; [`Error::UnexpectedSize`] where it
    /// announces a size that is no whole number of values, or more than 1 MiB; [`Error::Missing`] where it lacks the command.
    ///
    /// Since OpenCL 1.0. Source: `clGetDeviceInfo` of the OpenCL API specification.
    pub fn list(&self, what: cl_device_info) -> Result<Vec<u32>, Error> {
        query::values(
            &self.platform,
            &opencl::clGetDeviceInfo,
            what.name().unwrap_or("the answer"),
            0,
            |get, size, value, size_ret| {
                // SAFETY: the device is alive; there is room for `size` bytes, aligned for any value.
                unsafe { get(self.id, what, size, value, size_ret) }
            },
        )
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.id).finish()
    }
}
