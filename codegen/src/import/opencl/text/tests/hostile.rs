//! Text that nobody would write: whatever stands in a document, there is an answer and no panic, and lenient import refuses nothing.

use proptest::prelude::*;

use crate::{
    finding::{Document, Strictness},
    import::opencl::text::{Known, compare, import},
    rules::opencl::{Release, Vocabulary, read},
};

/// Lines that mean something to the importer, whole and broken, in any order.
fn line() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[open,refpage='clA',type='protos',alias='clB']",
        "[open,refpage='clA',type='protos'",
        "[open,refpage='",
        "--",
        "",
        "// refError",
        "{clA} returns. Otherwise, it returns one of the following errors:",
        "Otherwise, it returns the errors defined by {clA} except:",
        "{CL_X} is replaced with:",
        "{CL_X} error case is removed.",
        "{clA} will fail if",
        "  * {CL_X} if _a_ is `NULL`, or",
        "  * {CL_X}",
        "    ** if _a_ is zero and _b_ is `NULL` or _c_ is 0 and none of the following conditions are met:",
        "    *** {CL_Y} is set in _flags_",
        "  ****** too deep",
        "    indented",
        "ifdef::cl_khr_external_memory[]",
        "ifdef::cl_x[text]",
        "ifndef::a,b[]",
        "endif::cl_khr_external_memory[]",
        "endif::[]",
        "|====",
        "| Property | Property Value | Description",
        "| {CL_X_anchor} | {cl_x_TYPE}[] | (terminated with {CL_Y})",
        "[[external-memory-handle-types]]",
        "=== Heading",
        "  * {CL_EXTERNAL_MEMORY_HANDLE_X_KHR} specifies a POSIX file descriptor.",
        "[NOTE]",
        "====",
        "////",
        ".",
        "*",
        "{",
        "<<a, b",
        "`_é_ {ü} -1.5.",
    ]);
    prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "[ -~é]{0,30}"]
}

proptest! {
    #[test]
    fn any_document_is_read_or_refused(lines in prop::collection::vec(line(), 0..40), ending in prop::sample::select(vec!["\n", "\r\n"])) {
        let document = Document::new("a.asciidoc", &lines.join(ending));
        let _ = import(std::slice::from_ref(&document), Strictness::Strict);
        let (facts, findings) = import(&[document], Strictness::Lenient).expect("lenient import refuses nothing");
        for finding in findings.0 {
            prop_assert!(!finding.to_string().is_empty());
        }
        let _ = compare(&facts, &Known::default());
        let parameters = ["a", "b", "c", "flags"].map(|name| (name.to_owned(), "cl_x".to_owned())).to_vec();
        let vocabulary = Vocabulary {
            commands: [("clA".to_owned(), parameters.clone()), ("clB".to_owned(), parameters)].into(),
            ..Vocabulary::default()
        };
        let release = Release("1.0".to_owned());
        let reading = read(&facts, &vocabulary, &release, Strictness::Lenient).expect("lenient reading refuses nothing").0;
        prop_assert_eq!(reading.error_lists.len(), 2);
    }
}

#[test]
fn a_sentence_of_a_thousand_choices_is_refused_and_not_multiplied_out() {
    let choices = vec!["_a_ or _b_ is `NULL`"; 40].join(" and ");
    let text = format!(
        "ifdef::cl_khr_semaphore[]\n[open,refpage='clA',type='protos']\n--\n// refError\n\nOtherwise, it returns one of the following \
         errors:\n\n  * {{CL_X}} if {choices}.\n--\nendif::cl_khr_semaphore[]\n"
    );
    let facts = import(&[Document::new("a.asciidoc", &text)], Strictness::Strict).expect("the text is in order").0;
    let parameters = ["a", "b"].map(|name| (name.to_owned(), "cl_x".to_owned())).to_vec();
    let vocabulary = Vocabulary { commands: [("clA".to_owned(), parameters)].into(), ..Vocabulary::default() };
    let findings = read(&facts, &vocabulary, &Release("1.0".to_owned()), Strictness::Strict).expect_err("nobody means this");
    assert!(findings.to_string().contains("is not understood"), "{findings}");
}
