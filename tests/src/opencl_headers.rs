//! The installed C headers of OpenCL: what they declare, and programs that compare the model with them.
//!
//! In: a model. Out: one probe a fact, each on its own line of a C program, so that a compiler's complaint names the fact. Headers of Direct3D and
//! VA-API, which OpenCL's include, are stubs of ours.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clcu_codegen::model::{CType, Model, RecordKind, Target, Value};
use tempfile::TempDir;

use crate::c_declaration::Dialect;

/// Stubs for headers of other APIs: only what OpenCL's headers mention.
const STUBS: &[(&str, &str)] = &[
    ("d3d10.h", "typedef struct B10 ID3D10Buffer; typedef struct T10 ID3D10Texture2D; typedef struct U10 ID3D10Texture3D;"),
    ("d3d11.h", "typedef struct B11 ID3D11Buffer; typedef struct T11 ID3D11Texture2D; typedef struct U11 ID3D11Texture3D;"),
    ("d3d9.h", "typedef struct S9 IDirect3DSurface9;"),
    ("va/va.h", "typedef unsigned int VASurfaceID; typedef struct V VAImageFormat;"),
];

const PRELUDE: &str = "\
typedef unsigned int UINT; typedef void *HANDLE; typedef unsigned int DXGI_FORMAT; typedef unsigned int D3DFORMAT;
#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/opencl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext_intel.h>
#include <CL/cl_gl_ext.h>
#include <CL/cl_layer.h>
#include <CL/cl_half.h>
#include <CL/cl_d3d10.h>
#include <CL/cl_d3d11.h>
#include <d3d9.h>
#include <CL/cl_dx9_media_sharing.h>
#include <CL/cl_dx9_media_sharing_intel.h>
#include <CL/cl_va_api_media_sharing_intel.h>
";

/// What the headers declare.
pub struct Declared {
    /// Macros, with or without parameters.
    pub macros: BTreeSet<String>,
    /// Functions.
    pub functions: BTreeSet<String>,
    /// Typedefs of pointers to functions: `clCreateFromDX9MediaSurfaceKHR_fn`.
    pub function_types: BTreeSet<String>,
    /// Other typedefs.
    pub types: BTreeSet<String>,
}

/// The headers with stubs beside them, in a directory of their own.
pub struct Headers {
    directory: TempDir,
}

/// One fact, as a line of C that compiles only if it holds.
pub struct Probe {
    /// What it is about: a name of the API.
    pub name: String,
    /// The line.
    pub text: String,
}

impl Headers {
    /// The installed headers; `None` where they or gcc are not installed.
    pub fn find() -> io::Result<Option<Self>> {
        let gcc = Command::new("gcc").arg("--version").stdout(Stdio::null()).status();
        if !Path::new("/usr/include/CL/cl.h").is_file() || gcc.is_err() {
            return Ok(None);
        }
        let directory = tempfile::tempdir()?;
        fs::create_dir(directory.path().join("va"))?;
        for (name, text) in STUBS {
            fs::write(directory.path().join(name), format!("#pragma once\n{text}\n"))?;
        }
        Ok(Some(Self { directory }))
    }

    /// Where the stubs are.
    #[must_use]
    pub fn include_directory(&self) -> &Path {
        self.directory.path()
    }

