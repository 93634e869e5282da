//! Compiles the mock drivers of `tests/mock/` for Windows: in, every variant that a test asks for; out, `compiled.rs`, with each library in
//! it, so that the test program brings its drivers along and runs where there is no compiler.
//!
//! For any other system it does nothing.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// A source, and how it is compiled: the arguments in the order in which the test gives them.
type Variant = (&'static str, &'static [&'static str]);

const VARIANTS: &[Variant] = &[
    ("cuda.c", &[]),
    ("cuda.c", &["-DDRIVER_VERSION=11000", "-DWITHOUT_cuGetProcAddress", "-DWITHOUT_cuGetProcAddress_v2"]),
    ("cuda.c", &["-DDRIVER_VERSION=11030", "-DWITHOUT_cuGetProcAddress_v2"]),
    ("cuda.c", &["-DDRIVER_VERSION=11080"]),
    ("cuda.c", &["-DDRIVER_VERSION=12040"]),
    ("cuda.c", &["-DDRIVER_VERSION=12040", "-DWITHOUT_cuCtxCreate_v4"]),
    ("cuda.c", &["-DDRIVER_VERSION=13990"]),
    ("cuda.c", &["-DGARBAGE"]),
    ("cuda.c", &["-DGARBAGE", "-DWITHOUT_cuGetProcAddress_v2"]),
    ("cuda.c", &["-DSTUB"]),
    ("cuda.c", &["-DSTUB_INIT"]),
    ("cuda.c", &["-DUNKNOWN_RESULT=12345"]),
    ("cuda.c", &["-DVERSION_FAILS=999"]),
    ("cuda.c", &["-DWITHOUT_cuCtxCreate_v4", "-DWITHOUT_cuCtxSynchronize_v2", "-DWITHOUT_cuDeviceGetAttribute"]),
    ("cuda.c", &["-DWITHOUT_cuCtxSynchronize_v2"]),
    ("cuda.c", &["-DWITHOUT_cuDestroyExternalMemory"]),
    ("cuda.c", &["-DWITHOUT_cuDestroyExternalSemaphore", "-DWITHOUT_cuWaitExternalSemaphoresAsync"]),
    ("cuda.c", &["-DWITHOUT_cuGetProcAddress", "-DWITHOUT_cuGetProcAddress_v2"]),
    ("cuda.c", &["-DWITHOUT_cuMemFree_v2"]),
    ("icd.c", &[]),
    ("opencl.c", &[]),
    (
        "opencl.c",
        &[
            "-DANSWERS_TO_EVERYTHING",
            "-DEXTENSIONS_1=\"cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd_x x_cl_khr_external_semaphore_sync_fd\"",
        ],
    ),
    ("opencl.c", &["-DEXTENSIONS_0=\"cl_khr_external_memory cl_khr_semaphore\""]),
    ("opencl.c", &["-DEXTENSIONS_0=\"cl_khr_icd\"", "-DDEVICE_EXTENSIONS_0=\"cl_khr_semaphore\""]),
    ("opencl.c", &["-DLIST_FAILS=-6"]),
    ("opencl.c", &["-DNULL_ENTRY"]),
    ("opencl.c", &["-DNULL_ENTRY", "-DPLATFORMS=0"]),
    ("opencl.c", &["-DPLATFORMS=0"]),
    ("opencl.c", &["-DPLATFORMS=1"]),
    ("opencl.c", &["-DVENDOR", "-DPLATFORMS=1"]),
    ("opencl.c", &["-DWITHOUT_clCreateBufferWithProperties"]),
    ("opencl.c", &["-DWITHOUT_clGetExtensionFunctionAddressForPlatform"]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../mock");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    headers(&out.join("include"));
    let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let numbered: Vec<_> = VARIANTS.iter().enumerate().collect();
    thread::scope(|scope| {
        for part in numbered.chunks(numbered.len().div_ceil(cores)) {
            scope.spawn(|| part.iter().for_each(|(number, variant)| compile(variant, &out, &library(&out, *number))));
        }
    });
    let mut text = String::from("const LIBRARIES: &[(&str, &[&str], &[u8])] = &[\n");
    for (number, (source, arguments)) in numbered {
        let path = library(&out, number).display().to_string();
        writeln!(text, "    ({source:?}, &{arguments:?}, include_bytes!({path:?})),").expect("it is a text");
    }
    text.push_str("];\n");
    fs::write(out.join("compiled.rs"), text).expect("cargo's directory can be written to");
}

fn library(out: &Path, number: usize) -> PathBuf {
    out.join(format!("{number}.dll"))
}

/// Copies the headers of OpenCL, which are for every system, out of a directory with headers that are for this one alone.
fn headers(include: &Path) {
    fs::create_dir_all(include.join("CL")).expect("cargo's directory can be written to");
    for entry in fs::read_dir("/usr/include/CL").expect("the headers are there (apt-get install opencl-c-headers)") {
        let header = entry.expect("the directory can be listed").path();
        fs::copy(&header, include.join("CL").join(header.file_name().expect("it has a name"))).expect("it can be copied");
    }
}

/// # Panics
/// If there is no compiler, or it refuses the source: a test program without its drivers is of no use.
fn compile((source, arguments): &Variant, out: &Path, library: &Path) {
    let mut gcc = Command::new("x86_64-w64-mingw32-gcc");
    // Statically, so that nothing of the compiler's has to lie beside the library.
    gcc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-shared", "-static", "-s", "-pthread"]);
    // What a text is formatted by, and what OpenCL calls out of date, the compiler for Linux has looked at.
    gcc.args(["-D__USE_MINGW_ANSI_STDIO=1", "-Wno-format", "-Wno-deprecated-declarations", "-I"]).arg(out.join("include"));
    gcc.args(*arguments).arg("-o").arg(library).arg(Path::new("../mock").join(source));
    let status = gcc.status().expect("mingw's compiler is there (apt-get install gcc-mingw-w64-x86-64)");
    assert!(status.success(), "{gcc:?}: {status}");
}
