//! Golden cases of OpenCL: one construct or fault a file, from a registry of a few lines to findings and model.
//!
//! A file of `fixtures/opencl` is the registry, then, each in an XML comment, `overlay` (entries that the case needs), `expected` (what strict import
//! and the passes say, and the model), and `expected lenient`, where that differs.

use std::{fs, path::Path};

use clcu_codegen::{
    finding::{Document, Findings, Severity, Strictness},
    import::opencl::registry,
    model::Api,
    overlay::Overlay,
    pass,
};
use clcu_tests::opencl_listing::listing;

/// The section called `name`: the text of the XML comment that begins with it.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- {name}\n"))?;
    rest.split_once("-->").map(|(section, _)| section.trim())
}

fn said(findings: &Findings) -> String {
    let line = |finding: &clcu_codegen::finding::Finding| {
        let severity = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        format!("{severity} {finding}\n")
    };
    findings.0.iter().map(line).collect()
}

/// What import and passes make of `text`.
fn outcome(name: &str, text: &str, strictness: Strictness) -> String {
    let overlay = Document::new("overlay.toml", section(text, "overlay").unwrap_or(""));
    let overlay = Overlay::read(overlay).unwrap_or_else(|findings| panic!("{name}: {findings}"));
    let (registry, findings) = match registry::import(&Document::new(name, text), strictness) {
        Ok(imported) => imported,
        Err(findings) => return said(&findings),
    };
    let before = said(&findings);
    match pass::opencl::model(&registry, &overlay, "test") {
        Ok((model, findings)) => format!("{before}{}{}{}", said(&findings), said(&overlay.stale(Api::OpenCl)), listing(&model)),
        Err(findings) => format!("{before}{}", said(&findings)),
    }
}

#[test]
fn every_case_is_what_its_file_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/opencl");
    let mut files: Vec<_> = fs::read_dir(directory).expect("the fixtures").map(|entry| entry.expect("a fixture").path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "xml")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
        let text = fs::read_to_string(path).expect("a fixture in UTF-8");
        for (section_name, strictness) in [("expected", Strictness::Strict), ("expected lenient", Strictness::Lenient)] {
            let Some(expected) = section(&text, section_name) else {
                assert!(strictness == Strictness::Lenient, "{name} expects nothing");
                continue;
            };
            let found = outcome(name, &text, strictness);
            if found.trim() != expected {
                wrong.push(format!("{name}, {section_name}:\n{expected}\n--- found:\n{}\n", found.trim()));
            }
        }
    }
    assert!(files.len() >= 30, "only {} cases", files.len());
    assert!(wrong.is_empty(), "{} cases differ\n\n{}", wrong.len(), wrong.join("\n"));
}
