//! External memory: in, what another API or process exported; out, an owner of a buffer or image that is made of it, and commands that acquire
//! and release it.
//!
//! Importing is safe: what a handle refers to is the driver's to find out, and who uses the memory in a kernel or a copy promises that the
//! accesses are ordered. Between the other side and OpenCL the order comes from semaphores, and from acquiring and releasing: upstream leaves
//! undefined what a command does with memory that was not acquired.
//!
//! ```no_run
//! # #[cfg(unix)]
//! # fn f(dma_buf: std::os::fd::OwnedFd, fence: std::os::fd::OwnedFd) -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use clcu::opencl::{Context, Device, ExternalMemory, Library, Queue, Semaphore, memory, memory::Object, semaphore};
//!
//! let platform = Arc::new(Library::open()?.platforms()?.usable.swap_remove(0));
//! let devices = Device::all(&platform)?;
//! let context = Context::new(&platform, &devices[..1])?;
//! let queue = Queue::new(&context, &devices[0])?;
//! // A frame of a camera, and the fence after which it is filled.
//! let frame = ExternalMemory::import(&context, memory::Source::dma_buf(dma_buf, Object::buffer(1920 * 1080 * 4)))?;
//! let filled = Semaphore::import(&context, semaphore::Source::sync_fd(fence))?;
//! filled.wait(&queue)?;
//! frame.acquire(&queue)?;
//! // Kernels and copies on `queue` may use `frame.as_raw()` here.
//! frame.release(&queue)?;
//! queue.finish()?;
//! # Ok(())
//! # }
//! ```

mod image;
mod source;
mod transfer;

use std::{fmt, mem, ptr, sync::Arc, sync::atomic::AtomicBool};

use clcu_sys::{
    CommandInfo,
    opencl::{self, cl_mem},
    rules::HandleType,
};

pub use self::{
    image::{Image, Object},
    source::Source,
    transfer::Misuse,
};
use super::{
    Context, Device, ImportError,
    capabilities::Asked,
    checked,
    error::{Error, Obstacle, Unsupported},
    kind,
};
#[cfg(unix)]
use crate::{descriptor, import::Carrier};
use crate::{
    import::{DUPLICATING, Witness},
    trace,
};

/// A buffer or image that was made of external memory. Dropping it does not free what the other side has.
///
/// It keeps its context alive, and releases its reference when it is dropped.
///
/// With `cl_khr_external_memory`. Source: `cl_mem` of the OpenCL API specification.
pub struct ExternalMemory {
    context: Context,
    /// Null once it is released or given away.
    handle: cl_mem,
    row: &'static HandleType,
    object: Object,
    /// Those that it is for; empty for all of the context.
    devices: Vec<Device>,
    /// Whether it is acquired, as far as this value knows.
    acquired: AtomicBool,
}

impl ExternalMemory {
    /// Imports memory into a context: as a buffer or an image, whichever the source says.
    ///
    /// Before the platform is called: every command that the memory will need is there, the extension of the handle type is listed, no device
    /// that the memory is for leaves the handle type out of those that it imports, and the arguments break no rule.
    ///
    /// # Errors
    /// A file descriptor comes back in the error, whatever the platform did with it: see [`ImportError::into_fd`]. [`Error::Missing`]
    /// where a command or extension is not there; [`Error::UnknownHandleType`] for a type that this version of the crate does not know;
    /// [`Error::Unsupported`] where the type does not exist on this system, is carried by something else, or is not listed by a device:
    /// it names the handle types that the device imports instead; `Error::Descriptor` where the descriptor is none of the type, if that
    /// is asked for; [`Error::System`] where the descriptor cannot be duplicated, or the size is more than this system can address;
    /// [`Error::Invalid`] with every rule that the arguments break; [`Error::Call`] with what the platform answers; [`Error::Nothing`]
    /// or [`Error::Silent`] where it gives no object. After [`Error::Nothing`] the platform keeps the descriptor.
    ///
    /// Since OpenCL 3.0, with `cl_khr_external_memory`. Source: `clCreateBufferWithProperties` and `clCreateImageWithProperties` of the
    /// OpenCL API specification.
    pub fn import(context: &Context, source: Source<'_>) -> Result<Self, ImportError> {
        let ready = match Ready::new(context, &source) {
            Ok(ready) => ready,
            Err(error) => return Err(ImportError::before(error, source.carrier)),
        };
        let Ready { row, import_types, witness } = ready;
        let handle = match create(context, &source, import_types.as_deref()) {
            Ok(handle) => handle,
            // It took the handle, and gave nothing for it.
            Err(error @ Error::Nothing { .. }) => {
                source.carrier.give(row.owner_on_success);
                return Err(ImportError::kept(error));
            }
            Err(error) => return Err(ImportError::after(error, source.carrier, witness)),
        };
        let Source { carrier, object, devices, .. } = source;
        carrier.give(row.owner_on_success);
        Ok(Self { context: context.clone(), handle, row, object, devices, acquired: AtomicBool::new(false) })
    }

