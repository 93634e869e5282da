//! Kinds of external handles: what each is, which member carries it, who owns it afterwards, what pairs with it in other APIs.
//!
//! In: enumerators and what upstream's text says of them, with the overlay for what it does not. Out: one row a handle type. Where
//! upstream is silent the value is "unspecified"; a guess is not a value. An absent name (`null` in the snapshot) means unspecified too,
//! except where the column says otherwise.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    availability::{Api, Lifetime},
    rule::{Origin, Path, Source},
    value::Value,
};

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transference {
    /// Both sides have the same payload.
    Reference,
    /// The importer gets a copy of it.
    Copy,
    /// Upstream does not say.
    Unspecified,
}

/// How long an import lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permanence {
    /// Until the object is destroyed.
    Permanent,
    /// Until the next wait, which restores what was there before.
    Temporary,
    /// Upstream does not say.
    Unspecified,
}

/// Who has to close a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// How many bytes a command writes that exports such a handle. Written `int`, `pointer`, `u32`, `64`, `never` or `unspecified`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExportedSize {
    /// A C `int`: a file descriptor.
    Int,
    /// A pointer: an NT handle.
    Pointer,
    /// An unsigned 32-bit number: a `D3DKMT_HANDLE`.
    U32,
    /// So many bytes.
    Bytes(u32),
    /// The API only imports it.
    Never,
    /// Upstream does not say.
    Unspecified,
}

impl fmt::Display for ExportedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int => f.write_str("int"),
            Self::Pointer => f.write_str("pointer"),
            Self::U32 => f.write_str("u32"),
            Self::Bytes(count) => write!(f, "{count}"),
            Self::Never => f.write_str("never"),
            Self::Unspecified => f.write_str("unspecified"),
        }
    }
}

impl FromStr for ExportedSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "int" => Self::Int,
            "pointer" => Self::Pointer,
            "u32" => Self::U32,
            "never" => Self::Never,
            "unspecified" => Self::Unspecified,
            _ => Self::Bytes(text.parse().map_err(|_| {
                format!("`{text}` is no exported size: wanted `int`, `pointer`, `u32`, a number of bytes, `never` or `unspecified`")
            })?),
        })
    }
}

super::value::serde_as_text!(ExportedSize);

/// What a column rests on: written `owner_on_success stated cuda.h@13.5.37 cuImportExternalMemory #9f86d081884c7d65`, or with a
/// reason in the place of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The column of [`HandleType`].
    pub column: String,
    /// Why it holds.
    pub origin: Origin,
    /// The sentence, or what a person decided.
    pub basis: Basis,
}

/// A sentence of upstream's, or a person's decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A sentence that was read.
    Source(Source),
    /// The reason of an overlay entry.
    Reason(String),
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.column, self.origin.name())?;
        match &self.basis {
            Basis::Source(source) => source.fmt(f),
            Basis::Reason(reason) => write!(f, "because {reason}"),
        }
    }
}

impl FromStr for Evidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is no evidence: wanted `column origin source` or `column origin because reason`");
        let (column, rest) = text.split_once(' ').ok_or_else(wrong)?;
        let (origin, rest) = rest.split_once(' ').ok_or_else(wrong)?;
        let origin = [Origin::Stated, Origin::Derived, Origin::Ours]
            .into_iter()
            .find(|candidate| candidate.name() == origin)
            .ok_or_else(wrong)?;
        let basis = match rest.strip_prefix("because ") {
            Some(reason) => Basis::Reason(reason.to_owned()),
            None => Basis::Source(rest.parse()?),
        };
        Ok(Self { column: column.to_owned(), origin, basis })
    }
}

super::value::serde_as_text!(Evidence);

/// The same kind of handle in other APIs, by the names that they have there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counterparts {
    /// `VkExternalSemaphoreHandleTypeFlagBits` or `VkExternalMemoryHandleTypeFlagBits`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vulkan: Vec<String>,
    /// Direct3D interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub d3d: Vec<String>,
    /// CUDA enumerators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuda: Vec<String>,
    /// OpenCL enumerators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opencl: Vec<String>,
}

/// One kind of external handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleType {
    /// Whose it is.
    pub api: Api,
    /// What it stands for.
    pub kind: HandleKind,
    /// Upstream's name: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`; the type's name where there is no enumerator (`CUipcMemHandle`).
    pub name: String,
    /// What identifies it in rule ids: `OPAQUE_FD`.
    pub short: String,
    /// The enumeration that its value belongs to; absent where there is no enumerator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enumeration: Option<String>,
    /// Its value; absent where there is no enumerator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The record that describes it for import; absent where a parameter or property does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The members of the record that it selects, or the parameter or property that carries it. One where the handle is one member,
    /// two where a handle or a name may stand (`handle.win32.handle`, `handle.win32.name`).
    pub members: Vec<Path>,
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
    /// The members of the parameters of a signal that a semaphore of it uses: `params.fence.value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signal: Vec<Path>,
    /// The same for a wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wait: Vec<Path>,
    /// A semaphore's state after import.
    pub initial_state: InitialState,
    /// Flags that must be set in the descriptor.
    pub required_flags: Vec<String>,
    /// All flags that may be set in it, required ones included.
    pub allowed_flags: Vec<String>,
    /// How many bytes an export writes.
    pub exported_size: ExportedSize,
    /// What tells whether a device or platform has it: a device attribute, or a `cl_*_info` query.
    pub capability_query: Option<String>,
    /// The extension that brings it (OpenCL only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// A value of the handle that stands for something special: −1 for an already signalled sync fd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special_value: Option<Value>,
    /// The same in other APIs.
    pub counterparts: Counterparts,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// What the columns rest on, sorted by column.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}
