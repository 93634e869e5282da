//! What both APIs check before a call: in, records and arguments with the facts that their rules ask for; out, the right to call, or every
//! rule that is broken, all at once.

use clcu_sys::{
    CommandInfo,
    rules::{Bytes, Found, Given, HandleType, Record, Rule, Subject, Violation, Violations, check_raw_waiving},
};

use crate::error::Invalid;

/// What was checked so far for one call.
#[derive(Debug)]
pub(crate) struct Checks<'l> {
    pub(crate) command: &'static CommandInfo,
    /// The kind of handle that the call is about.
    pub(crate) handle_type: Option<&'static HandleType>,
    waived: &'l [&'l str],
    /// The last record or arguments that broke no rule.
    pub(crate) passed: Option<&'static str>,
    violations: Vec<(&'static str, Violation)>,
}

impl<'l> Checks<'l> {
    #[inline]
    pub(crate) fn new(command: &'static CommandInfo) -> Self {
        Self { command, handle_type: None, waived: &[], passed: None, violations: Vec::new() }
    }

    /// Does not check the rules with these ids in what is added from here on.
    #[inline]
    pub(crate) fn waive(&mut self, ids: &'l [&'l str]) {
        self.waived = ids;
    }

    /// Checks a record that somebody made.
    ///
    /// # Safety
    /// As for [`check_raw_waiving`]: its bytes are initialised, and names in it can be followed.
    #[inline]
    pub(crate) unsafe fn raw_record<R: Record>(&mut self, record: &R, given: &Given<'_>) {
        // The sure yes first: what is behind it need not be made for it.
        // SAFETY: promised by the caller.
        let holds = self.waived.is_empty() && unsafe { R::surely_holds(Bytes::of(record), given) };
        // SAFETY: promised by the caller.
        if holds || unsafe { look_closer(record, given, self.waived, &mut self.violations) } {
            self.passed = Some(R::SUBJECT.name);
        }
    }

    /// Settles a rule for which a caller has to vouch where nothing is known of the objects behind the arguments: the one of `rules` whose
    /// id ends with `id`. `found` is what breaks it.
    #[inline]
    pub(crate) fn settle(&mut self, rules: &'static [Subject], id: &str, found: Option<Found>) {
        if let Some(found) = found {
            self.break_rule(rules, id, found);
        }
    }

    #[cold]
    fn break_rule(&mut self, rules: &'static [Subject], id: &str, found: Found) {
        let subject = rules.iter().find(|subject| subject.name.as_bytes() == self.command.symbol.to_bytes());
        let rule = subject.and_then(|subject| subject.rules.iter().find(|rule| rule.id.ends_with(id)));
        debug_assert!(rule.is_some(), "{:?} has no rule {id}", self.command.symbol);
        if let (Some(subject), Some(rule)) = (subject, rule) {
            self.add(subject, rule, found);
        }
    }

    /// A rule that is broken by what no record shows.
    pub(crate) fn add(&mut self, subject: &'static Subject, rule: &'static Rule, found: Found) {
        if !self.waived.contains(&rule.id) {
            add(&mut self.violations, subject.name, Violation { rule, found });
        }
    }

    /// Every rule that was broken so far, if one was. What is checked is changed in place, and looked at here: it is too large to be moved
    /// for each call.
    #[inline]
    pub(crate) fn verdict(&mut self) -> Result<(), Invalid> {
        if self.violations.is_empty() { Ok(()) } else { Err(self.invalid()) }
    }

    #[cold]
    fn invalid(&mut self) -> Invalid {
        Invalid { command: self.command, violations: std::mem::take(&mut self.violations) }
    }
}

/// Walks over the rules of a record of which it is not certain that it breaks none. Whether it breaks none.
///
/// # Safety
/// As for [`check_raw_waiving`].
#[cold]
unsafe fn look_closer<R: Record>(
    record: &R,
    given: &Given<'_>,
    waived: &[&str],
    violations: &mut Vec<(&'static str, Violation)>,
) -> bool {
    // SAFETY: promised by the caller.
    match unsafe { check_raw_waiving(record, given, waived) } {
        Ok(_) => true,
        Err(broken) => {
            keep(violations, &broken);
            false
        }
    }
}

#[cold]
fn keep(kept: &mut Vec<(&'static str, Violation)>, violations: &Violations<'_>) {
    violations.iter().for_each(|violation| add(kept, violations.subject().name, violation));
}

/// A rule that two records break by the same is named once: the arguments of a call are checked once for each of its objects.
fn add(kept: &mut Vec<(&'static str, Violation)>, subject: &'static str, violation: Violation) {
    let same = |(_, other): &(_, Violation)| other.rule.id == violation.rule.id && other.found == violation.found;
    if !kept.iter().any(same) {
        kept.push((subject, violation));
    }
}
