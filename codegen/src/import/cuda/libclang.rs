//! The C parser: libclang, opened at run time, behind safe types.
//!
//! In: the path of a libclang and [`Headers`]. Out: a parsed [`Unit`] whose [`Cursor`]s say where each declaration is, where its comment is,
//! and what its layout is. Which libclang it is decides which comments are found, so the path is always the caller's choice: nothing is
//! searched for.

use std::{
    collections::BTreeMap,
    env,
    ffi::{CStr, CString, c_int, c_uint, c_void},
    marker::PhantomData,
    ops::Range,
    path::{Path, PathBuf},
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use clang_sys as clang;

use super::headers::Headers;
use crate::finding::{Document, Finding, Findings, Place};

/// The variable that clang-sys reads the path from; it offers no other way.
const PATH_VARIABLE: &str = "LIBCLANG_PATH";

/// Each library that was opened, so that it is opened once a process.
static OPENED: Mutex<BTreeMap<PathBuf, Arc<clang::SharedLibrary>>> = Mutex::new(BTreeMap::new());

/// An open libclang.
#[derive(Clone, Debug)]
pub struct Libclang {
    library: Arc<clang::SharedLibrary>,
}

impl Libclang {
    /// Opens the library at `path`. To be called before threads are started that read the environment from C.
    pub fn open(path: &Path) -> Result<Self, Findings> {
        let refuse = |found: String| {
            Finding::error(format!("libclang cannot be opened: {}", path.display()))
                .found(found)
                .wanted("the shared library of libclang 18.1.1, the release that this project pins")
                .help("run `clcu fetch`, which brings it, or name another copy")
        };
        if !path.is_file() {
            return Err(refuse("no such file".to_owned()).into());
        }
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = opened.get(path) {
            return Ok(Self { library: Arc::clone(library) });
        }
        let before = env::var_os(PATH_VARIABLE);
        // SAFETY: Rust code reads the environment under std's own lock, only one thread is here at a time, and the caller promises that no
        // C code reads it meanwhile.
        unsafe { env::set_var(PATH_VARIABLE, path) };
        let loaded = clang::load_manually();
        // SAFETY: as above.
        unsafe {
            match before {
                Some(value) => env::set_var(PATH_VARIABLE, value),
                None => env::remove_var(PATH_VARIABLE),
            }
        }
        let library = Arc::new(loaded.map_err(refuse)?);
        if library.version() < Some(clang::Version::V12_0) {
            return Err(refuse("a version before 12".to_owned()).into());
        }
        opened.insert(path.to_owned(), Arc::clone(&library));
        Ok(Self { library })
    }

    /// Where the system has one: what `LIBCLANG_PATH` names (a file or a directory), else a usual place. Only for those who say so: which libclang
    /// it is decides which comments are found.
    pub fn find() -> Result<PathBuf, Findings> {
        let found = clang::load_manually().map_err(|found| {
            Finding::error("no libclang was found")
                .found(found)
                .wanted("the shared library of libclang, in a usual place or named by LIBCLANG_PATH or CLCU_LIBCLANG")
                .help("install it (Debian: libclang1; PyPI: libclang), or name the file")
        })?;
        Ok(found.path().to_owned())
    }

    /// What it calls itself.
    #[must_use]
    pub fn version(&self) -> String {
        self.enter();
        // SAFETY: takes nothing, and gives a string that `text` disposes of.
        text(unsafe { clang::clang_getClangVersion() })
    }

    /// Makes it the library that clang-sys, and bindgen through it, use on this thread.
    pub(super) fn enter(&self) {
        clang::set_library(Some(Arc::clone(&self.library)));
    }

    /// Parses all `headers` for `target`, with `defines` besides. A diagnostic of the parser becomes a finding at its place.
    pub(super) fn parse<'h>(&self, headers: &'h Headers, target: &str, defines: &[&str]) -> Result<(Unit<'h>, Findings), Findings> {
        self.enter();
        let arguments = arguments(headers, target, defines);
        let unit = Unit::parse(headers, &headers.entry(), &arguments)?;
        let findings = unit.diagnostics();
        findings.with(unit)
    }
}

/// What every run of the parser gets: nothing of the machine, our own directory, the language that the headers are written in.
pub(super) fn arguments(headers: &Headers, target: &str, defines: &[&str]) -> Vec<String> {
    // NVIDIA writes `CUDAAPI *` for parameters that are pointers to data, where a calling convention means nothing.
    let fixed = ["-x", "c", "-std=c11", "-nostdinc", "-Wno-ignored-attributes"];
    let mut arguments: Vec<String> = fixed.map(String::from).into();
    arguments.push(format!("--target={target}"));
    arguments.push(format!("-I{}", headers.room().display()));
    arguments.extend(defines.iter().map(|define| format!("-D{define}")));
    arguments
}

