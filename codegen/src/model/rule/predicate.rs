//! What a rule demands of its fields.

use std::{fmt, str::FromStr};

use super::path::is_name;

/// The closed set of demands. Written `exactly_one_non_null`, `only_flags(CUDA_EXTERNAL_MEMORY_DEDICATED)`, `at_most(maxSize)`,
/// `attested(shared_nt_handle: ID3D12Fence)`.
///
/// Names in parentheses are constants, enumerators or properties of the API; a decimal number stands for itself; for the comparisons, a
/// name may also be another field or parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// One of the fields is not null, and no other.
    ExactlyOneNonNull,
    /// At least one of the fields is not null.
    AnyNonNull,
    /// All of the fields are null, or none is.
    AllOrNoneNull,
    /// The first field, a pointer, is null if and only if the second, a count or size, is zero.
    NullIffZero,
    /// Not null.
    NonNull,
    /// Null.
    Null,
    /// Zero, every byte of it.
    Zero,
    /// Not zero.
    NonZero,
    /// No flag but these.
    OnlyFlags(Vec<String>),
    /// These flags, whatever else.
    MustHaveFlags(Vec<String>),
    /// None of these flags.
    LacksFlags(Vec<String>),
    /// One of these values.
    OneOf(Vec<String>),
    /// None of these values.
    NoneOf(Vec<String>),
    /// Equal to a number, constant or other field.
    Equal(String),
    /// Not equal to it.
    NotEqual(String),
    /// Less than or equal to it.
    AtMost(String),
    /// Greater than or equal to it.
    AtLeast(String),
    /// Less than it.
    Below(String),
    /// Greater than it.
    Above(String),
    /// A multiple of it; of a pointer, its address is.
    MultipleOf(String),
    /// A power of two.
    PowerOfTwo,
    /// A file descriptor that could exist: not negative.
    FdNonNegative,
    /// A file descriptor, or −1 where that has a meaning of its own.
    FdOrMinusOne,
    /// A pointer to 16-bit units of which the last is zero.
    Utf16NulTerminated,
    /// A pointer to bytes of which the last is zero.
    NulTerminated,
    /// A property list, or a list within one, ends with the terminator that it needs.
    ListTerminated,
    /// A property list has no property twice.
    NoDuplicateProperty,
    /// A property list has no property but these.
    OnlyProperties(Vec<String>),
    /// A property list has all of these properties.
    MustHaveProperties(Vec<String>),
    /// A property list has exactly one of these properties.
    ExactlyOneProperty(Vec<String>),
    /// A property list has at least one of these properties.
    AnyProperty(Vec<String>),
    /// A property list has at most one of these properties.
    AtMostOneProperty(Vec<String>),
    /// A property list has none of these properties.
    LacksProperties(Vec<String>),
    /// The list within a property list has at most so many values.
    AtMostValues(u32),
    /// An array has no element twice.
    NoDuplicates,
    /// The value must not change from what it was when the object was made.
    Unchanged,
    /// Nothing: where the conditions hold, the call is refused whatever the fields are.
    Forbidden,
    /// What upstream demands and no program can check: the caller vouches for it.
    Attested(Object),
}

/// What a caller vouches for: written `shared_nt_handle: ID3D12Fence`. The first word is ours, from a short list; the detail is a name
/// of upstream's or of another API, if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object {
    /// What kind of promise: `file_descriptor`, `shared_nt_handle`, `completed_before`.
    pub kind: String,
    /// What it is about.
    pub of: Vec<String>,
}

impl Object {
    /// A promise of `kind` about nothing in particular.
    #[must_use]
    pub fn new(kind: &str) -> Self {
        Self { kind: kind.to_owned(), of: Vec::new() }
    }

    /// A promise of `kind` about the things called `of`.
    #[must_use]
    pub fn about<S: Into<String>>(kind: &str, of: impl IntoIterator<Item = S>) -> Self {
        Self { kind: kind.to_owned(), of: of.into_iter().map(Into::into).collect() }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.of.is_empty() {
            write!(f, ": {}", self.of.join(" | "))?;
        }
        Ok(())
    }
}

impl FromStr for Object {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, of) = match text.split_once(": ") {
            Some((kind, of)) => (kind, of.split(" | ").map(str::to_owned).collect()),
            None => (text, Vec::new()),
        };
        if is_name(kind) && of.iter().all(|detail: &String| !detail.is_empty() && !detail.contains(['|', '(', ')'])) {
            Ok(Self { kind: kind.to_owned(), of })
        } else {
            Err(format!("`{text}` names no attested object: wanted `kind` or `kind: name | name`"))
        }
    }
}

