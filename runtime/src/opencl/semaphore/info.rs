//! What a platform says of a semaphore.

use std::ffi::c_void;

use clcu_sys::opencl::{
    self, cl_bool, cl_context, cl_device_id, cl_external_semaphore_handle_type_khr, cl_result, cl_semaphore_info_khr as Info,
    cl_semaphore_properties_khr, cl_semaphore_type_khr,
};

use super::{Binary, Inner, Kind, Semaphore};
use crate::opencl::{error::Error, query};

type Get = unsafe extern "system" fn(opencl::cl_semaphore_khr, Info, usize, *mut c_void, *mut usize) -> cl_result;

impl Inner {
    /// Asks `get` for `what`.
    fn asking(&self, what: Info) -> impl Fn(Get, usize, *mut c_void, *mut usize) -> cl_result {
        let handle = self.handle;
        // SAFETY: the semaphore is alive; there is room for `size` bytes, aligned for the answer.
        move |get, size, value, size_ret| unsafe { get(handle, what, size, value, size_ret) }
    }

    fn value<T: Copy>(&self, what: Info, empty: T) -> Result<T, Error> {
        let name = what.name().unwrap_or("the answer");
        query::value(self.context.platform(), &opencl::clGetSemaphoreInfoKHR, name, empty, self.asking(what))
    }

    fn values<T: Copy>(&self, what: Info, name: &'static str, empty: T) -> Result<Vec<T>, Error> {
        query::values(self.context.platform(), &opencl::clGetSemaphoreInfoKHR, name, empty, self.asking(what))
    }
}

impl<K: Kind> Semaphore<K> {
    /// How many references there are. It may have changed when it is read: it serves to find leaks.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers; [`Error::UnexpectedSize`] where the answer has another size than the value;
    /// [`Error::Missing`] where it lacks the command.
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with
    /// `CL_SEMAPHORE_REFERENCE_COUNT_KHR`.
    pub fn reference_count(&self) -> Result<u32, Error> {
        self.inner.value(Info::CL_SEMAPHORE_REFERENCE_COUNT_KHR, 0)
    }

    /// Its type, as upstream numbers it: [`Payload`](clcu_sys::rules::Payload) says more of what was imported.
    ///
    /// # Errors
    /// As for [`Semaphore::reference_count`].
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with `CL_SEMAPHORE_TYPE_KHR`.
    pub fn semaphore_type(&self) -> Result<cl_semaphore_type_khr, Error> {
        self.inner.value(Info::CL_SEMAPHORE_TYPE_KHR, cl_semaphore_type_khr(0))
    }

    /// Its payload: 0 or 1 for a binary semaphore, a value for a fence. It may have changed when it is read.
    ///
    /// # Errors
    /// As for [`Semaphore::reference_count`].
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with `CL_SEMAPHORE_PAYLOAD_KHR`.
    pub fn payload(&self) -> Result<u64, Error> {
        self.inner.value(Info::CL_SEMAPHORE_PAYLOAD_KHR, 0)
    }

    /// The context that the platform says it belongs to. It is not retained.
    ///
    /// # Errors
    /// As for [`Semaphore::reference_count`].
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with `CL_SEMAPHORE_CONTEXT_KHR`.
    pub fn context_handle(&self) -> Result<cl_context, Error> {
        self.inner.value(Info::CL_SEMAPHORE_CONTEXT_KHR, cl_context::NULL)
    }

    /// The devices that it is for. They are not retained.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers; [`Error::UnexpectedSize`] where it announces a size that is no whole number of
    /// values, or more than 1 MiB; [`Error::Missing`] where it lacks the command.
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with
    /// `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR`.
    pub fn devices(&self) -> Result<Vec<cl_device_id>, Error> {
        let name = "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR";
        self.inner.values(Info::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, name, cl_device_id::NULL)
    }

    /// The property list that it was made with, its end included. [`explain`](crate::opencl::properties::explain) shows it in words.
    ///
    /// # Errors
    /// As for [`Semaphore::devices`].
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with `CL_SEMAPHORE_PROPERTIES_KHR`.
    pub fn properties(&self) -> Result<Vec<u64>, Error> {
        self.inner.values(Info::CL_SEMAPHORE_PROPERTIES_KHR, "CL_SEMAPHORE_PROPERTIES_KHR", 0)
    }

    /// Whether it may be exported.
    ///
    /// # Errors
    /// As for [`Semaphore::reference_count`].
    ///
    /// With `cl_khr_external_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with
    /// `CL_SEMAPHORE_EXPORTABLE_KHR`.
    pub fn is_exportable(&self) -> Result<bool, Error> {
        self.inner.value(Info::CL_SEMAPHORE_EXPORTABLE_KHR, cl_bool(0)).map(|answer| answer != cl_bool(0))
    }

    /// The handle types that it may be exported as: none is an answer, that of what can only be imported.
    ///
    /// # Errors
    /// As for [`Semaphore::devices`].
    ///
    /// With `cl_khr_external_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with
    /// `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR`.
    pub fn export_handle_types(&self) -> Result<Vec<cl_external_semaphore_handle_type_khr>, Error> {
        // It is a property that can be asked for as well, by the same number.
        let property = cl_semaphore_properties_khr::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
        let what = Info(u32::try_from(property.0).unwrap_or_default());
        self.inner.values(what, "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", cl_external_semaphore_handle_type_khr(0))
    }
}

impl Semaphore<Binary> {
    /// Whether it is signalled now. It may have changed when it is read.
    ///
    /// # Errors
    /// As for [`Semaphore::payload`].
    ///
    /// With `cl_khr_semaphore`. Source: `clGetSemaphoreInfoKHR` of the OpenCL API specification, with `CL_SEMAPHORE_PAYLOAD_KHR`.
    pub fn is_signaled(&self) -> Result<bool, Error> {
        Ok(self.payload()? != 0)
    }
}