    /// A C file that includes everything, followed by `text`.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.directory.path().join(name);
        fs::write(&path, format!("{PRELUDE}{text}"))?;
        Ok(path)
    }

    fn gcc(&self, arguments: &[&str], file: &Path) -> io::Result<(String, String)> {
        let output = Command::new("gcc")
            .args(["-std=c11", "-ffreestanding", "-fmax-errors=0", "-fdiagnostics-color=never", "-w", "-I"])
            .arg(self.directory.path())
            .args(arguments)
            .arg(file)
            .env("LC_ALL", "C")
            .output()?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// What the headers declare.
    pub fn declared(&self) -> io::Result<Declared> {
        let file = self.write("declared.c", "")?;
        let (macros, _) = self.gcc(&["-E", "-dM"], &file)?;
        let macros = macros.lines().filter_map(|line| {
            let name = line.strip_prefix("#define ")?;
            Some(name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?.to_owned())
        });
        let (text, _) = self.gcc(&["-E", "-P"], &file)?;
        let mut declared = Declared {
            macros: macros.collect(),
            functions: BTreeSet::new(),
            function_types: BTreeSet::new(),
            types: BTreeSet::new(),
        };
        for statement in statements(&text) {
            declared.note(statement);
        }
        Ok(declared)
    }

    /// Compiles `probes` for `target`: the indices of those that do not hold, with what gcc says.
    pub fn failures(&self, probes: &[Probe], target: Target) -> io::Result<Vec<(usize, String)>> {
        let lines: Vec<&str> = probes.iter().map(|probe| probe.text.as_str()).collect();
        let file = self.write("probes.c", &format!("{}\n", lines.join("\n")))?;
        let architecture: &[&str] = match target {
            Target::Wide => &["-fsyntax-only"],
            // gcc for Linux with Windows's alignment of 64-bit numbers, the one way in which the two layouts differ here.
            Target::WindowsI686 => &["-fsyntax-only", "-m32", "-malign-double"],
            Target::LinuxI686 => &["-fsyntax-only", "-m32"],
        };
        let (_, errors) = self.gcc(architecture, &file)?;
        let first = PRELUDE.lines().count() + 1;
        let mut failures = Vec::new();
        for error in errors.lines().filter(|line| line.contains("error: ")) {
            let line =
                error.strip_prefix(&format!("{}:", file.display())).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
            let index = line.and_then(|line| line.checked_sub(first)).ok_or_else(|| io::Error::other(errors.clone()))?;
            failures.push((index, error.to_owned()));
        }
        Ok(failures)
    }
}

/// The statements of preprocessed C: what ends with a semicolon outside of braces and parentheses.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split_inclusive(move |c: char| {
        depth += i32::from("({".contains(c)) - i32::from(")}".contains(c));
        depth == 0 && (c == ';' || c == '}')
    })
    .map(str::trim)
}

impl Declared {
    fn note(&mut self, statement: &str) {
        let words: Vec<&str> =
            statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        if words.first() == Some(&"typedef") || statement.starts_with('}') || words.len() == 1 {
            let before = statement.split("__attribute__").next().unwrap_or(statement);
            let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(|word| !word.is_empty());
            self.types.extend(name.map(str::to_owned));
            self.function_types.extend(words.iter().filter(|word| word.ends_with("_fn")).map(|word| (*word).to_owned()));
        } else if let Some((before, _)) = statement.split_once('(') {
            let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(|word| !word.is_empty());
            self.functions.extend(name.filter(|name| name.starts_with("cl")).map(str::to_owned));
        }
    }
}

/// The model's types as these headers write them. Status codes are `cl_int` there.
#[must_use]
pub fn dialect() -> Dialect<'static> {
    Dialect { calling_convention: "CL_CALLBACK", rename: &|name| (name == "cl_result").then(|| "cl_int".to_owned()) }
}

fn probe(name: &str, condition: &str) -> Probe {
    Probe { name: name.to_owned(), text: format!("_Static_assert({condition}, \"{name}\");") }
}

fn compatible(name: &str, left: &str, right: &str) -> Probe {
    probe(name, &format!("__builtin_types_compatible_p({left}, {right})"))
}

/// One probe for each value that the headers have.
#[must_use]
pub fn value_probes(model: &Model, declared: &Declared, target: Target) -> Vec<Probe> {
    let constants = model.constants.iter().map(|constant| (&constant.name, dialect().declare(&constant.ctype, ""), constant.value));
    let enumerators = model.enumerations.iter().flat_map(|enumeration| {
        let carrier = dialect().declare(&CType::named(&enumeration.repr), "");
        enumeration.enumerators.iter().map(move |enumerator| (&enumerator.name, carrier.clone(), enumerator.value))
    });
    let known = constants.chain(enumerators).filter(|(name, _, _)| declared.macros.contains(*name));
    known
        .map(|(name, ctype, value)| match value {
            Value::F32(number) if number.is_nan() => probe(name, &format!("{name} != {name}")),
            Value::F64(number) if number.is_nan() => probe(name, &format!("{name} != {name}")),
            Value::F32(number) if number.is_infinite() => probe(name, &format!("{name} == __builtin_inff()")),
            Value::F64(number) if number.is_infinite() => probe(name, &format!("{name} == __builtin_inf()")),
            // The casts drop the excess precision that 32-bit x86 computes with.
            Value::F32(number) => probe(name, &format!("(float)({name}) == (float){number:?}f")),
            Value::F64(number) => probe(name, &format!("(double)({name}) == (double){number:?}")),
            integer => probe(name, &format!("({ctype})({name}) == ({ctype}){}", c_integer(integer, target))),
        })
        .collect()
}

