//! One construct a case: `tests/fixtures/opencl-text/NAME.asciidoc`, in our words, and beside it what must come of it.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::{
    finding::{Document, Findings, Strictness},
    import::opencl::text::{
        TextFacts,
        facts::{Condition, Connective, ErrorList, Guard},
        import,
    },
};

macro_rules! cases {
    ($($case:ident)*) => {
        $(#[test] fn $case() { check(stringify!($case)); })*

        #[test]
        fn every_fixture_is_a_case() {
            let mut cases = vec![$(stringify!($case).replace('_', "-")),*];
            cases.sort();
            let mut files: Vec<String> = fs::read_dir(folder()).expect("the fixtures are in the repository")
                .map(|entry| entry.expect("a folder that can be listed").path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "asciidoc"))
                .map(|path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned())
                .collect();
            files.sort();
            assert_eq!(cases, files);
        }
    };
}

// C31 is `names_another_command`: a list that speaks of a command that it does not belong to.
cases! {
    alias_shares_list
    any_error_of_others
    bullet_too_deep
    bullet_without_code
    code_without_condition
    comments
    connectives
    crossed_guards
    deepest_bullet
    fails_without_a_code
    guarded_conditions
    handle_type_section
    inherited_list
    mark_up_in_a_sentence
    marked_list
    marker_without_list
    names_another_command
    never_fails
    no_list
    or_at_the_end
    page_without_body
    page_without_type
    property_table
    stray_endif
    three_depths
    unclosed_guard
    unclosed_table
    uneven_table
    unknown_directive
    unmarked_list
    where_a_list_ends
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/opencl-text"))
}

fn check(case: &str) {
    let name = case.replace('_', "-");
    let source = folder().join(format!("{name}.asciidoc"));
    let text = fs::read_to_string(source).expect("a case has a fixture");
    let document = Document::new(&format!("{name}.asciidoc"), &text);
    let found = match import(std::slice::from_ref(&document), Strictness::Strict) {
        Ok((facts, findings)) => format!("{}{}", facts_text(&facts), findings_text("said", &findings)),
        Err(findings) => {
            let lenient = import(&[document], Strictness::Lenient);
            let (facts, softened) = lenient.expect("lenient import refuses nothing");
            assert_eq!(findings.0.len(), softened.0.len(), "lenient import lists what strict import refuses");
            format!("{}{}", findings_text("refused", &findings), facts_text(&facts))
        }
    };
    let expected = folder().join(format!("{name}.facts"));
    if std::env::var_os("CLCU_BLESS").is_some() {
        fs::write(expected, found).expect("the fixtures can be written");
    } else {
        let wanted = fs::read_to_string(expected).expect("a case has what must come of it; CLCU_BLESS=1 writes it for review");
        assert_eq!(found, wanted, "{name}");
    }
}

fn findings_text(word: &str, findings: &Findings) -> String {
    findings.0.iter().fold(String::new(), |mut text, finding| {
        let _ = writeln!(text, "{word} {:?}: {finding}", finding.severity);
        text
    })
}

fn facts_text(facts: &TextFacts) -> String {
    let mut text = String::new();
    for page in &facts.pages {
        let (aliases, marked) = (page.aliases.join(" "), if page.marked { " marked" } else { "" });
        let _ =
            writeln!(text, "page {} {} [{aliases}] lines {}-{}{marked}", page.name, page.kind, page.lines.first, page.lines.last);
    }
    for list in &facts.lists {
        list_text(&mut text, list);
    }
    for table in &facts.tables {
        let _ = writeln!(text, "table {:?} [{}] {}", table.anchor, table.title, table.header.join(" | "));
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "  row {} | {}{}", row.names.join(" "), cells.join(" | "), guards_text(&row.guards));
        }
    }
    for section in &facts.sections {
        let _ = writeln!(text, "section {}", section.anchor);
        for part in &section.parts {
            let name = part.handle_type.as_deref().unwrap_or("-");
            let _ = writeln!(text, "  {} / {name}: {}{}", part.heading, part.prose, guards_text(&part.guards));
        }
    }
    text
}

fn list_text(text: &mut String, list: &ErrorList) {
    let _ = writeln!(text, "list {} lines {}-{}", list.command, list.lines.first, list.lines.last);
    for inheritance in &list.inherits {
        let (replaced, removed) = (inheritance.replaced.join(" "), inheritance.removed.join(" "));
        let _ = writeln!(text, "  inherits {} replaced [{replaced}] removed [{removed}]", inheritance.from);
    }
    for entry in &list.entries {
        let _ = write!(text, "  {}", entry.code.as_deref().unwrap_or("no code"));
        if let Some(replaces) = &entry.replaces {
            let _ = write!(text, " for {replaces}");
        }
        if let Some(under) = &entry.under {
            let _ = write!(text, " under `{under}`");
        }
        condition_text(text, &entry.condition, 2);
    }
}

fn condition_text(text: &mut String, condition: &Condition, depth: usize) {
    let connective = match condition.connective {
        Connective::None => "",
        Connective::Or => " OR",
        Connective::And => " AND",
    };
    let parts = condition.part_guards.iter().fold(String::new(), |text, guard| text + &format!(" (part: {guard})"));
    let line = condition.lines.first;
    let _ = writeln!(text, ": {}{connective}{}{parts} @{line}", condition.prose, guards_text(&condition.guards));
    for child in &condition.children {
        let _ = write!(text, "{}-", "  ".repeat(depth));
        condition_text(text, child, depth + 1);
    }
}

fn guards_text(guards: &[Guard]) -> String {
    guards.iter().fold(String::new(), |text, guard| text + &format!(" ({guard})"))
}
