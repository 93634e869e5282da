//! What bindgen makes of the headers, as data.
//!
//! In: [`Headers`] and a target. Out: functions, members, aliases and enumerators with their types, under the names that bindgen gives them. syn
//! reads bindgen's output; a construct in it that is not known here is an error, for it would be lost otherwise. Layouts and places are not
//! bindgen's: the C parser tells them itself.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    headers::Headers,
    libclang::{Libclang, arguments},
};
use crate::{
    finding::{Finding, Findings},
    model::{CType, Signature, SignatureParameter},
};

/// All declarations of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    /// By the symbol that is exported.
    pub functions: BTreeMap<String, Signature>,
    /// The members of structs and unions, in order.
    pub records: BTreeMap<String, Vec<(String, CType)>>,
    /// Structs whose members no header shows.
    pub opaque: BTreeSet<String>,
    /// The integer that carries an enumeration.
    pub enums: BTreeMap<String, CType>,
    /// The enumeration and the value of an enumerator.
    pub enumerators: BTreeMap<String, (String, i128)>,
    /// Other names of types, in the order of the headers.
    pub aliases: Vec<(String, CType)>,
}

/// Runs bindgen over `headers` for `target`, and reads what it prints.
pub(super) fn bindings(headers: &Headers, libclang: &Libclang, target: &str) -> Result<Bindings, Findings> {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("BINDGEN_EXTRA_CLANG_ARGS") {
            let finding = Finding::error(format!("the environment sets `{name}`, which changes what bindgen reads"));
            return Err(finding.help("unset it: an import depends on nothing but its inputs").into());
        }
    }
    libclang.enter();
    let printed = bindgen::Builder::default()
        .header(headers.entry().to_string_lossy())
        .clang_args(arguments(headers, target, &[]))
        .detect_include_paths(false)
        .formatter(bindgen::Formatter::None)
        .layout_tests(false)
        .generate_comments(false)
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: true })
        .prepend_enum_name(false)
        .derive_debug(false)
        .generate()
        .map_err(|error| Finding::error("bindgen refuses the headers").found(error.to_string().trim().to_owned()))?
        .to_string();
    read(&printed)
}

/// Reads bindgen's output.
fn read(printed: &str) -> Result<Bindings, Findings> {
    let file =
        syn::parse_file(printed).map_err(|error| Finding::error("what bindgen prints is not Rust").found(error.to_string()))?;
    let (mut bindings, mut findings) = (Bindings::default(), Findings::default());
    for item in &file.items {
        if let Err(what) = bindings.item(item) {
            findings.push(
                Finding::error("a declaration in bindgen's output is not understood")
                    .found(what)
                    .help("teach it to this importer: what bindgen prints changes with its release, which is therefore pinned"),
            );
        }
    }
    findings.with(bindings).map(|(bindings, _)| bindings)
}

impl Bindings {
    fn item(&mut self, item: &syn::Item) -> Result<(), String> {
        match item {
            syn::Item::Const(constant) => self.constant(constant),
            syn::Item::Type(alias) => {
                self.aliases.push((alias.ident.to_string(), ctype(&alias.ty)?));
                Ok(())
            }
            syn::Item::Use(import) => self.renamed(&import.tree),
            syn::Item::Struct(record) => self.record(&record.ident, &record.fields),
            syn::Item::Union(union) => {
                let members = members(&union.fields.named)?;
                self.records.insert(union.ident.to_string(), members);
                Ok(())
            }
            syn::Item::ForeignMod(block) => block.items.iter().try_for_each(|item| self.foreign(item)),
            other => Err(format!("an item of another kind: {}", first_words(&format!("{other:?}")))),
        }
    }

    /// `pub const A: E = E(1);`. Constants without an enumeration come from macros, which are evaluated elsewhere.
    fn constant(&mut self, constant: &syn::ItemConst) -> Result<(), String> {
        let syn::Expr::Call(call) = &*constant.expr else { return Ok(()) };
        let name = constant.ident.to_string();
        let CType::Named(of) = ctype(&constant.ty)? else { return Err(format!("the type of `{name}`")) };
        let value = call.args.first().and_then(integer).ok_or_else(|| format!("the value of `{name}`"))?;
        self.enumerators.insert(name, (of, value));
        Ok(())
    }

    /// `pub use self::E as F;`, which is how bindgen writes a typedef of an enumeration.
    fn renamed(&mut self, tree: &syn::UseTree) -> Result<(), String> {
        if let syn::UseTree::Path(path) = tree
            && let syn::UseTree::Rename(rename) = &*path.tree
        {
            self.aliases.push((rename.rename.to_string(), CType::named(&rename.ident.to_string())));
            return Ok(());
        }
        Err("a `use` that renames nothing".to_owned())
    }

    /// An enumeration has one unnamed field, an opaque struct one called `_unused`.
    fn record(&mut self, name: &syn::Ident, fields: &syn::Fields) -> Result<(), String> {
        let name = name.to_string();
        match fields {
            syn::Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                self.enums.insert(name, ctype(&fields.unnamed[0].ty)?);
            }
            syn::Fields::Named(fields) => {
                let members = members(&fields.named)?;
                if members.len() == 1 && members[0].0 == "_unused" {
                    self.opaque.insert(name);
                } else {
                    self.records.insert(name, members);
                }
            }
            _ => return Err(format!("the struct `{name}`")),
        }
        Ok(())
    }

    fn foreign(&mut self, item: &syn::ForeignItem) -> Result<(), String> {
        let syn::ForeignItem::Fn(function) = item else { return Err("a foreign item that is no function".to_owned()) };
        let signature = &function.sig;
        let name = signature.ident.to_string();
        if signature.variadic.is_some() {
            return Err(format!("the function `{name}`, which takes any number of arguments"));
        }
        let parameters = signature.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(typed) => {
                let syn::Pat::Ident(pattern) = &*typed.pat else { return Err(format!("a parameter of `{name}`")) };
                Ok(SignatureParameter { name: unmangle(&pattern.ident.to_string()), ctype: ctype(&typed.ty)? })
            }
            syn::FnArg::Receiver(_) => Err(format!("a parameter of `{name}`")),
        });
        let parameters = parameters.collect::<Result<_, _>>()?;
        self.functions.insert(name, Signature { parameters, returns: returned(&signature.output)? });
        Ok(())
    }
}

