//! What the command takes, and its `--help`.
#![allow(clippy::doc_markdown)] // help is no Markdown: backticks would be shown

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  clcu update                                the main job: everything, from the pinned inputs
  clcu update --opencl-docs ../OpenCL-Docs   with a checkout of your own instead of the pinned commit
  clcu update --cuda-include /usr/local/cuda/include
                                             with an installed toolkit instead of the pinned headers
  clcu generate                              write the bindings anew from the snapshots, offline
  clcu generate --only cuInit,cl_khr_semaphore --out src/gpu
                                             a part of them, to vendor; --single-file gpu.rs makes it one file
  clcu check                                 in CI: are the bindings what the snapshots give?
  clcu check --upstream                      and are the snapshots what upstream gives?
  clcu update --all-releases --opencl-releases ../opencl
                                             since and until when each item exists, from every release
  clcu diff cuda-12.9 cuda-13.0              what changed between two releases, and what it breaks
  clcu diff snapshot upstream --markdown     what an update would change, for a changelog
  clcu drift                                 what upstream has newer than the pins, as files to commit
  clcu stats --json                          how many items of each kind there are
  clcu explain cuImportExternalSemaphore     what must hold, who owns what, which errors may come back
  clcu coverage                              how much of the documents became rules

Exit codes:
  0  done; for `check`, nothing differs
  1  `check` found a difference, or `--deny-skipped` something that nobody decided on
  2  the command line is wrong
  3  an input is wrong: a document, snapshot or decision, or a download that is not the pinned file
  4  upstream is out of reach, and the command cannot do without it (`update` can)
  5  the disk refused: no permission, no room
  `diff` and `drift` give 0 where nothing changed, else the worst grade:
  10  text only   11  something is added   12  breaks source   13  breaks the ABI

Whatever fails, every output stays as it was.";

