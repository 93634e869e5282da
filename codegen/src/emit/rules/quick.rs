//! Writes the specialised check of a record: the same rules as its table, as straight-line code.
//!
//! In: a subject. Out: one expression that is true where every rule holds for certain. What an expression cannot say in a few words is
//! asked of the table, a rule at a time, so that there is no rule that only one of the two knows.
//!
//! The rules that depend on the discriminator alone (the handle type, as a rule) become the arms of a `match`; an arm has what holds for
//! its values, decided here and not at run time. Rules that ask for a fact hold for certain where they hold without their condition, or
//! where the fact is given and says that they do not apply.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::{
    place::{Kind, Leaf},
    row::Rows,
    words::enumeration_of,
};
use crate::{
    emit::types::{identifier, literal},
    model::{Condition, Given, Path, Predicate, Rule, Term, Test},
};

/// An expression that is true where a rule holds.
pub(super) struct Said {
    text: String,
    /// Whether the rule is broken, or not certain to hold, where it is false. If not, the table has to be asked as well.
    is_exact: bool,
}

impl Said {
    pub(super) fn exact(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_exact: true }
    }

    pub(super) fn enough(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_exact: false }
    }
}

/// The check of one record, as lines of Rust.
pub(super) struct Quick {
    /// What comes before the expression.
    pub(super) before: Vec<String>,
    /// The expression, a part each, to be joined by `&&`.
    pub(super) lines: Vec<String>,
    /// The enumeration that it calls `E`.
    pub(super) enumeration: Option<String>,
    /// Whether it looks at given facts.
    pub(super) asks: bool,
}

impl Quick {
    /// What it takes, by the names that it uses.
    pub(super) fn parameters(&self) -> String {
        let mut lines = self.before.iter().chain(&self.lines);
        let bytes = if lines.any(|line| line.contains("bytes")) { "bytes" } else { "_bytes" };
        format!("{bytes}, {}", if self.asks { "given" } else { "_given" })
    }
}

impl Rows<'_, '_> {
    /// The specialised check.
    pub(super) fn quick(&self, table: &str) -> Quick {
        let mut lines = Vec::new();
        let checkable = || self.subject.rules.iter().enumerate().filter(|(_, rule)| rule.predicate.is_checkable());
        let depends = |rule: &Rule| self.discriminator().is_some_and(|leaf| depends_on(rule, leaf));
        let always = checkable().filter(|(_, rule)| !depends(rule)).map(|(at, rule)| self.holds(table, at, rule, &rule.when));
        lines.extend(joined(always.collect()));
        if let Some(discriminator) = self.discriminator() {
            let depending: Vec<_> = checkable().filter(|(_, rule)| depends(rule)).collect();
            if !depending.is_empty() {
                lines.push(self.arms(table, discriminator, &depending));
            }
        }
        if lines.is_empty() {
            lines.push("true".to_owned());
        }
        let asks = lines.iter().any(|line| line.contains("given"));
        let enumeration = self.discriminator().and_then(|leaf| enumeration_of(self.index, &leaf.ctype));
        let enumeration = enumeration.filter(|_| lines.iter().any(|line| line.contains(" E::")));
        let before = self.surveys(&lines);
        Quick { before, lines, enumeration: enumeration.map(|item| identifier(&item.name).into_owned()), asks }
    }

    /// The member whose values are the arms; the constants of arguments have no types to match on.
    fn discriminator(&self) -> Option<&Leaf> {
        self.subject.discriminator.filter(|_| self.subject.is_record()).and_then(|at| self.subject.leaves.get(at))
    }

    /// The `match` over the discriminator's values that rules name.
    fn arms(&self, table: &str, discriminator: &Leaf, rules: &[(usize, &&Rule)]) -> String {
        let hint = enumeration_of(self.index, &discriminator.ctype);
        let hint_name = hint.map(|item| item.name.as_str());
        let number = |name: &str| self.words.value(name, hint_name).ok();
        let mut values: BTreeMap<i128, &str> = BTreeMap::new();
        for (_, rule) in rules {
            for name in named_by(rule, discriminator) {
                if let Some(value) = number(name) {
                    values.entry(value).or_insert(name);
                }
            }
        }
        let mut arms: Vec<(Vec<&str>, String)> = Vec::new();
        for (value, name) in values.iter().map(|(value, name)| (Some(*value), *name)).chain([(None, "_")]) {
            let demands = rules.iter().filter_map(|(at, rule)| self.demand(table, *at, rule, discriminator, value, &number));
            let demands: BTreeSet<_> = demands.collect();
            let body = if demands.iter().any(|demand| demand == "false") {
                "false".to_owned()
            } else {
                match joined(demands.into_iter().collect()) {
                    lines if lines.is_empty() => "true".to_owned(),
                    lines => lines.join(" && "),
                }
            };
            match arms.iter_mut().find(|(_, other)| *other == body) {
                Some((names, _)) => names.push(name),
                None => arms.push((vec![name], body)),
            }
        }
        // The rest comes last, and takes with it what is treated alike.
        let rest = arms.iter().position(|(names, _)| names.contains(&"_")).map(|at| arms.remove(at));
        let pattern = |name: &&str| match hint {
            Some(_) => format!("E::{}", identifier(name)),
            None => (*name).to_owned(),
        };
        let mut text = format!("match quick::value(bytes, R::{}) {{\n", discriminator.constant);
        // Writing to a `String` does not fail.
        for (names, body) in &arms {
            let _ = writeln!(text, "    {} => {body},", names.iter().map(pattern).collect::<Vec<_>>().join(" | "));
        }
        if let Some((_, body)) = rest {
            let _ = writeln!(text, "    _ => {body},");
        }
        text + "}"
    }

