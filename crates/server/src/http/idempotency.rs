//! `Idempotency-Key` (decision 4): the header.
//!
//! The record itself is stored by the use-case, in the transaction that stores what the request makes.

use axum::http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};

use super::{route::PathParams, wire::Problems};

/// `Idempotent-Replayed`: on an answer that was given before.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Longest key in characters.
const KEY_CHARS_MAX: usize = 255;

/// The header's value: 1 to 255 visible ASCII characters, bare or in quotes.
pub fn key(headers: &HeaderMap, problems: &mut Problems) -> Option<String> {
    let mut values = headers.get_all("idempotency-key").iter();
    let value = values.next()?;
    let text = value.to_str().unwrap_or_default();
    let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    let fine = (1..=KEY_CHARS_MAX).contains(&bare.len()) && bare.bytes().all(|b| b.is_ascii_graphic());
    if fine && values.next().is_none() {
        return Some(bare.to_owned());
    }
    problems.add("Idempotency-Key", format!("must be 1 to {KEY_CHARS_MAX} visible ASCII characters, once"))
}

/// SHA-256 of what makes two requests of one route the same. Each piece goes in behind its length, so that no two
/// different requests give the same bytes. No body is an empty object, as everywhere.
pub(super) fn fingerprint(path: &PathParams, query: Option<&str>, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let body = if body.is_empty() { b"{}" } else { body };
    let path = path.0.iter().map(|(_, value)| value.as_bytes());
    for piece in path.chain([query.unwrap_or_default().as_bytes(), body]) {
        hash.update((piece.len() as u64).to_be_bytes());
        hash.update(piece);
    }
    hash.finalize().into()
}
