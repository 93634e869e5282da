//! Whole sentences to rules: how forms are tied together, which atom a rule denies, and which two become one.

use super::{types, vocabulary};
use crate::{
    import::opencl::text::prose::Prose,
    model::{Condition, Lifetime, Origin, Path, Predicate, Rule, Source, Term, Test},
    rules::opencl::{
        forms::{Under, read},
        rule::{Way, drafts, except, tell_apart},
        vocabulary::Scope,
    },
};

/// The rules that keep the conditions in `texts`, all under one code, from coming true: `fields: predicate when conditions`.
fn rules(code: &str, texts: &[&str]) -> Vec<String> {
    let (vocabulary, types) = (vocabulary(), types());
    let scope = Scope::new(&vocabulary, vec!["clPolish"], &types);
    let mut ways = Vec::new();
    for text in texts {
        let (formula, _) = read(&Prose::read(text).0.tokens, &scope).unwrap_or_else(|at| panic!("`{text}` stops at word {at}"));
        ways.extend(formula.ways().into_iter().map(|atoms| Way {
            atoms,
            code: Some(code.to_owned()),
            source: Source { document: "a".into(), version: "1".into(), symbol: "clPolish".into(), hash: "0".into() },
            lifetime: Lifetime::default(),
            subject: None,
        }));
    }
    let shown = drafts(ways, &|name| scope.path(name)).into_iter().map(|draft| {
        let fields: Vec<&str> = draft.fields.iter().map(Path::as_str).collect();
        let when: Vec<String> = draft.when.iter().map(ToString::to_string).collect();
        let when = if when.is_empty() { String::new() } else { format!(" when {}", when.join(" & ")) };
        format!("{}: {}{when}", fields.join(" "), draft.predicate)
    });
    shown.collect()
}

/// Where reading stops, in words.
fn stops(text: &str) -> usize {
    let (vocabulary, types) = (vocabulary(), types());
    let scope = Scope::new(&vocabulary, vec!["clPolish"], &types);
    read(&Prose::read(text).0.tokens, &scope).expect_err("the sentence makes no sense")
}

#[test]
fn or_makes_two_rules_and_and_makes_a_condition() {
    assert_eq!(
        rules("CL_X", &["if _list_ is `NULL`, or if _count_ is zero and _other_ is not `NULL`"]),
        ["list: non_null", "other: null when count zero"]
    );
}

#[test]
fn a_comma_before_another_if_is_an_or() {
    assert_eq!(
        rules("CL_X", &["if _list_ is `NULL`, if _count_ is 0, or if _fd_ is invalid"]),
        ["list: non_null", "count: non_zero", "fd: fd_or_minus_one"]
    );
}

#[test]
fn a_comma_before_another_if_is_not_guessed_at_where_no_or_follows() {
    stops("if _list_ is `NULL`, if _count_ is 0, and if _fd_ is invalid");
    stops("if _list_ is `NULL`, if _count_ is 0");
}

#[test]
fn two_halves_become_one_rule() {
    let one = ["list count: null_iff_zero"];
    assert_eq!(rules("CL_X", &["if _list_ is `NULL` and _count_ > 0, or _list_ is not `NULL` and _count_ is 0"]), one);
    assert_eq!(rules("CL_X", &["if _count_ is not zero and _list_ is `NULL`", "if _list_ is not `NULL` and _count_ is zero"]), one);
    assert_eq!(rules("CL_X", &["if _list_ is `NULL` and _count_ > 0", "if _other_ is not `NULL` and _count_ is 0"]).len(), 2);
}

#[test]
fn both_needs_all_and_or_any() {
    assert_eq!(rules("CL_X", &["if both _list_ and _other_ are `NULL`"]), ["other: non_null when list null"]);
    assert_eq!(rules("CL_X", &["if _list_ or _other_ is `NULL`"]), ["list: non_null", "other: non_null"]);
}

