//! The words of a paragraph.
//!
//! In: the lines of a paragraph with their numbers. Out: tokens, one list a sentence. Markup is gone (`\p x` is a name of a parameter,
//! `::X` and `\ref X` are names), so that two texts that differ in markup read the same.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word of prose.
    Word,
    /// A name of the API, marked as one (`::cuMemFree`) or evident by its form (`CU_MEM_HANDLE_TYPE_NONE`).
    Name,
    /// A parameter, by `\p`; or a name in single quotes, which the header uses for neighbouring members.
    Local,
    /// A number.
    Number,
    /// A mark: `,` `:` `;` `(` `)` `-` (of a list item).
    Mark,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// What it says, without markup.
    pub text: String,
    /// The line of the comment's text that it stands in.
    pub line: usize,
    /// Upstream marks it as a name of the API that documentation links to.
    pub linked: bool,
}

impl Token {
    /// Whether it is the word `word`, whatever the case of its first letter.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        let mut ours = self.text.chars();
        let mut wanted = word.chars();
        self.kind == Kind::Word
            && ours.next().map(|c| c.to_ascii_lowercase()) == wanted.next().map(|c| c.to_ascii_lowercase())
            && ours.as_str() == wanted.as_str()
    }

    /// Whether it is the mark `mark`.
    #[must_use]
    pub fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// The sentences of a paragraph.
pub(super) fn tokens(lines: &[(usize, &str)]) -> Vec<Vec<Token>> {
    let mut splitter = Splitter { sentences: Vec::new(), current: Vec::new(), in_list: false };
    for (number, line) in lines {
        splitter.line(*number, line);
    }
    splitter.end();
    splitter.sentences
}

struct Splitter {
    sentences: Vec<Vec<Token>>,
    current: Vec<Token>,
    /// The line before was an item of a list that the sentence introduces.
    in_list: bool,
}

impl Splitter {
    fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim();
        let item = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")).or_else(|| trimmed.strip_prefix("\\li "));
        if let Some(item) = item {
            if is_lone_name(item) {
                self.in_list = true;
            } else {
                self.end();
            }
            self.words(number, item.trim());
        } else {
            // A list has no full stop: what follows it with a capital letter and is no name begins a sentence.
            if self.in_list && trimmed.starts_with(|c: char| c.is_ascii_uppercase()) && !is_lone_name(trimmed) {
                self.end();
            }
            self.in_list = false;
            self.words(number, trimmed);
        }
    }

    fn end(&mut self) {
        self.in_list = false;
        if !self.current.is_empty() {
            self.sentences.push(std::mem::take(&mut self.current));
        }
    }

    fn push(&mut self, kind: Kind, text: &str, line: usize) {
        self.current.push(Token { kind, text: text.to_owned(), line, linked: false });
    }

    fn words(&mut self, number: usize, line: &str) {
        let mut pieces = line.split_whitespace().peekable();
        while let Some(piece) = pieces.next() {
            let ends = match piece {
                "\\p" | "\\c" | "\\a" | "\\e" | "\\b" | "\\em" => match pieces.next() {
                    Some(name) => self.piece(number, name, piece != "\\e" && piece != "\\b" && piece != "\\em"),
                    None => false,
                },
                "\\ref" | "\\n" => false,
                _ => self.piece(number, piece, false),
            };
            // A full stop ends a sentence unless it goes on with a small letter, as after an abbreviation.
            if ends && pieces.peek().is_none_or(|next| !next.starts_with(|c: char| c.is_ascii_lowercase())) {
                self.end();
            }
        }
    }

    /// Adds what stands between two spaces; says whether it ends with a full stop.
    fn piece(&mut self, number: usize, piece: &str, local: bool) -> bool {
        let mut core = piece;
        while let Some(rest) = core.strip_prefix(['(', '[', '"', '<']) {
            self.push(Kind::Mark, &core[..1], number);
            core = rest;
        }
        core = core.trim_end_matches("\\n").trim_end_matches("<br>");
        let mut after = Vec::new();
        let mut stop = false;
        loop {
            core = core.strip_suffix("()").unwrap_or(core);
            let Some(mark) = core.chars().last().filter(|c| matches!(c, '.' | ',' | ':' | ';' | ')' | ']' | '"' | '>' | '!' | '?'))
            else {
                break;
            };
            if mark == '.' && (ABBREVIATIONS.contains(&core) || core == ".") {
                break;
            }
            if mark == ']' && core.contains('[') {
                break;
            }
            core = &core[..core.len() - 1];
            if matches!(mark, '.' | '!' | '?') {
                stop = true;
            } else {
                after.push(mark);
            }
        }
        if !core.is_empty() {
            let (kind, text) = kind(core, local);
            let linked = kind == Kind::Name && core.starts_with("::");
            self.current.push(Token { kind, text: text.to_owned(), line: number, linked });
        }
        for mark in after.into_iter().rev() {
            self.push(Kind::Mark, mark.encode_utf8(&mut [0; 4]), number);
        }
        stop
    }
}

/// Short forms whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 5] = ["i.e.", "e.g.", "etc.", "vs.", "approx."];

fn kind(core: &str, local: bool) -> (Kind, &str) {
    if core == "-" || core == "--" {
        return (Kind::Mark, core);
    }
    if local {
        return (Kind::Local, core.trim_start_matches(['*', '&']).trim_start_matches("::"));
    }
    if let Some(name) = core.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (Kind::Local, name);
    }
    if let Some(name) = core.strip_prefix("::") {
        return (Kind::Name, name);
    }
    if let Some(name) = core.strip_prefix("\\p").filter(|name| name.starts_with('*')) {
        return (Kind::Local, name.trim_start_matches('*'));
    }
    if core.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
        && core.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    {
        return (Kind::Number, core);
    }
    if is_name(core) { (Kind::Name, core) } else { (Kind::Word, core) }
}

/// Whether a word is a name of the API by its form.
fn is_name(word: &str) -> bool {
    let first = word.split([':', '.']).next().unwrap_or(word);
    let identifier = !first.is_empty() && first.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let typed = |prefix: &str, next: fn(char) -> bool| word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(next));
    identifier
        && (word.starts_with("CU_")
            || word.starts_with("CUDA_")
            || typed("cu", |c| c.is_ascii_uppercase())
            || typed("CU", |c| c.is_ascii_lowercase()))
}

/// Whether an item of a list is one name and nothing else.
fn is_lone_name(item: &str) -> bool {
    let item = item.trim().trim_end_matches([',', '.', ';']);
    let name = item.strip_prefix("::").unwrap_or(item);
    !name.contains(char::is_whitespace) && (item.starts_with("::") || is_name(name))
}
