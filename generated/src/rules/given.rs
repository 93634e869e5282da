//! What rules need to know that no descriptor holds: the handle type of the semaphore behind a handle, the devices of a context, ….
//!
//! In: what a caller knows of the context of a call. Out: an answer to each condition that asks for it, with "not given" as an answer of
//! its own, so that a rule that could not be decided is reported and never taken for one that holds.

use core::fmt;

/// One fact of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fact {
    /// The handle type with which the semaphore was imported or made.
    SemaphoreHandleType,
    /// Whether the semaphore is binary, a fence, … (`cl_semaphore_type_khr`).
    SemaphoreType,
    /// Whether the semaphore was made by importing a handle.
    SemaphoreImported,
    /// The handle types for which the semaphore may be exported.
    SemaphoreExportTypes,
    /// The handle type from which the memory object was imported.
    MemoryHandleType,
    /// The handle types for which an allocation or pool may be exported, as flags.
    AllocationHandleTypes,
    /// How many devices the context has.
    ContextDeviceCount,
    /// The extensions that the platform or device offers.
    Extensions,
    /// The handle types that the device or platform can import.
    ImportTypes,
    /// The handle types that the device or platform can export.
    ExportTypes,
    /// The operating system.
    Platform,
    /// The version of the API that the device or driver supports.
    ApiVersion,
}

impl Fact {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::SemaphoreHandleType,
        Self::SemaphoreType,
        Self::SemaphoreImported,
        Self::SemaphoreExportTypes,
        Self::MemoryHandleType,
        Self::AllocationHandleTypes,
        Self::ContextDeviceCount,
        Self::Extensions,
        Self::ImportTypes,
        Self::ExportTypes,
        Self::Platform,
        Self::ApiVersion,
    ];

    /// As rules write it: `semaphore_handle_type`.
    #[must_use]
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SemaphoreHandleType => "semaphore_handle_type",
            Self::SemaphoreType => "semaphore_type",
            Self::SemaphoreImported => "semaphore_imported",
            Self::SemaphoreExportTypes => "semaphore_export_types",
            Self::MemoryHandleType => "memory_handle_type",
            Self::AllocationHandleTypes => "allocation_handle_types",
            Self::ContextDeviceCount => "context_device_count",
            Self::Extensions => "extensions",
            Self::ImportTypes => "import_types",
            Self::ExportTypes => "export_types",
            Self::Platform => "platform",
            Self::ApiVersion => "api_version",
        }
    }
}

/// A set of [`Fact`]s: those that a check would have needed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Facts(u16);

impl Facts {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// The set of `fact` alone.
    #[must_use]
    #[inline]
    pub const fn only(fact: Fact) -> Self {
        Self(1 << fact as u8)
    }

    /// Both sets together.
    #[must_use]
    #[inline]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `fact` is among them.
    #[must_use]
    #[inline]
    pub const fn contains(self, fact: Fact) -> bool {
        self.0 & Self::only(fact).0 != 0
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Fact> {
        Fact::ALL.into_iter().filter(move |fact| self.contains(*fact))
    }
}

impl fmt::Display for Facts {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for fact in self.iter() {
            write!(f, "{separator}{}", fact.name())?;
            separator = ", ";
        }
        Ok(())
    }
}

impl fmt::Debug for Facts {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The operating system that a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// Linux.
    Linux,
    /// Windows.
    Windows,
}

impl System {
    /// The one that this crate was compiled for, if it is one of them.
    #[must_use]
    #[inline]
    pub const fn here() -> Option<Self> {
        if cfg!(target_os = "linux") {
            Some(Self::Linux)
        } else if cfg!(windows) {
            Some(Self::Windows)
        } else {
            None
        }
    }

    /// As rules write it.
    #[must_use]
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Windows => "windows",
        }
    }
}

/// A value of an enumeration of handle types for semaphores. Implemented by the generated code for those that are, so that a type of
/// memory handle is never taken for one of a semaphore, although the numbers coincide.
pub trait SemaphoreHandleType: Copy {
    /// The number.
    fn number(self) -> u64;
}

/// A value of an enumeration of handle types for memory.
pub trait MemoryHandleType: Copy {
    /// The number.
    fn number(self) -> u64;
}

