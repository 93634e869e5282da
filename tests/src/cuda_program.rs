//! The CUDA model as a C program of assertions, for a compiler that has the real headers.
//!
//! In: a model and a target. Out: one `_Static_assert` for every value, size, alignment, offset and type; the message of each names what it is
//! about.

use std::{collections::BTreeMap, fmt::Write};

use clcu_codegen::model::{
    CType, Command, Constant, Enumeration, Handle, HandleRepr, Member, Model, Parameter, Record, Signature, SignatureParameter,
    Target,
};

use crate::c_declaration::Dialect;

/// A program, and how much it asserts.
pub struct Program {
    /// The text.
    pub text: String,
    /// How many assertions there are.
    pub assertions: usize,
}

/// The program that asserts all of `model` as `target` has it. What only Windows declares is in it for a target of Windows only.
#[must_use]
pub fn program(model: &Model, target: Target) -> Program {
    let windows = target == Target::WindowsI686;
    let mut writer = Writer { text: PREAMBLE.to_owned(), assertions: 0, paths: paths(model, target), target };
    let here = |only_windows: bool| windows || !only_windows;
    model.constants.iter().filter(|one| here(one.windows)).for_each(|one| writer.constant(one));
    model.enumerations.iter().filter(|one| here(one.windows)).for_each(|one| writer.enumeration(one));
    model.handles.iter().filter(|one| here(one.windows)).for_each(|one| writer.handle(one));
    model.records.iter().filter(|one| here(one.windows)).for_each(|one| writer.record(one));
    model.commands.iter().filter(|one| here(one.windows)).for_each(|one| writer.command(one));
    for alias in model.aliases.iter().filter(|one| here(one.windows)) {
        writer.same(&alias.name, &alias.name, &alias.ctype);
    }
    for callback in &model.callbacks {
        let ctype = function(&callback.returns, &callback.parameters);
        let name = foreign(&callback.name).unwrap_or_else(|| callback.name.clone());
        writer.same(&callback.name, &name, &ctype);
    }
    Program { text: writer.text, assertions: writer.assertions }
}

const PREAMBLE: &str = "#include <stdint.h>
#include <vdpau/vdpau.h>
#include <cuda.h>
#include <cudaGL.h>
#include <cudaEGL.h>
#include <cudaVDPAU.h>
#include <cudaTypedefs.h>
#include <cudaGLTypedefs.h>
#include <cudaEGLTypedefs.h>
#include <cudaVDPAUTypedefs.h>
#define SAME(a, b) __builtin_types_compatible_p(a, b)
";

/// How C reaches a record: the record with a name, the members on the way, and how far they are from its start.
struct Path {
    root: String,
    members: String,
    offset: u64,
    /// Whether the last of them has no name, so that C has no expression for the record itself.
    nameless: bool,
}

fn paths(model: &Model, target: Target) -> BTreeMap<String, Path> {
    let mut paths = BTreeMap::new();
    let mut open: Vec<&Record> = model.records.iter().filter(|record| record.parent.is_none()).collect();
    for record in &open {
        let (root, members) = (record.name.clone(), String::new());
        paths.insert(record.name.clone(), Path { root, members, offset: 0, nameless: false });
    }
    while let Some(record) = open.pop() {
        for nested in model.records.iter().filter(|nested| nested.parent.as_deref() == Some(record.name.as_str())) {
            let Some(member) = record.members.iter().find(|member| element(&member.ctype) == Some(&nested.name)) else { continue };
            let Path { root, members, offset, .. } = &paths[&record.name];
            let step = if member.nameless { String::new() } else { format!("{}{}.", member.name, index(&member.ctype)) };
            let path = Path {
                root: root.clone(),
                members: format!("{members}{step}"),
                offset: offset + member.offset.get(target),
                nameless: member.nameless,
            };
            paths.insert(nested.name.clone(), path);
            open.push(nested);
        }
    }
    paths
}

fn element(ctype: &CType) -> Option<&str> {
    match ctype {
        CType::Named(name) => Some(name),
        CType::Array { of, .. } => element(of),
        _ => None,
    }
}

fn index(ctype: &CType) -> String {
    if let CType::Array { of, .. } = ctype { format!("[0]{}", index(of)) } else { String::new() }
}

fn function(returns: &CType, parameters: &[Parameter]) -> CType {
    let parameters = parameters.iter().map(|one| SignatureParameter { name: one.name.clone(), ctype: one.ctype.clone() }).collect();
    CType::Function(Box::new(Signature { parameters, returns: returns.clone() }))
}

/// VDPAU declares a function where others declare a pointer to one.
fn foreign(name: &str) -> Option<String> {
    match name {
        "VdpGetProcAddress" => Some("VdpGetProcAddress *".to_owned()),
        "c_longlong" => Some("long long".to_owned()),
        "c_ulonglong" => Some("unsigned long long".to_owned()),
        _ => None,
    }
}

