//! Proof that the CUDA model is what C compilers make of NVIDIA's headers: values, layouts, types of functions.

use std::{fs, process::Command};

use clcu_codegen::model::{Model, PerTarget, Target, Value};
use clcu_tests::{cuda, cuda_program::program, upstream};

/// What gcc needs to lay out as `target` does. `-malign-double` aligns 64-bit members on i686 as Windows does.
fn flags(target: Target) -> &'static [&'static str] {
    match target {
        Target::Wide => &["-m64"],
        Target::LinuxI686 => &["-m32"],
        Target::WindowsI686 => &["-m32", "-malign-double", "-D_WIN32", "-D__stdcall="],
    }
}

/// What gcc says of the program of `model`; `None`, having said so, without gcc. Nothing is linked, so no 32-bit library is needed.
fn compiled(test: &str, model: &Model, target: Target, room: &std::path::Path) -> Option<String> {
    if Command::new("gcc").arg("--version").output().is_err() {
        upstream::skipped(test, "gcc");
        return None;
    }
    let program = program(model, target);
    let values: usize = model.enumerations.iter().map(|one| one.enumerators.len()).sum();
    assert!(program.assertions > values + 2 * model.commands.len(), "only {} assertions", program.assertions);
    let source = room.join("model.c");
    fs::write(&source, &program.text).expect("the program can be written");
    let output = Command::new("gcc")
        .args(["-fsyntax-only", "-std=gnu11", "-nostdinc", "-w"])
        .args(flags(target))
        .arg("-I")
        .arg(room)
        .arg(&source)
        .output()
        .expect("gcc runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    println!("{target:?}: {} assertions", program.assertions);
    Some(said)
}

/// B44: gcc takes every function of the header for one of the type that the bindings give it, without a warning.
#[test]
fn the_model_is_what_c_compilers_make_of_the_headers() {
    let test = "the_model_is_what_c_compilers_make_of_the_headers";
    let (Some(model), Some((headers, _))) = (cuda::model(test), cuda::inputs(test)) else { return };
    for target in Target::ALL {
        let Some(said) = compiled(test, &model, target, headers.room()) else { return };
        assert_eq!(said, "", "{target:?}");
    }
}

type Spoil = fn(&mut Model);

#[test]
fn a_model_that_is_wrong_in_one_place_does_not_compile() {
    let test = "a_model_that_is_wrong_in_one_place_does_not_compile";
    let (Some(model), Some((headers, _))) = (cuda::model(test), cuda::inputs(test)) else { return };
    let faults: [(&str, Spoil); 4] = [
        ("CUDA_ERROR_INVALID_VALUE", |model| {
            let status = model.enumerations.iter_mut().find(|one| one.name == "CUresult").expect("CUresult");
            let value = status.enumerators.iter_mut().find(|one| one.name == "CUDA_ERROR_INVALID_VALUE").expect("the code");
            value.value = Value::Decimal(2);
        }),
        ("the offset of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1::flags", |model| {
            let record =
                model.records.iter_mut().find(|one| one.name == "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1").expect("the record");
            record.members.iter_mut().find(|one| one.name == "flags").expect("flags").offset = PerTarget::same(28);
        }),
        ("the type of cuInit", |model| {
            let command = model.commands.iter_mut().find(|one| one.symbol == "cuInit").expect("cuInit");
            command.parameters[0].ctype = "c_int".parse().expect("a type");
        }),
        ("the size of CUtensorMap", |model| {
            model.records.iter_mut().find(|one| one.name == "CUtensorMap").expect("CUtensorMap").size = PerTarget::same(64);
        }),
    ];
    for (about, spoil) in faults {
        let mut wrong = model.clone();
        spoil(&mut wrong);
        let Some(said) = compiled(test, &wrong, Target::Wide, headers.room()) else { return };
        assert!(said.contains(about), "{about}: {said}");
    }
}
