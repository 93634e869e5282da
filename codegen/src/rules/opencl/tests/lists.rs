//! Lists of our own, read into rules and error tables.

use crate::{
    finding::{Document, Strictness},
    import::opencl::text::import,
    model::{ErrorList, Rule},
    rules::opencl::{Class, Reading, Release, Vocabulary, by_command, by_sentence, read},
};

const TEXT: &str = "[open,refpage='clGrind',type='protos',alias='clGrindFine']
--
// refError

{clGrind} and {clGrindFine} return {CL_SUCCESS} if all goes well.
Otherwise, they return one of the following errors:

  * {CL_INVALID_WHEEL}
    ** if _wheel_ is `NULL`
    ** if {clGrindFine} is called on _wheel_ which has been created with {CL_COARSE}
  * {CL_INVALID_SAND}
    ** if _sand_ is `NULL`. This error code is <<unified-spec, missing before>> version 1.2.
    ** if _sand_ sings
  * {CL_INVALID_VALUE} if _wheel_ is not `NULL` and none of the following conditions are met:
    ** {CL_WET} is set in _flags_
    ** _sand_ is `NULL`
--

[open,refpage='clRecordGrind',type='protos']
--
// refError

{clRecordGrind} returns {CL_SUCCESS} if all goes well.
Otherwise, it returns the errors defined by {clGrind} except:

{CL_INVALID_SAND} is replaced with:

  * {CL_INVALID_TAPE} if _tape_ is `NULL`.
--

[open,refpage='clHush',type='protos']
--
// refError

{clHush} will always return {CL_SUCCESS}.
--
";

fn vocabulary() -> Vocabulary {
    let grind = || vec![("wheel".to_owned(), "cl_wheel".to_owned()), ("flags".to_owned(), "cl_grind_flags".to_owned())];
    let with = |name: &str, ctype: &str| [grind(), vec![(name.to_owned(), ctype.to_owned())]].concat();
    Vocabulary {
        commands: [
            ("clGrind".to_owned(), grind()),
            ("clGrindFine".to_owned(), with("sand", "cl_sand")),
            ("clRecordGrind".to_owned(), with("tape", "cl_tape")),
            ("clHush".to_owned(), Vec::new()),
            ("clVendorMill".to_owned(), Vec::new()),
        ]
        .into(),
        ..Vocabulary::default()
    }
}

fn reading(text: &str) -> Reading {
    let facts = import(&[Document::new("grind.asciidoc", text)], Strictness::Strict).expect("the text is in order").0;
    read(&facts, &vocabulary(), &Release("1.0".to_owned()), Strictness::Strict).expect("nothing external is in it").0
}

fn shown<'a>(reading: &'a Reading, command: &str) -> Vec<&'a str> {
    reading.rules.iter().filter(|rule| rule.subject == command).map(|rule| rule.id.as_str()).collect()
}

fn shown_all(reading: &Reading) -> Vec<&str> {
    reading.rules.iter().map(|rule| rule.id.as_str()).collect()
}

#[test]
fn a_command_has_the_rules_of_its_own_parameters() {
    let reading = reading(TEXT);
    assert_eq!(shown(&reading, "clGrind"), ["opencl/clGrind/INVALID_WHEEL/wheel-non-null"]);
    assert_eq!(
        shown(&reading, "clGrindFine"),
        [
            "opencl/clGrindFine/INVALID_SAND/sand-non-null",
            "opencl/clGrindFine/INVALID_VALUE/sand-null",
            "opencl/clGrindFine/INVALID_WHEEL/wheel-created-with",
            "opencl/clGrindFine/INVALID_WHEEL/wheel-non-null",
        ]
    );
}

#[test]
fn none_of_the_bullets_becomes_their_contraries() {
    let reading = reading(TEXT);
    let rule = reading.rules.iter().find(|rule| rule.id == "opencl/clGrindFine/INVALID_VALUE/sand-null").expect("it is there");
    let when: Vec<String> = rule.when.iter().map(ToString::to_string).collect();
    assert_eq!(when, ["wheel non_null", "flags lacks CL_WET"]);
}

#[test]
fn a_list_that_is_taken_over_gives_rules_for_what_the_command_has() {
    assert_eq!(
        shown(&reading(TEXT), "clRecordGrind"),
        ["opencl/clRecordGrind/INVALID_TAPE/tape-non-null", "opencl/clRecordGrind/INVALID_WHEEL/wheel-non-null",]
    );
}

#[test]
fn a_code_that_came_later_says_since_when() {
    let reading = reading(TEXT);
    let rule: &Rule = reading.rules.iter().find(|rule| rule.id.ends_with("sand-non-null")).expect("it is there");
    assert_eq!(rule.lifetime.since.map(|version| version.to_string()), Some("1.2".to_owned()));
}

