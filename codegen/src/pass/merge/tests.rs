//! Each designed answer, by name.

use super::{continued, merge, newest, onto};
use crate::model::{
    Alias, Api, CType, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, LastRelease, Lifetime, Member,
    Model, Parameter, PerTarget, Record, RecordKind, Version,
};
use crate::pass::validate::validate;

fn release(name: &str) -> Model {
    let mut model = Model::empty(Api::Cuda);
    model.releases.push(name.to_owned());
    model
}

/// The lifetime of what a release declares.
fn of(model: &Model) -> Lifetime {
    let mut numbers = model.releases[0].split('.').map(|number| number.parse().unwrap());
    Lifetime { since: Some(Version::new(numbers.next().unwrap(), numbers.next().unwrap())), ..Lifetime::default() }
}

fn enumeration(model: &mut Model, name: &str, values: &[(&str, &str)]) {
    let lifetime = of(model);
    let enumerators = values.iter().map(|(name, value)| Enumerator {
        name: (*name).to_owned(),
        value: value.parse().unwrap(),
        alias_of: None,
        lifetime: lifetime.clone(),
    });
    model.enumerations.push(Enumeration {
        name: name.to_owned(),
        repr: "u32".to_owned(),
        kind: EnumerationKind::Choice,
        lifetime: lifetime.clone(),
        windows: false,
        enumerators: enumerators.collect(),
    });
}

fn command(model: &mut Model, symbol: &str, name: &str, version: u32, parameters: &[&str]) {
    let lifetime = Lifetime { since: Some(Version::from_cuda_number(version)), ..Lifetime::default() };
    let parameter = |ctype: &&str| Parameter { name: "a".to_owned(), ctype: ctype.parse().unwrap(), lifetime: lifetime.clone() };
    model.commands.push(Command {
        symbol: symbol.to_owned(),
        name: name.to_owned(),
        version: Some(version),
        per_thread_symbol: None,
        per_thread_version: None,
        error_channel: ErrorChannel::Return,
        returns: CType::named("c_int"),
        group: None,
        header: None,
        lifetime: lifetime.clone(),
        windows: false,
        parameters: parameters.iter().map(parameter).collect(),
    });
}

fn record(model: &mut Model, name: &str, size: u64, align: u64, members: &[(&str, &str, u64)]) {
    let lifetime = of(model);
    let member = |(name, ctype, offset): &(&str, &str, u64)| Member {
        name: (*name).to_owned(),
        ctype: ctype.parse().unwrap(),
        narrow_type: None,
        offset: PerTarget::same(*offset),
        nameless: name.ends_with("_union"),
        lifetime: lifetime.clone(),
    };
    model.records.push(Record {
        name: name.to_owned(),
        kind: if name.ends_with("_union") { RecordKind::Union } else { RecordKind::Struct },
        size: PerTarget::same(size),
        align: PerTarget::same(align),
        parent: name.strip_suffix("_id_union").map(str::to_owned),
        lifetime: lifetime.clone(),
        windows: false,
        members: members.iter().map(member).collect(),
    });
}

fn alias(model: &mut Model, name: &str, target: &str) {
    let lifetime = of(model);
    model.aliases.push(Alias { name: name.to_owned(), ctype: CType::named(target), lifetime, windows: false });
}

/// The version that `text` spells; a lifetime may lack one.
fn version(text: &str) -> Option<Version> {
    text.parse().ok()
}

/// The release that `text` spells; most lifetimes have no end.
fn last(text: &str) -> Option<LastRelease> {
    text.parse().ok()
}

fn changed(lifetime: &Lifetime) -> Vec<String> {
    lifetime.changed.iter().map(ToString::to_string).collect()
}

fn merged(releases: Vec<Model>) -> Model {
    let model = merge(releases).expect("models of one API, from old to new");
    assert_eq!(validate(&model).to_string(), "");
    model
}

