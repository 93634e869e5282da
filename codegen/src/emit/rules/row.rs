//! Writes one rule as a row of a table.
//!
//! In: a rule and its subject. Out: one call of a constant function: id, fields, demand, conditions, where it comes from and
//! which error it leads to; and around it, why it holds and since when. Calls and not an invocation of a macro a row: there are some two
//! thousand, and macros took the compiler several megabytes more.

use super::{
    subject::Subject,
    words::{Words, enumeration_of},
};
use crate::{
    emit::types::literal,
    finding::Finding,
    model::{Condition, Given, Object, Origin, Path, Predicate, Rule, Source, Term, Test},
    pass::index::Index,
};

/// What it takes to write rows. Each block that rows or checks stand in calls the record `R`, and in a check the enumeration of its
/// discriminator `E`: upstream's names are long, and a row is read as a whole.
pub(super) struct Rows<'s, 'a> {
    pub(super) subject: &'s Subject<'a>,
    pub(super) words: &'s Words<'a>,
    pub(super) index: &'s Index<'a>,
}

impl Rows<'_, '_> {
    /// The lines of `rule`.
    pub(super) fn rule(&self, rule: &Rule) -> Result<String, Finding> {
        let about = |finding: Finding| Finding { what: format!("{} (rule `{}`)", finding.what, rule.id), ..finding };
        let fields: Vec<String> = rule.fields.iter().map(|field| self.field(field)).collect();
        let predicate = self.predicate(rule).map_err(about)?;
        let conditions =
            rule.when.iter().map(|condition| self.condition(condition)).collect::<Result<Vec<_>, _>>().map_err(about)?;
        let how = if matches!(rule.predicate, Predicate::Attested(_)) { "attested" } else { "stated" };
        let source = rule.source.as_ref().map_or_else(
            || "None".to_owned(),
            |source| {
                let text = source_text(source);
                source_name(self.sources().iter().position(|other| *other == text).unwrap_or_default())
            },
        );
        let row = format!(
            "{how}({}, &[{}], {predicate}, &[{}],\n    {source}, {})",
            literal(&rule.id),
            fields.join(", "),
            conditions.join(", "),
            literal(rule.error.as_deref().unwrap_or_default())
        );
        Ok(format!("{},", within(rule, row)))
    }

    /// Where the subject's rules come from: each place once, as an expression.
    pub(super) fn sources(&self) -> Vec<String> {
        let mut sources = Vec::new();
        for source in self.subject.rules.iter().filter_map(|rule| rule.source.as_ref()) {
            let text = source_text(source);
            if !sources.contains(&text) {
                sources.push(text);
            }
        }
        sources
    }

    /// A field as an expression.
    fn field(&self, path: &Path) -> String {
        if !self.subject.is_reachable() || !self.subject.reaches(path) {
            return format!("elsewhere({})", literal(path.as_str()));
        }
        match (self.subject.leaf(path), self.subject.property(path)) {
            (Some(leaf), _) if self.subject.is_record() => format!("R::{}.field", leaf.constant),
            (Some(leaf), _) => format!("R::{}", leaf.constant),
            (None, Some((list, name))) => self.subject.property_field(path, list, name),
            (None, None) => format!("elsewhere({})", literal(path.as_str())),
        }
    }

    /// The enumeration that the first of `fields` has, for names that several have.
    pub(super) fn hint(&self, fields: &[Path]) -> Option<&str> {
        let leaf = fields.first().and_then(|field| self.subject.leaf(field))?;
        enumeration_of(self.index, &leaf.ctype).map(|item| item.name.as_str())
    }

    fn predicate(&self, rule: &Rule) -> Result<String, Finding> {
        let hint = self.hint(&rule.fields);
        let with = |name: &str, names: &[String]| Ok(format!("{name}({})", self.words.named(names, hint)?));
        let compared = |name: &str, operand: &str| Ok(format!("{name}({})", self.operand(operand, hint)?));
        match &rule.predicate {
            Predicate::ExactlyOneNonNull => Ok("ExactlyOneNonNull".to_owned()),
            Predicate::AnyNonNull => Ok("AnyNonNull".to_owned()),
            Predicate::AllOrNoneNull => Ok("AllOrNoneNull".to_owned()),
            Predicate::NullIffZero => Ok("NullIffZero".to_owned()),
            Predicate::NonNull => Ok("NonNull".to_owned()),
            Predicate::Null => Ok("Null".to_owned()),
            Predicate::Zero => Ok("Zero".to_owned()),
            Predicate::NonZero => Ok("NonZero".to_owned()),
            Predicate::PowerOfTwo => Ok("PowerOfTwo".to_owned()),
            Predicate::FdNonNegative => Ok("FdNonNegative".to_owned()),
            Predicate::FdOrMinusOne => Ok("FdOrMinusOne".to_owned()),
            Predicate::Utf16NulTerminated => Ok("Utf16NulTerminated".to_owned()),
            Predicate::NulTerminated => Ok("NulTerminated".to_owned()),
            Predicate::ListTerminated => Ok("ListTerminated".to_owned()),
            Predicate::NoDuplicateProperty => Ok("NoDuplicateProperty".to_owned()),
            Predicate::NoDuplicates => Ok("NoDuplicates".to_owned()),
            Predicate::Unchanged => Ok("Unchanged".to_owned()),
            Predicate::Forbidden => Ok("Forbidden".to_owned()),
            Predicate::AtMostValues(count) => Ok(format!("AtMostValues({count})")),
            Predicate::OnlyFlags(names) => with("OnlyFlags", names),
            Predicate::MustHaveFlags(names) => with("MustHaveFlags", names),
            Predicate::LacksFlags(names) => with("LacksFlags", names),
            Predicate::OneOf(names) => with("OneOf", names),
            Predicate::NoneOf(names) => with("NoneOf", names),
            Predicate::OnlyProperties(names) => with("OnlyProperties", names),
            Predicate::MustHaveProperties(names) => with("MustHaveProperties", names),
            Predicate::ExactlyOneProperty(names) => with("ExactlyOneProperty", names),
            Predicate::AtMostOneProperty(names) => with("AtMostOneProperty", names),
            Predicate::AnyProperty(names) => with("AnyProperty", names),
            Predicate::LacksProperties(names) => with("LacksProperties", names),
            Predicate::Equal(operand) => compared("Equal", operand),
            Predicate::NotEqual(operand) => compared("NotEqual", operand),
            Predicate::AtMost(operand) => compared("AtMost", operand),
            Predicate::AtLeast(operand) => compared("AtLeast", operand),
            Predicate::Below(operand) => compared("Below", operand),
            Predicate::Above(operand) => compared("Above", operand),
            Predicate::MultipleOf(operand) => compared("MultipleOf", operand),
            Predicate::Attested(object) => Ok(promise(object)),
        }
    }

