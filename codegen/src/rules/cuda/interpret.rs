//! From what a sentence says to statements about the model.
//!
//! In: comments, the model's names, the overlay and the reviewed list. Out: [`Statement`]s and [`Fact`]s with resolved names and places, and
//! the account of what was read. A condition on a handle type holds for the rest of its paragraph.

mod resolve;

use std::collections::BTreeMap;

use super::{Coverage, Text, area};
use crate::{
    finding::{Finding, Findings, Place},
    import::cuda::{Comment, SubjectKind},
    model::{Condition, Origin, Owner, Path, Payload, Predicate, Source, Term},
    overlay::Overlay,
    rules::{
        grammar::{self, Clause, Reading, Ref, Said},
        names::{Field, Names},
        reviewed::{Reviewed, Verdict},
        sentence::{Prose, Sentence},
    },
};

/// Whose comment a statement stands in. Upstream says the same thing in both places, or means to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// A function's comment.
    Function,
    /// The comment of a record or member.
    Fields,
}

/// Where a statement comes from.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    pub(super) side: Side,
    pub(super) source: Source,
    pub(super) place: Place,
}

/// One demand, with its names resolved.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// The record or command.
    pub(super) subject: String,
    pub(super) fields: Vec<Path>,
    pub(super) predicate: Predicate,
    /// Conditions other than the handle type.
    pub(super) when: Vec<Condition>,
    /// The handle types it is for, and what has them; absent where it is for all.
    pub(super) types: Option<(Term, Vec<String>)>,
    /// The handle types it is not for.
    pub(super) except: Option<(Term, Vec<String>)>,
    pub(super) origin: Origin,
    pub(super) error: Option<String>,
    /// Why it holds although the two statements of it disagree.
    pub(super) reason: Option<String>,
    pub(super) basis: Basis,
}

impl Statement {
    /// Whether it is for the handle type `value`.
    pub(super) fn is_for(&self, value: &str) -> bool {
        self.types.as_ref().is_none_or(|(_, values)| values.iter().any(|other| other == value))
            && self.except.as_ref().is_none_or(|(_, values)| values.iter().all(|other| other != value))
    }
}

/// What a fact says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The member of the record is the one to use.
    Selects(Field),
    Owners {
        success: Owner,
        failure: Owner,
    },
    HoldsReference(bool),
    /// What an export writes: a C type, or a record.
    Exports(String),
    /// What a semaphore carries, and which members an operation (the command) uses.
    Carries {
        command: String,
        payload: Payload,
        members: Vec<Path>,
    },
}

/// A fact about handle types.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) types: Vec<String>,
    pub(super) what: What,
    pub(super) basis: Basis,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(super) struct Interpreted {
    pub(super) statements: Vec<Statement>,
    pub(super) facts: Vec<Fact>,
    pub(super) coverage: BTreeMap<String, Coverage>,
    /// The sentences that demand something and were not understood.
    pub(super) unread: Vec<(Source, Place)>,
    /// Sentences in the areas: how many there are.
    pub(super) in_areas: usize,
}

/// What stays the same over all comments.
pub(super) struct Context<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) overlay: &'a Overlay,
    pub(super) reviewed: &'a Reviewed,
    pub(super) release: &'a str,
}

/// Reads all comments.
pub(super) fn interpret(texts: &[Text<'_>], context: &Context<'_>, findings: &mut Findings) -> Interpreted {
    let mut interpreted = Interpreted::default();
    for text in texts.iter().filter(|text| text.comment.doxygen || area::holds_comment(text.comment)) {
        Interpreter::new(context, text.comment).read(&text.prose, &mut interpreted, findings);
    }
    interpreted
}

/// Reads one comment.
struct Interpreter<'a> {
    context: &'a Context<'a>,
    comment: &'a Comment,
    in_area: bool,
    paragraph: usize,
    /// The condition on a handle type that governs the paragraph.
    scope: Option<Scope>,
    /// The handle types that the comment named last for a semaphore.
    semaphores: Vec<String>,
    /// The value that the comment asked for last, and where it stands.
    specified: Option<(Field, String)>,
    /// The handle that the paragraph spoke of last.
    handle: Option<Field>,
    /// The flag that was introduced, and where it belongs.
    flag: Option<(String, Field)>,
}

#[derive(Clone, Debug)]
struct Scope {
    term: Term,
    /// The record or command that the term is a part of; absent for a given fact.
    subject: Option<String>,
    values: Vec<String>,
}

/// What a condition of a sentence comes to.
enum Resolved {
    Scope(Scope),
    Except(Term, Vec<String>),
    Other(Condition, Field),
}

/// Why a sentence that the grammar understands comes to nothing.
type Trouble = String;

impl<'a> Interpreter<'a> {
    fn new(context: &'a Context<'a>, comment: &'a Comment) -> Self {
        Self {
            context,
            comment,
            in_area: area::holds_comment(comment),
            paragraph: usize::MAX,
            scope: None,
            semaphores: Vec::new(),
            specified: None,
            handle: None,
            flag: None,
        }
    }