    /// What `rule` demands where the discriminator is `value` (`None`: none that a rule names); `None` where it demands nothing.
    fn demand(
        &self,
        table: &str,
        at: usize,
        rule: &Rule,
        discriminator: &Leaf,
        value: Option<i128>,
        number: &impl Fn(&str) -> Option<i128>,
    ) -> Option<String> {
        let among = |names: &[String]| value.is_some_and(|value| names.iter().any(|name| number(name) == Some(value)));
        let mut others = Vec::new();
        for condition in &rule.when {
            match condition {
                Condition::Test(Term::Field(path), Test::In(names)) if path.as_str() == discriminator.path => {
                    if !among(names) {
                        return None;
                    }
                }
                Condition::Test(Term::Field(path), Test::NotIn(names)) if path.as_str() == discriminator.path => {
                    if among(names) {
                        return None;
                    }
                }
                other => others.push(other.clone()),
            }
        }
        let about_itself = rule.fields.len() == 1 && rule.fields.iter().all(|field| field.as_str() == discriminator.path);
        match &rule.predicate {
            Predicate::OneOf(names) if about_itself && others.is_empty() => (!among(names)).then(|| "false".to_owned()),
            Predicate::NoneOf(names) if about_itself && others.is_empty() => among(names).then(|| "false".to_owned()),
            _ => Some(self.holds(table, at, rule, &others)),
        }
    }

    /// That `rule`, under `conditions`, holds for certain: it is met, or does not apply. The table is asked last, for what only it can tell.
    fn holds(&self, table: &str, at: usize, rule: &Rule, conditions: &[Condition]) -> String {
        let met = self.met(rule).map(Said::exact).or_else(|| self.met_in_list(rule));
        let excluded = conditions.iter().map(|condition| self.excluded(condition));
        let mut is_exact = true;
        let mut parts = Vec::new();
        for said in std::iter::once(met).chain(excluded) {
            is_exact &= said.as_ref().is_some_and(|said| said.is_exact);
            parts.extend(said.map(|said| said.text));
        }
        if !is_exact {
            parts.push(format!("quick::rule(&{table}[{at}], bytes, given)"));
        }
        if parts.iter().any(|part| part == "true") {
            return "true".to_owned();
        }
        parts.retain(|part| part != "false");
        match parts.as_slice() {
            [] => "false".to_owned(),
            [one] if is_exact && conditions.is_empty() => one.clone(),
            [one] if !is_exact => one.clone(),
            parts => format!("({})", parts.join(" || ")),
        }
    }

    /// That a condition does not hold for certain; `None` where only the table can tell.
    fn excluded(&self, condition: &Condition) -> Option<Said> {
        match condition {
            Condition::Attested(_) => None,
            Condition::Test(Term::Given(fact), test) => self.excluded_by_fact(*fact, test).map(Said::exact),
            Condition::Test(Term::Field(path), test) => {
                let Some(leaf) = self.subject.leaf(path) else { return self.excluded_in_list(path, test) };
                self.excluded_by_field(leaf, path, test).map(Said::exact)
            }
        }
    }

    /// That a fact is given, and fails a test.
    fn excluded_by_fact(&self, fact: Given, test: &Test) -> Option<String> {
        let is_word = matches!(fact, Given::Platform | Given::Extensions);
        let has = |name: &String, answer: bool| {
            let (word, number) = if is_word { (name.as_str(), "0".to_owned()) } else { ("", self.words.number(name, None).ok()?) };
            Some(format!("given.has(Fact::{fact:?}, {}, {number}) == Some({answer})", literal(word)))
        };
        let each = |names: &[String], answer: bool, join: &str| {
            let parts: Option<Vec<_>> = names.iter().map(|name| has(name, answer)).collect();
            parts.filter(|parts| !parts.is_empty()).map(|parts| format!("({})", parts.join(join)))
        };
        match fact {
            Given::SemaphoreHandleType
            | Given::SemaphoreType
            | Given::SemaphoreImported
            | Given::MemoryHandleType
            | Given::ContextDeviceCount
            | Given::ApiVersion => {
                let fails = self.fails("number", test, None)?;
                Some(format!("given.number(Fact::{fact:?}).is_some_and(|number| {fails})"))
            }
            _ => match test {
                Test::Lacks(names) | Test::NotIn(names) => each(names, true, " || "),
                Test::In(names) => each(names, false, " && "),
                Test::Has(names) => each(names, false, " || "),
                _ => None,
            },
        }
    }