impl Predicate {
    /// Its name: the first part of the text form.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ExactlyOneNonNull => "exactly_one_non_null",
            Self::AnyNonNull => "any_non_null",
            Self::AllOrNoneNull => "all_or_none_null",
            Self::NullIffZero => "null_iff_zero",
            Self::NonNull => "non_null",
            Self::Null => "null",
            Self::Zero => "zero",
            Self::NonZero => "non_zero",
            Self::OnlyFlags(_) => "only_flags",
            Self::MustHaveFlags(_) => "must_have_flags",
            Self::LacksFlags(_) => "lacks_flags",
            Self::OneOf(_) => "one_of",
            Self::NoneOf(_) => "none_of",
            Self::Equal(_) => "equal",
            Self::NotEqual(_) => "not_equal",
            Self::AtMost(_) => "at_most",
            Self::AtLeast(_) => "at_least",
            Self::Below(_) => "below",
            Self::Above(_) => "above",
            Self::MultipleOf(_) => "multiple_of",
            Self::PowerOfTwo => "power_of_two",
            Self::FdNonNegative => "fd_non_negative",
            Self::FdOrMinusOne => "fd_or_minus_one",
            Self::Utf16NulTerminated => "utf16_nul_terminated",
            Self::NulTerminated => "nul_terminated",
            Self::ListTerminated => "list_terminated",
            Self::NoDuplicateProperty => "no_duplicate_property",
            Self::OnlyProperties(_) => "only_properties",
            Self::MustHaveProperties(_) => "must_have_properties",
            Self::ExactlyOneProperty(_) => "exactly_one_property",
            Self::AnyProperty(_) => "any_property",
            Self::AtMostOneProperty(_) => "at_most_one_property",
            Self::LacksProperties(_) => "lacks_properties",
            Self::AtMostValues(_) => "at_most_values",
            Self::NoDuplicates => "no_duplicates",
            Self::Unchanged => "unchanged",
            Self::Forbidden => "forbidden",
            Self::Attested(_) => "attested",
        }
    }

    /// Whether a program can decide it from the fields and the given facts.
    #[must_use]
    pub const fn is_checkable(&self) -> bool {
        !matches!(self, Self::Attested(_) | Self::Unchanged)
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "exactly_one_non_null" => Self::ExactlyOneNonNull,
            "any_non_null" => Self::AnyNonNull,
            "all_or_none_null" => Self::AllOrNoneNull,
            "null_iff_zero" => Self::NullIffZero,
            "non_null" => Self::NonNull,
            "null" => Self::Null,
            "zero" => Self::Zero,
            "non_zero" => Self::NonZero,
            "power_of_two" => Self::PowerOfTwo,
            "fd_non_negative" => Self::FdNonNegative,
            "fd_or_minus_one" => Self::FdOrMinusOne,
            "utf16_nul_terminated" => Self::Utf16NulTerminated,
            "nul_terminated" => Self::NulTerminated,
            "list_terminated" => Self::ListTerminated,
            "no_duplicate_property" => Self::NoDuplicateProperty,
            "no_duplicates" => Self::NoDuplicates,
            "unchanged" => Self::Unchanged,
            "forbidden" => Self::Forbidden,
            _ => return None,
        })
    }

    fn with_argument(name: &str, argument: &str) -> Option<Self> {
        let names = || argument.split(" | ").map(|name| is_operand(name).then(|| name.to_owned())).collect::<Option<Vec<_>>>();
        let operand = || is_operand(argument).then(|| argument.to_owned());
        Some(match name {
            "only_flags" => Self::OnlyFlags(names()?),
            "must_have_flags" => Self::MustHaveFlags(names()?),
            "lacks_flags" => Self::LacksFlags(names()?),
            "one_of" => Self::OneOf(names()?),
            "none_of" => Self::NoneOf(names()?),
            "equal" => Self::Equal(operand()?),
            "not_equal" => Self::NotEqual(operand()?),
            "at_most" => Self::AtMost(operand()?),
            "at_least" => Self::AtLeast(operand()?),
            "below" => Self::Below(operand()?),
            "above" => Self::Above(operand()?),
            "multiple_of" => Self::MultipleOf(operand()?),
            "only_properties" => Self::OnlyProperties(names()?),
            "must_have_properties" => Self::MustHaveProperties(names()?),
            "exactly_one_property" => Self::ExactlyOneProperty(names()?),
            "any_property" => Self::AnyProperty(names()?),
            "at_most_one_property" => Self::AtMostOneProperty(names()?),
            "lacks_properties" => Self::LacksProperties(names()?),
            "at_most_values" => Self::AtMostValues(argument.parse().ok()?),
            "attested" => Self::Attested(argument.parse().ok()?),
            _ => return None,
        })
    }
}

/// Whether `text` can stand as an operand: a number, a name, or a path of names.
pub(super) fn is_operand(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    number || text.parse::<super::Path>().is_ok()
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::OnlyFlags(names)
            | Self::MustHaveFlags(names)
            | Self::LacksFlags(names)
            | Self::OneOf(names)
            | Self::NoneOf(names)
            | Self::OnlyProperties(names)
            | Self::MustHaveProperties(names)
            | Self::ExactlyOneProperty(names)
            | Self::AnyProperty(names)
            | Self::AtMostOneProperty(names)
            | Self::LacksProperties(names) => write!(f, "({})", names.join(" | ")),
            Self::Equal(operand)
            | Self::NotEqual(operand)
            | Self::AtMost(operand)
            | Self::AtLeast(operand)
            | Self::Below(operand)
            | Self::Above(operand)
            | Self::MultipleOf(operand) => write!(f, "({operand})"),
            Self::AtMostValues(count) => write!(f, "({count})"),
            Self::Attested(object) => write!(f, "({object})"),
            _ => Ok(()),
        }
    }
}

impl FromStr for Predicate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('(') {
            None => Self::from_name(text),
            Some((name, rest)) => rest.strip_suffix(')').and_then(|argument| Self::with_argument(name, argument)),
        }
        .ok_or_else(|| {
            format!("`{text}` is no predicate: wanted a name such as `non_null`, or one with operands such as `only_flags(A | B)`")
        })
    }
}

crate::model::value::serde_as_text!(Predicate);