struct Writer {
    text: String,
    assertions: usize,
    paths: BTreeMap<String, Path>,
    target: Target,
}

impl Writer {
    fn assert(&mut self, condition: &str, about: &str) {
        self.assertions += 1;
        let _ = writeln!(self.text, "_Static_assert({condition}, \"{about}\");");
    }

    fn declared(ctype: &CType) -> String {
        Dialect { calling_convention: "", rename: &foreign }.declare(ctype, "")
    }

    fn same(&mut self, about: &str, c: &str, ctype: &CType) {
        self.assert(&format!("SAME({c}, {})", Self::declared(ctype)), &format!("the type of {about}"));
    }

    fn constant(&mut self, one: &Constant) {
        let name = &one.name;
        let Some(value) = one.value.integer() else { return };
        let pointer =
            matches!(one.ctype, CType::Pointer { .. }) || name.starts_with("CU_STREAM_") && one.ctype == CType::named("CUstream");
        if pointer {
            self.assert(&format!("(uintptr_t)({name}) == {value}"), name);
        } else {
            self.assert(&format!("({name}) == {value}"), name);
        }
        if pointer || one.ctype == CType::named("CUdevice") {
            self.same(name, &format!("__typeof__({name})"), &one.ctype);
        }
    }

    fn enumeration(&mut self, one: &Enumeration) {
        let (name, signed) = (&one.name, one.repr.starts_with('i'));
        let bytes = if one.repr.ends_with("64") { 8 } else { 4 };
        self.assert(
            &format!("sizeof({name}) == {bytes} && (({name})-1 < 0) == {}", i32::from(signed)),
            &format!("the integer of {name}"),
        );
        for value in &one.enumerators {
            if let Some(number) = value.value.integer() {
                self.assert(&format!("{} == {number}", value.name), &value.name);
            }
        }
    }

    fn handle(&mut self, one: &Handle) {
        let name = &one.name;
        let condition = match &one.repr {
            // 5 is the class of pointers.
            HandleRepr::Pointer => format!("__builtin_classify_type(({name})0) == 5 && sizeof({name}) == sizeof(void *)"),
            HandleRepr::Address => format!("sizeof({name}) == sizeof(void *) && ({name})-1 > 0"),
            HandleRepr::Integer(repr) => {
                let bytes = if repr.ends_with("64") { 8 } else { 4 };
                format!("sizeof({name}) == {bytes} && (({name})-1 < 0) == {}", i32::from(repr.starts_with('i')))
            }
        };
        self.assert(&condition, name);
    }

    fn record(&mut self, one: &Record) {
        let Path { root, members, offset, nameless } = &self.paths[&one.name];
        let (root, members, offset, nameless) = (root.clone(), members.clone(), *offset, *nameless);
        if !nameless {
            let ctype = match members.strip_suffix('.') {
                Some(path) => format!("__typeof__((({root} *)0)->{path})"),
                None => root.clone(),
            };
            let (size, align) = (one.size.get(self.target), one.align.get(self.target));
            self.assert(&format!("sizeof({ctype}) == {size}"), &format!("the size of {}", one.name));
            self.assert(&format!("_Alignof({ctype}) == {align}"), &format!("the alignment of {}", one.name));
        }
        for member in one.members.iter().filter(|member| !member.nameless) {
            self.member(one, member, &root, &format!("{members}{}", member.name), offset);
        }
    }

    fn member(&mut self, record: &Record, member: &Member, root: &str, path: &str, base: u64) {
        let about = format!("{}::{}", record.name, member.name);
        let offset = base + member.offset.get(self.target);
        self.assert(&format!("__builtin_offsetof({root}, {path}) == {offset}"), &format!("the offset of {about}"));
        let nested = element(&member.ctype).is_some_and(|name| self.paths.get(name).is_some_and(|path| !path.members.is_empty()));
        if !nested {
            self.same(&about, &format!("__typeof__((({root} *)0)->{path})"), member.type_on(self.target));
        }
    }

    fn command(&mut self, one: &Command) {
        let ctype = function(&one.returns, &one.parameters);
        self.same(&one.symbol, &format!("__typeof__(&{})", one.symbol), &ctype);
        if let Some(version) = one.version {
            self.same(&format!("{} by version", one.symbol), &format!("PFN_{}_v{version}", one.name), &ctype);
        }
        if let (Some(symbol), Some(version)) = (&one.per_thread_symbol, one.per_thread_version) {
            let suffix = symbol.rsplit('_').next().unwrap_or_default();
            self.same(symbol, &format!("PFN_{}_v{version}_{suffix}", one.name), &ctype);
        }
    }
}