/// Takes the text out of a string of libclang's, and disposes of it.
fn text(string: clang::CXString) -> String {
    // SAFETY: `string` comes from libclang and was not disposed of; its text lives until it is, which is after the copy.
    unsafe {
        let pointer = clang::clang_getCString(string);
        let copy = if pointer.is_null() { String::new() } else { CStr::from_ptr(pointer).to_string_lossy().into_owned() };
        clang::clang_disposeString(string);
        copy
    }
}

/// A range of one of the headers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Which of [`Headers::documents`].
    pub document: usize,
    /// Where the range starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Span {
    /// As a range of bytes.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether `other` is in it.
    pub(super) fn holds(&self, other: &Self) -> bool {
        self.document == other.document && self.start <= other.start && other.end <= self.end
    }
}

/// All headers, parsed for one target.
pub(super) struct Unit<'h> {
    headers: &'h Headers,
    index: clang::CXIndex,
    translated: clang::CXTranslationUnit,
    entry: clang::CXFile,
    files: Vec<(clang::CXFile, usize)>,
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        // SAFETY: both were created by `parse`, are disposed of once, and no cursor outlives the unit.
        unsafe {
            clang::clang_disposeTranslationUnit(self.translated);
            clang::clang_disposeIndex(self.index);
        }
    }
}

impl<'h> Unit<'h> {
    fn parse(headers: &'h Headers, entry: &Path, arguments: &[String]) -> Result<Self, Findings> {
        let refuse = |found: String| Findings::from(Finding::error("the C parser cannot read the headers").found(found));
        let plain = |text: &str| CString::new(text).map_err(|_| refuse(format!("a NUL byte in `{text:?}`")));
        let entry = plain(&entry.to_string_lossy())?;
        let owned = arguments.iter().map(|argument| plain(argument)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = owned.iter().map(|argument| argument.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|error| refuse(error.to_string()))?;
        let options = clang::CXTranslationUnit_DetailedPreprocessingRecord;
        let mut unit = ptr::null_mut();
        // SAFETY: no argument but two flags.
        let index = unsafe { clang::clang_createIndex(0, 0) };
        // SAFETY: `entry` and the arguments are C strings that live through the call; there are no unsaved files; `unit` is written to.
        let code = unsafe {
            let (entry, first) = (entry.as_ptr(), pointers.as_ptr());
            clang::clang_parseTranslationUnit2(index, entry, first, count, ptr::null_mut(), 0, options, &raw mut unit)
        };
        if unit.is_null() {
            // SAFETY: the index was created above and nothing else refers to it.
            unsafe { clang::clang_disposeIndex(index) };
            return Err(refuse(format!("libclang's error {code}")));
        }
        // SAFETY: the unit is alive and the path a C string.
        let main = unsafe { clang::clang_getFile(unit, entry.as_ptr()) };
        let mut parsed = Self { headers, index, translated: unit, entry: main, files: Vec::new() };
        for (number, document) in headers.documents().iter().enumerate() {
            let path = plain(&headers.room().join(document.name()).to_string_lossy())?;
            // SAFETY: the unit is alive and the path a C string.
            let file = unsafe { clang::clang_getFile(parsed.translated, path.as_ptr()) };
            if !file.is_null() {
                parsed.files.push((file, number));
            }
        }
        Ok(parsed)
    }

    /// The whole unit as a cursor.
    pub(super) fn root(&self) -> Cursor<'_> {
        // SAFETY: the unit is alive.
        Cursor::new(unsafe { clang::clang_getTranslationUnitCursor(self.translated) })
    }

    /// Where `range` is, if it is in one of the headers.
    pub(super) fn span(&self, range: clang::CXSourceRange) -> Option<Span> {
        // SAFETY: `range` comes from a cursor of this unit; the functions accept a null range.
        let (start, end) = unsafe { (clang::clang_getRangeStart(range), clang::clang_getRangeEnd(range)) };
        let (document, start) = self.position(start)?;
        let (other, end) = self.position(end)?;
        (document == other && start <= end).then_some(Span { document, start, end })
    }

    /// Which header a location is in, and how many bytes from its start. Within a macro's expansion: where the macro is used. In the file
    /// that includes the headers: the end of the header before, which is where one that breaks off is found out.
    fn position(&self, location: clang::CXSourceLocation) -> Option<(usize, usize)> {
        let mut file = ptr::null_mut();
        let (mut line, mut offset): (c_uint, c_uint) = (0, 0);
        // SAFETY: the location is of this unit; the outputs are written to, except the null one.
        unsafe {
            let column = ptr::null_mut();
            clang::clang_getExpansionLocation(location, &raw mut file, &raw mut line, column, &raw mut offset);
        }
        if let Some((_, document)) = self.files.iter().find(|(known, _)| *known == file) {
            return Some((*document, usize::try_from(offset).ok()?));
        }
        if file.is_null() || file != self.entry {
            return None;
        }
        let document = Headers::included_on(line)?;
        Some((document, self.headers.documents().get(document)?.text().len()))
    }

