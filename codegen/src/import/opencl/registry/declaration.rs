//! A parser for the little C that the registry holds: parameters, members, typedefs, callbacks, macros.
//!
//! In: a text such as `const cl_event* event_wait_list` or `void (CL_CALLBACK* pfn_notify)(cl_event event, void* user_data)`. Out: a name and
//! a [`CType`] in the model's notation. What it does not understand is an error that says what was found and what was wanted.

use crate::model::{CType, Signature, SignatureParameter};

/// A declared name with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The name; empty where a callback's parameter has none.
    pub name: String,
    /// The type, or that of the elements of an array.
    pub ctype: CType,
    /// The length of an array, as an expression; `[]` is a pointer, and has none.
    pub length: Option<String>,
}

/// What `typedef …` declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typedef {
    /// Another name of a type.
    Alias {
        /// The other name.
        name: String,
        /// What it stands for.
        target: CType,
        /// `__attribute__((aligned(N)))`.
        aligned: Option<u64>,
    },
    /// `typedef struct tag *name`.
    Handle(String),
    /// `typedef struct tag name`.
    Opaque(String),
}

/// What `#define …` declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// Its name.
    pub name: String,
    /// Its parameters, if it has a list of them.
    pub parameters: Option<Vec<String>>,
    /// What it stands for, on one line.
    pub body: String,
}

/// Deeper nesting of callbacks in callbacks is refused.
const DEEPEST: usize = 8;

/// Parses a parameter or member.
pub fn declaration(text: &str) -> Result<Declaration, String> {
    let mut parser = Parser::new(text);
    let declaration = parser.declaration(0)?;
    parser.end()?;
    Ok(declaration)
}

/// Parses the members of `union { … }`.
pub fn union_members(text: &str) -> Result<Vec<Declaration>, String> {
    let mut parser = Parser::new(without_extension_marker(text)?);
    parser.want("union")?;
    parser.want("{")?;
    let mut members = Vec::new();
    while !parser.eat("}") {
        members.push(parser.declaration(0)?);
        parser.want(";")?;
    }
    parser.eat(";");
    parser.end()?;
    if members.is_empty() { Err("a union without members".to_owned()) } else { Ok(members) }
}

/// `text` after `#ifdef __GNUC__ … __extension__ … #endif`, where it begins so: older registries quiet a compiler with it.
fn without_extension_marker(text: &str) -> Result<&str, String> {
    let text = text.trim_start();
    let Some(rest) = text.strip_prefix("#ifdef __GNUC__") else { return Ok(text) };
    let (marker, rest) = rest.split_once("#endif").ok_or("found the end, wanted `#endif`")?;
    if marker.split_whitespace().next() == Some("__extension__") { Ok(rest) } else { Err("wanted `__extension__`".to_owned()) }
}

/// Parses a typedef. Whether it ended with a semicolon is the second result.
pub fn typedef(text: &str) -> Result<(Typedef, bool), String> {
    let mut parser = Parser::new(text);
    parser.want("typedef")?;
    let mut typedef = if parser.eat("struct") {
        parser.identifier("the struct's tag")?;
        let pointer = parser.eat("*");
        let name = parser.identifier("the typedef's name")?.to_owned();
        if pointer { Typedef::Handle(name) } else { Typedef::Opaque(name) }
    } else {
        let Declaration { name, ctype, length } = parser.declaration(0)?;
        if name.is_empty() || length.is_some() {
            return Err(format!("found `{}`, wanted `typedef T name`", text.trim()));
        }
        Typedef::Alias { name, target: ctype, aligned: None }
    };
    if parser.eat("__attribute__") {
        let alignment = parser.alignment()?;
        match &mut typedef {
            Typedef::Alias { aligned, .. } => *aligned = Some(alignment),
            Typedef::Handle(name) | Typedef::Opaque(name) => return Err(format!("an alignment on the handle `{name}`")),
        }
    }
    let terminated = parser.eat(";");
    parser.end()?;
    Ok((typedef, terminated))
}