#[test]
fn of_two_values_the_newest_has_the_name_and_the_older_is_known() {
    let (mut old, mut new) = (release("11.8.89"), release("12.0.146"));
    enumeration(&mut old, "CUa", &[("CU_MASK", "0x1F")]);
    enumeration(&mut new, "CUa", &[("CU_MASK", "0xFF")]);
    let model = merged(vec![old, new]);
    let leaf = &model.enumerations[0].enumerators[0];
    assert_eq!((leaf.value.to_string().as_str(), leaf.lifetime.since), ("0xFF", version("11.8")));
    assert_eq!(changed(&leaf.lifetime), ["value 0x1F until 11.8"]);
}

#[test]
fn one_name_with_two_signatures_is_two_commands() {
    let (mut old, mut new) = (release("12.9.79"), release("13.0.96"));
    command(&mut old, "cuCtxSynchronize", "cuCtxSynchronize", 2000, &[]);
    command(&mut new, "cuCtxSynchronize", "cuCtxSynchronize", 2000, &[]);
    command(&mut new, "cuCtxSynchronize_v2", "cuCtxSynchronize", 13000, &["u64"]);
    let model = merged(vec![old, new]);
    let known: Vec<_> =
        model.commands.iter().map(|one| (one.symbol.as_str(), one.name.as_str(), one.version, one.lifetime.until)).collect();
    let both = [
        ("cuCtxSynchronize", "cuCtxSynchronize", Some(2000), None),
        ("cuCtxSynchronize_v2", "cuCtxSynchronize", Some(13000), None),
    ];
    assert_eq!(known, both);
    assert_eq!(model.commands[0].lifetime.since, version("2.0"), "its version says so, whatever was read");
}

#[test]
fn a_member_that_moves_into_a_nameless_union_keeps_its_age() {
    let (mut old, mut new) = (release("13.0.96"), release("13.1.80"));
    record(&mut old, "CUlocation", 8, 4, &[("type", "c_int", 0), ("id", "c_int", 4)]);
    record(&mut new, "CUlocation", 8, 4, &[("type", "c_int", 0), ("id_union", "CUlocation_id_union", 4)]);
    record(&mut new, "CUlocation_id_union", 4, 4, &[("id", "c_int", 0), ("localized", "c_uint", 0)]);
    let model = merged(vec![old, new]);
    let of = |name: &str| model.records.iter().find(|record| record.name == name).expect("a record");
    assert_eq!(changed(&of("CUlocation").lifetime), Vec::<String>::new(), "nothing is gone");
    let since: Vec<_> =
        of("CUlocation_id_union").members.iter().map(|member| (member.name.as_str(), member.lifetime.since)).collect();
    assert_eq!(since, [("id", version("13.0")), ("localized", version("13.1"))]);
}

#[test]
fn of_two_alignments_the_newest_holds_and_the_older_is_known() {
    let (mut old, mut new) = (release("12.9.79"), release("13.0.96"));
    record(&mut old, "CUtensorMap", 128, 64, &[("opaque", "[u64; 16]", 0)]);
    record(&mut new, "CUtensorMap", 128, 128, &[("opaque", "[u64; 16]", 0)]);
    let model = merged(vec![old, new]);
    assert_eq!(model.records[0].align, PerTarget::same(128));
    assert_eq!(changed(&model.records[0].lifetime), ["alignment 64 until 12.9"]);
}

#[test]
fn a_member_that_is_gone_is_told_by_its_record() {
    let (mut old, mut new) = (release("13.0.96"), release("13.1.80"));
    record(&mut old, "CUa", 8, 4, &[("a", "c_int", 0), ("b", "c_int", 4)]);
    record(&mut new, "CUa", 4, 4, &[("a", "c_int", 0)]);
    let model = merged(vec![old, new]);
    assert_eq!(model.records[0].members.len(), 1);
    assert_eq!(changed(&model.records[0].lifetime), ["size 8 until 13.0", "member b: c_int at 4 until 13.0"]);
}

