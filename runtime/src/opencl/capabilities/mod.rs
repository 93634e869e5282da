//! What a platform or device says that it shares: in, one of them; out, its answer to each query, refusals among them, and a row for each kind
//! of handle.
//!
//! Some drivers refuse a query that belongs to an extension which they list (NVIDIA's 580 answers −30 to those of platforms): each answer
//! stands for itself, and a refusal says nothing about the kind of handle, which can then only be tried.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for platform in &clcu::opencl::Library::open()?.platforms()?.usable {
//!     for row in platform.capabilities().rows() {
//!         println!("{}: import {}", row.handle_type.name, row.import);
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod answer;
mod support;

use std::fmt;

use clcu_sys::{
    opencl::{self, cl_device_info, cl_platform_info, cl_semaphore_type_khr},
    rules::{HandleKind, HandleType},
};

pub use self::{
    answer::Answer,
    support::{Capability, Support},
};
use super::{Device, Platform};

const SEMAPHORE: &str = "cl_khr_semaphore";
const EXTERNAL_SEMAPHORE: &str = "cl_khr_external_semaphore";
const EXTERNAL_MEMORY: &str = "cl_khr_external_memory";
const SEMAPHORES: Option<HandleKind> = Some(HandleKind::Semaphore);
const MEMORY: Option<HandleKind> = Some(HandleKind::Memory);

/// A query, with what was answered.
///
/// Since OpenCL 1.0. Source: `clGetPlatformInfo` and `clGetDeviceInfo` of the OpenCL API specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// Upstream's name of it: `CL_DEVICE_SEMAPHORE_TYPES_KHR`.
    pub query: &'static str,
    /// What it lists: handles of this kind; `None` for types of semaphores.
    pub of: Option<HandleKind>,
    /// What was answered.
    pub answer: Answer,
}

impl Asked {
    fn new(query: Option<&'static str>, of: Option<HandleKind>, answer: Answer) -> Self {
        Self { query: query.unwrap_or_default(), of, answer }
    }

    /// What a number in the answer stands for, by upstream's name; `None` for one that these bindings do not know.
    #[must_use]
    pub fn name_of(&self, number: u32) -> Option<&'static str> {
        match self.of {
            Some(kind) => {
                let mut rows = opencl::HANDLE_TYPES.iter().filter(|row| row.kind == kind);
                rows.find(|row| row.value == Some(number.into())).map(|row| row.name)
            }
            None => cl_semaphore_type_khr(number).name(),
        }
    }
}

/// The query, and what was answered, by names.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.query)?;
        match self.answer.listed() {
            None | Some([]) => self.answer.fmt(f),
            Some(listed) => listed.iter().enumerate().try_for_each(|(index, number)| {
                f.write_str(if index == 0 { "" } else { ", " })?;
                match self.name_of(*number) {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{number:#06X}"),
                }
            }),
        }
    }
}

/// What a platform, or a device, answers about semaphores and external memory.
///
/// A platform lists what all its devices have; a device may have more.
///
/// With `cl_khr_semaphore`, `cl_khr_external_semaphore` and `cl_khr_external_memory`, each query with its own. Source:
/// `cl_platform_info` and `cl_device_info` of the OpenCL API specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// The types of semaphores (`cl_semaphore_type_khr`).
    ///
    /// With `cl_khr_semaphore`. Source: `CL_PLATFORM_SEMAPHORE_TYPES_KHR`, `CL_DEVICE_SEMAPHORE_TYPES_KHR`.
    pub semaphore_types: Asked,
    /// The types of handles from which semaphores are imported (`cl_external_semaphore_handle_type_khr`).
    ///
    /// With `cl_khr_external_semaphore`. Source: `CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`,
    /// `CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR`.
    pub semaphore_import: Asked,
    /// The types of handles as which semaphores are exported.
    ///
    /// With `cl_khr_external_semaphore`. Source: `CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR`,
    /// `CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR`.
    pub semaphore_export: Asked,
    /// The types of handles from which memory is imported (`cl_external_memory_handle_type_khr`).
    ///
    /// With `cl_khr_external_memory`. Source: `CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR`,
    /// `CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR`.
    pub memory_import: Asked,
    /// Those of them whose images are taken to be linear where nothing else tells their layout. `None` for a platform, which has no such query.
    ///
    /// With `cl_khr_external_memory`. Source: `CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR`.
    pub linear_images: Option<Asked>,
}

