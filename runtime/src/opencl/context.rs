//! Contexts: in, devices of a platform, or a context that somebody else made; out, an owner of a reference to it, which knows its devices
//! and what they import.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use clcu_sys::opencl::{self, cl_context, cl_context_info, cl_context_properties, cl_device_id, cl_device_info};

use super::{Platform, checked::Place, device::Device, error::Error, properties, query};
use crate::trace;

/// A context. A clone is another name for the same; the last one releases the reference.
///
/// Since OpenCL 1.0. Source: `cl_context` of the OpenCL API specification.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

/// What each device of a context lists; `None` for one that does not answer.
type Answers = Vec<Option<Vec<u64>>>;

struct Inner {
    platform: Arc<Platform>,
    handle: cl_context,
    devices: Vec<cl_device_id>,
    imported: OnceLock<Answers>,
    exported: OnceLock<Answers>,
}

impl Context {
    /// A context of these devices, which belong to one platform.
    ///
    /// # Errors
    /// [`Error::Foreign`] for a device of another platform; [`Error::Missing`] where the platform lacks the commands that make and
    /// release a context; [`Error::System`] for more devices than 32 bits count; [`Error::Call`] with what the platform answers:
    /// upstream wants one device at least; [`Error::Nothing`] or [`Error::Silent`] where it gives no context.
    ///
    /// Since OpenCL 1.0. Source: `clCreateContext` of the OpenCL API specification.
    pub fn new(platform: &Arc<Platform>, devices: &[Device]) -> Result<Self, Error> {
        devices.iter().try_for_each(|device| device.demand_platform(platform))?;
        let command = &opencl::clCreateContext;
        // What cannot be released shall not be made.
        platform.demand(&[command.info(), opencl::clReleaseContext.info()])?;
        let words = [cl_context_properties::CL_CONTEXT_PLATFORM.0.cast_unsigned() as u64, platform.id().0.addr() as u64, 0];
        let list: Vec<cl_context_properties> = properties::encode(&words)?;
        let ids: Vec<_> = devices.iter().map(Device::as_raw).collect();
        let count = u32::try_from(ids.len())
            .map_err(|_| Error::System { what: "passing more devices than 32 bits count", number: None })?;
        let start = if ids.is_empty() { std::ptr::null() } else { ids.as_ptr() };
        // SAFETY: the platform and the devices are alive, both lists are as long as they say; nobody is to be notified.
        let handle = platform.checked(command).create(
            |made: &cl_context| made.is_null(),
            |create, errcode_ret| unsafe { create(list.as_ptr(), count, start, None, std::ptr::null_mut(), errcode_ret) },
        )?;
        Ok(Self::own(platform, handle, ids))
    }

    /// A context that somebody else made. It is retained, so that it lives as long as this value and its clones.
    ///
    /// The reference of whoever made it stays theirs to release.
    ///
    /// # Errors
    /// [`Error::Null`] for the null handle; [`Error::Missing`] where the platform lacks the commands to retain, release or ask a
    /// context; [`Error::Call`] with what the platform answers; [`Error::UnexpectedSize`] where its list of devices has a size that no
    /// list of handles has; [`Error::Nothing`] where the list is empty.
    ///
    /// # Safety
    /// It is a context of this platform, and alive now.
    ///
    /// Since OpenCL 1.0. Source: `clRetainContext` and `clGetContextInfo` of the OpenCL API specification.
    pub unsafe fn from_raw(platform: &Arc<Platform>, handle: cl_context) -> Result<Self, Error> {
        platform.demand(&[opencl::clRetainContext.info(), opencl::clReleaseContext.info()])?;
        let retain = platform.checked(&opencl::clRetainContext);
        if handle.is_null() {
            return Err(Error::Null { what: "the context" });
        }
        // SAFETY: it is alive, as the caller promises.
        retain.call(|retain| unsafe { retain(handle) })?;
        // From here on a failure releases it again.
        let mut context = Self::own(platform, handle, Vec::new());
        let devices = context.ask_for_devices()?;
        if devices.is_empty() {
            // What is checked against them would be checked against nothing.
            let driver = Arc::clone(platform.shared_driver());
            return Err(Error::Nothing { command: opencl::clGetContextInfo.info(), driver });
        }
        if let Some(inner) = Arc::get_mut(&mut context.0) {
            inner.devices = devices;
        }
        Ok(context)
    }

    fn own(platform: &Arc<Platform>, handle: cl_context, devices: Vec<cl_device_id>) -> Self {
        Self(Arc::new(Inner {
            platform: Arc::clone(platform),
            handle,
            devices,
            imported: OnceLock::new(),
            exported: OnceLock::new(),
        }))
    }

    fn ask_for_devices(&self) -> Result<Vec<cl_device_id>, Error> {
        let what = cl_context_info::CL_CONTEXT_DEVICES;
        query::values(
            self.platform(),
            &opencl::clGetContextInfo,
            "CL_CONTEXT_DEVICES",
            cl_device_id::NULL,
            |get, size, value, ret| {
                // SAFETY: the context is alive; there is room for `size` bytes, aligned for devices.
                unsafe { get(self.as_raw(), what, size, value, ret) }
            },
        )
    }

    /// For other crates. It stays this value's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_context` of the OpenCL API specification.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> cl_context {
        self.0.handle
    }

    /// The platform.
    #[inline]
    #[must_use]
    pub fn platform(&self) -> &Arc<Platform> {
        &self.0.platform
    }

    /// Its devices, in the order in which it was made with them or lists them. Each keeps the context alive.
    ///
    /// Since OpenCL 1.0. Source: `CL_CONTEXT_DEVICES` of the OpenCL API specification.
    #[must_use]
    pub fn devices(&self) -> Vec<Device> {
        self.0.devices.iter().map(|id| Device::of_context(self, *id)).collect()
    }

    /// Its devices, by their handles.
    #[inline]
    pub(super) fn device_ids(&self) -> &[cl_device_id] {
        &self.0.devices
    }

    /// Whether both are the same context of the same platform.
    #[inline]
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.as_raw() == other.as_raw() && self.platform().id() == other.platform().id())
    }

    /// The types of semaphore handles that each device imports, asked for once.
    pub(super) fn imported_semaphore_types(&self) -> &Answers {
        let what = cl_device_info::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR;
        self.0.imported.get_or_init(|| self.ask_devices(what))
    }

    /// The same of those that each device exports.
    pub(super) fn exported_semaphore_types(&self) -> &Answers {
        let what = cl_device_info::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
        self.0.exported.get_or_init(|| self.ask_devices(what))
    }

    fn ask_devices(&self, what: cl_device_info) -> Answers {
        let of = |device: &Device| Some(device.list(what).ok()?.into_iter().map(u64::from).collect());
        self.devices().iter().map(of).collect()
    }

    /// The place where an object is made, for `device` alone or for all devices.
    pub(super) fn place<'a>(&'a self, import_types: Option<&'a [u64]>) -> Place<'a> {
        Place { context: self.as_raw(), devices: self.device_ids(), import_types }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: one reference is this value's, and is released once.
        let released = self.platform.checked(&opencl::clReleaseContext).call(|release| unsafe { release(self.handle) });
        if let Err(error) = released {
            trace::lost("a context could not be released", &error);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { handle, devices, .. } = &*self.0;
        f.debug_struct("Context").field("handle", handle).field("devices", devices).finish_non_exhaustive()
    }
}
