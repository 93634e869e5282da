//! The error list of a command: which codes, under which conditions.
//!
//! In: the block of a reference page. Out: its [`ErrorList`], if it has one. A list begins at a paragraph that introduces one, after the
//! comment `// refError` where there is such a comment, and ends at the first chunk that is neither a bullet nor an introduction of
//! further errors; a later introduction takes it up again. Within it, what is not understood is an error: a condition that got lost would
//! be a rule that is not checked.

use crate::finding::{Document, Finding};

use super::{
    chunk::{Chunk, Shape},
    facts::{Condition, Connective, ErrorEntry, ErrorList, Guard, Inheritance, Lines},
    page::Block,
    prose::{Kind, Prose, Token},
};

/// What a list has to say besides its facts.
pub(super) struct Read {
    pub list: Option<ErrorList>,
    /// What was not understood: errors, or warnings if import is lenient.
    pub unknown: Vec<Finding>,
    /// Mistakes of the text, which do not hinder reading it.
    pub mistakes: Vec<Finding>,
}

/// Reads the error list of `block`.
pub(super) fn read(document: &Document, block: &Block<'_, '_>) -> Read {
    let mut reader = Reader::new(document, block);
    let chunks = Chunk::all(block.lines);
    let start = chunks.iter().position(|chunk| chunk.shape == Shape::Marker).map_or(0, |at| at + 1);
    for chunk in &chunks[start..] {
        reader.chunk(chunk);
    }
    reader.finish()
}

/// A paragraph, by what it does to a list.
enum Role {
    /// Introduces the list.
    Begin,
    /// Introduces conditions under which the command fails without a code.
    Codeless,
    /// Says that the command cannot fail.
    Never,
    /// Takes over the lists of other commands.
    Inherit(Vec<String>),
    /// The following bullets replace those for this code.
    Replaced(String),
    /// The inherited code does not apply.
    Removed(String),
    /// The following bullets come on top of those inherited.
    Added,
    /// The following bullets have a condition in common.
    Under,
    /// Something else.
    Other,
}

/// The deepest bullets that asciidoc has.
const DEEPEST: usize = 5;

/// How far a list is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not introduced yet.
    Before,
    /// Bullets belong to it.
    Open,
    /// Something else interrupted it.
    Ended,
}

/// A list as far as it was read.
struct Reader<'d, 'b> {
    document: &'d Document,
    block: &'b Block<'b, 'b>,
    state: State,
    span: Option<Lines>,
    introduction: Prose,
    inherits: Vec<Inheritance>,
    entries: Vec<ErrorEntry>,
    codeless: bool,
    replaces: Option<String>,
    under: Option<Prose>,
    unknown: Vec<Finding>,
    mistakes: Vec<Finding>,
}

