//! The headers as the C parser sees them on each target.
//!
//! In: [`Headers`] and an open [`Libclang`]. Out: declarations of Linux and Windows, the layouts of four targets side by side, the symbols of the
//! per-thread default stream, and which functions are not `__stdcall` where that matters.

use std::collections::{BTreeMap, BTreeSet};

use clang_sys as clang;

use super::{
    comments::SubjectKind,
    declarations::{Declared, Naming, declared},
    headers::Headers,
    layouts::{Layout, layouts},
    libclang::{Libclang, Span, Unit},
};
use crate::{
    finding::{Finding, Findings},
    model::PerTarget,
};

/// What one target declares, and how it is laid out.
#[derive(Debug)]
pub(super) struct Survey {
    /// Everything that is declared.
    pub declared: Vec<Declared>,
    /// The regions that the preprocessor leaves out.
    pub skipped: Vec<Span>,
    layouts: Vec<Layout>,
    sizes: BTreeMap<String, u64>,
}

/// What all targets declare.
#[derive(Debug)]
pub(super) struct Surveys {
    /// 64-bit Linux: what everything is compared with.
    pub linux: Survey,
    /// 64-bit Windows.
    pub windows: Survey,
    windows_i686: Survey,
    linux_i686: Survey,
    /// Where a function is declared, its symbol for the per-thread default stream.
    pub per_thread: BTreeMap<Span, String>,
    /// Functions, and typedefs of functions, that have C's own calling convention on 32-bit Windows.
    pub plain_calls: BTreeSet<String>,
}

/// One record on every target.
#[derive(Clone, Debug)]
pub(super) struct Layouts {
    /// On 64-bit Linux, or on Windows if only that has it.
    pub base: Layout,
    windows_i686: Layout,
    linux_i686: Layout,
    /// Declared for Windows only.
    pub only_windows: bool,
}

impl Layouts {
    /// A number of each target.
    pub(super) fn per_target(&self, of: impl Fn(&Layout) -> u64) -> PerTarget {
        PerTarget { wide: of(&self.base), windows_i686: of(&self.windows_i686), linux_i686: of(&self.linux_i686) }
    }

    /// How many elements member `number` has on 32-bit targets, if it is an array and on 64-bit ones has another number of them.
    pub(super) fn narrow_length(&self, number: usize) -> Option<u64> {
        let length = |layout: &Layout| layout.members.get(number).and_then(|place| place.length);
        length(&self.linux_i686).filter(|narrow| Some(*narrow) != length(&self.base))
    }
}

/// Parses the headers for every target.
pub(super) fn surveys(headers: &Headers, libclang: &Libclang) -> Result<(Surveys, Findings), Findings> {
    let parse = |target: &str, defines: &[&str]| libclang.parse(headers, target, defines);
    let (unit, findings) = parse("x86_64-unknown-linux-gnu", &[])?;
    let linux = survey(&unit)?;
    let windows = survey(&parse("x86_64-pc-windows-msvc", &[])?.0)?;
    let (unit, _) = parse("i686-pc-windows-msvc", &[])?;
    let (windows_i686, plain_calls) = (survey(&unit)?, plain_calls(&unit));
    let linux_i686 = survey(&parse("i686-unknown-linux-gnu", &[])?.0)?;
    let (unit, _) = parse("x86_64-unknown-linux-gnu", &["CUDA_API_PER_THREAD_DEFAULT_STREAM"])?;
    let functions = declared(&unit).into_iter().filter(|one| one.kind == SubjectKind::Command);
    let per_thread = functions.map(|one| (one.span, one.subject)).collect();
    findings.with(Surveys { linux, windows, windows_i686, linux_i686, per_thread, plain_calls })
}

fn survey(unit: &Unit<'_>) -> Result<Survey, Findings> {
    let roots = unit.root().children();
    let typedefs = roots.iter().filter(|cursor| cursor.kind() == clang::CXCursor_TypedefDecl);
    let sizes = typedefs.filter_map(|cursor| Some((cursor.spelling(), cursor.size_and_align()?.0))).collect();
    let layouts = layouts(unit, &Naming::read(unit))?;
    Ok(Survey { declared: declared(unit), skipped: unit.skipped(), layouts, sizes })
}

fn plain_calls(unit: &Unit<'_>) -> BTreeSet<String> {
    let roots = unit.root().children();
    let plain = roots.iter().filter(|cursor| {
        matches!(cursor.kind(), clang::CXCursor_FunctionDecl | clang::CXCursor_TypedefDecl)
            && cursor.calling_convention() == clang::CXCallingConv_C
            && unit.span(cursor.extent()).is_some()
    });
    plain.map(|cursor| cursor.spelling()).collect()
}

impl Surveys {
    /// The size of the typedef `name`. Where only Windows has it, its 32-bit size stands for Linux too.
    pub(super) fn size(&self, name: &str) -> PerTarget {
        let of = |survey: &Survey| survey.sizes.get(name).copied();
        let (wide, narrow) = (of(&self.linux).or(of(&self.windows)), of(&self.windows_i686));
        PerTarget {
            wide: wide.unwrap_or(0),
            windows_i686: narrow.unwrap_or(0),
            linux_i686: of(&self.linux_i686).or(narrow).unwrap_or(0),
        }
    }

    /// Every record on every target; a finding for each on which the 64-bit targets disagree.
    pub(super) fn layouts(&self, headers: &Headers, findings: &mut Findings) -> Vec<Layouts> {
        let named = |layouts: &[Layout]| -> BTreeMap<String, Layout> {
            layouts.iter().map(|layout| (layout.name.clone(), layout.clone())).collect()
        };
        let (windows, narrow_windows, narrow_linux) =
            (named(&self.windows.layouts), named(&self.windows_i686.layouts), named(&self.linux_i686.layouts));
        let known = named(&self.linux.layouts);
        let linux = self.linux.layouts.iter().map(|layout| (layout, false));
        let more = self.windows.layouts.iter().filter(|layout| !known.contains_key(&layout.name)).map(|layout| (layout, true));
        let mut all = Vec::new();
        for (base, only_windows) in linux.chain(more) {
            let place = headers.documents()[base.span.document].place(base.span.range());
            if windows.get(&base.name) != Some(base) {
                let finding = Finding::error(format!("64-bit Linux and Windows lay `{}` out differently", base.name));
                findings.push(finding.at(place).help("the model has one layout for all 64-bit systems"));
                continue;
            }
            let windows_i686 = narrow_windows.get(&base.name);
            let linux_i686 = if only_windows { windows_i686 } else { narrow_linux.get(&base.name) };
            let (Some(windows_i686), Some(linux_i686)) = (windows_i686, linux_i686) else {
                findings.push(Finding::error(format!("`{}` is not declared on every target", base.name)).at(place));
                continue;
            };
            let (windows_i686, linux_i686) = (windows_i686.clone(), linux_i686.clone());
            all.push(Layouts { base: base.clone(), windows_i686, linux_i686, only_windows });
        }
        all
    }
}
