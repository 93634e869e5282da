//! Against the specification itself, where it is there.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use super::registry;
use crate::{
    finding::{Document, Findings, Strictness},
    import::{
        self,
        opencl::text::{Known, TextFacts, compare, facts::Condition},
    },
    model::Model,
    overlay::Overlay,
    pass,
};

/// The newest state: figures of it are written down in tests.
pub(crate) const NEWEST: &str = "main-1fb076bc";

/// A state of upstream's repository that has the text.
pub(crate) struct Upstream {
    pub name: String,
    folder: PathBuf,
}

impl Upstream {
    /// `CLCU_OPENCL_DOCS`, and the states beside it that have the text too; else those beside the repository.
    pub(crate) fn all(test: &str) -> Vec<Self> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/upstream/opencl");
        let folder = match env::var_os("CLCU_OPENCL_DOCS") {
            Some(newest) => PathBuf::from(newest).parent().map(Path::to_path_buf),
            None => Some(repository),
        };
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let mut all: Vec<Self> = entries
            .filter(|entry| entry.path().join("api/opencl_runtime_layer.asciidoc").is_file())
            .map(|entry| Self { name: entry.file_name().to_string_lossy().into_owned(), folder: entry.path() })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        if all.is_empty() {
            crate::skipped::skipped(test, "the text of the OpenCL specification (set CLCU_OPENCL_DOCS)");
        }
        all
    }

    /// The documents, in the order of their names.
    pub(crate) fn documents(&self) -> Vec<Document> {
        let entries = fs::read_dir(self.folder.join("api")).expect("a folder that was just found");
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "asciidoc"));
        paths.sort();
        let document = |path: &PathBuf| {
            let name = format!("api/{}", path.file_name().expect("a file has a name").to_string_lossy());
            Document::new(&name, &fs::read_to_string(path).expect("upstream is UTF-8"))
        };
        paths.iter().map(document).collect()
    }

    pub(crate) fn facts(&self) -> (TextFacts, Findings) {
        import::opencl::text::import(&self.documents(), Strictness::Strict)
            .unwrap_or_else(|findings| panic!("{}: {findings}", self.name))
    }

    /// The model of the newest registry, for whose faults the overlay decides; where that is missing, of the one beside the text.
    pub(crate) fn model(&self) -> Model {
        let newest = self.folder.with_file_name(NEWEST).join("xml/cl.xml");
        let path = if newest.is_file() { newest } else { self.folder.join("xml/cl.xml") };
        let document = Document::new("xml/cl.xml", &fs::read_to_string(path).expect("the registry stands beside the text"));
        let decisions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/overlay.toml");
        let decisions =
            Document::new("spec/overlay.toml", &fs::read_to_string(decisions).expect("the overlay is in the repository"));
        let overlay = Overlay::read(decisions).expect("the overlay is in order");
        let imported = import::opencl::registry::import(&document, Strictness::Strict);
        let model = imported.and_then(|(registry, _)| pass::opencl::model(&registry, &overlay, &self.name));
        model.unwrap_or_else(|findings| panic!("{}: {findings}", self.name)).0
    }

    pub(crate) fn known(&self) -> Known {
        registry::known(&fs::read_to_string(self.folder.join("xml/cl.xml")).expect("the registry stands beside the text"))
    }
}

#[test]
fn strict_import_understands_every_version() {
    for upstream in Upstream::all("strict_import_understands_every_version") {
        let (facts, findings) = upstream.facts();
        assert!(!facts.lists.is_empty(), "{}", upstream.name);
        let said: Vec<String> = findings.0.iter().map(ToString::to_string).collect();
        let known = |finding: &String| finding.contains("a comment is indented") || finding.contains("announces another one");
        assert!(said.iter().all(known), "{}: {said:#?}", upstream.name);
    }
}

