//! What the lists come to for a command by its name: aliases followed, inherited lists taken over.
//!
//! In: [`TextFacts`]. Out: for a command, every entry that applies to it, and whose list it stands in. "No list" and "the empty list" are
//! different answers.

use std::collections::BTreeSet;

use super::facts::{ErrorEntry, ErrorList, Inheritance, Page, TextFacts};

/// An entry that applies to a command.
#[derive(Clone, Copy, Debug)]
pub struct Effective<'a> {
    /// The entry.
    pub entry: &'a ErrorEntry,
    /// The list that it stands in: the command's own, or one that is taken over.
    pub list: &'a ErrorList,
    /// How it was taken over; absent for an entry of the command's own list.
    pub through: Option<&'a Inheritance>,
}

/// Which commands have a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Those that have one, under their own name or through `alias=`.
    pub listed: Vec<String>,
    /// Those that are documented, and have none.
    pub silent: Vec<String>,
    /// Those that the text does not document.
    pub absent: Vec<String>,
}

impl TextFacts {
    /// The page that documents `name`.
    #[must_use]
    pub fn page(&self, name: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.name == name || page.aliases.iter().any(|alias| alias == name))
    }

    /// The list of the command called `name`, which may be that of the command whose page it shares.
    #[must_use]
    pub fn list(&self, name: &str) -> Option<&ErrorList> {
        let own = self.lists.iter().find(|list| list.command == name);
        own.or_else(|| self.lists.iter().find(|list| list.aliases.iter().any(|alias| alias == name)))
    }

    /// Every entry that applies to the command called `name`. `None` where the text has no list for it.
    #[must_use]
    pub fn errors(&self, name: &str) -> Option<Vec<Effective<'_>>> {
        let list = self.list(name)?;
        let mut entries: Vec<_> = list.entries.iter().map(|entry| Effective { entry, list, through: None }).collect();
        let mut visited = BTreeSet::from([list.command.as_str()]);
        self.inherit(list, &mut visited, &mut entries);
        Some(entries)
    }

    /// Takes over what `list` does not state anew. Lists that take over each other in a circle are walked once.
    fn inherit<'a>(&'a self, list: &'a ErrorList, visited: &mut BTreeSet<&'a str>, entries: &mut Vec<Effective<'a>>) {
        for inheritance in &list.inherits {
            let Some(parent) = self.list(&inheritance.from) else { continue };
            if !visited.insert(&parent.command) {
                continue;
            }
            let mut inherited: Vec<_> =
                parent.entries.iter().map(|entry| Effective { entry, list: parent, through: Some(inheritance) }).collect();
            self.inherit(parent, visited, &mut inherited);
            let dropped = |code: &String| inheritance.replaced.contains(code) || inheritance.removed.contains(code);
            inherited.retain(|effective| effective.entry.code.as_ref().is_none_or(|code| !dropped(code)));
            entries.extend(inherited);
        }
    }

    /// Which of `commands` have a list.
    #[must_use]
    pub fn coverage<'a>(&self, commands: impl IntoIterator<Item = &'a str>) -> Coverage {
        let mut coverage = Coverage::default();
        for name in commands {
            let group = match (self.list(name), self.page(name)) {
                (Some(_), _) => &mut coverage.listed,
                (None, Some(_)) => &mut coverage.silent,
                (None, None) => &mut coverage.absent,
            };
            group.push(name.to_owned());
        }
        coverage
    }
}
