//! Rules, handle types and error lists of any shape, for the models of these tests.

use proptest::{collection::vec, option, prelude::*};

use super::models::{lifetime, name, text, value};
use crate::model::{
    Api, Basis, Counterparts, ErrorCode, ErrorList, Evidence, ExportedSize, HandleKind, HandleType, InitialState, Origin, Owner,
    Path, Payload, Permanence, Platform, Property, Rule, Source, Transference,
};

fn source() -> impl Strategy<Value = Source> {
    (name(), name(), name(), name()).prop_map(|(document, version, symbol, hash)| Source { document, version, symbol, hash })
}

fn paths() -> impl Strategy<Value = Vec<Path>> {
    let path = prop_oneof![
        name(),
        (name(), name()).prop_map(|(a, b)| format!("{a}.{b}")),
        (name(), name()).prop_map(|(a, b)| format!("{a}[{b}]")),
        name().prop_map(|name| format!("{name}[]")),
    ];
    vec(path.prop_map(|text| text.parse().expect("names with dots and brackets are a path")), 0..3)
}

pub(super) fn rule() -> impl Strategy<Value = Rule> {
    // The text forms of each predicate and condition have tests of their own.
    let predicate =
        prop_oneof![Just("non_null"), Just("only_flags(A | B)"), Just("attested(kind: a::b | c)"), Just("at_most(a.b)")];
    let condition = prop_oneof![Just("a.b in A | B"), Just("given.platform not_in A"), Just("attested(kind)"), Just("a[B] absent")];
    let origin = prop_oneof![Just(Origin::Stated), Just(Origin::Derived), Just(Origin::Ours)];
    let texts = (text(), text(), option::of(text()), option::of(text()));
    (texts, paths(), predicate, vec(condition, 0..3), origin, option::of(source()), lifetime()).prop_map(
        |((id, subject, reason, error), fields, predicate, when, origin, source, lifetime)| Rule {
            id,
            subject,
            fields,
            predicate: predicate.parse().expect("a predicate"),
            when: when.iter().map(|text| text.parse().expect("a condition")).collect(),
            origin,
            source,
            reason,
            error,
            lifetime,
        },
    )
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let basis = prop_oneof![source().prop_map(Basis::Source), text().prop_map(Basis::Reason)];
    (name(), basis).prop_map(|(column, basis)| Evidence { column, origin: Origin::Derived, basis })
}

pub(super) fn handle_type() -> impl Strategy<Value = HandleType> {
    let names = || vec(text(), 0..3);
    let size = prop_oneof![Just(ExportedSize::Int), any::<u32>().prop_map(ExportedSize::Bytes), Just(ExportedSize::Unspecified)];
    let texts = (text(), text(), option::of(text()), option::of(text()), option::of(text()), option::of(text()));
    let ways = (paths(), paths(), paths());
    let counterparts =
        (names(), names(), names(), names()).prop_map(|(vulkan, d3d, cuda, opencl)| Counterparts { vulkan, d3d, cuda, opencl });
    let rest = (names(), names(), size, counterparts, vec(evidence(), 0..3), lifetime());
    (texts, (option::of(value()), option::of(value())), ways, rest).prop_map(
        |(
            (name, short, enumeration, record, capability_query, extension),
            (value, special_value),
            (members, signal, wait),
            (required_flags, allowed_flags, exported_size, counterparts, evidence, lifetime),
        )| HandleType {
            api: Api::Cuda,
            kind: HandleKind::IpcMemory,
            name,
            short,
            enumeration,
            value,
            record,
            members,
            platform: Platform::NvSci,
            transference: Transference::Copy,
            permanence: Permanence::Temporary,
            owner_on_success: Owner::Driver,
            owner_on_failure: Owner::None,
            payload: Payload::KeyedMutex,
            signal,
            wait,
            initial_state: InitialState::Inherited,
            required_flags,
            allowed_flags,
            exported_size,
            capability_query,
            extension,
            special_value,
            counterparts,
            evidence,
            lifetime,
        },
    )
}

pub(super) fn error_list() -> impl Strategy<Value = ErrorList> {
    let code = (text(), vec(text(), 0..3), lifetime()).prop_map(|(code, rules, lifetime)| ErrorCode { code, rules, lifetime });
    (text(), option::of(vec(code, 0..3)), any::<bool>(), option::of(source()))
        .prop_map(|(symbol, codes, earlier_errors, source)| ErrorList { symbol, earlier_errors, source, codes })
}

pub(super) fn property() -> impl Strategy<Value = Property> {
    let texts = (text(), text(), text(), option::of(text()), option::of(text()));
    (texts, any::<(bool, bool)>(), option::of(source()), lifetime()).prop_map(
        |((name, command, list, value_type, terminator), (is_list, required), source, lifetime)| Property {
            name,
            command,
            list,
            value_type,
            is_list,
            terminator,
            required,
            source,
            lifetime,
        },
    )
}
