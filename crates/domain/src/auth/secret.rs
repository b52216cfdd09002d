//! The secrets of API keys, made of random bytes that the caller passes in.

use sha2::{Digest, Sha256};

/// The prefix of every key.
pub const KEY_PREFIX: &str = "ph_";
/// The number of characters after the prefix; the last six are the checksum.
pub const KEY_CHARS: usize = 40;
const CHECKSUM_CHARS: usize = 6;
/// The number of random characters in a key.
pub const KEY_RANDOM_CHARS: usize = KEY_CHARS - CHECKSUM_CHARS;
/// The number of characters shown in lists, including the prefix.
pub const KEY_SHOWN_CHARS: usize = 10;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret of an API key. It is shown once; only its [`ApiKeySecret::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeySecret(String);

impl ApiKeySecret {
    /// Creates a key from random bytes: two bytes per character keep the bias of the alphabet below 0.1 %.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        let body = random_alphanumerics(random);
        Self(format!("{KEY_PREFIX}{body}{}", checksum(&body)))
    }

    /// Parses a key and verifies its checksum, so that typing errors are rejected without a database lookup.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(KEY_PREFIX)?;
        if body.len() != KEY_CHARS || !body.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let (random, sum) = body.split_at(KEY_RANDOM_CHARS);
        (checksum(random) == sum).then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 of the key, which is stored. A key has over 200 random bits, so a slow hash isn't needed.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the part shown in lists.
    #[must_use]
    pub fn display_prefix(&self) -> &str {
        &self.0[..KEY_SHOWN_CHARS]
    }

    /// Returns the whole secret, for the one response that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKeySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({}…)", self.display_prefix())
    }
}

/// Converts random bytes into letters and digits, two bytes per character.
pub(crate) fn random_alphanumerics(random: &[u8]) -> String {
    random
        .chunks_exact(2)
        .map(|pair| char::from(ALPHABET[usize::from(u16::from_be_bytes([pair[0], pair[1]])) % ALPHABET.len()]))
        .collect()
}

/// Returns the CRC-32 of the random part in base 62, padded to six characters.
fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    digits.iter().map(|b| char::from(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_round_trips_and_typing_errors_are_rejected() {
        let key = ApiKeySecret::from_random(&[200; 2 * KEY_RANDOM_CHARS]);
        let text = key.reveal();
        assert_eq!(text.len(), 3 + 40);
        assert_eq!(ApiKeySecret::parse(text).as_ref(), Some(&key));
        for at in 3..text.len() {
            let mut broken = text.as_bytes().to_vec();
            broken[at] = if broken[at] == b'x' { b'y' } else { b'x' };
            let broken = String::from_utf8(broken).expect("ASCII");
            assert_eq!(ApiKeySecret::parse(&broken), None, "{broken}");
        }
        assert!(!format!("{key:?}").contains(&text[10..]));
    }
}
