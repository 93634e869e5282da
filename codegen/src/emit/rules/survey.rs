//! What a specialised check asks of a property list: one walk finds which properties are there, and each rule is then a test of bits.
//!
//! In: a rule or condition about a list, or about a property in it. Out: an expression on the survey of that list, where one says it. A list
//! that cannot be read to its end, that has a property twice, or one that the table does not have, gives no survey: the check then says "look
//! closer". So a list has one only if rules of its subject refuse such lists as well.

use std::collections::{BTreeMap, BTreeSet};

use super::{Part, place::Leaf, quick::Said, row::Rows};
use crate::model::{Path, Predicate, Rule, Test};

impl Rows<'_, '_> {
    /// Whether the subject has a specialised check: every record has one, and so have commands that work on semaphores that exist, which are
    /// called as often as work is submitted, and those that make objects of external handles, by their one list.
    pub(super) fn has_quick(&self) -> bool {
        let mut lists = self.subject.leaves.iter().filter(|leaf| leaf.list.is_some());
        self.subject.is_record()
            || match lists.next() {
                None => self.subject.asks_for_semaphores(),
                Some(list) => self.subject.part() == Part::Main && self.is_surveyed(list),
            }
    }

    /// Whether the check surveys the list `leaf`: the only one, since bits are named by properties.
    fn is_surveyed(&self, leaf: &Leaf) -> bool {
        let has = |wanted: fn(&Predicate) -> bool| {
            let about = |rule: &&&Rule| rule.when.is_empty() && rule.fields.iter().any(|field| field.as_str() == leaf.path);
            self.subject.rules.iter().filter(about).any(|rule| wanted(&rule.predicate))
        };
        leaf.list.is_some()
            && self.subject.leaves.iter().filter(|other| other.list.is_some()).count() == 1
            && has(|predicate| matches!(predicate, Predicate::ListTerminated))
            && has(|predicate| matches!(predicate, Predicate::NoDuplicateProperty))
            && has(|predicate| matches!(predicate, Predicate::OnlyProperties(_)))
    }

    /// The lines that come before an expression with these `lines`: the survey of each list, and a bit for each property that they name.
    pub(super) fn surveys(&self, lines: &[String]) -> Vec<String> {
        let named: BTreeSet<&str> = lines.iter().flat_map(|line| words_of(line)).collect();
        let mut bits: BTreeMap<String, usize> = BTreeMap::new();
        let mut walks = Vec::new();
        for list in self.subject.leaves.iter().filter(|leaf| self.is_surveyed(leaf)) {
            let mut properties = Vec::new();
            for (at, (name, (key, end))) in self.subject.properties_of(list).enumerate() {
                properties.push(match end {
                    None => format!("quick::scalar(({key}) as u64)"),
                    Some(end) => format!("quick::list(({key}) as u64, ({end}) as u64)"),
                });
                bits.extend(named.contains(bit(name).as_str()).then(|| (bit(name), at)));
            }
            walks.push(format!(
                "let in_list = quick::survey(bytes, R::{}, const {{ &[{}] }});",
                list.constant,
                properties.join(", ")
            ));
            walks.push(format!("let Some({}) = in_list else {{ return false }};", survey(list)));
        }
        let bits = bits.into_iter().map(|(name, at)| format!("const {name}: u64 = 1 << {at};"));
        bits.chain(walks).collect()
    }

    /// That a predicate about a list, or about a property in one, is met.
    pub(super) fn met_in_list(&self, rule: &Rule) -> Option<Said> {
        let [path] = rule.fields.as_slice() else { return None };
        if let Some(list) = self.subject.leaf(path).filter(|leaf| self.is_surveyed(leaf)) {
            return self.met_by_list(&rule.predicate, list);
        }
        let (list, name) = self.subject.property(path).filter(|(list, _)| self.is_surveyed(list))?;
        let (survey, bit) = (survey(list), self.bit(list, name)?);
        match &rule.predicate {
            // There is no survey of a list that does not end, and the list within one is part of it.
            Predicate::ListTerminated => Some(Said::exact("true")),
            Predicate::NonNull => Some(Said::exact(format!("!{survey}.nothing_in({bit})"))),
            Predicate::AtMostValues(1) => Some(Said::exact(format!("!{survey}.many_in({bit})"))),
            // Null is not what is not there, and nobody follows a word of a list to a text.
            Predicate::Null | Predicate::Utf16NulTerminated | Predicate::NulTerminated => None,
            // What is not there breaks nothing.
            _ => Some(Said::enough(format!("{survey}.lacks({bit})"))),
        }
    }