#[test]
fn a_condition_that_newer_devices_do_not_have_is_left_to_the_caller() {
    let text = TEXT.replace(
        "This error code is <<unified-spec, missing before>> version 1.2.",
        "This error condition does not apply when the device associated with _wheel_ supports OpenCL 2.1 or newer.",
    );
    let reading = reading(&text);
    let rule = reading.rules.iter().find(|rule| rule.id.ends_with("clGrindFine/INVALID_SAND/sand-non-null")).expect("it is there");
    assert_eq!(rule.when.iter().map(ToString::to_string).collect::<Vec<_>>(), ["attested(version_below: 2.1)"]);
}

#[test]
fn a_sentence_that_is_not_understood_takes_the_one_before_it_along() {
    let text = TEXT.replace("This error code is <<unified-spec, missing before>> version 1.2.", "This is different on Sundays.");
    let reading = reading(&text);
    let ids = shown_all(&reading);
    assert!(!ids.iter().any(|id| id.contains("INVALID_SAND/sand-non-null")), "{ids:?}");
}

#[test]
fn a_condition_on_properties_holds_of_itself_for_a_command_without_any() {
    let text =
        TEXT.replace("if _wheel_ is `NULL`\n", "if _wheel_ is `NULL` and {CL_SIEVE} is not specified as part of _grind_props_\n");
    let mut vocabulary = vocabulary();
    vocabulary
        .commands
        .entry("clGrindFine".to_owned())
        .or_default()
        .push(("grind_props".to_owned(), "cl_grind_properties".to_owned()));
    let facts = import(&[Document::new("grind.asciidoc", &text)], Strictness::Strict).expect("the text is in order").0;
    let reading = read(&facts, &vocabulary, &Release("1.0".to_owned()), Strictness::Strict).expect("nothing external is in it").0;
    let when = |command: &str| {
        let id = format!("opencl/{command}/INVALID_WHEEL/wheel-non-null");
        let rule = reading.rules.iter().find(|rule| rule.id == id).expect("both have it");
        rule.when.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(when("clGrind"), Vec::<String>::new());
    assert_eq!(when("clGrindFine"), ["grind_props[CL_SIEVE] absent"]);
}

#[test]
fn a_rule_rests_on_its_sentence() {
    let reading = reading(TEXT);
    let source = reading.rules[0].source.clone().expect("a stated rule has a source");
    assert_eq!((source.document.as_str(), source.version.as_str(), source.symbol.as_str()), ("grind.asciidoc", "1.0", "clGrind"));
    assert_eq!(source.hash.len(), 16);
}

fn list<'a>(reading: &'a Reading, command: &str) -> &'a ErrorList {
    reading.error_lists.iter().find(|list| list.symbol == command).expect("every command of the registry has an entry")
}

#[test]
fn no_list_is_not_the_empty_list() {
    let reading = reading(TEXT);
    assert_eq!(list(&reading, "clVendorMill").codes, None);
    assert_eq!(list(&reading, "clHush").codes, Some(Vec::new()));
}

#[test]
fn codes_come_once_and_with_the_rules_that_lead_to_them() {
    let reading = reading(TEXT);
    let codes = list(&reading, "clGrindFine").codes.clone().expect("it has a list");
    let names: Vec<&str> = codes.iter().map(|code| code.code.as_str()).collect();
    assert_eq!(names, ["CL_INVALID_WHEEL", "CL_INVALID_SAND", "CL_INVALID_VALUE"]);
    assert_eq!(codes[1].rules, ["opencl/clGrindFine/INVALID_SAND/sand-non-null"]);
}

#[test]
fn a_sentence_without_a_form_is_counted_outside_of_the_external_areas() {
    let reading = reading(TEXT);
    assert_eq!(by_command(&reading.coverage)["clGrindFine"], [3, 0, 1, 1]);
    let unread = by_sentence(&reading.coverage).into_values().filter(|class| *class == Class::Unread).count();
    assert_eq!(unread, 1);
}

#[test]
fn a_sentence_without_a_form_fails_the_import_of_the_external_areas() {
    let text = format!("ifdef::cl_khr_external_memory[]\n{TEXT}endif::cl_khr_external_memory[]\n");
    let facts = import(&[Document::new("grind.asciidoc", &text)], Strictness::Strict).expect("the text is in order").0;
    let release = Release("1.0".to_owned());
    let findings = read(&facts, &vocabulary(), &release, Strictness::Strict).expect_err("sand does not sing");
    let said = findings.to_string();
    assert_eq!(findings.0.len(), 1, "{said}");
    assert!(said.starts_with("grind.asciidoc:14:11: a condition for `CL_INVALID_SAND` of `clGrind` is not understood"), "{said}");
    assert!(said.contains("found `if sand sings`"), "{said}");
    let (_, softened) = read(&facts, &vocabulary(), &release, Strictness::Lenient).expect("lenient import refuses nothing");
    assert_eq!(softened.0.len(), 1);
}
