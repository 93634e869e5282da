//! The comments of the headers, each with its exact place and what it belongs to.
//!
//! In: [`Headers`] and an open [`Libclang`]. Out: every comment for Doxygen, and every plain one beside or inside a declaration, attached to a
//! command, record, member, enumeration, enumerator, typedef or macro; what is left over of those for Doxygen is listed as a finding.
//!
//! The C parser attaches most of them. It knows nothing of comments on macros and of plain ones; those are found by scanning the text, and
//! belong to what stands before them on their line, or else to what follows.

use std::{collections::BTreeMap, ops::Range};

use super::{
    declarations::{Declared, declared},
    groups::{Groups, is_structure},
    headers::Headers,
    libclang::{Libclang, Span},
    neighbours::Neighbours,
    scan::{Marker, Raw, scan, strip},
};
use crate::finding::{Document, Finding, Findings};

/// What a comment belongs to. Where the C parser gives one comment to several things, the first kind in this order has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubjectKind {
    /// A function.
    Command,
    /// A struct or union with a name.
    Record,
    /// A member of one.
    Member,
    /// An enumeration.
    Enumeration,
    /// A value of one.
    Enumerator,
    /// Another typedef: a handle, a callback, an alias.
    Typedef,
    /// A macro.
    Macro,
    /// A Doxygen group; its subject is the group's name.
    Group,
    /// A whole header, or a mark that ends a group.
    File,
}

/// One comment.
#[derive(Clone, Debug)]
pub struct Comment {
    /// What it belongs to, as upstream's prose names it: `cuImportExternalSemaphore`,
    /// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::handle::win32::name`, `CUresult::CUDA_ERROR_INVALID_VALUE`. A command is named by the symbol that the
    /// driver exports (`cuCtxCreate_v4`).
    pub subject: String,
    /// What that is.
    pub kind: SubjectKind,
    /// The model's item that it belongs to, or whose member it belongs to: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32`.
    pub item: String,
    /// The member or enumerator of that item.
    pub member: Option<String>,
    /// The name that the header writes: `cuCtxCreate`, which a macro turns into `cuCtxCreate_v4`.
    pub spelled: String,
    /// The Doxygen group around it (`CUDA_EXTRES_INTEROP`).
    pub group: Option<String>,
    /// Whether it is marked for Doxygen; if not, upstream wrote it for readers of the header only.
    pub doxygen: bool,
    /// The header.
    pub document: Document,
    /// Where in the header it is, markers included, in bytes.
    pub range: Range<usize>,
    /// Its first and last line, counted from 1.
    pub lines: (u32, u32),
    /// What it says, without its markers. Line `n` of this text is line `lines.0 + n` of the header.
    pub text: String,
}

impl Comment {
    /// Whether it says that its subject is deprecated.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.text.contains("\\deprecated")
    }

    /// The place of line `number` of the text (counted from 0) in the header.
    #[must_use]
    pub fn place_of_line(&self, number: usize) -> crate::finding::Place {
        let source = &self.document.text()[self.range.clone()];
        let start = source.split_inclusive('\n').take(number).map(str::len).sum::<usize>();
        let length = source[start..].lines().next().map_or(0, str::len);
        self.document.place(self.range.start + start..self.range.start + start + length)
    }
}

/// All comments of `headers`, sorted by place. One for Doxygen that cannot be attached is a finding.
pub fn comments(headers: &Headers, libclang: &Libclang) -> Result<(Vec<Comment>, Findings), Findings> {
    let (declared, skipped, mut findings) = parse(headers, libclang)?;
    let mut found = Vec::new();
    for (number, document) in headers.documents().iter().enumerate() {
        let raws = scan(document.text());
        let (groups, of_groups) = Groups::read(document, &raws);
        findings.0.extend(of_groups.0);
        let neighbours = Neighbours::new(number, document, &raws, &declared);
        let starts = document.text().match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        let mut attach = Attach { number, document, lines, groups, neighbours, found: Vec::new() };
        let attached = attach.by_parser();
        let mut dead: BTreeMap<&Span, usize> = BTreeMap::new();
        for raw in &raws {
            if attached.iter().any(|range| range.start <= raw.range.start && raw.range.end <= range.end) {
                continue;
            }
            match skipped.iter().find(|span| span.document == number && span.range().contains(&raw.range.start)) {
                Some(region) if !(raw.marker == Marker::Doxygen && is_structure(&document.text()[raw.range.clone()])) => {
                    *dead.entry(region).or_insert(0) += 1;
                }
                _ => attach.by_place(raw, &mut findings),
            }
        }
        for (region, count) in dead {
            let what = format!("{count} comments in a region that no target compiles belong to nothing");
            findings.push(Finding::note(what).at(document.place(region.range())));
        }
        found.append(&mut attach.found);
    }
    findings.with(found)
}

