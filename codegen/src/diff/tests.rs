use super::{Change, Diff, Grade, What};
use crate::{
    finding::Document,
    model::{Api, CType, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, Lifetime, Model, Parameter},
    snapshot,
};

fn value(name: &str, value: &str) -> Enumerator {
    let lifetime = Lifetime::default();
    Enumerator { name: name.to_owned(), value: value.parse().unwrap(), alias_of: None, lifetime }
}

fn with_values(values: &[(&str, &str)]) -> Model {
    let mut model = Model::empty(Api::OpenCl);
    model.releases.push("3.0".to_owned());
    model.enumerations.push(Enumeration {
        name: "cl_a".to_owned(),
        repr: "u32".to_owned(),
        kind: EnumerationKind::Choice,
        lifetime: Lifetime::default(),
        windows: false,
        enumerators: values.iter().map(|(name, number)| value(name, number)).collect(),
    });
    model
}

fn command(symbol: &str, parameters: &[(&str, &str)]) -> Command {
    let parameter = |(name, ctype): &(&str, &str)| Parameter {
        name: (*name).to_owned(),
        ctype: ctype.parse().unwrap(),
        lifetime: Lifetime::default(),
    };
    Command {
        symbol: symbol.to_owned(),
        name: symbol.to_owned(),
        version: None,
        per_thread_symbol: None,
        per_thread_version: None,
        error_channel: ErrorChannel::Return,
        returns: CType::named("c_int"),
        group: None,
        header: None,
        lifetime: Lifetime::default(),
        windows: false,
        parameters: parameters.iter().map(parameter).collect(),
    }
}

fn with_command(parameters: &[(&str, &str)]) -> Model {
    let mut model = Model::empty(Api::Cuda);
    model.commands.push(command("cuA", parameters));
    model
}

/// Each change as `grade word name`.
fn said(old: &Model, new: &Model) -> Vec<String> {
    let line = |change: &Change| {
        let to = if let What::Renamed { to } = &change.what { format!(" to {to}") } else { String::new() };
        format!("{:?} {} {}{to}", change.grade, change.word(), change.name())
    };
    Diff::between(old, new).changes.iter().map(line).collect()
}

#[test]
fn what_is_the_same_is_no_change() {
    let model = with_values(&[("CL_A", "0x10")]);
    assert_eq!(said(&model, &model), Vec::<String>::new());
    assert_eq!(said(&model, &with_values(&[("CL_A", "16")])), Vec::<String>::new(), "the same number in another notation");
    assert_eq!(Diff::between(&model, &model).grade(), None);
}

#[test]
fn another_number_breaks_the_abi() {
    let (old, new) = (with_values(&[("CL_A", "1")]), with_values(&[("CL_A", "2")]));
    assert_eq!(said(&old, &new), ["Abi renumbered cl_a.CL_A"]);
}

#[test]
fn a_count_that_grows_only_says_that_there_are_more() {
    let (old, new) =
        (with_values(&[("CL_A", "0"), ("CL_A_MAX", "1")]), with_values(&[("CL_A", "0"), ("CL_B", "1"), ("CL_A_MAX", "2")]));
    assert_eq!(said(&old, &new), ["Adds renumbered cl_a.CL_A_MAX", "Adds added cl_a.CL_B"]);
}

#[test]
fn the_same_number_under_another_name_is_a_rename() {
    let (old, new) = (with_values(&[("CL_OLD", "1")]), with_values(&[("CL_NEW", "1")]));
    assert_eq!(said(&old, &new), ["Source renamed cl_a.CL_OLD to CL_NEW"]);
}

#[test]
fn of_two_new_names_nobody_says_which_one_it_is() {
    let (old, new) = (with_values(&[("CL_OLD", "1")]), with_values(&[("CL_X", "1"), ("CL_Y", "1")]));
    assert_eq!(said(&old, &new), ["Source removed cl_a.CL_OLD", "Adds added cl_a.CL_X", "Adds added cl_a.CL_Y"]);
}

#[test]
fn a_longer_name_with_another_number_is_a_rename_and_a_new_number() {
    let (old, new) =
        (with_values(&[("CL_DEVICE_HANDLE_LIST", "0x2051")]), with_values(&[("CL_SEMAPHORE_DEVICE_HANDLE_LIST", "0x2053")]));
    let wanted = [
        "Abi renumbered cl_a.CL_SEMAPHORE_DEVICE_HANDLE_LIST",
        "Source renamed cl_a.CL_DEVICE_HANDLE_LIST to CL_SEMAPHORE_DEVICE_HANDLE_LIST",
    ];
    assert_eq!(said(&old, &new), wanted);
}

