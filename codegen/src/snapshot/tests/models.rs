//! Models of any shape, sound or not, for properties that hold of all.

use proptest::{collection::vec, option, prelude::*};

use super::rules;
use crate::model::{
    Alias, Api, CType, Callback, Change, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, Extension,
    Feature, Handle, HandleRepr, LastRelease, Lifetime, MacroFunction, Member, Model, Omitted, Parameter, PerTarget, Record,
    RecordKind, Signature, SignatureParameter, ThreadSafety, Value, Version,
};

pub(super) fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z_][a-zA-Z0-9_]{0,6}"
}

/// Quotes, backslashes, line breaks and what is not ASCII too.
pub(super) fn text() -> impl Strategy<Value = String> {
    proptest::arbitrary::any::<String>()
}

fn version() -> impl Strategy<Value = Version> {
    proptest::arbitrary::any::<(u16, u16)>().prop_map(|(major, minor)| Version::new(major, minor))
}

pub(super) fn lifetime() -> impl Strategy<Value = Lifetime> {
    let change = (name(), text(), version()).prop_map(|(aspect, was, until)| Change { aspect, was, until: until.to_string() });
    let last =
        (version(), option::of(proptest::arbitrary::any::<u16>())).prop_map(|(version, patch)| LastRelease { version, patch });
    (option::of(version()), option::of(last), option::of(version()), vec(name(), 0..3), vec(change, 0..2))
        .prop_map(|(since, until, deprecated, extensions, changed)| Lifetime { since, until, deprecated, extensions, changed })
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let hex = || {
        proptest::arbitrary::any::<(bool, u64)>()
            .prop_map(|(minus, digits)| if minus { -i128::from(digits) } else { i128::from(digits) })
    };
    prop_oneof![
        proptest::arbitrary::any::<i128>().prop_map(Value::Decimal),
        hex().prop_map(Value::Hex),
        (0u8..64).prop_map(Value::Bit),
        (hex(), hex()).prop_map(|(wide, narrow)| Value::PerPointerWidth { wide, narrow }),
        proptest::arbitrary::any::<f32>().prop_filter("NaN differs from itself", |number| !number.is_nan()).prop_map(Value::F32),
        proptest::arbitrary::any::<f64>().prop_filter("NaN differs from itself", |number| !number.is_nan()).prop_map(Value::F64),
    ]
}

fn per_target() -> impl Strategy<Value = PerTarget> {
    prop_oneof![
        proptest::arbitrary::any::<u64>().prop_map(PerTarget::same),
        proptest::arbitrary::any::<(u64, u64, u64)>().prop_map(|(wide, windows_i686, linux_i686)| PerTarget {
            wide,
            windows_i686,
            linux_i686
        })
    ]
}

fn ctype() -> impl Strategy<Value = CType> {
    let leaf = prop_oneof![Just(CType::Void), name().prop_map(|name| CType::named(&name))];
    leaf.prop_recursive(4, 12, 3, |inner| {
        let parameter =
            (prop_oneof![Just(String::new()), name()], inner.clone()).prop_map(|(name, ctype)| SignatureParameter { name, ctype });
        prop_oneof![
            inner.clone().prop_map(CType::pointer_to_const),
            inner.clone().prop_map(CType::pointer_to_mut),
            (inner.clone(), proptest::arbitrary::any::<u64>()).prop_map(|(of, length)| CType::Array { of: Box::new(of), length }),
            (vec(parameter, 0..3), inner)
                .prop_map(|(parameters, returns)| CType::Function(Box::new(Signature { parameters, returns }))),
        ]
    })
}

fn parameter() -> impl Strategy<Value = Parameter> {
    (name(), ctype(), lifetime()).prop_map(|(name, ctype, lifetime)| Parameter { name, ctype, lifetime })
}

fn constant() -> impl Strategy<Value = Constant> {
    (name(), ctype(), value(), lifetime(), proptest::bool::ANY).prop_map(|(name, ctype, value, lifetime, windows)| Constant {
        name,
        ctype,
        value,
        lifetime,
        windows,
    })
}

fn enumeration() -> impl Strategy<Value = Enumeration> {
    let kind = prop_oneof![Just(EnumerationKind::Choice), Just(EnumerationKind::Bits), Just(EnumerationKind::Status)];
    let enumerator = (name(), value(), option::of(name()), lifetime()).prop_map(|(name, value, alias_of, lifetime)| Enumerator {
        name,
        value,
        alias_of,
        lifetime,
    });
    (name(), name(), kind, lifetime(), proptest::bool::ANY, vec(enumerator, 0..4)).prop_map(
        |(name, repr, kind, lifetime, windows, enumerators)| Enumeration { name, repr, kind, lifetime, windows, enumerators },
    )
}

fn alias() -> impl Strategy<Value = Alias> {
    (name(), ctype(), lifetime(), proptest::bool::ANY).prop_map(|(name, ctype, lifetime, windows)| Alias {
        name,
        ctype,
        lifetime,
        windows,
    })
}