/// The facts that a caller gives. What is `None` is not known, and rules that need it come back as not checked.
///
/// ```
/// use clcu_sys::rules::{Fact, Given};
/// let mut given = Given::default();
/// assert!(given.lacks(Fact::ContextDeviceCount));
/// given.context_device_count = Some(2);
/// assert!(!given.lacks(Fact::ContextDeviceCount));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// [`Fact::SemaphoreHandleType`]: set by [`Given::with_semaphore`].
    pub semaphore_handle_type: Option<u64>,
    /// [`Fact::SemaphoreType`].
    pub semaphore_type: Option<u64>,
    /// [`Fact::SemaphoreImported`].
    pub semaphore_imported: Option<bool>,
    /// [`Fact::SemaphoreExportTypes`].
    pub semaphore_export_types: Option<&'a [u64]>,
    /// [`Fact::MemoryHandleType`]: set by [`Given::with_memory`].
    pub memory_handle_type: Option<u64>,
    /// [`Fact::AllocationHandleTypes`], as the flags that the API uses.
    pub allocation_handle_types: Option<u64>,
    /// [`Fact::ContextDeviceCount`].
    pub context_device_count: Option<u32>,
    /// [`Fact::Extensions`], by name.
    pub extensions: Option<&'a [&'a str]>,
    /// [`Fact::ImportTypes`].
    pub import_types: Option<&'a [u64]>,
    /// [`Fact::ExportTypes`].
    pub export_types: Option<&'a [u64]>,
    /// [`Fact::Platform`].
    pub platform: Option<System>,
    /// [`Fact::ApiVersion`]: `(13, 5)`.
    pub api_version: Option<(u16, u16)>,
}

impl Given<'_> {
    /// The same facts, and that the semaphore is of `handle_type`.
    #[inline]
    #[must_use]
    pub fn with_semaphore(mut self, handle_type: impl SemaphoreHandleType) -> Self {
        self.semaphore_handle_type = Some(handle_type.number());
        self
    }

    /// The same facts, and that the memory is of `handle_type`.
    #[inline]
    #[must_use]
    pub fn with_memory(mut self, handle_type: impl MemoryHandleType) -> Self {
        self.memory_handle_type = Some(handle_type.number());
        self
    }

    /// Whether `fact` is not given.
    #[inline]
    #[must_use]
    pub const fn lacks(&self, fact: Fact) -> bool {
        match fact {
            Fact::SemaphoreHandleType => self.semaphore_handle_type.is_none(),
            Fact::SemaphoreType => self.semaphore_type.is_none(),
            Fact::SemaphoreImported => self.semaphore_imported.is_none(),
            Fact::SemaphoreExportTypes => self.semaphore_export_types.is_none(),
            Fact::MemoryHandleType => self.memory_handle_type.is_none(),
            Fact::AllocationHandleTypes => self.allocation_handle_types.is_none(),
            Fact::ContextDeviceCount => self.context_device_count.is_none(),
            Fact::Extensions => self.extensions.is_none(),
            Fact::ImportTypes => self.import_types.is_none(),
            Fact::ExportTypes => self.export_types.is_none(),
            Fact::Platform => self.platform.is_none(),
            Fact::ApiVersion => self.api_version.is_none(),
        }
    }

    /// A fact that is one number, if it is one and given. A version `13.5` counts as `13050`, as `CUDA_VERSION` does.
    #[inline]
    #[must_use]
    pub fn number(&self, fact: Fact) -> Option<i128> {
        match fact {
            Fact::SemaphoreHandleType => self.semaphore_handle_type.map(i128::from),
            Fact::SemaphoreType => self.semaphore_type.map(i128::from),
            Fact::SemaphoreImported => self.semaphore_imported.map(i128::from),
            Fact::MemoryHandleType => self.memory_handle_type.map(i128::from),
            Fact::AllocationHandleTypes => self.allocation_handle_types.map(i128::from),
            Fact::ContextDeviceCount => self.context_device_count.map(i128::from),
            Fact::ApiVersion => self.api_version.map(|(major, minor)| i128::from(major) * 1000 + i128::from(minor) * 10),
            Fact::SemaphoreExportTypes | Fact::Extensions | Fact::ImportTypes | Fact::ExportTypes | Fact::Platform => None,
        }
    }

    /// Whether a fact that is a set has the member called `name` with the number `value`; `None` where it is not given or no set.
    #[must_use]
    #[inline]
    pub fn has(&self, fact: Fact, name: &str, value: i128) -> Option<bool> {
        let listed = |numbers: &[u64]| numbers.iter().any(|number| i128::from(*number) == value);
        match fact {
            Fact::SemaphoreExportTypes => self.semaphore_export_types.map(listed),
            Fact::ImportTypes => self.import_types.map(listed),
            Fact::ExportTypes => self.export_types.map(listed),
            Fact::Extensions => self.extensions.map(|names| names.contains(&name)),
            Fact::Platform => self.platform.map(|system| system.name() == name),
            Fact::AllocationHandleTypes => {
                self.allocation_handle_types.map(|flags| value != 0 && i128::from(flags) & value == value)
            }
            _ => self.number(fact).map(|number| number == value),
        }
    }
}