    /// That a field fails a test.
    fn excluded_by_field(&self, leaf: &Leaf, path: &Path, test: &Test) -> Option<String> {
        if let Some(list) = leaf.list.as_ref().map(|_| self.subject.field(leaf)) {
            return match test {
                Test::Null => Some(format!("quick::non_null(bytes, [{list}]) == 1")),
                Test::NonNull => Some(format!("quick::non_null(bytes, [{list}]) == 0")),
                _ => None,
            };
        }
        let (field, hint) = (self.subject.field(leaf), self.hint(std::slice::from_ref(path)));
        match test {
            Test::Null | Test::Zero => Some(format!("!quick::zero(bytes, [{field}])")),
            Test::NonNull | Test::NonZero => Some(format!("quick::zero(bytes, [{field}])")),
            _ if leaf.kind == Kind::Bytes => None,
            Test::Has(names) => {
                let mask = self.words.mask(names, hint).ok()?;
                Some(format!("quick::bits(bytes, {field}) & {mask} != {mask}"))
            }
            Test::Lacks(names) => {
                let mask = self.words.mask(names, hint).ok()?;
                Some(format!("quick::bits(bytes, {field}) & {mask} != 0"))
            }
            test => self.fails(&format!("quick::number(bytes, {field})"), test, hint),
        }
    }

    /// That `number` fails a test.
    fn fails(&self, number: &str, test: &Test, hint: Option<&str>) -> Option<String> {
        let all = |names: &[String], sign: &str, join: &str| {
            let parts: Option<Vec<_>> =
                names.iter().map(|name| Some(format!("{number} {sign} {}", self.words.number(name, hint).ok()?))).collect();
            Some(format!("({})", parts?.join(join)))
        };
        match test {
            Test::In(names) => all(names, "!=", " && "),
            Test::NotIn(names) => all(names, "==", " || "),
            Test::Above(than) => Some(format!("{number} <= {}", self.words.number(than, hint).ok()?)),
            Test::Below(than) => Some(format!("{number} >= {}", self.words.number(than, hint).ok()?)),
            Test::Zero => Some(format!("{number} != 0")),
            Test::NonZero => Some(format!("{number} == 0")),
            _ => None,
        }
    }

    /// That the predicate is met; `None` where only the table can tell.
    fn met(&self, rule: &Rule) -> Option<String> {
        if rule.predicate == Predicate::Forbidden {
            return Some("false".to_owned());
        }
        let scalar = |field| self.subject.leaf(field).filter(|leaf| leaf.list.is_none());
        let leaves: Option<Vec<&Leaf>> = rule.fields.iter().map(scalar).collect();
        let leaves = leaves.filter(|leaves| !leaves.is_empty())?;
        let field = |leaf: &Leaf| self.subject.field(leaf);
        let fields = leaves.iter().map(|leaf| field(leaf)).collect::<Vec<_>>().join(", ");
        let count = leaves.len();
        Some(match &rule.predicate {
            Predicate::Zero | Predicate::Null => format!("quick::zero(bytes, [{fields}])"),
            Predicate::NonZero | Predicate::NonNull => format!("quick::non_null(bytes, [{fields}]) == {count}"),
            Predicate::ExactlyOneNonNull => format!("quick::non_null(bytes, [{fields}]) == 1"),
            Predicate::NullIffZero if count == 2 => {
                format!("quick::zero(bytes, [{}]) == quick::zero(bytes, [{}])", field(leaves.first()?), field(leaves.get(1)?))
            }
            Predicate::AnyNonNull => format!("quick::non_null(bytes, [{fields}]) != 0"),
            Predicate::Utf16NulTerminated if leaves.iter().all(|leaf| leaf.kind == Kind::Pointer) => {
                format!("quick::utf16(bytes, [{fields}])")
            }
            Predicate::NulTerminated if leaves.iter().all(|leaf| leaf.kind == Kind::Pointer) => {
                format!("quick::text(bytes, [{fields}])")
            }
            predicate => {
                let parts: Option<Vec<_>> = leaves.iter().map(|leaf| self.number_met(predicate, leaf, &field(leaf))).collect();
                parts?.join(" && ")
            }
        })
    }

