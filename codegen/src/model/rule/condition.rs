//! When a rule applies.

use std::{fmt, str::FromStr};

use super::{Object, Path, predicate::is_operand};

/// One condition: a term and what is tested of it. Written `type in A | B`, `handle.win32.name non_null`,
/// `given.context_device_count above 1`, `given.extensions has cl_khr_semaphore`, `attested(kind: name)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// A test that a program can make.
    Test(Term, Test),
    /// Whether the rule applies, no program can tell: the caller knows.
    Attested(Object),
}

/// What a condition looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A member of the record, or a parameter of the command.
    Field(Path),
    /// A fact of the context that the caller gives.
    Given(Given),
}

/// The facts of the context that rules need and a descriptor does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Given {
    /// The handle type with which the semaphore was imported or made (`CUexternalSemaphoreHandleType`; OpenCL's external handle type).
    SemaphoreHandleType,
    /// Whether the semaphore is binary, a fence, … (`cl_semaphore_type_khr`).
    SemaphoreType,
    /// Whether the semaphore was made by importing a handle.
    SemaphoreImported,
    /// The handle types for which the semaphore may be exported.
    SemaphoreExportTypes,
    /// The handle type from which the memory object was imported.
    MemoryHandleType,
    /// The handle types for which an allocation or pool may be exported.
    AllocationHandleTypes,
    /// How many devices the context has.
    ContextDeviceCount,
    /// The extensions that the platform or device offers.
    Extensions,
    /// The handle types that the device or platform can import.
    ImportTypes,
    /// The handle types that the device or platform can export.
    ExportTypes,
    /// The operating system: `linux`, `windows`.
    Platform,
    /// The version of the API that the device or driver supports.
    ApiVersion,
}

impl Given {
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

    /// As snapshots write it, after `given.`.
    #[must_use]
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

/// What is tested.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// Is one of these values.
    In(Vec<String>),
    /// Is none of these values.
    NotIn(Vec<String>),
    /// Has all of these flags, or contains all of these names.
    Has(Vec<String>),
    /// Has none of them.
    Lacks(Vec<String>),
    /// Greater than.
    Above(String),
    /// Less than.
    Below(String),
    /// Null.
    Null,
    /// Not null.
    NonNull,
    /// Zero, or false.
    Zero,
    /// Not zero, or true.
    NonZero,
    /// A property is in the list.
    Present,
    /// A property is not in the list.
    Absent,
}

impl Condition {
    /// `path in values`.
    #[must_use]
    pub fn field_in<S: Into<String>>(path: Path, values: impl IntoIterator<Item = S>) -> Self {
        Self::Test(Term::Field(path), Test::In(values.into_iter().map(Into::into).collect()))
    }

    /// `given.fact in values`.
    #[must_use]
    pub fn given_in<S: Into<String>>(fact: Given, values: impl IntoIterator<Item = S>) -> Self {
        Self::Test(Term::Given(fact), Test::In(values.into_iter().map(Into::into).collect()))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(path) => path.fmt(f),
            Self::Given(fact) => write!(f, "given.{}", fact.name()),
        }
    }
}

impl FromStr for Term {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix("given.") {
            Some(name) => Given::ALL
                .into_iter()
                .find(|fact| fact.name() == name)
                .map(Self::Given)
                .ok_or_else(|| format!("`{text}` is no given fact: wanted one of {}", Given::ALL.map(Given::name).join(", "))),
            None => text.parse().map(Self::Field),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(values) => write!(f, "in {}", values.join(" | ")),
            Self::NotIn(values) => write!(f, "not_in {}", values.join(" | ")),
            Self::Has(names) => write!(f, "has {}", names.join(" | ")),
            Self::Lacks(names) => write!(f, "lacks {}", names.join(" | ")),
            Self::Above(operand) => write!(f, "above {operand}"),
            Self::Below(operand) => write!(f, "below {operand}"),
            Self::Null => f.write_str("null"),
            Self::NonNull => f.write_str("non_null"),
            Self::Zero => f.write_str("zero"),
            Self::NonZero => f.write_str("non_zero"),
            Self::Present => f.write_str("present"),
            Self::Absent => f.write_str("absent"),
        }
    }
}

impl FromStr for Test {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let names = || rest.split(" | ").map(|name| is_operand(name).then(|| name.to_owned())).collect::<Option<Vec<_>>>();
        let operand = || is_operand(rest).then(|| rest.to_owned());
        match (word, rest) {
            ("in", _) => names().map(Self::In),
            ("not_in", _) => names().map(Self::NotIn),
            ("has", _) => names().map(Self::Has),
            ("lacks", _) => names().map(Self::Lacks),
            ("above", _) => operand().map(Self::Above),
            ("below", _) => operand().map(Self::Below),
            ("null", "") => Some(Self::Null),
            ("non_null", "") => Some(Self::NonNull),
            ("zero", "") => Some(Self::Zero),
            ("non_zero", "") => Some(Self::NonZero),
            ("present", "") => Some(Self::Present),
            ("absent", "") => Some(Self::Absent),
            _ => None,
        }
        .ok_or_else(|| format!("`{text}` is no test: wanted `in A | B`, `has A`, `above 1`, `null`, `non_null`, `present`, …"))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test(term, test) => write!(f, "{term} {test}"),
            Self::Attested(object) => write!(f, "attested({object})"),
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(object) = text.strip_prefix("attested(").and_then(|rest| rest.strip_suffix(')')) {
            return object.parse().map(Self::Attested);
        }
        let (looked_at, demand) = text
            .split_once(' ')
            .ok_or_else(|| format!("`{text}` is no condition: wanted a field or `given.` fact, and a test such as `in A | B`"))?;
        Ok(Self::Test(looked_at.parse()?, demand.parse()?))
    }
}

crate::model::value::serde_as_text!(Condition);