/// Declarations of Linux, then those that only Windows has; and the regions that neither compiles.
fn parse(headers: &Headers, libclang: &Libclang) -> Result<(Vec<Declared>, Vec<Span>, Findings), Findings> {
    let (linux, findings) = libclang.parse(headers, "x86_64-unknown-linux-gnu", &[])?;
    let (windows, _) = libclang.parse(headers, "x86_64-pc-windows-msvc", &[])?;
    let mut all = declared(&linux);
    let known: std::collections::BTreeSet<_> = all.iter().map(|one| (one.span.clone(), one.kind)).collect();
    all.extend(declared(&windows).into_iter().filter(|one| !known.contains(&(one.span.clone(), one.kind))));
    let by_windows = windows.skipped();
    let mut skipped = linux.skipped();
    skipped.retain(|span| by_windows.iter().any(|other| other.holds(span)));
    Ok((all, skipped, findings))
}

/// Attaches the comments of one header.
struct Attach<'a> {
    number: usize,
    document: &'a Document,
    /// Where each line starts.
    lines: Vec<usize>,
    groups: Groups,
    neighbours: Neighbours<'a>,
    found: Vec<Comment>,
}

impl Attach<'_> {
    /// Those that the C parser attaches; returns their ranges.
    fn by_parser(&mut self) -> Vec<Range<usize>> {
        let mut by_range: BTreeMap<(usize, usize), Vec<&Declared>> = BTreeMap::new();
        for declared in self.neighbours.declared() {
            if let Some(span) = &declared.comment
                && span.document == self.number
                && !is_structure(&self.document.text()[span.range()])
            {
                by_range.entry((span.start, span.end)).or_default().push(declared);
            }
        }
        let ranges = by_range.keys().map(|(start, end)| *start..*end).collect();
        for ((start, end), owners) in by_range {
            let first = owners.iter().map(|owner| owner.kind).min();
            for owner in owners.iter().filter(|owner| Some(owner.kind) == first) {
                self.add(&(start..end), true, owner);
            }
        }
        ranges
    }

    /// One that the C parser does not attach: by what it says, or by what it stands beside.
    fn by_place(&mut self, raw: &Raw, findings: &mut Findings) {
        let doxygen = raw.marker == Marker::Doxygen;
        let text = &self.document.text()[raw.range.clone()];
        if doxygen && is_structure(text) {
            let group = self.groups.opened_by(raw.range.start).map(str::to_owned);
            let kind = if group.is_some() { SubjectKind::Group } else { SubjectKind::File };
            let subject = group.unwrap_or_else(|| self.document.name().to_owned());
            self.push(&raw.range, doxygen, kind, subject.clone(), subject, None, String::new());
            return;
        }
        if let Some(owner) = self.neighbours.of(raw) {
            self.add(&raw.range, doxygen, owner);
        } else if doxygen {
            let place = self.document.place(raw.range.clone());
            findings.push(Finding::warning("a comment for Doxygen belongs to nothing").at(place));
        }
        // A plain comment that is left stands between declarations: a licence, or the end of a conditional. It says nothing of any of them.
    }

    #[allow(clippy::too_many_arguments)] // the one place that makes a comment
    fn push(
        &mut self,
        range: &Range<usize>,
        doxygen: bool,
        kind: SubjectKind,
        subject: String,
        item: String,
        member: Option<String>,
        spelled: String,
    ) {
        let line = |at: usize| u32::try_from(self.lines.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
        self.found.push(Comment {
            subject,
            kind,
            item,
            member,
            spelled,
            group: self.groups.at(range.end).map(str::to_owned),
            doxygen,
            document: self.document.clone(),
            range: range.clone(),
            lines: (line(range.start), line(range.end)),
            text: strip(&self.document.text()[range.clone()]),
        });
    }

    fn add(&mut self, range: &Range<usize>, doxygen: bool, owner: &Declared) {
        let (subject, item) = (owner.subject.clone(), owner.item.clone());
        self.push(range, doxygen, owner.kind, subject, item, owner.member.clone(), owner.spelled.clone());
    }
}

#[cfg(test)]
mod tests;