/// How much there is of what, in this order: `[pages, pages of commands, marked pages, lists, commands with a list, commands with codes,
/// pairs of list and code, bullets at depth 1, 2, 3]`.
fn counts(facts: &TextFacts, known: &Known) -> [usize; 10] {
    let mut depths = [0; 3];
    for entry in facts.lists.iter().flat_map(|list| &list.entries) {
        count_depths(&entry.condition, 0, &mut depths);
    }
    let coverage = facts.coverage(known.commands.keys().map(String::as_str));
    let codes = |command: &String| -> BTreeSet<&str> {
        let errors = facts.errors(command).unwrap_or_default();
        errors.iter().filter_map(|effective| effective.entry.code.as_deref()).collect()
    };
    let own =
        facts.lists.iter().map(|list| list.entries.iter().filter_map(|entry| entry.code.as_ref()).collect::<BTreeSet<_>>().len());
    [
        facts.pages.len(),
        facts.pages.iter().filter(|page| page.is_command()).count(),
        facts.pages.iter().filter(|page| page.marked).count(),
        facts.lists.len(),
        coverage.listed.len(),
        coverage.listed.iter().filter(|command| !codes(command).is_empty()).count(),
        own.sum(),
        depths[0],
        depths[1],
        depths[2],
    ]
}

fn count_depths(condition: &Condition, depth: usize, depths: &mut [usize; 3]) {
    depths[depth] += 1;
    for child in &condition.children {
        count_depths(child, depth + 1, depths);
    }
}

#[test]
fn there_is_as_much_of_each_as_was_counted_by_hand() {
    for upstream in Upstream::all("there_is_as_much_of_each_as_was_counted_by_hand") {
        let wanted = match upstream.name.as_str() {
            NEWEST | "v3.1.1" => [189, 174, 168, 171, 180, 178, 1047, 1172, 736, 22],
            "v3.0.19" => [186, 173, 167, 170, 177, 175, 1036, 1238, 120, 8],
            _ => continue,
        };
        let found = counts(&upstream.facts().0, &upstream.known());
        assert_eq!(found, wanted, "{}", upstream.name);
    }
}

#[test]
fn what_the_text_names_and_the_registry_lacks_is_reported() {
    for upstream in Upstream::all("what_the_text_names_and_the_registry_lacks_is_reported") {
        let findings = compare(&upstream.facts().0, &upstream.known());
        let said: Vec<String> = findings.0.iter().map(ToString::to_string).collect();
        let has = |command: &str, name: &str| {
            said.iter().any(|text| text.contains(&format!("`{command}`")) && text.contains(&format!("found `{name}`")))
        };
        assert!(has("clCreateSemaphoreWithPropertiesKHR", "props_list"), "{}: {said:#?}", upstream.name);
        assert!(has("clGetEventProfilingInfo", "clEnqueueSvmFree"), "{}: {said:#?}", upstream.name);
        assert!(
            !said.iter().any(|text| text.contains("has a code that the registry does not know")),
            "{}: {said:#?}",
            upstream.name
        );
    }
}

#[test]
fn commands_that_have_no_text_are_told_from_those_that_cannot_fail() {
    for upstream in Upstream::all("commands_that_have_no_text_are_told_from_those_that_cannot_fail") {
        let (facts, known) = (upstream.facts().0, upstream.known());
        let coverage = facts.coverage(known.commands.keys().map(String::as_str));
        assert!(coverage.silent.contains(&"clSVMFree".to_owned()), "{}", upstream.name);
        assert!(coverage.listed.contains(&"clUnloadCompiler".to_owned()), "{}", upstream.name);
        assert_eq!(facts.errors("clUnloadCompiler").map(|errors| errors.len()), Some(0), "{}", upstream.name);
        let groups = [&coverage.listed, &coverage.silent, &coverage.absent].map(Vec::len);
        assert_eq!(groups.iter().sum::<usize>(), known.commands.len(), "{}", upstream.name);
    }
}

#[test]
fn the_list_of_re_import_has_its_four_codes() {
    for upstream in Upstream::all("the_list_of_re_import_has_its_four_codes") {
        let facts = upstream.facts().0;
        let errors = facts.errors("clReImportSemaphoreSyncFdKHR").expect("it is in every version that has the text");
        let codes: Vec<&str> = errors.iter().filter_map(|effective| effective.entry.code.as_deref()).collect();
        let wanted = [
            "CL_INVALID_SEMAPHORE_KHR",
            "CL_INVALID_SEMAPHORE_KHR",
            "CL_INVALID_VALUE",
            "CL_OUT_OF_HOST_MEMORY",
            "CL_OUT_OF_RESOURCES",
        ];
        assert_eq!(codes, wanted, "{}", upstream.name);
    }
}
