//! Names: lists found by them, and names that do not exist.

use crate::{
    finding::{Document, Strictness},
    import::opencl::text::{Coverage, Known, TextFacts, compare, import},
};

const GRIND: &str = "[open,refpage='clGrind',type='protos',alias='clGrindFine']
--
// refError

{clGrind} and {clGrindFine} return {CL_SUCCESS} if all goes well.
Otherwise, they return one of the following errors:

  * {CL_INVALID_WHEEL} if _wheel_ is not round.
  * {CL_OUT_OF_SAND} if {cl_sand_TYPE} is gone, {cl_khr_sand_EXT} or not, {CL_SAND} or {clBuySand}.
--

[open,refpage='clRecordGrind',type='protos']
--
// refError

Otherwise, it returns the errors defined by {clGrindFine} except:

{CL_INVALID_WHEEL} is replaced with:

  * {CL_INVALID_RECORD} if _record_ has no wheel.
--

[open,refpage='clHush',type='protos']
--
Says nothing.
--
";

fn facts(text: &str) -> TextFacts {
    import(&[Document::new("grind.asciidoc", text)], Strictness::Strict).expect("the text is in order").0
}

fn codes<'a>(facts: &'a TextFacts, command: &str) -> Vec<&'a str> {
    let errors = facts.errors(command).expect("the command has a list");
    errors.iter().filter_map(|effective| effective.entry.code.as_deref()).collect()
}

fn owned<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

#[test]
fn an_alias_has_the_list_of_its_page() {
    assert_eq!(codes(&facts(GRIND), "clGrindFine"), ["CL_INVALID_WHEEL", "CL_OUT_OF_SAND"]);
}

#[test]
fn an_inherited_list_comes_without_what_is_replaced() {
    assert_eq!(codes(&facts(GRIND), "clRecordGrind"), ["CL_INVALID_RECORD", "CL_OUT_OF_SAND"]);
}

#[test]
fn lists_that_take_over_each_other_end() {
    let text = GRIND.replace("if _wheel_ is not round.", "if the wheel, see below.").replace(
        "Otherwise, they return one of the following errors:",
        "Otherwise, they return the errors defined by {clRecordGrind} except:",
    );
    assert_eq!(codes(&facts(&text), "clGrind").len(), 3);
}

#[test]
fn commands_without_a_list_are_told_from_commands_without_text() {
    let coverage = facts(GRIND).coverage(["clGrindFine", "clHush", "clVendorMill"]);
    let wanted = Coverage { listed: owned(["clGrindFine"]), silent: owned(["clHush"]), absent: owned(["clVendorMill"]) };
    assert_eq!(coverage, wanted);
}

/// A registry that has everything that `GRIND` names.
fn known() -> Known {
    Known {
        commands: [
            ("clGrind".to_owned(), owned(["wheel"])),
            ("clGrindFine".to_owned(), owned(["wheel"])),
            ("clRecordGrind".to_owned(), owned(["record"])),
            ("clHush".to_owned(), Vec::new()),
            ("clBuySand".to_owned(), Vec::new()),
        ]
        .into(),
        constants: owned(["CL_INVALID_WHEEL", "CL_OUT_OF_SAND", "CL_INVALID_RECORD", "CL_SAND"]).into_iter().collect(),
        types: owned(["cl_sand"]).into_iter().collect(),
        extensions: owned(["cl_khr_sand"]).into_iter().collect(),
        ..Known::default()
    }
}

#[test]
fn nothing_is_said_where_every_name_exists() {
    assert_eq!(compare(&facts(GRIND), &known()).to_string(), "");
}

/// Removes one name from the registry, and takes what is said of it.
fn said_without(remove: impl FnOnce(&mut Known)) -> String {
    let mut known = known();
    remove(&mut known);
    compare(&facts(GRIND), &known).to_string()
}

#[test]
fn a_code_that_the_registry_lacks_is_reported() {
    let said = said_without(|known| {
        let _ = known.constants.remove("CL_INVALID_RECORD");
    });
    assert!(said.starts_with("grind.asciidoc:20:3: an error list has a code that the registry does not know"), "{said}");
    assert!(said.contains("found `CL_INVALID_RECORD`"), "{said}");
}

/// C21
#[test]
fn a_constant_that_the_registry_lacks_is_reported() {
    let said = said_without(|known| {
        let _ = known.constants.remove("CL_SAND");
    });
    assert!(said.contains("grind.asciidoc:9:75: the error list of `clGrind` names a constant"), "{said}");
}

#[test]
fn a_command_that_the_registry_lacks_is_reported() {
    let said = said_without(|known| {
        let _ = known.commands.remove("clBuySand");
    });
    assert!(said.contains("the error list of `clGrind` names a command"), "{said}");
}

#[test]
fn a_type_and_an_extension_that_the_registry_lacks_are_reported() {
    let said = said_without(|known| known.types.clear());
    assert!(said.contains("names a type") && said.contains("found `cl_sand`"), "{said}");
    let said = said_without(|known| known.extensions.clear());
    assert!(said.contains("names an extension") && said.contains("found `cl_khr_sand`"), "{said}");
}

#[test]
fn a_page_whose_command_the_registry_lacks_is_reported() {
    let said = said_without(|known| {
        let _ = known.commands.remove("clHush");
    });
    assert!(said.contains("grind.asciidoc:23:1: the registry has no command"), "{said}");
}

#[test]
fn a_parameter_that_the_command_lacks_is_reported() {
    let said = said_without(|known| {
        let _ = known.commands.insert("clRecordGrind".to_owned(), owned(["tape"]));
    });
    assert!(said.contains("grind.asciidoc:20:28: the error list of `clRecordGrind` emphasises a name"), "{said}");
    assert!(said.contains("found `record`"), "{said}");
}

#[test]
fn a_member_of_a_struct_passes_for_a_parameter() {
    let said = said_without(|known| {
        known.commands.insert("clRecordGrind".to_owned(), Vec::new());
        known.members.insert("record".to_owned());
    });
    assert_eq!(said, "");
}
