//! What is read from the real headers, against what gcc's preprocessor and their text say.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use clcu_codegen::{
    finding::{Document, Severity, Strictness},
    import::cuda::{Headers, SubjectKind, import},
    model::{Api, EnumerationKind, HandleRepr, Model},
    pass,
    rules::{self, reviewed::Reviewed},
    snapshot,
};
use clcu_tests::{cuda, opencl::overlay, upstream};

/// The headers after gcc's preprocessor, on one line; `None`, having said so, without gcc.
fn preprocessed(test: &str, headers: &Headers, include: &[&str], arguments: &[&str]) -> Option<String> {
    let source = headers.room().join("preprocessed.c");
    let lines: Vec<String> = include.iter().map(|name| format!("#include <{name}>")).collect();
    fs::write(&source, lines.join("\n") + "\n").expect("the source can be written");
    let output =
        Command::new("gcc").args(["-E", "-P", "-nostdinc", "-I"]).arg(headers.room()).args(arguments).arg(&source).output();
    let Ok(output) = output else {
        upstream::skipped(test, "gcc");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The functions that a preprocessed text declares: what follows `CUresult` and stands before a parenthesis.
fn functions(preprocessed: &str) -> BTreeSet<String> {
    let words = preprocessed.split("CUresult").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
        (rest.starts_with("cu") && rest[end..].trim_start().starts_with('(')).then(|| rest[..end].to_owned())
    });
    words.collect()
}

/// B07, of the default release.
#[test]
fn every_function_that_gcc_sees_is_a_command() {
    let test = "every_function_that_gcc_sees_is_a_command";
    let (Some((headers, _)), Some(model)) = (cuda::inputs(test), cuda::model(test)) else { return };
    let all = ["vdpau/vdpau.h", "cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"];
    for (arguments, windows) in [(&[][..], false), (&["-D_WIN32", "-D__stdcall="][..], true)] {
        let Some(seen_by_gcc) = preprocessed(test, &headers, &all, arguments) else { return };
        let commands = model.commands.iter().filter(|one| windows || !one.windows).map(|one| one.symbol.clone());
        assert_eq!(functions(&seen_by_gcc), commands.collect(), "windows: {windows}");
    }
    let Some(seen_by_gcc) = preprocessed(test, &headers, &["cuda.h"], &[]) else { return };
    let of_cuda = model.commands.iter().filter(|one| one.header.as_deref() == Some("cuda.h")).count();
    println!("cuda.h: {of_cuda} functions");
    assert_eq!(functions(&seen_by_gcc).len(), of_cuda);
}