    /// The regions that the preprocessor left out.
    pub(super) fn skipped(&self) -> Vec<Span> {
        // SAFETY: the unit is alive; the list is read within its length and then disposed of.
        unsafe {
            let list = clang::clang_getAllSkippedRanges(self.translated);
            if list.is_null() {
                return Vec::new();
            }
            let mut spans = Vec::new();
            for number in 0..(*list).count as usize {
                spans.extend(self.span(*(*list).ranges.add(number)));
            }
            clang::clang_disposeSourceRangeList(list);
            spans
        }
    }

    /// The name of `cursor` as the header writes it, before macros turn it into another.
    pub(super) fn spelled(&self, cursor: Cursor<'_>) -> Option<&'h str> {
        let (document, start) = self.position(cursor.location())?;
        let rest = self.headers.documents()[document].text().get(start..)?;
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        Some(&rest[..end])
    }

    /// A range of the headers as a place to show.
    pub(super) fn place(&self, span: &Span) -> Place {
        self.document(span.document).place(span.range())
    }

    fn diagnostics(&self) -> Findings {
        let mut findings = Findings::default();
        // SAFETY: the unit is alive, the numbers are below the count, and each diagnostic is disposed of once.
        unsafe {
            for number in 0..clang::clang_getNumDiagnostics(self.translated) {
                let diagnostic = clang::clang_getDiagnostic(self.translated, number);
                let severity = clang::clang_getDiagnosticSeverity(diagnostic);
                let said = text(clang::clang_getDiagnosticSpelling(diagnostic));
                let location = clang::clang_getDiagnosticLocation(diagnostic);
                clang::clang_disposeDiagnostic(diagnostic);
                let what = format!("the C parser says: {said}");
                let finding = if severity >= clang::CXDiagnostic_Error {
                    Finding::error(what).help("the header is damaged or incomplete: fetch it again")
                } else {
                    Finding::warning(what)
                };
                findings.push(match self.position(location) {
                    Some((document, offset)) => finding.at(self.document(document).place(offset..offset)),
                    None => finding,
                });
            }
        }
        findings
    }

    fn document(&self, number: usize) -> &Document {
        &self.headers.documents()[number]
    }
}

/// A declaration in a [`Unit`].
#[derive(Clone, Copy)]
pub(super) struct Cursor<'u> {
    raw: clang::CXCursor,
    unit: PhantomData<&'u ()>,
}

