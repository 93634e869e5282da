//! The OpenCL model, which comes from `cl.xml`, against what bindgen makes of the installed C headers: values, signatures, layouts.
//!
//! The two ways share no code until the facts are compared.

use std::collections::BTreeSet;

use clcu_codegen::{
    fetch::AtHand,
    model::{Model, Record, Value},
};
use clcu_tests::{
    opencl,
    opencl_bindgen::{self, Bindings, Number},
    opencl_differences::{self, FUNCTIONS, TYPES, VALUES},
    opencl_headers::Headers,
    upstream,
};

const TEST: &str = "bindgen_over_the_headers_gives_what_cl_xml_gives";

#[test]
fn bindgen_over_the_headers_gives_what_cl_xml_gives() {
    let model = opencl::model();
    let Some(libclang) = AtHand::in_this_repository().libclang else {
        upstream::skipped(TEST, "libclang (run `clcu fetch`, or set CLCU_LIBCLANG)");
        return;
    };
    let Some(headers) = Headers::find().expect("a directory for stubs") else {
        upstream::skipped(TEST, "opencl-c-headers");
        return;
    };
    let kept = opencl_bindgen::kept_names(&model);
    let bindings = opencl_bindgen::bindings(&headers, &libclang, &kept).unwrap_or_else(|error| panic!("{error}"));
    values(&model, &bindings);
    functions(&model, &bindings, &kept);
    layouts(&model, &bindings);
}

/// Notes a comparison: the name differs if the two sides do.
fn note<T: PartialEq + std::fmt::Debug>(different: &mut BTreeSet<String>, name: &str, ours: &T, theirs: &T) {
    if ours != theirs {
        println!("{name}: cl.xml {ours:?}, headers {theirs:?}");
        different.insert(name.to_owned());
    }
}

fn values(model: &Model, bindings: &Bindings) {
    let constants = model.constants.iter().map(|constant| (&constant.name, constant.value));
    let enumerators = model.enumerations.iter().flat_map(|enumeration| &enumeration.enumerators);
    let mut different = BTreeSet::new();
    let mut compared = 0;
    for (name, value) in constants.chain(enumerators.map(|enumerator| (&enumerator.name, enumerator.value))) {
        let Some(theirs) = bindings.values.get(name) else { continue };
        compared += 1;
        match (value, *theirs) {
            // bindgen takes each float for a double.
            #[allow(clippy::cast_possible_truncation)]
            (Value::F32(ours), Number::Float(theirs)) => note(&mut different, name, &ours, &(theirs as f32)),
            (Value::F64(ours), Number::Float(theirs)) => note(&mut different, name, &ours, &theirs),
            (value, theirs) => {
                let ours = value.integer().map(Number::Integer);
                note(&mut different, name, &ours, &Some(theirs));
            }
        }
    }
    println!("{TEST}: {compared} values");
    assert!(compared >= 1_050, "only {compared} values compared");
    opencl_differences::assert_explained(&different, &[VALUES]);
}

fn functions(model: &Model, bindings: &Bindings, kept: &BTreeSet<String>) {
    let mut different = BTreeSet::new();
    let mut compared = 0;
    for command in &model.commands {
        let parameters = command.parameters.iter().map(|parameter| &parameter.ctype);
        let ours = opencl_bindgen::function(model, kept, &command.returns, parameters);
        for name in [command.symbol.clone(), format!("{}_fn", command.symbol)] {
            if let Some(theirs) = bindings.functions.get(&name) {
                compared += 1;
                note(&mut different, &command.symbol, &ours, theirs);
            }
        }
    }
    println!("{TEST}: {compared} signatures");
    assert!(compared >= 300, "only {compared} signatures compared");
    opencl_differences::assert_explained(&different, &[FUNCTIONS]);
}

fn layouts(model: &Model, bindings: &Bindings) {
    let mut different = BTreeSet::new();
    let mut compared = 0;
    for record in model.records.iter().filter(|record| record.parent.is_none()) {
        for (what, ours) in numbers(record) {
            let theirs = bindings.layouts.get(&what);
            if theirs.is_some() || bindings.layouts.contains_key(&format!("Size of {}", record.name)) {
                compared += 1;
                note(&mut different, &record.name, &(&what, Some(&ours)), &(&what, theirs));
            }
        }
    }
    println!("{TEST}: {compared} sizes, alignments and offsets");
    assert!(compared >= 85, "only {compared} numbers of layouts compared");
    opencl_differences::assert_explained(&different, &[TYPES]);
}

/// The numbers of `record` under the names that bindgen gives them.
fn numbers(record: &Record) -> Vec<(String, u64)> {
    let name = &record.name;
    let mut numbers = vec![(format!("Size of {name}"), record.size.wide), (format!("Alignment of {name}"), record.align.wide)];
    for member in &record.members {
        // A nameless member is `__bindgen_anon_1`, of which bindgen asserts nothing.
        if !member.nameless {
            numbers.push((format!("Offset of field: {name}::{}", member.name), member.offset.wide));
        }
    }
    numbers
}