fn members(fields: &syn::punctuated::Punctuated<syn::Field, syn::Token![,]>) -> Result<Vec<(String, CType)>, String> {
    fields
        .iter()
        .map(|field| {
            let name = field.ident.as_ref().ok_or("a member without a name")?;
            Ok((name.to_string(), ctype(&field.ty)?))
        })
        .collect()
}

/// What bindgen makes of a member's name: it appends `_` to a keyword of Rust.
pub(super) fn mangled(name: &str) -> String {
    if syn::parse_str::<syn::Ident>(name).is_ok() { name.to_owned() } else { format!("{name}_") }
}

/// The name of a function type's parameter, of which only bindgen tells: without the `_` that it appends to a keyword of Rust.
fn unmangle(name: &str) -> String {
    match name.strip_suffix('_') {
        Some(stem) if syn::parse_str::<syn::Ident>(stem).is_err() && !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

fn returned(output: &syn::ReturnType) -> Result<CType, String> {
    match output {
        syn::ReturnType::Default => Ok(CType::Void),
        syn::ReturnType::Type(_, of) => ctype(of),
    }
}

/// The C type that bindgen spells `of`.
fn ctype(of: &syn::Type) -> Result<CType, String> {
    match of {
        syn::Type::Ptr(pointer) => {
            let constant = matches!(pointer.mutability, syn::PointerMutability::Const(_));
            Ok(CType::Pointer { to: Box::new(ctype(&pointer.elem)?), constant })
        }
        syn::Type::Array(array) => {
            let length = integer(&array.len).and_then(|length| u64::try_from(length).ok()).ok_or("the length of an array")?;
            Ok(CType::Array { of: Box::new(ctype(&array.elem)?), length })
        }
        syn::Type::FnPtr(function) => {
            let parameters = function.inputs.iter().map(|input| {
                let name = input.name.as_ref().map(|(name, _)| unmangle(&name.to_string())).unwrap_or_default();
                Ok(SignatureParameter { name, ctype: ctype(&input.ty)? })
            });
            let parameters = parameters.collect::<Result<_, String>>()?;
            Ok(CType::Function(Box::new(Signature { parameters, returns: returned(&function.output)? })))
        }
        syn::Type::Path(path) => named(&path.path),
        other => Err(format!("the type {}", first_words(&format!("{other:?}")))),
    }
}

/// `E`, `::std::os::raw::c_int` or `::std::option::Option<fn(…)>`.
fn named(path: &syn::Path) -> Result<CType, String> {
    let last = path.segments.last().ok_or("an empty path")?;
    match &last.arguments {
        syn::PathArguments::None => Ok(CType::named(&last.ident.to_string())),
        syn::PathArguments::AngleBracketed(of) if last.ident == "Option" => match of.args.first() {
            Some(syn::GenericArgument::Type(function)) => ctype(function),
            _ => Err("an `Option` of something".to_owned()),
        },
        _ => Err(format!("the generic type `{}`", last.ident)),
    }
}

fn integer(expression: &syn::Expr) -> Option<i128> {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => integer(expr).map(|value| -value),
        _ => None,
    }
}

fn first_words(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::{mangled, read, unmangle};
    use crate::model::CType;

    #[test]
    fn pointers_arrays_and_functions_are_types() {
        let printed = "pub type A = ::std::option::Option<unsafe extern \"C\" fn(a: *const ::std::os::raw::c_void) -> usize>;
            #[repr(C)] pub struct B { pub type_: [::std::os::raw::c_char; 4usize], pub c: *mut *mut B }";
        let bindings = read(printed).unwrap();
        assert_eq!(bindings.aliases[0].1.to_string(), "fn(a: *const c_void) -> usize");
        let members: Vec<_> = bindings.records["B"].iter().map(|(name, of)| format!("{name}: {of}")).collect();
        assert_eq!(members, ["type_: [c_char; 4]", "c: *mut *mut B"]);
    }

    #[test]
    fn enumerations_keep_negative_values_and_their_integer() {
        let bindings = read("pub const A: E = E(-1); pub struct E(pub ::std::os::raw::c_int); pub use self::E as F;").unwrap();
        assert_eq!(bindings.enumerators["A"], ("E".to_owned(), -1));
        assert_eq!(bindings.enums["E"], CType::named("c_int"));
        assert_eq!(bindings.aliases, [("F".to_owned(), CType::named("E"))]);
    }

    #[test]
    fn an_unknown_item_is_an_error() {
        let findings = read("pub fn a() {}").unwrap_err();
        assert!(findings.to_string().contains("not understood"), "{findings}");
    }

    #[test]
    fn only_keywords_lose_their_underscore() {
        assert_eq!([unmangle("type_"), unmangle("a_"), unmangle("_"), unmangle("fn")], ["type", "a_", "_", "fn"]);
        assert_eq!(["type", "type_", "a"].map(mangled), ["type_", "type_", "a"]);
    }
}
