//! What bindgen makes of the installed C headers of OpenCL, as facts to compare with the model.
//!
//! In: the headers, and a libclang. Out: values, signatures and layouts with all typedefs resolved, in one notation for both sides. Objects and
//! structs keep their names: they are what a signature is about.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use clcu_codegen::{
    import::cuda::Libclang,
    model::{CType, Model},
};
use syn::{Expr, ForeignItem, Item, Lit, PointerMutability, ReturnType, Type, UnOp};

use crate::opencl_headers::Headers;

/// The parser's library comes without these headers of C.
const STUBS: &[(&str, &str)] = &[
    ("stddef.h", "typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;\n#define NULL ((void *)0)\n"),
    (
        "stdint.h",
        "typedef __INT8_TYPE__ int8_t; typedef __INT16_TYPE__ int16_t; typedef __INT32_TYPE__ int32_t; typedef __INT64_TYPE__ int64_t;\n\
         typedef __UINT8_TYPE__ uint8_t; typedef __UINT16_TYPE__ uint16_t; typedef __UINT32_TYPE__ uint32_t;\n\
         typedef __UINT64_TYPE__ uint64_t; typedef __INTPTR_TYPE__ intptr_t; typedef __UINTPTR_TYPE__ uintptr_t;\n\
         #define INT32_MAX __INT32_MAX__\n#define INTPTR_MAX __INTPTR_MAX__\n#define SIZE_MAX __SIZE_MAX__\n",
    ),
];

/// A number that bindgen read out of a macro.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A float, which bindgen always takes for a double.
    Float(f64),
}

/// Facts of the headers, by name.
#[derive(Debug, Default)]
pub struct Bindings {
    /// Macros that are numbers.
    pub values: BTreeMap<String, Number>,
    /// Functions, and typedefs of pointers to them (`clX_fn`), as `fn(…) -> …`.
    pub functions: BTreeMap<String, String>,
    /// Size, alignment and offsets by `Size of X`, `Alignment of X`, `Offset of field: X::member`, with the typedef's name.
    pub layouts: BTreeMap<String, u64>,
}

/// Runs bindgen over `headers` with the library at `libclang`. Names in `kept` are not resolved.
pub fn bindings(headers: &Headers, libclang: &Path, kept: &BTreeSet<String>) -> Result<Bindings, String> {
    let read = |error: io::Error| error.to_string();
    for (name, text) in STUBS {
        fs::write(headers.include_directory().join(name), text).map_err(read)?;
    }
    let entry = headers.write("bindgen.h", "").map_err(read)?;
    // Asking for the version makes it the library of this thread, bindgen's calls included.
    let library = Libclang::open(libclang).map_err(|findings| findings.to_string())?;
    println!("{}", library.version());
    let text = bindgen::Builder::default()
        .header(entry.to_string_lossy())
        .clang_args(["-nostdinc", "-std=c11", "--target=x86_64-unknown-linux-gnu", "-isystem", "/usr/include"])
        .clang_args(["-U__SSE__", "-U__SSE2__", "-U__MMX__", "-U__AVX__"])
        .clang_arg(format!("-I{}", headers.include_directory().display()))
        .formatter(bindgen::Formatter::None)
        .generate()
        .map_err(|error| error.to_string())?
        .to_string();
    let file = syn::parse_file(&text).map_err(|error| error.to_string())?;
    Ok(Reader::new(&file, kept).read(&file))
}

/// The names that both sides keep: objects, structs, and types of which nothing is known.
#[must_use]
pub fn kept_names(model: &Model) -> BTreeSet<String> {
    let handles = model.handles.iter().map(|handle| handle.name.clone());
    let records = model.records.iter().map(|record| record.name.clone());
    let opaque = model.aliases.iter().filter(|alias| alias.ctype == CType::Void).map(|alias| alias.name.clone());
    handles.chain(records).chain(opaque).collect()
}

/// `ctype` in the notation of [`Bindings`].
#[must_use]
pub fn resolved(model: &Model, kept: &BTreeSet<String>, ctype: &CType) -> String {
    match ctype {
        CType::Void => "c_void".to_owned(),
        CType::Pointer { to, constant } => {
            format!("*{} {}", if *constant { "const" } else { "mut" }, resolved(model, kept, to))
        }
        CType::Array { of, length } => format!("[{}; {length}]", resolved(model, kept, of)),
        CType::Function(signature) => {
            function(model, kept, &signature.returns, signature.parameters.iter().map(|parameter| &parameter.ctype))
        }
        CType::Named(name) if kept.contains(name) => name.clone(),
        CType::Named(name) => {
            if let Some(alias) = model.aliases.iter().find(|alias| alias.name == *name) {
                resolved(model, kept, &alias.ctype)
            } else if let Some(enumeration) = model.enumerations.iter().find(|enumeration| enumeration.name == *name) {
                enumeration.repr.clone()
            } else {
                primitive(name).to_owned()
            }
        }
    }
}

/// A signature in the notation of [`Bindings`].
#[must_use]
pub fn function<'c>(
    model: &Model,
    kept: &BTreeSet<String>,
    returns: &CType,
    parameters: impl Iterator<Item = &'c CType>,
) -> String {
    let parameters: Vec<String> = parameters.map(|ctype| resolved(model, kept, ctype)).collect();
    signature(&parameters, (*returns != CType::Void).then(|| resolved(model, kept, returns)))
}

fn signature(parameters: &[String], returns: Option<String>) -> String {
    let returns = returns.map(|returns| format!(" -> {returns}")).unwrap_or_default();
    format!("fn({}){returns}", parameters.join(", "))
}

