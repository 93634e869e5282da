//! What the macros of the headers stand for.
//!
//! In: the body of a macro, and the types, enumerators and other macros that it may name. Out: a value with its type, as a C compiler has it.
//! bindgen drops every macro with a cast, and gives `(~0u)` as -1.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    declarations::Declared,
    facts::{MacroFact, MacroMeaning},
    headers::Headers,
    surveys::Surveys,
};
use crate::{
    finding::{Finding, Findings},
    model::{CType, Value},
};

/// The release that the macro `CUDA_VERSION` names.
pub(super) fn release(macros: &[MacroFact]) -> Option<u32> {
    let version = macros.iter().find(|one| one.name == "CUDA_VERSION")?;
    let MacroMeaning::Value(_, value) = &version.meaning else { return None };
    u32::try_from(value.integer()?).ok()
}

/// Every macro of the headers: `declared`, each with whether only Windows has it. `symbols` are those that the driver exports.
pub(super) fn facts(
    headers: &Headers,
    declared: &[(&Declared, bool)],
    surveys: &Surveys,
    mut scope: Scope,
    symbols: &BTreeSet<String>,
    findings: &mut Findings,
) -> Vec<MacroFact> {
    let text = |one: &Declared| &headers.documents()[one.span.document].text()[one.span.range()];
    let undefined = undefined(headers, surveys);
    let bodies = declared.iter().map(|(one, _)| (one.subject.clone(), body(text(one), &one.subject).to_owned()));
    scope.bodies.extend(bodies);
    let mut facts: Vec<MacroFact> = Vec::new();
    for (one, windows) in declared {
        let place = headers.documents()[one.span.document].place(one.span.range());
        let name = one.subject.clone();
        let meaning = if text(one)[name.len().min(text(one).len())..].starts_with('(') {
            MacroMeaning::FunctionLike
        } else if undefined.contains(&name) {
            MacroMeaning::Undefined
        } else {
            scope.meaning(&name, symbols)
        };
        if let MacroMeaning::Mistaken(body) = &meaning {
            findings.push(
                Finding::warning(format!("the macro `{name}` names no typedef"))
                    .at(place.clone())
                    .found(body.clone())
                    .help("upstream's mistake, without consequence: versions are read from the typedefs themselves"),
            );
        }
        if let MacroMeaning::Unknown(body) = &meaning {
            findings.push(
                Finding::error(format!("the macro `{name}` is not understood"))
                    .at(place.clone())
                    .found(body.clone())
                    .wanted("a value, another name of a function, a qualifier, or nothing")
                    .help("teach it to this importer"),
            );
        }
        facts.push(MacroFact { name, meaning, windows: *windows, place });
    }
    // A header may define a macro again with the same meaning; what differs is told apart by the last definition, as in C.
    facts.sort_by(|a, b| a.name.cmp(&b.name));
    facts.dedup_by(|a, b| a.name == b.name && a.meaning == b.meaning);
    facts
}

/// What follows a macro's name in its definition.
fn body<'a>(definition: &'a str, name: &str) -> &'a str {
    definition.strip_prefix(name).unwrap_or(definition).trim()
}

/// The macros that the headers undefine again, in regions that are compiled. What follows an include guard's `#endif` counts too.
fn undefined(headers: &Headers, surveys: &Surveys) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (number, document) in headers.documents().iter().enumerate() {
        let mut at = 0;
        for line in document.text().split_inclusive('\n') {
            let skipped = |span: &super::libclang::Span| span.document == number && span.range().contains(&at);
            if let Some(rest) = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("undef "))
                && !surveys.linux.skipped.iter().any(skipped)
            {
                names.insert(rest.trim().to_owned());
            }
            at += line.len();
        }
    }
    names
}

/// What a macro may name.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Names of types.
    pub types: BTreeSet<String>,
    /// Enumerators: their enumeration and value.
    pub enumerators: BTreeMap<String, (String, i128)>,
    /// Bodies of other macros.
    pub bodies: BTreeMap<String, String>,
}

/// How deep expressions and macros may nest, so that a hostile header cannot exhaust the stack.
const DEEPEST: usize = 64;

impl Scope {
    /// The value of `body`, if it is an expression whose value is known.
    pub(super) fn evaluate(&self, body: &str) -> Option<(CType, Value)> {
        let typed = self.typed(body, 0)?;
        let value = typed.notation();
        Some((typed.ctype.unwrap_or_else(|| CType::named(plain_type(typed.number))), value))
    }

