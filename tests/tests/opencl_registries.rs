//! Every published state of `cl.xml` imports, or says what is wrong and where.

use std::fs;

use clcu_codegen::{
    finding::{Document, Severity, Strictness},
    import::opencl::registry,
};
use clcu_tests::upstream;

#[test]
fn debug() {
    for (name, path) in upstream::opencl_registries() {
        let text = fs::read_to_string(path).unwrap();
        let document = Document::new("cl.xml", &text);
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            match registry::import(&document, strictness) {
                Ok((r, f)) => println!(
                    "{name}: ok {} {} {} {}\n{f}",
                    r.types.len(),
                    r.commands.len(),
                    r.blocks.iter().map(|b| b.entries.len()).sum::<usize>(),
                    r.extensions.len()
                ),
                Err(f) => println!("{name}: ERR {f}"),
            }
        }
    }
}
