//! Where each item stands in the generated files of an API, what it speaks of, and by which names one asks for it.
//!
//! In: `generated/index/{cuda,opencl}.txt`, which the emitter writes with the files themselves. Out: the files as stretches of lines, each of
//! which is in a part as a whole or not at all. A light reader for build scripts: nothing of Rust is parsed.
//!
//! ```text
//! release 13.5.37
//! file commands 9                                   a file, and how many lines come before its first item
//! item 10 is cuFoo_v2 also cuFoo needs CUresult     ten lines that define `cuFoo_v2`, and that `cuFoo` means as well
//! open 2                                            two lines that begin a table, which is there if a row of it is
//! row 1 with cuFoo_v2                               a row, which is there if `cuFoo_v2` is
//! close 2
//! tables rules 12                                   a file that only a part with rules has
//! ```

use std::{fmt, str::FromStr};

/// What a stretch of lines is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whole items.
    Item,
    /// The lines that begin a table.
    Open,
    /// A row of a table.
    Row,
    /// The lines that end a table.
    Close,
}

/// The word for each role in the index.
const ROLES: [(&str, Role); 4] = [("item", Role::Item), ("open", Role::Open), ("row", Role::Row), ("close", Role::Close)];

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROLES.iter().find(|(_, role)| role == self).map_or("", |(word, _)| word))
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        ROLES.iter().find(|(word, _)| *word == text).map(|(_, role)| *role).ok_or(())
    }
}

/// A stretch of lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch<'t> {
    /// What it is.
    pub role: Role,
    /// How many lines it has.
    pub lines: usize,
    /// What it defines.
    pub names: Vec<&'t str>,
    /// What else one may call it, or what in it: the values of an enumeration, the public name of a command.
    pub also: Vec<&'t str>,
    /// The extensions that bring it, or something in it.
    pub extensions: Vec<&'t str>,
    /// What it speaks of and does not define.
    pub needs: Vec<&'t str>,
    /// It comes along with whatever defines any of these.
    pub with: Vec<&'t str>,
}

impl fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.role, self.lines)?;
        let clauses =
            [("is", &self.names), ("also", &self.also), ("of", &self.extensions), ("needs", &self.needs), ("with", &self.with)];
        for (word, names) in clauses.into_iter().filter(|(_, names)| !names.is_empty()) {
            write!(f, " {word} {}", names.join(" "))?;
        }
        Ok(())
    }
}

impl<'t> Stretch<'t> {
    /// A stretch of which nothing is known but its length.
    #[must_use]
    pub fn new(role: Role, lines: usize) -> Self {
        Self { role, lines, names: Vec::new(), also: Vec::new(), extensions: Vec::new(), needs: Vec::new(), with: Vec::new() }
    }

    fn read(line: &'t str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut stretch = Self::new(words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let mut clause: Option<&mut Vec<&'t str>> = None;
        for word in words {
            match word {
                "is" => clause = Some(&mut stretch.names),
                "also" => clause = Some(&mut stretch.also),
                "of" => clause = Some(&mut stretch.extensions),
                "needs" => clause = Some(&mut stretch.needs),
                "with" => clause = Some(&mut stretch.with),
                name => clause.as_mut()?.push(name),
            }
        }
        Some(stretch)
    }
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File<'t> {
    /// The name of its module.
    pub name: &'t str,
    /// Only a part with rules has it.
    pub tables: bool,
    /// How many lines come before the first stretch.
    pub head: usize,
    /// The rest of it, in order.
    pub stretches: Vec<Stretch<'t>>,
}

/// The generated files of one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index<'t> {
    /// The newest release that is in them.
    pub release: &'t str,
    /// The files.
    pub files: Vec<File<'t>>,
}

impl fmt::Display for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "release {}", self.release)?;
        for file in &self.files {
            writeln!(f, "{} {} {}", if file.tables { "tables" } else { "file" }, file.name, file.head)?;
            for stretch in &file.stretches {
                writeln!(f, "{stretch}")?;
            }
        }
        Ok(())
    }
}

impl<'t> Index<'t> {
    /// Reads an index; or gives the number of the line that is none, from 1. A line of comment (`//`) is none of it.
    pub fn read(text: &'t str) -> Result<Self, usize> {
        let mut index = Self { release: "", files: Vec::new() };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with("//")) {
            index.line(line).ok_or(at + 1)?;
        }
        Ok(index)
    }

    fn line(&mut self, line: &'t str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "release" => self.release = rest,
            "file" | "tables" => {
                let (name, head) = rest.split_once(' ')?;
                self.files.push(File { name, tables: word == "tables", head: head.parse().ok()?, stretches: Vec::new() });
            }
            _ => self.files.last_mut()?.stretches.push(Stretch::read(line)?),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Role};

    const TEXT: &str = "\
release 13.5.37
file commands 9
item 10 is cuFoo_v2 also cuFoo of cl_khr_foo needs CUresult CUfoo
open 2
row 1 with cuFoo_v2
close 2
tables rules 12
item 3 is RULES_OF_cuFoo cuFoo_arguments with cuFoo_v2
";

    #[test]
    fn what_is_written_is_read_back() {
        let index = Index::read(TEXT).expect("an index");
        assert_eq!(index.to_string(), TEXT);
        let command = &index.files[0].stretches[0];
        assert_eq!((command.role, command.lines, command.names.as_slice()), (Role::Item, 10, ["cuFoo_v2"].as_slice()));
        assert_eq!(command.needs, ["CUresult", "CUfoo"]);
        assert!(index.files[1].tables && !index.files[0].tables);
    }

    #[test]
    fn a_line_that_is_none_is_named_and_a_comment_is_passed_over() {
        let cases = [
            ("file a 1\nnonsense\n", 2),
            ("item 1 is a\n", 1),
            ("file a x\n", 1),
            ("file a 1\nitem x\n", 2),
            ("file a 1\nitem 1 cuFoo\n", 2),
            ("\n", 1),
        ];
        for (wrong, line) in cases {
            assert_eq!(Index::read(wrong), Err(line), "{wrong}");
        }
        assert!(Index::read("// whatever\nrelease 1.0\n").is_ok());
    }
}
