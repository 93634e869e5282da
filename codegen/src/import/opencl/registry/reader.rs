//! What the readers of elements share: where they are, how strict they are, and what they had to say.

use super::{
    facts::Span,
    xml::{Attribute, Element},
};
use crate::finding::{Document, Finding, Findings, Strictness};

pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
    pub(super) strictness: Strictness,
    pub(super) findings: Findings,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document, strictness: Strictness) -> Self {
        Self { document, strictness, findings: Findings::default() }
    }

    /// Something that the importer does not know and can leave out: an error, or with lenient import a warning.
    pub(super) fn unknown(&mut self, finding: Finding, span: &Span) {
        let mut finding = finding.at(self.document.place(span.clone()));
        if self.strictness == Strictness::Lenient {
            finding = finding.softened();
        }
        self.findings.push(finding);
    }

    /// Something that it cannot do without.
    pub(super) fn error(&mut self, finding: Finding, span: &Span) {
        self.findings.push(finding.at(self.document.place(span.clone())));
    }

    /// Something strange whose meaning is clear.
    pub(super) fn warning(&mut self, what: impl Into<String>, span: &Span) {
        self.findings.push(Finding::warning(what).at(self.document.place(span.clone())));
    }

    /// A name as upstream means it: stray white space around it is dropped with a warning.
    pub(super) fn name(&mut self, text: &str, span: &Span) -> Option<String> {
        let name = text.trim();
        if name.is_empty() {
            self.error(Finding::error("a name is empty"), span);
            return None;
        }
        if name.len() != text.len() {
            self.warning(format!("the name `{name}` has stray white space around it, which is dropped"), span);
        }
        Some(name.to_owned())
    }

    /// The attribute `name`, which `element` cannot do without.
    pub(super) fn required<'e>(&mut self, element: &'e Element, name: &str) -> Option<&'e Attribute> {
        let attribute = element.attribute(name);
        if attribute.is_none() {
            self.error(Finding::error(format!("<{}> has no attribute `{name}`", element.name)), &element.span);
        }
        attribute
    }

    /// The attribute `name`, which `element` cannot do without, as a name.
    pub(super) fn required_name(&mut self, element: &Element, name: &str) -> Option<String> {
        let attribute = self.required(element, name)?;
        self.name(&attribute.value, &attribute.span)
    }

    /// An attribute that is either absent or `yes`.
    pub(super) fn flag(&mut self, element: &Element, name: &str, yes: &str) -> bool {
        let Some(attribute) = element.attribute(name) else { return false };
        if attribute.value != yes {
            let finding = Finding::error(format!("`{name}` of <{}> has an unknown value", element.name))
                .found(format!("`{}`", attribute.value))
                .wanted(format!("`{yes}`, or no such attribute"));
            self.unknown(finding, &attribute.span);
        }
        attribute.value == yes
    }
}

/// The value of the attribute `name`, if it is there.
pub(super) fn value(element: &Element, name: &str) -> Option<String> {
    element.attribute(name).map(|attribute| attribute.value.clone())
}