    /// Takes memory that somebody else imported into `context`, for `devices`, or for all of the context if there are none.
    ///
    /// # Errors
    /// [`Error::Missing`] where a command that the memory will need is not there; [`Error::UnknownHandleType`] for a type that this
    /// version of the crate does not know.
    ///
    /// # Safety
    /// It is alive, was imported into this context, from this handle type, for these devices and as this object, is not acquired, and one
    /// reference to it is given away by this call.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_mem` of the OpenCL API specification.
    pub unsafe fn from_raw(
        context: &Context,
        handle: cl_mem,
        handle_type: opencl::cl_external_memory_handle_type_khr,
        object: Object,
        devices: &[Device],
    ) -> Result<Self, Error> {
        context.platform().demand(&NEEDED)?;
        let row = kind::of_memory(handle_type).ok_or(Error::UnknownHandleType { value: handle_type.0.into() })?;
        let (context, devices) = (context.clone(), devices.to_vec());
        Ok(Self { context, handle, row, object, devices, acquired: AtomicBool::new(false) })
    }

    /// For kernels and other crates. It stays this value's to release.
    ///
    /// Since OpenCL 1.0. Source: `cl_mem` of the OpenCL API specification.
    #[must_use]
    pub fn as_raw(&self) -> cl_mem {
        self.handle
    }

    /// Gives it away, with the duty to release its reference.
    ///
    /// Since OpenCL 1.0. Source: `cl_mem` of the OpenCL API specification.
    #[must_use]
    pub fn into_raw(mut self) -> cl_mem {
        mem::replace(&mut self.handle, cl_mem::NULL)
    }

    /// What it was imported as.
    ///
    /// Since OpenCL 1.0. Source: `cl_mem` of the OpenCL API specification.
    #[must_use]
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// The kind of handle that it was imported from.
    ///
    /// With `cl_khr_external_memory`. Source: `cl_external_memory_handle_type_khr` of the OpenCL API specification.
    #[must_use]
    pub fn handle_type(&self) -> &'static HandleType {
        self.row
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Releases its reference: OpenCL deletes it when the commands that use it are done. Dropping it does the same, and says nothing of a
    /// failure but to who listens for events.
    ///
    /// It is not the counterpart of [`acquire`](Self::acquire), which [`release`](Self::release) is.
    ///
    /// # Errors
    /// [`Error::Call`] with what the platform answers. It is not released a second time.
    ///
    /// Since OpenCL 1.0. Source: `clReleaseMemObject` of the OpenCL API specification.
    pub fn destroy(mut self) -> Result<(), Error> {
        self.release_reference()
    }

    fn release_reference(&mut self) -> Result<(), Error> {
        let handle = mem::replace(&mut self.handle, cl_mem::NULL);
        if handle.is_null() {
            return Ok(());
        }
        let release = self.context.platform().checked(&opencl::clReleaseMemObject).about(Some(self.row));
        // SAFETY: it is alive, and this is the one time that this reference is released.
        release.call(|release| unsafe { release(handle) })
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        if let Err(error) = self.release_reference() {
            trace::lost("external memory could not be released", &error);
        }
    }
}

impl fmt::Debug for ExternalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle, row, object, .. } = self;
        let mut debug = f.debug_struct("ExternalMemory");
        debug.field("handle", handle).field("type", &row.name).field("object", object).finish_non_exhaustive()
    }
}