/// C's own types have one width on the target.
fn primitive(name: &str) -> &str {
    match name {
        "c_char" | "c_schar" => "i8",
        "c_uchar" => "u8",
        "c_short" => "i16",
        "c_ushort" => "u16",
        "c_int" => "i32",
        "c_uint" => "u32",
        "c_long" | "c_longlong" => "i64",
        "c_ulong" | "c_ulonglong" => "u64",
        other => other,
    }
}

struct Reader<'a> {
    aliases: BTreeMap<String, &'a Type>,
    kept: &'a BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a syn::File, kept: &'a BTreeSet<String>) -> Self {
        let aliases = file.items.iter().filter_map(|item| match item {
            Item::Type(alias) => Some((alias.ident.to_string(), &*alias.ty)),
            _ => None,
        });
        Self { aliases: aliases.collect(), kept }
    }

    fn read(&self, file: &syn::File) -> Bindings {
        let mut bindings = Bindings::default();
        for item in &file.items {
            match item {
                Item::Const(constant) if constant.ident == "_" => self.layouts(&constant.expr, &mut bindings.layouts),
                Item::Const(constant) => {
                    bindings.values.extend(number(&constant.expr).map(|number| (constant.ident.to_string(), number)));
                }
                Item::ForeignMod(block) => {
                    for item in &block.items {
                        if let ForeignItem::Fn(function) = item {
                            let parameters = function.sig.inputs.iter().map(|input| match input {
                                syn::FnArg::Typed(typed) => self.resolved(&typed.ty),
                                syn::FnArg::Receiver(_) => "self".to_owned(),
                            });
                            let text = signature(&parameters.collect::<Vec<_>>(), self.returned(&function.sig.output));
                            bindings.functions.insert(function.sig.ident.to_string(), text);
                        }
                    }
                }
                Item::Type(alias) => {
                    let text = self.resolved(&alias.ty);
                    if text.starts_with("fn(") {
                        bindings.functions.insert(alias.ident.to_string(), text);
                    }
                }
                _ => {}
            }
        }
        bindings
    }

    fn returned(&self, output: &ReturnType) -> Option<String> {
        match output {
            ReturnType::Default => None,
            ReturnType::Type(_, returned) => Some(self.resolved(returned)),
        }
    }

    fn resolved(&self, ctype: &Type) -> String {
        match ctype {
            Type::Ptr(pointer) => {
                let mutable = matches!(pointer.mutability, PointerMutability::Mut(_));
                format!("*{} {}", if mutable { "mut" } else { "const" }, self.resolved(&pointer.elem))
            }
            Type::Array(array) => {
                let length = match number(&array.len) {
                    Some(Number::Integer(length)) => length.to_string(),
                    _ => "?".to_owned(),
                };
                format!("[{}; {length}]", self.resolved(&array.elem))
            }
            Type::FnPtr(function) => {
                let parameters: Vec<String> = function.inputs.iter().map(|input| self.resolved(&input.ty)).collect();
                signature(&parameters, self.returned(&function.output))
            }
            Type::Path(path) => {
                let Some(segment) = path.path.segments.last() else { return "?".to_owned() };
                if let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
                    && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
                {
                    return self.resolved(inner);
                }
                self.named(&segment.ident.to_string())
            }
            _ => "?".to_owned(),
        }
    }

    fn named(&self, name: &str) -> String {
        if self.kept.contains(name) {
            return name.to_owned();
        }
        match self.aliases.get(name) {
            Some(target) => self.resolved(target),
            None => primitive(name).to_owned(),
        }
    }

    /// `["Size of X"][size_of::<X>() - 72usize];` for each size, alignment and offset, with the tag's typedef for `X`.
    fn layouts(&self, assertions: &Expr, into: &mut BTreeMap<String, u64>) {
        let Expr::Block(block) = assertions else { return };
        for statement in &block.block.stmts {
            let syn::Stmt::Expr(Expr::Index(index), _) = statement else { continue };
            let (Expr::Array(array), Expr::Binary(difference)) = (&*index.expr, &*index.index) else { continue };
            let Some(Expr::Lit(syn::ExprLit { lit: Lit::Str(what), .. })) = array.elems.first() else { continue };
            if let Some(Number::Integer(number)) = number(&difference.right) {
                into.insert(self.with_typedef(&what.value()), u64::try_from(number).unwrap_or(u64::MAX));
            }
        }
    }

    fn with_typedef(&self, what: &str) -> String {
        let Some((kind, path)) = what.rsplit_once(' ') else { return what.to_owned() };
        let (tag, member) = path.split_once("::").map_or((path, None), |(tag, member)| (tag, Some(member)));
        let is_of_tag = |ctype: &&Type| matches!(ctype, Type::Path(path) if path.path.is_ident(tag));
        let name = self.aliases.iter().find(|(_, ctype)| is_of_tag(ctype)).map_or(tag, |(name, _)| name);
        member.map_or_else(|| format!("{kind} {name}"), |member| format!("{kind} {name}::{}", member.trim_end_matches('_')))
    }
}

fn number(expression: &Expr) -> Option<Number> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(integer) => integer.base10_parse().ok().map(Number::Integer),
            Lit::Float(float) => float.base10_parse().ok().map(Number::Float),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match number(&unary.expr)? {
            Number::Integer(integer) => Some(Number::Integer(-integer)),
            Number::Float(float) => Some(Number::Float(-float)),
        },
        _ => None,
    }
}
