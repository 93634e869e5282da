//! `cl.xml`: whatever the bytes are, import gives facts or findings, and every finding can be shown.
#![no_main]

use clcu_codegen::{
    finding::{Document, Strictness},
    import::opencl::registry,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::from_bytes("cl.xml", bytes) else { return };
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        match registry::import(&document, strictness) {
            Ok((_, findings)) => assert!(!findings.has_errors()),
            Err(findings) => assert!(findings.has_errors()),
        }
    }
});