#[test]
fn a_rule_is_about_the_field_that_the_code_names() {
    assert_eq!(
        rules("CL_INVALID_LIST", &["if _list_ is `NULL` and {CL_A} is set in _flags_"]),
        ["list: non_null when flags has CL_A"]
    );
    assert_eq!(rules("CL_X", &["if _list_ is `NULL` and {CL_A} is set in _flags_"]), ["flags: lacks_flags(CL_A) when list null"]);
}

#[test]
fn flags_that_are_forbidden_together_are_one_rule() {
    assert_eq!(
        rules("CL_X", &["if {CL_A} is set in _flags_ and {CL_B}, {CL_C}, or {CL_D} is set in _flags_"]),
        ["flags: lacks_flags(CL_B | CL_C | CL_D) when flags has CL_A"]
    );
}

#[test]
fn neither_and_not_set_mean_none_of_them() {
    let wanted = ["other: non_null when flags lacks CL_A | CL_B"];
    assert_eq!(rules("CL_INVALID_OTHER", &["if _other_ is `NULL` and neither {CL_A} nor {CL_B} is set in _flags_"]), wanted);
    assert_eq!(rules("CL_INVALID_OTHER", &["if _other_ is `NULL` but {CL_A} or {CL_B} are not set in _flags_"]), wanted);
}

#[test]
fn a_promise_is_the_demand_and_the_rest_is_the_condition() {
    assert_eq!(
        rules("CL_X", &["if _other_ is not a valid lens and _list_ is not `NULL`"]),
        ["other: attested(valid_object: other) when list non_null"]
    );
}

#[test]
fn flags_are_checked_against_what_the_registry_knows() {
    assert_eq!(rules("CL_X", &["if values specified in _flags_ are not valid"]), ["flags: only_flags(CL_A | CL_B)"]);
    assert_eq!(rules("CL_X", &["if _flags_ is not a valid value"]), ["flags: only_flags(CL_A | CL_B)"]);
    assert_eq!(rules("CL_X", &["if values specified in _desc_ are not valid"]), ["desc: attested(valid_values: desc)"]);
    assert_eq!(rules("CL_X", &["if _param_name_ is not one of the supported values"]), ["param_name: one_of(CL_LENS_SIZE)"]);
}

#[test]
fn a_member_is_reached_through_the_parameter_that_points_to_it() {
    assert_eq!(rules("CL_X", &["if _radius_ is zero"]), ["desc.radius: non_zero"]);
}

#[test]
fn a_parameter_that_the_command_lacks_makes_no_sense() {
    assert_eq!(stops("if _hue_ is `NULL`"), 1);
}

#[test]
fn reading_stops_where_the_sentence_leaves_the_grammar() {
    assert_eq!(stops("if _list_ is `NULL` and it rains"), 4);
}

#[test]
fn a_list_of_names_ends_where_and_ties_another_condition() {
    assert_eq!(
        rules("CL_X", &["if _other_ was created with {CL_A} and {CL_B} or {CL_C} is set in _flags_"]),
        [
            "other: attested(created_with: other | CL_A) when flags has CL_B",
            "other: attested(created_with: other | CL_A) when flags has CL_C",
        ]
    );
}

#[test]
fn a_multiple_of_zero_is_not_asked_for() {
    assert_eq!(
        rules("CL_X", &["if _size_ is not a multiple of _alignment_"]),
        ["size: multiple_of(alignment) when alignment non_zero"]
    );
}

#[test]
fn handles_in_a_list_are_one_rule_and_not_one_a_type() {
    assert_eq!(
        rules("CL_X", &["if _lens_props_ includes a supported external memory handle and _list_ is not `NULL`"]),
        ["lens_props: lacks_properties(CL_MEMORY_FD | CL_MEMORY_NT) when list non_null"]
    );
    assert_eq!(
        rules(
            "CL_X",
            &[
                "if _lens_props_ does not include a supported external memory handle and {CL_TINT} is specified as part of _lens_props_"
            ]
        ),
        ["lens_props: any_property(CL_MEMORY_FD | CL_MEMORY_NT) when lens_props[CL_TINT] present"]
    );
}