    fn read(mut self, prose: &Prose, out: &mut Interpreted, findings: &mut Findings) {
        for sentence in &prose.sentences {
            if sentence.paragraph != self.paragraph {
                self.paragraph = sentence.paragraph;
                self.scope = None;
                self.handle = None;
            }
            self.sentence(sentence, out, findings);
        }
    }

    fn sentence(&mut self, sentence: &Sentence, out: &mut Interpreted, findings: &mut Findings) {
        let in_area = self.in_area || area::holds_sentence(sentence);
        let basis = self.basis(sentence);
        let (statements, facts) = (out.statements.len(), out.facts.len());
        let read = match grammar::read(sentence) {
            Some(reading) => self.reading(sentence, reading, &basis, out).map_err(Some),
            None => Err(None),
        };
        let outcome = match read {
            Ok(()) if out.statements[statements..].iter().any(|statement| statement.predicate.is_checkable()) => Outcome::Checkable,
            Ok(()) if out.statements.len() > statements => Outcome::Attested,
            Ok(()) => Outcome::Explained,
            Err(trouble) => {
                out.statements.truncate(statements);
                out.facts.truncate(facts);
                match self.reviewed(&basis, out) {
                    Ok(Some(outcome)) => outcome,
                    Ok(None) if !in_area => Outcome::Unread,
                    Ok(None) => {
                        findings.push(self.unknown(sentence, &basis, trouble));
                        Outcome::Unread
                    }
                    Err(trouble) => {
                        findings.push(self.unknown(sentence, &basis, Some(trouble)));
                        Outcome::Unread
                    }
                }
            }
        };
        // Only text about handles is known to go on about the type that its paragraph began with.
        if !in_area {
            self.scope = None;
        }
        out.in_areas += usize::from(in_area);
        if area::is_normative(sentence) {
            out.coverage.entry(self.comment.item.clone()).or_default().count(outcome);
            if outcome == Outcome::Unread {
                out.unread.push((basis.source, basis.place));
            }
        }
    }

    fn basis(&self, sentence: &Sentence) -> Basis {
        let first = self.comment.place_of_line(sentence.lines.start);
        let last = self.comment.place_of_line(sentence.lines.end.saturating_sub(1));
        Basis {
            side: if self.comment.kind == SubjectKind::Command { Side::Function } else { Side::Fields },
            source: Source {
                document: self.comment.document.name().to_owned(),
                version: self.context.release.to_owned(),
                symbol: self.comment.subject.clone(),
                hash: sentence.hash(),
            },
            place: self.comment.document.place(first.range().start..last.range().end),
        }
    }

    fn unknown(&self, sentence: &Sentence, basis: &Basis, trouble: Option<Trouble>) -> Finding {
        let what = format!("a sentence about handles that nobody has read, in the comment of `{}`", self.comment.subject);
        let finding = Finding::error(what).at(basis.place.clone()).found(format!("\"{}\"", sentence.normalised()));
        let finding = if let Some(trouble) = trouble { finding.wanted(trouble) } else { finding };
        finding.help(format!(
            "teach the grammar to read it, or put `{} #{}` on the list in spec/reviewed.toml",
            basis.source.symbol, basis.source.hash
        ))
    }

    /// What a person made of the sentence; a field that the model does not have is trouble.
    fn reviewed(&self, basis: &Basis, out: &mut Interpreted) -> Result<Option<Outcome>, Trouble> {
        match self.context.reviewed.verdict(&basis.source.symbol, &basis.source.hash) {
            None => Ok(None),
            Some(Verdict::Explains) => Ok(Some(Outcome::Explained)),
            Some(Verdict::Attested { object, fields, error }) => {
                if let Some(unknown) = fields.iter().find(|field| self.named(field.as_str()).is_none()) {
                    return Err(format!(
                        "a parameter or member instead of `{unknown}`, which the entry in spec/reviewed.toml names"
                    ));
                }
                out.statements.push(Statement {
                    subject: self.owner(),
                    fields: fields.clone(),
                    predicate: Predicate::Attested(object.clone()),
                    when: Vec::new(),
                    types: self.scope.as_ref().map(|scope| (scope.term.clone(), scope.values.clone())),
                    except: None,
                    origin: Origin::Stated,
                    error: error.clone(),
                    reason: None,
                    basis: basis.clone(),
                });
                Ok(Some(Outcome::Attested))
            }
        }
    }

    /// The record or command that the comment belongs to, as the model names it.
    fn owner(&self) -> String {
        let first = self.comment.subject.split("::").next().unwrap_or_default();
        match self.context.names.record(first) {
            Some(record) => record.name.clone(),
            None => first.to_owned(),
        }
    }