fn handle() -> impl Strategy<Value = Handle> {
    let repr = prop_oneof![Just(HandleRepr::Pointer), Just(HandleRepr::Address), name().prop_map(HandleRepr::Integer)];
    let threads = prop_oneof![Just(ThreadSafety::Any), Just(ThreadSafety::Send), Just(ThreadSafety::None)];
    (name(), repr, threads, lifetime(), proptest::bool::ANY).prop_map(|(name, repr, threads, lifetime, windows)| Handle {
        name,
        repr,
        threads,
        lifetime,
        windows,
    })
}

fn record() -> impl Strategy<Value = Record> {
    let kind = prop_oneof![Just(RecordKind::Struct), Just(RecordKind::Union)];
    let member = (name(), ctype(), option::of(ctype()), per_target(), proptest::bool::ANY, lifetime()).prop_map(
        |(name, ctype, narrow_type, offset, nameless, lifetime)| Member { name, ctype, narrow_type, offset, nameless, lifetime },
    );
    (name(), kind, per_target(), per_target(), option::of(name()), lifetime(), proptest::bool::ANY, vec(member, 0..4)).prop_map(
        |(name, kind, size, align, parent, lifetime, windows, members)| Record {
            name,
            kind,
            size,
            align,
            parent,
            lifetime,
            windows,
            members,
        },
    )
}

fn callback() -> impl Strategy<Value = Callback> {
    (name(), ctype(), lifetime(), vec(parameter(), 0..3)).prop_map(|(name, returns, lifetime, parameters)| Callback {
        name,
        returns,
        lifetime,
        parameters,
    })
}

fn command() -> impl Strategy<Value = Command> {
    let channel = prop_oneof![
        Just(ErrorChannel::Return),
        Just(ErrorChannel::ErrcodeRet),
        Just(ErrorChannel::PerItem),
        Just(ErrorChannel::None)
    ];
    let names = (
        name(),
        name(),
        option::of(proptest::arbitrary::any::<u32>()),
        option::of(name()),
        option::of(proptest::arbitrary::any::<u32>()),
    );
    let rest = (ctype(), option::of(text()), option::of(text()), lifetime(), proptest::bool::ANY, vec(parameter(), 0..4));
    (names, channel, rest).prop_map(
        |(
            (symbol, name, version, per_thread_symbol, per_thread_version),
            error_channel,
            (returns, group, header, lifetime, windows, parameters),
        )| {
            Command {
                symbol,
                name,
                version,
                per_thread_symbol,
                per_thread_version,
                error_channel,
                returns,
                group,
                header,
                lifetime,
                windows,
                parameters,
            }
        },
    )
}

fn extension() -> impl Strategy<Value = Extension> {
    let flags = proptest::arbitrary::any::<(bool, bool)>();
    let texts = (option::of(text()), option::of(text()), option::of(text()), option::of(text()));
    (name(), text(), flags, texts, lifetime()).prop_map(
        |(name, revision, (experimental, ratified), (depends, condition, promoted_to, obsoleted_by), lifetime)| Extension {
            name,
            revision,
            depends,
            condition,
            experimental,
            ratified,
            promoted_to,
            obsoleted_by,
            lifetime,
        },
    )
}

fn macro_function() -> impl Strategy<Value = MacroFunction> {
    (name(), vec(name(), 0..3), name(), text(), lifetime()).prop_map(|(name, parameters, repr, body, lifetime)| MacroFunction {
        name,
        parameters,
        repr,
        body,
        lifetime,
    })
}

/// Any model at all.
pub(super) fn any() -> impl Strategy<Value = Model> {
    let api = prop_oneof![Just(Api::Cuda), Just(Api::OpenCl)];
    let feature = (name(), version()).prop_map(|(name, version)| Feature { name, version });
    let omitted = (name(), text(), text()).prop_map(|(name, kind, reason)| Omitted { name, kind, reason });
    let types = (vec(enumeration(), 0..3), vec(alias(), 0..3), vec(handle(), 0..3), vec(record(), 0..3), vec(callback(), 0..3));
    let rest = (vec(feature, 0..3), vec(extension(), 0..3), vec(macro_function(), 0..3), vec(omitted, 0..3));
    let tables =
        (vec(rules::rule(), 0..3), vec(rules::handle_type(), 0..3), vec(rules::error_list(), 0..3), vec(rules::property(), 0..3));
    (api, vec(text(), 0..3), vec(constant(), 0..3), types, vec(command(), 0..3), rest, tables).prop_map(
        |(
            api,
            releases,
            constants,
            (enumerations, aliases, handles, records, callbacks),
            commands,
            (features, extensions, macro_functions, omitted),
            (rules, handle_types, error_lists, properties),
        )| {
            Model {
                api,
                releases,
                constants,
                enumerations,
                aliases,
                handles,
                records,
                callbacks,
                commands,
                features,
                extensions,
                macro_functions,
                omitted,
                rules,
                handle_types,
                error_lists,
                properties,
            }
        },
    )
}