impl Platform {
    /// What the platform answers: what all its devices have.
    ///
    /// It is asked anew by each call. That it refuses is an [`Answer`], not an error.
    ///
    /// Since OpenCL 1.0. Source: `clGetPlatformInfo` of the OpenCL API specification; its queries are named at [`Capabilities`].
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        let ask = |query: cl_platform_info, of, extension| {
            Asked::new(query.name(), of, Answer::from_list(self.has_extension(extension), extension, || self.list(query)))
        };
        Capabilities {
            semaphore_types: ask(cl_platform_info::CL_PLATFORM_SEMAPHORE_TYPES_KHR, None, SEMAPHORE),
            semaphore_import: ask(cl_platform_info::CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, SEMAPHORES, EXTERNAL_SEMAPHORE),
            semaphore_export: ask(cl_platform_info::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, SEMAPHORES, EXTERNAL_SEMAPHORE),
            memory_import: ask(cl_platform_info::CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, MEMORY, EXTERNAL_MEMORY),
            linear_images: None,
        }
    }
}

impl Device {
    /// What the device answers.
    ///
    /// It is asked anew by each call. That it refuses is an [`Answer`], not an error.
    ///
    /// Since OpenCL 1.0. Source: `clGetDeviceInfo` of the OpenCL API specification; its queries are named at [`Capabilities`].
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        let ask = |query, of, extension| self.ask(query, of, extension);
        Capabilities {
            semaphore_types: ask(cl_device_info::CL_DEVICE_SEMAPHORE_TYPES_KHR, None, SEMAPHORE),
            semaphore_import: ask(cl_device_info::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, SEMAPHORES, EXTERNAL_SEMAPHORE),
            semaphore_export: ask(cl_device_info::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, SEMAPHORES, EXTERNAL_SEMAPHORE),
            memory_import: self.memory_import(),
            linear_images: Some(self.linear_images()),
        }
    }

    /// The types of memory handles that the device imports.
    pub(super) fn memory_import(&self) -> Asked {
        self.ask(cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, MEMORY, EXTERNAL_MEMORY)
    }

    /// Those of them whose images it takes to be linear.
    pub(super) fn linear_images(&self) -> Asked {
        let query = cl_device_info::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR;
        self.ask(query, MEMORY, EXTERNAL_MEMORY)
    }

    fn ask(&self, query: cl_device_info, of: Option<HandleKind>, extension: &'static str) -> Asked {
        Asked::new(query.name(), of, Answer::from_list(self.has_extension(extension), extension, || self.list(query)))
    }
}

impl Capabilities {
    /// Every query with its answer: five for a device, four for a platform.
    pub fn asked(&self) -> impl Iterator<Item = &Asked> {
        let Self { semaphore_types, semaphore_import, semaphore_export, memory_import, linear_images } = self;
        [semaphore_types, semaphore_import, semaphore_export, memory_import].into_iter().chain(linear_images)
    }

    /// A row for each kind of handle that these bindings know; for semaphores, one for each type of semaphore that is listed besides.
    ///
    /// The queries list kinds of handles and types of semaphores apart. Where several types of semaphores are listed, nothing tells which of
    /// them a kind of handle goes with: the row says so ([`Support::OfSomeType`]).
    ///
    /// Source: [`clcu_sys::opencl::HANDLE_TYPES`], and the queries that are named at [`Capabilities`].
    #[must_use]
    pub fn rows(&self) -> Vec<Capability> {
        opencl::HANDLE_TYPES.iter().flat_map(|handle_type| self.of(handle_type)).collect()
    }

    fn of(&self, handle_type: &'static HandleType) -> Vec<Capability> {
        if handle_type.kind == HandleKind::Memory {
            let import = Support::of(handle_type, &self.memory_import, 1);
            let linear_images = self.linear_images.as_ref().map(|asked| Support::of(handle_type, asked, 1));
            return vec![Capability { handle_type, semaphore_type: None, import, export: None, linear_images }];
        }
        let types = self.types_of_semaphores();
        let row = |semaphore_type: &cl_semaphore_type_khr| Capability {
            handle_type,
            semaphore_type: Some(*semaphore_type),
            import: Support::of(handle_type, &self.semaphore_import, types.len()),
            export: Some(Support::of(handle_type, &self.semaphore_export, types.len())),
            linear_images: None,
        };
        types.iter().map(row).collect()
    }

    /// Those that are listed; the one that upstream has where none is.
    fn types_of_semaphores(&self) -> Vec<cl_semaphore_type_khr> {
        match self.semaphore_types.answer.listed() {
            Some([]) | None => vec![cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR],
            Some(types) => types.iter().copied().map(cl_semaphore_type_khr).collect(),
        }
    }

    /// The numbers of handle types that are listed somewhere and that these bindings do not know, each with its query: of a newer driver, or
    /// a vendor's own.
    #[must_use]
    pub fn unknown_handle_types(&self) -> Vec<(&'static str, u32)> {
        let unknown = |asked: &Asked| {
            let listed = asked.answer.listed().unwrap_or_default().iter();
            let unknown = listed.filter(|number| asked.name_of(**number).is_none());
            unknown.map(|number| (asked.query, *number)).collect::<Vec<_>>()
        };
        let Self { semaphore_import, semaphore_export, memory_import, .. } = self;
        [semaphore_import, semaphore_export, memory_import].into_iter().flat_map(unknown).collect()
    }
}
