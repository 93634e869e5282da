//! Sentences in upstream's syntax, in words of our own.

use super::*;

fn sentences(text: &str) -> Vec<String> {
    read(text).sentences.iter().map(Sentence::normalised).collect()
}

#[test]
fn a_full_stop_ends_a_sentence_and_a_line_break_does_not() {
    assert_eq!(sentences("The lamp\nis lit. It stays lit"), ["The lamp is lit", "It stays lit"]);
}

#[test]
fn an_abbreviation_ends_no_sentence() {
    assert_eq!(sentences("A lamp, e.g. the red one. Done."), ["A lamp , e.g. the red one", "Done"]);
    assert_eq!(sentences("A lamp of type x.y.z that. shines"), ["A lamp of type x.y.z that shines"]);
}

#[test]
fn markup_leaves_no_trace() {
    let marked = read("::CU_LAMP must be in \\p lamps, see \\ref cuLampOpen().").sentences;
    let plain = read("CU_LAMP must be\nin lamps, see cuLampOpen.").sentences;
    assert_eq!(marked[0].normalised(), plain[0].normalised());
    assert_eq!(marked[0].hash(), plain[0].hash());
    assert_eq!(marked[0].tokens[4].kind, Kind::Local);
    assert_eq!(plain[0].tokens[4].kind, Kind::Word);
}

#[test]
fn one_changed_word_changes_the_hash() {
    assert_ne!(read("A must be zero").sentences[0].hash(), read("A must be one").sentences[0].hash());
}

#[test]
fn a_list_of_names_belongs_to_the_sentence_that_introduces_it() {
    let text = "Valid when colour is one of the following:\n- ::CU_RED\n- ::CU_BLUE\nExactly one of 'a' and 'b' must be lit.";
    assert_eq!(
        sentences(text),
        ["Valid when colour is one of the following : CU_RED CU_BLUE", "Exactly one of a and b must be lit"]
    );
    let text = "If colour is one of the following:\n- ::CU_RED\n- ::CU_BLUE\nthen 'a' must be lit.";
    assert_eq!(sentences(text), ["If colour is one of the following : CU_RED CU_BLUE then a must be lit"]);
}

#[test]
fn a_list_item_that_says_more_than_a_name_is_a_sentence() {
    assert_eq!(sentences("Mind this:\n- \\p a must be lit\n- \\p b too"), ["Mind this :", "a must be lit", "b too"]);
}

#[test]
fn sections_are_known() {
    let prose = read("\\brief Lights\n\nBody.\n\n\\note Mind it.\n\\param[out] lamp - Which one\n\\param b Two\n");
    let sections: Vec<_> = prose.sentences.iter().map(|sentence| sentence.section.clone()).collect();
    assert_eq!(
        sections,
        [
            Section::Brief,
            Section::Body,
            Section::Aside("note".into()),
            Section::Parameter("lamp".into()),
            Section::Parameter("b".into())
        ]
    );
}

#[test]
fn a_return_list_is_names_and_its_absence_is_not_the_empty_list() {
    let prose = read("\\returns\n::CUDA_SUCCESS,\nCUDA_ERROR_LAMP (if dark)\n\\notefnerr\n\\sa ::cuOther");
    let returns = prose.returns.unwrap();
    assert_eq!(returns.names, [("CUDA_SUCCESS".to_owned(), 1), ("CUDA_ERROR_LAMP".to_owned(), 2)]);
    assert!(prose.earlier_errors);
    assert!(prose.sentences.is_empty());
    assert_eq!(read("Nothing.").returns, None);
    assert!(!read("Nothing.").earlier_errors);
}

#[test]
fn code_is_kept_apart_with_its_line() {
    let prose = read("It is\n\\code\nstruct lamp {\n  int x;\n};\n\\endcode\nwhere x. Then");
    assert_eq!(prose.code, [Code { line: 2, text: "struct lamp {\n  int x;\n};\n".to_owned() }]);
    assert_eq!(prose.sentences.len(), 3);
}

#[test]
fn a_sentence_knows_its_lines() {
    let prose = read("One.\nTwo begins\nand ends. Three.");
    let lines: Vec<_> = prose.sentences.iter().map(|sentence| sentence.lines.clone()).collect();
    assert_eq!(lines, [0..1, 1..3, 2..3]);
}

#[test]
fn numbers_names_and_quotes_are_told_apart() {
    let prose = read("Set 'a' to 16 or CU_MAX but CUDA is a word");
    let kinds: Vec<_> = prose.sentences[0].tokens.iter().map(|token| (token.text.as_str(), token.kind)).collect();
    assert_eq!(kinds[1], ("a", Kind::Local));
    assert_eq!(kinds[3], ("16", Kind::Number));
    assert_eq!(kinds[5], ("CU_MAX", Kind::Name));
    assert_eq!(kinds[7], ("CUDA", Kind::Word));
}
