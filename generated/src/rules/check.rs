//! The check of a record: a specialised yes first, and a walk over the table only where that is not certain.
//!
//! In: the bytes of a record, and the given facts. Out: [`Checked`], which knows what could not be decided, or [`Violations`], which
//! names every rule that is broken. Both walk the table when they are asked and not before, so that nothing is allocated, and a check
//! that passes costs what the specialised function costs.
//!
//! The specialised function ([`Record::surely_holds`]) answers "every rule holds, whatever is not given" or "look closer". It need not
//! tell a violation from a missing fact: the walk does, by the same table from which the function was emitted.

use core::{fmt, slice};

use super::{
    Rule,
    condition::Truth,
    field::Bytes,
    found::Found,
    given::{Facts, Given},
    predicate::{Met, Predicate},
};

/// A record of C, or the arguments of a command, with the rules that speak of it.
#[derive(Debug)]
pub struct Subject {
    /// Upstream's name.
    pub name: &'static str,
    /// Every rule, those for which the caller vouches included.
    pub rules: &'static [Rule],
}

/// A record for which there are rules.
///
/// # Safety
/// The fields of [`Record::SUBJECT`] are members of `Self`: within it, as wide as they say, and of the kind that they say.
pub unsafe trait Record: Sized {
    /// Its rules.
    const SUBJECT: &'static Subject;

    /// Whether every rule holds for certain, whatever the facts are that are not given.
    ///
    /// # Safety
    /// As for [`check_raw`].
    #[inline]
    #[must_use]
    unsafe fn surely_holds(bytes: Bytes<'_>, given: &Given<'_>) -> bool {
        // SAFETY: promised by the caller.
        unsafe { every_rule_holds(Self::SUBJECT.rules, bytes, given) }
    }
}

/// A record of which no rule follows a pointer, and of which every value has all its bytes initialised: safe code can make no other.
///
/// # Safety
/// That is so: it has no union, and none of its rules is about text behind a pointer.
pub unsafe trait Inert: Record {}

/// What a rule says of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It holds, or does not apply.
    Holds,
    /// It applies and is broken.
    Broken(Found),
    /// It is broken if it applies; these facts would tell.
    Undecided(Facts),
    /// The caller vouches for it.
    Vouched,
}

impl Rule {
    /// What it says of these bytes.
    ///
    /// # Safety
    /// As for [`check_raw`], for a record of its subject.
    #[inline]
    pub(super) unsafe fn verdict(&self, bytes: Bytes<'_>, given: &Given<'_>) -> Verdict {
        let mut certain = true;
        let mut missing = Facts::NONE;
        for condition in self.when {
            // SAFETY: promised by the caller.
            match unsafe { condition.truth(bytes, given) } {
                Truth::Yes => {}
                Truth::No => return Verdict::Holds,
                Truth::Unknown(facts) => (certain, missing) = (false, missing.and(facts)),
            }
        }
        if matches!(self.predicate, Predicate::Attested(_) | Predicate::Unchanged) {
            return Verdict::Vouched;
        }
        // SAFETY: promised by the caller.
        match unsafe { self.predicate.met(self.fields, bytes) } {
            Met::Yes => Verdict::Holds,
            Met::No(found) if certain => Verdict::Broken(found),
            Met::No(_) | Met::OutOfReach => Verdict::Undecided(missing),
        }
    }
}

/// Whether no rule is broken or undecided.
///
/// # Safety
/// As for [`check_raw`], for a record of the rules' subject.
#[must_use]
#[inline]
pub unsafe fn every_rule_holds(rules: &[Rule], bytes: Bytes<'_>, given: &Given<'_>) -> bool {
    // SAFETY: promised by the caller.
    rules.iter().all(|rule| matches!(unsafe { rule.verdict(bytes, given) }, Verdict::Holds | Verdict::Vouched))
}

/// A walk over the rules of one record.
#[derive(Clone, Debug)]
struct Walk<'a> {
    subject: &'static Subject,
    rules: slice::Iter<'static, Rule>,
    bytes: Bytes<'a>,
    given: &'a Given<'a>,
    waived: &'a [&'a str],
}

impl<'a> Walk<'a> {
    /// # Safety
    /// As for [`check_raw`], for a record of `subject`, for as long as the walk lives.
    #[inline]
    unsafe fn new(subject: &'static Subject, bytes: Bytes<'a>, given: &'a Given<'a>, waived: &'a [&'a str]) -> Self {
        Self { subject, rules: subject.rules.iter(), bytes, given, waived }
    }
}

impl Iterator for Walk<'_> {
    type Item = (&'static Rule, Verdict);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rule = self.rules.find(|rule| !self.waived.contains(&rule.id))?;
        // SAFETY: promised to `new`.
        Some((rule, unsafe { rule.verdict(self.bytes, self.given) }))
    }
}

/// A rule that is broken.
#[derive(Clone, Copy, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// What stood there.
    pub found: Found,
}

impl Violation {
    /// The first field that the rule is about: `handle.win32.name`.
    #[must_use]
    #[inline]
    pub fn field(&self) -> &'static str {
        self.rule.fields.first().map_or("", |field| field.path)
    }

    /// What the rule wants: its `Display` form is a phrase in our words.
    #[must_use]
    #[inline]
    pub const fn wanted(&self) -> &'static Predicate {
        &self.rule.predicate
    }
}

impl fmt::Display for Violation {
    /// `handle.fd: found -1, wanted a file descriptor [cuda/…/OPAQUE_FD/fd]`, on one line.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, field) in self.rule.fields.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, field.path)?;
        }
        write!(f, ": found {}, wanted {}", self.found, self.rule.predicate)?;
        if !self.rule.error.is_empty() {
            write!(f, ", or {}", self.rule.error)?;
        }
        write!(f, " [{}]", self.rule.id)
    }
}

