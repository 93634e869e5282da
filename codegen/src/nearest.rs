//! The names that are nearest to one that somebody typed.

use std::collections::BTreeSet;

/// Suggestions that are shown.
const MOST_SUGGESTIONS: usize = 5;

/// The names that are nearest to `name`, nearest first: what contains it, or differs by little.
pub(crate) fn nearest<'a>(name: &str, names: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let most = wanted.chars().count() / 3 + 1;
    let rank = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let distance = distance(&wanted, &candidate, most);
        let contained = wanted.len() >= 4 && candidate.contains(&wanted);
        // What contains the whole name differs by what it has more; that is a better guess than as many wrong letters.
        let extra = contained.then(|| most + candidate.len() - wanted.len());
        distance.into_iter().chain(extra).min()
    };
    let mut ranked: Vec<(usize, &str)> = names.iter().filter_map(|candidate| Some((rank(candidate)?, *candidate))).collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// How many letters have to be put in, taken out or changed to make `right` of `left`, if that is at most `most`.
fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_letters_put_in_taken_out_and_changed() {
        assert_eq!(distance("kitten", "sitting", 9), Some(3));
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("abc", "abc", 0), Some(0));
        assert_eq!(distance("abc", "xyz", 2), None, "further than asked for");
    }

    #[test]
    fn the_nearest_name_comes_first_whatever_its_case() {
        let names = BTreeSet::from(["cuInit", "cuInitialize", "cuMemAlloc"]);
        assert_eq!(nearest("CUINIT", &names), ["cuInit", "cuInitialize"]);
        assert_eq!(nearest("cuInut", &names), ["cuInit"]);
        assert!(nearest("zebra", &names).is_empty());
    }
}
