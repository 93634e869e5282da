//! Kinds of external handles as data: what each is, which member carries it, who owns it afterwards, what pairs with it elsewhere.
//!
//! In: the rows of the generated `handle_types` files. Out: one [`HandleType`] a kind, for programs that decide at run time. Where upstream
//! is silent the value is `Unspecified`; an absent name means the same.

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandleKind {
    /// External memory that is imported.
    Memory,
    /// An external semaphore.
    Semaphore,
    /// An allocation or memory pool of the API itself that is shared.
    Allocation,
    /// A range of addresses of the API itself that is shared.
    Range,
    /// Memory that one process shares with another by a handle of bytes.
    IpcMemory,
    /// An event that one process shares with another by a handle of bytes.
    IpcEvent,
    /// A logical endpoint.
    Endpoint,
}

/// The systems on which a handle type exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Every system.
    Any,
    /// Systems with file descriptors.
    Posix,
    /// Windows.
    Windows,
    /// Systems with NVIDIA's `NvSci` libraries.
    NvSci,
    /// Systems whose GPUs are joined by NVIDIA's fabric.
    Fabric,
    /// Upstream does not say.
    Unspecified,
}

/// What importing does to the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transference {
    /// Both sides have the same payload.
    Reference,
    /// The importer gets a copy of it.
    Copy,
    /// Upstream does not say.
    Unspecified,
}

/// How long an import lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permanence {
    /// Until the object is destroyed.
    Permanent,
    /// Until the next wait, which restores what was there before.
    Temporary,
    /// Upstream does not say.
    Unspecified,
}

/// Who has to close a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The driver: the application must not touch the handle any more.
    Driver,
    /// The application: it must close the handle.
    Caller,
    /// Nobody: the handle is a number that holds no reference.
    None,
    /// Upstream does not say.
    Unspecified,
}

/// What a semaphore carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payload {
    /// Signalled or not.
    Binary,
    /// A 64-bit value that signals raise.
    Fence,
    /// A mutex that is acquired and released with a key.
    KeyedMutex,
    /// An `NvSciSyncFence`.
    NvSciSync,
    /// Not a semaphore.
    None,
    /// Upstream does not say.
    Unspecified,
}

/// The state of a semaphore right after import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitialState {
    /// As the other side left it.
    Inherited,
    /// Signalled.
    Signaled,
    /// Not signalled.
    Unsignaled,
    /// Not a semaphore.
    None,
    /// Upstream does not say.
    Unspecified,
}

/// How many bytes a command writes that exports such a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportedSize {
    /// So many bytes on this target.
    Bytes(usize),
    /// The API only imports it.
    Never,
    /// Upstream does not say.
    Unspecified,
}

impl ExportedSize {
    /// A C `int`: a file descriptor.
    pub const INT: Self = Self::Bytes(size_of::<core::ffi::c_int>());
    /// A pointer: an NT handle.
    pub const POINTER: Self = Self::Bytes(size_of::<*const core::ffi::c_void>());
    /// An unsigned 32-bit number: a `D3DKMT_HANDLE`.
    pub const U32: Self = Self::Bytes(size_of::<u32>());
}

/// One kind of external handle.
#[derive(Clone, Copy, Debug)]
pub struct HandleType {
    /// What it stands for.
    pub kind: HandleKind,
    /// Upstream's name: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`.
    pub name: &'static str,
    /// What identifies it in rule ids: `OPAQUE_FD`.
    pub short: &'static str,
    /// The enumeration that its value belongs to; empty where there is no enumerator.
    pub enumeration: &'static str,
    /// Its value; absent where there is no enumerator.
    pub value: Option<u64>,
    /// The record that describes it for import; empty where a parameter or property does.
    pub record: &'static str,
    /// The members, parameter or property that carries it: one, or two where a handle or a name may stand.
    pub members: &'static [&'static str],
    /// Where it exists.
    pub platform: Platform,
    /// What importing does to the payload.
    pub transference: Transference,
    /// How long an import lasts.
    pub permanence: Permanence,
    /// Who owns the handle after a successful import.
    pub owner_on_success: Owner,
    /// Who owns the handle after a failed import.
    pub owner_on_failure: Owner,
    /// What a semaphore of it carries.
    pub payload: Payload,
    /// The members of the parameters of a signal that a semaphore of it uses.
    pub signal: &'static [&'static str],
    /// The same for a wait.
    pub wait: &'static [&'static str],
    /// A semaphore's state after import.
    pub initial_state: InitialState,
    /// Flags that must be set in the descriptor.
    pub required_flags: &'static [&'static str],
    /// All flags that may be set in it.
    pub allowed_flags: &'static [&'static str],
    /// How many bytes an export writes.
    pub exported_size: ExportedSize,
    /// What tells whether a device or platform has it; empty for unspecified.
    pub capability_query: &'static str,
    /// The extension that brings it; empty for CUDA.
    pub extension: &'static str,
    /// A value of the handle that stands for something special: −1 for an already signalled sync fd.
    pub special_value: Option<i64>,
    /// The same in Vulkan, by the names of its flag bits.
    pub vulkan: &'static [&'static str],
    /// The same in Direct3D, by the names of its interfaces.
    pub d3d: &'static [&'static str],
    /// The same in CUDA.
    pub cuda: &'static [&'static str],
    /// The same in OpenCL.
    pub opencl: &'static [&'static str],
    /// The first version that has it; empty where an extension brings it.
    pub since: &'static str,
    /// The last version that has it, where a newer one does not; else empty.
    pub until: &'static str,
}

impl HandleType {
    /// What the rows leave out, because it is so for most.
    #[doc(hidden)]
    pub const UNSPECIFIED: Self = Self {
        kind: HandleKind::Memory,
        name: "",
        short: "",
        enumeration: "",
        value: None,
        record: "",
        members: &[],
        platform: Platform::Unspecified,
        transference: Transference::Unspecified,
        permanence: Permanence::Unspecified,
        owner_on_success: Owner::Unspecified,
        owner_on_failure: Owner::Unspecified,
        payload: Payload::Unspecified,
        signal: &[],
        wait: &[],
        initial_state: InitialState::Unspecified,
        required_flags: &[],
        allowed_flags: &[],
        exported_size: ExportedSize::Unspecified,
        capability_query: "",
        extension: "",
        special_value: None,
        vulkan: &[],
        d3d: &[],
        cuda: &[],
        opencl: &[],
        since: "",
        until: "",
    };
}