    /// What the macro `name`, which takes no parameters, is.
    fn meaning(&self, name: &str, symbols: &BTreeSet<String>) -> MacroMeaning {
        let body = self.bodies.get(name).map_or("", String::as_str);
        if body.is_empty() {
            return MacroMeaning::Empty;
        }
        if let Some((ctype, value)) = self.evaluate(body) {
            return MacroMeaning::Value(ctype, value);
        }
        // `cuA_v2`, or `__CUDA_API_PTSZ(cuA_v2)`, whose parameter is the symbol where streams are not per thread.
        let inner = body.split_once('(').map_or(body, |(_, inner)| inner.trim_end_matches(')')).trim();
        if symbols.contains(inner) {
            return MacroMeaning::Rename(inner.to_owned());
        }
        if let Some(typedef) = self.typedef(body) {
            return MacroMeaning::Rename(typedef);
        }
        let words = ["__stdcall", "__declspec", "__attribute__"];
        if words.iter().any(|word| body.starts_with(word)) {
            return MacroMeaning::Qualifier;
        }
        if name.starts_with("PFN_") {
            return MacroMeaning::Mistaken(body.to_owned());
        }
        MacroMeaning::Unknown(body.to_owned())
    }

    /// The type that a macro is another name of: `PFN_cuA_v2000`, or `__API_TYPEDEF_PTSZ(PFN_cuA, 2000, 7000)`, which makes that name.
    fn typedef(&self, body: &str) -> Option<String> {
        let name = match body.split_once('(') {
            None => body.to_owned(),
            Some((_, arguments)) => {
                let mut arguments = arguments.trim_end_matches(')').split(',').map(str::trim);
                format!("{}_v{}", arguments.next()?, arguments.next()?)
            }
        };
        self.types.contains(&name).then_some(name)
    }

    fn typed(&self, body: &str, depth: usize) -> Option<Typed> {
        let mut reader = Reader { scope: self, tokens: tokens(body)?, at: 0, depth };
        let value = reader.binary(0)?;
        (reader.at == reader.tokens.len()).then_some(value)
    }
}

/// The type of a value without a cast. A value that is not negative is unsigned: that is what parameters for flags and sizes are.
fn plain_type(number: i128) -> &'static str {
    match (number < 0, number.unsigned_abs() <= if number < 0 { 0x8000_0000 } else { 0xFFFF_FFFF }) {
        (false, true) => "c_uint",
        (false, false) => "c_ulonglong",
        (true, true) => "c_int",
        (true, false) => "c_longlong",
    }
}

/// `value` in the notation that `text` has.
pub(super) fn notated(text: &str, value: i128) -> Value {
    let tokens = tokens(text).unwrap_or_default();
    let mut inner = tokens.as_slice();
    while let [Token::Sign("("), rest @ .., Token::Sign(")")] = inner {
        inner = rest;
    }
    let written = match inner {
        [Token::Number { hex: true, .. }] => Some(Value::Hex(value)),
        [Token::Number { number: 1, .. }, Token::Sign("<<"), Token::Number { number, .. }] => {
            u8::try_from(*number).ok().filter(|bit| *bit < 64 && value == 1 << bit).map(Value::Bit)
        }
        _ => None,
    };
    written.unwrap_or(Value::Decimal(value))
}

#[derive(Clone, Debug, PartialEq)]
enum Token<'a> {
    Number { number: i128, unsigned: bool, hex: bool },
    Word(&'a str),
    Sign(&'static str),
}

const SIGNS: [&str; 11] = ["<<", ">>", "(", ")", "~", "-", "+", "*", "|", "&", "^"];

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let taken = if first.is_ascii_digit() {
            tokens.push(number(&rest[..length])?);
            length
        } else if length > 0 {
            tokens.push(Token::Word(&rest[..length]));
            length
        } else if rest.starts_with("\\\n") {
            2
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[taken..].trim_start();
    }
    Some(tokens)
}

