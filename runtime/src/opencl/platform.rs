//! One platform of an OpenCL library: in, its id; out, its commands, those of its extensions among them.
//!
//! Each platform has its own functions for an extension, and its own slots for them. A loader may hand out a pointer for what a platform
//! does not have, so the lists of extensions are read first.

use std::{
    ffi::{CStr, c_void},
    ptr::NonNull,
    sync::{Arc, OnceLock},
};

use clcu_sys::{
    Api, Command, CommandInfo,
    opencl::{self, cl_device_id, cl_device_info, cl_device_type, cl_platform_id, cl_platform_info, cl_result},
};

use super::{entry::Entry, error::Error, extensions::Extensions, query, version::Version};
use crate::{
    error::{Availability, Driver, Missing, Needs},
    resolved::{LookUp, Resolved},
};

/// A platform of an OpenCL library, with the commands that it has.
///
/// It needs no [`Library`](super::Library) to be kept: a library stays loaded.
///
/// Since OpenCL 1.0. Source: `cl_platform_id` of the OpenCL API specification.
#[derive(Debug)]
pub struct Platform {
    resolved: Resolved,
    asked: Asked,
}

impl Platform {
    /// Asks the platform for its name and version. One that fails to say them is a platform nonetheless.
    pub(super) fn new(id: cl_platform_id, library: &Driver, entry: Entry) -> Self {
        let asked = Asked { id, entry, version: OnceLock::new(), platform: OnceLock::new(), devices: OnceLock::new() };
        let driver = Driver {
            path: library.path.clone(),
            version: asked.version().as_ref().ok().cloned(),
            platform: Some(asked.text(cl_platform_info::CL_PLATFORM_NAME).unwrap_or_else(|error| format!("unnamed, {error}"))),
        };
        Self { resolved: Resolved::new(opencl::COMMAND_COUNT, Arc::new(driver)), asked }
    }

    /// The function of a command: the core's from the library, an extension's from this platform. Looked for on first use; after that
    /// one load.
    ///
    /// The answer may be kept for as long as the process runs, and called with objects of this platform only.
    ///
    /// # Errors
    /// [`Missing`] where the platform is older than the command, where neither it nor a device of it lists the extension that brings
    /// the command, where it has no function of this name, or where the command is one of CUDA.
    ///
    /// Since OpenCL 1.2. Source: `clGetExtensionFunctionAddressForPlatform` of the OpenCL API specification, for commands of
    /// extensions.
    #[inline]
    pub fn get<F: Copy>(&self, command: &Command<F>) -> Result<F, Missing> {
        // SAFETY: the slots are filled with what this platform and its library give, alone.
        unsafe { self.resolved.get(*command, &self.asked) }
    }

    /// Its id, as commands take it. It is nobody's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_platform_id` of the OpenCL API specification.
    #[must_use]
    pub fn id(&self) -> cl_platform_id {
        self.asked.id
    }

    /// Its name, its version and its library, as messages name them.
    ///
    /// Since OpenCL 1.0. Source: `CL_PLATFORM_NAME` and `CL_PLATFORM_VERSION` of the OpenCL API specification.
    #[must_use]
    pub fn driver(&self) -> &Driver {
        &self.resolved.driver
    }

    /// The same, to be kept in an error.
    pub(crate) fn shared_driver(&self) -> &Arc<Driver> {
        &self.resolved.driver
    }

