//! Proof Key for Code Exchange (RFC 7636): the app proves that it began the sign-in whose code it exchanges. Only the
//! method `S256` is supported.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// The only method.
pub const METHOD: &str = "S256";
/// The length of a challenge: SHA-256 in base64url.
const CHALLENGE_CHARS: usize = 43;
/// The shortest and the longest verifier (RFC 7636 §4.1).
const VERIFIER_CHARS: std::ops::RangeInclusive<usize> = 43..=128;

/// Returns whether a text has the form of a challenge.
#[must_use]
pub fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_CHARS && URL_SAFE_NO_PAD.decode(text).is_ok()
}

/// Returns whether a verifier belongs to a challenge.
#[must_use]
pub fn matches(verifier: &str, challenge: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    VERIFIER_CHARS.contains(&verifier.len())
        && verifier.bytes().all(is_unreserved)
        && URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == challenge
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_published_vector_matches() {
        assert!(is_challenge(CHALLENGE) && matches(VERIFIER, CHALLENGE));
        assert!(!matches(CHALLENGE, VERIFIER) && !matches(&VERIFIER[1..], CHALLENGE));
        assert!(!matches(&format!("{VERIFIER} "), CHALLENGE) && !matches("", CHALLENGE));
        for wrong in ["", "plain", &CHALLENGE[1..], &format!("{CHALLENGE}="), &CHALLENGE.replace('E', "+")] {
            assert!(!is_challenge(wrong), "{wrong}");
        }
    }
}