#[test]
fn what_cannot_be_imported_is_refused_type_by_type() {
    assert_eq!(
        rules(
            "CL_X",
            &[
                "if one or more devices identified by properties {CL_TINT} cannot import the requested external semaphore handle type"
            ]
        ),
        [
            "lens_props: lacks_properties(CL_SEMAPHORE_FD) when lens_props[CL_TINT] present & given.import_types lacks CL_SEMAPHORE_FD",
            "lens_props: lacks_properties(CL_SEMAPHORE_NT) when lens_props[CL_TINT] present & given.import_types lacks CL_SEMAPHORE_NT",
        ]
    );
}

#[test]
fn a_payload_is_needed_where_the_given_handle_type_needs_one() {
    assert_eq!(
        rules("CL_X", &["if any of the semaphore objects specified by _other_ requires a semaphore payload and _list_ is `NULL`"]),
        ["list: non_null when given.semaphore_handle_type in CL_SEMAPHORE_NT"]
    );
}

#[test]
fn what_only_given_facts_decide_forbids_the_call() {
    assert_eq!(
        rules("CL_X", &["if a {CL_SEMAPHORE_FD} handle was not imported when _other_ was created"]),
        [": forbidden when given.semaphore_handle_type not_in CL_SEMAPHORE_FD"]
    );
}

#[test]
fn the_heading_of_bullets_says_what_they_are() {
    let (vocabulary, types) = (vocabulary(), types());
    let scope = Scope::new(&vocabulary, vec!["clPolish"], &types);
    let under = |text: &str| read(&Prose::read(text).0.tokens, &scope).map(|(_, under)| under);
    assert_eq!(under("if _list_ is `NULL` and none of the following conditions are met:"), Ok(Under::None));
    assert_eq!(under("if _list_ is `NULL` and any of the following conditions hold:"), Ok(Under::Any));
    assert_eq!(under("if _list_ is `NULL`"), Ok(Under::Nothing));
}

fn rule(id: &str, predicate: Predicate, when: Vec<Condition>) -> Rule {
    Rule {
        id: id.to_owned(),
        subject: "clPolish".to_owned(),
        fields: vec!["list".parse().expect("a name is a path")],
        predicate,
        when,
        origin: Origin::Stated,
        source: None,
        reason: None,
        error: None,
        lifetime: Lifetime::default(),
    }
}

fn holds(path: &str, test: Test) -> Condition {
    Condition::Test(Term::Field(path.parse().expect("a name is a path")), test)
}

#[test]
fn an_exception_beside_the_general_rule_goes_into_it() {
    let with = holds("lens_props[CL_TINT]", Test::Present);
    let mut rules = [rule("a", Predicate::NonNull, Vec::new()), rule("b", Predicate::Null, vec![with])];
    except(&mut rules);
    assert_eq!(rules[0].when, [holds("lens_props[CL_TINT]", Test::Absent)]);
    assert_eq!(rules[0].origin, Origin::Derived);
    assert_eq!(rules[1].origin, Origin::Stated);
}

#[test]
fn ids_differ_by_what_the_rules_say() {
    let mut rules = [
        rule("x", Predicate::LacksFlags(vec!["CL_A_KHR".into()]), Vec::new()),
        rule("x", Predicate::LacksFlags(vec!["CL_B".into()]), vec![holds("count", Test::Zero)]),
        rule("x", Predicate::LacksFlags(vec!["CL_B".into()]), vec![holds("size", Test::Zero)]),
        rule("y", Predicate::NonNull, vec![holds("count", Test::Zero)]),
    ];
    tell_apart(&mut rules);
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["x/A", "x/B/count-zero", "x/B/size-zero", "y"]);
}
