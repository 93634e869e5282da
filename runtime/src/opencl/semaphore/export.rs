//! Handles out of semaphores, and sync files into them again: in, a device and a handle type, or a sync file; out, an owned handle, or the
//! file back where the platform refuses it.

use std::{ffi::c_void, slice, sync::Arc};

#[cfg(windows)]
use std::os::windows::io::{FromRawHandle as _, OwnedHandle};
#[cfg(unix)]
use std::{
    ffi::c_int,
    os::fd::{FromRawFd as _, OwnedFd},
};

use clcu_sys::{
    opencl::{self, cl_external_semaphore_handle_type_khr as HandleTypeValue},
    rules::{HandleType, Transference},
};

#[cfg(unix)]
use super::{Binary, ImportError, SyncFd};
use super::{Inner, Kind, Semaphore, demand::unsupported};
#[cfg(unix)]
use crate::import::DUPLICATING;
use crate::{
    opencl::{
        Device,
        checked::{self, Export},
        error::{Error, Obstacle},
        kind::{self, Form},
    },
    tracking::Direction,
};

impl<K: Kind> Semaphore<K> {
    /// Exports it for `device` as a file descriptor of this type, which was said when it was made. It is closed on exec.
    ///
    /// A type that shares the payload makes a second party of whoever gets it. For [`SyncFd`], which copies the payload and may be none at all,
    /// there is [`Semaphore::export_sync_fd`].
    ///
    /// The descriptor is the caller's to close.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the semaphore was not made to be exported so (one that was imported never is), or the device is none
    /// that it is for. [`Error::Missing`] where the command or the extension of the type is not there; [`Error::UnknownHandleType`] for
    /// a type that this version of the crate does not know; [`Error::Unsupported`] for one that is no file descriptor.
    /// [`Error::Misuse`] as for [`Semaphore::export_sync_fd`]. [`Error::Call`] with what the platform answers.
    /// [`Error::UnexpectedSize`] where the platform announces something else than a C `int`. [`Error::Nothing`] where what it gave is
    /// no open descriptor.
    ///
    /// With `cl_khr_external_semaphore`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL API specification.
    #[cfg(unix)]
    pub fn export_fd(&self, device: &Device, handle_type: HandleTypeValue) -> Result<OwnedFd, Error> {
        let row = self.inner.demand_export(handle_type, Form::Fd)?;
        self.inner.fd(device, handle_type, row)?.ok_or_else(|| self.inner.nothing())
    }

    /// Exports it for `device` as an NT handle of this type, which was said when it was made.
    ///
    /// The handle is the caller's to close.
    ///
    /// # Errors
    /// As for `export_fd`, with a pointer's size; [`Error::Nothing`] where what the platform gave is null.
    ///
    /// With `cl_khr_external_semaphore` and `cl_khr_external_semaphore_win32`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL
    /// API specification.
    #[cfg(windows)]
    pub fn export_handle(&self, device: &Device, handle_type: HandleTypeValue) -> Result<OwnedHandle, Error> {
        let row = self.inner.demand_export(handle_type, Form::Win32)?;
        let handle: *mut c_void = self.inner.exported(device, handle_type, row, std::ptr::null_mut())?;
        if handle.is_null() {
            return Err(self.inner.nothing());
        }
        // SAFETY: the platform just gave it, and upstream says that an NT handle is the application's to close.
        Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    /// Exports it for `device` as a global KMT handle: a number that nobody closes, and that is good for as long as a semaphore with the payload
    /// lives.
    ///
    /// # Errors
    /// As for `export_fd`, with a size of 32 bits; [`Error::Nothing`] where what the platform gave is 0.
    ///
    /// With `cl_khr_external_semaphore` and `cl_khr_external_semaphore_win32`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL
    /// API specification.
    pub fn export_kmt(&self, device: &Device, handle_type: HandleTypeValue) -> Result<u32, Error> {
        let row = self.inner.demand_export(handle_type, Form::Kmt)?;
        match self.inner.exported(device, handle_type, row, 0_u32)? {
            0 => Err(self.inner.nothing()),
            handle => Ok(handle),
        }
    }
}

#[cfg(unix)]
impl Semaphore<Binary> {
    /// Exports a copy of its payload for `device` as a sync file, which has the effect of a wait. It is closed on exec.
    ///
    /// The descriptor is the caller's to close. The number −1 is [`SyncFd::AlreadySignaled`].
    ///
    /// # Errors
    /// As for [`Semaphore::export_fd`]; and [`Error::Misuse`] where there is no payload that could be exported.
    ///
    /// With `cl_khr_external_semaphore_sync_fd`. Source: `clGetSemaphoreHandleForTypeKHR` of the OpenCL API specification.
    pub fn export_sync_fd(&self, device: &Device) -> Result<SyncFd, Error> {
        let handle_type = HandleTypeValue::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
        let row = self.inner.demand_export(handle_type, Form::Fd)?;
        Ok(self.inner.fd(device, handle_type, row)?.map_or(SyncFd::AlreadySignaled, SyncFd::Fd))
    }

    /// Gives it the payload of another sync file, as if it were released and imported anew. No properties are passed: upstream defines none.
    ///
    /// # Errors
    /// A file descriptor comes back in the error, whatever the platform did with it. [`Error::Invalid`] where the semaphore did not come from a
    /// sync file. [`Error::Misuse`] where its last payload is still there, where commands that use it are to be done, or where it is not followed
    /// so that nobody knows: upstream does not say what becomes of them. [`Error::Missing`] where the platform lacks the command;
    /// [`Error::System`] where the descriptor cannot be duplicated; [`Error::Call`] with what the platform answers.
    ///
    /// With `cl_khr_external_semaphore_sync_fd`. Source: `clReImportSemaphoreSyncFdKHR` of the OpenCL API specification.
    pub fn reimport(&self, fd: impl Into<SyncFd>) -> Result<(), ImportError> {
        self.inner.reimport(fd.into(), true)
    }