    /// Whether a test compares with one other field.
    pub(super) fn is_field(&self, values: &[String]) -> bool {
        let field = |written: &String| written.parse().is_ok_and(|path| self.subject.reaches(&path));
        matches!(values, [one] if field(one) && self.words.value(one, None).is_err())
    }

    /// A value, or another field.
    fn operand(&self, written: &str, hint: Option<&str>) -> Result<String, Finding> {
        match self.words.operand(written, hint) {
            Ok(value) => Ok(format!("constant({value})")),
            Err(unknown) => match written.parse::<Path>() {
                Ok(path) => Ok(format!("Operand::Field({})", self.field(&path))),
                Err(_) => Err(unknown),
            },
        }
    }

    fn condition(&self, condition: &Condition) -> Result<String, Finding> {
        match condition {
            Condition::Attested(object) => Ok(format!("if_vouched({})", promise(object))),
            Condition::Test(Term::Field(path), test) => {
                let hint = self.hint(std::slice::from_ref(path));
                Ok(format!("of({}, {})", self.field(path), self.test(test, hint)?))
            }
            Condition::Test(Term::Given(fact), test) => {
                let test = match (fact, test) {
                    (Given::Platform | Given::Extensions, test) => text_test(test)?,
                    (_, test) => self.test(test, None)?,
                };
                Ok(format!("given(Fact::{fact:?}, {test})"))
            }
        }
    }

    fn test(&self, test: &Test, hint: Option<&str>) -> Result<String, Finding> {
        let names = |name: &str, names: &[String]| Ok(format!("Test::{name}({})", self.words.named(names, hint)?));
        let than = |name: &str, operand: &str| Ok(format!("Test::{name}({})", self.operand(operand, hint)?));
        match test {
            // What is no value is another field.
            Test::In(values) if self.is_field(values) => than("Equal", &values.concat()),
            Test::NotIn(values) if self.is_field(values) => than("NotEqual", &values.concat()),
            Test::In(values) => names("In", values),
            Test::NotIn(values) => names("NotIn", values),
            Test::Has(values) => names("Has", values),
            Test::Lacks(values) => names("Lacks", values),
            Test::Above(operand) => than("Above", operand),
            Test::Below(operand) => than("Below", operand),
            Test::Null | Test::NonNull | Test::Zero | Test::NonZero | Test::Present | Test::Absent => Ok(format!("Test::{test:?}")),
        }
    }
}

/// `row` within what says why the rule holds, where upstream does not simply state it, and in which versions.
fn within(rule: &Rule, row: String) -> String {
    let why = match (rule.origin, &rule.reason) {
        (Origin::Stated, None) => None,
        (Origin::Stated, Some(_)) => Some("settled"),
        (Origin::Derived, _) => Some("derived"),
        (Origin::Ours, _) => Some("ours"),
    };
    let mut row = row;
    if let Some(why) = why {
        row = format!("{why}({}, {row})", literal(rule.reason.as_deref().unwrap_or_default()));
    }
    for (name, version) in [
        ("since", rule.lifetime.since.map(|version| version.to_string())),
        ("until", rule.lifetime.until.map(|release| release.to_string())),
    ] {
        if let Some(version) = version {
            row = format!("{name}(\"{version}\", {row})");
        }
    }
    row
}

/// Where upstream says it, as an expression.
fn source_text(source: &Source) -> String {
    let text = [&source.document, &source.version, &source.symbol].map(|text| literal(text)).join(", ");
    format!("from({text})")
}

/// The name of the subject's source number `at`.
pub(super) fn source_name(at: usize) -> String {
    if at == 0 { "FROM".to_owned() } else { format!("FROM_{}", at + 1) }
}

/// A test of a fact whose members are words: extensions, systems.
fn text_test(test: &Test) -> Result<String, Finding> {
    let (name, words) = match test {
        Test::In(words) => ("In", words),
        Test::NotIn(words) => ("NotIn", words),
        Test::Has(words) => ("Has", words),
        Test::Lacks(words) => ("Lacks", words),
        other => return Err(Finding::error(format!("a rule tests `{other}` of a fact that is a word"))),
    };
    let words: Vec<String> = words.iter().map(|word| literal(word)).collect();
    Ok(format!("Test::{name}(named![text {}])", words.join(", ")))
}

/// What a caller vouches for, as the arguments of a function.
fn promise(object: &Object) -> String {
    let of: Vec<String> = object.of.iter().map(|name| literal(name)).collect();
    format!("{}, &[{}]", literal(&object.kind), of.join(", "))
}
