//! The text forms of the model's leaves: each reads back as what was written, and says what is wrong where it cannot be read.

use proptest::prelude::*;

use super::{Api, CType, PerTarget, Signature, SignatureParameter, Value, Version};

fn ctype() -> impl Strategy<Value = CType> {
    let name = "[a-zA-Z_][a-zA-Z0-9_]{0,12}".prop_filter("a keyword of the notation", |name| name != "fn" && name != "c_void");
    let leaf = prop_oneof![Just(CType::Void), name.clone().prop_map(CType::Named)];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let parameter = (prop_oneof![Just(String::new()), name.clone()], inner.clone())
            .prop_map(|(name, ctype)| SignatureParameter { name, ctype });
        prop_oneof![
            inner.clone().prop_map(CType::pointer_to_const),
            inner.clone().prop_map(CType::pointer_to_mut),
            (inner.clone(), any::<u64>()).prop_map(|(of, length)| CType::Array { of: Box::new(of), length }),
            (prop::collection::vec(parameter, 0..4), inner)
                .prop_map(|(parameters, returns)| CType::Function(Box::new(Signature { parameters, returns }))),
        ]
    })
}

proptest! {
    #[test]
    fn a_type_reads_back_as_it_was_written(ctype in ctype()) {
        prop_assert_eq!(ctype.to_string().parse::<CType>(), Ok(ctype));
    }

    #[test]
    fn reading_any_text_as_a_type_or_value_does_not_panic(text in "\\PC{0,40}") {
        let _ = text.parse::<CType>();
        let _ = text.parse::<Value>();
        let _ = text.parse::<PerTarget>();
        let _ = text.parse::<Version>();
    }

    #[test]
    fn an_integer_value_reads_back_as_it_was_written(number in any::<i64>(), wide in any::<u64>(), narrow in any::<u32>()) {
        let values = [
            Value::Decimal(number.into()),
            Value::Hex(number.into()),
            Value::Hex(wide.into()),
            Value::PerPointerWidth { wide: wide.into(), narrow: narrow.into() },
        ];
        for value in values {
            prop_assert_eq!(value.to_string().parse::<Value>(), Ok(value));
        }
    }

    #[test]
    fn a_finite_float_value_reads_back_to_the_same_bits(single in any::<f32>(), double in any::<f64>()) {
        prop_assume!(single.is_finite() && double.is_finite());
        prop_assert_eq!(Value::F32(single).to_string().parse::<Value>(), Ok(Value::F32(single)));
        prop_assert_eq!(Value::F64(double).to_string().parse::<Value>(), Ok(Value::F64(double)));
    }
}

#[test]
fn the_text_forms_are_those_that_a_reviewer_expects() {
    let cases = [
        (Value::Hex(0x2058), "0x2058"),
        (Value::Decimal(-30), "-30"),
        (Value::Bit(36), "1 << 36"),
        (Value::PerPointerWidth { wide: i128::from(u64::MAX), narrow: i128::from(u32::MAX) }, "0xFFFFFFFFFFFFFFFF | 0xFFFFFFFF"),
        (Value::F32(f32::INFINITY), "inff32"),
        (Value::F64(0.5), "0.5f64"),
    ];
    for (value, text) in cases {
        assert_eq!(value.to_string(), text);
        assert_eq!(text.parse(), Ok(value));
    }
    let image = PerTarget { wide: 72, windows_i686: 44, linux_i686: 44 };
    assert_eq!((image.to_string().as_str(), "72/44/44".parse()), ("72/44/44", Ok(image)));
    assert_eq!(PerTarget::same(96).to_string(), "96");
    assert_eq!(Version::from_cuda_number(13050), Version::new(13, 5));
    assert_eq!(Version::from_cuda_number(11080).to_string(), "11.8");
    assert_eq!(Api::OpenCl.name(), "opencl");
}

#[test]
fn a_bit_past_the_widest_integer_is_refused() {
    assert!("1 << 64".parse::<Value>().is_err());
}

#[test]
fn a_type_nested_beyond_reason_is_refused_instead_of_exhausting_the_stack() {
    let bomb = "*mut ".repeat(100_000) + "c_void";
    assert!(bomb.parse::<CType>().is_err());
}

#[test]
fn void_is_one_type_however_it_is_made() {
    assert_eq!(CType::named("c_void"), CType::Void);
    assert_eq!("*const c_void".parse(), Ok(CType::Void.pointer_to_const()));
}
