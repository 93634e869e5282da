//! Values by upstream's names, as expressions of Rust.
//!
//! In: the names that rules hold: enumerators, constants, decimal numbers. Out: rows of `named!`, numbers, masks and patterns; or that
//! nothing has the name.

use std::collections::BTreeMap;

use crate::{
    emit::types::identifier,
    finding::Finding,
    model::{CType, Enumeration, Model, Value},
    pass::index::{Index, Resolved},
};

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
enum Word<'a> {
    /// A value of an enumeration.
    Enumerator(&'a Enumeration, Value),
    /// A value that belongs to none; whether its type is a newtype.
    Constant(bool, Value),
}

/// The named values of an API.
pub(in crate::emit) struct Words<'a> {
    known: BTreeMap<&'a str, Vec<Word<'a>>>,
}

/// A name with what it stands for.
struct Found<'a, 'n> {
    name: &'n str,
    /// The enumeration, if it is one's.
    enumeration: Option<&'a Enumeration>,
    /// The expression of its integer.
    number: String,
    value: i128,
}

impl<'a> Words<'a> {
    /// Those of `model`.
    pub(in crate::emit) fn new(model: &'a Model, index: &Index<'a>) -> Self {
        let mut known: BTreeMap<&str, Vec<Word<'_>>> = BTreeMap::new();
        for enumeration in &model.enumerations {
            for enumerator in &enumeration.enumerators {
                known.entry(&enumerator.name).or_default().push(Word::Enumerator(enumeration, enumerator.value));
            }
        }
        for constant in model.constants.iter().filter(|constant| !constant.windows) {
            let newtype = match index.resolve(&constant.ctype) {
                Resolved::Primitive(_) => false,
                Resolved::Enumeration(_) => true,
                _ => continue,
            };
            known.entry(&constant.name).or_default().push(Word::Constant(newtype, constant.value));
        }
        Self { known }
    }

    /// What `name` is; of several enumerations that have it, `hint` if it is among them.
    fn find<'n>(&self, name: &'n str, hint: Option<&str>) -> Result<Found<'a, 'n>, Finding> {
        if let Ok(value) = name.parse::<i128>() {
            return Ok(Found { name, enumeration: None, number: name.to_owned(), value });
        }
        let words = self.known.get(name).map(Vec::as_slice).unwrap_or_default();
        let hinted = |word: &&Word<'a>| matches!(word, Word::Enumerator(item, _) if Some(item.name.as_str()) == hint);
        let word = words.iter().find(hinted).or_else(|| words.first());
        let (enumeration, number, value) = match word {
            Some(Word::Enumerator(item, value)) => {
                (Some(*item), format!("{}::{}.0 as i128", identifier(&item.name), identifier(name)), *value)
            }
            Some(Word::Constant(newtype, value)) => {
                (None, format!("{}{} as i128", identifier(name), if *newtype { ".0" } else { "" }), *value)
            }
            None => return Err(Finding::error(format!("a rule names `{name}`, which is no value of the model"))),
        };
        let value = value.integer().ok_or_else(|| Finding::error(format!("a rule names `{name}`, which is no integer")))?;
        Ok(Found { name, enumeration, number, value })
    }

    fn find_all<'n>(&self, names: &'n [String], hint: Option<&str>) -> Result<Vec<Found<'a, 'n>>, Finding> {
        names.iter().map(|name| self.find(name, hint)).collect()
    }

    /// The integer that `name` stands for.
    pub(in crate::emit) fn value(&self, name: &str, hint: Option<&str>) -> Result<i128, Finding> {
        self.find(name, hint).map(|found| found.value)
    }

    /// The enumeration that has all of `names`, if one has.
    pub(super) fn enumeration(&self, names: &[String], hint: Option<&str>) -> Option<&'a Enumeration> {
        let found = self.find_all(names, hint).ok()?;
        let first = found.first()?.enumeration?;
        found.iter().all(|other| other.enumeration.is_some_and(|item| item.name == first.name)).then_some(first)
    }

    /// `E::A.0 as i128`.
    pub(in crate::emit) fn number(&self, name: &str, hint: Option<&str>) -> Result<String, Finding> {
        self.find(name, hint).map(|found| found.number)
    }

    /// `named![E: A, B]`, or a slice that says the same where the values are of several kinds.
    pub(super) fn named(&self, names: &[String], hint: Option<&str>) -> Result<String, Finding> {
        let found = self.find_all(names, hint)?;
        let list = found.iter().map(|found| identifier(found.name)).collect::<Vec<_>>().join(", ");
        if let Some(enumeration) = self.enumeration(names, hint) {
            return Ok(format!("named![{}: {list}]", identifier(&enumeration.name)));
        }
        if found.iter().all(|found| found.name.parse::<i128>().is_ok()) {
            return Ok(format!("named![{}]", names.join(", ")));
        }
        if found.iter().all(|found| found.enumeration.is_none() && found.number == format!("{} as i128", identifier(found.name))) {
            return Ok(format!("named![{list}]"));
        }
        let rows: Vec<String> = found.iter().map(|found| format!("name({:?}, {})", label(found.name), found.number)).collect();
        Ok(format!("&[{}]", rows.join(", ")))
    }

    /// `name("A", E::A.0 as i128)`, the operand of a test.
    pub(super) fn operand(&self, written: &str, hint: Option<&str>) -> Result<String, Finding> {
        let number = self.number(written, hint)?;
        Ok(format!("name({:?}, {number})", label(written)))
    }

    /// `(E::A.0 | E::B.0) as u64`, all flags together.
    pub(super) fn mask(&self, names: &[String], hint: Option<&str>) -> Result<String, Finding> {
        if names.is_empty() {
            return Ok("0".to_owned());
        }
        let found = self.find_all(names, hint)?;
        let numbers: Vec<String> = found.iter().map(|found| format!("({} as u64)", found.number)).collect();
        Ok(if numbers.len() == 1 { numbers.concat() } else { format!("({})", numbers.join(" | ")) })
    }
}

/// The text of a value: a number has none but itself.
fn label(written: &str) -> &str {
    if written.parse::<i128>().is_ok() { "" } else { written }
}

/// Whether `ctype` is an enumeration, and which.
pub(super) fn enumeration_of<'t>(index: &Index<'t>, ctype: &'t CType) -> Option<&'t Enumeration> {
    match index.resolve(ctype) {
        Resolved::Enumeration(item) => Some(item),
        _ => None,
    }
}
