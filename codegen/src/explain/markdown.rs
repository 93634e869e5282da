//! A [`Sheet`] as Markdown, with tables as GitHub has them.

use super::sheet::{Block, Sheet, Table};

/// The page, which ends with a line break.
#[must_use]
pub fn render(sheet: &Sheet) -> String {
    let blocks: Vec<String> = sheet.blocks.iter().map(block).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(depth, text) => format!("{} {text}", "#".repeat(*depth)),
        Block::Paragraph(text) => text.clone(),
        Block::Table(table) => rows(table),
        Block::Points(points) => {
            let point =
                |text: &str, note: &str| if note.is_empty() { format!("- {text}") } else { format!("- {text}  \n  {note}") };
            points.iter().map(|one| point(&one.text, &one.note)).collect::<Vec<_>>().join("\n")
        }
    }
}

fn rows(table: &Table) -> String {
    // A bar would end the cell, in a code span as well.
    let line =
        |cells: &[String]| format!("| {} |", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
    let mut lines = vec![line(&table.head), format!("|{}", " --- |".repeat(table.head.len()))];
    lines.extend(table.rows.iter().map(|row| line(row)));
    let caption = if table.caption.is_empty() { String::new() } else { format!("{}:\n\n", table.caption) };
    caption + &lines.join("\n")
}
