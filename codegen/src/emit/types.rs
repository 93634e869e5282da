//! Types and names as Rust writes them.
//!
//! In: the model's types, which are nearly Rust already, and upstream's names. Out: Rust's spelling: function pointers as
//! `Option<unsafe extern "system" fn …>`, keywords as raw identifiers.

use std::{borrow::Cow, fmt::Write as _};

use crate::{
    model::{CType, Signature, Value},
    pass::index::{Index, Resolved},
};

/// The words that Rust 2024 keeps for itself, and that a raw identifier can spell.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern",
    "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// `name` as an identifier: `type` becomes `r#type`. `self`, `super` and `crate`, which no raw identifier can spell, get a `_`.
pub(super) fn identifier(name: &str) -> Cow<'_, str> {
    if KEYWORDS.contains(&name) {
        format!("r#{name}").into()
    } else if ["self", "Self", "super", "crate"].contains(&name) {
        format!("{name}_").into()
    } else {
        name.into()
    }
}

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    format!("{text:?}")
}

/// `ctype` in Rust.
pub(super) fn rust(ctype: &CType) -> String {
    let mut text = String::new();
    write_type(&mut text, ctype);
    text
}

fn write_type(text: &mut String, ctype: &CType) {
    match ctype {
        CType::Void => text.push_str("c_void"),
        CType::Named(name) => text.push_str(&identifier(name)),
        CType::Pointer { to, constant } => {
            text.push_str(if *constant { "*const " } else { "*mut " });
            write_type(text, to);
        }
        CType::Array { of, length } => {
            text.push('[');
            write_type(text, of);
            // Writing to a `String` does not fail.
            let _ = write!(text, "; {length}]");
        }
        CType::Function(signature) => {
            text.push_str("Option<unsafe extern \"system\" ");
            write_signature(text, signature);
            text.push('>');
        }
    }
}

fn write_signature(text: &mut String, signature: &Signature) {
    text.push_str("fn(");
    for (at, parameter) in signature.parameters.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        if !parameter.name.is_empty() {
            text.push_str(&identifier(&parameter.name));
            text.push_str(": ");
        }
        write_type(text, &parameter.ctype);
    }
    text.push(')');
    if signature.returns != CType::Void {
        text.push_str(" -> ");
        write_type(text, &signature.returns);
    }
}

/// Calls `visit` with every name in `ctype`, `c_void` among them.
pub(super) fn visit_names<'a>(ctype: &'a CType, visit: &mut impl FnMut(&'a str)) {
    match ctype {
        CType::Void => visit("c_void"),
        CType::Named(name) => visit(name),
        CType::Pointer { to, .. } => visit_names(to, visit),
        CType::Array { of, .. } => visit_names(of, visit),
        CType::Function(signature) => {
            for parameter in &signature.parameters {
                visit_names(&parameter.ctype, visit);
            }
            if signature.returns != CType::Void {
                visit_names(&signature.returns, visit);
            }
        }
    }
}

/// A number as an expression of the primitive `carrier`.
pub(super) fn number(value: Value, carrier: &str) -> String {
    match value {
        Value::PerPointerWidth { .. } => {
            let text = value.to_string();
            let (wide, narrow) = text.split_once(" | ").unwrap_or((&text, &text));
            format!("if cfg!(target_pointer_width = \"64\") {{ {wide}_u64 as {carrier} }} else {{ {narrow}_u64 as {carrier} }}")
        }
        Value::F32(number) => float(f64::from(number), &value, "f32"),
        Value::F64(number) => float(number, &value, "f64"),
        Value::Decimal(_) | Value::Hex(_) | Value::Bit(_) => value.to_string(),
    }
}

fn float(number: f64, value: &Value, carrier: &str) -> String {
    if number.is_nan() {
        format!("{carrier}::NAN")
    } else if number.is_infinite() {
        format!("{carrier}::{}INFINITY", if number < 0.0 { "NEG_" } else { "" })
    } else {
        value.to_string()
    }
}

/// `value` as an expression of the type `ctype`, wrapped in its newtype if it has one.
pub(super) fn value(index: &Index<'_>, ctype: &CType, value: Value) -> String {
    match index.resolve(ctype) {
        Resolved::Enumeration(item) => format!("{}({})", identifier(&item.name), number(value, &item.repr)),
        Resolved::Handle(item) => {
            let name = identifier(&item.name);
            match index.resolve(ctype).carrier() {
                Some(carrier) => format!("{name}({})", number(value, carrier)),
                None => format!("{name}(core::ptr::without_provenance_mut({}))", number(value, "usize")),
            }
        }
        Resolved::Pointer => {
            let constant = matches!(ctype, CType::Pointer { constant: true, .. });
            format!("core::ptr::without_provenance{}({})", if constant { "" } else { "_mut" }, number(value, "usize"))
        }
        resolved => number(value, resolved.carrier().unwrap_or("u64")),
    }
}

#[cfg(test)]
mod tests {
    use super::{identifier, number, rust};
    use crate::model::{CType, Value};

    #[test]
    fn a_function_pointer_is_an_option_of_the_systems_convention() {
        let size: CType = "fn(c_int) -> usize".parse().unwrap();
        assert_eq!(rust(&size), "Option<unsafe extern \"system\" fn(c_int) -> usize>");
        let nested: CType = "*mut fn(notify: fn(*mut c_void), type: u32) -> fn()".parse().unwrap();
        assert_eq!(
            rust(&nested),
            "*mut Option<unsafe extern \"system\" fn(notify: Option<unsafe extern \"system\" fn(*mut c_void)>, r#type: u32) -> \
             Option<unsafe extern \"system\" fn()>>"
        );
    }

    #[test]
    fn keywords_are_raw_identifiers_as_syn_sees_them() {
        for name in super::KEYWORDS {
            let raw = identifier(name);
            assert!(syn::parse_str::<syn::Ident>(&raw).is_ok(), "{raw}");
        }
        for name in ["type", "fn", "mod", "in", "gen", "self", "crate"] {
            assert!(syn::parse_str::<syn::Ident>(&identifier(name)).is_ok(), "{name}");
        }
        assert_eq!(identifier("type"), "r#type");
        assert_eq!(identifier("flags"), "flags");
    }

    #[test]
    fn numbers_are_literals_of_rust() {
        assert_eq!(number(Value::Bit(5), "u32"), "1 << 5");
        assert_eq!(number(Value::F32(f32::INFINITY), "f32"), "f32::INFINITY");
        assert_eq!(number(Value::F64(-1.5), "f64"), "-1.5f64");
        assert_eq!(
            number(Value::PerPointerWidth { wide: 0x4F50_454E_434C_3331, narrow: 0x434C_3331 }, "isize"),
            "if cfg!(target_pointer_width = \"64\") { 0x4F50454E434C3331_u64 as isize } else { 0x434C3331_u64 as isize }"
        );
    }
}
