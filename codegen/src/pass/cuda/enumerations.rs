//! Enumerations: which are combined with `|`, and which values have two names.
//!
//! In: the facts of enumerations. Out: the model's, each of a kind:
//!
//! - `Status` is `CUresult`, and nothing else.
//! - `Bits` is one whose name ends in `flags`, in any case, and whose every value is 0, one bit, or a union of its bits; and one of
//!   another name that writes a value as `1 << n`, if all its values are such.
//! - Anything else is a `Choice`, unless the evidence is split: a name in `flags` with other values, or another name whose values are single
//!   bits in hexadecimal with gaps between. Then the overlay decides, and without it that is an error.

use std::collections::{BTreeMap, BTreeSet};

use super::{deprecated, lifetime};
use crate::{
    finding::{Finding, Findings},
    import::cuda::{Facts, facts::EnumerationFact},
    model::{Api, CType, Enumeration, EnumerationKind, Enumerator, Model, Value},
    overlay::{Overlay, Question},
};

/// Adds every enumeration.
pub(super) fn add(model: &mut Model, facts: &Facts, overlay: &Overlay, findings: &mut Findings) {
    let deprecated = deprecated(facts);
    for fact in &facts.enumerations {
        let Some(repr) = repr(&fact.repr) else {
            findings.push(Finding::error(format!("`{}` is carried by no integer", fact.name)).at(fact.place.clone()));
            continue;
        };
        let mut first: BTreeMap<i128, &str> = BTreeMap::new();
        let enumerators = fact.enumerators.iter().map(|value| {
            let canonical = *first.entry(value.value.integer().unwrap_or(0)).or_insert(&value.name);
            Enumerator {
                name: value.name.clone(),
                value: value.value,
                alias_of: (canonical != value.name).then(|| canonical.to_owned()),
                lifetime: lifetime(facts, deprecated.contains(&(&fact.name, Some(&value.name)))),
            }
        });
        model.enumerations.push(Enumeration {
            name: fact.name.clone(),
            repr: repr.to_owned(),
            kind: kind(fact, overlay, findings),
            lifetime: lifetime(facts, deprecated.contains(&(&fact.name, None))),
            windows: fact.windows,
            enumerators: enumerators.collect(),
        });
    }
}

/// The integer of a type, in Rust's words.
pub(super) fn repr(ctype: &CType) -> Option<&'static str> {
    let CType::Named(name) = ctype else { return None };
    Some(match name.as_str() {
        "c_int" | "i32" => "i32",
        "c_uint" | "u32" => "u32",
        "c_longlong" | "i64" => "i64",
        "c_ulonglong" | "u64" => "u64",
        _ => return None,
    })
}

fn kind(fact: &EnumerationFact, overlay: &Overlay, findings: &mut Findings) -> EnumerationKind {
    if fact.name == "CUresult" {
        return EnumerationKind::Status;
    }
    match evidence(fact) {
        Some(kind) => kind,
        None => match overlay.decide_text(Api::Cuda, Question::EnumerationKind, &fact.name) {
            Some("bits") => EnumerationKind::Bits,
            Some("choice") => EnumerationKind::Choice,
            other => {
                findings.push(
                    Finding::error(format!("it is unclear whether values of `{}` are combined", fact.name))
                        .at(fact.place.clone())
                        .found(other.map_or("no decision".to_owned(), |other| format!("the decision `{other}`")))
                        .wanted("`bits` or `choice`")
                        .help("read how upstream uses it, and settle `enumeration-kind` in the overlay"),
                );
                EnumerationKind::Choice
            }
        },
    }
}

/// What name and values tell together; `None` where they tell different things.
fn evidence(fact: &EnumerationFact) -> Option<EnumerationKind> {
    let values: BTreeSet<i128> = fact.enumerators.iter().filter_map(|value| value.value.integer()).collect();
    // As 32 bits: the top bit of a signed enumeration is one bit.
    let bits: BTreeSet<u32> = values.iter().filter_map(|value| pattern(*value)).collect();
    let single = bits.iter().filter(|bit| bit.is_power_of_two()).fold(0, |all, bit| all | bit);
    let shaped = bits.len() == values.len() && bits.iter().all(|value| value & !single == 0);
    let named = fact.name.to_ascii_lowercase().ends_with("flags");
    let names_bits = fact.enumerators.iter().any(|value| matches!(value.value, Value::Bit(_)));
    match (named, shaped) {
        (true, true) => Some(EnumerationKind::Bits),
        (true, false) => None,
        (false, true) if names_bits => Some(EnumerationKind::Bits),
        (false, _) => (!looks_like_bits(fact, &bits)).then_some(EnumerationKind::Choice),
    }
}

fn pattern(value: i128) -> Option<u32> {
    u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned))
}

/// Hexadecimal, at least three single bits with nothing between them, apart from a last value that only marks the largest.
fn looks_like_bits(fact: &EnumerationFact, bits: &BTreeSet<u32>) -> bool {
    let hex = fact.enumerators.iter().all(|value| matches!(value.value, Value::Hex(_)));
    let single = bits.iter().filter(|bit| bit.is_power_of_two()).count();
    let others = bits.iter().filter(|bit| !bit.is_power_of_two() && **bit != 0 && **bit != 0x7FFF_FFFF).count();
    hex && single >= 3 && others == 0
}

#[cfg(test)]
mod tests {
    use super::evidence;
    use crate::{
        import::cuda::facts::{EnumerationFact, EnumeratorFact},
        model::{CType, EnumerationKind, Value},
        pass::cuda::testing::place,
    };

    fn kind(name: &str, values: &[&str]) -> Option<EnumerationKind> {
        let enumerators = values.iter().enumerate().map(|(number, value)| {
            let value: Value = value.parse().unwrap();
            EnumeratorFact { name: format!("A{number}"), value, place: place() }
        });
        evidence(&EnumerationFact {
            name: name.to_owned(),
            repr: CType::named("c_uint"),
            enumerators: enumerators.collect(),
            windows: false,
            place: place(),
        })
    }

    #[test]
    fn a_name_in_flags_and_single_bits_are_bits() {
        assert_eq!(kind("CUa_flags", &["0x0", "0x1", "0x2", "0x3"]), Some(EnumerationKind::Bits));
        assert_eq!(kind("CUaFlags", &["1", "-2147483648"]), Some(EnumerationKind::Bits));
    }

    #[test]
    fn a_name_in_flags_with_other_values_is_unclear() {
        assert_eq!(kind("CUa_flags", &["0x0", "0x1", "0x3"]), None);
    }

    #[test]
    fn named_bits_are_bits_under_any_name() {
        assert_eq!(kind("CUa", &["1 << 0", "1 << 1"]), Some(EnumerationKind::Bits));
        assert_eq!(kind("CUa", &["1 << 0", "5"]), Some(EnumerationKind::Choice));
    }

    #[test]
    fn numbers_in_a_row_are_a_choice() {
        assert_eq!(kind("CUa", &["0x1", "0x2", "0x3", "0x4"]), Some(EnumerationKind::Choice));
        assert_eq!(kind("CUa", &["0", "1", "2", "4"]), Some(EnumerationKind::Choice));
    }

    #[test]
    fn hexadecimal_bits_with_gaps_are_unclear() {
        assert_eq!(kind("CUa", &["0x0", "0x1", "0x2", "0x4", "0x7FFFFFFF"]), None);
    }
}
