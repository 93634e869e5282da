//! Constant expressions of C, evaluated as C does: with types, promotions and casts.
//!
//! In: a text such as `((cl_long) -0x7FFFFFFFFFFFFFFFLL - 1LL)`, and what its names mean. Out: the number, its type, and how it was written.

/// The type of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub(super) signed: bool,
    pub(super) bits: u8,
}

impl Integer {
    pub(super) const INT: Self = Self { signed: true, bits: 32 };

    /// The integer type that the model calls `name`, where pointers have `pointer_bits`.
    pub(super) fn called(name: &str, pointer_bits: u8) -> Option<Self> {
        let (signed, bits) = match name {
            "isize" => (true, pointer_bits),
            "usize" => (false, pointer_bits),
            "i8" | "c_char" | "c_schar" => (true, 8),
            "u8" | "c_uchar" => (false, 8),
            "i16" | "c_short" => (true, 16),
            "u16" | "c_ushort" => (false, 16),
            "i32" | "c_int" => (true, 32),
            "u32" | "c_uint" => (false, 32),
            "i64" => (true, 64),
            "u64" => (false, 64),
            _ => return None,
        };
        Some(Self { signed, bits })
    }

    /// `value` as C converts it to this type.
    pub(super) fn wrap(self, value: i128) -> i128 {
        let modulus = 1_i128 << self.bits;
        let rest = value.rem_euclid(modulus);
        if self.signed && rest >= modulus / 2 { rest - modulus } else { rest }
    }

    /// What arithmetic on it happens in.
    fn promoted(self) -> Self {
        if self.bits < 32 { Self::INT } else { self }
    }

    fn common(self, other: Self) -> Self {
        let (left, right) = (self.promoted(), other.promoted());
        match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Equal => Self { signed: left.signed && right.signed, bits: left.bits },
        }
    }
}

/// A number with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128, Integer),
    F32(f32),
    F64(f64),
}

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evaluated {
    pub(super) number: Number,
    /// The type that the expression itself names: that of a cast.
    pub(super) named: Option<String>,
    /// It is written in hexadecimal.
    pub(super) hex: bool,
}

/// What the names in an expression mean.
pub(super) trait Names {
    /// The number type that a cast to `name` gives, in the model's notation.
    fn type_called(&self, name: &str) -> Option<&'static str>;
    /// The value of the constant `name`.
    fn constant(&self, name: &str) -> Result<Evaluated, String>;
    /// How many bits a pointer has.
    fn pointer_bits(&self) -> u8;
}

/// Evaluates `text`.
pub(super) fn evaluate(text: &str, names: &dyn Names) -> Result<Evaluated, String> {
    let mut parser = Parser { rest: text.trim(), names };
    let result = parser.binary(0, 0)?;
    if parser.rest.is_empty() { Ok(result) } else { Err(parser.wanted("an operator or the end")) }
}

/// Deeper nesting is refused.
const DEEPEST: usize = 32;

/// Operators, weakest first; each group binds equally.
const OPERATORS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

struct Parser<'a> {
    rest: &'a str,
    names: &'a dyn Names,
}

impl<'a> Parser<'a> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn wanted(&self, what: &str) -> String {
        if self.rest.is_empty() { format!("found the end, wanted {what}") } else { format!("found `{}`, wanted {what}", self.rest) }
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn binary(&mut self, level: usize, depth: usize) -> Result<Evaluated, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1, depth)?;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<Evaluated, String> {
        if depth > DEEPEST {
            return Err("the expression is nested too deep".to_owned());
        }
        if self.eat("+") {
            return self.unary(depth + 1);
        }
        let negate = self.eat("-");
        if negate || self.eat("~") {
            let operand = self.unary(depth + 1)?;
            let number = match operand.number {
                Number::Integer(value, kind) => {
                    let kind = kind.promoted();
                    Number::Integer(kind.wrap(if negate { -value } else { !value }), kind)
                }
                Number::F32(value) if negate => Number::F32(-value),
                Number::F64(value) if negate => Number::F64(-value),
                Number::F32(_) | Number::F64(_) => return Err("`~` of a number that is no integer".to_owned()),
            };
            return Ok(Evaluated { number, ..operand });
        }
        if self.eat("(") {
            return self.parenthesised(depth);
        }
        self.atom()
    }

    /// `T) operand` or `expression)`, after the opening parenthesis.
    fn parenthesised(&mut self, depth: usize) -> Result<Evaluated, String> {
        let before = self.rest;
        let name = self.word();
        if let Some(primitive) = self.names.type_called(name)
            && self.eat(")")
        {
            let operand = self.unary(depth + 1)?;
            return Ok(Evaluated {
                number: cast(operand.number, primitive, self.names.pointer_bits()),
                named: Some(name.to_owned()),
                hex: operand.hex,
            });
        }
        self.rest = before;
        let inner = self.binary(0, depth + 1)?;
        if self.eat(")") { Ok(inner) } else { Err(self.wanted("`)`")) }
    }

    fn atom(&mut self) -> Result<Evaluated, String> {
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.literal();
        }
        if !self.rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.wanted("a number, a name or `(`"));
        }
        let name = self.word();
        if name == "SIZE_MAX" {
            let kind = Integer { signed: false, bits: self.names.pointer_bits() };
            return Ok(Evaluated { number: Number::Integer(kind.wrap(-1), kind), named: Some("size_t".to_owned()), hex: true });
        }
        self.names.constant(name)
    }

    fn literal(&mut self) -> Result<Evaluated, String> {
        let hex = self.rest.starts_with("0x") || self.rest.starts_with("0X");
        let mut before = '0';
        let is_part = |c: char| {
            let sign = !hex && (c == '+' || c == '-') && matches!(before, 'e' | 'E');
            before = c;
            c.is_ascii_alphanumeric() || c == '.' || sign
        };
        let end = self.rest.find(not(is_part)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let number = if hex { integer(text) } else { float(text).or_else(|| integer(text)) };
        let number = number.ok_or_else(|| format!("`{text}` is no number"))?;
        Ok(Evaluated { number, named: None, hex })
    }
}

