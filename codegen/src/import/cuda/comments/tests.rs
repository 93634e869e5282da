use super::{Comment, SubjectKind, comments};
use crate::import::cuda::testing;

/// Subject, item, member, kind and text of every comment of a `cuda.h` that says `text`, and the findings.
fn read(test: &str, header: &str) -> Option<(Vec<Comment>, String)> {
    let libclang = testing::libclang(test)?;
    let (found, findings) = comments(&testing::headers(header), &libclang).expect("a header without errors");
    Some((found, findings.to_string()))
}

fn of<'a>(found: &'a [Comment], subject: &str) -> &'a Comment {
    found.iter().find(|comment| comment.subject == subject).unwrap_or_else(|| panic!("no comment of {subject} in {found:?}"))
}

#[test]
fn a_member_of_a_nested_record_has_a_path_and_an_item() {
    let text = "typedef struct A_st {\n    union {\n        struct {\n            /**\n             * b\n             */\n            void *name;\n        } win32;\n    } handle;\n} A_v1;\ntypedef A_v1 A;\n";
    let Some((found, findings)) = read("a_member_of_a_nested_record_has_a_path_and_an_item", text) else { return };
    let comment = of(&found, "A::handle::win32::name");
    assert_eq!((comment.item.as_str(), comment.member.as_deref()), ("A_v1_handle_win32", Some("name")));
    assert_eq!((comment.lines, comment.text.as_str()), ((4, 6), "\nb\n"));
    assert_eq!(comment.place_of_line(1).line(), 5);
    assert_eq!(findings, "");
}

#[test]
fn a_member_without_a_name_is_called_after_its_first_member() {
    let text = "typedef struct A_st {\n    int type;\n    union {\n        int id; /**< b */\n        struct { int x; } y; /**< c */\n    };\n} A;\n";
    let Some((found, _)) = read("a_member_without_a_name_is_called_after_its_first_member", text) else { return };
    assert_eq!(of(&found, "A::id").item, "A_id_union");
    assert_eq!(of(&found, "A::y").item, "A_id_union");
}

#[test]
fn a_command_is_named_by_its_symbol_and_keeps_what_is_written() {
    let text = "#define cuA cuA_v2\n/** \\defgroup G g\n * @{ */\n/** \\deprecated b */\nint cuA(int c);\n/** @} */\n";
    let Some((found, _)) = read("a_command_is_named_by_its_symbol_and_keeps_what_is_written", text) else { return };
    let comment = of(&found, "cuA_v2");
    assert_eq!((comment.kind, comment.spelled.as_str(), comment.group.as_deref()), (SubjectKind::Command, "cuA", Some("G")));
    assert!(comment.is_deprecated());
}

#[test]
fn comments_of_macros_are_found() {
    let text = "/**\n * b\n */\n#define CU_A 1\n#define CU_C 2 /**< d */\n/// e\n#define CU_E ((void *)0)\n";
    let Some((found, findings)) = read("comments_of_macros_are_found", text) else { return };
    let texts = ["CU_A", "CU_C", "CU_E"].map(|name| of(&found, name).text.as_str());
    assert_eq!((texts, findings.as_str()), (["\nb\n", "d", "e"], ""));
}

#[test]
fn a_plain_comment_belongs_to_the_member_before_it_or_after_it() {
    let text = "typedef struct A_st {\n    int b; /* c */\n    /* d\n     * e */\n    int f;\n} A;\n";
    let Some((found, findings)) = read("a_plain_comment_belongs_to_the_member_before_it_or_after_it", text) else { return };
    assert_eq!((of(&found, "A::b").text.as_str(), of(&found, "A::f").text.as_str()), ("c", "d\ne"));
    assert!(!of(&found, "A::f").doxygen);
    assert_eq!(findings, "");
}

#[test]
fn a_comment_for_doxygen_that_belongs_to_nothing_is_listed() {
    let text = "int a;\n\n/** b */\n";
    let Some((found, findings)) = read("a_comment_for_doxygen_that_belongs_to_nothing_is_listed", text) else { return };
    assert!(found.is_empty());
    assert_eq!(findings, "cuda.h:3:1: a comment for Doxygen belongs to nothing\n");
}

#[test]
fn windows_has_comments_of_its_own() {
    let text = "#ifdef _WIN32\n/** b */\nint cuA(void);\n#endif\n";
    let Some((found, _)) = read("windows_has_comments_of_its_own", text) else { return };
    assert_eq!(of(&found, "cuA").kind, SubjectKind::Command);
}

#[test]
fn a_header_that_breaks_off_is_an_error_with_its_place() {
    let test = "a_header_that_breaks_off_is_an_error_with_its_place";
    let Some(libclang) = testing::libclang(test) else { return };
    let findings = comments(&testing::headers("typedef struct A_st {\n    int b;\n"), &libclang).expect_err("no brace");
    assert!(findings.to_string().starts_with("cuda.h:3:1: "), "{findings}");
}
