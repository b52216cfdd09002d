//! Links that only the reader of a mail may see (decision 30): the stored copy has a mark where the token of the link belongs,
//! and the token stands in the copies that leave.
//!
//! So nobody who may read sent mail, as an agent may, can follow a link that asks somebody else. The token comes from the key
//! of the instance and the message it is in; what is kept of it is its SHA-256.

use posthouse_domain::{
    error::{Code, Refusal},
    id::MessageId,
};
use sha2::{Digest, Sha256};

use super::{App, signing::InstanceKeyError};

/// What stands for the token: as long as one, and none.
pub const MARK: &str = "hidden-until-it-leaves-the-house";
/// The largest mail that is looked through for the mark, in bytes: those that the service writes are small.
const LOOKED_THROUGH_BYTES_MAX: usize = 16 * 1024;

/// The token of the link in a message.
///
/// # Errors
/// `internal_error` where the key of the instance cannot be had.
pub fn token(app: &App, message: MessageId) -> Result<String, Refusal> {
    app.vault.key(app).map(|key| key.link(message.0.as_bytes())).map_err(|error| {
        tracing::error!(cause = %error, "sealed_link.no_token");
        Refusal::new(Code::Internal, "The link cannot be written now.")
    })
}

/// What is kept of a token; nothing for a text that is none.
#[must_use]
pub fn digest(token: &str) -> Option<[u8; 32]> {
    let is_token = token.len() == MARK.len() && token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_token.then(|| Sha256::digest(token).into())
}

/// The mail as it leaves: with the token of that message where the mark stands.
///
/// # Errors
/// The key of the instance cannot be had.
pub fn open(app: &App, message: MessageId, raw: Vec<u8>) -> Result<Vec<u8>, InstanceKeyError> {
    if !is_in(&raw) {
        return Ok(raw);
    }
    let token = app.vault.key(app)?.link(message.0.as_bytes());
    Ok(replaced(&raw, &token).unwrap_or(raw))
}

/// Whether the mail leaves with other bytes than these.
#[must_use]
pub fn is_in(raw: &[u8]) -> bool {
    at(raw).is_some()
}

/// The mail with the token in the place of the mark, if it has one.
#[must_use]
pub fn replaced(raw: &[u8], token: &str) -> Option<Vec<u8>> {
    let at = at(raw)?;
    Some([&raw[..at], token.as_bytes(), &raw[at + MARK.len()..]].concat())
}

fn at(raw: &[u8]) -> Option<usize> {
    let short = Some(raw).filter(|raw| raw.len() <= LOOKED_THROUGH_BYTES_MAX)?;
    short.windows(MARK.len()).position(|window| window == MARK.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_takes_the_place_of_the_mark() {
        let token = "0123456789abcdef0123456789abcdef";
        let raw = format!("Open {MARK} now");
        assert_eq!(replaced(raw.as_bytes(), token), Some(format!("Open {token} now").into_bytes()));
        assert_eq!(replaced(b"nothing", token), None);
        assert_eq!(replaced(&raw.repeat(1_000).into_bytes(), token), None, "large mail is none of ours");
    }

    #[test]
    fn only_tokens_have_a_digest() {
        assert!(digest("0123456789abcdef0123456789abcdef").is_some());
        for text in ["", MARK, "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"] {
            assert_eq!(digest(text), None, "{text}");
        }
    }
}
