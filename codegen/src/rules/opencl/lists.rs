//! Error lists to rules: every sentence of every list, for every command that the list is for.
//!
//! In: the facts of the text and a [`Vocabulary`]. Out: rules, error tables, and how much of each list was understood. Within the lists of
//! external memory and semaphores a sentence that is not understood is an error; elsewhere it is counted.

use std::collections::BTreeMap;

use winnow::stream::{Stateful, TokenSlice};

use super::{
    Class, Covered, Release,
    forms::{Under, read},
    formula::{Atom, Formula},
    phrase::{Gaps, Input, pattern},
    rule::{Way, drafts, except, tell_apart},
    vocabulary::{Scope, Types, Vocabulary},
};
use crate::{
    finding::{Finding, Findings},
    import::opencl::text::{
        Effective, TextFacts,
        facts::{Condition, ErrorList as TextList, Guard},
        prose::{Kind, Prose},
    },
    model::{self, ErrorCode, ErrorList, Given, Lifetime, Object, Path, Rule, Source, Term, Test, Version},
};

/// More ways than this of coming true, and a sentence counts as unread: the specification's own have up to a dozen.
const MOST_WAYS: usize = 64;

/// What came of the lists.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub rules: Vec<Rule>,
    pub errors: Vec<ErrorList>,
    pub coverage: Vec<Covered>,
    pub unknown: Findings,
}

/// Reads the list of every command in `vocabulary`.
pub(super) fn lists(facts: &TextFacts, vocabulary: &Vocabulary, types: &Types, release: &Release) -> Lists {
    let mut lists = Lists::default();
    for command in vocabulary.commands.keys() {
        let Some(errors) = facts.errors(command) else {
            let nothing = ErrorList { symbol: command.clone(), codes: None, earlier_errors: false, source: None };
            lists.errors.push(nothing);
            continue;
        };
        let mut reader = Reader { command, types, vocabulary, release, ways: Vec::new(), lists: &mut lists };
        for effective in &errors {
            reader.entry(effective);
        }
        let rules = reader.rules();
        let source = facts.list(command).map(|list| source(list, release, list.place.document().name(), String::new()));
        lists.errors.push(error_list(command, &errors, &rules, source));
        lists.rules.extend(rules);
    }
    lists
}

/// The list as a whole has no sentence of its own: what identifies it is the command.
fn source(list: &TextList, release: &Release, document: &str, hash: String) -> Source {
    Source { document: document.to_owned(), version: release.0.clone(), symbol: list.command.clone(), hash }
}

/// The codes in the order of the text, each once, with the ids of the rules that lead to it.
fn error_list(command: &str, errors: &[Effective<'_>], rules: &[Rule], source: Option<Source>) -> ErrorList {
    let mut codes: Vec<ErrorCode> = Vec::new();
    for effective in errors {
        let Some(code) = &effective.entry.code else { continue };
        let lifetime = lifetime(&effective.entry.condition.guards, None);
        match codes.iter_mut().find(|known| known.code == *code) {
            Some(known) if lifetime.extensions.is_empty() => known.lifetime.extensions.clear(),
            Some(_) => {}
            None => {
                let of_code = rules.iter().filter(|rule| rule.error.as_ref() == Some(code)).map(|rule| rule.id.clone());
                codes.push(ErrorCode { code: code.clone(), rules: of_code.collect(), lifetime });
            }
        }
    }
    ErrorList { symbol: command.to_owned(), codes: Some(codes), earlier_errors: false, source }
}

/// The innermost extensions that bring a sentence: outer ones are what those depend on.
fn lifetime(guards: &[Guard], since: Option<Version>) -> Lifetime {
    let extensions = guards.iter().rev().find_map(|guard| match guard {
        Guard::AnyOf(names) | Guard::AllOf(names) => Some(names.clone()),
        Guard::Without(_) => None,
    });
    Lifetime { since, extensions: extensions.unwrap_or_default(), ..Lifetime::default() }
}

/// Whether an extension is for external memory and semaphores.
pub(crate) fn is_for_external_objects(extension: &str) -> bool {
    extension == "cl_khr_semaphore" || extension.starts_with("cl_khr_external_")
}

/// Whether a sentence belongs to the areas in which none may stay unread.
fn is_external(guards: &[Guard]) -> bool {
    guards.iter().any(|guard| match guard {
        Guard::AnyOf(names) | Guard::AllOf(names) => names.iter().any(|name| is_for_external_objects(name)),
        Guard::Without(_) => false,
    })
}

struct Reader<'a> {
    command: &'a str,
    types: &'a Types,
    vocabulary: &'a Vocabulary,
    release: &'a Release,
    ways: Vec<Way>,
    lists: &'a mut Lists,
}