impl<'d, 'b> Reader<'d, 'b> {
    fn new(document: &'d Document, block: &'b Block<'b, 'b>) -> Self {
        Self {
            document,
            block,
            state: State::Before,
            span: None,
            introduction: Prose::default(),
            inherits: Vec::new(),
            entries: Vec::new(),
            codeless: false,
            replaces: None,
            under: None,
            unknown: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_, '_>) {
        match (chunk.shape, self.state) {
            (Shape::Paragraph, _) => self.paragraph(chunk),
            (Shape::Bullet(depth), State::Open) => self.bullet(chunk, depth),
            (Shape::Indented, State::Open) => self.unknown.push(
                Finding::error("indented text stands alone in an error list")
                    .at(chunk.place(self.document))
                    .wanted("a bullet, or a paragraph at the left margin"),
            ),
            (Shape::Markup | Shape::Marker, State::Open) => self.state = State::Ended,
            _ => {}
        }
    }

    fn paragraph(&mut self, chunk: &Chunk<'_, '_>) {
        let (prose, findings) = chunk.prose(self.document);
        let role = role(&prose);
        if matches!(role, Role::Other) {
            if self.state == State::Open {
                self.state = State::Ended;
            }
            return;
        }
        if self.state == State::Before {
            if !matches!(role, Role::Begin | Role::Codeless | Role::Never | Role::Inherit(_)) {
                return;
            }
            self.check_names(&prose);
            self.introduction = prose.clone();
        }
        self.state = State::Open;
        self.mistakes.extend(findings);
        self.extend(chunk);
        match role {
            Role::Inherit(from) => {
                let under = prose.has("if any of the").then_some(prose);
                let inherit = |from| Inheritance { from, under: under.clone(), replaced: Vec::new(), removed: Vec::new() };
                self.inherits.extend(from.into_iter().map(inherit));
                self.replaces = None;
                self.under = under;
            }
            Role::Replaced(code) => {
                self.alter(chunk, |inheritance| inheritance.replaced.push(code.clone()));
                self.replaces = Some(code);
            }
            Role::Removed(code) => self.alter(chunk, |inheritance| inheritance.removed.push(code.clone())),
            Role::Added => self.replaces = None,
            Role::Under => self.under = Some(prose),
            Role::Codeless => self.codeless = true,
            Role::Never => self.state = State::Ended,
            Role::Begin | Role::Other => {}
        }
    }

    /// Replacements and removals speak of the one list that is taken over.
    fn alter(&mut self, chunk: &Chunk<'_, '_>, change: impl FnOnce(&mut Inheritance)) {
        match self.inherits.last_mut() {
            Some(inheritance) => change(inheritance),
            None => self
                .unknown
                .push(Finding::error("a code is replaced or removed, but no list is taken over").at(chunk.place(self.document))),
        }
    }

    fn extend(&mut self, chunk: &Chunk<'_, '_>) {
        let span = chunk.span();
        let first = self.span.map_or(span.first, |begun| begun.first);
        self.span = Some(Lines { first, last: span.last });
    }

    /// The introduction should name the command that the page documents.
    fn check_names(&mut self, prose: &Prose) {
        let page = &self.block.page;
        let own = |name: &str| page.name == name || page.aliases.iter().any(|alias| alias == name);
        let subject = prose.tokens.iter().take_while(|token| !token.is("defined")).filter(|token| token.kind == Kind::Command);
        let strangers: Vec<&Token> = subject.filter(|token| !own(&token.text)).collect();
        for token in strangers {
            self.mistakes.push(
                Finding::warning(format!("the error list of `{}` names another command", page.name))
                    .at(self.document.place(token.at..token.at + token.width))
                    .found(format!("`{}`", token.text))
                    .wanted(format!("`{}`", page.name))
                    .help("a slip of the specification; the list is taken as that of the page's command"),
            );
        }
    }

    fn bullet(&mut self, chunk: &Chunk<'_, '_>, depth: usize) {
        self.extend(chunk);
        for (guard, line) in chunk.part_guards() {
            if let Guard::Without(extension) = guard {
                self.unknown.push(
                    Finding::error("a part of a sentence stands only where an extension is absent")
                        .at(self.document.place(line.range.clone()))
                        .found(format!("`ifndef::{extension}`"))
                        .wanted("`ifndef` around whole bullets"),
                );
            }
        }
        let (prose, findings) = chunk.prose(self.document);
        self.mistakes.extend(findings);
        if depth > DEEPEST {
            self.too_deep(chunk, depth);
        } else if depth == 1 {
            self.entry(chunk, prose);
        } else {
            self.condition(chunk, prose, depth);
        }
    }

    fn entry(&mut self, chunk: &Chunk<'_, '_>, mut prose: Prose) {
        let names_a_code = prose.tokens.first().is_some_and(|token| token.kind == Kind::Constant);
        if !self.codeless && !names_a_code && !prose.has("any error relating to") {
            self.unknown.push(
                Finding::error("a bullet of an error list does not begin with a code")
                    .at(chunk.place(self.document))
                    .found(prose.tokens.first().map_or_else(|| "nothing".to_owned(), |token| format!("`{}`", token.text)))
                    .wanted("`{CL_…}`"),
            );
            return;
        }
        let code = (names_a_code && !self.codeless).then(|| prose.tokens.remove(0).text);
        self.entries.push(ErrorEntry {
            code,
            condition: self.sentence(chunk, prose),
            replaces: self.replaces.clone(),
            under: self.under.clone(),
        });
    }

    fn condition(&mut self, chunk: &Chunk<'_, '_>, prose: Prose, depth: usize) {
        let condition = self.sentence(chunk, prose);
        let mut parent = self.entries.last_mut().map(|entry| &mut entry.condition);
        for _ in 2..depth {
            parent = parent.and_then(|parent| parent.children.last_mut());
        }
        match parent {
            Some(parent) => parent.children.push(condition),
            None => self.too_deep(chunk, depth),
        }
    }

    fn too_deep(&mut self, chunk: &Chunk<'_, '_>, depth: usize) {
        self.unknown.push(
            Finding::error("a bullet has no bullet that it could belong to")
                .at(chunk.place(self.document))
                .found(format!("a bullet of {depth} stars"))
                .wanted("one star less, or a bullet above it"),
        );
    }

    fn sentence(&self, chunk: &Chunk<'_, '_>, mut prose: Prose) -> Condition {
        let connective = connective(&mut prose.tokens);
        Condition {
            prose,
            guards: chunk.guards(),
            part_guards: chunk.part_guards().into_iter().map(|(guard, _)| guard).collect(),
            connective,
            children: Vec::new(),
            place: chunk.place(self.document),
            lines: chunk.span(),
        }
    }

    fn finish(mut self) -> Read {
        let page = &self.block.page;
        if page.marked && self.state == State::Before {
            self.unknown.push(
                Finding::error(format!("the error list of `{}` is announced and never introduced", page.name))
                    .at(page.place.clone())
                    .wanted("a paragraph that says which errors are returned, after `// refError`"),
            );
        }
        for entry in &self.entries {
            if let Some(last) = entry.condition.children.last().filter(|last| last.connective != Connective::None) {
                let finding = Finding::warning("the last bullet of a code announces another one");
                let found = last.prose.tokens.last().map_or_else(String::new, |token| token.text.clone());
                self.mistakes.push(
                    finding
                        .at(last.place.clone())
                        .found(format!("`or` or `and` after `{found}`"))
                        .help("upstream may have lost a condition: report it there"),
                );
            }
        }
        for entry in self.entries.iter().filter(|entry| entry.condition.count() == 0) {
            self.unknown.push(Finding::error("a code is listed without a condition").at(entry.condition.place.clone()));
        }
        let list = self.span.map(|lines| ErrorList {
            command: page.name.clone(),
            aliases: page.aliases.clone(),
            marked: page.marked,
            lines,
            place: page.place.clone(),
            introduction: self.introduction,
            inherits: self.inherits,
            entries: self.entries,
        });
        Read { list, unknown: self.unknown, mistakes: self.mistakes }
    }
}

/// Takes `or`, `and` and stops off the end of a bullet.
fn connective(tokens: &mut Vec<Token>) -> Connective {
    let mut found = Connective::None;
    while let Some(token) = tokens.last() {
        match token.text.as_str() {
            "or" if found == Connective::None => found = Connective::Or,
            "and" if found == Connective::None => found = Connective::And,
            "," | ";" | "." => {}
            _ => break,
        }
        tokens.pop();
    }
    found
}

/// What a paragraph does to a list.
fn role(prose: &Prose) -> Role {
    let Some(first) = prose.tokens.first() else { return Role::Other };
    if first.kind == Kind::Constant && prose.has("is replaced with") {
        return Role::Replaced(first.text.clone());
    }
    if first.kind == Kind::Constant && prose.has("error case is removed") {
        return Role::Removed(first.text.clone());
    }
    if prose.has("errors defined by") {
        return Role::Inherit(defined_by(prose));
    }
    let ends_in_colon = prose.tokens.last().is_some_and(|token| token.text == ":");
    let introduces = [
        "one of the following error",
        "one of the following errors",
        "the following error values",
        "one of the errors below",
        "list of errors that can be returned",
        "otherwise it may return",
    ];
    if prose.has("new errors") && prose.tokens.len() == 3 {
        Role::Added
    } else if prose.has("will always return CL_SUCCESS") {
        Role::Never
    } else if prose.has("will fail if") && prose.tokens.last().is_some_and(|token| token.is("if")) {
        Role::Codeless
    } else if introduces.iter().any(|words| prose.has(words)) {
        Role::Begin
    } else if ends_in_colon && (prose.has("the following errors may be returned if") || prose.has("extension is supported :")) {
        Role::Under
    } else {
        Role::Other
    }
}

/// The commands in `… the errors defined by a, b, and c`.
fn defined_by(prose: &Prose) -> Vec<String> {
    let after = prose.tokens.iter().skip_while(|token| !token.is("defined")).skip(2);
    after
        .take_while(|token| token.kind == Kind::Command || token.is(",") || token.is("and"))
        .filter(|token| token.kind == Kind::Command)
        .map(|token| token.text.clone())
        .collect()
}