    /// Whether all of these commands are there.
    ///
    /// # Errors
    /// [`Error::Missing`] with every one that is not. Nothing is called but look-ups.
    pub fn demand(&self, commands: &[&'static CommandInfo]) -> Result<(), Error> {
        let absent = |command: &&'static CommandInfo| self.resolved.resolve(command, &self.asked).err();
        let missing: Vec<_> = commands.iter().filter_map(absent).collect();
        if missing.is_empty() { Ok(()) } else { Err(Error::Missing(missing)) }
    }

    /// Whether the platform or a device of it lists one of these extensions, which `command` needs for what it shall do.
    pub(super) fn demand_extension(&self, command: &'static CommandInfo, extensions: &'static [&'static str]) -> Result<(), Error> {
        if extensions.iter().all(|name| name.is_empty()) {
            return Ok(());
        }
        let missing = |reason| {
            let driver = Arc::clone(self.shared_driver());
            Error::Missing(vec![Missing { command, needs: Needs::Extension(extensions), driver, reason }])
        };
        self.asked.lists(extensions).map_err(missing)
    }

    /// The names of the extensions that the platform lists, sorted. It is asked once.
    ///
    /// # Errors
    /// What it answered instead, as text.
    ///
    /// Since OpenCL 1.0. Source: `CL_PLATFORM_EXTENSIONS` of the OpenCL API specification.
    pub fn extensions(&self) -> Result<Vec<&str>, String> {
        Ok(self.asked.of_platform()?.iter().collect())
    }

    /// Whether the platform, or at least one of its devices, lists this extension: by its whole name. `false` also where none of them
    /// answers.
    ///
    /// Since OpenCL 1.0. Source: `CL_PLATFORM_EXTENSIONS` and `CL_DEVICE_EXTENSIONS` of the OpenCL API specification.
    #[must_use]
    pub fn has_extension(&self, name: &str) -> bool {
        self.asked.lists(&[name]).is_ok()
    }

    /// The values of a list that the platform is asked for, such as `CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`. An empty list is an
    /// answer. A value has 32 bits.
    ///
    /// # Errors
    /// As for [`Device::list`](super::Device::list).
    ///
    /// Since OpenCL 1.0. Source: `clGetPlatformInfo` of the OpenCL API specification.
    pub fn list(&self, what: cl_platform_info) -> Result<Vec<u32>, Error> {
        let name = what.name().unwrap_or("the answer");
        query::values(self, &opencl::clGetPlatformInfo, name, 0, |get, size, value, size_ret| {
            // SAFETY: the id came from the library; there is room for `size` bytes, aligned for any value.
            unsafe { get(self.asked.id, what, size, value, size_ret) }
        })
    }

    /// Whether the platform, and with it each of its devices, or this device lists an extension.
    pub(super) fn has_extension_for(&self, device: cl_device_id, name: &str) -> bool {
        if self.asked.of_platform().is_ok_and(|listed| listed.has(name)) {
            return true;
        }
        self.asked.device_extensions(device).is_ok_and(|list| Extensions::new(&list).has(name))
    }

    /// Asks for every command of the API and lists those that are missing here.
    ///
    /// Source: [`clcu_sys::opencl::COMMANDS`], which has the version since which a command is there, or its extensions.
    #[must_use]
    pub fn availability(&self) -> Availability {
        self.resolved.availability(opencl::COMMANDS.iter(), &self.asked)
    }
}

/// A platform, and what it answered.
#[derive(Debug)]
struct Asked {
    id: cl_platform_id,
    entry: Entry,
    version: OnceLock<Result<String, String>>,
    platform: OnceLock<Result<Extensions, String>>,
    devices: OnceLock<Extensions>,
}

impl Asked {
    /// The function of a core command that this module itself calls.
    fn core<F: Copy>(&self, command: Command<F>) -> Result<F, String> {
        let address = self.entry.function(command.info().symbol)?;
        // SAFETY: it is the address of the symbol in an OpenCL library, whose row promises the type.
        Ok(unsafe { command.function(address) })
    }

    fn text(&self, what: cl_platform_info) -> Result<String, String> {
        let get_info = self.core(opencl::clGetPlatformInfo)?;
        // SAFETY: the id came from the library, and `value` has room for `size` bytes.
        query::text(|size, value, size_ret| unsafe { get_info(self.id, what, size, value, size_ret) })
    }

    fn of_platform(&self) -> Result<&Extensions, String> {
        let read = self.platform.get_or_init(|| {
            let list = self
                .text(cl_platform_info::CL_PLATFORM_EXTENSIONS)
                .map_err(|error| format!("its list of extensions cannot be read: {error}"))?;
            Ok(Extensions::new(&list))
        });
        read.as_ref().map_err(Clone::clone)
    }

    /// What the devices list. The platform's list has only what all its devices have.
    fn of_devices(&self) -> &Extensions {
        self.devices.get_or_init(|| {
            let mut extensions = Extensions::default();
            for device in self.all_devices().unwrap_or_default() {
                if let Ok(list) = self.device_extensions(device) {
                    extensions.extend(&list);
                }
            }
            extensions
        })
    }

    fn all_devices(&self) -> Result<Vec<cl_device_id>, String> {
        let get_devices = self.core(opencl::clGetDeviceIDs)?;
        query::list(cl_device_id::NULL, cl_result::CL_DEVICE_NOT_FOUND, |count, devices, count_ret| {
            // SAFETY: the id came from the library, and `devices` has room for `count`, or is null where that is 0.
            unsafe { get_devices(self.id, cl_device_type::CL_DEVICE_TYPE_ALL, count, devices, count_ret) }
        })
        .map_err(|code| code.to_string())
    }

    fn device_extensions(&self, device: cl_device_id) -> Result<String, String> {
        if device.is_null() {
            return Err("the device is null".to_owned());
        }
        let get_info = self.core(opencl::clGetDeviceInfo)?;
        // SAFETY: the device came from the platform and is not null, and `value` has room for `size` bytes.
        query::text(|size, value, size_ret| unsafe {
            get_info(device, cl_device_info::CL_DEVICE_EXTENSIONS, size, value, size_ret)
        })
    }

    /// Whether one of these extensions is listed. `Err` says why not.
    fn lists(&self, extensions: &[&str]) -> Result<(), String> {
        let of_platform = self.of_platform();
        if of_platform.as_ref().is_ok_and(|listed| listed.has_any(extensions)) || self.of_devices().has_any(extensions) {
            return Ok(());
        }
        Err(of_platform.err().unwrap_or_else(|| "neither the platform nor a device of it lists it".to_owned()))
    }

    fn version(&self) -> &Result<String, String> {
        self.version.get_or_init(|| self.text(cl_platform_info::CL_PLATFORM_VERSION))
    }

    /// A loader has the commands of its own version, and calls into a driver that may be older: it then calls what is not there.
    fn is_new_enough(&self, since: &str) -> Result<(), String> {
        let Some(needed) = Version::new(since) else { return Ok(()) };
        match self.version().as_deref().ok().and_then(Version::of_platform) {
            Some(version) if version < needed => Err(format!("the platform is of OpenCL {version}")),
            // A platform that does not say its version may have it.
            _ => Ok(()),
        }
    }

    fn extension_function(&self, symbol: &CStr) -> Result<NonNull<c_void>, String> {
        let address = match self.core(opencl::clGetExtensionFunctionAddressForPlatform) {
            // SAFETY: the id came from the library, and the name is a C string.
            Ok(for_platform) => NonNull::new(unsafe { for_platform(self.id, symbol.as_ptr()) }.cast()),
            Err(error) => {
                let ask = || self.entry.function(symbol).ok().filter(|_| self.entry.is_vendor());
                Some(ask().ok_or_else(|| format!("the library is older than OpenCL 1.2: {error}"))?)
            }
        };
        address.ok_or_else(|| "the extension is listed, but the platform has no function of this name".to_owned())
    }
}

impl LookUp for Asked {
    const API: Api = Api::OpenCl;

    fn look_up(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String> {
        if command.extensions.is_empty() {
            self.is_new_enough(command.since)?;
            return self.entry.function(command.symbol);
        }
        self.lists(command.extensions)?;
        self.extension_function(command.symbol)
    }

    fn needs(&self, command: &'static CommandInfo) -> Needs {
        match self.entry.needs(command) {
            Needs::Platform(extensions) => Needs::Extension(extensions),
            needs => needs,
        }
    }
}