/// A sentence in its list.
struct Spot<'a> {
    list: &'a TextList,
    under: Option<&'a Prose>,
    code: Option<&'a str>,
    inherited: bool,
    /// Of which of the commands that share the list: the reader's own, or the one that it takes the list over from.
    of: &'a str,
}

impl Spot<'_> {
    /// The extension that a group of codes stands under counts more than the guards around it.
    fn lifetime(&self, condition: &Condition, since: Option<Version>) -> Lifetime {
        let named = self.under.map(|under| under.names(&Kind::Extension)).unwrap_or_default();
        let mut lifetime = lifetime(&condition.guards, since);
        if !named.is_empty() {
            lifetime.extensions = named.into_iter().map(str::to_owned).collect();
        }
        lifetime
    }
}

impl<'a> Reader<'a> {
    /// Of a list that is shared, a name may be a parameter of a sibling; of one that is taken over, it must be the command's own.
    fn scope(&self, spot: &Spot<'a>) -> Scope<'a> {
        let mut commands = vec![self.command];
        if !spot.inherited {
            let siblings = std::iter::once(&spot.list.command).chain(&spot.list.aliases).map(String::as_str);
            commands.extend(siblings.filter(|name| *name != self.command));
        }
        Scope::new(self.vocabulary, commands, self.types)
    }

    fn entry(&mut self, effective: &Effective<'a>) {
        let spot = Spot {
            list: effective.list,
            under: effective.entry.under.as_ref(),
            code: effective.entry.code.as_deref(),
            inherited: effective.through.is_some(),
            of: effective.through.map_or(self.command, |through| &through.from),
        };
        let condition = &effective.entry.condition;
        if condition.prose.is_empty() {
            for child in &condition.children {
                self.condition(&spot, child);
            }
        } else {
            self.condition(&spot, condition);
        }
    }

    /// One sentence with the bullets under it; the further sentences of the bullet after it.
    fn condition(&mut self, spot: &Spot<'a>, condition: &'a Condition) {
        let scope = self.scope(spot);
        let mut since = None;
        let mut until = None;
        let mut failures = Vec::new();
        for (index, sentence) in condition.prose.sentences().iter().enumerate() {
            if is_of_a_sibling(sentence, spot) {
                continue;
            }
            match (version(sentence, &scope), outdated(sentence, &scope)) {
                (Some(version), _) => since = Some(version),
                (None, Some(version)) => until = Some(version),
                (None, None) if index > 0 && is_note(sentence, &scope) => {}
                (None, None) => failures.push((sentence.clone(), self.sentence(spot, condition, sentence, &scope, index == 0))),
            }
        }
        // A sentence that is not understood may qualify the one before it: then neither makes a rule.
        let all_read = failures.iter().all(|(_, formula)| formula.is_some());
        for (sentence, formula) in failures {
            match formula.filter(|_| all_read) {
                Some(formula) => self.add(spot, condition, &sentence, older_than(formula, until), since, &scope),
                None => self.cover(spot, condition, &sentence, Class::Unread),
            }
        }
    }

    fn sentence(
        &mut self,
        spot: &Spot<'a>,
        condition: &Condition,
        sentence: &Prose,
        scope: &Scope<'_>,
        with_children: bool,
    ) -> Option<Formula> {
        let read = read(&sentence.tokens, scope);
        let (formula, under) = match read {
            Ok(read) => read,
            Err(at) => {
                self.refuse(spot, condition, sentence, at);
                return None;
            }
        };
        if formula.count() > MOST_WAYS {
            self.refuse(spot, condition, sentence, 0);
            return None;
        }
        if !with_children || condition.children.is_empty() {
            return Some(formula);
        }
        let mut children = Vec::new();
        for child in &condition.children {
            children.push(self.sentence(spot, child, &child.prose, scope, true)?);
        }
        let below = Formula::Any(children);
        let below = if under == Under::None { below.negated()? } else { below };
        let all = Formula::All(vec![formula, below]);
        (all.count() <= MOST_WAYS).then_some(all)
    }

    fn refuse(&mut self, spot: &Spot<'_>, condition: &Condition, sentence: &Prose, at: usize) {
        if !is_external(&condition.guards) || spot.inherited {
            return;
        }
        let token = sentence.tokens.get(at).or_else(|| sentence.tokens.last());
        let place = token
            .map_or_else(|| condition.place.clone(), |token| condition.place.document().place(token.at..token.at + token.width));
        let already = |finding: &Finding| finding.place.as_ref().is_some_and(|other| other.range() == place.range());
        if self.lists.unknown.0.iter().any(already) {
            return;
        }
        let code = spot.code.unwrap_or("a failure");
        self.lists.unknown.push(
            Finding::error(format!("a condition for `{code}` of `{}` is not understood", spot.list.command))
                .found(format!("`{sentence}`, up to `{}`", token.map_or("its end", |token| &token.text)))
                .wanted("a sentence that the grammar of failure conditions has a form for")
                .help("add the form, or settle the sentence in the overlay")
                .at(place),
        );
    }

    fn add(
        &mut self,
        spot: &Spot<'a>,
        condition: &'a Condition,
        sentence: &Prose,
        formula: Formula,
        since: Option<Version>,
        scope: &Scope<'_>,
    ) {
        let subject =
            sentence.tokens.iter().filter(|token| token.kind == Kind::Parameter).find_map(|token| scope.path(&token.text));
        let document = condition.place.document().name().to_owned();
        let mut absent: Vec<Atom> = Vec::new();
        for guard in &condition.guards {
            if let Guard::Without(name) = guard {
                absent.push(Atom::Holds(Term::Given(Given::Extensions), Test::Lacks(vec![name.clone()])));
            }
        }
        let ways = formula.ways();
        let vouched = |way: &Vec<Atom>| way.iter().any(|atom| matches!(atom, Atom::Broken(_) | Atom::Only(_)));
        let (attested, checkable) = (ways.iter().any(vouched), !ways.iter().all(vouched));
        let class = match (checkable, attested) {
            (true, false) => Class::Checkable,
            (true, true) => Class::Partly,
            _ => Class::Attested,
        };
        self.cover(spot, condition, sentence, class);
        for mut atoms in ways {
            atoms.splice(0..0, absent.iter().cloned());
            self.ways.push(Way {
                atoms,
                code: spot.code.map(str::to_owned),
                source: source(spot.list, self.release, &document, sentence.hash()),
                lifetime: spot.lifetime(condition, since),
                subject: subject.clone().or_else(|| scope.property_list()),
            });
        }
    }

    fn cover(&mut self, spot: &Spot<'_>, condition: &Condition, sentence: &Prose, class: Class) {
        self.lists.coverage.push(Covered {
            command: self.command.to_owned(),
            list: spot.list.command.clone(),
            inherited: spot.inherited,
            external: is_external(&condition.guards),
            code: spot.code.map(str::to_owned),
            hash: sentence.hash(),
            place: condition.place.clone(),
            class,
        });
    }

    /// The rules of the command: those that speak of what it has.
    fn rules(self) -> Vec<Rule> {
        let scope = Scope::new(self.vocabulary, vec![self.command], self.types);
        let has = |path: &Path| scope.has(self.command, path);
        let mut drafts = drafts(self.ways, &|name| scope.path(name));
        for draft in &mut drafts {
            // A command that takes no properties has none: where a sibling must not have one, the condition holds of itself.
            draft.when.retain(|condition| match condition {
                model::Condition::Test(Term::Field(path), Test::Absent) => has(path),
                _ => true,
            });
        }
        drafts.retain(|draft| {
            let tested = draft.when.iter().filter_map(|condition| match condition {
                model::Condition::Test(Term::Field(path), _) => Some(path),
                _ => None,
            });
            draft.fields.iter().chain(tested).all(has)
        });
        let mut rules: Vec<Rule> = drafts.iter().map(|draft| draft.rule(self.command)).collect();
        except(&mut rules);
        tell_apart(&mut rules);
        rules
    }
}

/// Whether a sentence has one of `patterns` at its beginning, and what is in the gaps.
fn begins(sentence: &Prose, scope: &Scope<'_>, patterns: &[&'static str]) -> Option<Gaps> {
    patterns.iter().find_map(|words| {
        let mut input: Input<'_> = Stateful { input: TokenSlice::new(&sentence.tokens), state: scope };
        pattern(words)(&mut input).ok()
    })
}

