//! Emits the index of an API's files, from which parts are cut.
//!
//! In: the files as they were emitted, with their marks, and the model. Out: the text of the index: a line a stretch. What a stretch
//! needs is read off its text, so that it cannot be forgotten.

use std::collections::{BTreeMap, BTreeSet};

use super::{MARK, page::Finished};
use crate::{
    model::{Lifetime, Model},
    parts::{
        index::{File, Index, Stretch},
        words::words,
    },
};

/// The index of `files`, which are those of `model`: by name, with whether a file belongs to the tables of rules.
pub(super) fn emit(model: &Model, files: &[(&str, bool, &Finished)]) -> String {
    let defined: BTreeSet<&str> =
        files.iter().flat_map(|(_, _, file)| &file.marks).flat_map(|mark| mark.names.iter().map(String::as_str)).collect();
    let calls = Calls::of(model);
    let files = files.iter().map(|(name, tables, file)| {
        let mut spoken = spoken(file, &defined).into_iter();
        let stretches = file.stretches().map(|(mark, text)| {
            let own: BTreeSet<&str> = mark.names.iter().map(String::as_str).collect();
            let known = |names: &BTreeMap<&str, BTreeSet<&'_ str>>| -> Vec<String> {
                own.iter().filter_map(|name| names.get(name)).flatten().map(|name| (*name).to_owned()).collect()
            };
            let (also, extensions) =
                if *tables { (Vec::new(), Vec::new()) } else { (known(&calls.also), known(&calls.extensions)) };
            let needs = spoken.next().unwrap_or_default().into_iter().filter(|name| !own.contains(name)).collect();
            line(&Stretch {
                names: own.iter().copied().collect(),
                also: also.iter().map(String::as_str).collect(),
                extensions: extensions.iter().map(String::as_str).collect(),
                needs,
                with: mark.with.iter().map(String::as_str).collect(),
                ..Stretch::new(mark.role, text.lines().count())
            })
        });
        let lines: Vec<String> = stretches.collect();
        (File { name, tables: *tables, head: file.text[..file.head].lines().count(), stretches: Vec::new() }, lines)
    });
    let mut text = format!("{MARK}\n");
    let release = model.releases.last().map_or("", String::as_str);
    text.push_str(&Index { release, files: Vec::new() }.to_string());
    for (file, lines) in files {
        let head = Index { release: "", files: vec![file] }.to_string();
        text.extend(head.lines().skip(1).map(|line| format!("{line}\n")));
        text.extend(lines);
    }
    text
}

/// Which of the names that are `defined` each stretch of `file` speaks of. The file is read as a whole, because a string may go on from one
/// stretch to the next.
fn spoken<'a>(file: &'a Finished, defined: &BTreeSet<&str>) -> Vec<BTreeSet<&'a str>> {
    let mut ends: Vec<usize> = Vec::new();
    for (_, text) in file.stretches() {
        ends.push(ends.last().copied().unwrap_or_default() + text.len());
    }
    let mut spoken = vec![BTreeSet::new(); ends.len()];
    for (word, end) in words(&file.text[file.head..]).filter(|(word, _)| defined.contains(word)) {
        spoken[ends.partition_point(|at| *at < end)].insert(word);
    }
    spoken
}

fn line(stretch: &Stretch<'_>) -> String {
    format!("{stretch}\n")
}

/// By which names one asks for an item, besides its own.
struct Calls<'a> {
    also: BTreeMap<&'a str, BTreeSet<&'a str>>,
    extensions: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Calls<'a> {
    fn of(model: &'a Model) -> Self {
        let mut calls = Self { also: BTreeMap::new(), extensions: BTreeMap::new() };
        for item in &model.enumerations {
            calls.lives(&item.name, &item.lifetime);
            for value in &item.enumerators {
                calls.also.entry(&item.name).or_default().insert(&value.name);
                calls.lives(&item.name, &value.lifetime);
            }
        }
        for item in &model.commands {
            let also = [Some(&item.name), item.per_thread_symbol.as_ref()].into_iter().flatten();
            let also = also.filter(|name| **name != item.symbol).map(String::as_str);
            calls.also.entry(&item.symbol).or_default().extend(also);
            calls.lives(&item.symbol, &item.lifetime);
        }
        for item in &model.records {
            calls.lives(&item.name, &item.lifetime);
            for member in &item.members {
                calls.lives(&item.name, &member.lifetime);
            }
        }
        model.constants.iter().for_each(|item| calls.lives(&item.name, &item.lifetime));
        model.aliases.iter().for_each(|item| calls.lives(&item.name, &item.lifetime));
        model.handles.iter().for_each(|item| calls.lives(&item.name, &item.lifetime));
        model.callbacks.iter().for_each(|item| calls.lives(&item.name, &item.lifetime));
        model.macro_functions.iter().for_each(|item| calls.lives(&item.name, &item.lifetime));
        calls
    }

    fn lives(&mut self, name: &'a str, lifetime: &'a Lifetime) {
        self.extensions.entry(name).or_default().extend(lifetime.extensions.iter().map(String::as_str));
    }
}
