//! A [`Sheet`] as one HTML file: no scripts, and nothing that is loaded from elsewhere.
//!
//! Tables are real tables, with captions and scopes. On a narrow screen each row becomes a card with its own titles; the roles say that it
//! is still a table, which some browsers forget when its display changes.

use std::fmt::Write;

use crate::explain::sheet::{Block, Point, Sheet, Table};

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 120rem; padding: 1rem; }
p { max-width: 50rem; }
code { font-family: ui-monospace, monospace; font-size: 0.85em; overflow-wrap: break-word; }
table { border-collapse: collapse; margin: 1.5rem 0; width: 100%; }
caption { font-weight: bold; padding: 0.5rem 0; text-align: left; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.5rem; text-align: left; vertical-align: top; }
thead th { background: var(--soft); }
tbody th { font-weight: normal; }
@media (max-width: 70rem) {
  table, caption, tbody, tr, tbody th, td { display: block; }
  thead { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
  tr { border: 1px solid var(--line); border-radius: 0.4rem; margin-bottom: 0.8rem; }
  tbody th { background: var(--soft); font-weight: bold; }
  th, td { border: 0; }
  td::before { content: attr(data-title) \": \"; font-weight: bold; }
}
";

/// The page, called `title`, with `mark` in its first lines.
pub(super) fn render(sheet: &Sheet, title: &str, mark: &str) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n{mark}\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escaped(title)
    );
    for block in &sheet.blocks {
        match block {
            Block::Heading(depth, text) => line(&mut page, &format!("<h{depth}>{}</h{depth}>", rich(text))),
            Block::Paragraph(text) => line(&mut page, &format!("<p>{}</p>", rich(text))),
            Block::Table(one) => table(&mut page, one),
            Block::Points(points) => list(&mut page, points),
        }
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

fn table(page: &mut String, table: &Table) {
    line(
        page,
        &format!(
            "<table role=\"table\">\n<caption>{}</caption>\n<thead role=\"rowgroup\">\n<tr role=\"row\">",
            rich(&table.caption)
        ),
    );
    for title in &table.head {
        line(page, &format!("<th role=\"columnheader\" scope=\"col\">{}</th>", rich(title)));
    }
    line(page, "</tr>\n</thead>\n<tbody role=\"rowgroup\">");
    for row in &table.rows {
        line(page, "<tr role=\"row\">");
        for (at, (title, cell)) in table.head.iter().zip(row).enumerate() {
            let shown = rich(cell);
            line(
                page,
                &match at {
                    0 => format!("<th role=\"rowheader\" scope=\"row\">{shown}</th>"),
                    _ => format!("<td role=\"cell\" data-title=\"{}\">{shown}</td>", escaped(title)),
                },
            );
        }
        line(page, "</tr>");
    }
    line(page, "</tbody>\n</table>");
}

fn list(page: &mut String, points: &[Point]) {
    line(page, "<ul>");
    for Point { text, note } in points {
        let note = if note.is_empty() { String::new() } else { format!("<br/><small>{}</small>", rich(note)) };
        let _ = writeln!(page, "<li>{}{note}</li>", rich(text));
    }
    line(page, "</ul>");
}

/// With names as code.
fn rich(text: &str) -> String {
    let part = |(at, part): (usize, &str)| if at % 2 == 1 { format!("<code>{}</code>", breakable(part)) } else { escaped(part) };
    text.split('`').enumerate().map(part).collect()
}

/// A name that a browser may break after an underscore or before a bracket, where it does not fit.
fn breakable(name: &str) -> String {
    escaped(name).replace('_', "_<wbr/>").replace('[', "<wbr/>[")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