    fn reading(&mut self, sentence: &Sentence, reading: Reading, basis: &Basis, out: &mut Interpreted) -> Result<(), Trouble> {
        let mut when = Vec::new();
        let mut except = None;
        let mut it = None;
        if let Some(head) = reading.head {
            match self.condition(sentence, head)? {
                Resolved::Scope(scope) => self.scope = Some(scope),
                Resolved::Except(term, values) => {
                    self.scope = None;
                    except = Some((term, values));
                }
                Resolved::Other(condition, field) => {
                    when.push(condition);
                    it = Some(field);
                }
            }
        }
        for said in reading.said {
            match said {
                Said::Clause(clause) => {
                    let mut statement = self.clause(sentence, clause, it.as_ref(), basis)?;
                    statement.when.splice(0..0, when.iter().cloned());
                    statement.except.clone_from(&except);
                    out.statements.push(statement);
                }
                Said::FlagRequired => {
                    let (flag, field) = self.flag.clone().ok_or("a flag that was introduced before")?;
                    let mut statement =
                        self.statement(field.subject, vec![field.path], Predicate::MustHaveFlags(vec![flag]), basis);
                    statement.when.clone_from(&when);
                    out.statements.push(statement);
                }
                Said::Flag { flag, field } => {
                    if !self.context.names.is_value(&flag) {
                        return Err(format!("a flag of the API instead of `{flag}`"));
                    }
                    self.flag = Some((flag, self.field(sentence, &field, None)?));
                }
                other => {
                    let fact = self.fact(sentence, other, basis)?;
                    out.facts.push(fact);
                }
            }
        }
        Ok(())
    }

    fn fact(&mut self, sentence: &Sentence, said: Said, basis: &Basis) -> Result<Fact, Trouble> {
        let in_scope = |scope: &Option<Scope>| {
            scope.as_ref().map(|scope| scope.values.clone()).ok_or_else(|| "a handle type that the paragraph is about".to_owned())
        };
        let (types, what) = match said {
            Said::Selects(types) => (self.values(&types)?, What::Selects(self.field(sentence, &Ref::Here, None)?)),
            Said::Owners { success, failure } => (in_scope(&self.scope)?, What::Owners { success, failure }),
            Said::Exports(ctype) => {
                let value = self.comment.member.clone().filter(|_| self.comment.kind == SubjectKind::Enumerator);
                (vec![value.ok_or("a handle type that the comment is about")?], What::Exports(ctype))
            }
            Said::HoldsReference(holds) => (in_scope(&self.scope)?, What::HoldsReference(holds)),
            Said::Carries { payload, members } => {
                let members = members.iter().map(|member| self.field(sentence, member, None).map(|field| field.path));
                let members = members.collect::<Result<_, _>>()?;
                (in_scope(&self.scope)?, What::Carries { command: self.comment.subject.clone(), payload, members })
            }
            Said::Clause(_) | Said::Flag { .. } | Said::FlagRequired => return Err("a fact about a handle type".to_owned()),
        };
        Ok(Fact { types, what, basis: basis.clone() })
    }

    fn statement(&self, subject: String, fields: Vec<Path>, predicate: Predicate, basis: &Basis) -> Statement {
        let scope = self.scope.as_ref().filter(|scope| scope.subject.as_ref().is_none_or(|owner| *owner == subject));
        Statement {
            subject,
            fields,
            predicate,
            when: Vec::new(),
            types: scope.map(|scope| (scope.term.clone(), scope.values.clone())),
            except: None,
            origin: Origin::Stated,
            error: None,
            reason: None,
            basis: basis.clone(),
        }
    }

    fn clause(&mut self, sentence: &Sentence, clause: Clause, it: Option<&Field>, basis: &Basis) -> Result<Statement, Trouble> {
        let fields = clause.fields.iter().map(|field| self.field(sentence, field, it)).collect::<Result<Vec<_>, _>>()?;
        let subject = fields.first().map_or_else(|| self.owner(), |field| field.subject.clone());
        if fields.iter().any(|field| field.subject != subject) {
            return Err("fields of one record, or parameters of one command".to_owned());
        }
        if let [field] = fields.as_slice()
            && field.path.names().last().is_some_and(|last| ["handle", "fd"].contains(&last))
        {
            self.handle = Some(field.clone());
        }
        let predicate = self.predicate(&subject, &fields, clause.ask)?;
        // What a caller promises of a valid file descriptor holds the number too, which upstream does not say by itself.
        let origin = if predicate == Predicate::FdNonNegative { Origin::Derived } else { Origin::Stated };
        let mut statement = self.statement(subject, fields.into_iter().map(|field| field.path).collect(), predicate, basis);
        statement.origin = origin;
        for when in clause.when {
            match self.condition(sentence, when)? {
                Resolved::Scope(scope) => statement.types = Some((scope.term, scope.values)),
                Resolved::Except(term, values) => statement.except = Some((term, values)),
                Resolved::Other(condition, _) => statement.when.push(condition),
            }
        }
        Ok(statement)
    }
}

/// What became of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Checkable,
    Attested,
    Explained,
    Unread,
}
