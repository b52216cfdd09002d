//! Access tokens, refresh tokens and authorization codes of connectors. Only their SHA-256 is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// The prefix of an access token.
pub const ACCESS_TOKEN_PREFIX: &str = "phca_";
/// The prefix of a refresh token.
pub const REFRESH_TOKEN_PREFIX: &str = "phcr_";
/// The random bytes of an access token, an authorization code, and each part of a refresh token.
pub const SECRET_BYTES: usize = 32;
/// The characters of that many bytes in base64url.
const SECRET_CHARS: usize = 43;

/// An access token.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectorToken(String);

impl ConnectorToken {
    /// Creates a token from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; SECRET_BYTES]) -> Self {
        Self(format!("{ACCESS_TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(random)))
    }

    /// Returns whether a text is meant as a token of a connector.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(ACCESS_TOKEN_PREFIX)
    }

    /// Parses a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_secret(text.strip_prefix(ACCESS_TOKEN_PREFIX)?).then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256, which is stored.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }

    /// Returns the whole token, for the one response that contains it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A refresh token: the family, which stays the same for a connector, and a part that each use replaces. An old token thus
/// still names its connector, and its reuse is noticed however old it is.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    family: String,
    text: String,
}

impl RefreshToken {
    /// Creates the first token of a family, from random bytes.
    #[must_use]
    pub fn from_random(family: &[u8; SECRET_BYTES], random: &[u8; SECRET_BYTES]) -> Self {
        Self::of(URL_SAFE_NO_PAD.encode(family), random)
    }

    /// Returns the token that takes the place of this one.
    #[must_use]
    pub fn rotated(&self, random: &[u8; SECRET_BYTES]) -> Self {
        Self::of(self.family.clone(), random)
    }

    fn of(family: String, random: &[u8; SECRET_BYTES]) -> Self {
        let text = format!("{REFRESH_TOKEN_PREFIX}{family}{}", URL_SAFE_NO_PAD.encode(random));
        Self { family, text }
    }

    /// Parses a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (family, rest) = text.strip_prefix(REFRESH_TOKEN_PREFIX)?.split_at_checked(SECRET_CHARS)?;
        (is_secret(family) && is_secret(rest)).then(|| Self { family: family.to_owned(), text: text.to_owned() })
    }

    /// Returns the SHA-256 of the family.
    #[must_use]
    pub fn family_digest(&self) -> [u8; 32] {
        digest(&self.family)
    }

    /// Returns the SHA-256 of the whole token.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        digest(&self.text)
    }

    /// Returns the whole token, for the one response that contains it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

/// Creates an authorization code from random bytes.
#[must_use]
pub fn code(random: &[u8; SECRET_BYTES]) -> String {
    URL_SAFE_NO_PAD.encode(random)
}

/// Returns the SHA-256 of a secret. It has 256 random bits, so a slow hash isn't needed.
#[must_use]
pub fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

fn is_secret(text: &str) -> bool {
    text.len() == SECRET_CHARS && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl std::fmt::Debug for ConnectorToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConnectorToken(…)")
    }
}

impl std::fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RefreshToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_round_trip_and_are_not_printed() {
        let access = ConnectorToken::from_random(&[7; SECRET_BYTES]);
        assert_eq!(ConnectorToken::parse(access.reveal()).as_ref(), Some(&access));
        let first = RefreshToken::from_random(&[1; SECRET_BYTES], &[2; SECRET_BYTES]);
        let next = first.rotated(&[3; SECRET_BYTES]);
        assert_eq!(RefreshToken::parse(next.reveal()).as_ref(), Some(&next));
        assert_eq!(first.family_digest(), next.family_digest());
        assert_ne!(first.digest(), next.digest());
        let printed = format!("{access:?} {next:?}");
        assert!(!printed.contains(&access.reveal()[8..]) && !printed.contains(&next.reveal()[8..]));
    }

    #[test]
    fn every_shortened_or_changed_token_is_refused() {
        let access = ConnectorToken::from_random(&[7; SECRET_BYTES]);
        let refresh = RefreshToken::from_random(&[1; SECRET_BYTES], &[2; SECRET_BYTES]);
        for text in [access.reveal(), refresh.reveal()] {
            for at in 0..text.len() {
                let spoiled = format!("{}é{}", &text[..at], &text[at + 1..]);
                for wrong in [&text[..at], &text[at + 1..], &spoiled, &format!("{text}A")] {
                    assert!(ConnectorToken::parse(wrong).is_none() && RefreshToken::parse(wrong).is_none(), "{wrong}");
                }
            }
        }
        assert!(ConnectorToken::parse(refresh.reveal()).is_none() && RefreshToken::parse(access.reveal()).is_none());
    }
}
