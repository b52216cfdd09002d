//! Small rules about text that several parts share.

use sha2::{Digest, Sha256};

/// Most bytes of a text that an index holds as it is: with its other columns it must fit into the 2,704 that PostgreSQL takes.
const INDEXED_BYTES_MAX: usize = 2_000;

/// The text as an index compares it: a long one, or one with a NUL, which databases do not take, is its SHA-256. No text that is
/// taken from outside looks like that: it begins with a control character.
#[must_use]
pub fn indexed(text: String) -> String {
    if text.len() <= INDEXED_BYTES_MAX && !text.contains('\0') {
        return text;
    }
    let digest = Sha256::digest(text.as_bytes());
    std::iter::once('\u{1}'.to_string()).chain(digest.iter().map(|byte| format!("{byte:02x}"))).collect()
}

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

/// Shortest name that may stand for a longer one that it is a part of.
const PART_CHARS_MIN: usize = 3;

/// The known name nearest to a wrong one, if it is near at all: by edits, or because one is a part of the other. Case counts
/// for nothing.
#[must_use]
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let bound = wrong.chars().count().div_ceil(3).clamp(1, 4);
    let near = |name: &str, edits: usize| {
        let is_part = wrong.contains(name) && name.len() >= PART_CHARS_MIN
            || name.contains(&wrong) && wrong.len() >= PART_CHARS_MIN;
        is_part || edits <= bound
    };
    let measured = known.into_iter().map(|name| (distance(&wrong, &name.to_lowercase()), name));
    measured.filter(|(edits, name)| near(name, *edits)).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_indexed_by_their_digest() {
        for text in ["", "red", &"x".repeat(2_000)] {
            assert_eq!(indexed(text.to_owned()), text);
        }
        let long = indexed("ü".repeat(1_001));
        assert_eq!((long.len(), &long[..1]), (65, "\u{1}"));
        assert_ne!(long, indexed("ü".repeat(1_002)));
        assert!(!indexed("a\0".to_owned()).contains('\0'));
    }

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