#[test]
fn a_value_that_goes_from_a_type_to_the_constants_moves() {
    let (old, mut new) = (with_values(&[("CL_A", "1"), ("CL_B", "2")]), with_values(&[("CL_A", "1")]));
    new.constants.push(Constant {
        name: "CL_B".to_owned(),
        ctype: CType::named("u32"),
        value: "2".parse().unwrap(),
        lifetime: Lifetime::default(),
        windows: false,
    });
    assert_eq!(said(&old, &new), ["Source changed cl_a.CL_B"]);
}

#[test]
fn what_a_function_takes_is_one_change() {
    let old = with_command(&[("a", "u32"), ("b", "u64")]);
    assert_eq!(said(&old, &with_command(&[("n", "u8"), ("a", "u32"), ("b", "u64")])), ["Abi signature cuA"]);
    assert_eq!(said(&old, &with_command(&[("a", "u32"), ("c", "u64")])), ["Text changed cuA.c"], "a name is prose");
    let pointers = (with_command(&[("a", "*mut u32")]), with_command(&[("a", "*const u32")]));
    assert_eq!(said(&pointers.0, &pointers.1), ["Source signature cuA"], "a pointer is passed as before");
}

#[test]
fn what_ended_in_a_merged_model_is_not_there() {
    let (mut merged, new) = (with_values(&[("CL_A", "1"), ("CL_GONE", "2")]), with_values(&[("CL_A", "1")]));
    merged.enumerations[0].enumerators[1].lifetime.until = Some("3.0".parse().unwrap());
    assert_eq!(said(&merged, &new), Vec::<String>::new());
}

#[test]
fn the_worst_comes_first_in_every_form() {
    let (old, new) = (with_values(&[("CL_A", "1")]), with_values(&[("CL_A", "2"), ("CL_B", "3")]));
    let diff = Diff::between(&old, &new);
    assert_eq!(diff.grade(), Some(Grade::Abi));
    let markdown = diff.to_markdown();
    assert_eq!(
        markdown,
        "### OpenCL 3.0 to 3.0\n\n#### Breaks the ABI\n\n- renumbered enumerator `cl_a.CL_A`: value `1` to `2`\n\n#### Adds\n\n\
         - added enumerator `cl_a.CL_B`\n"
    );
    assert!(diff.to_text().contains("Breaks the ABI (1)\n  renumbered enumerator cl_a.CL_A: value 1 -> 2\n"), "{}", diff.to_text());
    let json = serde_json::to_value(&diff).unwrap();
    let first = &json["changes"][0];
    assert_eq!((first["grade"].as_str(), first["change"].as_str()), (Some("abi"), Some("renumbered")));
    assert_eq!((first["was"].as_str(), first["is"].as_str()), (Some("1"), Some("2")));
}

fn committed(api: Api) -> Model {
    let text = match api {
        Api::Cuda => clcu_spec::CUDA,
        Api::OpenCl => clcu_spec::OPENCL,
    };
    snapshot::read(&Document::new("snapshot", text)).expect("the committed snapshot")
}

/// Row by row: changing the owner of a handle must not pass for prose.
#[test]
fn another_owner_of_a_handle_breaks_the_abi() {
    let old = committed(Api::Cuda);
    let mut new = old.clone();
    let row = new.handle_types.iter_mut().find(|row| row.short == "OPAQUE_FD").expect("a row");
    row.owner_on_success = crate::model::Owner::Caller;
    let name = row.name.clone();
    assert_eq!(said(&old, &new), [format!("Abi ownership {name}")]);
}

#[test]
fn another_predicate_of_a_rule_breaks_source() {
    let old = committed(Api::Cuda);
    let mut new = old.clone();
    let rule = new
        .rules
        .iter_mut()
        .find(|rule| rule.id.ends_with("/BUFFER_DESC/flags-zero") || rule.id.ends_with("flags-zero"))
        .expect("a rule");
    rule.predicate = "non_zero".parse().expect("a predicate");
    let id = rule.id.clone();
    assert_eq!(said(&old, &new), [format!("Source rule {id}")]);
}
