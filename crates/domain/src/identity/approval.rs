//! The code that a browser shows while it waits for an agent.

/// The letters of a code: consonants, so that codes form no words (RFC 8628 §6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// The letters in a code.
pub const CODE_LETTERS: usize = 8;
/// The random bytes of a code. Two bytes for each letter keep the bias below 0.1 %.
pub const CODE_RANDOM_BYTES: usize = 2 * CODE_LETTERS;

/// Creates a code from random bytes.
#[must_use]
pub fn code(random: &[u8; CODE_RANDOM_BYTES]) -> String {
    let (pairs, _) = random.as_chunks::<2>();
    pairs.iter().map(|pair| char::from(LETTERS[usize::from(u16::from_be_bytes(*pair)) % LETTERS.len()])).collect()
}

/// Returns a code as it is shown: `BCDF-GHJK`.
#[must_use]
pub fn shown(code: &str) -> String {
    match code.split_at_checked(CODE_LETTERS / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => code.to_owned(),
    }
}

/// Parses a code that an agent or a person typed: upper or lower case, with or without the hyphen and blanks.
#[must_use]
pub fn parse(text: &str) -> Option<String> {
    let letters = text.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| c.to_ascii_uppercase());
    let code: String = letters.take(CODE_LETTERS + 1).collect();
    (code.len() == CODE_LETTERS && code.bytes().all(|byte| LETTERS.contains(&byte))).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_typed_in_any_case() {
        let code = code(&[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 27]);
        assert_eq!((code.as_str(), shown(&code).as_str()), ("BCDFGHJK", "BCDF-GHJK"));
        for text in ["BCDF-GHJK", "bcdfghjk", "bcdf ghjk", "BCDFGHJK"] {
            assert_eq!(parse(text).as_deref(), Some("BCDFGHJK"), "{text}");
        }
        for text in ["", "BCDF", "BCDF-GHJKL", "ACDF-GHJK", "BCDF-GHJ1", "bcdf-ghjé"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
