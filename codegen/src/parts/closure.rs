//! What a part of an API consists of: what was asked for, what that needs, and what belongs to it.
//!
//! In: an index, and names. Out: which stretches of lines are in the part. A stretch brings everything that it speaks of, and every row of a
//! table that is about it.

use std::collections::{BTreeSet, HashMap};

use super::index::{File, Index, Role, Stretch};

/// A stretch by its file and its place in it.
type Place = (usize, usize);

/// The stretches of an API by name.
pub(super) struct Names<'t> {
    /// By each name that one can ask for.
    asked: HashMap<&'t str, Vec<Place>>,
    /// By what they define.
    defined: HashMap<&'t str, Vec<Place>>,
    /// By what brings them along.
    companions: HashMap<&'t str, Vec<Place>>,
    /// The opening and closing lines around each row.
    around: HashMap<Place, Vec<Place>>,
}

impl<'t> Names<'t> {
    /// Those in `index`. The tables of rules are left out unless `rules` are wanted.
    pub(super) fn of(index: &Index<'t>, rules: bool) -> Self {
        let mut names = Self { asked: HashMap::new(), defined: HashMap::new(), companions: HashMap::new(), around: HashMap::new() };
        for (at, file) in index.files.iter().enumerate().filter(|(_, file)| rules || !file.tables) {
            names.file(at, file);
        }
        names
    }

    fn file(&mut self, at: usize, file: &File<'t>) {
        // Tables in tables: the opening lines of each, and the rows in it.
        let mut open: Vec<(Place, Vec<Place>)> = Vec::new();
        for (within, stretch) in file.stretches.iter().enumerate() {
            let place = (at, within);
            // The parts of tables of rules are nothing that upstream has a name for.
            if !file.tables {
                for name in stretch.names.iter().chain(&stretch.also).chain(&stretch.extensions) {
                    self.asked.entry(name).or_default().push(place);
                }
            }
            for name in &stretch.names {
                self.defined.entry(name).or_default().push(place);
            }
            for name in &stretch.with {
                self.companions.entry(name).or_default().push(place);
            }
            match stretch.role {
                Role::Item => {}
                Role::Open => open.push((place, Vec::new())),
                Role::Row => open.iter_mut().for_each(|(_, rows)| rows.push(place)),
                Role::Close => {
                    if let Some((opened, rows)) = open.pop() {
                        for row in rows {
                            self.around.entry(row).or_default().extend([opened, place]);
                        }
                    }
                }
            }
        }
    }

    /// Every name that one can ask for.
    pub(super) fn all(&self) -> impl Iterator<Item = &'t str> {
        self.asked.keys().copied()
    }

    /// What `name` stands for.
    pub(super) fn get(&self, name: &str) -> &[Place] {
        self.asked.get(name).map_or(&[], Vec::as_slice)
    }

    /// Everything that `asked` brings, itself among it.
    pub(super) fn closure(&self, index: &Index<'t>, asked: Vec<Place>) -> BTreeSet<Place> {
        let mut chosen = BTreeSet::new();
        let mut waiting = asked;
        while let Some(place) = waiting.pop() {
            if !chosen.insert(place) {
                continue;
            }
            let stretch: &Stretch<'t> = &index.files[place.0].stretches[place.1];
            let needed = stretch.needs.iter().filter_map(|name| self.defined.get(name));
            let companions = stretch.names.iter().filter_map(|name| self.companions.get(name));
            waiting.extend(needed.chain(companions).chain(self.around.get(&place)).flatten());
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Names};

    const TEXT: &str = "\
release 1.0
file aliases 1
item 1 is CUshort needs CUlong
item 1 is CUlong needs CUshort
item 1 is CUother
file commands 1
item 1 is cuFoo_v2 also cuFoo cuFoo_ptsz of cl_khr_foo needs CUshort
item 1 is cuBar
open 1
row 1 with cuFoo_v2
row 1 with cuBar
open 1
row 1 with cuWindows
close 0
close 1
tables rules 1
item 1 is RULES_OF_cuFoo_v2 needs CUother with cuFoo_v2
";

    fn part(names: &[&str], rules: bool) -> Vec<(usize, usize)> {
        let index = Index::read(TEXT).expect("an index");
        let known = Names::of(&index, rules);
        let asked = names.iter().flat_map(|name| known.get(name)).copied().collect();
        known.closure(&index, asked).into_iter().collect()
    }

    #[test]
    fn what_is_needed_comes_along_and_what_needs_it_does_not() {
        assert_eq!(part(&["CUlong"], false), [(0, 0), (0, 1)], "two that need each other");
        assert_eq!(part(&["CUother"], false), [(0, 2)]);
    }

    #[test]
    fn a_row_brings_the_lines_around_it_and_no_other_table() {
        let foo = [(0, 0), (0, 1), (1, 0), (1, 2), (1, 3), (1, 8)];
        for name in ["cuFoo_v2", "cuFoo", "cuFoo_ptsz", "cl_khr_foo"] {
            assert_eq!(part(&[name], false), foo, "{name}");
        }
    }

    #[test]
    fn rules_come_along_where_they_are_wanted_with_what_they_speak_of() {
        assert_eq!(part(&["cuFoo"], true), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (1, 3), (1, 8), (2, 0)]);
        assert_eq!(part(&["RULES_OF_cuFoo_v2"], true), [], "nobody asks for a table of ours");
    }
}
