//! Each text form reads back as what was written, and says what is wrong with a text that is none.

use super::*;
use crate::model::{Basis, Evidence, ExportedSize};

/// Every predicate that has no operand, by name.
const PLAIN: [&str; 18] = [
    "exactly_one_non_null",
    "any_non_null",
    "all_or_none_null",
    "null_iff_zero",
    "non_null",
    "null",
    "zero",
    "non_zero",
    "power_of_two",
    "fd_non_negative",
    "fd_or_minus_one",
    "utf16_nul_terminated",
    "nul_terminated",
    "list_terminated",
    "no_duplicate_property",
    "no_duplicates",
    "unchanged",
    "forbidden",
];

/// Every predicate that has operands.
const WITH_OPERANDS: [&str; 20] = [
    "only_flags(A | B)",
    "must_have_flags(A)",
    "lacks_flags(A)",
    "one_of(A | 2 | -1)",
    "none_of(A)",
    "equal(1)",
    "not_equal(0)",
    "at_most(maxSize)",
    "at_least(1)",
    "below(prop.count)",
    "above(0)",
    "multiple_of(bindAlignment)",
    "only_properties(A | B)",
    "must_have_properties(A)",
    "exactly_one_property(A | B)",
    "any_property(A | B)",
    "at_most_one_property(A | B)",
    "lacks_properties(A)",
    "at_most_values(1)",
    "attested(shared_nt_handle: ID3D12Device::CreateSharedHandle | ID3D12Fence)",
];

#[test]
fn every_predicate_reads_back_as_written() {
    for text in PLAIN.iter().chain(&WITH_OPERANDS) {
        let predicate: Predicate = text.parse().unwrap();
        assert_eq!(predicate.to_string(), *text);
    }
}

#[test]
fn a_predicate_takes_operands_if_and_only_if_it_is_made_for_them() {
    for text in PLAIN {
        assert!(format!("{text}(A)").parse::<Predicate>().is_err(), "{text} with an operand");
    }
    for text in WITH_OPERANDS {
        let name = text.split('(').next().unwrap();
        assert!(name.parse::<Predicate>().is_err(), "{name} without an operand");
    }
}

#[test]
fn operands_are_numbers_or_names() {
    for text in ["one_of(A B)", "one_of()", "equal(a-b)", "at_most_values(many)", "attested(two words)", "equal(1", "nonsense"] {
        let error = text.parse::<Predicate>().unwrap_err();
        assert!(error.contains("wanted"), "{error}");
    }
}

#[test]
fn only_what_a_caller_must_vouch_for_is_not_checkable() {
    for text in PLAIN.iter().chain(&WITH_OPERANDS) {
        let predicate: Predicate = text.parse().unwrap();
        let vouched = text.starts_with("attested") || *text == "unchanged";
        assert_eq!(predicate.is_checkable(), !vouched, "{text}");
    }
}

#[test]
fn every_condition_reads_back_as_written() {
    for text in [
        "type in A | B",
        "type not_in 0",
        "flags has A",
        "given.extensions has cl_khr_semaphore",
        "given.extensions lacks cl_khr_semaphore",
        "given.context_device_count above 1",
        "numExtSems below 2",
        "handle.win32.name null",
        "handle.win32.name non_null",
        "numDependencies zero",
        "paramsArray[].params.fence.value non_zero",
        "sema_props[CL_SEMAPHORE_TYPE_KHR] present",
        "sema_props[CL_SEMAPHORE_TYPE_KHR] absent",
        "attested(attribute_unset: NvSciSyncAttrList)",
    ] {
        let condition: Condition = text.parse().unwrap();
        assert_eq!(condition.to_string(), text);
    }
}

#[test]
fn a_condition_names_a_known_fact_and_a_known_test() {
    for text in ["given.weather in A", "type", "type is A", "type in", "type null now", "ty-pe null"] {
        assert!(text.parse::<Condition>().is_err(), "{text}");
    }
}

#[test]
fn every_given_fact_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = Given::ALL.into_iter().map(Given::name).collect();
    assert_eq!(names.len(), Given::ALL.len());
    for fact in Given::ALL {
        assert_eq!(format!("given.{}", fact.name()).parse::<Term>().unwrap(), Term::Given(fact));
    }
}

#[test]
fn a_path_gives_the_names_on_its_way() {
    let path: Path = "paramsArray[].params.fence.value".parse().unwrap();
    assert_eq!(path.names().collect::<Vec<_>>(), ["paramsArray", "params", "fence", "value"]);
    let property: Path = "sema_props[CL_SEMAPHORE_TYPE_KHR]".parse().unwrap();
    assert_eq!(property.names().collect::<Vec<_>>(), ["sema_props", "CL_SEMAPHORE_TYPE_KHR"]);
    for text in ["", "a..b", "a[", "1a", "a b", "a[b"] {
        assert!(text.parse::<Path>().is_err(), "{text}");
    }
}

#[test]
fn a_rule_is_one_flat_object() {
    let json = r#"{"id":"cuda/DESC/OPAQUE_FD/fd","subject":"DESC_v1","fields":["handle.fd"],"predicate":"fd_non_negative","when":["type in OPAQUE_FD"],"origin":"stated","source":"cuda.h@13.5.37 cuImport #0123456789abcdef","since":"11.8","until":null}"#;
    let rule: Rule = serde_json::from_str(json).unwrap();
    assert_eq!(rule.source.as_ref().unwrap().symbol, "cuImport");
    assert_eq!(serde_json::to_string(&rule).unwrap(), json);
}

#[test]
fn evidence_names_a_sentence_or_a_reason() {
    for text in ["payload derived because the type's name says so", "owner_on_success stated cuda.h@13.5 cuImport #01"] {
        assert_eq!(text.parse::<Evidence>().unwrap().to_string(), text);
    }
    assert!(matches!("a ours because b".parse::<Evidence>().unwrap().basis, Basis::Reason(_)));
    assert!("payload guessed because of nothing".parse::<Evidence>().is_err());
}

#[test]
fn an_exported_size_is_a_c_type_or_a_number() {
    for text in ["int", "pointer", "u32", "64", "never", "unspecified"] {
        assert_eq!(text.parse::<ExportedSize>().unwrap().to_string(), text);
    }
    assert!("huge".parse::<ExportedSize>().is_err());
}
