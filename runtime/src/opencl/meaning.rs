//! What a status code means for a command: in, a rule of the generated table; out, a sentence in our words of what has to hold.

use std::fmt;

use clcu_sys::{
    CommandInfo,
    opencl::{self, cl_result},
    rules::{Condition, Fact, Found, Named, Object, Operand, Predicate, Rule, Subject, Term, Test, Violation},
};

/// The rules of a command; `None` where upstream gives none.
pub(super) fn rules_of(command: &CommandInfo) -> Option<&'static Subject> {
    opencl::RULES.iter().find(|subject| subject.name.as_bytes() == command.symbol.to_bytes())
}

/// The rules of `command` that lead to `code` where they do not hold.
pub(super) fn leading_to(command: &CommandInfo, code: cl_result) -> impl Iterator<Item = &'static Rule> + use<> {
    let rules = rules_of(command).map_or(&[][..], |subject| subject.rules);
    rules.iter().filter(move |rule| code.names().any(|name| rule.error == name))
}

/// A rule as a sentence: `context: it is alive and of this platform`, with its conditions.
///
/// Source: the rules that are generated from the OpenCL API specification, [`clcu_sys::opencl::RULES`]. The words are this crate's.
#[derive(Clone, Copy, Debug)]
pub struct Meaning(pub(super) &'static Rule);

impl Meaning {
    /// The rule that it renders.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        self.0
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.predicate {
            Predicate::Attested(object) => attested(f, object)?,
            predicate => {
                for (index, field) in self.0.fields.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, field.path)?;
                }
                write!(f, ": {predicate}")?;
            }
        }
        for (index, condition) in self.0.when.iter().enumerate() {
            f.write_str(if index == 0 { ", where " } else { " and " })?;
            of_condition(f, condition)?;
        }
        Ok(())
    }
}

/// A rule that is broken. One for which callers vouch where nothing is known is said as what it means.
pub(super) fn broken(f: &mut fmt::Formatter<'_>, subject: &str, violation: &Violation) -> fmt::Result {
    let Violation { rule, found } = violation;
    match (rule.predicate, found) {
        (Predicate::Attested(_), Found::Call) => write!(f, "{}, and is not so", Meaning(rule))?,
        (Predicate::Attested(_), found) => write!(f, "{}; found {found}", Meaning(rule))?,
        _ => return write!(f, "{subject}: {violation}"),
    }
    write!(f, ", or {} [{}]", rule.error, rule.id)
}

/// What a caller vouches for, by the kind of promise. A kind that is not listed is shown by its own name.
const PROMISES: [(&str, &str); 41] = [
    ("valid_object", "it is alive, of the right kind and of this platform"),
    ("resources_of_host", "the implementation has the memory of the host that it needs"),
    ("resources_of_device", "the implementation has the resources of the device that it needs"),
    ("resources", "the implementation has the resources that it needs"),
    ("same_context", "they belong to the same context"),
    ("device_support", "the device supports it"),
    ("created_with", "it was made with that"),
    ("memory", "memory can be had for it"),
    ("sub_buffer", "a sub-buffer begins where the device can address it"),
    ("valid_values", "each value is one that upstream allows"),
    ("query_size", "the memory for the answer is as large as the answer"),
    ("command_buffer_queues", "the queues are those of the command buffer"),
    ("same_object", "they are the same object"),
    ("device_of_context", "the device is one of the context"),
    ("command_buffer_state", "the command buffer is in the state that the command needs"),
    ("valid_mip_level", "the mip level exists"),
    ("context_of_other_api", "the context was made for the other API"),
    ("within_bounds", "it lies within the object"),
    ("created_from_other_api", "it was made from an object of the other API"),
    ("blocking", "what is waited for did not fail"),
    ("valid_property_values", "each property has a value that upstream allows for it"),
    ("pitch", "the pitch fits the image"),
    ("built_program", "the program was built"),
    ("device_of_program", "the device is one of the program"),
    ("no_failed_event", "no event in it failed"),
    ("svm_pointer", "the pointer is one to shared virtual memory"),
    ("region", "the region lies within the object"),
    ("platform_found", "there is a platform"),
    ("device_in_list", "the device of the queue is the one in the device list that the object was made with"),
    ("device_limit", "the device's limit is kept"),
    ("device_found", "there is such a device"),
    ("created_by", "it was made by that command"),
    ("build_options", "the build options are valid"),
    ("build", "the program can be built"),
    ("arguments_set", "every argument of the kernel was set"),
    ("same_format", "they have the same format"),
    ("platform_support", "the platform supports it"),
    ("no_overlap", "they do not overlap"),
    ("imported_memory", "it was made from an external memory handle"),
    ("shareable", "the object can be shared with the device"),
    ("exported_handle_size", "the memory for the handle is as large as a handle of its type"),
];