#[test]
fn what_is_gone_stays_with_the_last_release_that_has_it() {
    let (mut old, mut middle, new) = (release("11.8.89"), release("12.9.79"), release("13.0.96"));
    enumeration(&mut old, "CUa", &[("CU_A", "1")]);
    enumeration(&mut middle, "CUa", &[("CU_A", "1")]);
    command(&mut old, "cuA", "cuA", 4000, &[]);
    let model = merged(vec![old, middle, new]);
    assert_eq!(model.enumerations[0].lifetime.until, last("12.9"));
    assert_eq!(model.commands[0].lifetime.until, last("11.8"));
    assert_eq!(model.releases, ["11.8.89", "12.9.79", "13.0.96"]);
    assert!(newest(&model).commands.is_empty() && newest(&model).enumerations.is_empty());
}

#[test]
fn what_comes_back_was_never_away() {
    let (mut old, middle, mut new) = (release("12.8.90"), release("12.9.79"), release("13.0.96"));
    command(&mut old, "cuA", "cuA", 4000, &[]);
    command(&mut new, "cuA", "cuA", 4000, &[]);
    let model = merged(vec![old, middle, new]);
    assert_eq!(model.commands[0].lifetime.until, None);
}

#[test]
fn a_name_that_is_gone_is_a_further_name_of_its_value() {
    let (mut old, mut new) = (release("11.8.89"), release("12.0.146"));
    enumeration(&mut old, "CUa", &[("CU_A", "92"), ("CU_B", "7")]);
    enumeration(&mut new, "CUa", &[("CU_A_V1", "92")]);
    let model = merged(vec![old, new]);
    let names: Vec<_> =
        model.enumerations[0].enumerators.iter().map(|leaf| (leaf.name.as_str(), leaf.alias_of.as_deref())).collect();
    assert_eq!(names, [("CU_A_V1", None), ("CU_A", Some("CU_A_V1")), ("CU_B", None)]);
}

#[test]
fn a_type_that_becomes_another_kind_of_thing_is_the_newest_kind() {
    let (mut old, mut new) = (release("11.7.99"), release("11.8.89"));
    enumeration(&mut old, "CUattr", &[("CU_ATTR_A", "1")]);
    enumeration(&mut new, "CUlaunch", &[("CU_LAUNCH_A", "1")]);
    alias(&mut new, "CUattr", "CUlaunch");
    let lifetime = of(&new);
    let ctype = CType::named("CUlaunch");
    new.constants.push(Constant { name: "CU_ATTR_A".to_owned(), ctype, value: "1".parse().unwrap(), lifetime, windows: false });
    let model = merged(vec![old, new]);
    assert_eq!(model.enumerations.len(), 1);
    assert_eq!(model.aliases[0].lifetime.since, version("11.7"));
    assert_eq!(changed(&model.aliases[0].lifetime), ["kind enumeration until 11.7"]);
    assert_eq!(model.constants[0].lifetime.since, version("11.7"), "the value is as old as it was");
}

#[test]
fn a_command_that_is_gone_takes_the_type_that_its_alias_meant() {
    let (mut old, mut new) = (release("11.8.89"), release("12.0.146"));
    for model in [&mut old, &mut new] {
        record(model, "CUparams_v1", 4, 4, &[("a", "c_int", 0)]);
        command(model, "cuStays", "cuStays", 4000, &["*mut CUparams_v1"]);
    }
    alias(&mut old, "CUparams", "CUparams_v1");
    command(&mut old, "cuGet", "cuGet", 10000, &["*mut CUparams"]);
    record(&mut new, "CUparams_v2", 8, 4, &[("a", "c_int", 0), ("b", "c_int", 4)]);
    alias(&mut new, "CUparams", "CUparams_v2");
    command(&mut new, "cuGet_v2", "cuGet", 12000, &["*mut CUparams"]);
    let model = merged(vec![old, new]);
    let takes: Vec<_> = model.commands.iter().map(|one| (one.symbol.as_str(), one.parameters[0].ctype.to_string())).collect();
    let wanted = [("cuGet", "*mut CUparams_v1"), ("cuGet_v2", "*mut CUparams"), ("cuStays", "*mut CUparams_v1")];
    assert_eq!(takes, wanted.map(|(symbol, ctype)| (symbol, ctype.to_owned())));
    assert_eq!(changed(&model.aliases[0].lifetime), ["type CUparams_v1 until 11.8"]);
}