fn not(mut test: impl FnMut(char) -> bool) -> impl FnMut(char) -> bool {
    move |c| !test(c)
}

/// A floating literal: with a dot or an exponent, and perhaps an `f`.
fn float(text: &str) -> Option<Number> {
    if !text.contains(['.', 'e', 'E']) {
        return None;
    }
    match text.strip_suffix(['f', 'F']) {
        Some(digits) => digits.parse().ok().map(Number::F32),
        None => text.parse().ok().map(Number::F64),
    }
}

/// An integer literal: the first of C's types that holds it, as its base and suffix say.
fn integer(text: &str) -> Option<Number> {
    let digits_end = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits_end.len()..].to_ascii_lowercase();
    let (radix, digits) = match digits_end.strip_prefix("0x").or_else(|| digits_end.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits_end.len() > 1 && digits_end.starts_with('0') => (8, &digits_end[1..]),
        None => (10, digits_end),
    };
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let (unsigned, long) = match suffix.as_str() {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ => return None,
    };
    let candidates = [(true, 32), (false, 32), (true, 64), (false, 64)].map(|(signed, bits)| Integer { signed, bits });
    let allowed = |kind: &&Integer| {
        (kind.bits == 64 || !long)
            && (kind.signed || unsigned || radix != 10)
            && !(kind.signed && unsigned)
            && kind.wrap(value) == value
    };
    let kind = *candidates.iter().find(allowed)?;
    Some(Number::Integer(value, kind))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // what a cast of C does
fn cast(number: Number, primitive: &str, pointer_bits: u8) -> Number {
    match (Integer::called(primitive, pointer_bits), number) {
        (Some(kind), Number::Integer(value, _)) => Number::Integer(kind.wrap(value), kind),
        (Some(kind), Number::F32(value)) => Number::Integer(kind.wrap(value as i128), kind),
        (Some(kind), Number::F64(value)) => Number::Integer(kind.wrap(value as i128), kind),
        (None, Number::Integer(value, _)) if primitive == "f32" => Number::F32(value as f32),
        (None, Number::Integer(value, _)) => Number::F64(value as f64),
        (None, Number::F64(value)) if primitive == "f32" => Number::F32(value as f32),
        (None, Number::F32(value)) if primitive == "f64" => Number::F64(f64::from(value)),
        (None, same) => same,
    }
}

fn apply(operator: &str, left: Evaluated, right: Evaluated) -> Result<Evaluated, String> {
    let number = match (left.number, right.number) {
        (Number::Integer(a, kind_a), Number::Integer(b, kind_b)) => integers(operator, (a, kind_a), (b, kind_b))?,
        (Number::F32(a), Number::F32(b)) => Number::F32(floats(operator, a, b)?),
        (Number::F64(a), Number::F64(b)) => Number::F64(floats(operator, a, b)?),
        _ => return Err(format!("`{operator}` of numbers of different kinds")),
    };
    Ok(Evaluated { number, named: left.named.or(right.named), hex: left.hex || right.hex })
}

fn floats<T>(operator: &str, a: T, b: T) -> Result<T, String>
where
    T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<Output = T> + std::ops::Div<Output = T>,
{
    match operator {
        "+" => Ok(a + b),
        "-" => Ok(a - b),
        "*" => Ok(a * b),
        "/" => Ok(a / b),
        _ => Err(format!("`{operator}` of numbers that are no integers")),
    }
}

