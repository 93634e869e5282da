//! C types as the model writes them: in Rust's notation, one line each.
//!
//! In: `*const cl_image_desc`, `[c_char; 64]`, `fn(event: cl_event, user_data: *mut c_void) -> cl_int`. Out: the same. The notation is
//! a subset of Rust's types, with `fn` for what generated code spells `Option<unsafe extern "system" fn …>`, so that the light
//! build-time path can emit types without a parser for Rust.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::availability::Lifetime;

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CType {
    /// `void`, which only stands as a result or behind a pointer; written `c_void`.
    Void,
    /// A name: a primitive of Rust (`u32`, `usize`, `f32`), one of `core::ffi` (`c_int`, `c_char`), or an item of the model.
    Named(String),
    /// A pointer; `constant` says that the pointee is const.
    Pointer {
        /// What it points to.
        to: Box<CType>,
        /// Whether the pointee is const.
        constant: bool,
    },
    /// An array with a fixed length.
    Array {
        /// The type of its elements.
        of: Box<CType>,
        /// How many.
        length: u64,
    },
    /// A pointer to a function, possibly null.
    Function(Box<Signature>),
}

impl CType {
    /// The type called `name`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        if name == "c_void" { Self::Void } else { Self::Named(name.to_owned()) }
    }

    /// `*const self`.
    #[must_use]
    pub fn pointer_to_const(self) -> Self {
        Self::Pointer { to: Box::new(self), constant: true }
    }

    /// `*mut self`.
    #[must_use]
    pub fn pointer_to_mut(self) -> Self {
        Self::Pointer { to: Box::new(self), constant: false }
    }

    /// Calls `visit` with every name in it.
    pub fn names<'a>(&'a self, visit: &mut impl FnMut(&'a str)) {
        match self {
            Self::Void => {}
            Self::Named(name) => visit(name),
            Self::Pointer { to, .. } => to.names(visit),
            Self::Array { of, .. } => of.names(visit),
            Self::Function(signature) => {
                signature.returns.names(visit);
                for parameter in &signature.parameters {
                    parameter.ctype.names(visit);
                }
            }
        }
    }
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The parameters, in order. The name is empty where upstream gives none.
    pub parameters: Vec<SignatureParameter>,
    /// What it returns; [`CType::Void`] for nothing.
    pub returns: CType,
}

/// A parameter of a function *type*, which has no lifetime of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SignatureParameter {
    /// Upstream's name, or empty.
    pub name: String,
    /// Its type.
    pub ctype: CType,
}

/// A parameter of a command or callback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Upstream's name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ctype: CType,
    /// Since and until when.
    #[serde(flatten)]
    pub lifetime: Lifetime,
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("c_void"),
            Self::Named(name) => f.write_str(name),
            Self::Pointer { to, constant: true } => write!(f, "*const {to}"),
            Self::Pointer { to, constant: false } => write!(f, "*mut {to}"),
            Self::Array { of, length } => write!(f, "[{of}; {length}]"),
            Self::Function(signature) => signature.fmt(f),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fn(")?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            if parameter.name.is_empty() {
                write!(f, "{separator}{}", parameter.ctype)?;
            } else {
                write!(f, "{separator}{}: {}", parameter.name, parameter.ctype)?;
            }
        }
        f.write_str(")")?;
        if self.returns == CType::Void { Ok(()) } else { write!(f, " -> {}", self.returns) }
    }
}

impl FromStr for CType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut reader = Reader { rest: text };
        let parsed = reader.ctype(0);
        if reader.rest.is_empty() { parsed } else { None }.ok_or_else(|| {
            format!(
                "`{text}` is no type at `{}`: wanted a name, `*const T`, `*mut T`, `[T; N]` or `fn(name: T, …) -> T`",
                reader.rest
            )
        })
    }
}

/// Deeper nesting is refused, so that a hostile snapshot cannot exhaust the stack.
const DEEPEST: usize = 32;

/// Reads one type off the front of `rest`.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn ctype(&mut self, depth: usize) -> Option<CType> {
        if depth > DEEPEST {
            return None;
        }
        if self.eat("*const ") {
            self.ctype(depth + 1).map(CType::pointer_to_const)
        } else if self.eat("*mut ") {
            self.ctype(depth + 1).map(CType::pointer_to_mut)
        } else if self.eat("[") {
            let of = Box::new(self.ctype(depth + 1)?);
            self.eat("; ").then_some(())?;
            let length = self.word()?.parse().ok()?;
            self.eat("]").then_some(CType::Array { of, length })
        } else if self.eat("fn(") {
            self.signature(depth + 1).map(|signature| CType::Function(Box::new(signature)))
        } else {
            self.word().map(CType::named)
        }
    }

    fn signature(&mut self, depth: usize) -> Option<Signature> {
        let mut parameters = Vec::new();
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.eat(", ").then_some(())?;
            }
            parameters.push(self.parameter(depth)?);
        }
        let returns = if self.eat(" -> ") { self.ctype(depth)? } else { CType::Void };
        Some(Signature { parameters, returns })
    }

    fn parameter(&mut self, depth: usize) -> Option<SignatureParameter> {
        let before = self.rest;
        if let Some(name) = self.word()
            && self.eat(": ")
        {
            return Some(SignatureParameter { name: name.to_owned(), ctype: self.ctype(depth)? });
        }
        self.rest = before;
        Some(SignatureParameter { name: String::new(), ctype: self.ctype(depth)? })
    }
}

super::value::serde_as_text!(CType);