impl Cursor<'_> {
    fn new(raw: clang::CXCursor) -> Self {
        Self { raw, unit: PhantomData }
    }

    /// What it is: one of libclang's `CXCursor_…`.
    pub(super) fn kind(self) -> clang::CXCursorKind {
        // SAFETY: the cursor is of a unit that is alive.
        unsafe { clang::clang_getCursorKind(self.raw) }
    }

    /// Its name; for a nameless one a text that is no identifier, or nothing.
    pub(super) fn spelling(self) -> String {
        // SAFETY: as in `kind`.
        text(unsafe { clang::clang_getCursorSpelling(self.raw) })
    }

    /// The names of a function's parameters; empty ones where it gives none.
    pub(super) fn parameters(self) -> Vec<String> {
        // SAFETY: as in `kind`; the number is -1 for what is no function, and the parameters are asked for within it.
        let count = unsafe { clang::clang_Cursor_getNumArguments(self.raw) };
        let count = c_uint::try_from(count).unwrap_or(0);
        // SAFETY: as above.
        (0..count).map(|number| Self::new(unsafe { clang::clang_Cursor_getArgument(self.raw, number) }).spelling()).collect()
    }

    /// The range of the whole declaration.
    pub(super) fn extent(self) -> clang::CXSourceRange {
        // SAFETY: as in `kind`.
        unsafe { clang::clang_getCursorExtent(self.raw) }
    }

    /// Where its name is; where a macro makes the name, where that macro is used.
    fn location(self) -> clang::CXSourceLocation {
        // SAFETY: as in `kind`.
        unsafe { clang::clang_getCursorLocation(self.raw) }
    }

    /// The range of the comment that belongs to it.
    pub(super) fn comment_range(self) -> clang::CXSourceRange {
        // SAFETY: as in `kind`; null if there is none.
        unsafe { clang::clang_Cursor_getCommentRange(self.raw) }
    }

    /// Whether it has a body.
    pub(super) fn is_definition(self) -> bool {
        // SAFETY: as in `kind`.
        unsafe { clang::clang_isCursorDefinition(self.raw) != 0 }
    }

    /// Whether it is marked as deprecated for the compiler.
    pub(super) fn is_deprecated(self) -> bool {
        // SAFETY: as in `kind`.
        unsafe { clang::clang_getCursorAvailability(self.raw) == clang::CXAvailability_Deprecated }
    }

    /// The size and alignment of its type, in bytes; `None` where the type is incomplete.
    pub(super) fn size_and_align(self) -> Option<(u64, u64)> {
        // SAFETY: as in `kind`; what has no layout gives a negative number.
        let (size, align) = unsafe {
            let ctype = clang::clang_getCanonicalType(clang::clang_getCursorType(self.raw));
            (clang::clang_Type_getSizeOf(ctype), clang::clang_Type_getAlignOf(ctype))
        };
        Some((u64::try_from(size).ok()?, u64::try_from(align).ok()?))
    }

    /// How far the member called `name` is from the start of this record, in bytes; it may be in a nameless member.
    pub(super) fn offset_of(self, name: &str) -> Option<u64> {
        let name = CString::new(name).ok()?;
        // SAFETY: as in `kind`; `name` is a C string; what has no offset gives a negative number.
        let bits = unsafe { clang::clang_Type_getOffsetOf(clang::clang_getCursorType(self.raw), name.as_ptr()) };
        let bits = u64::try_from(bits).ok()?;
        (bits % 8 == 0).then_some(bits / 8)
    }

    /// How many elements its type has, if that is an array.
    pub(super) fn array_length(self) -> Option<u64> {
        // SAFETY: as in `kind`; what is no array gives a negative number.
        u64::try_from(unsafe { clang::clang_getArraySize(clang::clang_getCursorType(self.raw)) }).ok()
    }

    /// Whether it is a bit field.
    pub(super) fn is_bit_field(self) -> bool {
        // SAFETY: as in `kind`.
        unsafe { clang::clang_Cursor_isBitField(self.raw) != 0 }
    }

    /// The calling convention of a function, or of what a pointer to one points to: one of libclang's `CXCallingConv_…`.
    pub(super) fn calling_convention(self) -> clang::CXCallingConv {
        // SAFETY: as in `kind`; types of other kinds give `CXCallingConv_Invalid`.
        unsafe {
            let mut ctype = if self.kind() == clang::CXCursor_TypedefDecl {
                clang::clang_getTypedefDeclUnderlyingType(self.raw)
            } else {
                clang::clang_getCursorType(self.raw)
            };
            if ctype.kind == clang::CXType_Pointer {
                ctype = clang::clang_getPointeeType(ctype);
            }
            clang::clang_getFunctionTypeCallingConv(clang::clang_getCanonicalType(ctype))
        }
    }

    /// What is directly in it, in the order of the text.
    pub(super) fn children(self) -> Vec<Self> {
        extern "C" fn collect(
            cursor: clang::CXCursor,
            _parent: clang::CXCursor,
            data: clang::CXClientData,
        ) -> clang::CXChildVisitResult {
            // SAFETY: `data` is the vector below, which lives through the visit and is used by nothing else meanwhile.
            unsafe { (*data.cast::<Vec<clang::CXCursor>>()).push(cursor) };
            clang::CXChildVisit_Continue
        }
        let mut children: Vec<clang::CXCursor> = Vec::new();
        // SAFETY: as in `kind`; the callback matches the data.
        unsafe { clang::clang_visitChildren(self.raw, collect, (&raw mut children).cast::<c_void>()) };
        children.into_iter().map(Self::new).collect()
    }

    /// The declaration that a typedef names, or that a member or its elements have as their type: a record, an enum or another typedef, not
    /// behind a pointer.
    pub(super) fn names(self) -> Option<Self> {
        // SAFETY: as in `kind`; for other kinds of cursors and types the result is a null cursor or one of no declaration.
        let raw = unsafe {
            let ctype = if self.kind() == clang::CXCursor_TypedefDecl {
                clang::clang_getTypedefDeclUnderlyingType(self.raw)
            } else {
                clang::clang_getCursorType(self.raw)
            };
            let mut element = ctype;
            while element.kind == clang::CXType_ConstantArray {
                element = clang::clang_getArrayElementType(element);
            }
            clang::clang_getTypeDeclaration(element)
        };
        let declaration = Self::new(raw);
        (declaration.kind() != clang::CXCursor_NoDeclFound).then_some(declaration)
    }
}

impl PartialEq for Cursor<'_> {
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: both are of units that are alive.
        unsafe { clang::clang_equalCursors(self.raw, other.raw) != 0 }
    }
}
