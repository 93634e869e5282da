//! What somebody who misspelt a name may have meant.

/// The candidate nearest to `name`, if one is near enough to be a misspelling of it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len() / 4).clamp(1, 4);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean …` for [`nearest`], or what else to do.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(name, candidates).map_or_else(|| otherwise.to_owned(), |candidate| format!("did you mean `{candidate}`?"))
}

/// How many insertions, deletions and replacements make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, left) in a.chars().enumerate() {
        let mut diagonal = index;
        let mut last = index + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(&b) {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = *cell;
            last = replaced.min(*cell + 1).min(last + 1);
            *cell = last;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_letters() {
        assert_eq!(distance("commant", "comment"), 1);
        assert_eq!(distance("qualifer", "qualifier"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_far_name_is_no_suggestion() {
        assert_eq!(nearest("commant", ["comment", "vendor"]), Some("comment"));
        assert_eq!(nearest("start", ["vendor", "bitpos"]), None);
    }
}