fn number(text: &str) -> Option<Token<'_>> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let unsigned = text[digits.len()..].contains(['u', 'U']);
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let number = match hex {
        Some(hex) => u64::from_str_radix(hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    Some(Token::Number { number: i128::from(number.ok()?), unsigned, hex: hex.is_some() })
}

/// A value on the way to being known.
#[derive(Clone, Debug)]
struct Typed {
    number: i128,
    ctype: Option<CType>,
    unsigned: bool,
    hex: bool,
}

impl Typed {
    fn notation(&self) -> Value {
        if self.hex { Value::Hex(self.number) } else { Value::Decimal(self.number) }
    }
}

struct Reader<'a> {
    scope: &'a Scope,
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    /// C's binary operators, loosest first.
    fn binary(&mut self, level: usize) -> Option<Typed> {
        const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*"]];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(Token::Sign(sign)) =
            self.tokens.get(self.at).cloned().filter(|token| matches!(token, Token::Sign(sign) if signs.contains(sign)))
        {
            self.at += 1;
            let right = self.binary(level + 1)?;
            let number = match sign {
                "|" => left.number | right.number,
                "^" => left.number ^ right.number,
                "&" => left.number & right.number,
                "<<" => left.number.checked_shl(u32::try_from(right.number).ok().filter(|bits| *bits < 64)?)?,
                ">>" => left.number.checked_shr(u32::try_from(right.number).ok().filter(|bits| *bits < 64)?)?,
                "+" => left.number.checked_add(right.number)?,
                "-" => left.number.checked_sub(right.number)?,
                _ => left.number.checked_mul(right.number)?,
            };
            left = Typed { number, ctype: None, unsigned: left.unsigned || right.unsigned, hex: left.hex || right.hex };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Typed> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = match self.next()? {
            Token::Sign("-") => {
                let value = self.unary()?;
                Typed { number: -value.number, ..value }
            }
            Token::Sign("~") => {
                let value = self.unary()?;
                let number = if value.unsigned { !value.number & 0xFFFF_FFFF } else { !value.number };
                Typed { number, hex: value.unsigned, ..value }
            }
            Token::Sign("(") => self.parenthesised()?,
            Token::Number { number, unsigned, hex } => Typed { number, ctype: None, unsigned, hex },
            Token::Word(name) => self.named(name)?,
            Token::Sign(_) => return None,
        };
        self.depth -= 1;
        Some(value)
    }

    fn parenthesised(&mut self) -> Option<Typed> {
        let before = self.at;
        if let Some(ctype) = self.cast() {
            let value = self.unary()?;
            return Some(Typed { ctype: Some(ctype), ..value });
        }
        self.at = before;
        let value = self.binary(0)?;
        (self.next()? == Token::Sign(")")).then_some(value)
    }

    /// `CUstream)` or `void *)`, after the parenthesis.
    fn cast(&mut self) -> Option<CType> {
        let Token::Word(name) = self.next()? else { return None };
        let mut ctype = match name {
            "void" => CType::Void,
            "int" => CType::named("c_int"),
            "unsigned" => {
                if self.tokens.get(self.at) == Some(&Token::Word("int")) {
                    self.at += 1;
                }
                CType::named("c_uint")
            }
            name if self.scope.types.contains(name) => CType::named(name),
            _ => return None,
        };
        loop {
            match self.next()? {
                Token::Sign("*") => ctype = ctype.pointer_to_mut(),
                Token::Sign(")") => return Some(ctype),
                _ => return None,
            }
        }
    }

    fn named(&self, name: &str) -> Option<Typed> {
        if let Some((of, number)) = self.scope.enumerators.get(name) {
            return Some(Typed { number: *number, ctype: Some(CType::named(of)), unsigned: false, hex: false });
        }
        self.scope.typed(self.scope.bodies.get(name)?, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, notated};
    use crate::model::Value;

    fn evaluate(body: &str) -> Option<String> {
        let mut scope = Scope::default();
        scope.types.insert("CUstream".to_owned());
        scope.enumerators.insert("CU_A".to_owned(), ("CUa".to_owned(), 7));
        scope.bodies.insert("CU_ONE".to_owned(), "0x01".to_owned());
        scope.bodies.insert("CU_LOOP".to_owned(), "CU_LOOP".to_owned());
        scope.evaluate(body).map(|(ctype, value)| format!("{ctype} = {value}"))
    }

    #[test]
    fn casts_give_the_type() {
        assert_eq!(evaluate("((CUstream)0x2)").as_deref(), Some("CUstream = 0x2"));
        assert_eq!(evaluate("((void*)CU_ONE)").as_deref(), Some("*mut c_void = 0x1"));
        assert_eq!(evaluate("((CUstream)-1)").as_deref(), Some("CUstream = -1"));
    }

    #[test]
    fn the_complement_of_an_unsigned_number_has_32_bits() {
        assert_eq!(evaluate("(~0u)").as_deref(), Some("c_uint = 0xFFFFFFFF"));
        assert_eq!(evaluate("~0").as_deref(), Some("c_int = -1"));
    }

    #[test]
    fn an_enumerator_gives_its_enumeration() {
        assert_eq!(evaluate("CU_A").as_deref(), Some("CUa = 7"));
        assert_eq!(evaluate("CU_A + 1").as_deref(), Some("c_uint = 8"));
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(evaluate("1 | 2 + 3 * 4 << 1").as_deref(), Some("c_uint = 29"));
    }

    #[test]
    fn what_is_no_expression_has_no_value() {
        let bodies = ["", "(1", "__stdcall", "f(1)", "\"text\"", "1 2", "CU_LOOP", "1 << 99", &"(".repeat(10_000)];
        assert_eq!(bodies.map(evaluate), [const { None }; 9]);
    }

    #[test]
    fn a_macro_may_be_another_name_of_a_type() {
        let mut scope = Scope::default();
        scope.types.insert("PFN_cuA_v2000".to_owned());
        assert_eq!(scope.typedef("PFN_cuA_v2000").as_deref(), Some("PFN_cuA_v2000"));
        assert_eq!(scope.typedef("__API_TYPEDEF_PTSZ(PFN_cuA, 2000, 7000)").as_deref(), Some("PFN_cuA_v2000"));
        assert_eq!(scope.typedef("PFN_cuA_v3000"), None);
    }

    #[test]
    fn notation_follows_the_header() {
        assert_eq!(notated("0x10", 16), Value::Hex(16));
        assert_eq!(notated("1 << 4", 16), Value::Bit(4));
        assert_eq!(notated("(0x1 << 1)", 2), Value::Bit(1));
        assert_eq!(notated("(A) | (B)", 3), Value::Decimal(3));
        assert_eq!(notated("A | B", 3), Value::Decimal(3));
    }
}
