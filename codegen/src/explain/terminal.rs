//! A [`Sheet`] as text for a terminal: as wide as that is, and in colour if it takes any.

use super::sheet::{Block, Point, Sheet, Table};

/// Narrower than this, nothing can be laid out.
const LEAST_WIDTH: usize = 24;
/// Longer lines are hard to read, whatever the terminal.
const MOST_PROSE: usize = 110;
/// Blanks between two columns.
const GAP: usize = 2;

const BOLD: &str = "1";
const DIM: &str = "2";
const NAME: &str = "36";

/// How the terminal is.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Columns of characters.
    pub width: usize,
    /// Whether it shows colour.
    pub colour: bool,
}

/// The page.
#[must_use]
pub fn render(sheet: &Sheet, style: Style) -> String {
    let style = Style { width: style.width.max(LEAST_WIDTH), ..style };
    let mut text = String::new();
    for block in &sheet.blocks {
        if !text.is_empty() && !matches!(block, Block::Points(_)) {
            text.push('\n');
        }
        for line in style.block(block) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

impl Style {
    fn block(self, block: &Block) -> Vec<String> {
        match block {
            Block::Heading(_, text) => Self::wrapped(text, self.width).iter().map(|line| self.paint(BOLD, &plain(line))).collect(),
            Block::Paragraph(text) => Self::wrapped(text, self.prose()).iter().map(|line| self.names(line)).collect(),
            Block::Table(table) => self.table(table),
            Block::Points(points) => points.iter().flat_map(|point| self.point(point)).collect(),
        }
    }

    fn prose(self) -> usize {
        self.width.min(MOST_PROSE)
    }

    fn point(self, point: &Point) -> Vec<String> {
        let lines = Self::wrapped(&point.text, self.prose() - 4);
        let marked =
            lines.iter().enumerate().map(|(at, line)| format!("  {} {}", if at == 0 { "•" } else { " " }, self.names(line)));
        let note = Self::wrapped(&point.note, self.prose() - 4);
        let note = note.iter().filter(|line| !line.is_empty()).map(|line| format!("    {}", self.paint(DIM, &plain(line))));
        marked.chain(note).collect()
    }

    /// The table in columns. Columns that do not fit beside the others follow below, with the names of the rows again; where the terminal is
    /// too narrow for even two, each row is a list of its cells.
    fn table(self, table: &Table) -> Vec<String> {
        let columns = table.head.len();
        let cells = |column: usize| std::iter::once(&table.head).chain(&table.rows).filter_map(move |row| row.get(column));
        let natural: Vec<usize> = (0..columns).map(|column| cells(column).map(|cell| width(cell)).max().unwrap_or(0)).collect();
        let least: Vec<usize> =
            (0..columns).map(|column| cells(column).map(|cell| longest_word(cell)).max().unwrap_or(0)).collect();
        let Some(parts) = split(&least, self.width) else { return self.stacked(table) };
        let mut lines = Vec::new();
        for part in parts {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            let pick = |widths: &[usize]| -> Vec<usize> { part.iter().map(|at| widths[*at]).collect() };
            let of = |row: &[String]| -> Vec<String> { part.iter().filter_map(|at| row.get(*at).cloned()).collect() };
            let widths = fit(&pick(&natural), &pick(&least), self.width - GAP * (part.len() - 1));
            lines.extend(self.row(&of(&table.head), &widths, Some(BOLD)));
            for row in &table.rows {
                lines.extend(self.row(&of(row), &widths, None));
            }
        }
        lines
    }

    fn row(self, row: &[String], widths: &[usize], colour: Option<&str>) -> Vec<String> {
        let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| Self::wrapped(cell, *width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let mut text = String::new();
            for (cell, wide) in cells.iter().zip(widths) {
                let part = cell.get(at).map_or("", String::as_str);
                let padding = " ".repeat(wide + GAP - width(part).min(*wide));
                let shown = colour.map_or_else(|| self.names(part), |colour| self.paint(colour, &plain(part)));
                text.push_str(&shown);
                text.push_str(&padding);
            }
            text
        };
        (0..height).map(line).collect()
    }

    fn stacked(self, table: &Table) -> Vec<String> {
        let mut lines = Vec::new();
        for row in &table.rows {
            for (at, (title, cell)) in table.head.iter().zip(row).enumerate() {
                let indent = if at == 0 { "" } else { "  " };
                let text = if at == 0 { cell.clone() } else { format!("{title}: {cell}") };
                let wrapped = Self::wrapped(&text, self.width - indent.len());
                lines.extend(wrapped.iter().map(|line| format!("{indent}{}", self.names(line))));
            }
        }
        lines
    }

    /// `text` in lines of at most `width` characters; a longer word is broken. A name that is broken keeps its backticks on both lines.
    fn wrapped(text: &str, most: usize) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            for piece in pieces(word, most) {
                let line = lines.last_mut().map(|line| (width(line), line));
                match line {
                    Some((0, line)) => line.push_str(&piece),
                    Some((used, line)) if used + 1 + width(&piece) <= most => {
                        line.push(' ');
                        line.push_str(&piece);
                    }
                    _ => lines.push(piece),
                }
            }
        }
        lines
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// `text` with names in colour instead of backticks.
    fn names(self, text: &str) -> String {
        text.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { self.paint(NAME, part) } else { part.to_owned() }).collect()
    }
}

/// Without backticks.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

fn width(text: &str) -> usize {
    text.chars().filter(|c| *c != '`').count()
}

fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(width).max().unwrap_or(0)
}

/// `word`, in pieces of at most `most` characters.
fn pieces(word: &str, most: usize) -> Vec<String> {
    if width(word) <= most {
        return vec![word.to_owned()];
    }
    let named = word.contains('`');
    let letters: Vec<char> = word.chars().filter(|c| *c != '`').collect();
    let whole = |piece: &[char]| {
        let piece: String = piece.iter().collect();
        if named { format!("`{piece}`") } else { piece }
    };
    letters.chunks(most.max(1)).map(whole).collect()
}

/// The columns of each part of a table, the first among them in every part; nothing where the first leaves no room for another.
fn split(least: &[usize], room: usize) -> Option<Vec<Vec<usize>>> {
    let first = least.first().copied().unwrap_or(0);
    let mut parts = vec![vec![0]];
    let mut used = first;
    for (at, width) in least.iter().enumerate().skip(1) {
        if first + GAP + width > room {
            return None;
        }
        if used + GAP + width > room {
            parts.push(vec![0]);
            used = first;
        }
        used += GAP + width;
        parts.last_mut()?.push(at);
    }
    (first <= room).then_some(parts)
}

/// Widths for columns that are `natural`ly wider than `room`: the widest give way first, none below its longest word.
fn fit(natural: &[usize], least: &[usize], room: usize) -> Vec<usize> {
    let mut widths = natural.to_vec();
    while widths.iter().sum::<usize>() > room {
        let widest = (0..widths.len()).filter(|at| widths[*at] > least[*at]).max_by_key(|at| widths[*at]);
        let Some(widest) = widest else { break };
        widths[widest] -= 1;
    }
    widths
}