fn attested(f: &mut fmt::Formatter<'_>, object: Object) -> fmt::Result {
    for (index, name) in object.of.iter().enumerate() {
        write!(f, "{}{name}", if index == 0 { "" } else { ", " })?;
    }
    if !object.of.is_empty() {
        f.write_str(": ")?;
    }
    match PROMISES.iter().find(|(kind, _)| *kind == object.kind) {
        Some((_, words)) => f.write_str(words),
        None => f.write_str(&object.kind.replace('_', " ")),
    }
}

fn of_condition(f: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    let (term, test) = match condition {
        Condition::Test(term, test) => (term, test),
        Condition::Attested(object) => return attested(f, *object),
    };
    match term {
        Term::Field(field) => f.write_str(field.path)?,
        Term::Given(fact) => f.write_str(of_fact(*fact))?,
    }
    match test {
        Test::In(names) => listed(f, " is ", names, " or "),
        Test::NotIn(names) => listed(f, " is not ", names, " nor "),
        Test::Has(names) => listed(f, " has ", names, " and "),
        Test::Lacks(names) => listed(f, " lacks ", names, " and "),
        Test::Equal(operand) => compared(f, "equal to", operand),
        Test::NotEqual(operand) => compared(f, "other than", operand),
        Test::Above(operand) => compared(f, "more than", operand),
        Test::Below(operand) => compared(f, "less than", operand),
        Test::Null => f.write_str(" is null"),
        Test::NonNull => f.write_str(" is not null"),
        Test::Zero => f.write_str(" is zero"),
        Test::NonZero => f.write_str(" is not zero"),
        Test::Present => f.write_str(" is given"),
        Test::Absent => f.write_str(" is not given"),
    }
}

fn listed(f: &mut fmt::Formatter<'_>, lead: &str, names: &[Named], between: &str) -> fmt::Result {
    names.iter().enumerate().try_for_each(|(index, name)| write!(f, "{}{name}", if index == 0 { lead } else { between }))
}

fn compared(f: &mut fmt::Formatter<'_>, how: &str, operand: &Operand) -> fmt::Result {
    write!(f, " is {how} {operand}")
}

const fn of_fact(fact: Fact) -> &'static str {
    match fact {
        Fact::SemaphoreHandleType => "the handle type of a semaphore",
        Fact::SemaphoreType => "the type of the semaphore",
        Fact::SemaphoreImported => "whether the semaphore was imported",
        Fact::SemaphoreExportTypes => "what the semaphore may be exported as",
        Fact::MemoryHandleType => "the handle type of the memory",
        Fact::AllocationHandleTypes => "what the allocation may be exported as",
        Fact::ContextDeviceCount => "the number of devices of the context",
        Fact::Extensions => "the list of extensions",
        Fact::ImportTypes => "what the device imports",
        Fact::ExportTypes => "what the device exports",
        Fact::Platform => "the operating system",
        Fact::ApiVersion => "the version of OpenCL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promise_of_the_family_of_external_objects_has_words_of_its_own() {
        for subject in
            opencl::RULES.iter().filter(|subject| subject.name.contains("Semaphore") || subject.name.contains("ExternalMem"))
        {
            for rule in subject.rules {
                let Predicate::Attested(object) = rule.predicate else { continue };
                assert!(PROMISES.iter().any(|(kind, _)| *kind == object.kind), "{}: {}", rule.id, object.kind);
            }
        }
    }

    #[test]
    fn a_rule_is_a_sentence_with_its_conditions() {
        let command = opencl::clCreateSemaphoreWithPropertiesKHR.info();
        let says = |code| leading_to(command, code).map(|rule| Meaning(rule).to_string()).collect::<Vec<_>>();
        let operation = says(cl_result::CL_INVALID_OPERATION);
        assert_eq!(operation.len(), 1);
        assert!(
            operation[0].starts_with("sema_props: none of the properties CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR or"),
            "{operation:?}"
        );
        assert!(operation[0].ends_with("where sema_props[CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR] is given"), "{operation:?}");
        assert_eq!(says(cl_result::CL_INVALID_CONTEXT), ["context: it is alive, of the right kind and of this platform"]);
    }
}
