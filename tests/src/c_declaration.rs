//! Types of the model as C declarations, for C programs that tests compile.
//!
//! In: a [`CType`]. Out: `cl_int (CL_CALLBACK *name)(cl_event, void *)`. Names are those of the C headers; what only this project has a name
//! for is given by the caller.

use clcu_codegen::model::CType;

/// How to write types.
pub struct Dialect<'a> {
    /// What stands before the `*` of a function pointer: `CL_CALLBACK`, or nothing.
    pub calling_convention: &'a str,
    /// The C name of a type that C does not know under the model's name, if `name` is one.
    pub rename: &'a dyn Fn(&str) -> Option<String>,
}

impl Dialect<'_> {
    /// `name` declared with type `ctype`; an abstract declarator for an empty name.
    #[must_use]
    pub fn declare(&self, ctype: &CType, name: &str) -> String {
        self.declarator(ctype, false, name.to_owned())
    }

    /// A function `name` with these parameters, without a semicolon.
    #[must_use]
    pub fn prototype<'c>(&self, returns: &CType, name: &str, parameters: impl IntoIterator<Item = &'c CType>) -> String {
        let parameters: Vec<String> = parameters.into_iter().map(|ctype| self.declare(ctype, "")).collect();
        let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        self.declare(returns, &format!("{name}({list})"))
    }

    fn declarator(&self, ctype: &CType, constant: bool, inner: String) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ctype {
            CType::Void => joined(&format!("{qualifier}void"), &inner),
            CType::Named(name) => joined(&format!("{qualifier}{}", self.base(name)), &inner),
            CType::Pointer { to, constant: pointee } => {
                self.declarator(to, *pointee, if constant { format!("* const {inner}") } else { format!("*{inner}") })
            }
            CType::Array { of, length } => {
                let inner = if inner.starts_with('*') { format!("({inner})") } else { inner };
                self.declarator(of, constant, format!("{inner}[{length}]"))
            }
            CType::Function(signature) => {
                let name = if constant { format!("const {inner}") } else { inner };
                let pointer = format!("({} *{name})", self.calling_convention);
                self.prototype(&signature.returns, &pointer, signature.parameters.iter().map(|parameter| &parameter.ctype))
            }
        }
    }

    fn base(&self, name: &str) -> String {
        if let Some(renamed) = (self.rename)(name) {
            return renamed;
        }
        let c = match name {
            "i8" => "int8_t",
            "u8" => "uint8_t",
            "i16" => "int16_t",
            "u16" => "uint16_t",
            "i32" => "int32_t",
            "u32" => "uint32_t",
            "i64" => "int64_t",
            "u64" => "uint64_t",
            "isize" => "intptr_t",
            "usize" => "size_t",
            "f32" => "float",
            "f64" => "double",
            "c_char" => "char",
            "c_schar" => "signed char",
            "c_uchar" => "unsigned char",
            "c_short" => "short",
            "c_ushort" => "unsigned short",
            "c_int" => "int",
            "c_uint" => "unsigned int",
            other => other,
        };
        c.to_owned()
    }
}

fn joined(base: &str, inner: &str) -> String {
    if inner.is_empty() { base.to_owned() } else { format!("{base} {inner}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(ctype: &str, name: &str) -> String {
        let dialect =
            Dialect { calling_convention: "CL_CALLBACK", rename: &|name| (name == "cl_result").then(|| "cl_int".to_owned()) };
        dialect.declare(&ctype.parse().expect("a type"), name)
    }

    #[test]
    fn const_is_of_the_pointee() {
        assert_eq!(declared("*mut *const c_char", "strings"), "const char **strings");
        assert_eq!(declared("*const *mut c_void", "args"), "void * const *args");
    }

    #[test]
    fn a_function_pointer_has_its_name_inside() {
        assert_eq!(
            declared("fn(event: cl_event, user_data: *mut c_void) -> cl_result", "notify"),
            "cl_int (CL_CALLBACK *notify)(cl_event, void *)"
        );
        assert_eq!(declared("fn()", ""), "void (CL_CALLBACK *)(void)");
    }

    #[test]
    fn an_array_has_its_length_behind_the_name() {
        assert_eq!(declared("[c_char; 64]", "name"), "char name[64]");
        assert_eq!(declared("*mut [u32; 4]", "rows"), "uint32_t (*rows)[4]");
    }
}
