//! Links that only the recipient of a mail can see (`docs/decisions/people.md#0025-links-in-mail`). The stored copy
//! holds a placeholder, and the copies that are sent hold the link's token.
//!
//! A principal that can read sent mail, such as an agent, therefore cannot follow a link meant for the recipient. The
//! token is derived from the instance key and the message id; only its SHA-256 is stored.

use memchr::memmem;
use posthouse_domain::{ErrorCode, MessageId, Refusal, link_token, user::sign_in_code};
use sha2::{Digest, Sha256};

use crate::{keyring::instance_key::InstanceKey, keyring::instance_key::InstanceKeyError, service::Service};

/// The placeholder: as long as a token, but not a valid one.
pub const TOKEN_PLACEHOLDER: &str = "hidden-until-the-service-message-is-sent";
/// The placeholder of the code that stands for the token on another device: as long as a code, but not a valid one.
pub const CODE_PLACEHOLDER: &str = "[code]";
/// The largest mail that is searched for the placeholder, in bytes: mail that the service writes is small.
const SCANNED_BYTES_MAX: usize = 16 * 1024;

/// Returns the token of the link in a message.
///
/// # Errors
/// Returns `internal_error` if the instance key cannot be read.
pub fn token(service: &Service, message: MessageId) -> Result<String, Refusal> {
    service.keys.key(&service.config).map(|key| of_message(key, message)).map_err(|error| {
        tracing::error!(cause = %error, "sealed_link.no_token");
        Refusal::new(ErrorCode::Internal, "The link couldn't be created.")
    })
}

/// Returns the digest to store for a token; `None` if the text is not a token.
#[must_use]
pub fn digest(token: &str) -> Option<[u8; 32]> {
    link_token::is_token(token).then(|| Sha256::digest(token).into())
}

fn of_message(key: &InstanceKey, message: MessageId) -> String {
    link_token::of_secret(&key.link(message.0.as_bytes()))
}

/// Returns the mail to send: the placeholder is replaced with the message's token.
///
/// # Errors
/// Returns an error if the instance key cannot be read.
pub fn open(service: &Service, message: MessageId, raw: Vec<u8>) -> Result<Vec<u8>, InstanceKeyError> {
    if !is_in(&raw) {
        return Ok(raw);
    }
    let token = of_message(service.keys.key(&service.config)?, message);
    Ok(replaced(&raw, &token).unwrap_or(raw))
}

/// Returns whether the mail contains the placeholder, so that the sent bytes differ from the stored ones.
#[must_use]
pub fn is_in(raw: &[u8]) -> bool {
    at(raw).is_some()
}

/// Returns the mail with the token in place of the placeholder, if it has one.
#[must_use]
pub fn replaced(raw: &[u8], token: &str) -> Option<Vec<u8>> {
    let at = at(raw)?;
    let rest = &raw[at + TOKEN_PLACEHOLDER.len()..];
    let Some(code_at) = memmem::find(rest, CODE_PLACEHOLDER.as_bytes()) else {
        return Some([&raw[..at], token.as_bytes(), rest].concat());
    };
    let code = sign_in_code(token);
    let after = &rest[code_at + CODE_PLACEHOLDER.len()..];
    Some([&raw[..at], token.as_bytes(), &rest[..code_at], code.as_bytes(), after].concat())
}

fn at(raw: &[u8]) -> Option<usize> {
    let short = Some(raw).filter(|raw| raw.len() <= SCANNED_BYTES_MAX)?;
    memmem::find(short, TOKEN_PLACEHOLDER.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_is_replaced_with_token() {
        let token = &link_token::of_secret("0123456789abcdef0123456789abcdef");
        let raw = format!("Open {TOKEN_PLACEHOLDER} now");
        assert_eq!(replaced(raw.as_bytes(), token), Some(format!("Open {token} now").into_bytes()));
        let with_code = format!("Open {TOKEN_PLACEHOLDER} or enter {CODE_PLACEHOLDER}.");
        let sent = String::from_utf8(replaced(with_code.as_bytes(), token).unwrap()).unwrap();
        assert_eq!(sent, format!("Open {token} or enter {}.", sign_in_code(token)));
        assert_eq!(replaced(b"nothing", token), None);
        assert_eq!(replaced(&raw.repeat(1_000).into_bytes(), token), None, "large mail is not searched");
    }

    #[test]
    fn only_tokens_have_a_digest() {
        let token = link_token::of_secret("0123456789abcdef0123456789abcdef");
        assert!(digest(&token).is_some() && token.len() == TOKEN_PLACEHOLDER.len());
        for text in ["", TOKEN_PLACEHOLDER, "0123456789abcdef0123456789abcdef", &token.to_uppercase()] {
            assert_eq!(digest(text), None, "{text}");
        }
    }
}