/// The version before which a code did not exist, where the sentence says that.
fn version(sentence: &Prose, scope: &Scope<'_>) -> Option<Version> {
    begins(sentence, scope, &["this error code is {l} version {n}"])?.name(1)?.parse().ok()
}

/// The version from which on a condition is none any more, where the sentence says that.
fn outdated(sentence: &Prose, scope: &Scope<'_>) -> Option<Version> {
    const FORMS: &[&str] = &[
        "this error condition does not apply when|if the device|platform associated with {p} supports OpenCL {n} or newer",
        "this error condition does not apply when|if the device|platform associated with {p} is OpenCL {n} or newer",
    ];
    begins(sentence, scope, FORMS)?.name(1)?.parse().ok()
}

/// Which version a device has, the command's arguments do not tell: the caller knows.
fn older_than(formula: Formula, version: Option<Version>) -> Formula {
    match version {
        Some(version) => {
            Formula::All(vec![Formula::Atom(Atom::Only(Object::about("version_below", [version.to_string()]))), formula])
        }
        None => formula,
    }
}

/// `if {clWrite…} is called on …`, in a list that several commands share: said of one of them only.
fn is_of_a_sibling(sentence: &Prose, spot: &Spot<'_>) -> bool {
    let siblings = || std::iter::once(&spot.list.command).chain(&spot.list.aliases).filter(|name| *name != spot.of);
    let subject = sentence.tokens.iter().find(|token| !token.is("if"));
    subject.is_some_and(|token| token.kind == Kind::Command && siblings().any(|name| *name == token.text))
}