fn integers(operator: &str, (a, kind_a): (i128, Integer), (b, kind_b): (i128, Integer)) -> Result<Number, String> {
    let shift = matches!(operator, "<<" | ">>");
    let kind = if shift { kind_a.promoted() } else { kind_a.common(kind_b) };
    let (a, b) = if shift { (a, b) } else { (kind.wrap(a), kind.wrap(b)) };
    if shift && !(0..i128::from(kind.bits)).contains(&b) {
        return Err(format!("a shift by {b} of a number of {} bits", kind.bits));
    }
    if matches!(operator, "/" | "%") && b == 0 {
        return Err("a division by zero".to_owned());
    }
    let result = match operator {
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "<<" => a << b,
        ">>" => a >> b,
        "+" => a + b,
        "-" => a - b,
        // Operands of 64 bits can reach 128 bits, where only the low ones matter.
        "*" => a.wrapping_mul(b),
        "/" => a / b,
        _ => a % b,
    };
    Ok(Number::Integer(kind.wrap(result), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing(u8);

    impl Names for Nothing {
        fn type_called(&self, name: &str) -> Option<&'static str> {
            match name {
                "cl_long" => Some("i64"),
                "cl_ulong" => Some("u64"),
                "intptr_t" => Some("isize"),
                "cl_float" => Some("f32"),
                "cl_double" => Some("f64"),
                _ => None,
            }
        }
        fn constant(&self, name: &str) -> Result<Evaluated, String> {
            if name == "CL_TRUE" { evaluate("1", self) } else { Err(format!("`{name}` is not defined")) }
        }
        fn pointer_bits(&self) -> u8 {
            self.0
        }
    }

    fn integer_of(text: &str) -> i128 {
        match evaluate(text, &Nothing(64)) {
            Ok(Evaluated { number: Number::Integer(value, _), .. }) => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn error_of(text: &str) -> String {
        evaluate(text, &Nothing(64)).expect_err("an error")
    }

    #[test]
    fn the_least_number_of_64_bits() {
        assert_eq!(integer_of("((cl_long) -0x7FFFFFFFFFFFFFFFLL - 1LL)"), i128::from(i64::MIN));
    }

    #[test]
    fn an_unsigned_cast_wraps() {
        assert_eq!(integer_of("((cl_ulong)0 - 1)"), i128::from(u64::MAX));
    }

    #[test]
    fn a_shift_into_the_sign_is_what_gcc_makes_of_it() {
        assert_eq!(integer_of("(0x55 << 24)"), 0x5500_0000);
        assert_eq!(integer_of("(0xAA << 24)"), -0x5600_0000);
    }

    #[test]
    fn operators_bind_as_in_c() {
        // 2 * 3, then 7 + 6, 1 << 13, 0x2001 & 0x2000, 1 ^ 0x2000, and 8 besides.
        assert_eq!(integer_of("8 | 1 ^ 0x2001 & 1 << 7 + 2 * 3"), 0x2009);
        assert_eq!(integer_of("~0 & 0xF0"), 0xF0);
        assert_eq!(integer_of("7 - 2 - 1"), 4);
    }

    #[test]
    fn names_and_pointer_width_are_the_callers() {
        assert_eq!(integer_of("CL_TRUE"), 1);
        assert_eq!(integer_of("SIZE_MAX"), i128::from(u64::MAX));
        let narrow = evaluate("SIZE_MAX", &Nothing(32)).expect("a number");
        assert_eq!(narrow.number, Number::Integer(i128::from(u32::MAX), Integer { signed: false, bits: 32 }));
    }

    #[test]
    fn an_overlarge_float_is_infinite() {
        assert_eq!(evaluate("((cl_float) 1e50)", &Nothing(64)).expect("a number").number, Number::F32(f32::INFINITY));
        assert_eq!(evaluate("((cl_double) 1e500)", &Nothing(64)).expect("a number").number, Number::F64(f64::INFINITY));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(0x|[0-9]|U|LL|f|e|\\.|cl_ulong|cl_float|CL_TRUE|SIZE_MAX|<<|>>|[-+~*/%|^&()]| |\\PC){0,24}") {
            let _ = evaluate(&text, &Nothing(64));
        }
    }

    #[test]
    fn literals_have_the_types_of_c() {
        let kind = |text| match evaluate(text, &Nothing(64)).expect("a number").number {
            Number::Integer(_, kind) => (kind.signed, kind.bits),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind("0x7fffffff"), (true, 32));
        assert_eq!(kind("0xffffffff"), (false, 32));
        assert_eq!(kind("4294967295"), (true, 64));
        assert_eq!(kind("1ULL"), (false, 64));
    }

    #[test]
    fn nonsense_is_an_error() {
        assert_eq!(error_of("1 +"), "found the end, wanted a number, a name or `(`");
        assert_eq!(error_of("(1"), "found the end, wanted `)`");
        assert_eq!(error_of("1 << 99"), "a shift by 99 of a number of 32 bits");
        assert_eq!(error_of("1 / 0"), "a division by zero");
        assert_eq!(error_of("0x"), "`0x` is no number");
        assert_eq!(error_of("CL_NOWHERE"), "`CL_NOWHERE` is not defined");
        assert_eq!(error_of(&"(".repeat(10_000)), "the expression is nested too deep");
    }
}