fn c_integer(value: Value, target: Target) -> String {
    let number = match value {
        Value::PerPointerWidth { narrow, .. } if target != Target::Wide => narrow,
        value => value.integer().unwrap_or_default(),
    };
    if number == i128::from(i64::MIN) {
        "(-9223372036854775807LL - 1)".to_owned()
    } else if number < 0 {
        format!("({number}LL)")
    } else {
        format!("{number}ULL")
    }
}

/// One probe for each function that the headers declare, and for each typedef of a pointer to one.
#[must_use]
pub fn function_probes(model: &Model, declared: &Declared) -> Vec<Probe> {
    let mut probes = Vec::new();
    for command in &model.commands {
        let ours = dialect().prototype(&command.returns, "(*)", command.parameters.iter().map(|parameter| &parameter.ctype));
        if declared.functions.contains(&command.symbol) {
            probes.push(compatible(&command.symbol, &format!("__typeof__(&{})", command.symbol), &ours));
        }
        let function_type = format!("{}_fn", command.symbol);
        if declared.function_types.contains(&function_type) {
            probes.push(compatible(&command.symbol, &function_type, &ours));
        }
    }
    probes
}

/// Probes for each type that the headers have: what carries it, and for a record its layout.
#[must_use]
pub fn type_probes(model: &Model, declared: &Declared, target: Target) -> Vec<Probe> {
    let mut probes = Vec::new();
    let has = |name: &str| declared.types.contains(name);
    for enumeration in model.enumerations.iter().filter(|enumeration| has(&enumeration.name)) {
        let carrier = dialect().declare(&CType::named(&enumeration.repr), "");
        probes.push(compatible(&enumeration.name, &enumeration.name, &carrier));
    }
    for alias in model.aliases.iter().filter(|alias| has(&alias.name) && alias.ctype != CType::Void) {
        probes.push(compatible(&alias.name, &alias.name, &dialect().declare(&alias.ctype, "")));
    }
    for handle in model.handles.iter().filter(|handle| has(&handle.name)) {
        probes.push(probe(&handle.name, &format!("sizeof({0}) == sizeof(void *) && ({0})0 == (void *)0", handle.name)));
    }
    for record in model.records.iter().filter(|record| record.parent.is_none() && has(&record.name)) {
        let name = &record.name;
        probes.push(probe(name, &format!("sizeof({name}) == {}", record.size.get(target))));
        probes.push(probe(name, &format!("_Alignof({name}) == {}", record.align.get(target))));
        let nameless = |ctype: &CType| model.records.iter().find(|inner| *ctype == CType::named(&inner.name));
        for member in &record.members {
            let offset = member.offset.get(target);
            match nameless(&member.ctype).filter(|_| member.nameless) {
                Some(inner) => {
                    for inner_member in &inner.members {
                        let at = if inner.kind == RecordKind::Union { offset } else { offset + inner_member.offset.get(target) };
                        member_probes(name, &inner_member.name, &inner_member.ctype, at, &mut probes);
                    }
                }
                None => member_probes(name, &member.name, &member.ctype, offset, &mut probes),
            }
        }
    }
    probes
}

fn member_probes(record: &str, member: &str, ctype: &CType, offset: u64, probes: &mut Vec<Probe>) {
    let ours = dialect().declare(ctype, "");
    probes.push(probe(record, &format!("__builtin_offsetof({record}, {member}) == {offset}")));
    probes.push(compatible(record, &format!("__typeof__((({record} *)0)->{member})"), &ours));
}
