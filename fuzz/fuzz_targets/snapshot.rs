//! A snapshot: whatever the bytes are, reading gives a model or findings; a model that was read is written as a text that reads as the
//! same model.
#![no_main]

use clcu_codegen::{finding::Document, snapshot};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::from_bytes("spec/fuzz.json", bytes) else { return };
    match snapshot::read(&document) {
        Ok(model) => {
            let text = snapshot::write(&model);
            let again = snapshot::read(&Document::new("spec/fuzz.json", &text)).expect("what was written can be read");
            assert_eq!(snapshot::write(&again), text);
        }
        Err(findings) => assert!(findings.has_errors()),
    }
});
