//! One fault a test, in a model that is sound but for it.

use super::validate;
use crate::model::{
    Alias, Api, CType, Callback, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, Handle, HandleRepr,
    Lifetime, MacroFunction, Member, Model, Parameter, PerTarget, Record, RecordKind, ThreadSafety, Value, Version,
};

fn lifetime() -> Lifetime {
    Lifetime { since: Some(Version::new(13, 5)), ..Lifetime::default() }
}

fn named(name: &str) -> CType {
    CType::named(name)
}

/// A little of everything, and nothing wrong with it.
fn sound() -> Model {
    let mut model = Model::empty(Api::Cuda);
    let value = |name: &str, value, alias_of: Option<&str>| Enumerator {
        name: name.to_owned(),
        value: Value::Decimal(value),
        alias_of: alias_of.map(str::to_owned),
        lifetime: lifetime(),
    };
    let member = |name: &str, ctype: &str, offset| Member {
        name: name.to_owned(),
        ctype: named(ctype),
        narrow_type: None,
        offset: PerTarget::same(offset),
        nameless: false,
        lifetime: lifetime(),
    };
    let parameter = |name: &str, ctype: &str| Parameter { name: name.to_owned(), ctype: named(ctype), lifetime: lifetime() };
    model.constants.push(Constant {
        name: "CU_LIMIT".to_owned(),
        ctype: named("u32"),
        value: Value::Decimal(1),
        lifetime: lifetime(),
        windows: false,
    });
    model.enumerations.push(Enumeration {
        name: "CUshade".to_owned(),
        repr: "u32".to_owned(),
        kind: EnumerationKind::Choice,
        lifetime: lifetime(),
        windows: false,
        enumerators: vec![value("CU_DARK", 1, None), value("CU_DIM", 1, Some("CU_DARK"))],
    });
    model.aliases.push(Alias { name: "CUtone".to_owned(), ctype: named("CUshade"), lifetime: lifetime(), windows: false });
    model.handles.push(Handle {
        name: "CUqueue".to_owned(),
        repr: HandleRepr::Pointer,
        threads: ThreadSafety::Any,
        lifetime: lifetime(),
        windows: false,
    });
    model.records.push(Record {
        name: "CUpair".to_owned(),
        kind: RecordKind::Struct,
        size: PerTarget::same(8),
        align: PerTarget::same(4),
        parent: None,
        lifetime: lifetime(),
        windows: false,
        members: vec![member("first", "CUtone", 0), member("second", "u32", 4)],
    });
    model.callbacks.push(Callback {
        name: "CUnotify".to_owned(),
        returns: CType::Void,
        lifetime: lifetime(),
        parameters: vec![parameter("queue", "CUqueue")],
    });
    model.commands.push(Command {
        symbol: "cuNotify".to_owned(),
        name: "cuNotify".to_owned(),
        version: None,
        per_thread_symbol: None,
        per_thread_version: None,
        error_channel: ErrorChannel::None,
        returns: CType::Void,
        group: None,
        header: None,
        lifetime: lifetime(),
        windows: false,
        parameters: vec![parameter("notify", "CUnotify")],
    });
    model.macro_functions.push(MacroFunction {
        name: "CU_TWICE".to_owned(),
        parameters: vec!["number".to_owned()],
        repr: "u32".to_owned(),
        body: "number + number".to_owned(),
        lifetime: lifetime(),
    });
    model
}

/// The one thing that is wrong after `spoil`.
fn fault(spoil: impl FnOnce(&mut Model)) -> String {
    let mut model = sound();
    spoil(&mut model);
    let findings = validate(&model);
    let [finding] = findings.0.as_slice() else { panic!("wanted one finding, got {findings}") };
    finding.to_string()
}

#[test]
fn a_sound_model_has_no_fault() {
    assert_eq!(validate(&sound()).to_string(), "");
}

#[test]
fn a_name_that_is_none_of_c_would_be_code() {
    assert_eq!(fault(|model| model.constants[0].name = "A: u32 = 1".to_owned()), "`A: u32 = 1` is no name of C");
    assert_eq!(fault(|model| model.commands[0].parameters[0].name = String::new()), "`` is no name of C");
    assert_eq!(fault(|model| model.records[0].members[1].lifetime.extensions.push("]".to_owned())), "`]` is no name of C");
}

#[test]
fn a_text_that_would_end_its_string_is_refused() {
    let message = fault(|model| model.commands[0].header = Some("cuda.h\"".to_owned()));
    assert_eq!(message, "`cuda.h\\\"` belongs into no name or path");
    let message = fault(|model| model.macro_functions[0].body = "number } fn f() {".to_owned());
    assert!(message.starts_with("the body of `CU_TWICE` is more than an expression"), "{message}");
}

