//! Rules in plain English.
//!
//! In: a predicate with its fields and conditions. Out: a sentence, in our words: upstream's are not ours to repeat. Names stand between
//! backticks, which each form of output shows in its own way.

use std::collections::BTreeMap;

use crate::model::{Condition, Given, Model, Object, Predicate, Rule, Term, Test};

/// Renders rules of one API.
#[derive(Clone, Debug)]
pub struct Words {
    /// The short names of handle types, which is how people call them.
    short: BTreeMap<String, String>,
}

impl Words {
    /// With the handle types of `model` by their short names.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        Self { short: model.handle_types.iter().map(|row| (row.name.clone(), row.short.clone())).collect() }
    }

    /// What `rule` demands, with its conditions: "`a` is null, when `b` is 2".
    #[must_use]
    pub fn sentence(&self, rule: &Rule) -> String {
        let demand = self.demand(rule);
        if rule.when.is_empty() { demand } else { format!("{demand}, when {}", self.conditions(&rule.when)) }
    }

    /// What `rule` demands where its conditions hold.
    #[must_use]
    pub fn demand(&self, rule: &Rule) -> String {
        let fields: Vec<String> = rule.fields.iter().map(|field| code(field.as_str())).collect();
        let all = joined(&fields, "and");
        let (is, has) = if fields.len() > 1 { ("are", "have") } else { ("is", "has") };
        match &rule.predicate {
            Predicate::ExactlyOneNonNull => format!("exactly one of {all} is not null"),
            Predicate::AnyNonNull => format!("at least one of {all} is not null"),
            Predicate::AllOrNoneNull => format!("{all} are all null, or none of them is"),
            Predicate::NullIffZero => match fields.as_slice() {
                [pointer, count] => format!("{pointer} is null if {count} is zero, and only then"),
                _ => format!("the first of {all} is null if the second is zero, and only then"),
            },
            Predicate::NonNull => format!("{all} {is} not null"),
            Predicate::Null => format!("{all} {is} null"),
            Predicate::Zero => format!("{all} {is} zero"),
            Predicate::NonZero => format!("{all} {is} not zero"),
            Predicate::OnlyFlags(names) => format!("{all} {has} no flag but {}", self.list(names, "and")),
            Predicate::MustHaveFlags(names) => format!("{all} {has} the {} {}", plural(names, "flag"), self.list(names, "and")),
            Predicate::LacksFlags(names) => format!("{all} {has} none of the flags {}", self.list(names, "and")),
            Predicate::OneOf(names) => match names.as_slice() {
                [name] => format!("{all} {is} {}", self.name(name)),
                _ => format!("{all} {is} one of {}", self.list(names, "or")),
            },
            Predicate::NoneOf(names) => match names.as_slice() {
                [name] => format!("{all} {is} not {}", self.name(name)),
                _ => format!("{all} {is} none of {}", self.list(names, "and")),
            },
            Predicate::Equal(operand) => format!("{all} {is} equal to {}", self.name(operand)),
            Predicate::NotEqual(operand) => format!("{all} {is} not equal to {}", self.name(operand)),
            Predicate::AtMost(operand) => format!("{all} {is} at most {}", self.name(operand)),
            Predicate::AtLeast(operand) => format!("{all} {is} at least {}", self.name(operand)),
            Predicate::Below(operand) => format!("{all} {is} less than {}", self.name(operand)),
            Predicate::Above(operand) => format!("{all} {is} greater than {}", self.name(operand)),
            Predicate::MultipleOf(operand) => format!("{all} {is} a multiple of {}", self.name(operand)),
            Predicate::PowerOfTwo => format!("{all} {is} a power of two"),
            Predicate::FdNonNegative => format!("{all} {is} a file descriptor, and so not negative"),
            Predicate::FdOrMinusOne => format!("{all} {is} a file descriptor, or −1"),
            Predicate::Utf16NulTerminated => format!("{all} {is} text of 16-bit units that ends with a zero"),
            Predicate::NulTerminated => format!("{all} {is} text that ends with a zero byte"),
            Predicate::ListTerminated => format!("the list {all} ends with its terminator"),
            Predicate::NoDuplicateProperty => format!("the list {all} has no property twice"),
            Predicate::OnlyProperties(names) => format!("the list {all} has no property but {}", self.list(names, "and")),
            Predicate::MustHaveProperties(names) => format!("the list {all} has {}", self.list(names, "and")),
            Predicate::ExactlyOneProperty(names) => format!("the list {all} has exactly one of {}", self.list(names, "and")),
            Predicate::AnyProperty(names) => format!("the list {all} has at least one of {}", self.list(names, "and")),
            Predicate::AtMostOneProperty(names) => format!("the list {all} has at most one of {}", self.list(names, "and")),
            Predicate::LacksProperties(names) => format!("the list {all} has none of {}", self.list(names, "and")),
            Predicate::AtMostValues(count) => {
                format!("the list {all} has at most {count} {}", if *count == 1 { "value" } else { "values" })
            }
            Predicate::NoDuplicates => format!("no element stands twice in {all}"),
            Predicate::Unchanged => format!("{all} {is} what it was when the object was made"),
            Predicate::Forbidden => "the call is refused, whatever it is given".to_owned(),
            Predicate::Attested(object) if fields.is_empty() => format!("the caller vouches for this: {}", self.object(object)),
            Predicate::Attested(object) => format!("the caller vouches for {all}: {}", self.object(object)),
        }
    }

    /// Conditions that all have to hold: "`a` is 1 and `b` is not null".
    #[must_use]
    pub fn conditions(&self, when: &[Condition]) -> String {
        joined(&when.iter().map(|condition| self.condition(condition)).collect::<Vec<_>>(), "and")
    }

    fn condition(&self, condition: &Condition) -> String {
        let (term, test) = match condition {
            Condition::Test(term, test) => (term, test),
            Condition::Attested(object) => return format!("the caller knows of this: {}", self.object(object)),
        };
        let looked_at = match term {
            Term::Field(path) => code(path.as_str()),
            Term::Given(fact) => given(*fact).to_owned(),
        };
        match test {
            Test::In(names) => format!("{looked_at} is {}", self.list(names, "or")),
            Test::NotIn(names) => match names.as_slice() {
                [name] => format!("{looked_at} is not {}", self.name(name)),
                _ => format!("{looked_at} is none of {}", self.list(names, "and")),
            },
            Test::Has(names) => format!("{looked_at} has {}", self.list(names, "and")),
            Test::Lacks(names) => format!("{looked_at} lacks {}", self.list(names, "and")),
            Test::Above(operand) => format!("{looked_at} is greater than {}", self.name(operand)),
            Test::Below(operand) => format!("{looked_at} is less than {}", self.name(operand)),
            Test::Null => format!("{looked_at} is null"),
            Test::NonNull => format!("{looked_at} is not null"),
            Test::Zero => format!("{looked_at} is zero"),
            Test::NonZero => format!("{looked_at} is not zero"),
            Test::Present => format!("{looked_at} is there"),
            Test::Absent => format!("{looked_at} is not there"),
        }
    }

    /// What somebody vouches for: "shared NT handle (`ID3D12Fence`)".
    fn object(&self, object: &Object) -> String {
        let kind = object.kind.replace('_', " ");
        if object.of.is_empty() { kind } else { format!("{kind} ({})", self.list(&object.of, "and")) }
    }

    fn list(&self, names: &[String], word: &str) -> String {
        joined(&names.iter().map(|name| self.name(name)).collect::<Vec<_>>(), word)
    }

    /// A name, or a number as it is.
    fn name(&self, name: &str) -> String {
        let digits = name.strip_prefix('-').unwrap_or(name);
        if digits.chars().all(|c| c.is_ascii_digit()) {
            return name.to_owned();
        }
        code(self.short.get(name).map_or(name, String::as_str))
    }
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn plural(names: &[String], what: &str) -> String {
    format!("{what}{}", if names.len() == 1 { "" } else { "s" })
}

/// `a, b and c`.
pub(crate) fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} {word} {last}", head.join(", ")),
    }
}

/// What a fact of the context is, as the subject of a sentence.
const fn given(fact: Given) -> &'static str {
    match fact {
        Given::SemaphoreHandleType => "the handle type of the semaphore",
        Given::SemaphoreType => "the type of the semaphore",
        Given::SemaphoreImported => "whether the semaphore was imported",
        Given::SemaphoreExportTypes => "the list of handle types for which the semaphore may be exported",
        Given::MemoryHandleType => "the handle type from which the memory was imported",
        Given::AllocationHandleTypes => "the set of handle types for which the allocation may be exported",
        Given::ContextDeviceCount => "the number of devices in the context",
        Given::Extensions => "the list of extensions of the platform or device",
        Given::ImportTypes => "the list of handle types that the device or platform imports",
        Given::ExportTypes => "the list of handle types that the device or platform exports",
        Given::Platform => "the operating system",
        Given::ApiVersion => "the version of the API",
    }
}
