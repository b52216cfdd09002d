//! Tokens in links that the service mails. They have one form, so that mail which quotes a link can be recognized and the
//! token in it masked: a link must never work from a reply, a quote or a forwarded copy
//! (`docs/decisions/people.md#0095-the-services-own-mail`). Pure.

mod candidate;
mod codes;
mod encoded;
mod symbol;
mod tokens;
mod walk;

pub use codes::TokenCodes;
use memchr::memmem;
use sha2::{Digest, Sha256};

/// What stands in place of a token in mail that arrives.
pub const MASK: &str = "[link of this service]";
/// The sentence of a sign-in mail in front of the code that stands for its link.
pub const CODE_OFFER: &str = "On another device, enter this code instead";
/// The start of every token. None of its letters is a hexadecimal digit.
const PREFIX: &str = "pht";
/// Hexadecimal digits of the secret.
const SECRET_DIGITS: usize = 32;
/// Hexadecimal digits that show that the text is a token, so that other text never matches.
const CHECK_DIGITS: usize = 5;
/// The length of a token.
pub const TOKEN_CHARS: usize = PREFIX.len() + SECRET_DIGITS + CHECK_DIGITS;

/// Returns the token with a secret of 32 hexadecimal digits.
#[must_use]
pub fn of_secret(secret: &str) -> String {
    format!("{PREFIX}{secret}{}", check_digits(secret))
}

/// Returns whether a text is exactly a token.
#[must_use]
pub fn is_token(text: &str) -> bool {
    let Some((secret, check)) = text.strip_prefix(PREFIX).and_then(|rest| rest.split_at_checked(SECRET_DIGITS)) else {
        return false;
    };
    text.len() == TOKEN_CHARS && text[PREFIX.len()..].bytes().all(is_digit) && check_digits(secret) == check
}

/// Returns whether a text has a token.
#[must_use]
pub fn is_in(text: &str) -> bool {
    candidate::is_in(text.as_bytes()) && tokens::is_in(text) || encoded::is_in(text.as_bytes())
}

/// Returns whether bytes have a token, read as text.
#[must_use]
pub fn is_in_bytes(bytes: &[u8]) -> bool {
    candidate::is_in(bytes) && tokens::is_in(&String::from_utf8_lossy(bytes)) || encoded::is_in(bytes)
}

/// Returns whether bytes that aren't text have a token, as documents have addresses of links: in letters of one or two bytes.
#[must_use]
pub fn is_in_binary(bytes: &[u8]) -> bool {
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let lower = bytes.to_ascii_lowercase();
    let is_plain = memmem::find_iter(&lower, PREFIX).any(|at| {
        let secret = lower.get(at + PREFIX.len()..at + PREFIX.len() + SECRET_DIGITS);
        secret.is_some_and(|secret| secret.iter().copied().all(is_digit))
    });
    is_plain || encoded::is_in(&bytes)
}

/// Returns the text without its tokens, and adds the sign-in codes that stand for them; `None` if it has no token.
#[must_use]
pub fn masked(text: &str, codes: &mut TokenCodes) -> Option<String> {
    let mut found = encoded::find(text.as_bytes());
    if candidate::is_in(text.as_bytes()) {
        found.append(&mut tokens::find(text));
    }
    found.sort_by_key(|token| (token.range.start, token.range.end));
    let (mut out, mut end) = (String::new(), 0);
    for token in &found {
        codes.add(&token.secret);
        if token.range.start >= end {
            out.push_str(&text[end..token.range.start]);
            out.push_str(MASK);
        }
        end = end.max(token.range.end);
    }
    (!found.is_empty()).then(|| out + &text[end..])
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn check_digits(secret: &str) -> String {
    let digest = Sha256::new().chain_update("link token\n").chain_update(secret).finalize();
    let digits: String = digest.iter().take(CHECK_DIGITS).map(|byte| format!("{byte:02x}")).collect();
    digits[..CHECK_DIGITS].to_owned()
}

#[cfg(test)]
mod tests;