/// A rule that could not be decided.
#[derive(Clone, Copy, Debug)]
pub struct Undecided {
    /// The rule.
    pub rule: &'static Rule,
    /// The facts that would decide it; none where the rule looks somewhere that the checker does not go, or where only the caller knows
    /// whether it applies.
    pub missing: Facts,
}

/// No rule is broken, as far as could be told.
#[derive(Clone, Debug)]
#[must_use = "rules that could not be decided are listed here"]
pub struct Checked<'a> {
    walk: Walk<'a>,
    certain: bool,
}

impl Checked<'_> {
    /// Whether every rule was decided, but those for which the caller vouches.
    #[must_use]
    #[inline]
    pub const fn is_complete(&self) -> bool {
        self.certain
    }

    /// The rules that were not checked, and which facts would let them be.
    #[inline]
    pub fn not_checked(&self) -> impl Iterator<Item = Undecided> {
        let walk = (!self.certain).then(|| self.walk.clone());
        walk.into_iter().flatten().filter_map(|(rule, verdict)| match verdict {
            Verdict::Undecided(missing) => Some(Undecided { rule, missing }),
            _ => None,
        })
    }

    /// All facts that a rule would have needed and that were not given.
    #[must_use]
    #[inline]
    pub fn missing_facts(&self) -> Facts {
        self.not_checked().fold(Facts::NONE, |facts, undecided| facts.and(undecided.missing))
    }

    /// The rules that apply and that no program can check: the caller vouches for them.
    #[inline]
    pub fn vouched(&self) -> impl Iterator<Item = &'static Rule> {
        self.walk.clone().filter(|(_, verdict)| *verdict == Verdict::Vouched).map(|(rule, _)| rule)
    }
}

/// Every rule that a record breaks: at least one. Its `Display` form lists them all, one a line.
#[derive(Clone, Debug)]
pub struct Violations<'a> {
    walk: Walk<'a>,
}

impl Violations<'_> {
    /// The record or command whose rules they are.
    #[must_use]
    #[inline]
    pub const fn subject(&self) -> &'static Subject {
        self.walk.subject
    }

    /// Each of them.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Violation> {
        broken(self.walk.clone())
    }
}

/// The violations among what a walk finds.
#[inline]
fn broken(walk: Walk<'_>) -> impl Iterator<Item = Violation> {
    walk.filter_map(|(rule, verdict)| match verdict {
        Verdict::Broken(found) => Some(Violation { rule, found }),
        _ => None,
    })
}

impl fmt::Display for Violations<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.iter().count();
        write!(f, "{}: {count} {} broken", self.walk.subject.name, if count == 1 { "rule" } else { "rules" })?;
        self.iter().try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

impl core::error::Error for Violations<'_> {}

/// Checks a record that somebody made.
///
/// # Errors
/// All rules that it breaks, at once.
///
/// # Safety
/// - Every byte of `record` but padding is initialised. It is so if the record began as `zeroed()` and was then changed member by member;
///   assigning a whole union leaves the bytes uninitialised that the assigned member does not cover.
/// - Where a rule is about text behind a pointer (`utf16_nul_terminated`), the pointer is null or can be followed to a terminating zero,
///   or for [`LONGEST`](super::LONGEST) units and one more.
#[inline]
pub unsafe fn check_raw<'a, R: Record>(record: &'a R, given: &'a Given<'a>) -> Result<Checked<'a>, Violations<'a>> {
    // SAFETY: promised by the caller, for each part.
    unsafe {
        let bytes = Bytes::of(record);
        let walk = Walk::new(R::SUBJECT, bytes, given, &[]);
        if R::surely_holds(bytes, given) { Ok(Checked { walk, certain: true }) } else { look_closer(walk) }
    }
}

/// Checks a record that somebody made, except for the rules with the ids in `waived`: where a driver is known to accept more than its
/// specification says.
///
/// # Errors
/// All other rules that it breaks, at once.
///
/// # Safety
/// As for [`check_raw`].
#[inline]
pub unsafe fn check_raw_waiving<'a, R: Record>(
    record: &'a R,
    given: &'a Given<'a>,
    waived: &'a [&'a str],
) -> Result<Checked<'a>, Violations<'a>> {
    // SAFETY: promised by the caller, for each part.
    unsafe { look_closer(Walk::new(R::SUBJECT, Bytes::of(record), given, waived)) }
}

/// Checks a record that cannot be anything but initialised.
///
/// # Errors
/// All rules that it breaks, at once.
#[inline]
pub fn check<'a, R: Inert>(record: &'a R, given: &'a Given<'a>) -> Result<Checked<'a>, Violations<'a>> {
    // SAFETY: an inert record is initialised, and its rules follow no pointer.
    unsafe { check_raw(record, given) }
}

/// Like [`check`], except for the rules with the ids in `waived`.
///
/// # Errors
/// All other rules that it breaks, at once.
#[inline]
pub fn check_waiving<'a, R: Inert>(
    record: &'a R,
    given: &'a Given<'a>,
    waived: &'a [&'a str],
) -> Result<Checked<'a>, Violations<'a>> {
    // SAFETY: an inert record is initialised, and its rules follow no pointer.
    unsafe { check_raw_waiving(record, given, waived) }
}

/// The walk that decides what the specialised check could not.
#[cold]
#[inline]
fn look_closer(walk: Walk<'_>) -> Result<Checked<'_>, Violations<'_>> {
    if broken(walk.clone()).next().is_some() {
        return Err(Violations { walk });
    }
    let certain = !walk.clone().any(|(_, verdict)| matches!(verdict, Verdict::Undecided(_)));
    Ok(Checked { walk, certain })
}