    fn met_by_list(&self, predicate: &Predicate, list: &Leaf) -> Option<Said> {
        let survey = survey(list);
        let known = |names: &[String]| names.iter().filter_map(|name| self.bit(list, name)).collect::<Vec<_>>();
        // What the table does not have is in no list that has a survey.
        let of = |names: &[String], text: fn(&str, &str) -> String| {
            let bits = known(names).join(" | ");
            Some(Said::exact(text(&survey, if bits.is_empty() { "0" } else { &bits })))
        };
        match predicate {
            Predicate::ListTerminated | Predicate::NoDuplicateProperty => Some(Said::exact("true")),
            Predicate::NonNull => Some(Said::exact(format!("quick::non_null(bytes, [R::{}]) == 1", list.constant))),
            Predicate::OnlyProperties(names) => of(names, |survey, bits| format!("{survey}.lacks(!({bits}))")),
            Predicate::LacksProperties(names) => of(names, |survey, bits| format!("{survey}.lacks({bits})")),
            Predicate::MustHaveProperties(names) if known(names).len() == names.len() => {
                of(names, |survey, bits| format!("{survey}.has({bits})"))
            }
            Predicate::AnyProperty(names) => of(names, |survey, bits| format!("!{survey}.lacks({bits})")),
            Predicate::AtMostOneProperty(names) => of(names, |survey, bits| format!("{survey}.count({bits}) <= 1")),
            Predicate::ExactlyOneProperty(names) => of(names, |survey, bits| format!("{survey}.count({bits}) == 1")),
            _ => None,
        }
    }

    /// That a condition on a property does not hold.
    pub(super) fn excluded_in_list(&self, path: &Path, test: &Test) -> Option<Said> {
        let (list, name) = self.subject.property(path).filter(|(list, _)| self.is_surveyed(list))?;
        let (survey, bit) = (survey(list), self.bit(list, name)?);
        Some(match test {
            Test::Present => Said::exact(format!("{survey}.lacks({bit})")),
            Test::Absent => Said::exact(format!("{survey}.has({bit})")),
            // Every other test asks for the value, and fails without one.
            _ => Said::enough(format!("{survey}.lacks({bit})")),
        })
    }

    /// The bit of a property; `None` where the list's table does not have it.
    fn bit(&self, list: &Leaf, name: &str) -> Option<String> {
        self.subject.properties_of(list).any(|(known, _)| known == name).then(|| bit(name))
    }
}

/// The name of the constant for the bit of a property.
fn bit(property: &str) -> String {
    format!("BIT_OF_{property}")
}

/// The name of the survey of a list.
fn survey(list: &Leaf) -> String {
    format!("in_{}", list.path)
}

/// The names in a line of code.
fn words_of(line: &str) -> BTreeSet<&str> {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect()
}

#[cfg(test)]
mod tests {
    use crate::{emit::files, model::Model};