/// Parses a `#define`. A list of parameters follows its name without a space, as in C.
pub fn define(text: &str) -> Result<Define, String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let rest = joined.trim().strip_prefix("#define").ok_or("wanted `#define`")?.trim_start();
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let (name, mut rest) = rest.split_at(end);
    if name.is_empty() {
        return Err("`#define` without a name".to_owned());
    }
    let mut parameters = None;
    if let Some(list) = rest.strip_prefix('(') {
        let (list, after) = list.split_once(')').ok_or("wanted `)` after the macro's parameters")?;
        let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(|name| name.is_empty() || !name.chars().all(is_word)) {
            return Err(format!("found `({list})`, wanted the names of the macro's parameters"));
        }
        parameters = Some(names);
        rest = after;
    }
    let body = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Define { name: name.to_owned(), parameters, body })
}

/// Parses `#if INTPTR_MAX == INT32_MAX`, a define, `#else`, the same define, `#endif`: the name, and what it stands for where pointers
/// have 64 bits, and 32.
pub fn define_per_pointer_width(text: &str) -> Result<(String, String, String), String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let [condition, narrow, "#else", wide, "#endif"] = lines.as_slice() else {
        return Err("wanted `#if`, `#define`, `#else`, `#define` and `#endif`, one a line".to_owned());
    };
    if condition.split_whitespace().collect::<Vec<_>>() != ["#if", "INTPTR_MAX", "==", "INT32_MAX"] {
        return Err(format!("found `{condition}`, wanted `#if INTPTR_MAX == INT32_MAX`"));
    }
    let (narrow, wide) = (define(narrow)?, define(wide)?);
    if narrow.name != wide.name || narrow.parameters.is_some() || wide.parameters.is_some() {
        return Err(format!("found `{}` and `{}`, wanted one macro, twice", narrow.name, wide.name));
    }
    Ok((wide.name, wide.body, narrow.body))
}

