//! The headers as one closed world: what is in here is all that the C parser sees.
//!
//! In: a directory of NVIDIA's headers, or texts. Out: their [`Document`]s, and a directory of our own that holds copies of them beside
//! stubs of the few system headers that they include. The parser gets no other directory, so that neither the machine's C library
//! nor its OpenGL can change what is read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::finding::{Document, Finding, Findings};

/// The headers of the driver API that declare something, in the order in which they are read.
const DECLARING: [&str; 4] = ["cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"];

/// The headers that give each command's versions.
const TYPEDEFS: [&str; 5] =
    ["cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaVDPAUTypedefs.h", "cudaProfilerTypedefs.h"];

/// System headers that the above include, each reduced to the names that they use.
const STUBS: [(&str, &str); 7] = [
    ("stdlib.h", include_str!("stubs/stdlib.h")),
    ("stdint.h", include_str!("stubs/stdint.h")),
    ("GL/gl.h", include_str!("stubs/GL/gl.h")),
    ("EGL/egl.h", include_str!("stubs/EGL/egl.h")),
    ("EGL/eglext.h", include_str!("stubs/EGL/eglext.h")),
    ("vdpau/vdpau.h", include_str!("stubs/vdpau/vdpau.h")),
    ("cudaProfiler.h", include_str!("stubs/cudaProfiler.h")),
];

/// The file that includes all the others.
const ENTRY: &str = "clcu.h";

/// The headers of one release, in memory and in a directory for the parser.
#[derive(Debug)]
pub struct Headers {
    documents: Vec<Document>,
    room: TempDir,
}

impl Headers {
    /// Reads every header of the driver API in `include`. Each of them must be there: a release that lacks one would silently lack its
    /// commands.
    pub fn read(include: &Path) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let mut documents = Vec::new();
        for name in DECLARING.into_iter().chain(TYPEDEFS) {
            match fs::read(include.join(name)) {
                Ok(bytes) => match Document::from_bytes(name, &bytes) {
                    Ok(document) => documents.push(document),
                    Err(finding) => findings.push(finding),
                },
                Err(error) => findings.push(
                    Finding::error(format!("the CUDA header `{name}` cannot be read"))
                        .found(error.to_string())
                        .wanted(format!("a directory that holds {} and its companions", DECLARING[0]))
                        .help("name the directory `include` of CUDA's toolkit or of the package of its headers"),
                ),
            }
        }
        let (documents, _) = findings.with(documents)?;
        Self::from_documents(documents)
    }

    /// Headers that are in memory, each named as C programs include it. What is missing of the usual set is not included.
    pub fn from_documents(documents: Vec<Document>) -> Result<Self, Findings> {
        let room = Self::furnish(&documents).map_err(|error| {
            Finding::error("the headers cannot be laid out for the C parser")
                .found(error.to_string())
                .help("make room in the directory for temporary files, or point TMPDIR to another")
        })?;
        Ok(Self { documents, room })
    }

    /// Writes headers, stubs and the entry into a fresh directory.
    fn furnish(documents: &[Document]) -> io::Result<TempDir> {
        let room = tempfile::Builder::new().prefix("clcu-headers-").tempdir()?;
        // `cudaVDPAU.h` includes nothing itself. One header a line, in order: `included_on` counts on it.
        let mut entry = String::from("#include <vdpau/vdpau.h>\n");
        for document in documents {
            fs::write(room.path().join(document.name()), document.text())?;
            entry.extend(["#include <", document.name(), ">\n"]);
        }
        for (name, text) in STUBS {
            let path = room.path().join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, text)?;
        }
        fs::write(room.path().join(ENTRY), entry)?;
        Ok(room)
    }

    /// The headers, in the order in which they are read.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The header called `name`.
    #[must_use]
    pub fn document(&self, name: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.name() == name)
    }

    /// The directory that the parser reads: copies of the headers, and stubs of what they include. It lives as long as this does.
    #[must_use]
    pub fn room(&self) -> &Path {
        self.room.path()
    }

    /// Which of the documents a line of the entry includes, lines counted from 1.
    pub(super) fn included_on(line: u32) -> Option<usize> {
        usize::try_from(line).ok()?.checked_sub(2)
    }

    /// The file that includes all the others.
    pub(super) fn entry(&self) -> PathBuf {
        self.room.path().join(ENTRY)
    }
}
