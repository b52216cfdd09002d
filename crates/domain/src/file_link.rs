//! Links over which a file reaches a call, or leaves one, beside the model that makes the call
//! (`docs/reference/mcp.md#files`).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::time::MINUTE_MS;

/// The prefix of every token.
const TOKEN_PREFIX: &str = "phfl_";
/// The random bytes of a token.
pub const SECRET_BYTES: usize = 32;
/// The characters of that many bytes in base64url.
const SECRET_CHARS: usize = 43;
/// How long a link is valid, in milliseconds.
pub const LINK_VALID_MS: i64 = 10 * MINUTE_MS;
/// The most links that a workspace has at the same time.
pub const LINKS_MAX: u64 = 200;
/// The largest call that a link makes, in bytes of JSON without its files.
pub const CALL_BYTES_MAX: usize = 256 * 1024;

/// The token in a link. Only its [`FileLinkToken::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct FileLinkToken(String);

impl FileLinkToken {
    /// Creates a token from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; SECRET_BYTES]) -> Self {
        Self(format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(random)))
    }

    /// Parses a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let secret = text.strip_prefix(TOKEN_PREFIX)?;
        let is_secret = secret.len() == SECRET_CHARS
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        is_secret.then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 of the token, which is stored.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the whole token, for the one response that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for FileLinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileLinkToken")
    }
}

named! {
    /// Where the file of a link goes.
    FileDirection {
        /// To the client. The link works once.
        Download = "download",
        /// To the service, where it completes a call. The link makes its call once.
        Upload = "upload",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_parsed_as_it_was_made() {
        let token = FileLinkToken::from_random(&[7; SECRET_BYTES]);
        assert_eq!(FileLinkToken::parse(token.reveal()).as_ref(), Some(&token));
        assert_eq!(format!("{token:?}"), "FileLinkToken", "logs don't have the secret");
        for wrong in ["", "phfl_", "phfl_short", &token.reveal()[1..], &format!("{}x", token.reveal())] {
            assert_eq!(FileLinkToken::parse(wrong), None, "{wrong}");
        }
    }
}
