//! Small rules about text that several parts share.

/// How many single-character edits (insert, delete, replace, swap of neighbours) lead from one word to the other.
///
/// Quadratic in the length, so both are cut to 64 characters: it serves hints such as «did you mean labels?».
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    const CHARS_MAX: usize = 64;
    let a: Vec<char> = a.chars().take(CHARS_MAX).collect();
    let b: Vec<char> = b.chars().take(CHARS_MAX).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

/// The known name nearest to a wrong one, if it is near at all.
#[must_use]
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = wrong.chars().count().div_ceil(3).clamp(1, 4);
    known.into_iter().map(|name| (distance(wrong, name), name)).filter(|(d, _)| *d <= bound).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("to", "to", 0),
            ("too", "to", 1),
            ("lables", "labels", 1),
            ("subjct", "subject", 1),
            ("abc", "xyz", 3),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }
}