    /// That a number meets a predicate.
    fn number_met(&self, predicate: &Predicate, leaf: &Leaf, field: &str) -> Option<String> {
        if leaf.kind == Kind::Bytes {
            return None;
        }
        let hint = enumeration_of(self.index, &leaf.ctype).map(|item| item.name.as_str());
        let (number, bits) = (format!("quick::number(bytes, {field})"), format!("quick::bits(bytes, {field})"));
        let mask = |names: &[String]| self.words.mask(names, hint).ok();
        let compared = |sign: &str, operand: &str| {
            let other = self.words.number(operand, hint).ok();
            let other = other.or_else(|| {
                let other = self.subject.leaf(&operand.parse().ok()?).filter(|other| other.kind != Kind::Bytes)?;
                Some(format!("quick::number(bytes, {})", self.subject.field(other)))
            });
            Some(format!("{number} {sign} {}", other?))
        };
        let each = |names: &[String], sign: &str, join: &str| {
            let parts: Option<Vec<_>> =
                names.iter().map(|name| Some(format!("{number} {sign} {}", self.words.number(name, hint).ok()?))).collect();
            Some(format!("({})", parts?.join(join)))
        };
        match predicate {
            Predicate::OnlyFlags(names) => Some(format!("{bits} & !{} == 0", mask(names)?)),
            Predicate::MustHaveFlags(names) => {
                let mask = mask(names)?;
                Some(format!("{bits} & {mask} == {mask}"))
            }
            Predicate::LacksFlags(names) => Some(format!("{bits} & {} == 0", mask(names)?)),
            Predicate::OneOf(names) => each(names, "==", " || "),
            Predicate::NoneOf(names) => each(names, "!=", " && "),
            Predicate::Equal(operand) => compared("==", operand),
            Predicate::NotEqual(operand) => compared("!=", operand),
            Predicate::AtMost(operand) => compared("<=", operand),
            Predicate::AtLeast(operand) => compared(">=", operand),
            Predicate::Below(operand) => compared("<", operand),
            Predicate::Above(operand) => compared(">", operand),
            Predicate::FdNonNegative => Some(format!("{number} >= 0")),
            Predicate::FdOrMinusOne => Some(format!("{number} >= -1")),
            _ => None,
        }
    }
}

/// Whether `rule` has a condition on `leaf`, or is about which value it has.
fn depends_on(rule: &Rule, leaf: &Leaf) -> bool {
    let on_leaf = |condition: &Condition| matches!(condition, Condition::Test(Term::Field(path), Test::In(_) | Test::NotIn(_)) if path.as_str() == leaf.path);
    let about = matches!(rule.predicate, Predicate::OneOf(_) | Predicate::NoneOf(_))
        && rule.fields.len() == 1
        && rule.fields.iter().all(|field| field.as_str() == leaf.path);
    about || rule.when.iter().any(on_leaf)
}

/// The values of `leaf` that `rule` names.
fn named_by<'r>(rule: &'r Rule, leaf: &Leaf) -> Vec<&'r str> {
    let mut names = Vec::new();
    for condition in &rule.when {
        if let Condition::Test(Term::Field(path), Test::In(values) | Test::NotIn(values)) = condition
            && path.as_str() == leaf.path
        {
            names.extend(values.iter().map(String::as_str));
        }
    }
    if let Predicate::OneOf(values) | Predicate::NoneOf(values) = &rule.predicate
        && rule.fields.iter().all(|field| field.as_str() == leaf.path)
    {
        names.extend(values.iter().map(String::as_str));
    }
    names
}

/// The demands, with those that are only about zeroes in one, and without those that are met by how the rest is asked.
fn joined(demands: Vec<String>) -> Vec<String> {
    const ZERO: (&str, &str) = ("quick::zero(bytes, [", "])");
    let inner = |demand: &str| Some(demand.strip_prefix(ZERO.0)?.strip_suffix(ZERO.1)?.to_owned());
    let mut zeroes: Vec<String> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for demand in demands.into_iter().filter(|demand| demand != "true") {
        match inner(&demand) {
            Some(fields) => zeroes.extend((!zeroes.contains(&fields)).then_some(fields)),
            None => others.extend((!others.contains(&demand)).then_some(demand)),
        }
    }
    let zero = (!zeroes.is_empty()).then(|| format!("{}{}{}", ZERO.0, zeroes.join(", "), ZERO.1));
    // Texts are followed last, after what costs a load or two.
    others.sort_by_key(|demand| {
        (demand.contains("utf16") || demand.contains("quick::text") || demand.contains("quick::rule"), demand.clone())
    });
    zero.into_iter().chain(others).collect()
}