#[test]
fn a_type_that_nothing_is_called_is_refused() {
    let message = fault(|model| model.records[0].members[1].ctype = named("CUnone").pointer_to_mut());
    assert_eq!(message, "the type of `second` of `CUpair` speaks of `CUnone`, which nothing is called");
    let message = fault(|model| model.commands[0].returns = named("bool"));
    assert_eq!(message, "the type of `cuNotify` speaks of `bool`, which nothing is called");
}

#[test]
fn what_exists_everywhere_cannot_speak_of_what_exists_on_windows() {
    let message = fault(|model| model.handles[0].windows = true);
    assert_eq!(message, "the type of `queue` of `CUnotify` speaks of `CUqueue`, which exists on Windows only");
}

#[test]
fn an_alias_that_leads_back_to_itself_is_refused() {
    let message = fault(|model| {
        model.records.clear();
        model.aliases[0].ctype = named("CUtone");
    });
    assert_eq!(message, "the alias `CUtone` leads back to itself");
}

#[test]
fn names_are_distinct() {
    assert_eq!(fault(|model| model.constants.push(model.constants[0].clone())), "two items are called `CU_LIMIT`");
    // A newtype is a function too.
    assert_eq!(fault(|model| model.constants[0].name = "CUqueue".to_owned()), "two items are called `CUqueue`");
    let message = fault(|model| {
        let twice = model.commands[0].parameters[0].clone();
        model.commands[0].parameters.push(twice);
    });
    assert_eq!(message, "two parameters of `cuNotify` are called `notify`");
}

#[test]
fn a_further_name_has_the_value_of_the_canonical_one() {
    let message = fault(|model| model.enumerations[0].enumerators[1].value = Value::Decimal(2));
    assert!(message.starts_with("`CU_DIM` is no other name of `CU_DARK`"), "{message}");
}

#[test]
fn a_value_fits_its_integer_on_every_target() {
    let fits = |repr: &str, value| {
        let mut model = sound();
        model.constants[0].ctype = named(repr);
        model.constants[0].value = value;
        validate(&model).0.is_empty()
    };
    assert!(fits("u32", Value::Hex(0xFFFF_FFFF)) && !fits("u32", Value::Decimal(-1)));
    assert!(fits("i32", Value::Decimal(-30)) && !fits("i32", Value::Bit(31)));
    // A pointer's width is 32 bits on the narrowest target.
    assert!(fits("usize", Value::Bit(31)) && !fits("usize", Value::Bit(32)));
    assert!(fits("usize", Value::PerPointerWidth { wide: 1 << 40, narrow: 1 }));
    assert!(!fits("usize", Value::PerPointerWidth { wide: 1, narrow: 1 << 40 }));
    assert!(fits("f32", Value::F32(0.5)) && !fits("f32", Value::Decimal(1)) && !fits("u32", Value::F32(1.0)));
    assert!(fits("CUqueue", Value::Hex(2)) && !fits("CUpair", Value::Hex(2)));
}

#[test]
fn an_integer_handle_is_any_threads() {
    let message = fault(|model| {
        model.handles[0].repr = HandleRepr::Integer("i32".to_owned());
        model.handles[0].threads = ThreadSafety::None;
    });
    assert!(message.starts_with("the handle `CUqueue` is an integer, which any thread may use"), "{message}");
}

#[test]
fn a_layout_that_rust_does_not_give_is_refused() {
    let message = fault(|model| model.records[0].members[1].offset = PerTarget::same(6));
    assert!(message.contains("`second` is at 6 but Rust places it at 4"), "{message}");
    let message = fault(|model| model.records[0].members.clear());
    assert_eq!(message, "`CUpair` has no members, so that Rust and C differ on its size");
}

#[test]
fn a_record_that_contains_itself_is_refused() {
    let message = fault(|model| {
        let record = &mut model.records[0];
        record.members.truncate(1);
        record.members[0].ctype = named("CUpair");
    });
    assert_eq!(message, "`CUpair` contains itself");
}

#[test]
fn a_value_of_void_is_refused() {
    let message = fault(|model| model.commands[0].parameters[0].ctype = CType::Void);
    assert!(message.starts_with("`notify` of `cuNotify` is `void`"), "{message}");
}

#[test]
fn an_end_before_the_beginning_is_refused() {
    let message = fault(|model| model.constants[0].lifetime.until = Some(Version::new(12, 0).into()));
    assert_eq!(message, "`CU_LIMIT` ends with 12.0, before it begins with 13.5");
}
