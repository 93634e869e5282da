//! What the names, conditions and operands of a sentence come to in the model.
//!
//! In: what the grammar read, and the comment that it stands in. Out: fields with their record or command, conditions, and predicates whose
//! operands exist; or, where something does not, what was wanted in its place.

use super::{Interpreter, Resolved, Scope, Trouble};
use crate::{
    import::cuda::SubjectKind,
    model::{Api, Condition, Given, Predicate, Term, Test},
    overlay::Question,
    rules::{
        grammar::{Ref, When},
        names::Field,
        sentence::{Section, Sentence},
    },
};

impl Interpreter<'_> {
    /// The predicate with its operands checked: values exist, and an operand that is a field becomes its path.
    pub(super) fn predicate(&self, subject: &str, fields: &[Field], predicate: Predicate) -> Result<Predicate, Trouble> {
        let operand = |operand: String| -> Result<String, Trouble> {
            if operand.parse::<i128>().is_ok() {
                return Ok(operand);
            }
            if let Some(value) = self.context.names.value(&operand) {
                return Ok(value.to_owned());
            }
            let field = self
                .context
                .names
                .field(Some(subject), &operand)
                .or_else(|| {
                    fields.first().and_then(|field| self.context.names.neighbour(&field.subject, field.path.as_str(), &operand))
                })
                .filter(|field| field.subject == subject);
            field
                .map(|field| field.path.to_string())
                .ok_or_else(|| format!("a number, a value of the API or a field instead of `{operand}`"))
        };
        Ok(match predicate {
            Predicate::OnlyFlags(names) => Predicate::OnlyFlags(self.values(&names)?),
            Predicate::MustHaveFlags(names) => Predicate::MustHaveFlags(self.values(&names)?),
            Predicate::OneOf(names) => Predicate::OneOf(self.values(&names)?),
            Predicate::NoneOf(names) => Predicate::NoneOf(self.values(&names)?),
            Predicate::Equal(value) => Predicate::Equal(operand(value)?),
            Predicate::NotEqual(value) => Predicate::NotEqual(operand(value)?),
            Predicate::AtMost(value) => Predicate::AtMost(operand(value)?),
            Predicate::AtLeast(value) => Predicate::AtLeast(operand(value)?),
            Predicate::Below(value) => Predicate::Below(operand(value)?),
            Predicate::Above(value) => Predicate::Above(operand(value)?),
            Predicate::MultipleOf(value) => Predicate::MultipleOf(operand(value)?),
            other => other,
        })
    }

    /// The values by their bare names, if they all exist.
    pub(super) fn values(&self, values: &[String]) -> Result<Vec<String>, Trouble> {
        let bare = |value: &String| {
            let known = self.context.names.value(value).map(str::to_owned);
            known.ok_or_else(|| format!("a value of the API instead of `{value}`"))
        };
        values.iter().map(bare).collect()
    }

    pub(super) fn condition(&mut self, sentence: &Sentence, when: When) -> Result<Resolved, Trouble> {
        let given = |fact| Term::Given(fact);
        Ok(match when {
            When::In(field, values) => {
                let values = self.values(&values)?;
                let field = self.field(sentence, &field, None)?;
                Resolved::Scope(Scope { term: Term::Field(field.path), subject: Some(field.subject), values })
            }
            When::Headless(values) => {
                let value = values.join("|");
                let subject = format!("{}/{value}", self.comment.subject);
                let field = self.context.overlay.decide_text(Api::Cuda, Question::OpeningWords, &subject).ok_or_else(|| {
                    format!(
                        "words that say what is `{value}`, or an overlay entry `opening-words` for `{subject}` that names the field"
                    )
                })?;
                return self.condition(sentence, When::In(Ref::Named(field.to_owned()), values));
            }
            When::NonNull(field) => self.null_condition(sentence, &field, Test::NonNull)?,
            When::Null(field) => self.null_condition(sentence, &field, Test::Null)?,
            When::Semaphore(values) => {
                let values = self.values(&values)?;
                self.semaphores.clone_from(&values);
                Resolved::Scope(Scope { term: given(Given::SemaphoreHandleType), subject: None, values })
            }
            When::OtherSemaphores if self.semaphores.is_empty() => return Err("a handle type that was named before".to_owned()),
            When::OtherSemaphores => Resolved::Except(given(Given::SemaphoreHandleType), self.semaphores.clone()),
            When::Memory(values) => {
                let values = self.values(&values)?;
                Resolved::Scope(Scope { term: given(Given::MemoryHandleType), subject: None, values })
            }
            When::Specified(value) => {
                let value = self.values(&[value])?.remove(0);
                let field = self.context.names.field_of_type(&self.owner(), &value);
                let field = field.ok_or_else(|| format!("a field or parameter that asks for `{value}`"))?;
                self.specified = Some((field.clone(), value.clone()));
                // A member may ask for several at once, a parameter asks for one.
                let test = if self.comment.kind == SubjectKind::Command { Test::In(vec![value]) } else { Test::Has(vec![value]) };
                Resolved::Other(Condition::Test(Term::Field(field.path.clone()), test), field)
            }
            When::NotSpecified => {
                let (field, value) = self.specified.clone().ok_or("a value that was named before")?;
                let test =
                    if self.comment.kind == SubjectKind::Command { Test::NotIn(vec![value]) } else { Test::Lacks(vec![value]) };
                Resolved::Other(Condition::Test(Term::Field(field.path.clone()), test), field)
            }
        })
    }

    fn null_condition(&self, sentence: &Sentence, field: &Ref, test: Test) -> Result<Resolved, Trouble> {
        let field = self.field(sentence, field, None)?;
        Ok(Resolved::Other(Condition::Test(Term::Field(field.path.clone()), test), field))
    }

    /// The part of the model that a sentence refers to.
    pub(super) fn field(&self, sentence: &Sentence, field: &Ref, it: Option<&Field>) -> Result<Field, Trouble> {
        match field {
            Ref::It => it.cloned().ok_or_else(|| "a field that the sentence named before".to_owned()),
            Ref::Handle => self.handle.clone().ok_or_else(|| "a handle that the paragraph named before".to_owned()),
            Ref::Here => self.here(sentence).ok_or_else(|| "a parameter or member that the sentence is about".to_owned()),
            Ref::Named(name) => {
                self.named(name).ok_or_else(|| format!("a parameter or member instead of `{name}`, which the model does not have"))
            }
        }
    }

    fn here(&self, sentence: &Sentence) -> Option<Field> {
        match (&sentence.section, self.comment.kind) {
            (Section::Parameter(name), SubjectKind::Command) => self.context.names.field(Some(&self.comment.subject), name),
            (_, SubjectKind::Member) => self.context.names.field(None, &self.comment.subject),
            _ => None,
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<Field> {
        let names = self.context.names;
        let command = (self.comment.kind == SubjectKind::Command).then_some(self.comment.subject.as_str());
        let found = names.field(command, name).filter(|field| !field.path.as_str().is_empty());
        let found = found.or_else(|| match self.comment.kind {
            SubjectKind::Member | SubjectKind::Record => {
                let here = names.field(None, &self.comment.subject);
                let (record, path) = match &here {
                    Some(field) => (field.subject.as_str(), field.path.as_str()),
                    None => (self.comment.item.as_str(), ""),
                };
                names.neighbour(record, path, name)
            }
            _ => None,
        });
        found.or_else(|| {
            let right = self.context.overlay.decide_text(Api::Cuda, Question::DocReference, name)?;
            names.field(command, right)
        })
    }
}
