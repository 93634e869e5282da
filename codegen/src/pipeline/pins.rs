//! Moves the pins in `spec/sources.toml`.
//!
//! In: the file's text and a new pin. Out: the text with it, everything else as people wrote it, comments included. The result is read back, so
//! that a file which was laid out otherwise is refused and not damaged.

use crate::{
    fetch::{CudaPin, OpenClState, Sources},
    finding::{Document, Finding, Findings},
};

/// The list of pins.
pub const SOURCES: &str = "spec/sources.toml";

/// `text` with `pin` as the release that is read by default. A release of the same version gives way to it.
pub fn with_cuda(text: &str, pin: &CudaPin) -> Result<String, Findings> {
    let mut blocks = Blocks::of(text);
    let entry = vec![
        "[[cuda]]".to_owned(),
        format!("version = \"{}\"", pin.version),
        format!("package = \"{}\"", pin.package),
        format!("release = \"{}\"", pin.release),
        format!("platform = \"{}\"", pin.platform),
        format!("bytes = {}", pin.bytes),
        format!("sha256 = \"{}\"", pin.sha256),
        format!("header = \"{}\"", pin.header),
        "default = true".to_owned(),
    ];
    let version = format!("version = \"{}\"", pin.version);
    let mut place = None;
    for (at, block) in blocks.0.iter_mut().enumerate().filter(|(_, block)| block.is("[[cuda]]")) {
        block.lines.retain(|line| line.trim() != "default = true");
        place = Some((at, block.lines.iter().any(|line| line.trim() == version)));
    }
    match place {
        Some((at, true)) => blocks.0[at].lines = entry,
        Some((at, false)) => {
            let before = std::mem::take(&mut blocks.0[at].after);
            blocks.0[at].after = vec![String::new()];
            blocks.0.insert(at + 1, Block { lines: entry, after: before });
        }
        None => return Err(Finding::error(format!("{SOURCES} lists no release of the CUDA headers")).into()),
    }
    let text = blocks.text();
    let sources = Sources::read(&Document::new(SOURCES, &text))?;
    let default = sources.default_cuda().map(|release| (release.release.as_str(), release.sha256.get_ref().as_str()));
    if default == Some((&pin.release, &pin.sha256)) { Ok(text) } else { Err(laid_out_otherwise("[[cuda]]")) }
}

/// `text` with the OpenCL documents at `state`.
pub fn with_opencl(text: &str, state: &OpenClState) -> Result<String, Findings> {
    let mut blocks = Blocks::of(text);
    for block in blocks.0.iter_mut().filter(|block| block.is("[opencl]")) {
        for line in &mut block.lines {
            match line.split_once('=').map(|(key, _)| key.trim()) {
                Some("commit") => *line = format!("commit = \"{}\"", state.commit),
                Some("sha256") => *line = format!("sha256 = \"{}\"", state.sha256),
                _ => {}
            }
        }
    }
    let text = blocks.text();
    let pin = Sources::read(&Document::new(SOURCES, &text))?.opencl;
    let moved = pin.commit == state.commit && *pin.sha256.get_ref() == state.sha256;
    if moved { Ok(text) } else { Err(laid_out_otherwise("[opencl]")) }
}

fn laid_out_otherwise(table: &str) -> Findings {
    Finding::error(format!("the pin in {SOURCES} cannot be moved"))
        .wanted(format!("a table {table} with a key on each line"))
        .help("write the new pin by hand, and run `clcu update`")
        .into()
}

/// A table: its lines, and the empty lines and comments after them, which belong to the next.
struct Block {
    lines: Vec<String>,
    after: Vec<String>,
}

impl Block {
    fn is(&self, table: &str) -> bool {
        self.lines.first().is_some_and(|line| line.trim() == table)
    }
}

/// A file of tables. What stands before the first is a block without a name.
struct Blocks(Vec<Block>);

impl Blocks {
    fn of(text: &str) -> Self {
        let mut blocks = vec![Block { lines: Vec::new(), after: Vec::new() }];
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.starts_with('[') {
                blocks.push(Block { lines: vec![line.to_owned()], after: Vec::new() });
            } else if let Some(block) = blocks.last_mut() {
                if trimmed.is_empty() || trimmed.starts_with('#') {
                    block.after.push(line.to_owned());
                } else {
                    // A comment between keys is within the table.
                    let between = std::mem::take(&mut block.after);
                    block.lines.extend(between);
                    block.lines.push(line.to_owned());
                }
            }
        }
        Self(blocks)
    }

    fn text(&self) -> String {
        let lines = self.0.iter().flat_map(|block| block.lines.iter().chain(&block.after));
        lines.fold(String::new(), |text, line| text + line + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    fn pin(version: (u16, u16), release: &str) -> CudaPin {
        CudaPin {
            version: Version::new(version.0, version.1),
            package: "nvidia-cuda-runtime".to_owned(),
            release: release.to_owned(),
            platform: "manylinux2014_x86_64".to_owned(),
            bytes: 7,
            sha256: "a".repeat(64),
            header: "b".repeat(64),
        }
    }

    /// The lines that only one of two texts has.
    fn difference(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        let only = |one: &str, other: &str| {
            let (one, other) = (one.to_owned(), other.to_owned());
            one.lines().filter(|line| !other.lines().any(|it| it == *line)).map(str::to_owned).collect::<Vec<_>>()
        };
        (only(old, new), only(new, old))
    }

    #[test]
    fn a_new_version_is_added_last_and_is_the_default() {
        let text = with_cuda(clcu_spec::SOURCES, &pin((99, 1), "99.1.7")).expect("the committed file");
        let sources = Sources::read(&Document::new(SOURCES, &text)).expect("it is read back");
        assert_eq!(sources.default_cuda().map(|release| release.release.as_str()), Some("99.1.7"));
        let (gone, new) = difference(clcu_spec::SOURCES, &text);
        assert_eq!(gone, Vec::<String>::new(), "nothing that people wrote is lost");
        assert_eq!(new.len(), 5, "{new:?}");
        assert_eq!(text.lines().count(), clcu_spec::SOURCES.lines().count() - 1 + 10);
    }

    #[test]
    fn a_newer_release_of_the_same_version_takes_its_place() {
        let text = with_cuda(clcu_spec::SOURCES, &pin((13, 5), "13.5.99")).expect("the committed file");
        let sources = Sources::read(&Document::new(SOURCES, &text)).expect("it is read back");
        assert_eq!(sources.cuda_named("13.5").map(|release| release.release.as_str()), Some("13.5.99"));
        assert_eq!(text.lines().count(), clcu_spec::SOURCES.lines().count());
    }

    #[test]
    fn the_state_of_opencl_moves_and_nothing_else() {
        let state = OpenClState { commit: "0123abcd".to_owned(), sha256: "c".repeat(64) };
        let text = with_opencl(clcu_spec::SOURCES, &state).expect("the committed file");
        let (gone, new) = difference(clcu_spec::SOURCES, &text);
        assert_eq!((gone.len(), new), (2, vec!["commit = \"0123abcd\"".to_owned(), format!("sha256 = \"{}\"", "c".repeat(64))]));
    }

    #[test]
    fn a_file_that_is_laid_out_otherwise_is_refused() {
        let inline = clcu_spec::SOURCES.replace("[opencl]\n", "[opencl] # here\n");
        let state = OpenClState { commit: "0123abcd".to_owned(), sha256: "c".repeat(64) };
        let refused = with_opencl(&inline, &state).expect_err("the table is not found");
        assert!(refused.to_string().contains("cannot be moved"), "{refused}");
    }
}