    /// As [`Semaphore::reimport`], whatever became of the payload before and of commands that use it.
    ///
    /// # Errors
    /// As for [`Semaphore::reimport`], without [`Error::Misuse`].
    ///
    /// # Safety
    /// Commands that use the semaphore have ended, or the platform is known to leave them what they had: upstream does not say which
    /// payload they see, nor that the old one stays where they look for it.
    ///
    /// With `cl_khr_external_semaphore_sync_fd`. Source: `clReImportSemaphoreSyncFdKHR` of the OpenCL API specification.
    pub unsafe fn reimport_regardless(&self, fd: impl Into<SyncFd>) -> Result<(), ImportError> {
        self.inner.reimport(fd.into(), false)
    }
}

impl Inner {
    /// Whether a handle of this type can be had at all. Whether the semaphore was made for it, the rules say.
    fn demand_export(&self, handle_type: HandleTypeValue, form: Form) -> Result<&'static HandleType, Error> {
        let platform = self.context.platform();
        let command = opencl::clGetSemaphoreHandleForTypeKHR.info();
        platform.demand(&[command])?;
        let row = kind::of_semaphore(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0.into() })?;
        platform.demand_extension(command, slice::from_ref(&row.extension))?;
        if kind::form(row) != form {
            return Err(unsupported(platform, row, Obstacle::Carrier));
        }
        Ok(row)
    }

    /// What the platform exports, as a value of its size.
    fn exported<T: Copy>(
        &self,
        device: &Device,
        handle_type: HandleTypeValue,
        row: &'static HandleType,
        empty: T,
    ) -> Result<T, Error> {
        let by_copy = row.transference == Transference::Copy;
        if by_copy {
            self.tracker.judge(Direction::Wait, 0)?;
        }
        let platform = self.context.platform();
        let mut handle = empty;
        let export = Export {
            semaphore: self.handle,
            device: device.as_raw(),
            handle_type,
            export_types: self.export_types.as_deref(),
            context_devices: self.context.device_ids(),
            made_for: self.device,
            size: size_of::<T>(),
            handle: (&raw mut handle).cast::<c_void>(),
        };
        // SAFETY: the semaphore and the device are alive, and there is a `T` of memory.
        let found = unsafe { checked::export_semaphore(platform, export, &[])? };
        // Whatever it wrote, it has exported.
        self.tracker.exported(by_copy);
        if found == size_of::<T>() {
            return Ok(handle);
        }
        let command = opencl::clGetSemaphoreHandleForTypeKHR.info();
        let driver = Arc::clone(platform.shared_driver());
        Err(Error::UnexpectedSize { command, what: row.name, wanted: size_of::<T>(), found, driver })
    }

    fn nothing(&self) -> Error {
        let command = opencl::clGetSemaphoreHandleForTypeKHR.info();
        Error::Nothing { command, driver: Arc::clone(self.context.platform().shared_driver()) }
    }

    /// A file descriptor; `None` for the number that stands for something special instead.
    #[cfg(unix)]
    fn fd(&self, device: &Device, handle_type: HandleTypeValue, row: &'static HandleType) -> Result<Option<OwnedFd>, Error> {
        let number: c_int = self.exported(device, handle_type, row, -1)?;
        if row.special_value == Some(number.into()) {
            return Ok(None);
        }
        // SAFETY: it asks about a number, whatever it refers to, and sets a flag of a descriptor that is this call's.
        let is_open = number >= 0 && unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } == 0;
        if !is_open {
            return Err(self.nothing());
        }
        // SAFETY: it is open, and the platform gave it to be the caller's.
        Ok(Some(unsafe { OwnedFd::from_raw_fd(number) }))
    }

    #[cfg(unix)]
    fn reimport(&self, fd: SyncFd, judged: bool) -> Result<(), ImportError> {
        let signaled = matches!(fd, SyncFd::AlreadySignaled);
        let carrier = fd.into_carrier();
        let platform = self.context.platform();
        let sync_fd = HandleTypeValue::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
        // A semaphore that was made from no handle is of none of the types.
        let imported_from = self.imported_from.unwrap_or(HandleTypeValue(0));
        let ready = || {
            platform.demand(&[opencl::clReImportSemaphoreSyncFdKHR.info()])?;
            if judged && imported_from == sync_fd {
                self.tracker.judge_reimport()?;
            }
            carrier.witness().map_err(|error| Error::System { what: DUPLICATING, number: error.raw_os_error() })
        };
        let witness = match ready() {
            Ok(witness) => witness,
            Err(error) => return Err(ImportError::before(error, carrier)),
        };
        let fd = carrier.number();
        // SAFETY: the semaphore is alive, the descriptor is this call's to give or −1; what is still to be done was judged, or is promised.
        match unsafe { checked::reimport_sync_fd(platform, self.handle, Some(imported_from), fd, &[]) } {
            Ok(()) => {
                let owner = kind::of_semaphore(sync_fd).map_or(clcu_sys::rules::Owner::Driver, |row| row.owner_on_success);
                carrier.give(owner);
                self.tracker.reimported(Some(signaled));
                Ok(())
            }
            Err(error) => {
                if error.result().is_some() {
                    self.tracker.reimported(None);
                }
                Err(ImportError::after(error, carrier, witness))
            }
        }
    }
}
