//! That rules read as what they say, and that pages fit the terminal that they are for.

use super::{
    common_member, markdown,
    sheet::{Point, Sheet},
    terminal::{self, Style},
    words::Words,
};
use crate::model::{Api, Condition, HandleType, Model, Rule};

fn rule(fields: &[&str], predicate: &str, when: &[&str]) -> Rule {
    let parsed = serde_json::json!({
        "id": "cuda/R/x", "subject": "R", "fields": fields, "predicate": predicate, "when": when, "origin": "derived", "since": null,
        "until": null
    });
    serde_json::from_value(parsed).expect("a rule")
}

fn handle_type(name: &str, short: &str, members: &[&str]) -> HandleType {
    let parsed = serde_json::json!({
        "api": "cuda", "kind": "memory", "name": name, "short": short, "members": members, "platform": "any",
        "transference": "unspecified", "permanence": "unspecified", "owner_on_success": "none", "owner_on_failure": "none",
        "payload": "none", "initial_state": "none", "required_flags": [], "allowed_flags": [], "exported_size": "never",
        "capability_query": null, "counterparts": {}, "since": null, "until": null
    });
    serde_json::from_value(parsed).expect("a handle type")
}

/// A model with the handle type `FD`, whose whole name is `X_FD`.
fn words() -> Words {
    Words::of(&Model { handle_types: vec![handle_type("X_FD", "FD", &["fd"])], ..Model::empty(Api::Cuda) })
}

#[test]
fn each_predicate_has_a_sentence_of_its_own() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&["a", "b"], "exactly_one_non_null", "exactly one of `a` and `b` is not null"),
        (&["a", "b"], "any_non_null", "at least one of `a` and `b` is not null"),
        (&["a", "b"], "all_or_none_null", "`a` and `b` are all null, or none of them is"),
        (&["p", "n"], "null_iff_zero", "`p` is null if `n` is zero, and only then"),
        (&["a"], "non_null", "`a` is not null"),
        (&["a"], "null", "`a` is null"),
        (&["a", "b", "c"], "zero", "`a`, `b` and `c` are zero"),
        (&["a"], "non_zero", "`a` is not zero"),
        (&["f"], "only_flags(A | B)", "`f` has no flag but `A` and `B`"),
        (&["f"], "must_have_flags(A)", "`f` has the flag `A`"),
        (&["f"], "lacks_flags(A | B)", "`f` has none of the flags `A` and `B`"),
        (&["a"], "one_of(A | 2 | -1)", "`a` is one of `A`, 2 or -1"),
        (&["a"], "none_of(A)", "`a` is not `A`"),
        (&["a"], "equal(1)", "`a` is equal to 1"),
        (&["a"], "not_equal(0)", "`a` is not equal to 0"),
        (&["a"], "at_most(most)", "`a` is at most `most`"),
        (&["a"], "at_least(1)", "`a` is at least 1"),
        (&["a"], "below(b.c)", "`a` is less than `b.c`"),
        (&["a"], "above(0)", "`a` is greater than 0"),
        (&["a"], "multiple_of(4)", "`a` is a multiple of 4"),
        (&["a"], "power_of_two", "`a` is a power of two"),
        (&["fd"], "fd_non_negative", "`fd` is a file descriptor, and so not negative"),
        (&["fd"], "fd_or_minus_one", "`fd` is a file descriptor, or −1"),
        (&["n"], "utf16_nul_terminated", "`n` is text of 16-bit units that ends with a zero"),
        (&["n"], "nul_terminated", "`n` is text that ends with a zero byte"),
        (&["l"], "list_terminated", "the list `l` ends with its terminator"),
        (&["l"], "no_duplicate_property", "the list `l` has no property twice"),
        (&["l"], "only_properties(A)", "the list `l` has no property but `A`"),
        (&["l"], "must_have_properties(A)", "the list `l` has `A`"),
        (&["l"], "exactly_one_property(A | B)", "the list `l` has exactly one of `A` and `B`"),
        (&["l"], "any_property(A | B)", "the list `l` has at least one of `A` and `B`"),
        (&["l"], "at_most_one_property(A | B)", "the list `l` has at most one of `A` and `B`"),
        (&["l"], "lacks_properties(A)", "the list `l` has none of `A`"),
        (&["l"], "at_most_values(1)", "the list `l` has at most 1 value"),
        (&["l"], "no_duplicates", "no element stands twice in `l`"),
        (&["a"], "unchanged", "`a` is what it was when the object was made"),
        (&[], "forbidden", "the call is refused, whatever it is given"),
        (&["h"], "attested(shared_nt_handle: ID3D12Fence)", "the caller vouches for `h`: shared nt handle (`ID3D12Fence`)"),
        (&[], "attested(resources_of_host)", "the caller vouches for this: resources of host"),
    ];
    for (fields, predicate, wanted) in cases {
        assert_eq!(words().demand(&rule(fields, predicate, &[])), *wanted, "{predicate}");
    }
}

