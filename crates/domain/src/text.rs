//! Text helpers that several modules share.

use icu_normalizer::ComposingNormalizerBorrowed;
use sha2::{Digest, Sha256};

/// The longest text that an index stores unchanged, in bytes. PostgreSQL limits an index row, including the other
/// columns, to 2,704.
const INDEXED_BYTES_MAX: usize = 2_000;

/// Returns the form of a text that an index compares. Long texts and texts with NUL, which databases reject, are
/// replaced with their SHA-256. The digest starts with a control character, so it can't equal a text from outside.
#[must_use]
pub fn indexed(text: String) -> String {
    if text.len() <= INDEXED_BYTES_MAX && !text.contains('\0') {
        return text;
    }
    let digest = Sha256::digest(text.as_bytes());
    std::iter::once('\u{1}'.to_string()).chain(digest.iter().map(|byte| format!("{byte:02x}"))).collect()
}

/// Returns the form in which parts of names and addresses are compared: Unicode normalization form C in lower case.
#[must_use]
pub fn compared(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let form = ComposingNormalizerBorrowed::new_nfc();
    form.normalize(&form.normalize(text).to_lowercase()).into_owned()
}

/// Returns the number of single-character edits (insert, delete, replace, swap of neighbors) between two words.
///
/// Quadratic in the length, so both words are cut to 64 characters. Used for hints such as "did you mean labels?".
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

/// The shortest name that is suggested because it contains, or is contained in, the other one.
const PART_CHARS_MIN: usize = 3;

/// Returns the known name that is closest to a wrong one, by edits or because one contains the other, ignoring case.
/// Returns `None` if nothing is close.
#[must_use]
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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

/// Returns the words of a text as one name: `Idempotency-Key` as `IdempotencyKey`.
#[must_use]
pub fn pascal(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_replaced_by_their_digest() {
        for text in ["", "red", &"x".repeat(2_000)] {
            assert_eq!(indexed(text.to_owned()), text);
        }
        let long = indexed("ü".repeat(1_001));
        assert_eq!((long.len(), &long[..1]), (65, "\u{1}"));
        assert_ne!(long, indexed("ü".repeat(1_002)));
        assert!(!indexed("a\0".to_owned()).contains('\0'));
    }

    #[test]
    fn distance_counts_edits() {
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