/// Sentences that explain the one before and neither demand nor excuse anything.
fn is_note(sentence: &Prose, scope: &Scope<'_>) -> bool {
    const NOTES: &[&str] = &[
        "exporting a semaphore handle from {*} is not permitted",
        "this error will be returned if {f} does not return until {*}",
        "see how this error code is used with {f} for {*}",
        "{p} will return specific status for each {*}",
    ];
    begins(sentence, scope, NOTES).is_some()
}

/// What became of each sentence, for the command of those that share its list for which most became of it: by document, line, and hash.
#[must_use]
pub fn by_sentence(coverage: &[Covered]) -> BTreeMap<(String, usize, String), Class> {
    let mut classes = BTreeMap::new();
    for covered in coverage.iter().filter(|covered| !covered.inherited) {
        let key = (covered.place.document().name().to_owned(), covered.place.line(), covered.hash.clone());
        classes.entry(key).and_modify(|class: &mut Class| *class = covered.class.min(*class)).or_insert(covered.class);
    }
    classes
}

/// How many sentences of which class each command has, those of lists taken over left out.
#[must_use]
pub fn by_command(coverage: &[Covered]) -> BTreeMap<&str, [usize; 4]> {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for covered in coverage.iter().filter(|covered| !covered.inherited) {
        counts.entry(covered.command.as_str()).or_default()[covered.class as usize] += 1;
    }
    counts
}