/// Generates the Rust bindings of OpenCL and of the CUDA driver API from what Khronos and NVIDIA publish.
///
/// The data goes one way: `fetch` brings pinned upstream documents into a cache, `import` reads them and writes the snapshots
/// spec/cuda.json and spec/opencl.json, and `generate` writes the bindings under generated/src from the snapshots. `update` does all of
/// it. Where upstream is out of reach, the committed snapshots stand in for it.
#[derive(Debug, Parser)]
#[command(name = "clcu", version, after_help = EXAMPLES, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) general: General,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct General {
    /// The root of the repository [default: the nearest directory upward with spec/sources.toml in it]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where downloads are kept [env: CLCU_CACHE] [default: cache/ in the root]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Say only what went wrong
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show everything: notes, whole diffs, and what is not emitted, with its reason
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fetch, import, write snapshots and bindings, and report what changed
    ///
    /// Reads the newest release of each API. What the snapshots know of older ones (since and until when an item exists, what it was
    /// before) is kept; --all-releases reads all of them anew.
    Update {
        #[command(flatten)]
        history: History,
        #[command(flatten)]
        upstream: Upstream,
        #[command(flatten)]
        reading: Reading,
    },
    /// Bring the pinned upstream documents and libclang into the cache
    Fetch {
        #[command(flatten)]
        upstream: Upstream,
    },
    /// Read the upstream documents and write the snapshots spec/*.json
    Import {
        #[command(flatten)]
        upstream: Upstream,
        #[command(flatten)]
        reading: Reading,
    },
    /// Write the bindings under generated/src from the snapshots; or, with --only, a part of them anywhere
    ///
    /// A part needs no other crate: it holds what --only asks for, everything that this takes, and the macros that it is made of, with names
    /// and layouts of the whole. Outside of a checkout it is made of the snapshots that the command was built with.
    Generate {
        #[command(flatten)]
        only: Only,
    },
    /// Show how the committed files differ from what they are made of, and write nothing
    Check {
        /// Compare the snapshots with upstream, too
        #[arg(long = "upstream")]
        against_upstream: bool,
        #[command(flatten)]
        upstream: Upstream,
        #[command(flatten)]
        reading: Reading,
    },
    /// Show what changed between two releases, and what it breaks
    ///
    /// A side is `snapshot` or `upstream` (both APIs), `cuda-12.9` (a pinned release, fetched if need be), `opencl-v3.0.19` (a directory of
    /// --opencl-releases), the file of a snapshot, or a directory with cuda.h or xml/cl.xml in it.
    Diff {
        /// From what
        #[arg(value_name = "OLD")]
        old: String,
        /// To what
        #[arg(value_name = "NEW")]
        new: String,
        /// As JSON
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// As a section of a changelog
        #[arg(long)]
        markdown: bool,
        #[command(flatten)]
        upstream: Upstream,
        #[command(flatten)]
        releases: OpenClReleases,
        #[command(flatten)]
        reading: Reading,
    },
    /// Look for what upstream has newer than the pins, and write it as files ready to be committed
    ///
    /// Takes the newest wheel of the CUDA headers and the newest commit of the OpenCL documents (or the directories that are named), moves the
    /// pins, and writes what `update` writes, changelog fragments included. Ends with the grade of the change, as `diff` does, and with 0 where
    /// there is nothing newer; then nothing is written.
    Drift {
        #[command(flatten)]
        upstream: Upstream,
        #[command(flatten)]
        reading: Reading,
    },
    /// Count the items of each kind in the snapshots
    Stats {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what the tables say about a name: handle types, rules, ownership, errors
    Explain {
        /// A command, record, handle type, rule, enumeration, value or error code
        name: String,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// As Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
    /// Show how much of upstream's text became rules, by function, and what is left
    Coverage {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// A part of the bindings.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "A part of the bindings")]
pub(crate) struct Only {
    /// Only these and what they need: commands (cuCtxCreate means all its versions), extensions (everything that they bring), records,
    /// enumerations, values, handles, constants
    #[arg(long = "only", value_name = "NAME,…", value_delimiter = ',', requires = "out")]
    pub(crate) names: Vec<String>,
    /// The directory to write it into: a tree of modules, whose root is mod.rs
    #[arg(long, value_name = "DIR", requires = "names")]
    pub(crate) out: Option<PathBuf>,
    /// As one file of this name instead
    #[arg(long, value_name = "FILE", requires = "names")]
    pub(crate) single_file: Option<String>,
    /// With the tables of rules, handle types and errors, and the checker
    #[arg(long, requires = "names")]
    pub(crate) rules: bool,
}

/// What is read of the past.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Releases")]
pub(crate) struct History {
    /// Read every pinned release of CUDA and every release in --opencl-releases, and write their history anew
    #[arg(long, conflicts_with_all = ["cuda", "cuda_include"])]
    pub(crate) all_releases: bool,
    #[command(flatten)]
    pub(crate) opencl: OpenClReleases,
}

/// Where older states of OpenCL are.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Releases")]
pub(crate) struct OpenClReleases {
    /// Releases of OpenCL: a directory with one for each tag in it (v3.0.19/xml/cl.xml) [env: CLCU_OPENCL_RELEASES] [default: the
    /// directory that the one of --opencl-docs is in]
    #[arg(long, value_name = "DIR")]
    pub(crate) opencl_releases: Option<PathBuf>,
}

/// Where upstream is.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Upstream")]
pub(crate) struct Upstream {
    /// OpenCL documents: a directory laid out like a checkout of OpenCL-Docs (xml/cl.xml, api/*.asciidoc) [env: CLCU_OPENCL_DOCS]
    #[arg(long, value_name = "DIR")]
    pub(crate) opencl_docs: Option<PathBuf>,
    /// CUDA headers: a directory with cuda.h in it [env: CLCU_CUDA_INCLUDE]
    #[arg(long, value_name = "DIR", conflicts_with = "cuda")]
    pub(crate) cuda_include: Option<PathBuf>,
    /// The pinned CUDA headers of a version (13.5) or release (13.5.37) other than the default
    #[arg(long, value_name = "VERSION")]
    pub(crate) cuda: Option<String>,
    /// The shared library of libclang that reads the CUDA headers [env: CLCU_LIBCLANG]
    #[arg(long, value_name = "FILE")]
    pub(crate) libclang: Option<PathBuf>,
}

/// How upstream is read.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// List what import does not know as warnings, instead of refusing the document
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Exit with 1 if anything was skipped that nobody has decided on
    #[arg(long)]
    pub(crate) deny_skipped: bool,
}