/// The type of C's own that `words` name, as the model spells it.
fn primitive(words: &[&str]) -> Option<&'static str> {
    Some(match words {
        ["char"] => "c_char",
        ["signed", "char"] => "c_schar",
        ["unsigned", "char"] => "c_uchar",
        ["short"] => "c_short",
        ["unsigned", "short"] => "c_ushort",
        ["int" | "signed"] | ["signed", "int"] => "c_int",
        ["unsigned"] | ["unsigned", "int"] => "c_uint",
        ["intptr_t"] => "isize",
        ["size_t" | "uintptr_t"] => "usize",
        ["float"] => "f32",
        ["double"] => "f64",
        ["int8_t"] => "i8",
        ["int16_t"] => "i16",
        ["int32_t"] => "i32",
        ["int64_t"] => "i64",
        ["uint8_t"] => "u8",
        ["uint16_t"] => "u16",
        ["uint32_t"] => "u32",
        ["uint64_t"] => "u64",
        _ => return None,
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.trim() }
    }

    /// The next word or sign, without taking it.
    fn peek(&self) -> &'a str {
        let end = match self.rest.chars().next() {
            None => 0,
            Some(first) if is_word(first) => self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()),
            Some(first) => first.len_utf8(),
        };
        &self.rest[..end]
    }

    fn advance(&mut self) -> &'a str {
        let token = self.peek();
        self.rest = self.rest[token.len()..].trim_start();
        token
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.peek() == wanted;
        if found {
            self.advance();
        }
        found
    }

    fn want(&mut self, wanted: &str) -> Result<(), String> {
        if self.eat(wanted) { Ok(()) } else { Err(format!("{}, wanted `{wanted}`", self.found())) }
    }

    fn found(&self) -> String {
        if self.rest.is_empty() { "found the end".to_owned() } else { format!("found `{}`", self.peek()) }
    }

    fn end(&self) -> Result<(), String> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("{}, wanted the end", self.found())) }
    }

    fn at_word(&self) -> bool {
        self.rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    fn identifier(&mut self, what: &str) -> Result<&'a str, String> {
        if self.at_word() { Ok(self.advance()) } else { Err(format!("{}, wanted {what}", self.found())) }
    }

    /// `((aligned(N)))`.
    fn alignment(&mut self) -> Result<u64, String> {
        for token in ["(", "(", "aligned", "("] {
            self.want(token)?;
        }
        let number = self.advance();
        let alignment = number
            .parse()
            .ok()
            .filter(|alignment: &u64| alignment.is_power_of_two() && *alignment <= 4096)
            .ok_or_else(|| format!("found the alignment `{number}`, wanted a power of two up to 4096"))?;
        for token in [")", ")", ")"] {
            self.want(token)?;
        }
        Ok(alignment)
    }

    fn declaration(&mut self, depth: usize) -> Result<Declaration, String> {
        if depth > DEEPEST {
            return Err("functions of functions of functions".to_owned());
        }
        let (base, constant) = self.base()?;
        let (ctype, constant) = self.pointers(base, constant);
        if self.eat("(") {
            return self.function(ctype, depth);
        }
        let name = if self.at_word() && self.peek() != "__attribute__" { self.advance() } else { "" };
        let mut declaration = Declaration { name: name.to_owned(), ctype, length: None };
        if self.eat("[") {
            if self.eat("]") {
                declaration.ctype = CType::Pointer { to: Box::new(declaration.ctype), constant };
            } else {
                let (length, rest) =
                    self.rest.split_once(']').ok_or_else(|| "found the end, wanted `]` after the array's length".to_owned())?;
                declaration.length = Some(length.trim().to_owned());
                self.rest = rest.trim_start();
            }
        }
        Ok(declaration)
    }

    /// The words before any `*`: a type and whether it is const.
    fn base(&mut self) -> Result<(CType, bool), String> {
        let mut constant = false;
        let mut words: Vec<&str> = Vec::new();
        loop {
            let word = self.peek();
            if word == "const" {
                constant = true;
            } else if !self.at_word() || !(words.is_empty() || continues(&words, word)) {
                break;
            } else {
                words.push(word);
            }
            self.advance();
        }
        match words.as_slice() {
            [] => Err(format!("{}, wanted a type", self.found())),
            ["void"] => Ok((CType::Void, constant)),
            ["struct" | "union" | "enum" | "long" | "volatile" | "restrict" | "register" | "static", ..] => {
                Err(format!("found `{}`, which no declaration of the registry has", words.join(" ")))
            }
            [word] if primitive(&words).is_none() => Ok((CType::named(word), constant)),
            words => primitive(words)
                .map(|name| (CType::named(name), constant))
                .ok_or_else(|| format!("found `{}`, wanted a type", words.join(" "))),
        }
    }

    fn pointers(&mut self, base: CType, constant: bool) -> (CType, bool) {
        let (mut ctype, mut constant) = (base, constant);
        while self.eat("*") {
            ctype = CType::Pointer { to: Box::new(ctype), constant };
            constant = self.eat("const");
        }
        (ctype, constant)
    }

    /// `CL_CALLBACK* name)(parameters)`, after the result and the opening parenthesis.
    fn function(&mut self, returns: CType, depth: usize) -> Result<Declaration, String> {
        self.eat("CL_CALLBACK");
        self.want("*")?;
        let name = if self.at_word() { self.advance() } else { "" };
        self.want(")")?;
        self.want("(")?;
        let mut parameters = Vec::new();
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.want(",")?;
            }
            let Declaration { name, ctype, length } = self.declaration(depth + 1)?;
            if length.is_some() {
                return Err(format!("found an array with a length as the callback's parameter `{name}`"));
            }
            if ctype == CType::Void && name.is_empty() && parameters.is_empty() {
                self.want(")")?;
                break;
            }
            parameters.push(SignatureParameter { name, ctype });
        }
        let ctype = CType::Function(Box::new(Signature { parameters, returns }));
        Ok(Declaration { name: name.to_owned(), ctype, length: None })
    }
}

