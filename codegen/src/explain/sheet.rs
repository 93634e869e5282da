//! A page without a form: headings, paragraphs, tables and lists, in which names stand between backticks.
//!
//! In: what `explain`, `coverage` and the atlas have to say. Out: the same as text for a terminal, as Markdown, or as HTML.

/// Parts of a page, from the top.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// The parts.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A title, of this depth.
    Heading(usize, String),
    /// Some sentences.
    Paragraph(String),
    /// Rows under the titles of their columns.
    Table(Table),
    /// One thing after the other.
    Points(Vec<Point>),
}

/// Rows of equal length. The first column names the row.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows; empty where the heading above says so.
    pub caption: String,
    /// The titles of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// An item of a list.
#[derive(Clone, Debug)]
pub struct Point {
    /// What it says.
    pub text: String,
    /// Where that comes from.
    pub note: String,
}

impl Sheet {
    /// Adds a heading.
    pub fn heading(&mut self, depth: usize, text: impl Into<String>) {
        self.blocks.push(Block::Heading(depth, text.into()));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds a table, unless it would have no rows.
    pub fn table(&mut self, caption: impl Into<String>, head: &[&str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            let head = head.iter().map(ToString::to_string).collect();
            self.blocks.push(Block::Table(Table { caption: caption.into(), head, rows }));
        }
    }

    /// Adds a list, unless it would be empty.
    pub fn points(&mut self, points: Vec<Point>) {
        if !points.is_empty() {
            self.blocks.push(Block::Points(points));
        }
    }
}