    /// A command that takes a list of two properties, one of them with a list of its own.
    const GARLAND: &str = r#"{"api": "cuda", "releases": ["1.0"], "constants": [],
  "enumerations": [{"name": "CUlampKey", "repr": "u64", "kind": "choice", "since": "1.0", "until": null, "enumerators": [
    {"name": "LAMP_END", "value": "0", "since": "1.0", "until": null},
    {"name": "LAMP_COLOURS", "value": "5", "since": "1.0", "until": null},
    {"name": "LAMP_WATTS", "value": "7", "since": "1.0", "until": null}]}],
  "aliases": [], "handles": [], "records": [], "callbacks": [],
  "commands": [
    {"symbol": "cuString", "name": "cuString", "error_channel": "return", "returns": "c_int", "since": "1.0", "until": null, "parameters": [
      {"name": "lamps", "type": "*const CUlampKey", "since": "1.0", "until": null},
      {"name": "length", "type": "c_uint", "since": "1.0", "until": null}]}],
  "features": [], "extensions": [], "macro_functions": [], "omitted": [],
  "rules": [
    {"id": "ended", "subject": "cuString", "fields": ["lamps"], "predicate": "list_terminated", "origin": "stated", "since": "1.0", "until": null},
    {"id": "once", "subject": "cuString", "fields": ["lamps"], "predicate": "no_duplicate_property", "origin": "stated", "since": "1.0", "until": null},
    {"id": "only", "subject": "cuString", "fields": ["lamps"], "predicate": "only_properties(LAMP_COLOURS | LAMP_WATTS)", "origin": "stated", "since": "1.0", "until": null},
    {"id": "watts", "subject": "cuString", "fields": ["lamps"], "predicate": "must_have_properties(LAMP_WATTS)", "when": ["lamps[LAMP_COLOURS] present"], "origin": "stated", "since": "1.0", "until": null},
    {"id": "some", "subject": "cuString", "fields": ["lamps[LAMP_WATTS]"], "predicate": "at_most(60)", "when": ["length above 9"], "origin": "stated", "since": "1.0", "until": null},
    {"id": "colour", "subject": "cuString", "fields": ["lamps[LAMP_COLOURS]"], "predicate": "at_most_values(1)", "origin": "stated", "since": "1.0", "until": null}],
  "handle_types": [], "error_lists": [],
  "properties": [
    {"name": "LAMP_COLOURS", "command": "cuString", "list": "lamps", "value_type": "CUcolour", "is_list": true, "terminator": "LAMP_END", "since": "1.0", "until": null},
    {"name": "LAMP_WATTS", "command": "cuString", "list": "lamps", "value_type": "int", "since": "1.0", "until": null}]}"#;

    fn rules(model: &Model) -> String {
        files(model).unwrap().into_iter().find(|file| file.name == "rules").unwrap().text
    }

    #[track_caller]
    fn has(text: &str, line: &str) {
        assert!(text.lines().any(|other| other.trim().trim_start_matches("&& ") == line), "no line `{line}` in:\n{text}");
    }

    #[test]
    fn one_walk_finds_what_is_there_and_each_rule_tests_bits() {
        let text = rules(&serde_json::from_str(GARLAND).unwrap());
        has(&text, "const BIT_OF_LAMP_COLOURS: u64 = 1 << 0;");
        has(&text, "const BIT_OF_LAMP_WATTS: u64 = 1 << 1;");
        has(
            &text,
            "let in_list = quick::survey(bytes, R::LAMPS, const { &[quick::list((CUlampKey::LAMP_COLOURS.0 as i128) as u64, \
             (CUlampKey::LAMP_END.0 as i128) as u64), quick::scalar((CUlampKey::LAMP_WATTS.0 as i128) as u64)] });",
        );
        has(&text, "let Some(in_lamps) = in_list else { return false };");
        has(&text, "in_lamps.lacks(!(BIT_OF_LAMP_COLOURS | BIT_OF_LAMP_WATTS))");
        has(&text, "(in_lamps.has(BIT_OF_LAMP_WATTS) || in_lamps.lacks(BIT_OF_LAMP_COLOURS))");
        has(&text, "!in_lamps.many_in(BIT_OF_LAMP_COLOURS)");
        // Only the table reads the value: it is asked where the property is there and the rule may apply.
        has(
            &text,
            "(in_lamps.lacks(BIT_OF_LAMP_WATTS) || quick::number(bytes, R::LENGTH) <= 9 || \
             quick::rule(&RULES_OF_cuString_arguments[4], bytes, given))",
        );
        syn::parse_file(&text).unwrap();
    }

    #[test]
    fn two_names_of_one_key_are_refused_because_no_walk_tells_them_apart() {
        let mut model: Model = serde_json::from_str(GARLAND).unwrap();
        model.enumerations[0].enumerators[2].value = "5".parse().unwrap();
        let said = files(&model).unwrap_err().to_string();
        assert!(said.contains("`LAMP_COLOURS` and `LAMP_WATTS` of `CUlampKey` have one key, 0x5"), "{said}");
    }

    #[test]
    fn a_list_in_which_a_property_may_stand_twice_has_no_survey() {
        let mut model: Model = serde_json::from_str(GARLAND).unwrap();
        model.rules.retain(|rule| rule.id != "once");
        assert!(!rules(&model).contains("survey"));
    }
}
