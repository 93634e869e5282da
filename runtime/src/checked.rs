//! What both APIs check before a call: in, records and arguments with the facts that their rules ask for; out, the right to call, or every
//! rule that is broken, all at once.

use std::fmt;

use clcu_sys::{
    CommandInfo,
    rules::{Bytes, Found, Given, HandleType, Record, Rule, Subject, Violation, Violations, check_raw_waiving},
};

use crate::error::Invalid;

/// What was checked before a call, for the error of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// The records and arguments that broke no rule, or none but waived ones: each once, by upstream's name.
    pub subjects: Vec<&'static str>,
    /// The rules that were broken and waived, by their ids.
    pub waived: Vec<&'static str>,
}

impl Passed {
    /// `subject` alone was checked, and broke no rule.
    pub(crate) fn by(subject: &'static Subject) -> Self {
        Self { subjects: vec![subject.name], waived: Vec::new() }
    }

    /// Whether something was checked, and every rule of it held.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.subjects.is_empty() && self.waived.is_empty()
    }
}

impl fmt::Display for Passed {
    /// `A and B break no rule`; nothing where nothing was checked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subjects.as_slice() {
            [] => return Ok(()),
            [one] => write!(f, "{one} breaks no rule")?,
            many => write!(f, "{} break no rule", many.join(" and "))?,
        }
        if self.waived.is_empty() { Ok(()) } else { write!(f, " but those that were waived: {}", self.waived.join(", ")) }
    }
}

/// What was checked so far for one call.
#[derive(Debug)]
pub(crate) struct Checks<'l> {
    pub(crate) command: &'static CommandInfo,
    /// The kind of handle that the call is about.
    pub(crate) handle_type: Option<&'static HandleType>,
    waived: &'l [&'l str],
    /// The records and arguments that passed: no call has more kinds of them.
    passed: [Option<&'static Subject>; 3],
    /// Rules that were broken and waived.
    overlooked: Vec<&'static str>,
    violations: Vec<(&'static str, Violation)>,
}

impl<'l> Checks<'l> {
    #[inline]
    pub(crate) fn new(command: &'static CommandInfo) -> Self {
        Self { command, handle_type: None, waived: &[], passed: [None; 3], overlooked: Vec::new(), violations: Vec::new() }
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
        if holds || unsafe { self.look_closer(record, given) } {
            self.pass(R::SUBJECT);
        }
    }

    #[inline]
    fn pass(&mut self, subject: &'static Subject) {
        let is_here = |place: &&mut Option<&Subject>| place.is_none_or(|other| other.name == subject.name);
        if let Some(place) = self.passed.iter_mut().find(is_here) {
            *place = Some(subject);
        }
    }

    /// Walks over the rules of a record of which it is not certain that it breaks none. Whether it breaks none but waived ones.
    ///
    /// # Safety
    /// As for [`check_raw_waiving`].
    #[cold]
    unsafe fn look_closer<R: Record>(&mut self, record: &R, given: &Given<'_>) -> bool {
        if !self.waived.is_empty() {
            // SAFETY: promised by the caller.
            let all = unsafe { check_raw_waiving(record, given, &[]) };
            let broken = all.as_ref().err().into_iter().flat_map(Violations::iter).map(|violation| violation.rule.id);
            self.overlooked.extend(broken.filter(|id| self.waived.contains(id)));
        }
        // SAFETY: promised by the caller.
        match unsafe { check_raw_waiving(record, given, self.waived) } {
            Ok(_) => true,
            Err(broken) => {
                keep(&mut self.violations, &broken);
                false
            }
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
        if self.waived.contains(&rule.id) {
            self.overlooked.push(rule.id);
        } else {
            add(&mut self.violations, subject.name, Violation { rule, found });
        }
    }

    /// What passed, for the error of the call.
    pub(crate) fn passed(&self) -> Passed {
        let mut waived = self.overlooked.clone();
        waived.dedup();
        Passed { subjects: self.passed.iter().flatten().map(|subject| subject.name).collect(), waived }
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
