//! That the pages show every row of the tables, and are well-formed.

use std::collections::BTreeSet;

use quick_xml::{Reader, events::Event};

use super::{Pairs, pages};
use crate::{
    finding::Document,
    model::{HandleType, Model, Owner},
    snapshot,
};

fn models() -> [Model; 2] {
    let read = |name: &str, text: &str| snapshot::read(&Document::new(name, text)).expect("a committed snapshot");
    [read("cuda.json", clcu_spec::CUDA), read("opencl.json", clcu_spec::OPENCL)]
}

fn texts() -> [String; 2] {
    let [cuda, opencl] = models();
    pages(&cuda, &opencl).map(|page| page.text)
}

/// Every element of a page with the text of its cells, in order; fails where it is not well-formed.
fn elements(html: &str) -> Vec<(String, String)> {
    let mut reader = Reader::from_str(html);
    reader.config_mut().check_end_names = true;
    let (mut open, mut found): (Vec<usize>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(start) => {
                open.push(found.len());
                found.push((start.name().as_ref().to_owned(), String::new()));
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) => {
                for at in &open {
                    found[*at].1.push_str(&text);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "every element ends");
    found
}

#[test]
fn the_page_is_well_formed_and_loads_nothing() {
    let [_, html] = texts();
    let elements = elements(&html);
    let names: BTreeSet<&str> = elements.iter().map(|(name, _)| name.as_str()).collect();
    for forbidden in ["script", "link", "img", "iframe", "object"] {
        assert!(!names.contains(forbidden), "{forbidden}");
    }
    for part in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!html.contains(part), "{part}");
    }
    assert!(html.contains("name=\"viewport\"") && html.contains("lang=\"en\""));
}

#[test]
fn every_table_has_a_caption_titles_and_a_name_for_each_row() {
    let [_, html] = texts();
    let count = |text: &str| html.matches(text).count();
    assert!(count("<table ") > 0);
    assert_eq!(count("<table "), count("<caption>"));
    assert_eq!(count("<tr role=\"row\">"), count("scope=\"row\"") + count("<thead "), "a row has a name, or is the titles");
}

#[test]
fn every_handle_type_has_a_row_for_its_pairs_and_one_for_its_properties() {
    let [markdown, html] = texts();
    let rows: Vec<(String, String)> = elements(&html).into_iter().filter(|(name, _)| name == "th").collect();
    let all: Vec<HandleType> = models().into_iter().flat_map(|model| model.handle_types).collect();
    assert!(all.len() >= 39, "{}", all.len());
    for row in &all {
        assert_eq!(rows.iter().filter(|(_, text)| *text == row.name).count(), 2, "{}", row.name);
        assert_eq!(markdown.matches(&format!("\n| `{}` |", row.name)).count(), 2, "{}", row.name);
    }
}

#[test]
fn a_row_says_who_owns_the_handle_as_the_table_does() {
    let [markdown, _] = texts();
    let lines: Vec<Vec<&str>> = markdown.lines().map(|line| line.split(" | ").collect()).collect();
    let word = |owner: Owner| match owner {
        Owner::Driver => "driver",
        Owner::Caller => "caller",
        Owner::None => "nobody",
        Owner::Unspecified => "unspecified",
    };
    for row in models().iter().flat_map(|model| &model.handle_types) {
        let name = format!("| `{}`", row.name);
        let cells = lines.iter().find(|cells| cells[0] == name && cells.len() > 6).expect("a row of properties");
        assert_eq!(cells[4..6], [word(row.owner_on_success), word(row.owner_on_failure)], "{}", row.name);
    }
}

#[test]
fn all_rows_of_a_markdown_table_have_as_many_cells_as_its_head() {
    let [markdown, _] = texts();
    let mut head = None;
    for line in markdown.lines() {
        let cells = line.replace("\\|", "").matches('|').count();
        match head {
            _ if !line.starts_with('|') => head = None,
            None => head = Some(cells),
            Some(wanted) => assert_eq!(cells, wanted, "{line}"),
        }
    }
}

#[test]
fn a_row_pairs_with_what_names_it_and_with_the_pairs_of_that() {
    let [cuda, opencl] = models();
    let rows: Vec<&HandleType> = cuda.handle_types.iter().chain(&opencl.handle_types).collect();
    let row = |name: &str| *rows.iter().find(|row| row.name == name).expect("a row");
    let fence = Pairs::of(row("CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR"), &rows);
    assert!(fence.cuda.contains("CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE"), "{fence:?}");
    assert!(fence.vulkan.contains("VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE_BIT"), "{fence:?}");
    let keyed = Pairs::of(row("CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX"), &rows);
    assert!(keyed.vulkan.is_empty() && keyed.d3d.contains("IDXGIKeyedMutex"), "{keyed:?}");
}
