//! What a check found, as texts of its own: in, the walk of `clcu-sys` over borrowed bytes; out, what outlives them.

use std::ffi::CString;

use clcu_sys::rules::{Checked, Kind, Rule, Term, Violations};

use crate::texts::{c_text, joined};

/// A rule that is broken.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) rule: CString,
    pub(crate) field: CString,
    pub(crate) found: CString,
    pub(crate) wanted: CString,
    pub(crate) error: CString,
    pub(crate) message: CString,
}

/// A rule that could not be decided.
#[derive(Debug)]
pub(crate) struct Undecided {
    pub(crate) rule: CString,
    pub(crate) field: CString,
    pub(crate) missing: CString,
}

/// What a check found.
#[derive(Debug, Default)]
pub(crate) struct Examined {
    pub(crate) broken: Vec<Broken>,
    /// Empty where a rule is broken.
    pub(crate) not_checked: Vec<Undecided>,
}

impl Examined {
    /// What `outcome` says of the rules that `counts`.
    pub(crate) fn of(outcome: Result<Checked<'_>, Violations<'_>>, counts: impl Fn(&Rule) -> bool) -> Self {
        match outcome {
            Ok(checked) => {
                let undecided = checked.not_checked().filter(|undecided| counts(undecided.rule));
                let not_checked = undecided.map(|undecided| Undecided {
                    rule: c_text(undecided.rule.id),
                    field: c_text(&joined(undecided.rule.fields.iter().map(|field| field.path))),
                    missing: c_text(&joined(undecided.missing.iter().map(clcu_sys::rules::Fact::name))),
                });
                Self { broken: Vec::new(), not_checked: not_checked.collect() }
            }
            Err(violations) => {
                let violations = violations.iter().filter(|violation| counts(violation.rule));
                let broken = violations.map(|violation| Broken {
                    rule: c_text(violation.rule.id),
                    field: c_text(&joined(violation.rule.fields.iter().map(|field| field.path))),
                    found: c_text(&violation.found.to_string()),
                    wanted: c_text(&violation.wanted().to_string()),
                    error: c_text(violation.rule.error),
                    message: c_text(&violation.to_string()),
                });
                Self { broken: broken.collect(), not_checked: Vec::new() }
            }
        }
    }
}

/// Whether `rule` speaks of the list `parameter` and its properties alone, and depends on nothing else of the call.
pub(crate) fn is_about(parameter: &str, rule: &Rule) -> bool {
    let within = |path: &str| path.strip_prefix(parameter).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
    let reached = |kind: &Kind| !matches!(kind, Kind::Elsewhere);
    let fields = rule.fields.iter().all(|field| within(field.path) && reached(&field.kind));
    let conditions = rule.when.iter().all(|condition| match condition {
        clcu_sys::rules::Condition::Test(Term::Field(field), _) => within(field.path),
        clcu_sys::rules::Condition::Test(Term::Given(_), _) | clcu_sys::rules::Condition::Attested(_) => true,
    });
    !rule.fields.is_empty() && fields && conditions
}