#[test]
fn each_condition_is_said_and_handle_types_go_by_their_short_names() {
    let cases = [
        ("type in X_FD | B", "`type` is `FD` or `B`"),
        ("type not_in X_FD", "`type` is not `FD`"),
        ("type not_in A | B", "`type` is none of `A` and `B`"),
        ("flags has A", "`flags` has `A`"),
        ("given.extensions lacks cl_khr_x", "the list of extensions of the platform or device lacks `cl_khr_x`"),
        ("given.context_device_count above 1", "the number of devices in the context is greater than 1"),
        ("n below 2", "`n` is less than 2"),
        ("name null", "`name` is null"),
        ("name non_null", "`name` is not null"),
        ("n zero", "`n` is zero"),
        ("n non_zero", "`n` is not zero"),
        ("l[A] present", "`l[A]` is there"),
        ("l[A] absent", "`l[A]` is not there"),
        ("attested(attribute_unset: X)", "the caller knows of this: attribute unset (`X`)"),
    ];
    for (condition, wanted) in cases {
        let condition: Condition = condition.parse().expect("a condition");
        assert_eq!(words().conditions(&[condition]), wanted);
    }
    let whole = words().sentence(&rule(&["a"], "null", &["type in X_FD", "b zero"]));
    assert_eq!(whole, "`a` is null, when `type` is `FD` and `b` is zero");
}

#[test]
fn the_member_of_a_row_is_what_its_members_are_in() {
    let member = |members: &[&str]| common_member(&handle_type("X", "X", members));
    assert_eq!(member(&["handle.fd"]), "handle.fd");
    assert_eq!(member(&["handle.win32.handle", "handle.win32.name"]), "handle.win32");
    assert_eq!(member(&["handle.win", "handle.win32"]), "handle", "a name that begins like another is another");
    assert_eq!(member(&["a", "b"]), "a, b");
    assert_eq!(member(&[]), "");
}

fn sheet() -> Sheet {
    let mut sheet = Sheet::default();
    sheet.heading(1, "`cuFirst`");
    sheet.paragraph("Some words about `cuFirst` that are longer than a narrow terminal is wide.");
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    sheet.table(
        "",
        &["name", "what", "more"],
        vec![row(["`first`", "a | b", "one two three four five six seven"]), row(["`second`", "", "x"])],
    );
    sheet.points(vec![Point { text: "`a` is null".into(), note: "`cuda/R/x`".into() }]);
    sheet
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_letter_is_lost() {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    for width in [24, 30, 40, 80, 200] {
        let text = terminal::render(&sheet(), Style { width, colour: false });
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line:?}");
        }
        assert!(!text.contains('`') && !text.contains('\u{1b}'), "{text}");
        assert!(letters(&text) >= letters(&terminal::render(&sheet(), Style { width: 200, colour: false })), "{width}: {text}");
    }
}

#[test]
fn colour_changes_no_letter() {
    let plain = terminal::render(&sheet(), Style { width: 60, colour: false });
    let mut coloured = terminal::render(&sheet(), Style { width: 60, colour: true });
    assert!(coloured.contains("\x1b[36mcuFirst\x1b[0m"), "{coloured}");
    for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[36m"] {
        coloured = coloured.replace(code, "");
    }
    let trimmed: Vec<&str> = coloured.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
}

#[test]
fn columns_that_do_not_fit_follow_with_the_names_of_the_rows_again() {
    let mut sheet = Sheet::default();
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    sheet.table("", &["name", "left", "right"], vec![row(["a", "aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb"])]);
    let text = terminal::render(&sheet, Style { width: 30, colour: false });
    assert_eq!(text, "name  left\na     aaaaaaaaaaaaaaa\n\nname  right\na     bbbbbbbbbbbbbbb\n");
}

#[test]
fn a_bar_does_not_end_a_cell_of_markdown() {
    let text = markdown::render(&sheet());
    assert!(text.contains("| `first` | a \\| b | one"), "{text}");
    assert!(text.contains("\n- `a` is null  \n  `cuda/R/x`\n"), "{text}");
}