#[test]
fn every_per_thread_name_that_gcc_sees_is_that_of_a_command() {
    let test = "every_per_thread_name_that_gcc_sees_is_that_of_a_command";
    let (Some((headers, _)), Some(model)) = (cuda::inputs(test), cuda::model(test)) else { return };
    let all = ["vdpau/vdpau.h", "cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"];
    let Some(seen_by_gcc) = preprocessed(test, &headers, &all, &["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]) else { return };
    let per_thread = |name: &String| name.ends_with("_ptds") || name.ends_with("_ptsz");
    let mut seen: BTreeSet<String> = functions(&seen_by_gcc).into_iter().filter(per_thread).collect();
    // A function that the header itself defines, and no driver exports.
    seen.retain(|name| !seen_by_gcc.contains(&format!("static inline CUresult {name}")));
    let commands: BTreeSet<String> = model.commands.iter().filter_map(|one| one.per_thread_symbol.clone()).collect();
    println!("{} per-thread names", commands.len());
    assert_eq!(seen, commands);
    let unversioned: Vec<_> =
        model.commands.iter().filter(|one| one.per_thread_symbol.is_some() && one.per_thread_version.is_none()).collect();
    assert!(unversioned.is_empty(), "{unversioned:?}");
}

#[test]
fn every_macro_that_gcc_sees_is_a_constant_or_a_name_or_listed() {
    let test = "every_macro_that_gcc_sees_is_a_constant_or_a_name_or_listed";
    let (Some((headers, _)), Some(model), Some((facts, _))) = (cuda::inputs(test), cuda::model(test), cuda::facts(test)) else {
        return;
    };
    let macros = |include: &[&str]| -> Option<BTreeSet<String>> {
        let listed = preprocessed(test, &headers, include, &["-dM"])?;
        let names = listed.lines().filter_map(|line| line.strip_prefix("#define ")?.split([' ', '(']).next().map(str::to_owned));
        Some(names.collect())
    };
    let stubs = ["stdlib.h", "stdint.h", "GL/gl.h", "EGL/egl.h", "EGL/eglext.h", "vdpau/vdpau.h"];
    let (Some(of_stubs), Some(all)) = (macros(&stubs), macros(&["cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"])) else { return };
    let known: BTreeSet<&str> = (model.constants.iter().map(|one| one.name.as_str()))
        .chain(model.omitted.iter().map(|one| one.name.as_str()))
        .chain(facts.functions.iter().flat_map(|one| [one.spelled.as_str(), one.symbol.as_str()]))
        .collect();
    let lost: Vec<_> = all.difference(&of_stubs).filter(|name| !known.contains(name.as_str())).collect();
    assert!(all.len() > of_stubs.len() + 100, "gcc lists macros");
    assert!(lost.is_empty(), "{lost:?}");
}

/// The number of each thing, counted in the headers of 13.5 by other means than ours.
#[test]
fn release_13_5_has_as_many_of_each_as_was_counted() {
    let test = "release_13_5_has_as_many_of_each_as_was_counted";
    let Some((facts, _)) = cuda::facts(test) else { return };
    if facts.number != 13050 {
        upstream::skipped(test, "CUDA 13.5");
        return;
    }
    let (model, _) = pass::cuda::model(facts, &overlay(), "13.5").unwrap_or_else(|findings| panic!("{findings}"));
    let header = |place: &clcu_codegen::finding::Place| place.document().name() == "cuda.h";
    let enumerations: Vec<_> = facts.enumerations.iter().filter(|one| header(&one.place)).collect();
    let enumerators: usize = enumerations.iter().map(|one| one.enumerators.len()).sum();
    let opaque = facts.typedefs.iter().filter(|one| one.opaque && one.place.as_ref().is_some_and(header)).count();
    assert_eq!((enumerations.len(), enumerators, opaque), (123, 991, 27));
    let mut commands = BTreeMap::new();
    for command in &model.commands {
        *commands.entry((command.header.as_deref().unwrap_or(""), command.windows)).or_insert(0) += 1;
    }
    let wanted = [
        (("cuda.h", false), 492),
        (("cudaEGL.h", false), 12),
        (("cudaGL.h", false), 12),
        (("cudaGL.h", true), 1),
        (("cudaVDPAU.h", false), 4),
    ];
    assert_eq!(commands, BTreeMap::from(wanted));
    let aliases = model.enumerations.iter().flat_map(|one| &one.enumerators).filter(|one| one.alias_of.is_some()).count();
    assert_eq!(aliases, 9);
}

#[test]
fn what_people_wrote_down_about_the_headers_is_so() {
    let Some(model) = cuda::model("what_people_wrote_down_about_the_headers_is_so") else { return };
    let command = |symbol: &str| model.commands.iter().find(|one| one.symbol == symbol).unwrap_or_else(|| panic!("no {symbol}"));
    let version = |symbol: &str| (command(symbol).name.as_str(), command(symbol).version);
    assert_eq!(version("cuMemcpy"), ("cuMemcpy", Some(4000)));
    assert_eq!(command("cuMemcpy").per_thread_version, Some(7000));
    assert_eq!(version("cuGetProcAddress_v2"), ("cuGetProcAddress", Some(12000)));
    assert_eq!(version("cuImportExternalSemaphore"), ("cuImportExternalSemaphore", Some(10000)));
    assert_eq!(command("cuImportExternalSemaphore").group.as_deref(), Some("CUDA_EXTRES_INTEROP"));
    assert_eq!(version("cuMemAlloc_v2"), ("cuMemAlloc", Some(3020)));
    let record = |name: &str| model.records.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no {name}"));
    let descriptor = record("CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1");
    let offset = |name: &str| descriptor.members.iter().find(|one| one.name == name).map(|one| one.offset.wide);
    assert_eq!((descriptor.size.wide, descriptor.align.wide, offset("handle"), offset("flags")), (96, 8, Some(8), Some(24)));
    let sizes =
        ["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1", "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1", "CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1"];
    assert_eq!(sizes.map(|name| record(name).size.wide), [144, 104, 88]);
    let status: Vec<_> = model.enumerations.iter().filter(|one| one.kind == EnumerationKind::Status).map(|one| &one.name).collect();
    assert_eq!(status, ["CUresult"]);
    let pointer = model.handles.iter().find(|one| one.name == "CUdeviceptr").map(|one| &one.repr);
    assert_eq!(pointer, Some(&HandleRepr::Address));
}

#[test]
fn the_model_holds_together_and_nothing_in_the_overlay_is_stale() {
    let test = "the_model_holds_together_and_nothing_in_the_overlay_is_stale";
    let Some((facts, _)) = cuda::facts(test) else { return };
    let overlay = overlay();
    let reviewed =
        Reviewed::read(Document::new("spec/reviewed.toml", clcu_spec::REVIEWED)).unwrap_or_else(|findings| panic!("{findings}"));
    let (mut model, _) = pass::cuda::model(facts, &overlay, "test").unwrap_or_else(|findings| panic!("{findings}"));
    let (rules, _) = rules::cuda::rules(&facts.comments, &model, &overlay, &reviewed, Strictness::Strict)
        .unwrap_or_else(|findings| panic!("{findings}"));
    rules.apply(&mut model);
    let findings = pass::validate::validate(&model);
    assert!(!findings.has_errors(), "{findings}");
    assert_eq!(overlay.stale(Api::Cuda).to_string(), "");
}

#[test]
fn reading_twice_gives_the_same() {
    let test = "reading_twice_gives_the_same";
    let (Some((headers, libclang)), Some(first)) = (cuda::inputs(test), cuda::model(test)) else { return };
    let (facts, _) = import(&headers, &libclang, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"));
    let second = cuda::model_of(&facts);
    assert_eq!(snapshot::write(&first), snapshot::write(&second));
    let read: Model =
        snapshot::read(&Document::new("cuda.json", &snapshot::write(&first))).unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(read, first);
}

#[test]
fn every_comment_for_doxygen_is_attached_or_listed() {
    let test = "every_comment_for_doxygen_is_attached_or_listed";
    let Some((headers, libclang)) = cuda::inputs(test) else { return };
    let (comments, findings) =
        clcu_codegen::import::cuda::comments(&headers, &libclang).unwrap_or_else(|findings| panic!("{findings}"));
    for document in headers.documents() {
        let opened = document.text().matches("/**").count() + document.text().matches("/*!").count();
        let known: usize = (comments.iter().filter(|one| one.document.name() == document.name()))
            .map(|one| (one.range.start, one.range.end))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|(start, end)| {
                document.text()[start..end].matches("/**").count() + document.text()[start..end].matches("/*!").count()
            })
            .sum();
        let listed =
            findings.0.iter().filter_map(|one| one.place.as_ref()).filter(|place| place.document().name() == document.name());
        let listed = listed
            .map(|place| &document.text()[place.range()])
            .map(|text| text.matches("/**").count() + text.matches("/*!").count())
            .sum::<usize>();
        println!("{}: {opened} comments, {known} attached, {listed} listed", document.name());
        assert_eq!(opened, known + listed, "{}", document.name());
    }
    assert!(comments.iter().any(|one| one.kind == SubjectKind::Command), "commands have comments");
    assert!(findings.0.iter().all(|one| one.severity < Severity::Error));
}

/// The header broken off at each of many places: an error that names a place, and no panic.
/// B43.
#[test]
fn a_header_that_breaks_off_anywhere_is_an_error_with_its_place() {
    let test = "a_header_that_breaks_off_anywhere_is_an_error_with_its_place";
    let Some((headers, libclang)) = cuda::inputs(test) else { return };
    let whole = headers.document("cuda.h").expect("cuda.h").text();
    for start in
        ["typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {", "typedef enum cudaError_enum {", "cuCtxCreate(CUcontext"]
    {
        let at = whole.find(start).unwrap_or_else(|| panic!("no `{start}`")) + start.len();
        let broken =
            Headers::from_documents(vec![Document::new("cuda.h", &whole[..at])]).unwrap_or_else(|findings| panic!("{findings}"));
        let findings = import(&broken, &libclang, Strictness::Strict).expect_err("it breaks off").to_string();
        assert!(findings.contains("cuda.h:"), "{findings}");
    }
    assert!(Headers::read(Path::new("nowhere")).expect_err("nothing there").to_string().contains("`cuda.h` cannot be read"));
}

/// C23
#[test]
fn references_that_lead_nowhere_are_listed() {
    let test = "references_that_lead_nowhere_are_listed";
    let Some((facts, _)) = cuda::facts(test) else { return };
    let (_, findings) = pass::cuda::model(facts, &overlay(), "test").unwrap_or_else(|findings| panic!("{findings}"));
    let said = findings.to_string();
    for name in ["CU_MEMHOSTERGISTER_READ_ONLY", "CUDA_EXTERNAL_SEMAPHORE_PARAMS::params::keyedmutex::key"] {
        assert!(said.contains(&format!("refers to `{name}`")), "{name}: {said}");
    }
    // Declared, under another name than the record's own.
    assert!(!said.contains("`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::"), "{said}");
    println!("{} references lead nowhere", said.matches("refers to").count());
}