/// What memory needs after it was imported: what cannot be acquired or released shall not be imported.
static NEEDED: [&CommandInfo; 4] = [
    opencl::clReleaseMemObject.info(),
    opencl::clReleaseEvent.info(),
    opencl::clEnqueueAcquireExternalMemObjectsKHR.info(),
    opencl::clEnqueueReleaseExternalMemObjectsKHR.info(),
];

/// What is known before the platform is called.
struct Ready {
    row: &'static HandleType,
    /// The handle type, which every device imports that the memory is for; `None` where one of them does not say.
    import_types: Option<Vec<u64>>,
    witness: Witness,
}

impl Ready {
    fn new(context: &Context, source: &Source<'_>) -> Result<Self, Error> {
        let platform = context.platform();
        let create = if source.object.is_image() {
            opencl::clCreateImageWithProperties.info()
        } else {
            opencl::clCreateBufferWithProperties.info()
        };
        platform.demand(&[create])?;
        platform.demand(&NEEDED)?;
        let value = source.handle_type.0.into();
        let row = kind::of_memory(source.handle_type).ok_or(Error::UnknownHandleType { value })?;
        platform.demand_extension(create, std::slice::from_ref(&row.extension))?;
        let unsupported = |why, listed| {
            let driver = Arc::clone(platform.shared_driver());
            Err(Error::Unsupported(Unsupported { handle_type: row, why, listed, driver }))
        };
        if !kind::exists_here(row) {
            return unsupported(Obstacle::System, Vec::new());
        }
        if !kind::is_carried_by(row, &source.carrier) {
            return unsupported(Obstacle::Carrier, Vec::new());
        }
        let devices = if source.devices.is_empty() { context.devices() } else { source.devices.clone() };
        let imports: Vec<_> = devices.iter().map(Device::memory_import).collect();
        let linear = if source.is_linear { devices.iter().map(Device::linear_images).collect() } else { Vec::new() };
        for Asked { query, answer, .. } in imports.iter().chain(&linear) {
            if let Some(listed) = answer.listed()
                && !listed.iter().any(|listed| u64::from(*listed) == value)
            {
                return unsupported(Obstacle::NotListed(query), listed.to_vec());
            }
        }
        #[cfg(unix)]
        if source.is_suspicious
            && let Carrier::Fd(fd) = &source.carrier
        {
            descriptor::check(fd, row).map_err(Error::Descriptor)?;
        }
        let witness = source.carrier.witness();
        let witness = witness.map_err(|error| Error::System { what: DUPLICATING, number: error.raw_os_error() })?;
        let all_listed = imports.iter().all(|asked| asked.answer.listed().is_some());
        Ok(Self { row, import_types: all_listed.then(|| vec![value]), witness })
    }
}

fn create(context: &Context, source: &Source<'_>, import_types: Option<&[u64]>) -> Result<cl_mem, Error> {
    let (platform, place, flags) = (context.platform(), context.place(import_types), source.flags);
    let properties = source.properties();
    let list = Some(properties.as_slice());
    let size = match source.object {
        Object::Buffer { size } => usize::try_from(size).map_err(|_| Error::System { what: TOO_LARGE, number: None })?,
        Object::Image(_) | Object::InferredBuffer | Object::InferredImage => 0,
    };
    let (format, descriptor) = match &source.object {
        Object::Image(image) => (Some(image.format()), Some(image.descriptor())),
        Object::Buffer { .. } | Object::InferredBuffer | Object::InferredImage => (None, None),
    };
    let none = ptr::null_mut();
    // SAFETY: the context is alive, and so are the devices, which are of its platform. The list ends. What carries the handle is alive: an owned
    // descriptor in the source, a borrowed handle or name by its lifetime, a raw object by the promise of its constructor. There is no memory of
    // the host. Records of images are initialised.
    unsafe {
        if source.object.is_image() {
            checked::create_image(platform, place, list, flags, format, descriptor, none, &[])
        } else {
            checked::create_buffer(platform, place, list, flags, size, none, &[])
        }
    }
}

/// On 32-bit targets.
const TOO_LARGE: &str = "passing a size of more bytes than this system can address";