/// Whether `word` belongs to the same type as the words before it.
fn continues(words: &[&str], word: &str) -> bool {
    matches!(words.last(), Some(&("unsigned" | "signed" | "struct" | "union" | "enum" | "long" | "short")))
        && (matches!(word, "char" | "short" | "int" | "long") || matches!(words.last(), Some(&("struct" | "union" | "enum"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name and the type in the model's notation.
    fn parsed(text: &str) -> String {
        match declaration(text) {
            Ok(Declaration { name, ctype, length: None }) => format!("{name}: {ctype}"),
            Ok(Declaration { name, ctype, length: Some(length) }) => format!("{name}: [{ctype}; {length}]"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn const_before_and_between_stars_is_of_the_pointee() {
        assert_eq!(parsed("const char** strings"), "strings: *mut *const c_char");
        assert_eq!(parsed("const void * const * args"), "args: *const *const c_void");
        assert_eq!(parsed("char const* text"), "text: *const c_char");
    }

    #[test]
    fn types_of_several_words_are_one_type() {
        assert_eq!(parsed("const unsigned char** binaries"), "binaries: *mut *const c_uchar");
        assert_eq!(parsed("unsigned mask"), "mask: c_uint");
    }

    #[test]
    fn an_empty_suffix_is_a_pointer_and_a_length_an_array() {
        assert_eq!(parsed("void* svm_pointers[]"), "svm_pointers: *mut *mut c_void");
        assert_eq!(parsed("char name[SIZE]"), "name: [c_char; SIZE]");
    }

    #[test]
    fn a_callback_keeps_the_names_that_it_has() {
        assert_eq!(
            parsed("void (CL_CALLBACK* pfn_free)(cl_q queue, cl_uint count, void* pointers[], void*)"),
            "pfn_free: fn(queue: cl_q, count: cl_uint, pointers: *mut *mut c_void, *mut c_void)"
        );
        assert_eq!(parsed("cl_int (CL_CALLBACK * f)(void)"), "f: fn() -> cl_int");
    }

    #[test]
    fn what_is_no_declaration_says_what_was_found() {
        assert_eq!(parsed("cl_uint 3x"), "error: found `3x`, wanted the end");
        assert_eq!(parsed("* x"), "error: found `*`, wanted a type");
        assert_eq!(parsed("void (CL_CALLBACK* f)(int"), "error: found the end, wanted `,`");
        assert_eq!(parsed("char name[8"), "error: found the end, wanted `]` after the array's length");
    }

    #[test]
    fn nesting_of_callbacks_is_bounded() {
        let text = "void (*f)(".repeat(5_000);
        assert_eq!(parsed(&text), "error: functions of functions of functions");
    }

    #[test]
    fn a_typedef_without_its_semicolon_is_the_same_typedef() {
        let (with, terminated) = typedef("typedef cl_bitfield cl_flags;").expect("a typedef");
        let (without, unterminated) = typedef("typedef cl_bitfield cl_flags").expect("a typedef");
        assert_eq!(with, without);
        assert!(terminated && !unterminated);
    }

    #[test]
    fn a_typedef_keeps_its_alignment() {
        let (typedef, _) = typedef("typedef uint64_t cl_ulong __attribute__((aligned(8)));").expect("a typedef");
        assert_eq!(typedef, Typedef::Alias { name: "cl_ulong".to_owned(), target: CType::named("u64"), aligned: Some(8) });
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(typedef |#define |union \\{|struct |const |void |cl_x|CL_CALLBACK|[*()\\[\\],;{} \n]|\\PC){0,24}") {
            let _ = (declaration(&text), union_members(&text), typedef(&text), define(&text), define_per_pointer_width(&text));
        }
    }

    #[test]
    fn a_macro_has_parameters_only_where_no_space_is_before_them() {
        let with = define("#define F(a, b) \\\n  ((a) + (b))").expect("a macro");
        assert_eq!((with.parameters, with.body.as_str()), (Some(vec!["a".to_owned(), "b".to_owned()]), "((a) + (b))"));
        assert_eq!(define("#define F (1)").expect("a macro").parameters, None);
    }
}
