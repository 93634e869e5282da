//! Tables that say what a name means: properties, queries, handle types.
//!
//! In: the lines of a document. Out: every table whose rows begin with a constant, row by row, with the extension that guards each. Tables
//! of other things (image formats, features, alignment) say nothing that a rule could rest on.

use crate::finding::{Document, Finding};

use super::{
    facts::{Guard, Row, Table},
    line::Line,
    page::Block,
    prose::{Kind, Prose},
};

/// The tables of names in `lines`, and what was wrong with any.
pub(super) fn tables(document: &Document, lines: &[Line<'_>], blocks: &[Block<'_, '_>]) -> (Vec<Table>, Vec<Finding>) {
    let (mut tables, mut findings) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = lines[at..].iter().position(|line| line.text == DELIMITER).map(|found| at + found) {
        let Some(length) = lines[start + 1..].iter().position(|line| line.text == DELIMITER) else {
            findings.push(
                Finding::error("a table is never closed")
                    .at(document.place(lines[start].range.clone()))
                    .wanted(format!("`{DELIMITER}`"))
                    .help("the document may be cut short: fetch it again"),
            );
            break;
        };
        let body = &lines[start + 1..start + 1 + length];
        at = start + length + 2;
        let number = lines[start].number;
        let page = blocks.iter().map(|block| &block.page).find(|page| page.lines.first < number && number < page.lines.last);
        let mut reader = Reader { document, cells: Vec::new() };
        reader.read(body);
        let header = Header::above(&lines[..start]);
        let place = document.place(lines[start].range.clone());
        match reader.finish() {
            Contents::Other => {}
            Contents::Names { header: columns, rows } => tables.push(Table {
                title: Prose::read(header.title).0,
                anchor: header.anchor.map(str::to_owned),
                page: page.map(|page| page.name.clone()),
                header: columns,
                rows,
                place,
            }),
            Contents::Uneven(finding) => findings.push(finding),
        }
    }
    (tables, findings)
}

const DELIMITER: &str = "|====";

/// What stands above a table.
struct Header<'a> {
    title: &'a str,
    anchor: Option<&'a str>,
}

impl<'a> Header<'a> {
    fn above(lines: &[Line<'a>]) -> Self {
        let mut header = Self { title: "", anchor: None };
        for line in lines.iter().rev().take_while(|line| !line.text.is_empty()) {
            if let Some(title) = line.text.strip_prefix('.') {
                header.title = title;
            } else if let Some(anchor) = line.text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]")) {
                header.anchor = Some(anchor);
            }
        }
        header
    }
}

/// A cell as it was written.
struct Cell<'l, 'a> {
    line: &'l Line<'a>,
    text: String,
}

enum Contents {
    Names { header: Vec<String>, rows: Vec<Row> },
    Uneven(Finding),
    Other,
}

struct Reader<'d, 'l, 'a> {
    document: &'d Document,
    cells: Vec<Cell<'l, 'a>>,
}

impl<'l, 'a> Reader<'_, 'l, 'a> {
    fn read(&mut self, body: &'l [Line<'a>]) {
        for line in body {
            let text = line.text.trim_start();
            if text.starts_with("include::") || text.starts_with("[[") {
                continue;
            }
            let mut pieces = text.split('|');
            let before = pieces.next().unwrap_or_default();
            if is_cell_specifier(before) && text.contains('|') {
                let cells = pieces.map(|piece| Cell { line, text: piece.trim().to_owned() });
                self.cells.extend(cells);
            } else if let Some(cell) = self.cells.last_mut() {
                cell.text.push('\n');
                cell.text.push_str(text);
            }
        }
    }

    /// The first line of cells is the header, and says how many columns there are.
    fn finish(self) -> Contents {
        let Some(first) = self.cells.first().map(|cell| cell.line.number) else { return Contents::Other };
        let columns = self.cells.iter().take_while(|cell| cell.line.number == first).count();
        let (header, cells) = self.cells.split_at(columns);
        if !cells.first().is_some_and(begins_with_a_constant) {
            return Contents::Other;
        }
        let uneven = |cell: &Cell<'_, '_>| {
            Finding::error("a table's cells do not fill its columns")
                .at(self.document.place(cell.line.range.clone()))
                .wanted(format!("{columns} cells a row, the first with a constant"))
        };
        let mut rows = Vec::new();
        for row in cells.chunks(columns) {
            let (Some((name, rest)), true) = (row.split_first(), row.len() == columns) else {
                return row.first().map_or(Contents::Other, |cell| Contents::Uneven(uneven(cell)));
            };
            if !begins_with_a_constant(name) {
                return Contents::Uneven(uneven(name));
            }
            let names = Prose::read(&name.text).0;
            rows.push(Row {
                names: names.names(&Kind::Constant).into_iter().map(str::to_owned).collect(),
                cells: rest.iter().map(|cell| Prose::read(&cell.text).0).collect(),
                guards: (*name.line.guards).clone() as Vec<Guard>,
                place: self.document.place(name.line.range.clone()),
            });
        }
        Contents::Names { header: header.iter().map(|cell| Prose::read(&cell.text).0.to_string()).collect(), rows }
    }
}

/// What may stand before the bar of a cell: nothing, or how it spans and is set.
fn is_cell_specifier(text: &str) -> bool {
    text.trim().chars().all(|c| matches!(c, 'a' | 'e' | 'l' | 'm' | 's' | '.' | '+' | '<' | '>' | '^') || c.is_ascii_digit())
}

fn begins_with_a_constant(cell: &Cell<'_, '_>) -> bool {
    Prose::read(&cell.text).0.tokens.first().is_some_and(|token| token.kind == Kind::Constant)
}
