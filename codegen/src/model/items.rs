//! The items of an API. Field names are those of the snapshot.

use serde::{Deserialize, Serialize};

use super::{
    availability::{Lifetime, Version},
    ctype::{CType, Parameter},
    layout::{PerTarget, Target},
    value::Value,
};

/// A named value that belongs to no enumeration: `CU_IPC_HANDLE_SIZE`, `CU_STREAM_PER_THREAD`, `CL_UINT_MAX`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Upstream's name.
    pub name: String,
    /// Its type; a handle or pointer type where upstream casts to one.
    #[serde(rename = "type")]
    pub ctype: CType,
    /// Its value.
    pub value: Value,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
}

/// What the values of an enumeration are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnumerationKind {
    /// One of them at a time.
    Choice,
    /// Any combination: has the bit operators.
    Bits,
    /// What a command returns: `#[must_use]`, with `.result()`.
    Status,
}

/// An integer type with named values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enumeration {
    /// The typedef's name: `CUmemorytype`, `cl_device_info`.
    pub name: String,
    /// The integer that carries it, in Rust's words: `u32`, `i32`, `u64`, `isize`.
    pub repr: String,
    /// What the values are to each other.
    pub kind: EnumerationKind,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
    /// The values, in the order of the declaration.
    pub enumerators: Vec<Enumerator>,
}

/// One named value of an [`Enumeration`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enumerator {
    /// Upstream's name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// The canonical name of the same value, where this is a further one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<String>,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

/// Another name of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// The other name.
    pub name: String,
    /// What it stands for.
    #[serde(rename = "type")]
    pub ctype: CType,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
}

/// How a handle is carried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HandleRepr {
    /// A pointer to something opaque.
    Pointer,
    /// An integer, in Rust's words: `i32` for `CUdevice`.
    Integer(String),
    /// An unsigned integer as wide as the API says: 64 bits, or a pointer's width on 32-bit targets (`CUdeviceptr`).
    Address,
}

/// What the API promises about using a handle from several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThreadSafety {
    /// `Send + Sync`: any thread may use it, several at once.
    Any,
    /// `Send`: any thread may use it, one at a time.
    Send,
    /// Neither.
    None,
}

/// An object of the API that is only ever referred to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handle {
    /// The typedef's name.
    pub name: String,
    /// How it is carried.
    pub repr: HandleRepr,
    /// What the API promises about threads.
    pub threads: ThreadSafety,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
}

/// Struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// Members one after another.
    Struct,
    /// Members over one another.
    Union,
}

/// A struct or union. One nested in another has a name made of the path: `…_handle_win32`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The versioned name where upstream has one (`…_HANDLE_DESC_v1`); the short one is an [`Alias`].
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// Size in bytes.
    pub size: PerTarget,
    /// Alignment in bytes.
    pub align: PerTarget,
    /// The record that it is nested in, where upstream gives it no name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
    /// The members, in the order of the declaration.
    pub members: Vec<Member>,
}

/// A member of a [`Record`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Upstream's name; for a nameless union or struct one made from its first member (`id_union`).
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ctype: CType,
    /// Its type where pointers have 32 bits, if that is another: an array whose length counts the bytes of a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrow_type: Option<CType>,
    /// Bytes from the start of the record.
    pub offset: PerTarget,
    /// Upstream gives it no name: its own members are reached as if they were the record's.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nameless: bool,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

impl Member {
    /// Its type on `target`.
    #[must_use]
    pub fn type_on(&self, target: Target) -> &CType {
        self.narrow_type.as_ref().filter(|_| target != Target::Wide).unwrap_or(&self.ctype)
    }
}

/// A named function type that the application provides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    /// The typedef's name.
    pub name: String,
    /// What it returns.
    pub returns: CType,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// How a command says that it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorChannel {
    /// By what it returns.
    Return,
    /// Through its parameter `errcode_ret`.
    ErrcodeRet,
    /// By what it returns, and one code an item in an array (`clCreateProgramWithBinary`: `errcode_ret` and `binary_status`).
    PerItem,
    /// It cannot say, or says so by a null result.
    None,
}

/// A function of the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The symbol that the driver exports: `cuCtxCreate_v4`.
    pub symbol: String,
    /// The public name, which `cuGetProcAddress` takes: `cuCtxCreate`. Equal to `symbol` for OpenCL.
    pub name: String,
    /// The version for `cuGetProcAddress` (`10000`); absent for OpenCL, and where no versioned typedef tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The symbol that works on the per-thread default stream: `cuMemcpy_ptds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_thread_symbol: Option<String>,
    /// The version for `cuGetProcAddress` of `per_thread_symbol`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_thread_version: Option<u32>,
    /// How it says that it failed.
    pub error_channel: ErrorChannel,
    /// What it returns.
    pub returns: CType,
    /// Where upstream documents it: a Doxygen group (`CUDA_EXTRES_INTEROP`); absent for OpenCL, whose pages bear the command's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The header that declares it, for C programs: `cuda.h`, `cudaGL.h`, `CL/cl.h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
    /// Declared for Windows only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub windows: bool,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A core version of OpenCL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// `CL_VERSION_3_0`.
    pub name: String,
    /// `3.0`.
    pub version: Version,
}

/// An extension of OpenCL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// `cl_khr_external_semaphore_sync_fd`.
    pub name: String,
    /// `1.0.0`.
    pub revision: String,
    /// What it needs, in the registry's notation: `CL_VERSION_1_2+cl_khr_semaphore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends: Option<String>,
    /// The preprocessor condition under which C headers declare it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// May still change incompatibly.
    #[serde(default, skip_serializing_if = "is_false")]
    pub experimental: bool,
    /// Ratified by Khronos.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ratified: bool,
    /// The core version or extension that took it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_to: Option<String>,
    /// What replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obsoleted_by: Option<String>,
    /// Since and until when (by the version of the registry).
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

/// A macro with parameters that computes a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacroFunction {
    /// Upstream's name.
    pub name: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// The Rust type of parameters and result.
    pub repr: String,
    /// The body as a Rust expression over the parameters and constants of the API.
    pub body: String,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

/// Something that upstream declares and this project does not emit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Omitted {
    /// Upstream's name.
    pub name: String,
    /// What it is upstream: `macro`, `type`, `enum`, …
    pub kind: String,
    /// Why it is not emitted.
    pub reason: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_false(flag: &bool) -> bool {
    !flag
}