#[test]
fn opencls_registry_itself_says_since_when() {
    let model = |release: &str, since: Option<Version>, value: &str| {
        let mut model = Model::empty(Api::OpenCl);
        model.releases.push(release.to_owned());
        enumeration(&mut model, "cl_a", &[("CL_A", value)]);
        model.enumerations[0].enumerators[0].lifetime.since = since;
        model
    };
    let (old, new) = (model("3.0.16", version("1.2"), "1"), model("3.0.17", version("1.0"), "2"));
    let merged = merge(vec![old, new]).expect("two releases");
    let lifetime = &merged.enumerations[0].enumerators[0].lifetime;
    assert_eq!(lifetime.since, version("1.0"), "a later state has set it right");
    assert_eq!(changed(lifetime), ["value 1 until 3.0.16"], "the registry changes within a version");
}

/// The registry changes within a core version: only the tag says when.
#[test]
fn what_leaves_opencls_registry_ends_with_a_tag() {
    let model = |release: &str, values: &[(&str, &str)]| {
        let mut model = Model::empty(Api::OpenCl);
        model.releases.push(release.to_owned());
        enumeration(&mut model, "cl_a", values);
        model
    };
    let old = model("3.0.16", &[("CL_A", "1"), ("CL_B", "2")]);
    let merged = merge(vec![old, model("3.0.17", &[("CL_A", "1")])]).expect("two releases");
    assert_eq!(merged.enumerations[0].enumerators[1].lifetime.until, last("3.0.16"));
}

/// A number of which a later state says what it is for is the same type as before.
#[test]
fn a_type_of_the_registry_that_gets_values_has_not_changed() {
    let (mut old, mut new) = (Model::empty(Api::OpenCl), Model::empty(Api::OpenCl));
    old.releases.push("3.0.4".to_owned());
    new.releases.push("3.0.8".to_owned());
    alias(&mut old, "cl_a", "c_uint");
    enumeration(&mut new, "cl_a", &[("CL_A", "1")]);
    let merged = merge(vec![old, new]).expect("two releases");
    assert_eq!(changed(&merged.enumerations[0].lifetime), Vec::<String>::new());
    assert!(merged.aliases.is_empty());
}

#[test]
fn releases_are_merged_from_old_to_new_only() {
    assert!(continued(&release("12.0.146"), &release("11.8.89")).is_err());
    assert!(continued(&release("12.0.146"), &release("12.0.146")).is_err());
    assert!(continued(&release("12.9.79"), &release("12.10.1")).is_ok(), "by number, not by letter");
    assert!(merge(Vec::new()).is_err());
}

/// Reading the newest release alone must not lose what the snapshot knows of older ones.
#[test]
fn reading_one_release_keeps_the_history_of_the_snapshot() {
    let (mut old, mut new) = (release("11.8.89"), release("12.0.146"));
    command(&mut old, "cuGone", "cuGone", 4000, &[]);
    enumeration(&mut old, "CUa", &[("CU_A", "1")]);
    enumeration(&mut new, "CUa", &[("CU_A", "2")]);
    let snapshot = merged(vec![old, new.clone()]);
    assert_eq!(onto(&snapshot, new).expect("the same release"), snapshot);

    let mut newer = release("12.1.105");
    enumeration(&mut newer, "CUa", &[("CU_A", "3")]);
    let model = onto(&snapshot, newer).expect("a newer release");
    assert_eq!(model.commands[0].lifetime.until, last("11.8"));
    assert_eq!(changed(&model.enumerations[0].enumerators[0].lifetime), ["value 1 until 11.8", "value 2 until 12.0"]);

    let alone = onto(&snapshot, release("11.8.89")).expect("an older release");
    assert_eq!(alone.releases, ["11.8.89"], "who asks for an older release gets that one");
}

#[test]
fn what_only_the_reader_forgot_is_not_said_to_have_ended() {
    let (mut snapshot, fresh) = (release("12.0.146"), release("12.0.146"));
    command(&mut snapshot, "cuNever", "cuNever", 4000, &[]);
    assert!(onto(&snapshot, fresh).expect("the same release").commands.is_empty());
}
